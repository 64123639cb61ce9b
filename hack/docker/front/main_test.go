//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNamed(t *testing.T) {
	for line, want := range map[string]string{
		"--root /r --log /l --log-format json create --bundle /b --pid-file p id": "/b/config.json",
		"--root=/r create -b /b id":                    "/b/config.json",
		"run --bundle=/b id":                           "/b/config.json",
		"create id":                                    "config.json",
		"--root /r exec --process /p --detach id":      "/p",
		"exec -p /p id":                                "/p",
		"exec id sh":                                   "",
		"--log create --root /r delete --force create": "",
		"--version":                                    "",
		"":                                             "",
	} {
		file, whole := named(strings.Fields(line))
		assert.Equal(t, want, file, line)
		assert.Equal(t, strings.HasSuffix(want, ".json"), whole, line)
	}
}

// little is a machine without CAP_SYS_RESOURCE, whose processes may have 100 files.
var little = machine{bounding: 1<<41 - 1 - 1<<24, oomScore: 5, hard: func(int) (uint64, bool) { return 100, true }}

func TestFit(t *testing.T) {
	const asked = `{"ociVersion":"1","process":{"args":["sh"],"big":12345678901234567890,"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE","CAP_NEW"],"effective":["CAP_SYS_RESOURCE"]},"oomScoreAdj":-999,"rlimits":[{"hard":1000,"soft":50,"type":"RLIMIT_NOFILE"},{"hard":1000,"soft":1000,"type":"RLIMIT_NEW"}]}}`
	whole := machine{bounding: 1<<41 - 1}
	for name, test := range map[string]struct {
		has  machine
		want string
	}{
		"nothing is missing": {whole, asked},
		"some is":            {little, `{"ociVersion":"1","process":{"args":["sh"],"big":12345678901234567890,"capabilities":{"bounding":["CAP_CHOWN","CAP_NEW"],"effective":[]},"oomScoreAdj":5,"rlimits":[{"hard":100,"soft":50,"type":"RLIMIT_NOFILE"},{"hard":1000,"soft":1000,"type":"RLIMIT_NEW"}]}}`},
	} {
		file := filepath.Join(t.TempDir(), "config.json")
		require.NoError(t, os.WriteFile(file, []byte(asked), 0o600))
		require.NoError(t, rewrite(file, true, test.has))
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, test.want, string(got), name)
	}
}

// Of exec the file is the process itself; one that says nothing of all this stays as it is.
func TestFitExec(t *testing.T) {
	file := filepath.Join(t.TempDir(), "process")
	require.NoError(t, os.WriteFile(file, []byte(`{"capabilities":{"bounding":["CAP_SYS_RESOURCE"]}}`), 0o600))
	require.NoError(t, rewrite(file, false, little))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.JSONEq(t, `{"capabilities":{"bounding":[]}}`, string(got))

	require.NoError(t, os.WriteFile(file, []byte(`{"args":["sh"]}`), 0o600))
	require.NoError(t, rewrite(file, true, little))
	require.NoError(t, os.WriteFile(file, []byte(`garbage`), 0o600))
	require.ErrorContains(t, rewrite(file, true, little), "invalid character")
}

func TestThisMachine(t *testing.T) {
	has, err := thisMachine()
	require.NoError(t, err)
	assert.True(t, has.has("CAP_CHOWN") || os.Getuid() != 0)
	assert.True(t, has.has("CAP_OF_ANOTHER_DAY"))
}
