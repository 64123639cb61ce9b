package store

import (
	"fmt"
	"runtime"
)

// driveBatchWaiting pops a batch that was waited for, and then a list of known size.
func driveBatchWaiting(d *driver) {
	p := d.startPop(evPopBatch)
	d.waits(p)
	d.apply(Add, d.object("a", "x"))
	if !d.ended(p) {
		return
	}
	d.apply(Update, d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	d.drainAs(evPopBatch)
}

// driveClose closes a queue that a Pop waits on, and adds to it afterwards.
func driveClose(d *driver) {
	p := d.startPop(evPop)
	d.waits(p)
	d.close()
	if !d.ended(p) || !d.pop(2) {
		return
	}
	d.apply(Add, d.object("a", "x"))
}

// driveCloseBatch closes a queue that a PopBatch waits on.
func driveCloseBatch(d *driver) {
	p := d.startPop(evPopBatch)
	d.waits(p)
	d.close()
	if d.ended(p) {
		d.popAs(evPopBatch, 1)
	}
}

// driveCloseLeft closes a queue that is not empty.
func driveCloseLeft(d *driver) {
	d.replace(d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	d.apply(Update, d.object("a", "x"))
	d.apply(Add, d.object("a", "z"))
	if d.pop(1) {
		d.drain()
	}
}

// driveCloseTwo closes a queue that two Pops wait on.
func driveCloseTwo(d *driver) {
	one, two := d.startPop(evPop), d.startPopBy("pop2", evPop)
	d.waits(one)
	d.waits(two)
	d.close()
	if d.ended(one) {
		d.ended(two)
	}
}

// consumerRounds is how often two Pops wait for two things: whether one of them runs between the two is the scheduler's.
const consumerRounds = 10

// driveTwoConsumers has two Pops wait, and puts two things, one right after the other: each Pop gets one.
func driveTwoConsumers(d *driver) {
	for n := range consumerRounds {
		one, two := d.startPop(evPop), d.startPopBy("pop2", evPop)
		d.waits(one)
		d.apply(Add, d.object("a", fmt.Sprintf("x%d", n)))
		d.apply(Add, d.object("a", fmt.Sprintf("y%d", n)))
		if !d.ended(one) || !d.ended(two) {
			return
		}
	}
	d.drain()
}

// driveListWaiting has a Pop wait for a list, and for one that lacks all.
func driveListWaiting(d *driver) {
	for _, list := range [][]Object{{d.object("a", "x")}, {}} {
		p := d.startPop(evPop)
		d.waits(p)
		d.replace(list...)
		if !d.ended(p) {
			return
		}
	}
	d.drain()
}

// driveResyncWaiting has a Pop wait for a resync.
func driveResyncWaiting(d *driver) {
	d.apply(Add, d.object("a", "x"))
	if !d.pop(1) {
		return
	}
	p := d.startPop(evPop)
	d.waits(p)
	d.resync()
	if d.ended(p) {
		d.drain()
	}
}

// driveBookmarkWaiting has a Pop wait for a bookmark.
func driveBookmarkWaiting(d *driver) {
	p := d.startPop(evPop)
	d.waits(p)
	d.bookmark()
	if d.ended(p) {
		d.drain()
	}
}

// driveQueueBeside has one pop what another puts.
func driveQueueBeside(d *driver) {
	if q, ok := part[Queue](d); ok {
		d.popsBeside(evPop, q.Pop)
	}
}

// driveBatchesBeside has it pop in batches.
func driveBatchesBeside(d *driver) {
	if q, ok := part[Batcher](d); ok {
		d.popsBeside(evPopBatch, q.PopBatch)
	}
}

// popsBeside has one actor put, another pop, and a third ask whether it has synced, none waiting for another.
func (d *driver) popsBeside(kind string, pop func() (Popped, error)) {
	d.apply(Add, d.object("a", "x"))
	d.apply(Update, d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	p := &popping{actor: "pop", done: make(chan struct{})}
	pops, asks := d.as(p.actor), d.as("r1")
	d.t.Go(func() {
		defer close(p.done)
		for failed := false; !failed; {
			pops.record(kind, func() (popped Popped, err error) {
				popped, err = pop()
				failed = err != nil
				return popped, err
			})
		}
	})
	d.t.Wait() // it waits, or has begun
	d.atOnce(func() {
		for i := range burstCalls {
			d.apply([]Verb{Add, Update}[i%2], d.object("a", []string{"x", "y", "z"}[i%3]))
			runtime.Gosched()
		}
		d.close()
	}, func() {
		for range burstLists {
			asks.synced()
			runtime.Gosched()
		}
	})
	if d.ended(p) {
		d.synced()
	}
}
