package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// The Node is created, or is there already; any other answer is an error. Leases last as long as they should, or there are none.
func TestCommand(t *testing.T) {
	for code, want := range map[int]bool{http.StatusCreated: true, http.StatusConflict: true, http.StatusInternalServerError: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(code) }))
		dir := t.TempDir()
		s := adapter.NodeStart{Node: "n", Dir: dir, Kubeconfig: filepath.Join(dir, "kubeconfig"), Config: adapter.NodeConfig{NodeLeaseDurationSeconds: 8}}
		config := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: %q}}]\n", server.URL)
		if err := os.WriteFile(s.Kubeconfig, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		for leases, seconds := range map[bool]string{false: "0", true: "8"} {
			c, err := command(s, leases)
			if got := err == nil; got != want {
				t.Errorf("%d: %v", code, err)
			}
			if want && !slices.Contains(c.Args, seconds) {
				t.Errorf("leases %t: %v", leases, c.Args)
			}
		}
		server.Close()
	}
}
