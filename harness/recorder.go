package harness

import (
	"fmt"
	"sync"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// maxEvents is how many events a case may record before it is cut off.
const maxEvents = 1 << 18

// recorder collects the events of one case in the order in which they were seen. It logs each at once, so that a crash
// loses none. Its methods may be called concurrently.
type recorder struct {
	mu     sync.Mutex
	start  time.Time
	events []history.Event
	steps  []history.Step // of the story, beside the events
	log    *history.Log   // nil: none
	err    error          // the first error of the log
	closed bool           // the case is over: later events are dropped
	frozen bool           // the bubble is over and its clock has stopped
	last   int64          // At of the last event
	limit  int
	full   func() // called once, when limit is reached
}

// add records an event and returns its number, or 0 if the case is over.
func (r *recorder) add(e history.Event) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(e)
}

// record does what add does. The caller holds the lock.
func (r *recorder) record(e history.Event) int32 {
	if r.closed || len(r.events) > r.limit {
		return 0
	}
	if len(r.events) == r.limit {
		r.full()
		e = history.Event{Actor: history.Engine, Kind: history.GaveUp,
			X: &history.Ext{Err: &history.Error{Msg: fmt.Sprintf("flooded: more than %d events in one check", r.limit)}}}
	}
	e.Num = int32(len(r.events) + 1)
	if !r.frozen {
		r.last = int64(time.Since(r.start))
	}
	e.At = r.last
	r.events = append(r.events, e)
	if r.log != nil {
		if err := r.log.Write(&e); err != nil && r.err == nil {
			r.err = err
		}
	}
	return e.Num
}

// step records that the drive has come to a step of its story.
func (r *recorder) step(s history.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	s.At, s.After = int64(time.Since(r.start)), int32(len(r.events))
	r.steps = append(r.steps, s)
	if r.log != nil {
		if err := r.log.WriteStep(&s); err != nil && r.err == nil {
			r.err = err
		}
	}
}

// lastStep describes the last step that the drive came to. It returns "" if the drive plays no story.
func (r *recorder) lastStep() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.steps) == 0 {
		return ""
	}
	s := r.steps[len(r.steps)-1]
	return fmt.Sprintf(", in step %d (%s)", s.Num, s.Text)
}

// end records the last event of the case. Later events are dropped.
func (r *recorder) end(e history.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(e)
	r.closed = true
}

// freeze stops the clock. The engine still records events after the bubble has ended.
func (r *recorder) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frozen = true
}

// finish ends the recording and returns the history.
func (r *recorder) finish(h history.Header) (*history.History, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.log != nil && r.err == nil {
		r.err = r.log.Close()
	}
	if r.err != nil {
		return nil, fmt.Errorf("the history could not be written: %w", r.err)
	}
	out, err := history.New(h, r.events)
	if err != nil {
		return nil, fmt.Errorf("the drive recorded an invalid history: %w", err)
	}
	out.Steps = r.steps
	return out, nil
}
