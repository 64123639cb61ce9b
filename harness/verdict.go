package harness

// Verdict is how a check, or a rule on it, ended.
type Verdict string

const (
	Pass         Verdict = "pass"
	Skip         Verdict = "skip"         // a feature is not declared
	Inconclusive Verdict = "inconclusive" // never put to the test, or it could not be driven
	Fail         Verdict = "fail"
)

var severity = map[Verdict]int{Pass: 0, Skip: 1, Inconclusive: 2, Fail: 3}

// Valid reports whether it is one of them.
func (v Verdict) Valid() bool {
	_, ok := severity[v]
	return ok
}

// Worst merges verdicts: fail, inconclusive, skip, pass; of none it is inconclusive.
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
