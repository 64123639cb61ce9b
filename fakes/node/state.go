package node

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// load reads a file of the state folder, if there is one.
func (a *Agent) load(name string, to any) {
	if a.c.State == "" {
		return
	}
	if b, err := os.ReadFile(filepath.Join(a.c.State, name)); err == nil {
		if err := json.Unmarshal(b, to); err != nil {
			a.log.Error("a file of the state folder is not read", "file", name, "err", err)
		}
	}
}

// save writes a file of the state folder.
func (a *Agent) save(name string, v any) {
	if a.c.State == "" {
		return
	}
	b, err := json.Marshal(v)
	path := filepath.Join(a.c.State, name)
	if err == nil {
		if err = os.WriteFile(path+".new", b, 0o600); err == nil {
			err = os.Rename(path+".new", path)
		}
	}
	if err != nil {
		a.log.Error("a file of the state folder is not written", "file", name, "err", err)
	}
}
