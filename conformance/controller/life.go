package controller

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var restartQuiet = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/quiet",
		Level:   harness.Must,
		Text:    "A new life of the controller changes nothing where nothing has changed, heartbeats aside.",
		Sources: []harness.Source{levelDriven},
		Why:     "Each upgrade of the controller restarts the pods of all users, or writes every object in the cluster.",
		Advice:  "Compare with what is there, after defaulting, before you write. Do not write what the process made up anew: times, random values, the order of a map.",
		Classes: []string{"restart"},
	},
	Judge: judgeRestart,
}

var stopEnds = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/ends",
		Level:   harness.Must,
		Text:    "A controller that is told to stop has ended within 30 seconds, the grace that a pod has by default.",
		Sources: []harness.Source{{Name: "k8s.io/api@v0.37.2/core/v1/types.go#DefaultTerminationGracePeriodSeconds"}},
		Why:     "It is killed in the middle of its work at each upgrade, and does not release its lease.",
		Advice:  "Pass the context to all that waits: requests, queues, sleeps. Shut the queue down, and wait for the workers.",
		Classes: []string{"stop"},
	},
	Judge: judgeStop,
}

var surviveDisturbances = harness.Rule{
	Clause: harness.Clause{
		ID:      "survive/disturbances",
		Level:   harness.Should,
		Text:    "A controller does not end by itself because something goes wrong: a refused write, a watch that ends, an object that has vanished.",
		Sources: []harness.Source{percolate},
		Why:     "One object that cannot be written stops the work for all others, and after some tries the pod waits for minutes before it starts again (CrashLoopBackOff).",
		Advice:  "Return the error of a reconciliation to the queue. Do not call os.Exit, log.Fatal or panic outside of the start. Handlers of deletions must expect cache.DeletedFinalStateUnknown.",
		Classes: []string{"disturbed"},
	},
	Judge: judgeSurvive,
}

func judgeSurvive(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).disturbed {
		j.Tested++
		for _, l := range p.lives {
			if l.err != "" && l.stop.num == 0 && l.kill.num == 0 {
				j.Fail("it goes on", fmt.Sprintf("%sit ends by itself: %.300s", p.prefix(), l.err), p.at(l.over.num)...)
				break
			}
		}
	}
	return j
}

func judgeRestart(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	usual := r.beats()
	for _, p := range r.all() {
		for i, l := range p.lives {
			if i == 0 || p.lives[i-1].stop.num == 0 || p.lives[i-1].kill.num != 0 || !p.atRest(p.lives[i-1].stop) {
				continue
			}
			if l.start.num < p.lives[i-1].stop.num { // it began beside the other
				continue
			}
			until := p.restAfter(l.start)
			if until.num == 0 {
				continue
			}
			j.Tested++
			for _, w := range p.writes {
				if w.actor == l.actor && w.num < until.num && w.ok() && w.args.WasRV != version(w.obj) && usual[w.key] == 0 {
					j.Fail("no change by a new life at rest", p.prefix()+w.String(), l.start.num, w.num)
					break
				}
			}
		}
	}
	return j
}

func version(o *object) string {
	if o == nil {
		return ""
	}
	return o.Meta.ResourceVersion
}

// atRest reports whether everything had come to rest before an event, and nobody wrote since.
func (p *past) atRest(m mark) bool {
	var rest mark
	for _, r := range p.rests {
		if r.num < m.num {
			rest = r
		}
	}
	for _, all := range [][]*write{p.writes, p.user} {
		for _, w := range all {
			if w.num > rest.num && w.num < m.num {
				return false
			}
		}
	}
	return rest.num != 0
}

// restAfter returns the first rest after an event, if no user wrote before it.
func (p *past) restAfter(m mark) mark {
	for _, r := range p.rests {
		if r.num < m.num {
			continue
		}
		for _, u := range p.user {
			if u.num > m.num && u.num < r.num {
				return mark{}
			}
		}
		return r
	}
	return mark{}
}

// grace is what a pod has by default.
const grace = 30 * time.Second

func judgeStop(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		for _, l := range p.lives {
			if l.stop.num == 0 || l.over.num == 0 && l.stuck.num == 0 {
				continue
			}
			end, took := l.over, l.over.at-l.stop.at
			if l.stuck.num != 0 {
				end, took = l.stuck, l.stuck.at-l.stop.at
			}
			if j.Tested++; took > grace {
				j.Fail(fmt.Sprintf("an end within %s", grace), fmt.Sprintf("%sit runs %s later", p.prefix(), took.Round(time.Second)), l.stop.num, end.num)
			}
		}
	}
	return j
}
