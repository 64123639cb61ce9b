package cri_test

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

// client is a connection to a runtime, with shorthands that fail the test.
type client struct {
	t  testing.TB
	rt *cri.Runtime
	runtimeapi.RuntimeServiceClient
	images runtimeapi.ImageServiceClient
	logs   string
}

// open returns a runtime that ends with the test, and a client.
func open(t testing.TB, o cri.Options) *client {
	t.Helper()
	if o.Images == nil {
		o.Images = []string{"busybox"}
	}
	r := cri.New(o)
	conn, err := r.Dial()
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(); r.Close() })
	return &client{t, r, runtimeapi.NewRuntimeServiceClient(conn), runtimeapi.NewImageServiceClient(conn), t.TempDir()}
}

func (c *client) pod(name string) *runtimeapi.PodSandboxConfig {
	return &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: name, Namespace: "default", Uid: "uid-" + name}, LogDirectory: filepath.Join(c.logs, name),
		Labels: map[string]string{"app": name}}
}

func (c *client) run(name string) string {
	c.t.Helper()
	out, err := c.RunPodSandbox(c.t.Context(), &runtimeapi.RunPodSandboxRequest{Config: c.pod(name)})
	require.NoError(c.t, err)
	return out.PodSandboxId
}

func config(name, script string) *runtimeapi.ContainerConfig {
	return &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: name}, Image: &runtimeapi.ImageSpec{Image: "busybox"}, Command: []string{"sh", "-c", script}, LogPath: name + "/0.log"}
}

func (c *client) create(pod, name, script string) string {
	c.t.Helper()
	out, err := c.CreateContainer(c.t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: config(name, script)})
	require.NoError(c.t, err)
	return out.ContainerId
}

func (c *client) start(pod, name, script string) string {
	c.t.Helper()
	id := c.create(pod, name, script)
	_, err := c.StartContainer(c.t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id})
	require.NoError(c.t, err)
	return id
}

func (c *client) stop(id string, timeout int64) {
	c.t.Helper()
	_, err := c.StopContainer(c.t.Context(), &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: timeout})
	require.NoError(c.t, err)
}

func (c *client) status(id string) *runtimeapi.ContainerStatus {
	c.t.Helper()
	out, err := c.ContainerStatus(c.t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: id})
	require.NoError(c.t, err)
	return out.Status
}

// ended describes how a container has ended.
func (c *client) ended(id string) string {
	s := c.status(id)
	return fmt.Sprintf("%s %d %s after %s", s.State, s.ExitCode, s.Reason, time.Duration(s.FinishedAt-s.StartedAt).Round(time.Second/10))
}

func both(t *testing.T, f func(*testing.T, cri.Personality)) {
	for _, p := range []cri.Personality{cri.Containerd, cri.CRIO} {
		t.Run(p.Name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { f(t, p) }) })
	}
}

func TestLifecycle(t *testing.T) {
	both(t, func(t *testing.T, p cri.Personality) {
		c := open(t, cri.Options{Personality: p})
		pod := c.run("a")
		s, err := c.PodSandboxStatus(t.Context(), &runtimeapi.PodSandboxStatusRequest{PodSandboxId: pod[:12]})
		require.NoError(t, err)
		assert.Equal(t, "10.88.0.2", s.Status.Network.Ip)
		id := c.create(pod, "main", "echo hello; echo bad >&2; sleep 2; exit 3")
		assert.Zero(t, c.status(id).StartedAt)
		_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id})
		require.NoError(t, err)
		_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: id})
		assert.Equal(t, codes.Unknown, status.Code(err))
		time.Sleep(3 * time.Second)
		assert.Equal(t, "CONTAINER_EXITED 3 Error after 2s", c.ended(id))
		b, err := os.ReadFile(c.status(id).LogPath)
		require.NoError(t, err)
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		require.Len(t, lines, 2)
		assert.Regexp(t, `^2000-01-01T00:00:00\.\d{9}(Z|\+00:00) stdout F hello$`, lines[0])
		assert.Contains(t, lines[1], " stderr F bad")
		for range 2 {
			_, err = c.RemovePodSandbox(t.Context(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod})
			require.NoError(t, err)
		}
		all, err := c.ListContainers(t.Context(), &runtimeapi.ListContainersRequest{})
		require.NoError(t, err)
		assert.Empty(t, all.Containers)
		_, err = c.ContainerStatus(t.Context(), &runtimeapi.ContainerStatusRequest{ContainerId: id})
		assert.Equal(t, codes.NotFound, status.Code(err))
		assert.Equal(t, 12, c.rt.Calls()[len(c.rt.Calls())-1].Num)
	})
}

func TestStop(t *testing.T) {
	for _, x := range []struct{ name, script, want string }{
		{"a handler", "trap 'exit 4' TERM; sleep 60 & wait", "CONTAINER_EXITED 4 Error after 1s"},
		{"none", "sleep 60", "CONTAINER_EXITED 137 Error after 6s"},
		{"a handler that waits for the foreground", "trap 'exit 4' TERM; sleep 3", "CONTAINER_EXITED 4 Error after 3s"},
		{"ignored", "trap '' TERM; while true; do sleep 1; done", "CONTAINER_EXITED 137 Error after 6s"},
		{"the program's own", "", "CONTAINER_EXITED 0 Completed after 1s"},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, cri.Options{Workload: func(q *runtimeapi.ContainerConfig) cri.Workload {
					if x.script == "" {
						return cri.Shell([]string{"nginx"})
					}
					return cri.Shell(q.Command)
				}})
				id := c.start(c.run("a"), "main", x.script)
				time.Sleep(time.Second)
				c.stop(id, 5)
				assert.Equal(t, x.want, c.ended(id))
				c.stop(id, 5)
				assert.Equal(t, x.want, c.ended(id))
			})
		})
	}
}

// A second stop with a shorter grace ends the first.
func TestStopTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		id := c.start(c.run("a"), "main", "sleep 600")
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.StopContainer(short, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: 300})
		assert.Equal(t, codes.DeadlineExceeded, status.Code(err))
		c.stop(id, 2)
		assert.Equal(t, "CONTAINER_EXITED 137 Error after 3s", c.ended(id))
	})
}

func TestShell(t *testing.T) {
	for script, want := range map[string]string{
		"echo a; echo b":                          "a|b|0",
		"false || echo c && echo d":               "c|d|0",
		"true || echo no":                         "0",
		"exit 7; echo no":                         "7",
		"echo 'a  b' $NAME \"$NAME\" '$NAME'":     "a  b x x $NAME|0",
		"seq 3":                                   "1|2|3|0",
		"sleep 1 & echo first; wait; echo second": "first|second|0",
		"none":         "sh: none: not found|127",
		"echo 'open":   "sh: syntax error: unterminated quoted string|2",
		"echo a | cat": "a|0",
		"echo a > /tmp/x; echo b >> /tmp/x; cat < /tmp/x; cat /tmp/x | tail -n 1": "a|b|b|0",
		"echo no >/dev/null; none 2>/dev/null; echo $?":                           "127|0",
		"echo yes >": "sh: syntax error: > has no file|2",
		"i=1; i=$((i + 2)); echo $i: \"$(echo in)\" ${none}":            "3: in |0",
		"cd /tmp && mkdir -p a/b && touch a/c && ls a; pwd":             "b|c|/tmp|0",
		"mkdir a/b; rm a; rm -rf /tmp; ls /tmp":                         "mkdir: can't create directory: 'a/b': No such file or directory|rm: can't remove: 'a': No such file or directory|ls: /tmp: No such file or directory|1",
		"id; date +%F; test -d /etc && [ -f /etc/passwd ]":              "uid=0(root) gid=0(root) groups=0(root)|2000-01-01|0",
		"seq 12 | tail -n 2 | head -n 1; echo abc | grep -v x; ls /etc": "11|abc|group|hostname|hosts|passwd|resolv.conf|0",
		"env | grep HOME; printenv NAME; echo a >/etc; echo b":          "HOME=/root|x|sh: can't create /etc: Is a directory|b|0",
		"ps | head -n 1; ls -l /bin/true":                               "PID   USER     TIME  COMMAND|-rwxr-xr-x    1 root     root             0 Jan  1 00:00 /bin/true|0",
		"while true; do exit 5; done":                                   "5",
		"while true; do":                                                `sh: syntax error: "done" is missing|2`,
		"tail /dev/zero":                                                "137",
		"head -c 5 /dev/zero":                                           "00000|0",
	} {
		t.Run(script, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, cri.Options{})
				q := config("main", script)
				q.Envs = []*runtimeapi.KeyValue{{Key: "NAME", Value: []byte("x")}}
				made, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: c.run("a"), Config: q})
				require.NoError(t, err)
				_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
				require.NoError(t, err)
				time.Sleep(time.Minute)
				b, err := os.ReadFile(c.status(made.ContainerId).LogPath)
				require.NoError(t, err)
				var got []string
				for _, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
					if _, text, ok := strings.Cut(line, " std"); ok {
						got = append(got, text[len("out F "):])
					}
				}
				assert.Equal(t, want, strings.Join(append(got, fmt.Sprint(c.status(made.ContainerId).ExitCode)), "|"))
			})
		})
	}
}

// A create whose caller has gone: containerd lists what it made, CRI-O gives it to the third caller.
func TestSlowCreate(t *testing.T) {
	both(t, func(t *testing.T, p cri.Personality) {
		c := open(t, cri.Options{Personality: p})
		pod := c.run("a")
		c.rt.Arm(cri.Fault{Method: "CreateContainer", Slow: cri.Duration(1500 * time.Millisecond), Times: 1})
		try := func() (string, codes.Code) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			out, err := c.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: config("main", "sleep 9")})
			return out.GetContainerId(), status.Code(err)
		}
		listed := func() int {
			all, err := c.ListContainers(t.Context(), &runtimeapi.ListContainersRequest{})
			require.NoError(t, err)
			return len(all.Containers)
		}
		_, code := try()
		assert.Equal(t, codes.DeadlineExceeded, code)
		time.Sleep(time.Second)
		if !p.HoldsRepeats {
			assert.Equal(t, 1, listed())
			_, code = try()
			assert.Equal(t, codes.FailedPrecondition, code)
			return
		}
		assert.Zero(t, listed())
		_, code = try()
		assert.Equal(t, codes.DeadlineExceeded, code)
		id, code := try()
		assert.Equal(t, codes.OK, code)
		assert.NotEmpty(t, id)
		assert.Equal(t, 1, listed())
	})
}

func TestExecSync(t *testing.T) {
	both(t, func(t *testing.T, p cri.Personality) {
		c := open(t, cri.Options{Personality: p})
		id := c.start(c.run("a"), "main", "sleep 600")
		exec := func(timeout int64, script string) string {
			began := time.Now()
			out, err := c.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"sh", "-c", script}, Timeout: timeout})
			return fmt.Sprintf("%s %d %q %q %s", status.Code(err), out.GetExitCode(), out.GetStdout(), out.GetStderr(), time.Since(began).Round(time.Second))
		}
		assert.Equal(t, `OK 4 "a\n" "b\n" 0s`, exec(5, "echo a; echo b >&2; exit 4"))
		assert.Equal(t, `OK 0 "bg\n" "" 0s`, exec(1, "sleep 30 & echo bg"))
		want := `DeadlineExceeded 0 "" "" 2s`
		if p.ExecTimeoutIsCode {
			want = `OK -1 "" "command timed out" 2s`
		}
		assert.Equal(t, want, exec(2, "sleep 30"))
		_, err := c.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"psql"}})
		assert.ErrorContains(t, err, `exec: "psql": executable file not found in $PATH`)
		out, err := c.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"head", "-c", "16000000", "/dev/zero"}})
		require.NoError(t, err)
		assert.Len(t, out.Stdout, 16000000)
	})
}

func TestEvents(t *testing.T) {
	both(t, func(t *testing.T, p cri.Personality) {
		c := open(t, cri.Options{Personality: p})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var all [2][]string
		for i := range all {
			s, err := c.GetContainerEvents(ctx, &runtimeapi.GetEventsRequest{})
			require.NoError(t, err)
			go func() {
				for {
					e, err := s.Recv()
					if err != nil {
						return
					}
					all[i] = append(all[i], strings.Split(e.ContainerEventType.String(), "_")[1])
				}
			}()
		}
		synctest.Wait()
		pod := c.run("a")
		id := c.start(pod, "main", "exit 1")
		time.Sleep(time.Second)
		_, err := c.RemoveContainer(ctx, &runtimeapi.RemoveContainerRequest{ContainerId: id})
		require.NoError(t, err)
		_, err = c.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod})
		require.NoError(t, err)
		synctest.Wait()
		want := "CREATED STARTED CREATED STARTED STOPPED DELETED STOPPED DELETED"
		if p.FewSandboxEvents {
			want = "STARTED CREATED STARTED STOPPED DELETED STOPPED"
		}
		assert.Equal(t, want, strings.Join(all[0], " "))
		assert.Equal(t, all[0], all[1])
	})
}

func TestRestart(t *testing.T) {
	for m, want := range map[cri.Memory]string{cri.Keeps: "CONTAINER_EXITED 77 Error after 2s", cri.ForgetsExits: "CONTAINER_EXITED 255 Unknown after 4s"} {
		t.Run(string(m), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, cri.Options{})
				id := c.start(c.run("a"), "main", "sleep 2; exit 77")
				time.Sleep(time.Second)
				c.rt.Crash()
				_, err := c.Version(t.Context(), &runtimeapi.VersionRequest{})
				assert.Equal(t, codes.Unavailable, status.Code(err))
				time.Sleep(3 * time.Second)
				c.rt.Restart(m)
				assert.Equal(t, want, c.ended(id))
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		c.start(c.run("a"), "main", "sleep 600")
		c.rt.Restart(cri.ForgetsAll)
		assert.Empty(t, c.rt.Sandboxes())
		c.run("a")
	})
}

// TestRestartAfterFault checks that a runtime that a fault has killed comes back when the fault says so, and not twice.
func TestRestartAfterFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{Memory: cri.ForgetsAll})
		pods := func() (int, error) {
			list, err := c.ListPodSandbox(t.Context(), &runtimeapi.ListPodSandboxRequest{})
			return len(list.GetItems()), err
		}
		crash := func() {
			c.rt.Arm(cri.Fault{Method: "Version", Crash: true, Restart: cri.Duration(5 * time.Second), Times: 1})
			_, err := c.Version(t.Context(), &runtimeapi.VersionRequest{})
			require.Equal(t, codes.Unavailable, status.Code(err))
		}
		c.run("a")
		crash()
		time.Sleep(4 * time.Second)
		_, err := pods()
		require.Equal(t, codes.Unavailable, status.Code(err))
		time.Sleep(2 * time.Second)
		n, err := pods()
		require.NoError(t, err)
		require.Zero(t, n, "it forgets everything")

		crash()
		c.rt.Restart(cri.Keeps) // somebody is faster
		c.run("b")
		time.Sleep(10 * time.Second)
		n, err = pods()
		require.NoError(t, err)
		require.Equal(t, 1, n, "it has not been restarted once more")
	})
}

func TestFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		run := func(name string) codes.Code {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := c.RunPodSandbox(ctx, &runtimeapi.RunPodSandboxRequest{Config: c.pod(name)})
			return status.Code(err)
		}
		c.rt.Arm(cri.Fault{Name: "a", Method: "Run*", Contains: `"name":"b"`, Code: codes.Internal, Times: 1})
		assert.Equal(t, codes.OK, run("a"))
		assert.Equal(t, codes.Internal, run("b"))
		assert.Equal(t, codes.OK, run("b"))
		c.rt.Arm(cri.Fault{Name: "applied", Method: "RunPodSandbox", Code: codes.DeadlineExceeded, Applied: true, Nth: 2})
		assert.Equal(t, codes.OK, run("c"))
		assert.Equal(t, codes.DeadlineExceeded, run("d"))
		assert.Len(t, c.rt.Sandboxes(), 4)
		c.rt.Clear("app*")
		c.rt.Arm(cri.Fault{Method: "RunPodSandbox", Hang: true, Times: 1})
		assert.Equal(t, codes.DeadlineExceeded, run("e"))
		c.rt.Arm(cri.Fault{Method: "RunPodSandbox", Crash: true, Applied: true, Times: 1})
		assert.Equal(t, codes.Unavailable, run("f"))
		assert.Equal(t, codes.Unavailable, run("g"))
		c.rt.Restart(cri.Keeps)
		assert.Equal(t, codes.OK, run("g"))
		assert.Len(t, c.rt.Sandboxes(), 6)
	})
}

func TestImages(t *testing.T) {
	both(t, func(t *testing.T, p cri.Personality) {
		c := open(t, cri.Options{Personality: p, Registry: map[string]cri.Image{"busybox": {}, "other:1": {Content: "x"}, "other:2": {Content: "x"}, "slow": {Takes: time.Minute},
			"secret": {Username: "me", Password: "pw"}, "gone": {Fails: codes.Unavailable, Message: "RegistryUnavailable"}}})
		pull := func(name string, auth *runtimeapi.AuthConfig) (string, codes.Code) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			out, err := c.images.PullImage(ctx, &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: name}, Auth: auth})
			return out.GetImageRef(), status.Code(err)
		}
		get := func(name string) *runtimeapi.Image {
			out, err := c.images.ImageStatus(t.Context(), &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: name}})
			require.NoError(t, err)
			return out.Image
		}
		one, code := pull("other:1", nil)
		assert.Equal(t, codes.OK, code)
		two, _ := pull("other:2", nil)
		assert.Equal(t, one, two)
		x := get("other:2")
		assert.Equal(t, []string{"docker.io/library/other:1", "docker.io/library/other:2"}, x.RepoTags)
		again, code := pull(x.RepoDigests[0], nil)
		assert.Equal(t, codes.OK, code)
		assert.Equal(t, one, again)
		assert.Equal(t, one, get(one).Id)
		for name, want := range map[string]codes.Code{"none": codes.NotFound, "slow": codes.DeadlineExceeded, "secret": codes.Unknown, "gone": codes.Unavailable} {
			_, code := pull(name, nil)
			assert.Equal(t, want, code, name)
			assert.Nil(t, get(name))
		}
		_, code = pull("secret", &runtimeapi.AuthConfig{Username: "me", Password: "pw"})
		assert.Equal(t, codes.OK, code)
		for range 2 {
			_, err := c.images.RemoveImage(t.Context(), &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: "other:1"}})
			require.NoError(t, err)
		}
		assert.Nil(t, get("other:2"))
	})
}

// Each call that a feature lacks is Unimplemented, and the others are served.
func TestLacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{Lacks: []cri.Feature{cri.RuntimeSettings, cri.StreamingLists}})
		_, err := c.RuntimeConfig(t.Context(), &runtimeapi.RuntimeConfigRequest{})
		assert.Equal(t, codes.Unimplemented, status.Code(err))
		s, err := c.StreamContainers(t.Context(), &runtimeapi.StreamContainersRequest{})
		require.NoError(t, err)
		_, err = s.Recv()
		assert.Equal(t, codes.Unimplemented, status.Code(err))
	})
}

// On a socket: dead ones are replaced, and those that are served are not.
func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cri.sock")
	l, err := cri.Listen(path)
	require.NoError(t, err)
	r := cri.New(cri.Options{})
	done := make(chan error)
	go func() { done <- r.Serve(l) }()
	_, err = cri.Listen(path)
	assert.ErrorContains(t, err, "served already")
	r.Close()
	require.NoError(t, <-done)
}

// Lines that are long stand in several entries; a log that is moved away goes on in a new file.
func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		id := c.start(c.run("a"), "main", "head -c 40000 /dev/zero; echo; echo one; sleep 5; echo two; head -c 2 /dev/zero")
		time.Sleep(time.Second)
		path := c.status(id).LogPath
		require.NoError(t, os.Rename(path, path+".1"))
		_, err := c.ReopenContainerLog(t.Context(), &runtimeapi.ReopenContainerLogRequest{ContainerId: id})
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Equal(t, "P16384 P16384 F7232 F3", entries(t, path+".1"))
		assert.Equal(t, "F3 P2", entries(t, path))
		require.NoError(t, os.Remove(path))
		_, err = c.ReopenContainerLog(t.Context(), &runtimeapi.ReopenContainerLogRequest{ContainerId: id})
		assert.Error(t, err)
		assert.NoFileExists(t, path)
	})
}

// entries are the tags and lengths of a log's entries.
func entries(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []string
	for _, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		parts := strings.SplitN(line, " ", 4)
		require.Len(t, parts, 4)
		all = append(all, fmt.Sprint(parts[2], len(parts[3])))
	}
	return strings.Join(all, " ")
}

func TestStats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		pod := c.run("a")
		id := c.start(pod, "main", "sleep 600")
		c.create(pod, "other", "sleep 600")
		get := func() *runtimeapi.ContainerStats {
			out, err := c.ListContainerStats(t.Context(), &runtimeapi.ListContainerStatsRequest{})
			require.NoError(t, err)
			require.Len(t, out.Stats, 1, "one runs")
			assert.Equal(t, id, out.Stats[0].Attributes.Id)
			return out.Stats[0]
		}
		before := get()
		time.Sleep(10 * time.Second)
		after := get()
		assert.InDelta(t, 1e9, after.Cpu.UsageCoreNanoSeconds.Value-before.Cpu.UsageCoreNanoSeconds.Value, 9, "a tenth of a core")
		assert.Greater(t, after.Memory.WorkingSetBytes.Value, before.Memory.WorkingSetBytes.Value)
		out, err := c.PodSandboxStats(t.Context(), &runtimeapi.PodSandboxStatsRequest{PodSandboxId: pod})
		require.NoError(t, err)
		assert.Len(t, out.Stats.Linux.Containers, 1)
		assert.Equal(t, uint64(2), out.Stats.Linux.Process.ProcessCount.Value)
		info, err := c.images.ImageFsInfo(t.Context(), &runtimeapi.ImageFsInfoRequest{})
		require.NoError(t, err)
		assert.Equal(t, "/", info.ImageFilesystems[0].FsId.Mountpoint)
	})
}

func TestCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		pod, dir := c.run("a"), t.TempDir()
		id := c.start(pod, "main", "sleep 600")
		ended := c.start(pod, "ended", "exit 0")
		time.Sleep(time.Second)
		for _, ids := range [][]string{nil, {id, id}, {id, ended}, {"none"}} {
			_, err := c.CheckpointPod(t.Context(), &runtimeapi.CheckpointPodRequest{PodSandboxId: pod, OutputPath: dir, ContainerIds: ids})
			assert.Error(t, err)
		}
		all, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Empty(t, all)
		_, err = c.CheckpointPod(t.Context(), &runtimeapi.CheckpointPodRequest{PodSandboxId: pod, OutputPath: dir, ContainerIds: []string{id}})
		require.NoError(t, err)
		restore := func(names ...string) (*runtimeapi.RestorePodResponse, error) {
			q := &runtimeapi.RestorePodRequest{CheckpointPath: dir, Config: c.pod("b")}
			for _, name := range names {
				q.ContainerConfigs = append(q.ContainerConfigs, config(name, "sleep 600"))
			}
			return c.RestorePod(t.Context(), q)
		}
		_, err = restore("main", "ended")
		assert.Error(t, err)
		assert.Len(t, c.rt.Sandboxes(), 1)
		out, err := restore("main")
		require.NoError(t, err)
		assert.Equal(t, runtimeapi.ContainerState_CONTAINER_CREATED, c.status(out.RestoredContainers[0].ContainerId).State)
	})
}

// BenchmarkLifecycle is a pod with a container that is started and stopped, with a status and a list, in memory.
func BenchmarkLifecycle(b *testing.B) {
	c := open(b, cri.Options{})
	for i := 0; b.Loop(); i++ {
		pod := c.run(fmt.Sprint("p", i))
		id := c.start(pod, "main", "trap 'exit 0' TERM; sleep 60 & wait")
		c.status(id)
		c.stop(id, 5)
		_, err := c.RemovePodSandbox(b.Context(), &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod})
		require.NoError(b, err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lifecycles/s")
}

// Execs, attaches and port-forwards go over HTTP, as kubectl's do.
func TestStreams(t *testing.T) {
	c := open(t, cri.Options{})
	pod := c.run("a")
	id := c.start(pod, "main", "trap 'exit 0' TERM; echo hello; sleep 60 & wait")
	exec, err := c.Exec(t.Context(), &runtimeapi.ExecRequest{ContainerId: id, Cmd: []string{"sh", "-c", "cat; echo bad >&2; exit 3"}, Stdin: true, Stdout: true, Stderr: true})
	require.NoError(t, err)
	var out, errs bytes.Buffer
	err = stream(t, exec.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: strings.NewReader("in"), Stdout: &out, Stderr: &errs})
	assert.ErrorContains(t, err, "exit code 3")
	assert.Equal(t, "in", out.String())
	assert.Equal(t, "bad\n", errs.String())

	q := config("reads", "cat")
	q.Stdin, q.StdinOnce = true, true
	made, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: q})
	require.NoError(t, err)
	_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
	require.NoError(t, err)
	attach, err := c.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: made.ContainerId, Stdin: true, Stdout: true})
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, stream(t, attach.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: strings.NewReader("typed"), Stdout: &out}))
	assert.Equal(t, "typed", out.String())

	// a shell runs the lines that are typed
	q = config("shell", "")
	q.Command, q.Stdin, q.StdinOnce = []string{"/bin/sh"}, true, true
	made, err = c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: pod, Config: q})
	require.NoError(t, err)
	_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
	require.NoError(t, err)
	attach, err = c.Attach(t.Context(), &runtimeapi.AttachRequest{ContainerId: made.ContainerId, Stdin: true, Stdout: true})
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, stream(t, attach.Url).StreamWithContext(t.Context(), remotecommand.StreamOptions{Stdin: strings.NewReader("echo -n one\necho two\n"), Stdout: &out}))
	assert.Equal(t, "onetwo\n", out.String())

	_, err = c.PortForward(t.Context(), &runtimeapi.PortForwardRequest{PodSandboxId: pod, Port: []int32{80}})
	require.NoError(t, err)
}

func stream(t *testing.T, address string) remotecommand.Executor {
	u, err := url.Parse(address)
	require.NoError(t, err)
	e, err := remotecommand.NewSPDYExecutor(&rest.Config{}, "POST", u)
	require.NoError(t, err)
	return e
}

// A container that waits for input, which nobody writes, can be stopped.
func TestStopReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, cri.Options{})
		for _, command := range []string{"cat", "sh"} {
			q := config(command, "")
			q.Command, q.Stdin = []string{command}, true
			made, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: c.run(command), Config: q})
			require.NoError(t, err)
			_, err = c.StartContainer(t.Context(), &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId})
			require.NoError(t, err)
			_, err = c.StopContainer(t.Context(), &runtimeapi.StopContainerRequest{ContainerId: made.ContainerId, Timeout: 5})
			require.NoError(t, err)
			assert.Equal(t, int32(137), c.status(made.ContainerId).ExitCode)
		}
	})
}

// A sandbox may get a twin, with an address and the next attempt, and lose its own address.
func TestTwinSandbox(t *testing.T) {
	c := open(t, cri.Options{})
	first := c.run("a")
	c.rt.TwinSandbox(first)
	c.rt.DropAddress(first)
	c.rt.TwinSandbox("none")
	for _, id := range c.rt.Sandboxes() {
		s, err := c.PodSandboxStatus(t.Context(), &runtimeapi.PodSandboxStatusRequest{PodSandboxId: id})
		require.NoError(t, err)
		assert.Equal(t, runtimeapi.PodSandboxState_SANDBOX_READY, s.Status.State)
		assert.Equal(t, id == first, s.Status.Network.Ip == "")
		assert.Equal(t, id == first, s.Status.Metadata.Attempt == 0)
	}
	assert.Len(t, c.rt.Sandboxes(), 2)
}

// The files and the environment of a container tell the names that its pod was given.
func TestNames(t *testing.T) {
	c := open(t, cri.Options{})
	pod := c.pod("a")
	pod.Hostname, pod.DnsConfig = "host", &runtimeapi.DNSConfig{Servers: []string{"10.0.0.1"}, Searches: []string{"one", "two"}, Options: []string{"ndots:8"}}
	out, err := c.RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: pod})
	require.NoError(t, err)
	id := c.start(out.PodSandboxId, "main", "sleep 60")
	for command, want := range map[string]string{"hostname": "host\n", "cat /etc/hostname": "host\n", "cat /etc/resolv.conf": "search one two\nnameserver 10.0.0.1\noptions ndots:8\n"} {
		got, err := c.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: strings.Fields(command)})
		require.NoError(t, err)
		assert.Equal(t, want, string(got.Stdout), command)
	}
	got, err := c.ExecSync(t.Context(), &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: []string{"cat", "/none"}})
	require.NoError(t, err)
	assert.Equal(t, int32(1), got.ExitCode)
}

// What contradicts itself is refused.
func TestRefused(t *testing.T) {
	c := open(t, cri.Options{})
	for _, mode := range []runtimeapi.NamespaceMode{runtimeapi.NamespaceMode_CONTAINER, runtimeapi.NamespaceMode_TARGET} {
		pod := c.pod("users")
		pod.Linux = &runtimeapi.LinuxPodSandboxConfig{SecurityContext: &runtimeapi.LinuxSandboxSecurityContext{NamespaceOptions: &runtimeapi.NamespaceOption{UsernsOptions: &runtimeapi.UserNamespace{Mode: mode}}}}
		_, err := c.RunPodSandbox(t.Context(), &runtimeapi.RunPodSandboxRequest{Config: pod})
		assert.Equal(t, codes.InvalidArgument, status.Code(err), mode)
	}
	q := config("group", "true")
	q.Linux = &runtimeapi.LinuxContainerConfig{SecurityContext: &runtimeapi.LinuxContainerSecurityContext{RunAsGroup: &runtimeapi.Int64Value{Value: 5}}}
	_, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: c.run("a"), Config: q})
	assert.Equal(t, codes.InvalidArgument, status.Code(err))
}

// An image that is pulled by a digest has that digest, and the mount of an image tells its id.
func TestDigest(t *testing.T) {
	c := open(t, cri.Options{})
	name := "example.org/app@sha256:" + strings.Repeat("ab", 32)
	pulled, err := c.images.PullImage(t.Context(), &runtimeapi.PullImageRequest{Image: &runtimeapi.ImageSpec{Image: name}})
	require.NoError(t, err)
	is, err := c.images.ImageStatus(t.Context(), &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: name}})
	require.NoError(t, err)
	require.NotNil(t, is.Image)
	assert.Equal(t, []string{name}, is.Image.RepoDigests)
	q := config("mounts", "sleep 60")
	q.Mounts = []*runtimeapi.Mount{{ContainerPath: "/app", Readonly: true, Image: &runtimeapi.ImageSpec{Image: name}}}
	made, err := c.CreateContainer(t.Context(), &runtimeapi.CreateContainerRequest{PodSandboxId: c.run("a"), Config: q})
	require.NoError(t, err)
	assert.Equal(t, pulled.ImageRef, c.status(made.ContainerId).Mounts[0].Image.ImageRef)
}

func TestReadFaults(t *testing.T) {
	all, err := cri.ReadFaults([]byte("faults:\n- {method: Stop*, code: UNAVAILABLE, times: 2}\n- {event: drop, type: CONTAINER_STOPPED_EVENT}\n- {method: PullImage, hang: true, for: 20s}\n"))
	require.NoError(t, err)
	assert.Equal(t, []cri.Fault{{Method: "Stop*", Code: codes.Unavailable, Times: 2}, {Event: "drop", Type: "CONTAINER_STOPPED_EVENT"},
		{Method: "PullImage", Hang: true, For: cri.Duration(20 * time.Second)}}, all)
	for text, want := range map[string]string{
		"{}":                                  "say either",
		"{method: Version}":                   "it does nothing",
		"{method: Version, restart: 2s}":      "restart goes with crash: true",
		"{method: Versoin, hang: true}":       `no method of the CRI is "Versoin"`,
		"{method: Version, hang: 1}":          "cannot unmarshal",
		"{method: Version, hangs: true}":      "unknown field",
		"{event: lose}":                       "say drop, double or swap",
		"{event: drop, type: STOPPED}":        "no type of event",
		"{method: Version, slow: 1s}":         "only these have a middle",
		"{method: Version, code: OK, for: x}": "invalid duration",
	} {
		_, err := cri.ReadFaults([]byte("faults: [" + text + "]"))
		assert.ErrorContains(t, err, want, text)
	}
}
