package rest_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"
	clientrest "k8s.io/client-go/rest"
)

// TestRealRecord puts the tables to a fresh, real kube-apiserver, and writes their files:
//
//	make goldens-check RAW=Record
//	make goldens-check RAW=Record TABLES='clients apply' # these alone
func TestRealRecord(t *testing.T) {
	kubeconfig := wanted(t, "Record")
	require.NoError(t, os.MkdirAll("testdata/raw", 0o755))
	for i, answers := range askReal(t, kubeconfig, make([][]string, len(rawTables))) {
		if answers == nil {
			continue
		}
		out := "# a real kube-apiserver's answers; see TestRealRecord"
		for _, a := range answers {
			out += "\n> " + a
		}
		require.NoError(t, os.WriteFile(rawTables[i].file(), []byte(out+"\n"), 0o644))
	}
}

// TestRealDrift puts them again, and says what a real kube-apiserver answers otherwise than it did:
//
//	make goldens-check
func TestRealDrift(t *testing.T) {
	kubeconfig := wanted(t, "Drift")
	n, drifted := 0, 0
	var goldens [][]string
	for _, table := range rawTables {
		goldens = append(goldens, table.golden(t))
	}
	for i, got := range askReal(t, kubeconfig, goldens) {
		for j, want := range goldens[i][:len(got)] {
			n++
			if got[j] != want {
				drifted++
				t.Errorf("%s %d, %s\nwant %s\n got %s", rawTables[i].name, j, rawTables[i].factsOf(j), want, got[j])
			}
		}
	}
	fmt.Printf("%d answers of a real kube-apiserver, %d of them are not what they were\n", n, drifted)
}

// wanted is the kubeconfig of the real server that make goldens-check has started for this test.
func wanted(t *testing.T, what string) string {
	t.Helper()
	if os.Getenv("LWTEST_RAW") != what {
		t.Skip("it wants a real kube-apiserver: see make goldens-check")
	}
	return os.Getenv("KUBECONFIG")
}

// askReal puts all tables to a real server: those that take long from the beginning to the end, beside the others; of
// these the first and the last two each alone, those between them at once. The very last restarts the server: it comes
// when all others are done. What is known of the answers is waited for.
func askReal(t *testing.T, kubeconfig string, want [][]string) [][]string {
	t.Helper()
	begin := time.Now()
	config := realConfig(t, kubeconfig)
	define(t, config)
	out := make([][]string, len(rawTables))
	only := strings.Fields(os.Getenv("LWTEST_TABLES"))
	ask := func(i int) {
		if len(only) > 0 && !slices.Contains(only, rawTables[i].name) {
			return
		}
		s := realSession(config)
		defer s.client.CloseIdleConnections()
		out[i] = s.run(rawTables[i], want[i])
		t.Logf("%s: %s", rawTables[i].name, time.Since(begin).Round(time.Second))
	}
	var all, some sync.WaitGroup
	last := len(rawTables) - 2
	for i, table := range rawTables {
		if table.long {
			all.Go(func() { ask(i) })
		}
	}
	ask(0)
	for i := 1; i < last; i++ {
		if !rawTables[i].long {
			some.Go(func() { ask(i) })
		}
	}
	some.Wait()
	ask(last)
	all.Wait()
	ask(last + 1)
	return out
}

func realConfig(t *testing.T, kubeconfig string) *clientrest.Config {
	t.Helper()
	raw, err := os.ReadFile(kubeconfig)
	require.NoError(t, err)
	var k struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	require.NoError(t, yaml.Unmarshal(raw, &k))
	return &clientrest.Config{Host: k.Clusters[0].Cluster.Server, BearerToken: k.Users[0].User.Token}
}

func realSession(config *clientrest.Config) *session {
	return &session{
		client: &http.Client{CheckRedirect: stay, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableCompression: true, // it is on loopback, and ours
		}},
		config: config, deeds: deedsOnReal(config.Host),
	}
}

// deedsOnReal are done to the real server and its etcd.
func deedsOnReal(host string) map[string]func(string) error {
	var ended chan error
	return map[string]func(string) error{
		"compact":  compactEtcd,
		"together": deleteFromEtcd,
		"restart":  func(string) error { return restartReal("") },
		"term": func(string) error {
			ended = make(chan error, 1)
			go func() { ended <- restartReal(" --term") }()
			return whenRefused(strings.TrimPrefix(host, "https://"), ended)
		},
		"ready":   func(string) error { return <-ended },
		"hold":    holdBack,
		"release": func(string) error { return lag(http.MethodDelete) },
		"wait":    wait,
	}
}

// wait lets time go by.
func wait(while string) error {
	d, err := time.ParseDuration(while)
	time.Sleep(d)
	return err
}

// holdBack makes the cache of leases be behind, for a while or until it is released.
func holdBack(while string) error {
	if err := lag(http.MethodPut); err != nil || while == "" {
		return err
	}
	d, err := time.ParseDuration(while)
	time.AfterFunc(d, func() { _ = lag(http.MethodDelete) }) // else the requests that wait for it fail
	return err
}

// lag asks what hack/kube/kube.sh --lag has put between the server and its store.
func lag(method string) error {
	req, err := http.NewRequest(method, "http://localhost/held", nil)
	if err != nil {
		return err
	}
	res, err := overSocket("lag.sock").Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// whenRefused waits until the real server takes no connections any more, or cannot be told to end.
func whenRefused(host string, ended <-chan error) error {
	for {
		c, err := net.Dial("tcp", host)
		if err != nil {
			return nil
		}
		c.Close()
		select {
		case err := <-ended:
			return fmt.Errorf("it has ended before it was seen to: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// define makes what the tables need: a custom resource, and a namespace for each.
func define(t *testing.T, config *clientrest.Config) {
	t.Helper()
	s := realSession(config)
	defer s.client.CloseIdleConnections()
	s.namespace = "default"
	widgets := step{ask: ask{method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body: `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.probe.example.com"},
"spec":{"group":"probe.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`}}
	require.Contains(t, s.put(widgets)[0], "< 201 ")
	for _, table := range rawTables {
		if table.namespace != "default" {
			require.Contains(t, s.put(oneLine(`POST {NS} {"metadata":{"name":"` + table.namespace + `"}}`))[0], "< 201 ")
		}
	}
	require.Eventually(t, func() bool { return strings.Contains(s.put(oneLine("GET {WI}"))[0], "< 200 ") }, time.Minute, 100*time.Millisecond)
}

// etcd makes one call of the JSON gateway of the server's store, on the socket that LWTEST_ETCD names.
func etcd(call string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	res, err := overSocket("etcd.sock").Post("http://localhost/v3/kv/"+call, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s: %s %s %w", call, res.Status, b, err)
	}
	return json.Unmarshal(b, out)
}

// overSocket is a client of a socket beside that of etcd.
func overSocket(name string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		socket, ok := strings.CutPrefix(os.Getenv("LWTEST_ETCD"), "unix://")
		if !ok {
			return nil, fmt.Errorf("LWTEST_ETCD is %q: say unix:///PATH, as hack/kube/kube.sh does in ETCD", os.Getenv("LWTEST_ETCD"))
		}
		return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(filepath.Dir(socket), name))
	}}}
}

// compactEtcd makes etcd forget what was before a revision, and tells the API server's caches, which look
// each 15 seconds.
func compactEtcd(revision string) error {
	var out any
	if err := etcd("put", map[string]any{"key": []byte("compact_rev_key"), "value": []byte(revision)}, &out); err != nil {
		return err
	}
	if err := etcd("compaction", map[string]any{"revision": revision, "physical": true}, &out); err != nil {
		return err
	}
	time.Sleep(16 * time.Second)
	return nil
}

// deleteFromEtcd deletes objects in one transaction; they are RESOURCE/NAMESPACE/NAME.
func deleteFromEtcd(paths string) error {
	var all []any
	for _, p := range strings.Fields(paths) {
		all = append(all, map[string]any{"requestDeleteRange": map[string]any{"key": []byte("/registry/" + p)}})
	}
	var out any
	return etcd("txn", map[string]any{"success": all}, &out)
}

// restartReal kills the server and starts it again, by the command in LWTEST_RESTART.
func restartReal(how string) error {
	out, err := exec.Command("sh", "-c", os.Getenv("LWTEST_RESTART")+how).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}
