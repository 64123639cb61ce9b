// Command envtests runs tests of other projects that use envtest, on lwtest's API server. It copies a project's module out of the Go
// module cache, puts apiservertest in the place of envtest there, and compares what fails with the project's known-NAME.json. With --assets
// it changes nothing in the copy: envtest starts the programs in a folder. What fails is compared with known-NAME-assets.json.
//
//	go run ./hack/envtests                      # controller-runtime's packages that take less than a few seconds, pkg/client and pkg/cache
//	go run ./hack/envtests cluster-api
//	go run ./hack/envtests controller-runtime pkg/manager pkg/source
//	go run ./hack/envtests --assets "$(bin/lwtest envtest)" --version v0.21.0 controller-runtime
package main

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed known-*.json
var knownFiles embed.FS

// limit is how long the tests of one package may take.
const limit = 5 * time.Minute

// known is a test, with all its subtests, that is known to fail: in one version of the project, or in all if Version is "".
type known struct{ Package, Test, Version, Why string }

func main() {
	assets := flag.String("assets", "", "start the programs in this folder, and change nothing in the project")
	version := flag.String("version", "", "of the project; only with --assets")
	flag.Parse()
	name, packages := "controller-runtime", []string(nil)
	if flag.NArg() > 0 {
		name, packages = flag.Arg(0), flag.Args()[1:]
	}
	i := slices.IndexFunc(projects, func(p project) bool { return p.name == name })
	if i < 0 {
		fmt.Fprintf(os.Stderr, "no project %q; there are:\n", name)
		for _, p := range projects {
			fmt.Fprintln(os.Stderr, "  "+p.name)
		}
		os.Exit(2)
	}
	p := projects[i]
	if *assets != "" {
		p = p.onAssets(*assets, *version)
	}
	if len(packages) == 0 {
		packages = p.packages
	}
	if err := p.run(packages); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// known returns the project's known failures.
func (p *project) known() (all []known, err error) {
	b, err := knownFiles.ReadFile(p.knownFile())
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.knownFile(), err)
	}
	return all, nil
}

func (p *project) knownFile() string {
	if p.assets != "" {
		return "known-" + p.name + "-assets.json"
	}
	return "known-" + p.name + ".json"
}

func (p *project) run(packages []string) error {
	all, err := p.known()
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(k known) bool { return k.Version != "" && k.Version != p.version })
	dir, err := os.MkdirTemp("", "lwtest-"+p.name+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := p.prepare(dir); err != nil {
		return err
	}
	var errs []error
	for _, pkg := range packages {
		tries := 1
		if p.racy[pkg] != "" {
			tries = 3
		}
		err := errors.New("not run")
		for ; err != nil && tries > 0; tries-- {
			var r *result
			if r, err = p.test(dir, pkg); err == nil {
				err = r.compare(pkg, all, p.knownFile())
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return string(out), nil
}

// result is what the tests of a package did: names of Go tests and of specs.
type result struct {
	passed, skipped, failed []string
	took                    time.Duration // as go test says: without the compiler
	out                     bytes.Buffer
}

// test runs the tests of a package.
func (p *project) test(dir, pkg string) (*result, error) {
	args := []string{"test", "-count=1", "-timeout", limit.String(), "-json", "./" + pkg}
	report := filepath.Join(dir, pkg, "report.json")
	suites, err := filepath.Glob(filepath.Join(dir, pkg, "*_test.go"))
	if err != nil {
		return nil, err
	}
	specs := slices.ContainsFunc(suites, func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && bytes.Contains(b, []byte("RunSpecs("))
	})
	if specs {
		args = append(args, "-args", "-ginkgo.json-report="+report)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if p.assets != "" {
		cmd.Env = append(os.Environ(), "GOWORK=off", "KUBEBUILDER_ASSETS="+p.assets)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, failed := cmd.Output()
	r := &result{}
	if err := r.read(out); err != nil {
		return nil, err
	}
	r.out.Write(stderr.Bytes())
	_, unwritten := os.Stat(report)
	if failed != nil && (len(r.failed) == 0 || specs && unwritten != nil) {
		return nil, fmt.Errorf("%s: %w\n%s", pkg, failed, r.out.String())
	}
	if !specs {
		return r, nil
	}
	return r, r.readSpecs(report)
}

// read reads the output of go test -json.
func (r *result) read(out []byte) error {
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, len(out)+1)
	for lines.Scan() {
		var e struct {
			Action, Test, Output string
			Elapsed              float64
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			r.out.Write(append(lines.Bytes(), '\n')) // of the compiler
			continue
		}
		r.out.WriteString(e.Output)
		switch {
		case e.Test == "":
			r.took = max(r.took, time.Duration(e.Elapsed*float64(time.Second)))
		case e.Action == "pass":
			r.passed = append(r.passed, e.Test)
		case e.Action == "skip":
			r.skipped = append(r.skipped, e.Test)
		case e.Action == "fail":
			r.failed = append(r.failed, e.Test)
		}
	}
	return lines.Err()
}

// readSpecs reads a report of Ginkgo.
func (r *result) readSpecs(report string) error {
	b, err := os.ReadFile(report)
	if err != nil {
		return err
	}
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeText, LeafNodeType, State string
		}
	}
	if err := json.Unmarshal(b, &suites); err != nil {
		return err
	}
	for _, s := range suites {
		for _, spec := range s.SpecReports {
			name := strings.Join(append(spec.ContainerHierarchyTexts, spec.LeafNodeText), " ")
			switch {
			case spec.State == "passed" && spec.LeafNodeType == "It":
				r.passed = append(r.passed, name)
			case spec.State == "pending" || spec.State == "skipped":
				r.skipped = append(r.skipped, name)
			case spec.State != "passed":
				r.failed = append(r.failed, spec.LeafNodeType+" "+name)
			}
		}
	}
	return nil
}

// compare prints a line, and returns what failed and is not known, or is known and did not fail.
func (r *result) compare(pkg string, all []known, file string) error {
	var news, olds []string
	struck := map[string]bool{}
	for _, name := range r.failed {
		i := slices.IndexFunc(all, func(k known) bool {
			// a test fails with its subtests
			return k.Package == pkg && (name == k.Test || strings.HasPrefix(name, k.Test+"/") || strings.HasPrefix(k.Test, name+"/"))
		})
		if i < 0 {
			news = append(news, name)
			continue
		}
		struck[all[i].Test] = true
		olds = append(olds, name)
	}
	fmt.Printf("%s: %d passed, %d known failures, %d new failures, %d skipped, %.1f s\n", pkg, len(r.passed), len(olds), len(news), len(r.skipped), r.took.Seconds())
	var errs []error
	if len(news) > 0 {
		errs = append(errs, fmt.Errorf("%s: new failures:\n  %s\n%s", pkg, strings.Join(news, "\n  "), r.out.String()))
	}
	for _, k := range all {
		if k.Package == pkg && !struck[k.Test] {
			errs = append(errs, fmt.Errorf("%s: %s is known to fail, and passed: take it off hack/envtests/%s", pkg, k.Test, file))
		}
	}
	return errors.Join(errs...)
}
