package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// Code in the README and the docs comes from files that are compiled or run. Each block after "<!-- from FILE -->" is
// in that file, with … for omitted parts.
func TestCodeInDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	from := regexp.MustCompile("(?s)<!-- from (\\S+) -->\n```\\w+\n(.*?)```")
	for page, blocks := range map[string]int{"README.md": 1, "docs/vendors.md": 2} {
		b, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		found := from.FindAllStringSubmatch(string(b), -1)
		assert.Len(t, found, blocks, page)
		assert.Equal(t, blocks, strings.Count(string(b), "```go\n")+strings.Count(string(b), "```js\n"), "code of %s without its file", page)
		for _, m := range found {
			source, err := os.ReadFile(filepath.Join(root, m[1]))
			require.NoError(t, err, page)
			for part := range strings.SplitSeq(m[2], "  …\n") {
				assert.Contains(t, string(source), part, "%s shows what %s does not have", page, m[1])
			}
		}
	}
}

// docs/vendors.md shows what its commands print, except for times.
func TestVendorsDocIsTrue(t *testing.T) {
	full.Need(t, "it runs every command of the page")
	_, node := exec.LookPath("node") // the example of the third door is in JavaScript
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "vendors.md"))
	require.NoError(t, err)
	shown := 0
	for i, block := range strings.Split(string(b), "```") {
		command, want, found := strings.Cut(strings.TrimPrefix(block, "\n"), "\n")
		if i%2 == 0 || !found || !strings.HasPrefix(command, "$ ") {
			continue
		}
		if shown++; node != nil && strings.Contains(command, "node ") {
			continue
		}
		lines := strings.Split(strings.TrimRight(want, "\n"), "\n")
		got := prints(t, strings.TrimPrefix(command, "$ "))
		if lacking(lines, got) != nil { // smoke has limits of real time, and a machine may stand still
			got = prints(t, strings.TrimPrefix(command, "$ "))
		}
		assert.Empty(t, lacking(lines, got), "%s\n%s", command, got)
		if strings.Contains(command, "lwtest smoke") { // it is short, and shown whole
			assert.Equal(t, strings.Join(lines, "\n"), strings.Trim(got, "\n"), command)
		}
		if first := failing.FindString(lines[0]); first != "" {
			assert.Equal(t, first, strings.TrimSpace(failing.FindString(got)), "what %s prints first", command)
		}
	}
	assert.Equal(t, 8, shown)
	if node != nil {
		t.Skip("there is no node here: what docs/vendors.md shows of an adapter was not run")
	}
}

// failing matches the first line of a failure.
var failing = regexp.MustCompile(`(?m)^(MUST|SHOULD) \S+$`)

// took matches a duration.
var took = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(µs|ms|s)\b`)

// lacking returns the lines that no line of a text begins with, except for times.
func lacking(lines []string, text string) (out []string) {
	text = took.ReplaceAllString(text, "TIME")
	for _, line := range lines {
		if !strings.Contains(text, "\n"+took.ReplaceAllString(line, "TIME")) {
			out = append(out, line)
		}
	}
	return out
}

// prints returns what a lwtest command prints at the root of the tree, whatever its status.
func prints(t *testing.T, command string) string {
	t.Helper()
	if strings.Contains(command, "lwtest run") {
		command += " --out " + filepath.Join(t.TempDir(), "run")
	}
	cmd := exec.Command("sh", "-c", `lwtest() { "$LWTEST_BINARY" "$@"; }; `+command)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), asProgram+"=1", "LWTEST_BINARY="+os.Args[0])
	out, _ := cmd.Output()
	return "\n" + string(out)
}
