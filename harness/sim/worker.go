package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"
)

// The worker speaks JSON Lines over two descriptors of its own, because subjects and the testing package print to
// stdout and stderr.
const (
	requests = 3
	replies  = 4
)

// Handler does one job in a worker. retire says that the process is damaged (a bubble hangs or leaks) and must be
// replaced.
type Handler func(t *testing.T, job json.RawMessage) (reply any, retire bool)

// request is a job for a worker, envelope its answer. N distinguishes the expected answer from a stray one.
type request struct {
	N    int             `json:"n"`
	Body json.RawMessage `json:"body"`
}

type envelope struct {
	N      int             `json:"n"`
	Body   json.RawMessage `json:"body"`
	Retire bool            `json:"retire,omitempty"`
}

// Work is the main function of a worker process. It handles jobs until its requests end, and then calls closing, or
// until the process is damaged. It does not return. If the parent dies during a job, the process ends at once.
func Work(handle Handler, closing func()) {
	in, out := os.NewFile(requests, "requests"), os.NewFile(replies, "replies")
	if !isPipe(in) || !isPipe(out) {
		os.Stderr.WriteString("lwtest: a worker is started by lwtest itself, not by hand\n")
		os.Exit(3)
	}
	private(requests)
	private(replies)
	Inside(func(t *testing.T) {
		retired, err := work(t, in, out, handle, func() { os.Exit(1) })
		if err != nil {
			os.Stderr.WriteString("lwtest worker: " + err.Error() + "\n")
		}
		if !retired {
			closing()
		}
		os.Exit(0) // goroutines that a job left behind must not keep the process
	})
}

func isPipe(f *os.File) bool {
	if f == nil {
		return false
	}
	i, err := f.Stat()
	return err == nil && i.Mode()&os.ModeNamedPipe != 0
}

// work handles requests one after the other. It calls orphaned if the requests end during one, because the parent is
// gone.
func work(t *testing.T, in io.Reader, out io.Writer, handle Handler, orphaned func()) (retired bool, err error) {
	jobs, ended := make(chan request), make(chan error, 1)
	var busy atomic.Bool
	go func() {
		defer close(jobs)
		ended <- receive(in, func(r request) {
			busy.Store(true)
			jobs <- r
		})
		if busy.Load() {
			orphaned()
		}
	}()
	enc := json.NewEncoder(out)
	for r := range jobs {
		reply, retire := handle(t, r.Body)
		body, err := json.Marshal(reply)
		if err != nil {
			return true, err
		}
		busy.Store(false) // before the answer, because the parent may end the requests when it has that
		if err := enc.Encode(envelope{r.N, body, retire}); err != nil || retire {
			return true, err
		}
	}
	return false, <-ended
}

// receive reads requests until they end, even while one is being handled.
func receive(in io.Reader, each func(request)) error {
	s := newLines(in)
	for s.Scan() {
		var r request
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return fmt.Errorf("a request is not JSON: %w", err)
		}
		each(r)
	}
	return s.Err()
}

func newLines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 256<<20)
	return s
}
