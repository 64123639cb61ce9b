package cri

import (
	archive "archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// tar packs and unpacks archives on its output and input, as `kubectl cp` asks for: tar cf - PATH, and tar -xmf - -C FOLDER.
func tar(p *Process, args []string) int32 {
	letters, rest, dir := "", []string(nil), p.dir
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-C" && i+1 < len(args):
			i++
			dir = p.at(args[i])
		case i == 0 || strings.HasPrefix(a, "-") && a != "-":
			letters += strings.TrimLeft(a, "-")
		case a != "-":
			rest = append(rest, a)
		}
	}
	var err error
	switch {
	case strings.Contains(letters, "x"):
		err = unpack(p.files, dir, p.Stdin)
	case strings.Contains(letters, "c"):
		err = pack(p, dir, rest)
	default:
		err = errors.New("must specify one of -c, -x")
	}
	if err != nil {
		fmt.Fprintf(p.Stderr, "tar: %s\n", why(err))
		return 1
	}
	return 0
}

// unpack writes the files and folders of an archive below a folder. It makes no links and no devices.
func unpack(f *files, dir string, from io.Reader) error {
	for in := archive.NewReader(from); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, _ = io.Copy(io.Discard, from) // what fills the last block up
			return nil
		}
		if err != nil {
			return err
		}
		name, text := path.Join(dir, clean(h.Name)), []byte(nil)
		if h.Typeflag == archive.TypeReg {
			if text, err = io.ReadAll(io.LimitReader(in, mostMemory)); err != nil {
				return err
			}
		} else if h.Typeflag != archive.TypeDir {
			continue
		}
		if err := f.put(name, h.FileInfo().Mode(), text); err != nil {
			return fmt.Errorf("can't open '%s': %s", h.Name, why(err))
		}
	}
}

// pack writes an archive of files and folders.
func pack(p *Process, dir string, names []string) error {
	out := archive.NewWriter(p.Stdout)
	for _, name := range names {
		if path.IsAbs(name) {
			fmt.Fprintln(p.Stderr, "tar: removing leading '/' from member names")
			dir = "."
		}
		err := fs.WalkDir(p.files, clean(path.Join(dir, name)), func(at string, e fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("can't open '%s': %s", name, why(err))
			}
			info, err := fs.Stat(p.files, at)
			if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
				return err
			}
			return packOne(out, p.files, strings.TrimPrefix(strings.TrimPrefix(at, strings.TrimPrefix(dir, ".")), "/"), at, info)
		})
		if err != nil {
			return errors.Join(err, out.Close())
		}
	}
	return out.Close()
}

// packOne adds a file or a folder to an archive.
func packOne(out *archive.Writer, f *files, name, at string, info fs.FileInfo) error {
	h, err := archive.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	if h.Name = name; info.IsDir() {
		h.Name += "/"
		return out.WriteHeader(h)
	}
	text, err := fs.ReadFile(f, at)
	if err != nil {
		return err
	}
	h.Size = int64(len(text))
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
