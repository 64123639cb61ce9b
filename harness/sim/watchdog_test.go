package sim

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A watchdog counts the time that the process had, and not the time in which other processes had the processor.
func TestAwait(t *testing.T) {
	const wall = 5 * time.Second
	for _, c := range []struct {
		name  string
		share float64 // of the processor
		after time.Duration
	}{
		{"it sleeps", 0, wall},
		{"it nearly sleeps", 0.005, wall},
		{"it spins", 1, wall},
		{"it spins on four cores", 4, wall},
		{"it gets a fifth of the processor", 0.2, 5 * wall},
		{"it gets so little that nobody waits for its end", 0.02, patience * wall},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				used := func() time.Duration { return time.Duration(c.share * float64(time.Since(began))) }
				_, ended := await(nil, wall, used)
				assert.False(t, ended)
				assert.InDelta(t, c.after.Seconds(), time.Since(began).Seconds(), 0.2)
			})
		})
	}
}

// What ends in time by the process's own clock has ended, however long that took.
func TestAwaitSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out, began := make(chan Ending), time.Now()
		go func() {
			time.Sleep(40 * time.Second)
			out <- Ending{How: Leak}
		}()
		end, ended := await(out, 5*time.Second, func() time.Duration { return time.Since(began) / 10 })
		assert.True(t, ended)
		assert.Equal(t, Leak, end.How)
	})
}

// The processor time of a process passes while it spins.
func TestProcessorTime(t *testing.T) {
	for before := processorTime(); processorTime() == before; {
	}
}
