package oddities

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// gracing are oddities of kinds that have a grace period.
func gracing() []Oddity {
	return []Oddity{
		{
			Name: "deleted-in-one-step", Clause: "watchcache/write/grace", Resource: "pods",
			About: "a pod whose time is over is deleted in one revision, without a mark that says so before: its DELETED shows what it had left",
			Open:  with(func(o *apiserver.Options) { o.Quirks.OneStep = true }),
		},
		{
			Name: "evictions-refused", Clause: "watchcache/write/subresource-create", Resource: "pods",
			About: "every second eviction is refused with 429, as where a budget allows no disruption just now",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				s := apiserver.New(o)
				return &budgeted{Server: s}, s
			},
		},
		{
			Name: "grace-of-its-own", Clause: "watchcache/write/grace", Resource: "pods",
			About: "a delete that names no period gives a pod 7 s, not the 30 s that kube-apiserver fills in",
			Open: with(each(func(r *apiserver.Resource) {
				if given := r.Grace; given != nil {
					r.Grace = func(o runtime.Object, asked *int64) int64 {
						if asked == nil {
							asked = new(int64(7))
						}
						return given(o, asked)
					}
				}
			})),
		},
	}
}

// budgeted is an API that refuses evictions at times.
type budgeted struct {
	*apiserver.Server
	asked atomic.Int64
}

// Create implements apiserver.API.
func (b *budgeted) Create(ctx context.Context, r apiserver.Request, obj runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	if r.Subresource == "eviction" && b.asked.Add(1)%2 == 1 {
		return nil, apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 10)
	}
	return b.Server.Create(ctx, r, obj, o)
}
