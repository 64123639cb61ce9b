package controller

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/history"
)

// record is what a history says of a controller. It is shared by all rules, and nobody changes it.
type record struct {
	undisturbed []*past
	disturbed   []*past // those in which what was to go wrong did
	spared      int     // those in which it did not
}

// past is one run of a history.
type past struct {
	num, end int32 // of its RUN and FINAL
	info     runInfo
	writes   []*write // of the controller, in the order of their calls
	user     []*write // of others
	lives    []*pastLife
	rests    []mark
	disturbs []mark
	objects  []*object
	finalAt  time.Duration
	final    final
	state    state
	states   map[int32]state // by the number of a REST that has objects
	complete bool            // it has come to its end
}

// mark is an event without more.
type mark struct {
	num, call int32 // call is that of a write that was disturbed; 0: none
	at        time.Duration
}

// pastLife is one life of the controller.
type pastLife struct {
	actor             string
	start, over       mark
	stop, kill, stuck mark
	left              mark
	remains           []string // of it, then
	err               string   // why it has ended by itself; empty: it has not, or did not say
	leases            []leaseMark
}

// write is a request that writes.
type write struct {
	num, ret int32
	at, back time.Duration
	actor    string
	verb     string
	key      string // "deployments.apps/default/web"; of a create, of the collection
	args     written
	err      *history.Error
	obj      *object // that the API server answers; nil: none
	was      *object // of a delete: what was there
}

func (w *write) ok() bool { return w.ret > 0 && w.err == nil && !w.args.DryRun }

// created reports whether it has created an object.
func (w *write) created() bool {
	return w.ok() && w.args.Subresource == "" && (w.verb == "POST" || w.args.Creates)
}

// resource returns the resource that it is about.
func (w *write) resource() string { r, _, _ := strings.Cut(w.key, "/"); return r }

// String names it.
func (w *write) String() string {
	s := fmt.Sprintf("write %d (%s %s", w.args.Write, w.verb, w.key)
	if w.args.Subresource != "" {
		s += "/" + w.args.Subresource
	}
	return s + ")"
}

func recordOf(h *history.History) *record { return history.Derive(h, newRecord) }

func newRecord(h *history.History) *record {
	out := &record{}
	runs := map[string]*past{} // by what follows the @ in the names of their actors; those of one after the other have none
	calls := map[int32]*write{}
	for i := range h.Events {
		e := &h.Events[i]
		actor, of, _ := strings.Cut(e.Actor, "@")
		if actor == runActor && e.Kind == evRun {
			p := &past{num: e.Num, states: map[int32]state{}}
			runs[of] = p
			body(e, &p.info)
			if len(p.info.Disturbed) == 0 {
				out.undisturbed = append(out.undisturbed, p)
			} else {
				out.disturbed = append(out.disturbed, p)
			}
		}
		if p := runs[of]; p != nil {
			p.add(e, actor, calls)
		}
	}
	out.undisturbed = keep(out.undisturbed, func(p *past) bool { return p.complete })
	all := len(keep(out.disturbed, func(p *past) bool { return p.complete }))
	out.disturbed = keep(out.disturbed, func(p *past) bool { return p.complete && len(p.final.Came) > 0 })
	out.spared = all - len(out.disturbed)
	return out
}

func keep(all []*past, is func(*past) bool) (out []*past) {
	for _, p := range all {
		if is(p) {
			out = append(out, p)
		}
	}
	return out
}

func body(e *history.Event, to any) {
	if e.X != nil && len(e.X.Body) > 0 {
		_ = json.Unmarshal(e.X.Body, to) // what cannot be read says nothing
	}
}

// add adds an event of the run.
func (p *past) add(e *history.Event, actor string, calls map[int32]*write) {
	m := mark{e.Num, e.Call, time.Duration(e.At)}
	switch {
	case e.Phase == history.Call:
		w := &write{num: e.Num, at: m.at, actor: actor, verb: e.Kind, key: e.Obj.Key}
		if strings.HasPrefix(actor, "life") {
			if e.X != nil {
				_ = json.Unmarshal(e.X.Args, &w.args)
			}
			w.was, _ = readObject(w.args.Was)
			p.writes = append(p.writes, w)
		} else {
			if e.X != nil {
				if o, err := readObject(e.X.Args); err == nil {
					w.args.Name = o.Meta.Name
				}
			}
			p.user = append(p.user, w)
		}
		calls[e.Num] = w
	case e.Phase == history.Return:
		if w := calls[e.Call]; w != nil {
			w.ret, w.back, w.err = e.Num, m.at, e.Err()
			if e.X != nil {
				w.obj, _ = readObject(e.X.Body)
			}
		}
	case actor == runActor && e.Kind == evRest:
		p.rests = append(p.rests, m)
		if e.X != nil {
			var at rested
			body(e, &at)
			p.states[e.Num] = stateOf(readObjects(at.Objects))
		}
	case actor == runActor && e.Kind == evFinal:
		p.end, p.finalAt, p.complete = e.Num, m.at, true
		body(e, &p.final)
		p.objects = readObjects(p.final.Objects)
		p.state = stateOf(p.objects)
	case e.Kind == evDisturb:
		p.disturbs = append(p.disturbs, m)
	case e.Kind == evStart:
		p.lives = append(p.lives, &pastLife{actor: actor, start: m})
	default:
		p.live(e, actor, m)
	}
}

// live adds an event of a life.
func (p *past) live(e *history.Event, actor string, m mark) {
	for i := len(p.lives) - 1; i >= 0; i-- {
		l := p.lives[i]
		if l.actor != actor {
			continue
		}
		switch e.Kind {
		case evStop:
			l.stop = m
		case evKill:
			l.kill = m
		case evStuck:
			l.stuck = m
		case evOver:
			l.over = m
			if err := e.Err(); err != nil {
				l.err = err.Msg
			}
		case evLeft:
			l.left = m
			body(e, &l.remains)
		case evLease:
			var now lease
			body(e, &now)
			l.leases = append(l.leases, leaseMark{m, now})
		}
		return
	}
}

// states are those of undisturbed runs.
func (r *record) states() (all []state) {
	for _, p := range r.undisturbed {
		all = append(all, p.state)
	}
	return all
}

// all returns all runs.
func (r *record) all() []*past { return append(append([]*past{}, r.undisturbed...), r.disturbed...) }

// how says what disturbed a run. What did not come about is left out.
func (p *past) how() string {
	s := strings.Join(p.final.Came, "; ")
	for _, w := range p.writes {
		if len(p.disturbs) > 0 && w.num < p.disturbs[0].num && (w.ret == 0 || w.ret > p.disturbs[0].num) {
			s += fmt.Sprintf(" (%s %s)", w.verb, w.key)
			break
		}
	}
	return s
}
