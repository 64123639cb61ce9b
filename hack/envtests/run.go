package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/hack/copies"
)

// limit is how long the tests of one package may take.
const limit = 10 * time.Minute

// runOnAssets runs packages of one version, or of all that are listed for the project, on the programs in folders. None means the packages
// that are listed.
func (p project) runOnAssets(folders []string, version string, packages []string) error {
	versions := p.onPrograms.versions
	if version != "" {
		versions = []string{version}
	}
	var errs []error
	for _, v := range versions {
		fmt.Println(p.name, v)
		errs = append(errs, p.onAssets(folders, v).run(packages))
	}
	return errors.Join(errs...)
}

// run runs packages, or those that are listed for the project if there are none. The copy of the project has a place of its own, so that
// the compiler's cache is of use for the next run.
func (p project) run(packages []string) error {
	all, err := p.known()
	if err != nil {
		return err
	}
	dir, unlock, err := p.place()
	if err != nil {
		return err
	}
	defer unlock()
	if err := p.prepare(dir); err != nil {
		return err
	}
	if len(packages) == 0 {
		packages = p.packages
	}
	chosen := slices.DeleteFunc(slices.Clone(packages), func(pkg string) bool { // older versions have fewer packages
		_, err := os.Stat(filepath.Join(dir, pkg))
		return slices.Contains(p.packages, pkg) && err != nil
	})
	var errs []error
	for _, pkg := range chosen {
		err := p.runPackage(dir, pkg, all)
		if err != nil {
			fmt.Println(err)
			err = fmt.Errorf("%s %s: %s failed", p.name, p.version, pkg)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// place returns a folder for the copy of a project, which no other process uses until unlock.
func (p *project) place() (dir string, unlock func(), err error) {
	name := p.name + "-" + p.version
	if p.assets == nil {
		name += "-replaced"
	}
	return copies.Place("envtests", name)
}

// runPackage compiles the tests of a package once, runs them on each folder of programs, and returns how the first differs from what is
// known.
func (p *project) runPackage(dir, pkg string, all []known) error {
	program, err := p.compile(dir, pkg)
	if err != nil {
		return err
	}
	defer os.Remove(program)
	tries := 1
	if p.racy[pkg] != "" {
		tries = 3
	}
	err = errors.New("not run")
	for ; err != nil && tries > 0; tries-- {
		var r *result
		if r, err = p.test(program, dir, pkg, p.folder(0)); err == nil {
			err = r.compare(pkg, all, p.knownFile())
		}
		if len(p.assets) < 2 || r == nil {
			continue
		}
		other, err2 := p.test(program, dir, pkg, p.folder(1))
		if err2 != nil {
			return errors.Join(err, err2)
		}
		r.beside(other)
	}
	return err
}

// folder returns a folder of programs, or "" if the project has none because it uses apiservertest.
func (p *project) folder(i int) string {
	if i < len(p.assets) {
		return p.assets[i]
	}
	return ""
}

// output runs a command, and returns what it prints.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return string(out), nil
}

// compile makes a program of the tests of a package. -mod=mod adds sums of modules that took the place of folders.
func (p *project) compile(dir, pkg string) (string, error) {
	program := filepath.Join(dir, pkg, "lwtest-envtests.test")
	if _, err := output(dir, "go", "test", "-p", "2", "-c", "-o", program, "./"+pkg); err != nil {
		return "", err
	}
	if _, err := os.Stat(program); err != nil {
		return "", fmt.Errorf("%s has no tests", pkg)
	}
	return program, nil
}

// test runs a program of tests in the folder of its package.
func (p *project) test(program, dir, pkg, assets string) (*result, error) {
	args := []string{"tool", "test2json", "-t", program, "-test.v=test2json", "-test.paniconexit0", "-test.timeout=" + limit.String()}
	report := filepath.Join(dir, pkg, "report.json")
	specs, err := usesGinkgo(filepath.Join(dir, pkg))
	if err != nil {
		return nil, err
	}
	if specs {
		args = append(append(args, "-ginkgo.json-report="+report), p.ginkgo...)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join(dir, pkg)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if assets != "" {
		cmd.Env = append(cmd.Env, "KUBEBUILDER_ASSETS="+assets)
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
	defer os.Remove(report)
	if failed != nil && (len(r.failed) == 0 || specs && unwritten != nil) {
		return nil, fmt.Errorf("%s: %w\n%s", pkg, failed, tail(r.out.String()))
	}
	if !specs {
		return r, nil
	}
	return r, r.readSpecs(report)
}

// usesGinkgo reports whether tests in a folder run specs.
func usesGinkgo(dir string) (bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(files, func(file string) bool {
		b, err := os.ReadFile(file)
		return err == nil && bytes.Contains(b, []byte("RunSpecs("))
	}), nil
}
