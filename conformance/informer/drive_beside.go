package informer

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
)

// Some things are to be seen for no longer than a processor needs for them: in virtual time no sleep ends there. Who
// asks without a pause, on another processor, sees them.
const (
	tries    = 1_000_000   // of one short question, at most: some tenths of a second
	triesFor = time.Second // and not longer than that, where time is real
)

// awaitSynced asks whether it has synced, without a pause, and reads the store as soon as it has. Only the last answer is
// recorded, as one of a call that took so long.
func (r *running) awaitSynced() {
	s, ok := r.informer.(Synced)
	if !ok || !r.t.Has(HasSynced) {
		return
	}
	r.t.Do(harness.Call{Actor: r.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
		begun, synced := time.Now(), false
		for n := 0; n < tries && !synced && time.Since(begun) < triesFor; n++ {
			runtime.Gosched()
			synced = s.HasSynced()
		}
		return harness.Answer{Body: said{Synced: synced}}
	})
	r.readStore()
}

func driveSyncedAtOnce(d *driver) {
	d.some(150)
	d.start()
	d.awaitSynced()
	d.settle()
}

// beside does something without a pause while writes are made: once at least before each of them, and so often, at most,
// while what was written comes.
func (d *driver) beside(times int, f func(n int), writes int, write func(n int)) {
	may, did, ended := make(chan struct{}, times), make(chan struct{}, 1), make(chan struct{})
	d.t.Go(func() {
		defer close(ended)
		defer close(did)
		n := 0
		for range may {
			f(n)
			n++
			select {
			case did <- struct{}{}:
			default:
			}
		}
	})
	d.hasty = true // who makes no pause lets no fake time pass
	for n := range writes {
		for len(may) < times {
			may <- struct{}{}
		}
		<-did
		write(n)
	}
	d.hasty = false
	close(may)
	<-ended
}

// driveReadsBeside reads the whole store without a pause, while objects change, go and come, one after the other, from the
// first on or from the last; and when each change has come, each key.
func driveReadsBeside(d *driver) {
	const objects, rounds, lists = 6, 12, 30
	d.some(objects)
	d.start()
	d.settle()
	round, listed := make(chan int), make(chan struct{})
	changed := atomic.Int64{}
	d.t.Go(func() {
		defer close(listed)
		for n := range round {
			for i := 0; i < lists && changed.Load() == int64(n); i++ {
				d.readBeside()
			}
		}
	})
	d.hasty = true // who makes no pause lets no fake time pass
	patience := tries / 20
	for n := range rounds * objects {
		i := n % objects
		if n/objects%2 == 1 {
			i = objects - 1 - i
		}
		if n%objects == 0 {
			round <- n / objects
		}
		d.flip(fmt.Sprint("o", i), n)
		if !d.shows(fmt.Sprintf("%s/o%d", d.home, i), patience) {
			patience = 0 // it takes its time
		}
		for i := range objects {
			d.get(fmt.Sprintf("%s/o%d", d.home, i))
		}
		changed.Store(int64((n + 1) / objects))
	}
	d.hasty = false
	close(round)
	<-listed
	d.settle()
}

// shows waits, without a pause, until the store has an object as the drive wrote it last.
func (d *driver) shows(key string, times int) (ok bool) {
	d.t.Try(d.actor, d.call, func() {
		for n := 0; n < times && !ok; n++ {
			runtime.Gosched()
			b, _ := d.informer.Get(key)
			ok = b == nil && !d.alive[key] || b != nil && d.alive[key] && rig.Object(d.t, b).RV == d.written[key]
		}
	})
	return ok
}

// driveIndexBeside reads the index while objects get other values, go and come.
func driveIndexBeside(d *driver) {
	const objects = 3
	for i := range objects {
		d.label(fmt.Sprint("o", i), "one")
	}
	d.start()
	d.settle()
	d.beside(12, func(n int) { d.readValue([]string{"one", "two"}[n%2]) }, 12*objects, func(n int) {
		name := fmt.Sprint("o", n%objects)
		if n%5 == 4 {
			d.remove(name)
		}
		d.label(name, []string{"two", "one"}[n/objects%2])
	})
	d.settle()
}

// driveLateBeside has handlers join while objects change, go and come.
func driveLateBeside(d *driver) {
	const objects = 10
	d.some(objects)
	d.start()
	d.settle()
	d.beside(1, func(n int) { d.handle(fmt.Sprint("late", n), 0) }, 2*objects, func(n int) { d.flip(fmt.Sprint("o", n%objects), n) })
	d.settle()
}
