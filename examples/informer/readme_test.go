package informer_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	suite "github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/plugins/fake"
)

// TestMerging is the informer with its bug. It fails, so it runs only for the test below.
func TestMerging(t *testing.T) {
	if os.Getenv("EXAMPLE_MERGING") == "" {
		t.Skip("it fails: EXAMPLE_MERGING=1 runs it")
	}
	test(t, subject{merge: true})
}

// FuzzMerging finds the bug by random stories.
func FuzzMerging(f *testing.F) {
	if os.Getenv("EXAMPLE_MERGING") == "" {
		f.Skip("it fails: EXAMPLE_MERGING=1 runs it")
	}
	suite.Fuzz(f, fake.Server, func(*testing.T) suite.Subject { return subject{merge: true} }, features...)
}

// TestReadme: the README shows what the bug really looks like. EXAMPLE_WRITE=1 writes it anew.
func TestReadme(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestMerging$/^converge$/^deletes$")
	cmd.Env = append(os.Environ(), "EXAMPLE_MERGING=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("the bug is not found:\n%s", out)
	}
	have, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile("(?s)```text\n.*?```").ReplaceAllLiteral(have, []byte("```text\n"+shown(string(out))+"```"))
	if bytes.Equal(have, want) {
		return
	}
	if os.Getenv("EXAMPLE_WRITE") == "" {
		t.Fatalf("README.md is not current: EXAMPLE_WRITE=1 go test -run TestReadme writes it. The output is\n%s", out)
	}
	if err := os.WriteFile("README.md", want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// shown is what it says of the clause, without the file of its history, which is another each time.
func shown(out string) string {
	const clause = "MUST informer/converge/deletes"
	_, out, _ = strings.Cut(out, clause)
	out, _, _ = strings.Cut("            "+clause+out, "  history ")
	var lines []string
	for line := range strings.Lines(out) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(line, " \n"), "            "))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}
