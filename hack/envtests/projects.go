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
	// replace puts apiservertest in the place of envtest, in a copy of the module.
	replace func(dir string) error
	// packages are run if nobody says others.
	packages []string
	// racy are packages whose tests fail now and then on any API server, and why: they have three tries.
	racy map[string]string
	// assets is the folder of the programs that envtest starts; "": the project uses apiservertest. onPrograms are the packages that are
	// run then if nobody says others.
	assets     string
	onPrograms []string
}

// onAssets returns the project as it is, of another version unless that is "", whose tests start the programs in a folder.
func (p project) onAssets(folder, version string) project {
	p.assets, p.packages, p.requires, p.drops = folder, p.onPrograms, nil, nil
	if version != "" {
		p.version = version
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
		onPrograms: []string{"pkg/envtest", "pkg/client"},
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
	if p.assets != "" {
		return nil
	}
	args := []string{"mod", "edit", "-require", "github.com/lwtest/lwtest@v0.0.0", "-replace", "github.com/lwtest/lwtest=" + root}
	for _, m := range p.drops {
		args = append(args, "-dropreplace", m)
	}
	for _, m := range p.requires {
		args = append(args, "-require", m)
	}
	if _, err := output(dir, "go", args...); err != nil {
		return err
	}
	return p.replace(dir)
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
