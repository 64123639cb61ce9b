package oddities

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// stating are oddities of kinds whose status has a subresource.
func stating() []Oddity {
	return []Oddity{
		{
			Name: "status-on-create", Clause: "watchcache/write/status", Resource: "deployments",
			About: "a create takes the status that it brings, as of pods and nodes",
			Open:  with(each(func(r *apiserver.Resource) { r.StatusOnCreate = true })),
		},
		{
			Name: "status-takes-labels", Clause: "watchcache/write/status", Resource: "deployments",
			About: "a write to status also changes labels and annotations, as of jobs and replicasets",
			Open:  with(each((*apiserver.Resource).MetadataByStatus)),
		},
		{
			Name: "status-follows", Clause: "watchcache/write/status", Resource: "deployments",
			About: "a write to the object also changes its status, to what follows from the spec, as that of a service whose type changes",
			Open: with(each(func(r *apiserver.Resource) {
				if r.Kind == "Deployment" {
					r.StatusFollows = func(obj runtime.Object) {
						d := obj.(*appsv1.Deployment)
						d.Status.Conditions = []appsv1.DeploymentCondition{{Type: "lwtest", Status: "Unknown", Message: "after-" + d.Spec.Template.Annotations["lwtest/spec"]}}
					}
				}
			})),
		},
	}
}
