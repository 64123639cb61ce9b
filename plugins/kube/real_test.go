package kube

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/resources"
)

// realConfig is that of a real API server, for tests that need one.
func realConfig(t *testing.T) *rest.Config {
	t.Helper()
	path := os.Getenv("LWTEST_KUBECONFIG")
	if path == "" {
		t.Skip("LWTEST_KUBECONFIG names no kubeconfig: start a kube-apiserver with `export LWTEST_KUBECONFIG=$(hack/kube/kube.sh up)` (see hack/kube)")
	}
	config, err := Config(Options{Kubeconfig: path})
	require.NoError(t, err)
	return config
}

// TestReal puts a real API server to the suite: by every resource, and twice
// by one at the same time. Without LWTEST_FULL=1 by two.
func TestReal(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	for name, resource := range map[string]string{"configmaps": "configmaps", "again": "configmaps", "leases": "leases", "events": "events", "things": "things", "deployments": "deployments", "pods": "pods"} {
		t.Run(name, func(t *testing.T) {
			if !full.Wanted() && resource != "configmaps" && resource != "things" {
				t.Skip("configmaps and a custom resource run always, the others with LWTEST_FULL=1")
			}
			t.Parallel()
			s, err := connect(t.Context(), config, Options{Resource: resource})
			require.NoError(t, err)
			id := "t" + strings.TrimPrefix(baseName(t.Name()), "lwtest-")
			runAll(t, s, id)
			require.NoError(t, closed(s))
			require.Empty(t, left(t, config, id), "nothing stays")
		})
	}
}

// unhurried is for a server that two or three tests keep busy, on two cores.
const unhurried = 2 * time.Minute

// broken is a rule of level SHOULD that kube-apiserver breaks, when it comes to that (kubernetes#77988).
const broken = "write/finalizers-raced"

func onlyBreaks(r harness.Result, rule string) bool {
	return !slices.ContainsFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Verdict == harness.Fail && rr.Rule != rule })
}

// runAll runs every case that fits in a test, some at once: each must pass, or
// need what nobody has declared. What is inconclusive beside others runs once
// more, alone, as in `lwtest run`.
func runAll(t *testing.T, s *server, id string) {
	t.Helper()
	var tested atomic.Int32
	var wg sync.WaitGroup
	var mu sync.Mutex
	var again []harness.Case
	run := func(c harness.Case) harness.Result {
		r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, RunID: id, Target: "kubeconfig", Wall: unhurried})
		return r
	}
	slots := make(chan struct{}, 3)
	for _, c := range s.target().Cases {
		if c.Isolation.Exclusive() {
			continue // of what is done to the whole server
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			r := run(c)
			if r.Verdict == harness.Inconclusive {
				mu.Lock()
				defer mu.Unlock()
				again = append(again, c)
				return
			}
			if holds(t, c, r) {
				tested.Add(1)
			}
		})
	}
	wg.Wait()
	require.Less(t, len(again), 10, "a busy machine makes few of them inconclusive")
	for _, c := range again {
		if holds(t, c, run(c)) {
			tested.Add(1)
		}
	}
	require.NotZero(t, tested.Load())
}

// holds says whether a case was tested; what should not come of it is an error.
func holds(t *testing.T, c harness.Case, r harness.Result) bool {
	t.Helper()
	switch {
	case r.Verdict == harness.Pass, r.Verdict == harness.Fail && onlyBreaks(r, broken):
		return true
	case r.Verdict == harness.Skip && (strings.Contains(r.Reason, "--span") || harness.NotDeclared(r.Reason)):
		return false
	}
	t.Errorf("%s: %s: %s\n%s", r.Check, r.Verdict, r.Reason, r.Stack)
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			t.Error(c.Kind.Explain(rr))
		}
	}
	return false
}

// left are the namespaces of a run that are still there.
func left(t *testing.T, config *rest.Config, id string) []corev1.Namespace {
	t.Helper()
	all, err := admin(t, config).ours(context.Background())
	require.NoError(t, err)
	var out []corev1.Namespace
	for _, ns := range all {
		if strings.HasPrefix(ns.Annotations[caseNote], id) {
			out = append(out, ns)
		}
	}
	return out
}

// admin is a connection that has asked nothing yet.
func admin(t *testing.T, config *rest.Config) *server {
	t.Helper()
	s := &server{resource: resources.ConfigMaps, clock: &clock{}}
	require.NoError(t, s.clients(config))
	t.Cleanup(s.hangUp)
	require.NoError(t, s.greet(context.Background()))
	return s
}

// TestRealStale leaves namespaces as a killed run does, and others that are
// none of lwtest's.
func TestRealStale(t *testing.T) {
	config := realConfig(t)
	t.Parallel()
	a := admin(t, config)
	base := baseName(t.Name())
	make := func(suffix string, change func(*corev1.Namespace)) string {
		ns := &corev1.Namespace{}
		ns.Name = base + suffix
		a.mark(ns, base)
		change(ns)
		require.NoError(t, a.core.Post().Resource("namespaces").Body(ns).Do(t.Context()).Into(ns))
		t.Cleanup(func() { // some carry no mark: nobody else would end them
			_ = a.remove(context.Background(), ns)
			if err := a.core.Get().Resource("namespaces").Name(ns.Name).Do(context.Background()).Into(ns); err == nil {
				_ = a.finalizeOne(context.Background(), ns)
			}
		})
		return ns.Name
	}
	old := a.clock.now().Add(-dead - time.Minute).UTC().Format(time.RFC3339)
	gone := make("-dead", func(ns *corev1.Namespace) { ns.Annotations[beatNote] = old })
	lives := []string{
		make("-alive", func(*corev1.Namespace) {}),
		make("-foreign", func(ns *corev1.Namespace) { ns.Annotations[beatNote] = old; ns.Labels = nil }),
		make("-bare", func(ns *corev1.Namespace) { ns.Annotations = nil }),
	}
	s, err := connect(t.Context(), config, Options{})
	require.NoError(t, err)
	s.hangUp()
	get := func(name string) *corev1.Namespace {
		ns := &corev1.Namespace{}
		if err := a.core.Get().Resource("namespaces").Name(name).Do(t.Context()).Into(ns); err != nil {
			return nil
		}
		return ns
	}
	if ns := get(gone); ns != nil {
		require.NotNil(t, ns.DeletionTimestamp, gone)
	}
	for _, name := range lives {
		require.Nil(t, get(name).DeletionTimestamp, name)
	}
	before := get(lives[0]).Annotations[beatNote]
	time.Sleep(1100 * time.Millisecond)
	require.NoError(t, a.renew(t.Context(), lives[0]))
	require.NotEqual(t, before, get(lives[0]).Annotations[beatNote])
}
