package rest_test

import "strings"

// httpReads are about what is read: parameters, forms of answers, discovery.
var httpReads = []showing{
	{"list/selector-garbage", asked([]ask{
		{"DELETE", "{CM}?labelSelector=a==", "", ``},
	})},
	{"delete/collection", asked([]ask{
		{"DELETE", "{CM}?fieldSelector=metadata.name=charset", "", ``},
	})},
	{"get/version", asked([]ask{
		{"GET", "{CM}/a", "", ""},
	})},
	{"watch/get", asked([]ask{
		{"GET", "{CM}/a?watch=1", "", ""},
	})},
	{"status/kind", asked([]ask{
		{"GET", "{CM}/nosuch", "", ""},
	})},
	{"get/garbage status/bare", asked([]ask{
		{"GET", "{CM}/a?resourceVersion=xyz", "", ""},
	})},
	{"list/timeout", asked([]ask{
		{"GET", "{CM}/a?timeout=1x", "", ""},
		{"GET", "{CM}?timeout=1x", "", ""},
	})},
	{"list/limit-garbage", asked([]ask{
		{"GET", "{CM}?limit=x", "", ""},
		{"GET", "{CM}?timeoutSeconds=x", "", ""},
	})},
	{"page/remaining token/shape", asked([]ask{
		{"GET", "{CM}?limit=1", "", ""},
	})},
	{"list/selector-garbage", asked([]ask{
		{"GET", "{CM}?labelSelector=a==b==c", "", ""},
		{"GET", "{CM}?fieldSelector=a", "", ""},
	})},
	{"list/field-unknown", asked([]ask{
		{"GET", "{CM}?fieldSelector=spec.foo=1", "", ""},
	})},
	{"watch/boolean", asked([]ask{
		{"GET", "{CM}?watch=0&limit=1", "", ""},
		{"GET", "{CM}?watch=false&limit=1", "", ""},
	})},
	{"list/parameters", asked([]ask{
		{"GET", "{CM}?spam=1&limit=1", "", ""},
	})},
	{"list/global-version", asked([]ask{
		{"GET", "/api/v1/configmaps?fieldSelector=metadata.name=a", "", ""},
	})},
	{"list/future future/list", asked([]ask{
		{"GET", "{CM}?resourceVersion=9000000000000000000", "", ""},
		{"GET", "{CM}?resourceVersion=9000000000000000000", inProto, ""},
	})},
	{"future/get", asked([]ask{
		{"GET", "{CM}/a?resourceVersion=9000000000000000000", "", ""},
	})},
	{"future/uncached", asked([]ask{
		{"GET", "{EV}?resourceVersion=9000000000000000000", "", ""},
	})},
	{"future/initial", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=9&resourceVersion=9000000000000000000&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "", ""},
		{"GET", "{CM}?watch=1&timeoutSeconds=9&resourceVersion=9000000000000000000&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", asTable, ""},
	})},
	{"continue/garbage", asked([]ask{
		{"GET", "{CM}?continue=xyz", "", ""},
	})},
	{"options/list-initial", asked([]ask{
		{"GET", "{CM}?sendInitialEvents=true", "", ""},
	})},
	{"options/match-alone", asked([]ask{
		{"GET", "{CM}?resourceVersionMatch=Exact", "", ""},
	})},
	{"watch/state watch/lines watch/chunked", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=1", "", ""},
	})},
	{"watch/boolean", asked([]ask{
		{"GET", "{CM}?watch=t&timeoutSeconds=1&fieldSelector=metadata.name=a", "", ""},
		{"GET", "{CM}?watch=yes&timeoutSeconds=1&fieldSelector=metadata.name=a", "", ""},
		{"GET", "{CM}?watch=&timeoutSeconds=1&fieldSelector=metadata.name=a", "", ""},
	})},
	{"watch/timeout", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=x", "", ""},
	})},
	{"watch/garbage", asked([]ask{
		{"GET", "{CM}?watch=1&resourceVersion=xyz", "", ""},
	})},
	{"options/watch-match-unknown", asked([]ask{
		{"GET", "{CM}?watch=1&resourceVersionMatch=Exact", "", ""},
	})},
	{"watch/one", asked([]ask{
		{"GET", "/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1", "", ""},
		{"GET", "/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1&fieldSelector=metadata.name=b", "", ""},
		{"GET", "/api/v1/watch/namespaces/default/configmaps?timeoutSeconds=1&labelSelector=none", "", ""},
		{"GET", "/api/v1/watch/configmaps?timeoutSeconds=1&fieldSelector=metadata.name=a", "", ""},
		{"GET", "/api/v1/watch/namespaces/nosuch?timeoutSeconds=1", asPartial, ""},
	})},
	{"watch/initial-end partial/object", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", asPartial, ""},
	})},
	{"http/watch-media http/not-acceptable", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a", inProto + ";stream=watch", ""},
		{"GET", "{CM}?watch=1&timeoutSeconds=1", inYAML, ""},
		{"GET", "{CM}?watch=1&timeoutSeconds=1", "Accept: text/html", ""},
	})},
	{"http/pretty watch/lines", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=a&pretty=1", "", ""},
	})},
	{"table/watch table/include", asked([]ask{
		{"GET", "{CM}?watch=1&timeoutSeconds=1", asTable, ""},
		{"GET", "{CM}?watch=1&timeoutSeconds=1&includeObject=Foo", asTable, ""},
	})},
	{"http/accept", asked([]ask{
		{"GET", "{CM}/a", inYAML, ""},
		{"GET", "{CM}/a", inProto, ""},
		{"GET", "{CM}/nosuch", inProto, ""},
		{"GET", "{CM}/nosuch", inYAML, ""},
	})},
	{"http/not-acceptable", asked([]ask{
		{"GET", "{CM}/a", "Accept: text/html", ""},
		{"GET", "{CM}", "Accept: text/html", ""},
		{"POST", "{CM}", "Accept: text/html", "{}"},
		{"PUT", "{CM}/a", "Accept: text/html", "{}"},
		{"DELETE", "{CM}/a", "Accept: text/html", ""},
		{"PATCH", "{CM}/a", "Accept: text/html\n" + sendMerge, "{}"},
		{"PATCH", "{CM}/a", "Accept: text/html\n" + sendText, "{}"},
	})},
	{"http/accept", asked([]ask{
		{"GET", "{CM}/a", "Accept: text/html, */*;q=0.1", ""},
		{"GET", "{CM}/a", "Accept: application/*", ""},
		{"GET", "{CM}/a", "Accept: application/yaml;q=0.5, application/json;q=0.4", ""},
	})},
	{"http/not-acceptable", asked([]ask{
		{"GET", "{CM}/a", "Accept: application/cbor", ""},
		{"GET", "{CM}/a", "Accept: application/json;as=Foo;v=v1;g=meta.k8s.io", ""},
		{"GET", "{CM}/a", "Accept: application/json;as=Foo;v=v1;g=meta.k8s.io, application/json", ""},
		{"GET", "{CM}/a", "Accept: application/json;as=Table;v=v9;g=meta.k8s.io", ""},
		{"GET", "{CM}/a", inProto + ";as=Table;v=v1;g=meta.k8s.io", ""},
		{"GET", "{CM}/a", "Accept: application/json;stream=foo", ""},
		{"GET", "{CM}/a", "Accept: application/json;sv=v1", ""},
		{"GET", "{CM}/a", "Accept: application/json;spam=1", ""},
	})},
	{"partial/object", asked([]ask{
		{"GET", "{CM}/a", asPartial, ""},
		{"GET", "{CM}/a", strings.Replace(asPartial, "v=v1", "v=v1beta1", 1), ""},
	})},
	{"partial/shape", asked([]ask{
		{"GET", "{CM}", asPartial, ""},
		{"GET", "{CM}/a", asList, ""},
	})},
	{"partial/object", asked([]ask{
		{"GET", "{CM}?limit=2", asList, ""},
		{"GET", "{CM}?limit=2", strings.Replace(asList, "v=v1", "v=v1beta1", 1), ""},
		{"GET", "{CM}?labelSelector=none", asList, ""},
		{"GET", "{CM}/nosuch", asPartial, ""},
		{"POST", "{CM}", asPartial, `{"metadata":{"name":"p1"}}`},
		{"DELETE", "{CM}/p1", asPartial, ``},
	})},
	{"table/list table/include", asked([]ask{
		{"GET", "{CM}/a?includeObject=Foo", asTable, ""},
		{"GET", "{CM}/a", asTable, ""},
		{"GET", "{CM}/nosuch", asTable, ""},
	})},
	{"http/pretty", asked([]ask{
		{"GET", "{CM}/nosuch?pretty=1", "", ""},
		{"GET", "{CM}/nosuch?pretty=true", inYAML, ""},
		{"GET", "{CM}/nosuch?pretty=0", "User-Agent: curl/8", ""},
		{"GET", "{CM}/nosuch", "User-Agent: curl/8", ""},
		{"GET", "{CM}/nosuch", "User-Agent: Mozilla/5.0", ""},
		{"GET", "{CM}/nosuch", "Accept: application/json;pretty=1", ""},
	})},
	{"http/gzip", asked([]ask{
		{"GET", "{CM}/nosuch", "Accept-Encoding: gzip", ""},
		{"POST", "{CM}", "Accept-Encoding: gzip", `{"metadata":{"name":"large"},"data":{"k":"` + strings.Repeat("x", 140_000) + `"}}`},
		{"GET", "{CM}/large", "Accept-Encoding: gzip", ""},
		{"GET", "{CM}/large", "Accept-Encoding: br, gzip", ""},
		{"GET", "{CM}/large", "Accept-Encoding: gzip;q=1", ""},
		{"GET", "{CM}?fieldSelector=metadata.name=large", "Accept-Encoding: gzip", ""},
		{"GET", "{CM}/large", "", ""},
	})},
	{"write/create-custom", asked([]ask{
		{"POST", "{WI}", "", `{"metadata":{"name":"a"}}`},
		{"POST", "{WI}", "", ``},
		{"POST", "{WI}", "", `{"kind":"Widget"`},
		{"POST", "{WI}", "", `[]`},
		{"POST", "{WI}", "", `null`},
		{"POST", "{WI}", "", `{"kind":"Widget","metadata":{"name":"a"}}`},
		{"POST", "{WI}", "", `{"kind":"Widget","apiVersion":"probe.example.com/v9","metadata":{"name":"a"}}`},
		{"POST", "{WI}", "", `{"kind":"Foo","apiVersion":"probe.example.com/v1","metadata":{"name":"a"}}`},
		{"POST", "{WI}", "", `{"kind":"Widget","apiVersion":"probe.example.com/v1","metadata":{"name":5}}`},
		{"POST", "{WI}", "", `{"kind":"Widget","apiVersion":"probe.example.com/v1","metadata":{"name":"a","spam":1},"spec":{"x":1,"x":2}}`},
		{"POST", "{WI}?fieldValidation=Strict", "", `{"kind":"Widget","apiVersion":"probe.example.com/v1","metadata":{"name":"b"},"spec":{"x":1,"x":2}}`},
	})},
	{"http/content-type", asked([]ask{
		{"POST", "{WI}", sendYAML, "kind: Widget\napiVersion: probe.example.com/v1\nmetadata: {name: y}\n"},
		{"POST", "{WI}", sendText, "{}"},
	})},
	{"patch/strategic-custom", asked([]ask{
		{"PATCH", "{WI}/a", strategic, "{}"},
	})},
	{"patch/media", asked([]ask{
		{"PATCH", "{WI}/a", sendText, "{}"},
	})},
	{"write/field-validation", asked([]ask{
		{"PATCH", "{WI}/a", sendMerge, `{"spec":{"x":3}}`},
		{"PATCH", "{WI}/a", sendMerge, `{"metadata":{"spam":1},"ham":2}`},
	})},
	{"http/accept-custom", asked([]ask{
		{"GET", "{WI}/a", "", ""},
		{"GET", "{WI}/a", inProto, ""},
		{"GET", "{WI}/a", inProto + ",application/json", ""},
		{"GET", "{WI}/a", "Accept: text/html", ""},
		{"GET", "{WI}/a", inYAML, ""},
		{"GET", "{WI}/a", asPartial, ""},
		{"GET", "{WI}/a", inProto + ";as=PartialObjectMetadata;v=v1;g=meta.k8s.io", ""},
	})},
	{"list/body-custom", asked([]ask{
		{"GET", "{WI}", "", ""},
	})},
	{"partial/shape", asked([]ask{
		{"GET", "{WI}", asList, ""},
		{"GET", "{WI}", asPartial, ""},
	})},
	{"watch/state http/watch-media", asked([]ask{
		{"GET", "{WI}?watch=1&timeoutSeconds=1", "", ""},
		{"GET", "{WI}?watch=1&timeoutSeconds=1", inProto, ""},
		{"GET", "/apis/probe.example.com/v1/watch/widgets?timeoutSeconds=1", "", ""},
	})},
	{"delete/answer delete/missing", asked([]ask{
		{"DELETE", "{WI}/a", "", ""},
		{"DELETE", "{WI}/a", "", ""},
	})},
	{"watch/one", asked([]ask{
		{"GET", "/apis/probe.example.com/v1/watch/namespaces/default/widgets/a?timeoutSeconds=1", "", ""},
	})},
	{"http/method", asked([]ask{
		{"HEAD", "{WI}", "", ""},
	})},
	{"delete/collection", asked([]ask{
		{"DELETE", "{WI}", "", ""},
	})},
	{"discovery/plain", asked([]ask{
		{"GET", "/api", "", ""},
	})},
	{"discovery/aggregated", asked([]ask{
		{"GET", "/api", asAll, ""},
		{"GET", "/apis", asAll, ""},
	})},
	{"discovery/plain", asked([]ask{
		{"GET", "/apis", "", ""},
	})},
	{"discovery/aggregated", asked([]ask{
		{"GET", "/apis", "Accept: application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", ""},
		{"GET", "/apis", inProto + ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", ""},
	})},
	{"discovery/plain http/not-acceptable http/method", asked([]ask{
		{"GET", "/api", "Accept: text/html", ""},
		{"POST", "/api", "", "{}"},
		{"GET", "/api/v1", "", ""},
		{"POST", "/api/v1", "", "{}"},
		{"GET", "/apis/probe.example.com", "", ""},
		{"GET", "/apis/probe.example.com/v1", "", ""},
	})},
	{"version/fields", asked([]ask{
		{"GET", "/version", "", ""},
		{"GET", "/version/x", "", ""},
		{"POST", "/version", "", ""},
	})},
	{"health/ok", asked([]ask{
		{"GET", "/healthz", "", ""},
	})},
	{"health/checks", asked([]ask{
		{"GET", "/readyz/ping", "", ""},
		{"GET", "/livez/nosuch", "", ""},
		{"GET", "/livez?verbose", "", ""},
	})},
	{"health/ok", asked([]ask{
		{"POST", "/healthz", "", ""},
	})},
	{"discovery/plain", asked([]ask{
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", `{"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}}`},
		{"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", ``},
		{"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "", `{`},
		{"GET", "/", "", ""},
	})},
}
