package harness

import (
	"bytes"
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

// Known is a line of a known-failures file: what is expected to fail, and why.
// A line covers only what its pattern matches, and one that covers nothing of
// a check that did run is stale: that fails the run, unless it says sometimes, or virtual.
type Known struct {
	Target  string  `json:"target,omitempty"` // connect string, or its beginning up to a colon or question mark; empty: any
	Check   string  `json:"check"`            // glob over addresses: "watchcache/watch/*"
	Rule    string  `json:"rule"`             // address of the rule, with or without its kind; glob. "*" is also what stopped the check: a hang, a leak, a deadline
	Verdict Verdict `json:"verdict"`          // fail or inconclusive
	Got     string  `json:"got"`              // regular expression: of each finding's got, or of the reason where inconclusive
	Reason  string  `json:"reason"`
	Link    string  `json:"link,omitempty"`

	// Sometimes is a failure that comes and goes: such as what hangs on which
	// goroutine is faster, in real time. The line is never stale.
	Sometimes bool `json:"sometimes,omitempty"`

	// Virtual is a failure that is certain in virtual time alone: in real time what it is of may take longer than a check is
	// given, or come so late that it is none. There the line is never stale.
	Virtual bool `json:"virtual,omitempty"`

	re   *regexp.Regexp
	from string
}

// ReadKnown reads a known-failures file: a JSON array of lines.
func ReadKnown(file string) ([]Known, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseKnown(file, b)
}

// ParseKnown parses what ReadKnown reads; name is for messages.
func ParseKnown(name string, b []byte) ([]Known, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var out []Known
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf(`%s: %w: want an array of {"target","check","rule","verdict","got","reason","link","sometimes"}`, name, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: something follows the array", name)
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
		return fmt.Errorf("%s: check, rule, got and reason must be given", from)
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

// Cover marks in each result what the lines cover, and gives an error that
// names every stale line: one that covered nothing of a check that had an
// answer to it. all are the addresses of all checks that there are: a line about
// several of them is not stale before each has a result on a target of it, for
// what it covers may be in the one that was not chosen. Without all, one that has an answer is enough.
func Cover(lines []Known, results []Result, all ...string) error {
	for i := range lines {
		if lines[i].re != nil {
			continue
		}
		if err := lines[i].compile(fmt.Sprintf("known failure %d", i+1)); err != nil { // made in Go, not parsed
			return err
		}
	}
	used, ran := make([]bool, len(lines)), make([]bool, len(lines))
	for i := range results {
		r := &results[i]
		var about []int // the lines that speak of it
		for n := range lines {
			if !lines[n].about(r) {
				continue
			}
			about = append(about, n)
			ran[n] = ran[n] || lines[n].answered(r) && (!lines[n].Virtual || r.Time == history.VirtualTime)
		}
		for j := range r.Rules {
			coverRule(lines, about, r.kind(), &r.Rules[j], used)
		}
		r.Known = r.coveredBy(coverStop(lines, about, r, used))
	}
	var stale []error
	for n, k := range lines {
		if ran[n] && !used[n] && !k.Sometimes && k.whole(results, all) {
			stale = append(stale, fmt.Errorf("stale known failure (%s): %s %s no longer ends as %s with %q: delete the line", k.from, k.Check, k.Rule, k.Verdict, k.Got))
		}
	}
	return errors.Join(stale...)
}

// whole says that each check that the line is about has a result.
func (k *Known) whole(results []Result, all []string) bool {
	for _, check := range all {
		if Match(k.Check, check) && !slices.ContainsFunc(results, func(r Result) bool { return r.Check == check && k.OnTarget(r.Target) }) {
			return false
		}
	}
	return true
}

// coverRule finds the lines, among those about its check, for each thing that a
// rule has to say; together they must cover all of it.
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

// coverStop returns the reasons of the lines that cover what stopped a check.
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

// stop is the part of a result's reason that no rule gave.
func (r *Result) stop() string {
	if r.Verdict == Pass || r.Verdict == Skip {
		return ""
	}
	for i := range r.Rules {
		if rr := &r.Rules[i]; rr.open() && rr.told() == r.Reason {
			return ""
		}
	}
	return r.Reason
}

// answered reports whether the check could have shown that the line no longer
// holds. One that was stopped, or that never put the rule to the test, shows
// nothing; nor does a failure of what ends as inconclusive elsewhere, such as in
// real time: the failure needs a line of its own.
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

// kind is the first part of the check's address.
func (r *Result) kind() string {
	kind, _, _ := strings.Cut(r.Check, "/")
	return kind
}

// about reports whether the line speaks of this check on this target.
func (k *Known) about(r *Result) bool {
	return k.OnTarget(r.Target) && Match(k.Check, r.Check)
}

// OnTarget reports whether the line speaks of the target with this connect string.
func (k *Known) OnTarget(connect string) bool {
	rest, ok := strings.CutPrefix(connect, k.Target)
	return k.Target == "" || ok && (rest == "" || rest[0] == ':' || rest[0] == '?')
}

// Where is the file and the line that it was read from, for messages.
func (k *Known) Where() string { return k.from }

// Names reports whether the line speaks of a rule, given by its address without the kind. The line may say the kind, too, as
// reports do.
func (k *Known) Names(kind, rule string) bool {
	return Match(k.Rule, rule) || Match(k.Rule, kind+"/"+rule)
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

// gots is all that a rule has to say: of each finding, or its reason.
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

// coveredBy is the reason why a result that did not pass is expected, empty if
// any part of it is not. stopped are the reasons of the lines that cover what
// stopped it. What a crash kept from being seen needs no lines of its own.
func (r *Result) coveredBy(stopped []string) string {
	crashed := slices.ContainsFunc(r.Rules, func(rr RuleResult) bool {
		return rr.Rule == Survives.Address() && rr.Verdict == Fail
	})
	if r.stop() != "" && len(stopped) == 0 && !crashed {
		return ""
	}
	reasons := slices.Clone(stopped)
	for i := range r.Rules {
		rr := &r.Rules[i]
		fails := rr.Verdict == Fail && rr.Level != Provisional
		open := rr.open() && r.stop() == "" && !crashed
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

// Match reports whether an address matches a glob: * is one part or the rest of
// one, and a final /* or a bare prefix takes everything below.
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
