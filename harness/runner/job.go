package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/sim"
)

// job is one check as a worker gets it: names only, which the worker resolves again.
type job struct {
	Target   string            `json:"target"`
	Check    string            `json:"check"`
	Of       string            `json:"of,omitempty"`    // the target's check, if Check is an address of the run's own
	Story    json.RawMessage   `json:"story,omitempty"` // that the check plays
	Has      []harness.Feature `json:"has"`
	Seed     int64             `json:"seed"`
	RunID    string            `json:"runID,omitempty"`
	RealTime bool              `json:"realTime,omitempty"`
	Wall     time.Duration     `json:"wall,omitempty"`
	Span     time.Duration     `json:"span,omitempty"`
	Log      string            `json:"log"`  // file for the events as they come, which the parent removes
	File     string            `json:"file"` // file for the history, if it is kept
	Keep     string            `json:"keep,omitempty"`
	Known    []harness.Known   `json:"known,omitempty"` // lines about this check on this target
}

// reply is what a worker has to say of a job.
type reply struct {
	Result  *harness.Result `json:"result,omitempty"`
	Kept    bool            `json:"kept,omitempty"`    // the history is in job.File
	Err     string          `json:"err,omitempty"`     // why there is none
	Unsaved string          `json:"unsaved,omitempty"` // why the history could not be saved: then nothing else counts
}

// closingMax is how long a worker may take to let go of its targets.
const closingMax = 75 * time.Second

// parting begins a line in which a worker says what it could not let go of.
const parting = "lwtest worker: "

// Work is the main function of a worker process; it does not return.
func Work(open Opener) {
	w := &worker{open: open, targets: map[string]harness.Target{}}
	sim.Work(w.handle, w.close)
}

// worker opens each target once: what a plugin keeps between checks is kept
// as it would be in a process of the user's.
type worker struct {
	open    Opener
	targets map[string]harness.Target
}

func (w *worker) handle(t *testing.T, body json.RawMessage) (any, bool) {
	var j job
	if err := json.Unmarshal(body, &j); err != nil {
		return reply{Err: err.Error()}, false
	}
	c, err := w.resolve(j)
	if err != nil {
		return reply{Err: err.Error()}, false
	}
	collect()
	seedGlobal(j.Seed)
	log := &logFile{path: j.Log}
	o := j.options()
	o.TB, o.Log = t, log
	res, h := harness.Run(c, o)
	kept := h != nil && keeps(j.Keep, j.Known, res)
	err = log.Close()
	if err == nil && kept {
		err = save(h, j.File)
	}
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.EBADF): // of this process, in which subjects have left files open, or closed ours
		return reply{Err: "the history could not be saved: " + err.Error()}, true
	case err != nil:
		return reply{Unsaved: err.Error()}, res.Damaged()
	}
	return reply{Result: &res, Kept: kept}, res.Damaged()
}

// collectAbove is the heap at which garbage is collected before a check. A worker of virtual time has no other collection (see
// Runner.command), unless a check needs more than is left of the memory limit.
const collectAbove = 64 << 20

// collect collects garbage between checks, where there is enough of it.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > collectAbove {
		runtime.GC()
	}
}

func (j job) options() harness.Options {
	return harness.Options{RealTime: j.RealTime, Seed: j.Seed, RunID: j.RunID, Target: j.Target, Wall: j.Wall, Span: j.Span}
}

// seedGlobal seeds what libraries draw from without asking. It has an effect
// only in a program with //go:debug randseednop=0.
func seedGlobal(seed int64) {
	//lint:ignore SA1019 there is no other way to reach that source
	mathrand.Seed(seed)
}

func (w *worker) resolve(j job) (harness.Case, error) {
	t, ok := w.targets[j.Target]
	if !ok {
		var err error
		if t, err = w.open(context.Background(), j.Target); err != nil {
			return harness.Case{}, fmt.Errorf("target %s could not be opened again in a worker: %w", j.Target, err)
		}
		w.targets[j.Target] = t
	}
	of := cmp.Or(j.Of, j.Check)
	n := slices.IndexFunc(t.Cases, func(c harness.Case) bool { return c.Address() == of })
	if n < 0 {
		return harness.Case{}, fmt.Errorf("target %s has no check %s in a worker", j.Target, of)
	}
	c, err := renamed(t.Cases[n], j.Check, j.Story)
	c.Has = j.Has
	return c, err
}

func (w *worker) close() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, t := range w.targets {
			for _, err := range release(t) {
				fmt.Fprintln(os.Stderr, parting+strings.Join(strings.Fields(err.Error()), " "))
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(closingMax):
	}
}

// release lets go of a target that the parent will close; each error is a line.
func release(t harness.Target) []error {
	var err error
	switch {
	case t.Release != nil:
		err = t.Release()
	case t.Close != nil:
		_, err = t.Close()
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return slices.DeleteFunc([]error{err}, func(err error) bool { return err == nil })
}
