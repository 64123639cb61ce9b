package assets

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
)

// withCEL is the program that evaluates CEL expressions.
const withCEL = "lwtest-apiserver"

// Install says what a folder of binary assets is made of.
type Install struct {
	// Dir is the folder. It is made if it is missing.
	Dir string
	// Self is the path of lwtest.
	Self string
	// Clone is a clone of lwtest, and Version a released version of it, from which lwtest-apiserver can be built; "": there is none.
	Clone, Version string
	// Kubectls are patterns of paths of kubectl, the best first. The PATH comes last.
	Kubectls []string
	// Stderr gets a line about what is missing.
	Stderr io.Writer
}

// Run puts kube-apiserver, etcd and, where it finds one, kubectl into the folder. It may run several times at once.
func (i Install) Run(ctx context.Context) error {
	if err := os.MkdirAll(i.Dir, 0o755); err != nil {
		return err
	}
	server := i.path("kube-apiserver")
	from, err := i.Server(ctx, server)
	if err != nil {
		return err
	}
	if from != server {
		if err := place(from, server); err != nil {
			return err
		}
	}
	if err := place(server, i.path("etcd")); err != nil {
		return err
	}
	if kubectl := i.kubectl(); kubectl != "" {
		return place(kubectl, i.path("kubectl"))
	}
	fmt.Fprintln(i.Stderr, "lwtest: no kubectl was found on the PATH: tests that start it (controlplane.Kubectl) need one")
	return nil
}

func (i Install) path(name string) string { return filepath.Join(i.Dir, executable(name)) }

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// Server returns the path of lwtest-apiserver, or Self if there is none. What it builds it puts at server.
func (i Install) Server(ctx context.Context, server string) (string, error) {
	beside := filepath.Join(filepath.Dir(i.Self), executable(withCEL))
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	if path, err := exec.LookPath(withCEL); err == nil {
		return path, nil
	}
	if _, err := exec.LookPath("go"); err == nil && (i.Clone != "" || i.Version != "") {
		if err := i.build(ctx, server); err == nil || i.Clone != "" {
			return server, err
		} // a version that was never published
	}
	fmt.Fprintln(i.Stderr, "lwtest: lwtest-apiserver is neither beside lwtest nor on the PATH, so CEL expressions are not evaluated: `go install github.com/lwtest/lwtest/cmd/lwtest-apiserver@latest` puts it on the PATH")
	return i.Self, nil
}

// build builds lwtest-apiserver. Go does not link it again if the last one is up to date.
func (i Install) build(ctx context.Context, server string) error {
	if err := os.MkdirAll(filepath.Dir(server), 0o755); err != nil {
		return err
	}
	return replace(server, func(temporary string) error {
		if err := os.Link(server, temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-C", i.Clone, "-o", temporary, "./cmd/"+withCEL)
		if i.Clone == "" {
			cmd = exec.CommandContext(ctx, "go", "install", "github.com/lwtest/lwtest/cmd/"+withCEL+"@"+i.Version)
		}
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOBIN="+filepath.Dir(temporary))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("lwtest-apiserver cannot be built of %s: %w\n%s", cmp.Or(i.Clone, i.Version), err, out)
		}
		if i.Clone == "" {
			return os.Rename(filepath.Join(filepath.Dir(temporary), executable(withCEL)), temporary)
		}
		return nil
	})
}

// kubectl returns the path of a kubectl that is none of ours, or "".
func (i Install) kubectl() string {
	for _, pattern := range i.Kubectls {
		if found, err := filepath.Glob(pattern); err == nil && len(found) > 0 {
			return slices.Max(found)
		}
	}
	path, err := exec.LookPath("kubectl")
	if err != nil || filepath.Dir(path) == i.Dir {
		return ""
	}
	return path
}

// place makes a file the same as another, as a hard link where that is possible.
func place(from, to string) error {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	old, err := os.Stat(to)
	if is, err2 := os.Stat(from); err == nil && err2 == nil && os.SameFile(is, old) {
		return nil
	}
	return replace(to, func(temporary string) error {
		if os.Link(from, temporary) == nil {
			return nil
		}
		return copyProgram(from, temporary)
	})
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// replace makes a file under a temporary name, and then gives it its own: whoever starts it finds the old one or the new one.
func replace(path string, make func(temporary string) error) error {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	temporary := filepath.Join(dir, filepath.Base(path))
	if err := make(temporary); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
