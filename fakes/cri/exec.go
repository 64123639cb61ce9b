package cri

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// mostOutput is how many bytes of output the answer of an ExecSync has at most: with the rest of the message they are no more than
// MostBytes.
const mostOutput = 16_000_000

// capped keeps the first bytes that are written to it, mostOutput at most.
type capped struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (c *capped) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.b.Write(b[:min(len(b), mostOutput-c.b.Len())])
	return len(b), nil
}

func (c *capped) bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.b.Bytes())
}

// execable returns a container in which something can be run.
func (r *Runtime) execable(id string) (*container, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(id)
	switch {
	case c == nil:
		return nil, notFound("container", id)
	case c.state == runtimeapi.ContainerState_CONTAINER_RUNNING, c.state == runtimeapi.ContainerState_CONTAINER_CREATED && r.o.Personality.ExecsCreated:
		return c, nil
	}
	return nil, status.Errorf(codes.Unknown, "container %q is in the state %s", c.id, c.state)
}

// exec returns a process that runs beside the one of a container, and ends with it.
func (r *Runtime) exec(c *container, argv []string) (*process, error) {
	if len(argv) == 0 {
		return nil, status.Error(codes.InvalidArgument, "there is no command")
	}
	var w Workload
	if r.o.Exec != nil {
		w = r.o.Exec(c.config, argv)
	} else if plays(argv[0]) {
		w = Shell(argv)
	}
	if w == nil {
		return nil, status.Errorf(codes.Unknown, "failed to exec in container: failed to start exec in %q: OCI runtime exec failed: exec failed: unable to start container process: %s", c.id, unfound(argv[0]))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.newProcess(w, argv, c)
	if c.process != nil {
		context.AfterFunc(c.process.ctx, func() { p.kill(137) })
	}
	return p, nil
}

func (r service) ExecSync(ctx context.Context, q *runtimeapi.ExecSyncRequest) (*runtimeapi.ExecSyncResponse, error) {
	c, err := r.execable(q.GetContainerId())
	if err != nil {
		return nil, err
	}
	p, err := r.exec(c, q.GetCmd())
	if err != nil {
		return nil, err
	}
	var out, errs capped
	p.out.add(&out)
	p.err.add(&errs)
	code := int32(0)
	r.work.Go(func() {
		code, _ = p.run()
		close(p.done)
	})
	var late <-chan time.Time
	if q.GetTimeout() > 0 {
		late = time.After(time.Duration(q.GetTimeout()) * time.Second)
	}
	select {
	case <-p.done:
		stdout, stderr := out.bytes(), errs.bytes()
		return &runtimeapi.ExecSyncResponse{Stdout: stdout, Stderr: stderr[:min(len(stderr), mostOutput-len(stdout))], ExitCode: code}, nil
	case <-ctx.Done():
		p.kill(137)
		return nil, status.FromContextError(ctx.Err()).Err()
	case <-late:
	}
	p.kill(137)
	<-p.done
	if r.o.Personality.ExecTimeoutIsCode {
		return &runtimeapi.ExecSyncResponse{Stdout: out.bytes(), Stderr: []byte("command timed out"), ExitCode: -1}, nil
	}
	return nil, status.Errorf(codes.DeadlineExceeded, "failed to exec in %q: timeout %ds exceeded", c.id, q.GetTimeout())
}

// exitError is how an exec by streams tells an exit code; see k8s.io/utils/exec.CodeExitError.
type exitError struct{ code int32 }

func (e exitError) Error() string   { return fmt.Sprintf("command terminated with exit code %d", e.code) }
func (e exitError) String() string  { return e.Error() }
func (e exitError) Exited() bool    { return true }
func (e exitError) ExitStatus() int { return int(e.code) }

// execStream runs a command whose streams a client holds.
func (r *Runtime) execStream(ctx context.Context, id string, argv []string, in io.Reader, out, errs io.Writer, tty bool) error {
	c, err := r.execable(id)
	if err != nil {
		return err
	}
	p, err := r.exec(c, argv)
	if err != nil {
		return errors.New(status.Convert(err).Message())
	}
	if tty && out != nil {
		out = screen{out}
		p.Stderr = p.Stdout
	}
	p.out.add(out)
	if in != nil {
		to := p.input(tty)
		go func() { _, _ = io.Copy(to, in); to.Close() }() // ends with the client's stream
	}
	if !tty && errs != nil {
		p.err.add(errs)
	}
	stop := context.AfterFunc(ctx, func() { p.kill(137) })
	defer stop()
	code, _ := p.run()
	close(p.done)
	if code != 0 {
		return exitError{code}
	}
	return nil
}

// attach joins the streams of a container's process until it ends.
func (r *Runtime) attach(ctx context.Context, id string, in io.Reader, out, errs io.Writer) error {
	r.mu.Lock()
	c := r.container(id)
	if c == nil || c.state != runtimeapi.ContainerState_CONTAINER_RUNNING {
		r.mu.Unlock()
		return notFound("running container", id)
	}
	p := c.process
	r.mu.Unlock()
	if out != nil {
		if c.config.GetTty() {
			out = screen{out}
		}
		p.out.add(out)
		defer p.out.remove(out)
	}
	if errs != nil {
		p.err.add(errs)
		defer p.err.remove(errs)
	}
	if in != nil && p.in != nil {
		go func() {
			_, _ = io.Copy(p.in, in)
			if c.config.GetStdinOnce() {
				p.in.Close()
			}
		}()
	}
	select {
	case <-p.done:
	case <-ctx.Done():
	}
	return nil
}
