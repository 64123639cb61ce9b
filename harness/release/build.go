package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Cache is where a tree keeps what it has built: LWTEST_CACHE, or .cache in it.
func Cache(root string) (string, error) {
	if dir := os.Getenv("LWTEST_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	return filepath.Join(root, ".cache"), nil
}

// program is the name of what Go has built.
const program = "adapter"

// Build gives the command line of the adapter for a version of its module: a shell reads it. What is built or installed
// is kept in the cache, and is the same as long as neither the adapter nor plugins/adapter changes. log is told of what
// takes its time.
func (a Adapter) Build(ctx context.Context, version, cache string, log io.Writer) (command string, err error) {
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
		fmt.Fprintf(log, "%s@%s: %s is built with it\n", a.Module, version, a.Folder)
		if err := a.make(ctx, version, dir, files); err != nil {
			return "", fmt.Errorf("%s with %s@%s: %w", a.Folder, a.Module, version, err)
		}
	} else if err != nil {
		return "", err
	}
	if !a.npm() {
		return quoted(filepath.Join(dir, program)), nil
	}
	return interpreter(a.Run[0], dir) + " " + quoted(filepath.Join(dir, a.Run[1])), nil
}

// interpreter is what runs what npm has installed: a name is the machine's, a path what was installed beside it.
func interpreter(run, dir string) string {
	if !strings.Contains(run, "/") {
		return run
	}
	return quoted(filepath.Join(dir, run))
}

// make makes the folder, whole or not at all.
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
		if filepath.Dir(name) != "." { // of plugins/adapter
			continue
		}
		if err := os.WriteFile(filepath.Join(work, name), b, 0o666); err != nil {
			return err
		}
	}
	if a.npm() {
		err = a.install(ctx, version, work)
	} else {
		err = a.compile(ctx, version, work)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(work, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // else somebody else was faster
			return err
		}
	}
	return nil
}

// compile builds it by Go. The go.mod is written anew: what that of the tree requires is of another version.
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
	if _, err := run(ctx, dir, "go", "build", "-mod=mod", "-buildvcs=false", "-tags", tag, "-o", program, "."); err != nil {
		return err
	}
	got, err := run(ctx, dir, "go", "list", "-mod=mod", "-m", "-f", "{{.Version}}", a.Module)
	if err == nil && got != version {
		err = fmt.Errorf("something else that it needs asks for %s", got)
	}
	return err
}

// goLine gives the line of a go.mod that says which Go it is for.
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
	return "", fmt.Errorf("%s does not say for which Go it is", file)
}

// install installs it by npm. What package.json has beside the module stays, as a Node that it is run on.
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
	if _, err = run(ctx, dir, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--silent"); err != nil {
		return err
	}
	return a.installed(version, dir)
}

// installed says what npm made of a version, if it is another: of a range, or a tag, it is one today and another tomorrow.
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
		return fmt.Errorf("that is %s for npm today: say which version", is.Version)
	}
	return nil
}

// run runs a command of the tools that build it, outside any workspace.
func run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, strings.TrimSpace(said.String()+string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

// sources are the files that an adapter is made of, by name: its own, and those of plugins/adapter.
func (a Adapter) sources() (map[string][]byte, error) {
	out := map[string][]byte{}
	for under, dir := range map[string]string{"": a.Folder, "plugins/adapter": "plugins/adapter"} {
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

// source says of a file that an adapter is made of it: not of what it was built to, of what is known of it, or of notes.
func (a Adapter) source(name string) bool {
	switch filepath.Ext(name) {
	case ".go":
		return !strings.HasSuffix(name, "_test.go")
	case ".js", ".mjs", ".cjs", ".mod":
		return true
	}
	return name == "adapter.json" || name == "package.json" || slices.Contains(a.Run, name)
}

// Digest is of what an adapter is made of: it changes with its sources, and with those of plugins/adapter.
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

// quoted is a path as a shell reads it.
func quoted(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@", r)
	}) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
