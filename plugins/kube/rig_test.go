package kube

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/informers"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/resources"
)

// clientsOf gives client-go's informers and list and watch calls the server of a configuration, and puts them to each
// check that needs no more than that, and no longer than a span: each must pass. It says what ran.
func clientsOf(t *testing.T, config *rest.Config, id string, span time.Duration, takes func(check string) bool, ways ...string) int {
	t.Helper()
	servers, err := openServers(t.Context(), config)
	require.NoError(t, err)
	defer func() {
		_, err := servers.Close()
		require.NoError(t, err)
	}()
	var cases []harness.Case
	for _, way := range ways {
		open := listwatch.Target
		if slices.Contains(informers.Names(), way) {
			open = informers.Target
		}
		target, err := open(way, servers.Server)
		require.NoError(t, err)
		cases = append(cases, target.Cases...)
	}
	var ran atomic.Int32
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	for _, c := range cases {
		if !takes(c.Address()) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			o := harness.Options{TB: t, Seed: 1, RunID: id, Target: "client", Span: span, Wall: unhurried}
			r, _ := harness.Run(c, o)
			if r.Verdict == harness.Inconclusive { // a busy machine: once more, as in `lwtest run`
				r, _ = harness.Run(c, o)
			}
			switch {
			case r.Verdict == harness.Pass:
				ran.Add(1)
			case r.Verdict == harness.Skip && (strings.Contains(r.Reason, "--span") || harness.NotDeclared(r.Reason)):
			default:
				t.Errorf("%s, %s: %s: %s\n%s", c.Plugin, r.Check, r.Verdict, r.Reason, r.Stack)
				for _, rr := range r.Rules {
					if rr.Verdict == harness.Fail {
						t.Error(c.Kind.Explain(rr))
					}
				}
			}
		})
	}
	wg.Wait()
	return int(ran.Load())
}

// TestRealClients gives clients a real API server.
func TestRealClients(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	id := "t" + strings.TrimPrefix(baseName(t.Name()), "lwtest-")
	n := clientsOf(t, config, id, 20*time.Second, func(string) bool { return true }, "factory-typed", "factory-metadata", "typed", "typed-protobuf", "pager", "until")
	assert.Greater(t, n, 40)
	require.Empty(t, left(t, config, id), "nothing stays")
}

// The same on lwtest's own server, as on any that a kubeconfig leads to: some of it, in real time.
func TestClientsBehindAProxy(t *testing.T) {
	t.Parallel()
	_, _, at, _ := served(t)
	some := []string{"informer/converge/equal", "informer/sync/has-synced/empty", "informer/stop/clean", "informer/lifecycle/twice",
		"listerwatcher/list/faithful", "listerwatcher/request/options/list", "listerwatcher/request/options/watch", "listerwatcher/request/isolated/list", "listerwatcher/pager/whole"}
	n := clientsOf(t, &rest.Config{Host: at.String()}, "run", 20*time.Second, func(check string) bool { return slices.Contains(some, check) },
		"shared-informer", "factory-typed", "factory-dynamic", "factory-metadata", "typed", "typed-protobuf", "dynamic", "metadata", "pager")
	assert.Equal(t, 4*4+4*4+4, n)
}

// A server that breaks off, or answers an error, is that for list and watch functions, too, and is asked once.
func TestDirect(t *testing.T) {
	var asked atomic.Int32
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","message":"busy","code":429}`)
	})
	at, _, err := rest.DefaultServerUrlFor(&rest.Config{Host: s.URL})
	require.NoError(t, err)
	p, err := newProxy(at, http.DefaultTransport)
	require.NoError(t, err)
	defer p.close()
	own, err := ownClient(p)
	require.NoError(t, err)
	defer own.CloseIdleConnections()
	d := (&lent{proxy: p, own: own}).Endpoint("me").Direct
	_, err = d.List(t.Context(), resources.ConfigMaps.GVR(), "a", metav1.ListOptions{})
	assert.ErrorContains(t, err, "busy")
	_, err = d.Watch(t.Context(), resources.ConfigMaps.GVR(), "a", metav1.ListOptions{})
	assert.ErrorContains(t, err, "busy")
	assert.EqualValues(t, 2, asked.Load())
}

// Where controllers put a ConfigMap into each namespace, a case begins when it is there.
func TestFurnished(t *testing.T) {
	var asked atomic.Int32
	has := true
	r := listen(t, func(w http.ResponseWriter, req *http.Request) {
		if has && (strings.Contains(req.URL.Path, "/kube-system/") || asked.Add(1) > 2) {
			fmt.Fprint(w, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"kube-root-ca.crt"}}`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","message":"none","code":404}`)
	})
	s := dial(t, r.URL, "configmaps")
	require.NoError(t, s.furnished(t.Context(), "a"))
	assert.EqualValues(t, 3, asked.Load())
	has = false
	require.NoError(t, s.furnished(t.Context(), "a"))
}

func TestOpenServersTeaches(t *testing.T) {
	_, err := OpenServers(t.Context(), Options{Kubeconfig: "nosuch"})
	require.ErrorIs(t, err, os.ErrNotExist)
	gone := listen(t, nil)
	gone.Close()
	_, err = OpenServers(t.Context(), Options{Kubeconfig: kubeconfig(t, gone.URL)})
	require.ErrorContains(t, err, "cannot be reached")
}

var _ rig.Server = &lent{}
