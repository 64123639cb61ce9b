package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/controller"
)

// Each operator has a scenario that can be read, and a reason for each known failure.
func TestOperators(t *testing.T) {
	t.Chdir("../..")
	for _, o := range operators {
		file, closeFiles, err := o.scenario(t.TempDir())
		require.NoError(t, err, o.name)
		closeFiles()
		_, err = controller.ReadScenario(file)
		require.NoError(t, err, o.name)
		known, err := harness.ReadKnown(filepath.Join(o.here(), "known.json"))
		require.NoError(t, err)
		for _, k := range known {
			require.NotEmpty(t, k.Reason, k.Where())
		}
	}
}

// A name is the newest release, and each release has one row.
func TestFind(t *testing.T) {
	seen := map[string]bool{}
	for _, release := range releases() {
		require.False(t, seen[release], release)
		seen[release] = true
		o, version := find(release)
		require.NotNil(t, o, release)
		require.Equal(t, release, o.name+"@"+version)
	}
	o, version := find("cluster-api")
	require.Equal(t, "cluster-api@v1.14.2", o.name+"@"+version)
	for _, none := range []string{"", "kube", "kuberay@v0.1.0"} {
		o, _ := find(none)
		require.Nil(t, o, none)
	}
}

// An archive that is served has the digest that the scenario names, and a file is served as it is.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "a.tgz", "below"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.tgz", "below", "f"), []byte("text"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "index.yaml"), []byte("a: b"), 0o600))
	address, closeFiles, err := serveFiles(folder)
	require.NoError(t, err)
	defer closeFiles()
	get := func(name string) (int, []byte) {
		r, err := http.Get(address + "/" + name)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, b
	}
	_, index := get("index.yaml")
	require.Equal(t, "a: b", string(index))
	_, served := get("a.tgz")
	filled, err := fillScenario("{files}/a.tgz {digest:a.tgz}", folder, address)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%s/a.tgz sha256:%x", address, sha256.Sum256(served)), filled)
	code, _ := get("b.tgz")
	require.Equal(t, http.StatusNotFound, code)
	_, err = fillScenario("{digest:b.tgz}", folder, address)
	require.Error(t, err)
}
