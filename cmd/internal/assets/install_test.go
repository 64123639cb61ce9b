package assets

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program writes a file that can be started.
func writeProgram(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n# "+filepath.Base(path)), 0o755))
	return path
}

// The programs are lwtest-apiserver beside lwtest, or from the PATH, else lwtest itself, which says what is missing.
func TestInstall(t *testing.T) {
	for _, c := range []struct {
		name           string
		beside, onPath bool
		kubectl        string // where it is
		server, says   string
	}{
		{"beside", true, true, "cache", "lwtest-apiserver", ""},
		{"on the PATH", false, true, "path", "lwtest-apiserver", ""},
		{"neither", false, false, "cache", "lwtest", "`go install github.com/lwtest/lwtest/cmd/lwtest-apiserver@latest` puts it on the PATH"},
		{"no kubectl", true, false, "", "lwtest-apiserver", "no kubectl was found"},
	} {
		root := t.TempDir()
		bin, path := filepath.Join(root, "bin"), filepath.Join(root, "path")
		t.Setenv("PATH", path)
		i := Install{Dir: filepath.Join(root, "assets"), Self: writeProgram(t, filepath.Join(bin, executable("lwtest"))), Kubectls: []string{filepath.Join(root, "cache", "v*", "kubectl")}}
		if c.beside {
			writeProgram(t, filepath.Join(bin, executable(withCEL)))
		}
		if c.onPath {
			writeProgram(t, filepath.Join(path, executable(withCEL)))
		}
		switch c.kubectl {
		case "cache":
			writeProgram(t, filepath.Join(root, "cache", "v1", "kubectl"))
		case "path":
			writeProgram(t, filepath.Join(path, executable("kubectl")))
		}
		var errs bytes.Buffer
		i.Stderr = &errs
		require.NoError(t, i.Run(t.Context()), c.name)
		if c.says == "" {
			assert.Empty(t, errs.String(), c.name)
		} else {
			assert.Contains(t, errs.String(), c.says, c.name)
			assert.Equal(t, 1, strings.Count(errs.String(), "\n"))
		}
		want := map[string]string{"kube-apiserver": c.server, "etcd": c.server}
		if c.kubectl != "" {
			want["kubectl"] = "kubectl"
		}
		installed(t, i.Dir, want)

		require.NoError(t, os.Remove(i.path("etcd"))) // a link, maybe
		require.NoError(t, os.WriteFile(i.path("etcd"), []byte("old"), 0o600))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				again := i
				again.Stderr = &bytes.Buffer{}
				assert.NoError(t, again.Run(t.Context()), c.name)
			})
		}
		all.Wait()
		installed(t, i.Dir, want)
	}
}

// installed checks that a folder has exactly these programs, and that each is a copy of the file named for it.
func installed(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, len(want))
	for name, of := range want {
		b, err := os.ReadFile(filepath.Join(dir, executable(name)))
		require.NoError(t, err)
		assert.Equal(t, executable(of), strings.TrimPrefix(string(b), "#!/bin/sh\n# "), name)
	}
}

// A folder that cannot be made, and a copy where no link can be.
func TestInstallFails(t *testing.T) {
	root := t.TempDir()
	file := writeProgram(t, filepath.Join(root, "file"))
	require.Error(t, Install{Dir: filepath.Join(file, "assets"), Self: file, Stderr: &bytes.Buffer{}}.Run(t.Context()))
	require.NoError(t, copyProgram(file, filepath.Join(root, "copy")))
	info, err := os.Stat(filepath.Join(root, "copy"))
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&0o100)
	require.Error(t, copyProgram(file, filepath.Join(root, "copy")), "it exists")
}
