package store

import "runtime"

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
