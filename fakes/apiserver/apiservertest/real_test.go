package apiservertest_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	clientrest "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/lwtest/lwtest/fakes/apiserver/apiservertest"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

const recorded = "testdata/webhooks.txt"

// TestWebhooks compares what the fake says about webhooks with what a real kube-apiserver said.
func TestWebhooks(t *testing.T) {
	want, err := os.ReadFile(recorded)
	require.NoError(t, err)
	require.Equal(t, string(want), tellWebhooks(t, apiservertest.Start(t, apiservertest.WithTLS()).Config))
}

// TestRealRecord writes down what a real kube-apiserver says:
//
//	make goldens-check RAW=Record TABLES=none
func TestRealRecord(t *testing.T) {
	told := tellWebhooks(t, realConfig(t, "Record"))
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(recorded, []byte(told), 0o644))
}

// TestRealDrift compares it with what it said before: make goldens-check.
func TestRealDrift(t *testing.T) {
	config := realConfig(t, "Drift")
	want, err := os.ReadFile(recorded)
	require.NoError(t, err)
	require.Equal(t, string(want), tellWebhooks(t, config))
}

func realConfig(t *testing.T, what string) *clientrest.Config {
	t.Helper()
	if os.Getenv("LWTEST_RAW") != what {
		t.Skip("it wants a real kube-apiserver: see make goldens-check")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	require.NoError(t, err)
	return config
}

// admitting are the answers of webhooks, by name: a JSON object that is the response, or else the whole body.
var admitting = map[string]string{
	"v-allow":     `{"allowed":true,"warnings":["first","second"]}`,
	"v-deny":      `{"allowed":false}`,
	"v-message":   `{"allowed":false,"status":{"message":"no such thing","code":403,"reason":"Forbidden","details":{"causes":[{"message":"why","field":"data"}]}}}`,
	"v-reason":    `{"allowed":false,"status":{"reason":"Because","status":"Success","code":200}}`,
	"v-uid":       `{"allowed":true,"uid":"other"}`,
	"v-patch":     `{"allowed":true,"patch":"W10=","patchType":"JSONPatch"}`,
	"v-none":      `none`,
	"v-text":      `text`,
	"v-404":       `404`,
	"v-500":       `500`,
	"v-slow":      `slow`,
	"v-refused":   `refused`,
	"v-service":   `service`,
	"m-data":      `{"allowed":true,"patchType":"JSONPatch","patch":"` + base64Of(`[{"op":"add","path":"/data","value":{"a":"b"}}]`) + `"}`,
	"m-untyped":   `{"allowed":true,"patch":"W10="}`,
	"m-empty":     `{"allowed":true,"patchType":"JSONPatch"}`,
	"m-broken":    `{"allowed":true,"patchType":"JSONPatch","patch":"` + base64Of(`{}`) + `"}`,
	"m-missing":   `{"allowed":true,"patchType":"JSONPatch","patch":"` + base64Of(`[{"op":"remove","path":"/data/x"}]`) + `"}`,
	"m-namespace": `{"allowed":true,"patchType":"JSONPatch","patch":"` + base64Of(`[{"op":"replace","path":"/metadata/namespace","value":"kube-system"}]`) + `"}`,
	"m-invalid":   `{"allowed":true,"patchType":"JSONPatch","patch":"` + base64Of(`[{"op":"add","path":"/metadata/labels/l","value":"-"}]`) + `"}`,
	"m-message":   `{"allowed":false,"status":{"message":"not here"}}`,
}

func base64Of(text string) string {
	b, err := json.Marshal([]byte(text))
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(b), `"`)
}

// answering serves the webhooks of a story.
type answering struct {
	mu   sync.Mutex
	last admissionv1.AdmissionRequest
	how  string // a conversion fails
	stop chan struct{}
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "convert" {
		a.convert(w, r)
		return
	}
	var review admissionv1.AdmissionReview
	if json.NewDecoder(r.Body).Decode(&review) != nil {
		return
	}
	a.mu.Lock()
	a.last = *review.Request
	a.mu.Unlock()
	head := func(rest string) string {
		return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"` + rest + `}`
	}
	switch answer := admitting[name]; answer {
	case "none":
		fmt.Fprint(w, head(""))
	case "text":
		fmt.Fprint(w, "hello")
	case "404":
		http.Error(w, "no page", http.StatusNotFound)
	case "500":
		http.Error(w, "broken", http.StatusInternalServerError)
	case "slow":
		select {
		case <-r.Context().Done():
		case <-a.stop:
		}
	default:
		if !strings.Contains(answer, `"uid"`) {
			answer = strings.Replace(answer, "{", fmt.Sprintf(`{"uid":%q,`, review.Request.UID), 1)
		}
		fmt.Fprint(w, head(`,"response":`+answer))
	}
}

func (a *answering) convert(w http.ResponseWriter, r *http.Request) {
	var review apiextensionsv1.ConversionReview
	if json.NewDecoder(r.Body).Decode(&review) != nil {
		return
	}
	a.mu.Lock()
	how := a.how
	a.mu.Unlock()
	out := &apiextensionsv1.ConversionResponse{UID: review.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
	for _, raw := range review.Request.Objects {
		u := &unstructured.Unstructured{}
		if u.UnmarshalJSON(raw.Raw) != nil {
			return
		}
		u.SetAPIVersion(review.Request.DesiredAPIVersion)
		u.SetAnnotations(map[string]string{"to": u.GetAPIVersion()})
		u.SetFinalizers([]string{"example.com/not-taken"})
		switch how {
		case "version":
			u.SetAPIVersion("other/v1")
		case "name":
			u.SetName("other")
		case "kind":
			u.SetKind("Other")
		}
		out.ConvertedObjects = append(out.ConvertedObjects, runtime.RawExtension{Object: u})
	}
	switch how {
	case "message":
		out.Result = metav1.Status{Status: metav1.StatusFailure, Message: "cannot"}
	case "status":
		out.Result = metav1.Status{}
	case "uid":
		out.UID = "other"
	case "few":
		out.ConvertedObjects = nil
	case "none":
		out = nil
	case "500":
		http.Error(w, "broken", http.StatusInternalServerError)
		return
	}
	review.Response, review.Request = out, nil
	_ = json.NewEncoder(w).Encode(review)
}

// story is a teller of what a server does.
type story struct {
	t      *testing.T
	c      dynamic.Interface
	hooks  *answering
	at     string
	pair   rest.Pair
	warned *warned
	out    bytes.Buffer
}

// warned collects warnings.
type warned struct{ all []string }

func (w *warned) HandleWarningHeader(_ int, _, text string) { w.all = append(w.all, text) }

// secrets are what differs from run to run.
var (
	ports = regexp.MustCompile(`127\.0\.0\.1:\d\d+(->127\.0\.0\.1:\d+)?`)
	revs  = regexp.MustCompile(`revision=\d+`)
	uids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
)

func (s *story) tell(what string, obj *unstructured.Unstructured, err error) {
	line := "done"
	if obj != nil && err == nil {
		labels, _, _ := unstructured.NestedStringMap(obj.Object, "metadata", "annotations")
		b, _ := json.Marshal(map[string]any{"data": obj.Object["data"], "annotations": labels, "spec": obj.Object["spec"], "apiVersion": obj.GetAPIVersion(), "finalizers": obj.GetFinalizers()})
		line = string(b)
	}
	if status, ok := err.(apierrors.APIStatus); err != nil && ok {
		b, _ := json.Marshal(status.Status())
		line = string(b)
	} else if err != nil {
		line = "error: " + err.Error()
	}
	line = revs.ReplaceAllString(uids.ReplaceAllString(ports.ReplaceAllString(line, "HOOKS"), "UID"), "revision=R")
	fmt.Fprintf(&s.out, "%s: %s\n", what, line)
	for _, w := range s.warned.all {
		fmt.Fprintf(&s.out, "  warning: %s\n", w)
	}
	s.warned.all = nil
}

// asked tells what the last webhook was asked.
func (s *story) asked() {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	r := s.hooks.last
	has := func(raw runtime.RawExtension) string {
		var o metav1.PartialObjectMetadata
		if raw.Raw == nil || json.Unmarshal(raw.Raw, &o) != nil {
			return "none"
		}
		return fmt.Sprintf("%s %s uid=%t created=%t", o.GroupVersionKind(), o.Name, o.UID != "", !o.CreationTimestamp.IsZero())
	}
	fmt.Fprintf(&s.out, "  asked: %s %v %v %s/%s sub=%q as %v %v options=%s dryRun=%t object: %s; old: %s\n", r.Operation, r.Kind, r.Resource, r.Namespace, r.Name, r.SubResource,
		*r.RequestKind, *r.RequestResource, r.Options.Raw, *r.DryRun, has(r.Object), has(r.OldObject))
}

var (
	maps1 = corev1.SchemeGroupVersion.WithResource("configmaps")
	vhook = hooksv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")
	mhook = hooksv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations")
)

// install creates the configuration of a webhook, which objects are put to that have its name as a label.
func (s *story) install(name string) {
	s.t.Helper()
	client := map[string]any{"url": "https://" + s.at + "/" + name, "caBundle": s.pair.Authority}
	switch admitting[name] {
	case "refused":
		client["url"] = "https://127.0.0.1:1/refused"
	case "service":
		client = map[string]any{"service": map[string]any{"namespace": "default", "name": "nobody", "path": "/hook"}, "caBundle": s.pair.Authority}
	}
	resource, kind := vhook, "ValidatingWebhookConfiguration"
	if strings.HasPrefix(name, "m-") {
		resource, kind = mhook, "MutatingWebhookConfiguration"
	}
	timeout := 5
	if name == "v-slow" {
		timeout = 1
	}
	b, err := json.Marshal(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name},
		"webhooks": []any{map[string]any{
			"name": name + ".example.com", "clientConfig": client, "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "timeoutSeconds": timeout,
			"objectSelector": map[string]any{"matchLabels": map[string]any{"case": name}},
			"rules":          []any{map[string]any{"operations": []any{"*"}, "apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{"configmaps", "deployments/*", "deployments"}}},
		}},
	})
	require.NoError(s.t, err)
	u := &unstructured.Unstructured{}
	require.NoError(s.t, u.UnmarshalJSON(b))
	_, err = s.c.Resource(resource).Create(s.t.Context(), u, metav1.CreateOptions{})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = s.c.Resource(resource).Delete(s.t.Context(), name, metav1.DeleteOptions{}) })
}

func configMap(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "labels": map[string]any{"case": name}},
	}}
}

// tellWebhooks plays the story to a server.
func tellWebhooks(t *testing.T, config *clientrest.Config) string {
	t.Helper()
	pair, err := rest.NewPair()
	require.NoError(t, err)
	key, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &story{t: t, hooks: &answering{stop: make(chan struct{})}, at: l.Addr().String(), pair: pair, warned: &warned{}}
	server := &http.Server{Handler: s.hooks, TLSConfig: &tls.Config{Certificates: []tls.Certificate{key}}, ReadHeaderTimeout: time.Second}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { close(s.hooks.stop); _ = server.Close(); <-ended })
	config = clientrest.CopyConfig(config)
	config.WarningHandler = s.warned
	h, err := clientrest.HTTPClientFor(config)
	require.NoError(t, err)
	t.Cleanup(func() { utilnet.CloseIdleConnectionsFor(h.Transport) })
	s.c, err = dynamic.NewForConfigAndClient(config, h)
	require.NoError(t, err)

	names := slices.Sorted(maps.Keys(admitting))
	for _, name := range names {
		s.install(name)
	}
	s.ready("v-deny")
	s.ready("m-message")
	cms := s.c.Resource(maps1).Namespace("default")
	for _, name := range names {
		out, err := cms.Create(t.Context(), configMap(name), metav1.CreateOptions{})
		s.tell(name, out, err)
	}
	s.requests()
	s.conversions()
	return s.out.String()
}

// ready waits until a server has heard of a webhook. Real ones take a moment.
func (s *story) ready(name string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		_, err := s.c.Resource(maps1).Namespace("default").Create(s.t.Context(), configMap(name), metav1.CreateOptions{DryRun: []string{"All"}})
		return err != nil
	}, 30*time.Second, 200*time.Millisecond)
	s.warned.all = nil
}

// requests tells what webhooks are asked.
func (s *story) requests() {
	ctx, o := s.t.Context(), metav1.CreateOptions{FieldManager: "story"}
	cms := s.c.Resource(maps1).Namespace("default")
	cm := configMap("v-allow")
	cm.SetName("")
	cm.SetGenerateName("made-")
	made, err := cms.Create(ctx, cm, o)
	require.NoError(s.t, err)
	s.tell("generated", nil, nil)
	s.asked()
	b := bytes.ReplaceAll(s.out.Bytes(), []byte(made.GetName()), []byte("made-*"))
	s.out = *bytes.NewBuffer(b)
	_, err = cms.Patch(ctx, "v-allow", types.MergePatchType, []byte(`{"data":{"c":"d"}}`), metav1.PatchOptions{FieldManager: "story", DryRun: []string{"All"}})
	s.tell("patch", nil, err)
	s.asked()
	_, err = cms.Patch(ctx, "applied", types.ApplyPatchType, []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"applied","labels":{"case":"v-allow"}}}`), metav1.PatchOptions{FieldManager: "story"})
	s.tell("apply", nil, err)
	s.asked()
	s.tell("delete", nil, cms.Delete(ctx, "v-allow", metav1.DeleteOptions{}))
	s.asked()
	s.tell("delete with a patch", nil, cms.Delete(ctx, "m-data", metav1.DeleteOptions{}))
	deployments := s.c.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace("default")
	d := &unstructured.Unstructured{}
	require.NoError(s.t, d.UnmarshalJSON([]byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","labels":{"case":"v-allow"}},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},
		"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`)))
	_, err = deployments.Create(ctx, d, o)
	s.tell("deployment", nil, err)
	s.asked()
	_, err = deployments.Patch(ctx, "d", types.MergePatchType, []byte(`{"status":{"collisionCount":1}}`), metav1.PatchOptions{}, "status")
	s.tell("status", nil, err)
	s.asked()
	require.NoError(s.t, deployments.Delete(ctx, "d", metav1.DeleteOptions{}))
	s.warned.all = nil
}

// conversions tells what a conversion webhook makes, and what happens when it fails.
func (s *story) conversions() {
	ctx := s.t.Context()
	d := &unstructured.Unstructured{}
	version := func(name string, stored bool) string {
		return fmt.Sprintf(`{"name":%q,"served":true,"storage":%t,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}`, name, stored)
	}
	ca, err := json.Marshal(s.pair.Authority)
	require.NoError(s.t, err)
	require.NoError(s.t, d.UnmarshalJSON([]byte(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.hooks.example.com"},"spec":{"group":"hooks.example.com","scope":"Cluster",
		"names":{"plural":"widgets","kind":"Widget"},"versions":[`+version("v1", true)+`,`+version("v2", false)+`],
		"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://`+s.at+`/convert","caBundle":`+string(ca)+`}}}}}`)))
	crds := s.c.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	_, err = crds.Create(ctx, d, metav1.CreateOptions{})
	require.NoError(s.t, err)
	of := func(version string) dynamic.NamespaceableResourceInterface {
		return s.c.Resource(schema.GroupVersionResource{Group: "hooks.example.com", Version: version, Resource: "widgets"})
	}
	widget := func(version, name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "hooks.example.com/" + version, "kind": "Widget", "metadata": map[string]any{"name": name}, "spec": map[string]any{"a": "b"}}}
	}
	require.Eventually(s.t, func() bool {
		_, err := of("v1").Create(ctx, widget("v1", "a"), metav1.CreateOptions{})
		return err == nil
	}, 30*time.Second, 200*time.Millisecond)
	out, err := of("v2").Get(ctx, "a", metav1.GetOptions{})
	s.tell("convert get", out, err)
	out, err = of("v2").Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"c":"d"}}`), metav1.PatchOptions{})
	s.tell("convert patch", out, err)
	out, err = of("v1").Get(ctx, "a", metav1.GetOptions{})
	s.tell("convert stored", out, err)
	for _, how := range []string{"message", "status", "uid", "few", "none", "500", "version", "kind", "name"} {
		s.hooks.mu.Lock()
		s.hooks.how = how
		s.hooks.mu.Unlock()
		out, err = of("v2").Get(ctx, "a", metav1.GetOptions{})
		s.tell("convert "+how, out, err)
		if how == "message" {
			_, err = of("v2").Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"c":"e"}}`), metav1.PatchOptions{})
			s.tell("patch "+how, nil, err)
			s.tell("delete "+how, nil, of("v2").Delete(ctx, "a", metav1.DeleteOptions{DryRun: []string{"All"}}))
		}
		_, err = of("v2").Create(ctx, widget("v2", "b"), metav1.CreateOptions{})
		s.tell("create "+how, nil, err)
	}
	require.NoError(s.t, crds.Delete(ctx, d.GetName(), metav1.DeleteOptions{}))
}
