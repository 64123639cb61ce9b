// Package watchcache has subjects of the kind watchcache that misbehave
// towards lwtest itself: they crash, hang, flood or leak. Each must cost the
// check that drives it one verdict, and the run nothing.
package watchcache

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
)

// Hostile makes a subject out of a good one.
type Hostile struct {
	Name  string
	About string
	Wrap  func(conformance.Subject) conformance.Subject
	Want  harness.Verdict // of a check that meets the fault; one that does not passes
	Rule  string          // address with kind of the rule that it breaks; empty: none
}

const (
	survives = "watchcache/subject/survives"
	unique   = "watchcache/watch/unique"
)

// All are the hostile subjects, one of each sort.
var All = []Hostile{
	{"panic", "panics in a call", once(func(context.Context) { panic("hostile: panic in a call") }), harness.Fail, survives},
	{"panic-aside", "panics in a goroutine of its own", once(panicAside), harness.Fail, survives},
	{"panic-watch", "panics when its watch is read", watching(func(w *stream) { w.panics = true }), harness.Fail, survives},
	{"exit-0", "ends the process as if all were well", once(func(context.Context) { os.Exit(0) }), harness.Fail, survives},
	{"exit-7", "ends the process", once(func(context.Context) { exit(7) }), harness.Fail, survives},
	{"deadlock", "waits for ever for a channel made inside the bubble", once(func(context.Context) { <-make(chan int) }), harness.Inconclusive, ""},
	{"outside", "waits for ever for a channel made outside the bubble", once(func(context.Context) { <-outside }), harness.Inconclusive, ""},
	{"mutex", "waits for ever for a lock", once(lockTwice), harness.Inconclusive, ""},
	{"mutex-over-time", "waits for a lock that is held while fake time should pass", once(lockOverTime), harness.Inconclusive, ""},
	{"spin", "never yields", once(func(context.Context) { spin() }), harness.Inconclusive, ""},
	{"flood", "sends the same event without end, which is forbidden by itself", watching(func(w *stream) { w.floods = true }), harness.Fail, unique},
	{"noise", "writes 100 MB of garbage to stdout and stderr", once(func(context.Context) { noise() }), harness.Pass, ""},
	{"descriptor", "writes garbage to every descriptor it can guess", once(func(context.Context) { scribble() }), harness.Inconclusive, ""},
	{"leak", "leaves goroutines behind", once(func(context.Context) { leak() }), harness.Inconclusive, ""},
	{"no-context", "ignores its context, and its watches do not stop", ignoring, harness.Pass, ""},
	{"nil", "answers with neither an object nor an error", answering(func(a *answers) { a.none = true }), harness.Inconclusive, ""},
	{"slow", "takes a minute of fake time for each answer", always(func(context.Context) { time.Sleep(time.Minute) }), harness.Pass, ""},
}

// outside is no bubble's: waiting for it is not being idle.
var outside = make(chan int)

func panicAside(context.Context) {
	go func() { panic("hostile: panic in a goroutine of its own") }()
	time.Sleep(time.Second)
}

func exit(code int) {
	fmt.Fprintln(os.Stderr, "hostile: last words")
	os.Exit(code)
}

func lockTwice(context.Context) {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}

func lockOverTime(context.Context) {
	var mu sync.Mutex
	held := make(chan struct{})
	go func() {
		mu.Lock()
		defer mu.Unlock()
		close(held)
		time.Sleep(time.Hour)
	}()
	<-held
	mu.Lock()
	defer mu.Unlock()
}

func spin() {
	for n := 0; n >= 0; n ^= 1 {
		if n > 1 {
			runtime.Gosched()
		}
	}
}

// noise writes half of its 100 MB to each of the usual descriptors.
func noise() {
	line := []byte(strings.Repeat("hostile noise ", 75) + "\n")
	for range 50 << 20 / len(line) {
		_, _ = os.Stdout.Write(line)
		_, _ = os.Stderr.Write(line)
	}
}

// scribble writes to what might be the descriptors of a worker's protocol.
// The files are kept: closing them would be another sort of hostility.
func scribble() {
	for fd := uintptr(3); fd < 6; fd++ {
		f := os.NewFile(fd, "guessed")
		kept.Store(fd, f)
		_, _ = f.WriteString("hostile garbage\n")
	}
}

var kept sync.Map

func leak() {
	for range 3 {
		go func() { select {} }()
	}
}
