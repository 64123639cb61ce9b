package watchcache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	manyWriters = 8
	manyRounds  = 24 // of each
)

// driveMany has eight writers on objects of their own and on shared ones, with
// stale and right preconditions, watchers of different scope, form and speed,
// some that come and go, lists of every form in between, and lists in pages
// that take several rounds.
func driveMany(d *driver) {
	for i := range 3 {
		d.create("c0", d.object(d.namespaces[0], fmt.Sprint("shared", i), selected))
	}
	rv, ok := d.start("l0", "", nothingElse)
	if !ok {
		return
	}
	weather := weather{d: d, began: time.Now(), hiccup: d.manyReaders("hiccup", d.namespaces[0], rv), stalled: d.manyReaders("stalled", "", rv)}
	ws := slices.Concat(weather.hiccup, weather.stalled, d.manyWatchers(rv))
	pauseAll(weather.stalled)
	forms := d.manyForms(rv)
	within := []string{d.namespaces[0], d.namespaces[1], ""}
	var wg sync.WaitGroup
	beside := func(f func()) {
		wg.Add(1)
		d.t.Go(func() {
			defer wg.Done()
			f()
		})
	}
	for n := range manyWriters {
		beside(func() {
			d.manyWriter(n, func(round int, chance *rand.Rand) {
				d.list(fmt.Sprint("l", n), within[round%len(within)], forms[(n+round)%len(forms)])
				if n == 0 {
					weather.lead(round)
				}
				weather.pass(round, chance)
			})
		})
	}
	comers := d.comers()
	last := make([]*watcher, len(comers))
	for i, c := range comers {
		d.turns.Of(c.actor, c.actor+"'s list")
		beside(func() { last[i] = d.comeAndGo(c, rv, weather) })
	}
	if d.t.Has(Pages) {
		beside(func() { d.turnPages(weather) })
	}
	wg.Wait()
	resumeAll(weather.stalled)
	ws = append(ws, last...)
	d.settle(ws...)
	closeAll(ws)
}

// manyReaders are those who can stop reading: one of everything in a namespace, and others as informers ask.
func (d *driver) manyReaders(actor, ns, rv string) []*watcher {
	return append(d.everySlow(d.slow, actor, rv, []combination{
		{start: atList, marked: true, bound: true},
		{start: atList, label: true, marked: true},
		{start: atNow, field: notName, marked: true, bound: true},
		{start: atAny, one: true, marked: true, bound: true, long: true},
		{start: withAll, marked: true, bound: true, long: true},
		{start: withAll, one: true, label: true},
		{start: withNone, one: true, marked: true},
	}), d.slow(actor, ns, from(nothingElse, rv)))
}

// manyWatchers are of different scope.
func (d *driver) manyWatchers(rv string) []*watcher {
	a := d.namespaces[0]
	fast := d.follow("fast", "", from(nothingElse, rv))
	marked := d.follow("marked", "", from(metav1.ListOptions{AllowWatchBookmarks: true}, rv))
	ws := []*watcher{fast, marked}
	if d.t.Has(LabelWatch) {
		ws = append(ws, d.follow("selected", a, from(byLabel, rv)))
	}
	if d.t.Has(FieldWatch) {
		ws = append(ws, d.follow("named", "", from(metav1.ListOptions{FieldSelector: "metadata.name!=shared0"}, rv)))
	}
	return ws
}

// manyForms are listForms, and those that a list of one state has no need of.
func (d *driver) manyForms(at string) []metav1.ListOptions {
	out := append(d.listForms(at), metav1.ListOptions{ResourceVersion: at, Limit: 2})
	if d.t.Has(LabelWatch) {
		out = append(out, from(byLabel, "0"))
	}
	return out
}

// manyWriter makes every sort of write by chance, each third with a
// precondition that may be stale by now. The seed and its number decide.
func (d *driver) manyWriter(n int, each func(round int, chance *rand.Rand)) {
	chance := d.chances(n)
	actor := fmt.Sprint("c", n)
	ns := d.namespaces[n%2]
	own := fmt.Sprint("own", n)
	var m, old *corev1.ConfigMap
	for round := range manyRounds {
		labels := selected
		if chance.IntN(3) == 0 {
			labels = others
		}
		switch k := chance.IntN(7); {
		case m == nil:
			m = d.create(actor, d.object(ns, own, labels))
		case k == 6 && d.t.Has(Precondition) && m.ResourceVersion != "":
			d.removeAt(actor, m)
			m = nil
		case k == 5:
			d.remove(actor, ns, own, nil)
			m = nil
		case k == 4 && old != nil:
			d.update(actor, d.changed(old, labels)) // stale
		default:
			old = m
			m = d.change(actor, m, labels)
		}
		d.shared(actor, chance, labels)
		each(round, chance)
	}
}

// chances are those of the number n of who takes them: the seed decides, too.
func (d *driver) chances(n int) *rand.Rand {
	return rand.New(rand.NewPCG(uint64(d.t.Seed()), uint64(n)))
}

// shared writes to an object that others write to as well.
func (d *driver) shared(actor string, chance *rand.Rand, labels map[string]string) {
	name := fmt.Sprint("shared", chance.IntN(3))
	s := d.get(actor, d.namespaces[0], name)
	switch k := chance.IntN(6); {
	case s == nil:
		d.create(actor, d.object(d.namespaces[0], name, labels))
	case k == 0 && d.t.Has(Precondition):
		d.remove(actor, d.namespaces[0], name, &metav1.Preconditions{UID: &s.UID})
	case k == 1 && d.t.Has(Patch):
		d.patch(actor, d.changed(s, labels))
	case k == 2 && d.t.Has(Precondition) && s.ResourceVersion != "":
		d.removeAt(actor, s)
	default:
		d.update(actor, d.changed(s, labels))
	}
}
