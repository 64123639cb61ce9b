package cel_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver/apiservertest"
	"github.com/lwtest/lwtest/fakes/apiserver/cel"
	"github.com/lwtest/lwtest/fakes/apiserver/serve"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answers is what a kube-apiserver answered to testdata/requests.yaml.
const answers = "testdata/answers.txt"

type object = map[string]any

// step is a request of testdata/requests.yaml, which says what fields mean.
type step struct {
	Do, Type, Name      string
	Body                any
	Numbers             int // spec.many has so many
	Until               int
	Define, Again, Hook string
	Spec, Status        object
	Root                []object
	Policy              string
	Operations          []string
	Conditions          []object
}

// request returns what the step sends.
func (s step) request() (method, path, kind string, body any) {
	const group, kinds = "/apis/cel.example.com/v1/namespaces/default/", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	switch {
	case s.Define != "":
		return "POST", kinds, "application/json", definition(s.Define, s)
	case s.Again != "":
		return "PATCH", kinds + "/" + s.Again + ".cel.example.com", "application/merge-patch+json", object{"spec": definition(s.Again, s)["spec"]}
	case s.Hook != "":
		return "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "application/json", s.hooks()
	}
	method, path, _ = strings.Cut(s.Do, " ")
	in, version := group, "cel.example.com/v1"
	if rest, ok := strings.CutPrefix(path, "core/"); ok {
		in, path, version = "/api/v1/namespaces/default/", rest, "v1"
	} else if strings.HasPrefix(path, "/") {
		in = ""
	}
	kind = s.Type
	if body, _ := s.Body.(object); s.Name != "" {
		plural, _, _ := strings.Cut(strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '?' })[0], "?")
		if body["apiVersion"], body["kind"] = version, kindOf(plural); body["metadata"] == nil {
			body["metadata"] = object{}
		}
		body["metadata"].(object)["name"] = s.Name
		if s.Numbers > 0 {
			body["spec"].(object)["many"] = make([]int, s.Numbers)
		}
	}
	switch {
	case kind != "":
	case method == "PATCH":
		kind = "application/merge-patch+json"
	default:
		kind = "application/json"
	}
	return method, in + path, kind, s.Body
}

func kindOf(plural string) string {
	switch plural {
	case "configmaps":
		return "ConfigMap"
	case "endpoints":
		return "Endpoints"
	}
	return strings.ToUpper(plural[:1]) + plural[1:len(plural)-1]
}

func definition(plural string, s step) object {
	schema := object{"type": "object", "properties": object{"spec": s.Spec}}
	if s.Status != nil {
		schema["properties"].(object)["status"] = s.Status
	}
	if s.Root != nil {
		schema["x-kubernetes-validations"] = s.Root
	}
	version := object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": schema}, "subresources": object{"status": object{}}}
	return object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": object{"name": plural + ".cel.example.com"},
		"spec": object{"group": "cel.example.com", "scope": "Namespaced", "names": object{"plural": plural, "kind": kindOf(plural)}, "versions": []object{version}},
	}
}

func (s step) hooks() object {
	operations, policy := s.Operations, s.Policy
	if operations == nil {
		operations = []string{"CREATE", "UPDATE"}
	}
	if policy == "" {
		policy = "Fail"
	}
	return object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration", "metadata": object{"name": s.Hook},
		"webhooks": []object{{
			"name": s.Hook + ".cel.example.com", "clientConfig": object{"url": "https://127.0.0.1:1/"}, "failurePolicy": policy, "sideEffects": "None",
			"admissionReviewVersions": []string{"v1"}, "matchConditions": s.Conditions,
			"rules": []object{{"apiGroups": []string{""}, "apiVersions": []string{"v1"}, "resources": []string{"configmaps"}, "operations": operations}},
		}},
	}
}

// patience is how long ask repeats one request.
const patience = 20 * time.Second

// ask puts all requests to a server. The answers of those that fail are whole.
func ask(t *testing.T, config *rest.Config, patience time.Duration) (all []string) {
	t.Helper()
	tls, err := rest.TLSConfigFor(config)
	require.NoError(t, err)
	client := &http.Client{}
	own := &http.Transport{TLSClientConfig: tls}
	client.Transport, err = rest.HTTPWrappersForConfig(config, own)
	require.NoError(t, err)
	defer own.CloseIdleConnections()
	raw, err := os.ReadFile("testdata/requests.yaml")
	require.NoError(t, err)
	var steps []step
	require.NoError(t, yaml.UnmarshalStrict(raw, &steps))
	host := config.Host
	for _, s := range steps {
		method, path, kind, body := s.request()
		b, err := json.Marshal(body)
		require.NoError(t, err)
		code, answer := put(t, client, method, host+path, kind, b)
		for deadline := time.Now().Add(patience); s.Until != 0 && code != s.Until && time.Now().Before(deadline); {
			code, answer = put(t, client, method, host+path, kind, b)
		}
		all = append(all, method+" "+path+" "+answer)
	}
	return all
}

// put puts one request, and returns the answer with its warnings.
func put(t *testing.T, client *http.Client, method, url, kind string, body []byte) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", kind)
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	out := res.Status
	for _, w := range slices.Sorted(slices.Values(res.Header.Values("Warning"))) {
		out += "; warning " + w
	}
	if res.StatusCode >= http.StatusBadRequest {
		out += "; " + inOrder(answer)
	}
	return res.StatusCode, out
}

// inOrder is an answer with the causes of a refusal by name: the rules of fields are evaluated in no order.
func inOrder(answer []byte) string {
	var s metav1.Status
	if json.Unmarshal(answer, &s) != nil || s.Details == nil || len(s.Details.Causes) < 2 {
		return strings.TrimSpace(string(answer))
	}
	slices.SortFunc(s.Details.Causes, func(a, b metav1.StatusCause) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	s.Message, _, _ = strings.Cut(s.Message, "[") // they follow
	b, _ := json.Marshal(s)
	return string(b)
}

// Answers with CEL are those of a kube-apiserver.
func TestAnswers(t *testing.T) {
	raw, err := os.ReadFile(answers)
	require.NoError(t, err)
	want := strings.Split(strings.TrimSpace(string(raw)), "\n")
	got := ask(t, apiservertest.Start(t, apiservertest.WithCEL(cel.New())).Config, patience)
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i], got[i])
	}
}

// Without CEL the table is not what a kube-apiserver answers, and warnings say so.
func TestAnswersWithout(t *testing.T) {
	raw, err := os.ReadFile("testdata/answers.txt")
	require.NoError(t, err)
	want, differ, warned := strings.Split(strings.TrimSpace(string(raw)), "\n"), 0, 0
	for i, got := range ask(t, apiservertest.Start(t).Config, 0) {
		if got != want[i] {
			differ++
		}
		if strings.Contains(got, "does not evaluate CEL") {
			warned++
		}
	}
	assert.Greater(t, differ, 50)
	assert.Greater(t, warned, 10)
}

// kube-apiserver's own code panics at this definition: the client gets an error that names it.
func TestPanic(t *testing.T) {
	s := apiservertest.Start(t, apiservertest.WithCEL(cel.New()))
	raw, err := os.ReadFile("testdata/panics.yaml")
	require.NoError(t, err)
	tls, err := rest.TLSConfigFor(s.Config)
	require.NoError(t, err)
	own := &http.Transport{TLSClientConfig: tls}
	defer own.CloseIdleConnections()
	wrapped, err := rest.HTTPWrappersForConfig(s.Config, own)
	require.NoError(t, err)
	code, answer := put(t, &http.Client{Transport: wrapped}, "POST", s.Config.Host+"/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", raw)
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, answer, "spec: Internal error: the CEL evaluator panics at definition bads.ex.com: runtime error")

	_, err = serve.Start(t.Context(), serve.Options{CEL: cel.New(), Manifests: []string{"testdata/panics.yaml"}, InMemory: true})
	assert.ErrorContains(t, err, "manifests: testdata/panics.yaml: document 1: ")
	assert.ErrorContains(t, err, "panics at definition bads.ex.com")
}

// TestRecord writes down what a kube-apiserver answers: make goldens-cel.
func TestRecord(t *testing.T) {
	if os.Getenv("LWTEST_RECORD") == "" {
		t.Skip("it wants a real kube-apiserver: see make goldens-cel")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(answers, []byte(strings.Join(ask(t, config, patience), "\n")+"\n"), 0o644))
}
