package rest_test

import (
	"slices"
	"strings"
)

const (
	asTable   = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io"
	asPartial = "Accept: application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	asList    = "Accept: application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
	inProto   = "Accept: application/vnd.kubernetes.protobuf"
	inYAML    = "Accept: application/yaml"
	asAll     = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	sendYAML  = "Content-Type: application/yaml"
	sendProto = "Content-Type: application/vnd.kubernetes.protobuf"
	sendText  = "Content-Type: text/plain"
	sendNone  = "Content-Type:"
	sendMerge = "Content-Type: application/merge-patch+json"
	strategic = "Content-Type: application/strategic-merge-patch+json"
)

// httpParts are about paths, methods, bodies, forms of answers, parameters.
var httpParts = slices.Concat(httpWrites, httpReads)

// httpWrites are about paths, methods and what is written.
var httpWrites = []showing{
	{"list/body http/headers", asked([]ask{
		{"GET", "{CM}", "", ""},
		{"GET", "{CM}/", "", ""},
	})},
	{"http/not-found", asked([]ask{
		{"GET", "/api/v1/nosuch", "", ""},
		{"GET", "/api/v1/namespaces/default/nosuch", "", ""},
		{"GET", "/api/v1/namespaces/default/nosuch/x", "", ""},
	})},
	{"list/namespace-missing", asked([]ask{
		{"GET", "/api/v1/namespaces/nosuch/configmaps", "", ""},
	})},
	{"http/not-found", asked([]ask{
		{"GET", "/api/v2", "", ""},
		{"GET", "/api/v2/configmaps", "", ""},
		{"GET", "/apis/coordination.k8s.io/v9/leases", "", ""},
		{"GET", "/apis/coordination.k8s.io/v9", "", ""},
	})},
	{"http/no-page", asked([]ask{
		{"GET", "/apis/nosuch.example.com", "", ""},
		{"GET", "/apis/nosuch.example.com/v1", "", ""},
		{"GET", "/apis/nosuch.example.com/v1/widgets", "", ""},
		{"GET", "/apis/probe.example.com/v9/widgets", "", ""},
		{"GET", "/apis/probe.example.com/v1/nosuch", "", ""},
		{"GET", "/nosuch", "", ""},
	})},
	{"http/not-found status/shape", asked([]ask{
		{"GET", "/api/v1/configmaps/a", "", ""},
		{"GET", "/api/v1/namespaces/default/namespaces", "", ""},
		{"GET", "{CM}/a/nosuch", "", ""},
		{"GET", "{CM}/a/b/c", "", ""},
	})},
	{"http/method status/shape", asked([]ask{
		{"PUT", "{CM}", "", "{}"},
		{"PATCH", "{CM}", sendMerge, "{}"},
		{"POST", "{CM}/a", "", "{}"},
		{"HEAD", "{CM}", "", ""},
		{"OPTIONS", "{CM}", "", ""},
		{"FOO", "{CM}", "", ""},
		{"FOO", "{CM}/a", "", ""},
		{"POST", "/api/v1/configmaps", "", "{}"},
		{"DELETE", "/api/v1/configmaps", "", ""},
		{"DELETE", "{NS}", "", ""},
		{"POST", "/api/v1/watch/configmaps", "", "{}"},
		{"POST", "/api/v1/nosuch", "", "{}"},
		{"PUT", "{WI}", "", "{}"},
		{"PATCH", "{WI}", sendMerge, "{}"},
		{"PUT", "/apis/probe.example.com/v1/widgets", "", "{}"},
		{"POST", "{WI}/a", "", "{}"},
		{"OPTIONS", "{WI}", "", ""},
		{"FOO", "{WI}", "", ""},
		{"POST", "/apis/probe.example.com/v1/widgets", "", "{}"},
		{"DELETE", "/apis/probe.example.com/v1/widgets", "", ""},
		{"GET", "/apis/probe.example.com/v1/widgets/a", "", ""},
	})},
	{"write/create http/content-type write/exists", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"a","labels":{"k":"v"}},"data":{"n":"1"}}`},
		{"POST", "{CM}", "", `{"metadata":{"name":"a"}}`},
		{"POST", "{CM}", sendNone, `{"metadata":{"name":"untyped"}}`},
		{"POST", "{CM}", "Content-Type: application/json; charset=utf-8", `{"metadata":{"name":"charset"}}`},
	})},
	{"http/content-type patch/media", asked([]ask{
		{"POST", "{CM}", "Content-Type: ;;", `{"metadata":{"name":"bad"}}`},
		{"POST", "{CM}", sendText, `{}`},
		{"POST", "{CM}", "Content-Type: application/cbor", `{}`},
		{"PUT", "{CM}/a", sendText, `{}`},
		{"DELETE", "{CM}/a", sendText, `{}`},
		{"DELETE", "{CM}/nosuch", sendText, ``},
		{"PATCH", "{CM}/a", sendText, `{}`},
		{"PATCH", "{CM}/a", sendNone, `{}`},
		{"PATCH", "{CM}/a", "Content-Type: application/json", `{}`},
		{"PATCH", "{CM}/a", sendMerge + "; charset=utf-8", `{"data":{"n":"2"}}`},
		{"POST", "{CM}", sendYAML, "metadata:\n  name: yaml\ndata: {n: \"1\"}\n"},
		{"POST", "{CM}", sendYAML, "metadata: ["},
		{"POST", "{CM}", sendProto, `{}`},
		{"POST", "{CM}", sendProto, "k8s\x00"},
		{"POST", "{CM}", sendProto, "k8s\x00\xff\xff"},
	})},
	{"write/empty write/no-name", asked([]ask{
		{"POST", "{CM}", "", ``},
		{"POST", "{CM}", "", `{`},
		{"POST", "{CM}", "", `{"metadata":{"name":"cut`},
		{"POST", "{CM}", "", `null`},
		{"POST", "{CM}", "", `[]`},
		{"POST", "{CM}", "", `"text"`},
		{"POST", "{CM}", "", `{} {}`},
		{"POST", "{CM}", "", `{"kind":5}`},
	})},
	{"write/wrong-kind", asked([]ask{
		{"POST", "{CM}", "", `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s"}}`},
		{"POST", "{CM}", "", `{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"s"}}`},
		{"POST", "{CM}", "", `{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"s"}}`},
		{"POST", "{CM}", "", `{"kind":"Foo","apiVersion":"v1","metadata":{"name":"s"}}`},
		{"POST", "{CM}", "", `{"kind":"Foo","apiVersion":"a/b/c","metadata":{"name":"s"}}`},
		{"POST", "{CM}", "", `{"kind":"ConfigMapList","apiVersion":"v1","items":[]}`},
	})},
	{"write/wrong-type", asked([]ask{
		{"POST", "{CM}", "", `{"kind":"ConfigMap","metadata":{"name":"s"},"data":{"k":5}}`},
		{"POST", "{CM}", "", `{"metadata":{"name":5}}`},
		{"POST", "{CM}", "", `{"metadata":5}`},
		{"POST", "{CM}", "", `{"metadata":{"name":"d"},"x":` + strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001) + `}`},
	})},
	{"write/too-big", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"big"},"data":{"k":"` + strings.Repeat("x", 3<<20) + `"}}`},
		{"PUT", "{CM}/a", "", strings.Repeat("x", 3<<20+1)},
		{"PATCH", "{CM}/a", sendMerge, strings.Repeat("x", 3<<20+1)},
		{"DELETE", "{CM}/a", "", strings.Repeat("x", 3<<20+1)},
	})},
	{"write/namespace-differs", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"x","namespace":"other"}}`},
	})},
	{"write/namespace-missing", asked([]ask{
		{"POST", "{NS}/nosuch/configmaps", "", `{"metadata":{"name":"x"}}`},
	})},
	{"write/create-version status/bare", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"x","resourceVersion":"5"}}`},
	})},
	{"write/wrong-kind", asked([]ask{
		{"POST", "{LE}", "", `{"kind":"Lease","apiVersion":"v1","metadata":{"name":"x"}}`},
	})},
	{"write/wrong-type", asked([]ask{
		{"POST", "{LE}", "", `{"metadata":{"name":"x"},"spec":{"leaseDurationSeconds":"x"}}`},
	})},
	{"write/create-on-update", asked([]ask{
		{"PUT", "{LE}/made", "", `{"metadata":{"name":"made"},"spec":{"leaseDurationSeconds":5}}`},
		{"PUT", "{LE}/made", "", `{"metadata":{"name":"made"},"spec":{"leaseDurationSeconds":6}}`},
		{"PUT", "{EV}/made", "", `{"metadata":{"name":"made"},"involvedObject":{"namespace":"default"}}`},
	})},
	{"write/missing", asked([]ask{
		{"PUT", "{CM}/made", "", `{"metadata":{"name":"made"}}`},
	})},
	{"write/put-name", asked([]ask{
		{"PUT", "{CM}/a", "", `{"metadata":{"name":"b"}}`},
		{"PUT", "{CM}/a", "", `{}`},
	})},
	{"write/wrong-kind", asked([]ask{
		{"PUT", "{CM}/a", "", `{"kind":"Secret","apiVersion":"v1"}`},
	})},
	{"write/put-unconditional", asked([]ask{
		{"PUT", "{CM}/a", "", `{"metadata":{"name":"a","labels":{"k":"w"}},"data":{"n":"3"}}`},
	})},
	{"write/put-stale status/kind", asked([]ask{
		{"PUT", "{CM}/a", "", `{"metadata":{"name":"a","resourceVersion":"1"}}`},
	})},
	{"write/field-validation", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"w1"},"spam":1}`},
		{"POST", "{CM}", "", `{"metadata":{"name":"w2","spam":1},"data":{"a":"1"},"data":{"b":"1"},"ham":{}}`},
		{"POST", "{CM}?fieldValidation=Warn", "", `{"metadata":{"name":"w3"},"spam":1}`},
		{"POST", "{CM}?fieldValidation=Ignore", "", `{"metadata":{"name":"w4"},"spam":1}`},
		{"POST", "{CM}?fieldValidation=Strict", "", `{"metadata":{"name":"w5"},"spam":1,"data":{},"data":{}}`},
		{"POST", "{CM}?fieldValidation=Strict", sendYAML, "metadata: {name: w6}\nspam: 1\n"},
		{"POST", "{CM}?fieldValidation=Foo", "", `{"metadata":{"name":"w7"},"spam":1}`},
		{"PUT", "{CM}/a?fieldValidation=Foo", "", `{"metadata":{"name":"a"},"spam":1}`},
		{"PUT", "{CM}/a?fieldValidation=Strict", "", `{"metadata":{"name":"a"},"spam":1}`},
		{"PUT", "{CM}/a", "", `{"metadata":{"name":"a"},"spam":1}`},
	})},
	{"write/dry-run", asked([]ask{
		{"POST", "{CM}?dryRun=All", "", `{"metadata":{"name":"dry"}}`},
	})},
	{"write/dry-run-unknown", asked([]ask{
		{"POST", "{CM}?dryRun=Some", "", `{`},
		{"POST", "{CM}?dryRun=", "", `{"metadata":{"name":"dry"}}`},
		{"PUT", "{CM}/a?dryRun=Some", "", `{`},
	})},
	{"write/field-validation", asked([]ask{
		{"PATCH", "{CM}/a", sendMerge, `{"spam":1}`},
		{"PATCH", "{CM}/a", sendMerge, `{"spam":null}`},
		{"PATCH", "{CM}/a", sendMerge, `{"data":{"x":"1"},"data":{"y":"1"},"spam":{"ham":1}}`},
		{"PATCH", "{CM}/a?fieldValidation=Ignore", sendMerge, `{"spam":1}`},
		{"PATCH", "{CM}/a?fieldValidation=Strict", sendMerge, `{"spam":1}`},
		{"PATCH", "{CM}/nosuch?fieldValidation=Strict", sendMerge, `{"spam":1}`},
		{"PATCH", "{CM}/a?fieldValidation=Strict", strategic, `{"spam":1}`},
		{"PATCH", "{CM}/a?fieldValidation=Foo", sendMerge, `{"spam":1}`},
	})},
	{"write/dry-run-unknown", asked([]ask{
		{"PATCH", "{CM}/a?dryRun=Some", sendMerge, `{`},
	})},
	{"write/field-validation", asked([]ask{
		{"PATCH", "{CM}/a", strategic, `{"spam":1,"metadata":{"ham":1}}`},
		{"PATCH", "{CM}/a", strategic, `{"data":{"x":"1"},"data":{"y":"1"}}`},
		{"PATCH", "{CM}/a", "Content-Type: application/json-patch+json", `[{"op":"add","path":"/spam","value":1}]`},
		{"PATCH", "{CM}/a?fieldValidation=Strict", "Content-Type: application/json-patch+json", `[{"op":"add","path":"/spam","value":1}]`},
	})},
	{"delete/missing", asked([]ask{
		{"DELETE", "{CM}/nosuch", "", ""},
	})},
	{"delete/namespace", asked([]ask{
		{"DELETE", "{NS}/default", "", ""},
		{"DELETE", "{NS}/default", "", `{"preconditions":{"uid":"abc"}}`},
		{"DELETE", "{NS}/kube-system", "", ""},
		{"DELETE", "{NS}/kube-public?dryRun=All", "", ""},
	})},
	{"delete/missing", asked([]ask{
		{"DELETE", "{NS}/nosuch", "", ""},
	})},
	{"delete/options", asked([]ask{
		{"DELETE", "{CM}/a", "", `{`},
		{"DELETE", "{CM}/a", "", `[]`},
		{"DELETE", "{CM}/a", "", `{"kind":"Foo","apiVersion":"v1"}`},
		{"DELETE", "{CM}/a", "", `{"kind":"ConfigMap","apiVersion":"v1"}`},
		{"DELETE", "{CM}/a", "", `{"kind":"DeleteOptions","apiVersion":"v2","dryRun":["All"]}`},
		{"DELETE", "{CM}/a", "", `{"gracePeriodSeconds":"x"}`},
		{"DELETE", "{CM}/a", "", `{"propagationPolicy":"Foo"}`},
		{"DELETE", "{CM}/a?propagationPolicy=Foo", "", ``},
		{"DELETE", "{CM}/a?gracePeriodSeconds=x", "", ``},
	})},
	{"write/dry-run", asked([]ask{
		{"DELETE", "{CM}/a?dryRun=All", "", ``},
	})},
	{"delete/options-unknown", asked([]ask{
		{"DELETE", "{CM}/a", "", `{"dryRun":["All"],"spam":1}`},
	})},
	{"delete/options", asked([]ask{
		{"DELETE", "{CM}/a", "", `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]}`},
		{"DELETE", "{CM}/a", "", `{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}`},
		{"DELETE", "{CM}/a", "", `{"kind":"DeleteOptions","apiVersion":"apps/v1","dryRun":["All"]}`},
	})},
	{"delete/preconditions status/kind", asked([]ask{
		{"DELETE", "{CM}/a", "", `{"preconditions":{"uid":"abc"}}`},
	})},
	{"delete/propagation delete/last-finalizer", asked([]ask{
		{"POST", "{CM}", "", `{"metadata":{"name":"held","finalizers":["example.com/f"]}}`},
		{"DELETE", "{CM}/held?orphanDependents=false", "", ``},
		{"PATCH", "{CM}/held", sendMerge, `{"metadata":{"finalizers":null}}`},
	})},
	{"delete/answer", asked([]ask{
		{"DELETE", "{CM}/untyped", "", ``},
	})},
}
