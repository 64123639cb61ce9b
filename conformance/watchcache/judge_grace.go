package watchcache

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// graced is an object that was deleted while it was on a node, until a delete with period 0.
type graced struct {
	k    int32
	uid  string
	asks []ask // none: the first had no period
	from int32 // call of the first
	end  int32 // call of the first write that may have ended it; 0: none
	gone int32 // answer to the one that did for certain; 0: none
}

// ask is one delete of it, or of its collection.
type ask struct {
	call, ret int32
	left      int64 // seconds that are left after it; 0: some, nobody says how many
	version   int32 // that it made, where it was shown; else None
	marks     bool  // it changed something
}

// within says that an event came while the object had to stay.
func (g *graced) within(num int32) bool {
	return len(g.asks) > 0 && num > g.asks[0].ret && (g.end == 0 || num < g.end)
}

// latest is the last delete that was answered before a call, if no other was called before the event with number upto; nil
// if that is not certain.
func (g *graced) latest(call, upto int32) *ask {
	var last *ask
	for i := range g.asks {
		switch a := &g.asks[i]; {
		case a.ret != 0 && a.ret < call:
			last = a
		case a.call < upto:
			return nil
		}
	}
	return last
}

// gracedOf are those of a history, in order of their first deletes.
func gracedOf(r *replay.Replay) []graced {
	var all []graced
	open := map[int32]int{} // by key: where the last is
	of := func(k int32) *graced {
		if i, ok := open[k]; ok && all[i].end == 0 {
			return &all[i]
		}
		return nil
	}
	swept := 0
	for i := range r.Writes {
		w := &r.Writes[i]
		for ; swept < len(r.Collections) && r.Collections[swept].Call < w.Call; swept++ {
			all = gracedIn(r, &r.Collections[swept], of, all, open)
		}
		g := of(w.K)
		if w.Outcome == replay.Refused || replay.IsDryRun(r.H.Event(w.Call)) || w.Verb() == replay.Create {
			continue
		}
		seconds, asks := r.AskedGrace(w.Call)
		switch {
		case g != nil && (w.Ends() || w.Outcome == replay.Unknown || asks && seconds == 0):
			if g.end = w.Call; w.Ends() && w.Outcome == replay.Done {
				g.gone = w.Return
			}
		case w.Verb() != replay.Delete || w.Outcome != replay.Done:
		case g == nil && w.Ends():
			if replay.OnNode(before(r, w).Body) {
				open[w.K] = len(all)
				all = append(all, graced{k: w.K, uid: before(r, w).UID, from: w.Call, end: w.Call, gone: w.Return})
			}
		case g != nil:
			g.later(ask{call: w.Call, ret: w.Return, version: w.Version, marks: w.Marks()}, seconds, asks)
		case replay.IsDeleting(before(r, w).Body): // of the deletes before nobody knows enough
		case replay.OnNode(w.Mark()) && !(asks && seconds == 0):
			if !asks {
				seconds = replay.Left(w.Mark())
			}
			open[w.K] = len(all)
			all = append(all, graced{k: w.K, uid: before(r, w).UID, from: w.Call, asks: []ask{{w.Call, w.Return, seconds, w.Version, true}}})
		}
	}
	for ; swept < len(r.Collections); swept++ {
		all = gracedIn(r, &r.Collections[swept], of, all, open)
	}
	return all
}

// later adds a delete of what is being deleted already.
func (g *graced) later(a ask, seconds int64, asks bool) {
	a.left = g.asks[len(g.asks)-1].left
	if asks && a.left != 0 {
		a.left = min(a.left, seconds)
	}
	g.asks = append(g.asks, a)
}

// gracedIn adds those that a collection's deletion was about.
func gracedIn(r *replay.Replay, c *replay.Collection, of func(int32) *graced, all []graced, open map[int32]int) []graced {
	seconds, asks := r.AskedGrace(c.Call)
	for _, s := range c.Keys {
		g := of(s.K)
		switch {
		case g != nil && s.Fate == replay.Ended && c.Outcome == replay.Done:
			g.end, g.gone = c.Call, c.Return
		case g != nil && (c.Outcome != replay.Done || s.Fate == replay.Maybe):
			g.end = c.Call
		case g != nil && s.Fate == replay.Absent:
			g.later(ask{call: c.Call, ret: c.Return, version: replay.None}, seconds, asks)
		case g != nil && s.Fate == replay.Marked:
			g.later(ask{call: c.Call, ret: c.Return, version: madeBy(r, s.K, c.Call), marks: true}, seconds, asks)
		case g == nil && s.Fate == replay.Marked && replay.OnNode(s.Body) && c.Outcome == replay.Done:
			left := replay.Left(s.Body)
			if asks {
				left = seconds
			}
			open[s.K] = len(all)
			all = append(all, graced{k: s.K, uid: s.UID, from: c.Call, asks: []ask{{c.Call, c.Return, left, madeBy(r, s.K, c.Call), true}}})
		}
	}
	return all
}

// gracing judges all aspects of write/grace at once.
type gracing struct {
	r  *replay.Replay
	of map[string]*harness.Judgement
}

func judgeGrace(aspect string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		r := replay.Of(h)
		if r.Unordered != "" {
			return harness.Judgement{Undecided: r.Unordered}
		}
		j := gracing{r, map[string]*harness.Judgement{"": {}, aspectStays: {}, aspectShorter: {}, aspectEnd: {}}}
		all := gracedOf(r)
		for i := range all {
			j.object(&all[i])
		}
		j.given(all)
		return *j.of[aspect]
	}
}

// alone says that nobody but this run can have changed the object.
func (j *gracing) alone(g *graced) bool { return !j.r.Shared() && j.r.Own(g.k) }

// given looks at the events that watches must give for the marks, and for the ends.
func (j *gracing) given(all []graced) {
	for _, aspect := range []string{"", aspectShorter, aspectEnd} {
		eachGiven(j.of[aspect], j.r, func(v *replay.Version) bool {
			return slices.ContainsFunc(all, func(g graced) bool {
				n := slices.IndexFunc(g.asks, func(a ask) bool { return a.call == v.Call })
				switch {
				case g.k != v.K || v.Call == 0:
					return false
				case aspect == aspectEnd:
					return v.Gone && v.Call == g.end
				case aspect == "":
					return n == 0 && !v.Gone
				}
				return n > 0 && !v.Gone
			})
		})
	}
}

// object looks at all that shows one, or shows that it is not there.
func (j *gracing) object(g *graced) {
	for i := int(g.from); i < len(j.r.H.Events); i++ {
		e := &j.r.H.Events[i]
		if e.Phase == history.Call || e.Kind == replay.Bookmark {
			continue
		}
		if e.Phase == history.Notice && e.Kind == replay.Deleted {
			j.deleted(g, e)
			continue
		}
		if e.Err() == nil {
			shown := replay.Objects(e)
			for n := range shown {
				if o := &shown[n]; o.K == g.k && o.UID == g.uid && g.uid != "" && e.Kind != replay.Create {
					j.shown(g, e, o)
				}
			}
		}
		j.asked(g, e)
	}
	j.untold(g)
}

// recently says that an event answers a request for what is there now; call is its number.
func (j *gracing) recently(e *history.Event) (call int32, ok bool) {
	if e.Phase != history.Return {
		return 0, false
	}
	c := j.r.H.Event(e.Call)
	if e.Kind == replay.List || e.Kind == replay.Get {
		a, err := replay.ParseArgs(argsOf(c))
		return e.Call, err == nil && recent(&a.Options)
	}
	return e.Call, !replay.IsDryRun(c)
}

// shown: what shows the object shows the mark, with the time that is left after some delete that may have been
// done by then. Somebody else may have made it less.
func (j *gracing) shown(g *graced, e *history.Event, o *history.Ref) {
	if call, ok := j.recently(e); ok && g.gone != 0 && call > g.gone {
		j.of[aspectEnd].Tested++
		j.of[aspectEnd].Fail("no "+o.Key+": it was deleted with period 0", at(e), g.from, g.gone, e.Call, e.Num)
		return
	}
	aspect, left := "", replay.Left(o.Body)
	if call, ok := j.recently(e); ok {
		if last := g.latest(call, e.Num); last != nil && (g.end == 0 || e.Num < g.end) {
			if last != &g.asks[0] {
				aspect = aspectShorter
			}
			j.of[aspect].Tested++
			if wrong := last.left != 0 && left != last.left || left == 0; !replay.IsDeleting(o.Body) || wrong && (j.alone(g) || left > last.left) {
				j.of[aspect].Fail(o.Key+" to be deleted in "+seconds(last.left), tellsLeft(e, o), slices.Compact([]int32{g.asks[0].call, last.call, e.Call, e.Num})...)
			}
			return
		}
	}
	if !replay.IsDeleting(o.Body) || g.end != 0 && left == 0 || len(g.asks) == 0 {
		return
	}
	may := slices.DeleteFunc(slices.Clone(g.asks), func(a ask) bool { return a.call > e.Num })
	if len(may) > 1 {
		aspect = aspectShorter
	}
	j.of[aspect].Tested++
	if slices.ContainsFunc(may, func(a ask) bool { return left != 0 && (a.left == left || a.left == 0) }) {
		return
	}
	if most := may[0].left; j.alone(g) || most != 0 && left > most {
		var all []string
		for _, a := range may {
			if s := seconds(a.left); !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		j.of[aspect].Fail(o.Key+" to be deleted in "+strings.Join(all, " or "), tellsLeft(e, o), slices.Compact([]int32{may[0].call, may[len(may)-1].call, e.Call, e.Num})...)
	}
}

func seconds(left int64) string {
	if left == 0 {
		return "some time"
	}
	return fmt.Sprintf("%d s", left)
}

func tellsLeft(e *history.Event, o *history.Ref) string {
	switch {
	case !replay.IsDeleting(o.Body):
		return fmt.Sprintf("%s @%s without a deletionTimestamp", e.Kind, o.RV)
	case replay.Left(o.Body) == 0:
		return fmt.Sprintf("%s @%s with no time left", e.Kind, o.RV)
	}
	return fmt.Sprintf("%s @%s with %d s left", e.Kind, o.RV, replay.Left(o.Body))
}

// deleted: no DELETED before a delete with period 0 was called.
func (j *gracing) deleted(g *graced, e *history.Event) {
	w := watchOf(j.r, e.Call)
	if e.Obj.K != g.k || e.Obj.UID != g.uid || g.uid == "" || w == nil || leavesScope(w) || !j.alone(g) || len(g.asks) == 0 {
		return
	}
	if j.of[aspectStays].Tested++; g.end == 0 || e.Num < g.end {
		j.of[aspectStays].Fail(e.Obj.Key+" to stay: it has time left", told1(e), g.asks[0].call, e.Call, e.Num)
	}
}

// asked: who asks for what is there gets it until a delete with period 0, and not after.
func (j *gracing) asked(g *graced, e *history.Event) {
	call, ok := j.recently(e)
	if !ok || e.Kind != replay.Get && e.Kind != replay.List {
		return
	}
	c := j.r.H.Event(call)
	there, absent := false, e.Kind == replay.Get && c.Obj.K == g.k && e.Err() != nil && e.Err().Code == http.StatusNotFound
	if e.Err() == nil {
		shown := replay.Objects(e)
		there = slices.ContainsFunc(shown, func(o history.Ref) bool { return o.K == g.k && o.UID == g.uid })
		absent = !there && e.Kind == replay.List && j.wholeWith(c, g)
	}
	switch {
	case g.gone != 0 && call > g.gone && absent:
		j.of[aspectEnd].Tested++
	case !g.within(e.Num) || call < g.asks[0].ret:
	case there:
		j.of[aspectStays].Tested++
	case absent && j.alone(g):
		j.of[aspectStays].Tested++
		j.of[aspectStays].Fail(j.r.H.Key(g.k)+" to stay: it has time left", describeAbsent(e), g.asks[0].call, call, e.Num)
	}
}

func describeAbsent(e *history.Event) string {
	if err := e.Err(); err != nil {
		return err.String()
	}
	return "a list without it"
}

// wholeWith says that a list asks for all there is in a namespace, in one answer.
func (j *gracing) wholeWith(call *history.Event, g *graced) bool {
	a, err := replay.ParseArgs(argsOf(call))
	return err == nil && recent(&a.Options) && wholeOf(&a, j.r, g.k)
}

// untold: where nothing has shown a mark, a watch that had the time for it should have.
func (j *gracing) untold(g *graced) {
	for n := range g.asks {
		a := &g.asks[n]
		if !a.marks || !j.alone(g) || a.ret == 0 {
			continue
		}
		aspect := ""
		if n > 0 {
			aspect = aspectShorter
		}
		unmarked(j.of[aspect], j.r, &stay{k: g.k, uid: g.uid, call: a.call, ret: a.ret, version: a.version})
	}
}
