package mutants

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// opening is how long after it has taken the state a server with such a fault goes on with what is new.
const opening = time.Millisecond

// amid are faults of how a watch begins that show only where others write meanwhile.
func amid() []Mutant {
	var all []Mutant
	for _, form := range []struct {
		name, rule, about string
		such              func(*metav1.ListOptions) bool
	}{
		{"unset", "unset", "without a resourceVersion", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }},
		{"zero", "zero", "from \"0\"", func(o *metav1.ListOptions) bool { return o.ResourceVersion == "0" && o.SendInitialEvents == nil }},
		{"stream", "reliable", "that begins with a streaming list", streaming},
		{"off", "reliable", "that wants no initial events", func(o *metav1.ListOptions) bool { return o.SendInitialEvents != nil && !*o.SendInitialEvents }},
		{"label", "reliable", "by label from N", func(o *metav1.ListOptions) bool { return from(o) && o.LabelSelector != "" }},
		{"field", "reliable", "by field from N", func(o *metav1.ListOptions) bool { return from(o) && o.FieldSelector != "" }},
		{"informers", "reliable", "with bookmarks and timeoutSeconds from N", func(o *metav1.ListOptions) bool { return from(o) && informersAsk(o) }},
	} {
		all = append(all, Mutant{
			Name: form.name + "-opens-with-gap", Rule: "watchcache/watch/" + form.rule,
			About: "a watch " + form.about + " lacks what is written in the millisecond after its state was taken",
			Open: whileOpening(form.such, func(watch.Event) []watch.Event {
				return nil
			}),
		}, Mutant{
			Name: form.name + "-opens-twice", Rule: "watchcache/watch/unique",
			About: "a watch " + form.about + " gives what is written in the millisecond after its state was taken a second time",
			Open: whileOpening(form.such, func(e watch.Event) []watch.Event {
				return []watch.Event{e, copyOf(e)}
			}),
		})
	}
	return all
}

// whileOpening is a store of whose watches that such picks f changes what is written while they open, and the
// client waits.
func whileOpening(such func(*metav1.ListOptions) bool, f func(watch.Event) []watch.Event) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return func(o apiserver.Options) (apiserver.API, *apiserver.Server) {
		s := apiserver.New(o)
		return calls{API: s, watch: func(ctx context.Context, api apiserver.API, r apiserver.Request, o metav1.ListOptions) (watch.Interface, error) {
			in, err := api.Watch(ctx, r, o)
			if err != nil || !such(&o) {
				return in, err
			}
			state := s.Revision()
			time.Sleep(opening)
			begun := s.Revision()
			return apiserver.NewRelay(ctx, in, func(w *apiserver.Relay) { sendOpening(w, state, begun, f) }), nil
		}}, s
	}
}

// sendOpening sends what a watch brings, and of what was written between two revisions what f makes of it.
func sendOpening(w *apiserver.Relay, state, begun string, f func(watch.Event) []watch.Event) {
	for e := range w.In() {
		all := []watch.Event{e}
		if e.Type != watch.Error && e.Type != watch.Bookmark {
			if rv := of(e.Object).GetResourceVersion(); older(state, rv) && !older(begun, rv) {
				all = f(e)
			}
		}
		for _, e := range all {
			if !w.Send(e) {
				return
			}
		}
	}
}
