package sim

import (
	"cmp"
	"context"
	"encoding/json"
	"os/exec"
	"sync"
	"time"
)

// Pool hands jobs to worker processes, one job at a time to each.
type Pool struct {
	Command  func() *exec.Cmd // a process that calls Work; its descriptors are set here
	Size     int              // processes at a time, at least one
	Patience time.Duration    // for a process that has nothing more to do, to end in peace; 0: five seconds
	Began    func(int)        // if set, is told of each job that is handed to a process, one at a time
	Parted   func(log string) // if set, is told what a process wrote that had nothing more to do, one at a time
}

// Job is one piece of work and the real time it may take: a worker that needs
// longer is killed. A process does jobs of one group only: what one of them
// left behind may still end it, and must not be taken for another's fault.
type Job struct {
	Body  any
	Wall  time.Duration
	Group string
	// Begun, if set, says of a job whose process died whether it had begun. One
	// that had not, in a process that had done other jobs, is handed to a new
	// one, once: it died of what those left.
	Begun func() bool
}

// Reply is what became of a job: a body, or a worker that died of it.
type Reply struct {
	Body json.RawMessage
	Died *Death        // nil: it did not
	Took time.Duration // from the request to the answer or the end
}

// Death is how a worker process ended that had not answered.
type Death struct {
	How      string // "exit status 7", "signal: segmentation fault" …
	External bool   // it was killed: by us, for its time limit or for talking nonsense, or by someone else
	Late     bool   // it was for its time limit
	Log      string // beginning and end of what it wrote on stdout and stderr during the job
}

func (d *Death) String() string {
	if d.Log == "" {
		return d.How
	}
	return d.How + "\n" + d.Log
}

// Run does all jobs and calls done with the index of each as it ends, never
// twice at a time. It returns when all are done; when ctx ends it kills the
// workers and returns ctx's error, and jobs that were not done then are not
// told to done.
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
