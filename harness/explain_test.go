package harness

import (
	"testing"

	"github.com/lwtest/lwtest/harness/history"
)

func TestExplain(t *testing.T) {
	h := made(t,
		history.Event{Actor: "w1", Kind: "WATCH", Phase: history.Call, Obj: history.Ref{RV: "2"}},
		history.Event{Actor: "w1", Kind: "BOOKMARK", Call: 1, Obj: history.Ref{RV: "5"}},
		history.Event{Actor: "w1", Kind: "ADDED", Call: 1, Obj: history.Ref{Key: "default/e", RV: "5"}},
	)
	r := Rule{Aspect: "none-follows", Clause: Clause{ID: "bookmark/complete", Level: Must,
		Text:    "a bookmark at R: everything at or before R has been delivered;\nnothing at or before R follows",
		Sources: []Source{{Name: "Kubernetes API concepts", URL: "https://example.com/concepts"}, {Name: "KEP-956"}},
		Why:     "an informer that resumes from the bookmark asks for changes after @5"}}
	finding := Finding{At: []int32{2, 3}, Want: "only events after @5", Got: "ADDED default/e @5"}
	for name, c := range map[string]struct {
		j    Judgement
		kind bool
	}{
		"one":          {Judgement{Bad: []Finding{finding}}, true},
		"more":         {Judgement{Bad: []Finding{finding, finding, finding}}, true},
		"no-numbers":   {Judgement{Bad: []Finding{{Want: "this", Got: "that\nand that"}}}, true},
		"passed":       {Judgement{Tested: 1}, true},
		"unknown-rule": {Judgement{Bad: []Finding{finding}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r.Judge = func(*history.History) Judgement { return c.j }
			rr := judgeRule(r, nil, h, true)
			k := &Kind{Name: "watchcache"}
			if c.kind {
				k.Rules = []Rule{r}
			}
			golden(t, "explain-"+name+".txt", k.Explain(rr))
		})
	}
}
