package mutants

import (
	"fmt"
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// wide are faults that show only where more is asked for: more objects, more requirements, more options at once.
func wide() []Mutant {
	var all []Mutant
	for _, n := range []int{17, 50, 100, 500} {
		all = append(all, Mutant{
			Name: fmt.Sprint("list-ends-at-", n), Rule: "watchcache/list/snapshot",
			About: fmt.Sprintf("a list ends after %d items, and says nothing of the rest (a default limit whose continue is dropped)", n),
			Open: calling(calls{list: changed(func(_ *metav1.ListOptions, l runtime.Object, all []runtime.Object) []runtime.Object {
				if len(all) > n {
					listOf(l).SetContinue("")
				}
				return all[:min(n, len(all))]
			})}),
		})
	}
	for _, n := range []int{10, 50} {
		all = append(all, Mutant{
			Name: fmt.Sprint("stream-ends-at-", n), Rule: "watchcache/watchlist/initial",
			About: fmt.Sprintf("of the initial events of a streaming list %d come, then their end (a buffer that is full)", n),
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				return initialUpTo(n, streaming(o))
			}),
		}, Mutant{
			Name: fmt.Sprint("initial-ends-at-", n), Rule: "watchcache/watch/zero",
			About: fmt.Sprintf("of the initial events of a watch from \"0\" %d come (a buffer that is full)", n),
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				return initialUpTo(n, o.ResourceVersion == "0")
			}),
		})
	}
	return append(append(all, wideSelectors()...), wideOptions()...)
}

func initialUpTo(n int, such bool) apiserver.Tap {
	i := 0
	return keep(func(_ watch.Event, c apiserver.Cause) bool {
		if such && c == apiserver.Initial {
			i++
		}
		return c != apiserver.Initial || i <= n
	})
}

var values = regexp.MustCompile(`in \(([^,)]*),[^)]*\)`)

// oneValue leaves the first of several values, oneTerm the first of several requirements.
func oneValue(o *metav1.ListOptions) {
	o.LabelSelector = values.ReplaceAllString(o.LabelSelector, "in ($1)")
}

func oneTerm(selector *string) {
	if !strings.Contains(*selector, "(") {
		*selector, _, _ = strings.Cut(*selector, ",")
	}
}

// wideSelectors are faults of selectors with more than one value or requirement.
func wideSelectors() []Mutant {
	return []Mutant{
		{
			Name: "list-first-value", Rule: "watchcache/list/snapshot",
			About: "of the values of a label selector a list looks at the first alone",
			Open:  calling(calls{list: asking(oneValue)}),
		},
		{
			Name: "list-first-label", Rule: "watchcache/list/scope",
			About: "of the requirements of a label selector a list looks at the first alone",
			Open:  calling(calls{list: asking(func(o *metav1.ListOptions) { oneTerm(&o.LabelSelector) })}),
		},
		{
			Name: "list-first-field", Rule: "watchcache/list/scope",
			About: "of the requirements of a field selector a list looks at the first alone",
			Open:  calling(calls{list: asking(func(o *metav1.ListOptions) { oneTerm(&o.FieldSelector) })}),
		},
		{
			Name: "watch-first-value", Rule: "watchcache/watch/scope/label",
			About: "of the values of a label selector a watch looks at the first alone",
			Open:  watchingAs(oneValue),
		},
		{
			Name: "watch-first-label", Rule: "watchcache/watch/scope/label",
			About: "of the requirements of a label selector a watch looks at the first alone",
			Open:  watchingAs(func(o *metav1.ListOptions) { oneTerm(&o.LabelSelector) }),
		},
		{
			Name: "watch-first-field", Rule: "watchcache/watch/scope/field",
			About: "of the requirements of a field selector a watch looks at the first alone",
			Open:  watchingAs(func(o *metav1.ListOptions) { oneTerm(&o.FieldSelector) }),
		},
	}
}

// watchingAs is a store of whose watches f changes what they ask for.
func watchingAs(f func(*metav1.ListOptions)) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		f(o)
		return nil
	})
}

// silentWhere is a store of whose watches such get no changes.
func silentWhere(such func(*apiserver.Request, *metav1.ListOptions) bool) func(apiserver.Options) (apiserver.API, *apiserver.Server) {
	return watching(func(r *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
		silent := such(r, o)
		return keep(func(_ watch.Event, c apiserver.Cause) bool { return !silent || !change(c) })
	})
}

// wideOptions are faults of watches with some options at once.
func wideOptions() []Mutant {
	return []Mutant{
		{
			Name: "informers-silent", Rule: "watchcache/watch/reliable",
			About: "a watch that allows bookmarks and has a timeoutSeconds of minutes, as informers open it, gets no changes",
			Open: silentWhere(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				return o.AllowWatchBookmarks && o.TimeoutSeconds != nil && *o.TimeoutSeconds >= 300
			}),
		},
		{
			Name: "bookmarked-label-silent", Rule: "watchcache/watch/scope/label",
			About: "a watch of all namespaces by label that allows bookmarks gets no changes",
			Open: silentWhere(func(r *apiserver.Request, o *metav1.ListOptions) bool {
				return o.AllowWatchBookmarks && r.Namespace == "" && o.LabelSelector != ""
			}),
		},
		{
			Name: "bookmarked-name-silent", Rule: "watchcache/watch/scope/name",
			About: "a watch of one name that allows bookmarks gets no changes",
			Open: silentWhere(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				_, named := name(o)
				return o.AllowWatchBookmarks && named
			}),
		},
		{
			Name: "off-label-silent", Rule: "watchcache/watchlist/off",
			About: "sendInitialEvents=false with a label selector gives no changes either",
			Open: silentWhere(func(_ *apiserver.Request, o *metav1.ListOptions) bool {
				return o.SendInitialEvents != nil && !streaming(o) && o.LabelSelector != ""
			}),
		},
		{
			Name: "stream-selected-empty", Rule: "watchcache/watchlist/initial",
			About: "a streaming list with a label and a field selector has no initial events",
			Open: watching(func(_ *apiserver.Request, o *metav1.ListOptions) apiserver.Tap {
				return initialUpTo(0, streaming(o) && o.LabelSelector != "" && o.FieldSelector != "")
			}),
		},
	}
}
