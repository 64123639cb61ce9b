package listerwatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
)

func all() []mutant {
	return slices.Concat(requests(), listing(), paging(), faithfulness(), long(), ontos(), ending(), resuming(), untils(), prompts(), quiet(), wires())
}

// requests have a fault in what they ask.
func requests() []mutant {
	out := []mutant{
		{name: "limit-added", rule: "request/options", about: "every list has a limit", wire: either(isList, unless("limit", "500"))},
		{name: "version-added", rule: "request/options", about: "what has no resourceVersion is asked for at 0", wire: unless("resourceVersion", "0")},
		{name: "watch-lost", rule: "request/verb", about: "a watch asks for a list", wire: loses("watch")},
		{name: "watch-zero", rule: "request/verb", about: "a watch asks with watch=0", wire: either(isWatch, query(func(q url.Values) { q.Set("watch", "0") }))},
		{name: "everywhere", rule: "request/verb", about: "a namespace is left out", wire: asks(func(r *http.Request) {
			r.URL.Path = "/api/v1/" + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		})},
		{name: "namespace-fixed", rule: "request/verb", about: "the namespace default is asked for, whatever was given", wire: asks(inDefault)},
		{name: "namespace-fixed-lists", rule: "request/verb", about: "so of lists alone", wire: either(isList, asks(inDefault))},
		{name: "namespace-fixed-watches", rule: "request/verb", about: "so of watches alone", wire: either(isWatch, asks(inDefault))},
		{name: "all-namespaces-default", rule: "request/verb", about: "so it is where all are to be asked for", wire: asks(func(r *http.Request) {
			r.URL.Path = strings.Replace(r.URL.Path, "/v1/configmaps", "/v1/namespaces/default/configmaps", 1)
		})},
		{name: "another-resource", rule: "request/verb", about: "secrets are asked for", wire: asks(func(r *http.Request) {
			r.URL.Path = strings.Replace(r.URL.Path, "configmaps", "secrets", 1)
		})},
		{name: "accepts-anything", rule: "request/verb", about: "no content type is asked for", wire: asks(func(r *http.Request) { r.Header.Set("Accept", "*/*") })},
		{name: "token-unsent", rule: "request/verb", about: "the token is not sent", wire: asks(nameless)},
		{name: "token-unsent-watches", rule: "request/verb", about: "so it is with watches", wire: either(isWatch, asks(nameless))},
		{name: "token-unsent-lists", rule: "request/verb", about: "so it is with lists", wire: either(isList, asks(nameless))},
		{name: "token-unsent-pages", rule: "request/verb", of: "pager", about: "so it is with further pages", wire: nth(func(n int) bool { return n > 1 }, asks(nameless))},
		{name: "token-unsent-resumed", rule: "request/verb", of: "retry-watcher", about: "so it is with a watch that is resumed", wire: nth(func(n int) bool { return n > 1 }, asks(nameless))},
		{name: "token-of-another", rule: "request/verb", about: "a token is sent that is none", wire: asks(func(r *http.Request) { r.Header.Set("Authorization", "Bearer another") })},
		{name: "label-selector-lost", rule: "request/isolated", about: "the label selector is not sent", wire: loses("labelSelector")},
		{name: "options-shared", rule: "request/isolated", about: "calls at once ask with the options of the last", calls: shared},
		{name: "options-changed", rule: "request/isolated", about: "a list sets what its caller left unset", calls: func(c client) client {
			right := c.list
			c.list = func(ctx context.Context, o options) (*conformance.List, error) {
				l, err := right(ctx, o)
				o.ResourceVersion += "0"
				return l, err
			}
			return c
		}},
		{name: "list-bookmarks-lost", rule: "request/options", about: "allowWatchBookmarks is not sent with a list", wire: either(isList, loses("allowWatchBookmarks"))},
		{name: "watch-limit-lost", rule: "request/options", about: "limit is not sent with a watch", wire: either(isWatch, loses("limit"))},
		{name: "timeout-zero-lost", rule: "request/options", about: "a timeoutSeconds of 0 is not sent", wire: query(func(q url.Values) {
			if q.Get("timeoutSeconds") == "0" {
				q.Del("timeoutSeconds")
			}
		})},
		{name: "limit-capped", rule: "request/options", about: "no limit is larger than 500", wire: query(func(q url.Values) {
			if n, _ := strconv.Atoi(q.Get("limit")); n > 500 {
				q.Set("limit", "500")
			}
		})},
		{name: "reserved-raw", rule: "request/options", about: "in what is asked for nothing is escaped but spaces", wire: asks(func(r *http.Request) {
			q, err := url.QueryUnescape(r.URL.RawQuery)
			if err == nil {
				r.URL.RawQuery = strings.ReplaceAll(q, " ", "%20")
			}
		})},
		{name: "asks-in-int16", rule: "request/options", about: "a resourceVersion is an int16", wire: numbered(asInt16)},
		{name: "asks-in-int32", rule: "request/options", about: "a resourceVersion is an int32", wire: numbered(asInt32)},
		{name: "asks-in-float", rule: "request/options", about: "a resourceVersion is a float64", wire: numbered(asFloat)},
		{name: "refused-unread", rule: "request/connections", about: "an answer that is an error is not read to its end, nor closed", wire: mutants.LeavesRefused(0)},
		{name: "refused-closed-late", rule: "request/reuse", about: "an answer that is an error is not read to its end, and closed four seconds later", wire: mutants.LeavesRefused(4 * time.Second)},
		{name: "page-unchosen", rule: "request/options", of: "pager", about: "further pages are asked for without the fieldSelector", wire: unchosen},
		{name: "resumed-unchosen", rule: "request/options", of: "retry-watcher", about: "a watch is resumed without the fieldSelector", wire: unchosen},
		{name: "asks-at-once-again", rule: "request/retry-after", about: "what is refused for now is asked for again at once", wire: again},
	}
	for _, p := range []string{"resourceVersion", "resourceVersionMatch", "limit", "continue", "fieldSelector", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds"} {
		out = append(out, mutant{name: strings.ToLower(p) + "-lost", rule: "request/options", about: p + " is not sent", wire: loses(p)})
	}
	return out
}

// nameless asks without credentials.
func nameless(r *http.Request) { r.Header.Del("Authorization") }

// unchosen has all but the first request of a call lose its fieldSelector.
var unchosen = byTurn(func(q url.Values, first bool) {
	if !first {
		q.Del("fieldSelector")
	}
})

// listing have a fault in what they make of a list, or of a refusal.
func listing() []mutant {
	return append(losing("item-%s-lost", "list/faithful", "%s of items is lost", func(lose func(json.RawMessage) json.RawMessage) func(client) client {
		return lists(func(l *conformance.List) {
			for i := range l.Items {
				l.Items[i] = lose(l.Items[i])
			}
		})
	}), []mutant{
		{name: "items-reversed", rule: "list/faithful", about: "items come in the other order", calls: lists(reversed)},
		{name: "item-lost", rule: "list/faithful", about: "the last item is lost", calls: lists(func(l *conformance.List) { l.Items = l.Items[:max(len(l.Items)-1, 0)] })},
		{name: "item-doubled", rule: "list/faithful", about: "the first item comes twice", calls: lists(func(l *conformance.List) { l.Items = append(l.Items, l.Items[:min(len(l.Items), 1)]...) })},
		{name: "list-version-lost", rule: "list/faithful", about: "a list has no resourceVersion", calls: lists(func(l *conformance.List) { l.ResourceVersion = "" })},
		{name: "list-in-int32", rule: "list/faithful", about: "a list's resourceVersion is an int32", calls: lists(func(l *conformance.List) { l.ResourceVersion = asInt32(l.ResourceVersion) })},
		{name: "list-in-float", rule: "list/faithful", about: "a list's resourceVersion is a float64", calls: lists(func(l *conformance.List) { l.ResourceVersion = asFloat(l.ResourceVersion) })},
		{name: "list-cut", rule: "list/faithful", about: "of a list the first five hundred items come", calls: lists(func(l *conformance.List) { l.Items = l.Items[:min(len(l.Items), 500)] })},
		{name: "list-cut-small", rule: "list/faithful", about: "of a list the first twelve items come", calls: lists(func(l *conformance.List) { l.Items = l.Items[:min(len(l.Items), 12)] })},
		{name: "continue-untold", rule: "list/faithful", about: "a page has no continue token", calls: lists(func(l *conformance.List) { l.Continue = "" })},
		{name: "remaining-untold", rule: "list/faithful", about: "a page does not say how many remain", calls: lists(func(l *conformance.List) { l.RemainingItemCount = nil })},
		{name: "cut-is-empty", rule: "list/whole", about: "a list that cannot be read is empty", calls: func(c client) client {
			right := c.list
			c.list = func(ctx context.Context, o options) (*conformance.List, error) {
				l, err := right(ctx, o)
				if s := apierrors.APIStatus(nil); err != nil && !errors.As(err, &s) {
					return &conformance.List{}, nil
				}
				return l, err
			}
			return c
		}},
		{name: "status-is-empty", rule: "list/whole", about: "a Status in place of a list is an empty list", wire: misread(func(q url.Values) bool { return !q.Has("watch") && !q.Has("continue") })},
		{name: "status-is-last", rule: "list/whole", about: "a Status in place of a further page is an empty last page", wire: misread(func(q url.Values) bool { return q.Has("continue") })},
		{name: "error-is-text", rule: "list/errors", about: "an error is its text alone", calls: errs(func(err error) error { return errors.New(err.Error()) })},
		{name: "error-500", rule: "list/errors", about: "each error has the code 500", calls: statuses(func(s *metav1.Status) { s.Code = 500 })},
		{name: "reason-lost", rule: "list/errors", about: "an error has no reason", calls: statuses(func(s *metav1.Status) { s.Reason = "" })},
		{name: "causes-lost", rule: "list/errors", about: "an error has no causes", calls: statuses(func(s *metav1.Status) { s.Details.Causes = nil })},
		{name: "causes-but-first-lost", rule: "list/errors", about: "an error has its first cause alone", calls: statuses(func(s *metav1.Status) { s.Details.Causes = s.Details.Causes[:min(len(s.Details.Causes), 1)] })},
		{name: "cause-fieldless", rule: "list/errors", about: "causes do not say of which field they are", calls: statuses(func(s *metav1.Status) {
			for i := range s.Details.Causes {
				s.Details.Causes[i].Field = ""
			}
		})},
		{name: "retry-after-lost", rule: "list/errors", about: "an error does not say when to come back", calls: statuses(func(s *metav1.Status) { s.Details.RetryAfterSeconds = 0 })},
	}...)
}

// losing are mutants that each lose a field of objects.
func losing(name, rule, about string, of func(lose func(json.RawMessage) json.RawMessage) func(client) client) (out []mutant) {
	for _, f := range []string{"annotations", "ownerReferences", "finalizers", "deletionTimestamp", "managedFields", "generateName", "binaryData", "immutable"} {
		out = append(out, mutant{name: fmt.Sprintf(name, strings.ToLower(f)), rule: rule, about: fmt.Sprintf(about, f), calls: of(func(b json.RawMessage) json.RawMessage {
			return fields(b, func(o map[string]any) {
				if m, ok := o["metadata"].(map[string]any); ok {
					delete(m, f)
				}
				delete(o, f)
			})
		})})
	}
	return out
}

// faithfulness have a fault in what they make of events.
func faithfulness() []mutant {
	return append(losing("event-%s-lost", "watch/faithful", "%s of events is lost", func(lose func(json.RawMessage) json.RawMessage) func(client) client {
		return alters(func(_ int, e *event) {
			if e.Type != "ERROR" {
				e.Object = lose(e.Object)
			}
		})
	}), []mutant{
		{name: "event-lost", rule: "watch/faithful", about: "the third event of a watch is lost", calls: leaves(func(at int, e event) bool { return at == 2 })},
		{name: "event-doubled", rule: "watch/faithful", about: "the second event of a watch comes twice", calls: doubles(1)},
		{name: "event-retyped", rule: "watch/faithful", about: "MODIFIED comes as ADDED", calls: alters(func(_ int, e *event) {
			if e.Type == "MODIFIED" {
				e.Type = "ADDED"
			}
		})},
		{name: "event-stale", rule: "watch/faithful", about: "each event has the object of the one before", calls: stale},
		{name: "bookmarks-lost", rule: "watch/faithful", about: "bookmarks do not come", calls: leaves(func(_ int, e event) bool { return e.Type == "BOOKMARK" })},
		{name: "unread-dropped", rule: "watch/faithful", about: "what was not read when a watch ended is dropped", calls: watches(hasty)},
		{name: "late-dropped", rule: "watch/faithful", about: "an event that its consumer does not take within 10 ms is dropped", calls: watches(impatient)},
		{name: "overflow-dropped", rule: "watch/faithful", about: "there is room for a hundred events: what comes then is dropped", calls: watches(overflowing)},
		{name: "error-swallowed", rule: "watch/in-stream-error", about: "a watch ends without its ERROR", calls: leaves(func(_ int, e event) bool { return e.Type == "ERROR" && !undecoded(e) })},
		{name: "error-codeless", rule: "watch/in-stream-error", about: "an ERROR has no code", calls: alters(func(_ int, e *event) {
			if e.Type == "ERROR" {
				e.Object = fields(e.Object, func(o map[string]any) { delete(o, "code") })
			}
		})},
		{name: "error-causeless", rule: "watch/in-stream-error", about: "an ERROR has no causes", calls: causes(func(all []any) []any { return nil })},
		{name: "error-causes-but-first-lost", rule: "watch/in-stream-error", about: "an ERROR has its first cause alone", calls: causes(func(all []any) []any { return all[:min(len(all), 1)] })},
		{name: "error-cause-fieldless", rule: "watch/in-stream-error", about: "the causes of an ERROR do not say of which field they are", calls: causes(func(all []any) []any {
			for _, c := range all {
				delete(c.(map[string]any), "field")
			}
			return all
		})},
		{name: "frame-null-skipped", rule: "watch/frame", about: "an event of null is left out, and the rest goes on", wire: reads(without(`"object":null`))},
		{name: "frame-text-skipped", rule: "watch/frame", about: "an event of a text is left out, and the rest goes on", wire: reads(without(`"object":"none"`))},
		{name: "frame-array-skipped", rule: "watch/frame", about: "a frame that is an array is left out, and the rest goes on", wire: reads(func(line []byte) bool { return !bytes.HasPrefix(line, []byte("[")) })},
		{name: "frame-skipped", rule: "watch/frame", about: "what cannot be read of a watch is left out, and the rest goes on", wire: skipping},
		{name: "page-is-event", rule: "watch/frame", about: "what a watch begins with and cannot be read comes as an event", calls: events(func(at int, e event) []event {
			if at == 0 && undecoded(e) {
				e.Type = "MODIFIED"
			}
			return []event{e}
		})},
		{name: "status-unmentioned", rule: "watch/frame-error", about: "a Status in place of a watch ends it as if its time were up", wire: reads(func(line []byte) bool { return !bytes.HasPrefix(line, []byte(`{"kind":"Status"`)) })},
		{name: "frame-unmentioned", rule: "watch/frame-error", about: "a frame that cannot be read ends the watch as if its time were up", calls: leaves(func(_ int, e event) bool { return e.Type == "ERROR" && undecoded(e) })},
	}...)
}

// causes changes those of each ERROR.
func causes(change func([]any) []any) func(client) client {
	return alters(func(_ int, e *event) {
		if e.Type == "ERROR" {
			e.Object = fields(e.Object, func(o map[string]any) {
				if details, ok := o["details"].(map[string]any); ok {
					all, _ := details["causes"].([]any)
					details["causes"] = change(all)
				}
			})
		}
	})
}

// undecoded says that an ERROR is the client's own.
func undecoded(e event) bool {
	return strings.Contains(string(e.Object), "ClientWatchDecoding")
}

// stale gives each event the object of the one before.
func stale(c client) client {
	return watches(func(_ context.Context, w watching) watching {
		var last json.RawMessage
		return next{w, func(ctx context.Context, come coming) (event, bool) {
			e, ok := come(ctx)
			if ok && e.Type != "ERROR" && e.Type != "BOOKMARK" {
				if last == nil {
					last = e.Object
				}
				e.Object, last = last, e.Object
			}
			return e, ok
		}}
	})(c)
}

// ending have a fault in how watches end.
func ending() []mutant {
	return []mutant{
		{name: "end-unnoticed", rule: "watch/end", about: "a stream stays open when the server has ended it", calls: consumed(func(opened context.Context) func(context.Context, coming) (event, bool) {
			return func(ctx context.Context, come coming) (event, bool) {
				e, ok := come(ctx)
				if !ok {
					select {
					case <-ctx.Done():
					case <-opened.Done():
					}
				}
				return e, ok
			}
		})},
		{name: "end-is-error", rule: "watch/end", about: "each watch ends with an ERROR", calls: watches(func(_ context.Context, w watching) watching {
			ended := false
			return next{w, func(ctx context.Context, come coming) (event, bool) {
				e, ok := come(ctx)
				if !ok && !ended && ctx.Err() == nil {
					ended = true
					return event{Type: "ERROR", Object: json.RawMessage(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"reason":"InternalError","message":"it has ended"}`)}, true
				}
				return e, ok
			}}
		})},
		{name: "stop-twice-panics", rule: "subject/survives", about: "a second Stop closes what the first has closed (kubernetes#126125)", calls: watches(func(_ context.Context, w watching) watching {
			stopped := make(chan struct{})
			return stopping{w, func() { close(stopped) }}
		})},
		{name: "stop-unheard", rule: "watch/stop", about: "Stop does nothing", calls: watches(func(_ context.Context, w watching) watching { return stopless{w} })},
		{name: "stop-flagged", rule: "watch/stop", about: "Stop sets a flag that is looked at before each event is awaited", calls: watches(flagged)},
		{name: "stop-untold", rule: "watch/stop", about: "Stop ends the stream and leaves the request open", calls: watches(func(_ context.Context, w watching) watching {
			return &deaf{watching: w, gone: make(chan struct{})}
		})},
		{name: "unread-left", rule: "watch/stop", about: "who has an event for a consumer waits for it, also when the watch is stopped", calls: watches(func(_ context.Context, w watching) watching { return buffered(w, 10, unheard) })},
		{name: "error-left", rule: "watch/stop", about: "so of an ERROR alone", calls: watches(func(_ context.Context, w watching) watching {
			return buffered(w, 0, func(read chan<- event, e event, stopped <-chan struct{}) {
				if e.Type == "ERROR" {
					stopped = nil
				}
				waiting(read, e, stopped)
			})
		})},
		{name: "unread-until-context", rule: "watch/stop", about: "so until its caller's context ends", calls: watches(func(ctx context.Context, w watching) watching {
			return buffered(w, 10, func(read chan<- event, e event, _ <-chan struct{}) {
				waiting(read, e, ctx.Done())
			})
		})},
		{name: "opening-outlives-stop", of: "retry-watcher", rule: "watch/stop", about: "Stop is heard when the watch is open", wire: opens},
		{name: "first-opening-outlives-stop", of: "retry-watcher", rule: "watch/stop", about: "so of its first request alone", wire: nth(func(n int) bool { return n == 1 }, opens)},
		{name: "next-opening-outlives-stop", of: "retry-watcher", rule: "watch/stop", about: "so of all but its first", wire: nth(func(n int) bool { return n > 1 }, opens)},
		{name: "until-opening-outlives-context", of: "retry-watcher", more: []harness.Feature{conformance.Waits}, rule: "until/returns", about: "the end of the context of a wait is heard when its watch is open", calls: waitsOn, wire: opens},
		{name: "context-unheard-opening", rule: "watch/cancel", about: "the end of the context is heard when a watch is open", calls: opening(func(ctx context.Context, o options, right func(context.Context, options) (watching, error)) (watching, error) {
			later, end := context.WithCancel(context.WithoutCancel(ctx))
			w, err := right(later, o)
			context.AfterFunc(ctx, end)
			if err == nil && ctx.Err() != nil {
				w.Stop()
				return nil, ctx.Err()
			}
			return w, err
		})},
		{name: "context-ignored", rule: "watch/cancel", about: "the end of the context ends nothing", calls: opening(func(ctx context.Context, o options, right func(context.Context, options) (watching, error)) (watching, error) {
			return right(context.WithoutCancel(ctx), o)
		})},
	}
}
