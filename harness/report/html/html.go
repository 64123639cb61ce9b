// Package html writes a report as one HTML file for people: an overview, a matrix of checks by targets, a page for each
// result with the contract's words and a timeline of the history, and the rules. The page loads nothing from a network.
package html

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

// Options say what the page shows besides the report.
type Options struct {
	Kinds []*harness.Kind // what checks do, and why rules matter; of kinds that are missing the page knows only names
	// History returns the history of a result, or nil if it was not kept. It may be nil.
	History func(*harness.Result) *history.History
	Since   *report.Diff // what changed since an older report; nil: nothing to compare with
}

//go:embed page.html
var page string

//go:embed page.css
var css string

//go:embed page.js
var script string

// Write writes the page. It returns an error only if w does, or if the report cannot be written as JSON.
func Write(w io.Writer, r *report.Report, o Options) error {
	data, err := json.Marshal(contentOf(r, o)) // which escapes <, so that no text ends the element
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer("/*css*/", css, "/*script*/", script, "{}/*data*/", string(data)).WriteString(w, page)
	return err
}

// content is what the script of the page reads. References to targets, checks and rules are indexes.
type content struct {
	Version   string            `json:"version"`
	Contract  map[string]string `json:"contract"`
	Started   time.Time         `json:"started"`
	Seconds   float64           `json:"seconds"`
	Args      []string          `json:"args"`
	Status    int               `json:"status"`
	Truncated bool              `json:"truncated,omitempty"`
	Missing   int               `json:"missing,omitempty"`
	Problems  []string          `json:"problems,omitempty"`
	Stale     []string          `json:"stale,omitempty"`
	Targets   []target          `json:"targets"`
	Checks    []check           `json:"checks"`
	Rules     []rule            `json:"rules"`
	Results   []result          `json:"results"`
	Causes    []cause           `json:"causes,omitempty"`   // of new failures, the worst first
	Features  []badge           `json:"features,omitempty"` // by target and kind, the worst first
	Help      map[string]string `json:"help,omitempty"`     // what declaring a feature promises, by kind/name
	Since     *since            `json:"since,omitempty"`
}

// cause is a rule that results broke, in the order of report.Cause, with what else broke there.
type cause struct {
	Target  int    `json:"t"`
	Rule    int    `json:"r"`
	Ended   string `json:"v"` // failed, or should: it does not count
	Also    []int  `json:"also,omitempty"`
	Results []int  `json:"results"`
}

type target struct {
	Name   string `json:"name"`
	Plugin string `json:"plugin,omitempty"`
}

type check struct {
	Name  string `json:"name"` // kind/section/…
	About string `json:"about,omitempty"`
	Rules []int  `json:"rules,omitempty"`
}

type rule struct {
	Name    string           `json:"name"` // kind/section/…
	Level   harness.Level    `json:"level"`
	Text    string           `json:"text"`
	Why     string           `json:"why,omitempty"`
	Fix     string           `json:"fix,omitempty"`
	Sources []harness.Source `json:"sources,omitempty"`
	Counts  [4]int           `json:"counts"` // of checks: pass, fail, inconclusive, skip
	Tested  int              `json:"tested"`
}

type result struct {
	Target  int      `json:"t"`
	Check   int      `json:"c"`
	Ended   string   `json:"v"`
	Reason  string   `json:"reason,omitempty"`
	First   string   `json:"first,omitempty"`
	Known   string   `json:"known,omitempty"`
	Millis  int64    `json:"ms"`
	Events  int      `json:"n"`
	Virtual bool     `json:"virtual,omitempty"`
	Stack   string   `json:"stack,omitempty"`
	Idle    []string `json:"idle,omitempty"`
	Broken  []broken `json:"broken,omitempty"`
	Story   string   `json:"story,omitempty"`   // of a check that failed
	History string   `json:"history,omitempty"` // its file
	Picture *picture `json:"picture,omitempty"`
}

type broken struct {
	Rule  int           `json:"r"`
	Level harness.Level `json:"level"`
	Known string        `json:"known,omitempty"`
	// After is the first of the rules that the check broke before, on the same object or request.
	After string   `json:"after,omitempty"`
	Count int      `json:"count"`
	Bad   []bad    `json:"bad"`
	More  []string `json:"more,omitempty"` // what the next ones got
}

type bad struct {
	At       []int32 `json:"at"`
	Want     string  `json:"want"`
	Got      string  `json:"got"`
	Timeline string  `json:"timeline,omitempty"`

	Compare *harness.Comparison `json:"compare,omitempty"`
}

// maker builds a content. It numbers targets, checks and rules.
type maker struct {
	r       *report.Report
	o       Options
	out     *content
	targets map[string]int
	checks  map[string]int
	rules   map[string]int
	infos   map[string]harness.Info
}

func contentOf(r *report.Report, o Options) *content {
	m := &maker{r: r, o: o, targets: map[string]int{}, checks: map[string]int{}, rules: map[string]int{}, infos: map[string]harness.Info{}}
	m.out = &content{Version: r.Version, Contract: r.Contract, Started: r.Started, Seconds: r.Elapsed.Seconds(), Args: r.Args, Status: r.Status,
		Truncated: r.Truncated, Missing: len(r.Missing), Problems: r.Problems, Stale: r.Stale, Help: map[string]string{}}
	m.contract()
	for i := range r.Results {
		m.result(&r.Results[i])
	}
	m.causes()
	m.features()
	if o.Since != nil {
		m.since(o.Since)
	}
	m.pictures()
	return m.out
}

func (m *maker) causes() {
	at := map[*harness.Result]int{}
	for i := range m.r.Results {
		at[&m.r.Results[i]] = i
	}
	for _, c := range m.r.AllCauses() {
		out := cause{Target: m.target(c.Checks[0]), Rule: m.rule(c.Kind+"/"+c.Rule, c.Level), Ended: m.r.EndedBy(c)}
		for _, a := range c.Also {
			out.Also = append(out.Also, m.rule(c.Kind+"/"+a.Rule, a.Level))
		}
		for _, res := range c.Checks {
			out.Results = append(out.Results, at[res])
		}
		m.out.Causes = append(m.out.Causes, out)
	}
}

// contract adds the rules, with what the report says of them.
func (m *maker) contract() {
	clauses := map[string]harness.Clause{}
	for _, k := range m.o.Kinds {
		for _, r := range k.Rules {
			clauses[k.Name+"/"+r.Address()] = r.Clause
		}
		for _, c := range k.Checks {
			m.infos[k.Name+"/"+c.Name] = c
		}
		for _, f := range k.Features {
			if _, ok := m.r.Contract[k.Name]; ok {
				m.out.Help[k.Name+"/"+string(f.Name)] = f.Help
			}
		}
	}
	for _, k := range m.r.Kinds {
		for _, r := range k.Rules {
			name := k.Name + "/" + r.Rule
			sources := slices.Clone(r.Sources)
			for i := range sources {
				sources[i].URL = sources[i].Link()
			}
			m.rules[name] = len(m.out.Rules)
			m.out.Rules = append(m.out.Rules, rule{Name: name, Level: r.Level, Text: r.Text, Why: clauses[name].Why, Fix: clauses[name].Advice, Sources: sources,
				Counts: [4]int{r.Pass, r.Fail, r.Inconclusive, r.Skip}, Tested: r.Tested})
		}
	}
}

// rule returns the index of a rule. It adds a rule that the contract lacks, such as one of an older lwtest.
func (m *maker) rule(name string, level harness.Level) int {
	i, ok := m.rules[name]
	if !ok {
		i = len(m.out.Rules)
		m.rules[name] = i
		m.out.Rules = append(m.out.Rules, rule{Name: name, Level: level})
	}
	return i
}

func (m *maker) target(res *harness.Result) int {
	i, ok := m.targets[res.Target]
	if !ok {
		i = len(m.out.Targets)
		m.targets[res.Target] = i
		short := report.Names(m.r.Settings.Targets)[res.Target]
		m.out.Targets = append(m.out.Targets, target{Name: cmp.Or(short, res.Target)})
	}
	if t := &m.out.Targets[i]; t.Plugin == "" && res.Plugin != t.Name {
		t.Plugin = res.Plugin
	}
	return i
}

func (m *maker) check(res *harness.Result) int {
	i, ok := m.checks[res.Check]
	if ok {
		return i
	}
	i = len(m.out.Checks)
	m.checks[res.Check] = i
	info := m.infos[res.Check]
	c := check{Name: res.Check, About: info.About}
	for _, r := range info.Rules {
		c.Rules = append(c.Rules, m.rule(kindOf(res)+"/"+r.Address(), r.Clause.Level))
	}
	m.out.Checks = append(m.out.Checks, c)
	return i
}

func kindOf(res *harness.Result) string {
	kind, _, _ := strings.Cut(res.Check, "/")
	return kind
}

func (m *maker) result(res *harness.Result) {
	out := result{Target: m.target(res), Check: m.check(res), Ended: m.r.Ended(res), Reason: bound(res.Reason), First: res.First, Known: res.Known,
		Millis: res.Elapsed.Milliseconds(), Events: res.Events, Virtual: res.Time == history.VirtualTime, Stack: bound(res.Stack), Idle: res.Idle, History: res.History}
	for _, rr := range res.Broken() {
		b := broken{Rule: m.rule(kindOf(res)+"/"+rr.Rule, rr.Level), Level: rr.Level, Known: rr.Known, Count: rr.Failures}
		for _, got := range rr.More[:min(len(rr.More), 20)] {
			b.More = append(b.More, clip(got))
		}
		if rr.After != nil {
			b.After = kindOf(res) + "/" + rr.After[0]
		}
		for _, f := range rr.Bad {
			b.Bad = append(b.Bad, bad{At: f.At, Want: bound(f.Want), Got: bound(f.Got), Timeline: bound(f.Timeline)})
		}
		out.Broken = append(out.Broken, b)
	}
	if s := m.infos[res.Check].Script; s != nil && (out.Broken != nil || res.Verdict == harness.Inconclusive) {
		out.Story = s.Text()
	}
	m.out.Results = append(m.out.Results, out)
}

// mostText bounds the characters of each text that a subject may have written: a page opens at once, whatever they are.
const mostText = 5000

func bound(text string) string {
	if r := []rune(text); len(r) > mostText {
		return fmt.Sprintf("%s… (cut after %d of %d characters; report.json has all)", string(r[:mostText]), mostText, len(r))
	}
	return text
}

// mostEvents bounds the events of all pictures together, so that a page with many failures stays small. A single picture
// has between 40 and 400.
const mostEvents = 10_000

// mostCompared bounds the findings of all results that have a comparison. The first finding of a result has one in any case.
const mostCompared = 100

// pictures adds a picture of its history to each result that failed or is inconclusive, and comparisons to its findings.
func (m *maker) pictures() {
	if m.o.History == nil {
		return
	}
	drawn := func(i int) bool {
		return m.out.Results[i].Broken != nil || m.r.Results[i].Verdict == harness.Inconclusive
	}
	failed := 0
	for i := range m.out.Results {
		if drawn(i) {
			failed++
		}
	}
	most := min(max(mostEvents/max(failed, 1), 40), 400)
	for i := range m.out.Results {
		out := &m.out.Results[i]
		if !drawn(i) {
			continue
		}
		if h := m.o.History(&m.r.Results[i]); h != nil {
			out.Picture = draw(h, out.Broken, most)
			m.compare(out, kindOf(&m.r.Results[i]), h, max(mostCompared/failed, 1))
		}
	}
}

// compare adds comparisons to the first findings of a result, if its kind makes some.
func (m *maker) compare(out *result, kind string, h *history.History, most int) {
	i := slices.IndexFunc(m.o.Kinds, func(k *harness.Kind) bool { return k.Name == kind })
	if i < 0 || m.o.Kinds[i].Compare == nil {
		return
	}
	for b := range out.Broken {
		for f := range out.Broken[b].Bad {
			bad := &out.Broken[b].Bad[f]
			if most == 0 {
				return
			}
			if bad.Compare = clipped(m.o.Kinds[i].Compare(h, harness.Finding{At: bad.At, Want: bad.Want, Got: bad.Got})); bad.Compare != nil {
				most--
			}
		}
	}
}

// clipped cuts the texts of a comparison where they are long.
func clipped(c *harness.Comparison) *harness.Comparison {
	if c == nil {
		return nil
	}
	c.Left, c.Right = clip(c.Left), clip(c.Right)
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Left.Text, r.Right.Text, r.Between = clip(r.Left.Text), clip(r.Right.Text), clip(r.Between)
	}
	for i, d := range c.Differ {
		c.Differ[i] = clip(d)
	}
	return c
}
