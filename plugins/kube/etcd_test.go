package kube

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gateway is etcd's JSON gateway as far as it is asked, at a revision.
func gateway(t *testing.T, calls *[]string) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]any
		require.NoError(t, json.NewDecoder(r.Body).Decode(&in))
		b, err := json.Marshal(in)
		require.NoError(t, err)
		*calls = append(*calls, r.URL.Path+" "+string(b))
		switch r.URL.Path {
		case "/v3/kv/txn":
			_, _ = w.Write([]byte(`{"header":{"revision":"8"},"succeeded":` + map[bool]string{true: "true", false: "false"}[len(in["compare"].([]any)) == 2] + `}`))
		case "/v3/kv/range", "/v3/kv/put", "/v3/kv/compaction":
			_, _ = w.Write([]byte(`{"header":{"revision":"7"}}`))
		default:
			http.Error(w, "no such call", http.StatusNotFound)
		}
	})
}

// A compaction tells the API servers first where it will be: at the revision
// that was the present one before.
func TestEtcdCompact(t *testing.T) {
	var calls []string
	s := httptest.NewServer(gateway(t, &calls))
	defer s.Close()
	e, err := newEtcd(s.URL+"/", nil)
	require.NoError(t, err)
	rev, err := e.compact(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 7, rev)
	assert.Equal(t, []string{
		`/v3/kv/range {"key":"Y29tcGFjdF9yZXZfa2V5","serializable":false}`,
		`/v3/kv/put {"key":"Y29tcGFjdF9yZXZfa2V5","value":"Nw=="}`,
		`/v3/kv/compaction {"physical":true,"revision":"7"}`,
	}, calls)
}

// Several keys go in one transaction, which fails if one is not there.
func TestEtcdRemove(t *testing.T) {
	var calls []string
	s := httptest.NewServer(gateway(t, &calls))
	defer s.Close()
	e, err := newEtcd(s.URL, nil)
	require.NoError(t, err)
	require.NoError(t, e.remove(t.Context(), "/registry/things/a/x", "/registry/things/a/y"))
	require.Len(t, calls, 1)
	assert.Contains(t, calls[0], `"requestDeleteRange"`)
	require.ErrorContains(t, e.remove(t.Context(), "/registry/things/a/x"), "--etcd-prefix")
}

// etcd may listen on a socket; and what is no endpoint is refused with advice.
func TestEtcdEndpoints(t *testing.T) {
	var calls []string
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	s := httptest.NewUnstartedServer(gateway(t, &calls))
	s.Listener = l
	s.Start()
	defer s.Close()
	e, err := newEtcd("unix://"+socket, nil)
	require.NoError(t, err)
	rev, err := e.revision(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 7, rev)

	for _, bad := range []string{"127.0.0.1:2379", "ftp://x", "%"} {
		_, err := newEtcd(bad, nil)
		require.ErrorContains(t, err, "give http://HOST:PORT or unix:///PATH", bad)
	}
	_, err = newEtcd("https://me:secret@127.0.0.1:1", nil)
	require.ErrorContains(t, err, "leave out the user name and the password")
	require.NotContains(t, err.Error(), "secret")
	e, err = newEtcd("http://127.0.0.1:1", nil)
	require.NoError(t, err)
	require.ErrorContains(t, (&server{etcd: e}).tryEtcd(t.Context()), "--etcd cannot be used")
}
