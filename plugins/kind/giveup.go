package kind

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GiveUp is for who ends at once: it ends the calls of docker that this process has under way, and says which clusters of its
// own stay.
func GiveUp() string {
	for _, e := range engines {
		kill(e.commands())
	}
	dir, err := claims()
	if err != nil {
		return ""
	}
	left, used, _ := abandoned(dir)
	for _, c := range left {
		_ = c.letGo()
	}
	mine := slices.DeleteFunc(used, func(name string) bool {
		var t told
		b, err := os.ReadFile(filepath.Join(dir, name+claimEnd))
		return err != nil || json.Unmarshal(b, &t) != nil || t.Process != os.Getpid()
	})
	if len(mine) == 0 {
		return ""
	}
	return "what is there of the kind cluster " + strings.Join(mine, ", ") + " stays: the next run with --target kind, or `lwtest clean`, deletes it"
}
