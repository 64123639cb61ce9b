// Package image writes container images from files, without a registry or a docker build.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Image is one of a single layer, for linux/amd64.
type Image struct {
	Ref    string // with its tag
	Config Config
	Files  []File   // of the layer
	Dirs   []Folder // that are there without files
	Tree   string   // a folder that is the layer instead; "": there is none
}

// Config is what of an image's configuration is used here.
type Config struct {
	Env        []string `json:",omitempty"`
	Entrypoint []string `json:",omitempty"`
	Cmd        []string `json:",omitempty"`
	User       string   `json:",omitempty"`
	WorkingDir string   `json:",omitempty"`
	StopSignal string   `json:",omitempty"`

	Labels map[string]string `json:",omitempty"`
}

// File is one of this machine's, at its place in an image.
type File struct{ From, To string }

// Folder is one that an image has though nothing may be in it.
type Folder struct {
	Path string
	Mode int64
}

// Write writes it as docker load and ctr images import take it: an archive of a manifest, a configuration and a layer. The
// same files give the same bytes, but for a Tree, which keeps its times. The layer is first written to a file in scratch.
func (i Image) Write(to io.Writer, scratch string) error {
	layer, err := os.CreateTemp(scratch, "layer-")
	if err != nil {
		return err
	}
	defer os.Remove(layer.Name())
	defer layer.Close()
	sum := sha256.New()
	if err := i.layer(io.MultiWriter(layer, sum)); err != nil {
		return fmt.Errorf("the layer of %s: %w", i.Ref, err)
	}
	config, err := json.Marshal(map[string]any{"architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z", "config": i.Config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum.Sum(nil))}}})
	if err != nil {
		return err
	}
	id := sha256.Sum256(config)
	name := hex.EncodeToString(id[:]) + ".json"
	manifest, err := json.Marshal([]map[string]any{{"Config": name, "RepoTags": []string{i.Ref}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	size, err := layer.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := layer.Seek(0, io.SeekStart); err != nil {
		return err
	}
	w := tar.NewWriter(to)
	for _, part := range []struct {
		name string
		size int64
		from io.Reader
	}{{"manifest.json", int64(len(manifest)), bytes.NewReader(manifest)}, {name, int64(len(config)), bytes.NewReader(config)}, {"layer.tar", size, layer}} {
		if err := w.WriteHeader(&tar.Header{Name: part.name, Size: part.size, Mode: 0o644}); err != nil {
			return err
		}
		if _, err := io.Copy(w, part.from); err != nil {
			return err
		}
	}
	return w.Close()
}

func (i Image) layer(to io.Writer) error {
	w := tar.NewWriter(to)
	if i.Tree != "" {
		if err := addTree(w, i.Tree); err != nil {
			return err
		}
		return w.Close()
	}
	if err := addFolders(w, i.folders()); err != nil {
		return err
	}
	for _, f := range i.Files {
		if err := addFile(w, f); err != nil {
			return err
		}
	}
	return w.Close()
}

// folders are those of an image by their paths, with their modes: its own, and those that these and its files are in.
func (i Image) folders() map[string]int64 {
	all := map[string]int64{}
	in := func(p string) {
		for at := path.Dir(p); at != "."; at = path.Dir(at) {
			if all[at] == 0 {
				all[at] = 0o755
			}
		}
	}
	for _, d := range i.Dirs {
		all[strings.Trim(d.Path, "/")] = d.Mode
	}
	for _, d := range i.Dirs {
		in(strings.Trim(d.Path, "/"))
	}
	for _, f := range i.Files {
		in(strings.Trim(f.To, "/"))
	}
	return all
}

func addFolders(w *tar.Writer, modes map[string]int64) error {
	for _, name := range slices.Sorted(maps.Keys(modes)) {
		if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: name + "/", Mode: modes[name]}); err != nil {
			return err
		}
	}
	return nil
}

func addFile(w *tar.Writer, f File) error {
	from, err := os.Open(f.From)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Name: strings.TrimPrefix(f.To, "/"), Size: info.Size(), Mode: int64(info.Mode().Perm())}); err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return err
}

// addTree adds all that is in a folder, with owners and modes. Sockets are left out, as docker does.
func addTree(w *tar.Writer, root string) error {
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Mode()&fs.ModeSocket != 0 {
			return err
		}
		link := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			if link, err = os.Readlink(at); err != nil {
				return err
			}
		}
		h, err := tar.FileInfoHeader(info, link)
		if err != nil {
			return err
		}
		if h.Name, err = filepath.Rel(root, at); err != nil {
			return err
		}
		h.Uname, h.Gname = "", ""
		if d.IsDir() {
			h.Name += "/"
		}
		if err := w.WriteHeader(h); err != nil || !info.Mode().IsRegular() {
			return err
		}
		from, err := os.Open(at)
		if err != nil {
			return err
		}
		defer from.Close()
		_, err = io.Copy(w, from)
		return err
	})
}
