package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// T is all that a drive may use. It records; it has no way to assert.
// Its methods may be called from every goroutine of the drive.
type T struct {
	tb      *testing.T // the innermost one; nil outside of go test
	rec     *recorder
	ctx     context.Context
	cancel  context.CancelFunc
	virtual bool
	grace   time.Duration
	has     []Feature
	rand    *rand.Rand
	intern  history.Interner
	seed    int64
	id      string
	waiting atomic.Bool // one goroutine of a bubble may

	wg       sync.WaitGroup
	mu       sync.Mutex
	cleanups []func()
}

// Call is what a drive asks of a subject.
type Call struct {
	Actor, Kind string
	Obj         history.Ref
	Args        any // becomes JSON; nil: none
}

// Answer is what came back. An Err says whether the operation definitely did not happen.
type Answer struct {
	Obj   history.Ref
	Items []history.Ref // a list's; not nil for an empty list
	Body  any           // becomes JSON; nil: none
	Err   *history.Error
}

// Context ends with the case. A subject that ignores it is given up.
func (t *T) Context() context.Context { return t.ctx }

// Virtual says whether time is fake.
func (t *T) Virtual() bool { return t.virtual }

// Has says whether the plugin declares a feature.
func (t *T) Has(f Feature) bool { return slices.Contains(t.has, f) }

// Rand is seeded by the run: same seed, same choices. Not for concurrent use.
func (t *T) Rand() *rand.Rand { return t.rand }

// Seed is the seed of the run.
func (t *T) Seed() int64 { return t.seed }

// ID names the case within its run, in letters, digits and dashes: what a
// drive leaves on a shared server can carry it.
func (t *T) ID() string { return t.id }

// Testing is the innermost testing.T, whose cleanups end with the case; nil
// on the command line.
func (t *T) Testing() *testing.T { return t.tb }

// Set interns labels or fields of an object that is about to be recorded.
func (t *T) Set(m map[string]string) *history.Set { return t.intern.Set(m) }

// Cleanup registers what must happen at the end of the case, the last first.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// abandoned unwinds a drive whose subject has panicked: that is recorded.
type abandoned struct{}

// Do records a call, makes it, records its return, and gives the number of the
// call and the answer. A panic of the subject is recorded and ends the drive.
func (t *T) Do(c Call, f func(context.Context) Answer) (int32, Answer) {
	num := t.rec.add(history.Event{Phase: history.Call, Actor: c.Actor, Kind: c.Kind, Obj: c.Obj, X: ext(c.Args, nil, nil, nil)})
	var a Answer
	func() {
		defer t.caught(c.Actor, num)
		a = f(t.ctx)
	}()
	t.rec.add(history.Event{Phase: history.Return, Call: num, Actor: c.Actor, Kind: c.Kind, Obj: a.Obj, X: ext(nil, a.Items, a.Body, a.Err)})
	return num, a
}

// Try runs a part of the subject that is not a call; a panic in it is recorded
// as the subject's, and ends the goroutine.
func (t *T) Try(actor string, call int32, f func()) {
	defer t.caught(actor, call)
	f()
}

// caught records a panic of the subject under a call.
func (t *T) caught(actor string, call int32) {
	p := recover()
	if p == nil {
		return
	}
	if _, ours := p.(abandoned); !ours {
		t.rec.add(history.Event{Actor: actor, Call: call, Kind: history.Panic,
			X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf("panic: %v\n\n%s", p, debug.Stack())}}})
	}
	panic(abandoned{})
}

func ext(args any, items []history.Ref, body any, err *history.Error) *history.Ext {
	if args == nil && items == nil && body == nil && err == nil {
		return nil
	}
	return &history.Ext{Args: raw(args), Items: items, Body: raw(body), Err: err}
}

func raw(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a drive gave the recorder what is no JSON: %v", err))
	}
	return b
}

// Seen records what a subject told by itself; it belongs to the call with
// that number (0: to none).
func (t *T) Seen(actor, kind string, call int32, a Answer) {
	t.rec.add(history.Event{Actor: actor, Kind: kind, Call: call, Obj: a.Obj, X: ext(nil, a.Items, a.Body, a.Err)})
}

// Settled records that actor had been given all that was acknowledged before
// (rv empty), or all up to rv. Call Idle before it, or see a sentinel come.
func (t *T) Settled(actor string, call int32, rv string) {
	t.rec.add(history.Event{Actor: actor, Call: call, Kind: history.Settled, Obj: history.Ref{RV: rv}})
}

// Idle lets the check's grace of fake time pass and waits until every
// goroutine is durably blocked. It is only for virtual time.
func (t *T) Idle() {
	time.Sleep(t.grace)
	synctest.Wait()
}

// Wait waits until every goroutine is durably blocked, without letting time
// pass. In real time, and while another goroutine waits, it does nothing.
func (t *T) Wait() {
	if t.virtual && t.waiting.CompareAndSwap(false, true) {
		synctest.Wait()
		t.waiting.Store(false)
	}
}

// Sleep waits, fake or real, or until the case ends.
func (t *T) Sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-t.ctx.Done():
	}
}

// Go runs a part of the drive beside the others; the case waits for it. What
// panics in it costs the case's verdict, not the process.
func (t *T) Go(f func()) {
	t.wg.Go(func() {
		defer t.contain()
		f()
	})
}

// contain ends a goroutine of the drive that panicked.
func (t *T) contain() {
	switch p := recover().(type) {
	case nil, abandoned:
	default:
		t.giveUp(fmt.Sprintf("the drive panicked: %v\n\n%s", p, debug.Stack()))
	}
}

// GiveUp records why the drive cannot go on; the case ends inconclusive.
func (t *T) GiveUp(format string, args ...any) { t.giveUp(fmt.Sprintf(format, args...)) }

func (t *T) giveUp(msg string) {
	t.rec.add(history.Event{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: msg}}})
}

// run is the whole life of a case: drive, end of context, cleanups.
func (t *T) run(drive func(*T)) {
	func() {
		defer t.contain()
		drive(t)
	}()
	t.cancel()
	for {
		t.mu.Lock()
		n := len(t.cleanups)
		if n == 0 {
			t.mu.Unlock()
			break
		}
		f := t.cleanups[n-1]
		t.cleanups = t.cleanups[:n-1]
		t.mu.Unlock()
		func() {
			defer t.caughtInCleanup()
			f()
		}()
	}
	t.wg.Wait()
}

func (t *T) caughtInCleanup() {
	if p := recover(); p != nil {
		t.rec.add(history.Event{Actor: history.Engine, Kind: history.Panic,
			X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf("panic while closing: %v\n\n%s", p, debug.Stack())}}})
	}
}
