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

// job is a check as a worker gets it: names only, which the worker resolves again.
type job struct {
	Target   string            `json:"target"`
	Check    string            `json:"check"`
	Of       string            `json:"of,omitempty"`    // the target's check, if Check is an address that only this run has
	Story    json.RawMessage   `json:"story,omitempty"` // the story that the check plays
	Has      []harness.Feature `json:"has"`
	Seed     int64             `json:"seed"`
	RunID    string            `json:"runID,omitempty"`
	RealTime bool              `json:"realTime,omitempty"`
	Wall     time.Duration     `json:"wall,omitempty"`
	Span     time.Duration     `json:"span,omitempty"`
	Log      string            `json:"log"`  // file that gets each event at once, which the parent removes
	File     string            `json:"file"` // file for the history, if it is kept
	Keep     string            `json:"keep,omitempty"`
	Known    []harness.Known   `json:"known,omitempty"` // known failures of this check on this target
}

// reply is a worker's answer to a job.
type reply struct {
	Result  *harness.Result `json:"result,omitempty"`
	Kept    bool            `json:"kept,omitempty"`    // the history is in job.File
	Err     string          `json:"err,omitempty"`     // why there is no result
	Unsaved string          `json:"unsaved,omitempty"` // why the history could not be saved, which ends the run
}

// closingMax is how long a worker may take to release its targets.
const closingMax = 75 * time.Second

// noticePrefix begins a line in which a worker names something that it could not release.
const noticePrefix = "lwtest worker: "

// Work is the main function of a worker process; it does not return.
func Work(open Opener) {
	w := &worker{open: open, targets: map[string]harness.Target{}}
	sim.Work(w.handle, w.close)
}

// worker opens each target once, so that a plugin can keep between checks what it would keep in a user's process.
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
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.EBADF): // of this process: subjects left files open, or closed ours
		return reply{Err: "the history could not be saved: " + err.Error()}, true
	case err != nil:
		return reply{Unsaved: err.Error()}, res.Damaged()
	}
	return reply{Result: &res, Kept: kept}, res.Damaged()
}

// collectAbove is the heap in bytes above which garbage is collected before a check. A worker in virtual time collects
// at no other time (see Runner.command), unless a check comes near the memory limit.
const collectAbove = 64 << 20

// collect collects garbage between checks, if there is enough.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > collectAbove {
		runtime.GC()
	}
}

func (j job) options() harness.Options {
	return harness.Options{RealTime: j.RealTime, Seed: j.Seed, RunID: j.RunID, Target: j.Target, Wall: j.Wall, Span: j.Span}
}

// seedGlobal seeds the global source of math/rand, which libraries use. It has an effect only in a program with
// //go:debug randseednop=0.
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
				fmt.Fprintln(os.Stderr, noticePrefix+strings.Join(strings.Fields(err.Error()), " "))
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(closingMax):
	}
}

// release releases a target that the parent will close. Each error becomes a line.
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
