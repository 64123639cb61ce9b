package watchcache_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full/cases"
	"github.com/lwtest/lwtest/plugins/fake"
	"github.com/lwtest/lwtest/plugins/resources"
)

// bound binds the suite to API servers that open makes.
func bound(open func(apiserver.Options) (apiserver.API, *apiserver.Server)) []harness.Case {
	return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{Name: "test", Features: slices.DeleteFunc(fake.Features(), administered),
		Open: func(t *harness.T) (watchcache.Subject, error) {
			api, server := open(apiserver.Options{Seed: uint64(t.Seed())})
			t.Cleanup(func() { _ = server.Close() }) // its error is always nil
			return served{api}, nil
		}})
}

// administered are the features of subjects to which things can be done; served has none of them.
func administered(f harness.Feature) bool {
	return resources.IsForm(string(f)) || slices.Contains([]harness.Feature{
		watchcache.ServedVersions, watchcache.Compaction, watchcache.Window, watchcache.Restart, watchcache.Together, watchcache.Lag, watchcache.Starting, watchcache.OtherResource, watchcache.ClusterScoped,
	}, f)
}

type served struct{ api apiserver.API }

func (s served) In(namespace string) watchcache.Client { return apiserver.ConfigMaps(s.api, namespace) }

// refusing answers the first request of each sort, so many times, with a
// refusal that says when to come back.
type refusing struct {
	apiserver.API
	times int
	err   *apierrors.StatusError

	mu   *sync.Mutex
	seen map[string]int
}

func (r refusing) refuse(sort string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[sort]++; r.seen[sort] > r.times {
		return nil
	}
	return r.err
}

func (r refusing) Create(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if err := r.refuse("create"); err != nil {
		return nil, err
	}
	return r.API.Create(ctx, q, obj, o)
}

func (r refusing) Update(ctx context.Context, q apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	if err := r.refuse("update"); err != nil {
		return nil, err
	}
	return r.API.Update(ctx, q, obj, o)
}

func (r refusing) Patch(ctx context.Context, q apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if err := r.refuse("patch"); err != nil {
		return nil, err
	}
	return r.API.Patch(ctx, q, pt, data, o)
}

func (r refusing) Delete(ctx context.Context, q apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if err := r.refuse("delete"); err != nil {
		return nil, err
	}
	return r.API.Delete(ctx, q, o)
}

func (r refusing) Get(ctx context.Context, q apiserver.Request, o metav1.GetOptions) (runtime.Object, error) {
	if err := r.refuse("get"); err != nil {
		return nil, err
	}
	return r.API.Get(ctx, q, o)
}

func (r refusing) List(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (runtime.Object, error) {
	if err := r.refuse("list"); err != nil {
		return nil, err
	}
	return r.API.List(ctx, q, o)
}

func (r refusing) Watch(ctx context.Context, q apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
	if err := r.refuse("watch"); err != nil {
		return nil, err
	}
	return r.API.Watch(ctx, q, o)
}

func unavailable() *apierrors.StatusError {
	err := apierrors.NewServiceUnavailable("starting")
	err.ErrStatus.Details = &metav1.StatusDetails{RetryAfterSeconds: 2}
	return err
}

// A server that asks to come back is asked again, and each attempt is a call
// of its own; one that never lets up is left alone.
func TestComesBack(t *testing.T) {
	for name, c := range map[string]struct {
		times int
		err   *apierrors.StatusError
		want  harness.Verdict
	}{
		"429 once":       {1, apierrors.NewTooManyRequests("initializing", 1), harness.Pass},
		"503 once":       {1, unavailable(), harness.Pass},
		"429 five times": {5, apierrors.NewTooManyRequests("initializing", 1), harness.Pass},
		"for ever":       {1 << 20, apierrors.NewTooManyRequests("no", 1), harness.Inconclusive},
		"in an hour":     {1, apierrors.NewTooManyRequests("later", 3600), harness.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			all := bound(func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return refusing{s, c.times, c.err, &sync.Mutex{}, map[string]int{}}, s
			})
			for _, k := range cases.Part(t, all, 6, 0) {
				res, h := harness.Run(k, harness.Options{TB: t, Seed: 1})
				if res.Verdict == harness.Skip {
					continue // it needs what served has not
				}
				if c.want != harness.Pass {
					assert.NotEqual(t, harness.Fail, res.Verdict, "%s: %v", k.Name, res.Rules)
					continue
				}
				assert.Equal(t, harness.Pass, res.Verdict, "%s: %s", k.Name, res.Reason)
				status := c.err.ErrStatus
				assert.Positive(t, comeBacks(t, h, int(status.Code), time.Duration(status.Details.RetryAfterSeconds)*time.Second), k.Name)
			}
		})
	}
}

// comeBacks counts refusals with a code; whoever got one asks the same again, no earlier than told.
func comeBacks(t *testing.T, h *history.History, code int, pause time.Duration) (n int) {
	t.Helper()
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase != history.Return || e.Err() == nil || e.Err().Code != code {
			continue
		}
		n++
		assert.True(t, e.Err().Definite, "nothing has been done")
		by := h.By(e.Actor)
		next := slices.IndexFunc(by, func(x history.Event) bool { return x.Phase == history.Call && x.Num > e.Num })
		require.GreaterOrEqual(t, next, 0)
		assert.GreaterOrEqual(t, by[next].At-e.At, int64(pause), "%s #%d", e.Actor, e.Num)
		assert.Equal(t, h.Event(e.Call).Kind, by[next].Kind)
		assert.Equal(t, h.Event(e.Call).Obj, by[next].Obj)
	}
	return n
}

// A watch that gives an ERROR and stays open breaks watch/error-ends, which
// has no rule yet, and nothing else: the driver does not say that it settled.
func TestErrorIsNotSettled(t *testing.T) {
	all := bound(func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		o.OnWatch = func(*apiserver.Request, *metav1.ListOptions) apiserver.Tap {
			n := 0
			return func(e watch.Event, c apiserver.Cause) []watch.Event {
				if n++; c == apiserver.End || n > 4 {
					return nil
				} else if n == 4 {
					status := apierrors.NewInternalError(context.Canceled).Status()
					return []watch.Event{{Type: watch.Error, Object: &status}}
				}
				return []watch.Event{e}
			}
		}
		s := apiserver.New(o)
		return s, s
	})
	errors := 0
	for _, c := range cases.Part(t, all, 6, 0) {
		res, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
		if res.Verdict == harness.Skip {
			continue // it needs what served has not
		}
		require.NotNil(t, h, "%s: %s", c.Name, res.Reason)
		assert.NotEqual(t, harness.Fail, res.Verdict, "%s: %v", c.Name, res.Rules)
		failed := map[int32]bool{}
		for i := range h.Events {
			switch e := &h.Events[i]; e.Kind {
			case string(watch.Error):
				failed[e.Call] = true
				errors++
			case history.Settled:
				assert.False(t, failed[e.Call], "%s: #%d", c.Name, e.Num)
			}
		}
	}
	assert.Positive(t, errors)
}
