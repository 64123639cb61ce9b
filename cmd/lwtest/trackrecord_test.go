package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without a tree nothing can be built, and invalid flags are refused first.
func TestTrackRecordRefuses(t *testing.T) {
	o := lwtest(t, "track-record", "--runs", "0")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "--runs is 0: say how often, 1 at least")
	o = lwtest(t, "track-record", "99")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, `there is no case "99": there are 01-fake-clientset, `)
	o = lwtest(t, "track-record", "--list", "7")
	assert.Equal(t, 0, o.status, o.errors)
	assert.Contains(t, o.out, "07-node-deletes ")
	assert.Contains(t, o.out, "07-node-expired ")
	t.Chdir(t.TempDir())
	o = lwtest(t, "track-record")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "is not in a copy of the repository of github.com/lwtest/lwtest, which holds the adapters")
}

// A case that cannot be read only matters if it, or all, are selected.
func TestTrackRecordWrongCase(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                                "module github.com/lwtest/lwtest\n",
		"interop/trackrecord/01-good/case.json": `{"number": 1, "title": "t", "module": "it", "buggy": "1.0.0", "noControl": "none", "clause": "store/basic", "checks": ["store/basic/add"], "upstream": ["u"]}`,
		"interop/trackrecord/02-bad/case.json":  `{"number": 2,`,
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	}
	t.Chdir(root)
	for _, asked := range [][]string{{}, {"2"}, {"02-bad"}, {"1", "2"}, {"--list"}, {"--changed"}} {
		o := lwtest(t, append([]string{"track-record"}, asked...)...)
		assert.Equal(t, 3, o.status, asked)
		assert.Contains(t, o.errors, filepath.Join("02-bad", "case.json"), asked)
		assert.Empty(t, o.out, asked)
	}
	o := lwtest(t, "track-record", "--list", "1")
	assert.Equal(t, 0, o.status)
	assert.Contains(t, o.out, "01-good")
	o = lwtest(t, "track-record", "01-good") // of whose module there is no adapter here
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.out, "could not be run: 01-good")
	assert.Contains(t, o.errors, "docs/track-record.md stays as it was: ")
}

func TestTrackRecordModuleRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"is not a module with its version: say MODULE@VERSION": {"--module", "k8s.io/client-go", "--target", "exec:store"},
		"--module needs a --target: exec:ARGUMENTS":            {"--module", "k8s.io/client-go@v0.30.0"},
		"--module applies only to exec targets":                {"--module", "k8s.io/client-go@v0.30.0", "--target", "fake"},
		`there is no adapter of the module "k8s.io/none"`:      {"--module", "k8s.io/none@v0.30.0", "--target", "exec:store"},
		`"v0.30" is not a version: say one as v1.2.3`:          {"--module", "k8s.io/client-go@v0.30", "--target", "exec:store"},
		"--module cannot be given with --resume":               {"--module", "k8s.io/client-go@v0.30.0", "--resume", "runs/x"},
	} {
		t.Setenv("LWTEST_CACHE", t.TempDir())
		o := lwtest(t, append([]string{"run"}, args...)...)
		assert.Equal(t, 3, o.status)
		assert.Contains(t, o.errors, want)
	}
}

// --module builds an adapter, and the target gives its arguments. Here the adapter is a shell script.
func TestTrackRecordModule(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                  "module github.com/lwtest/lwtest\n",
		"interop/it/adapter.json": `{"module": "it", "run": ["sh", "adapter.sh"]}`,
		"interop/it/package.json": `{"private": true}`,
		"interop/it/adapter.sh":   `read -r l; echo '{"id":1,"ok":{"protocol":1,"implementation":"'$1'","offers":[{"kind":"store","features":["map"]}]}}'; while read -r l; do exit 5; done`,
		"bin/npm":                 "#!/bin/sh\ngrep -q '\"it\":\"1.2.3\"' package.json && mkdir -p node_modules/it && echo '{\"version\":\"1.2.3\"}' >node_modules/it/package.json\n",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o777))
	}
	t.Setenv("PATH", filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("LWTEST_CACHE", filepath.Join(root, "cache"))
	t.Chdir(root)
	o := lwtest(t, "run", "store/basic/add", "--module", "it@1.2.3", "--target", "exec:one", "--format", "json")
	assert.Equal(t, 1, o.status, o.errors)
	assert.Contains(t, o.errors, "it@1.2.3: building interop/it")
	rep := readReport(t, o.out)
	require.Len(t, rep.Results, 1)
	assert.Equal(t, "one", rep.Results[0].Plugin)
	o = lwtest(t, "run", "store/basic/add", "--module", "it@1.2.4", "--target", "exec:one")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.errors, "--module: the adapter could not be built\ninterop/it with it@1.2.4: npm install")
}

// A case of a server runs this program as a client of it. The server here is that of KUBECONFIG, which nobody serves.
func TestTrackRecordServed(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                               "module github.com/lwtest/lwtest\n",
		"plugins/exec/schema.json":             "{}",
		"plugins/adapter/adapter.go":           "package adapter\n",
		"interop/it/adapter.json":              `{"module": "it", "serve": "sh serve.sh {version}"}`,
		"serve.sh":                             "[ $1 = v1.0.0 ] && shift && KUBECONFIG=/none/$1 exec \"$@\"\n",
		"interop/trackrecord/01-it/case.json":  `{"number": 1, "title": "t", "module": "it", "buggy": "v1.0.0", "noControl": "none", "clause": "watchcache/list/snapshot", "checks": ["watchcache/list/snapshot"], "upstream": ["u"]}`,
		"interop/trackrecord/02-its/case.json": `{"number": 2, "title": "t", "module": "it", "buggy": "v2.0.0", "noControl": "none", "clause": "watchcache/list/snapshot", "checks": ["watchcache/list/snapshot"], "upstream": ["u"]}`,
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	}
	t.Chdir(root)
	t.Setenv(asProgram, "1")
	t.Setenv("LWTEST_CACHE", t.TempDir())
	o := lwtest(t, "track-record", "1")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.out, "target kubeconfig:/none/sh: ", "the program has asked for that server")
	o = lwtest(t, "track-record", "2")
	assert.Equal(t, 3, o.status)
	assert.Contains(t, o.out, "exit status 1", "the server does not start")
	o = lwtest(t, "run", "--module", "it@v1.0.0", "--target", "exec")
	assert.Contains(t, o.errors, "it is a server of its own: say `sh serve.sh v1.0.0 sh -c 'lwtest run --target kubeconfig:$KUBECONFIG'`")
}
