package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/hack/image/busybox"
	"github.com/lwtest/lwtest/harness/release"
	"github.com/lwtest/lwtest/harness/report"
	kindplugin "github.com/lwtest/lwtest/plugins/kind"
	"github.com/lwtest/lwtest/plugins/targets"
)

// optNodeImage is the option of a kind target that names the image of containers, for the runtime in its node.
const optNodeImage = "image"

// nodeRun is a run of lwtest in a kind node: it tests the containerd there.
type nodeRun struct {
	app     app
	node    kindplugin.Node
	program string // a static lwtest, on this machine
	dir     string // in the node; everything is in it, and it is removed
	image   string // of containers
	busybox string // of this machine, from which the image is made; empty: the node has the image
	out     string // the run directory on this machine
	args    []string
	files   map[string]string // flags whose values are files of this machine
}

// onNode returns the connect string of the kind cluster whose runtime is to be tested; empty: none is. runtimes says that the suite of
// runtimes is selected.
func (a app) onNode(f *flags, runtimes bool) string {
	for _, connect := range f.targets {
		if s, _, err := a.targets.Find(connect); err == nil && s.Name == targets.Kind && runtimes {
			return connect
		}
	}
	return ""
}

// notInNode are the flags that say nothing to the runtime in a node, or that name folders of this machine.
var notInNode = []string{"server", "context", "resource", "etcd", "restart-cmd", "kind-etcd", "resume", "module", "wire", "corpus"}

// runInNode runs a verb of lwtest in the node of a kind cluster, and returns its status as an error.
func (a app) runInNode(ctx context.Context, f *flags, connect, out string, verb ...string) (err error) {
	switch {
	case len(f.targets) > 1:
		return usagef("the runtime in a kind node is tested by itself: give only --target %s", connect)
	case slices.ContainsFunc(f.suites, func(s string) bool { return s != runtime.Suite.Kind }):
		return usagef("the runtime in a kind node is tested by itself: give only --suite %s", runtime.Suite.Kind)
	}
	r := &nodeRun{app: a, out: out, args: verb, dir: "/lwtest-" + strings.ToLower(rand.Text()[:8]), files: map[string]string{}}
	if err := r.flags(f.set); err != nil {
		return err
	}
	full, err := a.targets.Connects(f.targets, "", f.options())
	if err != nil {
		return err
	}
	_, arg, err := a.targets.Find(full[0])
	if err != nil {
		return err
	}
	name, options, err := targets.Split(arg)
	if err != nil {
		return err
	}
	for option := range options {
		if !slices.Contains(append(targets.Making, optNodeImage), option) {
			return usagef("the option %q does not apply to the runtime in a kind node: there are %s", option, strings.Join(append(targets.Making, optNodeImage), ", "))
		}
	}
	scratch, err := os.MkdirTemp("", "lwtest-node-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := errors.Join(r.findImage(options.Get(optNodeImage)), r.findProgram(ctx, scratch)); err != nil {
		return err
	}
	cluster, leave, err := a.cluster(ctx, name, targets.KindOptions(options))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	if r.node, err = cluster.ControlPlane(ctx); err != nil {
		return err
	}
	return r.run(ctx)
}

// flags passes on the flags that were given.
func (r *nodeRun) flags(set *pflag.FlagSet) (err error) {
	set.Visit(func(f *pflag.Flag) {
		list, notSeveral := set.GetStringArray(f.Name)
		if notSeveral != nil {
			list, notSeveral = set.GetStringSlice(f.Name)
		}
		switch {
		case slices.Contains(notInNode, f.Name):
			err = usagef("--%s does not apply to the runtime in a kind node", f.Name)
		case f.Name == "target" || f.Name == "out" || slices.Contains(targets.Making, f.Name):
		case (f.Name == "known" || f.Name == "around") && exists(f.Value.String()):
			r.files[f.Name] = f.Value.String()
			r.args = append(r.args, "--"+f.Name+"="+f.Name)
		case notSeveral == nil:
			for _, value := range list {
				r.args = append(r.args, "--"+f.Name+"="+value)
			}
		default:
			r.args = append(r.args, "--"+f.Name+"="+f.Value.String())
		}
	})
	if _, there := os.Stat(r.out); there == nil && r.args[0] == "run" {
		err = errors.Join(err, usagef("the run directory %s is there already: give another with --out", r.out))
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// findImage finds what an image with a shell is made of, unless the user has named one.
func (r *nodeRun) findImage(named string) error {
	if r.image = named; named != "" {
		return nil
	}
	const instead = "or name an image that the node has: --target 'kind:NAME?image=IMAGE'"
	path, err := exec.LookPath("busybox")
	if err != nil || !static(path) || goruntime.GOARCH != "amd64" {
		return errors.New("the checks need an image with a shell, which lwtest makes from a static busybox for amd64. This machine has none: install one (Debian: busybox-static), " + instead)
	}
	r.image, r.busybox = "lwtest.local/busybox:"+r.dir[len("/lwtest-"):], path
	return nil
}

// findProgram finds a static lwtest: this program, or one that it builds.
func (r *nodeRun) findProgram(ctx context.Context, scratch string) (err error) {
	if r.program, err = os.Executable(); err == nil && static(r.program) {
		return nil
	}
	const why = "the node needs a static lwtest for Linux, and this one is not"
	root, err := release.Root(".")
	if err != nil {
		return fmt.Errorf("%s: build one with CGO_ENABLED=0, or run this in a checkout of lwtest, where there is a Go toolchain: %w", why, err)
	}
	fmt.Fprintln(r.app.stderr, why+": building one")
	r.program = filepath.Join(scratch, "lwtest")
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", r.program, "./cmd/lwtest")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s, and it cannot be built: %w: %s", why, err, out)
	}
	return nil
}

// static reports whether a file is a program for Linux that needs no libraries.
func static(path string) bool {
	f, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return !slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
}

// janitor is a script that prepares the node: it makes a folder, and stops the kubelet, which kills and removes pods that it does not
// know. When its input ends, because the run is over or lwtest was killed, it interrupts the lwtest of the node, which then removes its
// pods; it removes the folder and the image, and starts the kubelet.
const janitor = `exec 9>/run/lwtest.lock; flock -n 9 || { echo "another run tests this node"; exit 1; }
mkdir "$0" || exit
kubelet=; if systemctl is-active -q kubelet; then kubelet=1; systemctl stop kubelet; fi
echo ready; cat >/dev/null
runs() { [ "$(readlink "/proc/$(cat "$0/pid" 2>/dev/null)/exe")" = "$0/lwtest" ]; }
if runs; then kill -INT "$(cat "$0/pid")"; for i in $(seq 1200); do runs || break; sleep 0.1; done; fi
[ -z "$1" ] || ctr -n k8s.io images rm "$1" >/dev/null
rm -rf "$0"
[ -z "$kubelet" ] || systemctl start kubelet`

// run runs lwtest in the node, and copies its run directory.
func (r *nodeRun) run(ctx context.Context) (err error) {
	imported := ""
	if r.busybox != "" {
		imported = r.image
	}
	clean, err := r.begin(ctx, imported)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()
	if err := r.fill(ctx); err != nil {
		return err
	}
	q := url.Values{"beside": {"true"}, "image": {r.image}, "logs": {r.dir + "/logs"}}
	name := filepath.Base(r.out)
	if filepath.IsLocal(r.out) { // then the paths that it prints are right here, too
		name = filepath.ToSlash(r.out)
	}
	args := append(r.args, "--target=cri:unix:///run/containerd/containerd.sock?"+q.Encode(), "--out="+name)
	cmd := r.node.Command(context.WithoutCancel(ctx), append([]string{"sh", "-c", `cd "$0" && mkdir -p "$(dirname "$1")" && shift && echo $$ >pid && exec ./lwtest "$@"`, r.dir, name}, args...)...)
	cmd.Stdout, cmd.Stderr = r.app.stdout, r.app.stderr
	fmt.Fprintf(r.app.stderr, "lwtest tests the containerd in the node %s, without the kubelet, which kills pods that it does not know\n", r.node.Name)
	stop := context.AfterFunc(ctx, func() { _ = clean() })
	failed := cmd.Run()
	if !stop() {
		return fmt.Errorf("interrupted: the run in the node %s cannot be continued", r.node.Name)
	}
	code := cmd.ProcessState.ExitCode()
	if failed != nil && (code < 0 || code > report.Broken) {
		return fmt.Errorf("lwtest in the node %s: %w", r.node.Name, failed)
	}
	if err := r.fetch(ctx, r.dir+"/"+name); err != nil || code == report.OK {
		return err
	}
	return status(code)
}

// begin starts the janitor. clean ends it, once.
func (r *nodeRun) begin(ctx context.Context, imported string) (clean func() error, err error) {
	cmd := r.node.Command(context.WithoutCancel(ctx), "sh", "-c", janitor, r.dir, imported)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	said, _ := bufio.NewReader(out).ReadString('\n')
	if said != "ready\n" {
		in.Close()
		return nil, fmt.Errorf("the node %s cannot be prepared: %w: %s", r.node.Name, cmd.Wait(), strings.TrimSpace(said+errs.String()))
	}
	over := make(chan error, 1)
	clean = func() error {
		in.Close()
		select {
		case err := <-over:
			over <- err
			return err
		case <-time.After(cleanLimit):
			return fmt.Errorf("%s in the node %s was not removed within %s", r.dir, r.node.Name, cleanLimit)
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		over <- cmd.Wait()
	}()
	return clean, nil
}

// cleanLimit is how long the janitor may take.
const cleanLimit = 3 * time.Minute

// fill copies lwtest and its files into the node, and imports the image.
func (r *nodeRun) fill(ctx context.Context) error {
	if err := r.node.Put(ctx, r.program, r.dir+"/lwtest"); err != nil {
		return err
	}
	for name, file := range r.files {
		if err := r.node.Put(ctx, file, r.dir+"/"+name); err != nil {
			return err
		}
	}
	if r.busybox == "" {
		return nil
	}
	archive, to := io.Pipe()
	defer archive.Close()
	go func() { to.CloseWithError(busybox.Image(r.busybox, r.image).Write(to, "")) }()
	return r.node.Do(ctx, archive, "ctr", "-n", "k8s.io", "images", "import", "-")
}

// fetch copies the run directory from the node, if there is one.
func (r *nodeRun) fetch(ctx context.Context, from string) error {
	if r.node.Do(ctx, nil, "test", "-d", from) != nil {
		return nil
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	if err := r.node.Get(ctx, from, r.out); err != nil {
		return err
	}
	fmt.Fprintf(r.app.stderr, "the results are in %s, copied from the node\n", r.out)
	return nil
}
