package rest_test

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/internal/full"
)

// Each part of each body of the tables about resources, replaced by something else in turn: there is an answer, never a panic.
func TestSpoiled(t *testing.T) {
	api := apiserver.New(apiserver.Options{Namespaces: true})
	defer api.Close()
	h := rest.Handler(api, rest.Options{})
	asked := 0
	put := func(a ask, body string) {
		asked++
		r := httptest.NewRequest(a.method, "http://x"+(&session{namespace: "default"}).expand(a.path), strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if kind, ok := strings.CutPrefix(a.headers, "Content-Type: "); ok {
			r.Header.Set("Content-Type", kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.True(t, w.Code >= 200 && w.Code < 600, "%s %s %s: %d", a.method, a.path, body, w.Code)
	}
	for _, asks := range [][]ask{defaultAsks, writeAsks, statusAsks, scaleAsks, podAsks, namespaceAsks, selectAsks} {
		for i, a := range asks {
			var doc any
			if json.Unmarshal([]byte(a.body), &doc) != nil || !full.Wanted() && i%10 != 0 {
				continue
			}
			spoil(doc, func() {
				b, err := json.Marshal(doc)
				require.NoError(t, err)
				put(a, string(b))
			})
			put(a, a.body)
		}
	}
	t.Logf("%d requests", asked)
}

// spoil calls f with each part of a document replaced in turn; it is whole again in the end.
func spoil(doc any, f func()) {
	others := func() []any { return []any{nil, "", "x", -1.0, true, map[string]any{}, []any{}, []any{nil}} }
	switch doc := doc.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(doc)) {
			was := doc[k]
			for _, doc[k] = range others() {
				f()
			}
			doc[k] = was
			spoil(was, f)
		}
	case []any:
		for i, was := range doc {
			for _, doc[i] = range others() {
				f()
			}
			doc[i] = was
			spoil(was, f)
		}
	}
}
