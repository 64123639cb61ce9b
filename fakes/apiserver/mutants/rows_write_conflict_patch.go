package mutants

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// patchConflictRows are faults of patches that say which resourceVersion the object must have, and of applies of what other managers own.
var patchConflictRows = []row{
	{name: "stale-patch", rule: "write/conflict/patch", about: "a patch with a stale resourceVersion is done (client-go's fake clientset)",
		on: "patch", refused: apierrors.IsConflict, answer: again(anyVersion)},
	{name: "stale-patch-exists", rule: "write/conflict/patch", about: "a patch with a stale resourceVersion is answered with 409 AlreadyExists",
		on: "patch", refused: apierrors.IsConflict, answer: refuseExists},
	{name: "patch-conflict-without-reason", rule: "write/conflict/patch", about: "a patch with a stale resourceVersion is refused with a 409 that has no reason",
		on: "patch", refused: apierrors.IsConflict, answer: withoutReason},
	{name: "strategic-ignores-version", rule: "write/conflict/patch", about: "a strategic merge patch is done whatever resourceVersion it has",
		on: "patch", when: strategic, ask: anyVersion},
	{name: "json-patch-ignores-version", rule: "write/conflict/patch", about: "a JSON patch is done whatever resourceVersion it replaces the object's with",
		on: "patch", when: jsonPatches, ask: operations(without(func(o operation) bool { return o.is("replace") && o.at("/metadata/resourceVersion") }))},
	{name: "apply-stale", rule: "write/conflict/patch", about: "an apply with a stale resourceVersion is done",
		on: "patch", when: applies, ask: anyVersion},
	{name: "apply-stale-forced", rule: "write/conflict/patch", about: "an apply that forces is done whatever resourceVersion it says the object has",
		on: "patch", when: all(applies, forced), ask: anyVersion},
	{name: "apply-stale-applied", rule: "write/conflict/patch", about: "an apply with a stale resourceVersion is answered with 409, and done",
		on: "patch", when: applies, refused: apierrors.IsConflict, answer: anyway(again(anyVersion))},

	{name: "apply-conflict-overwritten", rule: "write/conflict/apply", about: "an apply takes from other managers what they have applied otherwise, unasked",
		on: "patch", when: applies, ask: byForce},
	{name: "dry-apply-overwrites", rule: "write/conflict/apply", about: "an apply of what another manager has applied otherwise is taken where it is a dry run",
		on: "patch", when: all(applies, dry), ask: byForce},
	{name: "apply-conflict-applied", rule: "write/conflict/apply", about: "an apply of what another manager has applied otherwise is answered with 409, and done",
		on: "patch", when: applies, refused: apierrors.IsConflict, answer: anyway(again(byForce))},
	{name: "apply-force-ignored", rule: "write/conflict/apply", about: "an apply that forces is refused with 409 all the same",
		on: "patch", when: applies, ask: func(c *call) { c.patch.Force = nil }},
	{name: "apply-conflict-without-reason", rule: "write/conflict/apply", about: "an apply of what another manager has applied otherwise is refused with a 409 that has no reason",
		on: "patch", when: applies, refused: apierrors.IsConflict, answer: withoutReason},
}

// patchTestRows are faults of the tests in JSON patches.
var patchTestRows = []row{
	{name: "json-patch-tests-nothing", rule: "write/conflict/test", about: "a JSON patch is done whatever its tests say",
		on: "patch", when: tests, ask: withoutTests},
	{name: "json-patch-tests-no-version", rule: "write/conflict/test", about: "a JSON patch is done whatever resourceVersion it tests",
		on: "patch", when: tests, ask: operations(without(func(o operation) bool { return isTest(o) && o.at("/metadata/resourceVersion") }))},
	{name: "json-patch-tests-first", rule: "write/conflict/test", about: "of a JSON patch only a test that comes first is looked at",
		on: "patch", when: jsonPatches, ask: operations(func(all []operation) []operation {
			return append(all[:min(1, len(all))], without(isTest)(all[min(1, len(all)):])...)
		})},
	{name: "json-patch-tests-absent", rule: "write/conflict/test", about: "a test of a label that is not there holds",
		on: "patch", when: all(tests, patchHas("nothing"), whereStored(func(o metav1.Object) bool { return o.GetLabels()["lwtest/nothing"] == "" })), ask: withoutTests},
	{name: "json-patch-tests-dry", rule: "write/conflict/test", about: "the tests of a JSON patch are not looked at in a dry run",
		on: "patch", when: all(tests, dry), ask: withoutTests},
	{name: "json-patch-failed-applied", rule: "write/conflict/test", about: "a JSON patch of which a test fails is answered with 422, and the rest of it is done: the operations are no transaction",
		on: "patch", when: tests, refused: apierrors.IsInvalid, answer: anyway(again(withoutTests))},
	{name: "json-patch-failed-404", rule: "write/conflict/test", about: "a JSON patch of which a test fails is answered with 404: its path was not found",
		on: "patch", when: tests, refused: apierrors.IsInvalid, answer: refuseNotFound},
	{name: "json-patch-no-tests", rule: "write/answered", about: "a JSON patch with tests is refused with 422, whether they hold or not",
		on: "patch", when: tests, instead: refuse(apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", "unknown operation test", 0, false))},
	{name: "json-test-raced", rule: "write/conflict/test", about: "the tests of a JSON patch are looked at, and a millisecond later the rest is done without them",
		on: "patch", when: all(tests, func(c *call) bool { return c.tried().err == nil }), instead: later(withoutTests)},
}

// operation is one of a JSON patch: op says what, path where.
type operation map[string]any

func (o operation) is(op string) bool        { return o["op"] == op }
func (o operation) at(beginning string) bool { return strings.HasPrefix(o["path"].(string), beginning) }
func isTest(o operation) bool                { return o.is("test") }

// operations changes those of a JSON patch.
func operations(f func([]operation) []operation) func(*call) {
	return func(c *call) {
		if all := operationsOf(c); all != nil {
			c.data, _ = json.Marshal(f(all)) // it was JSON
		}
	}
}

// operationsOf returns those of a JSON patch; nil: it is none.
func operationsOf(c *call) (all []operation) {
	if !jsonPatches(c) || json.Unmarshal(c.data, &all) != nil {
		return nil
	}
	return all
}

// without leaves some operations out; tests are JSON patches with a test.
func without(f func(operation) bool) func([]operation) []operation {
	return func(all []operation) []operation { return slices.DeleteFunc(all, f) }
}

func tests(c *call) bool   { return slices.ContainsFunc(operationsOf(c), isTest) }
func withoutTests(c *call) { operations(without(isTest))(c) }
