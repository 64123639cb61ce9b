package main

import (
	"bufio"
	"bytes"
	"cmp"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
)

// kindImage names a node image for the tests with real clusters, which take minutes: `make conformance-kind` sets it.
const kindImage = "LWTEST_KIND_IMAGE"

// kindRun is lwtest in a process of its own, with its own cluster and claims.
type kindRun struct {
	t     *testing.T
	cmd   *exec.Cmd
	cache string
	temp  string
	lines chan string

	mu   sync.Mutex
	said bytes.Buffer
}

// startKind starts a run on a new cluster.
func startKind(t *testing.T, args ...string) *kindRun {
	t.Helper()
	image := os.Getenv(kindImage)
	if image == "" {
		t.Skipf("%s names no node image: make conformance-kind runs these", kindImage)
	}
	t.Parallel()
	r := &kindRun{t: t, cache: t.TempDir(), temp: t.TempDir(), lines: make(chan string, 1000)}
	r.cmd = r.command(append([]string{"run", "watchcache/list/s*", "watchcache/list/m*", "--target", "kind", "--kind-image", image, "--parallel", "1"}, args...)...)
	r.cmd.Dir = t.TempDir()
	out, err := r.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, r.cmd.Start())
	go func() {
		defer close(r.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			r.mu.Lock()
			r.said.WriteString(s.Text() + "\n")
			r.mu.Unlock()
			r.lines <- s.Text()
		}
	}()
	t.Cleanup(func() { _ = r.cmd.Process.Kill(); _ = r.command("clean", "--kept").Run() })
	return r
}

func (r *kindRun) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "XDG_CACHE_HOME="+r.cache, "KUBECONFIG="+r.kubeconfig(), "TMPDIR="+r.temp)
	return cmd
}

// clean deletes what the run left. It may name clusters of other tests, whose claims are elsewhere.
func (r *kindRun) clean(args ...string) (said string) {
	r.t.Helper()
	out, err := r.command(append([]string{"clean"}, args...)...).CombinedOutput()
	if err != nil {
		require.Regexp(r.t, `(?m)^lwtest: made by lwtest, but not by a run of this user .*\n\z`, string(out))
	}
	return string(out)
}

// sparesKubeconfig checks that nothing of the cluster is in the user's kubeconfig.
func (r *kindRun) sparesKubeconfig() {
	r.t.Helper()
	assert.NoFileExists(r.t, r.kubeconfig())
}

func (r *kindRun) kubeconfig() string { return filepath.Join(r.cache, "kubeconfig") }

// until waits for a line that matches.
func (r *kindRun) until(line string) {
	r.t.Helper()
	is := regexp.MustCompile(line)
	limit := time.After(4 * time.Minute)
	for {
		select {
		case l, ok := <-r.lines:
			if !ok {
				r.t.Fatalf("it ended before it said %q:\n%s", line, r.all())
			}
			if is.MatchString(l) {
				return
			}
		case <-limit:
			r.t.Fatalf("it never said %q:\n%s", line, r.all())
		}
	}
}

// end waits for the end and returns the status and all output.
func (r *kindRun) end() (int, string) {
	for range r.lines {
	}
	_ = r.cmd.Wait()
	return r.cmd.ProcessState.ExitCode(), r.all()
}

func (r *kindRun) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said.String()
}

// nodes returns the nodes of the run's cluster that docker still has.
func (r *kindRun) nodes() string {
	r.t.Helper()
	name := regexp.MustCompile(`Creating cluster "(\S+)"`).FindStringSubmatch(r.all())
	if name == nil {
		return ""
	}
	out, err := exec.Command("docker", "ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+name[1]).Output()
	require.NoError(r.t, err)
	return string(out)
}

// claims returns the claims that are left, and other files beside them or in the temporary folder.
func (r *kindRun) claims() []string {
	temporary, err := filepath.Glob(filepath.Join(r.temp, "*"))
	require.NoError(r.t, err)
	all, err := filepath.Glob(filepath.Join(r.cache, "lwtest", "kind", "*"))
	require.NoError(r.t, err)
	return append(all, temporary...)
}

// moments are the times at which a test ends a run from outside.
var moments = map[string]string{
	"creating nodes":         "Preparing nodes",
	"creating control plane": "Starting control-plane",
	"waiting":                "Waiting until",
	"checking":               `checks; the run directory is`,
	"deleting":               "deleting the cluster",
}

// A killed run leaves its cluster, and the next clean deletes it.
func TestKindKilled(t *testing.T) {
	for name, line := range moments {
		t.Run(name, func(t *testing.T) {
			if name != "creating control plane" {
				full.Need(t, "one moment runs always")
			}
			r := startKind(t)
			r.until(line)
			require.NoError(t, r.cmd.Process.Signal(syscall.SIGKILL))
			r.end()
			said := r.clean()
			assert.Empty(t, r.nodes())
			if strings.HasPrefix(name, "creating") { // a node may still come, as far as clean can know
				assert.Contains(t, said, "kept the claim file of the kind cluster lwtest-")
				assert.Len(t, r.claims(), 1)
			} else {
				assert.Empty(t, r.claims())
			}
			r.sparesKubeconfig()
		})
	}
}

// A run that is interrupted or loses its terminal deletes its cluster itself.
func TestKindInterrupted(t *testing.T) {
	for name, by := range map[string]syscall.Signal{"creating nodes": syscall.SIGINT, "creating control plane": syscall.SIGTERM, "waiting": syscall.SIGINT, "checking": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			if name != "checking" {
				full.Need(t, "one moment runs always")
			}
			r := startKind(t)
			r.until(moments[name])
			require.NoError(t, r.cmd.Process.Signal(by))
			status, said := r.end()
			assert.Equal(t, report.Broken, status, said)
			assert.Empty(t, r.nodes())
			assert.Empty(t, r.claims())
		})
	}
}

// A run whose nodes are stopped ends and says why.
func TestKindStopped(t *testing.T) {
	r := startKind(t)
	r.until(moments["checking"])
	require.NoError(t, exec.Command("docker", append([]string{"kill"}, strings.Fields(r.nodes())...)...).Run())
	status, said := r.end()
	assert.Equal(t, report.Broken, status, said)
	assert.Contains(t, said, "is gone: none of its nodes runs; somebody has stopped or deleted them")
	assert.Empty(t, r.nodes())
	assert.Empty(t, r.claims())
}

// If a check fails, here by a known failure that passes, the cluster's logs are kept and the cluster is deleted.
func TestKindFails(t *testing.T) {
	full.Need(t, "it takes a minute")
	known := filepath.Join(t.TempDir(), "known.json")
	require.NoError(t, os.WriteFile(known, []byte(`[{"check": "watchcache/list/snapshot", "rule": "watchcache/list/snapshot", "verdict": "fail", "got": "none", "reason": "it is not so"}]`), 0o666))
	out := filepath.Join(t.TempDir(), "run")
	r := startKind(t, "--known", known, "--out", out)
	status, said := r.end()
	assert.Equal(t, report.Failed, status, said)
	logs, err := filepath.Glob(filepath.Join(out, "logs", "1", "*", "journal.log"))
	require.NoError(t, err)
	assert.Len(t, logs, 1, said)
	assert.Empty(t, r.nodes())
	assert.Empty(t, r.claims())
}

// If the disk is full, or its folder cannot be created, nothing is left either.
func TestKindLogsFail(t *testing.T) {
	known := filepath.Join(t.TempDir(), "known.json")
	require.NoError(t, os.WriteFile(known, []byte(`[{"check": "watchcache/list/snapshot", "rule": "watchcache/list/snapshot", "verdict": "fail", "got": "none", "reason": "it is not so"}]`), 0o666))
	r := startKind(t, "--known", known, "--out", filepath.Join(tmpfs(t, 2000), "run"))
	status, said := r.end()
	assert.Contains(t, []int{report.Failed, report.Broken}, status, said)
	assert.Contains(t, said, "no space left on device")
	assert.Empty(t, r.nodes())
	assert.Empty(t, r.claims())
}

// madeDocker reports whether a dockerd runs that `make docker` has started: its folder, and so its pid file, is in the cache.
func madeDocker() bool {
	pid, err := os.ReadFile(filepath.Join(cmp.Or(os.Getenv("LWTEST_CACHE"), filepath.Join("..", "..", ".cache")), "docker", "pid"))
	if err != nil {
		return false
	}
	name, err := os.ReadFile(filepath.Join("/proc", strings.TrimSpace(string(pid)), "comm"))
	return err == nil && string(name) == "dockerd\n"
}

// TestKindApart checks that a cluster on a dockerd of `make docker` reaches no further than this machine, which itself
// reaches the Go module proxy.
func TestKindApart(t *testing.T) {
	if !madeDocker() {
		t.Skip("this dockerd is none that make docker started: what it runs may reach others")
	}
	for table, chain := range map[string]string{"iptables": "DOCKER-USER", "ip6tables": "FORWARD"} {
		if _, err := exec.LookPath(table); err != nil {
			continue
		}
		rules, err := exec.Command(table, "-S").Output()
		require.NoError(t, err)
		require.Regexp(t, "-A "+chain+" -o .* -j REJECT", string(rules), "%s: what containers send to others is not rejected", table)
	}
	env, err := exec.Command("go", "env", "GOPROXY").Output()
	require.NoError(t, err)
	proxy, err := url.Parse(strings.FieldsFunc(strings.TrimSpace(string(env)), func(r rune) bool { return strings.ContainsRune(",|", r) })[0])
	require.NoError(t, err)
	port := cmp.Or(proxy.Port(), map[string]string{"https": "443", "http": "80"}[proxy.Scheme])
	conn, err := net.DialTimeout("tcp", net.JoinHostPort(proxy.Hostname(), port), 5*time.Second)
	if err != nil {
		t.Skipf("this machine does not reach others itself: %v", err)
	}
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	r := startKind(t)
	r.until(moments["checking"])
	node := strings.Fields(r.nodes())[0]
	reach := func(host, port string) error {
		return exec.Command("docker", "exec", node, "timeout", "5", "bash", "-c", "exec 3<>/dev/tcp/"+host+"/"+port).Run()
	}
	require.NoError(t, reach("127.0.0.1", "6443"), "the way of trying is right")
	assert.Error(t, reach(host, port), "the node reaches %s port %s", host, port)
	status, said := r.end()
	assert.Equal(t, report.OK, status, said)
}

// Two runs at once have a cluster each. The second reaches its etcd and restarts its API server.
func TestKindTwice(t *testing.T) {
	full.Need(t, "it takes a minute")
	first := startKind(t)
	second := &kindRun{t: t, cache: first.cache, temp: first.temp}
	first.until("is ready")
	out, err := second.command("run", "watchcache/list/modes", "watchcache/watch/atomic", "watchcache/watch/compacted-edge", "watchcache/cache/restart", "--target", "kind",
		"--kind-image", os.Getenv(kindImage), "--kind-etcd", "--span", "5m", "--out", filepath.Join(t.TempDir(), "run")).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "4 passed, 0 known failures, 0 new failures, 0 skipped")
	status, said := first.end()
	assert.Equal(t, report.OK, status, said)
	assert.Empty(t, first.nodes())
	assert.Empty(t, first.claims())
}

// A kept cluster can be used by the next run, until clean deletes it.
func TestKindKept(t *testing.T) {
	full.Need(t, "it takes a minute")
	r := startKind(t, "--keep-cluster")
	status, said := r.end()
	require.Equal(t, report.OK, status, said)
	name := regexp.MustCompile(`--target (kind:\S+) uses it again`).FindStringSubmatch(said)
	require.NotNil(t, name, said)
	r.clean()
	assert.NotEmpty(t, r.nodes(), "it is kept")
	assert.Len(t, r.claims(), 1, "and its claim, but no kubeconfig")
	again := r.command("run", "watchcache/list/modes", "--target", name[1])
	again.Dir = t.TempDir()
	out, err := again.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.NotEmpty(t, r.nodes(), "it is kept")
	r.clean("--kept")
	assert.Empty(t, r.nodes())
	assert.Empty(t, r.claims())
	r.sparesKubeconfig()
}

// TestKindRuntime checks that the containerd in the node of a cluster is tested, that the results come back, and that nothing of lwtest
// stays in the node, also when the run is killed.
func TestKindRuntime(t *testing.T) {
	image := os.Getenv(kindImage)
	if image == "" {
		t.Skipf("%s names no node image: make conformance-kind runs these", kindImage)
	}
	r := &kindRun{t: t, cache: t.TempDir(), temp: t.TempDir()}
	t.Cleanup(func() { _ = r.command("clean", "--kept").Run() })
	cache, err := exec.Command("go", "env", "GOCACHE").Output() // the static lwtest is not built from nothing
	require.NoError(t, err)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	dir := filepath.Join(t.TempDir(), "run")
	out, err := r.command("run", "runtime/exec/code", "runtime/image/status", "--suite", "runtime", "--target", "kind", "--kind-image", image, "--keep-cluster", "--out", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	in, err := report.Load(dir)
	require.NoError(t, err)
	require.Len(t, in.Results, 2)
	for _, res := range in.Results {
		assert.Equal(t, "pass", string(res.Verdict), res.Check)
	}
	name := regexp.MustCompile(`Creating cluster "(\S+)"`).FindStringSubmatch(string(out))
	require.NotNil(t, name, string(out))
	inside := func(script string) string {
		b, _ := exec.Command("docker", "exec", name[1]+"-control-plane", "sh", "-c", script).Output()
		return strings.TrimSpace(string(b))
	}
	const left = "ls -d /lwtest-*; ctr -n k8s.io images ls -q | grep lwtest; systemctl is-active kubelet"
	assert.Equal(t, "active", inside(left))

	killed := r.command("run", "--suite", "runtime", "--target", "kind:"+name[1], "--out", dir+"-killed")
	require.NoError(t, killed.Start())
	await(t, func() bool { return inside("cat /lwtest-*/run-killed/results.jsonl") != "" })
	assert.Equal(t, "inactive", inside("systemctl is-active kubelet"))
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	await(t, func() bool { return inside(left) == "active" })
}
