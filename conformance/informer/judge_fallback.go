package informer

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// refusals are the codes with which a server refuses a streaming list that it does not support.
var refusals = []int{400, 403, 404, 422, 500, 503}

// judgeStreamRefused expects a list after streaming lists that were refused.
func judgeStreamRefused(h *history.History) harness.Judgement {
	return judgeStreams(h, func(x *rig.Exchange) bool { return x.Refused() != nil && slices.Contains(refusals, x.Refused().Code) })
}

// judgeStreamFallback expects a list after streaming lists whose initial events did not end, and that the store takes that
// list.
func judgeStreamFallback(h *history.History) harness.Judgement {
	j := judgeStreams(h, endedEarly)
	for _, v := range worldOf(h).informers {
		v.takesLists(&j)
	}
	return j
}

// judgeStreams counts streaming lists in a row that fail, and looks for the list that should follow them. One that the
// informer has stopped itself counts if it requests something more.
func judgeStreams(h *history.History, fails func(*rig.Exchange) bool) (j harness.Judgement) {
	for _, v := range worldOf(h).informers {
		var row []int32
		enough, followed := false, false // of this row; of any row
		end := func() {
			if enough {
				j.FailTested("a LIST", fmt.Sprintf("a streaming list again, %d times", len(row)), row[0], row[len(row)-1])
			}
		}
		for i, x := range v.exchanges {
			switch {
			case x.IsStream() && fails(x) && (x.How != "stopped" || i+1 < len(v.exchanges)):
				row = append(row, x.Call.Num)
				enough = enough || len(row) >= v.w.attempts(x)
			case x.IsList() && len(row) > 0: // late or not
				j.Tested++
				row, enough, followed = nil, false, true
			case x.IsStream():
				end()
				row, enough = nil, false
			}
		}
		if end(); len(row) > 0 && len(j.Bad) == 0 && !followed {
			j.Undecided = fmt.Sprintf("%d streaming lists failed and no LIST followed: too few to judge", len(row))
		}
	}
	return j
}

// endedEarly reports whether a streaming list was answered, or put off, and ended before its initial events did. A
// connection that breaks before the answer says nothing about streaming lists.
func endedEarly(x *rig.Exchange) bool {
	switch err := x.Refused(); {
	case err != nil:
		return err.Code != 0 && !slices.Contains(refusals, err.Code) && !rig.TooLarge(x.Answer)
	case x.Answer == nil || x.Failed() == nil && x.Over == nil:
		return false
	}
	return streamedSnapshot(x) == nil && !rig.TooLarge(x.Failed())
}

// applyLimit is how long an informer may take at most, in virtual time, to have in its store what it has listed.
const applyLimit = 10 * time.Minute

// takesLists compares readings that are long after a list that replaced streaming lists with that list.
func (v *observed) takesLists(j *harness.Judgement) {
	failed := slices.IndexFunc(v.exchanges, func(x *rig.Exchange) bool { return x.IsStream() && endedEarly(x) })
	if failed < 0 || !v.w.virtual { // real time may stand still for anybody
		return
	}
	for _, l := range v.readings {
		var last *snapshot
		for _, s := range v.lists {
			if !s.streamed && !s.doubtful && s.begun >= v.exchanges[failed].Call.Num && time.Duration(l.call.At-v.w.h.Event(s.done).At) >= applyLimit {
				last = s
			}
		}
		switch {
		case last == nil:
		case l.kind == syncedKind:
			if j.Tested++; !l.synced {
				j.Fail("true: a LIST was answered after the streaming lists", "false", last.done, l.done.Num)
			}
		case l.kind == listKind:
			j.Tested++
			v.lacksListed(j, last, l)
		}
	}
}

// lacksListed looks for an object that the store lacks, or has in an older state than a list had it.
func (v *observed) lacksListed(j *harness.Judgement, s *snapshot, store *reading) {
	for _, key := range slices.Sorted(maps.Keys(s.items)) {
		t, o := v.timelines[key], store.item(key)
		first, _ := t.span(s.items[key])
		if first < 0 || t.deletedAfter(first, store.done.Num) >= 0 {
			continue
		}
		if o != nil {
			if known, _ := t.span(stateOf(o)); known < 0 {
				continue
			}
		}
		if got := store.behind(t, first); got != "" {
			j.Fail(fmt.Sprintf("%s, from the LIST that followed the streaming lists", s.items[key]), got, s.done, store.done.Num)
		}
	}
}
