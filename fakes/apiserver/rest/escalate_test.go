package rest_test

import (
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
)

// addRight creates a role or a binding.
func addRight(t testing.TB, api apiserver.API, resource, namespace string, obj runtime.Object) {
	t.Helper()
	_, err := api.Create(t.Context(), apiserver.Request{Resource: rbacv1.SchemeGroupVersion.WithResource(resource), Namespace: namespace}, obj, metav1.CreateOptions{})
	require.NoError(t, err)
}

// aggregatedRights has what a kube-apiserver with a kube-controller-manager answers to aggregatedSteps.
const aggregatedRights = "testdata/aggregated.txt"

// aggregatedSteps are about roles that aggregate others. Those with + are needed by the rest.
var aggregatedSteps = lines(bound("carl", editorRule, user("carl")) + bound("own", `{"verbs":["get"],"nonResourceURLs":["/own","/own/*"]}`, user("carl")) + `
	+POST ` + rightsHere + `rolebindings {"metadata":{"name":"carl"},"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[` + user("carl") + `]}
	WAIT 2s
	POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"a"},"roleRef":{"kind":"ClusterRole","name":"admin"},"subjects":[` + user("x") + `]}
	POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"edit"},"subjects":[` + user("x") + `]}
	POST ` + rightsHere + `rolebindings` + byCarl + `{"metadata":{"name":"c"},"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[` + user("x") + `]}
	POST ` + clusterRights + `clusterrolebindings` + byCarl + `{"metadata":{"name":"c"},"roleRef":{"kind":"ClusterRole","name":"view"},"subjects":[` + user("x") + `]}
	MERGE ` + clusterRights + `clusterroles/view` + byCarl + `{"metadata":{"labels":{"a":"b"}}}
	MERGE ` + clusterRights + `clusterroles/view` + byCarl + `{"metadata":{"finalizers":["a.example.com/b"]}}
	MERGE ` + clusterRights + `clusterroles/edit` + byCarl + `{"aggregationRule":null}
	POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews` + byCarl + `{"spec":{"namespace":"{NAMESPACE}"}}
`)

// A role that aggregates others gives their rules, and whoever binds or changes it must have them, as where a controller copies them.
func TestAggregatedRights(t *testing.T) {
	want, err := os.ReadFile(aggregatedRights)
	require.NoError(t, err)
	inBubbleWith(t, apiserver.Options{}, rest.Options{Token: "secret", RBAC: true}, func(t *testing.T, b both) {
		require.NoError(t, rest.AddBootstrapRoles(t.Context(), b.api))
		s := fakeSession(t, b, "default")
		defer s.client.CloseIdleConnections()
		require.Equal(t, string(want), s.aggregated(t))
	})
}

// TestRealAggregated writes testdata/aggregated.txt:
//
//	hack/kube/kube.sh with --controllers -- sh -c 'LWTEST_RAW=Aggregated go test -count=1 -run TestRealAggregated ./fakes/apiserver/rest'
func TestRealAggregated(t *testing.T) {
	s := realSession(realConfig(t, wanted(t, "Aggregated")))
	defer s.client.CloseIdleConnections()
	require.Eventually(t, func() bool {
		return strings.Contains(s.put(oneLine("GET " + clusterRights + "clusterroles/admin"))[0], `"pods"`)
	}, time.Minute, 100*time.Millisecond)
	s.deeds = map[string]func(string) error{"wait": wait}
	require.NoError(t, os.WriteFile(aggregatedRights, []byte(s.aggregated(t)), 0o644))
}

// aggregated puts aggregatedSteps. It returns the messages of refusals, and the rules of reviews: sorted, as their order means nothing.
func (s *session) aggregated(t *testing.T) string {
	t.Helper()
	s.namespace, s.values = "default", map[string]string{}
	var out strings.Builder
	for _, p := range aggregatedSteps {
		if p.do != "" {
			require.NoError(t, s.deeds[p.do](p.path))
			continue
		}
		res, err := s.send(p.ask)
		require.NoError(t, err)
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		require.NoError(t, err)
		if p.setUp {
			require.Equal(t, 201, res.StatusCode, string(body))
			continue
		}
		out.WriteString("> " + p.line() + "\n< " + res.Status + "\n")
		var got struct {
			Message string
			Status  json.RawMessage
		}
		require.NoError(t, json.Unmarshal(body, &got))
		var rules authorizationv1.SubjectRulesReviewStatus
		if json.Unmarshal(got.Status, &rules) == nil {
			for _, line := range ruleLines(t, rules) {
				out.WriteString(line + "\n")
			}
		}
		if got.Message != "" {
			out.WriteString(got.Message + "\n")
		}
	}
	return out.String()
}

// ruleLines are rules, one a line.
func ruleLines(t *testing.T, rules authorizationv1.SubjectRulesReviewStatus) (all []string) {
	t.Helper()
	add := func(rule any) {
		b, err := json.Marshal(rule)
		require.NoError(t, err)
		all = append(all, string(b))
	}
	for _, r := range rules.ResourceRules {
		add(r)
	}
	for _, r := range rules.NonResourceRules {
		add(r)
	}
	slices.Sort(all)
	return all
}
