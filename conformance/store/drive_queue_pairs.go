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
}

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
					out = append(out, row{ns, known, p, t})
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
	return strings.Join(words, "-")
}

// steps are what is done about all keys, once something is pending and once more has been asked; nil for nothing.
type steps struct {
	between, after func(d *driver, all []row)
}

// drivePairs asks in turn for what is pending and for what comes then, does the
// steps, and pops everything by pop. What comes last of all shows what is missing before it.
func drivePairs(pop string, all []row, s steps) func(*driver) {
	return func(d *driver) {
		if !d.acquaint(all) {
			return
		}
		for _, r := range all {
			d.ask(r, r.pending)
			if s.between == nil { // what comes then follows at once
				d.ask(r, r.then)
			}
		}
		if s.between != nil {
			s.between(d, all)
			for _, r := range slices.Backward(all) { // of what was given last first
				d.ask(r, r.then)
			}
		}
		if s.after != nil {
			s.after(d, all)
		}
		d.apply(Add, d.object("z", "end"))
		d.drainAs(pop)
	}
}

// acquaint has the consumer know those keys that are to be known.
func (d *driver) acquaint(all []row) bool {
	n := 0
	for _, r := range all {
		if r.known {
			n++
			d.apply(Add, d.object(r.ns, r.name()))
		}
	}
	return d.pop(n)
}

func (d *driver) ask(r row, how string) {
	for _, way := range strings.Fields(how) {
		c := ways[way]
		c.Object = d.object(r.ns, r.name())
		d.change(c)
	}
}

// giving is a list of the keys of some namespaces.
func giving(namespaces ...string) func(*driver, []row) {
	return func(d *driver, all []row) {
		var list []Object
		for _, r := range all {
			if slices.Contains(namespaces, r.ns) {
				list = append(list, d.object(r.ns, r.name()))
			}
		}
		d.replace(list...)
	}
}

func resyncing(d *driver, _ []row) { d.resync() }

func resyncingTwice(d *driver, _ []row) { d.resync(); d.resync() }

func marking(d *driver, _ []row) { d.bookmark(); d.bookmark() }

// The drives, by what they are about.
var (
	given, lacking = "given", "lacking"

	driveChangePairs = drivePairs(evPop, rowsOf([]string{"a"}, everyWay, everyWay), steps{})
	driveBatchPairs  = drivePairs(evPopBatch, rowsOf([]string{"a"}, everyWay, everyWay), steps{after: marking})

	driveAfterList      = drivePairs(evPop, rowsOf([]string{given, lacking}, none, noneOrOne), steps{between: giving(given)})
	driveBatchAfterList = drivePairs(evPopBatch, rowsOf([]string{given, lacking}, none, noneOrOne), steps{between: giving(given), after: marking})
	driveAfterResync    = drivePairs(evPop, rowsOf([]string{"a"}, none, noneOrOne), steps{between: resyncing})

	driveListPairs       = drivePairs(evPop, rowsOf([]string{given, lacking}, oneOrTwo, none), steps{after: giving(given)})
	driveListOfNone      = drivePairs(evPop, rowsOf([]string{lacking}, []string{"", "add", "delete", "delete add"}, none), steps{after: giving()})
	driveListAfterList   = drivePairs(evPop, rowsOf([]string{"both", "first", "second"}, none, []string{"", "update", "delete"}), steps{giving("both", "first"), giving("both", "second")})
	driveListAfterResync = drivePairs(evPop, rowsOf([]string{given, lacking}, []string{"", "delete"}, []string{"", "update", "delete"}), steps{resyncing, giving(given)})

	driveResyncPairs     = drivePairs(evPop, rowsOf([]string{"a"}, oneOrTwo, none), steps{after: resyncingTwice})
	driveResyncAfterList = drivePairs(evPop, rowsOf([]string{given, lacking}, none, []string{"", "delete"}), steps{giving(given), resyncingTwice})
)

// driveAdjacent has each change come right after a list of its object alone, and right after a resync of it.
func driveAdjacent(d *driver) {
	x := row{ns: "a", known: true}
	if !d.acquaint([]row{x}) {
		return
	}
	for _, way := range everyWay {
		d.replace(d.object(x.ns, x.name()))
		d.ask(x, way)
	}
	if !d.popEach(1, 2*len(everyWay)) {
		return
	}
	for _, way := range everyWay {
		d.apply(Add, d.object(x.ns, x.name()))
		if !d.pop(1) {
			return
		}
		d.resync()
		d.ask(x, way)
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
