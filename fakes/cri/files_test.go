package cri_test

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/remotecommand"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

// startWith starts a container that sleeps, with mounts from paths of the host to paths of the container.
func (c *client) startWith(pod, name string, mounts ...*runtimeapi.Mount) string {
	c.t.Helper()
	q := config(name, "sleep 600")
	q.Mounts = mounts
	made, err := c.CreateContainer(c.t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: q})
	require.NoError(c.t, err)
	_, err = c.StartContainer(c.t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
	require.NoError(c.t, err)
	return made.ContainerId
}

// sh runs a script in a container, and returns what it prints.
func (c *client) sh(id, script string) string {
	c.t.Helper()
	out, err := c.ExecSync(c.t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"sh", "-c", script}})
	require.NoError(c.t, err)
	return string(out.Stdout) + string(out.Stderr)
}

// A container sees the folders that a kubelet made for its pod, and of others nothing.
func TestMounts(t *testing.T) {
	c := open(t, cri.Options{})
	dir := t.TempDir()
	own, foreign := filepath.Join(dir, "pods", "uid-a", "volumes", "v"), filepath.Join(dir, "pods", "uid-b", "volumes", "v")
	for _, d := range []string{own, foreign} {
		require.NoError(t, os.MkdirAll(d, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(d, "f"), []byte("text\n"), 0o644))
	}
	require.NoError(t, os.Symlink(filepath.Join(foreign, "f"), filepath.Join(own, "link")))
	a := c.run("a")
	one := c.startWith(a, "one", &runtimeapi.Mount{ContainerPath: "/v", HostPath: own}, &runtimeapi.Mount{ContainerPath: "/r", HostPath: own, Readonly: true},
		&runtimeapi.Mount{ContainerPath: "/file", HostPath: filepath.Join(own, "f")}, &runtimeapi.Mount{ContainerPath: "/host", HostPath: dir}, &runtimeapi.Mount{ContainerPath: "/up", HostPath: own + "/../../../uid-b/volumes/v"})
	two := c.startWith(a, "two", &runtimeapi.Mount{ContainerPath: "/w", HostPath: own}, &runtimeapi.Mount{ContainerPath: "/host", HostPath: dir})

	assert.Equal(t, "text\n", c.sh(one, "cat /v/f"))
	assert.Equal(t, "", c.sh(one, "mkdir /v/d && echo new >/v/d/g"))
	assert.Equal(t, "new\n", c.sh(two, "cat /w/d/g"), "they share the volume")
	b, err := os.ReadFile(filepath.Join(own, "d", "g"))
	require.NoError(t, err)
	assert.Equal(t, "new\n", string(b))
	assert.Equal(t, "sh: can't create /r/x: Read-only file system\n", c.sh(one, "echo x >/r/x"))
	assert.Equal(t, "rm: can't remove: '/v': Device or resource busy\n", c.sh(one, "rm -r /v"))
	assert.Equal(t, "", c.sh(one, "echo over >/file"))
	assert.Equal(t, "over\n", c.sh(one, "cat /v/f"))
	assert.NotContains(t, c.sh(one, "cat /v/link"), "text", "a link does not leave the volume")
	assert.Equal(t, "", c.sh(one, "ls /up"), "no files of others")
	assert.Equal(t, "cat: can't open '/host/pods/uid-b/volumes/v/f': No such file or directory\n", c.sh(one, "cat /host/pods/uid-b/volumes/v/f"))
	assert.Equal(t, "", c.sh(one, "echo mine >/host/x"))
	assert.Equal(t, "mine\n", c.sh(two, "cat /host/x"), "a hostPath is shared")
	assert.NoFileExists(t, filepath.Join(dir, "x"))
	assert.NotContains(t, c.sh(two, "ls /"), "file")
	assert.Contains(t, c.sh(one, "ls /"), "file\nhome\nhost\n", "a mounted file has the name that it has in the container")
}

// What `kubectl cp` does goes there and back.
func TestTar(t *testing.T) {
	c := open(t, cri.Options{})
	id := c.start(c.run("a"), "main", "sleep 600")
	var archive, out, errs bytes.Buffer
	w := tar.NewWriter(&archive)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "d/", Typeflag: tar.TypeDir, Mode: 0o755}))
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "../d/f", Typeflag: tar.TypeReg, Mode: 0o600, Size: 2}))
	_, err := w.Write([]byte("hi"))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	exec := func(in io.Reader, argv ...string) error {
		out.Reset()
		errs.Reset()
		q, err := c.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: argv, Stdin: in != nil, Stdout: true, Stderr: true})
		require.NoError(t, err)
		return stream(t, q.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: in, Stdout: &out, Stderr: &errs})
	}
	require.NoError(t, exec(&archive, "tar", "-xmf", "-", "-C", "/tmp"))
	require.NoError(t, exec(nil, "tar", "cf", "-", "/tmp/d"))
	assert.Contains(t, errs.String(), "removing leading '/'")
	var names []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		names = append(names, h.Name)
	}
	assert.Equal(t, []string{"tmp/d/", "tmp/d/f"}, names)
	assert.Error(t, exec(nil, "tar", "cf", "-", "/none"))
	assert.Contains(t, errs.String(), "can't open '/none': No such file or directory")
	assert.ErrorContains(t, exec(nil, "psql"), `OCI runtime exec failed: exec failed: unable to start container process: exec: "psql": executable file not found in $PATH`)
}

// A port that a pod declares answers while a container runs, and others refuse.
func TestDialPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		pod := c.pod("a")
		pod.PortMappings = []*runtimeapi.PortMapping{{ContainerPort: 80}, {ContainerPort: 53, Protocol: runtimeapi.Protocol_UDP}}
		made, err := c.RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: pod})
		require.NoError(t, err)
		client := &http.Client{Transport: &http.Transport{DialContext: c.rt.DialPod}}
		get := func(address string) string {
			res, err := client.Get("http://" + address + "/x?y")
			if err != nil {
				return err.Error()
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			return res.Status + " " + string(b)
		}
		assert.Contains(t, get("10.88.0.2:80"), "dial tcp 10.88.0.2:80: connect: connection refused", "nothing runs")
		id := c.start(made.PodSandboxId, "main", "sleep 60")
		for range 2 {
			assert.Equal(t, "200 OK pod a in default, port 80: GET /x?y\n", get("10.88.0.2:80"))
		}
		client.CloseIdleConnections()
		assert.Contains(t, get("10.88.0.2:81"), "connection refused")
		assert.Contains(t, get("10.88.0.2:53"), "connection refused")
		assert.Contains(t, get("10.88.0.3:80"), "no route to host")
		c.stop(id, 2)
		assert.Contains(t, get("10.88.0.2:80"), "connection refused")
		conn, err := c.rt.DialPod(context.Background(), "tcp", "10.88.0.2:80")
		assert.Error(t, err)
		assert.Nil(t, conn)
		time.Sleep(time.Second)
	})
}

// A terminal echoes what is typed, and its shell asks for lines, which Ctrl-C ends.
func TestTerminal(t *testing.T) {
	c := open(t, cri.Options{})
	q := config("main", "")
	q.Command, q.Stdin, q.Tty = nil, true, true
	made, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: c.run("a"), Config: q})
	require.NoError(t, err)
	_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
	require.NoError(t, err)
	exec, err := c.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: made.ContainerId, Cmd: []string{"sh"}, Stdin: true, Stdout: true, Tty: true})
	require.NoError(t, err)
	attach, err := c.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: made.ContainerId, Stdin: true, Stdout: true, Tty: true})
	require.NoError(t, err)
	for _, address := range []string{exec.Url, attach.Url} {
		out := &shown{}
		asked := func() bool { return strings.HasSuffix(out.text(), "# ") }
		keys, typing := io.Pipe()
		go func() {
			if address == attach.Url { // which comes after the first prompt
				_, _ = io.WriteString(typing, "\r")
			}
			was := 0
			for _, part := range []string{"echo hix\x7f\r", "cd /etc\r", "ls /x\x03", "sleep 1000\r"} {
				assert.Eventually(t, func() bool { return asked() && len(out.text()) > was }, 10*time.Second, time.Millisecond)
				was = len(out.text())
				_, _ = io.WriteString(typing, part)
			}
			assert.Eventually(t, func() bool { return strings.Contains(out.text(), "sleep 1000\r\n") }, 10*time.Second, time.Millisecond)
			for !asked() { // the shell may not be at it yet
				time.Sleep(10 * time.Millisecond)
				_, _ = io.WriteString(typing, "\x03")
			}
			_, _ = io.WriteString(typing, "exit 7\r")
		}()
		err := stream(t, address).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: keys, Stdout: out, Tty: true})
		if address == exec.Url {
			assert.ErrorContains(t, err, "exit code 7")
		}
		for _, want := range []string{"/ # echo hix\b \b\r\nhi\r\n/ # cd /etc\r\n/etc # ls /x^C\r\n/etc # ", "sleep 1000\r\n^C"} {
			assert.Contains(t, out.text(), want)
		}
		typing.Close()
	}
}

// shown is what a client shows.
type shown struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shown) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *shown) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
