package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Which patches, by their types; applies are patches, too.
func merges(c *call) bool      { return c.patchType == types.MergePatchType }
func jsonPatches(c *call) bool { return c.patchType == types.JSONPatchType }
func strategic(c *call) bool   { return c.patchType == types.StrategicMergePatchType }
func forced(c *call) bool      { return c.patch.Force != nil && *c.patch.Force }

// patchHas reports whether a text is in a patch.
func patchHas(text string) func(*call) bool {
	return func(c *call) bool { return bytes.Contains(c.data, []byte(text)) }
}

// demanded returns the resourceVersion that the object must have for a write to be done; "": any.
func demanded(c *call) string {
	switch {
	case c.verb == "update":
		return of(c.sent).GetResourceVersion()
	case c.verb == "patch":
		if m := versionOfPatch.FindSubmatch(c.data); m != nil {
			return string(m[1])
		}
	case ifVersion(c):
		return *c.remove.Preconditions.ResourceVersion
	}
	return ""
}

var versionOfPatch = regexp.MustCompile(`"resourceVersion":"([^"]*)"`)

// conditional writes name the resourceVersion that the object must have; preconditioned deletes name that or the uid.
func conditional(c *call) bool    { return demanded(c) != "" }
func preconditioned(c *call) bool { return c.remove.Preconditions != nil }

// exists reports whether the object that a request names is there; whereStored, whether it is also such.
func exists(c *call) bool { return c.now() != nil }

func whereStored(f func(metav1.Object) bool) func(*call) bool {
	return func(c *call) bool {
		now := c.now()
		return now != nil && f(of(now))
	}
}

// whereSent reports whether a create or an update sends such an object.
func whereSent(f func(metav1.Object) bool) func(*call) bool {
	return func(c *call) bool { return f(of(c.sent)) }
}

// deleting objects have a deletionTimestamp, finalized ones have finalizers, and unnamed ones no name.
func deleting(o metav1.Object) bool  { return o.GetDeletionTimestamp() != nil }
func finalized(o metav1.Object) bool { return len(o.GetFinalizers()) > 0 }
func unnamed(o metav1.Object) bool   { return o.GetName() == "" }

// changeSent changes the object that a create or an update sends.
func changeSent(f func(metav1.Object)) func(*call) {
	return func(c *call) {
		c.sent = c.sent.DeepCopyObject()
		f(of(c.sent))
	}
}

// changePatch changes a patch that is an object with metadata: of any type but JSON patches.
func changePatch(f func(patch, meta map[string]any)) func(*call) {
	return func(c *call) {
		var patch map[string]any
		if json.Unmarshal(c.data, &patch) != nil {
			return
		}
		if meta, ok := patch["metadata"].(map[string]any); ok {
			f(patch, meta)
			c.data, _ = json.Marshal(patch) // it was JSON
		}
	}
}

// anyVersion takes from a write the resourceVersion that the object must have, anyUID the uid, anyPrecondition both from a delete.
func anyVersion(c *call) {
	switch {
	case c.verb == "update":
		changeSent(func(o metav1.Object) { o.SetResourceVersion("") })(c)
	case c.verb == "patch":
		changePatch(func(_, meta map[string]any) { delete(meta, "resourceVersion") })(c)
	case preconditioned(c):
		c.remove.Preconditions = &metav1.Preconditions{UID: c.remove.Preconditions.UID}
	}
}

func anyUID(c *call) {
	switch {
	case c.verb == "update":
		changeSent(func(o metav1.Object) { o.SetUID("") })(c)
	case c.verb == "patch":
		changePatch(func(_, meta map[string]any) { delete(meta, "uid") })(c)
	case preconditioned(c):
		c.remove.Preconditions = &metav1.Preconditions{ResourceVersion: c.remove.Preconditions.ResourceVersion}
	}
}

func anyPrecondition(c *call) { c.remove.Preconditions = nil }

// asDryRun has a write do nothing, forReal has a dry run do something; byForce has an apply take fields from other managers.
func asDryRun(c *call) { setDryRun(c, []string{metav1.DryRunAll}) }
func forReal(c *call)  { setDryRun(c, nil) }
func byForce(c *call)  { c.patch.Force = new(true) }

func setDryRun(c *call, to []string) {
	c.create.DryRun, c.update.DryRun, c.patch.DryRun, c.remove.DryRun = to, to, to, to
}

// tried returns the request as a dry run, with its answer.
func (c *call) tried() *call {
	dry := *c
	asDryRun(&dry)
	dry.next()
	return &dry
}

// anyway does something besides, and keeps the answer.
func anyway(do func(*call)) func(*call) {
	return func(c *call) {
		besides := *c
		do(&besides)
	}
}

// remembering is for answers that depend on the object before a write that succeeds.
func remembering(f func(c *call, was runtime.Object)) func(*call) {
	return func(c *call) {
		was := c.now()
		if c.next(); c.err == nil && was != nil {
			f(c, was)
		}
	}
}

// putAnswer stores what the answer was changed to.
func putAnswer(c *call) {
	c.got, c.err = c.api.Update(c.ctx, c.Request, c.got, metav1.UpdateOptions{DryRun: c.patch.DryRun})
}

// removeNow removes the object that a request names, whatever finalizers it has; endNow takes its time.
func removeNow(c *call) { _ = c.store.DeleteTogether(c.Request) } // where it is still there
func endNow(c *call) {
	_, _ = c.api.Delete(c.ctx, c.Request, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}) // as above
}

// refuseConflict answers with 409 Conflict, refuseExists with 409 AlreadyExists.
func refuseConflict(c *call) { refuse(conflict(c.Request))(c) }
func refuseExists(c *call) {
	name := c.Name
	if c.verb == "create" {
		name = of(c.sent).GetName()
	}
	refuse(apierrors.NewAlreadyExists(c.Resource.GroupResource(), name))(c)
}

// conflict is the error for a precondition that does not hold.
func conflict(r apiserver.Request) error {
	return apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errors.New("the object has been modified"))
}

// withoutReason takes the reason out of a refusal, by which a client that reads no codes knows a Conflict.
func withoutReason(c *call) {
	if s := new(apierrors.StatusError); errors.As(c.err, &s) {
		s.ErrStatus.Reason = ""
	}
}

// answerSent answers with the object that was sent, answerDone that all is done.
func answerSent(c *call) { c.got, c.err = c.sent.DeepCopyObject(), nil }
func answerDone(c *call) { c.got, c.err = &metav1.Status{Status: metav1.StatusSuccess}, nil }

// answerAt changes the resourceVersion in the answer.
func answerAt(f func(string) string) func(*call) {
	return objects(func(o metav1.Object) { o.SetResourceVersion(f(o.GetResourceVersion())) })
}

// plusOne is the resourceVersion after another, invented one that no write ever got.
func plusOne(rv string) string { return plus(rv, 1) }
func invented(string) string   { return "77777" }

// aMoment is the time that others have to write between what a write looks at and what it does.
const aMoment = time.Millisecond

// later gives others a moment to write, and then asks the store for something else.
func later(change func(*call)) func(*call) {
	return func(c *call) {
		time.Sleep(aMoment)
		change(c)
		c.next()
	}
}

// eachNth has a row strike each nth time.
func eachNth(n int, r row) func(*apiserver.Server) row {
	return func(*apiserver.Server) row {
		this, counted := nth(n), r
		counted.when = func(c *call) bool { return (r.when == nil || r.when(c)) && this() }
		return counted
	}
}

// patchedMeta returns the metadata in a patch.
func patchedMeta(c *call) metav1.ObjectMeta {
	var sent struct{ Metadata metav1.ObjectMeta }
	_ = json.Unmarshal(c.data, &sent) // what is none of these has none
	return sent.Metadata
}

// fillIn gives the ConfigMap of a create or an update a status, where it has none.
func fillIn(c *call) {
	changeSent(func(o metav1.Object) {
		if m, ok := o.(*corev1.ConfigMap); ok && m.Data["status"] == "" {
			m.Data = merged(m.Data, map[string]string{"status": "pending"})
		}
	})(c)
}

// merged is what was there before, and what is there now.
func merged(was, is map[string]string) map[string]string {
	out := maps.Clone(was)
	if out == nil {
		return is
	}
	maps.Copy(out, is)
	return out
}
