package controller_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
	"github.com/lwtest/lwtest/internal/full"
	"github.com/lwtest/lwtest/plugins/controller"
)

// annotating are the webhooks of a controller: one that annotates what is created, and one that converts by apiVersion alone.
func annotating() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/annotate", answers(func(r *admissionv1.AdmissionReview) {
		patch := fmt.Sprintf(`[{"op":"add","path":"/metadata/annotations","value":{"hooked":%q}}]`, r.Request.Operation)
		kind := admissionv1.PatchTypeJSONPatch
		r.Response = &admissionv1.AdmissionResponse{UID: r.Request.UID, Allowed: true, Patch: []byte(patch), PatchType: &kind}
	}))
	mux.HandleFunc("/convert", answers(func(r *apiextensionsv1.ConversionReview) {
		r.Response = &apiextensionsv1.ConversionResponse{UID: r.Request.UID, Result: metav1.Status{Status: metav1.StatusSuccess}}
		for _, raw := range r.Request.Objects {
			u := &unstructured.Unstructured{}
			if err := u.UnmarshalJSON(raw.Raw); err != nil {
				r.Response.Result = metav1.Status{Status: metav1.StatusFailure, Message: err.Error()}
				return
			}
			u.SetAPIVersion(r.Request.DesiredAPIVersion)
			r.Response.ConvertedObjects = append(r.Response.ConvertedObjects, runtime.RawExtension{Object: u})
		}
	}))
	return mux
}

// serveHooks serves the webhooks of a program.
func serveHooks(port, certs string) {
	server := &http.Server{Addr: "127.0.0.1:" + port, Handler: annotating(), ReadHeaderTimeout: time.Minute}
	go func() {
		fmt.Println(server.ListenAndServeTLS(filepath.Join(certs, "tls.crt"), filepath.Join(certs, "tls.key")))
		os.Exit(1)
	}()
}

// answers reads a review, and sends it with what f adds.
func answers[T any](f func(*T)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		var review T
		if err := json.NewDecoder(q.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f(&review)
		_ = json.NewEncoder(w).Encode(&review) // an API server that has gone needs no answer
	}
}

// hooked are the objects that exist before the controller starts.
const hooked = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: hooks}
webhooks:
- name: annotate.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: system, name: hooks, path: /annotate, port: 9443}}
  rules: [{apiGroups: ["", example.com], apiVersions: ["*"], operations: [CREATE], resources: [configmaps, widgets]}]
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: Cg==, service: {namespace: system, name: hooks, path: /convert}}}}
  versions:
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: default}} # it is there already
---
{apiVersion: v1, kind: Service, metadata: {name: hooks}, spec: {ports: [{port: 443}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: manager}}
---
{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: hooks}}
`

// manifests makes a folder with objects, and what kustomize reads beside them.
func manifests(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"all.yaml": text, "kustomization.yaml": "resources: [all.yaml]"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// users make requests while the controller is down, and its webhooks with it.
const users = `
steps:
- {op: create, with: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {copy: "yes"}}}}}
- {op: advance, for: 200ms}
- {op: create, with: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}}}
- {op: create, with: {object: {apiVersion: example.com/v1beta1, kind: Widget, metadata: {name: w}}}}
- {op: change, obj: widgets.example.com/w, with: {patch: {spec: {size: 1}}}}
`

func hookedProgram(t *testing.T, p controller.Program) (harness.Target, error) {
	t.Helper()
	if testing.Short() {
		t.Skip("programs run in real time")
	}
	p.Scenario = filepath.Join(t.TempDir(), "scenario.yaml")
	require.NoError(t, os.WriteFile(p.Scenario, []byte(users), 0o600))
	p.Quiet = time.Second
	if p.Command == "" {
		p.Command = "env " + asController + "=hooks " + os.Args[0] + " {webhook-port} {certs}"
	}
	return controller.OpenProgram(t.Context(), p)
}

// The webhooks of a program are called, in each of its lives, and users try again while none runs.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	target, err := hookedProgram(t, controller.Program{Manifests: []string{manifests(t, hooked)}})
	require.NoError(t, err)
	require.Len(t, target.Notes, 2)
	assert.Contains(t, target.Notes[0], "all.yaml: Deployment.apps/manager is left out: lwtest starts the controller itself")
	assert.Contains(t, target.Notes[1], "all.yaml: Certificate.cert-manager.io/hooks is left out: nothing here serves the group cert-manager.io")
	for _, check := range []string{"converge/same/killed-before", "converge/same/overlap"} {
		t.Run(check, func(t *testing.T) {
			t.Parallel()
			if check == "converge/same/overlap" {
				full.Need(t, "it takes three minutes")
			}
			r, h := runCheck(t, target, check)
			assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
			annotated, failed := map[string]bool{}, 0
			for _, e := range h.Events {
				var o metav1.PartialObjectMetadata
				if e.X != nil && json.Unmarshal(e.X.Body, &o) == nil && o.Annotations["hooked"] == "CREATE" {
					annotated[o.Kind+" "+o.Name] = true
				}
				if err := e.Err(); err != nil && err.Code == http.StatusInternalServerError {
					failed++
				}
			}
			assert.Equal(t, map[string]bool{"ConfigMap a": true, "ConfigMap a-copy": true, "ConfigMap b": true, "Widget w": true}, annotated)
			if check == "converge/same/killed-before" {
				assert.NotZero(t, failed, "no request came while the controller was down")
			}
		})
	}
}

// What could never work is refused, in one line.
func TestRefusedManifests(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]controller.Program{
		"the CustomResourceDefinition widgets.example.com has a webhook at the service system/hooks: say in the command": {Command: os.Args[0], Manifests: []string{manifests(t, hooked)}},
		"all.yaml: document 1: the API server refuses a ConfigMap with 422":                                              {Manifests: []string{manifests(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: A}}")}},
		`all.yaml: document 1: the API server has no resource "Confmap"`:                                                 {Manifests: []string{manifests(t, "{apiVersion: v1, kind: Confmap, metadata: {name: a}}")}},
		"all.yaml: document 2: Object 'Kind' is missing":                                                                 {Manifests: []string{manifests(t, "# nothing\n---\n{apiVersion: v1}")}},
		"has no object":                  {Manifests: []string{t.TempDir()}},
		"no such file":                   {Manifests: []string{"nowhere.yaml"}},
		"need lwtest's API server":       {Manifests: []string{manifests(t, hooked)}, Server: &rest.Config{}},
		"nowhere.yaml: no such file":     {Command: os.Args[0] + " {file:nowhere.yaml}"},
		"one file is filled in for each": {Command: os.Args[0] + " {file:" + manifests(t, hooked) + "/all.yaml},{file:b}"},
	} {
		_, err := hookedProgram(t, p)
		assert.ErrorContains(t, err, want)
	}
}

// A file that the command names is filled in.
func TestFilledFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "command.sh")
	require.NoError(t, os.WriteFile(file, []byte("exec env "+asController+"=hooks "+os.Args[0]+" {webhook-port} {certs}"), 0o600))
	_, err := hookedProgram(t, controller.Program{Command: "sh {file:" + file + "}", Manifests: []string{manifests(t, hooked)}})
	assert.NoError(t, err)
}

// The webhooks of a controller in Go are called in each of its lives.
func TestWebhooksInGo(t *testing.T) {
	s := controller.Subject{Manifests: []string{manifests(t, hooked)}, Run: func(ctx context.Context, c *rest.Config) error { return controller.ServeWebhooks(ctx, annotating()) },
		Scenario: []story.Step{
			controller.Create(`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`),
			controller.Create(`{apiVersion: example.com/v1beta1, kind: Widget, metadata: {name: w}}`),
			controller.Change("widgets.example.com/w", `{spec: {size: 1}}`),
		}}
	target, err := controller.Target(s)
	require.NoError(t, err)
	r, h := runCheck(t, target, "restart/quiet")
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	annotated := map[string]bool{}
	for _, e := range h.Events {
		var o metav1.PartialObjectMetadata
		if e.X != nil && json.Unmarshal(e.X.Body, &o) == nil && o.Annotations["hooked"] == "CREATE" {
			annotated[o.APIVersion+" "+o.Kind] = true
		}
	}
	assert.Equal(t, map[string]bool{"v1 ConfigMap": true, "example.com/v1 Widget": true, "example.com/v1beta1 Widget": true}, annotated)

	assert.ErrorContains(t, controller.ServeWebhooks(t.Context(), annotating()), "call ServeWebhooks in Run")
}
