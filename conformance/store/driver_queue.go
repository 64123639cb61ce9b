package store

import (
	"time"

	"github.com/lwtest/lwtest/harness"
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
func (p *popping) returned() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// startPopBy begins a Pop of an actor, in the background.
func (d *driver) startPopBy(actor, kind string) *popping {
	p := &popping{actor: actor, done: make(chan struct{})}
	q, ok := d.s.(Queue)
	if !ok {
		close(p.done)
		part[Queue](d)
		return p
	}
	pop := q.Pop
	if kind == evPopBatch {
		b, _ := part[Batcher](d)
		pop = b.PopBatch
	}
	c := d.as(actor)
	d.t.Go(func() {
		defer close(p.done)
		p.err = c.record(kind, pop)
	})
	d.t.Wait()
	return p
}

// record makes and records a Pop, and returns its error.
func (d *driver) record(kind string, pop func() (Popped, error)) (err error) {
	d.do(kind, history.Ref{}, args{}, func() (harness.Answer, error) {
		popped, failed := pop()
		err = failed
		return harness.Answer{Body: popped}, failed
	})
	return err
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
	if q, ok := part[Queue](d); ok {
		d.do(evSynced, history.Ref{}, args{}, func() (harness.Answer, error) {
			yes, err := q.Synced()
			return harness.Answer{Body: body{Synced: &yes}}, err
		})
	}
}

func (d *driver) close() {
	if q, ok := part[Queue](d); ok {
		d.shut = true
		d.do(evClose, history.Ref{}, args{}, func() (harness.Answer, error) { return harness.Answer{}, q.Close() })
	}
}
