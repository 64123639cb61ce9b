package harness

// Verdict says how a check, or a rule in a check, ended.
type Verdict string

const (
	Pass         Verdict = "pass"
	Skip         Verdict = "skip"         // a feature is not declared
	Inconclusive Verdict = "inconclusive" // never tested, or the check could not run to its end
	Fail         Verdict = "fail"
)

var severity = map[Verdict]int{Pass: 0, Skip: 1, Inconclusive: 2, Fail: 3}

// Valid reports whether v is one of the four verdicts.
func (v Verdict) Valid() bool {
	_, ok := severity[v]
	return ok
}

// Worst returns the worst of the verdicts, in the order Fail, Inconclusive, Skip, Pass. Without arguments it returns
// Inconclusive.
func Worst(vs ...Verdict) Verdict {
	if len(vs) == 0 {
		return Inconclusive
	}
	out := Pass
	for _, v := range vs {
		if severity[v] > severity[out] {
			out = v
		}
	}
	return out
}
