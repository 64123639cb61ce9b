// Package apiserver is a kube-apiserver fake: an MVCC store of Kubernetes objects behind a small
// interface of runtime.Objects. Package rest puts it on HTTP.
//
// It can be used by anyone as an ordinary test server. It needs nothing but apimachinery and the API
// types, keeps everything in memory, reads time from package time alone and waits on channels alone,
// so that it works inside a testing/synctest bubble.
//
// What it answers follows what a real kube-apiserver (v1.36.3 and v1.37.1) was seen to: statuses, reasons and
// messages, resourceVersion modes, continue tokens, bookmarks, transitions of selectors, finalizers;
// testdata/answers.txt and rest/testdata are what v1.37.1 said to more than three thousand requests. What is
// particular to a resource is in its row of the table (Resources): defaults, subresources, generation, grace, fields that can be selected. Of what is not metadata it refuses what
// clients meet first (see check.go), not all that a kube-apiserver does: what changes in the source of a volume, what a claim is filled
// from, and few of the ranges and families of addresses are judged, and few warnings are given. Of the kinds that Unvalidated names
// only metadata is checked; docs/fidelity.md lists them. They are defaulted and shown as a
// kube-apiserver does, but have no effect here: quotas, limits, default classes and the finalizers of volumes are there if
// Options.Admission says so, and no role forbids anything.
//
// With Options.Webhooks, admission webhooks are asked and conversion webhooks convert, as by a kube-apiserver: rules, scopes,
// selectors, failure, reinvocation and match policies, dry runs, timeouts. Not so: CONNECT and
// tokens are put to nobody, nor are the deletes of Options.NamespaceController, events are shown as events.k8s.io/v1 alone, only AdmissionReview and ConversionReview v1 are spoken, and what a webhook changes is not told apart
// from the fields of the client. Without it none is called.
//
// With Options.CEL, rules of definitions, matchConditions and ValidatingAdmissionPolicies are evaluated; see package
// github.com/lwtest/lwtest/fakes/apiserver/cel. Without it rules and policies mean nothing, and matchConditions are taken to be true.
//
// Server-side apply merges as apimachinery does. With Options.ManagedFields each object has managedFields from its creation on, but those
// that the server creates for itself, which have them from the first write of another on. Without it, so that writes stay cheap, managedFields are shown only of
// objects that somebody has applied (or that were written with some). Until then the server remembers who wrote what,
// and the first apply finds the managers that a kube-apiserver would have named since the creation: what others wrote is
// theirs, and stays when somebody goes over from client-side apply. Several writes of one manager one after the
// other count as one. From then on every write keeps them. "before-first-apply" manages what was there when a
// client took managedFields away, as it is there.
//
// Two things are forgotten apart from each other, by the clock and the count or on demand: the changes
// that watches resume from, which each cache keeps (View.ForgetEvents), and the states that exact lists and
// continue tokens ask for, which the store keeps (Server.Compact). A Server is one store and one View of
// it, an API server with caches of its own; AddView makes more. A view's caches can lag (SetLag), not be
// ready (StopCache, StartCache) and begin anew (Restart).
//
//	s := apiserver.New(apiserver.Options{})
//	defer s.Close()
//	cm, err := apiserver.ConfigMaps(s, "default").Create(ctx, obj, metav1.CreateOptions{})
package apiserver
