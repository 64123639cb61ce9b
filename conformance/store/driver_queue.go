package store

import (
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// patience is how long a Pop in real time may take that has something to give; in virtual time it is looked at longer.
const patience = 5 * time.Second

// popping is a Pop that is under way, or has ended.
type popping struct {
	actor string
	done  chan struct{}
	err   error // once done is closed
}

// returned reports whether the Pop has ended.
func (p *popping) returned() bool { return closed(p.done) }

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// startPopBy begins a Pop of an actor, in the background.
func (d *driver) startPopBy(actor, kind string) *popping {
	p := &popping{actor: actor, done: make(chan struct{})}
	c := d.as(actor)
	d.t.Go(func() {
		defer close(p.done)
		p.err = c.pop(kind)
	})
	d.t.Wait()
	return p
}

// pop makes a Pop, or a PopBatch, and returns its error.
func (d *driver) pop(kind string) (failed error) {
	record := func(pop func() (Popped, error)) (answer, error) {
		popped, err := pop()
		failed = err
		return answer{Body: popped}, err
	}
	if kind == evPopBatch {
		ask(d, kind, history.Ref{}, args{}, func(b Batcher) (answer, error) { return record(b.PopBatch) })
	} else {
		ask(d, kind, history.Ref{}, args{}, func(q Queue) (answer, error) { return record(q.Pop) })
	}
	return failed
}

// ended waits for a Pop that has something to give. One that gives nothing is
// recorded as waiting where that can be seen, and ends the drive.
func (d *driver) ended(p *popping) bool {
	select {
	case <-p.done:
		return true
	case <-time.After(patience): // in virtual time one that is slow costs no more than its time
	}
	if !d.t.Virtual() {
		d.t.GiveUp("a Pop had not returned after %s", patience)
	} else if d.t.Idle(); p.returned() {
		return true
	} else {
		d.t.Settled(p.actor, 0, "")
	}
	d.stuck = true
	return false
}

func (d *driver) synced() {
	ask(d, evSynced, history.Ref{}, args{}, func(q Queue) (answer, error) {
		yes, err := q.Synced()
		return answer{Body: body{Synced: &yes}}, err
	})
}

func (d *driver) close() {
	d.shut = true
	ask(d, evClose, history.Ref{}, args{}, func(q Queue) (answer, error) { return answer{}, q.Close() })
}
