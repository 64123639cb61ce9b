package controller

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var quietWrites = harness.Rule{
	Clause: harness.Clause{
		ID:      "quiet/writes",
		Level:   harness.Must,
		Text:    "When everything is as it should be, a controller writes nothing but heartbeats: no object more often than once a minute, and after a disturbance no more than without.",
		Sources: []harness.Source{levelDriven, guideline("watches and informers will sync")},
		Why:     "Every write wakes all who watch. Two controllers that correct each other for ever keep the API server and etcd busy.",
		Advice:  "Compare what you want with what is there, after defaulting, and write only what differs. Look at which field changes in each of these writes.",
		Classes: []string{"rest"},
	},
	Judge: judgeQuiet,
}

var quietReads = harness.Rule{
	Clause: harness.Clause{
		ID:      "quiet/reads",
		Level:   harness.Should,
		Text:    "When nothing changes, a controller seldom reads: it watches.",
		Sources: []harness.Source{guideline("use SharedInformers")},
		Why:     "A thousand controllers that poll are a load that the API server cannot carry.",
		Advice:  "Read from an informer's cache. Where you must ask the API server, ask when something has changed.",
		Classes: []string{"rest"},
	},
	Judge: judgeReads,
}

var paceErrors = harness.Rule{
	Clause: harness.Clause{
		ID:      "pace/errors",
		Level:   harness.Must,
		Text:    "A write that is refused is tried again with growing pauses, not in a tight loop.",
		Sources: []harness.Source{percolate},
		Why:     "An API server that is overloaded never recovers.",
		Advice:  "Return the error from the reconcile function, so that a rate-limited queue tries again. Do not loop around a write.",
		Classes: []string{"refused again and again"},
	},
	Judge: judgePace,
}

// mostBeats is how often an object may be written in the window of time at the end of a run: once a minute, or three times in a window
// that is too short to tell.
func (p *past) mostBeats() int { return max(3, int(p.window()/time.Minute)) }

// window is how long the run went on at its end.
func (p *past) window() time.Duration {
	return cmp.Or(time.Duration(p.info.Window), virtualTempo.window)
}

// late counts the controller's writes in the window at the end of a run, by object; in a disturbed run those that succeed. It returns the last
// of each, too.
func (p *past) late() (n map[string]int, last map[string]*write) {
	n, last = map[string]int{}, map[string]*write{}
	for _, w := range p.writes {
		if w.num < p.end && w.at > p.finalAt-p.window() && (w.ok() || len(p.info.Disturbed) == 0) {
			n[w.key]++
			last[w.key] = w
		}
	}
	return n, last
}

// disturbedLate reports whether something went wrong in that window: the controller then has reason to write.
func (p *past) disturbedLate() bool {
	return slices.ContainsFunc(p.disturbs, func(d mark) bool { return d.at > p.finalAt-p.window() })
}

// beats counts what undisturbed runs write in the window at their end, by object.
func (r *record) beats() map[string]int {
	usual := map[string]int{}
	for _, p := range r.undisturbed {
		n, _ := p.late()
		for key, n := range n {
			usual[key] = max(usual[key], n)
		}
	}
	return usual
}

func judgeQuiet(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	usual := r.beats()
	for _, p := range r.all() {
		if p.disturbedLate() {
			continue
		}
		j.Tested++
		n, last := p.late()
		for key, n := range n {
			most := p.mostBeats()
			if len(p.info.Disturbed) > 0 {
				most = 2*usual[key] + 2
			}
			if n > most {
				j.Fail(fmt.Sprintf("at most %d writes of %s in the last %s", most, key, p.window()), fmt.Sprintf("%s%d writes", p.prefix(), n), p.at(last[key].num)...)
			}
		}
	}
	return j
}

// prefix says how a run was disturbed.
func (p *past) prefix() string {
	if s := p.how(); s != "" {
		return s + ": "
	}
	return "undisturbed: "
}

// mostReads is how many reads in the window at the end of a run are seldom: one a second, and ten in any case.
func (p *past) mostReads() int { return max(10, int(p.window()/time.Second)) }

func judgeReads(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		if j.Tested++; p.final.Reads > p.mostReads() {
			j.Fail(fmt.Sprintf("at most %d reads in the last %s", p.mostReads(), p.window()), fmt.Sprintf("%s%d reads", p.prefix(), p.final.Reads), p.end)
		}
	}
	return j
}

// mostTries is how often a write may be refused within a second. Queues of client-go try eight times in the first second. Controllers that
// write a status twice in each sync, and begin a sync for each event of a pod, send more than 20: Kubernetes' own do.
const mostTries = 50

func judgePace(h *history.History) (j harness.Judgement) {
	for _, p := range recordOf(h).all() {
		refused, once := map[string][]*write{}, map[string]bool{}
		for _, w := range p.writes {
			key := w.actor + " " + w.verb + " " + w.key + " " + w.args.Name + " " + w.args.Subresource
			if once[key] {
				j.Tested++
			}
			once[key] = w.err != nil && w.err.Code >= 400
			if w.err == nil || w.err.Code < 400 {
				delete(refused, key)
				maps.DeleteFunc(refused, func(key string, _ []*write) bool { return !strings.HasPrefix(key, w.actor+" ") }) // what another life changes is a reason to try again
				continue
			}
			all := append(refused[key], w)
			for len(all) > 0 && w.at-all[0].at > time.Second {
				all = all[1:]
			}
			if refused[key] = all; len(all) == mostTries+1 {
				j.Fail(fmt.Sprintf("at most %d tries in a second", mostTries), fmt.Sprintf("%s%s is refused and sent again %d times within %s", p.prefix(), w, mostTries, w.at-all[0].at), all[0].num, w.num)
			}
		}
	}
	return j
}
