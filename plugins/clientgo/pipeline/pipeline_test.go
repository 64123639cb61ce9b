// Package pipeline_test drives client-go's whole pipeline: informers of a factory that feed a rate-limited work queue,
// as controllers are made of them. What handlers and workers see must follow from what was written.
package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/clientgo"
)

func TestMain(m *testing.M) {
	clientgo.Quiet()
	m.Run()
}

// seeds are how many stories each test tells.
func seeds() uint64 {
	if full.Wanted() {
		return 20
	}
	return 5
}

// link is a way to the server that can be cut.
type link struct {
	dial func(context.Context, string, string) (net.Conn, error)
	mu   sync.Mutex
	open []net.Conn
	down bool
}

func (l *link) connect(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errors.New("no route")
	}
	c, err := l.dial(ctx, network, address)
	l.open = append(l.open, c)
	return c, err
}

// cut breaks off all that is open, and lets nothing through while it is down.
func (l *link) cut(down bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.open {
		_ = c.Close() // it may be closed
	}
	l.open, l.down = nil, down
}

// cluster is a server as a story needs it.
type cluster struct {
	writer, reader kubernetes.Interface
	cut            func(down bool) // nil: it cannot be
	forget         func() error
	close          func()
}

// served is lwtest's own server.
func served(t *testing.T, seed uint64) cluster {
	store := apiserver.New(apiserver.Options{Seed: seed})
	h, err := rest.ServePipe(store, rest.Options{Seed: seed})
	require.NoError(t, err)
	l := &link{dial: h.RESTConfig().Dial}
	of := func(dial func(context.Context, string, string) (net.Conn, error)) kubernetes.Interface {
		config := clientrest.CopyConfig(h.RESTConfig())
		config.Dial, config.QPS = dial, -1
		c, err := kubernetes.NewForConfig(config)
		require.NoError(t, err)
		return c
	}
	return cluster{writer: of(l.dial), reader: of(l.connect), cut: l.cut, forget: func() error {
		err := store.Compact("")
		for _, r := range []schema.GroupVersionResource{{Group: "apps", Version: "v1", Resource: "deployments"}, {Group: "apps", Version: "v1", Resource: "replicasets"}, {Version: "v1", Resource: "pods"}} {
			err = errors.Join(err, store.ForgetEvents(r, ""))
		}
		return err
	}, close: func() { assert.NoError(t, errors.Join(h.Close(), store.Close())) }}
}

// faked is client-go's fake clientset, whose watches nothing cuts.
func faked(*testing.T, uint64) cluster {
	c := fake.NewClientset()
	return cluster{writer: c, reader: c, close: func() {}}
}

// tell tells one story: random writes, a link that is cut, a server that forgets; and says what at its moments of rest,
// does not follow from what was written.
func tell(t *testing.T, make func(*testing.T, uint64) cluster, seed uint64, w wiring) (wrong error) {
	synctest.Test(t, func(t *testing.T) {
		cl := make(t, seed)
		defer cl.close()
		ctx, cancel := context.WithCancel(t.Context())
		story := newWorld(ctx, cl.writer, seed)
		write := func(n int) {
			for range n {
				require.NoError(t, story.write())
			}
		}
		write(10)
		var mu sync.Mutex
		luck := rand.New(rand.NewPCG(seed, 1))
		f := informers.NewSharedInformerFactoryWithOptions(cl.reader, 0, informers.WithNamespace(namespace))
		c, err := newController(f, w, func(string) bool {
			mu.Lock()
			defer mu.Unlock()
			return luck.IntN(5) == 0
		})
		require.NoError(t, err)
		f.StartWithContext(ctx)
		require.NoError(t, f.WaitForCacheSyncWithContext(ctx).AsError())
		var workers sync.WaitGroup
		for range 3 {
			workers.Go(func() { c.work(ctx) })
		}
		rest := func(where string) {
			time.Sleep(5 * time.Minute) // longer than any pause
			synctest.Wait()
			c.mu.Lock()
			defer c.mu.Unlock()
			if err := story.explain(c); err != nil && wrong == nil {
				wrong = fmt.Errorf("seed %d, %s: %w", seed, where, err)
			}
		}
		rest("at first")
		for i := range 5 {
			write(10)
			rest(fmt.Sprint("after writes ", i))
			if cl.cut == nil {
				continue
			}
			cl.cut(false)
			write(5)
			rest(fmt.Sprint("after a cut ", i))
			cl.cut(true)
			write(15)
			require.NoError(t, cl.forget())
			time.Sleep(time.Minute)
			cl.cut(false)
			rest(fmt.Sprint("after all was forgotten ", i))
		}
		cancel()
		c.queue.ShutDown()
		workers.Wait()
		f.Shutdown()
		time.Sleep(time.Minute) // for what is left of the queue
	})
	return wrong
}

func TestServed(t *testing.T) {
	for seed := range seeds() {
		assert.NoError(t, tell(t, served, seed, wiring{}))
	}
}

func TestFakeClientset(t *testing.T) {
	for seed := range seeds() {
		assert.NoError(t, tell(t, faked, seed, wiring{}))
	}
}

// funcs are what an informer tells a handler.
type funcs = cache.ResourceEventHandlerFuncs

// Each broken wiring, and each informer that tells what was not, is found by one story at least.
func TestBroken(t *testing.T) {
	for name, w := range map[string]wiring{
		"a delete before each update": {tells: func(h funcs) funcs {
			right := h.UpdateFunc
			h.UpdateFunc = func(old, x any) { h.DeleteFunc(old); right(old, x) }
			return h
		}},
		"each add twice": {tells: func(h funcs) funcs {
			right := h.AddFunc
			h.AddFunc = func(x any) { right(x); right(x) }
			return h
		}},
		"each delete twice": {tells: func(h funcs) funcs {
			right := h.DeleteFunc
			h.DeleteFunc = func(x any) { right(x); right(x) }
			return h
		}},
		"a delete, an add, and the delete": {tells: func(h funcs) funcs {
			right := h.DeleteFunc
			h.DeleteFunc = func(x any) {
				right(x)
				if d, ok := x.(cache.DeletedFinalStateUnknown); ok {
					x = d.Obj
				}
				h.AddFunc(x)
				right(x)
			}
			return h
		}},
		"an update with the new state as the old": {tells: func(h funcs) funcs {
			right := h.UpdateFunc
			h.UpdateFunc = func(_, x any) { right(x, x) }
			return h
		}},
		"no adds":                       {tells: func(h funcs) funcs { h.AddFunc = nil; return h }},
		"only the new owner is told":    {onlyNewOwner: true},
		"unknown deletes are dropped":   {noTombstones: true},
		"what fails is not tried again": {noRetry: true},
		"what was replaced is the same": {dropsReplaced: true},
		"done before it is done":        {doneEarly: true},
	} {
		var wrong error
		for seed := uint64(0); seed < seeds() && wrong == nil; seed++ {
			wrong = tell(t, served, seed, w)
		}
		assert.Error(t, wrong, name)
		t.Logf("%s: %v", name, wrong)
	}
}
