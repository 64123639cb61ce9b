package harness

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

// newest says that each READ gives what was written last. A READ that is pending proves nothing.
var newest = Rule{Clause: clause("toy/newest", Must), Judge: func(h *history.History) (j Judgement) {
	written := map[string]*history.Event{}
	for i := range h.Events {
		switch e := &h.Events[i]; {
		case e.Kind == "WRITE" && e.Phase == history.Return:
			written[e.Obj.Key] = e
		case e.Kind == "READ" && e.Phase == history.Return:
			if w := written[e.Obj.Key]; w != nil && w.Obj.RV != e.Obj.RV {
				j.Bad = append(j.Bad, Finding{At: []int32{e.Num}, Want: e.Obj.Key + " @" + w.Obj.RV, Got: "@" + e.Obj.RV})
			}
		}
	}
	return j
}}

func reads(t *testing.T) *history.History {
	call := func(kind string, at int32, key, rv string) []history.Event {
		return []history.Event{{Actor: "c", Kind: kind, Phase: history.Call}, {Actor: "c", Kind: kind, Phase: history.Return, Call: at, Obj: history.Ref{Key: key, RV: rv}}}
	}
	var all []history.Event
	for _, e := range []struct{ kind, key, rv string }{{"WRITE", "a", "1"}, {"WRITE", "b", "2"}, {"READ", "a", "1"}, {"WRITE", "a", "3"}, {"READ", "b", "2"}, {"READ", "a", "1"}, {"READ", "b", "2"}, {"WRITE", "a", "4"}, {"READ", "a", "1"}} {
		all = append(all, call(e.kind, int32(len(all)+1), e.key, e.rv)...)
	}
	return made(t, all...)
}

// The evidence of a finding is what it needs, and nothing else.
func TestProve(t *testing.T) {
	h := reads(t)
	k := Suite[*toy]{Kind: "toy", Rules: []Rule{newest}}.Describe()
	r := judged(t, h, []Rule{newest}, nil)
	rr := r.Broken()[0]
	require.Equal(t, []int32{12}, rr.Bad[0].At, "the second READ of a: the newest is @3")
	require.True(t, k.Prove(&rr, h, time.Minute))
	assert.Equal(t, []int32{7, 8, 11, 12}, rr.Bad[0].At)
	assert.True(t, rr.Bad[0].Evidence)
	assert.Equal(t, "  c\n  #7   -> WRITE\n  #8   <- WRITE     (#7) a @3\n  #11  -> READ\nx #12  <- READ      (#11) a @1\n", rr.Bad[0].Timeline)
	assert.Equal(t, []int32{12}, r.Rules[1].Bad[0].At, "the result is as it was")
	again := rr
	assert.True(t, k.Prove(&again, h, 0), "it is known already")
	for _, n := range rr.Bad[0].At {
		part, _, err := h.Only(func(num int32) bool {
			return num != n && (num == 7 || num == 8 || num == 11 || num == 12)
		})
		require.NoError(t, err)
		assert.Empty(t, newest.Judge(part).Bad, "without #%d", n)
	}
}

// A finding stays as it was where there is no time, no rule, or where the judge does not understand part of a history.
func TestProveGivesUp(t *testing.T) {
	h := reads(t)
	fragile := newest
	fragile.Judge = func(part *history.History) Judgement {
		if len(part.Events) < len(h.Events) {
			panic("no")
		}
		return newest.Judge(part)
	}
	for name, c := range map[string]struct {
		rule   Rule
		within time.Duration
		proven bool
	}{
		"no time":          {newest, 0, false},
		"a judge panics":   {fragile, time.Minute, true}, // all of the history is the least that shows it
		"there is no rule": {says("x", Must, passes), time.Minute, false},
	} {
		r := judged(t, h, []Rule{newest}, nil)
		rr := r.Broken()[0]
		assert.Equal(t, c.proven, Suite[*toy]{Kind: "toy", Rules: []Rule{c.rule}}.Describe().Prove(&rr, h, c.within), name)
		if !c.proven {
			assert.Equal(t, []int32{12}, rr.Bad[0].At, name)
		}
	}
}
