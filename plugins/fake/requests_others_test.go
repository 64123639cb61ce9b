package fake_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	"github.com/lwtest/lwtest/harness/history"
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

// answers are what words in a request stand for: what the last answer said that had such a thing.
type answers map[string]string

var saysSo = map[string]*regexp.Regexp{
	"{TOKEN}": regexp.MustCompile(`"continue":"([^"]+)"`),
	"{RV}":    regexp.MustCompile(`"resourceVersion":"([^"]+)"`),
	"{UID}":   regexp.MustCompile(`"uid":"([^"]+)"`),
}

func (a answers) of(text string) string {
	for word, is := range a {
		text = strings.ReplaceAll(text, word, is)
	}
	return text
}

func (a answers) hear(body string) {
	for word, is := range saysSo {
		if m := is.FindStringSubmatch(body); m != nil {
			a[word] = m[1]
		}
	}
}

// paths are what the first words of a path stand for, bodies what those of a body do.
var paths = regexp.MustCompile("^(CM|PODS|DEPL|JOBS|LEASES-N|LEASES|SA|NS)")

var collections = map[string]string{
	"CM": "/api/v1/namespaces/default/configmaps", "PODS": "/api/v1/namespaces/default/pods",
	"DEPL": "/apis/apps/v1/namespaces/default/deployments", "NS": "/api/v1/namespaces",
	"JOBS": "/apis/batch/v1/namespaces/default/jobs", "SA": "/api/v1/namespaces/default/serviceaccounts",
	"LEASES": "/apis/coordination.k8s.io/v1/namespaces/default/leases", "LEASES-N": "/apis/coordination.k8s.io/v1/namespaces/n/leases",
}

var bodies = strings.NewReplacer(
	"{POD}", `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
	"{POD ON n}", `{"metadata":{"name":"p"},"spec":{"nodeName":"n","containers":[{"name":"c","image":"i"}]}}`,
	"{DEPL", `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}},"metadata":{"name":"d"`,
	"{JOB", `{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}},"metadata":{"name":"j"`,
	"{b:", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":`,
	"{HELD}", `{"metadata":{"name":"a","finalizers":["example.com/held"]}}`,
)

// played gives the log of what a server was asked.
func played(t *testing.T, lines string, all ...faults.Fault) []requestlog.Entry {
	t.Helper()
	return playedOn(t, lines, asIs, all...)
}

// playedOn is played on what is made of the server.
func playedOn(t *testing.T, lines string, of func(apiserver.API) apiserver.API, all ...faults.Fault) []requestlog.Entry {
	t.Helper()
	entries, codes := answered(t, lines, of, all...)
	t.Log(strings.Join(codes, "\n"))
	return entries
}

// answered is playedOn, and says beside each request the code of its answer.
func answered(t *testing.T, lines string, of func(apiserver.API) apiserver.API, all ...faults.Fault) (entries []requestlog.Entry, codes []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := apiserver.New(apiserver.Options{Namespaces: true, NamespaceController: true, Types: schemas.Types})
		defer func() { require.NoError(t, server.Close()) }()
		set, err := faults.New(1, all...)
		require.NoError(t, err)
		api, err := set.API(server, faults.Options{})
		require.NoError(t, err)
		handler := rest.Handler(of(api), rest.Options{Log: requestlog.New(func(e requestlog.Entry) { entries = append(entries, e) })})
		said := answers{"{TOKEN}": "", "{RV}": "", "{UID}": ""}
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			parts := append(strings.SplitN(line, " ", 3), "")
			if parts[0] == "SLEEP" {
				d, err := time.ParseDuration(parts[1])
				require.NoError(t, err)
				time.Sleep(d)
				continue
			}
			path := paths.ReplaceAllStringFunc(parts[1], func(name string) string { return collections[name] })
			path, parts[2] = said.of(path), said.of(bodies.Replace(parts[2]))
			if parts[0] == "WATCH" { // beside what follows
				codes = append(codes, line)
				go handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil).WithContext(t.Context()))
				synctest.Wait()
				continue
			}
			r := httptest.NewRequest(parts[0], path, strings.NewReader(parts[2]))
			r.Header.Set("Content-Type", "application/json")
			if pt := patchTypes[parts[0]]; pt != "" {
				r.Method = http.MethodPatch
				r.Header.Set("Content-Type", pt)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			codes = append(codes, fmt.Sprint(w.Code, " ", line))
			said.hear(w.Body.String())
			synctest.Wait()
		}
		time.Sleep(2 * time.Minute) // the watches end
		synctest.Wait()
	})
	return entries, codes
}

// read is the judgement of a log as `lwtest history` and `lwtest judge` make it.
func read(t *testing.T, entries []requestlog.Entry, resource string) harness.Result {
	t.Helper()
	h := historyOf(t, entries, resource)
	t.Log(dump(h))
	return watchcache.Suite.Describe().Judge(harness.Info{}, h)
}

func historyOf(t *testing.T, entries []requestlog.Entry, resource string) *history.History {
	t.Helper()
	h, err := fake.History(entries, fake.About{Resource: schema.ParseGroupResource(resource), Features: fake.FeaturesOf(schema.ParseGroupResource(resource))})
	require.NoError(t, err)
	require.Contains(t, h.Header.Features, string(watchcache.SoleWriter))
	return h
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
	"serviceaccounts":  "POST SA {\"metadata\":{\"name\":\"beside\"}}\nGET SA/beside\n",
	"jobs.batch":       "POST JOBS {JOB,\"name\":\"beside\"}}\nGET JOBS/beside\n",

	"leases.coordination.k8s.io": "POST LEASES {\"metadata\":{\"name\":\"beside\"}}\nGET LEASES/beside\n",
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

// A patch that takes nothing away leaves alone what it does not name, and what is beside an eviction, a binding
// or a scale in time is judged up to it.
func TestOthersSpareTheRest(t *testing.T) {
	entries := played(t, `POST CM {"metadata":{"name":"b","annotations":{"n":"1"}}}
		MERGE CM/b {"data":{"a":"1"}}
		JSON CM/b [{"op":"add","path":"/metadata/annotations/o","value":"1"}]`)
	require.Empty(t, broken(read(t, entries, "configmaps")))
	var changes int
	for i := range entries {
		if entries[i].What != requestlog.Answered {
			continue
		}
		if changes++; changes == 2 { // the merge patch
			entries[i].Object = bytes.Replace(entries[i].Object, []byte(`"annotations":{"n":"1"}`), []byte(`"annotations":{}`), 1)
		}
	}
	require.Equal(t, []string{"write/response"}, broken(read(t, entries, "configmaps")))

	stale := faults.Fault{Verbs: []string{"get"}, Nth: 1, Stale: &metav1.Duration{Duration: -1}}
	for _, c := range []asks{
		{resource: "pods", lines: "POST PODS {POD}\nGET PODS/p\nPOST PODS/p/eviction {\"metadata\":{\"name\":\"p\"}}\nGET PODS/p"},
		{resource: "configmaps", lines: "POST NS {\"metadata\":{\"name\":\"n\"}}\nPOST NS/n/configmaps {b:{}}\nGET NS/n/configmaps/b\nDELETE NS/n\nGET NS/n/configmaps/b"},
	} {
		require.Contains(t, broken(read(t, played(t, c.lines, stale), c.resource)), "get/most-recent", c.lines)
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
