package kind

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	"github.com/lwtest/lwtest/internal/full"
)

// fakeDocker puts testdata/docker in docker's place, and gives the file with its clusters. Claims are in a folder of the test's.
func fakeDocker(t *testing.T, clusters ...string) (state string) {
	t.Helper()
	bin, err := filepath.Abs("testdata")
	require.NoError(t, err)
	state = filepath.Join(t.TempDir(), "clusters")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DOCKER_STATE", state)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(choice, "docker")
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "config")) // kind would change the user's
	for _, name := range []string{"DOCKER_HOST", "DOCKER_FAILS", "DOCKER_HANGS", "DOCKER_SLEEPS", "DOCKER_LATE", "DOCKER_LABEL"} {
		t.Setenv(name, "")
	}
	require.NoError(t, os.WriteFile(state, []byte(strings.Join(append(clusters, ""), "\n")), 0o600))
	return state
}

// lines collects what is said.
type lines []string

func (l *lines) say(line string) { *l = append(*l, line) }

func left(t *testing.T, state string) []string {
	t.Helper()
	b, err := os.ReadFile(state)
	require.NoError(t, err)
	return strings.Fields(string(b))
}

// claimed makes a claim, and lets go of it, as a process does that is killed.
func claimed(t *testing.T, of told) string {
	t.Helper()
	dir, err := claims()
	require.NoError(t, err)
	if of.Engine == "" {
		of.Engine = "docker"
	}
	c, err := stake(dir, of)
	require.NoError(t, err)
	require.NoError(t, c.letGo())
	return c.path
}

func TestNoEngine(t *testing.T) {
	t.Setenv(choice, "")
	t.Setenv("PATH", t.TempDir())
	_, err := findEngine(t.Context())
	assert.ErrorContains(t, err, "needs docker or podman, and neither is on the PATH: install one, or use a running API server")
	t.Setenv(choice, "podman")
	_, err = findEngine(t.Context())
	assert.EqualError(t, err, choice+` is "podman", but that command is not on the PATH: install it, or unset `+choice)
	t.Setenv(choice, "rkt")
	_, err = findEngine(t.Context())
	assert.ErrorContains(t, err, `is "rkt": use docker, nerdctl or podman`)
}

func TestEngineDown(t *testing.T) {
	fakeDocker(t)
	t.Setenv("DOCKER_FAILS", "version")
	var said lines
	_, err := Create(t.Context(), Options{Say: said.say})
	require.ErrorContains(t, err, "docker does not answer: docker: Error response from daemon: no room left: start it")
	_, err = Find(t.Context(), "kind", Options{Say: said.say})
	assert.ErrorContains(t, err, "docker does not answer")
	assert.Empty(t, said)
}

// Only what a run has left that is over is deleted.
func TestClean(t *testing.T) {
	state := fakeDocker(t, "lwtest-left", "lwtest-alive", "lwtest-kept", "lwtest-users", "kind")
	claimed(t, told{Cluster: "lwtest-left"})
	gone := claimed(t, told{Cluster: "lwtest-gone"})
	kept := claimed(t, told{Cluster: "lwtest-kept", Kept: true})
	dir, err := claims()
	require.NoError(t, err)
	alive, err := stake(dir, told{Cluster: "lwtest-alive", Engine: "docker"})
	require.NoError(t, err)

	var said lines
	require.NoError(t, Clean(t.Context(), false, said.say))
	assert.Equal(t, []string{"lwtest-alive", "lwtest-kept", "lwtest-users", "kind"}, left(t, state))
	require.Len(t, said, 2)
	assert.Contains(t, said[0], "deleted the kind cluster lwtest-left, left by a run of")
	assert.Contains(t, said[1], "the kind clusters lwtest-alive stay: a run that has not ended uses them")
	assert.NoFileExists(t, gone)
	assert.FileExists(t, kept)

	require.NoError(t, Clean(t.Context(), true, said.say))
	assert.Equal(t, []string{"lwtest-alive", "lwtest-users", "kind"}, left(t, state))
	require.NoError(t, alive.drop())
	require.NoError(t, Clean(t.Context(), true, said.say))
	assert.Len(t, said, 4)
}

// What cannot be deleted now is told, and left for later.
func TestCleanLater(t *testing.T) {
	state := fakeDocker(t, "lwtest-left")
	claim := claimed(t, told{Cluster: "lwtest-left"})
	for name, c := range map[string]struct{ fails, host, want string }{
		"no docker":     {fails: "version", want: "stays for now: docker does not answer"},
		"it stays":      {fails: "rm", want: "no room left"},
		"another's":     {host: "tcp://127.0.0.1:1", want: `stays for now: it was created with docker (DOCKER_HOST "")`},
		"list is wrong": {fails: "ps", want: "no room left"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DOCKER_FAILS", c.fails)
			t.Setenv("DOCKER_HOST", c.host)
			var said lines
			brief(t, &removeLimit, 0)
			require.ErrorContains(t, Clean(t.Context(), false, said.say), c.want)
			assert.Empty(t, said)
			assert.FileExists(t, claim)
			assert.Equal(t, []string{"lwtest-left"}, left(t, state))
		})
	}
	require.NoError(t, os.WriteFile(claim, []byte("{"), 0o600))
	assert.ErrorContains(t, Clean(t.Context(), false, (&lines{}).say), "cannot be read")
}

func TestClaims(t *testing.T) {
	dir := t.TempDir()
	c, err := stake(dir, told{Cluster: "a"})
	require.NoError(t, err)
	all, used, err := abandoned(dir)
	require.NoError(t, err)
	assert.Empty(t, all, "it is held")
	assert.Equal(t, []string{"a"}, used)
	_, err = stake(dir, told{Cluster: "b"})
	require.NoError(t, err)
	require.NoError(t, c.keep())
	all, _, err = abandoned(dir)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.True(t, all[0].Kept)
	require.NoError(t, all[0].drop())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "b.json", entries[0].Name())
	_, err = stake(filepath.Join(dir, "none"), told{Cluster: "a"})
	assert.Error(t, err)
}

func TestFind(t *testing.T) {
	fakeDocker(t, "one", "two")
	c, err := Find(t.Context(), "two", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	assert.Equal(t, "two", c.Name)
	require.NoError(t, c.Alive(t.Context()))
	require.NoError(t, c.Close())
	_, err = Find(t.Context(), "three", Options{Say: (&lines{}).say})
	assert.ErrorContains(t, err, `this machine has no kind cluster "three": docker has one, two; --target kind creates one`)
}

// What a run uses was not deleted, also when it was only kept.
func TestCleanSparesWhatIsUsed(t *testing.T) {
	state := fakeDocker(t, "lwtest-kept")
	claimed(t, told{Cluster: "lwtest-kept", Kept: true})
	var said lines
	first, err := Find(t.Context(), "lwtest-kept", Options{Say: said.say})
	require.NoError(t, err)
	second, err := Find(t.Context(), "lwtest-kept", Options{Say: said.say})
	require.NoError(t, err)
	for _, c := range []*Cluster{first, second} {
		require.NoError(t, Clean(t.Context(), true, said.say))
		assert.Equal(t, []string{"lwtest-kept"}, left(t, state))
		require.NoError(t, c.Close())
	}
	require.NoError(t, Clean(t.Context(), true, said.say))
	assert.Empty(t, left(t, state))
}

func TestAlive(t *testing.T) {
	state := fakeDocker(t, "one")
	c, err := Find(t.Context(), "one", Options{Say: (&lines{}).say})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state, nil, 0o600))
	assert.ErrorContains(t, c.Alive(t.Context()), "the kind cluster one is gone: none of its nodes runs")
	t.Setenv("DOCKER_FAILS", "version")
	assert.ErrorContains(t, c.Alive(t.Context()), "lwtest has lost sight of the kind cluster one: docker does not answer")
}

// A cluster that cannot be made leaves nothing but its logs, also where one that can would stay.
func TestCreateFails(t *testing.T) {
	state := fakeDocker(t, "kind", "lwtest-left", "lwtest-aaaa2222")
	claimed(t, told{Cluster: "lwtest-left"})
	t.Setenv("DOCKER_FAILS", "exec")
	var said lines
	_, err := Create(t.Context(), Options{Image: "local/image:1", Keep: true, Logs: t.TempDir(), Say: said.say})
	require.ErrorContains(t, err, "the kind cluster cannot be created")
	assert.ErrorContains(t, err, "its logs cannot be saved")
	assert.Equal(t, []string{"kind", "lwtest-aaaa2222"}, left(t, state), "what an earlier run left is deleted first")
	assert.Contains(t, strings.Join(said, "\n"), "`lwtest clean --cluster lwtest-aaaa2222`")
	dir, err := claims()
	require.NoError(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// What no registry gives leaves nothing, not even empty logs, and the user is told what else there is.
func TestCreateWithoutImage(t *testing.T) {
	full.Need(t, "kind tries for ten seconds")
	state := fakeDocker(t, "kind")
	t.Setenv("DOCKER_FAILS", "inspect pull")
	logs := t.TempDir()
	_, err := Create(t.Context(), Options{Image: "nowhere/image:1", Logs: logs, Say: (&lines{}).say})
	require.ErrorContains(t, err, "failed to pull image \"nowhere/image:1\"")
	assert.ErrorContains(t, err, "choose an image with --kind-image")
	assert.NotContains(t, err.Error(), "logs")
	entries, err := os.ReadDir(logs)
	require.NoError(t, err)
	assert.Empty(t, entries)
	assert.Equal(t, []string{"kind"}, left(t, state))
}

// Whoever calls off gets away at once, and nothing stays.
func TestCreateCalledOff(t *testing.T) {
	state := fakeDocker(t, "kind")
	t.Setenv("DOCKER_HANGS", "logs exec")
	ctx, cancel := context.WithCancel(t.Context())
	var said lines
	result := make(chan error, 1)
	go func() {
		_, err := Create(ctx, Options{Say: said.say})
		result <- err
	}()
	require.Eventually(t, func() bool { return len(left(t, state)) > 1 }, 20*time.Second, 10*time.Millisecond)
	cancel()
	select {
	case err := <-result:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(callOffLimit + 10*time.Second):
		t.Fatal("it does not return")
	}
	assert.Equal(t, []string{"kind"}, left(t, state))
}

func TestConfig(t *testing.T) {
	fakeDocker(t)
	e, err := findEngine(t.Context())
	require.NoError(t, err)
	const head = "kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\n"
	file := filepath.Join(t.TempDir(), "c.yaml")
	for name, c := range map[string]struct {
		label, file, image string
		want               string // the error
		proxy              v1alpha4.ProxyMode
	}{
		"kind's own":       {},
		"of the label":     {label: head + "networking: {kubeProxyMode: none}", image: "a", proxy: "none"},
		"no label":         {label: "<no value>", image: "a"},
		"the file's first": {label: head + "networking: {kubeProxyMode: none}", image: "a", file: head + "networking: {kubeProxyMode: ipvs}", proxy: "ipvs"},
		"no configuration": {file: "kind: Pod\napiVersion: v1\n", want: `is of kind "Pod" and version "v1": it must be a Cluster`},
		"a field of none":  {file: head + "nodez: []", want: `is not a kind configuration: error unmarshaling JSON: while decoding JSON: json: unknown field "nodez"`},
		"a bad label":      {label: "nonsense", image: "a", want: "the label " + ConfigLabel + " of a is not a kind configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("DOCKER_LABEL", c.label)
			o := Options{Image: c.image}
			if c.file != "" {
				require.NoError(t, os.WriteFile(file, []byte(c.file), 0o600))
				o.Config = file
			}
			got, err := o.config(t.Context(), e)
			if c.want != "" {
				assert.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.proxy, got.Networking.KubeProxyMode)
		})
	}
	_, err = Options{Config: "nowhere.yaml"}.config(t.Context(), e)
	assert.ErrorContains(t, err, "--kind-config: open nowhere.yaml")
}

func TestExpose(t *testing.T) {
	c := &v1alpha4.Cluster{}
	expose(c, 1234)
	want := v1alpha4.PortMapping{ContainerPort: 2379, HostPort: 1234, ListenAddress: "127.0.0.1"}
	assert.Equal(t, []v1alpha4.PortMapping{want}, c.Nodes[0].ExtraPortMappings)
	c = &v1alpha4.Cluster{Nodes: []v1alpha4.Node{{Role: v1alpha4.WorkerRole}, {Role: v1alpha4.ControlPlaneRole}, {Role: v1alpha4.ControlPlaneRole}}}
	expose(c, 1234)
	assert.Empty(t, c.Nodes[0].ExtraPortMappings)
	assert.Len(t, c.Nodes[1].ExtraPortMappings, 1)
	assert.Empty(t, c.Nodes[2].ExtraPortMappings)
}

func TestLogger(t *testing.T) {
	var said lines
	l := logger{said.say}
	l.V(0).Infof(" • %s  ...\n", "Ensuring node image (kindest/node:v1) 🖼")
	l.V(0).Infof(" ✓ %s\n", "Ensuring node image (kindest/node:v1) 🖼")
	l.V(0).Infof(" ✗ %s\n", "Preparing nodes 📦")
	l.V(0).Info("\n")
	l.V(1).Info("for developers")
	l.Warnf("cgroup v%d", 1)
	assert.Equal(t, lines{"Ensuring node image (kindest/node:v1) ...", "failed: Preparing nodes", "cgroup v1"}, said)
}

// What kind has created is not given before it is ready: here it never is, and whoever waits calls off.
func TestCreateWaits(t *testing.T) {
	full.Need(t, "it waits for seconds")
	state := fakeDocker(t, "kind")
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(file, []byte("kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking: {disableDefaultCNI: true}\n"), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	var said lines
	creating := map[string]bool{}
	_, err := Create(ctx, Options{Image: "local/image:1", Config: file, Say: func(line string) {
		said.say(line)
		creating[line] = strings.Contains(onlyClaim(t), `"creating":true`)
	}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.True(t, creating["Writing configuration ..."])
	assert.False(t, creating["Waiting until it is ready"], "all nodes are there")
	assert.Contains(t, said, "Waiting until it is ready")
	assert.Equal(t, []string{"kind"}, left(t, state))
	assert.NoFileExists(t, os.Getenv("KUBECONFIG"), "a context of the cluster's is for nobody else")
}

// onlyClaim is what stands in the one claim that there is; empty: there is none.
func onlyClaim(t *testing.T) string {
	dir, err := claims()
	require.NoError(t, err)
	all, err := filepath.Glob(filepath.Join(dir, "*"+claimEnd))
	require.NoError(t, err)
	if len(all) == 0 {
		return ""
	}
	b, err := os.ReadFile(all[0])
	require.NoError(t, err)
	return string(b)
}

// What stands in the user's kubeconfig stays there, also where it has a cluster's name.
func TestCleanLeavesKubeconfig(t *testing.T) {
	state := fakeDocker(t, "lwtest-aaaa2222")
	claimed(t, told{Cluster: "lwtest-aaaa2222"})
	const users = `{"kind":"Config","apiVersion":"v1","clusters":[{"name":"kind-lwtest-aaaa2222","cluster":{"server":"https://a:6443"}}],"contexts":[{"name":"kind-lwtest-aaaa2222","context":{"cluster":"kind-lwtest-aaaa2222","user":"kind-lwtest-aaaa2222"}}],"users":[{"name":"kind-lwtest-aaaa2222","user":{"token":"t"}}],"current-context":"kind-lwtest-aaaa2222"}`
	require.NoError(t, os.WriteFile(os.Getenv("KUBECONFIG"), []byte(users), 0o600))
	require.NoError(t, Clean(t.Context(), false, (&lines{}).say))
	assert.Empty(t, left(t, state))
	b, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	require.NoError(t, err)
	assert.Equal(t, users, string(b))
}
