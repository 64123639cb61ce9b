package fake

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/harness/history"
)

// A change that the log does not show is a write of another actor, which was not answered: the rules then
// know that the object may have changed, and not to what. Only of that object nothing more is said.

// written is an object to which something was written: by the entry n, or an earlier one.
type written struct {
	namespace, name string
	n               int64
}

// writes notes what a request writes to, of which an answer may be the first to tell the name.
func (t *translation) writes(a *ask, e *requestlog.Entry) {
	if resourceOf(a.Entry) != t.about.Resource || !slices.Contains([]string{"create", "update", "patch", "delete"}, a.Verb) {
		return
	}
	name := a.Name
	if name == "" {
		var o metav1.PartialObjectMetadata
		_ = decode(e.Object, &o) // what has no name is no object
		name = o.Name
	}
	if k := a.Namespace + "/" + name; !t.known[k] {
		t.known[k] = true
		t.wrote = append(t.wrote, written{a.Namespace, name, a.N})
	}
}

// elsewhere notes the token of a list of another resource, which is one here, too, where its key alone counts; and of
// the list that a deletion of a collection is answered with.
func (t *translation) elsewhere(e *requestlog.Entry) {
	var l struct {
		Metadata metav1.ListMeta `json:"metadata"`
	}
	if e.What == requestlog.Answered && bytes.Contains(e.Object, []byte(`"continue":"`)) && json.Unmarshal(e.Object, &l) == nil {
		t.words.Given(l.Metadata.Continue)
	}
}

// noSuchPart says that a subresource is none of this kind: its 404 says nothing of the object, which a
// Status names.
func noSuchPart(a *ask, e *requestlog.Entry) bool {
	var s metav1.Status
	return a.Subresource != "" && e.Message != "" && (e.Code == http.StatusMethodNotAllowed ||
		e.Code == http.StatusNotFound && decode(e.Object, &s) == nil && (s.Details == nil || s.Details.Name == ""))
}

// saysTooLittle says that a write was refused for something that a history does not keep: for what it sent,
// or for who manages that. It did nothing: a state that only it explains is one that nothing explains.
func saysTooLittle(a *ask) bool {
	switch a.refusal {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity:
		return slices.Contains([]string{"create", "update", "patch"}, a.Verb) || strings.HasPrefix(a.Verb, "delete") && a.Options != nil
	}
	return a.refusal != 0 && a.PatchType == string(types.ApplyYAMLPatchType)
}

// asked tells of a request: as a call, or as what others did because of it.
func (t *translation) asked(a *ask) error {
	changes := a.changes()
	switch {
	case saysTooLittle(a), a.away && t.mayBeAway(a):
		return nil
	case resourceOf(a.Entry) != t.about.Resource:
		if changes && a.Verb == "delete" {
			t.emptied(a)
		}
		return nil
	case a.done != nil && a.Method == "" && a.PatchType == string(types.ApplyYAMLPatchType):
		if changes { // no wire tells whether it created the object
			t.other(a.Entry, replay.Patch, key(a.Entry))
		}
		return nil
	case a.Subresource == "" || a.Subresource == "status":
		if a.Verb == "deletecollection" && changes {
			if err := t.graced(a); err != nil {
				return err
			}
		}
		if ofNamespaces(a.Entry) && a.Verb == "delete" && changes {
			defer t.ends(a)
		}
		return t.call(a)
	case changes && a.Verb != "get":
		return t.part(a)
	}
	return nil
}

// other adds a write of an object by somebody else, of which nobody knows what it did.
func (t *translation) other(e *requestlog.Entry, kind, key string) {
	t.others++
	t.add(e, history.Event{Phase: history.Call, Actor: fmt.Sprint("other", t.others), Kind: kind, Obj: history.Ref{Key: key}})
}

// part is what a write to a subresource does to its object.
func (t *translation) part(a *ask) error {
	var sent struct {
		DeleteOptions *metav1.DeleteOptions `json:"deleteOptions"` // of an eviction
	}
	if err := decode(a.Object, &sent); err != nil {
		return err
	}
	if sent.DeleteOptions != nil && len(sent.DeleteOptions.DryRun) > 0 {
		return nil
	}
	t.other(a.Entry, replay.Patch, key(a.Entry))
	if a.Subresource == "eviction" || a.Subresource == "finalize" {
		t.other(a.Entry, replay.Delete, key(a.Entry))
	}
	return nil
}

// emptied is what the end of a namespace does: the server deletes all that was written there before the
// answer, at some time.
func (t *translation) emptied(a *ask) {
	for _, w := range t.wrote {
		if w.namespace == a.Name && (a.until == 0 || w.n < a.until) {
			t.other(a.Entry, replay.Delete, w.namespace+"/"+w.name)
		}
	}
}

// ends is what a server does to a namespace that was deleted, in its time: it changes it, and removes it in the end.
func (t *translation) ends(a *ask) {
	t.other(a.Entry, replay.Patch, key(a.Entry))
	t.other(a.Entry, replay.Delete, key(a.Entry))
}

// graced is what the deletion of a collection does to pods that are on a node: they stay for their grace
// period, which no history tells.
func (t *translation) graced(a *ask) error {
	if a.done == nil || t.about.Resource != corev1.Resource("pods") {
		return nil
	}
	var l struct {
		Items []corev1.Pod `json:"items"`
	}
	if err := json.Unmarshal(a.done.Object, &l); err != nil {
		return err
	}
	for i := range l.Items {
		if p := &l.Items[i]; p.Spec.NodeName != "" {
			t.other(a.Entry, replay.Patch, p.Namespace+"/"+p.Name)
		}
	}
	return nil
}
