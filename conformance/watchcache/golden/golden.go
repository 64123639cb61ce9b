// Package golden has histories recorded from a real kube-apiserver, normalised
// (see replay.Normalise), and what is done with them: they are compared with
// what a fake does, and perturbed to see whether the rules notice.
package golden

import (
	"embed"

	"github.com/lwtest/lwtest/conformance/golden"
	"github.com/lwtest/lwtest/harness/history"
)

// Reference is the recording whose large histories are perturbed, too.
const Reference = "v1.37.1"

//go:embed testdata
var files embed.FS

// Load reads all goldens: by recording (server version and configuration),
// then by check, without its kind.
func Load() (map[string]map[string]*history.History, error) { return golden.Load(files) }
