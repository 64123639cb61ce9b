package fake_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/harness"
)

// trafficOf are the resources that traffic is about: the path before the namespace, the apply's head, and what an
// object has beside its metadata; FREE is a number that differs.
var trafficOf = []struct{ resource, group, head, rest string }{
	{"configmaps", "/api/v1", `"apiVersion":"v1","kind":"ConfigMap"`, `"data":{"v":"FREE"}`},
	{"secrets", "/api/v1", `"apiVersion":"v1","kind":"Secret"`, `"stringData":{"v":"FREE"}`},
	{"serviceaccounts", "/api/v1", `"apiVersion":"v1","kind":"ServiceAccount"`, `"automountServiceAccountToken":true`},
	{"pods", "/api/v1", `"apiVersion":"v1","kind":"Pod"`, `"spec":{"containers":[{"name":"c","image":"FREE"}]NODE}`},
	{"services", "/api/v1", `"apiVersion":"v1","kind":"Service"`, `"spec":{"ports":[{"port":80}],"externalName":"FREE.example","type":"ExternalName"}`},
	{"events", "/api/v1", `"apiVersion":"v1","kind":"Event"`, `"reason":"FREE","involvedObject":{"kind":"Pod","name":"p","namespace":"NAMESPACE"}`},
	{"leases.coordination.k8s.io", "/apis/coordination.k8s.io/v1", `"apiVersion":"coordination.k8s.io/v1","kind":"Lease"`, `"spec":{"holderIdentity":"FREE"}`},
	{"deployments.apps", "/apis/apps/v1", `"apiVersion":"apps/v1","kind":"Deployment"`,
		`"spec":{"replicas":FREE,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}`},
	{"jobs.batch", "/apis/batch/v1", `"apiVersion":"batch/v1","kind":"Job"`,
		`"spec":{"parallelism":FREE,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}`},
}

// traffic is what many clients may send, at random: plain requests of two resources, and of the namespaces they are in.
type traffic struct{ *rand.Rand }

func (x traffic) one(of ...string) string { return of[x.IntN(len(of))] }

// lines are some requests, and the resources that they are about.
func (x traffic) lines(n int) (lines, resources []string) {
	of := x.Perm(len(trafficOf))[:2]
	lines = append(lines, `POST NS {"metadata":{"name":"n"}}`)
	for range n {
		lines = append(lines, x.line(of[x.IntN(2)]))
	}
	return lines, []string{trafficOf[of[0]].resource, trafficOf[of[1]].resource, "namespaces"}
}

func (x traffic) line(of int) string {
	o := &trafficOf[of]
	kind, _, _ := strings.Cut(o.resource, ".")
	namespace, name := x.one("default", "n", "n"), x.one("a", "b")
	all := o.group + "/namespaces/" + namespace + "/" + kind
	one := all + "/" + name
	rest := strings.NewReplacer("FREE", strconv.Itoa(x.IntN(9)), "NODE", x.one("", `,"nodeName":"m"`), "NAMESPACE", namespace).Replace(o.rest)
	object := func(meta string) string { return fmt.Sprintf(`{%s,"metadata":{%s},%s}`, o.head, meta, rest) }
	version := x.one("{RV}", "{RV}", strconv.Itoa(5+x.IntN(20)))
	labels := x.one("", `,"labels":{"l":"1"}`, `,"labels":{"l":"2"}`)
	held := x.one("", "", `,"finalizers":["example.com/held"]`)
	switch p := x.IntN(100); {
	case p < 18:
		return "POST " + all + x.one("", "", "", "?dryRun=All") + " " + object(x.one(`"name":"`+name+`"`, `"name":"`+name+`"`, `"name":"`+name+`"`, `"generateName":"g-"`)+labels+held)
	case p < 28:
		return "PUT " + one + x.one("", "", "", "?dryRun=All") + " " + object(`"name":"`+name+`"`+labels+held+x.one("", `,"resourceVersion":"`+version+`"`))
	case p < 35:
		return "MERGE " + one + x.one("", "", "", "?dryRun=All") + ` {"metadata":{` + x.one(`"labels":{"l":"3"}`, `"labels":{"l":null}`, `"annotations":{"n":"`+strconv.Itoa(x.IntN(3))+`"}`, `"finalizers":null`, `"finalizers":["example.com/held"]`, `"finalizers":null`) + x.one("", "", `,"resourceVersion":"`+version+`"`, `,"uid":"{UID}"`) + "}}"
	case p < 38:
		return "JSON " + one + ` [{"op":"add","path":"/metadata/annotations","value":{"x":"` + version + `"}}]`
	case p < 44:
		return "APPLY " + one + "?fieldManager=" + x.one("one", "two") + x.one("", "", "&dryRun=All") + x.one("", "&force=true") + " " + object(`"name":"`+name+`"`+labels)
	case p < 58:
		return "DELETE " + one + x.one("", "", "?propagationPolicy=Foreground", "?propagationPolicy=Orphan", "?propagationPolicy=Background", "?orphanDependents=true", "?gracePeriodSeconds=0", "?gracePeriodSeconds=1", "?dryRun=All") +
			x.one("", "", "", ` {"preconditions":{"resourceVersion":"`+version+`"}}`, ` {"preconditions":{"uid":"{UID}"}}`, ` {"propagationPolicy":"Foreground"}`, ` {"gracePeriodSeconds":3}`)
	case p < 61:
		return "DELETE " + all + x.one("", "?labelSelector=l%3D1", "?fieldSelector=metadata.name%3Da", "?dryRun=All", "?propagationPolicy=Orphan", "?propagationPolicy=Foreground", "?limit=1")
	case p < 69:
		return "GET " + one + x.one("", "", "?resourceVersion=0", "?resourceVersion={RV}")
	case p < 80:
		return "GET " + x.one(all, all, o.group+"/"+kind) + "?limit=" + x.one("0", "0", "1", "2") + x.one("", "", "", "&labelSelector=l%3D1", "&fieldSelector=metadata.name%3Da") +
			x.one("", "", "&continue={TOKEN}", "&resourceVersion=0", "&resourceVersion="+version, "&resourceVersion="+version+"&resourceVersionMatch=Exact", "&resourceVersion="+version+"&resourceVersionMatch=NotOlderThan")
	case p < 86:
		return "WATCH " + x.one(all, all, o.group+"/"+kind) + "?watch=1&timeoutSeconds=" + x.one("2", "100") + x.one("", "", "&labelSelector=l%3D1", "&fieldSelector=metadata.name%3Da") + x.one("", "&allowWatchBookmarks=true") +
			x.one("", "&resourceVersion=0", "&resourceVersion={RV}", "&resourceVersion="+version, "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion="+version)
	case p < 88:
		return "WATCH /api/v1/namespaces?watch=1&timeoutSeconds=100&resourceVersion={RV}"
	case p < 91:
		return x.one("GET NS/n", "GET NS", "GET NS?resourceVersion=0")
	case p < 93:
		return `POST NS {"metadata":{"name":"n"}}`
	case p < 95:
		return "DELETE NS/n" + x.one("", "", "?dryRun=All", "?propagationPolicy=Orphan")
	case p < 96:
		return x.one(`PUT NS/n/finalize {"metadata":{"name":"n"},"spec":{}}`, `MERGE NS/n {"metadata":{"labels":{"l":"1"}}}`, `MERGE NS/n {"metadata":{"finalizers":["example.com/held"]}}`, `MERGE NS/n {"metadata":{"finalizers":null}}`)
	case p < 98 && kind == "deployments":
		return "MERGE " + one + x.one(`/scale {"spec":{"replicas":3}}`, `/status {"status":{"observedGeneration":1}}`)
	case p < 98 && kind == "pods":
		return x.one("MERGE "+one+`/status {"status":{"phase":"Running"}}`, "POST "+one+`/eviction {"metadata":{"name":"`+name+`"}}`, "POST "+one+`/binding {"metadata":{"name":"`+name+`"},"target":{"kind":"Node","name":"m"}}`)
	}
	return "SLEEP " + x.one("1s", "10s", "70s")
}

// What a server is asked at random, and answers rightly, breaks no clause, in what any of two resources and the
// namespaces have been told. LWTEST_TRAFFIC says how many seeds to try, and from which on: 1000, or 5000+1000.
func TestTraffic(t *testing.T) {
	first, seeds := 0, 60
	if text := os.Getenv("LWTEST_TRAFFIC"); text != "" {
		from, count, ok := strings.Cut(text, "+")
		if !ok {
			from, count = "0", text
		}
		var err error
		first, err = strconv.Atoi(from)
		require.NoError(t, err)
		seeds, err = strconv.Atoi(count)
		require.NoError(t, err)
	}
	for seed := first; seed < first+seeds; seed++ {
		lines, resources := traffic{rand.New(rand.NewPCG(uint64(seed), 1))}.lines(60)
		for _, what := range slices.Sorted(maps.Keys(wrongIn(t, lines, resources, asIs))) {
			small := shrunk(lines, func(lines []string) bool { return wrongIn(t, lines, resources, asIs)[what] != "" })
			_, codes := answered(t, strings.Join(small, "\n"), asIs)
			t.Errorf("seed %d: %s\n%s\n%s", seed, what, strings.Join(codes, "\n"), wrongIn(t, small, resources, asIs)[what])
		}
	}
}

// A server that takes no notice of field selectors, or reads what was there before, is found by the same traffic.
func TestTrafficFinds(t *testing.T) {
	found := func(of func(apiserver.API) apiserver.API, rule string) (runs int) {
		for seed := range uint64(20) {
			lines, resources := traffic{rand.New(rand.NewPCG(seed, 1))}.lines(60)
			if slices.ContainsFunc(slices.Collect(maps.Keys(wrongIn(t, lines, resources, of))), func(what string) bool { return strings.HasSuffix(what, " "+rule) }) {
				runs++
			}
		}
		return runs
	}
	for rule, of := range map[string]func(apiserver.API) apiserver.API{
		"list/scope":       func(api apiserver.API) apiserver.API { return blind{api} },
		"watch/scope/name": func(api apiserver.API) apiserver.API { return blind{api} },
		"write/dry-run":    func(api apiserver.API) apiserver.API { return wet{api} },
		"write/collection": func(api apiserver.API) apiserver.API { return sparing{api} },
		"write/finalizers": func(api apiserver.API) apiserver.API { return unheld{api} },
	} {
		runs := found(of, rule)
		t.Logf("%s: found in %d of 20 runs", rule, runs)
		require.Positive(t, runs, rule)
	}
}

// wet stores what a dry run was to create.
type wet struct{ apiserver.API }

func (w wet) Create(ctx context.Context, at apiserver.Request, in runtime.Object, o metav1.CreateOptions) (runtime.Object, error) {
	o.DryRun = nil
	return w.API.Create(ctx, at, in, o)
}

// sparing deletes nothing of a collection.
type sparing struct{ apiserver.API }

func (s sparing) DeleteCollection(ctx context.Context, at apiserver.Request, o metav1.DeleteOptions, which metav1.ListOptions) (runtime.Object, error) {
	o.DryRun = []string{metav1.DryRunAll}
	return s.API.DeleteCollection(ctx, at, o, which)
}

// unheld takes finalizers away before it deletes.
type unheld struct{ apiserver.API }

func (u unheld) Delete(ctx context.Context, at apiserver.Request, o metav1.DeleteOptions) (runtime.Object, error) {
	if at.Namespace != "" && o.Preconditions == nil && len(o.DryRun) == 0 {
		_, _ = u.API.Patch(ctx, at, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}) // what is not there has none
	}
	return u.API.Delete(ctx, at, o)
}

func asIs(api apiserver.API) apiserver.API { return api }

// wrongIn are the rules that some requests to a server break, by resource, with what is wrong.
func wrongIn(t *testing.T, lines, resources []string, of func(apiserver.API) apiserver.API) map[string]string {
	t.Helper()
	entries, _ := answered(t, strings.Join(lines, "\n"), of)
	rules := map[string]string{}
	for _, resource := range resources {
		for _, rr := range watchcache.Suite.Describe().Judge(harness.Info{}, historyOf(t, entries, resource)).Rules {
			if rr.Verdict == harness.Fail && (resource != "jobs.batch" || rr.Rule != "write/no-op") { // the first write to a Job moves managers, as in kube-apiserver
				rules[resource+" "+rr.Rule] = watchcache.Suite.Describe().Explain(rr)
			}
		}
	}
	return rules
}

// shrunk leaves out what is not needed for something to hold.
func shrunk(lines []string, holds func([]string) bool) []string {
	for size := len(lines) / 2; size > 0; size /= 2 {
		for at := 0; at < len(lines); {
			if less := slices.Delete(slices.Clone(lines), at, min(at+size, len(lines))); holds(less) {
				lines = less
			} else {
				at += size
			}
		}
	}
	return lines
}
