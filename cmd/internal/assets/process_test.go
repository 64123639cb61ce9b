//go:build unix

package assets

import (
	"bufio"
	"crypto/x509"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

// serving starts a process and waits until it serves. What it returns has the rest of stderr.
func serving(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	for line := ""; !strings.Contains(line, "serves at"); {
		line, err = lines.ReadString('\n')
		require.NoError(t, err, line)
	}
	return lines
}

// SIGTERM ends both with status 0, within a second, while a watch is open.
func TestTerm(t *testing.T) {
	f, port := newFolder(t), freePort(t)
	for name, args := range map[string][]string{"kube-apiserver": f.args(port), "etcd": {"--listen-client-urls=http://127.0.0.1:" + freePort(t)}} {
		cmd := command(t, name, args...)
		rest := serving(t, cmd)
		if name == "kube-apiserver" {
			crt, key := f.client.sign(t, x509.ExtKeyUsageClientAuth, "admin", "system:masters")
			res, err := client(t, crt, key).Get("https://127.0.0.1:" + port + "/api/v1/namespaces?watch=1")
			require.NoError(t, err)
			defer res.Body.Close()
		}
		began := time.Now()
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		told, err := io.ReadAll(rest)
		require.NoError(t, err)
		require.NoError(t, cmd.Wait())
		assert.Less(t, time.Since(began), time.Second, name)
		assert.Contains(t, string(told), "ends: terminated signal received")
	}
}

// Both end when their parent is gone, unless LWTEST_ORPHANS says that they stay.
func TestParentGone(t *testing.T) {
	for _, stay := range []bool{false, true} {
		for name, args := range map[string][]string{"kube-apiserver": newFolder(t).args(freePort(t)), "etcd": {"--listen-client-urls=http://127.0.0.1:" + freePort(t)}} {
			child := command(t, name, args...)
			cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `"$0" "$@" & echo "pid $!" >&2; read line; exit 0`}, child.Args...)...)
			cmd.Env = child.Env
			if stay {
				cmd.Env = append(cmd.Env, orphansStay+"=stay")
			}
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			lines := bufio.NewScanner(stderr)
			pid, served := 0, false
			for (pid == 0 || !served) && lines.Scan() {
				served = served || strings.Contains(lines.Text(), "serves at")
				if text, ok := strings.CutPrefix(lines.Text(), "pid "); ok {
					pid, err = strconv.Atoi(text)
					require.NoError(t, err)
				}
			}
			require.True(t, served)
			ended := make(chan string, 1)
			go func() { // stderr ends with its last writer
				var rest strings.Builder
				for lines.Scan() {
					rest.WriteString(lines.Text())
				}
				ended <- rest.String()
			}()
			require.NoError(t, in.Close())
			if stay {
				select {
				case told := <-ended:
					t.Errorf("%s ended: %s", name, told)
				case <-time.After(2500 * time.Millisecond):
				}
				require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
			}
			select {
			case told := <-ended:
				assert.Equal(t, !stay, strings.Contains(told, "the process that has started this one has ended"), told)
			case <-time.After(10 * time.Second):
				_ = syscall.Kill(pid, syscall.SIGKILL)
				t.Errorf("%s goes on without its parent", name)
			}
			require.NoError(t, cmd.Wait())
		}
	}
}

// A program by another name is none of the stand-ins.
func TestOtherName(t *testing.T) {
	cmd := command(t, "kubelet")
	require.Error(t, cmd.Run())
	require.Equal(t, 4, cmd.ProcessState.ExitCode())
}

// Many pairs start at once, and are ready. In full 50.
func TestMany(t *testing.T) {
	n := 6
	if full.Wanted() {
		n = 50
	}
	var all sync.WaitGroup
	took, ports := make(chan time.Duration, n), freePorts(t, 2*n)
	for i := range n {
		f, etcd := newFolder(t), "http://127.0.0.1:"+ports[2*i]
		all.Go(func() {
			began := time.Now()
			stop := startPair(t, etcd, f.args(ports[2*i+1], "--etcd-servers="+etcd))
			took <- time.Since(began)
			stop()
		})
	}
	all.Wait()
	close(took)
	var most time.Duration
	for d := range took {
		most = max(most, d)
	}
	t.Logf("%d pairs at once, all ready after %v", n, most)
}

// startPair starts etcd and then kube-apiserver, and returns once both serve.
func startPair(t *testing.T, etcd string, args []string) (stop func()) {
	stops := []func(){}
	for _, c := range []struct {
		name string
		args []string
	}{{"etcd", []string{"--listen-client-urls=" + etcd}}, {"kube-apiserver", args}} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asProgram+"="+c.name, "GORACE=atexit_sleep_ms=0")
		var stderr buffer
		cmd.Stderr = &stderr
		if !assert.NoError(t, cmd.Start()) {
			continue
		}
		assert.Eventually(t, func() bool { return strings.Contains(stderr.String(), "serves at") }, time.Minute, 5*time.Millisecond)
		stops = append(stops, func() {
			assert.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
			assert.NoError(t, cmd.Wait(), stderr.String())
		})
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}
