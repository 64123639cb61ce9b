package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/targets"
)

// logging is a target with logs. It is gone if a file says so, and bad unless it is called fine. If its name ends with
// hung, its logs never come; if it ends with late, its end is noticed late.
func logging(_ context.Context, gone string) (harness.Target, error) {
	t, err := toyTarget("logging:"+gone, nil, func(*harness.T) toy { return newToy(gone != "fine") }, harness.VirtualTime)
	t.Alive = func(context.Context) error {
		if _, err := os.Stat(gone); err == nil {
			return errors.New("its machine is gone: start it")
		}
		if filepath.Base(gone) == "late" { // it is, and is seen to be at the next look
			return os.WriteFile(gone, nil, 0o666)
		}
		return nil
	}
	t.Logs = func(ctx context.Context, dir string) error {
		if filepath.Base(gone) == "hung" {
			_ = os.WriteFile(gone+".asked", nil, 0o666)
			<-ctx.Done()
			return context.Cause(ctx)
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "log"), []byte("why\n"), 0o666)
	}
	return t, err
}

// Logs are kept only if something failed.
func TestLogsAreKept(t *testing.T) {
	full.Need(t, "it waits for seconds")
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--target", "logging:nowhere", "--out", dir)
	assert.Equal(t, report.Failed, o.status)
	assert.Contains(t, o.errors, "lwtest: the target's logs are in "+filepath.Join(dir, "logs", "1")+"\n")
	assert.FileExists(t, filepath.Join(dir, "logs", "1", "log"))

	dir = filepath.Join(t.TempDir(), "run")
	o = lwtest(t, "run", "toy/map/reads", "--target", "logging:fine", "--out", dir)
	assert.Equal(t, report.OK, o.status)
	assert.NotContains(t, o.errors, "logs")
	assert.NoDirExists(t, filepath.Join(dir, "logs"))
}

// Logs of a cluster that cannot be created are in the requested run directory, too.
func TestLogsOfNoCluster(t *testing.T) {
	full.Need(t, "it waits for seconds")
	fake, err := filepath.Abs("../../plugins/kind/testdata") // a docker whose nodes do not start
	require.NoError(t, err)
	state := filepath.Join(t.TempDir(), "clusters")
	require.NoError(t, os.WriteFile(state, nil, 0o600))
	for name, value := range map[string]string{"PATH": fake + string(os.PathListSeparator) + os.Getenv("PATH"), "DOCKER_STATE": state, "DOCKER_FAILS": "exec",
		"DOCKER_HOST": "", "XDG_CACHE_HOME": t.TempDir(), "KIND_EXPERIMENTAL_PROVIDER": "docker", "KUBECONFIG": filepath.Join(t.TempDir(), "config")} {
		t.Setenv(name, value)
	}
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "watchcache/list/modes", "--target", "kind", "--kind-image", "local/image:1", "--out", dir)
	assert.Equal(t, report.Broken, o.status)
	assert.Regexp(t, `; its logs cannot be saved: .* and \d+ more errors like this`, o.errors)
	logs, err := filepath.Glob(filepath.Join(dir, report.Logs, "lwtest-*"))
	require.NoError(t, err)
	assert.Len(t, logs, 1)
}

// An interrupted run does not wait for logs.
func TestLogsAreInterrupted(t *testing.T) {
	full.Need(t, "it waits for seconds")
	hung := filepath.Join(t.TempDir(), "hung")
	cmd, errs := program(t, "run", "toy/map/reads", "--target", "logging:"+hung, "--out", filepath.Join(t.TempDir(), "run"))
	await(t, func() bool { _, err := os.Stat(hung + ".asked"); return err == nil })
	began := time.Now()
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	cmd.Wait()
	assert.Less(t, time.Since(began), time.Minute, "it would hang for longer")
	assert.Equal(t, report.Failed, cmd.ProcessState.ExitCode(), "the verdicts are there: %s", errs)
	assert.Contains(t, errs.String(), "its logs: ")
}

// No verdict about a target that is gone is kept, and the run says why it ends.
func TestTargetGone(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.WriteFile(gone, nil, 0o666))
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--parallel", "1", "--target", "logging:"+gone, "--out", dir)
	assert.Equal(t, report.Broken, o.status)
	assert.Contains(t, o.errors, "its machine is gone: start it: when that is fixed, continue with `lwtest run --resume "+dir+"`")
	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.Empty(t, in.Results)
	require.NoError(t, os.Remove(gone))
	assert.Equal(t, report.Failed, lwtest(t, "run", "--resume", dir).status)
}

// The same holds if the end is not noticed at once.
func TestTargetGoneLate(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "late")
	dir := filepath.Join(t.TempDir(), "run")
	o := lwtest(t, "run", "toy/map/reads", "--parallel", "1", "--target", "logging:"+gone, "--out", dir)
	assert.Equal(t, report.Broken, o.status)
	in, err := report.Load(dir)
	require.NoError(t, err)
	assert.Empty(t, in.Results)
}

// Results of other workers are dropped after the target is known to be gone, but kept after an interrupt.
func TestTargetGoneBeside(t *testing.T) {
	for verdict, kept := range map[harness.Verdict]bool{harness.Fail: false, harness.Inconclusive: false, harness.Pass: true, harness.Skip: true} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(lost{errors.New("its machine is gone")})
		assert.Equal(t, kept, (&session{}).gone(ctx, harness.Result{Verdict: verdict}) == nil, verdict)
		ctx, cancel = context.WithCancelCause(t.Context())
		cancel(nil)
		assert.NoError(t, (&session{}).gone(ctx, harness.Result{Verdict: verdict}))
	}
}

// Each option goes only to the targets that it applies to.
func TestKindOptions(t *testing.T) {
	a := toyApp()
	o := url.Values{targets.OptImage: {"i"}, targets.OptKeep: {"yes"}, targets.OptResource: {"leases"}, targets.OptKindEtcd: {"yes"}}
	got, err := a.targets.Connects([]string{"kind", "kind:name", ofClient, "kubeconfig:/k"}, "kind", o)
	require.NoError(t, err)
	assert.Equal(t, []string{"kind:?keep-cluster=yes&kind-etcd=yes&kind-image=i&resource=leases", "kind:name?kind-etcd=yes&resource=leases",
		ofClient + ":kind?keep-cluster=yes&kind-image=i", "kubeconfig:/k?resource=leases"}, got)
	_, err = a.targets.Connects([]string{"good", "kubeconfig:/k"}, "", o)
	assert.ErrorContains(t, err, "--keep-cluster, --kind-etcd, --kind-image: only for a cluster that is made for the run (kind, without a name), and none is among good, kubeconfig:/k")
	_, err = a.targets.Connects([]string{"kind:name"}, "", url.Values{targets.OptKeep: {"yes"}})
	assert.ErrorContains(t, err, "--keep-cluster: only for a cluster that is made for the run")
	_, err = a.targets.Connects([]string{ofClient}, "kind:name", url.Values{targets.OptKeep: {"yes"}})
	assert.ErrorContains(t, err, "--keep-cluster: only for a cluster that is made for the run")
	_, err = a.targets.Connects([]string{"good"}, "", url.Values{targets.OptKindEtcd: {"yes"}})
	assert.ErrorContains(t, err, "--kind-etcd: only for a cluster (kind), and none is among good")
	refuses(t, `unknown option "keep-cluster": there are resource, kind-etcd, restart-cmd`, "run", "--target", "kind:name?keep-cluster=yes")
}

// Without docker or podman a run ends at once, and says what to do.
func TestNoDocker(t *testing.T) {
	chdir(t)
	t.Setenv("PATH", t.TempDir())
	t.Setenv("KIND_EXPERIMENTAL_PROVIDER", "")
	for _, args := range [][]string{{"run", "--target", "kind"}, {"run", "--target", "kind:name"}, {"run", "--target", ofClient, "--server", "kind"}} {
		refuses(t, "a kind cluster needs docker or podman, and neither is on the PATH", args...)
	}
	assert.NoDirExists(t, "runs")
}

// A run for which a cluster would be created in vain is refused first.
func TestForeseen(t *testing.T) {
	chdir(t)
	t.Setenv("PATH", t.TempDir()) // what goes further says that there is no docker
	t.Setenv("KIND_EXPERIMENTAL_PROVIDER", "")
	for _, c := range []struct {
		want string
		args []string
	}{
		{`no check matches "nosuch": `, []string{"nosuch", "--target", "kind"}},
		{`no check matches "store/*"`, []string{"store/*", "--target", "kind"}},
		{`no check matches "watchcache/list/snapshots" (did you mean watchcache/list/snapshot?)`, []string{"watchcache/list/snapshots", "--target", "kind"}},
		{`no suite "store" on `, []string{"--suite", "store", "--target", "kind"}},
		{`unknown resource "nosuch": there are configmaps, `, []string{"--target", "kind", "--resource", "nosuch"}},
		{`no check matches "watchcache/*/*"`, []string{"watchcache/*/*", "--target", ofClient, "--server", "kind"}},
		{"a kind cluster needs docker or podman", []string{"watchcache/*/*", "--target", "kind", "--resource", "leases"}},
		{"a kind cluster needs docker or podman", []string{"toy/map/reads", "--target", "good", "--target", "kind"}},
	} {
		refuses(t, c.want, append([]string{"run"}, c.args...)...)
	}
}

// An active run has a claim, and leaves nothing else.
func TestCleanInUse(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	claim := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "lwtest", "kind", "lwtest-aaaa2222.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(claim), 0o777))
	require.NoError(t, os.WriteFile(claim, []byte("{}"), 0o666))
	held := flock.New(claim)
	require.NoError(t, held.Lock())
	o := lwtest(t, "clean")
	require.NoError(t, held.Close())
	assert.Equal(t, report.OK, o.status)
	assert.Contains(t, o.out, "the kind clusters lwtest-aaaa2222 stay: a run that has not ended uses them")
	assert.NotContains(t, o.out, "nothing is left")
}

func TestCleanNothing(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir()) // what others have made on this machine is not of this test
	o := lwtest(t, "clean")
	assert.Equal(t, report.OK, o.status)
	assert.Equal(t, "nothing is left of earlier runs\n", o.out)
	refuses(t, "takes no", "clean", "all")
	refuses(t, "needs docker or podman", "clean", "--cluster", "lwtest-aaaa2222")
	assert.Equal(t, report.Broken, lwtest(t, "clean", "--kept", "--cluster", "lwtest-aaaa2222").status)
	require.NoError(t, os.MkdirAll(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "lwtest", "kind", "lwtest-x.json"), 0o777))
	assert.Equal(t, report.Broken, lwtest(t, "clean").status)
}
