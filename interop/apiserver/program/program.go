// Package program starts programs that speak etcd's protocol.
package program

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// arguments are those of the programs, which keep all they have in the folder that they run in, for an address of loopback.
var arguments = map[string]func(address string) []string{
	"etcd": func(address string) []string {
		return []string{"--data-dir=data", "--listen-client-urls=http://" + address, "--advertise-client-urls=http://" + address, "--listen-peer-urls=http://127.0.0.1:0",
			"--unsafe-no-fsync", "--heartbeat-interval=20", "--election-timeout=200"}
	},
	"kine": func(address string) []string { // over sqlite
		return []string{"--listen-address=tcp://" + address, "--metrics-bind-address=0"}
	},
	"t4": func(address string) []string { // without object storage
		return []string{"run", "--data-dir=data", "--listen=" + address}
	},
}

// environment is for all programs. It sets etcd's progress interval by both names that its flag has had: etcd 3.7 refuses the old flag, and older ones
// do not know the new one. A variable that etcd does not know does no harm.
var environment = []string{"ETCD_WATCH_PROGRESS_NOTIFY_INTERVAL=5s", "ETCD_EXPERIMENTAL_WATCH_PROGRESS_NOTIFY_INTERVAL=5s"}

// Names are the programs that there are.
func Names() []string { return slices.Sorted(maps.Keys(arguments)) }

const (
	starting = 30 * time.Second
	tries    = 3 // another program may take the port meanwhile
)

// Start starts a program in a new folder. It returns the address for clients, and a function that ends the program and removes the folder. The error
// of a program that does not serve ends with what it printed last.
func Start(name, path string) (endpoint string, end func(), err error) {
	if arguments[name] == nil {
		return "", nil, fmt.Errorf("there is no program %q: say %s", name, strings.Join(Names(), ", "))
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	for range tries {
		if endpoint, end, err = start(name, path); err == nil {
			return endpoint, end, nil
		}
	}
	return "", nil, err
}

func start(name, path string) (string, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "lwtest-"+name+"-")
	if err != nil {
		return "", nil, err
	}
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	defer said.Close()
	cmd := exec.Command(path, arguments[name](address)...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, said, said
	if err := cmd.Start(); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait() // it is killed
	}()
	end := func() {
		_ = cmd.Process.Kill() // or it has ended
		<-gone
		_ = os.RemoveAll(dir) // nobody needs it
	}
	if err := serves(address, gone); err != nil {
		b, _ := os.ReadFile(said.Name()) // it may have said nothing
		end()
		return "", nil, fmt.Errorf("%s: %w:\n%s", path, err, b[max(0, len(b)-2000):])
	}
	return "http://" + address, end, nil
}

// serves waits until a program answers.
func serves(address string, gone <-chan struct{}) error {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + address}, DialTimeout: starting})
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, end := context.WithTimeout(context.Background(), starting)
	defer end()
	go func() {
		select {
		case <-gone:
			end()
		case <-ctx.Done():
		}
	}()
	for {
		if _, err = c.Get(ctx, "ready"); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
