package mutants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// putsThatCreate are faults of kinds that create on update.
func putsThatCreate() []Mutant {
	return []Mutant{
		{
			Name: "put-needs-object", Rule: "watchcache/write/missing/create", Resource: "leases",
			About: "an update of a lease that does not exist is refused with 404: client-go's record of events counts on it being created",
			Open: func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
				o.Resources = apiserver.Resources()
				for i := range o.Resources {
					o.Resources[i].CreateOnUpdate = false
				}
				s := apiserver.New(o)
				return s, s
			},
		},
		{
			Name: "put-of-nothing-conflicts", Rule: "watchcache/write/missing/create", Resource: "leases",
			About: "an update of a lease that does not exist is refused with 409 where it carries a resourceVersion",
			Open: calling(calls{update: func(ctx context.Context, api apiserver.API, r apiserver.Request, obj runtime.Object, o metav1.UpdateOptions) (runtime.Object, error) {
				if _, err := api.Get(ctx, r, metav1.GetOptions{}); apierrors.IsNotFound(err) && of(obj).GetResourceVersion() != "" {
					return nil, conflict(r)
				}
				return api.Update(ctx, r, obj, o)
			}}),
		},
	}
}
