package mutants

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// dryRunRows are faults of dry runs that are done.
var dryRunRows = []row{
	{name: "dry-create-stored", rule: "write/dry-run", about: "a create that is a dry run is done (client-go's fake clientset; admission webhooks that ignore dryRun)",
		on: "create", ask: forReal},
	{name: "dry-create-filled", rule: "write/dry-run", about: "creates fill in the status that was left out, and one that is a dry run is done",
		on: "create", ask: func(c *call) { fillIn(c); forReal(c) }},
	{name: "dry-generate-stored", rule: "write/dry-run", about: "a create that is a dry run is done where the server makes the name",
		on: "create", when: whereSent(unnamed), ask: forReal},
	{name: "dry-update-stored", rule: "write/dry-run", about: "an update that is a dry run is done",
		on: "update", ask: forReal},
	{name: "dry-update-filled", rule: "write/dry-run", about: "updates fill in the status that was left out, and one that is a dry run is done",
		on: "update", ask: func(c *call) { fillIn(c); forReal(c) }},
	{name: "dry-last-finalizer", rule: "write/dry-run", about: "an update that takes the last finalizer of what is being deleted ends it, though it is a dry run",
		on: "update", when: whereStored(deleting), ask: forReal},
	{name: "status-dry-run-stored", rule: "write/dry-run", resource: "deployments", about: "a dry run of an update of status is stored",
		on: "update", when: ofStatus, ask: forReal},

	{name: "dry-patch-stored", rule: "write/dry-run", about: "a patch that is a dry run is done",
		on: "patch", ask: forReal},
	{name: "dry-patch-filled", rule: "write/dry-run", about: "a patch that is a dry run is done, of objects in which creates have filled in the status that was left out",
		on: "create|patch", ask: func(c *call) {
			if c.verb == "patch" {
				forReal(c)
				return
			}
			fillIn(c)
		}},
	{name: "dry-strategic-stored", rule: "write/dry-run", about: "a strategic merge patch that is a dry run is done",
		on: "patch", when: strategic, ask: forReal},
	{name: "dry-patch-finalizers-stored", rule: "write/dry-run", about: "a patch of finalizers that is a dry run is done",
		on: "patch", when: patchHas(`"finalizers":[`), ask: forReal},
	{name: "dry-patch-ownerreferences-stored", rule: "write/dry-run", about: "a patch of ownerReferences that is a dry run is done",
		on: "patch", when: patchHas(`"ownerReferences":[`), ask: forReal},
	{name: "dry-patch-null-stored", rule: "write/dry-run", about: "a patch that is a dry run is done where it sets something to null",
		on: "patch", when: patchHas(`:null`), ask: forReal},
	{name: "dry-apply-created", rule: "write/dry-run", about: "an apply of what is not there creates it, though it is a dry run",
		on: "patch", when: all(applies, not(exists)), ask: forReal},
	{name: "dry-apply-stored", rule: "write/dry-run", about: "an apply of what is there is stored, though it is a dry run",
		on: "patch", when: all(applies, exists), ask: forReal},

	{name: "dry-delete-done", rule: "write/dry-run", about: "a delete that is a dry run is done",
		on: "delete", ask: forReal},
	{name: "dry-delete-how-done", rule: "write/dry-run", about: "a delete that is a dry run is done where it has a propagation policy: who reads the one forgets the other",
		on: "delete", when: saysHow, ask: forReal},
	{name: "dry-sweep-finalizers", rule: "write/dry-run", about: "a delete that is a dry run marks what has finalizers",
		on: "delete", when: whereStored(finalized), ask: forReal},
	{name: "sweep-dry-done", rule: "write/dry-run", about: "a deletecollection that is a dry run is done",
		on: "deletecollection", ask: forReal},
	{name: "dry-sweep-how-done", rule: "write/dry-run", about: "a deletecollection that is a dry run is done where it has a propagation policy",
		on: "deletecollection", when: saysHow, ask: forReal},
}

// dryRefusalRows are faults of dry runs that should be refused, as without.
var dryRefusalRows = []row{
	{name: "dry-create-over", rule: "write/dry-run", about: "a create of what exists is taken where it is a dry run",
		on: "create", when: dry, refused: apierrors.IsAlreadyExists, answer: answerSent},
	{name: "dry-update-stale", rule: "write/dry-run", about: "an update with a stale resourceVersion is taken where it is a dry run",
		on: "update", when: dry, ask: anyVersion},
	{name: "dry-update-missing-ok", rule: "write/dry-run", about: "an update of what is missing is taken where it is a dry run",
		on: "update", when: dry, refused: apierrors.IsNotFound, answer: answerSent},
	{name: "dry-update-uid-ignored", rule: "write/dry-run", about: "an update with a wrong uid is taken where it is a dry run",
		on: "update", when: dry, ask: anyUID},
	{name: "dry-apply-stale", rule: "write/dry-run", about: "an apply with a stale resourceVersion is taken where it is a dry run",
		on: "patch", when: all(applies, dry), ask: anyVersion},
	{name: "dry-delete-stale", rule: "write/dry-run", about: "a delete whose precondition does not hold is taken where it is a dry run",
		on: "delete", when: dry, ask: anyPrecondition},
	{name: "dry-delete-missing-ok", rule: "write/dry-run", about: "a delete of what is missing is taken where it is a dry run",
		on: "delete", when: dry, refused: apierrors.IsNotFound, answer: answerDone},
}

// saysHow reports whether a delete has a propagation policy or a grace period.
func saysHow(c *call) bool {
	return c.remove.PropagationPolicy != nil || c.remove.GracePeriodSeconds != nil
}
