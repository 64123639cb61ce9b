package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var leakNone = harness.Rule{
	Clause: harness.Clause{
		ID:      "leak/none",
		Level:   harness.Must,
		Text:    "When pods were run and removed, nothing of them is left: no mount, no network namespace, no process, no open file. So it is of pods in whose making the runtime was killed, once it is up again and lists them no more.",
		Sources: []harness.Source{api("RuntimeService.RemovePodSandbox"), api("RuntimeService.RemoveContainer")},
		Why:     "A node on which pods come and go runs out of memory, addresses or files after days.",
		Advice:  "Undo in RemovePodSandbox each mount, network namespace, process and file that RunPodSandbox has made. When the runtime starts, undo what a killed call has left.",
		Classes: []string{"COUNT OK", "RemovePodSandbox OK"},
	},
	Needs: []harness.Feature{Leaks},
	Judge: judgeLeaks,
}

// evCount is the kind of the event that says what a runtime holds.
const evCount = "COUNT"

func stepCount(w *world, _ story.Step) error {
	holder, ok := w.s.(Holder)
	if !ok {
		return fmt.Errorf("the feature %s is declared, but the subject has no Holds", Leaks)
	}
	w.t.Do(harness.Call{Actor: "admin", Kind: evCount}, func(ctx context.Context) harness.Answer {
		all, err := holder.Holds(ctx)
		if err != nil {
			return harness.Answer{Err: &history.Error{Msg: err.Error()}}
		}
		return harness.Answer{Body: all}
	})
	return nil
}

// podsToLeak is how many pods must have come and gone between two counts: each leaves something, or it is no leak.
const podsToLeak = 5

func judgeLeaks(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	counts := slices.DeleteFunc(r.of(evCount), func(x *exchange) bool { return !x.ok() })
	for i := 1; i < len(counts); i++ {
		var before, after map[string]int
		a, b := counts[i-1], counts[i]
		gone, half, left := 0, 0, false
		for _, s := range l.sandboxes {
			switch removed := l.gone(s.id, b.Num) != nil; {
			case s.made.Num > b.Num:
			case !removed:
				left = true
			case s.made.Num > a.Num:
				gone++
			}
		}
		for _, x := range r.of("RunPodSandbox") {
			switch {
			case x.Num > b.Num || !x.vague():
			case !r.unlisted(x, b.Num):
				left = true
			case x.Num > a.Num:
				half++
			}
		}
		if left || gone+half < podsToLeak || r.down(b.Num) || half == 0 && r.killed(a.Num, b.Return) || json.Unmarshal(a.body, &before) != nil || json.Unmarshal(b.body, &after) != nil {
			continue
		}
		for _, kind := range slices.Sorted(maps.Keys(after)) {
			need := gone + half
			if half > 0 { // not each of them got so far that it leaves something
				need = max(2, half/3)
			}
			if strings.HasSuffix(kind, "files") && r.killed(a.Num, b.Return) { // those of another process
				continue
			}
			if j.Tested++; after[kind]-before[kind] >= need {
				j.Fail(fmt.Sprintf("about %d %s, as before %d pods came and went", before[kind], kind, gone+half), fmt.Sprint(after[kind]), a.Return, b.Return)
			}
		}
	}
	return j
}
