package golden

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Load reads all goldens of a folder "testdata": by recording (version and
// configuration), then by check, without its kind.
func Load(files fs.FS) (map[string]map[string]*history.History, error) {
	out := map[string]map[string]*history.History{}
	err := fs.WalkDir(files, "testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(file) != ".jsonl" {
			return err
		}
		f, err := files.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		h, err := history.Read(f)
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
