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

// worker is one process of a pool, started when it is first needed and again
// after it has died.
type worker struct {
	command  func() *exec.Cmd
	patience time.Duration
	cmd      *exec.Cmd // nil: none is running
	in       io.WriteCloser
	out      chan answer // closed when the process has closed its replies
	gone     chan struct{}
	log      *proc.Tail
	n        int    // of the job that it has; drawn, so that a subject that writes answers of its own does not hit it
	group    string // of the jobs that it does
}

// answer is one line of a worker's replies; garbled says that it was none.
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

// send writes a request. That a worker died between two jobs is noticed here.
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
	cmd.WaitDelay = time.Second // a process that the subject left may hold the pipes
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

// read hands on answers until the process closes its end or is gone.
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

// dump has a process that does not answer say on stderr where its goroutines are.
func (w *worker) dump() {
	quit(w.cmd)
	select {
	case _, more := <-w.out:
		_ = more // it ended, or answered at last: either way it has been given up
	case <-time.After(time.Second):
	}
}

// stop ends the process in peace and gives what it wrote meanwhile; it may be
// called when there is none.
func (w *worker) stop() string {
	if w.cmd == nil {
		return ""
	}
	w.log.Reset()
	w.end(w.patience)
	return w.log.String()
}

// bury kills the process, or collects one that has ended by itself (why is
// empty), and says how it ended.
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

// end closes the requests and waits for the process, which is killed when
// patience is over.
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
	_ = cmd.Wait() // how it ended is in ProcessState
	if timer.Stop() {
		return false
	}
	<-late
	return true
}
