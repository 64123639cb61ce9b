package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

const ofClient = "go:client-go/typed"

// --server becomes part of the connect string of each client, and of no other target.
func TestServerOfClients(t *testing.T) {
	a := toyApp()
	got, err := a.targets.Connects([]string{ofClient, "good"}, "kubeconfig:/k", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{ofClient + ":kubeconfig:/k", "good"}, got)
	s, arg, err := a.targets.Find(got[0])
	require.NoError(t, err)
	assert.Equal(t, [2]string{ofClient, "kubeconfig:/k"}, [2]string{s.Name, arg})

	c := url.Values{"context": {"c"}}
	got, err = a.targets.Connects([]string{ofClient, "kubeconfig:/k"}, "kubeconfig", c)
	require.NoError(t, err)
	assert.Equal(t, []string{ofClient + ":kubeconfig?context=c", "kubeconfig:/k?context=c"}, got)
}

func TestWrongServers(t *testing.T) {
	chdir(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{`--server is "nonsense": say kubeconfig:PATH or kind:NAME`, []string{"--target", ofClient, "--server", "nonsense"}},
		{`--server is "kubeconfigs:x": say kubeconfig:PATH or kind:NAME`, []string{"--target", ofClient, "--server", "kubeconfigs:x"}},
		{`--server is "kubeconfig:", and nothing follows the colon`, []string{"--target", ofClient, "--server", "kubeconfig:"}},
		{`--server is empty`, []string{"--target", ofClient, "--server="}},
		{`--server applies only to clients`, []string{"--target", "good", "--server", "kubeconfig:x"}},
		{`already names its server: leave out --server`, []string{"--target", ofClient + ":kubeconfig:x", "--server", "kubeconfig:y"}},
		{`nothing follows the colon`, []string{"--target", ofClient + ":"}},
		{`the server "x" cannot be given to a client`, []string{"--target", ofClient + ":x"}},
		{`the kubeconfig cannot be read`, []string{"--target", ofClient, "--server", "kubeconfig:nowhere"}},
		{`--resource: only for a cluster (kubeconfig, kind), and none is among`, []string{"--target", ofClient, "--server", "kubeconfig:nowhere", "--resource", "leases"}},
		{`unknown option "resource": there are context`, []string{"--target", ofClient + ":kubeconfig:nowhere?resource=leases"}},
		{`already sets its context: leave out --context`, []string{"--target", ofClient + ":kubeconfig:nowhere?context=a", "--context", "b"}},
		{`there is no file a:b: is it a list of files`, []string{"--target", ofClient, "--server", "kubeconfig:a:b"}},
	} {
		refuses(t, c.says, append([]string{"run"}, c.args...)...)
	}
	assert.NoDirExists(t, "runs")
}

// client-go's list can be tested on the server of a kubeconfig. The history names the server's version, but not its
// address.
func TestRunOnServer(t *testing.T) {
	chdir(t)
	store := apiserver.New(apiserver.Options{})
	defer func() { require.NoError(t, store.Close()) }()
	h, err := rest.Serve(store, rest.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	path, err := filepath.Abs("kubeconfig")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, fmt.Appendf(nil, "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{name: c, cluster: {server: %q}}]\ncontexts: [{name: c, context: {cluster: c}}]\n", h.URL()), 0o600))
	o := lwtest(t, "record", "listerwatcher/list/*", "--target", ofClient, "--server", "kubeconfig:"+path, "--out", "o", "--show", "skipped")
	require.Equal(t, report.OK, o.status, o.errors)
	assert.Contains(t, o.out, "on kube-apiserver")
	assert.Contains(t, o.out, "needs the feature server-faults")
	got, err := history.ReadFile("o/listerwatcher/list.faithful.jsonl")
	require.NoError(t, err)
	assert.Equal(t, ofClient+":kubeconfig", got.Header.Target)
	assert.Equal(t, history.RealTime, got.Header.Time)
}
