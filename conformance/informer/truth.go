package informer

import (
	"fmt"

	"github.com/lwtest/lwtest/harness/history"
)

// at is what an object was when an event happened: the last write with an answer by then; nil: none.
func (l *line) at(num int32) *write {
	for i := len(l.writes) - 1; i >= 0; i-- {
		if l.writes[i].done <= num {
			return l.writes[i]
		}
	}
	return nil
}

// there says that the object was there then.
func (w *write) there() bool { return w != nil && !w.gone }

// places are the first and the last of an object's writes that made it what a state says; -1: none did. A write that
// changed nothing makes it the same again.
func (l *line) places(s state) (first, last int) {
	if l == nil {
		return -1, -1
	}
	at, ok := l.index[version{s.UID, s.RV}]
	if !ok {
		return -1, -1
	}
	return at[0], at[1]
}

// version is one of an object.
type version struct{ uid, rv string }

// add is one write more.
func (l *line) add(w *write) {
	if i := len(l.writes); !w.gone {
		v := version{w.now.UID, w.now.RV}
		at, again := l.index[v]
		if !again {
			at[0] = i
		}
		at[1] = i
		l.index[v] = at
	}
	l.writes = append(l.writes, w)
}

// removedAfter is the first deletion after a place, of those that were called by then; -1: none.
func (l *line) removedAfter(place int, num int32) int {
	for i := place + 1; i < len(l.writes); i++ {
		if w := l.writes[i]; w.gone && w.call <= num {
			return i
		}
	}
	return -1
}

// older says of two resourceVersions, which are decimal integers, that a is the smaller one.
func older(a, b string) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

func stateOf(r *history.Ref) state { return state{r.Key, r.UID, r.RV, r.Body} }

func (s state) String() string { return fmt.Sprintf("%s @%s", s.Key, s.RV) }

// String says what an object was after a write.
func (w *write) String() string {
	switch {
	case w == nil:
		return "nothing"
	case w.gone:
		return fmt.Sprintf("%s deleted @%s", w.now.Key, w.now.RV)
	}
	return w.now.String()
}

// sound says that by an event the server had not broken the contract that informers rely on: until then they are judged.
func (w *world) sound(num int32) bool { return w.broken == 0 || num < w.broken }

// rest is a moment at which all that an informer was due has come, and what its store was read to have then.
type rest struct {
	num   int32
	store *reading // nil: it was not read
	near  []*reading
}

// resting are those of an informer, until it is stopped or the server breaks the contract.
func (v *observed) resting() []rest {
	var out []rest
	for i, num := range v.rests {
		until := v.w.end
		if i+1 < len(v.rests) {
			until = v.rests[i+1]
		}
		if v.stopped != nil && v.stopped.Num < num || !v.w.sound(num) {
			break
		}
		r := rest{num: num}
		for _, l := range v.looks {
			if l.call.Num > num && l.call.Num < until && !v.w.moved(num, l.done.Num) {
				if r.near = append(r.near, l); l.kind == listKind && r.store == nil {
					r.store = l
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// moved says that something was written between two events.
func (w *world) moved(from, to int32) bool {
	for _, x := range w.writes {
		if x.call > from && x.call < to {
			return true
		}
	}
	return false
}

// mine are the objects of an informer's namespace.
func (v *observed) mine() []*line {
	var out []*line
	for key, l := range v.w.lines {
		if v.holds(key) {
			out = append(out, l)
		}
	}
	return sorted(out)
}
