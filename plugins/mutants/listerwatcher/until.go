package listerwatcher

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	watchtools "k8s.io/client-go/tools/watch"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
)

// untils are waits with a fault.
func untils() []mutant {
	of := func(f func(ctx context.Context, c conformance.Condition, right func(context.Context, conformance.Condition) (*event, error)) (*event, error)) func(client) client {
		return func(c client) client {
			right := c.until
			c.until = func(ctx context.Context, o options, cond conformance.Condition) (*event, error) {
				return f(ctx, cond, func(ctx context.Context, cond conformance.Condition) (*event, error) {
					return right(ctx, o, cond)
				})
			}
			return c
		}
	}
	type until = func(context.Context, conformance.Condition) (*event, error)
	out := []mutant{
		{name: "until-late", rule: "until/returns", about: "a wait returns an hour after its condition was met", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			e, err := right(ctx, c)
			if err == nil {
				select {
				case <-time.After(time.Hour):
				case <-ctx.Done():
				}
			}
			return e, err
		})},
		{name: "until-another", rule: "until/returns", about: "a wait returns with the first event of the type, whatever its object", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			return right(ctx, conformance.Condition{Type: "MODIFIED", Name: "a"})
		})},
		{name: "until-made-up", rule: "until/returns", about: "a wait returns at once with an event that nobody sent", calls: of(func(_ context.Context, c conformance.Condition, _ until) (*event, error) {
			return &event{Type: c.Type, Object: json.RawMessage(`{"metadata":{"name":"` + c.Name + `"}}`)}, nil
		})},
		{name: "until-hurried", rule: "until/returns", about: "a wait ends after a second", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return right(ctx, c)
		})},
		{name: "until-unheard", rule: "until/returns", about: "a wait hears of the end of its context an hour later", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			e, err := right(ctx, c)
			if ctx.Err() != nil {
				time.Sleep(time.Hour)
			}
			return e, err
		})},
		{name: "until-pause-slept-out", rule: "until/prompt", about: "a wait hears of the end of its context ten seconds later", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			e, err := right(ctx, c)
			if ctx.Err() != nil {
				time.Sleep(10 * time.Second)
			}
			return e, err
		})},
		{name: "until-gives-nothing", rule: "until/returns", about: "a wait that is called off returns neither an event nor an error", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			if e, err := right(ctx, c); ctx.Err() == nil {
				return e, err
			}
			return nil, nil
		})},
		{name: "until-begins-before", rule: "request/options", about: "a wait begins at one resourceVersion less", wire: onFirst(func(q url.Values) {
			if n, err := strconv.Atoi(q.Get("resourceVersion")); err == nil {
				q.Set("resourceVersion", strconv.Itoa(n-1))
			}
		})},
		{name: "until-from-start", rule: "resume/version", about: "each watch of a wait begins where the first did", wire: remembers("resourceVersion")},
		{name: "until-before-bookmark", rule: "resume/version", about: "a wait asks for bookmarks, and does not read them", wire: unmarked},
		{name: "until-in-int32", rule: "resume/version", about: "where the watch of a wait goes on is an int32", wire: laterNumbered(asInt32)},
		{name: "until-in-float", rule: "resume/version", about: "it is a float64", wire: laterNumbered(asFloat)},
		{name: "until-bookmarks-as-text", rule: "resume/version", about: "for a wait a bookmark counts where its resourceVersion is the greater text", wire: textually("BOOKMARK")},
		{name: "until-events-as-text", rule: "resume/version", about: "so does an event", wire: textually("ADDED", "MODIFIED", "DELETED")},
		{name: "until-before-delete", rule: "resume/version", about: "for a wait a DELETED does not count: where it is the last event, it comes again", wire: perCall(beforeDelete)},
		{name: "until-gives-up", rule: "resume/errors", about: "for a wait the first 503 is the end", wire: recoded(map[int]int{503: 403})},
		{name: "until-hot", rule: "resume/errors", about: "a wait asks at once, ten times, for what is refused", wire: hot(10, 0)},
		{name: "until-forbidden-retried", rule: "resume/permanent", about: "a wait asks again, for ever, for what is forbidden", wire: recoded(map[int]int{401: 500, 403: 500})},
		{name: "until-expired-skipped", rule: "resume/expired", about: "for a wait an ERROR 410 is an end after which it goes on", wire: unexpired},
		{name: "until-left-open", rule: "until/returns", about: "the watch of a wait stays open when it has returned", wire: outlives},
	}
	for i := range out {
		out[i].of = "until"
	}
	return append(out,
		mutant{name: "until-first-lost", of: "retry-watcher", more: []harness.Feature{conformance.Waits}, rule: "until/returns", about: "a wait takes the first event of each connection but the first for one that it has had", calls: waitsOn, wire: perCall(firstLost)},
		mutant{name: "until-end-unnoticed", of: "until-without-retry", rule: "until/returns", about: "a wait that does not resume its watch does not notice its end", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			e, err := right(ctx, c)
			if errors.Is(err, watchtools.ErrWatchClosed) {
				<-ctx.Done()
			}
			return e, err
		})},
		mutant{name: "until-state-before", of: "until-with-sync", rule: "until/returns", about: "a wait gives what was changed as it was before", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			if c.Type != "MODIFIED" {
				return right(ctx, c)
			}
			was, err := right(ctx, conformance.Condition{Type: "ADDED", Name: c.Name})
			if err != nil {
				return nil, err
			}
			e, err := right(ctx, c)
			if err == nil {
				e.Object = was.Object
			}
			return e, err
		})},
		mutant{name: "until-changed-lost", of: "until-with-sync", rule: "until/returns", about: "MODIFIED never reaches the condition of a wait", calls: of(func(ctx context.Context, c conformance.Condition, right until) (*event, error) {
			if c.Type == "MODIFIED" {
				c.Name = "nobody"
			}
			return right(ctx, c)
		})},
		mutant{name: "until-unsynced", of: "until-with-sync", rule: "until/returns", about: "a precondition is asked of a store that has no list yet: nothing is there", calls: func(c client) client {
			c.unless = func(ctx context.Context, o options, p conformance.Precondition, cond conformance.Condition) (*event, error) {
				if !p.There {
					return nil, nil
				}
				return c.until(ctx, o, cond)
			}
			return c
		}},
		mutant{name: "until-unconditional", of: "until-with-sync", rule: "until/returns", about: "a precondition is not asked for", calls: func(c client) client {
			c.unless = func(ctx context.Context, o options, _ conformance.Precondition, cond conformance.Condition) (*event, error) {
				return c.until(ctx, o, cond)
			}
			return c
		}},
		mutant{name: "until-gone-missed", of: "until-with-sync", rule: "until/returns", about: "a wait that lists anew takes what has gone meanwhile to be there", wire: perCall(hoarding)})
}

// hoarding begins each streaming list of a call with all ADDED of those before.
func hoarding() wire {
	var had noted
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err == nil && r.URL.Query().Has("sendInitialEvents") {
				from := bufio.NewReader(io.MultiReader(strings.NewReader(had.get()), res.Body))
				res.Body = &readable{res.Body, func(line []byte) bool {
					if was := had.get(); strings.HasPrefix(string(line), `{"type":"ADDED"`) && !strings.Contains(was, string(line)) {
						had.set(was + string(line))
					}
					return true
				}, from, bytes.Buffer{}}
			}
			return res, err
		})
	}
}

// outlives keeps requests open whoever lets go of them.
func outlives(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
		if err == nil {
			res.Body = &unclosed{res.Body}
		}
		return res, err
	})
}

type unclosed struct{ io.ReadCloser }

// Close implements io.Closer.
func (*unclosed) Close() error { return nil }

// unexpired has each ERROR 410 not come.
func unexpired(next http.RoundTripper) http.RoundTripper {
	return reads(func(line []byte) bool {
		var e struct {
			Type   string
			Object struct{ Code int }
		}
		return json.Unmarshal(line, &e) != nil || e.Type != "ERROR" || e.Object.Code != http.StatusGone
	})(next)
}

// onFirst changes what the first request of a call asks.
func onFirst(change func(url.Values)) wire {
	return byTurn(func(q url.Values, first bool) {
		if first {
			change(q)
		}
	})
}

// byTurn changes what requests ask; it is told whether they are the first of their call.
func byTurn(change func(q url.Values, first bool)) wire {
	return perCall(func() wire {
		first := true
		return query(func(q url.Values) { change(q, first); first = false })
	})
}
