package listerwatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// Pairs are the clients whose fault shows only where two things meet. Random stories find them; the checks of the suite may not.
func Pairs(open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) []mutants.Target {
	return targets("mutant", pairs(), open, serverHas)
}

// with has only calls with some options go wrong.
func with(such func(options) bool, does func(client) client) func(client) client {
	return func(c client) client {
		wrong := does(c)
		return client{
			func(ctx context.Context, o options) (*conformance.List, error) {
				if such(o) {
					return wrong.list(ctx, o)
				}
				return c.list(ctx, o)
			},
			func(ctx context.Context, o options) (watching, error) {
				if such(o) {
					return wrong.watch(ctx, o)
				}
				return c.watch(ctx, o)
			},
			c.until, c.unless,
		}
	}
}

func exactly(o options) bool { return o.ResourceVersionMatch == metav1.ResourceVersionMatchExact }
func ofPages(o options) bool { return o.Limit > 0 }
func byField(o options) bool { return o.FieldSelector != "" }
func byLabel(o options) bool { return strings.Contains(o.LabelSelector, "app") }
func asOld(o options) bool   { return o.ResourceVersion == "0" }
func streamed(o options) bool {
	return o.SendInitialEvents != nil
}
func fromNothing(o options) bool { return o.ResourceVersion == "" && o.SendInitialEvents == nil }
func aWhile(o options) bool      { return o.TimeoutSeconds != nil }

// emptyOn takes a refusal with a code for a list without items.
func emptyOn(code int32) func(client) client {
	return func(c client) client {
		right := c.list
		c.list = func(ctx context.Context, o options) (*conformance.List, error) {
			l, err := right(ctx, o)
			if s, ok := err.(apierrors.APIStatus); ok && s.Status().Code == code {
				l := &conformance.List{}
				l.ResourceVersion = "1"
				return l, nil
			}
			return l, err
		}
		return c
	}
}

// retold has a refusal with a code come with another.
func retold(code, as int32, reason metav1.StatusReason) func(client) client {
	return statuses(func(s *metav1.Status) {
		if s.Code == code {
			s.Code, s.Reason = as, reason
		}
	})
}

// errors410 changes ERRORs with the code 410.
func errors410(f func(e event) []event) func(client) client {
	return events(func(_ int, e event) []event {
		if e.Type == "ERROR" && bytes.Contains(e.Object, []byte(`"code":410`)) {
			return f(e)
		}
		return []event{e}
	})
}

// pairs have a fault that shows only where two things meet: a call and how it fails, its objects, what becomes of them, or a moment.
func pairs() []mutant {
	return []mutant{
		{name: "left-is-modified", rule: "watch/faithful", about: "with a label selector what leaves the selection was changed", calls: with(byLabel, alters(func(_ int, e *event) {
			if e.Type == "DELETED" {
				e.Type = "MODIFIED"
			}
		}))},
		{name: "exact-expired-empty", rule: "list/errors", about: "a list at exactly a version that is gone has no items", calls: with(exactly, emptyOn(410))},
		{name: "large-paged-lost", rule: "list/faithful", about: "a page lacks objects of more than 64 KiB", calls: with(ofPages, lists(func(l *conformance.List) {
			var items []json.RawMessage
			for _, item := range l.Items {
				if len(item) < 64<<10 {
					items = append(items, item)
				}
			}
			l.Items = items
		}))},
		{name: "finalized-deleted", rule: "watch/faithful", about: "with a field selector an object that waits for its finalizer was deleted", calls: with(byField, alters(func(_ int, e *event) {
			if e.Type == "MODIFIED" && bytes.Contains(e.Object, []byte(`"deletionTimestamp"`)) {
				e.Type = "DELETED"
			}
		}))},
		{name: "any-version-hundred", rule: "list/faithful", about: "a list at any version has a hundred items", calls: with(asOld, lists(func(l *conformance.List) { l.Items = l.Items[:min(len(l.Items), 100)] }))},
		{name: "burst-of-a-while", rule: "watch/faithful", about: "a watch with a time has twenty events", calls: with(aWhile, leaves(func(at int, e event) bool { return at >= 20 && e.Type != "ERROR" }))},
		{name: "stream-of-none", rule: "watch/faithful", about: "a streaming list without objects has no end", calls: with(streamed, leaves(func(at int, e event) bool { return at == 0 && e.Type == "BOOKMARK" }))},

		{name: "gzip-selected-unread", rule: "list/faithful", about: "a compressed list by a set of labels cannot be read", wire: mutants.NoGzip(func(r *http.Request) bool { return strings.Contains(r.URL.Query().Get("labelSelector"), "app in") })},
		{name: "line-of-64k", rule: "watch/faithful", about: "a watch has no event of more than 64 KiB", calls: leaves(func(_ int, e event) bool { return len(e.Object) > 64<<10 })},
		{name: "polite-page-last", rule: "list/faithful", about: "a page after which the server closes the connection is the last", wire: lastAtClose},
		{name: "bytes-of-fields", rule: "watch/faithful", about: "with a field selector an event that comes in more than 64 parts ends the watch", wire: either(func(r *http.Request) bool { return r.URL.Query().Has("fieldSelector") }, mutants.CountsReads(64))},
		{name: "chunk-ends-deleting", rule: "watch/faithful", about: "of a chunk with a deletion only the first event comes", wire: mutants.DropsAfter(`"type":"DELETED"`)},
		{name: "gzip-newer-empty", rule: "list/faithful", about: "a compressed list that is not older than a version is empty", wire: mutants.EmptyGzip(func(r *http.Request) bool { return r.URL.Query().Get("resourceVersionMatch") == "NotOlderThan" })},

		{name: "exact-expired-missing", rule: "list/errors", about: "of a version that is gone a list at exactly it says NotFound", calls: with(exactly, retold(410, 404, metav1.StatusReasonNotFound))},
		{name: "stream-expired-untold", rule: "watch/in-stream-error", about: "a streaming list ends without a word when its version is gone", calls: with(streamed, errors410(func(event) []event { return nil }))},
		{name: "start-expired-internal", rule: "watch/in-stream-error", about: "a watch without a version tells a 410 as a 500", calls: with(fromNothing, errors410(func(e event) []event {
			e.Object = json.RawMessage(strings.ReplaceAll(string(e.Object), "410", "500"))
			return []event{e}
		}))},
		{name: "page-expired-empty", rule: "list/errors", about: "a page that is gone is empty", calls: with(ofPages, emptyOn(410))},
		{name: "selected-expired-empty", rule: "list/errors", about: "a list by a field whose version is gone is empty", calls: with(byField, emptyOn(410))},
		{name: "any-expired-internal", rule: "list/errors", about: "a list at any version tells a 410 as a 500", calls: with(asOld, retold(410, 500, metav1.StatusReasonInternalError))},
	}
}

var token = regexp.MustCompile(`"continue":"[^"]*",?`)

// lastAtClose takes a page after which the server closes the connection for the last.
func lastAtClose(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil || !res.Close || isWatch(r) || !r.URL.Query().Has("limit") {
			return res, err
		}
		b, err := io.ReadAll(res.Body)
		b = token.ReplaceAll(b, nil)
		res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(b)), -1
		return res, err
	})
}
