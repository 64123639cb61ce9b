package kube

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/internal/full"
)

// namespace is one as the server shows it; deleted ago, zero: it lives.
func namespace(name string, heartbeat, deleted time.Duration) corev1.Namespace {
	ns := corev1.Namespace{}
	ns.Name, ns.ResourceVersion = name, "7"
	ns.UID = types.UID("uid-of-" + name)
	ns.Labels = map[string]string{ownLabel: "true"}
	ns.Annotations = map[string]string{beatNote: time.Now().Add(-heartbeat).UTC().Format(time.RFC3339)}
	ns.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	if deleted != 0 {
		ns.DeletionTimestamp = &metav1.Time{Time: time.Now().Add(-deleted)}
	}
	return ns
}

// bare is a server with these namespaces in which nothing ends them; there is
// a secret in the namespace below.
func bare(t *testing.T, below string, all ...corev1.Namespace) *requests {
	return changing(t, below, func() []corev1.Namespace { return all })
}

// changing is a bare server that asks anew for each list what there is.
func changing(t *testing.T, below string, all func() []corev1.Namespace) *requests {
	return listen(t, func(w http.ResponseWriter, req *http.Request) {
		switch p := req.URL.Path; {
		case p == "/version":
			fmt.Fprint(w, `{"gitVersion":"v1.37.1"}`)
		case p == "/api":
			fmt.Fprint(w, `{"kind":"APIVersions","versions":["v1"]}`)
		case p == "/apis":
			fmt.Fprint(w, `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
		case p == "/api/v1":
			fmt.Fprint(w, `{"kind":"APIResourceList","groupVersion":"v1","resources":[
				{"name":"secrets","namespaced":true,"kind":"Secret","verbs":["get","list"]},
				{"name":"bindings","namespaced":true,"kind":"Binding","verbs":["create"]},
				{"name":"nodes","namespaced":false,"kind":"Node","verbs":["list"]}]}`)
		case req.Method == http.MethodGet && p == "/api/v1/namespaces":
			showNamespaces(w, all()...)
		case strings.HasSuffix(p, "/secrets"):
			fmt.Fprintf(w, `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[{"metadata":{"namespace":%q}}]}`, below)
		default:
			fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)
		}
	})
}

func showNamespaces(w http.ResponseWriter, all ...corev1.Namespace) {
	b, _ := json.Marshal(corev1.NamespaceList{TypeMeta: metav1.TypeMeta{Kind: "NamespaceList", APIVersion: "v1"}, Items: all})
	_, _ = w.Write(b)
}

// changes are the requests that change something.
func changes(all []string) []string {
	var out []string
	for _, r := range all {
		if !strings.HasPrefix(r, "GET ") && !strings.Contains(r, "dryRun=All") && !strings.HasPrefix(r, "POST "+reviews) {
			line, _, _ := strings.Cut(r, "\n")
			out = append(out, line)
		}
	}
	return out
}

func TestOnlyDeadNamespacesAreRemoved(t *testing.T) {
	unread, none := namespace("unread", 0, 0), namespace("none", 0, 0)
	unread.Annotations[beatNote] = "yesterday"
	none.Annotations = nil
	r := bare(t, "", namespace("dead", 11*time.Minute, 0), namespace("alive", 9*time.Minute, 0), namespace("going", 11*time.Minute, time.Minute), unread, none)
	s, err := connect(t.Context(), dialConfig(r.URL), Options{})
	require.NoError(t, err)
	defer s.hangUp()
	asked := r.take()
	require.Equal(t, []string{"DELETE /api/v1/namespaces/dead"}, changes(asked))
	all := strings.Join(asked, "\n")
	require.Contains(t, all, "GET /api/v1/namespaces?labelSelector=lwtest.github.io%2Fowned%3Dtrue\n", "no other is even seen")
	require.Contains(t, all, `"preconditions":{"uid":"uid-of-dead","resourceVersion":"7"}`, "a heartbeat that comes now saves it")
}

func TestCloseFinalizesWhatNobodyEnds(t *testing.T) {
	unmarked := namespace("unmarked", 0, time.Minute)
	unmarked.Annotations = nil // whatever its label says, lwtest did not make it
	r := bare(t, "", namespace("old", 0, time.Minute), unmarked, namespace("alive", 0, 0))
	s := dial(t, r.URL, "")
	require.NoError(t, closed(s))
	asked := r.take()
	require.Equal(t, []string{"DELETE /api/v1/namespaces/old/configmaps", "PUT /api/v1/namespaces/old/finalize"}, changes(asked))
	for _, a := range asked {
		if strings.HasPrefix(a, "PUT") {
			require.Contains(t, a, `"spec":{}`, "without finalizers")
			require.Contains(t, a, `"resourceVersion":"7"`, "and only as it was seen")
		}
	}
}

// A finalizer that is not the namespace controller's is somebody else's to remove.
func TestCloseLeavesForeignFinalizers(t *testing.T) {
	guarded := namespace("guarded", 0, time.Minute)
	guarded.Spec.Finalizers = append(guarded.Spec.Finalizers, "example.com/guard")
	r := bare(t, "", guarded)
	s := dial(t, r.URL, "")
	require.NoError(t, closed(s))
	asked := strings.Join(r.take(), "\n")
	require.Contains(t, asked, "PUT /api/v1/namespaces/guarded/finalize")
	require.Contains(t, asked, `"spec":{"finalizers":["example.com/guard"]}`)
}

func TestCloseLeavesWhatHasSomethingInIt(t *testing.T) {
	r := bare(t, "full", namespace("full", 0, time.Minute), namespace("empty", 0, time.Minute))
	s := dial(t, r.URL, "")
	require.ErrorContains(t, closed(s), "the namespace full was deleted, but does not go: there are /api/v1/secrets in it")
	require.Equal(t, []string{"DELETE /api/v1/namespaces/full/configmaps", "DELETE /api/v1/namespaces/empty/configmaps", "PUT /api/v1/namespaces/empty/finalize"}, changes(r.take()))
	s.opened = time.Now()
	_, err := s.close()
	require.NoError(t, err, "what was deleted before is no error of this run's")
}

// A namespace that was deleted a moment ago is a controller's for 30 seconds.
func TestCloseGivesAControllerTime(t *testing.T) {
	full.Need(t, "waits for seconds")
	r := bare(t, "", namespace("new", 0, patience-2*time.Second))
	s := dial(t, r.URL, "")
	began := time.Now()
	require.NoError(t, closed(s))
	require.Greater(t, time.Since(began), time.Second)
	require.Contains(t, changes(r.take()), "PUT /api/v1/namespaces/new/finalize")
}

// Where one has waited in vain there is no controller, and the others are not
// left to it.
func TestCloseWaitsForAControllerOnce(t *testing.T) {
	r := bare(t, "", namespace("old", 0, patience+2*time.Second), namespace("new", 0, time.Second))
	s := dial(t, r.URL, "")
	began := time.Now()
	require.NoError(t, closed(s))
	require.Less(t, time.Since(began), patience/2)
	asked := changes(r.take())
	require.Contains(t, asked, "PUT /api/v1/namespaces/old/finalize")
	require.Contains(t, asked, "PUT /api/v1/namespaces/new/finalize")
}

// What others delete while a close waits is theirs: it is not waited for, and
// not finalized, not even under a name that was waited for.
func TestCloseLeavesWhatComesLater(t *testing.T) {
	full.Need(t, "waits for seconds")
	first := []corev1.Namespace{namespace("new", 0, patience-3*time.Second), namespace("again", 0, time.Second)}
	twin := first[1]
	twin.UID = "another"
	var lists atomic.Int32
	r := changing(t, "", func() []corev1.Namespace {
		if lists.Add(1) == 1 {
			return first
		}
		return []corev1.Namespace{first[0], twin, namespace("others", 0, 2*time.Minute), namespace("fresh", 0, time.Second)}
	})
	s := dial(t, r.URL, "")
	began := time.Now()
	require.NoError(t, closed(s))
	require.Less(t, time.Since(began), patience/2, "fresh is not waited for")
	require.Greater(t, lists.Load(), int32(1), "it has waited")
	require.Equal(t, []string{"DELETE /api/v1/namespaces/new/configmaps", "PUT /api/v1/namespaces/new/finalize"}, changes(r.take()))
}

func TestNamesBeginAlikeAndDiffer(t *testing.T) {
	a, b := baseName("run-watch-ordered"), baseName("run-watch-ordered")
	require.Regexp(t, `^lwtest-[a-z0-9]{10}-[0-9a-f]{8}$`, a)
	require.NotEqual(t, a, b, "two runs without an ID")
	require.Equal(t, a[len(a)-8:], b[len(b)-8:], "the same check")
}

// closed closes, and wants nothing to be late.
func closed(s *server) error {
	late, err := s.close()
	if err == nil && late != "" {
		return errors.New("late: " + late)
	}
	return err
}
