package mutants

import (
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// writeOtherRows are faults of what becomes of a write: where it is seen, and what it is stored as.
var writeOtherRows = []row{
	{name: "version-goes-back", rule: "write/version-grows", about: "a change of labels answers with a resourceVersion smaller than the one before",
		on: "update", instead: remembering(func(c *call, was runtime.Object) {
			if of(was).GetLabels()["app"] != of(c.sent).GetLabels()["app"] {
				of(c.got).SetResourceVersion(plus(of(was).GetResourceVersion(), -1))
			}
		})},
	{name: "uid-used-again", rule: "write/version-grows", about: "an object that is created anew under its name is answered with the uid of the one before",
		on: "create", when: not(dry), state: func(*apiserver.Server) row {
			var uids sync.Map // by namespace and name
			return row{answer: objects(func(o metav1.Object) {
				first, _ := uids.LoadOrStore(o.GetNamespace()+"/"+o.GetName(), o.GetUID())
				o.SetUID(first.(types.UID))
			})}
		}},

	{name: "listed-late", rule: "write/visible", about: "a write is in most-recent lists a second after its answer: they come from a cache that lags",
		options: func(o *apiserver.Options) { o.CacheLag = time.Second }, on: "list", when: all(unset, not(limited)), ask: func(c *call) { c.list.ResourceVersion = "0" }},
	{name: "generated-unwatched", rule: "write/visible", about: "an object whose name was generated is stored, and no watch is told",
		on: "watch", events: drop(event(func(e watch.Event, c apiserver.Cause) bool { return change(c) && of(e.Object).GetGenerateName() != "" }))},
	{name: "delete-background-forgotten", rule: "write/visible", about: "a delete with the propagation policy Background is answered, and left to somebody who never comes",
		on: "delete", when: inBackground, ask: asDryRun},
	{name: "delete-grace-waits", rule: "write/visible", about: "a delete with a grace period leaves what has none, as if it were on a node",
		on: "delete", when: somePeriod, ask: asDryRun},

	{name: "no-op-update-stored", rule: "write/no-op", about: "an update that changes nothing gets a new resourceVersion, as if the time of the write were kept in the object",
		on: "update", ask: changeSent(noteWrite)},
	{name: "no-op-patch-stored", rule: "write/no-op", about: "a patch that changes nothing gets a new resourceVersion",
		on: "patch", answer: func(c *call) { noteWrite(of(c.got)); putAnswer(c) }},
	{name: "apply-always-stores", rule: "write/no-op", about: "an apply that changes nothing is stored all the same: it has a new resourceVersion, and an event",
		on: "patch", when: applies, instead: remembering(func(c *call, was runtime.Object) {
			if of(was).GetResourceVersion() == of(c.got).GetResourceVersion() {
				_, _ = c.api.Patch(c.ctx, c.Request, types.MergePatchType, []byte(`{"metadata":{"managedFields":[{}]}}`), metav1.PatchOptions{}) // nobody manages it then
				again(anyVersion)(c)
			}
		})},

	{name: "delete-at-once-refused", rule: "write/answered", about: "a delete with a grace period of 0 seconds is refused with 400",
		on: "delete", when: zeroPeriod, instead: refuse(apierrors.NewBadRequest("there is no such option"))},
	{name: "eviction-stored", rule: "write/subresource-create", resource: "pods", about: "an eviction is stored among the pods, as an object of its own",
		on: "create", when: all(func(c *call) bool { return c.Subresource == "eviction" }, podExists), instead: func(c *call) {
			c.Subresource = ""
			pod := moved(c.now(), "")
			of(pod).SetName("eviction-of-" + c.Name)
			c.Name, c.sent = "", pod
			c.next()
		}},
}

// noteWrite writes into an object over which state of it the write is.
func noteWrite(o metav1.Object) {
	o.SetAnnotations(map[string]string{"written-over": o.GetResourceVersion()})
}

// podExists reports whether the object of a subresource is there.
func podExists(c *call) bool {
	pod := *c
	pod.Subresource = ""
	return exists(&pod)
}
