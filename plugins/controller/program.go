package controller

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/shlex"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// Program is a controller that is a program of its own, in any language. It runs in real time.
type Program struct {
	// Command is the program and its arguments, with quotes as in a shell; no shell runs it. Each life has KUBECONFIG in its environment,
	// and these are filled in: {kubeconfig} is that file, {port} a free port, each time another, {dir} a folder that all lives of a run
	// share, and {namespace} a namespace for what the controller itself needs.
	Command string
	// CRDs and Roles are as in Subject.
	CRDs, Roles []string
	// Scenario is a file with what users do: steps, or objects (see ReadScenario).
	Scenario string
	// Quiet is how long nothing must be written before everything is at rest; 0: ten seconds.
	Quiet time.Duration
	// Server is a cluster to use; nil: lwtest's API server. What the runs create there is deleted at their ends, one runs at a time, and no life
	// begins on an API server that is behind.
	Server *rest.Config
}

// ownNamespace is where a controller has what it needs itself.
const ownNamespace = "lwtest-system"

// OpenProgram returns a program as a target. It starts the program once, and returns an error for one that cannot be tested.
func OpenProgram(ctx context.Context, p Program) (harness.Target, error) {
	argv, err := shlex.Split(p.Command)
	if err != nil {
		return harness.Target{}, fmt.Errorf("the command %q: %w", p.Command, err)
	}
	if len(argv) == 0 {
		return harness.Target{}, errors.New("the command is empty")
	}
	for _, arg := range argv {
		if at := strings.IndexByte(arg, '{'); at >= 0 && !slices.ContainsFunc(filled, func(f string) bool { return strings.HasPrefix(arg[at:], f) }) {
			return harness.Target{}, fmt.Errorf("the command has %q: only %s are filled in", arg, strings.Join(filled, ", "))
		}
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return harness.Target{}, fmt.Errorf("the controller: %w", err)
	}
	if p.Scenario == "" {
		return harness.Target{}, errors.New("there is no scenario: --scenario names a file with what users do, in steps, or with samples of objects")
	}
	steps, err := ReadScenario(p.Scenario)
	if err != nil {
		return harness.Target{}, err
	}
	has := []harness.Feature{controller.StaleViews}
	if p.Server != nil {
		has = nil
	}
	t, s, err := target(Subject{Name: filepath.Base(argv[0]), CRDs: p.CRDs, Roles: p.Roles, Scenario: steps}, program{argv, p.Quiet}, has...)
	if p.Server != nil && err == nil {
		s.server, t.Sweep = p.Server, s.sweep
		for i := range t.Cases {
			t.Cases[i].Isolation = harness.Alone
		}
	}
	if err == nil && ctx.Value(tried{}) == nil {
		err = s.try(ctx)
	}
	return t, err
}

// tried is the key of contexts in which programs have been tried.
type tried struct{}

// Tried returns a context with which OpenProgram does not start the program: somebody else has.
func Tried(ctx context.Context) context.Context { return context.WithValue(ctx, tried{}, true) }

// mostWaking is how long a program may take to its first request.
const mostWaking = time.Minute

// try starts the program, and returns an error if it asks the API server nothing.
func (s *subject) try(ctx context.Context) error {
	c, err := s.Open(ctx, 1)
	if err != nil {
		return err
	}
	heard := make(chan struct{}, 1)
	l, err := c.Start(ctx, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			select {
			case heard <- struct{}{}:
			default:
			}
			next.ServeHTTP(w, q)
		})
	}, controller.Start{})
	if err != nil {
		return errors.Join(fmt.Errorf("the controller does not start: %w", err), c.Close())
	}
	select {
	case <-heard:
	case <-l.Done():
		err = fmt.Errorf("the controller ends before it asks the API server anything%s; %w", lastLine(l.Output()), l.Err())
	case <-time.After(mostWaking):
		err = fmt.Errorf("the controller has asked the API server nothing for %s%s; does it read KUBECONFIG, or is {kubeconfig} in its command?", mostWaking, lastLine(l.Output()))
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.Kill()
	<-l.Done()
	return errors.Join(err, c.Close())
}

// lastLine quotes the last line of what a life has written, to be added to a sentence.
func lastLine(output string) string {
	const most = 500
	output = strings.TrimSpace(output)
	if output == "" {
		return ", and has written nothing"
	}
	return fmt.Sprintf(", and says last: %.*s", most, output[strings.LastIndexByte(output, '\n')+1:])
}

var filled = []string{"{kubeconfig}", "{port}", "{dir}", "{namespace}"}

// program is a Program as a cluster starts it.
type program struct {
	argv  []string
	quiet time.Duration
}

// endpoint is where a life reaches an API server.
type endpoint interface {
	// Kubeconfig is a file for clients.
	Kubeconfig() []byte
	Close() error
}

// process is a life of a program.
type process struct {
	p       *proc.Process
	server  endpoint
	done    chan struct{}
	stopped chan struct{} // closed when it was told to stop
}

// begin starts a life of the program. dir is the folder of its run.
// server is what it asks; it ends with the life.
func (p program) begin(dir string, num int, server endpoint) (controller.Life, error) {
	kubeconfig := filepath.Join(dir, fmt.Sprintf("kubeconfig-%d", num))
	cmd, err := p.command(dir, kubeconfig)
	if err == nil {
		err = os.WriteFile(kubeconfig, server.Kubeconfig(), 0o600)
	}
	var started *proc.Process
	if err == nil {
		started, err = proc.StartSilent(cmd, proc.Limits{Log: mostOutput})
	}
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	l := &process{p: started, server: server, done: make(chan struct{}), stopped: make(chan struct{}, 1)}
	go func() {
		defer close(l.done)
		<-started.Gone()
		_ = server.Close() // nobody asks it any more
	}()
	return l, nil
}

// mostOutput bounds what is kept of what a life writes, in bytes: half from its beginning, and half from its end.
const mostOutput = 16 << 10

// command fills in a command.
func (p program) command(dir, kubeconfig string) (*exec.Cmd, error) {
	var args []string
	for _, arg := range p.argv {
		for strings.Contains(arg, "{port}") {
			port, err := freePort()
			if err != nil {
				return nil, err
			}
			arg = strings.Replace(arg, "{port}", strconv.Itoa(port), 1)
		}
		args = append(args, strings.NewReplacer("{kubeconfig}", kubeconfig, "{dir}", dir, "{namespace}", ownNamespace).Replace(arg))
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "KUBERNETES_SERVICE_") }), "KUBECONFIG="+kubeconfig)
	return cmd, nil
}

// freePort returns a port of loopback at which nobody listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// Stop implements controller.Life.
func (l *process) Stop() {
	select {
	case l.stopped <- struct{}{}:
	default:
	}
	l.p.Terminate()
}

// Kill implements controller.Life.
func (l *process) Kill() { go l.p.Kill() }

// Done implements controller.Life.
func (l *process) Done() <-chan struct{} { return l.done }

// Err implements controller.Life.
func (l *process) Err() error {
	<-l.done
	if len(l.stopped) > 0 {
		return nil
	}
	return fmt.Errorf("it has ended: %s", l.p.How())
}

// Output implements controller.Life.
func (l *process) Output() string { return l.p.Log() }

// runDir makes the folder of a run. It is removed by done, or when this process has ended.
func runDir(ctx context.Context) (dir string, done func(), err error) {
	if err := context.Cause(ctx); err != nil {
		return "", nil, err
	}
	if dir, err = os.MkdirTemp("", "lwtest-controller-"); err != nil {
		return "", nil, err
	}
	if done, err = proc.AtEnd(`rm -rf -- "$1" || { sleep 1; rm -rf -- "$1"; }`, dir); err != nil {
		return "", nil, errors.Join(err, os.Remove(dir))
	}
	return dir, done, nil
}
