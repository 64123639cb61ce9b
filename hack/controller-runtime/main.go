// Command controller-runtime runs tests of controller-runtime that use envtest, on lwtest's API server. It copies the module out of the
// Go module cache, puts apiservertest in the place of pkg/envtest there, and compares what fails with known.json.
//
//	go run ./hack/controller-runtime                      # the packages that take less than a few seconds, pkg/client and pkg/cache
//	go run ./hack/controller-runtime pkg/manager pkg/source
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed envtest.go.txt
var envtest []byte

//go:embed known.json
var knownFile []byte

// usual are the packages that are run if nobody says others.
var usual = []string{
	"pkg/client", "pkg/cache", "pkg/client/apiutil", "pkg/builder", "pkg/controller", "pkg/internal/recorder", "pkg/manager/internal/integration",
	"pkg/metrics/filters", "pkg/webhook",
}

// limit is how long the tests of one package may take.
const limit = 5 * time.Minute

// racy are packages whose tests fail now and then on any API server, and why: they have three tries.
var racy = map[string]string{
	"pkg/webhook": "specs listen at the same port one after the other, and do not wait until the server of the one before has stopped listening",
}

// known is a test, with all its subtests, that is known to fail.
type known struct{ Package, Test, Why string }

func main() {
	packages := os.Args[1:]
	if len(packages) == 0 {
		packages = usual
	}
	if err := run(packages); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(packages []string) error {
	var all []known
	if err := json.Unmarshal(knownFile, &all); err != nil {
		return fmt.Errorf("known.json: %w", err)
	}
	dir, err := os.MkdirTemp("", "lwtest-controller-runtime-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := prepare(dir); err != nil {
		return err
	}
	var errs []error
	for _, p := range packages {
		tries := 1
		if racy[p] != "" {
			tries = 3
		}
		err := errors.New("not run")
		for ; err != nil && tries > 0; tries-- {
			var r *result
			if r, err = test(dir, p); err == nil {
				err = r.compare(p, all)
			}
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// prepare copies the module, with lwtest's envtest.
func prepare(dir string) error {
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	from, err := output(filepath.Join(root, "interop/ctrlruntime"), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/controller-runtime")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSpace(from))); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "pkg/envtest/*.go"))
	if err != nil {
		return err
	}
	for _, file := range append(old, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.sum")) {
		if err := os.Chmod(file, 0o600); err != nil { // a module cache is read-only
			return err
		}
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "pkg/envtest/envtest.go"), envtest, 0o600); err != nil {
		return err
	}
	_, err = output(dir, "go", "mod", "edit", "-require", "github.com/lwtest/lwtest@v0.0.0", "-replace", "github.com/lwtest/lwtest="+root)
	return err
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
	out                     bytes.Buffer
}

// test runs the tests of a package.
func test(dir, pkg string) (*result, error) {
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
		var e struct{ Action, Test, Output string }
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			r.out.Write(append(lines.Bytes(), '\n')) // of the compiler
			continue
		}
		r.out.WriteString(e.Output)
		switch {
		case e.Test == "":
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
func (r *result) compare(pkg string, all []known) error {
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
	fmt.Printf("%s: %d passed, %d known failures, %d new failures, %d skipped\n", pkg, len(r.passed), len(olds), len(news), len(r.skipped))
	var errs []error
	if len(news) > 0 {
		errs = append(errs, fmt.Errorf("%s: new failures:\n  %s\n%s", pkg, strings.Join(news, "\n  "), r.out.String()))
	}
	for _, k := range all {
		if k.Package == pkg && !struck[k.Test] {
			errs = append(errs, fmt.Errorf("%s: %s is known to fail, and passed: take it off hack/controller-runtime/known.json", pkg, k.Test))
		}
	}
	return errors.Join(errs...)
}
