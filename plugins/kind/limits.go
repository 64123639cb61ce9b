package kind

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// How long an engine may take for an answer, for what takes a few calls, for the logs of a cluster, and for creating one: it
// may pull an image first.
var (
	answerLimit = 20 * time.Second
	workLimit   = time.Minute
	logsLimit   = 2 * time.Minute
	createLimit = 30 * time.Minute
)

// silence is the error of an engine that hangs.
type silence struct{ error }

func (e engine) silent(limit time.Duration) error {
	return silence{fmt.Errorf("%s did not answer within %s: it hangs, or this machine is very busy; read its log, or restart it (systemctl restart %s)", e.name, limit, e.name)}
}

// ask calls the engine, and gives what it prints, or what it says is wrong.
func (e engine) ask(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, e.silent(answerLimit))
	defer cancel()
	out, err := e.command(ctx, args...).Output()
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if errors.Is(err, exec.ErrWaitDelay) { // it has ended well; something else of its still holds the pipe
		err = nil
	}
	return out, inItsWords(err)
}

// inItsWords is what a command that failed has said of it, without the hint at its help.
func inItsWords(err error) error {
	failed := &exec.ExitError{}
	if !errors.As(err, &failed) {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool {
		return strings.TrimSpace(l) == "" || strings.HasPrefix(l, "See '") || strings.HasPrefix(l, "Run '")
	})
	if len(lines) == 0 {
		return err
	}
	return errors.New(strings.Join(lines[max(0, len(lines)-8):], "; "))
}

// within has kind do something, which knows neither contexts nor limits. What does not end in time, or with ctx, is given
// up, and so are the commands that it has called.
func within[T any](ctx context.Context, e engine, limit time.Duration, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, e.silent(limit))
	defer cancel()
	before := e.commands()
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, explain(err)}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		giveUp(e, before, done)
		var none T
		return none, context.Cause(ctx)
	}
}

// giveUp ends the engine's commands that were not there before, until nobody calls more of them.
func giveUp[T any](e engine, before []int, done <-chan T) {
	for range 20 {
		kill(slices.DeleteFunc(e.commands(), func(pid int) bool { return slices.Contains(before, pid) }))
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// guard is a context that ends when the engine does not answer any more.
func (e engine) guard(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, createLimit, fmt.Errorf("it is not there after %s", createLimit))
	ctx, fail := context.WithCancelCause(ctx)
	go func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(guardEvery):
				if err := e.answers(ctx); err != nil {
					fail(err)
				}
			}
		}
	}()
	return ctx, func() { fail(nil); cancel() }
}

// guardEvery is how often.
var guardEvery = 10 * time.Second
