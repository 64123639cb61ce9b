package controller

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// textOf returns a comparison as text, a row a line.
func textOf(c *harness.Comparison) string {
	var b strings.Builder
	for _, r := range c.Rows {
		if r.Between != "" {
			fmt.Fprintf(&b, "-- %s --\n", r.Between)
		}
		if r.Left.Text != "" || r.Right.Text != "" {
			fmt.Fprintf(&b, "%s | %s\n", r.Left.Text, r.Right.Text)
		}
	}
	return b.String()
}

// compared1 compares the last run of a history.
func compared1(t *testing.T, h *history.History) *harness.Comparison {
	t.Helper()
	c := compare(h, harness.Finding{At: []int32{1, int32(len(h.Events))}})
	require.NotNil(t, c)
	return c
}

const twoShips = `
	RUN
	START life1
	REST
	user POST fleets.example.com/default -> Fleet/f
	life1 POST configmaps/default -> ConfigMap/a
	life1 POST configmaps/default -> ConfigMap/b
	REST
	FINAL ConfigMap/a ConfigMap/b
`

// The rows of two runs stand where the same steps do. What is missing comes after what went wrong.
func TestCompare(t *testing.T) {
	h := byHand(t, twoShips+`
		RUN kill the controller after write 1
		START life1
		REST
		user POST fleets.example.com/default -> Fleet/f
		life1 POST configmaps/default -> ConfigMap/a[uid=other]
		DISTURB kill the controller after write 1
		KILL life1
		OVER life1 signal: killed
		START life2
		life2 PUT fleets.example.com/default/f ! 409 Conflict
		DISTURB kill the controller after write 1
		life2 PUT fleets.example.com/default/f ! 409 Conflict
		REST
		FINAL ConfigMap/a[uid=other]
		STOP life2
	`)
	c := compared1(t, h)
	assert.Equal(t, "run 1, undisturbed", c.Left)
	assert.Equal(t, "run 2: kill the controller after write 1", c.Right)
	assert.Equal(t, `START life1 | START life1
REST | REST
user POST fleets.example.com/default/f: ok | user POST fleets.example.com/default/f: ok
life1 POST configmaps/default/a: ok | life1 POST configmaps/default/a: ok
-- kill the controller after write 1 --
 | KILL life1
 | OVER life1: signal: killed
 | START life2
 | life2 PUT fleets.example.com/default/f: 409 Conflict, and again, 2 in all
-- the first write that differs: it succeeds only undisturbed --
life1 POST configmaps/default/b: ok | 
REST | REST
FINAL | FINAL
 | STOP life2
`, textOf(c))
	assert.Equal(t, []string{"0 of ConfigMap default/b, where undisturbed there are 1"}, c.Differ)
	for _, r := range c.Rows {
		if r.Right.Text == "START life2" {
			assert.Equal(t, evStart, h.Event(r.Right.Num).Kind)
		}
	}
	assert.Nil(t, compare(h, harness.Finding{At: []int32{2}}), "an undisturbed run")
	assert.Nil(t, compare(h, harness.Finding{At: []int32{1000}}), "no event")
	assert.Nil(t, compare(h, harness.Finding{}), "no event")
}

// The first write that differs.
func TestDiffering(t *testing.T) {
	const head = "RUN late\nSTART life1\nREST\nuser POST fleets.example.com/default -> Fleet/f\n"
	const a, b = "life1 POST configmaps/default -> ConfigMap/a\n", "life1 POST configmaps/default -> ConfigMap/b\n"
	for name, c := range map[string]struct{ run, between, row string }{
		"the same":                        {run: a + b + "REST"},
		"another order":                   {run: b + a + "REST"},
		"another life":                    {run: a + "DISTURB kill\nSTART life2\nlife2 POST configmaps/default -> ConfigMap/b[uid=u7,rv=9]\nREST"},
		"one is refused, and tried again": {run: "life1 POST configmaps/default ! 500 InternalError\nDISTURB refuse\n" + a + b + "REST"},
		"one more":                        {run: a + b + a + "REST", between: "it succeeds only in the disturbed run", row: " | life1 POST configmaps/default/a: ok"},
		"one is missing":                  {run: a + "REST", between: "it succeeds only undisturbed", row: "life1 POST configmaps/default/b: ok | "},
		"one comes later":                 {run: a + "REST\n" + b, between: "it succeeds only undisturbed", row: "life1 POST configmaps/default/b: ok | "},
		"it is refused":                   {run: a + "life1 POST configmaps/default ! 403 Forbidden\nREST", between: "it succeeds only undisturbed", row: "life1 POST configmaps/default/b: ok | "},
		"before, and then":                {run: b + "DISTURB kill\nREST\n" + a, between: "it succeeds only in the disturbed run", row: " | life1 POST configmaps/default/a: ok"},
		"another content": {run: a + "life1 POST configmaps/default -> ConfigMap/b[data=x]\nREST", between: `ConfigMap default/b has data: "x", where undisturbed it has ""`,
			row: "life1 POST configmaps/default/b: ok | life1 POST configmaps/default/b: ok"},
	} {
		t.Run(name, func(t *testing.T) {
			text := textOf(compared1(t, byHand(t, twoShips+head+c.run+"\nFINAL ConfigMap/a ConfigMap/b")))
			if c.between == "" {
				assert.NotContains(t, text, "differs")
				return
			}
			assert.Equal(t, 1, strings.Count(text, "differs"))
			assert.Contains(t, text, "-- the first write that differs: "+c.between+" --\n"+c.row+"\n")
		})
	}
}

// What a user cannot create is named by what the user sends, so that it stands beside what was created undisturbed.
func TestCompareUserRefused(t *testing.T) {
	h := byHand(t, twoShips+"RUN kill\nSTART life1\nREST\nuser POST fleets.example.com/default sends=Fleet/f ! 409 AlreadyExists\nREST\nFINAL")
	assert.Contains(t, textOf(compared1(t, h)), "user POST fleets.example.com/default/f: ok | user POST fleets.example.com/default/f: 409 AlreadyExists\n")
}

// Names that are drawn are the same in both runs. A run that is equal has no difference.
func TestCompareEqual(t *testing.T) {
	run := func(how, drawn string) string {
		return "RUN " + how + "\nSTART life1\nlife1 POST pods/default -> Pod/p" + drawn + "[generateName=p]\nREST\nlife1 DELETE pods/default/p" + drawn + "\nlife1 DELETE pods/default/other-" + drawn + "\nREST\nFINAL\n"
	}
	c := compared1(t, byHand(t, run("", "24bcd")+run("kill", "98xzz")))
	assert.Equal(t, `START life1 | START life1
life1 POST pods/default/p24bcd: ok | life1 POST pods/default/p98xzz: ok
REST | REST
life1 DELETE pods/default/p24bcd: ok | life1 DELETE pods/default/p98xzz: ok
life1 DELETE pods/default/other-24bcd: ok | life1 DELETE pods/default/other-98xzz: ok
REST | REST
FINAL | FINAL
`, textOf(c))
	assert.Empty(t, c.Differ)
}

// Of long runs the rows are shown that matter, and how many others there are.
func TestCompareLong(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "life1 PUT configmaps/default/c%d -> ConfigMap/c%d\n", i, i)
		}
		return b.String()
	}
	c := compared1(t, byHand(t, "RUN\nSTART life1\n"+many(3000)+"REST\nlife1 PUT configmaps/default/z -> ConfigMap/z\n"+many(100)+"FINAL\nRUN kill\nSTART life1\n"+many(500)+"DISTURB kill\n"+
		strings.TrimPrefix(many(3000), many(500))+"REST\n"+many(100)+"FINAL"))
	text := textOf(c)
	assert.LessOrEqual(t, len(c.Rows), mostRows+5)
	assert.True(t, strings.HasPrefix(text, "START life1 | START life1\n"), text)
	assert.True(t, strings.HasSuffix(text, "FINAL | FINAL\n"), text)
	assert.Contains(t, text, "c499: ok\n-- kill --\nlife1 PUT configmaps/default/c500: ok | life1 PUT configmaps/default/c500: ok\n")
	assert.Regexp(t, `-- \d\d\d+ rows are left out --`, text)
	assert.Contains(t, text, "-- the first write that differs: it succeeds only undisturbed --\nlife1 PUT configmaps/default/z: ok | \n")
}

// Runs that share the time are told apart by the names of their actors.
func TestCompareInterleaved(t *testing.T) {
	h := byHand(t, "RUN\nSTART life1\nFINAL\nRUN first\nSTART life1\nFINAL\nRUN second\nSTART life1\nFINAL")
	var events []history.Event
	for step := range 3 { // of each run in turn
		for run := range 3 {
			e := h.Events[3*run+step]
			e.Num, e.Actor = 0, e.Actor+fmt.Sprintf("@%d", run+1)
			events = append(events, e)
		}
	}
	h, err := history.New(h.Header, events)
	require.NoError(t, err)
	for num, want := range map[int32]string{8: "run 2: first", 9: "run 3: second"} {
		c := compare(h, harness.Finding{At: []int32{num}})
		require.NotNil(t, c)
		assert.Equal(t, want, c.Right)
	}
	assert.Nil(t, compare(h, harness.Finding{At: []int32{7}}))
}

// That no pod used a claim at some moment is no difference. That none uses it is.
func TestUnusedClaim(t *testing.T) {
	claim := func(conditions string) state {
		o, err := readObject([]byte(`{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "status": {"phase": "Bound"` + conditions + `}}`))
		require.NoError(t, err)
		return stateOf([]*object{o})
	}
	calm := []state{claim("")}
	assert.Empty(t, differences(claim(`, "conditions": [{"type": "Unused", "status": "False", "reason": "PodUsingPVC"}]`), calm))
	assert.NotEmpty(t, differences(claim(`, "conditions": [{"type": "Unused", "status": "True", "reason": "NoPodsUsingPVC"}]`), calm))
	assert.NotEmpty(t, differences(claim(`, "conditions": [{"type": "Resizing", "status": "False"}]`), calm))
}

// Names that end otherwise in each run are as one, if their objects have a controller.
func TestNamesOfEachRun(t *testing.T) {
	ends := func(owner string, names ...string) state {
		var all []*object
		for _, n := range names {
			o, err := readObject([]byte(fmt.Sprintf(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": %q%s}}`, n, owner)))
			require.NoError(t, err)
			all = append(all, o)
		}
		return stateOf(all)
	}
	const owned = `, "ownerReferences": [{"apiVersion": "v1", "kind": "Job", "name": "j", "uid": "u", "controller": true}]`
	calm := []state{ends(owned, "job-1a2b3", "web-0"), ends(owned, "job-4c5d6", "web-0"), ends(owned, "job-7e8f9", "web-0")}
	assert.Empty(t, differences(ends(owned, "job-abcde", "web-0"), calm))
	assert.Len(t, differences(ends(owned, "job-abcde", "job-bcdef", "web-0"), calm), 1, "one too many")
	assert.Len(t, differences(ends(owned, "web-0"), calm), 1, "none")
	assert.Len(t, differences(ends(owned, "job-abcde", "web-0", "web-1"), calm), 1, "a name that all share is no name of one run")
	assert.NotEmpty(t, differences(ends(owned, "job-abcde", "web-0"), calm[:1]), "one run proves nothing")
	alone := []state{ends("", "job-1a2b3"), ends("", "job-4c5d6")}
	assert.NotEmpty(t, differences(ends("", "job-abcde"), alone), "objects without a controller")
}
