package watchcache

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// writeContended needs no order of resourceVersions: it asks only whether two are equal.
var writeContended = harness.Rule{
	Clause: harness.Clause{
		ID:      "write/contended",
		Level:   harness.Must,
		Text:    "of several updates of one object that name the same resourceVersion exactly one is accepted, and the others fail with 409 Conflict",
		Sources: []harness.Source{sources.concurrency, sources.updates, sources.reasonConflict},
		Why:     "two clients are both told that their change is stored, and one of the changes is lost: two processes both hold a lock",
		Advice:  "Compare and write in one transaction, or with a compare-and-swap on the revision that you read: a check before the write lets two clients pass.",
		Classes: []string{"UPDATE rv=stale outcome=409"},
	},
	Judge: judgeContended,
}

var contendedCheck = story.Check{
	Name:  "write/contended",
	About: "Clients read an object, and all update it at once from the resourceVersion that they have read.",
	Rules: []harness.Rule{writeContended},
	Steps: watched([]story.Step{{Op: "create", Obj: "x"}}, story.Repeat(contests, func(int) []story.Step {
		return []story.Step{{Op: "contend", Obj: "x", N: contenders}}
	})),
}

// readCheck reads objects while they are deleted. A server that prepares the deletion in the object of its cache shows what nobody has stored.
var readCheck = story.Check{
	Name:  "version/comparable/replaced",
	About: "A client deletes an object and creates it again, many times, while others get whatever a cache has of it.",
	Needs: []harness.Feature{ComparableRV},
	Rules: []harness.Rule{versionComparable},
	Steps: watched([]story.Step{{Op: "create", Obj: "x"}}, story.Repeat(4*contests, func(int) []story.Step {
		return []story.Step{{Op: "contend", Obj: "x", N: 2 * contenders, With: Contend{By: "reads"}}}
	})),
}

// pageCheck lists with a limit while labels change. A server may read its storage several times to fill one page. All these reads must be at one
// revision.
var pageCheck = story.Check{
	Name:  "list/pages-with-selector/changing",
	About: "A client gives objects a label and takes it away, while others list with a limit what has it.",
	Needs: []harness.Feature{ComparableRV, Pages, LabelWatch},
	Rules: []harness.Rule{listSnapshot},
	Steps: watched(story.Each(relabelled, func(_ int, name string) []story.Step {
		return []story.Step{{Op: "create", Obj: name, With: Create{Labels: "two"}}}
	}),
		story.Repeat(contests, func(int) []story.Step {
			return []story.Step{{Op: "contend", Obj: relabelled[0], N: contenders, With: Contend{By: "pages"}}}
		})),
}

// Contend says how clients write to one object at once.
type Contend struct {
	// By is "" for updates; "merge", "strategic", "json" or "apply" for patches, each of a part of its own; "writes" for updates
	// and a delete. "replace": one client deletes the object and creates another, and the others name the one before. "reads": as
	// that, and the others get what a cache has of it. "pages": one client changes labels of objects, and the others list with a
	// limit what has them.
	By string `json:"by,omitempty"`
}

// Validate returns an error for an unknown way.
func (c Contend) Validate() error {
	return oneOf("by", c.By, "", "merge", "strategic", "json", "apply", "writes", "replace", "reads", "pages")
}

func needsOfContend(c Contend) []harness.Feature {
	return when(map[harness.Feature]bool{Precondition: c.By == "writes" || c.By == "replace", Patch: c.By == "merge", StrategicPatch: c.By == "strategic", JSONPatch: c.By == "json", Apply: c.By == "apply",
		LabelWatch: c.By == "pages", Pages: c.By == "pages"})
}

func sayContend(s story.Step, c Contend) string {
	switch c.By {
	case "":
		return fmt.Sprintf("%d clients update %s at once", s.N, s.Obj)
	case "writes":
		return fmt.Sprintf("clients update and delete %s at once", s.Obj)
	case "replace":
		return fmt.Sprintf("a client replaces %s while others name the one before", s.Obj)
	case "reads":
		return fmt.Sprintf("a client replaces %s while others read any state of it", s.Obj)
	case "pages":
		return "clients list by a label, with a limit, while another client changes labels"
	case "apply":
		return fmt.Sprintf("clients apply parts of %s at once", s.Obj)
	}
	return fmt.Sprintf("clients patch parts of %s at once, by %s patches", s.Obj, c.By)
}

// racing are the ways to patch in races.
var racing = map[string]func(*driver, string, *corev1.ConfigMap) *corev1.ConfigMap{
	"merge": (*driver).patchOnly, "strategic": (*driver).partStrategically, "json": (*driver).partAsJSON, "apply": (*driver).partApplied,
}

func stepContend(w *world, s story.Step, c Contend) error {
	ns, name := w.place(s.Obj)
	now := w.get("c0", ns, name)
	switch {
	case now == nil || s.N < 2:
		return story.SkipStep("there is nothing to contend for")
	case c.By == "":
		w.contendByUpdates(s, now)
		return nil
	case w.cluster != nil:
		return errCluster
	case c.By == "writes":
		w.contest(s.N, now, cmp.Or(w.versionOf(s.Obj, oldCopy), invented))
	case c.By == "replace":
		w.replaced(s.N, now)
	case c.By == "reads":
		w.readReplaced(s.N, now)
	case c.By == "pages":
		w.pageChanged(s.N, ns)
	case now.Labels[ownKey(0)] == "": // each has its own part already, or a JSON patch would not fit
		parts := w.contended(ns, name)
		now.Labels, now.Annotations = parts.Labels, parts.Annotations
		if now = w.update("c0", now); now == nil {
			break
		}
		fallthrough
	default:
		w.race(s.N, now, racing[c.By])
	}
	w.remember(s.Obj, w.get("c0", ns, name))
	return nil
}

// contendByUpdates makes n clients update an object at once, from the resourceVersion that it has. An object without one is
// updated from one that no object has.
func (w *world) contendByUpdates(s story.Step, now *corev1.ConfigMap) {
	now.ResourceVersion = cmp.Or(now.ResourceVersion, invented)
	writes, answers := make([]*corev1.ConfigMap, s.N), make([]*corev1.ConfigMap, s.N)
	for i := range writes {
		writes[i] = w.changed(now, nil)
	}
	w.burst(s.N, func(i int) { answers[i] = w.update(contender(i), writes[i]) })
	for _, m := range answers {
		w.remember(s.Obj, m)
	}
}

// contest is the updates of one object that name the same resourceVersion.
type contest struct {
	writes []*replay.Write
	rv     string
}

// contestsOf returns the contests of a history in the order of their first calls. Dry runs take no part. An object that is
// created again begins a new life: without comparable resourceVersions it may have the same ones as before.
func contestsOf(r *replay.Replay) (all []*contest) {
	type name struct {
		k    int32
		rv   string
		life int
	}
	by, lives := map[name]*contest{}, map[int32]int{}
	for i := range r.Writes {
		w := &r.Writes[i]
		call := r.H.Event(w.Call)
		if w.Outcome != replay.Refused && !replay.IsDryRun(call) && (w.Verb() == replay.Create || w.Verb() == replay.Delete || w.Ends()) {
			lives[w.K]++
		}
		if w.Verb() != replay.Update || w.K == 0 || call.Obj.RV == "" || w.Return == 0 || replay.IsDryRun(call) {
			continue
		}
		n := name{w.K, call.Obj.RV, lives[w.K] + sweepsBefore(r, w.Call)}
		if by[n] == nil {
			by[n] = &contest{rv: n.rv}
			all = append(all, by[n])
		}
		by[n].writes = append(by[n].writes, w)
	}
	return all
}

// sweepsBefore counts the collections whose deletion was called before an event: each may have ended any life.
func sweepsBefore(r *replay.Replay, num int32) (n int) {
	for i := range r.Collections {
		if r.Collections[i].Call < num {
			n++
		}
	}
	return n
}

func judgeContended(h *history.History) (j harness.Judgement) {
	r := replay.Of(h)
	for _, c := range contestsOf(r) {
		if len(c.writes) > 1 {
			c.judge(&j, r)
		}
	}
	return j
}

func (c *contest) judge(j *harness.Judgement, r *replay.Replay) {
	winners, losers := c.winners(r), c.losers(r)
	switch {
	case len(winners) > 0:
		j.Tested += len(winners) - 1 + len(losers)
		for _, w := range winners[1:] {
			j.Fail("409 Conflict: another update from @"+c.rv+" was accepted", "the UPDATE was accepted", winners[0].Return, w.Call, w.Return)
		}
	case len(losers) == len(c.writes) && c.holds(r):
		j.Tested++
		first := losers[0]
		j.Fail("one of the updates from @"+c.rv+" to be accepted", "409 Conflict for all", first.Call, first.Return)
	}
}

// winners returns the accepted updates that changed the object. One that is answered with the resourceVersion that it
// named changed nothing, unless another such answer has another content. The object with another uid is another object.
func (c *contest) winners(r *replay.Replay) (all []*replay.Write) {
	var same, first *history.Ref
	for _, w := range c.writes {
		got := &r.H.Event(w.Return).Obj
		switch {
		case w.Outcome != replay.Done:
			continue
		case got.RV != "" && got.RV != c.rv:
		case same == nil:
			same = got
			continue
		case same.Body == got.Body && same.Labels == got.Labels:
			continue
		}
		if first == nil {
			first = got
		}
		if first.UID == got.UID || first.UID == "" || got.UID == "" {
			all = append(all, w)
		}
	}
	return all
}

func (c *contest) losers(r *replay.Replay) (all []*replay.Write) {
	for _, w := range c.writes {
		if err := r.H.Event(w.Return).Err(); err != nil && isConflict(err) {
			all = append(all, w)
		}
	}
	return all
}

// holds reports whether the resourceVersion certainly was the object's until the last of the updates was answered: it was
// read or written just before, and nobody else has written the object since.
func (c *contest) holds(r *replay.Replay) bool {
	first, last := c.writes[0].Call, int32(0)
	for _, w := range c.writes {
		last = max(last, w.Return)
	}
	k := c.writes[0].K
	seen := c.seen(r, first)
	if seen == nil || r.Shared() || !r.Own(k) || len(r.Collections) > 0 {
		return false
	}
	for _, w := range c.writes {
		if sent := r.H.Event(w.Call).Obj.UID; sent != "" && sent != seen.Obj.UID {
			return false
		}
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K != k || w.Outcome == replay.Refused || w.Return == seen.Num || w.Call > last {
			continue
		}
		if w.Return == 0 || w.Return > seen.Call || w.Outcome == replay.Unknown {
			return false
		}
	}
	return true
}

// seen returns the last answer before a call that has the object at the resourceVersion of the contest: that of a write,
// or of a get of the most recent state.
func (c *contest) seen(r *replay.Replay, call int32) (last *history.Event) {
	for num := int32(1); num < call; num++ {
		e := r.H.Event(num)
		if e.Phase != history.Return || e.Obj.K != c.writes[0].K || e.Obj.RV != c.rv || e.Err() != nil {
			continue
		}
		switch asked := r.H.Event(e.Call); asked.Kind {
		case replay.Create, replay.Update, replay.Patch:
			last = e
		case replay.Get:
			if args, err := replay.ParseArgs(asked.X.Args); err == nil && args.Options.ResourceVersion == "" {
				last = e
			}
		}
	}
	return last
}
