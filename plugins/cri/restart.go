package cri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/harness"
)

const (
	// restartLimit is how long a runtime may take to serve again.
	restartLimit = 30 * time.Second
	// killLimit is how long a runtime may still answer after it was killed.
	killLimit = 10 * time.Second
	pollEvery = 50 * time.Millisecond
)

// Kill implements runtime.Restarter. It returns when the runtime does not answer any more.
func (s socket) Kill(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, killLimit)
	defer cancel()
	if err := s.kill.do(ctx); err != nil {
		if ctx.Err() == nil && s.answers(ctx) == nil {
			err = fmt.Errorf("%w, and %s", err, stillAnswers)
		}
		return err
	}
	for s.answers(ctx) == nil {
		if !pause(ctx) {
			return fmt.Errorf("%s has ended, but %s: the command does not kill it, or something starts it again at once", s.kill.name, stillAnswers)
		}
	}
	return nil
}

// stillAnswers is what an error says of a kill that leaves the runtime answering.
const stillAnswers = "the runtime still answers"

// hopeless returns an error if a check could not kill the runtime: no other check can.
func (s socket) hopeless(r harness.Result) error {
	if _, why, killed := strings.Cut(r.Reason, s.kill.name); killed && r.Verdict == harness.Inconclusive && s.kill.do != nil && strings.Contains(why, stillAnswers) {
		return fmt.Errorf("%s%s: correct the parameter kill, or leave out kill and start", s.kill.name, why)
	}
	return nil
}

// Start implements runtime.Restarter. It returns when the runtime answers. It does nothing if the runtime is up: a second one might
// take the socket of the first.
func (s socket) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restartLimit)
	defer cancel()
	if s.answers(ctx) == nil {
		return nil
	}
	if err := s.start.do(ctx); err != nil {
		return err
	}
	if err := s.await(ctx); err != nil {
		return fmt.Errorf("%s has ended, but the runtime does not answer after %s: %s", s.start.name, restartLimit, status.Convert(err).Message())
	}
	return nil
}

// await waits until the runtime answers.
func (s socket) await(ctx context.Context) error {
	for {
		if err := s.answers(ctx); err == nil || !pause(ctx) {
			return err
		}
	}
}

// up waits until the runtime answers, and starts it if it does not: whatever a check has killed must not end the run.
func (s socket) up(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, reach)
	defer cancel()
	if s.await(soon) == nil {
		return nil
	}
	return s.Start(ctx)
}

// answers asks for the version, once.
func (s socket) answers(ctx context.Context) error {
	s.conn.ResetConnectBackoff()
	_, err := s.RuntimeService().Version(ctx, &runtimeapi.VersionRequest{})
	return err
}

// pause waits a moment. It reports whether there is time left.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pollEvery):
		return true
	}
}

// command returns the action that runs a shell command, or none if line is empty. What it starts may go on, and may hold its output.
func command(name, line string) action {
	if line == "" {
		return action{}
	}
	name += "=" + line
	return action{name, func(ctx context.Context) error { return shell(ctx, name, line) }}
}

func shell(ctx context.Context, name, line string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("%s: %w%s", name, err, strings.TrimRight(": "+strings.TrimSpace(out.String()), ": "))
	}
	return nil
}

// alive returns an error if the runtime does not answer, or if logs cannot be written. Checks may have killed a runtime for some
// seconds.
func (s socket) alive(ctx context.Context) error {
	if err := s.room(); err != nil {
		return err
	}
	limit, ask := reach, s.answers
	if s.start.do != nil {
		limit, ask = 2*restartLimit, s.up
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := ask(ctx); err != nil {
		return fmt.Errorf("the runtime at %s does not answer any more: it has died, or hangs (%s)", s.path, status.Convert(err).Message())
	}
	return nil
}

// sweep removes what the checks of a run have left. It starts the runtime if that was killed.
func (s socket) sweep(ctx context.Context, runID string) (line string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*restartLimit)
	defer cancel()
	defer func() { // after the pods: a runtime that starts opens their logs again
		logs, _ := filepath.Glob(filepath.Join(s.fixture.Logs, runID+"*"))
		for _, folder := range logs {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	var did []string
	err = s.answers(ctx)
	if err != nil && s.start.do != nil {
		did = append(did, "the runtime was started again")
		err = s.Start(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("the runtime at %s does not answer, and may still have pods of this run, whose label %s begins with %s (%s)", s.path, runtime.RunLabel, runID, status.Convert(err).Message())
	}
	pods, err := runtime.Sweep(ctx, s, func(run string) bool { return strings.HasPrefix(run, runID) })
	if pods > 0 {
		did = append(did, fmt.Sprintf("pods removed: %d", pods))
	}
	return strings.Join(did, ", "), errors.Join(err, s.removeImages(ctx))
}

// close closes the connection. The default folder of logs goes if it is empty.
func (s socket) close() (string, error) {
	if s.scratch != "" {
		return "", errors.Join(s.release(), os.RemoveAll(s.scratch))
	}
	if s.fixture.Logs == defaultLogs() {
		_ = os.Remove(s.fixture.Logs)
	}
	return "", s.release()
}
