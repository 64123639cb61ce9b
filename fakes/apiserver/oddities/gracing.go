package oddities

import (
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
