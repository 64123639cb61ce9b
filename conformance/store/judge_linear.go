package store

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

const ruleLinear = "concurrent/linearizable"

// maxIndefinite is how many operations of which nobody knows whether they
// happened may be open on a key: each doubles the work.
const maxIndefinite = 6

// maxBeside is how far writes of a key that are under way at one moment may have
// come, all together: twelve single ones, each of which has happened or has not.
// No drive has more than four actors, of which each makes three.
const maxBeside = 1 << 12

// access is what one call does to one key, or saw of it.
type access struct {
	call, ret int64 // numbers of events; math.MaxInt64 where it never ended
	write     bool
	value     string // absent, or the object's text; of LIST-KEYS and INDEX-KEYS its key
	keyOnly   bool
	put       *kept    // by a write
	before    int      // changes of the key that the same call makes first, and
	after     int      // that it makes later: of several at once alone
	index     string   // of a query, and
	asked     []string // what it asked for

	// Of those that are about the whole store's resourceVersion, which is the value of a read.
	told    bool
	version string // of a write
	others  bool   // it writes another key
}

// held is a key of a map, and the version that the map tells.
type held struct {
	*kept
	version string
	amid    string // calls that have made some of their changes of the key, and how many; sorted
}

// put is the key after a write. Of several at once each is a change by itself,
// in the order in which they were given.
func (s held) put(a access) (bool, held) {
	amid := strings.Fields(s.amid)
	if a.before > 0 {
		i := slices.Index(amid, fmt.Sprintf("%d:%d", a.call, a.before))
		if i < 0 {
			return false, s
		}
		amid = slices.Delete(amid, i, i+1)
	}
	if a.after > 0 {
		amid = append(amid, fmt.Sprintf("%d:%d", a.call, a.before+1))
	}
	return true, held{a.put, a.version, strings.Join(sorted(amid), " ")}
}

// kept is what one write has put there: states are the same where they are of the same write.
type kept struct {
	text   string
	object Object
}

var nothing = &kept{text: absent}

func keptOf(o *Object) *kept {
	if o == nil {
		return nothing
	}
	return &kept{text(*o), *o}
}

// shows is what a query of an index, or any other read, gives of the key.
func (k *kept) shows(a access) string {
	if k != nothing && a.index != "" && !slices.ContainsFunc(IndexedValues(a.index, k.object), func(v string) bool { return slices.Contains(a.asked, v) }) {
		return absent
	}
	return k.text
}

// register is a key of a map: what was put there last is what is read.
var register = porcupine.Model{
	Init: func() any { return held{kept: nothing} },
	Step: func(state, input, _ any) (bool, any) {
		a, s := input.(access), state.(held)
		switch {
		case a.write && a.others:
			return true, held{s.kept, a.version, s.amid}
		case a.write:
			return s.put(a)
		case a.told:
			return a.value == s.version, s
		case a.keyOnly:
			return (a.value == absent) == (s.shows(a) == absent), s
		}
		return a.value == s.shows(a), s
	},
}

func judgeLinear(h *history.History) harness.Judgement {
	var j harness.Judgement
	if !has(h, Map) {
		return j
	}
	crowded := runOf(h).Overlap != "" // else others judge the single call
	if !crowded && !doubtful(h) {
		return j
	}
	all, ages := accesses(h)
	if ages { // what is there changes by itself
		return j
	}
	if crowded {
		names, indexes := namesOf(h), indexesOf(h)
		each(h, func(o *op) { judgeAnswer(&j, o, names, indexes) })
		judgeStrange(&j, all)
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		as := all[key]
		beside := overlapping(as)
		switch {
		case !beside && !crowded:
		case tooMuch(as) != "":
			j.Undecided = key + ": " + tooMuch(as)
		case linearizable(as):
			if beside {
				j.Tested++
			}
		default:
			j.Tested++
			call, seen := firstWrong(as)
			j.Fail("an order of all reads and writes of "+key+" in which each read gives what was put there last",
				fmt.Sprintf("none: at #%d it was %s", seen.ret, seen.value), int32(call.call), int32(seen.ret))
		}
	}
	return decided(j)
}

// doubtful reports whether a change failed in a way that leaves open whether it was made.
func doubtful(h *history.History) bool {
	return slices.ContainsFunc(history.Derive(h, callsOf), func(o *op) bool {
		return o.changes() && (o.Return == 0 || o.Err != nil && (!o.Err.Definite || o.Kind == evApplyAll))
	})
}

// judgeAnswer judges what needs no order: there is an answer, and a list has no key twice.
func judgeAnswer(j *harness.Judgement, o *op, names map[string]int, indexes indexes) {
	fresh := o.Kind == evAddIndexers && !slices.ContainsFunc(o.Args.Indexers, func(name string) bool { return names[name] > 1 })
	if o.Err != nil && !o.keyless() && (o.changes() || readsKeys(o.Kind) || o.queries() && indexes.there(o) || fresh) {
		j.FailTested("an answer", o.Err.String(), o.Call, o.Return)
	}
	seen := map[string]bool{}
	twice := func(what string) {
		if seen[what] {
			j.FailTested("each once", what+" twice", o.Call, o.Return)
		}
		seen[what] = true
	}
	for _, x := range o.Items {
		if readsKeys(o.Kind) || o.queries() {
			twice(x.Key())
		}
	}
	for _, v := range o.Body.Values {
		twice(v)
	}
}

// namesOf are the indexes that were asked for, and how often.
func namesOf(h *history.History) map[string]int {
	names := map[string]int{}
	each(h, func(o *op) {
		for _, name := range o.Args.Indexers {
			names[name]++
		}
	})
	return names
}

// judgeStrange judges keys that nobody has ever put there.
func judgeStrange(j *harness.Judgement, all map[string][]access) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		as := all[key]
		if slices.ContainsFunc(as, func(a access) bool { return a.write && a.put != nothing }) {
			continue
		}
		if i := slices.IndexFunc(as, func(a access) bool { return a.value != absent }); i >= 0 {
			j.FailTested("nothing of "+key+": nobody has put it there", as[i].value, int32(as[i].call), int32(as[i].ret))
		}
	}
}

func readsKeys(kind string) bool {
	return kind == evGet || kind == evGetByKey || kind == evList || kind == evKeys
}

// queries says that a call asks an index for objects, or their keys, by a function that there is.
func (o *op) queries() bool {
	return (o.Kind == evIndex || o.Kind == evByIndex || o.Kind == evIndexKeys) && (o.Args.Index == ByNamespace || o.Args.Index == ByValue)
}

// asked are the values by which a query asks.
func (o *op) asked() []string {
	if o.Kind == evIndex {
		return IndexedValues(o.Args.Index, o.object())
	}
	return []string{o.Args.Value}
}

// overlapping says that a write overlaps with another call.
func overlapping(as []access) bool {
	for i, a := range as {
		for _, b := range as[:i] {
			if (a.write || b.write) && a.call != b.call && a.call < b.ret && b.call < a.ret {
				return true
			}
		}
	}
	return false
}

// tooMuch says why there are too many orders to try, "" where there are not.
func tooMuch(as []access) string {
	open := slices.DeleteFunc(slices.Clone(as), func(a access) bool { return a.ret != math.MaxInt64 })
	if n := len(open); n > maxIndefinite {
		return fmt.Sprintf("nobody knows whether %d writes happened, and how they may have is too much to try", n)
	}
	for _, a := range as {
		ways := 1
		for _, b := range as {
			if b.write && b.before == 0 && b.ret != math.MaxInt64 && b.call <= a.call && a.call < b.ret {
				ways *= b.after + 2
			}
			if ways > maxBeside {
				return fmt.Sprintf("so many writes are under way at #%d that all their orders are too much to try", a.call)
			}
		}
	}
	return ""
}

func linearizable(as []access) bool {
	ops := make([]porcupine.Operation, 0, len(as))
	for i, a := range as {
		ops = append(ops, porcupine.Operation{ClientId: i, Input: a, Call: a.call, Return: a.ret})
	}
	return porcupine.CheckOperations(register, ops)
}

// firstWrong is the read that has no place in any order, and the last write before it.
func firstWrong(as []access) (write, read access) {
	as = slices.Clone(as)
	slices.SortFunc(as, func(a, b access) int { return int(min(a.ret, math.MaxInt32) - min(b.ret, math.MaxInt32)) })
	for n, a := range as {
		if a.write {
			continue
		}
		some := slices.Clone(as[:n+1])
		for _, b := range as[n+1:] {
			if b.write && b.call < a.ret { // under way: it may have happened
				b.ret = math.MaxInt64
				some = append(some, b)
			}
		}
		if linearizable(some) {
			continue
		}
		for _, b := range some {
			if b.write && b.call < a.ret && b.call > write.call {
				write = b
			}
		}
		return write, a
	}
	return as[0], as[len(as)-1]
}
