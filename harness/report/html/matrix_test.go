package html

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// aTable is a report of checks on several targets, of which the first broke a rule. The last is of another kind, which has a section
// of the same name.
func aTable(targets ...string) *report.Report {
	in := report.Input{Header: report.Header{Settings: report.Settings{Targets: targets, Level: harness.Must}}}
	add := func(target, check string, v harness.Verdict, rules ...harness.RuleResult) {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: target, Check: check})
		in.Results = append(in.Results, harness.Result{Check: check, Target: target, Verdict: v, Rules: rules})
	}
	bad := harness.RuleResult{Rule: "read/true", Level: harness.Must, Verdict: harness.Fail, Required: true, Tested: 1, Failures: 1,
		Bad: []harness.Shown{{Finding: harness.Finding{At: []int32{2}, Want: "a @7", Got: "a @6"}}}}
	for i, target := range targets {
		kind := "toy"
		if i == len(targets)-1 {
			kind = "kit"
		}
		if i == 0 {
			add(target, kind+"/read/true", harness.Fail, bad)
		} else {
			add(target, kind+"/read/true", harness.Pass)
		}
		for n := range 3 {
			add(target, fmt.Sprint(kind, "/read/more/", n), harness.Pass)
			add(target, fmt.Sprint(kind, "/write/", n), harness.Pass)
		}
		add(target, kind+"/"+kind+"/alone", harness.Skip)
	}
	return report.New(in)
}

// look returns what a script that runs on a page leaves in data-say.
func look(t *testing.T, r *report.Report, address, script string, args ...string) string {
	t.Helper()
	page := writeWith(t, r, aHistory(t), "<script>const wait = () => new Promise(r => setTimeout(r, 50)), texts = s => [...main.querySelectorAll(s)].map(e => e.innerText.replace(/\\s+/g, ' ').trim());"+
		"addEventListener('load', async () => { const say = []; addEventListener('error', e => say.push(e.message)); await wait(); "+script+"; document.body.dataset.say = say.join('; '); });</script>")
	m := regexp.MustCompile(`data-say="([^"]*)"`).FindStringSubmatch(browser(t, page+"#"+address, append([]string{"--dump-dom"}, args...)...))
	require.NotNil(t, m, "the script did not come to its end")
	return m[1]
}

// All kinds are side by side, each section once. What passed everywhere is a line that opens.
func TestMatrixInABrowser(t *testing.T) {
	r := aTable("x", "y", "z")
	const rows = "say.push(...[...main.querySelectorAll('tr')].map(tr => [...tr.children].map(c => c.innerText.replace(/\\s+/g, ' ').trim()).join('|')))"
	assert.Equal(t, "section|toy x|toy y|kit z; read: 1 of 4 failed|1 failed, 3 passed|4 passed|4 passed; true|failed|passed|passed; 3 passed|; "+
		"write: 3 passed|3 passed|3 passed|3 passed; toy: 1 check|1 skipped|1 skipped|; kit: 1 check|||1 skipped", look(t, r, "/matrix", rows))
	assert.Equal(t, "toy|x|y; read: 1 of 4 failed|1 failed, 3 passed|4 passed; true|failed|passed; 3 passed|; write: 3 passed|3 passed|3 passed; toy: 1 check|1 skipped|1 skipped",
		look(t, r, "/matrix/toy", rows))
	const open = `const at = i => [...main.querySelectorAll('.fold')][i];
		at(2).click(); say.push(texts('tbody th').length, document.activeElement.innerText, at(2).getAttribute('aria-expanded'));
		at(1).click(); say.push(texts('tbody th').length); at(0).click(); say.push(texts('tbody th').length);
		location.hash = '#/'; await wait(); history.back(); await wait(); say.push(texts('tbody th').length)`
	assert.Equal(t, "9; write: 3 passed; true; 12; 7; 7", look(t, r, "/matrix", open), "what the reader opened stays open")
	assert.Equal(t, "toy/read/true on x: failed", look(t, r, "/matrix", "say.push(main.querySelector('td a').getAttribute('aria-label'))"))
	const one = "say.push(texts('h1'), texts('details > summary').join(), main.querySelectorAll('table').length)"
	assert.Equal(t, "Checks of z; read: 4 passed,write: 3 passed,kit: 1 skipped,; 0", look(t, r, "/matrix/kit", one))
}

// No page is wider than a telephone, whatever the names, and the names of checks stay where the matrix is scrolled.
func TestNarrowInABrowser(t *testing.T) {
	var targets []string
	for i := range 12 {
		targets = append(targets, fmt.Sprint("exec:", strings.Repeat("adapter-of-some-length", 4), i))
	}
	r := aTable(targets...)
	for i := range r.Results {
		r.Results[i].First = strings.Repeat("busy", 40)
	}
	const wide = `for (const to of ['', 'failures', 'failures/passed', 'matrix', 'matrix/kit', 'rules', 'rule/0', 'result/0', 'find/read']) {
		location.hash = '#/' + to; await wait(); main.querySelectorAll('details').forEach(d => { d.open = true; });
		if (document.documentElement.scrollWidth > innerWidth) say.push(to + ' is ' + document.documentElement.scrollWidth + ' wide');
	} say.push(innerWidth)`
	for _, r := range []*report.Report{r, aReport()} {
		assert.Equal(t, "400", look(t, r, "/", wide, "--window-size=400,900"))
	}
	const scroll = `const box = main.querySelector('.matrix'), th = () => Math.round(main.querySelector('tbody th').getBoundingClientRect().left), was = th();
		say.push(box.scrollWidth > box.clientWidth); box.scrollLeft = 500; say.push(box.scrollLeft, th() - was)`
	assert.Equal(t, "true; 500; 0", look(t, r, "/matrix", scroll, "--window-size=400,900"))
}

// The failures page leaves out what a reader does not want, and a word typed there goes nowhere else.
func TestFiltersInABrowser(t *testing.T) {
	r := aTable("x", "y", "z")
	const set = `const note = () => main.querySelector('[aria-live]').textContent, type = async (s, v, e) => { const i = main.querySelector(s); i.value = v; i.dispatchEvent(new Event(e)); await wait(); say.push(note()); };
		const box = main.querySelector('[type=search]');`
	assert.Equal(t, "1 of 1 cause; 0 of 1 cause; 1; 1 of 1 cause; 0 of 1 cause; #/failures", look(t, r, "/failures", set+`say.push(note());
		await type('[type=search]', 'nothing such', 'input'); say.push(main.querySelectorAll('.filters').length); await type('[type=search]', 'TRUE read x', 'input');
		await type('[aria-label=Duration]', '1000', 'change'); box.dispatchEvent(new KeyboardEvent('keydown', { key: 'm', bubbles: true })); await wait(); say.push(location.hash)`))
	assert.Equal(t, "20 of 20 checks; 7 of 20 checks; 3 of 20 checks; 3", look(t, r, "/failures/passed", set+`say.push(note());
		await type('[aria-label=Kind]', 'kit', 'change'); await type('[type=search]', 'write', 'input'); say.push(main.querySelectorAll('li').length)`))
	assert.Equal(t, "5 of 5 events; 2 of 5 events; 1 of 5 events; 0 of 5 events; true; 4 of 5 events; 3 of 5 events", look(t, aReport(), "/result/0", `const note = () => main.querySelector('.filters [aria-live]').textContent;
		const set = (i, v, e) => { const x = main.querySelectorAll('.filters > *')[i]; x.value = v; x.dispatchEvent(new Event(e)); say.push(note()); };
		say.push(note()); set(2, '1 min', 'input'); set(1, '0.5 µs', 'input'); set(0, '1', 'change'); set(2, 'soon', 'input');
		say.pop(); say.push(main.querySelectorAll('.filters > *')[2].getAttribute('aria-invalid')); set(0, '', 'change'); set(1, '60min', 'input')`))
}
