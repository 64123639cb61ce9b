package mutants

import (
	"encoding/json"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These words are in words_write.go and words_watch.go as well: where those are, this file goes.

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

// whereStored reports whether an object is there, and such.
func whereStored(f func(metav1.Object) bool) func(*call) bool {
	return func(c *call) bool {
		now := c.now()
		return now != nil && f(of(now))
	}
}

// deleting objects have a deletionTimestamp, finalized ones have finalizers, and unnamed ones no name.
func deleting(o metav1.Object) bool  { return o.GetDeletionTimestamp() != nil }
func finalized(o metav1.Object) bool { return len(o.GetFinalizers()) > 0 }

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

// refuseExists answers with 409 AlreadyExists.
func refuseExists(c *call) {
	name := c.Name
	if c.verb == "create" {
		name = of(c.sent).GetName()
	}
	refuse(apierrors.NewAlreadyExists(c.Resource.GroupResource(), name))(c)
}

// fieldsHave and labelsHave report whether a text is in the selector.
func fieldsHave(text string) func(*call) bool {
	return func(c *call) bool { return strings.Contains(c.list.FieldSelector, text) }
}

func labelsHave(text string) func(*call) bool {
	return func(c *call) bool { return strings.Contains(c.list.LabelSelector, text) }
}

// What is asked for is changed: to any namespace, to what the cache has, to the present revision.
func inAnyNamespace(c *call) { c.Namespace = "" }
func atZero(c *call)         { c.list.ResourceVersion = "0" }
func atPresentNow(c *call)   { c.list.ResourceVersion = c.store.Revision() }
