package informer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// timeline is what one object was: one write after the other.
type timeline struct {
	key    string
	writes []*write
	index  map[version][2]int // of the first and the last write that made the object so
}

// version identifies a state of an object.
type version struct{ uid, rv string }

// add appends a write. A deletion gets the uid of what it deleted.
func (t *timeline) add(w *write) {
	i := len(t.writes)
	if w.deleted && i > 0 {
		w.state.UID = t.writes[i-1].state.UID
	}
	if !w.deleted {
		v := version{w.state.UID, w.state.RV}
		span, again := t.index[v]
		if !again {
			span[0] = i
		}
		span[1] = i
		t.index[v] = span
	}
	t.writes = append(t.writes, w)
}

// at returns the last write that was answered by an event; nil: none.
func (t *timeline) at(num int32) *write {
	for _, w := range slices.Backward(t.writes) {
		if w.done <= num {
			return w
		}
	}
	return nil
}

// span returns the first and the last of the writes that made the object what s is, -1 if none did. They differ if the
// writes after the first changed nothing.
func (t *timeline) span(s state) (first, last int) {
	if t == nil {
		return -1, -1
	}
	span, ok := t.index[version{s.UID, s.RV}]
	if !ok {
		return -1, -1
	}
	return span[0], span[1]
}

// deletedAfter returns the first deletion after write i that was called by an event; -1: none.
func (t *timeline) deletedAfter(i int, num int32) int {
	for i++; i < len(t.writes); i++ {
		if w := t.writes[i]; w.deleted && w.call <= num {
			return i
		}
	}
	return -1
}

// exists reports whether the object exists after the write; nil is no write.
func (w *write) exists() bool { return w != nil && !w.deleted }

func (w *write) String() string {
	switch {
	case w == nil:
		return "not created yet"
	case w.deleted:
		return fmt.Sprintf("%s deleted @%s", w.state.Key, w.state.RV)
	}
	return w.state.String()
}

func stateOf(r *history.Ref) state { return state{r.Key, r.UID, r.RV, r.Body} }

func (s state) String() string { return (&history.Ref{Key: s.Key, RV: s.RV}).Named() }

// older reports whether a is the smaller of two resourceVersions, which are decimal integers.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// showRV names a resourceVersion in a message.
func showRV(rv string) string {
	if rv == "" {
		return "no resourceVersion"
	}
	return "@" + rv
}

// has reports whether the history declares a feature.
func (w *world) has(f harness.Feature) bool { return slices.Contains(w.h.Header.Features, string(f)) }

// trusted reports whether the server had kept its contract up to an event: informers are judged until it breaks it.
func (w *world) trusted(num int32) bool { return w.broken == 0 || num < w.broken }

// written reports whether a write was called between two events.
func (w *world) written(from, to int32) bool {
	return slices.ContainsFunc(w.writes, func(x *write) bool { return x.call > from && x.call < to })
}

// unanswered reports whether a write of an object was called before an event, and never answered: nobody knows what it made
// of the object.
func (w *world) unanswered(key string, num int32) bool {
	return w.open != nil && w.open.state.Key == key && w.open.call < num
}

// pending reports whether a write of an object was under way at an event.
func (w *world) pending(key string, num int32) bool {
	t := w.timelines[key]
	return w.unanswered(key, num) || t != nil && slices.ContainsFunc(t.writes, func(x *write) bool { return x.call < num && num < x.done })
}

// inNamespace reports whether an object is in the informer's namespace.
func (v *observed) inNamespace(key string) bool {
	return v.args.Namespace == "" || strings.HasPrefix(key, v.args.Namespace+"/")
}

// selectObjects finds what an informer with selectors may have: an object that comes to be selected is created, and one that is no longer
// selected is deleted.
func (v *observed) selectObjects() {
	v.timelines, v.writes = v.w.timelines, v.w.writes
	if v.args.Labels == "" && v.args.Fields == "" {
		return
	}
	v.timelines, v.writes = map[string]*timeline{}, nil
	for _, w := range v.w.writes {
		t := v.timelines[w.state.Key]
		selected := !w.deleted && v.selects(w.state.Key, w.labels)
		if !selected && (t == nil || !t.writes[len(t.writes)-1].exists()) {
			continue
		}
		own := *w
		if own.deleted = !selected; own.deleted {
			own.state = state{Key: w.state.Key, RV: w.state.RV}
		}
		if t == nil {
			t = &timeline{key: w.state.Key, index: map[version][2]int{}}
			v.timelines[t.key] = t
		}
		t.add(&own)
		v.writes = append(v.writes, &own)
	}
}

// selects reports whether the selectors of an informer choose an object.
func (v *observed) selects(key string, set map[string]string) bool {
	l, err := labels.Parse(v.args.Labels)
	f, err2 := fields.ParseSelector(v.args.Fields)
	if err != nil || err2 != nil {
		return true // the driver has written them
	}
	namespace, name, _ := strings.Cut(key, "/")
	return l.Matches(labels.Set(set)) && f.Matches(fields.Set{"metadata.name": name, "metadata.namespace": namespace})
}

// chooses reports whether an object, as it was listed, is one that the informer's selectors choose.
func (v *observed) chooses(s state) bool {
	if v.args.Labels == "" && v.args.Fields == "" {
		return true
	}
	first, _ := v.timelines[s.Key].span(s)
	return first >= 0
}

// objects returns the timelines of the informer's namespace by key.
func (v *observed) objects() (out []*timeline) {
	for key, t := range v.timelines {
		if v.inNamespace(key) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *timeline) int { return cmp.Compare(a.key, b.key) })
	return out
}

// quietMoment is a moment at which nothing moved: everything that an informer was to receive had come.
type quietMoment struct {
	num   int32
	store *reading // of the whole store; nil: it was not read
	near  readings // made before anything was written again
}

// findQuietMoments finds those of an informer, until it is stopped or the server breaks its contract.
func (v *observed) findQuietMoments() {
	for i, num := range v.settled {
		if v.stoppedBy(num) || !v.w.trusted(num) {
			return
		}
		until := v.w.end
		if i+1 < len(v.settled) {
			until = v.settled[i+1]
		}
		q := quietMoment{num: num}
		for _, l := range v.readings {
			if l.call.Num > num && l.call.Num < until && !v.w.written(num, l.done.Num) {
				if q.near = append(q.near, l); l.kind == listKind && q.store == nil {
					q.store = l
				}
			}
		}
		v.quiet = append(v.quiet, q)
	}
}

// storeAfter returns the store as it was read after reading i, before HasSynced was read again; nil: it was not.
func (v *observed) storeAfter(i int) *reading {
	for _, l := range v.readings[i+1:] {
		switch l.kind {
		case listKind:
			return l
		case syncedKind:
			return nil
		}
	}
	return nil
}

// storeBefore returns the last reading of the store before an event, if nothing was written in between; nil otherwise.
func (v *observed) storeBefore(num int32) *reading {
	for _, l := range slices.Backward(v.readings.of(listKind)) {
		if l.done.Num < num {
			if v.w.written(l.call.Num, num) {
				return nil
			}
			return l
		}
	}
	return nil
}

const notInStore = "not in the store"

// behind returns what a reading of the store shows of an object that was in the store after write i: an older state, or
// that it is missing although it was not deleted since; "": neither.
func (l *reading) behind(t *timeline, i int) string {
	o := l.item(t.key)
	if o == nil {
		if t.writes[i].deleted || t.deletedAfter(i, l.done.Num) >= 0 {
			return ""
		}
		return notInStore
	}
	if _, last := t.span(stateOf(o)); last < i {
		return stateOf(o).String()
	}
	return ""
}

// states returns the states of objects by key.
func states(items []history.Ref) []state {
	out := []state{}
	for i := range items {
		out = append(out, stateOf(&items[i]))
	}
	slices.SortStableFunc(out, func(a, b state) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// show lists states in a message, with the content of those that others have with the same resourceVersion and other content.
func show(all, others []state) string {
	var out []string
	for _, s := range all {
		text := s.String()
		if !slices.Contains(others, s) && slices.ContainsFunc(others, func(o state) bool { return o.Key == s.Key && o.RV == s.RV }) {
			text += " " + s.UID + " " + s.Body
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, " ")
}

// same reports whether an object that an informer shows is in the state that a write made.
func (v *observed) same(w *write, s state) bool {
	return w.state.UID == s.UID && w.state.RV == s.RV && v.sameBody(w.state.Body, s.Body)
}

// sameBody reports whether two bodies are equal. The mark of the transform does not count, nor does what features say that
// the informer's type leaves out.
func (v *observed) sameBody(a, b string) bool {
	if a == b || v.w.has(MetadataOnly) {
		return true
	}
	var but [][]string
	if v.w.has(NoImmutable) {
		but = append(but, []string{"immutable"})
	}
	if v.args.Transform != "" {
		but = append(but, []string{"metadata", "annotations", Marked})
	}
	return but != nil && v.without(a, but) == v.without(b, but)
}

// without is rig.Without, of the fields that do not count for this informer. Rules ask for the same bodies again and again.
func (v *observed) without(body string, but [][]string) string {
	if known, ok := v.bodies.Load(body); ok {
		return known.(string)
	}
	out := rig.Without(body, but...)
	v.bodies.Store(body, out)
	return out
}
