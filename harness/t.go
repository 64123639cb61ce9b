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

// T is the drive's access to the engine. It records and has no way to assert. Its methods may be called concurrently.
type T struct {
	pace    pace       // of its calls
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
	more    string        // how the user can get a longer limit; empty if that does not help
	waiting chan struct{} // capacity 1: only one goroutine of a bubble may wait

	refsMu sync.Mutex
	refs   map[string]history.Ref // by the bytes that they were read from

	wg       sync.WaitGroup
	mu       sync.Mutex
	cleanups []func()
	wakes    map[int64]bool // instants at which sleeps end, in ns

	unfinished func() string // see OnDeadline
}

// Call is a request that a drive makes of a subject.
type Call struct {
	Actor, Kind string
	Obj         history.Ref
	Args        any // encoded as JSON; nil: none
}

// Answer is the response to a Call. Err says whether the operation certainly did not happen.
type Answer struct {
	Obj   history.Ref
	Items []history.Ref // of a list; an empty list is not nil
	Body  any           // encoded as JSON; nil: none
	Err   *history.Error
}

// Context returns a context that ends with the case. A subject that ignores it makes the case inconclusive.
func (t *T) Context() context.Context { return t.ctx }

// Virtual reports whether time is fake.
func (t *T) Virtual() bool { return t.virtual }

// Has reports whether the plugin declares a feature.
func (t *T) Has(f Feature) bool { return slices.Contains(t.has, f) }

// Rand returns a generator seeded by the run: same seed, same choices. It must not be used concurrently.
func (t *T) Rand() *rand.Rand { return t.rand }

// Seed returns the seed of the run.
func (t *T) Seed() int64 { return t.seed }

// ID returns a name of the case within its run, in letters, digits and dashes. A drive can name objects on a shared
// server with it.
func (t *T) ID() string { return t.id }

// Testing returns the innermost testing.T, whose cleanups run when the case ends. It is nil on the command line.
func (t *T) Testing() *testing.T { return t.tb }

// Set interns labels or fields of an object that will be recorded.
func (t *T) Set(m map[string]string) *history.Set { return t.intern.Set(m) }

// Ref returns what read makes of b. It remembers the result, so that an object that comes a thousand times is read
// once.
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

// Cleanup registers a function to call at the end of the case. The last one registered runs first.
func (t *T) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// abandoned is the panic that ends a drive after its subject panicked, which is recorded by then.
type abandoned struct{}

// Do records a call, makes it and records its return. It returns the number of the call and the answer. A panic of the
// subject is recorded and ends the drive.
func (t *T) Do(c Call, f func(context.Context) Answer) (int32, Answer) {
	num := t.Begin(c)
	var a Answer
	began := time.Now()
	func() {
		defer t.caught(c.Actor, num)
		a = f(t.ctx)
	}()
	t.pace.add(time.Since(began))
	t.End(num, c.Actor, c.Kind, a)
	return num, a
}

// Begin records a call that the drive does not make itself, such as a request that reached the drive's server. It
// returns the number of the call, for End.
func (t *T) Begin(c Call) int32 {
	return t.rec.add(history.Event{Phase: history.Call, Actor: c.Actor, Kind: c.Kind, Obj: c.Obj, X: ext(c.Args, nil, nil, nil)})
}

// End records the return of a call that Begin recorded, with the same actor and kind.
func (t *T) End(num int32, actor, kind string, a Answer) {
	t.rec.add(history.Event{Phase: history.Return, Call: num, Actor: actor, Kind: kind, Obj: a.Obj, X: ext(nil, a.Items, a.Body, a.Err)})
}

// Try runs code of the subject that is not a call. A panic in it is recorded as the subject's and ends the goroutine.
func (t *T) Try(actor string, call int32, f func()) {
	defer t.caught(actor, call)
	f()
}

// caught records a panic of the subject during a call. It must be deferred.
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
		panic(fmt.Sprintf("a drive recorded a value that is not JSON: %v", err))
	}
	return b
}

// Seen records something that the subject reported on its own. call is the number of the call that it belongs to, or
// 0.
func (t *T) Seen(actor, kind string, call int32, a Answer) {
	t.rec.add(history.Event{Actor: actor, Kind: kind, Call: call, Obj: a.Obj, X: ext(nil, a.Items, a.Body, a.Err)})
}

// Settled records that actor has received everything acknowledged before, or everything up to rv if rv is not empty.
// Call Idle or wait for a sentinel before it.
func (t *T) Settled(actor string, call int32, rv string) {
	t.rec.add(history.Event{Actor: actor, Call: call, Kind: history.Settled, Obj: history.Ref{RV: rv}})
}

// Step records that the drive has come to a step of its story. num counts from 1. text describes the step in a
// sentence. skipped says why the step does nothing, and is empty if it runs. A skipped step with the number 0 is a note: it is
// part of another step, and the result names it even if the check passes.
func (t *T) Step(num int, text, skipped string) {
	t.rec.step(history.Step{Num: int32(num), Text: text, Skipped: skipped})
}

// Idle lets the check's grace of fake time pass and waits until every goroutine is durably blocked. It panics in real
// time.
func (t *T) Idle() {
	if !t.virtual {
		panic("T.Idle is for virtual time: ask T.Virtual first")
	}
	time.Sleep(t.grace)
	t.waiting <- struct{}{}
	synctest.Wait()
	<-t.waiting
}

// Wait waits until every goroutine is durably blocked. It lets only a nanosecond pass, so that timers that a subject
// starts before and after it do not expire at the same instant (see uniqueInstant). In real time, and while another
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

// Sleep waits for d, or until the case ends. In virtual time no two sleeps of a case end at the same instant: some are
// nanoseconds longer.
func (t *T) Sleep(d time.Duration) {
	if t.virtual {
		d += t.uniqueInstant(time.Now().Add(d).UnixNano())
	}
	select {
	case <-time.After(d):
	case <-t.ctx.Done():
	}
}

// uniqueInstant returns how much to add to at, in ns, so that no other sleep ends at that instant. Go fires timers of
// one instant in random order, and then the same seed would not give the same history.
func (t *T) uniqueInstant(at int64) time.Duration {
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

// Go runs f in a goroutine, and the case waits for it. A panic in f makes the case inconclusive and does not end the
// process.
func (t *T) Go(f func()) {
	t.wg.Go(func() { t.contained("the drive", f) })
}

// contained runs f and records why f did not return: it panicked, or it ended its goroutine, as Fatal of a testing.T
// does.
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

// deadline begins the reason of a check whose time was up.
const deadline = "deadline: "

// GiveUp records why the drive cannot go on, which makes the case inconclusive. After the deadline of the case it
// records nothing: the deadline is the reason then, not the requests that it cut off.
func (t *T) GiveUp(format string, args ...any) {
	if t.ctx.Err() != context.DeadlineExceeded {
		t.giveUp(fmt.Sprintf(format, args...))
	}
}

func (t *T) giveUp(msg string) {
	t.rec.add(history.Event{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: msg}}})
}

// Exited records that the process of the subject ended unasked, with its last output, and ends the case.
func (t *T) Exited(how, log string) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.Exited, X: &history.Ext{Err: &history.Error{Msg: strings.TrimSpace("the process of the subject ended: " + how + "\n" + log)}}})
	t.cancel()
}

// ProtocolError records that an adapter broke the protocol, with its last output. It ends the case as inconclusive,
// because its events prove nothing about the subject.
func (t *T) ProtocolError(what, log string) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.ProtocolError, X: &history.Ext{Err: &history.Error{Msg: strings.TrimSpace(what + "\n" + log)}}})
	t.cancel()
}

// Abandon does what GiveUp does and ends the case at once: later events are dropped. It is for calls that cannot be
// cancelled.
func (t *T) Abandon(format string, args ...any) {
	t.rec.end(history.Event{Actor: history.Engine, Kind: history.GaveUp, X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf(format, args...)}}})
	t.cancel()
}

// run runs a case from start to end: the drive, the end of its context, the cleanups.
func (t *T) run(drive func(*T)) {
	inGoroutine(func() { t.contained("the drive", func() { drive(t) }) })
	if t.ctx.Err() == context.DeadlineExceeded {
		t.giveUp(fmt.Sprintf(deadline+"the drive was not finished after %s%s", t.pace.stretch(t.limit).Round(time.Millisecond), t.rec.lastStep()+t.whyLate()))
	}
	t.cancel()
	for f := t.lastCleanup(); f != nil; f = t.lastCleanup() {
		inGoroutine(func() { t.contained("a cleanup", func() { t.runCleanup(f) }) })
	}
	t.wg.Wait()
}

// inGoroutine runs f in a goroutine of its own and waits for it, so that Fatal of a testing.T in a plugin does not end
// the engine's goroutine.
func inGoroutine(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// OnDeadline registers a function that says what the case still waits for. It is called when the case's time is up,
// and its result becomes part of the reason; "" adds nothing. An adapter's plugin reports the requests without an
// answer.
func (t *T) OnDeadline(f func() string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unfinished = f
}

// whyLate returns why the case may have run out of time: the result of OnDeadline's function, or else that the server
// may be slow.
func (t *T) whyLate() string {
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

// lastCleanup removes and returns the cleanup that was registered last, or nil if none is left.
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

// runCleanup runs a cleanup. A panic in it is recorded as the subject's.
func (t *T) runCleanup(f func()) {
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
