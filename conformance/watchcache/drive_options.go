package watchcache

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// start is where a watch that an informer opens begins.
type start int

const (
	atList    start = iota // at a list
	atNow                  // resourceVersion unset
	atAny                  // resourceVersion "0"
	withAll                // a streaming list
	withNone               // sendInitialEvents=false, at a list
	withAllAt              // a streaming list, at or after a list
)

// combination is a watch as informers open it.
type combination struct {
	start  start
	one    bool   // of one namespace, not of all
	label  bool   // byLabel's
	field  string // byName's, byField's or none
	marked bool   // it allows bookmarks
	bound  bool   // it has a timeoutSeconds as informers choose it
	long   bool   // that is longer than all the time that a watch is given to settle
}

// What a combination has for a field selector.
var (
	oneName = byName.FieldSelector
	notName = byField.FieldSelector
)

// combinations have each pair of options in one of them, and nearly all that three can be.
var combinations = []combination{
	{start: atList},
	{start: atList, label: true, marked: true},
	{start: atList, field: oneName, marked: true, bound: true},
	{start: atList, one: true, marked: true, bound: true}, // the most usual
	{start: atList, one: true, label: true, field: oneName},
	{start: atList, one: true, label: true, field: notName, marked: true, bound: true},
	{start: atNow, one: true, label: true},
	{start: atNow, one: true, field: oneName, marked: true, bound: true},
	{start: atNow, label: true, field: oneName, bound: true},
	{start: atNow, field: notName, marked: true},
	{start: atAny, one: true, marked: true, bound: true},
	{start: atAny, label: true},
	{start: atAny, field: oneName, marked: true},
	{start: atAny, one: true, label: true, field: oneName, bound: true},
	{start: atAny, label: true, field: notName, marked: true, bound: true},
	{start: atAny, one: true, label: true, field: notName},
	{start: withAll, one: true},
	{start: withAll, label: true, marked: true, bound: true},
	{start: withAll, one: true, field: oneName, bound: true},
	{start: withAll, label: true, field: oneName},
	{start: withAll, one: true, field: notName, marked: true},
	{start: withAll, label: true, field: notName, marked: true, bound: true},
	{start: withNone, marked: true},
	{start: withNone, one: true, label: true, bound: true},
	{start: withNone, one: true, label: true, field: oneName, marked: true},
	{start: withNone, field: notName, bound: true},
}

// leastBound is the shortest timeoutSeconds of an informer; the longest is twice that.
const leastBound = 300

// options are the combination's; rv is that of a list, and i its number.
func (c combination) options(rv string, i int) metav1.ListOptions {
	o := metav1.ListOptions{AllowWatchBookmarks: c.marked, FieldSelector: c.field}
	if c.label {
		o.LabelSelector = byLabel.LabelSelector
	}
	if c.bound {
		timeout := int64(leastBound + i%len(combinations)*leastBound/len(combinations))
		o.TimeoutSeconds = &timeout
	}
	if c.long {
		o.TimeoutSeconds = informersTimeout
	}
	switch c.start {
	case atList:
		o.ResourceVersion = rv
	case atAny:
		o.ResourceVersion = "0"
	case withAll:
		o = stream(o, "")
	case withAllAt:
		o = stream(o, rv)
	case withNone:
		o = off(o, rv)
	}
	return o
}

// within is where a combination asks for objects: one namespace, or all.
func (c combination) within(d *driver) string {
	if c.one {
		return d.namespaces[0]
	}
	return ""
}

// served says whether the subject has what a combination asks for.
func (d *driver) served(c combination) bool {
	return (!c.label || d.t.Has(LabelWatch)) && (c.field == "" || d.t.Has(FieldWatch)) && (c.start < withAll || d.t.Has(WatchList))
}

// driveOptions has watches with each pair of options open at once, and makes every sort of change.
func driveOptions(d *driver) {
	a := d.namespaces[0]
	for _, name := range []string{"old", "old-2"} { // initial events that no change follows
		d.create("c1", d.object(a, name, selected))
		d.create("c1", d.object(d.namespaces[1], name, others))
	}
	d.create("c1", d.object(a, "x", selected))
	rv, ok := d.start("l1", "", nothingElse)
	if !ok {
		return
	}
	ws := []*watcher{d.follow("all", "", from(nothingElse, rv))}
	for i, c := range combinations {
		if !d.served(c) {
			continue
		}
		open := d.follow
		if c.start >= withAll { // a client that lost one lists anew
			open = d.watch
		}
		ws = append(ws, open(d.next("w"), c.within(d), c.options(rv, i)))
	}
	d.remove("c1", a, "x", nil)
	d.changes("c1")
	d.settle(ws...)
	closeAll(ws)
}
