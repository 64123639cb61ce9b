package cri

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Workload stands for the program of a container or of an exec. It returns the exit code, and must return soon once
// Process.Context has ended: then the process was killed, and the code does not matter. A nil Workload is a binary that is missing.
type Workload func(*Process) int32

// Process is what a Workload knows of itself. Its methods may be called by the workload's goroutines.
type Process struct {
	Args []string
	Env  map[string]string
	// Stdin is at its end if nobody writes to the process.
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	files   *files
	dir     string   // the working directory, as a name of files
	first   []string // the command of the first process of the container
	uid     int64
	groups  []int64
	toFirst func(name string) // sends a signal to the first process; nil: it does not run
	screen  *process          // of a process with a terminal; nil: it has none
	ctx     context.Context
	signals chan string
	reason  string // why it ended, if that is neither Completed nor Error
}

// Context ends when the process is killed.
func (p *Process) Context() context.Context { return p.ctx }

// Signals has the signals that the process is sent, as SIGTERM. A process that does not read them ignores them, as the first
// process of a container does that has no handler. SIGKILL is never among them.
func (p *Process) Signals() <-chan string { return p.signals }

// Sleep lets time pass. It reports false if the process was killed meanwhile.
func (p *Process) Sleep(d time.Duration) bool {
	sleep(p.ctx, d)
	return p.ctx.Err() == nil
}

// OutOfMemory returns the exit code of a process that the kernel kills because its memory is used up.
func (p *Process) OutOfMemory() int32 {
	p.reason = "OOMKilled"
	return 137
}

// process is a Process as the runtime has it.
type process struct {
	*Process
	workload Workload
	cancel   context.CancelFunc
	in       io.WriteCloser // nil: nobody can write to it
	out, err *fan
	number   int
	done     chan struct{} // closed when the container is known to have ended

	mu         sync.Mutex
	killed     bool
	code       int32  // the exit code, if it was killed
	shell      bool   // it is an interactive shell
	foreground func() // ends the command that an interactive shell runs; nil: there is none
}

// start prepares a process; run runs it.
func (r *Runtime) start(c *container) *process {
	config, log := c.config, c.log
	p := r.newProcess(c.workload, slices.Concat(config.GetCommand(), config.GetArgs()), c)
	p.out.add(log.stream("stdout"))
	if config.GetTty() { // a terminal has one output
		p.Stderr = p.Stdout
	}
	p.err.add(log.stream("stderr"))
	if config.GetStdin() {
		p.in = p.input(config.GetTty())
	}
	return p
}

// input returns a writer to the input of the process, which may be a terminal. Its end closes both.
func (p *process) input(tty bool) io.WriteCloser {
	if tty {
		t := newTerminal(p.Stdout, p.interrupted)
		p.Stdin, p.Process.screen = t, p
		context.AfterFunc(p.ctx, func() { t.Close() })
		return t
	}
	out, in := io.Pipe()
	p.Stdin = out
	context.AfterFunc(p.ctx, func() { out.Close(); in.Close() })
	return in
}

func (r *Runtime) newProcess(w Workload, argv []string, c *container) *process {
	p := &process{Process: &Process{Args: argv, Env: map[string]string{}, Stdin: strings.NewReader(""), signals: make(chan string, 16)}, workload: w,
		out: &fan{}, err: &fan{}, done: make(chan struct{}), number: firstPID + int(r.made)}
	p.files, p.dir, p.first = c.files, clean(c.config.GetWorkingDir()), slices.Concat(c.config.GetCommand(), c.config.GetArgs())
	user := userOf(c)
	p.uid, p.groups = user.Uid, user.SupplementalGroups
	p.Env["PATH"], p.Env["HOME"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", map[bool]string{true: "/root", false: "/"}[p.uid == 0]
	if c.config.GetTty() {
		p.Env["TERM"] = "xterm"
	}
	if c.pod.config.GetHostname() != "" {
		p.Env["HOSTNAME"] = c.pod.config.GetHostname()
	}
	for _, e := range c.config.GetEnvs() {
		p.Env[e.GetKey()] = string(e.GetValue())
	}
	if main := c.process; main != nil {
		p.toFirst = func(name string) {
			if name != "SIGKILL" {
				main.signal(name)
			}
		}
	}
	p.Stdout, p.Stderr = p.out, p.err
	p.ctx, p.cancel = context.WithCancel(r.ctx)
	return p
}

// filesOf returns the files that a runtime writes into each container of a pod, by their names.
func filesOf(pod *runtimeapi.PodSandboxConfig) map[string]string {
	var b strings.Builder
	line := func(word string, values ...string) {
		if len(values) > 0 {
			fmt.Fprintf(&b, "%s %s\n", word, strings.Join(values, " "))
		}
	}
	dns := pod.GetDnsConfig()
	line("search", dns.GetSearches()...)
	for _, server := range dns.GetServers() {
		line("nameserver", server)
	}
	line("options", dns.GetOptions()...)
	return map[string]string{"etc/hostname": pod.GetHostname() + "\n", "etc/resolv.conf": b.String(), "etc/hosts": "127.0.0.1\tlocalhost\n"}
}

// run runs the process to its end.
func (p *process) run() (code int32, reason string) {
	code = p.workload(p.Process)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		code = p.code
	}
	p.cancel()
	return code, p.reason
}

// kill ends the process with an exit code.
func (p *process) kill(code int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.killed && p.ctx.Err() == nil {
		p.killed, p.code = true, code
	}
	p.cancel()
}

// signal sends a signal. One that nobody reads is lost once many wait.
func (p *process) signal(name string) {
	select {
	case p.signals <- name:
	default:
	}
}

// firstPID is above every pid that a kernel gives (PID_MAX_LIMIT), so that nobody takes a process of the host for a container.
const firstPID = 1 << 22

// pid is the number of the process, or 0.
func (p *process) pid() int {
	if p == nil {
		return 0
	}
	return p.number
}

// signalName returns the name of a signal, of SIGTERM for the default.
func signalName(s runtimeapi.Signal) string {
	if s == runtimeapi.Signal_SIGNAL_RUNTIME_DEFAULT {
		return "SIGTERM"
	}
	return strings.TrimPrefix(s.String(), "SIGNAL_")
}

// fan writes what it is given to all that listen.
type fan struct {
	mu  sync.Mutex
	all []io.Writer
}

func (f *fan) add(w io.Writer) {
	if w == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append(f.all, w)
}

func (f *fan) remove(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(x io.Writer) bool { return x == w })
}

// Write never fails: a process does not notice who reads its output.
func (f *fan) Write(b []byte) (int, error) {
	f.mu.Lock()
	all := slices.Clone(f.all)
	f.mu.Unlock()
	for _, w := range all {
		_, _ = w.Write(b)
	}
	return len(b), nil
}
