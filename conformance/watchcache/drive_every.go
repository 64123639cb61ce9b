package watchcache

import (
	"fmt"
	"slices"
)

// everyCombination is each watch that begins in one of these ways. What asks as an informer does, for all
// namespaces, is there twice: with a timeoutSeconds of an informer's, and with one that outlasts its settling.
func everyCombination(starts ...start) []combination {
	var all []combination
	no := []bool{false, true}
	for _, s := range starts {
		for _, field := range []string{"", oneName, notName} {
			for i := range 16 {
				c := combination{start: s, field: field, one: no[i&1], label: no[i>>1&1], marked: no[i>>2&1], bound: no[i>>3]}
				if c.informers() {
					all = append(all, c)
				}
				c.long = c.bound
				all = append(all, c)
			}
		}
	}
	return all
}

// informers says that it asks as informers do: for all namespaces, bookmarks and an end.
func (c combination) informers() bool { return !c.one && c.marked && c.bound }

// every is each of these that the subject serves.
func (d *driver) every(starts ...start) []combination {
	return slices.DeleteFunc(everyCombination(starts...), func(c combination) bool { return !d.served(c) })
}

// everyWatch opens each watch that begins in one of these ways, from a resourceVersion: what holds of a
// situation holds of every watch in it, and a server may take another way with any of its options.
func (d *driver) everyWatch(actor, rv string, starts ...start) []*watcher {
	var ws []*watcher
	for i, c := range d.every(starts...) {
		ws = append(ws, d.watch(fmt.Sprint(actor, i+1), c.within(d), c.options(rv, i)))
	}
	return ws
}

// everyWatchAtOnce is everyWatch for what a server holds back before it answers.
func (d *driver) everyWatchAtOnce(actor, rv string, starts ...start) []*watcher {
	all := d.every(starts...)
	ws := make([]*watcher, len(all))
	d.atOnce(len(all), func(i int) {
		ws[i] = d.watch(fmt.Sprint(actor, i+1), all[i].within(d), all[i].options(rv, i))
	})
	return ws
}

// paired are the combinations that the subject serves: where each watch must begin after a write of its own,
// every one would be too many.
func (d *driver) paired(such func(combination) bool) []combination {
	return slices.DeleteFunc(slices.Clone(combinations), func(c combination) bool { return !d.served(c) || !such(c) })
}
