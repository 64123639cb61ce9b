package informer

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// judgeHasSynced holds each "true" against a whole list that came before it, and against the store read after it.
func judgeHasSynced(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var was *reading
		for i, l := range v.looks {
			if l.kind != syncedKind || !v.w.sound(l.done.Num) {
				continue
			}
			j.Tested++
			switch {
			case !l.synced && v.stopsBefore(l):
			case !l.synced && was != nil:
				j.Fail("true for ever", "false", was.done.Num, l.done.Num)
			case l.synced:
				was = l
				v.hasWhole(&j, l, v.storeAfter(i))
			}
		}
		v.syncsAtRest(&j)
	}
	return j
}

// stopsBefore says that it was stopped before a reading: what it says of itself from then on, no clause says.
func (v *observed) stopsBefore(l *reading) bool {
	return v.stopped != nil && v.stopped.Num < l.done.Num
}

// hasWhole says whether a list that is in the store explains that the informer has synced.
func (v *observed) hasWhole(j *harness.Judgement, l, store *reading) {
	if v.blurred {
		return
	}
	var why string
	at := l.done.Num
	for _, w := range v.wholes() {
		if w.done > l.done.Num {
			continue
		}
		if store == nil {
			return
		}
		missing := v.lacks(store, w)
		if missing == "" {
			return
		}
		why, at = missing, store.done.Num
	}
	if why == "" {
		why = "no list was whole by then"
	}
	j.Fail("true only when one whole list is in the store", "true: "+why, l.done.Num, at)
}

// lacks says what of a whole list a reading of the store does not have, and has not lost since; "": nothing.
func (v *observed) lacks(store *reading, w *wholeList) string {
	for _, key := range slices.Sorted(maps.Keys(w.items)) {
		l, s := v.w.lines[key], w.items[key]
		first, _ := l.places(s)
		i := slices.IndexFunc(store.items, func(o history.Ref) bool { return o.Key == key })
		if first < 0 {
			continue // somebody else's
		}
		if i < 0 {
			if l.removedAfter(first, store.done.Num) < 0 {
				return s.String() + " is not in the store"
			}
			continue
		}
		if _, last := l.places(stateOf(&store.items[i])); last < first {
			return fmt.Sprintf("the store has %s, the list had %s", stateOf(&store.items[i]), s)
		}
	}
	return ""
}

// syncsAtRest says that it has synced when nothing moves any more and nothing goes wrong.
func (v *observed) syncsAtRest(j *harness.Judgement) {
	for _, r := range v.resting() {
		for _, l := range r.near {
			if l.kind != syncedKind {
				continue
			}
			if j.Tested++; !l.synced {
				j.Fail("true: all that was due has come, and nothing goes wrong", "false", r.num, l.done.Num)
			}
			break
		}
	}
}

// batch are the objects of a handler's initial batch, where they are known.
func (l *listener) batch() (items map[string]state, from int32, ok bool) {
	if l.v.blurred {
		return nil, 0, false
	}
	if all := l.v.wholes(); len(all) > 0 && all[0].done > l.call.Num {
		return all[0].items, all[0].done, true
	}
	if l.returned == nil {
		return nil, 0, false
	}
	store := l.v.storeBefore(l.call.Num)
	if store == nil {
		return nil, 0, false
	}
	items = map[string]state{}
	for i := range store.items {
		items[store.items[i].Key] = stateOf(&store.items[i])
	}
	return items, l.returned.Num, true
}

// judgeHandlerSynced looks, at each "true" of a handler, for an add from which it has not returned.
func judgeHandlerSynced(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.handlers {
			l.hasSynced(&j)
		}
	}
	return j
}

func (l *listener) hasSynced(j *harness.Judgement) {
	items, from, ok := l.batch()
	var was *reading
	for _, s := range l.synced {
		switch {
		case !ok && s.synced && !l.v.blurred && len(l.v.wholes()) == 0 && l.v.w.sound(s.done.Num):
			j.Tested++
			j.Fail("false: there was no list yet", "true", s.done.Num)
		case !ok || !l.v.w.sound(s.done.Num):
		case !s.synced:
			if j.Tested++; was != nil && l.removed == nil && !l.v.stopsBefore(s) {
				j.Fail("true for ever", "false", was.done.Num, s.done.Num)
			}
		case s.done.Num < from:
			j.Tested++
			j.Fail("false: its first list is not whole yet", "true", s.done.Num, from)
		default:
			j.Tested++
			was = s
			l.returnedFrom(j, items, s)
		}
	}
	l.synchronAtRest(j)
}

// returnedFrom looks for an object of the batch from whose add the handler had not returned when it said so.
func (l *listener) returnedFrom(j *harness.Judgement, items map[string]state, s *reading) {
	for _, key := range slices.Sorted(maps.Keys(items)) {
		line := l.v.w.lines[key]
		first, _ := line.places(items[key])
		if first < 0 || line.removedAfter(first, s.done.Num) >= 0 {
			continue
		}
		i := slices.IndexFunc(l.notices, func(n *notice) bool { return n.now.Key == key })
		switch {
		case i < 0 || l.notices[i].call.Num > s.done.Num:
			j.Fail("false: it has not been told of "+key, "true", s.done.Num)
		case l.notices[i].done == nil || l.notices[i].done.Num > s.done.Num:
			j.Fail("false: it has not returned from the add of "+key, "true", l.notices[i].call.Num, s.done.Num)
		}
	}
}

// synchronAtRest says that a handler that is not held has synced when nothing moves any more.
func (l *listener) synchronAtRest(j *harness.Judgement) {
	for _, num := range l.rests {
		if l.removed != nil && l.removed.Num < num || !l.v.w.sound(num) || l.v.stopped != nil && l.v.stopped.Num < num {
			return
		}
		for _, s := range l.synced {
			if s.call.Num < num || l.v.w.moved(num, s.done.Num) {
				continue
			}
			if j.Tested++; !s.synced {
				j.Fail("true: it has been told of everything", "false", num, s.done.Num)
			}
			break
		}
	}
}

// judgeInitialFlag looks at each add of what was there for certain when the handler began, or came for certain after.
func judgeInitialFlag(h *history.History) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		for _, l := range v.handlers {
			items, from, ok := l.batch()
			for _, n := range l.notices {
				if ok && n.kind == Added && v.w.sound(n.call.Num) {
					l.flag(&j, n, items, from)
				}
			}
		}
	}
	return j
}

func (l *listener) flag(j *harness.Judgement, n *notice, items map[string]state, from int32) {
	line := l.v.w.lines[n.now.Key]
	first, _ := line.places(n.now)
	if first < 0 {
		return
	}
	born := line.born(first)
	in, there := items[n.now.Key]
	switch {
	case there && in.UID == n.now.UID:
		if j.Tested++; !n.Initial {
			j.Fail("an add that is marked as initial: the object was there", "ADD "+n.now.String()+", not marked", l.call.Num, n.call.Num)
		}
	case born.call > from:
		if j.Tested++; n.Initial {
			j.Fail("an add that is not marked as initial: the object came later", "ADD "+n.now.String()+", marked", born.done, n.call.Num)
		}
	}
}

// born is the write that created what a place has.
func (l *line) born(place int) *write {
	for place > 0 && l.writes[place-1].there() {
		place--
	}
	return l.writes[place]
}

// occasions are how often an informer must be given one before its silence is judged.
const occasions = 4

// chances counts them: what a client over HTTP may ask for again by itself, up to ten times, is one. Of "too large" without
// a time to come back client-go does not (rest.Request asks again only where there is a Retry-After), others do: fabric8's
// client does of every 5xx, ten times, kube-rs's RetryPolicy of every 504, three times.
func (w *world) chances(x *rig.Exchange) int {
	err := x.Refused()
	if err != nil && w.has(ClientGoSemantics) && rig.TooLarge(x.Answer) && bodyOf[rig.StatusBody](x.Answer).RetryAfter == 0 {
		return occasions
	}
	if x.Asked.URI != "" && (x.Lost() || err != nil && (err.Code == 429 || err.Code >= 500)) {
		return 11 * occasions
	}
	return occasions
}

var refusals = []int{400, 403, 404, 422, 500, 503}

// judgeStreamRefused waits for a list after streaming lists that were refused.
func judgeStreamRefused(h *history.History) harness.Judgement {
	return judgeStreams(h, func(x *rig.Exchange) bool { return x.Refused() != nil && slices.Contains(refusals, x.Refused().Code) })
}

// judgeStreams counts streaming lists in a row that end so, and looks for the list that should follow them. One that the
// informer has stopped itself counts where it asks for something more.
func judgeStreams(h *history.History, so func(*rig.Exchange) bool) harness.Judgement {
	var j harness.Judgement
	for _, v := range worldOf(h).informers {
		var row []int32
		enough, followed := false, false // of this row; ever
		end := func() {
			if enough {
				j.Tested++
				j.Fail("a LIST", fmt.Sprintf("a streaming list again, %d times", len(row)), row[0], row[len(row)-1])
			}
		}
		for i, x := range v.exchanges {
			switch {
			case x.IsStream() && so(x) && (x.How != "stopped" || i+1 < len(v.exchanges)):
				row = append(row, x.Call.Num)
				enough = enough || len(row) >= v.w.chances(x)
			case x.IsList() && len(row) > 0: // late or not
				j.Tested++
				row, enough, followed = nil, false, true
			case x.IsStream():
				end()
				row, enough = nil, false
			}
		}
		if end(); len(row) > 0 && len(j.Bad) == 0 && !followed {
			j.Undecided = fmt.Sprintf("%d streaming lists came to no end and no list followed: too few to say that none will", len(row))
		}
	}
	return j
}
