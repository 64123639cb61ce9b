package fake_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

// asks are requests, one a line: verb, path, body; of a PATCH the type is part of the verb.
type asks struct {
	name, resource, lines string
	known                 string // an object of which the log says all
}

var patchTypes = map[string]string{
	"MERGE": "application/merge-patch+json", "JSON": "application/json-patch+json",
	"STRATEGIC": "application/strategic-merge-patch+json", "APPLY": "application/apply-patch+yaml",
}

// paths are what the first words of a path stand for, bodies what those of a body do.
var paths = regexp.MustCompile("^(CM|PODS|DEPL|NS)")

var collections = map[string]string{
	"CM": "/api/v1/namespaces/default/configmaps", "PODS": "/api/v1/namespaces/default/pods",
	"DEPL": "/apis/apps/v1/namespaces/default/deployments", "NS": "/api/v1/namespaces",
}

var bodies = strings.NewReplacer(
	"{POD}", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
	"{POD ON n}", `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`,
	"{DEPL", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},"metadata":{"name":"d"`,
	"{b:", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":`,
	"{HELD}", `{"metadata":{"name":"a","finalizers":["example.com/held"]}}`,
)

// played gives the log of what a server was asked.
func played(t *testing.T, lines string, all ...faults.Fault) []requestlog.Entry {
	t.Helper()
	var entries []requestlog.Entry
	synctest.Test(t, func(t *testing.T) {
		server := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Types: schemas.Types})
		defer func() { require.NoError(t, server.Close()) }()
		set, err := faults.New(1, all...)
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		handler := rest.Handler(api, rest.Options{Log: requestlog.New(func(e requestlog.Entry) { entries = append(entries, e) })})
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			parts := append(strings.SplitN(line, " ", 3), "")
			path := paths.ReplaceAllStringFunc(parts[1], func(name string) string { return collections[name] })
			r := httptest.NewRequest(parts[0], path, strings.NewReader(bodies.Replace(parts[2])))
			r.Header.Set("Content-Type", "application/json")
			if pt := patchTypes[parts[0]]; pt != "" {
				r.Method = http.MethodPatch
				r.Header.Set("Content-Type", pt)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			t.Log(w.Code, line)
		}
		synctest.Wait()
	})
	return entries
}

// read is the judgement of a log as `lwtest history` and `lwtest judge` make it.
func read(t *testing.T, entries []requestlog.Entry, resource string) harness.Result {
	t.Helper()
	h, err := fake.History(entries, fake.About{Resource: schema.ParseGroupResource(resource), Features: slices.DeleteFunc(fake.Features(), func(f harness.Feature) bool {
		return f == harness.VirtualTime || f == watchcache.UpdateNeedsObject || f == watchcache.PlainUpdate
	})})
	require.NoError(t, err)
	require.Contains(t, h.Header.Features, string(watchcache.SoleWriter))
	t.Log(dump(h))
	return watchcache.Suite.Describe().Judge(harness.Info{}, h)
}

// others are requests of which the log does not show all that comes of them.
var others = []asks{
	{"eviction", "pods", `
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		GET PODS/p
		GET PODS`, ""},
	{"eviction with a watch", "pods", `
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		POST PODS {POD}
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1
		GET PODS/p`, ""},
	{"eviction with a grace period", "pods", `
		POST PODS {POD ON n}
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		GET PODS/p
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS/p
		GET PODS`, ""},
	{"eviction refused, and a dry run", "pods", `
		POST PODS/p/eviction {"metadata":{"name":"p"}}
		POST PODS {POD}
		POST PODS/p/eviction {"metadata":{"name":"p"},"deleteOptions":{"dryRun":["All"]}}
		POST PODS/p/eviction?dryRun=All {"metadata":{"name":"p"}}
		GET PODS/p`, "p"},
	{"binding", "pods", `
		POST PODS {POD}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}
		GET PODS/p
		GET PODS
		GET PODS?fieldSelector=spec.nodeName=n
		MERGE PODS/p/status {"status":{"phase":"Running"}}
		GET PODS/p
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"binding, and a stale update", "pods", `
		POST PODS {POD}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"n"}}
		PUT PODS/p {"metadata":{"name":"p","resourceVersion":"6"},"spec":{"containers":[{"name":"c","image":"j"}]}}
		DELETE PODS/p
		GET PODS/p
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS/p`, ""},
	{"scale", "deployments.apps", `
		POST DEPL {DEPL}}
		MERGE DEPL/d/scale {"spec":{"replicas":3}}
		GET DEPL/d
		GET DEPL
		MERGE DEPL/d {"metadata":{"labels":{"a":"b"}}}
		GET DEPL/d
		GET DEPL?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"scale, and a stale update", "deployments.apps", `
		POST DEPL {DEPL}}
		PUT DEPL/d/scale {"metadata":{"name":"d"},"spec":{"replicas":3}}
		GET DEPL/d/scale
		PUT DEPL/d {DEPL,"resourceVersion":"6"}}
		GET DEPL/d`, ""},
	{"end of a namespace", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {b:{}}
		DELETE NS/n
		GET NS/n/configmaps/b
		GET /api/v1/configmaps
		POST NS/n/configmaps {b:{}}
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {b:{}}
		GET NS/n/configmaps/b
		GET NS/n/configmaps`, ""},
	{"end of a namespace with a watch", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {"metadata":{"generateName":"g-"}}
		POST NS/n/configmaps {b:{}}
		DELETE NS/n
		GET /api/v1/configmaps?watch=1&resourceVersion=5&timeoutSeconds=1
		GET /api/v1/configmaps`, ""},
	{"end of a namespace that something holds", "configmaps", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		GET NS/n/configmaps/a
		POST NS/n/configmaps {b:{}}
		MERGE NS/n/configmaps/a {"metadata":{"finalizers":null}}
		GET NS/n/configmaps
		GET NS/n/configmaps/a`, ""},
	{"namespaces that end", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		GET NS/n
		MERGE NS/n/configmaps/a {"metadata":{"finalizers":null}}
		GET NS/n
		POST NS {"metadata":{"name":"n"}}
		DELETE NS/n
		GET NS
		GET NS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"namespaces that are finalized", "namespaces", `
		POST NS {"metadata":{"name":"n"}}
		POST NS/n/configmaps {HELD}
		DELETE NS/n
		PUT NS/n/finalize {"metadata":{"name":"n"},"spec":{}}
		GET NS/n
		GET NS`, ""},
	{"collection with a grace period", "pods", `
		POST PODS {POD ON n}
		DELETE PODS
		GET PODS
		DELETE PODS/p?gracePeriodSeconds=0
		GET PODS`, ""},
	{"collection in a grace period, with a watch", "pods", `
		POST PODS {POD ON n}
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=3
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=1
		GET PODS
		DELETE PODS?fieldSelector=metadata.name=p&gracePeriodSeconds=0
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
	{"apply that drops a field", "configmaps", `
		APPLY CM/b?fieldManager=m {b:{"a":"1","z":"2"}}
		APPLY CM/b?fieldManager=m {b:{"z":"2"}}
		GET CM/b`, "b"},
	{"apply that takes all from another, and gives it up", "configmaps", `
		APPLY CM/b?fieldManager=m {b:{"a":"1"}}
		APPLY CM/b?fieldManager=n {b:{"a":"2"}}
		APPLY CM/b?fieldManager=n&force=1 {b:{"a":"2"}}
		APPLY CM/b?fieldManager=n {b:{}}
		GET CM/b`, "b"},
	{"apply of what was deleted", "configmaps", `
		POST CM {b:{"a":"1"}}
		DELETE CM/b
		APPLY CM/b?fieldManager=m {b:{"a":"2"}}
		GET CM/b
		APPLY CM/b?fieldManager=m&dryRun=All {b:{"a":"3"}}
		APPLY CM/b?fieldManager=m {"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","resourceVersion":"6"}}
		GET CM/b`, "b"},
	{"apply of a deployment and its status", "deployments.apps", `
		APPLY DEPL/d?fieldManager=m {DEPL}}
		APPLY DEPL/d?fieldManager=m {DEPL,"annotations":{"n":"1"}}}
		APPLY DEPL/d?fieldManager=m {DEPL}}
		APPLY DEPL/d/status?fieldManager=s {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"status":{"replicas":1}}
		GET DEPL/d`, "d"},
	{"patches that take something away", "configmaps", `
		POST CM {"metadata":{"name":"b","labels":{"l":"1"},"annotations":{"n":"1","o":"1"},"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"u"}]},"data":{"a":"1"}}
		MERGE CM/b {"metadata":{"annotations":{"n":null}}}
		MERGE CM/b {"metadata":{"ownerReferences":[]}}
		JSON CM/b [{"op":"remove","path":"/metadata/annotations"}]
		JSON CM/b [{"op":"add","path":"/metadata/annotations","value":{"q":"1"}}]
		JSON CM/b [{"op":"replace","path":"/metadata/annotations","value":{"r":"1"}}]
		STRATEGIC CM/b {"metadata":{"annotations":{"$patch":"replace","s":"1"}}}
		MERGE CM/b {"metadata":{"labels":{"l":null}}}
		MERGE CM/b {"data":{"a":null}}
		GET CM/b`, "b"},
	{"status written without what is beside it", "deployments.apps", `
		POST DEPL {DEPL,"annotations":{"n":"1"},"labels":{"l":"1"}}}
		PUT DEPL/d/status {DEPL},"status":{"replicas":1}}
		GET DEPL/d
		MERGE DEPL/d/status {"metadata":{"annotations":null},"status":null}
		GET DEPL/d`, "d"},
	{"writes that are refused for what they send", "configmaps", `
		POST CM {b:{"a":"1"}}
		JSON CM/b [{"op":"test","path":"/data/a","value":"2"}]
		MERGE CM/b {"metadata":{"name":"other"}}
		MERGE CM/b {
		PATCH CM/b {}
		PUT CM/b {"metadata":{"name":"other"}}
		PUT CM/b {"metadata":{"name":"b","labels":{"-":"-"}}}
		POST CM {"metadata":{"name":"Not a name"}}
		POST CM?fieldValidation=Strict {"metadata":{"name":"q"},"spam":1}
		DELETE CM/b?propagationPolicy=Nonesuch
		DELETE CM/b {"preconditions":{"resourceVersion":"1"}}
		DELETE CM {"preconditions":{"uid":"u"}}
		DELETE CM?propagationPolicy=Nonesuch
		APPLY CM/b {b:{}}
		APPLY CM/b?fieldManager=m {b:{"a":"2"}}
		APPLY CM/b?fieldManager=m {"metadata":{"name":"b","resourceVersion":"1"}}
		GET CM/b
		GET CM`, "b"},
	{"a pod whose spec may not be changed", "pods", `
		POST PODS {POD ON n}
		PUT PODS/p {"metadata":{"name":"p","resourceVersion":"6"},"spec":{"nodeName":"m","containers":[{"name":"c","image":"i"}]}}
		POST PODS/p/binding {"metadata":{"name":"p"},"target":{"kind":"Node","name":"m"}}
		STRATEGIC PODS/p {"spec":{"nodeName":"m"}}
		GET PODS/p`, "p"},
	{"reads that are refused", "configmaps", `
		POST CM {b:{"a":"1"}}
		GET CM?fieldSelector=spec.nonesuch=1
		GET CM?labelSelector=a=b=c
		GET CM?continue=nonesuch
		GET CM?resourceVersion=nonesuch
		GET CM?resourceVersionMatch=Exact
		GET CM?limit=-1
		GET CM?limit=nonesuch
		GET CM/b?resourceVersion=nonesuch
		GET CM?watch=1&resourceVersion=nonesuch
		GET CM?watch=1&sendInitialEvents=true
		GET CM?watch=1&timeoutSeconds=-1
		GET CM/b`, "b"},
	{"subresource that there is not", "configmaps", `
		POST CM {b:{}}
		GET CM/b/status
		PUT CM/b/status {b:{}}
		MERGE CM/b/status {"status":{}}
		GET CM/b/scale
		GET CM/b/nonesuch
		GET CM/b`, "b"},
	{"deletion with a grace period, with a watch", "pods", `
		POST PODS {POD ON n}
		DELETE PODS/p
		DELETE PODS/p?gracePeriodSeconds=5
		DELETE PODS/p?gracePeriodSeconds=0
		POST PODS {POD}
		DELETE PODS/p
		GET PODS/p
		GET PODS?watch=1&resourceVersion=5&timeoutSeconds=1`, ""},
}

// What the log does not show of a server that is right is no fault of it.
func TestOthersPass(t *testing.T) {
	for _, c := range others {
		t.Run(c.name, func(t *testing.T) {
			for _, rr := range read(t, played(t, c.lines), c.resource).Rules {
				assert.NotEqual(t, harness.Fail, rr.Verdict, watchcache.Suite.Describe().Explain(rr))
			}
		})
	}
}

// beside is an object that is asked for beside the others, and answered wrongly.
var beside = map[string]string{
	"configmaps":       "POST CM {\"metadata\":{\"name\":\"beside\"}}\nGET CM/beside\n",
	"pods":             "POST PODS {\"metadata\":{\"name\":\"beside\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}\nGET PODS/beside\n",
	"deployments.apps": "POST DEPL {DEPL,\"name\":\"beside\"}}\nGET DEPL/beside\n",
	"namespaces":       "POST NS {\"metadata\":{\"name\":\"beside\"}}\nGET NS/beside\n",
}

// A fault beside that is found all the same, whether it comes before or after.
func TestOthersFail(t *testing.T) {
	stale := faults.Fault{Verbs: []string{"get"}, Object: "beside", Stale: &metav1.Duration{Duration: -1}}
	for _, c := range others {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, []string{"get/most-recent", "write/missing/delete"}, broken(read(t, played(t, beside[c.resource]+c.lines, stale), c.resource)), "before")
			require.Equal(t, []string{"get/most-recent", "write/missing/delete"}, broken(read(t, played(t, c.lines+"\n"+beside[c.resource], stale), c.resource)), "after")
		})
	}
}

// Where the log says all of an object, a fault of its own is found: here that a get does not find it.
func TestOthersFailThemselves(t *testing.T) {
	for _, c := range others {
		if c.known == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			stale := faults.Fault{Verbs: []string{"get"}, Object: c.known, Stale: &metav1.Duration{Duration: -1}}
			require.Contains(t, broken(read(t, played(t, c.lines, stale), c.resource)), "get/most-recent")
		})
	}
}

// A write that was refused, and done all the same, is found by what it left there.
func TestRefusedAndDone(t *testing.T) {
	for _, write := range []string{`MERGE CM/b {"data":{"a":"2"}}`, `PUT CM/b {b:{"a":"2"}}`, `APPLY CM/b?fieldManager=m&force=1 {b:{"a":"2"}}`} {
		entries := played(t, "POST CM {b:{\"a\":\"1\"}}\n"+write+"\nGET CM/b\nGET CM")
		require.Empty(t, broken(read(t, entries, "configmaps")), write)
		i := slices.IndexFunc(entries, func(e requestlog.Entry) bool { return e.Verb == "update" || e.Verb == "patch" })
		answer := &entries[i+slices.IndexFunc(entries[i:], func(e requestlog.Entry) bool { return e.What == requestlog.Answered })]
		answer.Code, answer.Reason, answer.Message, answer.Object = 422, "Invalid", "no", nil
		require.Equal(t, []string{"get/most-recent", "list/snapshot"}, broken(read(t, entries, "configmaps")), write)
	}
}

func broken(r harness.Result) (rules []string) {
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Fail {
			rules = append(rules, rr.Rule)
		}
	}
	return rules
}

// Who applies in this process is not told whether that created the object.
func TestOthersInProcess(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		var entries []requestlog.Entry
		synctest.Test(t, func(t *testing.T) {
			server := apiserver.New(apiserver.Options{Types: schemas.Types})
			defer func() { require.NoError(t, server.Close()) }()
			log := requestlog.New(func(e requestlog.Entry) { entries = append(entries, e) })
			c := apiserver.ConfigMaps(log.API(server, "here"), "a")
			for _, text := range []string{`{"a":"1","z":"2"}`, `{"z":"2"}`, "", `{"a":"3"}`} {
				if text == "" {
					require.NoError(t, c.Delete(t.Context(), "b", metav1.DeleteOptions{}))
					continue
				}
				_, err := c.Patch(t.Context(), "b", types.ApplyPatchType, []byte(bodies.Replace("{b:"+text+"}")), metav1.PatchOptions{FieldManager: "m"})
				require.NoError(t, err)
				_, err = c.Get(t.Context(), "b", metav1.GetOptions{})
				require.NoError(t, err)
			}
			_, err := c.Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "beside"}}, metav1.CreateOptions{})
			require.NoError(t, err)
			_, err = c.List(t.Context(), metav1.ListOptions{})
			require.NoError(t, err)
		})
		want := []string(nil)
		if last := &entries[len(entries)-1]; wrong {
			last.Object = []byte(`{"metadata":{"resourceVersion":"` + last.ResourceVersion + `"},"items":[]}`)
			want = []string{"list/snapshot"}
		}
		require.Equal(t, want, broken(read(t, entries, "configmaps")))
	}
}

// A bookmark has what Go prints of its kind where nothing is set, and may have nothing else.
func TestBookmarksOfAllKinds(t *testing.T) {
	for _, r := range apiserver.Resources() {
		t.Run(r.GroupResource().String(), func(t *testing.T) {
			if r.Uncached {
				return // these have none
			}
			path := "/apis/" + r.Group + "/" + r.Version + "/"
			if r.Group == "" {
				path = "/api/v1/"
			}
			entries := played(t, "GET "+path+r.Resource+"?watch=1&allowWatchBookmarks=true&timeoutSeconds=70\n")
			require.Empty(t, broken(read(t, entries, r.GroupResource().String())))
			i := slices.IndexFunc(entries, func(e requestlog.Entry) bool { return e.Event == "BOOKMARK" })
			require.Positive(t, i, "one was sent")
			was := string(entries[i].Object)
			for _, part := range []string{`"spec":{"said":"1"}`, `"status":{"said":"1"}`, `"said":0`} {
				entries[i].Object = []byte(was[:len(was)-1] + "," + part + "}")
				require.Equal(t, []string{"bookmark/shape"}, broken(read(t, entries, r.GroupResource().String())), part)
			}
		})
	}
}
