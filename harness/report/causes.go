package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Cause is a rule that checks of a kind broke on a target, with what else broke there. A report tells new failures by their causes.
type Cause struct {
	Target, Kind string
	Rule         string // an address without the kind
	Level        harness.Level
	Checks       []*harness.Result // those that broke the rule: first those that bear its name, the one with the fewest events and findings first
	// Also are rules that these checks broke only after the rule, or at the same moment, on the same object or request: see
	// harness.RuleResult.After.
	Also []Also
}

// Also is a rule that broke beside a cause.
type Also struct {
	Rule   string
	Level  harness.Level
	Checks int
	Got    string // of its first finding; empty: none is shown
}

// Causes returns the new failures of a kind on a target by their causes: crashes first, then MUSTs, then SHOULDs. Of these, what
// explains the most comes first. A broken rule belongs to one cause in each check, or is a cause itself.
func (r *Report) Causes(target, kind string) (out []*Cause) {
	b := breaches{tested: map[string]int{}}
	for i := range r.Results {
		if res := &r.Results[i]; res.Target == target && kindName(res.Check) == kind {
			b.add(res)
		}
	}
	for len(b.open) > 0 {
		c := b.next()
		c.Target, c.Kind = target, kind
		out = append(out, c)
	}
	return out
}

// AllCauses returns the causes of all targets and kinds, the worst first.
func (r *Report) AllCauses() (out []*Cause) {
	for _, target := range r.Settings.Targets {
		for _, k := range r.kindNames() {
			out = append(out, r.Causes(target, k)...)
		}
	}
	slices.SortStableFunc(out, func(x, y *Cause) int { return cmp.Compare(x.rank(), y.rank()) })
	return out
}

func (r *Report) kindNames() (out []string) {
	for i := range r.Results {
		if k := kindName(r.Results[i].Check); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

func (r *Report) fails(c *Cause) bool {
	return c.Level == harness.Must || r.Settings.Level == harness.Should
}

// EndedBy says how a cause counts, as Ended does: failed, or should.
func (r *Report) EndedBy(c *Cause) string {
	if r.fails(c) {
		return "failed"
	}
	return "should"
}

func (c *Cause) rank() int { return (&harness.RuleResult{Rule: c.Rule, Level: c.Level}).Rank() }

// Broken returns what the first check says of the rule.
func (c *Cause) Broken() harness.RuleResult { return c.Checks[0].Rules[c.in(c.Checks[0])] }

func (c *Cause) in(res *harness.Result) int {
	return slices.IndexFunc(res.Rules, func(rr harness.RuleResult) bool { return rr.Rule == c.Rule })
}

// got returns what the first finding of a rule says, or "".
func got(rr harness.RuleResult) string {
	if len(rr.Bad) == 0 {
		return ""
	}
	return rr.Bad[0].Got
}

// also counts a rule that broke beside the cause.
func (c *Cause) also(x breach) {
	i := slices.IndexFunc(c.Also, func(a Also) bool { return a.Rule == x.Rule })
	if i < 0 {
		i, c.Also = len(c.Also), append(c.Also, Also{Rule: x.Rule, Level: x.Level, Got: got(x.RuleResult)})
	}
	c.Also[i].Checks++
}

// Prove finds the evidence of each cause, within a time for each target: see harness.Kind.Prove. history returns the history of a result, or
// nil if it was not kept.
func (r *Report) Prove(within time.Duration, history func(*harness.Result) *history.History) {
	left := map[string]int{} // causes by target
	until := map[string]time.Time{}
	causes := r.AllCauses()
	for _, c := range causes {
		left[c.Target]++
	}
	for _, c := range causes {
		if until[c.Target].IsZero() {
			until[c.Target] = time.Now().Add(within)
		}
		k, h := r.about[c.Kind], history(c.Checks[0])
		if k != nil && h != nil {
			k.Prove(&c.Checks[0].Rules[c.in(c.Checks[0])], h, time.Until(until[c.Target])/time.Duration(left[c.Target]))
		}
		left[c.Target]--
	}
}

// breach is a rule that a check broke.
type breach struct {
	res *harness.Result
	harness.RuleResult
	first bool // no rule that binds as much was broken before it
	led   bool // one was broken before it, on the same object or request
}

// breaches are those that have no cause yet.
type breaches struct {
	open   []breach
	tested map[string]int // the number of checks in which a rule had an answer
}

func (b *breaches) add(res *harness.Result) {
	for _, rr := range res.Rules {
		if rr.Verdict == harness.Pass || rr.Verdict == harness.Fail {
			b.tested[rr.Rule]++
		}
	}
	broken := slices.DeleteFunc(res.Broken(), func(rr harness.RuleResult) bool { return rr.Known != "" || rr.Level == harness.Provisional })
	for _, rr := range broken {
		b.open = append(b.open, breach{res, rr, rr.Rank() == broken[0].Rank() && rr.Violation() == broken[0].Violation(),
			slices.ContainsFunc(broken, func(o harness.RuleResult) bool {
				return slices.Contains(rr.After, o.Rule) && o.Rank() == rr.Rank() && o.Violation() < rr.Violation()
			})})
	}
}

// next takes the next cause.
func (b *breaches) next() *Cause {
	c := &Cause{Rule: b.worst()}
	for _, x := range b.open {
		if x.Rule == c.Rule {
			c.Level, c.Checks = x.Level, append(c.Checks, x.res)
		}
	}
	other := func(res *harness.Result) int { // those that bear its name are made to show it
		if res.About(c.Rule) {
			return 0
		}
		return 1
	}
	size := func(res *harness.Result) int { return res.Events + res.Rules[c.in(res)].Failures }
	slices.SortStableFunc(c.Checks, func(x, y *harness.Result) int {
		return cmp.Or(cmp.Compare(other(x), other(y)), cmp.Compare(size(x), size(y)))
	})
	b.open = slices.DeleteFunc(b.open, func(x breach) bool {
		if x.Rule == c.Rule {
			return true
		}
		explained := slices.Contains(c.Checks, x.res) && c.explains(x)
		if explained {
			c.also(x)
		}
		return explained
	})
	return c
}

// explains reports whether the cause was broken before a rule of the same check, on the same object or request, or at the same moment.
func (c *Cause) explains(x breach) bool {
	return slices.Contains(x.After, c.Rule) || slices.Contains(x.With, c.Rule)
}

// worst returns the next headline. MUSTs come before SHOULDs. A rule that was always broken after another, on the same object or request, is no
// headline. Of the others the one with the most points is. A rule gets a point for each check that broke it, one more if the check must test
// it, one more if no rule was broken before it, and three more if the check bears its name. The more checks test a rule, the less a point is
// worth: such a rule breaks for many reasons.
func (b *breaches) worst() (worst string) {
	binding := math.MaxInt
	for _, x := range b.open {
		binding = min(binding, x.Rank())
	}
	leads := map[string]bool{} // rules that were broken without another before them
	for _, x := range b.open {
		if x.Rank() == binding && !x.led {
			leads[x.Rule] = true
		}
	}
	score, most := map[string]float64{}, 0.0
	for _, x := range b.open {
		if x.Rank() != binding || len(leads) > 0 && !leads[x.Rule] {
			continue
		}
		n := 1
		if x.Required {
			n++
		}
		if x.first {
			n++
		}
		if x.res.About(x.Rule) {
			n += 3
		}
		score[x.Rule] += float64(n) / math.Pow(float64(b.tested[x.Rule]), often)
		if s := score[x.Rule]; s > most {
			worst, most = x.Rule, s
		}
	}
	return worst
}

// often is the power of the number of checks that test a rule by which its points are divided. With it, `lwtest mutants --sample` found the
// most mutants whose own rule is the first headline.
const often = 0.3
