package kube

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func kubeconfig(t *testing.T, url string) string {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: here
clusters: [{name: c, cluster: {server: %q}}]
users: [{name: u, user: {token: secret}}]
contexts: [{name: here, context: {cluster: c, user: u}}, {name: there, context: {cluster: c, user: u}}]
`, url)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestErrorsOfConnectingTeach(t *testing.T) {
	code := http.StatusUnauthorized
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	good := kubeconfig(t, r.URL)
	gone := listen(t, nil)
	gone.Close()
	broken := filepath.Join(t.TempDir(), "broken")
	require.NoError(t, os.WriteFile(broken, []byte("{"), 0o600))
	for _, c := range []struct {
		o    Options
		want []string
	}{
		{Options{Kubeconfig: "nosuch"}, []string{"kubeconfig cannot be read", "nosuch", "give its path, kubeconfig:PATH"}},
		{Options{Kubeconfig: broken}, []string{broken, "cannot be read"}},
		{Options{Kubeconfig: good, Context: "nowhere"}, []string{`no context "nowhere"`, "it has here, there"}},
		{Options{Kubeconfig: good, Resource: "nodes"}, []string{`unknown resource "nodes"`, "configmaps, leases, events, things, deployments, pods"}},
		{Options{Kubeconfig: kubeconfig(t, gone.URL)}, []string{"cannot be reached", gone.URL, "check that it runs"}},
		{Options{Kubeconfig: good}, []string{"rejects the credentials", "--context"}},
	} {
		_, err := Open(t.Context(), c.o)
		for _, w := range c.want {
			require.ErrorContains(t, err, w)
		}
		require.NotContains(t, err.Error(), "secret")
	}
}

// A wrong authority is the kubeconfig's where there is one.
func TestWrongAuthority(t *testing.T) {
	c := &rest.Config{Host: "https://127.0.0.1:9", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("garbage")}}
	_, err := connect(t.Context(), c, Options{})
	require.ErrorContains(t, err, "the kubeconfig cannot be used: unable to load root certificates")
	_, _, err = At(c)
	require.ErrorContains(t, err, "unable to load root certificates")
	require.NotContains(t, err.Error(), "kubeconfig")
}

func TestWhatIsNoAPIServerIsRefused(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"hello":"world"}`) })
	_, err := Open(t.Context(), Options{Kubeconfig: kubeconfig(t, r.URL)})
	require.ErrorContains(t, err, "not a Kubernetes version")
}

func TestNoKubeconfigAtAll(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := Open(t.Context(), Options{})
	require.ErrorContains(t, err, "use --target kubeconfig:PATH, or set KUBECONFIG")
}

// Who may not make namespaces learns at once, and what role would help.
func TestForbiddenPrintsTheRole(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/version" {
			fmt.Fprint(w, `{"gitVersion":"v1.37.1"}`)
			return
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`)
	})
	_, err := Open(t.Context(), Options{Kubeconfig: kubeconfig(t, r.URL)})
	require.ErrorContains(t, err, "lwtest may not create namespaces of its own")
	require.ErrorContains(t, err, "lwtest list --role")
	require.ErrorContains(t, err, "kind: ClusterRole")
	for _, asked := range r.take() {
		require.NotContains(t, asked, "POST /api/v1/namespaces\n", "it only asks")
	}
}

func TestTheServersClockCounts(t *testing.T) {
	there := time.Now().Add(-3 * time.Hour).Truncate(time.Second)
	r := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", there.UTC().Format(http.TimeFormat))
		fmt.Fprint(w, `{"gitVersion":"v1"}`)
	})
	s := dial(t, r.URL, "")
	require.NoError(t, s.greet(t.Context()))
	require.InDelta(t, 0, s.clock.now().Sub(there).Seconds(), 2)
	require.Equal(t, "v1", s.version)
}
