//go:build linux || darwin

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const etcdVersion = "v3.6.8"

// build returns the folder with etcd and kube-apiserver of a version; it makes it when there is none yet.
func build(ctx context.Context, cache, version string) (string, error) {
	return once(filepath.Join(cache, version), func(tmp, src string) error {
		if err := compileKubernetes(ctx, src, filepath.Join(tmp, "kube-apiserver"), version); err != nil {
			return err
		}
		return compile(ctx, src, filepath.Join(tmp, "etcd"), "go.etcd.io/etcd/server/v3", etcdVersion, "", "", "")
	})
}

// buildKubectl returns the path of kubectl of a version, in a folder of its own: servers are seldom wanted
// with it.
func buildKubectl(ctx context.Context, cache, version string) (string, error) {
	dir, err := once(filepath.Join(cache, version+"-kubectl"), func(tmp, src string) error {
		return compileKubernetes(ctx, src, filepath.Join(tmp, "kubectl"), version)
	})
	return filepath.Join(dir, "kubectl"), err
}

// buildControllers returns the path of kube-controller-manager of a version, which is seldom wanted, too.
func buildControllers(ctx context.Context, cache, version string) (string, error) {
	dir, err := once(filepath.Join(cache, version+"-controllers"), func(tmp, src string) error {
		return compileKubernetes(ctx, src, filepath.Join(tmp, controllerManager), version)
	})
	return filepath.Join(dir, controllerManager), err
}

// once makes a folder when there is none yet. make gets a folder in its place and one for scratch.
func once(dir string, make func(tmp, src string) error) (string, error) {
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	lock, err := os.Create(dir + ".lock") // one builds, the others wait and find it done
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}

	tmp, src := dir+".tmp", dir+".src"
	_, _ = os.RemoveAll(tmp), os.RemoveAll(src) // of an interrupted build
	defer os.RemoveAll(tmp)
	defer os.RemoveAll(src)
	if err := os.MkdirAll(tmp, 0o755); err != nil {
		return "", err
	}
	if err := make(tmp, src); err != nil {
		return "", err
	}
	return dir, os.Rename(tmp, dir)
}

// compileKubernetes builds a command of Kubernetes, which its file is named after.
func compileKubernetes(ctx context.Context, src, out, version string) error {
	minor := strings.Split(version, ".")[1]
	staging := strings.Replace(version, "v1.", "v0.", 1) // k8s.io/api and the like: v0.37.1 belongs to v1.37.1
	set := " -X k8s.io/component-base/version."
	ldflags := set + "gitVersion=" + version + set + "gitMajor=1" + set + "gitMinor=" + minor + set + "gitTreeState=clean"
	return compile(ctx, src, out, "k8s.io/kubernetes", version, "/cmd/"+filepath.Base(out), staging, ldflags)
}

// compile builds the command pkg of a module at a version, into the file out, with the help of the scratch folder src.
// "go install" refuses both modules because of their replace directives. So a scratch module stands in for each: it has the module's
// own go.mod and go.sum, but where they replace with a folder of their repository, it takes the published module, at staging if the go.mod does not say.
func compile(ctx context.Context, src, out, module, version, pkg, staging, ldflags string) error {
	begin := time.Now()
	name := filepath.Base(out)
	src = filepath.Join(src, name)
	if err := os.MkdirAll(src, 0o755); err != nil {
		return err
	}
	goMod, goSum := filepath.Join(src, "go.mod"), filepath.Join(src, "go.sum")
	if err := os.WriteFile(goMod, []byte("module scratch\n"), 0o644); err != nil {
		return err
	}
	couldNot := func(what string, err error) error {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted while building %s", name)
		}
		return fmt.Errorf("could not %s %s %s: %w", what, module, version, err)
	}
	couldNotDownload := func(err error) error {
		return fmt.Errorf("%w\nIs there such a version, and is a Go module proxy (go env GOPROXY) within reach? Without one, copy the folder %s from a machine of the same kind that has it",
			couldNot("download", err), strings.TrimSuffix(filepath.Dir(out), ".tmp"))
	}

	progress("downloading %s %s", module, version)
	var got struct{ Dir, Error string }
	if err := goJSON(ctx, src, &got, "mod", "download", "-json", module+"@"+version); err != nil {
		if got.Error != "" {
			err = errors.New(got.Error)
		}
		return couldNotDownload(err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
		Replace []struct {
			Old struct{ Path string }
			New struct{ Path, Version string }
		}
	}
	if err := goJSON(ctx, src, &mod, "mod", "edit", "-json", filepath.Join(got.Dir, "go.mod")); err != nil {
		return couldNot("read the go.mod of", err)
	}
	edit := []string{"mod", "edit", "-module=scratch", "-require=" + module + "@" + version}
	for _, r := range mod.Replace {
		if r.New.Version == "" { // a folder
			edit = append(edit, "-dropreplace="+r.Old.Path)
		}
	}
	for _, r := range mod.Require {
		if r.Version == "v0.0.0" {
			edit = append(edit, "-replace="+r.Path+"="+r.Path+"@"+staging)
		}
	}
	for from, to := range map[string]string{"go.mod": goMod, "go.sum": goSum} {
		text, err := os.ReadFile(filepath.Join(got.Dir, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	if _, err := goRun(ctx, src, edit...); err != nil {
		return couldNot("write a go.mod for", err)
	}
	if _, err := goRun(ctx, src, "list", "-deps", module+pkg); err != nil {
		return couldNotDownload(err)
	}

	progress("building %s (%s), downloaded in %s", name, version, time.Since(begin).Round(time.Second/10))
	begin = time.Now()
	if _, err := goRun(ctx, src, "build", "-trimpath", "-ldflags=-s -w"+ldflags, "-o", out, module+pkg); err != nil {
		return couldNot("build", err)
	}
	progress("built %s in %s", name, time.Since(begin).Round(time.Second/10))
	return nil
}

func goJSON(ctx context.Context, dir string, into any, args ...string) error {
	out, err := goRun(ctx, dir, args...)
	return errors.Join(err, json.Unmarshal(out, into))
}

// goRun runs the go command in dir; what it prints when it fails is the error.
func goRun(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go then ends its compilers
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("go %s: %v\n%s", args[0], err, tail(errs.String()+out.String()))
	}
	return out.Bytes(), nil
}

// tail returns the last lines of a log.
func tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
