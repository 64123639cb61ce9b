//go:build linux || darwin

// Command kube builds real etcd and kube-apiserver from public Go modules and runs them on loopback.
// Start it through kube.sh; README.md tells how.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	defaultVersion = "v1.37.1"
	usage          = `usage: hack/kube/kube.sh
  build [--version V] [--controllers]            builds etcd and kube-apiserver, prints their folder
  kubectl [--version V]                          builds kubectl, prints its path
  kubelet | scheduler | controller-manager [--version V]  the same of these
  metrics-server                                 the same of metrics-server ` + metricsVersion + `
  up    [--version V] [FLAG...] [-- FLAG...]     starts both, prints the kubeconfig; FLAGs are kube-apiserver's
  down  FOLDER|KUBECONFIG                        stops what up has started, removes its data
  restart  FOLDER|KUBECONFIG [--term]            kills kube-apiserver and starts it again, as a crash does; etcd stays
  with  [--version V] [FLAG...] -- COMMAND...    up, COMMAND with KUBECONFIG set (and ETCD, RESTART), down; exits as COMMAND did
V is ` + defaultVersion + ` unless --version or VERSION say otherwise. With --controllers kube-controller-manager is built, and started, too.
--lag=GROUP/RESOURCE is no flag of kube-apiserver either, see README.md`
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 3 || slices.Contains([]string{"-h", "--help", "help"}, os.Args[2]) {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	err := run(ctx, os.Args[1], os.Args[2], os.Args[3:])
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit): // of the COMMAND of with
		if s := exit.Sys().(syscall.WaitStatus); s.Signaled() {
			os.Exit(128 + int(s.Signal()))
		}
		os.Exit(exit.ExitCode())
	case err != nil:
		progress("%v", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, cache, verb string, args []string) error {
	switch verb {
	case "down":
		if len(args) != 1 {
			return errors.New("down wants one folder or kubeconfig")
		}
		return down(args[0])
	case "restart":
		gently := len(args) == 2 && args[1] == "--term"
		if len(args) != 1 && !gently {
			return errors.New("restart wants one folder or kubeconfig, and perhaps --term")
		}
		return restart(args[0], gently)
	case "serve": // for up and with only, see start
		return serve(ctx, args[0], args[1], args[2:])
	}

	l, err := split(args)
	if err != nil {
		return err
	}
	_, isAlone := alone[verb]
	switch {
	case !isAlone && !slices.Contains([]string{"build", "up", "with"}, verb):
		return fmt.Errorf("unknown verb %q\n%s", verb, usage)
	case (verb == "build" || isAlone) && len(l.flags)+len(l.rest) > 0:
		return fmt.Errorf("%s does not know %q", verb, append(l.flags, l.rest...))
	case isAlone && l.controllers:
		return fmt.Errorf("%s does not know --controllers: it starts nothing", verb)
	case verb == "with" && len(l.rest) == 0:
		return errors.New("with wants a command after --")
	}
	if isAlone {
		path, err := buildAlone(ctx, cache, verb, l.version)
		if err == nil {
			fmt.Println(path)
		}
		return err
	}
	bin, err := build(ctx, cache, l.version)
	if err != nil {
		return err
	}
	if l.controllers {
		path, err := buildAlone(ctx, cache, "controller-manager", l.version)
		if err != nil {
			return err
		}
		l.flags = append(l.flags, controllersFlag+path)
	}
	switch verb {
	case "build":
		fmt.Println(bin)
		return nil
	case "up":
		c, err := start(ctx, bin, append(l.flags, l.rest...))
		if err != nil {
			return err
		}
		progress("stop it with: hack/kube/kube.sh down %s", c.dir)
		fmt.Println(c.kubeconfig())
		return c.keep()
	default: // with
		c, err := start(ctx, bin, l.flags)
		if err != nil {
			return err
		}
		err = command(c, cache, l.rest)
		if stopErr := c.stop(); err == nil {
			err = stopErr
		} else if stopErr != nil {
			progress("%v", stopErr)
		}
		return err
	}
}

// line is what is said after a verb: the flags are kube-apiserver's, the rest follows the first --.
type line struct {
	version     string
	controllers bool // kube-controller-manager, too
	flags, rest []string
}

// split reads the arguments after a verb.
func split(args []string) (l line, err error) {
	l.version = os.Getenv("VERSION")
	for len(args) > 0 && args[0] != "--" {
		arg := args[0]
		args = args[1:]
		if v, ok := strings.CutPrefix(arg, "--version="); ok {
			l.version = v
		} else if arg == "--version" && len(args) > 0 {
			l.version, args = args[0], args[1:]
		} else if arg == "--controllers" {
			l.controllers = true
		} else {
			l.flags = append(l.flags, arg)
		}
	}
	if len(args) > 0 {
		l.rest = args[1:]
	}
	if l.version == "" {
		l.version = defaultVersion
	}
	if !regexp.MustCompile(`^v1\.\d+\.\d+$`).MatchString(l.version) {
		return line{}, fmt.Errorf("%q is no Kubernetes version: it wants the form %s", l.version, defaultVersion)
	}
	return l, nil
}

// command runs args until they end, with KUBECONFIG set, and for `lwtest run --etcd $ETCD --restart-cmd "$RESTART"` these two.
func command(c *cluster, cache string, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig(), "ETCD=unix://"+filepath.Join(c.dir, "etcd.sock"),
		fmt.Sprintf("RESTART=%s %s restart %s", self, cache, c.dir))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM) // an interrupt is sent by the terminal, to the command as well
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	return cmd.Wait()
}

// down stops the servers of a folder that up has made, or of the kubeconfig in it, and removes the folder.
func down(path string) error {
	dir, err := folder(path)
	if err != nil {
		return err
	}
	// The file is locked as long as any process of the group lives, so that its number is not somebody else's.
	pid, err := os.Open(filepath.Join(dir, "pid"))
	if err != nil || !strings.HasPrefix(filepath.Base(dir), dirPrefix) {
		return fmt.Errorf("nothing to stop in %s: down wants what up has printed", path)
	}
	defer pid.Close()
	for deadline := time.Now().Add(10 * time.Second); syscall.Flock(int(pid.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; {
		if time.Now().After(deadline) {
			return fmt.Errorf("the servers of %s do not end", dir)
		}
		var group int
		if _, err := fmt.Fscan(pid, &group); err == nil && group > 1 {
			_ = syscall.Kill(-group, syscall.SIGKILL) // the data is thrown away: nothing to end orderly
		}
		time.Sleep(10 * time.Millisecond)
	}
	return os.RemoveAll(dir)
}

// progress tells people on stderr what goes on.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "kube: "+format+"\n", args...)
}
