//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// restartsFile counts, for restart, how often kube-apiserver has become ready again.
const restartsFile = "restarts"

// restartOnHangup kills kube-apiserver and starts it again as often as the supervisor gets SIGHUP, and tells it
// to end before that at SIGUSR1; etcd stays.
func (s *servers) restartOnHangup(ctx context.Context) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP, syscall.SIGUSR1)
	for n := 1; ; n++ {
		how := os.Kill
		select {
		case got := <-hangups:
			if got == syscall.SIGUSR1 {
				how = syscall.SIGTERM
			}
		case <-ctx.Done():
			return
		}
		if err := s.again(ctx, n, how); err != nil {
			s.end(fmt.Errorf("kube-apiserver could not be restarted: %w", err))
			return
		}
	}
}

// again ends kube-apiserver by a signal, as a crash does or an upgrade, and waits until a new one is ready.
func (s *servers) again(ctx context.Context, n int, how os.Signal) error {
	api := s.running[kubeAPIServer]
	api.expected.Store(true)
	if err := api.cmd.Process.Signal(how); err != nil {
		return err
	}
	<-api.done
	delete(s.running, kubeAPIServer)
	if err := s.serveAPI(ctx); err != nil {
		return err
	}
	return os.WriteFile(s.file(restartsFile), []byte(strconv.Itoa(n)), 0o600)
}

// restart makes the supervisor of a folder that up or with has made restart its kube-apiserver, and waits until
// that serves. gently: the old one is told to end, and may take its time.
func restart(path string, gently bool) error {
	dir, err := folder(path)
	if err != nil {
		return err
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		return fmt.Errorf("nothing to restart in %s: restart wants what up has printed, or the KUBECONFIG of with", path)
	}
	group, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		return err
	}
	before := restarts(dir)
	how := syscall.SIGHUP
	if gently {
		how = syscall.SIGUSR1
	}
	if err := syscall.Kill(group, how); err != nil {
		return fmt.Errorf("the supervisor of %s is gone: %w", dir, err)
	}
	for deadline := time.Now().Add(patience); restarts(dir) == before; {
		if time.Now().After(deadline) {
			return errors.New("kube-apiserver is not ready again after " + patience.String())
		}
		if syscall.Kill(group, 0) != nil {
			return fmt.Errorf("the servers of %s have ended", dir)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil
}

func restarts(dir string) string {
	b, _ := os.ReadFile(filepath.Join(dir, restartsFile)) // none yet
	return string(b)
}

// folder is that of a kubeconfig in it, or the folder itself.
func folder(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err == nil && filepath.Base(dir) == "kubeconfig" {
		dir = filepath.Dir(dir)
	}
	return dir, err
}
