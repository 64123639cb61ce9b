// Package sim runs checks in virtual time: the bubble with its watchdog, and
// worker processes that a crash costs one verdict.
package sim

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Ending is how a bubble ended.
type Ending struct {
	How How
	Msg string // with stacks, where there are any
}

// How a bubble ended.
type How string

const (
	Done     How = ""         // f returned and left nothing behind
	Panicked How = "panicked" // f panicked in its own goroutine
	Deadlock How = "deadlock" // every goroutine waits for another and no timer is set
	Leak     How = "leak"     // f returned, goroutines of the bubble did not
	Hang     How = "hang"     // real time passed and fake time did not
)

// Bubble runs f in a testing/synctest bubble of t: time is fake, and it moves
// when every goroutine is durably blocked. f gets the bubble's own testing.T,
// whose cleanups run inside. Bubble never panics, and never blocks
// longer than wall of real time: after that the bubble is given up (How is
// Hang) and goes on in the background, which only the end of the process stops.
//
// A panic in a goroutine that f started cannot be caught: it ends the process.
// Run bubbles of others' code in a worker.
func Bubble(t *testing.T, wall time.Duration, f func(*testing.T)) Ending {
	out := make(chan Ending, 1)
	go func() {
		var end Ending
		returned, own := false, ""
		defer func() {
			if p := recover(); p != nil {
				end = Ending{Deadlock, fmt.Sprintf("%v\n\n%s", p, blocked(own))}
				if returned {
					end.How = Leak
				}
			}
			out <- end
		}()
		synctest.Test(t, func(inner *testing.T) {
			defer func() {
				if p := recover(); p != nil {
					end = Ending{Panicked, fmt.Sprintf("%v\n\n%s", p, debug.Stack())}
				}
				returned = true
			}()
			own = bubbleOf(currentStack())
			f(inner)
		})
	}()
	limit := time.NewTimer(wall)
	defer limit.Stop()
	select {
	case end := <-out:
		return end
	case <-limit.C:
		return Ending{Hang, fmt.Sprintf("no progress within %s of real time; fake time stands still while a goroutine waits for a lock, "+
			"for a channel made outside the bubble, or spins: try --real-time\n\n%s", wall, running())}
	}
}

// Live runs f in real time under the same watchdog. A goroutine that f leaves
// behind is not noticed here: see LiveWhole.
func Live(wall time.Duration, f func()) Ending {
	out := make(chan Ending, 1)
	go func() {
		end := Ending{Panicked, "its goroutine was ended"} // by Goexit, unless it says otherwise
		defer func() {
			if p := recover(); p != nil {
				end.Msg = fmt.Sprintf("%v\n\n%s", p, debug.Stack())
			}
			out <- end
		}()
		f()
		end = Ending{}
	}()
	limit := time.NewTimer(wall)
	defer limit.Stop()
	select {
	case end := <-out:
		return end
	case <-limit.C:
		return Ending{Hang, fmt.Sprintf("not finished after %s\n\n%s", wall, running())}
	}
}

// blocked are the goroutines of a bubble, but not those that another has left; running those of bubbles that are not
// durably blocked, or all but the runtime's if there are none.
func blocked(bubble string) string {
	return strings.Join(filter(stacks(), func(head string) bool { return bubbleOf(head) == bubble }), "\n\n")
}

// bubbleOf is what the head of a stack calls its bubble; "": it is in none.
func bubbleOf(stack string) string {
	_, name, ok := strings.Cut(stack, "synctest bubble ")
	if !ok {
		return ""
	}
	name, _, _ = strings.Cut(name, "]")
	return name
}

func currentStack() string {
	buf := make([]byte, 1<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

func running() string {
	all := stacks()
	in := filter(all, func(head string) bool {
		return strings.Contains(head, "synctest bubble") && !strings.Contains(head, "durable")
	})
	if len(in) == 0 {
		in = filter(all, func(head string) bool { return !strings.Contains(head, "goroutine 1 ") })
	}
	return strings.Join(in, "\n\n")
}

func filter(all []string, keep func(head string) bool) []string {
	var out []string
	for _, s := range all {
		head, _, _ := strings.Cut(s, "\n")
		if keep(head) {
			out = append(out, s)
		}
	}
	return out
}

// stacksMax bounds what is kept of a process with very many goroutines.
const stacksMax = 256 << 10

func stacks() []string {
	buf := make([]byte, stacksMax)
	return strings.Split(strings.TrimSpace(string(buf[:runtime.Stack(buf, true)])), "\n\n")
}

// Inside runs f as if `go test` did, in an ordinary binary: synctest wants a
// testing.T, and this is the way to have one. It does not return: the process
// ends with status 0 once f has returned. The testing package prints to
// standard output.
func Inside(f func(*testing.T)) {
	os.Args = os.Args[:1] // testing parses flags of its own
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "lwtest", F: f}}, nil, nil)
}
