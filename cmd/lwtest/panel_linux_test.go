package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// emulate plays the output of a panel on a terminal that never scrolls. It returns what the terminal shows at the end, and the width of the
// widest line that was erased. An escape sequence that a panel does not use fails the test.
func emulate(t *testing.T, out string) (screen string, widest int) {
	lines, at := []string{""}, 0
	for out != "" {
		if m := regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`).FindStringSubmatch(out); m != nil {
			out = out[len(m[0]):]
			switch m[2] {
			case "A":
				n := 0
				fmt.Sscan(m[1], &n)
				at -= n
				require.GreaterOrEqual(t, at, 0)
			case "J":
				for _, l := range lines[at:] {
					widest = max(widest, report.Columns(l))
				}
				lines = append(lines[:at], "")
			case "m":
			default:
				t.Fatalf("the sequence %q", m[0])
			}
			continue
		}
		r := []rune(out)[0]
		out = out[len(string(r)):]
		switch r {
		case '\r':
		case '\n':
			if at++; at == len(lines) {
				lines = append(lines, "")
			}
		default:
			lines[at] += string(r)
		}
	}
	return strings.Join(lines, "\n"), widest
}

// onTerminal runs a command line of the shell on a pseudo terminal, where lwtest is this program, and returns what it got.
func onTerminal(t *testing.T, width int, env []string, line string) string {
	t.Helper()
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("there is no script of util-linux, which has pseudo terminals")
	}
	cmd := exec.CommandContext(t.Context(), "script", "-qec", fmt.Sprintf(`stty cols %d rows 30; lwtest() { %s "$@"; }; %s`, width, os.Args[0], line), "/dev/null")
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), append([]string{asProgram + "=1", "SHELL=/bin/sh", "TERM=xterm", "CI=", "NO_COLOR="}, env...)...)
	var out bytes.Buffer
	cmd.Stdout = &out
	require.NoError(t, cmd.Run(), "%s", &out)
	return out.String()
}

const (
	terminalRun  = `lwtest run --target bad --target slow --parallel 1 --out run || [ $? = 1 ]`
	terminalFuzz = `lwtest fuzz store --target store:mutant/list-short --for 2s --parallel 1 --out found || [ $? = 1 ]`
)

// ofPanel is what only a panel has.
var ofPanel = regexp.MustCompile(`\[[#-]+\]|(?m)^(failed|running)  `)

// Each verb shows a panel that fits the terminal. In the end it is gone, and the summary is there.
func TestPanelOnATerminal(t *testing.T) {
	for _, line := range []string{terminalRun, terminalFuzz} {
		for _, width := range []int{40, 120} {
			t.Run(fmt.Sprintf("%s-%d", strings.Fields(line)[1], width), func(t *testing.T) {
				t.Parallel()
				out := onTerminal(t, width, nil, line)
				assert.Contains(t, out, "\x1b[31mfailed   ")
				assert.Regexp(t, `\[#+-*\] +\d+%`, out)
				screen, widest := emulate(t, out)
				assert.Positive(t, widest)
				assert.Less(t, widest, width)
				assert.Regexp(t, `(\d|no) known failures?.*seed 1\)`, strings.Join(strings.Fields(screen), " "))
				if _, summary, _ := strings.Cut(screen, "run directory"); line == terminalRun {
					for l := range strings.Lines(summary) {
						words := strings.Fields(l) // a path stays whole
						assert.True(t, len(words) == 1 || report.Columns(strings.TrimRight(l, "\r\n")) <= width, l)
					}
				}
				assert.NotRegexp(t, ofPanel, screen)
			})
		}
	}
}

// A panel has no colours where nobody wants them. It is not shown in CI, on a terminal that obeys nothing, and in files.
func TestPanelElsewhere(t *testing.T) {
	for _, line := range []string{terminalRun, terminalFuzz} {
		t.Run(strings.Fields(line)[1], func(t *testing.T) {
			t.Parallel()
			out := onTerminal(t, 80, []string{"NO_COLOR=1"}, line)
			assert.Regexp(t, ofPanel, out)
			assert.NotRegexp(t, `\x1b\[\d+m`, out)
			out = onTerminal(t, 80, nil, strings.Replace(line, " ||", " >out ||", 1)+"; echo stdout:; cat out")
			panel, file, _ := strings.Cut(out, "stdout:")
			assert.Regexp(t, ofPanel, panel)
			for name, plain := range map[string]string{
				"stdout": file,
				"CI":     onTerminal(t, 80, []string{"CI=true", "NO_COLOR=1"}, line),
				"dumb":   onTerminal(t, 80, []string{"TERM=dumb"}, line),
				"stderr": onTerminal(t, 80, []string{"NO_COLOR=1"}, strings.Replace(line, " ||", " 2>errors ||", 1)+"; cat errors"),
			} {
				assert.Contains(t, strings.Join(strings.Fields(plain), " "), "seed 1)", name) // a terminal may wrap it
				assert.NotContains(t, plain, "\x1b", name)
				assert.NotRegexp(t, ofPanel, plain, name)
			}
		})
	}
}
