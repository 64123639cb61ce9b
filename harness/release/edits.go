package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// Edits bring bugs into a copy of a module. One build has all of them, and LWTEST_BUG chooses one when it runs.
type Edits struct {
	// Under is the folder of the module that files are named from.
	Under string `json:"under"`
	Edits []Edit `json:"edits"`
}

// Edit replaces a place of a file. The new text asks lwtestBug(NAME…) whether a bug of these names is chosen.
type Edit struct {
	File string `json:"file"`
	At   string `json:"at"` // it is there once
	By   string `json:"by"`
}

// chooser is added to each package that has edits.
const chooser = `package %s

import (
	"os"
	"slices"
)

var lwtestChosen = os.Getenv(%q)

func lwtestBug(names ...string) bool { return lwtestChosen != "" && slices.Contains(names, lwtestChosen) }
`

// Chooses names the variable that chooses a bug.
const Chooses = "LWTEST_BUG"

// edited builds the adapter in its own folder, with its own go.mod, and with a copy of the module that has the edits.
func (a Adapter) edited(ctx context.Context, version, dir string) (err error) {
	home := filepath.Join(a.Root, a.Folder)
	tools := []string{"GOTOOLCHAIN=auto"} // its module may want a newer Go
	if _, err := run(ctx, home, tools, "go", "mod", "download", a.Module); err != nil {
		return err
	}
	got, err := run(ctx, home, tools, "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", a.Module)
	if err != nil {
		return err
	}
	is, module, _ := strings.Cut(got, " ")
	if is != version {
		return fmt.Errorf("its go.mod has %s, for which the edits were written: name that version in the case", is)
	}
	copied := filepath.Join(dir, "module")
	if err := a.copied(module, copied); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }() // the program has it
	mod, err := a.modIn(dir)
	if err != nil {
		return err
	}
	if _, err := run(ctx, home, tools, "go", "mod", "edit", "-replace", a.Module+"="+copied, mod); err != nil {
		return err
	}
	_, err = run(ctx, home, tools, "go", "build", "-buildvcs=false", "-modfile", mod, "-o", filepath.Join(dir, program), ".")
	return err
}

// copied copies a module, and edits the copy.
func (a Adapter) copied(module, to string) error {
	b, err := os.ReadFile(filepath.Join(a.Root, a.Folder, a.Edits))
	if err != nil {
		return err
	}
	var e Edits
	if err := yaml.UnmarshalStrict(b, &e); err != nil {
		return fmt.Errorf("%s: %w", a.Edits, err)
	}
	if err := os.CopyFS(to, os.DirFS(module)); err != nil {
		return err
	}
	files, err := e.apply(filepath.Join(to, filepath.FromSlash(e.Under)))
	if err != nil {
		return fmt.Errorf("%s: %w", a.Edits, err)
	}
	for file, b := range files {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // it is read-only, as in the cache of modules
			return err
		}
		if err := os.WriteFile(file, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// apply returns the files that are edited or added, by their paths.
func (e Edits) apply(under string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, x := range e.Edits {
		file := filepath.Join(under, filepath.FromSlash(x.File))
		b, ok := out[file]
		if !ok {
			var err error
			if b, err = os.ReadFile(file); err != nil {
				return nil, err
			}
		}
		if n := bytes.Count(b, []byte(x.At)); n != 1 {
			return nil, fmt.Errorf("%s has this %d times, and once is needed: %q", x.File, n, x.At)
		}
		out[file] = bytes.Replace(b, []byte(x.At), []byte(x.By), 1)
		pkg := filepath.Dir(file)
		out[filepath.Join(pkg, "lwtest_bug.go")] = fmt.Appendf(nil, chooser, filepath.Base(pkg), Chooses)
	}
	return out, nil
}
