package store

import (
	"math"
	"slices"

	"github.com/lwtest/lwtest/harness/history"
)

// keyed are the accesses of each key; ages says that entries grow old.
type keyed struct {
	all  map[string][]access
	ages bool
}

func accesses(h *history.History) (all map[string][]access, ages bool) {
	k := history.Derive(h, keyedOf)
	return k.all, k.ages
}

func keyedOf(h *history.History) keyed {
	all, ages := map[string][]access{}, false
	keys := map[string]bool{}
	var whole []*op // calls that concern every key
	indexes := indexesOf(h)
	each(h, func(o *op) {
		ages = ages || o.Kind == evOpen && o.Args.TTL > 0
		switch {
		case o.Return != 0 && o.Err != nil && (o.Err.Definite && o.Kind != evApplyAll || !o.changes()): // of several at once some may have happened
		case o.Kind == evReplace:
			for _, x := range o.Args.Objects {
				keys[x.Key()] = true
			}
			whole = append(whole, o)
		case (o.Kind == evList || o.Kind == evKeys || o.queries()) && o.Return != 0:
			for _, x := range o.Items {
				keys[x.Key()] = true
			}
			whole = append(whole, o)
		case o.Kind == evIndexValues && o.Return != 0 && indexes.there(o):
			whole = append(whole, o)
		case o.changes():
			made := o.made()
			for i, c := range made {
				keys[c.Object.Key()] = true
				a := o.access(true, absent)
				a.before, a.after = ofKey(made[:i], c.Object.Key()), ofKey(made[i+1:], c.Object.Key())
				if a.put = nothing; c.Verb != Delete {
					a.put = keptOf(&c.Object)
					a.value = a.put.text
				}
				all[c.Object.Key()] = append(all[c.Object.Key()], a)
			}
		case (o.Kind == evGet || o.Kind == evGetByKey) && o.Return != 0:
			value := absent
			if o.Found.Key != "" {
				value = text(objectOf(o.Found))
			}
			keys[o.Obj.Key] = true
			all[o.Obj.Key] = append(all[o.Obj.Key], o.access(false, value))
		}
	})
	for _, o := range whole {
		gave, put := lasts(o.Items), lasts(o.Args.Objects)
		for key := range keys {
			a := o.access(o.Kind == evReplace, absent)
			a.keyOnly = o.Kind == evKeys || o.Kind == evIndexKeys
			a.put = keptOf(put[key])
			if x := gave[key]; x != nil {
				a.value = text(*x)
			}
			if o.Kind == evReplace {
				a.value = a.put.text
			}
			if o.queries() {
				a.index, a.asked = o.Args.Index, o.asked()
			}
			if o.Kind == evIndexValues { // nothing is under what it does not tell
				a.index, a.asked = o.Args.Index, indexes.untold(o)
			}
			all[key] = append(all[key], a)
		}
	}
	return keyed{all, ages}
}

// ofKey is how many of some changes are of a key.
func ofKey(some []Change, key string) (n int) {
	for _, c := range some {
		if c.Object.Key() == key {
			n++
		}
	}
	return n
}

// indexes are what is known of them: the calls that made each, and all values that anything had.
type indexes struct {
	made   map[string][]*op
	values map[string][]string
}

func indexesOf(h *history.History) indexes {
	x := indexes{map[string][]*op{}, map[string][]string{}}
	each(h, func(o *op) {
		if (o.Kind == evOpen || o.Kind == evAddIndexers) && o.Return != 0 && o.Err == nil {
			for _, name := range o.Args.Indexers {
				x.made[name] = append(x.made[name], o)
			}
		}
		put := slices.Clone(o.Args.Objects)
		for _, c := range o.made() {
			put = append(put, c.Object)
		}
		for _, name := range []string{ByNamespace, ByValue} {
			for _, p := range put {
				x.values[name] = append(x.values[name], IndexedValues(name, p)...)
			}
		}
	})
	for name, all := range x.values {
		x.values[name] = slices.Compact(sorted(all))
	}
	return x
}

// there says that there was an index before it was asked for its values.
func (x indexes) there(o *op) bool {
	return slices.ContainsFunc(x.made[o.Args.Index], func(by *op) bool { return by.Return < o.Call })
}

// untold are the values that it did not tell.
func (x indexes) untold(o *op) []string {
	return slices.DeleteFunc(slices.Clone(x.values[o.Args.Index]), func(v string) bool { return slices.Contains(o.Body.Values, v) })
}

// lasts are the last objects of each key.
func lasts(items []Object) map[string]*Object {
	out := make(map[string]*Object, len(items))
	for i, x := range items {
		out[x.Key()] = &items[i]
	}
	return out
}

// calls are all calls, in the order in which they were made.
type calls []*op

// each goes through all calls, which nobody may change.
func each(h *history.History, f func(*op)) {
	for _, o := range history.Derive(h, callsOf) {
		f(o)
	}
}

func callsOf(h *history.History) calls {
	var order calls
	open := map[int32]*op{}
	for i := range h.Events {
		switch e := &h.Events[i]; e.Phase {
		case history.Call:
			o := called(e)
			open[e.Num] = o
			order = append(order, o)
		case history.Return:
			open[e.Call].returned(e)
		}
	}
	return order
}

func (o *op) access(write bool, value string) access {
	a := access{call: int64(o.Call), ret: int64(o.Return), write: write, value: value}
	if o.Return == 0 || o.Err != nil {
		a.ret = math.MaxInt64
	}
	return a
}
