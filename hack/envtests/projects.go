package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// project is one whose tests use envtest. known-NAME.json has its known failures.
type project struct {
	name, module, version string
	// requires are other versions of modules than those of the module's own go.mod, and drops the modules that it replaces by folders
	// that a module cache does not have.
	requires, drops []string
	// replace puts apiservertest in the place of envtest, in a copy of the module. nil: the project runs only with --assets.
	replace func(dir string) error
	// packages are run if nobody says others.
	packages []string
	// racy are packages whose tests fail now and then on any API server, and why: they have three tries.
	racy map[string]string
	// ginkgo are flags of Ginkgo.
	ginkgo []string
	// assets are folders of the programs that envtest starts, the first and one beside it; none: the project uses apiservertest.
	assets     []string
	onPrograms onPrograms
}

// onPrograms is what there is to know about a project that runs with --assets.
type onPrograms struct {
	versions []string
	packages []string
	// quick are the packages that run if nobody chooses a project.
	quick []string
	// folders are modules that the go.mod replaces by a folder which is not in the zip of the project. They are published with the same
	// version as the project.
	folders []string
	// copies are files that the project's Makefile copies out of other modules before the tests.
	copies []copied
	// kustomize are folders from which the Makefile makes a file with kustomize.
	kustomize map[string]string
}

// copied are files of a module that the project requires: those that match files go to the folder to.
type copied struct{ module, files, but, to string }

// onAssets returns a version of the project as it is, whose tests start the programs in folders.
func (p project) onAssets(folders []string, version string) project {
	p.assets, p.version, p.packages = folders, version, p.onPrograms.packages
	p.requires, p.drops = nil, p.onPrograms.folders
	for _, m := range p.drops {
		p.requires = append(p.requires, m+"@"+version)
	}
	return p
}

var projects = []project{
	{
		name: "controller-runtime", module: "sigs.k8s.io/controller-runtime", version: "v0.25.2",
		replace: replacePackage,
		packages: []string{
			"pkg/client", "pkg/cache", "pkg/client/apiutil", "pkg/builder", "pkg/controller", "pkg/internal/recorder", "pkg/manager/internal/integration",
			"pkg/metrics/filters", "pkg/webhook",
		},
		onPrograms: onPrograms{
			versions: []string{"v0.25.2", "v0.23.3", "v0.21.0", "v0.19.4"},
			packages: []string{
				"pkg/envtest", "pkg/client", "pkg/cache", "pkg/client/apiutil", "pkg/builder", "pkg/controller", "pkg/internal/controller",
				"pkg/internal/recorder", "pkg/manager", "pkg/manager/internal/integration", "pkg/metrics/filters", "pkg/webhook", "pkg/source",
				"pkg/controller/controllerutil",
			},
			quick: []string{"pkg/envtest", "pkg/client", "pkg/builder", "pkg/controller"},
		},
		racy: map[string]string{
			"pkg/webhook": "specs listen at the same port one after the other, and do not wait until the server of the one before has stopped listening",
		},
	},
	{
		name: "cluster-api", module: "sigs.k8s.io/cluster-api", version: "v1.14.2",
		// its controller-runtime does not build with the client-go that lwtest needs
		requires: []string{"sigs.k8s.io/cluster-api/api@v1.14.2", "sigs.k8s.io/controller-runtime@v0.25.2"},
		drops:    []string{"sigs.k8s.io/cluster-api/api"},
		replace:  replaceImports,
		packages: []string{
			"util/patch/test", "util/deprecated/v1beta1/patch", "util/controller", "internal/util/ssa/test", "controllers/crdmigrator",
			"core/webhooks/admission/test", "core/reconcilers/machineset",
		},
		onPrograms: onPrograms{
			versions: []string{"v1.14.2"},
			folders:  []string{"sigs.k8s.io/cluster-api/api"},
			packages: []string{
				"util/patch/test", "util/deprecated/v1beta1/patch", "util/controller", "internal/util/ssa/test", "controllers/crdmigrator",
				"controllers/clustercache", "core/webhooks/admission/test", "core/reconcilers/machineset", "core/reconcilers/machine",
				"core/reconcilers/machinedeployment", "core/reconcilers/clusterresourceset", "core/reconcilers/topology/cluster/structuredmerge",
			},
			quick: []string{"util/patch/test", "core/reconcilers/machineset"},
		},
	},
	{
		name: "kuberay", module: "github.com/ray-project/kuberay/ray-operator",
		onPrograms: onPrograms{versions: []string{"v1.6.0"}, packages: []string{"controllers/ray", "pkg/webhooks/v1"}, quick: []string{"pkg/webhooks/v1"}},
	},
	{
		name: "source-controller", module: "github.com/fluxcd/source-controller",
		racy: map[string]string{
			"internal/controller": "specs do not wait until the registries of images that they start listen, so that a connection is refused on a busy machine",
		},
		onPrograms: onPrograms{ // v1.9.6 needs github.com/fluxcd/pkg/artifact v0.18.3, which the module proxy did not have
			versions: []string{"v1.8.0"}, packages: []string{"internal/controller"}, folders: []string{"github.com/fluxcd/source-controller/api"},
		},
	},
	{
		name: "kueue", module: "sigs.k8s.io/kueue",
		ginkgo: []string{"-ginkgo.label-filter=!slow && !redundant"}, // as its make test-integration-baseline does
		onPrograms: onPrograms{
			versions: []string{"v0.17.0"},
			packages: []string{
				"test/integration/singlecluster/webhook/core", "test/integration/singlecluster/webhook/jobs",
				"test/integration/singlecluster/conversion", "test/integration/singlecluster/scheduler",
				"test/integration/singlecluster/controller/core", "test/integration/singlecluster/controller/jobs/job",
				"test/integration/singlecluster/controller/jobs/pod", "test/integration/singlecluster/controller/jobs/jobset",
				"test/integration/singlecluster/controller/jobs/raycluster", "test/integration/singlecluster/controller/admissionchecks/provisioning",
				"test/integration/singlecluster/tas",
			},
			quick: []string{"test/integration/singlecluster/webhook/core"},
			copies: []copied{
				{module: "github.com/kubeflow/mpi-operator", files: "manifests/base/*", to: "dep-crds/mpi-operator"},
				{module: "github.com/kubeflow/training-operator", files: "manifests/base/crds/*", but: "kubeflow.org_mpijobs.yaml", to: "dep-crds/training-operator-crds"},
				{module: "github.com/kubeflow/trainer/v2", files: "manifests/base/crds/*", to: "dep-crds/kf-trainer-crds"},
				{module: "github.com/kubeflow/trainer/v2", files: "manifests/base/runtimes/*_distributed.yaml", to: "dep-crds/kf-trainer-runtimes"},
				{module: "github.com/ray-project/kuberay/ray-operator", files: "config/crd/bases/*", to: "dep-crds/ray-operator-crds"},
				{module: "sigs.k8s.io/jobset", files: "config/components/crd/bases/*", to: "dep-crds/jobset-operator"},
				{module: "k8s.io/autoscaler/cluster-autoscaler/apis", files: "config/crd/*", to: "dep-crds/cluster-autoscaler"},
				{module: "github.com/project-codeflare/appwrapper", files: "config/crd/bases/*", to: "dep-crds/appwrapper-crds"},
				{module: "sigs.k8s.io/lws", files: "config/crd/bases/*", to: "dep-crds/leaderworkerset-operator"},
				{module: "sigs.k8s.io/cluster-inventory-api", files: "config/crd/bases/*", to: "dep-crds/clusterprofile"},
				{module: "github.com/kubeflow/spark-operator/v2", files: "config/crd/bases/*", to: "dep-crds/spark-operator-crds"},
			},
			kustomize: map[string]string{"config/components/crd": "config/components/crd/_output/crds-with-webhooks.yaml"},
		},
	},
}

// prepare copies the project's module, with lwtest's envtest.
func (p *project) prepare(dir string) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	from, err := p.download()
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		return err
	}
	args := []string{"mod", "edit"}
	for _, m := range p.drops {
		args = append(args, "-dropreplace", m)
	}
	for _, m := range p.requires {
		args = append(args, "-require", m)
	}
	if p.assets == nil {
		args = append(args, "-require", "github.com/lwtest/lwtest@v0.0.0", "-replace", "github.com/lwtest/lwtest="+root)
	}
	if len(args) > 2 {
		if _, err := output(dir, "go", args...); err != nil {
			return err
		}
	}
	if p.assets == nil {
		return p.replace(dir)
	}
	return p.makeFiles(dir)
}

// makeFiles makes what the project's Makefile makes before the tests.
func (p *project) makeFiles(dir string) error {
	for _, c := range p.onPrograms.copies {
		if err := c.copy(dir); err != nil {
			return err
		}
	}
	for from, to := range p.onPrograms.kustomize {
		text, err := output(dir, filepath.Join(p.assets[0], "kubectl"), "kustomize", from)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, to), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// copy copies files of a module in the version that the project requires.
func (c copied) copy(dir string) error {
	from, err := output(dir, "go", "list", "-m", "-f", "{{.Dir}}", c.module)
	if err != nil {
		return err
	}
	if from = strings.TrimSpace(from); from == "" { // not in the module cache yet
		if _, err := output(dir, "go", "mod", "download", c.module); err != nil {
			return err
		}
		if from, err = output(dir, "go", "list", "-m", "-f", "{{.Dir}}", c.module); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(from), c.files))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no %s", c.module, c.files)
	}
	for _, file := range files {
		if filepath.Base(file) == c.but {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, c.to, filepath.Base(file)), b); err != nil {
			return err
		}
	}
	return nil
}

// write writes a file, and makes its folder.
func write(file string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// download returns the folder of the module in the module cache.
func (p *project) download() (string, error) {
	out, err := output("", "go", "mod", "download", "-json", p.module+"@"+p.version)
	if err != nil {
		return "", err
	}
	var m struct{ Dir string }
	return m.Dir, json.Unmarshal([]byte(out), &m)
}

//go:embed package.go.txt
var envtestPackage []byte

// replacePackage replaces controller-runtime's package envtest itself.
func replacePackage(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "pkg/envtest/*.go"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "pkg/envtest/envtest.go"), envtestPackage, 0o600)
}

// replaceImports replaces imports of envtest by those of a package of the same names.
func replaceImports(dir string) error {
	const was, is = `"sigs.k8s.io/controller-runtime/pkg/envtest"`, `envtest "sigs.k8s.io/cluster-api/internal/envtest"`
	replaced := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(b, []byte(was)) {
			return err
		}
		replaced++
		return os.WriteFile(path, []byte(strings.NewReplacer("envtest "+was, is, was, is).Replace(string(b))), 0o600)
	})
	if err == nil && replaced == 0 {
		err = fmt.Errorf("no file of %s imports %s", dir, was)
	}
	if err != nil {
		return err
	}
	into := filepath.Join(dir, "internal/envtest")
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(into, "envtest.go"), envtestPackage, 0o600)
}
