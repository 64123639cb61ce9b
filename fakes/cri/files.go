package cri

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing/fstest"
	"time"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// files is the file system of a container, as the programs of Shell see it: a layer in memory that begins as a small image, and the mounts
// of the container. Names are those of fs.FS.
//
// A mount shows a folder of the host only if a kubelet made it for the pod: its path has a folder "pods" with one named after the pod's UID.
// Any other folder of the host is empty at first and in the memory of the runtime, where the containers that mount it share it. So a pod
// with a hostPath volume neither reads nor changes what is not its own.
type files struct {
	config *runtimeapi.ContainerConfig
	pod    *runtimeapi.PodSandboxConfig
	host   *memoryTree // of the runtime

	once   sync.Once
	own    *memoryTree
	mounts []mount // those with the longest path first
}

// mount is a place in a container where other files are.
type mount struct {
	at       string // in the container
	tree     tree
	below    string // in the tree
	readonly bool
}

// tree has files, by the names of fs.FS.
type tree interface {
	fs.FS
	// put makes a file or a folder with those above it.
	put(name string, mode fs.FileMode, text []byte) error
	remove(name string) error
}

// memoryTree is a tree in memory.
type memoryTree struct {
	mu    sync.Mutex
	files fstest.MapFS
	bytes int
}

// mostMemory is how many bytes a memoryTree takes at most.
const mostMemory = 64 << 20

// Open implements fs.FS.
func (m *memoryTree) Open(name string) (fs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.files.Open(name)
}

func (m *memoryTree) put(name string, mode fs.FileMode, text []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for dir := path.Dir(name); dir != "." && m.files[dir] == nil; dir = path.Dir(dir) {
		m.files[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: now}
	}
	more := len(text)
	if was := m.files[name]; was != nil {
		more -= len(was.Data)
	}
	if m.bytes+more > mostMemory {
		return syscall.ENOSPC
	}
	m.bytes += more
	m.files[name] = &fstest.MapFile{Mode: mode, ModTime: now, Data: text}
	return nil
}

func (m *memoryTree) remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, f := range m.files {
		if k == name || strings.HasPrefix(k, name+"/") {
			m.bytes -= len(f.Data)
			delete(m.files, k)
		}
	}
	return nil
}

// diskTree is a tree in a folder of the host, which nothing leaves.
type diskTree string

// Open implements fs.FS.
func (d diskTree) Open(name string) (fs.File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(name))
}

func (d diskTree) put(name string, mode fs.FileMode, text []byte) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	if mode.IsDir() {
		return root.MkdirAll(filepath.FromSlash(name), mode.Perm())
	}
	if err := root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return err
	}
	return root.WriteFile(filepath.FromSlash(name), text, mode.Perm())
}

func (d diskTree) remove(name string) error {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(filepath.FromSlash(name))
}

// image is what each container has at first: the programs of Shell, and little else.
var image = sync.OnceValue(func() fstest.MapFS {
	all, began := fstest.MapFS{}, time.Unix(0, 0).UTC()
	for _, dir := range []string{"bin", "dev", "etc", "home", "proc", "root", "sys", "tmp", "usr", "usr/bin", "usr/sbin", "var", "var/run"} {
		all[dir] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: began}
	}
	for _, name := range programs {
		all["bin/"+name] = &fstest.MapFile{Mode: 0o755, ModTime: began}
	}
	for _, name := range []string{"null", "stderr", "stdin", "stdout", "zero"} {
		all["dev/"+name] = &fstest.MapFile{Mode: fs.ModeDevice | fs.ModeCharDevice | 0o666, ModTime: began}
	}
	all["etc/passwd"] = &fstest.MapFile{Mode: 0o644, ModTime: began, Data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n")}
	all["etc/group"] = &fstest.MapFile{Mode: 0o644, ModTime: began, Data: []byte("root:x:0:\nnobody:x:65534:\n")}
	return all
})

// load makes the file system. Most containers never need it.
func (f *files) load() {
	f.own = &memoryTree{files: maps.Clone(image())}
	for name, text := range filesOf(f.pod) {
		_ = f.own.put(name, 0o644, []byte(text))
	}
	for _, m := range f.config.GetMounts() {
		x := mount{at: clean(m.GetContainerPath()), readonly: m.GetReadonly(), tree: f.host, below: clean(filepath.ToSlash(m.GetHostPath()))}
		mode := fs.ModeDir | 0o755
		switch {
		case m.GetHostPath() == "":
			x.tree, x.below = &memoryTree{files: fstest.MapFS{}}, "."
		case f.isOwn(m.GetHostPath()):
			info, err := os.Stat(m.GetHostPath())
			x.tree, x.below = diskTree(m.GetHostPath()), "."
			if err == nil && !info.IsDir() {
				x.tree, x.below, mode = diskTree(filepath.Dir(m.GetHostPath())), filepath.Base(m.GetHostPath()), 0o644
			}
		default:
			if _, err := fs.Stat(f.host, x.below); err != nil {
				_ = f.host.put(x.below, mode, nil)
			}
		}
		f.mounts = append(f.mounts, x)
		_ = f.own.put(x.at, mode, nil) // the mount point
	}
	slices.SortStableFunc(f.mounts, func(a, b mount) int { return cmp.Compare(len(b.at), len(a.at)) })
}

// isOwn reports whether a path of the host is below a folder that a kubelet made for the pod.
func (f *files) isOwn(host string) bool {
	uid := f.pod.GetMetadata().GetUid()
	return uid != "" && strings.Contains(filepath.ToSlash(filepath.Clean(host)), "/pods/"+uid+"/")
}

// clean turns a path of the container into a name of fs.FS.
func clean(name string) string {
	return cmp.Or(strings.TrimPrefix(path.Clean("/"+name), "/"), ".")
}

// find returns the tree that has a name, and the name there.
func (f *files) find(name string) (t tree, in string, readonly bool) {
	f.once.Do(f.load)
	for _, m := range f.mounts {
		if name == m.at || strings.HasPrefix(name, m.at+"/") || m.at == "." {
			return m.tree, path.Join(m.below, strings.TrimPrefix(name, m.at)), m.readonly
		}
	}
	return f.own, name, false
}

// Open implements fs.FS.
func (f *files) Open(name string) (fs.File, error) {
	t, in, _ := f.find(name)
	return t.Open(in)
}

// put writes a file, or makes a folder.
func (f *files) put(name string, mode fs.FileMode, text []byte) error {
	t, in, readonly := f.find(name)
	if readonly {
		return syscall.EROFS
	}
	if !mode.IsDir() {
		if info, err := fs.Stat(t, in); err == nil && info.IsDir() {
			return syscall.EISDIR
		}
	}
	return t.put(in, mode, text)
}

// remove removes a file, or a folder with all that is in it.
func (f *files) remove(name string) error {
	t, in, readonly := f.find(name)
	if readonly {
		return syscall.EROFS
	}
	if name == "." || slices.ContainsFunc(f.mounts, func(m mount) bool { return m.at == name || strings.HasPrefix(m.at, name+"/") }) {
		return syscall.EBUSY
	}
	return t.remove(in)
}

// list returns what is in a folder, sorted by name.
func (f *files) list(name string) (all []fs.FileInfo, err error) {
	entries, err := fs.ReadDir(f, name)
	for _, e := range entries {
		if info, err := fs.Stat(f, path.Join(name, e.Name())); err == nil { // somebody may have removed it
			all = append(all, named{info, e.Name()})
		}
	}
	return all, err
}

// named is a file with the name that it has in its folder: a mounted file has another one on the host.
type named struct {
	fs.FileInfo
	name string
}

// Name implements fs.FileInfo.
func (n named) Name() string { return n.name }

// appender is a writer to the end of a file.
type appender struct {
	files *files
	name  string
}

// Write implements io.Writer.
func (a appender) Write(b []byte) (int, error) {
	text, err := fs.ReadFile(a.files, a.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := a.files.put(a.name, 0o644, append(text, b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// why words an error of a file as a program of a container does.
func why(err error) string {
	var number syscall.Errno
	switch {
	case errors.Is(err, fs.ErrNotExist):
		number = syscall.ENOENT
	case !errors.As(err, &number):
		return fmt.Sprint(err)
	}
	text := number.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
