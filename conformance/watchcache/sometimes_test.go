package watchcache_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/fake"
)

// sometimes refuses every so many writes, and does not do them. A client cannot
// know that they were not done.
type sometimes struct {
	*apiserver.Server
	every  int64
	err    error
	writes *atomic.Int64
}

func (s sometimes) refuse() error {
	if s.writes.Add(1)%s.every == 0 {
		return s.err
	}
	return nil
}

func (s sometimes) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Server.Create(ctx, r, obj, o)
}

func (s sometimes) Update(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Server.Update(ctx, r, obj, o)
}

func (s sometimes) Patch(ctx context.Context, r apiserver.Request, pt types.PatchType, data []byte, o metav1.PatchOptions) (runtime.Object, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Server.Patch(ctx, r, pt, data, o)
}

func (s sometimes) Delete(ctx context.Context, r apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Server.Delete(ctx, r, o)
}

// deleter is a subject that deletes several objects in one revision.
type deleter struct {
	served
	server *apiserver.Server
}

func (t deleter) DeleteTogether(namespace string, names ...string) error {
	var all []apiserver.Request
	for _, n := range names {
		all = append(all, apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: namespace, Name: n})
	}
	return t.server.DeleteTogether(all...)
}

// A server that does not do every write breaks nothing, and the drives make no
// more of their writes than what was answered.
func TestSometimesRefused(t *testing.T) {
	for name, err := range map[string]error{
		"504": apierrors.NewTimeoutError("the storage has not answered", 0),
		"503": apierrors.NewServiceUnavailable("the server is busy"),
	} {
		t.Run(name, func(t *testing.T) {
			all := watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{Name: "test", Features: slices.DeleteFunc(fake.Features(), func(f harness.Feature) bool { return f != watchcache.Together && administered(f) }),
				Open: func(t *harness.T) (watchcache.Subject, error) {
					s := apiserver.New(apiserver.Options{Seed: uint64(t.Seed())})
					t.Cleanup(func() { _ = s.Close() }) // its error is always nil
					return deleter{served{sometimes{s, 9, err, new(atomic.Int64)}}, s}, nil
				}})
			deleted := 0
			atomic := slices.IndexFunc(all, func(c harness.Case) bool { return c.Name == "watch/atomic" })
			for _, c := range full.Part(t, all, 6, atomic) {
				res, h := harness.Run(c, harness.Options{TB: t, Seed: 1})
				assert.NotEqual(t, harness.Fail, res.Verdict, "%s: %v", c.Name, res.Rules)
				if c.Name == "watch/atomic" {
					require.NotNil(t, h, res.Reason)
					deleted = deletedOf(h)
				}
			}
			assert.Positive(t, deleted, "watch/atomic has deleted nothing together")
		})
	}
}

// deletedOf counts deletes that were done.
func deletedOf(h *history.History) (n int) {
	for i := range h.Events {
		if e := &h.Events[i]; e.Phase == history.Return && e.Kind == replay.Delete && e.Err() == nil {
			n++
		}
	}
	return n
}
