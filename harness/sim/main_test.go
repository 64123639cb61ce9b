package sim

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asWorker makes the test binary a worker.
const asWorker = "LWTEST_SIM_TEST_AS_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(asWorker) != "" {
		Work(handle, func() { fmt.Fprintln(os.Stderr, "closing") })
	}
	goleak.VerifyTestMain(m)
}

func self() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asWorker+"=1", "GOMAXPROCS=1", "GORACE=atexit_sleep_ms=0") // or each exit of a -race binary takes a second
	return cmd
}

// bubbleWall is the wall of a bubble: short for one that certainly hangs.
func bubbleWall(name string) time.Duration {
	if slices.Contains([]string{"mutex", "spin", "hang"}, name) {
		return 300 * time.Millisecond
	}
	return 5 * time.Minute
}

// handle does one job: the name of something that happens in the worker or, after "bubble:", in a bubble there.
func handle(t *testing.T, body json.RawMessage) (any, bool) {
	var name string
	if err := json.Unmarshal(body, &name); err != nil {
		return nil, false
	}
	if inner, ok := strings.CutPrefix(name, "bubble:"); ok {
		end := Bubble(t, bubbleWall(inner), func(*testing.T) { happenings[inner]() })
		return end, end.How != Done
	}
	happenings[name]()
	return name, false
}

var outside = make(chan int)

var happenings = map[string]func(){
	"":          func() {},
	"fine":      func() { time.Sleep(time.Millisecond) },
	"nap":       func() { time.Sleep(300 * time.Millisecond) },
	"fortnight": func() { time.Sleep(14 * 24 * time.Hour) }, // in a bubble
	"panic":     func() { panic("boom") },
	"aside":     func() { go panic("boom aside"); time.Sleep(time.Hour) },
	"bomb":      func() { time.AfterFunc(50*time.Millisecond, func() { os.Exit(8) }) },
	"exit0":     func() { os.Exit(0) },
	"exit7":     func() { fmt.Fprintln(os.Stderr, "last words"); os.Exit(7) },
	"killed": func() {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			_ = p.Kill()
		}
		time.Sleep(time.Hour)
	},
	"hang":     func() { <-outside },
	"deadlock": func() { <-make(chan int) },
	"leak":     func() { go func() { <-make(chan int) }() },
	"sleeper":  func() { go time.Sleep(time.Hour) },
	"mutex":    func() { var mu sync.Mutex; mu.Lock(); mu.Lock() },
	"spin": func() {
		for n := 0; n >= 0; n ^= 1 {
			_ = n
		}
	},
	"garbage": func() { _, _ = os.NewFile(replies, "").WriteString("garbage\n"); time.Sleep(time.Second) },
	"forged":  func() { _, _ = os.NewFile(replies, "").WriteString("{}\n"); time.Sleep(time.Second) },
	"noise": func() {
		line := []byte(strings.Repeat("noise ", 1000) + "\n")
		for range 10 << 10 {
			_, _ = os.Stderr.Write(line)
		}
	},
	"orphan": func() { // a process that outlives the worker, and holds what it was given
		cmd := exec.Command("sleep", "3")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		_ = cmd.Start()
		os.Exit(5)
	},
}
