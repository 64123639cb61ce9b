package store

import (
	"slices"
	"strings"
)

// What a queue does with a call depends on what of the key is pending, and on
// whether its consumer knows the key. The drives of this file meet each pair of
// the two: every row has a key of its own, so that one drive meets many.

// row is one key, and what is asked about it. A list gives the keys of one
// namespace, or lacks them.
type row struct {
	ns      string
	known   bool
	pending string // ways, one after the other
	then    string // a way, or none
	version string // of what comes then, and of what a list gives: one of versions
}

// versions are those that an object may have which comes late: a new one, that
// of the state before, in which nothing has changed, and an older one, in another state.
var versions = struct{ newer, same, older string }{"", "same", "older"}

// ways are those of asking for a change of one key. What is lost is a delete that nobody saw.
var ways = map[string]Change{"add": {Verb: Add}, "update": {Verb: Update}, "delete": {Verb: Delete}, "lost": {Verb: Delete, Unknown: true}}

var (
	none      = []string{""}
	everyWay  = []string{"add", "update", "delete", "lost"}
	noneOrOne = append([]string{""}, everyWay...)
	oneOrTwo  = []string{"", "add", "update", "delete", "lost", "add delete", "delete add"}
)

// rowsOf are all combinations, of keys that are known and of such as are not.
func rowsOf(namespaces, pending, then []string) (out []row) {
	for _, known := range []bool{true, false} {
		for _, ns := range namespaces {
			for _, p := range pending {
				for _, t := range then {
					out = append(out, row{ns: ns, known: known, pending: p, then: t})
				}
			}
		}
	}
	return out
}

func (r row) name() string {
	words := []string{"new"}
	if r.known {
		words = []string{"known"}
	}
	words = append(words, strings.Fields(r.pending)...)
	if r.then != "" {
		words = append(words, "then", r.then)
	}
	if r.version != "" {
		words = append(words, r.version)
	}
	return strings.Join(words, "-")
}

// inVersions are rows in each version but a new one.
func inVersions(all []row) (out []row) {
	for _, v := range []string{versions.same, versions.older} {
		for _, r := range all {
			r.version = v
			out = append(out, r)
		}
	}
	return out
}

// table is a drive of rows, and the last state of each that was put.
type table struct {
	*driver
	rows []row
	last map[row]Object
}

// steps are what is done about all keys, once something is pending and once more has been asked; nil for nothing.
type steps struct {
	between, after func(table)
}

// drivePairs asks in turn for what is pending and for what comes then, does the
// steps, and pops everything by pop. What comes last of all shows what is missing before it.
func drivePairs(pop string, all []row, s steps) func(*driver) {
	return func(d *driver) {
		t := table{d, all, map[row]Object{}}
		if !t.acquaint() {
			return
		}
		for _, r := range all {
			for _, way := range strings.Fields(r.pending) {
				t.ask(r, way, versions.newer)
			}
			if s.between == nil { // what comes then follows at once
				t.ask(r, r.then, r.version)
			}
		}
		if s.between != nil {
			s.between(t)
			for _, r := range slices.Backward(all) { // of what was given last first
				t.ask(r, r.then, r.version)
			}
		}
		if s.after != nil {
			s.after(t)
		}
		d.apply(Add, d.object("z", "end"))
		d.drainAs(pop)
	}
}

// acquaint has the consumer know those keys that are to be known.
func (t table) acquaint() bool {
	n := 0
	for _, r := range t.rows {
		if r.known {
			n++
			t.apply(Add, t.object(r, versions.newer))
		}
	}
	return t.pop(n)
}

// object is the next state of a row.
func (t table) object(r row, version string) Object {
	o, before := t.last[r]
	switch {
	case version == versions.older:
		o = t.driver.object(r.ns, r.name())
		o.ResourceVersion = "50"
	case version == versions.newer || !before:
		o = t.driver.object(r.ns, r.name())
	}
	t.last[r] = o
	return o
}

// ask asks for a change in a way; "" for none.
func (t table) ask(r row, way, version string) {
	if c, ok := ways[way]; ok {
		c.Object = t.object(r, version)
		t.change(c)
	}
}

// giving is a list of the keys of some namespaces.
func giving(namespaces ...string) func(table) {
	return func(t table) {
		var list []Object
		for _, r := range t.rows {
			if slices.Contains(namespaces, r.ns) {
				list = append(list, t.object(r, r.version))
			}
		}
		t.replace(list...)
	}
}

func resyncing(t table) { t.resync() }

func resyncingTwice(t table) { t.resync(); t.resync() }

func marking(t table) { t.bookmark(); t.bookmark() }

// The drives, by what they are about.
var (
	given, lacking = "given", "lacking"

	driveChangePairs = drivePairs(evPop, rowsOf([]string{"a"}, everyWay, everyWay), steps{})
	driveBatchPairs  = drivePairs(evPopBatch, rowsOf([]string{"a"}, everyWay, everyWay), steps{after: marking})

	driveVersions     = drivePairs(evPop, inVersions(rowsOf([]string{"a"}, []string{"", "update"}, everyWay)), steps{})
	driveListVersions = drivePairs(evPop, inVersions(rowsOf([]string{given}, []string{"", "update", "delete"}, none)), steps{after: giving(given)})

	driveAfterList      = drivePairs(evPop, rowsOf([]string{given, lacking}, none, noneOrOne), steps{between: giving(given)})
	driveBatchAfterList = drivePairs(evPopBatch, rowsOf([]string{given, lacking}, none, noneOrOne), steps{between: giving(given), after: marking})
	driveAfterResync    = drivePairs(evPop, rowsOf([]string{"a"}, none, noneOrOne), steps{between: resyncing})

	driveListPairs       = drivePairs(evPop, rowsOf([]string{given, lacking}, oneOrTwo, none), steps{after: giving(given)})
	driveListOfNone      = drivePairs(evPop, rowsOf([]string{lacking}, []string{"", "add", "delete", "delete add"}, none), steps{after: giving()})
	driveListAfterList   = drivePairs(evPop, rowsOf([]string{"both", "first", "second", "neither"}, none, []string{"", "update", "delete"}), steps{giving("both", "first"), giving("both", "second")})
	driveListAfterResync = drivePairs(evPop, rowsOf([]string{given, lacking}, []string{"", "delete"}, []string{"", "update", "delete"}), steps{resyncing, giving(given)})

	driveResyncPairs     = drivePairs(evPop, rowsOf([]string{"a"}, oneOrTwo, none), steps{after: resyncingTwice})
	driveResyncAfterList = drivePairs(evPop, rowsOf([]string{given, lacking}, none, []string{"", "delete"}), steps{giving(given), resyncingTwice})
)

// driveAdjacent has each change come right after a list of its object alone, and right after a resync of it.
func driveAdjacent(d *driver) {
	x := row{ns: "a", known: true}
	t := table{d, []row{x}, map[row]Object{}}
	if !t.acquaint() {
		return
	}
	for _, way := range everyWay {
		giving(x.ns)(t)
		t.ask(x, way, versions.newer)
	}
	if !d.popEach(1, 2*len(everyWay)) {
		return
	}
	for _, way := range everyWay {
		if !t.acquaint() {
			return
		}
		d.resync()
		t.ask(x, way, versions.newer)
		if !d.popEach(1, 2) {
			return
		}
	}
	d.drain()
}

// driveListIdle gives an empty list while nothing is pending: with nothing known, and with two objects known.
func driveListIdle(d *driver) {
	d.apply(Add, d.object("a", "x"))
	d.apply(Add, d.object("a", "y"))
	if !d.pop(2) {
		return
	}
	d.replace()
	if !d.pop(d.items(2)) {
		return
	}
	d.replace()
	d.drain()
}
