package release

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A copy of a module gets each edit, and what chooses one of them. An edit whose place is not there once is refused.
func TestEdits(t *testing.T) {
	root, module := t.TempDir(), t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "interop/x"), 0o777))
	require.NoError(t, os.MkdirAll(filepath.Join(module, "pkg/store"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(module, "pkg/store/a.go"), []byte("package store\n\nvar a, b = 1, 1\n"), 0o444))
	adapter := Adapter{Root: root, Folder: "interop/x", Edits: "bugs.yaml"}
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, "interop/x/bugs.yaml"), []byte(text), 0o666))
	}
	write("under: pkg\nedits:\n- {file: store/a.go, at: \"a, b\", by: \"c, b\"}\n- {file: store/a.go, at: \"c, b\", by: \"c, d\"}\n")
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, adapter.copied(module, to))
	b, err := os.ReadFile(filepath.Join(to, "pkg/store/a.go"))
	require.NoError(t, err)
	assert.Equal(t, "package store\n\nvar c, d = 1, 1\n", string(b))
	b, err = os.ReadFile(filepath.Join(to, "pkg/store/lwtest_bug.go"))
	require.NoError(t, err)
	assert.Contains(t, string(b), "package store\n")
	assert.Contains(t, string(b), `os.Getenv("LWTEST_BUG")`)

	for text, want := range map[string]string{
		"under: pkg\nedits:\n- {file: store/a.go, at: \"1\", by: \"2\"}\n": "store/a.go has this 2 times, and once is needed",
		"under: pkg\nedits:\n- {file: store/a.go, at: \"x\", by: \"2\"}\n": "store/a.go has this 0 times, and once is needed",
		"under: pkg\nedits:\n- {file: store/b.go, at: \"x\", by: \"2\"}\n": "no such file",
		"bugs: []\n": `bugs.yaml: error unmarshaling`,
	} {
		write(text)
		assert.ErrorContains(t, adapter.copied(module, filepath.Join(t.TempDir(), "copy")), want)
	}
}

// Both the adapter of releases and that of the edited one are found by the module, each for what asks for it.
func TestFindEdited(t *testing.T) {
	all := []Adapter{{Module: "m", Folder: "edited", Edits: "bugs.yaml"}, {Module: "m", Folder: "released"}, {Module: "n"}}
	a, err := Find(all, "m")
	require.NoError(t, err)
	assert.Equal(t, "released", a.Folder)
	a, err = FindEdited(all, "m")
	require.NoError(t, err)
	assert.Equal(t, "edited", a.Folder)
	_, err = FindEdited(all, "n")
	assert.ErrorContains(t, err, `there is no adapter of the module "n": choose one of m`)
}
