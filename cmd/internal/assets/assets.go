// Package assets makes one program stand in for the kube-apiserver and the etcd that envtest of controller-runtime starts. A copy of lwtest
// or lwtest-apiserver with one of these names is that program. See docs/envtest.md.
package assets

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// orphansStay is the variable that lets a stand-in outlive the process that has started it.
const orphansStay = "LWTEST_ORPHANS"

// program is a stand-in.
type program struct {
	name  string
	flags []flag
	// version is the answer to --version.
	version string
	// run serves until ctx ends. An error is one line that says what to do.
	run func(ctx context.Context, p *process) error
}

// process is one run of a program.
type process struct {
	values
	env            func(string) string
	cel            apiserver.CEL
	stdout, stderr io.Writer
}

// note tells whoever reads stderr.
func (p *process) note(format string, args ...any) {
	fmt.Fprintf(p.stderr, "lwtest: "+format+"\n", args...)
}

var programs = []program{
	{name: "kube-apiserver", flags: apiServerFlags, version: "Kubernetes v1.37.1 (lwtest's stand-in)", run: runAPIServer},
	{name: "etcd", flags: etcdFlags, version: "etcd Version: 3.6.8 (lwtest's stand-in)", run: runEtcd},
}

// Main ends this process as kube-apiserver or etcd if args[0] has one of these names, and returns if not. cel may be nil, see
// apiserver.Options.
func Main(args []string, cel apiserver.CEL) {
	name := strings.TrimSuffix(filepath.Base(args[0]), ".exe")
	for _, p := range programs {
		if p.name != name {
			continue
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		if os.Getenv(orphansStay) != "stay" {
			ctx = whileParent(ctx, os.Getppid, time.Second)
		}
		status := p.main(ctx, args[1:], &process{env: os.Getenv, cel: cel, stdout: os.Stdout, stderr: os.Stderr})
		stop()
		os.Exit(status)
	}
}

// whileParent returns a context that ends when the process gets another parent, which is when its own has ended: a test that was killed
// cannot stop what it has started.
func whileParent(ctx context.Context, parent func() int, every time.Duration) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	was := parent()
	go func() {
		look := time.NewTicker(every)
		defer look.Stop()
		for parent() == was {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
		}
		cancel(fmt.Errorf("the process that has started this one has ended (%s=stay lets it go on)", orphansStay))
	}()
	return ctx
}

// main runs a program and returns its exit status.
func (p program) main(ctx context.Context, args []string, proc *process) int {
	for _, a := range args {
		switch a {
		case "--help", "-h":
			fmt.Fprint(proc.stdout, p.help())
			return 0
		case "--version":
			fmt.Fprintln(proc.stdout, p.version)
			return 0
		}
	}
	err := proc.parse(p.flags, args)
	if said := proc.env(orphansStay); err == nil && said != "" && said != "stay" {
		err = fmt.Errorf("%s=%s: say stay, or leave it out", orphansStay, said)
	}
	if err == nil {
		err = p.run(ctx, proc)
	}
	if err == nil {
		return 0
	}
	line := fmt.Sprintf("%s (lwtest's stand-in): %v", p.name, err)
	fmt.Fprintln(proc.stderr, line)
	leave(args, refusedFile, line)
	return 1
}

// envtest throws outputs away, so these files in --cert-dir have what a stand-in says: why it did not start, and what else there is.
const refusedFile, notesFile = "lwtest-refused.txt", "lwtest-notes.txt"

// leave writes a file into the folder of --cert-dir, where that is given: args need not be good ones. "" removes it.
func leave(args []string, name, text string) {
	for i, a := range args {
		dir, ok := strings.CutPrefix(a, "--cert-dir=")
		if a == "--cert-dir" && i+1 < len(args) {
			dir, ok = args[i+1], true
		}
		if !ok {
			continue
		}
		if path := filepath.Join(dir, name); text == "" {
			_ = os.Remove(path) // it is seldom there
		} else {
			_ = os.WriteFile(path, []byte(text+"\n"), 0o600) // stderr has it, too
		}
	}
}
