package rest_test

import "strings"

// nameAsks are about names: of what is created, and in paths.
func nameAsks() []ask {
	const meta = `{"metadata":{"name":"`
	unfit := []string{"Up_1", "a.b", "a%b", "..", strings.Repeat("b", 64), "1a"}
	var out []ask
	for _, k := range []struct{ path, rest string }{
		{"{CM}", ""}, {pods, `"spec":{` + onePod + `}`}, {services, `"spec":{"ports":[{"port":80}]}`}, {events, `"involvedObject":{"namespace":"{NAMESPACE}"}`},
		{deployments, `"spec":{` + template + `}`}, {statefulsets, `"spec":{` + template + `}`}, {spaces, ""},
		{twins, strings.TrimPrefix(strings.TrimSuffix(twin("x", ""), "}"), `{"metadata":{"name":"x"},`)},
	} {
		for i, name := range unfit {
			if i > 3 && (k.path == "{CM}" || k.path == events || k.path == twins) {
				break // they fit there
			}
			body := meta + name + `"}`
			if k.rest != "" {
				body += "," + k.rest
			}
			out = append(out, dry(k.path, body+"}"))
		}
	}
	return out
}

// upwards is a collection in a namespace that no key can have.
const upwards = "/api/v1/namespaces/%2e%2e/configmaps"

// pathAsks are about names in paths that no object may have, and about parts that there are not.
var pathAsks = []ask{
	look("{CM}/%2e"), look("{CM}/%2e%2e"), look("{CM}/a%25b"), look("{NS}/%2e%2e"), look("{WI}/%2e%2e"),
	remove("{CM}/%2e%2e", ""), merge("{CM}/%2e%2e", `{}`), put("{CM}/%2e%2e", named("x", "")), look(pods + "/%2e%2e/status"),
	look(upwards), look(upwards + "?limit=1"), look(upwards + "?resourceVersion=0"), look(upwards + "/a"), look(upwards + "?watch=1&timeoutSeconds=1"),
	remove(upwards, ""), remove(upwards+"/a", ""), merge(upwards+"/a", `{}`), put(upwards+"/a", named("a", "")), post(upwards, named("a", "")),
	look("/api/v1/namespaces/%2e/configmaps"), post("/api/v1/namespaces/a%25/configmaps", named("a", "")), look("/api/v1/namespaces/a%25/configmaps"),
	look("/api/v1/namespaces/%2e%2e/services"), look("/apis/coordination.k8s.io/v1/namespaces/%2e%2e/leases"),
	put("/apis/coordination.k8s.io/v1/namespaces/%2e%2e/leases/a", named("a", "")), look("/apis/apps/v1/namespaces/%2e%2e/deployments"), look(strings.Replace(twins, "{NAMESPACE}", "%2e%2e", 1)),
	look("/apis/probe.example.com/v1/namespaces/%2e%2e/widgets"),
	post("{CM}/a/nosuch", ""), post("{CM}/a/nosuch", "{"), post(twins+"/a/nosuch", `{}`), put(twins+"/a/nosuch", `{}`), post(pods+"/a/nosuch", `{}`),
}

// unplacedAsks are about the namespace of what is in none.
var unplacedAsks = []ask{
	dry(nodes, `{"metadata":{"name":"unplaced","namespace":"other"}}`),
	dry(spaces, `{"metadata":{"name":"unplaced","namespace":"other"}}`),
	dry(priorities, `{"metadata":{"name":"unplaced","namespace":"{NAMESPACE}"},"value":1}`),
	merge(priorities+"/system-node-critical?dryRun=All", `{"metadata":{"namespace":"other"}}`),
	put(priorities+"/system-node-critical?dryRun=All", `{"metadata":{"name":"system-node-critical","namespace":"other"},"value":2000001000,"description":"d"}`),
}

// freeAsks are about finalizers without a domain.
var freeAsks = []ask{
	dry(events, `{"metadata":{"name":"free","finalizers":["nodomain"]},"involvedObject":{"namespace":"{NAMESPACE}"}}`),
	dry(leases, `{"metadata":{"name":"free","finalizers":["nodomain"]},"spec":{}}`),
	dry(runtimes, `{"metadata":{"name":"free","finalizers":["nodomain"]},"handler":"h"}`),
	dry(secrets, `{"metadata":{"name":"free","finalizers":["nodomain","orphan"]}}`),
	dry(jobs, `{"metadata":{"name":"free","finalizers":["nodomain"]},"spec":{`+jobSpec+`}}`),
	dry(twins, `{"metadata":{"name":"free","finalizers":["nodomain","b c"]}}`),
	dry(leases, `{"metadata":{"name":"free","finalizers":["b c"]},"spec":{}}`),
	dry(daemonsets, named("free", "")),
}
