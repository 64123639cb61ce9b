package rest_test

import "strings"

func inSpace(name string) string {
	return strings.Replace("{CM}", "{CM}", spaces+"/"+name+"/configmaps", 1)
}

func finalize(name, rest string) ask {
	return put(spaces+"/"+name+"/finalize", `{"kind":"Namespace","apiVersion":"v1","metadata":{"name":"`+name+`"`+rest)
}

// namespaceAsks are about how namespaces end, where no controller does it.
var namespaceAsks = []ask{
	post(spaces, named("end", "")),
	post(inSpace("end"), named("a", "")),
	post(inSpace("end"), named("b", "")),
	remove(spaces+"/end?dryRun=All", ""),
	look(spaces + "/end"),
	remove(spaces+"/end", `{"preconditions":{"uid":"abc"}}`),
	remove(spaces+"/end", `{"preconditions":{"resourceVersion":"1"}}`),
	remove(spaces+"/end", ""),
	look(spaces + "/end"),
	remove(spaces+"/end", ""),
	remove(spaces+"/end", `{"gracePeriodSeconds":0}`),
	post(inSpace("end"), named("c", "")),
	post(spaces+"/end/secrets", named("c", "")),
	put("/apis/coordination.k8s.io/v1/namespaces/end/leases/c", named("c", "")),
	merge("/apis/coordination.k8s.io/v1/namespaces/end/leases/p", `{}`),
	post(inSpace("end")+"?dryRun=All", named("c", "")),
	post(inSpace("end"), named("a", "")),
	put(inSpace("end")+"/a", named("a", `,"data":{"k":"v"}`)),
	merge(inSpace("end")+"/a", `{"data":{"k":"w"}}`),
	remove(inSpace("end")+"/a", ""),
	look(inSpace("end")),
	post(spaces, named("end", "")),
	merge(spaces+"/end", `{"metadata":{"labels":{"a":"b"}},"status":{"phase":"Active"}}`),
	merge(spaces+"/end", `{"metadata":{"finalizers":["example.com/f"]}}`),
	finalize("end", `},"spec":{"finalizers":["kubernetes","example.com/f"]}}`),
	finalize("end", `},"spec":{"finalizers":["example.com/f"]},"status":{"phase":"Active"}}`),
	finalize("end", `},"spec":{"finalizers":["nodomain"]}}`),
	finalize("end", `,"resourceVersion":"1"},"spec":{"finalizers":[]}}`),
	finalize("end", `,"uid":"abc"},"spec":{"finalizers":[]}}`),
	put(spaces+"/end/finalize", named("other", "")),
	put(spaces+"/end/finalize?dryRun=All", named("end", "")),
	finalize("end", `,"labels":{"a":"c"}},"spec":{}}`),
	look(spaces + "/end"),
	look(inSpace("end") + "/b"),
	remove(inSpace("end")+"/b", ""),
	remove(inSpace("end")+"/a", ""),
	finalize("nosuch", `}}`),
	look(spaces + "/default/finalize"),
	merge(spaces+"/default/finalize", `{}`),
	post(spaces+"/default/finalize", `{}`),
	remove(spaces+"/default/finalize", ""),

	// Emptied before it is deleted.
	post(spaces, named("soon", "")),
	finalize("soon", `},"spec":{}}`),
	remove(spaces+"/soon", ""),
	look(spaces + "/soon"),
	remove(spaces+"/soon", ""),
	look(spaces + "/soon"),

	// With finalizers of both sorts.
	post(spaces, `{"metadata":{"name":"held","finalizers":["example.com/f"]}}`),
	remove(spaces+"/held", `{"propagationPolicy":"Foreground"}`),
	finalize("held", `,"finalizers":["example.com/f"]},"spec":{}}`),
	merge(spaces+"/held", `{"metadata":{"finalizers":null}}`),
	look(spaces + "/held"),

	// And what is always there.
	look(spaces + "/default"),
	remove(spaces+"/kube-node-lease?dryRun=All", ""),
	merge(spaces+"/d", `{"metadata":{"labels":{"kubernetes.io/metadata.name":"x"}}}`),
	merge(spaces+"/d", `{"metadata":{"labels":null}}`),
	{method: "GET", path: spaces + "?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=d"},
}
