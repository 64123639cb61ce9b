// Package release builds the adapters of this tree against any release of the module that they adapt: each in a folder
// of its own in the cache, which is made once.
//
// A folder interop/NAME with an adapter.json has one:
//
//	{"module": "k8s.io/client-go", "alike": ["k8s.io/api", "k8s.io/apimachinery"], "tags": [{"below": "v0.27.0", "tag": "before_0_27"}]}
//
// Whether it is built by Go or installed by npm its go.mod or package.json says.
package release

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Module is lwtest's own.
const Module = "github.com/lwtest/lwtest"

// Adapter is a program of this tree that puts a module to the suites, of whatever version.
type Adapter struct {
	Root   string `json:"-"`      // of the tree
	Folder string `json:"-"`      // where it is, from there
	Module string `json:"module"` // as go get, or npm, calls it

	// Since is the first version that it can be built with or run by; "": any.
	Since string `json:"since,omitempty"`
	// Alike are modules that have the same versions, and are taken along. Require are others, in the version that an old
	// release needs at least to be built by the Go of today. Of npm there are none.
	Alike   []string          `json:"alike,omitempty"`
	Require map[string]string `json:"require,omitempty"`
	Tags    []Tag             `json:"tags,omitempty"` // the first that is for a version is set
	// Run is the command of what npm has installed: what runs it, by its name or by its path from the folder, and the file.
	Run []string `json:"run,omitempty"`
}

// Tag is a build tag for all versions below one.
type Tag struct {
	Below string `json:"below"`
	Tag   string `json:"tag"`
}

// Root is the tree that a directory is in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		b, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && bytes.HasPrefix(b, []byte("module "+Module+"\n")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in the tree of %s, which has the adapters: get it from its repository, and run this there", dir, Module)
		}
	}
}

// Adapters are those of a tree.
func Adapters(root string) ([]Adapter, error) {
	files, err := filepath.Glob(filepath.Join(root, "interop", "*", "adapter.json"))
	if err != nil {
		return nil, err
	}
	var out []Adapter
	for _, file := range files {
		a := Adapter{Root: root, Folder: "interop/" + filepath.Base(filepath.Dir(file))}
		if err := ReadFile(file, &a); err != nil {
			return nil, err
		}
		switch {
		case a.Module == "":
			return nil, fmt.Errorf("%s does not say which module it adapts", file)
		case (len(a.Run) > 0) != a.npm():
			return nil, fmt.Errorf("%s: what npm installs says how it is run, and what Go builds does not", file)
		}
		out = append(out, a)
	}
	return out, nil
}

// ReadFile reads a file of JSON in which nothing is unknown.
func ReadFile(file string, into any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Find finds the adapter of a module.
func Find(all []Adapter, module string) (Adapter, error) {
	var names []string
	for _, a := range all {
		if a.Module == module {
			return a, nil
		}
		names = append(names, a.Module)
	}
	return Adapter{}, fmt.Errorf("there is no adapter of the module %q: there are those of %s", module, strings.Join(names, ", "))
}

// Split splits MODULE@VERSION, as --module has it.
func Split(s string) (module, version string, err error) {
	i := strings.LastIndex(s, "@")
	if i <= 0 || i == len(s)-1 {
		return "", "", fmt.Errorf("%q is not a module with its version: say MODULE@VERSION, as in k8s.io/client-go@v0.30.0", s)
	}
	return s[:i], s[i+1:], nil
}

// npm says that it is npm's.
func (a Adapter) npm() bool {
	_, err := os.Stat(filepath.Join(a.Root, a.Folder, "package.json"))
	return err == nil
}

// takes refuses a version that is older than any that the adapter can be built with.
func (a Adapter) takes(version string) error {
	if a.Since == "" {
		return nil
	}
	v, err := numbers(version)
	if err != nil {
		return err
	}
	since, err := numbers(a.Since)
	if err == nil && less(v, since) {
		return fmt.Errorf("it adapts %s and later: say one of those, or write an adapter for what is older (docs/vendors.md)", a.Since)
	}
	return err
}

// tag is the build tag for a version; "": it needs none.
func (a Adapter) tag(version string) (string, error) {
	v, err := numbers(version)
	if err != nil {
		return "", err
	}
	for _, t := range a.Tags {
		below, err := numbers(t.Below)
		if err != nil {
			return "", err
		}
		if less(v, below) {
			return t.Tag, nil
		}
	}
	return "", nil
}

// numbers are those of a version; what follows a dash or a plus does not count.
func numbers(version string) (out [3]int, err error) {
	s, _, _ := strings.Cut(version, "+")
	s, _, _ = strings.Cut(s, "-")
	parts := strings.Split(strings.TrimPrefix(s, "v"), ".")
	if len(parts) != len(out) {
		return out, notVersion(version)
	}
	for i, p := range parts {
		if out[i], err = strconv.Atoi(p); err != nil || out[i] < 0 {
			return out, notVersion(version)
		}
	}
	return out, nil
}

func notVersion(version string) error {
	return errors.New(strconv.Quote(version) + " is not a version: say one as v1.2.3")
}

func less(a, b [3]int) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}
