package kind

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// GiveUp is for who ends at once: it says which clusters of this process stay, and ends the calls of docker that it has under
// way; in that order, or who waits for them would have its say, too.
func GiveUp(say func(string)) {
	if mine := held(); len(mine) > 0 {
		say("the kind cluster " + strings.Join(mine, ", ") + " is left as it is: the next run with --target kind, or `lwtest clean`, deletes it")
	}
	for _, e := range engines {
		kill(e.commands())
	}
}

// held are the clusters that this process has made, and has not let go of.
func held() []string {
	dir, err := claims()
	if err != nil {
		return nil
	}
	left, used, _ := abandoned(dir)
	for _, c := range left {
		_ = c.letGo()
	}
	return slices.DeleteFunc(used, func(name string) bool {
		var t told
		b, err := os.ReadFile(filepath.Join(dir, name+claimEnd))
		return err != nil || json.Unmarshal(b, &t) != nil || t.Process != os.Getpid()
	})
}
