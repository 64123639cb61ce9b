package listerwatcher

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

// null is a client that withholds something.
type null struct {
	mutant
	withholds []string // beginnings of addresses of rules
}

// calling is all but what crashes.
var calling = []string{"listerwatcher/request/", "listerwatcher/list/", "listerwatcher/pager/", "listerwatcher/watch/", "listerwatcher/resume/", "listerwatcher/until/"}

// ofWatches is what nothing can be said of where no event comes.
var ofWatches = []string{"listerwatcher/watch/faithful", "listerwatcher/watch/in-stream-error", "listerwatcher/watch/frame"}

func nulls() []null {
	out := []null{
		{mutant{name: "deaf-client", about: "a client that asks for everything, and lists nothing", calls: lists(deafened)}, []string{"listerwatcher/list/faithful"}},
		{mutant{name: "deaf-pager", about: "one that lists in pages does so", of: "pager", calls: lists(deafened)}, []string{"listerwatcher/list/faithful", "listerwatcher/pager/whole"}},
		{mutant{name: "mute-client", about: "a client whose watches bring nothing but their end", calls: events(muted)}, ofWatches},
		{mutant{name: "mute-retrying", about: "one that resumes them does so", of: "retry-watcher", calls: events(muted)},
			append(slices.Clone(ofWatches), "listerwatcher/resume/expired")},
	}
	for _, of := range []string{"typed", "pager", "retry-watcher", "until"} {
		out = append(out, null{mutant{name: "null-" + of, about: "a client that does nothing, with the features of " + of, of: of, calls: func(client) client { return nothing }}, calling})
	}
	return out
}

func deafened(l *conformance.List) { l.Items = nil }

func muted(int, event) []event { return nil }

// nothing is a client that asks for nothing: its lists are empty, its watches closed, its waits end with their context.
var nothing = client{
	list: func(context.Context, options) (*conformance.List, error) {
		return &conformance.List{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
	},
	watch: func(context.Context, options) (watching, error) { return closed{}, nil },
	until: func(ctx context.Context, _ options, _ conformance.Condition) (*event, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	},
}

// closed is a watch that has ended.
type closed struct{}

// Next implements listerwatcher.Watch.
func (closed) Next(context.Context) (event, bool) { return event{}, false }

// Stop implements listerwatcher.Watch.
func (closed) Stop() {}
