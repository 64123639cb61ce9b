package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
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

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/rest"
	"github.com/lwtest/lwtest/fakes/apiserver/schemas"
	"github.com/lwtest/lwtest/internal/full"
)

// file holds what a real server answered to a table.
func (t table) file() string { return "testdata/raw/" + t.name + ".txt" }

// golden is the file's answers, in the order of all.
func (t table) golden(tt *testing.T) []string {
	tt.Helper()
	b, err := os.ReadFile(t.file())
	require.NoError(tt, err)
	out := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n> ")[1:]
	require.Len(tt, out, len(t.all()), "%s is not of this table: see TestRealRecord", t.file())
	return out
}

// What a real kube-apiserver answered to rawTables of requests the fake answers, too: code, headers that
// matter, body and events, as they are on the wire, but for what differs from run to run.
func TestRaw(t *testing.T) {
	for _, table := range full.Part(t, rawTables, 4, 0) {
		t.Run(table.name, func(t *testing.T) {
			want, steps := table.golden(t), table.all()
			var got []string
			o := apiserver.Options{NoShards: true, FirstRevision: 1000, CompactEvery: -1, WatchBehind: 30, Types: schemas.Types, ManagedFields: table.kept}
			inBubbleWith(t, o, rest.Options{Token: "bearer-of-this-token", RBAC: table.rights}, func(t *testing.T, b both) {
				if table.rights {
					require.NoError(t, rest.AddBootstrapRoles(t.Context(), b.api))
				}
				s := fakeSession(t, b, table.namespace)
				got = s.run(table, nil)
				s.client.CloseIdleConnections()
			})
			for i, w := range want {
				if d := deliberately(steps[i]); d != nil && got[i] != w && (d.whole || head(got[i]) == head(w) && (!d.shown || !strings.Contains(head(w), "\n< 4"))) {
					d.used++
				} else if got[i] != w {
					t.Errorf("%d, %s\nwant %s\n got %s", i, table.factsOf(i), w, got[i])
				}
			}
		})
	}
	for _, d := range deliberate {
		if d.used == 0 && !t.Failed() && full.Wanted() {
			t.Errorf("nothing differs any more by %q: %s", d.requests, d.why)
		}
	}
}

// head is a step and the code and headers of its answer.
func head(answer string) string {
	parts := strings.SplitN(answer, "\n", 3)
	return strings.Join(parts[:min(2, len(parts))], "\n")
}

// fakeSession asks the fake.
func fakeSession(t *testing.T, b both, namespace string) *session {
	t.Helper()
	config := b.RESTConfig()
	if namespace != "default" {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
		_, err := b.api.Create(t.Context(), apiserver.Request{Resource: corev1.SchemeGroupVersion.WithResource("namespaces")}, ns, metav1.CreateOptions{})
		require.NoError(t, err)
	}
	s := &session{
		client: &http.Client{CheckRedirect: stay, Transport: &http.Transport{DialContext: config.Dial, DisableCompression: true}}, config: config,
	}
	s.deeds = map[string]func(string) error{
		"compact":  b.api.Compact,
		"together": func(paths string) error { return b.api.DeleteTogether(requests(paths)...) },
		"restart": func(string) error {
			synctest.Wait() // a real server lives long enough to tell what was done before
			b.api.Restart()
			return nil
		},
		"hold": func(while string) error {
			b.api.SetLag(-1)
			if while == "" {
				return nil
			}
			d, err := time.ParseDuration(while)
			time.AfterFunc(d, func() { b.api.SetLag(0) })
			return err
		},
		"release": func(string) error { b.api.SetLag(0); return nil },
		"wait":    wait,
	}
	old, ended := b.Server, make(chan error, 1)
	s.deeds["term"] = func(string) error { // clients go on with another server, as they do where the address is the same
		next, err := rest.ServePipe(b.api, rest.Options{Token: config.BearerToken, Resources: resources()})
		if err != nil {
			return err
		}
		t.Cleanup(func() { assert.NoError(t, next.Close()) })
		*config = *next.RESTConfig()
		s.client = &http.Client{CheckRedirect: stay, Transport: &http.Transport{DialContext: config.Dial, DisableCompression: true}}
		go func() { ended <- old.Shutdown(context.Background()) }()
		return nil
	}
	s.deeds["ready"] = func(string) error { return <-ended }
	return s
}

// requests are those for RESOURCE/NAMESPACE/NAME.
func requests(paths string) (all []apiserver.Request) {
	for _, p := range strings.Fields(paths) {
		parts := strings.Split(p, "/")
		all = append(all, apiserver.Request{Resource: schema.GroupVersionResource{Version: "v1", Resource: parts[0]}, Namespace: parts[1], Name: parts[2]})
	}
	return all
}

// factsOf are the ids of the facts that the i-th step shows.
func (t table) factsOf(i int) string {
	for _, p := range t.parts {
		for _, s := range p.steps {
			if i -= 1 + len(s.during); i < 0 {
				return p.facts
			}
		}
	}
	return ""
}

// Each fact has a request that shows it, or says why not; most have.
func TestFacts(t *testing.T) {
	shown, later := map[string]int{}, 0
	for _, table := range rawTables {
		for _, p := range table.parts {
			require.NotEmpty(t, p.facts)
			for _, id := range strings.Fields(p.facts) {
				for _, s := range p.steps {
					if !s.setUp {
						shown[id]++
					}
				}
			}
		}
	}
	for _, f := range facts {
		if f.later != "" {
			later++
			require.Zero(t, shown[f.id]+len(shownElsewhere[f.id]), "%s is shown: it is not for later", f.id)
		} else if shownElsewhere[f.id] == "" {
			require.NotZero(t, shown[f.id], "no request shows %s: %s", f.id, f.what)
		}
		delete(shown, f.id)
	}
	require.Empty(t, shown, "there are no such facts")
	require.LessOrEqual(t, later*100, len(facts)*30)
	t.Logf("%d facts, %d for later", len(facts), later)
}

// Two requests differ in more than names: in what is asked, or in what is answered.
func TestDifferent(t *testing.T) {
	seen, n := map[string]string{}, 0
	for _, table := range rawTables {
		answers := table.golden(t)
		for i, s := range table.all() {
			if s.setUp {
				continue
			}
			n++
			where := fmt.Sprintf("%s %d: %s", table.name, i, s.line())
			same := fmt.Sprint(table.kept, nameless(answers[i]))      // with all managers an answer is another
			if other, ok := seen[same]; ok && table.name == "kinds" { // what its requests need is not marked
				n--
			} else if ok {
				t.Errorf("differ in names only:\n%s\n%s", other, where)
			}
			seen[same] = where
		}
	}
	t.Logf("%d requests", n)
	require.GreaterOrEqual(t, n, 600)
}

var nameOf = []*regexp.Regexp{
	regexp.MustCompile(`((?:\{(?:CM|SE|PO|EV|LE|WI|NS)\}|/(?:configmaps|secrets|pods|events|leases|widgets|namespaces))/)[a-z0-9.-]+`),
	regexp.MustCompile(`(\\?"(?:name|field)\\?":\\?")[A-Za-z0-9./-]+`),
	regexp.MustCompile(`((?:configmaps|secrets|pods|events|leases\S*|widgets\S*|ConfigMap|Secret|Pod|Lease\S*|Widget\S*) \\?")[a-z0-9.-]+`),
}

// nameless is a request and its answer without names of objects.
func nameless(text string) string {
	for _, r := range nameOf {
		text = r.ReplaceAllString(text, "${1}NAME")
	}
	return text
}

// deliberation is a way in which the fake answers otherwise, on purpose.
type deliberation struct {
	requests string // a regular expression of lines
	why      string
	whole    bool // code and headers, too
	shown    bool // of objects alone: it refuses with the same words
	used     int
}

// deliberately is the first that a step falls under, or nil.
func deliberately(s step) *deliberation {
	at := slices.IndexFunc(deliberate, func(d *deliberation) bool {
		return regexp.MustCompile("^(" + d.requests + ")$").MatchString(s.line())
	})
	if at < 0 {
		return nil
	}
	return deliberate[at]
}

// The list of what is otherwise is short.
func TestDeliberate(t *testing.T) {
	require.LessOrEqual(t, len(deliberate), 25)
}
