package harness

import "slices"

// isBroken selects the rules that a check broke and that can fail it.
func isBroken(rr RuleResult) bool { return rr.Verdict == Fail && rr.Level != Provisional }

// follow sets, for each broken rule, the other broken rule from which it follows.
func (r *Result) follow(k *Kind) {
	var broken []string
	for _, rr := range r.Broken() {
		if isBroken(rr) {
			broken = append(broken, rr.Rule)
		}
	}
	for i := range r.Rules {
		if rr := &r.Rules[i]; rr.Verdict == Fail {
			rr.Follows = k.Cause(rr.Rule, broken)
		}
	}
}

// Cause returns the rule in broken that explains the breach of a rule and that no other rule in broken explains. It returns "" if there is
// none. All are addresses without the kind.
func (k *Kind) Cause(rule string, broken []string) string {
	for _, b := range broken {
		if cause, ok := k.Rule(b); ok && cause.causes(rule) {
			if first := k.Cause(b, broken); first != "" {
				return first
			}
			return b
		}
	}
	return ""
}

// causes reports whether a breach of r may break the rule at an address. A crash follows from nothing.
func (r Rule) causes(address string) bool {
	return address != r.Address() && address != Survives.Address() && slices.ContainsFunc(r.Clause.Causes, func(glob string) bool { return Match(glob, address) })
}

// Causing returns r with its Clause.Causes set, for rules that a function makes.
func (r Rule) Causing(rules ...string) Rule {
	r.Clause.Causes = rules
	return r
}

// circle returns the address of a rule that causes itself through others, or "".
func (k *Kind) circle() string {
	const open, done = 1, 2
	state := map[string]int{}
	var visit func(r Rule) bool
	visit = func(r Rule) bool {
		a := r.Address()
		if state[a] != 0 {
			return state[a] == open
		}
		state[a] = open
		for _, next := range k.Rules {
			if r.causes(next.Address()) && visit(next) {
				return true
			}
		}
		state[a] = done
		return false
	}
	for _, r := range k.Rules {
		if visit(r) {
			return r.Address()
		}
	}
	return ""
}
