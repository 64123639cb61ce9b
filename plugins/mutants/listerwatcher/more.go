package listerwatcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
)

// paging are clients that list in pages, and have a fault in that.
func paging() []mutant {
	out := []mutant{
		{name: "page-lost", rule: "pager/whole", about: "the first page is not in the list", calls: lists(func(l *conformance.List) {
			if len(l.Items) > 10 {
				l.Items = l.Items[5:]
			}
		})},
		{name: "pages-one", rule: "pager/whole", about: "the first page is taken for the list", wire: again410(func(q url.Values) bool { return q.Has("continue") }, emptied)},
		{name: "page-empty-ends", rule: "pager/whole", about: "a page without items is taken for the last", wire: again410(func(q url.Values) bool { return true }, endsEmpty)},
		{name: "page-short-ends", rule: "pager/whole", about: "a page that has fewer items than were asked for is taken for the last", wire: again410(func(q url.Values) bool { return true }, endsShort)},
		{name: "pages-version-lost", rule: "pager/whole", about: "a list in pages has no resourceVersion", calls: lists(func(l *conformance.List) { l.ResourceVersion = "" })},
		{name: "pages-doubled", rule: "pager/whole", about: "the last item comes twice", calls: lists(func(l *conformance.List) { l.Items = append(l.Items, l.Items[max(len(l.Items)-1, 0):]...) })},
		{name: "pages-continue-told", rule: "pager/whole", about: "a list in pages has a continue token", calls: lists(func(l *conformance.List) { l.Continue = "more" })},
		{name: "page-status-ends", rule: "list/whole", about: "a Status in place of a further page is an empty last page", wire: misread(func(q url.Values) bool { return q.Has("continue") })},
		{name: "page-refused-ends", rule: "list/errors", about: "so is a further page that is refused", wire: again410(func(url.Values) bool { return true }, endsRefused)},
		{name: "page-versioned", rule: "pager/continue-alone", about: "the next page is asked for with a resourceVersion", wire: further("resourceVersion", "1")},
		{name: "page-matched", rule: "pager/continue-alone", about: "the next page is asked for with a match", wire: further("resourceVersionMatch", "NotOlderThan")},
		{name: "page-again", rule: "pager/continue-alone", about: "the third page is asked for with the token of the second", wire: perCall(firstToken)},
		{name: "expired-is-end", rule: "pager/expired", about: "a 410 ends the list as if there were no more", wire: again410(nil, emptied)},
		{name: "expired-at-zero", rule: "pager/expired", about: "after a 410 a list of any state is taken", wire: byTurn(func(q url.Values, first bool) {
			if !first && !q.Has("continue") {
				q.Set("resourceVersion", "0")
			}
		})},
		{name: "expired-goes-on", rule: "pager/expired", about: "after a 410 the rest is taken at another resourceVersion", wire: again410(nil, goesOn)},
	}
	for i := range out {
		out[i].of = "pager"
	}
	return out
}

// further sets a parameter of requests for further pages.
func further(name, value string) wire {
	return query(func(q url.Values) {
		if q.Has("continue") {
			q.Set(name, value)
		}
	})
}

// firstToken asks for the third page of a call with the token of the second.
func firstToken() wire {
	var tokens []string
	return query(func(q url.Values) {
		if q.Has("continue") {
			if tokens = append(tokens, q.Get("continue")); len(tokens) == 2 {
				q.Set("continue", tokens[0])
			}
		}
	})
}

// remembers gives each later request of a call the parameter that its first had.
func remembers(name string) wire {
	return perCall(func() wire {
		first := ""
		return query(func(q url.Values) {
			if first = cmp.Or(first, q.Get(name)); q.Get(name) != "" {
				q.Set(name, first)
			}
		})
	})
}

// again410 does something else in place of a request for a further page: where asked says so, or it was answered 410.
func again410(asked func(url.Values) bool, instead func(http.RoundTripper, *http.Request, *http.Response) (*http.Response, error)) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			q := r.URL.Query()
			if err != nil || !q.Has("continue") || asked == nil && res.StatusCode != http.StatusGone || asked != nil && !asked(q) {
				return res, err
			}
			return instead(next, r, res)
		})
	}
}

// emptied is a last page without items.
func emptied(_ http.RoundTripper, _ *http.Request, res *http.Response) (*http.Response, error) {
	if err := res.Body.Close(); err != nil {
		return nil, err
	}
	res.StatusCode, res.ContentLength = http.StatusOK, -1
	res.Body = io.NopCloser(strings.NewReader(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`))
	return res, nil
}

// misread has a Status of code 200 taken for a list without items.
func misread(asked func(url.Values) bool) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err != nil || res.StatusCode != http.StatusOK || !asked(r.URL.Query()) {
				return res, err
			}
			b, err := io.ReadAll(res.Body)
			if res.Body = io.NopCloser(strings.NewReader(string(b))); strings.HasPrefix(string(b), `{"kind":"Status"`) {
				return emptied(next, r, res)
			}
			return res, err
		})
	}
}

// endsEmpty makes a page without items the last.
func endsEmpty(next http.RoundTripper, r *http.Request, res *http.Response) (*http.Response, error) {
	b, err := io.ReadAll(res.Body)
	if err == nil && strings.Contains(string(b), `"items":[]`) {
		return emptied(next, r, res)
	}
	res.Body = io.NopCloser(strings.NewReader(string(b)))
	return res, err
}

// endsShort makes a page that is not full the last.
func endsShort(_ http.RoundTripper, r *http.Request, res *http.Response) (*http.Response, error) {
	b, err := io.ReadAll(res.Body)
	limit := r.URL.Query().Get("limit")
	if err == nil && fmt.Sprint(strings.Count(string(b), `"uid":`)) != limit {
		b = regexp.MustCompile(`,"continue":"[^"]*"`).ReplaceAll(b, nil)
	}
	res.Body, res.ContentLength = io.NopCloser(strings.NewReader(string(b))), -1
	return res, err
}

// endsRefused makes a page that is refused the last, but for a 410.
func endsRefused(next http.RoundTripper, r *http.Request, res *http.Response) (*http.Response, error) {
	if res.StatusCode < 400 || res.StatusCode == http.StatusGone {
		return res, nil
	}
	return emptied(next, r, res)
}

// goesOn asks for the rest with the token that a 410 has.
func goesOn(next http.RoundTripper, r *http.Request, res *http.Response) (*http.Response, error) {
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	var s struct{ Metadata struct{ Continue string } }
	if json.Unmarshal(b, &s) != nil || s.Metadata.Continue == "" {
		res.Body = io.NopCloser(strings.NewReader(string(b)))
		return res, nil
	}
	r = r.Clone(r.Context())
	q := r.URL.Query()
	q.Set("continue", s.Metadata.Continue)
	r.URL.RawQuery = q.Encode()
	return next.RoundTrip(r)
}

// unmarked leaves bookmarks out of watches.
func unmarked(next http.RoundTripper) http.RoundTripper {
	return reads(func(line []byte) bool { return !strings.HasPrefix(string(line), `{"type":"BOOKMARK"`) })(next)
}
