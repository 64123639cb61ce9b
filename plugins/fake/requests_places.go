package fake

import (
	"net/http"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
)

// A history does not say which namespaces there are: to the rules one is there for ever once something was made in
// it. So what was refused because its namespace was not there is in the history only where nobody had ended that.

// place is what was done to a namespace, in the order of the log.
type place struct{ ended, begun []*ask }

// places notes what is done to namespaces.
func (t *translation) places(a *ask) {
	of, name := &place{}, a.Name
	if a.Verb == "create" {
		var o metav1.PartialObjectMetadata
		_ = decode(a.Object, &o) // what has no name is no namespace that anybody asks for
		name = o.Name
	}
	if t.place[name] != nil {
		of = t.place[name]
	}
	t.place[name] = of
	switch a.Verb {
	case "create":
		of.begun = append(of.begun, a)
	case "delete":
		of.ended = append(of.ended, a)
	}
}

// ofNamespaces says that a request makes a namespace, or ends one.
func ofNamespaces(e *requestlog.Entry) bool {
	return resourceOf(e) == corev1.Resource("namespaces") && e.Subresource == "" && (e.Verb == "create" || e.Verb == "delete")
}

// noPlace says that an answer is about the namespace: it is not there.
func noPlace(a *ask, e *requestlog.Entry) bool {
	var s metav1.Status
	return e.Code == http.StatusNotFound && decode(e.Object, &s) == nil && s.Details != nil && s.Details.Kind == "namespaces" && s.Details.Name == a.Namespace && a.Namespace != ""
}

// mayBeAway says that the namespace of a request may not have been there while it was under way: somebody had deleted
// it, and it was not made again after that.
func (t *translation) mayBeAway(a *ask) bool {
	p := t.place[a.Namespace]
	return p != nil && slices.ContainsFunc(p.ended, func(end *ask) bool {
		return end.changes() && end.N < a.until && !slices.ContainsFunc(p.begun, func(b *ask) bool {
			return b.done != nil && b.changes() && end.until != 0 && end.until < b.N && b.until != 0 && b.until < a.N
		})
	})
}

// changes says that a request may have done something: it was not refused, and is no dry run.
func (a *ask) changes() bool {
	var o args
	return a.refusal == 0 && decode(a.Options, &o) == nil && len(o.DryRun) == 0
}
