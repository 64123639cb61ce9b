package watchcache

import (
	"cmp"
	"iter"
	"slices"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// keyOrder are the keys of a history by their text, so that those of a
// namespace or of a page are a run of them.
type keyOrder []int32

func orderOf(h *history.History) keyOrder {
	return history.Derive(h, func(h *history.History) keyOrder {
		var all keyOrder
		for k := int32(1); int(k) < h.Keys(); k++ {
			all = append(all, k)
		}
		slices.SortFunc(all, func(i, j int32) int { return cmp.Compare(h.Key(i), h.Key(j)) })
		return all
	})
}

// place is where a text is among the keys, or would be.
func (o keyOrder) place(h *history.History, text string) int {
	i, _ := slices.BinarySearchFunc(o, text, func(k int32, text string) int { return cmp.Compare(h.Key(k), text) })
	return i
}

// keysIn are the keys that may be in a scope; of a single name only that one.
func keysIn(h *history.History, s replay.Scope) iter.Seq[int32] { return keysUpTo(h, s, "", "") }

// keysOn are those that inPage may say to be on a list, and at most one more.
func keysOn(h *history.History, l *replay.ListCall) iter.Seq[int32] {
	first, last := "", ""
	if l.Page {
		first = l.From
	}
	if l.Body.Continue != "" {
		last = replay.LastOwn(l.Items)
	}
	return keysUpTo(h, l.Scope, first, last)
}

// keysUpTo are keysIn, from first on and before last; empty: no such bound.
func keysUpTo(h *history.History, s replay.Scope, first, last string) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		if s.Namespace != "" && s.Name != "" {
			if k, ok := h.KeyOf(s.Namespace + "/" + s.Name); ok {
				yield(k)
			}
			return
		}
		o := orderOf(h)
		if s.Namespace != "" { // "0" is what comes after "/"
			o = o[o.place(h, s.Namespace+"/"):o.place(h, s.Namespace+"0")]
		}
		o = o[o.place(h, first):]
		if last != "" {
			o = o[:o.place(h, last)]
		}
		for _, k := range o {
			if !yield(k) {
				return
			}
		}
	}
}
