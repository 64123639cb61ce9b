package controller

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/shlex"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/controller"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// Program is a controller that is a program of its own, in any language. It runs in real time.
type Program struct {
	// Command is the program and its arguments, with quotes as in a shell; no shell runs it. Each life has KUBECONFIG in its environment,
	// and these are filled in: {kubeconfig} is that file, {port} a free port, each time another, {dir} a folder that all lives of a run
	// share, {namespace} a namespace for what the controller itself needs, {webhook-port} the port at which the life serves webhooks, {certs} a
	// folder with tls.crt, tls.key and ca.crt for them, and {file:PATH} a copy of a file in which the others are filled in.
	Command string
	// CRDs and Roles are as in Subject.
	CRDs, Roles []string
	// Manifests are as in Subject. Webhooks that name a service reach the controller at {webhook-port}. They need lwtest's API server.
	Manifests []string
	// Scenario is a file with what users do: steps, or objects (see ReadScenario).
	Scenario string
	// Quiet is how long nothing must be written before everything is at rest; 0: ten seconds.
	Quiet time.Duration
	// Server is a cluster to use; nil: lwtest's API server. What the runs create there is deleted at their ends, one runs at a time, and no life
	// begins on an API server that is behind.
	Server *clientrest.Config
}

// ownNamespace is where a controller has what it needs itself.
const ownNamespace = "lwtest-system"

// OpenProgram returns a program as a target. It starts the program once, and returns an error for one that cannot be tested.
func OpenProgram(ctx context.Context, p Program) (harness.Target, error) {
	runs, err := p.read()
	if err != nil {
		return harness.Target{}, err
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
	t, s, err := target(Subject{Name: filepath.Base(runs.argv[0]), CRDs: p.CRDs, Roles: p.Roles, Manifests: p.Manifests, Scenario: steps}, runs, has...)
	if err == nil {
		err = p.checkWebhooks(runs, withDefinitions(s.manifests, s.definitions))
	}
	if err != nil {
		return t, err
	}
	if p.Server != nil {
		s.server, t.Sweep = p.Server, s.sweep
		for i := range t.Cases {
			t.Cases[i].Isolation = harness.Alone
		}
	}
	if ctx.Value(tried{}) == nil {
		err = s.try(ctx)
	}
	return t, err
}

// read reads the command, and the files that it names.
func (p Program) read() (runs program, err error) {
	argv, err := shlex.Split(p.Command)
	if err != nil {
		return runs, fmt.Errorf("the command %q: %w", p.Command, err)
	}
	if len(argv) == 0 {
		return runs, errors.New("the command is empty")
	}
	files, err := placeholders(argv)
	if err != nil {
		return runs, err
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return runs, fmt.Errorf("the controller: %w: say the path of a program that is built, as in ./manager", err)
	}
	return program{argv, p.Quiet, files}, nil
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

// What is filled in, in commands and in files that they name.
const (
	fillKubeconfig  = "{kubeconfig}"
	fillPort        = "{port}"
	fillDir         = "{dir}"
	fillNamespace   = "{namespace}"
	fillWebhookPort = "{webhook-port}"
	fillCerts       = "{certs}"
	fillFile        = "{file:" // and a path, and "}"
)

var filled = []string{fillKubeconfig, fillPort, fillDir, fillNamespace, fillWebhookPort, fillCerts, fillFile + "PATH}"}

// placeholders checks what is to be filled in, and returns the contents of the files that a command names, by their paths.
func placeholders(argv []string) (map[string]string, error) {
	files := map[string]string{}
	for _, arg := range argv {
		at := strings.IndexByte(arg, '{')
		if at < 0 {
			continue
		}
		if path, rest, ok := strings.Cut(strings.TrimPrefix(arg[at:], fillFile), "}"); ok && strings.HasPrefix(arg[at:], fillFile) {
			b, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if strings.Contains(rest, fillFile) {
				return nil, fmt.Errorf("the command has %q: one file is filled in for each argument", arg)
			}
			files[path] = string(b)
			continue
		}
		if !slices.ContainsFunc(filled, func(f string) bool { return strings.HasPrefix(arg[at:], f) }) {
			return nil, fmt.Errorf("the command has %q: only %s are filled in", arg, strings.Join(filled, ", "))
		}
	}
	return files, nil
}

// checkWebhooks returns an error if webhooks would never reach the program.
func (p Program) checkWebhooks(runs program, objects []*unstructured.Unstructured) error {
	texts := append(slices.Collect(maps.Values(runs.files)), runs.argv...)
	says := func(what string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, what) })
	}
	if p.Server != nil {
		if len(p.Manifests) > 0 || says(fillWebhookPort) || says(fillCerts) {
			return errors.New("--manifests, {webhook-port} and {certs} need lwtest's API server: the one of --server cannot reach webhooks of a program here; create there what the controller needs, without webhooks")
		}
		return nil
	}
	for _, u := range objects {
		if c := clientConfigs(u); len(c) > 0 && !says(fillWebhookPort) {
			service := c[0]["service"].(map[string]any)
			return fmt.Errorf("the %s %s has a webhook at the service %v/%v: say in the command at which port the controller serves it, by {webhook-port}, and where its certificate is, by {certs}",
				u.GetKind(), u.GetName(), service["namespace"], service["name"])
		}
	}
	return nil
}

// program is a Program as a cluster starts it.
type program struct {
	argv  []string
	quiet time.Duration
	files map[string]string // contents of the files to fill in, by their paths
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
	stopped atomic.Bool // it was told to stop
}

// begin starts a life of the program. dir is the folder of its run. server is the API server that it asks, which ends with the life. h calls
// its webhooks; nil: it has none.
func (p program) begin(dir string, num int, server endpoint, h *hooks) (controller.Life, error) {
	v, err := newValues(dir, num)
	var cmd *exec.Cmd
	if err == nil {
		cmd, err = p.command(v)
	}
	if err == nil {
		err = os.WriteFile(v.kubeconfig, server.Kubeconfig(), 0o600)
	}
	var started *proc.Process
	if err == nil {
		started, err = proc.StartSilent(cmd, proc.Limits{Log: mostOutput})
	}
	if err != nil {
		return nil, errors.Join(err, server.Close())
	}
	remove := func() {}
	if h != nil {
		remove = h.add(func(ctx context.Context) (net.Conn, error) {
			return rest.DialNear(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(v.webhookPort)))
		})
	}
	l := &process{p: started, server: server, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		<-started.Gone()
		remove()
		_ = server.Close() // nobody asks it any more
	}()
	return l, nil
}

// mostOutput bounds what is kept of what a life writes, in bytes: half from its beginning, and half from its end.
const mostOutput = 16 << 10

// values are what is filled in for a life.
type values struct {
	dir, kubeconfig  string
	num, webhookPort int
}

func newValues(dir string, num int) (values, error) {
	port, err := freePort()
	return values{dir, filepath.Join(dir, fmt.Sprintf("kubeconfig-%d", num)), num, port}, err
}

// fill fills in a text.
func (v values) fill(text string) (string, error) {
	for strings.Contains(text, fillPort) {
		port, err := freePort()
		if err != nil {
			return "", err
		}
		text = strings.Replace(text, fillPort, strconv.Itoa(port), 1)
	}
	return strings.NewReplacer(fillKubeconfig, v.kubeconfig, fillDir, v.dir, fillNamespace, ownNamespace,
		fillWebhookPort, strconv.Itoa(v.webhookPort), fillCerts, filepath.Join(v.dir, "certs")).Replace(text), nil
}

// fillFile writes a file with what is filled in, and returns its path.
func (v values) fillFile(path, text string) (string, error) {
	text, err := v.fill(text)
	if err != nil {
		return "", err
	}
	out := filepath.Join(v.dir, fmt.Sprintf("%d-%s", v.num, filepath.Base(path)))
	return out, os.WriteFile(out, []byte(text), 0o600)
}

// command fills in the command.
func (p program) command(v values) (*exec.Cmd, error) {
	var args []string
	for _, arg := range p.argv {
		for path, text := range p.files {
			if what := fillFile + path + "}"; strings.Contains(arg, what) {
				file, err := v.fillFile(path, text)
				if err != nil {
					return nil, err
				}
				arg = strings.ReplaceAll(arg, what, file)
			}
		}
		arg, err := v.fill(arg)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "KUBERNETES_SERVICE_") }), "KUBECONFIG="+v.kubeconfig)
	return cmd, nil
}

// Stop implements controller.Life.
func (l *process) Stop() {
	l.stopped.Store(true)
	l.p.Terminate()
}

// Kill implements controller.Life.
func (l *process) Kill() { go l.p.Kill() }

// Done implements controller.Life.
func (l *process) Done() <-chan struct{} { return l.done }

// Err implements controller.Life.
func (l *process) Err() error {
	<-l.done
	if l.stopped.Load() {
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
