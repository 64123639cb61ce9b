package model

import (
	"fmt"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// writer makes one write after the other, each in three steps: the call, what
// comes of it, the answer.
type writer struct {
	*world
	name string
	op   *op
}

// op is a write under way.
type op struct {
	verb    string
	key     key
	call    int32
	sent    object // with preconditions
	dry     bool
	scope   scope     // of a collection
	grace   *int64    // of a delete: the period that it asks for
	ending  []*object // that it has marked, and that are still to be removed
	applied bool
	lost    bool
	answer  history.Ref
	err     *history.Error
}

func (c *writer) step() {
	switch {
	case c.op == nil:
		c.begin()
		if c.ByOrder { // nobody comes between
			for !c.op.applied {
				c.op.apply(c.world)
			}
			c.end()
		}
	case !c.op.applied && !c.op.lost:
		if c.chance(c.Lost) && c.chance(0.5) { // it never gets there, or late
			c.op.lost = true
			if c.chance(0.4) {
				c.ghosts = append(c.ghosts, c.op)
			}
			return
		}
		c.op.apply(c.world)
		if c.op.lost = c.chance(c.Lost); c.op.lost && !c.op.applied { // the rest comes late
			c.ghosts = append(c.ghosts, c.op)
		}
	default:
		c.end()
	}
}

// begin chooses a write and calls it.
func (c *writer) begin() {
	if c.Sweeps && c.chance(0.04) {
		c.sweep()
		return
	}
	k := c.keys[c.rnd.IntN(len(c.keys))]
	o := &op{key: k}
	c.op = o
	c.done++
	c.bodies++
	app := []string{"one", "two"}[c.rnd.IntN(2)]
	o.sent = object{ns: k.ns, name: k.name, app: app, on: c.chance(0.5)}
	o.sent.ref = history.Ref{Key: k.text, Labels: c.apps[app], Fields: c.off, Body: fmt.Sprint("spec=v", c.bodies)}
	if o.sent.on {
		o.sent.ref.Fields = c.on
	}
	now := c.store.live[k.text]
	if c.store.graceful {
		o.sent.ref.Body += c.node(now)
	}
	if c.Holds {
		o.sent.ref.Body += c.someFinalizers()
	}
	switch p := c.rnd.Float64(); {
	case now == nil && p < 0.4 && c.creates:
		o.verb = replay.Update
	case now == nil && p < 0.9 || p < 0.03:
		o.verb = replay.Create
		if !c.Steady && c.chance(0.05) {
			o.sent.ref.Key = k.ns + "/"
		}
	case p < 0.3:
		o.verb = replay.Delete
		o.sent.ref = history.Ref{Key: k.text}
	case p < 0.4:
		o.verb = replay.Patch
	default:
		o.verb = replay.Update
	}
	c.precondition(now)
	o.dry = c.chance(0.03)
	if c.store.graceful && o.verb == replay.Delete {
		o.grace = c.period()
	}
	var args any
	if o.dry || o.grace != nil {
		args = replay.WriteArgs{DryRun: o.dry, GracePeriodSeconds: o.grace}
	}
	o.call = c.call(c.name, o.verb, o.sent.ref, args)
}

// precondition sets what the write demands: nothing, what is, what was, or what never was.
func (c *writer) precondition(now *object) {
	o := c.op
	if now == nil && o.verb == replay.Update && c.creates {
		c.stale()
	}
	if o.verb == replay.Create || now == nil {
		return
	}
	switch p := c.rnd.Float64(); {
	case p < 0.4:
		o.sent.ref.RV = now.ref.RV
	case p < 0.5 && !c.ByOrder:
		o.sent.ref.RV = c.store.rv(max(1, c.store.rev-c.rnd.IntN(20)))
	case p < 0.55 && o.verb != replay.Patch:
		o.sent.ref.UID = "uid-0"
	case p < 0.7 && o.verb != replay.Patch:
		o.sent.ref.UID = now.ref.UID
	case p < 0.75 && o.verb != replay.Delete: // it changes nothing
		rv := o.sent.ref.RV
		o.sent = *now
		o.sent.ref.UID, o.sent.ref.RV = "", rv
	}
}

func (o *op) refuse(code int, reason string) {
	o.err = &history.Error{Code: code, Reason: reason, Definite: true}
}

// apply does what a server does with the write.
func (o *op) apply(w *world) {
	if len(o.ending) > 0 {
		o.second(w)
		return
	}
	o.applied = true
	if o.verb == replay.DeleteCollection {
		o.sweep(w)
		return
	}
	now := w.store.live[o.key.text]
	pre := &o.sent.ref
	switch {
	case o.verb == replay.Create && pre.Key != o.key.text:
		created := o.sent
		created.name = fmt.Sprint("gen", o.call)
		created.ref.Key = o.key.ns + "/" + created.name
		if o.answer = created.ref; !o.dry {
			o.answer = w.store.put(created).ref
		}
	case o.verb == replay.Create && now != nil:
		o.refuse(409, "AlreadyExists")
	case o.verb == replay.Create:
		o.write(w, nil)
	case now == nil && w.creates && o.verb != replay.Delete && pre.UID != "":
		o.refuse(409, "Conflict")
	case now == nil && w.creates && o.verb != replay.Delete:
		o.write(w, nil)
	case now == nil:
		o.refuse(404, "NotFound")
	case pre.RV != "" && pre.RV != now.ref.RV, pre.UID != "" && pre.UID != now.ref.UID:
		o.refuse(409, "Conflict")
	case o.verb == replay.Delete:
		o.remove(w)
	case replay.OnNode(now.ref.Body) != replay.OnNode(pre.Body):
		o.refuse(422, "Invalid")
	default:
		o.write(w, now)
	}
}

func (o *op) write(w *world, now *object) {
	next := o.sent
	next.ref.RV, next.ref.UID = "", ""
	next.ref.Body = replay.Unmarked(next.ref.Body)
	if now != nil && replay.IsDeleting(now.ref.Body) && o.goes(w, now, &next) {
		return
	}
	switch {
	case now != nil && now.ref.Body == next.ref.Body && now.ref.Labels == next.ref.Labels && now.ref.Fields == next.ref.Fields:
		o.answer = now.ref
	case o.dry:
		if o.answer = next.ref; now != nil {
			o.answer.RV, o.answer.UID = now.ref.RV, now.ref.UID
		} else if !w.store.quiet && !w.store.noUID {
			o.answer.UID = fmt.Sprint("uid-dry-", o.call) // of nothing that will be
		}
	default:
		o.answer = w.store.put(next).ref
	}
}

// remove deletes; now and then somebody else's delete falls on the same revision.
func (o *op) remove(w *world) {
	switch {
	case o.dry:
		return
	case w.store.mark(o.key.text, o.grace):
		o.shows(w, w.store.live[o.key.text].ref)
		return
	case w.store.graceful:
		o.ends(w, o.key.text)
		return
	}
	w.store.rev++
	w.store.remove(o.key.text)
	for _, c := range w.writers {
		x := c.op
		if x == nil || x.applied || x.lost || x.verb != replay.Delete || x.dry || x.sent.ref.RV != "" || x.sent.ref.UID != "" || w.store.live[x.key.text] == nil || strings.Contains(w.store.live[x.key.text].ref.Body, holding) {
			continue
		}
		x.applied = true
		w.store.remove(x.key.text)
	}
}

// end answers, or not.
func (c *writer) end() {
	o := c.op
	c.op = nil
	var x *history.Ext
	switch {
	case o.lost && c.chance(0.3):
		return
	case o.lost:
		o.answer, x = history.Ref{}, &history.Ext{Err: &history.Error{Msg: "connection reset"}}
	case o.err != nil:
		o.answer, x = history.Ref{}, &history.Ext{Err: o.err}
	}
	c.answer(c.name, o.verb, o.call, o.answer, x)
}
