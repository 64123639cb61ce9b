package golden

import (
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Load reads all goldens of a folder "testdata": by recording (version and
// configuration), then by check, without its kind. Large ones are compressed:
// "CHECK.jsonl.gz".
func Load(files fs.FS) (map[string]map[string]*history.History, error) {
	out := map[string]map[string]*history.History{}
	err := fs.WalkDir(files, "testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path.Base(file), ".jsonl") {
			return err
		}
		h, err := read(files, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		from := strings.Split(file, "/")[1]
		if out[from] == nil {
			out[from] = map[string]*history.History{}
		}
		out[from][strings.TrimPrefix(h.Header.Check, h.Header.Kind+"/")] = h
		return nil
	})
	return out, err
}

func read(files fs.FS, file string) (*history.History, error) {
	f, err := files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if path.Ext(file) != ".gz" {
		return history.Read(f)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return history.Read(z)
}
