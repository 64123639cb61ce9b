package mutants

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// getAnsweredRows are faults of servers that do not know some way to ask for an object, and say that the client is wrong.
var getAnsweredRows = []row{
	{name: "get-refused", rule: "get/answered", about: "a get of the most recent state is refused with 400",
		on: "get", when: unset, answer: refuseAs(400)},
	{name: "get-zero-refused", rule: "get/answered", about: `a get at "0" is refused with 400`,
		on: "get", when: zero, answer: refuseAs(400)},
	{name: "get-zero-expired", rule: "get/answered", about: `a get at "0" is refused with 410, as if that were a state that could be gone`,
		on: "get", when: zero, answer: refuseAs(410)},
	{name: "get-at-version-refused", rule: "get/answered", about: "a get with a resourceVersion is refused with 422",
		on: "get", when: at, answer: refuseAs(422)},
}

// listAnsweredRows are such faults of lists.
var listAnsweredRows = []row{
	{name: "list-all-namespaces-refused", rule: "list/answered", about: "a list of all namespaces is refused with 404",
		on: "list", when: everywhere, instead: refuseAs(404)},
	{name: "list-label-refused", rule: "list/answered", about: "a list by label is refused with 400",
		on: "list", when: byLabel, answer: refuseAs(400)},
	{name: "list-field-refused", rule: "list/answered", about: "a list by what a field must not be is refused with 400",
		on: "list", when: fieldsHave("!="), answer: refuseAs(400)},
	{name: "list-zero-expired", rule: "list/answered", about: `a list at "0" is refused with 410`,
		on: "list", when: all(zero, not(continued)), answer: refuseAs(410)},
	{name: "list-zero-limit-refused", rule: "list/answered", about: `a list at "0" with a limit is refused with 422`,
		on: "list", when: all(zero, limited, not(continued)), answer: refuseAs(422)},
	{name: "list-not-older-refused", rule: "list/answered", about: "a list at a resourceVersion and NotOlderThan is refused with 400",
		on: "list", when: all(at, notOlder), answer: refuseAs(400)},
	{name: "list-exact-not-found", rule: "list/answered", about: "a list at a resourceVersion and Exact is refused with 404",
		on: "list", when: all(at, exact), answer: refuseAs(404)},
	{name: "list-exact-field-refused", rule: "list/answered", about: "a list by field at a resourceVersion and Exact is refused with 405",
		on: "list", when: all(at, exact, byField), answer: refuseAs(405)},
	{name: "continue-zero-refused", rule: "list/answered", about: `a continue token beside the resourceVersion "0" is refused with 400`,
		on: "list", when: all(continued, zero, unmatched), answer: refuseAs(400)},
}

// watchAnsweredRows are such faults of watches.
var watchAnsweredRows = []row{
	{name: "watch-all-namespaces-refused", rule: "watch/answered", about: "a watch of all namespaces is refused with 405",
		on: "watch", when: everywhere, instead: refuseAs(405)},
	{name: "watch-zero-refused", rule: "watch/answered", about: `a watch from "0" is refused with 400`,
		on: "watch", when: all(zero, unmatched), instead: refuseAs(400)},
	{name: "watch-from-now-refused", rule: "watch/answered", about: "a watch that wants no initial events and names no resourceVersion is refused with 422",
		on: "watch", when: all(skips, notOlder, unset), instead: refuseAs(422)},
	{name: "watch-label-refused", rule: "watch/answered", about: "a watch by label is refused with 400",
		on: "watch", when: all(byLabel, unmatched), instead: refuseAs(400)},
	{name: "stream-refused", rule: "watch/answered", about: "a streaming list is refused with 400, though the server says that it has them",
		on: "watch", when: all(streams, notOlder), instead: refuseAs(400)},
	{name: "stream-at-version-refused", rule: "watch/answered", about: "a streaming list from a resourceVersion is refused with 422",
		on: "watch", when: all(streams, notOlder, at), instead: refuseAs(422)},
}

// writeAnsweredRows are such faults of writes.
var writeAnsweredRows = []row{
	{name: "create-generated-refused", rule: "write/answered", about: "a create that leaves the name to the server is refused with 422",
		on: "create", when: func(c *call) bool { return of(c.sent).GetName() == "" }, instead: refuseAs(422)},
	{name: "create-dry-refused", rule: "write/answered", about: "a create as a dry run is refused with 400",
		on: "create", when: dry, instead: refuseAs(400)},
	{name: "update-unlabelled-refused", rule: "write/answered", about: "an update that leaves out all labels is refused with 422",
		on: "update", when: func(c *call) bool { return len(of(c.sent).GetLabels()) == 0 }, instead: refuseAs(422)},
	{name: "update-unconditional-refused", rule: "write/answered", about: "an update without a resourceVersion is refused with 400, though the server says that it takes them",
		on: "update", when: not(conditional), instead: refuseAs(400)},
	{name: "patch-null-refused", rule: "write/answered", about: "a merge patch that takes something away is refused with 400",
		on: "patch", when: func(c *call) bool { return strings.Contains(string(c.data), "null") }, instead: refuseAs(400)},
	{name: "delete-preconditions-refused", rule: "write/answered", about: "a delete with preconditions that hold is refused with 400",
		on: "delete", when: all(preconditioned, deletable), instead: refuseAs(400)},
	{name: "collection-label-refused", rule: "write/answered", about: "the deletion of a collection by label is refused with 400",
		on: "deletecollection", when: byLabel, instead: refuseAs(400)},
	{name: "deleting-update-refused", rule: "write/answered", about: "an update of what is being deleted is refused with 400, unless it takes a finalizer",
		on: "update", when: storedAndSent(func(now, sent metav1.Object) bool {
			return deleting(now) && len(sent.GetFinalizers()) == len(now.GetFinalizers()) && sent.GetResourceVersion() == now.GetResourceVersion()
		}), instead: refuseAs(400)},
}

// deletable reports whether a dry run of the delete succeeds.
func deletable(c *call) bool {
	o := c.remove
	o.DryRun = []string{metav1.DryRunAll}
	_, err := c.api.Delete(c.ctx, c.Request, o)
	return err == nil
}
