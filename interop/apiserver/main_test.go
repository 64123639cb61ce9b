package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/lwtest/lwtest/interop/apiserver/etcd"
	"github.com/lwtest/lwtest/interop/apiserver/registry"
)

// What the handlers of k8s.io/apiserver make of a request comes from the storage, with the cache and without.
func TestServes(t *testing.T) {
	for _, cached := range []bool{false, true} {
		address, end, err := etcd.Start()
		if err != nil {
			t.Fatal(err)
		}
		s, err := registry.Start(registry.Options{Etcd: address, Close: end, Cached: cached})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all := s.Address().URL + "/api/v1/namespaces/a/configmaps"
		for _, c := range []struct{ method, url, media, body, want string }{
			{"POST", all, "application/json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"spec":"one"}}`, `"spec":"one"`},
			{"PATCH", all + "/x", "application/merge-patch+json", `{"data":{"status":"new"}}`, `"status":"new"`},
			{"PATCH", all + "/x?fieldManager=m&force=true", "application/apply-patch+yaml", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"spec":"two"}}`, `"spec":"two"`},
			{"GET", all + "?limit=1", "", "", `"kind":"ConfigMapList"`},
			{"DELETE", all + "/x", "application/json", `{"preconditions":{"uid":"wrong"}}`, `"reason":"Conflict"`},
			{"DELETE", all + "/x", "", "", `"resourceVersion":"5"`},
		} {
			q, err := http.NewRequestWithContext(t.Context(), c.method, c.url, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Content-Type", c.media)
			r, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || !strings.Contains(string(b), c.want) {
				t.Errorf("%s %s: %v, got %s", c.method, c.url, err, b)
			}
		}
	}
}
