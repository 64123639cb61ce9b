package harness

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostile holds subjects and drives that would stop the whole process. Each must cost only one verdict. They run in
// processes of their own, because some never end.
var hostile = map[string]struct {
	make    func() Case
	want    Verdict
	reason  string // its beginning
	stack   []string
	damaged bool
}{
	"deadlock": {
		make: func() Case { return virtualToy(func(t *T, _ *toy) { ping(t); <-make(chan int) }) },
		want: Inconclusive, reason: "deadlock: ", stack: []string{"goroutine", "chan receive"}, damaged: true,
	},
	"deadlock in a call": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { select {} })
			})
		},
		want: Inconclusive, reason: "deadlock: ", damaged: true,
	},
	"deadlock of a second goroutine": {
		make: func() Case { return virtualToy(func(t *T, _ *toy) { ping(t); t.Go(func() { <-make(chan int) }) }) },
		want: Inconclusive, reason: "deadlock: ", damaged: true,
	},
	"deadlock in a cleanup": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) { ping(t); t.Cleanup(func() { <-make(chan int) }) })
		},
		want: Inconclusive, reason: "deadlock: ", damaged: true,
	},
	"leak": {
		make: func() Case { return virtualToy(func(t *T, _ *toy) { ping(t); go func() { <-make(chan int) }() }) },
		want: Inconclusive, reason: "leak: ", stack: []string{"goroutine", "chan receive"}, damaged: true,
	},
	"mutex": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				var mu sync.Mutex
				mu.Lock()
				ping(t)
				mu.Lock() // not durably blocked: fake time stands still
			})
		},
		want: Inconclusive, reason: "hang: no progress within 300ms of the process's own time", stack: []string{"sync.Mutex.Lock", "try --real-time"}, damaged: true,
	},
	"mutex in a cleanup": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				var mu sync.Mutex
				mu.Lock()
				t.Cleanup(mu.Lock)
			})
		},
		want: Inconclusive, reason: "hang: no progress", damaged: true,
	},
	"a channel of outside": {
		make: func() Case {
			never := make(chan int) // like wait.NeverStop
			return virtualToy(func(t *T, _ *toy) { ping(t); <-never })
		},
		want: Inconclusive, reason: "hang: no progress", stack: []string{"chan receive"}, damaged: true,
	},
	"spin": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				for {
					runtime.Gosched()
				}
			})
		},
		want: Inconclusive, reason: "hang: no progress", damaged: true,
	},
	"it records while it is given up": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				for {
					t.Seen("w1", "ADDED", 0, Answer{})
					t.Settled("w1", 0, "7")
				}
			})
		},
		want: Inconclusive, reason: "", damaged: true, // a flood or a hang, whichever comes first
	},
	"it records while it is given up, in real time": {
		make: func() Case {
			c := realToy(func(t *T, _ *toy) {
				for {
					t.Seen("w1", "ADDED", 0, Answer{})
					time.Sleep(time.Millisecond)
					ping(t)
					t.Cleanup(func() {})
				}
			})
			c.Span = 100 * time.Millisecond
			return c
		},
		want: Inconclusive, reason: "hang: not finished after 400ms", stack: []string{"goroutine"}, damaged: true,
	},
	"the context is ignored": {
		make: func() Case {
			c := realToy(func(t *T, _ *toy) {
				ping(t)
				t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { select {} })
			})
			c.Span = 100 * time.Millisecond
			return c
		},
		want: Inconclusive, reason: "hang: not finished after 400ms", stack: []string{"select (no cases)"}, damaged: true,
	},
	"a cleanup blocks in real time": {
		make: func() Case {
			c := realToy(func(t *T, _ *toy) { ping(t); t.Cleanup(func() { select {} }) })
			c.Span = 100 * time.Millisecond
			return c
		},
		want: Inconclusive, reason: "hang: not finished after 400ms", damaged: true,
	},
	"a goroutine blocks in real time": {
		make: func() Case {
			c := realToy(func(t *T, _ *toy) { ping(t); t.Go(func() { select {} }) })
			c.Span = 100 * time.Millisecond
			return c
		},
		want: Inconclusive, reason: "hang: not finished after 400ms", damaged: true,
	},
	"a crash, and then a deadlock": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				done := make(chan int)
				t.Go(func() {
					t.Do(Call{Actor: "c1", Kind: "PING"}, func(context.Context) Answer { panic("boom") })
					close(done)
				})
				<-done
			})
		},
		want: Fail, reason: "deadlock: ", stack: []string{"panic: boom"}, damaged: true,
	},
	"nobody's Goexit": {
		make: func() Case { return virtualToy(func(t *T, _ *toy) { ping(t); runtime.Goexit() }) },
		want: Inconclusive, reason: "the drive did not return: its goroutine was ended",
	},
	"a fatal error of the bubble's own test": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				ping(t)
				t.Testing().Fatal("the vendor gives up")
			})
		},
		want: Inconclusive, reason: "the drive did not return: its goroutine was ended",
	},
	"a fatal error of the test in real time": {
		make: func() Case {
			return realToy(func(t *T, _ *toy) {
				ping(t)
				t.Testing().Fatal("the vendor gives up")
			})
		},
		want: Inconclusive, reason: "the drive did not return: its goroutine was ended",
	},
	"a fatal error in a cleanup": {
		make: func() Case {
			return virtualToy(func(t *T, _ *toy) {
				ping(t)
				t.Cleanup(func() { t.GiveUp("the other cleanup") })
				t.Cleanup(func() { t.Testing().FailNow() })
			})
		},
		want: Inconclusive, reason: "a cleanup did not return",
	},
}

func TestHostile(t *testing.T) {
	for name, c := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _ := child(t, name, nil)
			_, text, found := strings.Cut(out, "\nRESULT ")
			require.True(t, found, out)
			text, _, _ = strings.Cut(text, "\n")
			var r struct {
				Result
				Damaged bool
			}
			require.NoError(t, json.Unmarshal([]byte(text), &r))
			assert.Equal(t, c.want, r.Verdict)
			assert.True(t, strings.HasPrefix(r.Reason, c.reason), "%q", r.Reason)
			for _, s := range c.stack {
				assert.Contains(t, r.Stack, s)
			}
			assert.Equal(t, c.damaged, r.Damaged)
			assert.NotContains(t, out, "DATA RACE")
		})
	}
}
