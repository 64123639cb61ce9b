package informer

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Some things can be seen for no longer than a processor needs for them: in virtual time no sleep ends there. A goroutine
// on another processor that asks without a pause sees them. The words here do so; a flat story cannot.
const (
	tries    = 1_000_000   // of one short question, at most: some tenths of a second
	triesFor = time.Second // and not longer than that in real time
)

// stepAwaitSynced records only the last answer, as one of a call that took so long.
func stepAwaitSynced(d *driver, r *running, _ story.Step) error {
	s, ok := r.informer.(Synced)
	if !ok || !d.t.Has(HasSynced) {
		return story.SkipStep("needs the feature %s", HasSynced)
	}
	d.t.Do(harness.Call{Actor: r.actor, Kind: syncedKind}, func(context.Context) harness.Answer {
		begun, synced := time.Now(), false
		for n := 0; n < tries && !synced && time.Since(begun) < triesFor; n++ {
			runtime.Gosched()
			synced = s.HasSynced()
		}
		return harness.Answer{Body: readingBody{Synced: synced}}
	})
	r.readStore()
	return nil
}

func stepLookAtNewVersion(d *driver, r *running, _ story.Step) error {
	v, ok := r.informer.(Versioned)
	if !ok || !d.t.Virtual() || !d.t.Has(Version) {
		return story.SkipStep("needs virtual time and the feature %s", Version)
	}
	was := v.Version()
	for range 60_000 {
		d.t.Sleep(time.Millisecond)
		if v.Version() != was {
			r.look()
			return nil
		}
	}
	return nil
}

// besideWrites does something without a pause while writes are made: once at least before each of them, and at most times
// times while a write arrives.
func (d *driver) besideWrites(times int, f func(n int), writes int, write func(n int)) {
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
	d.Hasty = true
	for n := range writes {
		for len(may) < times {
			may <- struct{}{}
		}
		<-did
		write(n)
	}
	d.Hasty = false
	close(may)
	<-ended
}

// stepReadBeside reads the whole store while objects change, go and come, from the first on or from the last; and when a
// change has arrived, each key.
func stepReadBeside(d *driver, r *running, s story.Step) error {
	const objects, lists = 6, 30
	round, listed := make(chan int), make(chan struct{})
	changed := atomic.Int64{}
	d.t.Go(func() {
		defer close(listed)
		for n := range round {
			for i := 0; i < lists && changed.Load() == int64(n); i++ {
				r.readBeside()
			}
		}
	})
	d.Hasty = true
	patience := tries / 20
	for n := range s.N * objects {
		i := n % objects
		if n/objects%2 == 1 {
			i = objects - 1 - i
		}
		if n%objects == 0 {
			round <- n / objects
		}
		d.toggle(fmt.Sprint("o", i), n)
		if !r.shows(d.Key(fmt.Sprint("o", i)), patience) {
			patience = 0 // it takes its time
		}
		for i := range objects {
			r.get(d.Key(fmt.Sprint("o", i)))
		}
		changed.Store(int64((n + 1) / objects))
	}
	d.Hasty = false
	close(round)
	<-listed
	return nil
}

// toggle changes an object; each third time it deletes it, if it exists.
func (d *driver) toggle(name string, i int) {
	if d.Exists(name) && i%3 == 0 {
		d.Delete(name)
		return
	}
	d.Put(name, d.Fresh())
}

// shows waits without a pause until the store has an object as the drive wrote it last, and reports whether it has.
func (r *running) shows(key string, times int) (ok bool) {
	r.t.Try(r.actor, r.call, func() {
		for n := 0; n < times && !ok; n++ {
			runtime.Gosched()
			b, _ := r.informer.Get(key)
			rv := r.d.Version(key)
			ok = b == nil && rv == "" || b != nil && rig.Object(r.t, b).RV == rv
		}
	})
	return ok
}

func stepIndexBeside(d *driver, r *running, s story.Step) error {
	const objects = 3
	d.besideWrites(12, func(n int) { r.readValue([]string{"one", "two"}[n%2]) }, s.N, func(n int) {
		name := fmt.Sprint("o", n%objects)
		if n%5 == 4 {
			d.Delete(name)
		}
		d.Label(name, []string{"two", "one"}[n/objects%2])
	})
	return nil
}

func stepHandleBeside(d *driver, r *running, s story.Step) error {
	const objects = 10
	d.besideWrites(1, func(n int) { r.handle(fmt.Sprint("late", n), 0, nil) }, s.N, func(n int) { d.toggle(fmt.Sprint("o", n%objects), n) })
	return nil
}
