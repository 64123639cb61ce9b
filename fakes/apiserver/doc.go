// Package apiserver is a kube-apiserver fake: an MVCC store of Kubernetes objects behind a small
// interface of runtime.Objects, without HTTP.
//
// It can be used by anyone as an ordinary test server. It needs nothing but apimachinery and the API
// types, keeps everything in memory, reads time from package time alone and waits on channels alone,
// so that it works inside a testing/synctest bubble.
//
// What it answers follows what a real kube-apiserver (v1.36.3 and v1.37.1) was seen to: statuses, reasons and
// messages, resourceVersion modes, continue tokens, bookmarks, transitions of selectors, finalizers;
// testdata/answers.txt is what v1.37.1 said to some hundred requests. Not built yet: HTTP, subresources,
// server-side apply and managed fields, defaulting and validation of what is not metadata, graceful
// deletion of pods, termination of namespaces.
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
