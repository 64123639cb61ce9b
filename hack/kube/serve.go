//go:build linux || darwin

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lwtest/lwtest/hack/gobuild"
)

const (
	dirPrefix = "lwtest-kube-"
	patience  = 2 * time.Minute // for a start; it takes seconds unless the machine is very busy
)

// A cluster is a supervisor process with etcd, kube-apiserver and perhaps kube-controller-manager as its children,
// seen from up and with.
// The supervisor stops everything when its stdin ends before it has got a byte: so nothing is left when up or with die, however they do.
type cluster struct {
	dir   string
	begin time.Time
	cmd   *exec.Cmd
	stdin io.WriteCloser
	log   *os.File // the supervisor's stderr
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// start starts a supervisor (serve), in a session of its own, and waits until its servers are ready.
func start(ctx context.Context, bin string, flags []string) (*cluster, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &cluster{begin: time.Now()}
	if c.dir, err = os.MkdirTemp("", dirPrefix); err != nil {
		return nil, err
	}
	if c.log, err = os.Create(filepath.Join(c.dir, "kube.log")); err != nil {
		return nil, err
	}
	c.cmd = exec.Command(self, append([]string{filepath.Dir(bin), "serve", bin, c.dir}, flags...)...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.cmd.Stderr = c.log
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(c.dir))
	}
	defer context.AfterFunc(ctx, func() { c.stdin.Close() })()
	if line, _ := bufio.NewReader(stdout).ReadString('\n'); line == "" || ctx.Err() != nil {
		err := c.stop()
		if ctx.Err() != nil {
			err = errors.New("interrupted while starting")
		}
		return nil, err
	}
	progress("%s %s are ready after %s", programs(flags), filepath.Base(bin), time.Since(c.begin).Round(time.Second/10))
	return c, nil
}

// keep lets the supervisor live on without its parent.
func (c *cluster) keep() error {
	_, err := c.stdin.Write([]byte{1})
	return err
}

// stop ends everything; the error is the supervisor's if it had one.
func (c *cluster) stop() error {
	c.stdin.Close()
	err := c.cmd.Wait()
	if err != nil {
		log, _ := io.ReadAll(io.NewSectionReader(c.log, 0, 1<<20))
		err = fmt.Errorf("the servers failed (%v)\n%s", err, bytes.TrimSpace(log))
	}
	if _, gone := os.Stat(c.dir); gone == nil {
		err = errors.Join(err, down(c.dir))
	}
	return err
}

// serve is the supervisor: it runs the servers in dir until it is told to stop, or one of them ends.
func serve(ctx context.Context, bin, dir string, flags []string) error {
	pid, err := os.Create(filepath.Join(dir, "pid"))
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(pid.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return err
	}
	fmt.Fprintln(pid, os.Getpid())
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if n, _ := os.Stdin.Read(make([]byte, 1)); n == 0 {
			cancel()
		}
	}()

	s := &servers{bin: bin, dir: dir, pid: pid, running: map[string]*child{}}
	s.lagging, flags = taken(lagFlag, flags)
	s.controllers, flags = taken(controllersFlag, flags)
	defer s.kill()
	err = s.start(ctx, flags)
	if err == nil {
		go s.restartOnHangup(s.alive)
		fmt.Println("ready")
		<-s.alive.Done()
		if ctx.Err() == nil {
			return context.Cause(s.alive) // the one case in which the folder stays, for its logs
		}
	} else if ctx.Err() != nil {
		err = nil
	}
	s.kill()
	return errors.Join(err, os.RemoveAll(dir))
}

// servers are the children of the supervisor.
type servers struct {
	bin, dir    string
	lagging     string // the resource whose watches on etcd can be held, as GROUP/RESOURCE; "": none
	controllers string // the path of kube-controller-manager; "": it is not started
	pid         *os.File
	running     map[string]*child           // by the name of their program
	api         func(context.Context) error // starts kube-apiserver, and waits until it is ready
	waiting     sync.WaitGroup
	alive       context.Context // done as soon as one of them has ended, for the cause given to end
	end         context.CancelCauseFunc
}

// child is one of the programs.
type child struct {
	cmd      *exec.Cmd
	expected atomic.Bool   // its end is
	done     chan struct{} // it has ended
}

func (s *servers) file(name string) string { return filepath.Join(s.dir, name) }

// start starts all and waits until kube-apiserver is ready. A free port may be taken before kube-apiserver gets it: then it tries another.
func (s *servers) start(ctx context.Context, flags []string) error {
	token := rand.Text()
	if err := s.secrets(token); err != nil {
		return err
	}
	for try := 1; ; try++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		err = s.try(ctx, port, token, flags)
		if try == 5 || err == nil || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
		s.kill()
	}
}

func (s *servers) try(ctx context.Context, port, token string, flags []string) error {
	s.alive, s.end = context.WithCancelCause(ctx)
	starting, done := context.WithTimeoutCause(s.alive, patience, fmt.Errorf("not ready after %s", patience))
	defer done()
	data := s.file("etcd") // anew for each try
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	socket := "unix://" + s.file("etcd.sock") // no port, and nobody else can open it
	if err := s.run(s.dir, filepath.Join(s.bin, "etcd"), "--data-dir="+data, "--unsafe-no-fsync", "--log-level=warn", "--listen-client-urls="+socket,
		"--listen-peer-urls=unix://peer.sock",           // a name in the working folder: etcd overlooks a path here
		"--advertise-client-urls=http://localhost:2379", // wanted, though nobody comes
	); err != nil {
		return err
	}
	if err := s.await(starting, "etcd", func() error {
		conn, err := net.Dial("unix", s.file("etcd.sock"))
		if err == nil {
			err = conn.Close()
		}
		return err
	}); err != nil {
		return err
	}
	apiserver := []string{
		"--etcd-servers=" + socket,
		"--bind-address=127.0.0.1", "--secure-port=" + port, "--cert-dir=" + s.dir, // it signs a certificate for itself
		"--advertise-address=192.0.2.1", // for the Service kubernetes only; loopback would not be valid there
		"--token-auth-file=" + s.file("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + s.file("sa.key"), "--service-account-signing-key-file=" + s.file("sa.key"),
		"--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged",
	}
	if s.controllers == "" {
		apiserver = append(apiserver, "--disable-admission-plugins=ServiceAccount") // nothing makes service accounts
	}
	apiserver = append(apiserver, flags...)
	if s.lagging != "" {
		l, err := startLag(s.file("lag.sock"), s.file("etcd.sock"))
		if err != nil {
			return err
		}
		context.AfterFunc(s.alive, func() { l.server.Close() })
		apiserver = append(apiserver, "--etcd-servers-overrides="+s.lagging+"#unix://"+s.file("lag.sock"))
	}
	url := "https://127.0.0.1:" + port
	s.api = func(ctx context.Context) error {
		if err := s.run("", filepath.Join(s.bin, kubeAPIServer), apiserver...); err != nil {
			return err
		}
		return s.await(ctx, kubeAPIServer, func() error {
			return errors.Join(s.get(ctx, url+"/readyz", token), s.get(ctx, url+"/api/v1/namespaces/default", token))
		})
	}
	if err := s.api(starting); err != nil {
		return err
	}
	if err := s.kubeconfig(url, token); err != nil || s.controllers == "" {
		return err
	}
	return s.control(starting, url, token)
}

// serveAPI is api with the patience of a start.
func (s *servers) serveAPI(ctx context.Context) error {
	starting, done := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not ready after %s", patience))
	defer done()
	return s.api(starting)
}

// run starts one program in a working folder, with a log of its own. It inherits the locked pid file, see down.
func (s *servers) run(work, path string, args ...string) error {
	name := filepath.Base(path)
	log, err := os.Create(s.file(name + ".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = work, log, log
	cmd.ExtraFiles = []*os.File{s.pid}
	if err := cmd.Start(); err != nil {
		return err
	}
	c := &child{cmd: cmd, done: make(chan struct{})}
	s.running[name] = c
	end := s.end
	s.waiting.Go(func() {
		err := cmd.Wait()
		close(c.done)
		if c.expected.Load() {
			return
		}
		log, _ := os.ReadFile(s.file(name + ".log"))
		end(fmt.Errorf("%s ended (%v), its last lines:\n%s", name, err, gobuild.Tail(string(log))))
	})
	return nil
}

func (s *servers) kill() {
	for _, c := range s.running {
		_ = c.cmd.Process.Kill()
	}
	s.waiting.Wait()
	clear(s.running)
}

// await asks again and again until there is no error, or the context is done: a server has ended, or the time is over.
func (s *servers) await(ctx context.Context, name string, ask func() error) error {
	for {
		err := ask()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				log, _ := os.ReadFile(s.file(name + ".log"))
				return fmt.Errorf("%w: %v; the last lines of %s:\n%s", context.Cause(ctx), err, name, gobuild.Tail(string(log)))
			}
			return context.Cause(ctx)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// get asks kube-apiserver, trusting nothing but the certificate it has written.
func (s *servers) get(ctx context.Context, url, token string) error {
	cert, err := os.ReadFile(s.file("apiserver.crt"))
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(cert)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true,
	}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("%s: %s\n%s", url, resp.Status, body)
	}
	return nil
}

// secrets writes the token of the administrator and the key that signs tokens of service accounts.
func (s *servers) secrets(token string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	block := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	return errors.Join(
		os.WriteFile(s.file("sa.key"), block, 0o600),
		os.WriteFile(s.file("tokens.csv"), []byte(token+",admin,admin,system:masters\n"), 0o600),
	)
}

func (s *servers) kubeconfig(url, token string) error {
	ca, err := os.ReadFile(s.file("apiserver.crt"))
	if err != nil {
		return err
	}
	return os.WriteFile(s.file("kubeconfig"), fmt.Appendf(nil, `apiVersion: v1
kind: Config
current-context: lwtest
contexts:
- name: lwtest
  context: {cluster: lwtest, user: admin}
clusters:
- name: lwtest
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: admin
  user: {token: %s}
`, url, base64.StdEncoding.EncodeToString(ca), token), 0o600)
}

func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
