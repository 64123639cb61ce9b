package sim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// Pool hands jobs to worker processes, one job at a time to each.
type Pool struct {
	Command func() *exec.Cmd // a process that calls Work; its descriptors are set here
	Size    int              // processes at a time, at least one
}

// Job is one piece of work and the real time it may take: a worker that needs
// longer is killed.
type Job struct {
	Body any
	Wall time.Duration
}

// Reply is what became of a job: a body, or a worker that died of it.
type Reply struct {
	Body json.RawMessage
	Died string // how the process ended, and the end of what it wrote on stderr; empty if it did not
}

// Run does all jobs and calls done with the index of each as it ends, never
// twice at a time. It returns when all are done, or with ctx's error.
func (p Pool) Run(ctx context.Context, jobs []Job, done func(int, Reply)) error {
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(max(p.Size, 1), max(len(jobs), 1)) {
		wg.Go(func() {
			w := &worker{command: p.Command}
			defer w.stop()
			for i := range next {
				r := w.do(ctx, jobs[i])
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done(i, r)
				mu.Unlock()
			}
		})
	}
	defer wg.Wait()
	defer close(next)
	for i := range jobs {
		select {
		case next <- i:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

type worker struct {
	command func() *exec.Cmd
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     chan envelope // closed when the process has closed its replies
	log     *tail
}

func (w *worker) do(ctx context.Context, j Job) Reply {
	if w.cmd == nil {
		if err := w.start(); err != nil {
			return Reply{Died: "the worker did not start: " + err.Error()}
		}
	}
	w.log.reset()
	line, err := json.Marshal(j.Body)
	if err != nil {
		return Reply{Died: err.Error()}
	}
	if _, err := w.in.Write(append(line, '\n')); err != nil {
		return Reply{Died: w.bury("")}
	}
	limit := time.NewTimer(j.Wall)
	defer limit.Stop()
	select {
	case e, ok := <-w.out:
		if !ok {
			return Reply{Died: w.bury("")}
		}
		if e.Retire {
			w.stop()
		}
		return Reply{Body: e.Body}
	case <-limit.C:
		return Reply{Died: w.bury(fmt.Sprintf("killed: no answer within %s", j.Wall))}
	case <-ctx.Done():
		w.bury("cancelled")
		return Reply{}
	}
}

func (w *worker) start() error {
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return err
	}
	cmd := w.command()
	w.log = &tail{max: 64 << 10}
	cmd.Stdout, cmd.Stderr = w.log, w.log
	cmd.ExtraFiles = []*os.File{inR, outW}
	cmd.WaitDelay = time.Second // a grandchild may hold the pipes
	err = cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		outR.Close()
		return err
	}
	w.cmd, w.in, w.out = cmd, inW, make(chan envelope, 1)
	go read(outR, w.out)
	return nil
}

func read(r io.ReadCloser, out chan<- envelope) {
	defer r.Close()
	defer close(out)
	for s := newLines(r); s.Scan(); {
		var e envelope
		if json.Unmarshal(s.Bytes(), &e) != nil {
			return // garbage on our own descriptor: as good as dead
		}
		out <- e
	}
}

// stop ends the process in peace; it may be called when there is none.
func (w *worker) stop() {
	if w.cmd == nil {
		return
	}
	w.in.Close()
	exited := make(chan struct{})
	cmd := w.cmd
	go func() {
		cmd.Wait()
		close(exited)
	}()
	select {
	case <-exited:
	case <-time.After(5 * time.Second):
		cmd.Process.Kill()
		<-exited
	}
	w.cmd = nil
}

// bury kills what is left of the process and says how it ended.
func (w *worker) bury(why string) string {
	w.in.Close()
	if why != "" {
		w.cmd.Process.Kill()
	}
	err := waitOrKill(w.cmd, 2*time.Second)
	if why == "" {
		why = "exit status 0"
		if err != nil {
			why = err.Error()
		}
	}
	w.cmd = nil
	if t := w.log.String(); t != "" {
		why += "\n" + t
	}
	return why
}

func waitOrKill(cmd *exec.Cmd, patience time.Duration) error {
	kill := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer kill.Stop()
	return cmd.Wait()
}

// tail keeps the last max bytes written to it; a crash says what matters at
// its beginning, so the first half of max is kept as well.
type tail struct {
	mu   sync.Mutex
	max  int
	head []byte
	rest []byte
	lost bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if room := t.max/2 - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head = append(t.head, p[:k]...)
		p = p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - t.max/2; over > 0 {
		t.rest = append(t.rest[:0], t.rest[over:]...)
		t.lost = true
	}
	return n, nil
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.rest, t.lost = nil, nil, false
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	b.Write(t.head)
	if t.lost {
		b.WriteString("\n… cut …\n")
	}
	b.Write(t.rest)
	return b.String()
}
