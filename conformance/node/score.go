package node

import "github.com/lwtest/lwtest/harness/history"

// score counts the classes of requests, calls and states that a history has.
func score(h *history.History) map[string]int {
	out, t := map[string]int{}, traceOf(h)
	add := func(class string, err *history.Error) {
		if out[class]++; err != nil {
			out[class+" "+err.Reason]++
		}
	}
	for _, q := range t.requests {
		add(q.Verb+" "+q.Resource, q.Err)
	}
	for _, c := range t.calls {
		add(c.Method, c.Err)
	}
	for _, p := range t.pods {
		for _, s := range p.states {
			out["pod "+string(s.Obj.Status.Phase)]++
		}
	}
	return out
}
