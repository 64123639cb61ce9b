// Package release builds the adapters of this tree with any release of the module that they adapt. Each build has its
// own folder in the cache and is made once.
//
// An adapter is a folder interop/NAME with an adapter.json:
//
//	{"module": "k8s.io/client-go", "alike": ["k8s.io/api", "k8s.io/apimachinery"], "tags": [{"below": "v0.27.0", "tag": "before_0_27"}]}
//
// A go.mod or package.json in the folder says whether Go builds it or npm installs it.
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

// Module is the path of lwtest's own module.
const Module = "github.com/lwtest/lwtest"

// Adapter is a program of this tree that connects any version of a module to the suites.
type Adapter struct {
	Root   string `json:"-"`      // root of the tree
	Folder string `json:"-"`      // folder of the adapter, relative to Root
	Module string `json:"module"` // name of the module for go get or npm

	// Since is the first version that the adapter supports; "": any.
	Since string `json:"since,omitempty"`
	// Alike names modules that have the same versions and are upgraded together. Require gives minimum versions of other
	// modules, which old releases need to build with today's Go. Both are empty for npm.
	Alike   []string          `json:"alike,omitempty"`
	Require map[string]string `json:"require,omitempty"`
	Tags    []Tag             `json:"tags,omitempty"` // the first one that applies to the version is set
	// Run is the command of an npm adapter: an interpreter, by its name or by its path from the folder, and the file.
	Run []string `json:"run,omitempty"`
	// OwnMod builds the adapter in its folder, with a copy of its go.mod in which the module, and those alike, have the version that is asked for. It is
	// for adapters that need more of the tree than plugins/adapter.
	OwnMod bool `json:"ownMod,omitempty"`
	// Edits is the file of the bugs that are brought into the module (see Edits). Such an adapter is built with the go.mod of its folder.
	Edits string `json:"edits,omitempty"`
	// Program is a main package of the module, for a module that is tested as a program. Above is the folder of the adapter that starts it,
	// which is built with its own go.mod. The adapter's first arguments are the name of Folder, the path of the program, and its version.
	Program string `json:"program,omitempty"`
	Above   string `json:"above,omitempty"`
	// Serve is for a module that is a server of its own: a command of the tree that starts it, runs what follows with KUBECONFIG set, and ends it.
	// {version} in it is the version. Such an adapter has no program: lwtest is a client of the server.
	Serve string `json:"serve,omitempty"`
	// Beside are other folders of this tree whose Go files such an adapter is built from.
	Beside []string `json:"beside,omitempty"`
}

// Tag is a build tag for all versions below Below.
type Tag struct {
	Below string `json:"below"`
	Tag   string `json:"tag"`
}

// Root returns the tree that holds dir.
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
			return "", fmt.Errorf("%s is not in a copy of the repository of %s, which holds the adapters: clone it, and run this there", dir, Module)
		}
	}
}

// Adapters returns the adapters of a tree.
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
			return nil, fmt.Errorf("%s has no field \"module\": name the module that it adapts", file)
		case (len(a.Run) > 0) != a.npm():
			return nil, fmt.Errorf("%s: set \"run\" for an adapter with a package.json, and only for that", file)
		case (a.Program == "") != (a.Above == ""):
			return nil, fmt.Errorf("%s: set \"program\" and \"above\", or neither", file)
		}
		out = append(out, a)
	}
	return out, nil
}

// ReadFile decodes a JSON file and returns an error for an unknown field.
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

// Find returns the adapter of a module as it was released.
func Find(all []Adapter, module string) (Adapter, error) { return find(all, module, false) }

// FindEdited returns the adapter of a module with bugs that are brought into it.
func FindEdited(all []Adapter, module string) (Adapter, error) { return find(all, module, true) }

func find(all []Adapter, module string, edited bool) (Adapter, error) {
	var names []string
	for _, a := range all {
		if (a.Edits != "") != edited {
			continue
		}
		if a.Module == module {
			return a, nil
		}
		names = append(names, a.Module)
	}
	return Adapter{}, fmt.Errorf("there is no adapter of the module %q: choose one of %s", module, strings.Join(names, ", "))
}

// Split splits MODULE@VERSION, the form of --module.
func Split(s string) (module, version string, err error) {
	i := strings.LastIndex(s, "@")
	if i <= 0 || i == len(s)-1 {
		return "", "", fmt.Errorf("%q is not a module with its version: say MODULE@VERSION, as in k8s.io/client-go@v0.30.0", s)
	}
	return s[:i], s[i+1:], nil
}

// npm reports whether npm installs the adapter.
func (a Adapter) npm() bool {
	_, err := os.Stat(filepath.Join(a.Root, a.Folder, "package.json"))
	return err == nil
}

// takes returns an error if the version is older than Since.
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
		return fmt.Errorf("it adapts %s and later: choose a later version, or write an adapter for older ones (docs/vendors.md)", a.Since)
	}
	return err
}

// tag returns the build tag for a version, or "" if it needs none.
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

// numbers returns the three numbers of a version without what follows a dash or a plus.
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
