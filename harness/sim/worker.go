package sim

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
)

// The worker speaks JSON Lines over two descriptors of its own, because
// subjects and the testing package print on the usual ones.
const (
	requests = 3
	replies  = 4
)

// Handler does one job in a worker. retire says that the process has been
// damaged (a bubble that hangs or leaks) and must be replaced.
type Handler func(t *testing.T, job json.RawMessage) (reply any, retire bool)

// Work is the main function of a worker process: it handles job after job
// until its requests end, and does not return.
func Work(handle Handler) {
	in, out := os.NewFile(requests, "requests"), os.NewFile(replies, "replies")
	Inside(func(t *testing.T) {
		if err := work(t, in, out, handle); err != nil {
			t.Log(err)
		}
		os.Exit(0) // what a job left behind must not keep the process
	})
}

func work(t *testing.T, in io.Reader, out io.Writer, handle Handler) error {
	if in == nil || out == nil {
		return errors.New("a worker is started by lwtest itself, not by hand")
	}
	enc := json.NewEncoder(out)
	for s := newLines(in); s.Scan(); {
		reply, retire := handle(t, s.Bytes())
		body, err := json.Marshal(reply)
		if err != nil {
			return err
		}
		if err := enc.Encode(envelope{body, retire}); err != nil || retire {
			return err
		}
	}
	return nil
}

type envelope struct {
	Body   json.RawMessage `json:"body"`
	Retire bool            `json:"retire,omitempty"`
}

func newLines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 256<<20)
	return s
}
