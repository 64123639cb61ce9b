package replay

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// StatusSubresource is the feature of a kind whose status has a subresource: a write to the object leaves it
// alone, and one to the subresource all but it.
const StatusSubresource = "status-subresource"

// subStatus is the name of that subresource, and statusIs what a content's word of a status begins with.
const (
	subStatus = "status"
	statusIs  = "status="
)

// ToStatus says that a call is of a write that is put to the status subresource.
func ToStatus(call *history.Event) bool {
	return call.X != nil && traitsOf(call.X.Args)&status != 0
}

// apart says that status is not what a write to the object decides.
func (r *Replay) apart() bool { return slices.Contains(r.H.Header.Features, StatusSubresource) }

// StatusIn is a content's word of its status, "" for none.
func StatusIn(body string) string {
	for p := range strings.FieldsSeq(body) {
		if strings.HasPrefix(p, statusIs) {
			return p
		}
	}
	return ""
}

// withStatus is a content with another word of its status, or with none. It has its place after the spec.
func withStatus(body, word string) string {
	p := slices.DeleteFunc(strings.Fields(body), func(p string) bool { return strings.HasPrefix(p, statusIs) })
	at := 0
	if len(p) > 0 && strings.HasPrefix(p[0], "spec=") {
		at = 1
	}
	if word != "" {
		p = slices.Insert(p, at, word)
	}
	return strings.Join(p, " ")
}

// Sends is the content that a write asks to be stored. Where status has a subresource, it is made of
// what was sent and of what was there; where that is not known, it is what was sent.
func (r *Replay) Sends(w *Write) string {
	body := r.H.Event(w.Call).Obj.Body
	if !w.is(status) && (!r.apart() || StatusIn(body) == "" && w.verb != kindUpdate) {
		return body
	}
	was, known := r.before(w)
	switch {
	case w.is(status) && known && (StatusIn(body) != "" || w.verb != kindPatch):
		return withStatus(was, StatusIn(body))
	case w.is(status):
		return body
	case w.verb == kindCreate || !known:
		return withStatus(body, "")
	}
	return withStatus(body, StatusIn(was))
}

// before is the content that a write found, where that is known.
func (r *Replay) before(w *Write) (body string, known bool) {
	m := r.Moments(w)
	of := slices.DeleteFunc(slices.Clone(m.Versions), func(i int32) bool { return i == w.Version })
	if m.Absent || m.Doubt || len(of) != 1 || r.Versions[of[0]].Gone || r.Versions[of[0]].Obj == nil {
		return "", false
	}
	return r.Versions[of[0]].Obj.Body, true
}
