package listerwatcher

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// reading is an open watch that a goroutine reads to its end.
type reading struct {
	d     *driver
	actor string
	call  int32
	w     Watch
	done  chan struct{}
	ended atomic.Bool // it was stopped

	pause   time.Duration // after each event, before the next is read
	pausing atomic.Bool

	mu   sync.Mutex
	came map[string]chan struct{} // by name of an object: closed when an event shows it
}

func (d *driver) reading(actor string) *reading {
	return &reading{d: d, actor: actor, done: make(chan struct{}), came: map[string]chan struct{}{}}
}

// open opens the watch, and returns what a history keeps of the answer. After an error w is nil.
func (r *reading) open(ctx context.Context, o metav1.ListOptions) harness.Answer {
	given := o.DeepCopy()
	w, err := r.d.the().(Watcher).Watch(ctx, given)
	switch {
	case err != nil:
		return r.d.refused(err, o, *given)
	case w == nil:
		return harness.Answer{Err: nothing}
	}
	r.w = w
	return harness.Answer{Body: returned{After: changed(o, *given)}}
}

// readSlowly reads with a pause after each event, and records when it begins.
func (r *reading) readSlowly(pause time.Duration) {
	r.pause = pause
	r.d.t.Do(harness.Call{Actor: r.actor, Kind: readKind, Args: readArgs{r.call, pause}}, func(context.Context) harness.Answer { return harness.Answer{} })
	r.read()
}

// read records what comes, until the stream ends or the case does.
func (r *reading) read() {
	defer close(r.done)
	for {
		var e Event
		var ok bool
		r.d.t.Try(r.actor, r.call, func() { e, ok = r.w.Next(r.d.t.Context()) })
		switch {
		case !ok && r.d.t.Context().Err() != nil:
			return
		case !ok:
			r.d.t.Seen(r.actor, history.Ended, r.call, harness.Answer{})
			return
		}
		r.d.t.Seen(r.actor, e.Type, r.call, r.event(e))
		r.signal(e)
		if r.pause > 0 {
			r.pausing.Store(true)
			r.d.t.Sleep(r.pause)
			r.pausing.Store(false)
		}
	}
}

// event is what a history keeps of one. The object of an ERROR is a Status if it has a status or a code: many an exception of a
// library keeps no more than the code.
func (r *reading) event(e Event) harness.Answer {
	var s metav1.Status
	if e.Type == errorType && json.Unmarshal(e.Object, &s) == nil && (s.Status != "" || s.Code != 0) {
		a := harness.Answer{Err: &history.Error{Code: int(s.Code), Reason: string(s.Reason), Msg: s.Message}}
		if b, ok := rig.StatusBodyOf(s).(rig.StatusBody); ok {
			a.Body = returned{StatusBody: &b}
		}
		return a
	}
	return harness.Answer{Obj: rig.Object(r.d.t, e.Object)}
}

const errorType = "ERROR"

// expect gives a channel that is closed when an event shows an object of that name.
func (r *reading) expect(name string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.came[name] == nil {
		r.came[name] = make(chan struct{})
	}
	return r.came[name]
}

func (r *reading) signal(e Event) {
	var m struct {
		Metadata struct{ Name string } `json:"metadata"`
	}
	_ = json.Unmarshal(e.Object, &m) // of what is no object nobody waits
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.came[m.Metadata.Name]; c != nil {
		close(c)
		r.came[m.Metadata.Name] = nil
	}
}

// The kinds of what a drive does to a watch.
const (
	stopKind   = "STOP"
	cancelKind = "CANCEL" // of any call
	readKind   = "READ"   // begins to read a watch of a story: that may be later, or slow
)

// stop stops it, as a call of the drive's.
func (r *reading) stop() {
	r.d.t.Do(harness.Call{Actor: r.actor, Kind: stopKind, Args: endArgs{r.call}}, func(context.Context) harness.Answer {
		r.ended.Store(true)
		r.w.Stop()
		return harness.Answer{}
	})
}

// readArgs are the arguments of READ.
type readArgs struct {
	Watch int32         `json:"watch"`           // the number of its call
	Pause time.Duration `json:"pause,omitempty"` // ns, after each event
}

// endArgs says which watch is meant: the number of its call.
type endArgs struct {
	Watch int32 `json:"watch"`
}
