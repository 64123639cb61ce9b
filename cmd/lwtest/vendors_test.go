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
	for page, blocks := range map[string]int{"README.md": 1, "docs/vendors.md": 2, "CONTRIBUTING.md": 2} {
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
	shown := commands(string(b))
	for _, c := range shown {
		if node != nil && strings.Contains(c.line, "node ") {
			continue
		}
		got := prints(t, c.line)
		if lacking(c.want, got) != nil { // smoke has limits of real time, and a machine may stand still
			got = prints(t, c.line)
		}
		assert.Empty(t, lacking(c.want, got), "%s\n%s", c.line, got)
		if strings.Contains(c.line, "lwtest smoke") { // it is short, and shown whole
			assert.Equal(t, strings.Join(c.want, "\n"), strings.Trim(got, "\n"), c.line)
		}
		if first := failing.FindString(c.want[0]); first != "" {
			assert.Equal(t, first, strings.TrimSpace(failing.FindString(got)), "what %s prints first", c.line)
		}
	}
	assert.Len(t, shown, 8)
	if node != nil {
		t.Skip("there is no node here: what docs/vendors.md shows of an adapter was not run")
	}
}

// failing matches the first line of a failure.
var failing = regexp.MustCompile(`(?m)^FAIL (MUST|SHOULD) .*$`)

// took matches a duration.
var took = regexp.MustCompile(`\b[0-9]+(\.[0-9]+)?(µs|ms|s)\b`)

// shownCommand is a command that a page shows, and the lines of its output that the page shows.
type shownCommand struct {
	line string
	want []string
}

// commands returns the commands of a page: in blocks, after "$ ", with the document that follows <<'EOF'.
func commands(page string) (out []shownCommand) {
	for i, block := range strings.Split(page, "```") {
		block = strings.Trim(block, "\n")
		if i%2 == 0 || !strings.HasPrefix(block, "$ ") {
			continue
		}
		document := false
		for line := range strings.SplitSeq(block, "\n") {
			begins := strings.HasPrefix(line, "$ ")
			switch {
			case begins && !document:
				out = append(out, shownCommand{line: line[2:]})
				document = strings.HasSuffix(line, "<<'EOF'")
			case document:
				out[len(out)-1].line += "\n" + line
				document = line != "EOF"
			default:
				c := &out[len(out)-1]
				c.want = append(c.want, line)
			}
		}
	}
	return out
}

// lacking returns the lines that no line of a text begins with, except for times. "..." at the end of a line stands for the rest.
func lacking(lines []string, text string) (out []string) {
	text = took.ReplaceAllString(text, "TIME")
	for _, line := range lines {
		if !strings.Contains(text, "\n"+took.ReplaceAllString(strings.TrimRight(line, ". "), "TIME")) {
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
