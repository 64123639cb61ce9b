package watchcache

import (
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
)

var writeNoFalseConflict = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/no-false-conflict",
		Level:   harness.Must,
		Text:    "an update or delete whose resourceVersion precondition held at every moment of the request is not refused with 409, whatever older copy a cache may have",
		Sources: []harness.Source{sources.concurrency, sources.preconditions, sources.updates},
		Why:     "a client reads anew, tries again, and is refused again: it never gets anything done",
		Advice:  "Compare the resourceVersion with the stored object before you answer 409. If a cached copy does not match, read the storage and compare again.",
		Classes: []string{"UPDATE rv=right outcome=ok", "DELETE rv=right outcome=ok"},
	},
	Judge: onState(judgeNoFalseConflict),
}

var writeResponse = harness.Rule{
	Clause: harness.Clause{
		ID:    "write/response",
		Level: harness.Must,
		Text: "create, update and patch answer with the object as stored, with its new resourceVersion " +
			"(a write that changes nothing and the removal of the last finalizer answer with the old one, a dry-run create with none, a dry-run update with the old one); " +
			"an update takes away what it leaves out, a merge patch what it sets to null, an apply what its manager alone has applied and now leaves out, " +
			"and patches leave alone what they do not name; a name that the server makes begins with generateName",
		Sources: []harness.Source{sources.concurrency, sources.verbs, sources.specAndStatus, sources.objResourceVersion, sources.applyRemoves, sources.objGenerateName},
		Why:     "the client takes the answer for what is stored: its next write is refused, or undoes what it thinks it has done",
		Advice:  "Answer with the object as the storage has it. If that is not what was asked for look at the merge: PUT replaces, a patch touches what it names, null removes.",
		Classes: []string{"CREATE outcome=ok", "UPDATE outcome=ok", "PATCH outcome=ok"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeResponse),
}

var writeUIDKept = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/uid-kept",
		Level:   harness.Must,
		Text:    "no write changes a uid: one that tries fails with 409 or 422. A write of the status may ignore a wrong uid, as it may ignore all but the status",
		Sources: []harness.Source{sources.uids, sources.metadata, sources.objUID, sources.customStatus},
		Why:     "owners, finalizers and caches know an object by its uid: with another one it is another object, and what it owns is deleted",
		Advice:  "Compare a uid in the body of an update, patch or apply with the stored one, answer 409 or 422 if they differ, and always store the old one.",
		Classes: []string{"UPDATE uid=stale", "PATCH uid=stale"},
	},
	Needs: []harness.Feature{ComparableRV, Precondition},
	Judge: onState(judgeUIDKept),
}

var writeExists = harness.Rule{
	Clause: harness.Clause{
		ID:    "write/exists",
		Level: harness.Must,
		Text: "create of what exists (also while it is being deleted): 409 AlreadyExists; of what does not, it is not refused for that reason. " +
			"A name that the server makes may meet one that exists, by chance, which three one after the other are not; it never takes that object's place",
		Sources: []harness.Source{sources.statusCodes, sources.idempotency, sources.reasonAlreadyExists, sources.names, sources.objGenerateName},
		Why:     "create is how clients take a name for themselves: a lock that two can take is none",
		Advice:  "Put if absent, in one transaction and by the exact key (NAMESPACE/NAME), answer 409 AlreadyExists otherwise, and draw generated names at random.",
		Classes: []string{"CREATE outcome=409", "CREATE outcome=ok"},
	},
	Judge: onState(judgeExists),
}

// writeMissing has a rule for what every kind must refuse, and one for what
// kinds that create on update (leases, events) take.
func writeMissing(aspect string, verbs []string, classes []string, needs ...harness.Feature) harness.Rule {
	return harness.Rule{
		Clause: harness.Clause{
			ID:    "write/missing",
			Level: harness.Must,
			Text: "a get, delete, update or patch of an object that does not exist is answered with 404 NotFound, whatever its preconditions; " +
				"but an apply patch creates the object, and so does an update of a kind that creates on update (201), whatever resourceVersion it has; an object that exists is not answered in this way. " +
				"If a 404 says a resourceVersion, the object did not exist at it, and it is not older than what the server has answered with before",
			Sources: []harness.Source{sources.statusCodes, sources.apiVerbs, sources.verbs, sources.reasonNotFound},
			Why:     "404 is how a client learns that its work is done; any other error it repeats for ever, and a 404 too many makes it create a second one",
			Advice:  "Look up the exact key in the storage before preconditions, and answer 404 NotFound if it is missing, except to an apply and for kinds that create on update. If you say a resourceVersion, say that of the read.",
			Classes: classes,
		},
		Aspect: aspect,
		Needs:  needs,
		Judge:  onState(judgeMissing(verbs...)),
	}
}

// writeMissingCreate is write/missing of those kinds.
func writeMissingCreate() harness.Rule {
	r := writeMissing("create", nil, []string{"UPDATE rv=stale outcome=ok"}, CreateOnUpdate)
	r.Judge = onState(judgeCreatesOnUpdate)
	return r
}

var (
	writeMissingDelete = writeMissing("delete", []string{replay.Delete, replay.Get}, []string{"DELETE outcome=404", "GET outcome=404"})
	writeMissingUpdate = writeMissing("update", []string{replay.Update, replay.Patch}, []string{"UPDATE outcome=404", "PATCH outcome=404"}, UpdateNeedsObject)
	missingCreate      = writeMissingCreate()
)

var writeVersionGrows = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/version-grows",
		Level:   harness.Must,
		Text:    "each change of an object gives it a larger resourceVersion; a recreated object has a new uid",
		Sources: []harness.Source{sources.concurrency, sources.resourceVersions, sources.kep5504, sources.uids},
		Why:     "clients tell the newer of two copies by it; an object that came back with its old uid is taken for the one that was deleted",
		Advice:  "Take the resourceVersion of every change from one counter that never goes back, and make a new uid in each create, for a name used before too.",
		Classes: []string{"UPDATE outcome=ok", "CREATE outcome=ok", "DELETE outcome=ok"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: butDoubts(judgeVersionGrows),
}

var writeNoOp = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/no-op",
		Level:   harness.Should,
		Text:    "a PUT, patch or apply that changes nothing gives no new resourceVersion and no event",
		Sources: []harness.Source{sources.testGuaranteedUpdate},
		Why:     "two controllers that each write what they want, and find it there already, keep each other busy for ever",
		Advice:  "Compare the new object with the stored one, without times that you set yourself, and if they are equal return the stored one and write nothing.",
		Classes: []string{"UPDATE outcome=ok", "PATCH outcome=ok"},
	},
	Needs: []harness.Feature{ComparableRV},
	Judge: onState(judgeNoOp),
}

var writeVisible = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/visible",
		Level:   harness.Must,
		Text:    "an acknowledged write is in the next most-recent list and on every watch that covers it",
		Sources: []harness.Source{sources.getAndList, sources.etcdReliable},
		Why:     "a write that was answered, and that nobody ever sees, is lost work",
		Advice:  "Acknowledge a write when the storage has it, hand each one to the watches, and let lists without resourceVersion wait until the cache has it.",
		Classes: []string{"CREATE outcome=ok", "UPDATE outcome=ok", "DELETE outcome=ok", "LIST rv=unset outcome=items", "WATCH outcome=events"},
	},
	Judge: onState(judgeVisible),
}

var writeDryRun = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/dry-run",
		Level:   harness.Must,
		Text:    "dryRun=All answers as the write would (a refusal too), and leaves no change and no event",
		Sources: []harness.Source{sources.dryRun, sources.dryRunGenerated},
		Why:     "it is asked for by people who want to see what would happen, and not that it happens",
		Advice:  "Send a dry run through the same validation, preconditions and merge, and stop before the storage. Look for dryRun in patch, apply, delete and collection too.",
		Classes: []string{"CREATE dry=true outcome=ok", "UPDATE dry=true outcome=ok", "DELETE dry=true outcome=ok", "CREATE dry=true outcome=409", "UPDATE dry=true outcome=409"},
	},
	Needs: []harness.Feature{DryRun},
	Judge: butDoubts(judgeDryRun),
}

var writeMoreRules = []harness.Rule{
	writeNoFalseConflict, writeResponse, writeUIDKept, writeExists, writeMissingDelete, writeMissingUpdate, missingCreate, writeMissingApply, writeVersionGrows, writeNoOp, writeVisible, writeDryRun,
}

var writeMoreChecks = []harness.Check[Subject]{
	{Info: harness.Info{
		Name:  "write/no-false-conflict",
		About: "writes with the resourceVersion that was answered a moment ago, one after the other",
		Rules: []harness.Rule{writeNoFalseConflict, writeAnswered},
	}, Drive: drive(driveRightVersions)},
	{Info: harness.Info{
		Name:  "write/response",
		About: "every sort of write, and what lists, gets and watches show of it",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{writeResponse, writeVersionGrows, writeVisible, writeAnswered},
	}, Drive: drive(driveResponses)},
	{Info: harness.Info{
		Name:  "write/response/left-out",
		About: "updates that leave out labels, annotations, owners and data that others had added, and patches that do not name them",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{writeResponse, writeAnswered},
	}, Drive: drive(driveLeftOut)},
	{Info: harness.Info{
		Name:  "write/response/removed",
		About: "merge patches that set labels, annotations and data to null, what is there and what is not",
		Needs: []harness.Feature{ComparableRV, Patch},
		Rules: []harness.Rule{writeResponse, writeAnswered},
	}, Drive: drive(driveRemoved)},
	{Info: harness.Info{
		Name:  "write/response/contended",
		About: "merge patches of one object at once, each of a part of its own, without a resourceVersion or with the one that holds, beside updates",
		Needs: []harness.Feature{ComparableRV, Patch},
		Rules: []harness.Rule{writeResponse, writeVisible},
		Span:  20 * time.Second,
	}, Drive: drive(driveRaced((*driver).patchOnly))},
	{Info: harness.Info{
		Name:  "write/uid-kept",
		About: "updates and patches that carry another uid",
		Needs: []harness.Feature{ComparableRV, Precondition, Patch},
		Rules: []harness.Rule{writeUIDKept},
	}, Drive: drive(driveUIDKept)},
	{Info: harness.Info{
		Name:  "write/exists",
		About: "creates of what is there, of what was, and of what is not, also with names that the server makes",
		Rules: []harness.Rule{writeExists},
	}, Drive: drive(driveExists)},
	{Info: harness.Info{
		Name:  "write/exists/contended",
		About: "creates of one name at once, and deletes of one object at once: as it is, by its resourceVersion, by its uid",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{writeExists, writeMissingDelete},
		Span:  20 * time.Second,
	}, Drive: drive(driveTaken)},
	{Info: harness.Info{
		Name:  "write/missing",
		About: "gets and deletes, also with preconditions, of what is not there, never was, and was",
		Rules: []harness.Rule{writeMissingDelete},
	}, Drive: drive(driveMissing(false))},
	{Info: harness.Info{
		Name:  "write/missing/update",
		About: "updates and patches, also with preconditions, of what is not there, never was, and was",
		Needs: []harness.Feature{UpdateNeedsObject},
		Rules: []harness.Rule{writeMissingUpdate},
	}, Drive: drive(driveMissing(true))},
	{Info: harness.Info{
		Name:  "write/missing/create",
		About: "updates of what was there, of a kind that creates by them: without a resourceVersion, with one that never was and with that of what is gone; as a dry run, and with the uid of what is gone",
		Needs: []harness.Feature{CreateOnUpdate},
		Rules: []harness.Rule{missingCreate, writeVisible},
	}, Drive: drive(driveCreatesOnUpdate)},
	{Info: harness.Info{
		Name:  "write/visible/many",
		About: "eight writers, with stale and right preconditions, watchers of different scope and speed, one that comes and goes, lists of every form and in pages; in virtual time bookmarks come and histories expire meanwhile",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{writeVisible, listSnapshot, watchReliable, watchOrdered, writeNoFalseConflict},
		Span:  30 * time.Second,
	}, Drive: drive(driveMany)},
	{Info: harness.Info{
		Name:  "write/no-op",
		About: "updates and patches to what is there already",
		Needs: []harness.Feature{ComparableRV},
		Rules: []harness.Rule{writeNoOp},
	}, Drive: drive(driveNoOp)},
	{Info: harness.Info{
		Name:  "write/dry-run",
		About: "every write as a dry run, right and refused, and what is there afterwards",
		Needs: []harness.Feature{DryRun},
		Rules: []harness.Rule{writeDryRun, writeAnswered},
	}, Drive: drive(driveDryRun)},
	{Info: harness.Info{
		Name:  "write/dry-run/more",
		About: "dry runs of patches, of deletes of collections and of what finalizers hold, of what takes the last finalizer, of what is missing or has another uid, and of creates of which the server makes the name",
		Needs: []harness.Feature{DryRun},
		Rules: []harness.Rule{writeDryRun, writeAnswered},
	}, Drive: drive(driveDryRunMore)},
}
