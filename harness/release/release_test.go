package release

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRoot(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "harness", "release", "release.go"))
	_, err = Root(t.TempDir())
	assert.ErrorContains(t, err, "is not in a copy of the repository of github.com/lwtest/lwtest")
}

// The adapters of this tree can be read, and name the tag that each version needs.
func TestAdapters(t *testing.T) {
	root, err := Root(".")
	require.NoError(t, err)
	all, err := Adapters(root)
	require.NoError(t, err)
	a, err := Find(all, "k8s.io/client-go")
	require.NoError(t, err)
	for version, want := range map[string]string{"v0.16.4": "before_0_19", "v0.18.20": "before_0_19", "v0.19.0": "before_0_27", "v0.26.15": "before_0_27", "v0.27.0": "before_0_33", "v0.32.9": "before_0_33", "v0.33.0": "before_0_35",
		"v0.34.9": "before_0_35", "v0.36.1-rc.0": "before_0_37", "v0.37.2": "", "v1.0.0": ""} {
		got, err := a.tag(version)
		assert.NoError(t, err)
		assert.Equal(t, want, got, version)
	}
	assert.ErrorContains(t, a.takes("v0.15.12"), "it adapts v0.16.0 and later")
	assert.NoError(t, a.takes("v0.16.0"))
	for _, wrong := range []string{"", "latest", "v1", "v1.2", "v1.2.x", "v1.-2.3", "v1.2.3.4"} {
		_, err := a.tag(wrong)
		assert.ErrorContains(t, err, "is not a version", wrong)
	}
	_, err = Find(all, "k8s.io/none")
	assert.ErrorContains(t, err, `there is no adapter of the module "k8s.io/none": choose one of `)
}

func TestSplit(t *testing.T) {
	m, v, err := Split("@kubernetes/client-node@1.4.0")
	require.NoError(t, err)
	assert.Equal(t, []string{"@kubernetes/client-node", "1.4.0"}, []string{m, v})
	for _, wrong := range []string{"", "m", "m@", "@v1", "@kubernetes"} {
		_, _, err := Split(wrong)
		assert.Error(t, err, wrong)
	}
}

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{"/a/b+c@v1.2-x": "/a/b+c@v1.2-x", "/a b": "'/a b'", "/it's": `'/it'\''s'`} {
		assert.Equal(t, want, quoted(path))
	}
}

// tree makes a tree with an adapter of a module that is in the tree too, in two versions.
func tree(t *testing.T, source string) Adapter {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":                     "module " + Module + "\n",
		"plugins/adapter/go.mod":     "module " + Module + "/plugins/adapter\n\ngo 1.21\n",
		"plugins/adapter/adapter.go": "package adapter\n\nconst Says = \"hello\"\n",
		"interop/it/go.mod":          "module x\n\ngo 1.21\n",
		"interop/it/adapter.json":    `{"module": "example.org/it", "tags": [{"below": "v2.0.0", "tag": "old"}]}`,
		"interop/it/main.go":         source,
		"interop/it/main_test.go":    "package nothing that is built",
	} {
		file := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	}
	all, err := Adapters(root)
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// A Go adapter is built once. The test uses a module that nothing imports, so that no registry is asked.
func TestBuild(t *testing.T) {
	a := tree(t, "package main\n\nimport \""+Module+"/plugins/adapter\"\n\nfunc main() { println(adapter.Says) }\n")
	cache := filepath.Join(t.TempDir(), "a cache")
	t.Setenv("GOPROXY", proxy(t))
	t.Setenv("GONOSUMDB", "*")
	var log strings.Builder
	command, err := a.Build(context.Background(), "v1.0.0", cache, &log)
	require.NoError(t, err)
	assert.Equal(t, "example.org/it@v1.0.0: building interop/it\n", log.String())
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "hello\n", string(out))

	log.Reset()
	again, err := a.Build(context.Background(), "v1.0.0", cache, &log)
	require.NoError(t, err)
	assert.Equal(t, command, again)
	assert.Empty(t, log.String())

	for _, beside := range []string{"it", "notes.txt", "known-it.json", "it_test.go", "README.md", "go.sum"} {
		require.NoError(t, os.WriteFile(filepath.Join(a.Root, a.Folder, beside), []byte("what it is not made of"), 0o666))
	}
	again, err = a.Build(context.Background(), "v1.0.0", cache, &log)
	require.NoError(t, err)
	assert.Equal(t, command, again)
	assert.Empty(t, log.String())

	require.NoError(t, os.WriteFile(filepath.Join(a.Root, "plugins/adapter/adapter.go"), []byte("package adapter\n"), 0o666))
	_, err = a.Build(context.Background(), "v1.0.0", cache, io.Discard)
	assert.ErrorContains(t, err, "interop/it with example.org/it@v1.0.0: go build: exit status 1")
	assert.ErrorContains(t, err, "undefined: adapter.Says")
	left, err := filepath.Glob(filepath.Join(cache, "releases", ".*"))
	require.NoError(t, err)
	assert.Empty(t, left, "of what failed")
	_, err = a.Build(context.Background(), "v1.9", cache, io.Discard)
	assert.ErrorContains(t, err, `"v1.9" is not a version`)
	a.Since = "v2.0.0"
	_, err = a.Build(context.Background(), "v1.0.0", cache, io.Discard)
	assert.ErrorContains(t, err, "interop/it with example.org/it@v1.0.0: it adapts v2.0.0 and later")
}

// A build fails if another dependency needs a version other than the requested one.
func TestBuildWithAnother(t *testing.T) {
	a := tree(t, "package main\n\nfunc main() {}\n")
	a.Require = map[string]string{"example.org/wants": "v1.0.0"}
	whole := "module x\n\ngo 1.16\n" // of which Go reads what each requires, imported or not
	require.NoError(t, os.WriteFile(filepath.Join(a.Root, a.Folder, "go.mod"), []byte(whole), 0o666))
	at := proxy(t)
	serve(t, at, "example.org/it", "v1.5.0", "")
	serve(t, at, "example.org/wants", "v1.0.0", "require example.org/it v1.5.0\n")
	t.Setenv("GOPROXY", at)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOMODCACHE", modules(t))
	_, err := a.Build(t.Context(), "v1.0.0", t.TempDir(), io.Discard)
	assert.ErrorContains(t, err, "another dependency requires v1.5.0")
	_, err = a.Build(t.Context(), "v1.5.0", t.TempDir(), io.Discard)
	assert.NoError(t, err)
}

// Of a module with a program, that is built with the version, and the adapter gets its path.
func TestBuildOfAProgram(t *testing.T) {
	a := tree(t, "package main\n\nimport \"os\"\n\nfunc main() { println(os.Args[1], os.Args[3]) }\n")
	require.NoError(t, os.Remove(filepath.Join(a.Root, a.Folder, "main_test.go"))) // its folder is built itself, and not a copy of it
	a.Program, a.Above, a.Folder = a.Module, a.Folder, "interop/below"
	require.NoError(t, os.Mkdir(filepath.Join(a.Root, a.Folder), 0o777))
	zipped(t, "package main\n\nfunc main() { println(\"the program\") }\n")
	command, err := a.Build(t.Context(), "v1.0.0", t.TempDir(), io.Discard)
	require.NoError(t, err)
	out, err := exec.Command("sh", "-c", command+"; "+strings.Fields(command)[2]).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "below v1.0.0\nthe program\n", string(out))
}

// An adapter that needs more of the tree is built in its folder, also with an older version than its go.mod requires, and its go.mod stays as it is.
func TestBuildWithItsOwnGoMod(t *testing.T) {
	a := tree(t, "package main\n\nimport (\n\t\"example.org/it\"\n\t\"x/more\"\n)\n\nfunc main() { println(it.Says, more.Says) }\n")
	a.OwnMod = true
	home := filepath.Join(a.Root, a.Folder)
	own := "module x\n\ngo 1.21\n\nrequire example.org/it v1.5.0\n"
	require.NoError(t, os.Mkdir(filepath.Join(home, "more"), 0o777))
	for name, content := range map[string]string{"go.mod": own, "go.sum": "", "more/more.go": "package more\n\nconst Says = \"and more\"\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(content), 0o666))
	}
	require.NoError(t, os.Remove(filepath.Join(home, "main_test.go"))) // it is no Go
	zipped(t, "package it\n\nconst Says = \"v1.0.0\"\n")
	command, err := a.Build(t.Context(), "v1.0.0", t.TempDir(), io.Discard)
	require.NoError(t, err)
	out, err := exec.Command("sh", "-c", command).CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "v1.0.0 and more\n", string(out))
	b, err := os.ReadFile(filepath.Join(home, "go.mod"))
	require.NoError(t, err)
	assert.Equal(t, own, string(b))
}

// zipped serves example.org/it v1.0.0 with one file.
func zipped(t *testing.T, source string) {
	t.Helper()
	at := proxy(t)
	var all bytes.Buffer
	z := zip.NewWriter(&all)
	for name, content := range map[string]string{"go.mod": "module example.org/it\n", "main.go": source} {
		w, err := z.Create("example.org/it@v1.0.0/" + name)
		require.NoError(t, err)
		_, err = w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(strings.TrimPrefix(at, "file://"), "example.org/it/@v/v1.0.0.zip"), all.Bytes(), 0o666))
	t.Setenv("GOPROXY", at)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOMODCACHE", modules(t))
}

// modules sets a module cache of its own, because the machine's would keep the made-up module.
func modules(t *testing.T) string {
	t.Setenv("GOFLAGS", "-modcacherw")
	return t.TempDir()
}

// An npm adapter runs with what package.json installs beside the module, or with a command of the machine. Here npm
// installs a shell.
func TestInstall(t *testing.T) {
	for run, want := range map[string]string{"node_modules/.bin/sh": "beside", "sh": "the machine's"} {
		root := t.TempDir()
		for name, content := range map[string]string{
			"go.mod":                  "module " + Module + "\n",
			"interop/it/adapter.json": `{"module": "it", "run": ["` + run + `", "adapter.sh"]}`,
			"interop/it/package.json": `{"dependencies": {"it": "1.0.0", "sh": "5.0.0"}}`,
			"interop/it/adapter.sh":   `echo "${BY:-the machine's}"`,
			"bin/npm": "#!/bin/sh\ngrep -q '{\"it\":\".*1.2.3\",\"sh\":\"5.0.0\"}' package.json || exit 1\n" +
				"mkdir -p node_modules/.bin node_modules/it; echo '{\"version\":\"1.2.3\"}' >node_modules/it/package.json; printf '#!/bin/sh\\nBY=beside exec sh \"$@\"\\n' > node_modules/.bin/sh; chmod +x node_modules/.bin/sh\n",
		} {
			file := filepath.Join(root, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
			require.NoError(t, os.WriteFile(file, []byte(content), 0o777))
		}
		t.Setenv("PATH", filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
		all, err := Adapters(root)
		require.NoError(t, err)
		command, err := all[0].Build(t.Context(), "1.2.3", filepath.Join(root, "a cache"), io.Discard)
		require.NoError(t, err)
		out, err := exec.Command("sh", "-c", command).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, want+"\n", string(out))
		_, err = all[0].Build(t.Context(), "^1.2.3", filepath.Join(root, "a cache"), io.Discard)
		assert.EqualError(t, err, "interop/it with it@^1.2.3: npm installed 1.2.3: give an exact version")
	}
}

// proxy is a module proxy in files, with one module.
func proxy(t *testing.T) string {
	at := "file://" + t.TempDir()
	serve(t, at, "example.org/it", "v1.0.0", "")
	return at
}

// serve makes it serve a version of a module without packages.
func serve(t *testing.T, proxy, module, version, requires string) {
	t.Helper()
	at := filepath.Join(strings.TrimPrefix(proxy, "file://"), filepath.FromSlash(module), "@v")
	require.NoError(t, os.MkdirAll(at, 0o777))
	for name, content := range map[string]string{
		version + ".mod": "module " + module + "\n" + requires, version + ".info": `{"Version": "` + version + `"}`, "list": version + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(at, name), []byte(content), 0o666))
	}
}
