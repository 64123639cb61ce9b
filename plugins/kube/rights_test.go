package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/resources"
)

const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"

// restricted is an API server whose user may not do some things; what else it
// is asked goes to next.
func restricted(t *testing.T, next http.HandlerFunc, missing ...string) *requests {
	return listen(t, func(w http.ResponseWriter, req *http.Request) {
		switch {
		case req.URL.Path == reviews:
			review(w, req, missing)
		case req.URL.Path == "/version":
			fmt.Fprint(w, `{"gitVersion":"v1.37.1"}`)
		default:
			next(w, req)
		}
	})
}

func review(w http.ResponseWriter, req *http.Request, missing []string) {
	var a authorizationv1.SelfSubjectAccessReview
	_ = json.NewDecoder(req.Body).Decode(&a)
	if ra := a.Spec.ResourceAttributes; ra != nil {
		a.Status.Allowed = !slices.Contains(missing, right{ra.Group, strings.TrimSuffix(ra.Resource+"/"+ra.Subresource, "/"), ra.Verb}.String())
	}
	b, _ := json.Marshal(a)
	_, _ = w.Write(b)
}

func done(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
}

func forbid(w http.ResponseWriter) {
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","reason":"Forbidden","code":403}`)
}

// Each right that is missing is named before anything is made: in the middle of
// a check the refusal would look like the server's fault.
func TestMissingRightsAreNamed(t *testing.T) {
	for _, c := range []struct {
		resource string
		missing  []string
	}{
		{"configmaps", []string{"create namespaces"}},
		{"configmaps", []string{"patch namespaces", "watch configmaps", "deletecollection configmaps"}},
		{"leases", []string{"update leases.coordination.k8s.io"}},
		{"deployments", []string{"patch deployments/status.apps"}},
		{"pods", []string{"patch pods/status"}},
	} {
		r := restricted(t, done, c.missing...)
		_, err := connect(t.Context(), dialConfig(r.URL), Options{Resource: c.resource})
		require.ErrorContains(t, err, "may not "+strings.Join(c.missing, ", ")+" (in all namespaces)")
		require.ErrorContains(t, err, "kind: ClusterRole")
		require.ErrorContains(t, err, "lwtest list --role")
		require.Empty(t, changes(r.take()), "nothing is made, nothing stays")
	}
	r := restricted(t, done, "update leases.coordination.k8s.io")
	s, err := connect(t.Context(), dialConfig(r.URL), Options{Resource: "configmaps"})
	require.NoError(t, err, "what this run does not need may be missing")
	s.hangUp()
}

// Who may not ask which rights there are is not refused for that.
func TestReviewsThatAreNotAnsweredDecideNothing(t *testing.T) {
	for _, answer := range []http.HandlerFunc{done, func(w http.ResponseWriter, _ *http.Request) { forbid(w) },
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }} {
		r := listen(t, answer)
		s := dial(t, r.URL, "")
		require.NoError(t, s.mayAll(t.Context()))
		require.Len(t, r.take(), len(s.rights()))
	}
}

// The role that is printed grants what is asked for, and nothing else.
func TestRightsAreThoseOfTheRole(t *testing.T) {
	want := map[right]bool{}
	for _, rule := range roles(t)[0].Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					want[right{group, resource, verb}] = true
				}
			}
		}
	}
	got := map[right]bool{}
	for _, res := range resources.All {
		s := &server{resource: res}
		for _, rights := range append(slices.Collect(maps.Values(s.optional())), s.rights()) {
			for _, r := range rights {
				got[r] = true
			}
		}
	}
	require.Equal(t, want, got)
}

// A check that cannot make all its namespaces removes those that it has made,
// also one of which nobody knows whether it was made.
func TestWhatFailsHalfWayLeavesNothing(t *testing.T) {
	for name, second := range map[string]http.HandlerFunc{
		"refused": func(w http.ResponseWriter, _ *http.Request) { forbid(w) },
		"broken": func(w http.ResponseWriter, _ *http.Request) {
			if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
				conn.Close()
			}
		},
		"unclear": func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusGatewayTimeout) },
	} {
		t.Run(name, func(t *testing.T) {
			made := 0
			r := restricted(t, func(w http.ResponseWriter, req *http.Request) {
				switch {
				case req.Method != http.MethodPost || req.URL.Path != "/api/v1/namespaces" || req.URL.RawQuery != "":
					done(w, req)
				case made > 0:
					second(w, req)
				default:
					made++
					fmt.Fprint(w, `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"first","uid":"u"}}`)
				}
			})
			s, err := connect(t.Context(), dialConfig(r.URL), Options{})
			require.NoError(t, err)
			defer s.hangUp()
			res, _ := harness.Run(s.target().Cases[0], harness.Options{TB: t, Seed: 1, Target: "kubeconfig"})
			require.Equal(t, harness.Inconclusive, res.Verdict)
			want := []string{"DELETE /api/v1/namespaces/first", "DELETE /api/v1/namespaces/first/configmaps", "DELETE /apis/autoscaling/v2/namespaces/first/horizontalpodautoscalers"}
			var deleted []string
			for _, c := range changes(r.take()) {
				if strings.HasPrefix(c, "DELETE") {
					deleted = append(deleted, c)
				}
			}
			if name == "refused" {
				require.Contains(t, res.Stack, "may not create namespaces")
				require.Contains(t, res.Stack, "kind: ClusterRole")
				require.ElementsMatch(t, want, deleted, "the second was not made")
				return
			}
			require.Contains(t, res.Reason, "is not known")
			require.Subset(t, deleted, want)
			require.Len(t, deleted, 6, "the second, too")
		})
	}
}

// What could not be removed is said at the end, with what helps.
func TestWhatStaysIsNamed(t *testing.T) {
	r := listen(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodDelete {
			forbid(w)
			return
		}
		fmt.Fprint(w, `{"kind":"NamespaceList","apiVersion":"v1","items":[]}`)
	})
	s := dial(t, r.URL, "")
	ns := namespace("mine", 0, 0)
	s.note(s.remove(t.Context(), &ns))
	require.ErrorContains(t, closed(s), "the namespace mine could not be removed: no: the next run removes it when its heartbeat is 10m0s old, or use `kubectl delete namespace mine`")
}

// What is deleted and only waits is no worker's: it asks for nothing, and says
// what could not even be deleted.
func TestReleaseWaitsForNothing(t *testing.T) {
	r := bare(t, "full", namespace("full", 0, time.Minute), namespace("new", 0, time.Second))
	s := dial(t, r.URL, "")
	s.note(errors.New("the namespace mine could not be removed"))
	require.EqualError(t, s.release(), "the namespace mine could not be removed")
	require.Empty(t, r.take())
	require.ErrorContains(t, closed(s), "there are /api/v1/secrets in it")
}
