package cri

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
)

// Started is a runtime that others have started. Empty fields have the defaults of the parameters of Open, but without Logs the logs
// are in a new folder, which is removed with the connection.
type Started struct {
	Socket string // the path of its unix socket
	Image  string
	Logs   string
	Parent string
	Beside bool

	// Kill and Restart kill the runtime, and start it again. The names under which errors mention them are rt.kill and rt.restart.
	Kill, Restart func(context.Context) error
}

// connect connects to the runtime. It sends nothing.
func (r Started) connect() (socket, error) {
	s := socket{path: r.Socket, fixture: runtime.Fixture{Image: cmp.Or(r.Image, DefaultImage), Logs: r.Logs, CgroupParent: r.Parent},
		kill: action{"rt.kill", r.Kill}, start: action{"rt.restart", r.Restart}}
	if s.fixture.Logs != "" {
		return s, s.connect()
	}
	logs, err := os.MkdirTemp("", "lwtest-logs-")
	if err != nil {
		return s, fmt.Errorf("no folder for logs can be made: %w", err)
	}
	s.fixture.Logs, s.scratch = logs, logs
	return s, s.connect()
}

// Subject is a runtime at the other end of a connection.
type Subject interface {
	runtime.Subject
	runtime.Restarter
	runtime.Holder
	// Answers returns an error if the runtime does not answer. It asks once.
	Answers(context.Context) error
	// Close closes the connection.
	Close() error
}

// Connect connects to the runtime, and returns an error if it cannot be tested. It pulls the image if that is not there.
func (r Started) Connect(ctx context.Context) (Subject, error) {
	s, err := r.connect()
	if err != nil {
		return nil, err
	}
	if _, err := s.usable(ctx, r.Beside); err != nil {
		s.close()
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	s.defaults(ctx)
	return s, nil
}

// Probe returns the features that the runtime shows, without restart and image-pull, which no call shows. It makes no pods.
func (r Started) Probe(ctx context.Context) ([]harness.Feature, error) {
	s, err := r.connect()
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.start = action{} // a runtime that is down is not started again
	_, has, err := s.probe(ctx, r.Beside)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return has, nil
}

// Answers implements Subject.
func (s socket) Answers(ctx context.Context) error { return s.answers(ctx) }

// Close implements Subject.
func (s socket) Close() error {
	_, err := s.close()
	return err
}
