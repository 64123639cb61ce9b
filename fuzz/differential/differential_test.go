package differential

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/lwtest/lwtest/harness/story"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What a kube-apiserver answered to stories that once found a difference, the fake answers, too:
//
//	make differential GOLDENS=1 # records the answers anew
func TestGoldens(t *testing.T) {
	all, err := readGoldens("testdata/goldens.json")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, g := range all {
		t.Run(g.About, func(t *testing.T) {
			steps, err := g.steps()
			require.NoError(t, err)
			require.Len(t, g.Answers, len(steps), "record it: make differential GOLDENS=1")
			fake, end, err := newFake()
			require.NoError(t, err)
			defer end()
			got, err := answers(fake, "golden", steps)
			require.NoError(t, err)
			for i, step := range steps {
				_, left := explainAll(language.Say(step), gaps("", g.Answers[i], got[i]))
				for _, gap := range left {
					t.Errorf("request %d: %s\n%s", i+1, language.Say(step), gap)
				}
			}
		})
	}
}

// The object of each row can be created, read, changed and deleted.
func TestKinds(t *testing.T) {
	fake, end, err := newFake()
	require.NoError(t, err)
	defer end()
	for _, k := range kinds {
		name := "a"
		if k.Cluster {
			name = "{NS}-a"
		}
		dry := []string{}
		if k.DryRun {
			name, dry = "others.other.example.com", []string{"dryRun=All"}
		}
		steps := []story.Step{
			{Op: "create", With: Ask{Kind: k.Name, Name: name, Query: dry}},
			{Op: "merge", With: Ask{Kind: k.Name, Name: name, Edits: []string{`/metadata/annotations {"k":"v"}`}}},
			{Op: "list", With: Ask{Kind: k.Name}},
			{Op: "delete", With: Ask{Kind: k.Name, Name: name}},
		}
		got, err := answers(fake, "in-"+k.Name, steps)
		require.NoError(t, err)
		for i, want := range []string{"201", "200", "200", "200"} {
			if k.DryRun && i%2 == 1 {
				want = "404" // it was not stored
			}
			code := got[i].(map[string]any)["code"]
			if i == 3 && code == "202" { // a node of a namespace is on its way
				code = want
			}
			assert.Equal(t, want, code, "%s %s", k.Name, steps[i].Op)
		}
	}
}

// The same seed draws the same stories; each is valid, and comes back from its JSON.
func TestDrawn(t *testing.T) {
	for number := range 300 {
		s := drawn(3, number, "")
		require.Equal(t, s, drawn(3, number, ""))
		require.NoError(t, language.Validate(s))
		b, err := s.MarshalJSON()
		require.NoError(t, err)
		back, err := language.Read(b)
		require.NoError(t, err)
		require.Equal(t, language.Text(s), language.Text(back))
	}
}

func TestGaps(t *testing.T) {
	real := map[string]any{"a": "1", "managedFields": []any{"x"}, "list": []any{"x", "y"}}
	fake := map[string]any{"a": "2", "list": []any{"x"}, "more": "z"}
	assert.Equal(t, []Gap{{"/a", `"1"`, `"2"`}, {"/list/1", `"y"`, ""}, {"/more", "", `"z"`}}, gaps("", real, fake))
	assert.Empty(t, gaps("", real, real))
}

// What both servers choose is the same for both after normalisation.
func TestNormal(t *testing.T) {
	say := func(version, uid, namespace string) any {
		s := newSession(&server{url: "http://x"}, namespace)
		body := `{"kind":"Pod","metadata":{"name":"gen-1-xxxxx","namespace":"` + namespace + `","uid":"` + uid + `","resourceVersion":"` + version + `","creationTimestamp":"` + time.Now().UTC().Format(time.RFC3339) + `"}}` + "\n"
		return s.normal(&answer{code: 200, headers: http.Header{"Content-Type": {"application/json"}}, body: []byte(body)})
	}
	one := say("1234", "11111111-2222-3333-4444-555555555555", "ns-1")
	require.Equal(t, one, say("5678", "99999999-2222-3333-4444-555555555555", "other"))
	object := one.(map[string]any)["body"].([]any)[0].(map[string]any)["metadata"]
	assert.Equal(t, map[string]any{"name": "gen-1-g1", "namespace": "{NS}", "uid": "u1", "resourceVersion": "r1", "creationTimestamp": "TIME"}, object)
}

// A row explains one place, or the whole answer; what no row explains is left.
func TestExplainAll(t *testing.T) {
	known := Gap{"/body/0/managedFields/Update a v1", `"0"`, ""}
	other := Gap{"/code", `"422"`, `"404"`}
	rows, left := explainAll("GET /x", []Gap{known, other})
	assert.Len(t, rows, 1)
	assert.Equal(t, []Gap{other}, left)
	rows, left = explainAll("POST /api/v1/namespaces/{NS}/services", []Gap{other, {"/body/0/message", "failed to allocate IP: IPAddress.networking.k8s.io x is invalid: spec.parentRef.name: Required value", ""}})
	assert.Len(t, rows, 1)
	assert.Empty(t, left)
}

// Each row has a reason, and does not match everything.
func TestExplained(t *testing.T) {
	for i, e := range explained {
		assert.NotEmpty(t, e.why, i)
		assert.NotEmpty(t, e.request+e.at+e.answers, "row %d would explain everything", i)
		assert.False(t, e.whole && (e.at == "" || e.answers == ""), "row %d explains a whole answer: it must say by what", i)
	}
}

// A message that quotes an object shows no managers.
func TestWithoutManagers(t *testing.T) {
	assert.Equal(t, `{\"b\":2}`, withoutManagers(`{\"managedFields\":[{}],\"b\":2}`))
	assert.Equal(t, `{\"a\":1,\"b\":2}`, withoutManagers(`{\"a\":1,\"managedFields\":[{\"x\":[1]}],\"b\":2}`))
}
