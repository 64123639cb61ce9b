package watchcache

import (
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// weather is what passes between two rounds of driveMany. In real time that is
// a moment. In virtual time there is a storm, a lull in which what is old goes,
// a drizzle of minutes, in which bookmarks come between two writes and slow
// readers fall out of the window, another lull, and a storm again.
type weather struct {
	d               *driver
	began           time.Time
	hiccup, stalled []*watcher
}

const (
	drizzles = manyRounds / 4     // the round before which it begins
	storms   = manyRounds * 3 / 4 // the round before which the second storm begins

	firstLull  = 10 * time.Minute // when it ends; watches may lag by minutes
	secondLull = 20 * time.Minute
	drizzle    = 20 * time.Second // at most, between two rounds of one writer
)

// pass lets it pass, for each of those who go through the rounds.
func (w weather) pass(round int, chance *rand.Rand) {
	pause := time.Millisecond
	switch {
	case !w.d.t.Virtual():
	case round == drizzles-1:
		pause = time.Until(w.began.Add(firstLull))
	case round == storms-1:
		pause = time.Until(w.began.Add(secondLull))
	case round >= drizzles && round < storms:
		pause = time.Duration(chance.Int64N(int64(drizzle)))
	}
	w.d.t.Sleep(pause)
}

// lead is for one of them. It has the slow watchers, of which the stalled ones
// read in the first lull; then it lets what is old go.
func (w weather) lead(round int) {
	switch round % 6 {
	case 2:
		pauseAll(w.hiccup)
	case 4:
		resumeAll(w.hiccup)
	}
	if round == drizzles-1 && w.d.t.Virtual() {
		resumeAll(w.stalled)
		w.d.t.Sleep(firstLull / 2)
		w.d.expire()
		pauseAll(w.stalled)
	}
}

// expire lets what is old go. It is for virtual time, where the subject is this
// check's own, and nobody else notices.
func (d *driver) expire() {
	if d.t.Has(Window) {
		d.moveWindow()
	}
	if d.t.Has(Compaction) {
		d.compact()
	}
}

// comer is who opens watches, lets go of them, and comes back.
type comer struct {
	actor string
	seed  int
	forms []combination // one of them at a time, by chance; none: of everything, from a resourceVersion
}

// comers are one that asks for everything, and one for each way in which watches begin.
func (d *driver) comers() []comer {
	all := []comer{{actor: "comer", seed: manyWriters}}
	for i, s := range []start{atList, atNow, atAny, withAll, withAllAt, withNone} {
		if forms := d.every(s); len(forms) > 0 {
			all = append(all, comer{fmt.Sprint("comer", i+1), manyWriters + 2 + i, forms})
		}
	}
	return all
}

// comes watches in one of the comer's forms.
func (d *driver) comes(c comer, at string, chance *rand.Rand) *watcher {
	if len(c.forms) == 0 {
		return d.watch(c.actor, "", from(nothingElse, at))
	}
	n := chance.IntN(len(c.forms))
	return d.watch(c.actor, c.forms[n].within(d), c.forms[n].options(at, n))
}

// comeAndGo watches for some rounds, lets go, and comes back to where it was,
// to where a list was some rounds ago, or to where all began. It gives a watch
// that is open in the end.
func (d *driver) comeAndGo(c comer, began string, weather weather) *watcher {
	chance := d.chances(c.seed)
	at := began
	relist := func() {
		if l := d.list(c.actor+"'s list", "", nothingElse); l != nil {
			at = l.ResourceVersion
		}
	}
	var w *watcher
	for round := range manyRounds {
		switch k := chance.IntN(6); {
		case w != nil && k < 3:
			w.close()
			if rv := w.last(); rv != "" {
				at = rv
			}
			w = nil
		case w != nil:
		case k == 0:
			at = began
		case k == 1:
			relist()
		default:
			w = d.comes(c, at, chance)
		}
		weather.pass(round, chance)
	}
	if w.isOpen() {
		return w
	}
	w.close()
	relist()
	return d.comes(c, at, chance)
}

// turnPages takes lists in pages, a page of each by chance each round, so that
// others write in between and tokens expire. What a refusal offers it takes.
func (d *driver) turnPages(weather weather) {
	chance := d.chances(manyWriters + 1)
	begun := map[string]metav1.ListOptions{}
	for round := range manyRounds {
		for _, ns := range []string{"", d.namespaces[0]} {
			o, going := begun[ns]
			if !going {
				o.Limit = 1 + chance.Int64N(4)
				if d.t.Has(LabelWatch) && chance.IntN(3) == 0 {
					o.LabelSelector = byLabel.LabelSelector
				}
			}
			if chance.IntN(3) == 0 {
				continue
			}
			l, err := d.tryList("pager", ns, o)
			if o.Continue = offered(err); l != nil {
				o.Continue = l.Continue
			}
			if begun[ns] = o; o.Continue == "" {
				delete(begun, ns)
			}
		}
		weather.pass(round, chance)
	}
}
