package mutants

import (
	"errors"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// restartWriteRows are faults of writes once the server has been restarted.
var restartWriteRows = []row{
	{name: "restart-update-unchecked", rule: "write/conflict/update", about: "after a restart an object that was not written since is updated at whatever resourceVersion",
		on: "update", state: func(s *apiserver.Server) row {
			var written sync.Map // by name
			return onceRestarted(row{ask: func(c *call) {
				if _, ok := written.LoadOrStore(c.Name, true); !ok {
					c.sent = moved(c.sent, "")
				}
			}})(s)
		}},
	{name: "restart-patch-unchecked", rule: "write/conflict/patch", about: "after a restart patches are made whatever their resourceVersion",
		on: "patch", state: onceRestarted(row{ask: anyVersion})},
	{name: "restart-delete-unchecked", rule: "write/conflict/delete", about: "after a restart deletes are made whatever their preconditions",
		on: "delete", state: onceRestarted(row{ask: anyPrecondition})},
	{name: "restart-false-conflict", rule: "write/no-false-conflict", about: "after a restart an update with a resourceVersion from before is refused with 409, though it is the object's",
		on: "update", state: func(s *apiserver.Server) row {
			revision := sync.OnceValue(s.Revision) // of the first update after the restart
			return onceRestarted(row{instead: func(c *call) {
				if rv := of(c.sent).GetResourceVersion(); !older(revision(), rv) && rv != "" {
					refuse(conflict(c.Request))(c)
					return
				}
				c.next()
			}})(s)
		}},
	{name: "restart-uids-anew", rule: "write/uid-kept", about: "after a restart an object that is updated gets a new uid",
		on: "update", state: onceRestarted(row{when: func(c *call) bool { return of(c.sent).GetUID() != "" }, instead: func(c *call) {
			if _, c.err = c.api.Delete(c.ctx, c.Request, metav1.DeleteOptions{}); c.err == nil {
				createAnew(c, c.sent)
			}
		}})},
	{name: "restart-lost-create-again", rule: "get/most-recent", about: "a create whose answer was lost by a restart is made again from a log, once the object has been deleted",
		on: "create|delete", state: func(s *apiserver.Server) row {
			var lost runtime.Object
			restarted := restartOf(s)
			return row{answer: func(c *call) {
				switch {
				case c.verb == "create" && !restarted():
					if time.Sleep(10 * time.Microsecond); restarted() {
						lost = c.sent
						refuse(errors.New("connection reset by peer"))(c)
					}
				case c.verb == "delete" && lost != nil && of(lost).GetName() == c.Name:
					log := *c
					createAnew(&log, lost)
					lost = nil
				}
			}}
		}},
}

// createAnew creates an object again that was there before.
func createAnew(c *call, obj runtime.Object) {
	again := c.Request
	again.Name = ""
	c.got, c.err = c.api.Create(c.ctx, again, moved(obj, ""), metav1.CreateOptions{})
}
