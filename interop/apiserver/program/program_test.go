package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A program that does not serve is an error that says what the program said.
func TestStartOfWhatEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no database\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"kine": "no database", "consul": `there is no program "consul": say etcd, kine, t4`} {
		_, _, err := Start(name, path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
