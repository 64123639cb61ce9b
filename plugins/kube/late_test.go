package kube

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/plugins/resources"
)

// late is an API of which namespaces, or the definition of the resource, are not known yet: some creates are
// answered with 404.
type late struct {
	apiserver.API
	what  schema.GroupResource
	times atomic.Int32
}

func (l *late) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if l.times.Add(-1) >= 0 {
		return nil, apierrors.NewNotFound(l.what, r.Namespace)
	}
	return l.API.Create(ctx, r, obj, o)
}

// What was just made may be answered with 404 for some milliseconds: nothing is driven before it is known.
func TestWhatWasJustMadeMayBeLate(t *testing.T) {
	for _, name := range []string{resources.ConfigMaps.Name, resources.Things.Name} {
		for what, of := range map[string]schema.GroupResource{"the namespace": {Resource: "namespaces"}, "the definition": {}} {
			t.Run(name+", "+what, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r, err := resources.Find(name)
					require.NoError(t, err)
					o := apiserver.Options{Resources: append(apiserver.Resources(),
						apiserver.CustomResource(resources.Things.GroupVersion.WithKind("Thing"), resources.Things.Name, true))}
					store := apiserver.New(o)
					defer func() { _ = store.Close() }() // its error is always nil
					api := &late{API: store, what: of}
					api.times.Store(5)
					h, err := rest.ServePipe(api, rest.Options{Resources: o.Resources})
					require.NoError(t, err)
					defer func() { _ = h.Close() }() // there is nothing in memory that fails
					s := &server{resource: r, clock: &clock{}}
					require.NoError(t, s.clients(h.RESTConfig()))
					require.NoError(t, s.usable(t.Context(), "default"))
					require.Equal(t, int32(-1), api.times.Load(), "asked until it is known, and no more")
				})
			})
		}
	}
}
