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

// startPop begins a Pop in the background.
func (d *driver) startPop(kind string) *popping { return d.startPopBy("pop", kind) }

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
	default:
	}
	if d.t.Virtual() {
		select {
		case <-p.done:
			return true
		case <-time.After(patience): // one that is slow costs no more than its time
		}
		d.t.Idle()
		select {
		case <-p.done:
			return true
		default:
		}
		d.t.Settled(p.actor, 0, "")
		d.stuck = true
		return false
	}
	select {
	case <-p.done:
		return true
	case <-time.After(patience):
		d.t.GiveUp("a Pop had not returned after %s", patience)
		d.stuck = true
		return false
	}
}

// waits lets a Pop wait that has nothing to give, until everything is idle.
func (d *driver) waits(p *popping) {
	if !d.t.Virtual() {
		d.t.Sleep(50 * time.Millisecond)
		return
	}
	d.t.Idle()
	select {
	case <-p.done:
	default:
		d.t.Settled(p.actor, 0, "")
	}
}

// pop takes n items; false: one did not come.
func (d *driver) pop(n int) bool { return d.popAs(evPop, n) }

func (d *driver) popAs(kind string, n int) bool {
	for range n {
		if d.stuck || !d.ended(d.startPop(kind)) {
			return false
		}
	}
	return true
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

// drain closes the queue and pops what is left, as long as there is something.
func (d *driver) drain() { d.drainAs(evPop) }

func (d *driver) drainAs(kind string) {
	if d.stuck {
		return
	}
	d.close()
	q, ok := part[Queue](d)
	for range 1000 {
		if !ok || d.stuck {
			return
		}
		if p := d.startPop(kind); !d.ended(p) || p.err != nil {
			return
		}
	}
	d.t.GiveUp("the queue is closed, and gives more and more: %T", q)
}
