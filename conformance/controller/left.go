package controller

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var stopGoroutines = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/goroutines",
		Level:   harness.Should,
		Text:    "When a controller has ended because it was told to, none of its goroutines runs a minute later.",
		Sources: []harness.Source{source.Symbol("k8s.io/client-go@v0.37.2/informers/factory.go#SharedInformerFactory.Shutdown")},
		Why:     "What still runs writes after another process has taken over. In a test, or where a manager stops and starts its controllers, it also piles up.",
		Advice:  "Pass the context to all that waits, and wait for what you have started: Shutdown of informer factories and event broadcasters, ShutDown of queues, a WaitGroup for your own goroutines.",
		Classes: []string{"goroutines"},
	},
	Judge: judgeLeft,
}

// Leaver is a Life that can say what still runs after it has ended.
type Leaver interface {
	// Left returns what still runs of a life that has ended: a line each, such as where a goroutine waits.
	Left() []string
}

const (
	leaving    = time.Minute      // how long goroutines may run after the life has ended
	outlasting = 10 * time.Minute // how long the run then waits for those that are left: fake time stops with the run, and they would leak
)

// left records what still runs of a life that has ended, if somebody knows.
func (r *run) left(l *life) {
	if of, ok := l.Life.(Leaver); ok {
		r.t.Sleep(leaving)
		all := of.Left()
		r.t.Seen(l.actor, evLeft, 0, harness.Answer{Body: all})
		if len(all) > 0 {
			r.t.Sleep(outlasting)
		}
	}
}

func judgeLeft(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		for _, l := range p.lives {
			if l.left.num == 0 || l.stop.num == 0 {
				continue
			}
			if j.Tested++; len(l.remains) > 0 {
				got := fmt.Sprintf("%s%s later there is %s", p.prefix(), leaving, l.remains[0])
				if more := len(l.remains) - 1; more > 0 {
					got += fmt.Sprintf(", and %d more", more)
				}
				j.Fail("no goroutine", got, l.stop.num, l.left.num)
			}
		}
	}
	return j
}
