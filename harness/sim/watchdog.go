package sim

import "time"

const (
	// ticks is how often a watchdog looks while its wall passes.
	ticks = 100
	// asleep is the share of a tick below which a process does not use the processor, but sleeps. One that waits for a busy
	// processor gets more.
	asleep = 100
	// patience is how many walls of real time pass at most. A bubble that waits for ever beside goroutines that do a little would
	// else be waited for as long.
	patience = 10
)

// await waits for the end of something, for as long as wall of the process's own time, and reports whether it came. Its own time is
// the processor time that used returns, and the time in which it slept. Time in which it waited for a processor that others had, or
// was stopped, does not count.
func await(out <-chan Ending, wall time.Duration, used func() time.Duration) (Ending, bool) {
	tick := max(wall/ticks, time.Millisecond)
	every := time.NewTicker(tick)
	defer every.Stop()
	began, own, before := time.Now(), time.Duration(0), used()
	for own < wall && time.Since(began) < patience*wall {
		select {
		case end := <-out:
			return end, true
		case <-every.C:
		}
		now := used()
		if of := now - before; of < tick/asleep {
			own += tick
		} else {
			own += min(of, tick)
		}
		before = now
	}
	return Ending{}, false
}
