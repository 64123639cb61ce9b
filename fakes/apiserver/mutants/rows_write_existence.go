package mutants

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// existenceRows are faults of creates of what exists, or does not.
var existenceRows = []row{
	{name: "exists-by-prefix", rule: "write/exists", about: "a create is refused with AlreadyExists where its name begins with that of another object",
		on: "create", when: among(func(c *call) {}, func(name, other string) bool { return other != name && strings.HasPrefix(name, other) }), instead: refuseExists},
	{name: "exists-by-name", rule: "write/exists", about: "a create is refused with AlreadyExists where another namespace has an object of the name",
		on: "create", when: among(inAnyNamespace, func(name, other string) bool { return other == name }), instead: refuseExists},
	{name: "exists-dotted", rule: "write/exists", about: "a create of a name with a dot is refused with AlreadyExists",
		on: "create", when: func(c *call) bool { return strings.Contains(of(c.sent).GetName(), ".") }, instead: refuseExists},
	{name: "create-overwrites", rule: "write/exists", about: "a create of what exists replaces it",
		on: "create", refused: apierrors.IsAlreadyExists, answer: putOver},
	{name: "exists-applied-filled", rule: "write/exists", about: "a create of what exists is refused, and replaces it, with the status filled in that was left out",
		on: "create", ask: fillIn, refused: apierrors.IsAlreadyExists, answer: anyway(putOver)},
	{name: "create-conflicts", rule: "write/exists", about: "a create of what exists is refused with the reason Conflict, which a client answers by reading and trying again",
		on: "create", refused: apierrors.IsAlreadyExists, answer: refuseConflict},
	{name: "create-raced", rule: "write/exists", about: "a create finds its name free, and a millisecond later is written over what is there then",
		on: "create", instead: func(c *call) {
			over := *c
			over.Name = of(c.sent).GetName()
			free := over.Name != "" && !exists(&over)
			time.Sleep(aMoment)
			if free {
				putOver(&over)
			}
			if c.got = over.got; c.got == nil {
				c.next()
			}
		}},
	{name: "name-stays-taken", rule: "write/exists", about: "the name of what was deleted is refused once as taken (a cache that lags answers for the storage)",
		on: "create|delete", state: func(*apiserver.Server) row {
			var deleted sync.Map // by namespace and name
			return row{instead: func(c *call) {
				if c.verb == "delete" {
					deleted.Store(c.Namespace+"/"+c.Name, true)
				} else if _, ok := deleted.LoadAndDelete(c.Namespace + "/" + of(c.sent).GetName()); ok {
					refuseExists(c)
					return
				}
				c.next()
			}}
		}},
	{name: "keys-joined", rule: "write/exists", about: "keys are namespace and name without anything between them: a/bx is taken for ab/x",
		on: "create", when: keyTaken, instead: refuseExists},
	{name: "generated-always-alike", rule: "write/exists", about: "the server makes the same name of a generateName each time: the second create is refused",
		on: "create", when: whereSent(generated), ask: changeSent(sameName)},
	{name: "generated-overwrites", rule: "write/exists", about: "a create of which the server makes the name takes the place of what has that name already",
		on: "create", when: whereSent(generated), ask: changeSent(sameName), refused: apierrors.IsAlreadyExists, answer: func(c *call) {
			old := c.Request
			old.Name = of(c.sent).GetName()
			_, _ = c.api.Delete(c.ctx, old, metav1.DeleteOptions{}) // it was there a moment ago
			c.next()
		}},
}

// among reports whether f holds for the name that a create sends and that of an object in its namespace, or where change has it look.
func among(change func(*call), f func(name, other string) bool) func(*call) bool {
	return func(c *call) bool {
		sent, look := of(c.sent).GetName(), *c
		change(&look)
		l, err := c.api.List(c.ctx, look.Request, metav1.ListOptions{})
		if err != nil || sent == "" {
			return false
		}
		for _, i := range items(l) {
			if f(sent, of(i).GetName()) {
				return true
			}
		}
		return false
	}
}

// missingRows are faults of gets and writes of what does not exist.
var missingRows = []row{
	{name: "get-of-nothing", rule: "write/missing/delete", about: "a get of what does not exist is refused with 410, as if it had been asked for at an old resourceVersion",
		on: "get", refused: apierrors.IsNotFound, answer: refuse(gone)},
	{name: "get-of-nothing-at-zero", rule: "write/missing/delete", about: "the 404 of a get says resourceVersion 0 (kubernetes#142591, between a storage and its callers)",
		on: "get", refused: apierrors.IsNotFound, answer: refusedAt("0")},
	{name: "delete-of-nothing", rule: "write/missing/delete", about: "a delete of what does not exist is answered as done",
		on: "delete", refused: apierrors.IsNotFound, answer: answerDone},
	{name: "delete-missing-with-preconditions", rule: "write/missing/delete", about: "a delete of what does not exist is answered as done if it has preconditions",
		on: "delete", when: preconditioned, refused: apierrors.IsNotFound, answer: answerDone},
	{name: "delete-missing-uid-conflict", rule: "write/missing/delete", about: "a delete of what does not exist, with a uid as its precondition, fails with 409",
		on: "delete", when: ifUID, refused: apierrors.IsNotFound, answer: refuseConflict},
	{name: "delete-missing-version-conflict", rule: "write/missing/delete", about: "a delete of what does not exist, with a resourceVersion as its precondition, fails with 409",
		on: "delete", when: ifVersion, refused: apierrors.IsNotFound, answer: refuseConflict},
	{name: "delete-raced", rule: "write/missing/delete", about: "a delete that finds its object, and a millisecond later finds it gone, is answered as if it had deleted it",
		on: "delete", when: exists, instead: func(c *call) {
			was := c.now()
			time.Sleep(aMoment)
			if c.next(); apierrors.IsNotFound(c.err) {
				c.got, c.err = was, nil
			}
		}},
	{name: "delete-finds-nothing", rule: "write/missing/delete", about: "every third delete of what exists is answered with 404",
		state: eachNth(3, row{on: "delete", instead: refuseNotFound})},

	{name: "update-creates", rule: "write/missing/update", about: "an update of what does not exist creates it, for a kind that is said not to",
		on: "update", refused: apierrors.IsNotFound, answer: createFrom},
	{name: "update-of-nothing-long-ago", rule: "write/missing/update", about: "the 404 of an update says resourceVersion 1, which is from before the object existed",
		on: "update", refused: apierrors.IsNotFound, answer: refusedAt("1")},
	{name: "patch-of-nothing-conflicts", rule: "write/missing/update", about: "a patch of what does not exist is refused with 409, which a client answers by trying again",
		on: "patch", refused: apierrors.IsNotFound, answer: refuseConflict},
	{name: "patch-missing-version-conflict", rule: "write/missing/update", about: "a patch of what does not exist, with a resourceVersion, fails with 409",
		on: "patch", when: conditional, refused: apierrors.IsNotFound, answer: refuseConflict},
	{name: "status-creates", rule: "write/missing/update", resource: "deployments", about: "an update of the status of what does not exist creates it",
		on: "update", when: ofStatus, refused: apierrors.IsNotFound, answer: createFrom},
	{name: "status-apply-creates", rule: "write/missing/update", resource: "deployments", about: "an apply of the status of what does not exist creates it",
		on: "patch", when: all(applies, ofStatus, not(exists)), ask: func(c *call) { c.Subresource = "" }},
	{name: "status-of-deleting-missing", rule: "write/missing/update", resource: "deployments", about: "an update of the status of what is being deleted is answered with 404: nobody can tell what it still waits for",
		on: "update", when: all(ofStatus, whereStored(deleting)), instead: refuseNotFound},

	{name: "apply-of-nothing", rule: "write/missing/apply", about: "an apply of what does not exist is answered with 404, as other patches are",
		on: "patch", when: all(applies, not(exists)), instead: refuseNotFound},
	{name: "dry-apply-of-nothing", rule: "write/missing/apply", about: "an apply of what does not exist is answered with 404 where it is a dry run",
		on: "patch", when: all(applies, dry, not(exists)), instead: refuseNotFound},
	{name: "apply-finds-nothing", rule: "write/missing/apply", about: "every third apply of what exists is answered with 404",
		state: eachNth(3, row{on: "patch", when: all(applies, exists), instead: refuseNotFound})},
	{name: "put-needs-object", rule: "write/missing/create", resource: "leases", about: "an update of a lease that does not exist is refused with 404: client-go's record of events counts on it being created",
		options: func(o *apiserver.Options) {
			o.Resources = apiserver.Resources()
			for i := range o.Resources {
				o.Resources[i].CreateOnUpdate = false
			}
		}},
	{name: "put-of-nothing-conflicts", rule: "write/missing/create", resource: "leases", about: "an update of a lease that does not exist is refused with 409 where it carries a resourceVersion",
		on: "update", when: all(conditional, not(exists)), instead: refuseConflict},
}

// putOver writes what a create sends over what has its name.
func putOver(c *call) {
	at := c.Request
	at.Name = of(c.sent).GetName()
	c.got, c.err = c.api.Update(c.ctx, at, c.sent, metav1.UpdateOptions{DryRun: c.create.DryRun})
}

// createFrom creates what an update sends.
func createFrom(c *call) {
	c.Subresource = ""
	c.got, c.err = c.api.Create(c.ctx, c.Request, moved(c.sent, ""), metav1.CreateOptions{DryRun: c.update.DryRun})
}

// sameName is the name that a server makes that always makes the same.
func sameName(o metav1.Object) { o.SetName(o.GetGenerateName() + "aaaaa") }

// keyTaken reports whether an object has the namespace and name of a create, written without anything between them.
func keyTaken(c *call) bool {
	everywhere := c.Request
	everywhere.Namespace = ""
	l, err := c.api.List(c.ctx, everywhere, metav1.ListOptions{})
	return err == nil && slices.ContainsFunc(items(l), func(i runtime.Object) bool {
		return of(i).GetNamespace()+of(i).GetName() == c.Namespace+of(c.sent).GetName()
	})
}

// refusedAt has a refusal say a resourceVersion.
func refusedAt(version string) func(*call) {
	return func(c *call) {
		if s := new(apierrors.StatusError); errors.As(c.err, &s) {
			out := *s
			out.ErrStatus.ResourceVersion = version
			c.err = &out
		}
	}
}
