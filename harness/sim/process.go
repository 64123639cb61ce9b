package sim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/proc"
)

// worker is one process of a pool. It is started when it is first needed, and again after it has died.
type worker struct {
	command  func() *exec.Cmd
	patience time.Duration
	cmd      *exec.Cmd // nil: none is running
	in       io.WriteCloser
	out      chan answer // closed when the process has closed its end
	gone     chan struct{}
	log      *proc.Tail
	n        int    // number of the current job, drawn at random so that a subject cannot forge an answer
	group    string // of the jobs that it does
}

// answer is a line of a worker's replies. garbled says that the line was not a reply.
type answer struct {
	envelope
	garbled bool
}

func (w *worker) do(ctx context.Context, j Job) Reply {
	used := w.cmd != nil
	r := w.try(ctx, j)
	if r.Died != nil && used && j.Begun != nil && !j.Begun() {
		r = w.try(ctx, j)
	}
	return r
}

func (w *worker) try(ctx context.Context, j Job) Reply {
	if w.cmd == nil {
		if err := w.start(); err != nil {
			return Reply{Died: &Death{How: "the worker did not start: " + err.Error(), External: true}}
		}
	}
	w.log.Reset()
	w.n, w.group = mathrand.Int(), j.Group
	if err := w.send(j.Body); err != nil {
		return w.died(err)
	}
	limit := time.NewTimer(j.Wall)
	defer limit.Stop()
	select {
	case a, ok := <-w.out:
		switch {
		case !ok:
			return Reply{Died: w.bury("")}
		case a.garbled || a.N != w.n:
			return Reply{Died: w.bury("killed: something wrote garbage on the descriptor of lwtest's own worker protocol")}
		case a.Retire:
			w.stop()
		}
		return Reply{Body: a.Body}
	case <-limit.C:
		w.dump()
		d := w.bury(fmt.Sprintf("killed: no answer within %s", j.Wall))
		d.Late = true
		return Reply{Died: d}
	case <-ctx.Done():
		w.bury("cancelled")
		return Reply{}
	}
}

// send writes a request. It fails if the worker died between two jobs.
func (w *worker) send(body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	line, err := json.Marshal(request{w.n, b})
	if err != nil {
		return err
	}
	_, err = w.in.Write(append(line, '\n'))
	return err
}

func (w *worker) died(err error) Reply {
	if errors.Is(err, os.ErrClosed) || strings.Contains(err.Error(), "pipe") {
		return Reply{Died: w.bury("")}
	}
	return Reply{Died: &Death{How: err.Error(), External: true}}
}

func (w *worker) start() error {
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inR.Close(), inW.Close())
	}
	cmd := w.command()
	w.log = &proc.Tail{Max: 64 << 10}
	cmd.Stdout, cmd.Stderr = w.log, w.log
	cmd.ExtraFiles = []*os.File{inR, outW}
	cmd.WaitDelay = time.Second // processes that the subject left may hold the pipes
	detach(cmd)
	err = cmd.Start()
	inR.Close()
	outW.Close()
	if err != nil {
		return errors.Join(err, inW.Close(), outR.Close())
	}
	w.cmd, w.in, w.out, w.gone = cmd, inW, make(chan answer), make(chan struct{})
	go read(outR, w.out, w.gone)
	return nil
}

// read passes on answers until the process closes its end or is gone.
func read(r io.ReadCloser, out chan<- answer, gone <-chan struct{}) {
	defer r.Close()
	defer close(out)
	for s := newLines(r); s.Scan(); {
		var a answer
		a.garbled = json.Unmarshal(s.Bytes(), &a.envelope) != nil
		select {
		case out <- a:
		case <-gone:
			return
		}
		if a.garbled {
			return
		}
	}
}

// dump makes a process that does not answer write the stacks of its goroutines to stderr.
func (w *worker) dump() {
	quit(w.cmd)
	select {
	case _, more := <-w.out:
		_ = more // it ended, or answered too late: it has been given up
	case <-time.After(time.Second):
	}
}

// stop ends the process and returns what it wrote meanwhile. It does nothing if no process runs.
func (w *worker) stop() string {
	if w.cmd == nil {
		return ""
	}
	w.log.Reset()
	w.end(w.patience)
	return w.log.String()
}

// bury kills the process and returns how it ended. If why is empty, the process has ended by itself.
func (w *worker) bury(why string) *Death {
	d := &Death{How: why, External: true}
	if why != "" {
		kill(w.cmd)
	}
	cmd := w.cmd
	killed := w.end(2 * time.Second)
	if why == "" {
		d.How = cmd.ProcessState.String()
		d.External = killed || strings.HasPrefix(d.How, "signal: killed")
	}
	d.Log = w.log.String()
	return d
}

// end closes the requests and waits for the process. It kills the process after patience.
func (w *worker) end(patience time.Duration) (killed bool) {
	w.in.Close()
	close(w.gone)
	cmd := w.cmd
	w.cmd = nil
	late := make(chan struct{})
	timer := time.AfterFunc(patience, func() {
		kill(cmd)
		close(late)
	})
	_ = cmd.Wait() // ProcessState says how it ended
	if timer.Stop() {
		return false
	}
	<-late
	return true
}
