package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"os/exec"
	"sync"
	"time"
)

// Pool runs jobs in worker processes, one job at a time in each.
type Pool struct {
	Command  func() *exec.Cmd // a process that calls Work; the pool sets its descriptors
	Size     int              // processes at a time, at least one
	Patience time.Duration    // how long a process without more jobs may take to end; 0: 5 s
	Began    func(int)        // if set, called with the index of each job that a process gets, never concurrently
	Parted   func(log string) // if set, called with what a process wrote after its last job, never concurrently
}

// Job is a piece of work. A worker that needs longer than Wall of real time is killed. A process does jobs of one
// group only, because what a job leaves behind may still end the process.
type Job struct {
	Body  any
	Wall  time.Duration
	Group string
	// Begun, if set, reports whether a job whose process died had begun. A job that had not, in a process that had done
	// others, is given once to a new process, because the others caused the death.
	Begun func() bool
}

// Reply is the outcome of a job: a body, or the death of the worker.
type Reply struct {
	Body json.RawMessage
	Died *Death        // nil: the worker answered
	Took time.Duration // from the request to the answer or the death
}

// Death says how a worker process ended without an answer.
type Death struct {
	How      string // "exit status 7", "signal: segmentation fault" …
	External bool   // it was killed: by lwtest, for its time limit or for a bad answer, or by someone else
	Late     bool   // it was killed for its time limit
	Log      string // beginning and end of its stdout and stderr during the job
}

func (d *Death) String() string {
	if d.Log == "" {
		return d.How
	}
	return d.How + "\n" + d.Log
}

// Run does all jobs and calls done with the index of each as it ends, never concurrently. It returns when all are
// done. If ctx ends, it kills the workers, does not call done for unfinished jobs, and returns ctx's error.
func (p Pool) Run(ctx context.Context, jobs []Job, done func(int, Reply)) error {
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(max(p.Size, 1), max(len(jobs), 1)) {
		wg.Go(func() {
			w := &worker{command: p.Command, patience: cmp.Or(p.Patience, 5*time.Second)}
			part := func() {
				log := w.stop()
				mu.Lock()
				defer mu.Unlock()
				if p.Parted != nil && log != "" {
					p.Parted(log)
				}
			}
			defer part()
			for i := range next {
				if w.group != jobs[i].Group {
					part()
				}
				if p.Began != nil {
					mu.Lock()
					p.Began(i)
					mu.Unlock()
				}
				began := time.Now()
				r := w.do(ctx, jobs[i])
				r.Took = time.Since(began)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done(i, r)
				mu.Unlock()
			}
		})
	}
	hand(ctx, next, len(jobs))
	wg.Wait()
	return ctx.Err()
}

func hand(ctx context.Context, next chan<- int, n int) {
	defer close(next)
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
			return
		}
	}
}
