// Command operators tests released operators: programs that lwtest builds from a copy of their module in the Go module cache, with the
// manifests of that module. Each has a folder here, with a scenario, and with known.json: what it is known to break, and where we read why.
//
//	go run ./hack/operators kuberay                             # the newest release, and the checks that take a few minutes
//	go run ./hack/operators kuberay@v1.5.1                      # an older release
//	go run ./hack/operators kueue 'controller/converge/same/*'  # other checks
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/hack/copies"
)

// operator is a released operator. Releases that are built in the same way share a row.
type operator struct {
	name, module string
	versions     []string // the newest first
	// drops are modules that the go.mod replaces by folders that are not in the zip of the module. They are published with the same version.
	drops []string
	edits []edit
	// main is the package to build.
	main string
	// args are the command line, and manifests files and folders. {here} is the operator's folder here.
	args      string
	manifests []string
	// crds are folders of the module. kustomize is one whose output is manifests, too.
	crds      []string
	kustomize string
	// quiet is how long it writes nothing when it is at rest: longer than its own pauses. Empty: four seconds.
	quiet string
}

// edit replaces a text in a file of the copy, where no option does.
type edit struct{ file, old, new string }

var operators = []operator{
	{
		name: "kuberay", module: "github.com/ray-project/kuberay/ray-operator", versions: []string{"v1.6.0", "v1.5.1"}, main: ".",
		args: "--metrics-addr=127.0.0.1:{port} --health-probe-bind-address=127.0.0.1:{port} --enable-leader-election=false",
		crds: []string{"config/crd/bases"}, // its webhooks have a fixed port, and are off unless ENABLE_WEBHOOKS is set
	},
	{
		name: "kueue", module: "sigs.k8s.io/kueue", versions: []string{"v0.17.0"}, main: "./cmd/kueue",
		// without certificates of its own, it wants those for its metrics there
		edits:     []edit{{"cmd/kueue/main.go", `metricsCertPath := "/etc/kueue/metrics/certs"`, `metricsCertPath := cfg.Webhook.CertDir`}},
		args:      "--config={file:{here}/config.yaml} --feature-gates=VisibilityOnDemand=false",
		kustomize: "config/default",
	},
	{
		name: "cluster-api", module: "sigs.k8s.io/cluster-api", versions: []string{"v1.14.2"}, drops: []string{"sigs.k8s.io/cluster-api/api"}, main: "./core",
		args: clusterAPI, manifests: []string{"{here}/providers.yaml"}, kustomize: "core/config/default", quiet: "8s",
	},
	{
		name: "cluster-api", module: "sigs.k8s.io/cluster-api", versions: []string{"v1.13.6"}, main: ".",
		args: clusterAPI, manifests: []string{"{here}/providers.yaml"}, kustomize: "config/default", quiet: "8s", // it looks each five seconds whether what it deletes is gone
	},
	{
		name: "source-controller", module: "github.com/fluxcd/source-controller", versions: []string{"v1.9.6"},
		drops: []string{"github.com/fluxcd/source-controller/api"}, main: ".",
		// not every module proxy has v0.18.3
		edits: []edit{{"go.mod", "github.com/fluxcd/pkg/artifact v0.18.3", "github.com/fluxcd/pkg/artifact v0.18.0"}},
		args:  flux + " --storage-addr=127.0.0.1:{port} --storage-path={dir} --storage-adv-addr=source-controller",
		crds:  []string{"config/crd/bases"},
	},
	{
		name: "kustomize-controller", module: "github.com/fluxcd/kustomize-controller", versions: []string{"v1.9.6"},
		drops: []string{"github.com/fluxcd/kustomize-controller/api"}, main: ".",
		args: flux,
		crds: []string{"config/crd/bases"}, manifests: []string{"{here}/sources.yaml"}, // it wants the definitions of source-controller
		quiet: "8s", // it looks each five seconds whether what it has applied is healthy
	},
}

// flux is what its controllers have in common.
const flux = "--metrics-addr=127.0.0.1:{port} --health-addr=127.0.0.1:{port} --enable-leader-election=false"

const clusterAPI = "--diagnostics-address=127.0.0.1:{port} --insecure-diagnostics --health-addr=127.0.0.1:{port} " +
	"--webhook-port={webhook-port} --webhook-cert-dir={certs}"

// usual are the checks that run if nobody says others.
var usual = []string{"controller/quiet/*", "controller/restart/*", "controller/converge/same/killed-after"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say which operator: " + strings.Join(releases(), ", "))
	}
	o, version := find(args[0])
	if o == nil {
		return fmt.Errorf("there is no %s: say one of %s", args[0], strings.Join(releases(), ", "))
	}
	checks := args[1:]
	if len(checks) == 0 {
		checks = usual
	}
	dir, unlock, err := copies.Place("operators", o.name+"-"+version)
	if err != nil {
		return err
	}
	defer unlock()
	if err := o.build(dir, version); err != nil {
		return err
	}
	return o.test(dir, checks)
}

// releases returns what can be run, in the order of the table.
func releases() (all []string) {
	for _, o := range operators {
		for _, v := range o.versions {
			all = append(all, o.name+"@"+v)
		}
	}
	return all
}

// find returns an operator and its version by NAME@VERSION, or by NAME, which is its newest release. It returns nil if there is none.
func find(release string) (*operator, string) {
	name, version, _ := strings.Cut(release, "@")
	for i, o := range operators {
		switch {
		case o.name != name:
		case version == "":
			return &operators[i], o.versions[0]
		case slices.Contains(o.versions, version):
			return &operators[i], version
		}
	}
	return nil, ""
}

// build copies the module, and builds the program and its manifests there.
func (o *operator) build(dir, version string) error {
	out, err := output("", "go", "mod", "download", "-json", o.module+"@"+version)
	if err != nil {
		return err
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return err
	}
	for _, e := range o.edits {
		if err := e.do(dir); err != nil {
			return err
		}
	}
	for _, d := range o.drops {
		if _, err := output(dir, "go", "mod", "edit", "-dropreplace", d, "-require", d+"@"+version); err != nil {
			return err
		}
	}
	if _, err := output(dir, "go", "build", "-mod=mod", "-o", o.program(dir), o.main); err != nil {
		return err
	}
	if o.kustomize == "" {
		return nil
	}
	kubectl, err := output("", "hack/kube/kube.sh", "kubectl")
	if err != nil {
		return err
	}
	all, err := output(dir, strings.TrimSpace(string(kubectl)), "kustomize", o.kustomize)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, kustomized), all, 0o600)
}

// kustomized is the file with what kustomize builds.
const kustomized = "lwtest-manifests.yaml"

// here is the operator's folder.
func (o *operator) here() string { return filepath.Join("hack/operators", o.name) }

func (o *operator) program(dir string) string { return filepath.Join(dir, "lwtest-bin", o.name) }

func (e edit) do(dir string) error {
	file := filepath.Join(dir, e.file)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.Count(string(b), e.old) != 1 {
		return fmt.Errorf("%s has not one %q", e.file, e.old)
	}
	return os.WriteFile(file, []byte(strings.Replace(string(b), e.old, e.new, 1)), 0o600)
}

// test runs checks on the program.
func (o *operator) test(dir string, checks []string) error {
	scenario, closeFiles, err := o.scenario(dir)
	if err != nil {
		return err
	}
	defer closeFiles()
	fill := func(text string) string { return strings.ReplaceAll(text, "{here}", o.here()) }
	args := []string{"run", "--target", "controller:" + o.program(dir) + " " + fill(o.args),
		"--scenario", scenario, "--known", filepath.Join(o.here(), "known.json"), "--quiet", cmp.Or(o.quiet, "4s")}
	for _, crds := range o.crds {
		args = append(args, "--crds", filepath.Join(dir, crds))
	}
	for _, path := range o.manifests {
		args = append(args, "--manifests", fill(path))
	}
	if o.kustomize != "" {
		args = append(args, "--manifests", filepath.Join(dir, kustomized))
	}
	cmd := exec.Command("bin/lwtest", append(args, checks...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// output runs a program, and returns its output.
func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-buildvcs=false")
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failed.Stderr)
	}
	return out, err
}
