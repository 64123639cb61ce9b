package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	goversion "go/version"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Cache returns the folder in which a tree keeps its builds: LWTEST_CACHE, or .cache in the tree.
func Cache(root string) (string, error) {
	if dir := os.Getenv("LWTEST_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	return filepath.Join(root, ".cache"), nil
}

// program is the file name of a Go build.
const program = "adapter"

// started is the file name of the program that an adapter starts.
const started = "program"

// Build returns a shell command line for the adapter with a version of its module. Builds are kept in the cache and
// reused until the adapter or plugins/adapter changes. log gets a line before a build.
func (a Adapter) Build(ctx context.Context, version, cache string, log io.Writer) (command string, err error) {
	if a.Serve != "" {
		return "", fmt.Errorf("%s is a server of its own: say `%s sh -c 'lwtest run --target kubeconfig:$KUBECONFIG'`", a.Module, strings.ReplaceAll(a.Serve, "{version}", version))
	}
	if err := a.takes(version); err != nil {
		return "", fmt.Errorf("%s with %s@%s: %w", a.Folder, a.Module, version, err)
	}
	files, err := a.sources()
	if err != nil {
		return "", err
	}
	name := strings.ReplaceAll(a.Module, "/", "+") + "@" + version + "-" + digest(files)
	dir := filepath.Join(cache, "releases", name)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(log, "%s@%s: building %s\n", a.Module, version, a.Folder)
		if err := a.make(ctx, version, dir, files); err != nil {
			return "", fmt.Errorf("%s with %s@%s: %w", a.Folder, a.Module, version, err)
		}
	} else if err != nil {
		return "", err
	}
	switch {
	case a.Program != "":
		return strings.Join([]string{quoted(filepath.Join(dir, program)), filepath.Base(a.Folder), quoted(filepath.Join(dir, started)), version}, " "), nil
	case !a.npm():
		return quoted(filepath.Join(dir, program)), nil
	}
	return interpreter(a.Run[0], dir) + " " + quoted(filepath.Join(dir, a.Run[1])), nil
}

// interpreter returns the command that runs an npm adapter. A plain name is a command of the machine; a path was
// installed beside the adapter.
func interpreter(run, dir string) string {
	if !strings.Contains(run, "/") {
		return run
	}
	return quoted(filepath.Join(dir, run))
}

// make creates the folder atomically.
func (a Adapter) make(ctx context.Context, version, dir string, files map[string][]byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for name, b := range files {
		if filepath.Dir(name) != "." { // a file of plugins/adapter
			continue
		}
		if err := os.WriteFile(filepath.Join(work, name), b, 0o666); err != nil {
			return err
		}
	}
	switch {
	case a.npm():
		err = a.install(ctx, version, work)
	case a.Program != "":
		err = a.started(ctx, version, work)
	case a.Edits != "":
		err = a.edited(ctx, version, work)
	case a.OwnMod:
		err = a.moved(ctx, version, work)
	default:
		err = a.compile(ctx, version, work)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(work, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // else another process was faster
			return err
		}
	}
	return nil
}

// compile builds the adapter with Go. It writes a new go.mod, because the one in the tree requires another version.
func (a Adapter) compile(ctx context.Context, version, dir string) error {
	tag, err := a.tag(version)
	if err != nil {
		return err
	}
	own, err := goLine(filepath.Join(a.Root, a.Folder, "go.mod"))
	if err != nil {
		return err
	}
	const side = Module + "/plugins/adapter"
	mod := fmt.Sprintf("module %s/%s\n\n%s\n\nrequire %s v0.0.0\nrequire %s %s\n", Module, a.Folder, own, side, a.Module, version)
	for _, m := range a.Alike {
		mod += fmt.Sprintf("require %s %s\n", m, version)
	}
	for _, m := range slices.Sorted(maps.Keys(a.Require)) {
		mod += fmt.Sprintf("require %s %s\n", m, a.Require[m])
	}
	mod += fmt.Sprintf("\nreplace %s => %q\n", side, filepath.Join(a.Root, "plugins", "adapter"))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	if _, err := run(ctx, dir, nil, "go", "build", "-mod=mod", "-buildvcs=false", "-tags", tag, "-o", program, "."); err != nil {
		return err
	}
	got, err := run(ctx, dir, nil, "go", "list", "-mod=mod", "-m", "-f", "{{.Version}}", a.Module)
	if err == nil && got != version {
		err = fmt.Errorf("another dependency requires %s", got)
	}
	return err
}

// moved builds the adapter with a copy of its go.mod in which the module has the version.
func (a Adapter) moved(ctx context.Context, version, dir string) error {
	home := filepath.Join(a.Root, a.Folder)
	mod, err := a.modIn(dir)
	if err != nil {
		return err
	}
	newest, err := a.goOf(ctx, version, dir)
	if err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-go", newest}
	for _, m := range append([]string{a.Module}, a.Alike...) {
		edit = append(edit, "-replace", m+"="+m+"@"+version) // `go get` cannot go below what lwtest itself requires
	}
	if _, err := run(ctx, home, nil, "go", append(edit, mod)...); err != nil {
		return err
	}
	_, err = run(ctx, home, []string{"GOTOOLCHAIN=" + toolchain(newest)}, "go", "build", "-mod=mod", "-buildvcs=false", "-modfile", mod, "-o", filepath.Join(dir, program), ".")
	return err
}

// goOf returns the newest Go that the adapter or a version of its module asks for.
func (a Adapter) goOf(ctx context.Context, version, dir string) (string, error) {
	got, err := run(ctx, dir, []string{"GOTOOLCHAIN=auto"}, "go", "mod", "download", "-json", a.Module+"@"+version)
	if err != nil {
		return "", err
	}
	var there struct{ GoMod string }
	if err := json.Unmarshal([]byte(got), &there); err != nil {
		return "", err
	}
	own, err := goLine(filepath.Join(a.Root, a.Folder, "go.mod"))
	if err != nil {
		return "", err
	}
	newest := strings.TrimPrefix(own, "go ")
	if line, err := goLine(there.GoMod); err == nil { // a go.mod needs none
		if v := strings.TrimPrefix(line, "go "); goversion.Compare("go"+v, "go"+newest) > 0 {
			newest = v
		}
	}
	return newest, nil
}

// toolchain returns a value of GOTOOLCHAIN for a build that needs a Go: with -modfile go looks at another go.mod for that.
func toolchain(needs string) string {
	if goversion.Compare("go"+needs, runtime.Version()) > 0 {
		return "go" + needs + "+auto"
	}
	return "auto"
}

// modIn copies the go.mod of the adapter's folder, and its go.sum, into another folder, and returns the path of the copy, for -modfile.
func (a Adapter) modIn(dir string) (string, error) {
	mod := filepath.Join(dir, "own.mod")
	for to, from := range map[string]string{mod: "go.mod", filepath.Join(dir, "own.sum"): "go.sum"} {
		b, err := os.ReadFile(filepath.Join(a.Root, a.Folder, from))
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			return "", err
		}
	}
	return mod, nil
}

// started builds the program of the module, and the adapter that starts it.
func (a Adapter) started(ctx context.Context, version, dir string) error {
	above := filepath.Join(a.Root, a.Above)
	own, err := goLine(filepath.Join(above, "go.mod"))
	if err != nil {
		return err
	}
	mod := fmt.Sprintf("module %s/%s\n\n%s\n\nrequire %s %s\n", Module, a.Folder, own, a.Module, version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return err
	}
	if _, err := run(ctx, dir, nil, "go", "build", "-mod=mod", "-buildvcs=false", "-o", started, a.Program); err != nil {
		return err
	}
	_, err = run(ctx, above, nil, "go", "build", "-buildvcs=false", "-o", filepath.Join(dir, program), ".")
	return err
}

// goLine returns the line of a go.mod that names the Go version.
func goLine(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "go ") {
			return strings.TrimSpace(line), nil
		}
	}
	return "", fmt.Errorf("%s has no go line", file)
}

// install installs the adapter with npm. Other dependencies in package.json, such as a Node to run it, stay.
func (a Adapter) install(ctx context.Context, version, dir string) error {
	file := filepath.Join(dir, "package.json")
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var p map[string]any
	if err := json.Unmarshal(b, &p); err != nil {
		return fmt.Errorf("package.json: %w", err)
	}
	needs, ok := p["dependencies"].(map[string]any)
	if !ok {
		needs = map[string]any{}
	}
	needs[a.Module] = version
	p["dependencies"] = needs
	if b, err = json.Marshal(p); err != nil {
		return err
	}
	if err := os.WriteFile(file, b, 0o666); err != nil {
		return err
	}
	if _, err = run(ctx, dir, nil, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"); err != nil {
		return err
	}
	return a.installed(version, dir)
}

// installed returns an error if npm installed another version, as it does for a range or a tag, whose version changes
// over time.
func (a Adapter) installed(version, dir string) error {
	b, err := os.ReadFile(filepath.Join(dir, "node_modules", a.Module, "package.json"))
	if err != nil {
		return err
	}
	var is struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(b, &is); err != nil {
		return fmt.Errorf("the package.json of %s: %w", a.Module, err)
	}
	if is.Version != version {
		return fmt.Errorf("npm installed %s: give an exact version", is.Version)
	}
	return nil
}

// run runs a build tool outside any workspace.
func run(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOWORK=off", "GOFLAGS="), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(said.String()+string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

// sources returns the files that an adapter is built from, by name: its own, and those of plugins/adapter and of the folders beside it.
func (a Adapter) sources() (map[string][]byte, error) {
	out := map[string][]byte{}
	dirs := map[string]string{"": a.Folder, "plugins/adapter": "plugins/adapter"}
	for _, dir := range a.Beside {
		dirs[dir] = dir
	}
	for under, dir := range dirs {
		if under != "" && a.npm() {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(a.Root, dir))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() || !a.source(name) {
				continue
			}
			b, err := os.ReadFile(filepath.Join(a.Root, dir, name))
			if err != nil {
				return nil, err
			}
			out[filepath.Join(under, name)] = b
		}
	}
	return out, nil
}

// source reports whether a file is part of an adapter, and not a build result, a known-failures file or notes.
func (a Adapter) source(name string) bool {
	switch filepath.Ext(name) {
	case ".go":
		return !strings.HasSuffix(name, "_test.go")
	case ".js", ".mjs", ".cjs", ".mod":
		return true
	}
	return name == "adapter.json" || name == "package.json" || name == a.Edits || slices.Contains(a.Run, name)
}

// Digest returns a digest of an adapter's sources and of those of plugins/adapter.
func (a Adapter) Digest() (string, error) {
	files, err := a.sources()
	return digest(files), err
}

func digest(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

// quoted returns a path quoted for a shell.
func quoted(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@", r)
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
