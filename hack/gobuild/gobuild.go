//go:build linux || darwin

// Package gobuild builds commands from published Go modules that "go install" refuses, such as those of Kubernetes and etcd,
// and keeps what was built.
package gobuild

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

// Builder builds commands of others from their published modules.
type Builder struct {
	Cache string                           // the folder in which what was built is kept
	Say   func(format string, args ...any) // tells of progress
}

// Once gives the folder of that name in the cache; it makes it when there is none yet. make gets a folder in its place and
// one for scratch. Of several processes one makes it, and the others wait.
func (b Builder) Once(name string, make func(tmp, src string) error) (string, error) {
	dir := filepath.Join(b.Cache, name)
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

// Program returns the path of a command. It builds the command if it is not in the folder "programs" beside the cache, which
// all who build share.
func (b Builder) Program(ctx context.Context, name string, c Command) (string, error) {
	shared := Builder{Cache: filepath.Join(filepath.Dir(b.Cache), "programs"), Say: b.Say}
	if err := os.MkdirAll(shared.Cache, 0o755); err != nil {
		return "", err
	}
	dir, err := shared.Once(name+"-"+c.Version, func(tmp, src string) error {
		return shared.Compile(ctx, src, filepath.Join(tmp, name), c)
	})
	return filepath.Join(dir, name), err
}

// Command is what there is to build.
type Command struct {
	Module, Version string
	Package         string // below the module, with a slash before it; "": the module itself
	Staging         string // the version of what its go.mod replaces with folders of its repository and says no version of
	LDFlags, Tags   string
	CGO             bool
}

// Kubernetes is a command of Kubernetes.
func Kubernetes(name, version string) Command {
	minor := strings.Split(version, ".")[1]
	var flags string
	for _, says := range []string{"k8s.io/component-base/version.", "k8s.io/client-go/pkg/version."} { // of the second older API servers tell their clients
		set := " -X " + says
		flags += set + "gitVersion=" + version + set + "gitMajor=1" + set + "gitMinor=" + minor + set + "gitTreeState=clean"
	}
	return Command{Module: "k8s.io/kubernetes", Version: version, Package: "/cmd/" + name,
		Staging: strings.Replace(version, "v1.", "v0.", 1), // k8s.io/api and the like: v0.37.1 belongs to v1.37.1
		LDFlags: flags}
}

// ContainerdCommands are the commands of containerd that run containers.
var ContainerdCommands = []string{"containerd", "containerd-shim-runc-v2", "ctr"}

// Containerd is one of them.
func Containerd(name string) Command {
	const module, version = "github.com/containerd/containerd/v2", "v2.4.2"
	return Command{Module: module, Version: version, Package: "/cmd/" + name,
		Tags: "no_aufs,no_zfs,no_btrfs,no_devmapper", LDFlags: " -X " + module + "/version.Version=" + version}
}

// Compile builds a command into the file out, with the help of the scratch folder src.
// "go install" refuses modules with replace directives. So a scratch module stands in for each: it has the module's
// own go.mod and go.sum, but where they replace with a folder of their repository, it takes the published module, at Staging if the go.mod does not say.
func (b Builder) Compile(ctx context.Context, src, out string, c Command) error {
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
		return fmt.Errorf("could not %s %s %s: %w", what, c.Module, c.Version, err)
	}
	couldNotDownload := func(err error) error {
		return fmt.Errorf("%w\nIs there such a version, and is a Go module proxy (go env GOPROXY) within reach? Without one, copy the folder %s from a machine of the same kind that has it",
			couldNot("download", err), strings.TrimSuffix(filepath.Dir(out), ".tmp"))
	}

	b.Say("downloading %s %s", c.Module, c.Version)
	var got struct{ Dir, Error string }
	if err := c.goJSON(ctx, src, &got, "mod", "download", "-json", c.Module+"@"+c.Version); err != nil {
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
	if err := c.goJSON(ctx, src, &mod, "mod", "edit", "-json", filepath.Join(got.Dir, "go.mod")); err != nil {
		return couldNot("read the go.mod of", err)
	}
	edit := []string{"mod", "edit", "-module=scratch", "-require=" + c.Module + "@" + c.Version}
	for _, r := range mod.Replace {
		if r.New.Version == "" { // a folder
			edit = append(edit, "-dropreplace="+r.Old.Path)
		}
	}
	for _, r := range mod.Require {
		if r.Version == "v0.0.0" {
			edit = append(edit, "-replace="+r.Path+"="+r.Path+"@"+c.Staging)
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
	if _, err := c.goRun(ctx, src, edit...); err != nil {
		return couldNot("write a go.mod for", err)
	}
	if _, err := c.goRun(ctx, src, "list", "-deps", c.Module+c.Package); err != nil {
		return couldNotDownload(err)
	}

	b.Say("building %s (%s), downloaded in %s", name, c.Version, time.Since(begin).Round(time.Second/10))
	begin = time.Now()
	if _, err := c.goRun(ctx, src, "build", "-trimpath", "-tags="+c.Tags, "-ldflags=-s -w"+c.LDFlags, "-o", out, c.Module+c.Package); err != nil {
		return couldNot("build", err)
	}
	b.Say("built %s in %s", name, time.Since(begin).Round(time.Second/10))
	return nil
}

func (c Command) goJSON(ctx context.Context, dir string, into any, args ...string) error {
	out, err := c.goRun(ctx, dir, args...)
	return errors.Join(err, json.Unmarshal(out, into))
}

// goRun runs the go command in dir; what it prints when it fails is the error.
func (c Command) goRun(ctx context.Context, dir string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CGO_ENABLED="+map[bool]string{true: "1", false: "0"}[c.CGO])
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // go then ends its compilers
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("go %s: %v\n%s", args[0], err, Tail(errs.String()+out.String()))
	}
	return out.Bytes(), nil
}

// Tail returns the last lines of a log.
func Tail(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}
