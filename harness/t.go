package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
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
	limit   time.Duration // of ctx
	more    string        // how to have a longer one, where that helps
	waiting chan struct{} // holds one: only one goroutine of a bubble may wait

	refsMu sync.Mutex
	refs   map[string]history.Ref // by the bytes that they were read from

	wg       sync.WaitGroup
	mu       sync.Mutex
	cleanups []func()
	wakes    map[int64]bool // instants at which sleeps end

	unfinished func() string // see OnDeadline
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

// Virtual reports whether time is fake.
func (t *T) Virtual() bool { return t.virtual }

// Has reports whether the plugin declares a feature.
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

// Ref is what read makes of some bytes. It is remembered: an object that comes a
// thousand times, in lists and pushes, is read once.
func (t *T) Ref(b []byte, read func() history.Ref) history.Ref {
	t.refsMu.Lock()
	ref, ok := t.refs[string(b)]
	t.refsMu.Unlock()
	if ok {
		return ref
	}
	ref = read()
	t.refsMu.Lock()
	defer t.refsMu.Unlock()
	if t.refs == nil {
		t.refs = map[string]history.Ref{}
	}
	t.refs[string(b)] = ref
	return ref
}

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
	num := t.Begin(c)
	var a Answer
	func() {
		defer t.caught(c.Actor, num)
		a = f(t.ctx)
	}()
	t.End(num, c.Actor, c.Kind, a)
	return num, a
}

// Begin records a call that the drive does not make: a request, say, that reached a server of the drive's.
// It gives the number, for End.
func (t *T) Begin(c Call) int32 {
	return t.rec.add(history.Event{Phase: history.Call, Actor: c.Actor, Kind: c.Kind, Obj: c.Obj, X: ext(c.Args, nil, nil, nil)})
}

// End records the return of a call that Begin recorded, with the same actor and kind.
func (t *T) End(num int32, actor, kind string, a Answer) {
	t.rec.add(history.Event{Phase: history.Return, Call: num, Actor: actor, Kind: kind, Obj: a.Obj, X: ext(nil, a.Items, a.Body, a.Err)})
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
	x := &history.Ext{Args: raw(args), Items: slices.Clone(items), Body: raw(body)}
	if err != nil {
		e := *err
		x.Err = &e
	}
	return x
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

// Step records that the drive has come to a step of its story, beside the events. num counts from 1; text describes the
// step in a sentence; skipped says why it does nothing, and is empty for a step that applies.
func (t *T) Step(num int, text, skipped string) {
	t.rec.step(history.Step{Num: int32(num), Text: text, Skipped: skipped})
}

// Idle lets the check's grace of fake time pass and waits until every
// goroutine is durably blocked. It is only for virtual time.
func (t *T) Idle() {
	if !t.virtual {
		panic("T.Idle is for virtual time: ask T.Virtual first")
	}
	time.Sleep(t.grace)
	t.waiting <- struct{}{}
	synctest.Wait()
	<-t.waiting
}

// Wait waits until every goroutine is durably blocked, and lets no time pass
// but a nanosecond, so that what a subject starts before and after it does not
// fall due at the same instant (see apart). In real time, and while another
// goroutine waits, it does nothing.
func (t *T) Wait() {
	if !t.virtual {
		return
	}
	select {
	case t.waiting <- struct{}{}:
		synctest.Wait()
		t.Sleep(time.Nanosecond)
		<-t.waiting
	default:
	}
}

// Sleep waits, fake or real, or until the case ends. In virtual time no two
// sleeps of a case end at the same instant: some are nanoseconds longer.
func (t *T) Sleep(d time.Duration) {
	if t.virtual {
		d += t.apart(time.Now().Add(d).UnixNano())
	}
	select {
	case <-time.After(d):
	case <-t.ctx.Done():
	}
}

// apart moves an instant to one that no other sleep ends at. Go fires timers
// of one instant in random order, and the same seed would not give the same history.
func (t *T) apart(at int64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := int64(0)
	for t.wakes[at+n] {
		n++
	}
	if t.wakes == nil {
		t.wakes = map[int64]bool{}
	}
	t.wakes[at+n] = true
	return time.Duration(n)
}

// Go runs a part of the drive beside the others; the case waits for it. What
// panics in it costs the case's verdict, not the process.
func (t *T) Go(f func()) {
	t.wg.Go(func() { t.contained("the drive", f) })
}

// contained runs f, and records it where f ends otherwise than by returning:
// it panicked, or it ended its goroutine, as Fatal of a testing.T does.
func (t *T) contained(who string, f func()) {
	returned := false
	defer func() {
		switch p := recover().(type) {
		case nil:
			if !returned {
				t.giveUp(who + " did not return: its goroutine was ended, as Fatal, FailNow and Skip of a testing.T do; a plugin that cannot go on returns an error")
			}
		case abandoned:
		default:
			t.giveUp(fmt.Sprintf("%s panicked: %v\n\n%s", who, p, debug.Stack()))
		}
	}()
	f()
	returned = true
}

// GiveUp records why the drive cannot go on; the case ends inconclusive. Once the case's time is up that is the reason,
// whatever the drive makes of requests that were cut off: then it records nothing, and run says so.
func (t *T) GiveUp(format string, args ...any) {
	if t.ctx.Err() != context.DeadlineExceeded {
		t.giveUp(fmt.Sprintf(format, args...))
	}
}

func (t *T) giveUp(msg string) {
	t.rec.add(history.Event{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: msg}}})
}

// Exited records that the process of the subject has ended unasked, and what it wrote last; the case ends with that.
func (t *T) Exited(how, log string) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.Exited, X: &history.Ext{Err: &history.Error{Msg: strings.TrimSpace("the process of the subject ended: " + how + "\n" + log)}}})
	t.cancel()
}

// ProtocolError records that what stands between the engine and a subject of another process has broken their protocol, and
// what it wrote beside it. The case ends with that, inconclusive: nothing that it has seen says anything of the subject.
func (t *T) ProtocolError(what, log string) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.ProtocolError, X: &history.Ext{Err: &history.Error{Msg: strings.TrimSpace(what + "\n" + log)}}})
	t.cancel()
}

// Abandon is GiveUp, and ends the case: nothing is recorded of it any more. It is for what cannot be called off.
func (t *T) Abandon(format string, args ...any) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf(format, args...)}}})
	t.cancel()
}

// run is the whole life of a case: drive, end of context, cleanups.
func (t *T) run(drive func(*T)) {
	apart(func() { t.contained("the drive", func() { drive(t) }) })
	if t.ctx.Err() == context.DeadlineExceeded {
		t.giveUp(fmt.Sprintf("deadline: the drive was not finished after %s%s", t.limit, t.rec.lastStep()+t.why()))
	}
	t.cancel()
	for f := t.lastCleanup(); f != nil; f = t.lastCleanup() {
		apart(func() { t.contained("a cleanup", func() { t.closing(f) }) })
	}
	t.wg.Wait()
}

// apart runs f to its end in a goroutine of its own, so that Fatal of a
// testing.T in a plugin does not take the engine with it.
func apart(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// OnDeadline registers a function that says what the case waits for in vain. It is called when the case's time is up, and
// what it returns becomes part of the reason; "" adds nothing. A plugin of another process knows what it has not answered.
func (t *T) OnDeadline(f func() string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unfinished = f
}

// why says why the case's time may be up: what OnDeadline's function says, or else that the server may be slow.
func (t *T) why() string {
	t.mu.Lock()
	f := t.unfinished
	t.mu.Unlock()
	if f != nil {
		if s := f(); s != "" {
			return ": " + s
		}
	}
	return t.more
}

// lastCleanup takes away what was registered last; nil when none is left.
func (t *T) lastCleanup() func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.cleanups)
	if n == 0 {
		return nil
	}
	f := t.cleanups[n-1]
	t.cleanups = t.cleanups[:n-1]
	return f
}

// closing runs a cleanup; a panic in it is the subject's.
func (t *T) closing(f func()) {
	defer func() {
		p := recover()
		if _, ours := p.(abandoned); p == nil || ours {
			return
		}
		t.rec.add(history.Event{Actor: history.Engine, Kind: history.Panic,
			X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf("panic while closing: %v\n\n%s", p, debug.Stack())}}})
	}()
	f()
}
