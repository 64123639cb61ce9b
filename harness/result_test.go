package harness

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

// judged returns the verdict of a check with these required and other rules on one history.
func judged(t *testing.T, h *history.History, required, others []Rule, has ...Feature) Result {
	t.Helper()
	k := Suite[*toy]{Kind: "toy", Rules: append(append([]Rule{}, required...), others...)}.Describe()
	r := Result{}
	r.judge(Case{Kind: k, Info: Info{Name: "toy/check", Rules: required}, Has: has}, h)
	return r
}

func made(t *testing.T, events ...history.Event) *history.History {
	t.Helper()
	h, err := history.New(history.Header{Kind: "toy", Time: history.RealTime}, events)
	require.NoError(t, err)
	return h
}

func notice(kind, msg string) history.Event {
	e := history.Event{Actor: history.Engine, Kind: kind}
	if msg != "" {
		e.X = &history.Ext{Err: &history.Error{Msg: msg}}
	}
	return e
}

var one = history.Event{Actor: "c1", Kind: "PING", Phase: history.Call}

func needs(r Rule, f ...Feature) Rule {
	r.Needs = f
	return r
}

func TestMerge(t *testing.T) {
	panics := Rule{Clause: clause("a/panics", Must), Judge: func(*history.History) Judgement { panic("boom") }}
	hang := []history.Event{one, notice(history.GaveUp, "hang: no progress\n\ngoroutine 7")}
	for _, c := range []struct {
		name             string
		events           []history.Event
		required, others []Rule
		has              []Feature
		want             Verdict
		reason, stack    string
		should           bool
	}{
		{name: "all pass", required: []Rule{says("a", Must, passes), says("b", Must, passes)}, want: Pass},
		{name: "one fails", required: []Rule{says("a", Must, passes), says("b", Must, fails)}, want: Fail},
		{name: "another rule fails", required: []Rule{says("a", Must, passes)}, others: []Rule{says("b", Must, fails)}, want: Fail},
		{name: "untested", required: []Rule{says("a", Must, passes), says("b", Must, untested)}, want: Inconclusive, reason: "b: never put to the test"},
		{name: "each that is open is named", required: []Rule{says("a", Must, untested), says("b", Must, passes), says("c", Must, undecided)}, want: Inconclusive, reason: "a: never put to the test; c: who knows"},
		{name: "another rule untested", required: []Rule{says("a", Must, passes)}, others: []Rule{says("b", Must, untested)}, want: Pass},
		{name: "undecided", required: []Rule{says("a", Must, undecided)}, want: Inconclusive, reason: "a: who knows"},
		{name: "a judge panics", required: []Rule{panics}, want: Inconclusive, reason: "a/panics: the judge panicked: boom"},
		{name: "another judge panics", required: []Rule{says("a", Must, passes)}, others: []Rule{panics}, want: Pass},
		{name: "fail before untested", required: []Rule{says("a", Must, untested), says("b", Must, fails)}, want: Fail},
		{name: "bad although undecided", required: []Rule{says("a", Must, Judgement{Bad: fails.Bad, Undecided: "hm"})}, want: Fail},

		{name: "spared", required: []Rule{says("a", Must, Judgement{Spared: "it never flies"})}, want: Skip, reason: "it never flies"},
		{name: "one of two spared", required: []Rule{says("a", Must, Judgement{Spared: "it never flies"}), says("b", Must, passes)}, want: Pass},
		{name: "spared, though tested", required: []Rule{says("a", Must, Judgement{Tested: 1, Spared: "it never flies"})}, want: Pass},
		{name: "skipped", required: []Rule{needs(says("a", Must, passes), "wings", "tail")}, has: []Feature{"tail"}, want: Skip, reason: "needs the feature wings, which is not declared"},
		{name: "one of two skipped", required: []Rule{needs(says("a", Must, fails), "wings"), says("b", Must, passes)}, want: Pass},
		{name: "one skipped, one untested", required: []Rule{needs(says("a", Must, passes), "wings"), says("b", Must, untested)}, want: Inconclusive, reason: "b: never put to the test"},
		{name: "declared and failing", required: []Rule{needs(says("a", Must, fails), "wings")}, has: []Feature{"wings"}, want: Fail},

		{name: "a SHOULD fails", required: []Rule{says("a", Should, fails)}, want: Fail, should: true},
		{name: "a SHOULD and a MUST fail", required: []Rule{says("a", Should, fails)}, others: []Rule{says("b", Must, fails)}, want: Fail},
		{name: "a SHOULD fails, a MUST is untested", required: []Rule{says("a", Should, fails), says("b", Must, untested)}, want: Fail},
		{name: "a SHOULD fails, then a hang", events: hang, required: []Rule{says("a", Should, fails)}, want: Fail, reason: "hang: no progress", stack: "goroutine 7"},
		{name: "a SHOULD is untested", required: []Rule{says("a", Should, untested)}, want: Inconclusive, reason: "a: never put to the test"},

		{name: "provisional fails", required: []Rule{says("a", Provisional, fails)}, want: Pass},
		{name: "provisional and SHOULD fail", required: []Rule{says("a", Provisional, fails), says("b", Should, fails)}, want: Fail, should: true},
		{name: "provisional untested beside a pass", required: []Rule{says("a", Provisional, untested), says("b", Must, passes)}, want: Pass},
		{name: "nothing but provisional, untested", required: []Rule{says("a", Provisional, untested)}, want: Skip, reason: "a: never put to the test"},
		{name: "provisional untested, the other skipped", required: []Rule{says("a", Provisional, untested), needs(says("b", Must, passes), "wings")}, want: Skip, reason: "a: never put to the test"},

		{name: "hang", events: hang, required: []Rule{says("a", Must, passes)}, want: Inconclusive, reason: "hang: no progress", stack: "goroutine 7"},
		{name: "hang, and a rule fails", events: hang, required: []Rule{says("a", Must, fails)}, want: Fail, reason: "hang: no progress", stack: "goroutine 7"},
		{name: "hang, all skipped", events: hang, required: []Rule{needs(says("a", Must, passes), "wings")}, want: Inconclusive, reason: "hang: no progress", stack: "goroutine 7"},
		{name: "left", events: []history.Event{notice(history.Left, "leak: 2 goroutines")}, required: []Rule{says("a", Must, passes)}, want: Inconclusive, reason: "leak: 2 goroutines", stack: "leak"},
		{name: "gave up without a word", events: []history.Event{one, notice(history.GaveUp, "")}, required: []Rule{says("a", Must, passes)}, want: Inconclusive, reason: "GAVE-UP at #2", stack: "GAVE-UP"},
		{name: "crash", events: []history.Event{one, notice(history.Panic, "panic: boom\n\ngoroutine 8")}, required: []Rule{says("a", Must, passes)}, want: Fail, stack: "goroutine 8"},
		{name: "crash, then a deadlock", events: []history.Event{one, notice(history.Panic, "panic: boom"), notice(history.GaveUp, "deadlock")}, required: []Rule{says("a", Must, untested)}, want: Fail, reason: "deadlock", stack: "panic: boom"},

		{name: "nothing required, one passes", others: []Rule{says("a", Must, passes)}, want: Pass},
		{name: "nothing required, nothing tested", others: []Rule{says("a", Must, untested)}, want: Inconclusive, reason: "no rule was tested"},
		{name: "nothing required, it merely survived", events: []history.Event{one}, want: Inconclusive, reason: "no rule was tested"},
		{name: "nothing required, one undecided", others: []Rule{says("a", Must, passes), says("b", Must, undecided), says("c", Must, untested)}, want: Inconclusive, reason: "b: who knows"},
		{name: "nothing required, two undecided", others: []Rule{says("a", Must, passes), says("b", Must, undecided), says("c", Should, undecided)}, want: Inconclusive, reason: "2 rules are undecided, the first is b: who knows"},
		{name: "nothing required, a provisional one undecided", others: []Rule{says("a", Must, passes), says("b", Provisional, undecided)}, want: Pass},
		{name: "nothing required, one fails, one undecided", others: []Rule{says("a", Must, fails), says("b", Must, undecided)}, want: Fail},
		{name: "nothing required, one fails", others: []Rule{says("a", Must, fails)}, want: Fail},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judged(t, made(t, c.events...), c.required, c.others, c.has...)
			assert.Equal(t, c.want, r.Verdict)
			assert.Equal(t, c.reason, r.Reason)
			assert.Contains(t, r.Stack, c.stack)
			if c.stack == "" {
				assert.Empty(t, r.Stack)
			}
			assert.Equal(t, c.should, r.OnlyShould())
			assert.False(t, r.Damaged())
		})
	}
}

func TestTruncatedIsInconclusive(t *testing.T) {
	h := made(t, one)
	h.Truncated = true
	r := judged(t, h, []Rule{says("a", Must, passes)}, nil)
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "the history is truncated", r.Reason)
	assert.Equal(t, Fail, judged(t, h, []Rule{says("a", Must, fails)}, nil).Verdict)
}

func TestManyFindings(t *testing.T) {
	for _, n := range []int{1, maxShown, maxShown + 1, maxShown + maxMore, maxShown + maxMore + 7} {
		var j Judgement
		for i := range n {
			j.Fail("w", fmt.Sprint("g", i), 1)
		}
		rr := rule(t, judged(t, made(t, one), []Rule{says("a", Must, j)}, nil), "a")
		assert.Equal(t, n, rr.Failures)
		assert.Len(t, rr.Bad, min(n, maxShown))
		assert.Len(t, rr.More, min(max(n-maxShown, 0), maxMore))
		assert.Equal(t, "g0", rr.Bad[0].Got)
		assert.Contains(t, rr.Bad[0].Timeline, "x #1")
		if len(rr.More) > 0 {
			assert.Equal(t, fmt.Sprint("g", maxShown), rr.More[0])
		}
	}
}

// A finding with numbers of no event is still a finding.
func TestFindingWithWrongNumbers(t *testing.T) {
	for _, at := range [][]int32{nil, {0}, {7}, {-1, 1 << 30}} {
		r := judged(t, made(t, one), []Rule{says("a", Must, Judgement{Bad: []Finding{{At: at, Want: "w", Got: "g"}}})}, nil)
		assert.Equal(t, Fail, r.Verdict, "%v", at)
		assert.Empty(t, rule(t, r, "a").Bad[0].Timeline)
	}
}

func TestScore(t *testing.T) {
	k := toySuite(nil).Describe()
	k.Score = func(h *history.History) map[string]int { return map[string]int{"pings": len(h.Events)} }
	h := made(t, one, history.Event{Actor: "c1", Kind: "PING", Phase: history.Return, Call: 1})
	r := k.Judge(k.Checks[0], h)
	assert.Equal(t, map[string]int{"pings": 2}, r.Score)
	assert.Equal(t, Pass, r.Verdict)

	k.Score = func(*history.History) map[string]int { panic("no score") }
	r = k.Judge(k.Checks[0], h)
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "the scorecard panicked: no score", r.Reason)
}

func TestSurvives(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []history.Event
		tested int
		got    []string
	}{
		{name: "nothing asked"},
		{name: "calls", events: []history.Event{one, one}, tested: 2},
		{name: "gave up is not a crash", events: []history.Event{one, notice(history.GaveUp, "x"), notice(history.Left, "y")}, tested: 1},
		{name: "a panic under a call", events: []history.Event{one, {Actor: "c1", Kind: history.Panic, Call: 1, X: &history.Ext{Err: &history.Error{Msg: "panic: boom\n\nstack"}}}}, tested: 1, got: []string{"panic: boom"}},
		{name: "an exit under no call", events: []history.Event{notice(history.Exited, "exit status 7")}, got: []string{"exit status 7"}},
		{name: "a crash without words", events: []history.Event{notice(history.Panic, "")}, got: []string{"a crash"}},
		{name: "two", events: []history.Event{notice(history.Panic, "a"), notice(history.Panic, "b")}, got: []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := Survives.Judge(made(t, c.events...))
			assert.Equal(t, c.tested, j.Tested)
			var got []string
			for _, f := range j.Bad {
				got = append(got, f.Got)
			}
			assert.Equal(t, c.got, got)
			assert.Empty(t, j.Undecided)
		})
	}
}

// Judging a saved history gives the same result as the run.
func TestJudgeSavedEqualsRun(t *testing.T) {
	drives := map[string]func(*T, *toy){
		"passes": func(t *T, _ *toy) { ping(t) },
		"odd answers": func(t *T, _ *toy) {
			t.Do(Call{Actor: "c1", Kind: "LIST", Obj: history.Ref{Labels: t.Set(map[string]string{"a": "<b>"})}, Args: map[string]any{"x": "<&>", "n": 1}},
				func(context.Context) Answer { return Answer{Items: []history.Ref{}, Body: "text"} })
			t.Seen("w1", "ADDED", 1, Answer{Obj: history.Ref{Key: "k", RV: "12"}, Items: []history.Ref{{Key: "k", RV: "3"}}})
			t.Settled("w1", 1, "12")
		},
		"untested": func(*T, *toy) {},
		"gives up": func(t *T, _ *toy) { ping(t); t.GiveUp("no %s", "more") },
		"panics": func(t *T, _ *toy) {
			t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { panic("boom") })
		},
	}
	for name, drive := range drives {
		inBoth(t, drive, func(t *testing.T, r Result, h *history.History) {
			var b bytes.Buffer
			require.NoError(t, h.Write(&b))
			saved, err := history.Read(&b)
			require.NoError(t, err)
			k := toySuite(nil).Describe()
			again := k.Judge(k.Checks[0], saved)
			r.Elapsed = 0
			if strings.Contains(name, "panics") { // the stack holds addresses, but the same ones
				assert.Contains(t, again.Stack, "boom")
			}
			assert.Equal(t, r, again, name)
		})
	}
}
