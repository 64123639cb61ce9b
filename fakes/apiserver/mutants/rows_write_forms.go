package mutants

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// writeFormRows are faults of one form of write, of which all others are right.
var writeFormRows = []row{
	{name: "sweep-field-takes-held", rule: "write/finalizers", about: "deletecollection by field removes the finalizers of what it deletes",
		on: "deletecollection", when: all(byField, not(dry)), answer: func(c *call) {
			for _, item := range items(c.got) {
				of(item).SetResourceVersion("")
				of(item).SetFinalizers(nil)
				one := apiserver.Request{Resource: c.Resource, Namespace: c.Namespace, Name: of(item).GetName()}
				_, _ = c.api.Update(c.ctx, one, item, metav1.UpdateOptions{}) // it may be gone
			}
		}},
	{name: "sweep-unlabelled-is-all", rule: "write/collection", about: "deletecollection of what has no label deletes all",
		on: "deletecollection", when: func(c *call) bool { return strings.HasPrefix(c.list.LabelSelector, "!") }, ask: anyLabel},
	{name: "dry-update-created-unsaid", rule: "write/response", about: "an update that is a dry run is answered without a creationTimestamp",
		on: "update", when: dry, answer: objects(func(o metav1.Object) { o.SetCreationTimestamp(metav1.Time{}) })},
}
