package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// fuzzed is a handler to be asked anything, at once and without waiting.
func fuzzed(f *testing.F) http.Handler {
	api := apiserver.New(apiserver.Options{Resources: resources(), Namespaces: true, TooLargeWait: -1})
	f.Cleanup(func() { _ = api.Close() })
	return rest.Handler(api, rest.Options{Resources: resources(), MaxBody: 1 << 16})
}

// answered puts one request, as net/http would hand it on, and demands an answer: a code that HTTP has,
// and with an error in JSON a Status that says the same.
func answered(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	said := w.Result()
	if said.StatusCode < 200 || said.StatusCode > 599 {
		t.Fatalf("%s %s: %d", r.Method, r.URL, said.StatusCode)
	}
	if said.StatusCode < 400 || said.Header.Get("Content-Type") != runtime.ContentTypeJSON {
		return w
	}
	var s metav1.Status
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || int(s.Code) != said.StatusCode || s.Kind != "Status" {
		t.Fatalf("%s %s: %d with %s (%v)", r.Method, r.URL, said.StatusCode, w.Body, err)
	}
	return w
}

// Wherever a request goes, with whatever parameters and headers, it is answered. Watches are those of a
// client that is gone.
func FuzzRouter(f *testing.F) {
	for _, a := range everyAsk() {
		accept, kind := "", "application/json"
		for _, h := range strings.Split(a.headers, "\n") {
			if v, ok := strings.CutPrefix(h, "Accept: "); ok {
				accept = v
			}
			if v, ok := strings.CutPrefix(h, "Content-Type:"); ok {
				kind = strings.TrimSpace(v)
			}
		}
		if target := (&session{namespace: "default"}).expand(a.path); len(a.body) < 10_000 && len(target) < 10_000 {
			f.Add(a.method, target, accept, kind, a.body)
		}
	}
	f.Add("GET", "/api/v1/watch/namespaces/%2e%2e/configmaps?timeout=1ns", "*/*;q=x", "", "")
	f.Add("DELETE", "/apis//v1/namespaces//x/%00", "application/json;as=Table;g=meta.k8s.io;v=v1", "", "{}")
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, method, target, accept, kind, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(u.Path, "/") {
			return // net/http refuses it
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if strings.Contains(target, "atch") || strings.Contains(target, "%") {
			cancel()
		}
		r := &http.Request{
			Method: method, URL: u, Header: http.Header{"Accept": {accept}, "Content-Type": {kind}},
			Body: io.NopCloser(strings.NewReader(body)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "x",
		}
		answered(t, h, r.WithContext(ctx))
	})
}

// Whatever is sent as an object, in each representation, is refused, or can be shown in each.
func FuzzDecoder(f *testing.F) {
	kinds := []string{runtime.ContentTypeJSON, runtime.ContentTypeYAML, runtime.ContentTypeProtobuf}
	for i, obj := range []string{
		`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","labels":{"a":"b"}},"data":{"k":"v"}}`,
		`{"metadata":{"name":"a"},"data":{"k":1}}`, `{"metadata":[]}`, `[]`, `null`, `{"kind":"Pod"}`,
		strings.Repeat(`{"a":`, 500), "a: &a [*a]\n", "metadata: {name: a}\ndata: {a: b, a: c}\n", "!!binary x",
		`{"kind":"Widget","apiVersion":"probe.example.com/v1","metadata":{"name":"w"},"spec":{"n":1e400}}`,
	} {
		f.Add([]byte(obj), uint8(i), uint8(i))
	}
	for _, obj := range []runtime.Object{
		&corev1.ConfigMap{TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}, BinaryData: map[string][]byte{"b": {0}}},
		&corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: corev1.PodSpec{NodeName: "n"}},
	} {
		var b bytes.Buffer
		if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(obj, &b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), uint8(2), uint8(0))
		f.Add(b.Bytes(), uint8(2), uint8(1))
	}
	paths := []string{"/api/v1/namespaces/default/configmaps", "/api/v1/namespaces/default/pods", "/apis/probe.example.com/v1/namespaces/default/widgets", "/apis/coordination.k8s.io/v1/namespaces/default/leases"}
	h := fuzzed(f)
	f.Fuzz(func(t *testing.T, body []byte, kind, where uint8) {
		said := metav1.FieldValidationIgnore
		if where&8 != 0 {
			said = metav1.FieldValidationStrict
		}
		target := fmt.Sprintf("%s?dryRun=All&fieldValidation=%s", paths[int(where)%len(paths)], said)
		for _, accept := range []string{runtime.ContentTypeJSON, runtime.ContentTypeProtobuf + ",*/*", "application/json;as=Table;g=meta.k8s.io;v=v1"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, target, bytes.NewReader(body))
			r.Header.Set("Content-Type", kinds[int(kind)%len(kinds)])
			r.Header.Set("Accept", accept)
			if code := answered(t, h, r).Code; code != http.StatusCreated && (code < 400 || code > 499) {
				t.Fatalf("%s of %s %q: %d", target, kinds[int(kind)%len(kinds)], body, code)
			}
		}
	})
}
