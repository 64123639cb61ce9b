package kube

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// of is a namespace of a check.
func of(name, id, resource string) corev1.Namespace {
	ns := namespace(name, 0, 0)
	ns.Annotations[caseNote], ns.Annotations[ofNote] = id, resource
	return ns
}

// keeper is a server that forgets what is deleted; what comes late it shows
// from the second list on.
func keeper(t *testing.T, late []corev1.Namespace, all ...corev1.Namespace) *requests {
	var mu sync.Mutex
	return listen(t, func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, path, _ := strings.Cut(req.URL.Path, "/api/v1/namespaces")
		switch name, below, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); {
		case req.Method == http.MethodGet && name == "":
			showNamespaces(w, all...)
			all, late = append(all, late...), nil
		case req.Method == http.MethodDelete && name == "locked":
			forbid(w)
		case req.Method == http.MethodDelete && below == "":
			all = slices.DeleteFunc(all, func(ns corev1.Namespace) bool { return ns.Name == name })
			done(w, req)
		case req.Method == http.MethodGet:
			fmt.Fprint(w, `{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`)
		default:
			done(w, req)
		}
	})
}

// Only what carries the run's ID goes, and only what this target can empty.
func TestSweepRemovesWhatTheRunHasLeft(t *testing.T) {
	going := of("going", "run1-watch", "configmaps")
	going.DeletionTimestamp = namespace("", 0, time.Minute).DeletionTimestamp
	foreign := of("foreign", "run1-watch", "configmaps")
	foreign.Annotations = nil
	r := keeper(t, []corev1.Namespace{of("late", "run1-list", "configmaps")},
		of("one", "run1-watch", "configmaps"), of("two", "run1-list", "configmaps"), of("other", "run2-watch", "configmaps"),
		of("longer", "run12-watch", "configmaps"), of("lease", "run1-watch", "leases"), of("old", "run1-watch", ""), going, foreign)
	s := dial(t, r.URL, "")
	said, err := s.sweep(t.Context(), "run1")
	require.NoError(t, err)
	require.Equal(t, "deleted 3 namespaces of checks that could not end", said)
	var deleted []string
	for _, c := range changes(r.take()) {
		if !strings.HasSuffix(c, "/configmaps") {
			deleted = append(deleted, strings.TrimPrefix(c, "DELETE /api/v1/namespaces/"))
		}
	}
	require.Equal(t, []string{"one", "two", "late"}, deleted, "what comes while it clears up, too")

	said, err = s.sweep(t.Context(), "run1")
	require.NoError(t, err)
	require.Empty(t, said, "nothing is left")
	require.Empty(t, changes(r.take()))
	said, err = s.sweep(t.Context(), "")
	require.NoError(t, err)
	require.Empty(t, said, "no run is every run")
}

// What cannot be removed is named, the rest goes.
func TestSweepNamesWhatStays(t *testing.T) {
	r := keeper(t, nil, of("locked", "run1-watch", "configmaps"), of("one", "run1-watch", "configmaps"))
	s := dial(t, r.URL, "")
	said, err := s.sweep(t.Context(), "run1")
	require.Equal(t, "deleted 1 namespace of a check that could not end", said)
	require.ErrorContains(t, err, "the namespace locked could not be removed")
	require.ErrorContains(t, err, "kubectl delete namespace locked")

	r = listen(t, func(w http.ResponseWriter, _ *http.Request) { forbid(w) })
	said, err = dial(t, r.URL, "").sweep(t.Context(), "run1")
	require.Empty(t, said)
	require.ErrorContains(t, err, "lwtest cannot find out whether the run has left namespaces")
	require.ErrorContains(t, err, "kubectl get namespaces -l lwtest.github.io/owned=true")
}

// What a check makes carries what a sweep looks for.
func TestMarksAreThoseThatASweepLooksFor(t *testing.T) {
	s := dial(t, listen(t, done).URL, "leases")
	ns := namespace("mine", 0, 0)
	s.mark(&ns, "run1-watch-ordered")
	r := keeper(t, nil, ns)
	found, err := dial(t, r.URL, "leases").leftBy(t.Context(), "run1")
	require.NoError(t, err)
	require.Len(t, found, 1)
}
