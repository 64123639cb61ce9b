// Package rest puts an apiserver.API on HTTP: paths, parameters, bodies and answers as a kube-apiserver
// (v1.36.3 and v1.37.1) was seen to have them, so that client-go, kubectl and others work unmodified.
//
// Serve listens on loopback TCP, ServePipe in memory, which works inside a testing/synctest bubble; Handler
// is for whoever has a listener of their own. Close the HTTP server first, then the API's.
//
//	s := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Types: schemas.Types}) // the schemas are for server-side apply
//	defer s.Close()
//	h, err := rest.Serve(s, rest.Options{})
//	defer h.Close()
//	clients, err := kubernetes.NewForConfig(h.RESTConfig())
//
// Several servers may stand on the views of one store. With Options.Log each request is in a request log; an
// API with faults (package faults) misbehaves over HTTP to the last byte. A body has a minute to come and 3 MiB;
// who is slower with a header than 32 s is let go of.
//
// Served are the verbs of apiserver.API on the resources of its table, as JSON, YAML or (built-in kinds)
// protobuf, whole, as Table or as PartialObjectMetadata; events in both of their groups; discovery, plain and
// aggregated; /version, health, /metrics; the key of service account tokens; reviews of tokens, users and rights; OpenAPI v2
// and v3. Everybody is an administrator, but who brings a token of a service account, which is that, or impersonates somebody,
// unless Options.Authentication is set. Everybody may do everything, unless Options.RBAC is set.
//
// Logs, exec, attach and port-forward of pods are forwarded to the kubelet of the pod's node, and so is the proxy of a node:
// to its InternalIP (else its Hostname) and the port that its status says, by HTTPS with any certificate, or by HTTP where
// the kubelet serves that. The kubelet must let anonymous clients in. Options.DialKubelet connects to kubelets in memory.
//
// API services can only be read. Not served yet: CBOR, compressed watches, proxies to services (503), and WebSockets to kubelets
// older than 1.36, where kubectl goes over to SPDY.
package rest
