package cri

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Shell returns the workload that a command stands for. It plays a small part of a POSIX shell, as the first process of a container
// does: `sh -c SCRIPT`, in which commands are separated by newlines, ";", "&", "&&", "||" or "|", or are `while true; do …; done`. It knows
// variables, $(COMMAND), $((A + B)), and the redirections <, >, >>, 2> and >&2. The command after a pipe begins when the one before it has
// ended. These are programs of their own, with few of their options:
//
//	cat FILE           prints files, or copies the input until it ends; so do head, tail and grep TEXT
//	ls, mkdir, rm, tar, test, touch, pwd    on the files of the container; see files
//	date, echo, env, false, hostname, id, printenv, ps, seq N, sleep SECONDS, true
//	kill -SIGNAL 1     sends a signal to the first process
//	sh                 runs the lines of its input
//	head -c N /dev/zero prints N bytes
//	tail -f FILE       runs until it is killed
//	tail /dev/zero     is killed for want of memory
//
// These are of the shell alone: cd, exit CODE, wait, which a signal with a handler ends, and trap SCRIPT SIGNAL, which sets a handler; ”
// ignores the signal, which is the default. A handler runs once the command in the foreground ends.
//
// A command that contains "no-such" is missing: Shell returns nil. Any other runs until it gets a SIGTERM, and ends with 0: so do
// containers. In an exec any other is missing.
func Shell(argv []string) Workload {
	if len(argv) == 0 {
		return untilTerm
	}
	name := path.Base(argv[0])
	if len(argv) >= 3 && argv[1] == "-c" && isShell(name) {
		return func(p *Process) int32 { return runScript(p, argv[2]) }
	}
	switch _, builtin := builtins[name]; {
	case len(argv) == 1 && isShell(name):
		return readScript
	case strings.Contains(argv[0], "no-such"):
		return nil
	case builtin:
		return func(p *Process) int32 { return (&shell{p: p}).command(append([]string{name}, argv[1:]...)) }
	}
	return untilTerm
}

// shellOf returns the workload of a container that has the command of its image, or its own. Without either, a terminal has a shell.
func shellOf(config *runtimeapi.ContainerConfig, image *stored) Workload {
	argv := config.GetCommand()
	if len(argv) == 0 {
		argv = image.Entrypoint
	}
	argv = slices.Concat(argv, config.GetArgs())
	if len(argv) == 0 && config.GetStdin() && config.GetTty() { // somebody sits before it
		return readScript
	}
	return Shell(argv)
}

// plays reports whether Shell plays a command.
func plays(command string) bool {
	name := path.Base(command)
	_, builtin := builtins[name]
	return builtin || isShell(name)
}

func untilTerm(p *Process) int32 {
	for {
		select {
		case s := <-p.Signals():
			if s == "SIGTERM" || s == "SIGINT" || s == "SIGQUIT" {
				return 0
			}
		case <-p.Context().Done():
			return 137
		}
	}
}

// shell runs a script.
type shell struct {
	p      *Process
	traps  map[string]string
	status int32
	back   sync.WaitGroup
}

// errExit ends a script.
var errExit = errors.New("exit")

func runScript(p *Process, script string) int32 {
	s := &shell{p: p, traps: map[string]string{}}
	if list, err := parse(script); err != nil {
		fmt.Fprintf(p.Stderr, "sh: %v\n", err)
		s.status = 2
	} else {
		_ = s.run(list)
	}
	return s.status
}

// shells are the names of programs that are a shell.
var shells = []string{"sh", "ash", "bash", "dash"}

// isShell reports whether a program is a shell.
func isShell(name string) bool { return slices.Contains(shells, name) }

// readScript runs each line of the input. On a terminal it asks for each.
func readScript(p *Process) int32 {
	s := &shell{p: p, traps: map[string]string{}}
	if p.screen != nil {
		p.screen.mu.Lock()
		p.screen.shell = true
		p.screen.mu.Unlock()
	}
	for lines := bufio.NewScanner(p.Stdin); s.prompt() && lines.Scan() && s.alive() == nil; {
		list, err := parse(lines.Text())
		if err != nil {
			fmt.Fprintf(p.Stderr, "sh: %v\n", err)
			s.status = 2
			continue
		}
		if s.interactive(list) != nil {
			break
		}
	}
	return s.status
}

// prompt asks for a line, if there is a terminal.
func (s *shell) prompt() bool {
	if s.p.screen != nil {
		fmt.Fprintf(s.p.Stdout, "/%s # ", strings.TrimPrefix(s.p.dir, "."))
	}
	return true
}

// interactive runs the commands of a line, which Ctrl-C ends if there is a terminal.
func (s *shell) interactive(list []node) error {
	if s.p.screen == nil {
		return s.run(list)
	}
	q, end := s.p.screen.command()
	line := &shell{p: &q, traps: s.traps, status: s.status}
	err := line.run(list)
	stopped := q.ctx.Err() != nil
	end()
	s.status, s.p.dir = line.status, q.dir
	if stopped && s.p.ctx.Err() == nil {
		s.status, err = 130, nil
	}
	return err
}

// run runs commands until one exits, or the process is killed.
func (s *shell) run(list []node) error {
	var pipe *capped // what the command before wrote for this one
	for _, n := range list {
		if n.unless != 0 && (n.unless == '&') != (s.status == 0) {
			continue
		}
		var err error
		switch {
		case n.loop != nil:
			for err == nil {
				err = s.run(n.loop)
			}
		case n.background:
			p := *s.p
			p.Env = maps.Clone(p.Env)
			child := &shell{p: &p, traps: map[string]string{}}
			s.back.Go(func() { _ = child.simple(n, nil, nil) })
		default:
			pipe, err = s.joined(n, pipe)
		}
		if err == nil {
			err = s.handle(false)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joined runs a command between two pipes, and returns the one after it; nil: there is none. A command begins when the one before has ended.
func (s *shell) joined(n node, before *capped) (after *capped, err error) {
	var in io.Reader
	if before != nil {
		in = bytes.NewReader(before.bytes())
	}
	if !n.piped {
		return nil, s.simple(n, in, nil)
	}
	after = &capped{}
	return after, s.simple(n, in, after)
}

// handle runs the handlers of the signals that have come; if it may wait, that of the first that comes before everything in the
// background has ended.
func (s *shell) handle(waits bool) error {
	var ended chan struct{}
	if waits {
		ended = make(chan struct{})
		go func() { s.back.Wait(); close(ended) }()
	}
	for {
		if !waits && len(s.p.signals) == 0 {
			return s.alive()
		}
		select {
		case name := <-s.p.signals:
			script := s.traps[strings.TrimPrefix(name, "SIG")]
			if script == "" {
				continue
			}
			list, err := parse(script)
			if err == nil {
				err = s.run(list)
			}
			if err != nil || waits {
				return err
			}
		case <-ended:
			return s.alive()
		case <-s.p.ctx.Done():
			return errExit
		}
	}
}

func (s *shell) alive() error {
	if s.p.ctx.Err() != nil {
		return errExit
	}
	return nil
}

// simple runs one command. in and out are the pipes before and after it; nil: none.
func (s *shell) simple(n node, in io.Reader, out io.Writer) error {
	argv := make([]string, len(n.argv))
	for i, a := range n.argv {
		argv[i] = s.expand(a)
	}
	switch argv[0] {
	case "cd":
		s.p.dir = s.p.at(append(argv, "/root")[1])
		s.status = 0
		return nil
	case "exit":
		if len(argv) > 1 {
			code, _ := strconv.Atoi(argv[1])
			s.status = int32(code & 255)
		}
		return errExit
	case "trap":
		for _, name := range argv[min(2, len(argv)):] {
			s.traps[strings.TrimPrefix(name, "SIG")] = argv[1]
		}
		s.status = 0
		return nil
	case "wait":
		s.status = 0
		return s.handle(true)
	}
	for len(argv) > 0 && assignment.MatchString(argv[0]) && !n.argv[len(n.argv)-len(argv)].literal {
		name, value, _ := strings.Cut(argv[0], "=")
		s.p.Env[name] = value
		argv = argv[1:]
	}
	if s.status = 0; len(argv) == 0 {
		return s.alive()
	}
	return s.program(n, argv, in, out)
}

// program runs a command that is none of the shell's own.
func (s *shell) program(n node, argv []string, in io.Reader, out io.Writer) error {
	if len(n.redirects) == 0 && in == nil && out == nil {
		s.status = s.command(argv)
		return s.alive()
	}
	p := *s.p
	if in != nil {
		p.Stdin = in
	}
	if out != nil {
		p.Stdout = out
	}
	if err := s.redirect(&p, n.redirects); err != nil {
		fmt.Fprintf(s.p.Stderr, "sh: %v\n", err)
		s.status = 1
		return s.alive()
	}
	s.status = (&shell{p: &p}).command(argv)
	s.p.reason = p.reason
	return s.alive()
}

// assignment is a word that sets a variable.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// redirect changes the streams of a command.
func (s *shell) redirect(p *Process, all []redirect) error {
	for _, x := range all {
		target := s.expand(x.target)
		var to io.Writer
		switch name := p.at(target); {
		case x.operator == "<":
			text, err := fs.ReadFile(p.files, name)
			if err != nil {
				return fmt.Errorf("can't open %s: %s", target, why(err))
			}
			p.Stdin = bytes.NewReader(text)
			continue
		case name == "dev/null":
			to = io.Discard
		case strings.HasSuffix(x.operator, "&") && target == "2", name == "dev/stderr":
			to = p.Stderr
		case strings.HasSuffix(x.operator, "&") && target == "1", name == "dev/stdout":
			to = p.Stdout
		case strings.HasSuffix(x.operator, ">>"):
			to = appender{p.files, name}
		case strings.HasSuffix(x.operator, ">"):
			if err := p.files.put(name, 0o644, nil); err != nil {
				return fmt.Errorf("can't create %s: %s", target, why(err))
			}
			to = appender{p.files, name}
		default:
			return fmt.Errorf("%s%s is not played", x.operator, target)
		}
		if strings.HasPrefix(x.operator, "2") {
			p.Stderr = to
		} else {
			p.Stdout = to
		}
	}
	return nil
}

var (
	sum          = regexp.MustCompile(`\$\(\( *\$?(\w+) *([-+]) *\$?(\w+) *\)\)`)
	substitution = regexp.MustCompile(`\$\(([^()]*)\)`)
)

// expand puts in variables, sums of two numbers, and what commands print.
func (s *shell) expand(t token) string {
	if t.literal {
		return t.text
	}
	variable := func(name string) string {
		if name == "?" {
			return fmt.Sprint(s.status)
		}
		return s.p.Env[name]
	}
	text := sum.ReplaceAllStringFunc(t.text, func(x string) string {
		m := sum.FindStringSubmatch(x)
		number := func(word string) int {
			n, _ := strconv.Atoi(cmp.Or(s.p.Env[word], word))
			return n
		}
		if m[2] == "-" {
			return fmt.Sprint(number(m[1]) - number(m[3]))
		}
		return fmt.Sprint(number(m[1]) + number(m[3]))
	})
	var outputs []string
	text = substitution.ReplaceAllStringFunc(text, func(x string) string {
		var out capped
		p := *s.p
		p.Stdout = &out
		s.status = runScript(&p, x[2:len(x)-1])
		outputs = append(outputs, strings.TrimRight(string(out.bytes()), "\n"))
		return fmt.Sprintf("${%d}", len(outputs)-1)
	})
	return os.Expand(text, func(name string) string {
		if n, err := strconv.Atoi(name); err == nil && n < len(outputs) {
			return outputs[n]
		}
		return variable(name)
	})
}

// command runs a program in the foreground.
func (s *shell) command(argv []string) int32 {
	if f, ok := builtins[path.Base(argv[0])]; ok {
		return f(s.p, argv[1:])
	}
	fmt.Fprintf(s.p.Stderr, "sh: %s: not found\n", argv[0])
	return 127
}
