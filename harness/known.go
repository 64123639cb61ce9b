package harness

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Known is an entry of a known-failures file: what is expected to fail, and why. It covers only what its patterns
// match. An entry that covers nothing although its check ran is stale and fails the run, unless it sets Sometimes or
// Virtual.
type Known struct {
	Target  string  `json:"target,omitempty"` // connect string, or its beginning up to a colon or question mark; empty: any target
	Check   string  `json:"check"`            // glob over addresses: "watchcache/watch/*"
	Rule    string  `json:"rule"`             // address of the rule, with or without its kind; glob. "*" also covers what stopped the check: a hang, a leak, a deadline
	Verdict Verdict `json:"verdict"`          // fail or inconclusive
	Got     string  `json:"got"`              // regular expression on each finding's got, or on the reason of an inconclusive rule
	Reason  string  `json:"reason"`
	Link    string  `json:"link,omitempty"`

	// Sometimes marks a failure that comes and goes, for example one that depends on which goroutine is faster in real
	// time. The entry is never stale.
	Sometimes bool `json:"sometimes,omitempty"`

	// Virtual marks a failure that is certain only in virtual time. In real time it may need longer than a check has, or
	// not happen at all. There the entry is never stale.
	Virtual bool `json:"virtual,omitempty"`

	re   *regexp.Regexp
	from string
}

// ReadKnown reads a known-failures file: a JSON array of entries.
func ReadKnown(file string) ([]Known, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseKnown(file, b)
}

// ParseKnown parses the content of a known-failures file. name is the file's name for error messages.
func ParseKnown(name string, b []byte) ([]Known, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var out []Known
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf(`%s: %w: want an array of {"target","check","rule","verdict","got","reason","link","sometimes"}`, name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: unexpected text after the array", name)
	}
	if out == nil {
		return nil, fmt.Errorf("%s holds null: write [] where nothing is known to fail", name)
	}
	for i := range out {
		if err := out[i].compile(fmt.Sprintf("%s, line %d of the array", name, i+1)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (k *Known) compile(from string) error {
	k.from = from
	var err error
	switch {
	case k.Check == "" || k.Rule == "" || k.Got == "" || k.Reason == "":
		return fmt.Errorf("%s: check, rule, got and reason are required", from)
	case k.Verdict != Fail && k.Verdict != Inconclusive:
		return fmt.Errorf("%s: verdict is %q: say %q or %q", from, k.Verdict, Fail, Inconclusive)
	}
	for _, g := range []string{k.Check, k.Rule} {
		if _, err := path.Match(g, ""); err != nil {
			return fmt.Errorf("%s: %q is not a glob: %w", from, g, err)
		}
	}
	if k.re, err = regexp.Compile(k.Got); err != nil {
		return fmt.Errorf("%s: got is not a regular expression: %w", from, err)
	}
	return nil
}

// Cover sets Known in each result that the entries cover. It returns an error that names every stale entry: one that
// covered nothing although a check that it names gave an answer. all holds the addresses of all checks that exist. An
// entry about several checks is stale only when each of them has a result, because the failure may be in one that was
// not selected. If all is empty, one answer is enough.
func Cover(lines []Known, results []Result, all ...string) error {
	for i := range lines {
		if lines[i].re != nil {
			continue
		}
		if err := lines[i].compile(fmt.Sprintf("known failure %d", i+1)); err != nil { // made in Go, not parsed
			return err
		}
	}
	used, ran, instead := make([]bool, len(lines)), make([]bool, len(lines)), make([]string, len(lines))
	for i := range results {
		r := &results[i]
		var about []int // the entries about this check
		for n := range lines {
			if !lines[n].about(r) {
				continue
			}
			about, instead[n] = append(about, n), cmp.Or(instead[n], lines[n].instead(r))
			ran[n] = ran[n] || Match(lines[n].Check, r.Check) && lines[n].answered(r) && (!lines[n].Virtual || r.Time == history.VirtualTime)
		}
		for j := range r.Rules {
			coverRule(lines, about, r.kind(), &r.Rules[j], used)
		}
		r.Known = r.coveredBy(coverStop(lines, about, r, used))
	}
	var stale []error
	for n, k := range lines {
		if ran[n] && !used[n] && !k.Sometimes && k.allHaveResults(results, all) {
			stale = append(stale, fmt.Errorf("stale known failure (%s): %s %s no longer ends as %s with %q%s", k.from, k.Check, k.Rule, k.Verdict, k.Got, cmp.Or(instead[n], ": delete the line")))
		}
	}
	return errors.Join(stale...)
}

// instead describes what a check shows in place of the entry's got, if a rule ends as the entry says. The result is for the end of a message.
func (k *Known) instead(r *Result) string {
	for i := range r.Rules {
		if rr := &r.Rules[i]; rr.Verdict == k.Verdict && k.Names(r.kind(), rr.Rule) {
			return fmt.Sprintf(", but with %q: correct its got, or delete the line", rr.gots()[0])
		}
	}
	return ""
}

// allHaveResults reports whether each check that the entry names has a result.
func (k *Known) allHaveResults(results []Result, all []string) bool {
	for _, check := range all {
		if Match(k.Check, check) && !slices.ContainsFunc(results, func(r Result) bool { return r.Check == check && k.OnTarget(r.Target) }) {
			return false
		}
	}
	return true
}

// coverRule marks the rule as known if the entries about its check cover each of its findings, or its reason.
func coverRule(lines []Known, about []int, kind string, rr *RuleResult, used []bool) {
	var reasons []string
	uncovered := false
	for _, got := range rr.gots() {
		hit := false
		for _, n := range about {
			if !lines[n].covers(kind, rr, got) {
				continue
			}
			hit, used[n] = true, true
			reasons = append(reasons, lines[n].why())
		}
		uncovered = uncovered || !hit
	}
	rr.Known = ""
	if !uncovered && rr.Failures <= maxShown+maxMore {
		rr.Known = strings.Join(distinct(reasons), "; ")
	}
}

// coverStop returns the reasons of the entries that cover what stopped a check.
func coverStop(lines []Known, about []int, r *Result, used []bool) (reasons []string) {
	stop := r.stop()
	for _, n := range about {
		k := &lines[n]
		if stop != "" && k.Verdict == Inconclusive && k.Rule == "*" && k.re.MatchString(stop) {
			used[n] = true
			reasons = append(reasons, k.why())
		}
	}
	return reasons
}

// stop returns the part of a result's reason that does not come from a rule.
func (r *Result) stop() string {
	if r.Verdict == Pass || r.Verdict == Skip {
		return ""
	}
	for i := range r.Rules {
		if rr := &r.Rules[i]; rr.open() && rr.summary() == r.Reason {
			return ""
		}
	}
	return r.Reason
}

// answered reports whether the check could have shown that the entry no longer holds. A check that was stopped, or
// that never tested the rule, shows nothing. Nor does a rule that ends otherwise than the entry says, such as one that
// fails here and is inconclusive in real time: that needs its own entry.
func (k *Known) answered(r *Result) bool {
	named := false
	for i := range r.Rules {
		rr := &r.Rules[i]
		if !k.Names(r.kind(), rr.Rule) {
			continue
		}
		named = true
		if rr.Verdict == Pass || rr.Verdict == k.Verdict {
			return r.stop() == ""
		}
	}
	return !named && len(r.Rules) > 0
}

// kind returns the first part of the check's address.
func (r *Result) kind() string {
	kind, _, _ := strings.Cut(r.Check, "/")
	return kind
}

// about reports whether the entry is about this check on this target. A story of somebody's own may meet whatever the
// checks of its kind do.
func (k *Known) about(r *Result) bool {
	kind, _, _ := strings.Cut(k.Check, "/")
	story := Match(r.kind()+"/story", r.Check) && kind == r.kind()
	return k.OnTarget(r.Target) && (story || Match(k.Check, r.Check))
}

// OnTarget reports whether the entry applies to the target with this connect string.
func (k *Known) OnTarget(connect string) bool {
	rest, ok := strings.CutPrefix(connect, k.Target)
	return k.Target == "" || ok && (rest == "" || rest[0] == ':' || rest[0] == '?')
}

// Where returns the file and position that the entry was read from, for messages.
func (k *Known) Where() string { return k.from }

// Names reports whether the entry names a rule. rule is an address without the kind; the entry may include the kind,
// as reports do.
func (k *Known) Names(kind, rule string) bool {
	return Match(k.Rule, rule) || Match(k.Rule, kind+"/"+rule)
}

// Aim returns an error if the entry names none of these checks, or no rule of a kind whose checks it names: it would cover nothing, and
// never be stale. A check of a kind that is not given, such as that of a trace, may have any rule. KIND/story names stories that are no
// checks, such as those of a fuzzer.
func (k *Known) Aim(checks []string, kinds []*Kind) error {
	story := slices.ContainsFunc(kinds, func(kind *Kind) bool { return k.Check == kind.Name+"/story" })
	if !story && !slices.ContainsFunc(checks, func(c string) bool { return Match(k.Check, c) }) {
		return fmt.Errorf("%s: no check matches %q, so it would cover nothing%s: `lwtest list` shows them all", k.from, k.Check, SuggestAddress(k.Check, checks))
	}
	var rules []string
	for _, kind := range kinds {
		if first, _, _ := strings.Cut(k.Check, "/"); !Match(first, kind.Name) {
			continue
		}
		for _, r := range kind.Rules {
			if k.Names(kind.Name, r.Address()) {
				return nil
			}
			rules = append(rules, join(kind.Name, r.Address()))
		}
	}
	if rules == nil {
		return nil
	}
	return fmt.Errorf("%s: no rule of these checks matches %q, so it would cover nothing%s: `lwtest list --rules` shows them all", k.from, k.Rule, SuggestAddress(k.Rule, rules))
}

// Expects reports whether the entry, as ParseKnown returns it, names a rule and matches a finding's got, in whatever check.
func (k *Known) Expects(kind, rule, got string) bool {
	return k.Verdict == Fail && k.Names(kind, rule) && k.re.MatchString(got)
}

func (k *Known) covers(kind string, rr *RuleResult, got string) bool {
	return rr.Verdict == k.Verdict && k.Names(kind, rr.Rule) && k.re.MatchString(got)
}

func (k *Known) why() string {
	if k.Link == "" {
		return k.Reason
	}
	return k.Reason + " (" + k.Link + ")"
}

// gots returns what the entries must cover: the got of each finding, or the reason if the rule is inconclusive.
func (rr *RuleResult) gots() []string {
	switch rr.Verdict {
	case Inconclusive:
		return []string{rr.Reason}
	case Fail:
		out := slices.Clone(rr.More)
		for _, f := range rr.Bad {
			out = append(out, f.Got)
		}
		return out
	}
	return nil
}

// coveredBy returns why a result that did not pass is expected. It returns "" if any part of it is not. stopped holds
// the reasons of the entries that cover what stopped the check. Rules that a crash left untested need no entries. Nor does a deadline
// that a check with a known failure met, if all its rules had their answer: a subject that is slow to fail has failed all the same.
func (r *Result) coveredBy(stopped []string) string {
	crashed := slices.ContainsFunc(r.Rules, func(rr RuleResult) bool {
		return rr.Rule == Survives.Address() && rr.Verdict == Fail
	})
	late := r.Verdict == Fail && strings.HasPrefix(r.stop(), deadline)
	if r.stop() != "" && len(stopped) == 0 && !crashed && !late {
		return ""
	}
	reasons := slices.Clone(stopped)
	for i := range r.Rules {
		rr := &r.Rules[i]
		fails := rr.Verdict == Fail && rr.Level != Provisional
		open := rr.open() && (r.stop() == "" || late) && !crashed
		if !fails && !open {
			continue
		}
		if rr.Known == "" {
			return ""
		}
		reasons = append(reasons, rr.Known)
	}
	return strings.Join(distinct(reasons), "; ")
}

func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Match reports whether an address matches a glob. * matches one part or the rest of one. A final /* or a bare prefix
// matches everything below.
func Match(glob, address string) bool {
	for a := address; ; {
		if ok, _ := path.Match(glob, a); ok {
			return true
		}
		i := bytes.LastIndexByte([]byte(a), '/')
		if i < 0 {
			return glob == "*" || glob == ""
		}
		a = a[:i]
	}
}
