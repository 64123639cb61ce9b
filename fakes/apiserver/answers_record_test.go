package apiserver_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// TestRecordAnswers asks the requests of the file of a fresh, real kube-apiserver and writes what it
// answers into the file:
//
//	hack/kube/kube.sh with -- sh -c 'LWTEST_RECORD=$KUBECONFIG go test -run TestRecordAnswers/answers ./fakes/apiserver'
//	hack/kube/kube.sh with --feature-gates=ShardedListAndWatch=true -- sh -c 'LWTEST_RECORD=$KUBECONFIG go test -run TestRecordAnswers/shards ./fakes/apiserver'
func TestRecordAnswers(t *testing.T) {
	file := os.Getenv("LWTEST_RECORD")
	if file == "" {
		t.Skip("LWTEST_RECORD names no kubeconfig")
	}
	send := overHTTP(t, file)
	code, b := send(http.MethodGet, "/version", nil, "", "")
	require.Equal(t, http.StatusOK, code)
	var v struct{ GitVersion string }
	require.NoError(t, json.Unmarshal(b, &v))
	code, b = send(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", nil, "application/json", widgetDefinition)
	require.Equal(t, http.StatusCreated, code, string(b))
	require.Eventually(t, func() bool {
		code, _ := send(http.MethodGet, "/apis/probe.example.com/v1/widgets", nil, "", "")
		return code == http.StatusOK
	}, time.Minute, 100*time.Millisecond)

	for name := range answers {
		t.Run(name, func(t *testing.T) {
			script := readAnswers(t, name)
			var out strings.Builder
			fmt.Fprintf(&out, "# kube-apiserver %s; see TestRecordAnswers\n", v.GitVersion)
			for i, answer := range replay(t, script, send) {
				fmt.Fprintf(&out, "> %s\n< %s\n", script[i].request, strings.ReplaceAll(answer, "\n", "\n< "))
			}
			require.NoError(t, os.WriteFile(answersFile(name), []byte(out.String()), 0o644))
		})
	}
}

const widgetDefinition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.probe.example.com"},
"spec":{"group":"probe.example.com","scope":"Namespaced","names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"},
"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}}`

func overHTTP(t *testing.T, kubeconfig string) server {
	t.Helper()
	raw, err := os.ReadFile(kubeconfig)
	require.NoError(t, err)
	var k struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Users    []struct{ User struct{ Token string } }
	}
	require.NoError(t, yaml.Unmarshal(raw, &k))
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // it is on loopback, and ours
	t.Cleanup(client.CloseIdleConnections)
	return func(method, path string, query url.Values, contentType, body string) (int, []byte) {
		req, err := http.NewRequestWithContext(t.Context(), method, k.Clusters[0].Cluster.Server+path+"?"+query.Encode(), strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+k.Users[0].User.Token)
		req.Header.Set("Content-Type", contentType)
		res, err := client.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		return res.StatusCode, b
	}
}

// inProcess is the fake, as if it were behind HTTP.
func inProcess(s *apiserver.Server, rows []apiserver.Resource) server {
	return func(method, path string, query url.Values, contentType, body string) (int, []byte) {
		req, row := request(path, rows)
		obj, stream, err := call(s, req, row, method, query, contentType, body)
		var known apierrors.APIStatus
		switch {
		case errors.As(err, &known):
			status := known.Status()
			status.Kind = "Status"
			return int(status.Code), encode(status)
		case err != nil:
			panic(err)
		case stream != nil:
			return http.StatusOK, stream
		}
		if status, ok := obj.(*metav1.Status); ok {
			status.Kind = "Status"
		}
		code := http.StatusOK
		if m, ok := obj.(metav1.Object); ok && method == http.MethodPost || ok && method == http.MethodPut && created(s, m, query) {
			code = http.StatusCreated
		}
		return code, encode(obj)
	}
}

// created says that the write that answered with m made it: in the store's last revision, or nowhere.
func created(s *apiserver.Server, m metav1.Object, query url.Values) bool {
	if query.Get("dryRun") != "" {
		return m.GetResourceVersion() == ""
	}
	return m.GetResourceVersion() == s.Revision() && strings.HasPrefix(m.GetName(), "new-")
}

func request(path string, rows []apiserver.Resource) (req apiserver.Request, row apiserver.Resource) {
	for _, row = range rows {
		root := "/apis/" + row.GroupVersion().String() + "/"
		if row.Group == "" {
			root = "/api/" + row.Version + "/"
		}
		rest, ok := strings.CutPrefix(path, root)
		if !ok {
			continue
		}
		parts := strings.Split(rest, "/")
		if len(parts) > 2 && parts[0] == "namespaces" {
			req.Namespace, parts = parts[1], parts[2:]
		}
		if parts[0] == row.Resource {
			req.Resource = row.GroupVersionResource
			req.Name = strings.Join(parts[1:], "/")
			return req, row
		}
		req.Namespace = ""
	}
	panic("not served: " + path)
}

func call(s *apiserver.Server, req apiserver.Request, row apiserver.Resource, method string, query url.Values, contentType, body string) (runtime.Object, []byte, error) {
	ctx := context.Background()
	var list metav1.ListOptions
	var gone metav1.DeleteOptions
	must(metav1.Convert_url_Values_To_v1_ListOptions(&query, &list, nil))
	must(metav1.Convert_url_Values_To_v1_DeleteOptions(&query, &gone, nil))
	dryRun, obj := query["dryRun"], row.New()
	if body != "" && method == http.MethodDelete {
		must(json.Unmarshal([]byte(body), &gone))
	}
	if method == http.MethodPost || method == http.MethodPut {
		obj = parseObject(row, body)
	}
	var err error
	switch {
	case method == http.MethodPost:
		obj, err = s.Create(ctx, req, obj, metav1.CreateOptions{DryRun: dryRun})
	case method == http.MethodPut:
		obj, err = s.Update(ctx, req, obj, metav1.UpdateOptions{DryRun: dryRun})
	case method == http.MethodPatch:
		obj, err = s.Patch(ctx, req, types.PatchType(contentType), []byte(body), metav1.PatchOptions{DryRun: dryRun})
	case method == http.MethodDelete && req.Name != "":
		obj, err = s.Delete(ctx, req, gone)
	case method == http.MethodDelete:
		obj, err = s.DeleteCollection(ctx, req, gone, list)
	case req.Name != "":
		obj, err = s.Get(ctx, req, metav1.GetOptions{ResourceVersion: list.ResourceVersion})
	case list.Watch:
		return watchAll(s, req, list)
	default:
		obj, err = s.List(ctx, req, list)
	}
	return obj, nil, err
}

// parseObject reads a body as it is: what is wrong with it is for the server to find.
func parseObject(row apiserver.Resource, body string) runtime.Object {
	obj := row.New()
	if u, ok := obj.(runtime.Unstructured); ok {
		var content map[string]any
		must(json.Unmarshal([]byte(body), &content))
		u.SetUnstructuredContent(content)
		return obj
	}
	must(json.Unmarshal([]byte(body), obj))
	return obj
}

// watchAll reads a watch to its end.
func watchAll(s *apiserver.Server, req apiserver.Request, o metav1.ListOptions) (runtime.Object, []byte, error) {
	w, err := s.Watch(context.Background(), req, o)
	if err != nil {
		return nil, nil, err
	}
	out := []byte{}
	for e := range w.ResultChan() {
		if status, ok := e.Object.(*metav1.Status); ok {
			status.Kind = "Status"
		}
		out = append(out, encode(map[string]any{"type": e.Type, "object": e.Object})...)
	}
	return nil, out, nil
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	must(err)
	return b
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
