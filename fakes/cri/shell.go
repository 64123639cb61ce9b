package cri

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Shell returns the workload that a command stands for. It plays a small part of a POSIX shell, as the first process of a container
// does: `sh -c SCRIPT`, in which commands are separated by newlines, ";", "&", "&&" or "||", or are `while true; do …; done`; and each
// of these alone:
//
//	echo [-n] TEXT [>&2]    sleep SECONDS    exit CODE    true    false    seq [-s TEXT] N    env    hostname
//	cat [FILE]         copies the input until it ends, or prints /etc/hostname or /etc/resolv.conf
//	sh                 runs the lines of its input
//	head -c N FILE     prints N bytes
//	trap SCRIPT SIGNAL sets a handler; '' ignores the signal, which is the default. It runs once the command in the foreground ends
//	wait               waits for what runs in the background; a signal with a handler ends it
//	tail /dev/zero     is killed for want of memory
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

// shellOf returns the workload of a container that has the command of its image, or its own.
func shellOf(config *runtimeapi.ContainerConfig, image *stored) Workload {
	argv := config.GetCommand()
	if len(argv) == 0 {
		argv = image.Entrypoint
	}
	return Shell(slices.Concat(argv, config.GetArgs()))
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

// isShell reports whether a program is a shell.
func isShell(name string) bool { return slices.Contains([]string{"sh", "ash", "bash", "dash"}, name) }

// readScript runs each line of the input.
func readScript(p *Process) int32 {
	s := &shell{p: p, traps: map[string]string{}}
	for lines := bufio.NewScanner(p.Stdin); lines.Scan() && s.alive() == nil; {
		list, err := parse(lines.Text())
		if err != nil {
			fmt.Fprintf(p.Stderr, "sh: %v\n", err)
			s.status = 2
			continue
		}
		if s.run(list) != nil {
			break
		}
	}
	return s.status
}

// run runs commands until one exits, or the process is killed.
func (s *shell) run(list []node) error {
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
			child := &shell{p: s.p, traps: map[string]string{}}
			s.back.Go(func() { _ = child.simple(n) })
		default:
			err = s.simple(n)
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

// simple runs one command.
func (s *shell) simple(n node) error {
	argv := make([]string, len(n.argv))
	for i, a := range n.argv {
		argv[i] = s.expand(a)
	}
	switch argv[0] {
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
	if n.toStderr {
		p := *s.p
		p.Stdout = p.Stderr
		s.status = (&shell{p: &p}).command(argv)
		s.p.reason = p.reason
	} else {
		s.status = s.command(argv)
	}
	return s.alive()
}

// expand puts in variables.
func (s *shell) expand(t token) string {
	if t.literal {
		return t.text
	}
	text := strings.ReplaceAll(t.text, "$?", fmt.Sprint(s.status))
	for k, v := range s.p.Env {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "${"+k+"}", v), "$"+k, v)
	}
	return text
}

// builtins are the commands that are programs of their own in a real container, too.
var builtins = map[string]func(*Process, []string) int32{
	"echo": func(p *Process, args []string) int32 {
		end := "\n"
		if len(args) > 0 && args[0] == "-n" {
			args, end = args[1:], ""
		}
		fmt.Fprint(p.Stdout, strings.Join(args, " ")+end)
		return 0
	},
	"true":  func(*Process, []string) int32 { return 0 },
	":":     func(*Process, []string) int32 { return 0 },
	"false": func(*Process, []string) int32 { return 1 },
	"sleep": func(p *Process, args []string) int32 {
		for _, a := range args {
			seconds, err := strconv.ParseFloat(a, 64)
			if err != nil && a != "infinity" {
				fmt.Fprintf(p.Stderr, "sleep: invalid number '%s'\n", a)
				return 1
			}
			if a == "infinity" {
				seconds = 1e9
			}
			p.Sleep(time.Duration(seconds * float64(time.Second)))
		}
		return 0
	},
	"seq": func(p *Process, args []string) int32 {
		n, between := 0, "\n"
		if len(args) > 1 && args[0] == "-s" {
			between = args[1]
		}
		if len(args) > 0 {
			n, _ = strconv.Atoi(args[len(args)-1])
		}
		var b bytes.Buffer
		for i := 1; i <= n && p.ctx.Err() == nil; i++ {
			fmt.Fprint(&b, i, map[bool]string{true: "\n", false: between}[i == n])
		}
		_, _ = p.Stdout.Write(b.Bytes())
		return 0
	},
	"env": func(p *Process, _ []string) int32 {
		for k, v := range p.Env {
			fmt.Fprintf(p.Stdout, "%s=%s\n", k, v)
		}
		return 0
	},
	"hostname": func(p *Process, _ []string) int32 { fmt.Fprintln(p.Stdout, p.Env["HOSTNAME"]); return 0 },
	"cat": func(p *Process, files []string) int32 {
		if len(files) == 0 {
			_, _ = io.Copy(p.Stdout, p.Stdin)
		}
		status := int32(0)
		for _, name := range files {
			if text, ok := p.files[name]; ok {
				fmt.Fprint(p.Stdout, text)
				continue
			}
			fmt.Fprintf(p.Stderr, "cat: can't open '%s': No such file or directory\n", name)
			status = 1
		}
		return status
	},
	"head": func(p *Process, args []string) int32 {
		n := 0
		if len(args) > 1 && args[0] == "-c" {
			n, _ = strconv.Atoi(args[1])
		}
		for part := bytes.Repeat([]byte{'0'}, 32*1024); n > 0 && p.ctx.Err() == nil; n -= len(part) {
			part = part[:min(n, len(part))]
			_, _ = p.Stdout.Write(part)
		}
		return 0
	},
	"tail": func(p *Process, args []string) int32 {
		if slices.Contains(args, "/dev/zero") {
			return p.OutOfMemory()
		}
		return 0
	},
}

// command runs a program in the foreground.
func (s *shell) command(argv []string) int32 {
	if f, ok := builtins[path.Base(argv[0])]; ok {
		return f(s.p, argv[1:])
	}
	fmt.Fprintf(s.p.Stderr, "sh: %s: not found\n", argv[0])
	return 127
}
