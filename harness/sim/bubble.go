// Package sim runs checks in virtual time: in bubbles with a watchdog, and in worker processes, so that a crash costs
// one verdict.
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

// Ending says how a bubble ended.
type Ending struct {
	How How
	Msg string // with stacks, if there are any
}

// How is the way in which a bubble ended.
type How string

const (
	Done     How = ""         // f returned and left nothing behind
	Panicked How = "panicked" // f panicked in its own goroutine
	Deadlock How = "deadlock" // every goroutine waits for another and no timer is set
	Leak     How = "leak"     // f returned, goroutines of the bubble did not
	Hang     How = "hang"     // f had the processor, but fake time did not pass
)

// Bubble runs f in a testing/synctest bubble of t: time is fake, and it moves when every goroutine is durably blocked.
// f gets the bubble's own testing.T, whose cleanups run inside. Bubble never panics. It waits for wall of the process's own
// time: the processor time that it had, and the time in which it slept. After that it returns Hang, and the bubble goes on in the background
// until the process ends.
//
// A panic in a goroutine that f started cannot be caught and ends the process, so run bubbles of foreign code in a
// worker.
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
	end, ended := await(out, wall, processorTime)
	if !ended {
		return Ending{Hang, fmt.Sprintf("no progress within %s of the process's own time; fake time stands still while a goroutine "+
			"waits for a lock, for a channel made outside the bubble, or spins: try --real-time, or a larger --timeout if it only needs longer\n\n%s", wall, running())}
	}
	return end
}

// Live runs f in real time with the same watchdog. It does not notice goroutines that f leaves behind: see LiveWhole.
func Live(wall time.Duration, f func()) Ending {
	out := make(chan Ending, 1)
	go func() {
		end := Ending{Panicked, "its goroutine was ended"} // set by Goexit, unless changed below
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

// blocked returns the stacks of a bubble's goroutines. running returns those of goroutines in bubbles that are not
// durably blocked, or, if there are none, all but the runtime's.
func blocked(bubble string) string {
	return strings.Join(filter(stacks(), func(head string) bool { return bubbleOf(head) == bubble }), "\n\n")
}

// bubbleOf returns the name of the bubble in the head of a stack, or "" if it is in none.
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

// stacksMax bounds the bytes of stacks that are kept of a process with very many goroutines.
const stacksMax = 256 << 10

func stacks() []string {
	buf := make([]byte, stacksMax)
	return strings.Split(strings.TrimSpace(string(buf[:runtime.Stack(buf, true)])), "\n\n")
}

// Inside runs f as `go test` would, in an ordinary binary, because synctest needs a testing.T. It does not return: the
// process ends with status 0 when f has returned. The testing package prints to standard output.
func Inside(f func(*testing.T)) {
	os.Args = os.Args[:1] // testing parses flags of its own
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "lwtest", F: f}}, nil, nil)
}
