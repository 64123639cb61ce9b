package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// What is asked over HTTP is in the log: what reaches the API with what that did, the rest as a whole; and
// how each ended.
func TestLog(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	log := requestlog.New(func(e requestlog.Entry) {
		mu.Lock()
		defer mu.Unlock()
		line := fmt.Sprintf("%d %s", e.Request, e.What)
		for _, v := range []any{e.View, e.UserAgent, e.Method, e.URI, e.Verb, e.Resource, e.Namespace, e.Name, string(e.Options), e.Code, e.Reason, e.Event, e.ResourceVersion, e.How, e.Events} {
			if s := fmt.Sprint(v); s != "" && s != "0" {
				line += " " + s
			}
		}
		lines = append(lines, line)
	})
	o := rest.Options{Log: log, View: "one", Token: "secret"}
	var made string // the revision of the first create
	inBubbleWith(t, apiserver.Options{}, o, func(t *testing.T, b both) {
		h := client(b.RESTConfig(), nil)
		defer h.CloseIdleConnections()
		ask := func(method, path, token, body string) {
			req, err := http.NewRequestWithContext(t.Context(), method, b.URL()+path, strings.NewReader(body))
			require.NoError(t, err)
			req.Header.Set("User-Agent", "me")
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Authorization", "Bearer "+token)
			res, err := h.Do(req)
			require.NoError(t, err)
			_, err = io.Copy(io.Discard, res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			time.Sleep(time.Second) // the end is logged after the last byte
		}
		const maps = "/api/v1/namespaces/default/configmaps"
		ask("GET", "/api", "wrong", "")
		ask("GET", "/version", "secret", "")
		ask("GET", "/nowhere", "secret", "")
		ask("POST", maps, "secret", "{")
		ask("POST", maps+"?fieldManager=f", "secret", `{"metadata":{"name":"a"}}`)
		made = b.api.Revision()
		ask("GET", maps+"/b", "secret", "")
		ask("GET", maps+"?watch=1&timeoutSeconds=1", "secret", "")
		ask("DELETE", "/api/v1/namespaces/kube-node-lease", "secret", "")
	})
	require.Equal(t, []string{
		"1 request one me GET /api", "1 answer 401", "1 end 401 clean",
		"4 request one me GET /version", "4 answer 200", "4 end 200 clean",
		"7 request one me GET /nowhere", "7 answer 404", "7 end 404 clean",
		"10 request one me POST /api/v1/namespaces/default/configmaps", "10 answer 400", "10 end 400 clean",
		`13 request one me POST /api/v1/namespaces/default/configmaps?fieldManager=f create configmaps default {"fieldManager":"f"}`, "13 answer 201 " + made, "13 end 201 clean",
		"16 request one me GET /api/v1/namespaces/default/configmaps/b get configmaps default b", "16 answer 404 NotFound", "16 end 404 clean",
		`19 request one me GET /api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1 watch configmaps default {"watch":true,"timeoutSeconds":1}`, "19 answer 200", "19 event ADDED " + made, "19 end 200 " + made + " clean 1",
	}, lines[:22])
	require.Equal(t, "23 request one me DELETE /api/v1/namespaces/kube-node-lease delete namespaces kube-node-lease", lines[22])
	require.Contains(t, lines, "23 end 200 clean")
}

// A wrong token is no secret of the log's: it has none.
func TestLogHasNoTokens(t *testing.T) {
	var all strings.Builder
	sink, failed := requestlog.JSONLines(&all)
	b := open(t, rest.ServePipe, apiserver.Options{}, rest.Options{Log: requestlog.New(sink), Token: "secret"})
	h := client(b.RESTConfig(), nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.URL()+"/api", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer secret")
	res, err := h.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	h.CloseIdleConnections()
	b.close(t)
	require.NoError(t, failed())
	require.Contains(t, all.String(), `"uri":"/api"`)
	require.NotContains(t, all.String(), "secret")
}
