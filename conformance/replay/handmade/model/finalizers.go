package model

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// holding begins what a content says of finalizers.
const holding = " finalizers="

// someFinalizers are those of an object that is written, often none.
func (w *world) someFinalizers() string {
	return []string{"", "", holding + "f", holding + "g", holding + "f,g"}[w.rnd.IntN(5)]
}

func finalizers(body string) []string {
	_, names, _ := strings.Cut(replay.Unmarked(body), holding)
	if names == "" {
		return nil
	}
	return strings.Split(names, ",")
}

// goes is a write to what is being deleted; it says whether that is all.
func (o *op) goes(w *world, now, next *object) bool {
	had := finalizers(now.ref.Body)
	if slices.ContainsFunc(finalizers(next.ref.Body), func(f string) bool { return !slices.Contains(had, f) }) {
		o.refuse(422, "Invalid")
		return true
	}
	left := replay.Left(now.ref.Body)
	last := left == 0 && !strings.Contains(next.ref.Body, holding)
	next.ref.Body = marked(next.ref.Body, left)
	if !last {
		return false
	}
	o.answer = next.ref
	o.answer.RV, o.answer.UID = now.ref.RV, now.ref.UID
	if !o.dry {
		w.store.rev++
		w.store.remove(now.ref.Key)
	}
	return true
}

// sweep calls the deletion of a collection.
func (c *writer) sweep() {
	s := scopes[c.rnd.IntN(len(scopes))]
	c.done++
	c.op = &op{verb: replay.DeleteCollection, scope: s}
	c.op.call = c.call(c.name, replay.DeleteCollection, history.Ref{}, s.args().Flat())
}

// sweep deletes what is in the scope, each object in a revision of its own.
func (o *op) sweep(w *world) {
	for _, x := range w.store.at(w.store.rev) {
		if x.ns == "~" || !o.scope.has(x) || w.store.mark(x.ref.Key, nil) {
			continue
		}
		if w.store.graceful {
			o.ends(w, x.ref.Key)
			continue
		}
		w.store.rev++
		w.store.remove(x.ref.Key)
	}
}
