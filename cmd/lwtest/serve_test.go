package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/harness/report"
)

// The fake serves the objects of the folder until it is stopped.
func TestServeAPIServer(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: preloaded}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), []byte("none of it"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, out := toyApp(), &bytes.Buffer{}
	said, told := io.Pipe()
	a.stdout, a.stderr = out, told
	ended := make(chan int)
	go func() { ended <- a.run(ctx, []string{"serve", "apiserver", "--manifests", dir}) }()
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, out.String(), "current-context: lwtest")
	url := strings.Fields(line)[2]
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	res, err := client.Get(url + "/api/v1/namespaces/default/configmaps/preloaded")
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusOK, res.StatusCode)
	cancel()
	require.Equal(t, report.OK, <-ended)
}

// The example of faults in the help is valid.
func TestServeHelp(t *testing.T) {
	help := lwtest(t, "serve", "apiserver", "--help").out
	_, example, ok := strings.Cut(help, "where faults.yaml is, for one:\n")
	require.True(t, ok)
	example, _, _ = strings.Cut(example, "\n\n")
	set, err := faults.Read([]byte(example))
	require.NoError(t, err)
	require.Zero(t, set.Struck("fault-2"))
}

func TestServeTeaches(t *testing.T) {
	require.Contains(t, lwtest(t, "serve").errors, "lwtest serve apiserver")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"kind":"Foo","apiVersion":"v1"}`), 0o600))
	got := lwtest(t, "serve", "apiserver", "--manifests", dir)
	require.Equal(t, report.Broken, got.status)
	require.Contains(t, got.errors, "a.json: document 1: /v1, Kind=Foo is not served")
	require.Contains(t, lwtest(t, "serve", "apiserver", "--manifests", filepath.Join(dir, "none")).errors, "--manifests")
	require.Contains(t, lwtest(t, "serve", "apiserver", "--address", "nowhere:x").errors, "cannot listen")
	require.Contains(t, lwtest(t, "serve", "apiserver", "--view", "b=soon").errors, "say NAME=LAG")
	require.Contains(t, lwtest(t, "serve", "apiserver", "--log", filepath.Join(dir, "none", "log")).errors, "--log")
	file := filepath.Join(dir, "faults.yaml")
	require.NoError(t, os.WriteFile(file, []byte("faults: [{latency: soon}]"), 0o600))
	require.Contains(t, lwtest(t, "serve", "apiserver", "--faults", file).errors, "invalid duration")
	require.Contains(t, lwtest(t, "history", file).errors, "this is no request log")
}

// The log can be converted to a history and judged. A fault is caught, and another view lags.
func TestServeFaultsLogViews(t *testing.T) {
	dir := t.TempDir()
	file, log, trace := filepath.Join(dir, "faults.yaml"), filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "history.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("faults: [{name: old, verbs: [get], resource: configmaps, nth: 2, stale: 1h}]"), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a, out := toyApp(), &bytes.Buffer{}
	said, told := io.Pipe()
	a.stdout, a.stderr = out, told
	ended := make(chan int)
	go func() {
		ended <- a.run(ctx, []string{"serve", "apiserver", "--faults", file, "--log", log, "--view", "b=-1s"})
	}()
	lines := bufio.NewReader(said)
	other, err := lines.ReadString('\n')
	require.NoError(t, err)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, out.String(), "name: b")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	const path = "/api/v1/namespaces/default/configmaps"
	at := func(line string) string { _, url, _ := strings.Cut(line, " at "); return strings.Fields(url)[0] }
	get := func(line, query string) int {
		res, err := client.Get(at(line) + path + query)
		require.NoError(t, err)
		res.Body.Close()
		return res.StatusCode
	}
	res, err := client.Post(at(line)+path, "application/json", strings.NewReader(`{"metadata":{"name":"a"},"data":{"k":"v"}}`))
	require.NoError(t, err)
	res.Body.Close()
	require.Equal(t, http.StatusCreated, res.StatusCode)
	require.Equal(t, http.StatusOK, get(line, "/a"))
	require.Equal(t, http.StatusNotFound, get(line, "/a"), "the fault")
	require.Equal(t, http.StatusNotFound, get(other, "/a?resourceVersion=0"), "the view")
	cancel()
	require.Equal(t, report.OK, <-ended)

	b, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(b), `"fault":"old"`)
	require.Contains(t, string(b), `"view":"b"`)
	got := lwtest(t, "history", log)
	require.Equal(t, report.OK, got.status, got.errors)
	require.NoError(t, os.WriteFile(trace, []byte(got.out), 0o600))
	got = lwtest(t, "judge", trace)
	require.Equal(t, report.Failed, got.status, got.out)
	require.Contains(t, got.out, "watchcache/get/most-recent")
	require.Contains(t, lwtest(t, "history", log, "--resource", "pods").errors, "no request about pods")
}
