package mutants

import (
	"bytes"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// deletingRows are faults of writes to what is being deleted.
var deletingRows = []row{
	{name: "put-undeletes", rule: "write/finalizers", about: "a PUT without deletionTimestamp takes it from what is being deleted",
		on: "get|list|watch|update|patch", state: func(*apiserver.Server) row {
			var saved sync.Map // by uid
			show := func(o metav1.Object) {
				if _, ok := saved.Load(o.GetUID()); ok {
					o.SetDeletionTimestamp(nil)
					o.SetDeletionGracePeriodSeconds(nil)
				}
			}
			return row{events: shown(ofObjects(deleting), show), answer: func(c *call) {
				if c.verb == "update" && !dry(c) && !deleting(of(c.sent)) && deleting(of(c.got)) {
					saved.Store(of(c.got).GetUID(), true)
				}
				if c.got != nil {
					objects(show)(c)
				}
			}}
		}},
	{name: "last-finalizer-stays-by-strategic", rule: "write/finalizers", about: "who takes the last finalizer of what is being deleted by a strategic merge patch is answered, and the object stays",
		on: "patch", when: func(c *call) bool {
			return c.patchType == types.StrategicMergePatchType && bytes.Contains(c.data, []byte(`"finalizers":null`))
		}, ask: func(c *call) { c.patch.DryRun = []string{metav1.DryRunAll} }},
}
