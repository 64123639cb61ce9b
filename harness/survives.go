package harness

import "github.com/lwtest/lwtest/harness/history"

// Survives is a rule of every kind: the implementation must not crash, so a crash always fails the check.
var Survives = Rule{
	Clause: Clause{
		ID:    "subject/survives",
		Level: Must,
		Text:  "a legal request never crashes the implementation: no panic, and its process stays",
		Sources: []Source{
			{Name: "Kubernetes API conventions, \"Response Status Kind\": every failure is answered", URL: "https://github.com/kubernetes/community/blob/24e7d8f5409c1a0121394a613746e524f781e044/contributors/devel/sig-architecture/api-conventions.md#response-status-kind"},
		},
		Why:    "a crash takes down everything in the same process, and the next start begins with it again",
		Advice: "Follow the stack trace, or the last lines of the log, to the code that crashed, and handle the case there: return an error instead of a panic or an exit.",
	},
	Judge: judgeSurvives,
}

func judgeSurvives(h *history.History) Judgement {
	var j Judgement
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Call:
			j.Tested++
		case e.Kind == history.Panic, e.Kind == history.Exited:
			at := []int32{e.Num}
			if e.Call != 0 {
				at = []int32{e.Call, e.Num}
			}
			j.Fail("an answer, or an error", firstLine(e.Err()), at...)
		}
	}
	return j
}

func firstLine(e *history.Error) string {
	if e == nil {
		return "a crash"
	}
	for i, r := range e.Msg {
		if r == '\n' {
			return e.Msg[:i]
		}
	}
	return e.Msg
}
