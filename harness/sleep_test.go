package harness

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Sleeps that would end at the same instant end one after the other, because Go fires timers of one instant in any
// order.
func TestSleepsEndApart(t *testing.T) {
	var mu sync.Mutex
	woken := map[time.Time]bool{}
	const sleepers = 20
	Run(virtualToy(func(t *T, _ *toy) {
		var wg sync.WaitGroup
		defer wg.Wait() // the case ends with the drive, and with it each sleep
		for range sleepers {
			wg.Add(1)
			t.Go(func() {
				defer wg.Done()
				t.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				woken[time.Now()] = true
			})
		}
	}), Options{TB: t})
	assert.Len(t, woken, sleepers)
}
