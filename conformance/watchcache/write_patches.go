package watchcache

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
)

// conflictTest is write/conflict of what a JSON patch tests.
var conflictTest = func() harness.Rule {
	r := writeConflict("test", []string{"PATCH type=json tests=stale outcome=422", "PATCH type=json tests=right outcome=ok"}, JSONPatch)
	r.Judge = onState(judgeConflictTest)
	return r
}()

var writePatchChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "write/conflict/json-patch",
		About: "JSON patches that replace the resourceVersion by one that was replaced, and by one that never was",
		Needs: []harness.Feature{JSONPatch, Patch},
		Rules: []harness.Rule{conflictPatch},
	}, Drive: drive(driveConflict((*driver).patchAsJSON))},
	{Info: harness.Info{
		Name:  "write/conflict/strategic-merge-patch",
		About: "strategic merge patches with a resourceVersion that was replaced, and with one that never was",
		Needs: []harness.Feature{StrategicPatch, Patch},
		Rules: []harness.Rule{conflictPatch},
	}, Drive: drive(driveConflict((*driver).patchStrategically))},
	{Info: harness.Info{
		Name: "write/conflict/test",
		About: "JSON patches with tests: of a resourceVersion and a value that were replaced, of what never was, and of what holds; " +
			"before the changes and after them, as dry runs, and of what is gone",
		Needs: []harness.Feature{JSONPatch},
		Rules: []harness.Rule{conflictTest},
	}, Drive: drive(driveTests)},
	{Info: harness.Info{
		Name: "write/response/json-patch",
		About: "JSON patches that replace, add, remove, copy and move one thing at a time, and leave alone the rest; " +
			"that change nothing, as dry runs, of what is not there, and of what is being deleted",
		Needs: []harness.Feature{JSONPatch, ComparableRV},
		Rules: []harness.Rule{writeResponse, writeVisible, watchReliable},
	}, Drive: drive(driveResponsesJSON)},
	{Info: harness.Info{
		Name: "write/response/strategic-merge-patch",
		About: "strategic merge patches of one part each, which leave alone the rest, other owners, too; " +
			"that change nothing, as dry runs, and of what is not there",
		Needs: []harness.Feature{StrategicPatch, ComparableRV},
		Rules: []harness.Rule{writeResponse, writeVisible, watchReliable},
	}, Drive: drive(driveResponsesStrategic)},
	{Info: harness.Info{
		Name: "write/response/contended/json-patch",
		About: "JSON patches of one object at once, each of a part of its own, without a resourceVersion or with the one that holds, beside updates; " +
			"and such as test what the others change",
		Needs: []harness.Feature{JSONPatch, ComparableRV, Patch},
		Rules: []harness.Rule{writeResponse, writeVisible, conflictTest},
		Span:  20 * time.Second,
	}, Drive: drive(driveTestsRaced)},
	contendedBy("strategic-merge-patch", "strategic merge patches", StrategicPatch, (*driver).partStrategically),
	contendedBy("apply", "applies by force", Apply, (*driver).partApplied),
}

// contendedBy is write/response/contended by other patches.
func contendedBy(name, what string, needs harness.Feature, patch func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap) harness.Check[Subject] {
	return harness.Check[Subject]{Info: harness.Info{
		Name:  "write/response/contended/" + name,
		About: what + " of one object at once, each of a part of its own, without a resourceVersion or with the one that holds, beside updates",
		Needs: []harness.Feature{needs, ComparableRV, Patch},
		Rules: []harness.Rule{writeResponse, writeVisible},
		Span:  20 * time.Second,
	}, Drive: drive(driveRaced(patch))}
}
