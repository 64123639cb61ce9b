package mutants

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
)

// form is a form of a watch that a server may serve in another way than other forms.
type form struct {
	name, about string
	when        func(*call) bool
}

var (
	fromUnset   = form{"unset", "without a resourceVersion", all(unset, plain)}
	fromZero    = form{"zero", `from "0"`, all(zero, plain)}
	asStream    = form{"stream", "that begins with a streaming list", streams}
	toInformers = form{"informers", "with bookmarks and timeoutSeconds from N", all(at, informers)}
)

// slowRows are faults that only a reader meets who has stopped reading.
var slowRows = slices.Concat([]row{
	{name: "slow-loses", rule: "watch/slow", about: "a watch keeps 60 changes for a reader who does not read, and throws the next away (etcd#17529: events lost by a watcher that is slow)",
		on: "watch", answer: behindReader(losingLate(60))},
	{name: "slow-loses-after-300", rule: "watch/slow", about: "a watch keeps 300 changes for a reader who does not read, and throws the next away",
		on: "watch", answer: behindReader(losingLate(300))},
	{name: "slow-loses-after-1024", rule: "watch/slow", about: "a watch keeps 1024 changes for a reader who does not read, and throws the next away",
		on: "watch", answer: behindReader(losingLate(1024))},
	{name: "slow-merges-changes", rule: "watch/reliable", about: "once 500 changes wait for the reader, only the later of two changes of one object in a row comes",
		on: "watch", answer: behindReader(merging(watch.Modified, watch.Modified, watch.Modified))},
	{name: "slow-merges-recreations", rule: "watch/reliable", about: "once 500 changes wait for the reader, a MODIFIED comes for the DELETED of an object and the ADDED of its successor in a row",
		on: "watch", answer: behindReader(merging(watch.Deleted, watch.Added, watch.Modified))},
	{name: "slow-merges-lives", rule: "watch/reliable", about: "once 500 changes wait for the reader, nothing comes of the ADDED and the DELETED of an object in a row",
		on: "watch", answer: behindReader(merging(watch.Added, watch.Deleted))},
}, slowForms())

// slowForms are faults of each of these forms alone.
func slowForms() (out []row) {
	for _, f := range []form{
		{"marked", "that allows bookmarks", bookmarks}, {"timed", "with timeoutSeconds", timed}, {"label", "by label", byLabel}, {"field", "by field", byField},
		toInformers, fromUnset, fromZero, asStream,
	} {
		out = append(out,
			row{name: "slow-loses-" + f.name, rule: "watch/slow", about: "a watch " + f.about + " keeps 60 changes for a reader who does not read, and throws the next away",
				on: "watch", when: f.when, answer: behindReader(losingLate(60))},
			row{name: "bookmark-overtakes-" + f.name, rule: "bookmark/complete/none-follows", about: "on a watch " + f.about + " a bookmark comes before what has not been read yet (etcd#15220: progress told ahead of events under way)",
				on: "watch", when: f.when, answer: behindReader(overtaking)})
	}
	return out
}

// slowStartRows are faults that only a reader meets who has not read yet what a watch begins with, or has missed.
var slowStartRows = slices.Concat([]row{
	{name: "unsent-initial-marked", rule: "bookmark/complete/none-follows", about: "where initial events wait for the reader longer than a second, a bookmark comes amid them",
		on: "watch", when: all(bookmarks, withState, not(streams)), answer: behindReader(markingAmid)},
	{name: "unsent-stream-marked", rule: "watchlist/only-added", about: "where the initial events of a streaming list wait for the reader longer than a second, a bookmark comes amid them",
		on: "watch", when: all(bookmarks, streams), answer: behindReader(markingAmid)},
}, unsent(fromUnset, "initial", "watch/unset"), unsent(fromZero, "zero", "watch/zero"), unsent(asStream, "stream", "watchlist/initial"),
	unsentMeanwhile(fromUnset, "watch/unset"), unsentMeanwhile(fromZero, "watch/zero"), unsentMeanwhile(asStream, "watch/reliable"),
	unsentMeanwhile(form{"past", "from N", all(at, not(streams))}, "watch/reliable"))

// unsent are faults of initial events of a form that wait for the reader.
func unsent(f form, forgotten, rule string) []row {
	return []row{
		{name: "unsent-" + f.name + "-renewed", rule: rule, about: "the initial events of a watch " + f.about + " show each object as it is when they are sent; its changes come nevertheless",
			on: "watch", when: f.when, answer: behindReader(renewing(false))},
		{name: "unsent-" + f.name + "-renewed-once", rule: rule, about: "the initial events of a watch " + f.about + " show each object as it is when they are sent; of its changes only later ones come",
			on: "watch", when: f.when, answer: behindReader(renewing(true))},
		{name: "unsent-" + forgotten + "-forgotten", rule: rule, about: "an initial ADDED of a watch " + f.about + " that waits for its reader longer than five seconds is thrown away",
			on: "watch", when: f.when, answer: behindReader(forgetting)},
	}
}

// unsentMeanwhile are faults of changes that come while the reader has not read the first events of a watch.
func unsentMeanwhile(f form, rule string) (out []row) {
	for _, n := range []int{0, 10} {
		out = append(out, row{name: fmt.Sprint("unsent-", f.name, "-keeps-", n), rule: rule,
			about: fmt.Sprintf("while the initial events of a watch %s, or what it has missed, wait for the reader, %d changes are kept, and the others lost", f.about, n),
			on:    "watch", when: f.when, answer: behindReader(losingMeanwhile(n))})
	}
	return out
}

// openingRows are faults of how a watch begins that show only where others write meanwhile.
var openingRows = slices.Concat(
	opening(fromUnset, "watch/unset"), opening(fromZero, "watch/zero"), opening(asStream, "watch/reliable"), opening(toInformers, "watch/reliable"),
	opening(form{"off", "that wants no initial events", skips}, "watch/reliable"),
	opening(form{"label", "by label from N", all(at, byLabel)}, "watch/reliable"),
	opening(form{"field", "by field from N", all(at, byField)}, "watch/reliable"),
)

// opening are those faults of one form.
func opening(f form, rule string) []row {
	return []row{
		{name: f.name + "-opens-with-gap", rule: rule, about: "a watch " + f.about + " lacks what is written in the millisecond after its state was taken",
			on: "watch", when: f.when, answer: whileOpening(func(watch.Event) []watch.Event { return nil })},
		{name: f.name + "-opens-twice", rule: "watch/unique", about: "a watch " + f.about + " brings what is written in the millisecond after its state was taken a second time",
			on: "watch", when: f.when, answer: whileOpening(func(e watch.Event) []watch.Event { return []watch.Event{e, copyOf(e)} })},
	}
}

// whileOpening takes a millisecond to open a watch, and sends f of what is written meanwhile.
func whileOpening(f func(watch.Event) []watch.Event) func(*call) {
	return func(c *call) {
		state := c.store.Revision()
		time.Sleep(time.Millisecond)
		begun := c.store.Revision()
		relayed(func(e watch.Event) ([]watch.Event, bool) {
			if e.Type != watch.Error && e.Type != watch.Bookmark {
				if rv := of(e.Object).GetResourceVersion(); older(state, rv) && !older(begun, rv) {
					return f(e), true
				}
			}
			return []watch.Event{e}, true
		})(c)
	}
}
