package mutants

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// behindMost is how much a watch with such a fault keeps at all; what begins no watch of a check is more.
const behindMost = 4000

// slow are faults that only a reader that has stopped reading meets, on some forms of a watch.
func slow() []Mutant {
	var all []Mutant
	for _, form := range []struct {
		name, about string
		such        func(*metav1.ListOptions) bool
	}{
		{"marked", "that allows bookmarks", func(o *metav1.ListOptions) bool { return o.AllowWatchBookmarks }},
		{"timed", "with timeoutSeconds", bounded},
		{"informers", "with bookmarks and timeoutSeconds from N", func(o *metav1.ListOptions) bool { return from(o) && informersAsk(o) }},
		{"label", "by label", func(o *metav1.ListOptions) bool { return o.LabelSelector != "" }},
		{"field", "by field", func(o *metav1.ListOptions) bool { return o.FieldSelector != "" }},
		{"unset", "without a resourceVersion", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }},
		{"zero", "from \"0\"", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }},
		{"stream", "that begins with a streaming list", streaming},
	} {
		all = append(all, Mutant{
			Name: "slow-loses-" + form.name, Rule: "watchcache/watch/slow",
			About: "a watch " + form.about + " keeps sixty changes for who does not read, and throws the next away",
			Open:  behindReader(form.such, losingLate(60)),
		}, Mutant{
			Name: "bookmark-overtakes-" + form.name, Rule: "watchcache/bookmark/complete/none-follows",
			About: "on a watch " + form.about + " a bookmark comes before what has not been read yet (etcd#15220: progress told ahead of events under way)",
			Open:  behindReader(form.such, overtaking),
		})
	}
	for _, n := range []int{300, 1024} {
		all = append(all, Mutant{
			Name: fmt.Sprint("slow-loses-after-", n), Rule: "watchcache/watch/slow",
			About: fmt.Sprintf("a watch keeps %d changes for who does not read, and throws the next away", n),
			Open:  behindReader(func(*metav1.ListOptions) bool { return true }, losingLate(n)),
		})
	}
	for _, merge := range []struct {
		name, about   string
		first, second watch.EventType
		into          []watch.EventType
	}{
		{"changes", "the later of two changes of one object in a row", watch.Modified, watch.Modified, []watch.EventType{watch.Modified}},
		{"recreations", "a MODIFIED for an object's end and the next one's beginning in a row", watch.Deleted, watch.Added, []watch.EventType{watch.Modified}},
		{"lives", "nothing of an object's beginning and end in a row", watch.Added, watch.Deleted, nil},
	} {
		all = append(all, Mutant{
			Name: "slow-merges-" + merge.name, Rule: "watchcache/watch/reliable",
			About: "once five hundred changes wait for who does not read, a watch keeps " + merge.about,
			Open: behindReader(func(*metav1.ListOptions) bool { return true }, merging(func(last, e watch.Event) ([]watch.EventType, bool) {
				return merge.into, last.Type == merge.first && e.Type == merge.second && of(last.Object).GetName() == of(e.Object).GetName()
			})),
		})
	}
	return all
}

// mergesFrom is how many changes wait when a server begins to merge them.
const mergesFrom = 500

// merging keeps what waits for the reader; of two changes in a row f says what becomes of them where they are merged.
func merging(f func(last, e watch.Event) ([]watch.EventType, bool)) func(w *apiserver.Relay, state string) {
	return func(w *apiserver.Relay, _ string) {
		var queue []watch.Event
		in, out := w.In(), make(chan watch.Event)
		go func() {
			defer close(out)
			for in != nil || len(queue) > 0 {
				var to chan watch.Event
				var next watch.Event
				if len(queue) > 0 {
					to, next = out, queue[0]
				}
				select {
				case e, open := <-in:
					if !open {
						in = nil
						continue
					}
					queue = waiting(queue, e, f)
				case to <- next:
					queue = queue[1:]
				case <-w.Stopped():
					return
				}
			}
		}()
		for e := range out {
			if !w.Send(e) {
				return
			}
		}
	}
}

// behindReader is a store of whose watches f stands between those that such picks and their readers.
func behindReader(such func(*metav1.ListOptions) bool, f func(w *apiserver.Relay, state string)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return calls{API: s, watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
			in, err := api.Watch(ctx, r, o)
			if err != nil || !such(&o) {
				return in, err
			}
			state := s.Revision()
			return apiserver.NewRelay(ctx, in, func(w *apiserver.Relay) { f(w, state) }), nil
		}}, s
	}
}

// waiting is a queue with one event more, or with the last two as one.
func waiting(queue []watch.Event, e watch.Event, f func(last, e watch.Event) ([]watch.EventType, bool)) []watch.Event {
	if n := len(queue); n > mergesFrom && e.Type != watch.Error {
		if into, ok := f(queue[n-1], e); ok {
			queue = queue[:n-1]
			for _, t := range into {
				queue = append(queue, watch.Event{Type: t, Object: e.Object})
			}
			return queue
		}
	}
	return append(queue, e)
}

// losingLate keeps so many changes after the state that a watch began with, and all of that.
func losingLate(most int) func(w *apiserver.Relay, state string) {
	return func(w *apiserver.Relay, state string) {
		kept := make(chan watch.Event, behindMost)
		go func() {
			defer close(kept)
			for e := range w.In() {
				if len(kept) < most || e.Type == watch.Error || !older(state, of(e.Object).GetResourceVersion()) {
					kept <- e
				}
			}
		}()
		for e := range kept {
			if !w.Send(e) {
				return
			}
		}
	}
}

// overtaking sends the bookmarks that wait before all else.
func overtaking(w *apiserver.Relay, _ string) {
	marks, others := make(chan watch.Event, behindMost), make(chan watch.Event, behindMost)
	go func() {
		defer close(others)
		for e := range w.In() {
			if e.Type == watch.Bookmark && len(of(e.Object).GetAnnotations()) == 0 {
				marks <- e
			} else {
				others <- e
			}
		}
	}()
	for {
		e, ok := firstOf(marks, others)
		if !ok || !w.Send(e) {
			return
		}
	}
}

// firstOf is what waits, of the first channel before the second; ok is false where that is closed.
func firstOf(first, second <-chan watch.Event) (e watch.Event, ok bool) {
	select {
	case e = <-first:
		return e, true
	default:
	}
	select {
	case e = <-first:
		return e, true
	case e, ok = <-second:
		return e, ok
	}
}
