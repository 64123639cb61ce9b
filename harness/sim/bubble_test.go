package sim

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBubbleEndings shows each way in which a bubble can end, in a worker, because some leave goroutines that only the
// end of the process stops.
func TestBubbleEndings(t *testing.T) {
	cases := []struct {
		name string
		want How
		says string // in the message: it names the goroutine that is at fault
	}{
		{"fine", Done, ""},
		{"fortnight", Done, ""},
		{"panic", Panicked, "boom"},
		{"deadlock", Deadlock, "sim.init"},
		{"leak", Leak, "blocked goroutines remain"},
		{"sleeper", Leak, "time.Sleep"},
		{"mutex", Hang, "sync.(*Mutex).Lock"},
		{"spin", Hang, "sim.init"},
		{"hang", Hang, "try --real-time"},
	}
	var jobs []Job
	for _, c := range cases {
		jobs = append(jobs, Job{Body: "bubble:" + c.name, Wall: 5 * time.Minute})
	}
	require.NoError(t, Pool{Command: self, Size: 2}.Run(t.Context(), jobs, func(i int, r Reply) {
		c := cases[i]
		require.Nil(t, r.Died, c.name)
		var end Ending
		require.NoError(t, json.Unmarshal(r.Body, &end))
		assert.Equal(t, c.want, end.How, "%s: %s", c.name, end.Msg)
		assert.Contains(t, end.Msg, c.says, c.name)
	}))
}

// Under go test a bubble is the same, and gets the innermost testing.T.
func TestBubbleInTest(t *testing.T) {
	var cleaned atomic.Bool
	began := time.Now()
	end := Bubble(t, 5*time.Minute, func(inner *testing.T) {
		inner.Cleanup(func() { cleaned.Store(true) })
		at := time.Now()
		time.Sleep(time.Hour)
		assert.Equal(t, time.Hour, time.Since(at))
	})
	assert.Equal(t, Ending{}, end)
	assert.True(t, cleaned.Load(), "cleanups end with the bubble")
	assert.Less(t, time.Since(began), time.Minute)
}

// A bubble that hangs is given up after its wall, and can still end by itself.
func TestHangIsBounded(t *testing.T) {
	let := make(chan struct{})
	ended := make(chan struct{})
	end := Bubble(t, 50*time.Millisecond, func(*testing.T) {
		own := make(chan int)
		go waitsInside(own)
		<-let
		close(own)
		close(ended)
	})
	assert.Equal(t, Hang, end.How)
	assert.Contains(t, end.Msg, "TestHangIsBounded", "names who waits")
	assert.NotContains(t, end.Msg, "waitsInside", "and not who waits for those")
	close(let)
	<-ended
}

//go:noinline
func waitsInside(c chan int) { <-c }

func TestLive(t *testing.T) {
	assert.Equal(t, Ending{}, Live(time.Minute, func() {}))
	end := Live(time.Minute, func() { panic("boom") })
	assert.Equal(t, Panicked, end.How)
	assert.Contains(t, end.Msg, "boom")
	let := make(chan struct{})
	end = Live(20*time.Millisecond, func() { <-let })
	assert.Equal(t, Hang, end.How)
	close(let)
}

// TestLiveWhole checks that goroutines that f leaves behind are known from others of the process, and from those about
// to end.
func TestLiveWhole(t *testing.T) {
	let, ask := make(chan struct{}), make(chan func())
	wait := func() { <-let }
	beside := make(chan struct{})
	go func() { // another check
		defer close(beside)
		for f := range ask {
			go f()
		}
		wait()
	}()
	for _, c := range []struct {
		name string
		left int
		f    func()
	}{
		{"nothing", 0, func() {}},
		{"of another", 0, func() { ask <- wait }},
		{"about to end", 0, func() { go time.Sleep(50 * time.Millisecond) }},
		{"one", 1, func() { go wait() }},
		{"one that one started", 1, func() { go func() { go wait() }() }},
		{"many of two sorts", 101, func() {
			for range 100 {
				go wait()
			}
			go func() { <-let }()
		}},
	} {
		end := LiveWhole(5*time.Minute, 500*time.Millisecond, c.f)
		if c.left == 0 {
			assert.Equal(t, Ending{}, end, c.name)
			continue
		}
		assert.Equal(t, Leak, end.How, c.name)
		assert.Contains(t, end.Msg, fmt.Sprintf("%d goroutines are still there 500ms after the end", c.left), c.name)
		assert.Contains(t, end.Msg, "TestLiveWhole", "names them")
	}
	assert.Equal(t, Panicked, LiveWhole(time.Minute, time.Second, func() { go wait(); panic("boom") }).How)
	close(let)
	close(ask)
	<-beside
}
