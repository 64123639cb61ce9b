//go:build linux || darwin

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		env, args, version, flags, rest string
		controllers                     bool
	}{
		{"", "", defaultVersion, "", "", false},
		{"v1.36.3", "", "v1.36.3", "", "", false},
		{"v1.36.3", "--version v1.35.0 --watch-cache=false", "v1.35.0", "--watch-cache=false", "", false},
		{"", "--feature-gates A=true --version=v1.36.3 -- ls --version x", "v1.36.3", "--feature-gates A=true", "ls --version x", false},
		{"", "--v=2 --controllers -- ls", defaultVersion, "--v=2", "ls", true},
		{"", "-- ls --controllers", defaultVersion, "", "ls --controllers", false},
	} {
		t.Setenv("VERSION", test.env)
		l, err := split(strings.Fields(test.args))
		if err != nil || l.version != test.version || l.controllers != test.controllers ||
			!slices.Equal(l.flags, strings.Fields(test.flags)) || !slices.Equal(l.rest, strings.Fields(test.rest)) {
			t.Errorf("VERSION=%s %s: got %+v %v", test.env, test.args, l, err)
		}
	}
	if _, err := split([]string{"--version", "../1"}); err == nil {
		t.Error("a version that is none is not refused")
	}
}

// down removes folders: it has to refuse those that up has not made.
func TestDownRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "pid")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file, filepath.Join(dir, "kubeconfig"), filepath.Join(dir, dirPrefix+"1")} {
		if down(path) == nil {
			t.Errorf("%s is not refused", path)
		}
	}
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
}

func TestTaken(t *testing.T) {
	resource, rest := taken(lagFlag, []string{"--watch-cache=false", "--lag=coordination.k8s.io/leases", "--v=2"})
	if resource != "coordination.k8s.io/leases" || !slices.Equal(rest, []string{"--watch-cache=false", "--v=2"}) {
		t.Errorf("got %q %q", resource, rest)
	}
}
