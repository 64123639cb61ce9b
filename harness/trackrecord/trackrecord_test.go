package trackrecord_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/release"
	"github.com/lwtest/lwtest/harness/report"
	"github.com/lwtest/lwtest/harness/trackrecord"
)

// The cases of this tree can be read. Each names a module that an adapter adapts, and links to the bug upstream.
func TestCases(t *testing.T) {
	root, err := release.Root(".")
	require.NoError(t, err)
	all, err := trackrecord.Load(root)
	require.NoError(t, err)
	require.NoError(t, trackrecord.Wrong(all))
	adapters, err := release.Adapters(root)
	require.NoError(t, err)
	numbers, historical := map[int]bool{}, 0
	for _, c := range all {
		if c.Bug == "" {
			numbers[c.Number] = true
		} else {
			historical++
		}
		a, err := c.Adapter(adapters)
		assert.NoError(t, err, c.Name)
		if c.Bug != "" {
			edits, err := os.ReadFile(filepath.Join(root, a.Folder, a.Edits))
			require.NoError(t, err)
			assert.Contains(t, string(edits), `\"`+c.Bug+`\"`, "no edit of %s asks for the bug of %s", a.Edits, c.Name)
		}
		for _, link := range c.Upstream {
			assert.True(t, strings.HasPrefix(link, "https://github.com/"), link)
		}
	}
	assert.Equal(t, map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 10: true, 11: true, 12: true, 13: true, 14: true, 15: true}, numbers)
	assert.Equal(t, 26, historical, "of the thirty that Kubernetes lists")
	_, err = trackrecord.Choose(all, []string{"99"})
	assert.ErrorContains(t, err, `there is no case "99": there are 01-fake-clientset`)
	seven, err := trackrecord.Choose(all, []string{"7", "04-ghost"})
	require.NoError(t, err)
	assert.Len(t, seven, 3)
}

// write makes a tree with one case.
func write(t *testing.T, name, content string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, trackrecord.Folder, name)
	require.NoError(t, os.MkdirAll(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "case.json"), []byte(content), 0o666))
	return root
}

const whole = `{"number": 4, "title": "t", "module": "m", "buggy": "v1.0.0", "control": "v1.0.1", "args": "", "clause": "store/queue/no-ghost", "checks": ["store/queue/no-ghost"], "upstream": ["u"]`

func TestWrongCases(t *testing.T) {
	for want, content := range map[string]string{
		"unknown field":                            whole + `, "buggi": "v1"}`,
		"one of control and noControl":             whole + `, "noControl": "why"}`,
		"left.got":                                 whole + `, "left": {"got": "(", "why": "w", "link": "l"}}`,
		"missing: clause":                          strings.Replace(whole, "store/queue/no-ghost", "ghost", 1) + `}`,
		"the folder of case 5 begins with 05-":     strings.Replace(whole, "4", "5", 1) + `}`,
		"unexpected EOF":                           whole,
		"missing: checks":                          strings.Replace(whole, `["store/queue/no-ghost"]`, `[]`, 1) + `}`,
		"json: cannot unmarshal string into Go st": strings.Replace(whole, `4`, `"4"`, 1) + `}`,
	} {
		all, err := trackrecord.Load(write(t, "04-x", content))
		require.NoError(t, err)
		assert.ErrorContains(t, trackrecord.Wrong(all), want)
		assert.ErrorContains(t, trackrecord.Wrong(all), filepath.Join("04-x", "case.json"))
	}
	none, err := trackrecord.Load(t.TempDir())
	assert.NoError(t, err)
	assert.Empty(t, none)
}

// A faulty case is found by its folder and its number and does not keep others from being read.
func TestWrongAmongOthers(t *testing.T) {
	root := write(t, "04-x", whole+`}`)
	dir := filepath.Join(root, trackrecord.Folder, "05-y")
	require.NoError(t, os.Mkdir(dir, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "case.json"), []byte("{"), 0o666))
	all, err := trackrecord.Load(root)
	require.NoError(t, err)
	for asked, wrong := range map[string]bool{"4": false, "04-x": false, "5": true, "05-y": true} {
		cases, err := trackrecord.Choose(all, []string{asked})
		require.NoError(t, err)
		assert.Equal(t, wrong, trackrecord.Wrong(cases) != nil, asked)
	}
	_, err = trackrecord.Page(all)
	assert.ErrorContains(t, err, filepath.Join("05-y", "case.json"))
}

// ran returns the report of a run of one check, in which a rule was tested this often, with these findings.
func ran(rule string, tested int, got ...string) *report.Report {
	r := harness.RuleResult{Rule: rule, Verdict: harness.Pass, Tested: tested}
	if tested == 0 {
		r.Verdict, r.Reason = harness.Inconclusive, "never tested"
	}
	for i, g := range got {
		if r.Verdict = harness.Fail; i == 0 {
			r.Bad = []harness.Shown{{Finding: harness.Finding{Want: "w", Got: g}, Timeline: "line one\nline two\n"}}
		} else {
			r.More = append(r.More, g)
		}
	}
	return &report.Report{Elapsed: time.Second, Results: []harness.Result{
		{Check: "store/queue/no-ghost", Verdict: harness.Fail, Reason: "", Rules: []harness.RuleResult{{Rule: "queue/other", Verdict: harness.Fail, Tested: 1}, {Rule: "queue/no-ghosts", Verdict: harness.Fail, Tested: 1}, r}},
		{Check: "informer/queue/no-ghost", Rules: []harness.RuleResult{{Rule: "queue/no-ghost", Verdict: harness.Fail, Tested: 1}}}, // another kind
	}}
}

func TestReproduced(t *testing.T) {
	const rule = "queue/no-ghost"
	for _, c := range []struct {
		name           string
		more           string // of the case
		buggy, control []*report.Report
		want           string // of the error; "": it was reproduced
	}{
		{"as it should be", "", []*report.Report{ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3)}, ""},
		{"by an aspect", "", []*report.Report{ran(rule+"/lists", 2, "bad")}, []*report.Report{ran(rule+"/lists", 3)}, ""},
		{"once in two runs", "", []*report.Report{ran(rule, 2), ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3), ran(rule, 1)}, ""},
		{"not broken", "", []*report.Report{ran(rule, 2)}, []*report.Report{ran(rule, 3)}, "m v1.0.0: store/queue/no-ghost was tested and not broken"},
		{"another rule's", "", []*report.Report{ran("queue/no", 2, "bad")}, []*report.Report{ran(rule, 3)}, "never tested"},
		{"not tested", "", []*report.Report{ran(rule, 0)}, []*report.Report{ran(rule, 3)}, "was never tested: no check tested it"},
		{"the control too", "", []*report.Report{ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3), ran(rule, 3, "bad")}, "its control, breaks store/queue/no-ghost too:\nwant    w\ngot     bad"},
		{"the control untested", "", []*report.Report{ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3), ran(rule, 0)}, "was not tested in 1 of 2 runs"},
		{"no control", "", []*report.Report{ran(rule, 2, "bad")}, nil, "its control, was not run"},
		{"left", `, "left": {"got": "^no DELETED", "why": "w", "link": "l"}`, []*report.Report{ran(rule, 2, "no DELETED", "no ADDED")}, []*report.Report{ran(rule, 3, "no DELETED came")}, ""},
		{"more than what is left", `, "left": {"got": "^no DELETED", "why": "w", "link": "l"}`, []*report.Report{ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3, "no DELETED", "no ADDED")}, "breaks store/queue/no-ghost too"},
		{"no more than what is left", `, "left": {"got": "^no DELETED", "why": "w", "link": "l"}`, []*report.Report{ran(rule, 2, "no DELETED")}, []*report.Report{ran(rule, 3)}, "was tested and not broken"},
		{"what is left breaks another clause", `, "left": {"why": "w", "link": "l"}`, []*report.Report{ran(rule, 2, "bad")}, []*report.Report{ran(rule, 3, "bad")}, "breaks store/queue/no-ghost too"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := trackrecord.Load(write(t, "04-x", whole+c.more+`}`))
			require.NoError(t, err)
			r := trackrecord.Result{Date: "2026-01-02", Commit: "abc", Buggy: trackrecord.Side{Version: "v1.0.0"}}
			for _, run := range c.buggy {
				r.Buggy.Add(all[0], run)
			}
			if c.control != nil {
				r.Control = &trackrecord.Side{Version: "v1.0.1"}
			}
			for _, run := range c.control {
				r.Control.Add(all[0], run)
			}
			err = all[0].Reproduced(r)
			if c.want != "" {
				assert.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.NoError(t, all[0].Keep(r))
			kept, ok, err := all[0].Result()
			require.NoError(t, err)
			assert.True(t, ok)
			r.Of = all[0].Of()
			assert.Equal(t, r, kept)
			page, err := trackrecord.Page(all)
			require.NoError(t, err)
			assert.Contains(t, string(page), "| 2026-01-02, abc |")
		})
	}
}

// A case that was never reproduced is on the page, which says so.
func TestNeverReproduced(t *testing.T) {
	all, err := trackrecord.Load(write(t, "04-x", strings.Replace(whole, `"control": "v1.0.1"`, `"noControl": "nobody mends it"`, 1)+`}`))
	require.NoError(t, err)
	page, err := trackrecord.Page(all)
	require.NoError(t, err)
	assert.Contains(t, string(page), "| never |")
	assert.Contains(t, string(page), "There is no control: nobody mends it.")
	r := trackrecord.Result{}
	r.Buggy.Add(all[0], ran("queue/no-ghost", 1, "bad"))
	assert.NoError(t, all[0].Reproduced(r))
}

// "where it was tested 3 times" on the page counts the last run only.
func TestTestedIsOfTheLastRun(t *testing.T) {
	all, err := trackrecord.Load(write(t, "04-x", whole+`}`))
	require.NoError(t, err)
	var s trackrecord.Side
	for _, tested := range []int{5, 2, 3} {
		r := ran("queue/no-ghost", tested)
		r.Elapsed = time.Duration(tested) * time.Second
		s.Add(all[0], r)
	}
	assert.Equal(t, 5*time.Second, s.Took, "the longest")
	assert.Equal(t, 3, s.Runs)
	assert.Equal(t, 3, s.Tested)
}

// A run that was cut short, or whose adapter broke the protocol, is noted as undone, even if it tested the clause.
func TestUndone(t *testing.T) {
	all, err := trackrecord.Load(write(t, "04-x", whole+`}`))
	require.NoError(t, err)
	side := func(change func(*report.Report)) (s trackrecord.Side) {
		r := ran("queue/no-ghost", 2)
		change(r)
		s.Add(all[0], r)
		return s
	}
	assert.Empty(t, side(func(*report.Report) {}).Undone)
	assert.Equal(t, "it did not come to its end", side(func(r *report.Report) { r.Truncated = true }).Undone)
	assert.Equal(t, "not JSON", side(func(r *report.Report) { r.Results[0].Cause, r.Results[0].Reason = harness.CauseAdapter, "not JSON" }).Undone)
}

// One run today does not replace the result of twenty.
func TestMostRunsAreKept(t *testing.T) {
	all, err := trackrecord.Load(write(t, "04-x", whole+`}`))
	require.NoError(t, err)
	of := func(commit string, runs, failed int) trackrecord.Result {
		return trackrecord.Result{Date: "2026-01-02", Commit: commit, Buggy: trackrecord.Side{Runs: runs, Failed: failed}}
	}
	for _, r := range []trackrecord.Result{of("a", 3, 3), of("b", 20, 19), of("c", 1, 1), of("d", 2, 2)} {
		require.NoError(t, all[0].Keep(r))
	}
	kept, _, err := all[0].Result()
	require.NoError(t, err)
	assert.Equal(t, "d", kept.Commit)
	assert.Equal(t, &trackrecord.Most{Date: "2026-01-02", Commit: "b", Runs: 20, Failed: 19, Of: all[0].Of()}, kept.Most)
	page, err := trackrecord.Page(all)
	require.NoError(t, err)
	assert.Contains(t, string(page), "| 19 of 20 (b) | 0.0 s | 2026-01-02, d |")
	assert.Contains(t, string(page), "broke it in 2 of 2 runs; of more runs, on 2026-01-02, 19 of 20 (b).")
	require.NoError(t, all[0].Keep(of("e", 30, 30)))
	kept, _, err = all[0].Result()
	require.NoError(t, err)
	assert.Nil(t, kept.Most)
}

// Numbers belong to a case.json. With another one they are neither shown nor kept.
func TestAnotherCase(t *testing.T) {
	for name, to := range map[string]string{
		"module": `"module": "n"`, "buggy": `"buggy": "v0.9.0"`, "control": `"control": "v1.0.2"`, "args": `"args": "x"`,
		"clause": `"clause": "store/queue/x"`, "checks": `"checks": ["store/x"]`, "span": `"title": "t", "span": "5m"`,
		"left": `"title": "t", "left": {"got": "x", "why": "w", "link": "l"}`,
	} {
		t.Run(name, func(t *testing.T) {
			root := write(t, "04-x", whole+`}`)
			load := func() trackrecord.Case {
				all, err := trackrecord.Load(root)
				require.NoError(t, err)
				return all[0]
			}
			keep := func(commit string, runs int) *trackrecord.Most {
				c := load()
				require.NoError(t, c.Keep(trackrecord.Result{Date: "2026-01-02", Commit: commit, Buggy: trackrecord.Side{Runs: runs, Failed: runs, First: []string{"seen"}}}))
				r, _, err := c.Result()
				require.NoError(t, err)
				return r.Most
			}
			page := func() string {
				page, err := trackrecord.Page([]trackrecord.Case{load()})
				require.NoError(t, err)
				return string(page)
			}
			keep("a", 20)
			require.NotNil(t, keep("b", 1))
			field := regexp.MustCompile(`"` + name + `": ("[^"]*"|\[.*?\])`)
			if !field.MatchString(whole) {
				field = regexp.MustCompile(`"title": "t"`)
			}
			other := field.ReplaceAllString(whole, to) + `}`
			require.NoError(t, os.WriteFile(filepath.Join(root, trackrecord.Folder, "04-x", "case.json"), []byte(other), 0o666))
			assert.Contains(t, page(), "| never as it is now |")
			assert.Contains(t, page(), "(b) was of another case.json: `lwtest track-record 04-x` is to be run")
			assert.NotContains(t, page(), " of 20")
			assert.NotContains(t, page(), "seen")
			assert.Nil(t, keep("c", 1))
			assert.Contains(t, page(), "| 1 of 1 | 0.0 s | 2026-01-02, c |")
		})
	}
}

// A case has changed if it was never reproduced, or if its file, its adapter or the protocol differs.
func TestChanged(t *testing.T) {
	root := write(t, "04-x", whole+`}`)
	put := func(name, content string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	}
	put("interop/m/adapter.json", `{"module": "m"}`)
	put("interop/m/main.go", "package main")
	put("plugins/adapter/adapter.go", "package adapter")
	put("plugins/exec/schema.json", "{}")
	adapters, err := release.Adapters(root)
	require.NoError(t, err)
	changed := func() bool {
		all, err := trackrecord.Load(root)
		require.NoError(t, err)
		is, err := all[0].Changed(adapters[0])
		require.NoError(t, err)
		inputs, err := all[0].Inputs(adapters[0])
		require.NoError(t, err)
		require.NoError(t, all[0].Keep(trackrecord.Result{Inputs: inputs}))
		return is
	}
	assert.True(t, changed(), "it never was")
	assert.False(t, changed())
	for name, content := range map[string]string{
		"interop/m/main.go": "package main // other", "plugins/adapter/adapter.go": "package adapter // other", "plugins/exec/schema.json": "{ }",
		"interop/trackrecord/04-x/case.json": whole + ` }`,
	} {
		put(name, content)
		assert.True(t, changed(), name)
		assert.False(t, changed(), name)
	}
	put("interop/m/README.md", "words")
	assert.False(t, changed(), "words are none of it")
}
