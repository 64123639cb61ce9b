package harness

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

func TestRunPasses(t *testing.T) {
	inBoth(t, func(t *T, _ *toy) { ping(t) }, func(t *testing.T, r Result, h *history.History) {
		assert.Equal(t, Pass, r.Verdict, r.Reason)
		assert.Equal(t, "toy/toy/check", r.Check)
		assert.Equal(t, "toys", r.Target)
		assert.Equal(t, "toy v1", r.Plugin)
		assert.Equal(t, int64(1), r.Seed)
		assert.Equal(t, 2, r.Events)
		assert.Positive(t, r.Elapsed)
		assert.False(t, r.Damaged())
		assert.Equal(t, h.Header.Time, r.Time)
		assert.Equal(t, "subject/survives", r.Rules[0].Rule)
		assert.False(t, r.Rules[0].Required)
	})
}

// A plugin without features has an empty list of them in its history. An absent list means that the history comes from
// another tool.
func TestNothingDeclared(t *testing.T) {
	head := realToy(func(*T, *toy) {}).Header(Options{})
	assert.NotNil(t, head.Features)
	assert.Empty(t, head.Features)
	assert.Equal(t, []string{"virtual-time"}, virtualToy(func(*T, *toy) {}).Header(Options{}).Features)
}

// A panic is recorded with where it happened and whose fault it is.
func TestPanics(t *testing.T) {
	boom := func(context.Context) Answer { panic("boom") }
	call := Call{Actor: "c1", Kind: "PING"}
	for name, c := range map[string]struct {
		drive   func(*T, *toy)
		subject bool   // it is the subject's fault
		got     string // of subject/survives, or the reason
		kinds   []string
	}{
		"in a call":                {func(t *T, _ *toy) { t.Do(call, boom); ping(t) }, true, "panic: boom", []string{"PING", "PANIC"}},
		"in a call of many":        {func(t *T, _ *toy) { ping(t); t.Do(call, boom) }, true, "panic: boom", []string{"PING", "PING", "PING", "PANIC"}},
		"in a goroutine's call":    {func(t *T, _ *toy) { t.Go(func() { t.Do(call, boom) }) }, true, "panic: boom", []string{"PING", "PANIC"}},
		"with an error":            {func(t *T, _ *toy) { t.Do(call, func(context.Context) Answer { panic(errors.New("an error")) }) }, true, "panic: an error", []string{"PING", "PANIC"}},
		"with nil":                 {func(t *T, _ *toy) { t.Do(call, func(context.Context) Answer { panic(nil) }) }, true, "panic: panic called with nil argument", []string{"PING", "PANIC"}},
		"of the runtime":           {func(t *T, s *toy) { t.Do(call, func(context.Context) Answer { s = nil; s.opened++; return Answer{} }) }, true, "panic: runtime error: invalid memory address or nil pointer dereference", []string{"PING", "PANIC"}},
		"in a part of the subject": {func(t *T, _ *toy) { t.Try("w1", 0, func() { panic("boom") }); ping(t) }, true, "panic: boom", []string{"PANIC"}},
		"in a try within a call": {func(t *T, _ *toy) {
			t.Do(call, func(context.Context) Answer { t.Try("w1", 1, func() { panic("boom") }); return Answer{} })
		}, true, "panic: boom", []string{"PING", "PANIC"}},
		"in a cleanup":           {func(t *T, _ *toy) { t.Cleanup(func() { panic("boom") }); ping(t) }, true, "panic while closing: boom", []string{"PING", "PING", "PANIC"}},
		"in a call of a cleanup": {func(t *T, _ *toy) { t.Cleanup(func() { t.Do(call, boom) }) }, true, "panic: boom", []string{"PING", "PANIC"}},
		"in the drive":           {func(t *T, _ *toy) { ping(t); panic("oops") }, false, "the drive panicked: oops", []string{"PING", "PING", "GAVE-UP"}},
		"in a drive's goroutine": {func(t *T, _ *toy) { ping(t); t.Go(func() { panic("oops") }) }, false, "the drive panicked: oops", []string{"PING", "PING", "GAVE-UP"}},
		"what is no JSON":        {func(t *T, _ *toy) { t.Do(Call{Kind: "PING", Args: func() {}}, boom) }, false, "the drive panicked: a drive recorded a value that is not JSON: json: unsupported type: func()", []string{"GAVE-UP"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBoth(t, c.drive, func(t *testing.T, r Result, h *history.History) {
				assert.Equal(t, c.kinds, kinds(h))
				assert.Contains(t, r.Stack, "goroutine ")
				assert.Contains(t, r.Stack, "run_test.go")
				assert.False(t, r.Damaged())
				survives := rule(t, r, "subject/survives")
				if !c.subject {
					assert.Equal(t, Inconclusive, r.Verdict)
					assert.Equal(t, c.got, r.Reason)
					assert.Empty(t, survives.Bad)
					return
				}
				assert.Equal(t, Fail, r.Verdict)
				require.Len(t, survives.Bad, 1)
				assert.True(t, strings.HasPrefix(survives.Bad[0].Got, c.got), survives.Bad[0].Got)
				assert.NotContains(t, survives.Bad[0].Timeline, "goroutine", "the stack is told apart from the timeline")
			})
		})
	}
}

func TestOpenPanics(t *testing.T) {
	p := toyPlugin()
	closed := false
	p.Open = func(t *T) (*toy, error) {
		t.Cleanup(func() { closed = true })
		panic("no luck")
	}
	r, h := Run(toySuite(func(*T, *toy) { panic("driven") }).Bind(p)[0], Options{})
	assert.Equal(t, Fail, r.Verdict)
	assert.Equal(t, "panic: no luck", rule(t, r, "subject/survives").Bad[0].Got)
	assert.Equal(t, []string{history.Panic}, kinds(h))
	assert.True(t, closed)
}

func TestCleanups(t *testing.T) {
	var mu sync.Mutex
	var order []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, s)
	}
	inBoth(t, func(t *T, _ *toy) {
		order = nil
		t.Cleanup(func() { note(fmt.Sprint("first, ended ", t.Context().Err())) })
		t.Cleanup(func() {
			note("second")
			t.Cleanup(func() { note("registered by the second") })
			panic("and it panics")
		})
		t.Go(func() {
			<-t.Context().Done()
			note("goroutine")
		})
		ping(t)
	}, func(t *testing.T, r Result, _ *history.History) {
		assert.Equal(t, Fail, r.Verdict)
		assert.Contains(t, order, "goroutine")
		var rest []string
		for _, s := range order {
			if s != "goroutine" {
				rest = append(rest, s)
			}
		}
		assert.Equal(t, []string{"second", "registered by the second", "first, ended context canceled"}, rest)
	})
}

// What OnDeadline's function returns is the reason, instead of the advice to wait longer.
func TestOnDeadline(t *testing.T) {
	for says, want := range map[string]string{
		"the adapter has not answered lw.read": "deadline: the drive was not finished after 20ms: the adapter has not answered lw.read",
		"":                                     "deadline: the drive was not finished after 20ms; for a server that is slow, or far away: `--timeout 30.02s` gives it 20ms more",
	} {
		c := realToy(func(t *T, _ *toy) {
			t.OnDeadline(func() string { return says })
			<-t.Context().Done()
		})
		c.Span = 20 * time.Millisecond
		r, _ := Run(c, Options{})
		assert.Equal(t, want, r.Reason)
	}
}

// A drive that its deadline cut off proves nothing.
func TestDeadline(t *testing.T) {
	drive := func(t *T, _ *toy) {
		ping(t)
		<-t.Context().Done()
	}
	c := realToy(drive)
	c.Span = 20 * time.Millisecond
	r, h := Run(c, Options{})
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "deadline: the drive was not finished after 20ms; for a server that is slow, or far away: `--timeout 30.02s` gives it 20ms more", r.Reason)
	longer := Options{Wall: 30*time.Second + 20*time.Millisecond}
	r, _ = Run(c, longer)
	assert.Contains(t, r.Reason, "not finished after 40ms;", "as it was told")
	assert.Contains(t, r.Reason, "--timeout 30.04s")
	assert.Equal(t, []string{"PING", "PING", history.GaveUp}, kinds(h))
	assert.False(t, r.Damaged())

	r, _ = Run(virtualToy(drive), Options{TB: t})
	assert.Equal(t, "deadline: the drive was not finished after 24h0m0s", r.Reason)

	misled := realToy(func(t *T, x *toy) {
		drive(t, x)
		t.GiveUp("the list before the watch was refused")
	})
	misled.Span = 20 * time.Millisecond
	r, h = Run(misled, Options{})
	assert.Contains(t, r.Reason, "deadline: the drive was not finished after 20ms; for a server that is slow", "and nothing that it made the drive believe")
	assert.Equal(t, []string{"PING", "PING", history.GaveUp}, kinds(h))
}

func TestSpan(t *testing.T) {
	drive := func(t *T, _ *toy) { ping(t) }
	for _, c := range []struct {
		name       string
		span, most time.Duration
		virtual    bool
		real       bool // RealTime is asked for
		want       string
	}{
		{name: "short"},
		{name: "just short enough", span: DefaultLongest},
		{name: "too long", span: DefaultLongest + 1, want: "takes 30.000000001s of real time, longer than --span 30s (LWTEST_SPAN under go test)"},
		{name: "too long in real time, but it is virtual", span: time.Hour, virtual: true},
		{name: "virtual, asked for in real time", span: time.Hour, virtual: true, real: true, want: "takes 1h0m0s of real time"},
		{name: "allowed", span: time.Hour, most: time.Hour},
		{name: "the default is too long", most: time.Second, want: "takes 20s of real time, longer than --span 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			toy := realToy(drive)
			if c.virtual {
				toy = virtualToy(drive)
			}
			toy.Span = c.span
			r, h := Run(toy, Options{TB: t, Span: c.most, RealTime: c.real})
			if c.want == "" {
				assert.Equal(t, Pass, r.Verdict, r.Reason)
				return
			}
			assert.Equal(t, Skip, r.Verdict)
			assert.Contains(t, r.Reason, c.want)
			assert.Nil(t, h)
		})
	}
}

// A feature that makes a check slower makes its span longer, only where it is declared.
func TestSpanOfAFeature(t *testing.T) {
	c := realToy(func(t *T, _ *toy) { ping(t) })
	c.Spans = map[Feature]time.Duration{"snail": time.Hour, "hare": time.Millisecond}
	r, _ := Run(c, Options{TB: t})
	assert.Equal(t, Pass, r.Verdict, r.Reason)
	c.Has = append(c.Has, "hare")
	assert.Equal(t, DefaultWall+20*time.Second, Options{}.Limit(c), "a feature makes nothing shorter")
	c.Has = append(c.Has, "snail")
	assert.Equal(t, DefaultWall+time.Hour, Options{}.Limit(c))
	r, h := Run(c, Options{TB: t})
	assert.Equal(t, Skip, r.Verdict)
	assert.Equal(t, "takes 1h0m0s of real time with the feature snail, longer than --span 30s (LWTEST_SPAN under go test)", r.Reason)
	assert.Nil(t, h)
	r, _ = Run(c, Options{TB: t, Span: time.Hour})
	assert.Equal(t, Pass, r.Verdict, r.Reason)
}

func TestVirtualNeedsATest(t *testing.T) {
	r, _ := Run(virtualToy(func(*T, *toy) { panic("driven") }), Options{})
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "virtual time needs a testing.T: set Options.TB", r.Reason)
}

func TestLimits(t *testing.T) {
	c := realToy(nil)
	assert.Equal(t, DefaultWall+20*time.Second, Options{}.Limit(c))
	c.Span = time.Minute
	assert.Equal(t, time.Second+time.Minute, Options{Wall: time.Second}.Limit(c))
	c.Has = []Feature{VirtualTime}
	assert.Equal(t, time.Second, Options{Wall: time.Second}.Limit(c))
	assert.Equal(t, DefaultWall+6*time.Second, Options{}.Limit(c))
	assert.Equal(t, time.Second+time.Minute, Options{Wall: time.Second, RealTime: true}.Limit(c))
	assert.False(t, Options{RealTime: true}.Virtual(c))
}

// A rule that is broken before the drive gives up is still broken.
func TestGiveUp(t *testing.T) {
	inBoth(t, func(t *T, _ *toy) { ping(t); t.GiveUp("no %s after %d\nand more", "answer", 7) }, func(t *testing.T, r Result, h *history.History) {
		assert.Equal(t, Inconclusive, r.Verdict)
		assert.Equal(t, "no answer after 7", r.Reason)
		assert.Contains(t, r.Stack, "and more")
		assert.Equal(t, history.Engine, h.Event(3).Actor)
	})
}

// random is a drive that makes random choices.
func random(t *T, _ *toy) {
	for range 20 {
		pingOf(t, fmt.Sprint("c", t.Rand().IntN(1000)))
		t.Sleep(time.Duration(t.Rand().Int64N(int64(time.Hour))))
		t.Go(func() { pingOf(t, "beside") })
		t.Wait()
	}
	t.Idle()
}

func run(t *testing.T, c Case, seed int64) (h *history.History) {
	t.Helper()
	t.Run("run", func(t *testing.T) { _, h = Run(c, Options{TB: t, Seed: seed, RunID: "r1"}) })
	return h
}

func TestSameSeedSameHistory(t *testing.T) {
	c := virtualToy(random)
	first := run(t, c, 1)
	require.Greater(t, len(first.Events), 70)
	other := run(t, c, 2)
	assert.NotEqual(t, first.Actors(), other.Actors(), "another seed, another story")
	for range 20 { // other code that ran in this process makes no difference
		run(t, virtualToy(func(t *T, _ *toy) { t.Rand(); t.Set(map[string]string{"a": "b"}); t.Idle(); ping(t) }), 7)
	}
	assert.Equal(t, first.Events, run(t, c, 1).Events, "first and last in a process")
	assert.Equal(t, other.Events, run(t, c, 2).Events)
}

func TestWhatADriveKnows(t *testing.T) {
	c := virtualToy(func(t *T, _ *toy) {
		t.Seen("me", "KNOWS", 0, Answer{Body: map[string]any{"id": t.ID(), "seed": t.Seed(), "virtual": t.Virtual(), "wings": t.Has("wings"), "wheels": t.Has("wheels"), "tb": t.Testing() != nil}})
	})
	c.Has = append(c.Has, "wings")
	assert.JSONEq(t, `{"id":"r1-toy-check","seed":5,"virtual":true,"wings":true,"wheels":false,"tb":true}`, string(run(t, c, 5).Event(1).X.Body))
	c.Has = nil
	_, h := Run(c, Options{})
	assert.JSONEq(t, `{"id":"toy-check","seed":0,"virtual":false,"wings":false,"wheels":false,"tb":false}`, string(h.Event(1).X.Body))
}

func TestVirtualTime(t *testing.T) {
	c := virtualToy(func(t *T, _ *toy) {
		t.Sleep(time.Minute)
		ping(t)
		late := false
		time.AfterFunc(t.grace-time.Second, func() { late = true })
		t.Idle()
		if !late {
			t.GiveUp("the grace did not pass")
		}
		t.Settled("w1", 0, "")
	})
	c.Grace = 2 * time.Hour
	began := time.Now()
	h := run(t, c, 1)
	assert.Less(t, time.Since(began), time.Hour)
	require.Equal(t, []string{"PING", "PING", history.Settled}, kinds(h))
	assert.InDelta(t, float64(time.Minute), float64(h.Event(1).At), float64(time.Millisecond))
	assert.InDelta(t, float64(2*time.Hour+time.Minute), float64(h.Event(3).At), float64(time.Millisecond))
}

// Goroutines that call Idle at the same instant take turns.
func TestIdleOfMany(t *testing.T) {
	r, _ := Run(virtualToy(func(t *T, _ *toy) {
		for range 5 {
			t.Go(func() { t.Idle(); ping(t) })
			t.Go(func() { time.Sleep(t.grace); t.Wait(); ping(t) })
		}
		t.Idle()
	}), Options{TB: t})
	assert.Equal(t, Pass, r.Verdict, r.Reason)
}

func TestRealTime(t *testing.T) {
	r, _ := Run(realToy(func(t *T, _ *toy) { t.Wait(); ping(t) }), Options{})
	assert.Equal(t, Pass, r.Verdict, "Wait does nothing")
	r, _ = Run(realToy(func(t *T, _ *toy) { t.Idle() }), Options{})
	assert.Equal(t, Inconclusive, r.Verdict)
	assert.Equal(t, "the drive panicked: T.Idle is for virtual time: ask T.Virtual first", r.Reason)

	began := time.Now()
	c := realToy(func(t *T, _ *toy) { ping(t); t.Sleep(time.Hour) })
	c.Span = 20 * time.Millisecond
	r, _ = Run(c, Options{})
	assert.Contains(t, r.Reason, "deadline", "Sleep ends with the case")
	assert.Less(t, time.Since(began), 30*time.Minute)
}

// Calls after the end of the case do no harm and are not recorded.
func TestAfterTheEnd(t *testing.T) {
	var kept *T
	_, h := Run(realToy(func(t *T, _ *toy) { kept = t; ping(t) }), Options{})
	before := len(h.Events)
	kept.Settled("w1", 1, "7")
	kept.Seen("w1", "ADDED", 1, Answer{})
	kept.GiveUp("too late")
	num, a := kept.Do(Call{Actor: "c1", Kind: "PING"}, func(ctx context.Context) Answer {
		return Answer{Err: &history.Error{Msg: ctx.Err().Error()}}
	})
	assert.Zero(t, num)
	assert.Equal(t, "context canceled", a.Err.Msg)
	kept.Sleep(time.Hour)
	kept.Cleanup(func() { panic("never called") })
	assert.Len(t, h.Events, before)
}

// The judged history shares no memory with the drive.
func TestEmptyAnswers(t *testing.T) {
	_, h := Run(realToy(func(t *T, _ *toy) {
		call := Call{Actor: "c1", Kind: "LIST"}
		t.Do(call, func(context.Context) Answer { return Answer{} })
		t.Do(call, func(context.Context) Answer { return Answer{Items: []history.Ref{}} })
		t.Do(call, func(context.Context) Answer { return Answer{Err: &history.Error{}} })
		t.Seen("w1", "ERROR", 0, Answer{})
	}), Options{})
	assert.Nil(t, h.Event(2).X)
	require.NotNil(t, h.Event(4).X)
	assert.NotNil(t, h.Event(4).X.Items, "an empty list is not the same as no list")
	assert.NotNil(t, h.Event(6).Err())
	assert.Nil(t, h.Event(7).Err())
}
