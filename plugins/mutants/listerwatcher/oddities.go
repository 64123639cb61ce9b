package listerwatcher

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/harness"
)

// oddities are odd but correct: bullets under the table of the contract that no way of client-go's shows by itself.
func oddities() []mutant {
	out := []mutant{
		{name: "reads-ahead", rule: "watch/stop", about: "what had been received comes after Stop has returned", calls: watches(ahead)},
		{name: "cancel-told", rule: "watch/cancel", about: "a watch whose context has ended ends with an ERROR 500 that says so", calls: watches(cancelTold)},
		{name: "error-after-cut", rule: "watch/end", about: "a frame that is cut, and a broken connection, are told by an ERROR", wire: told},
		{name: "own-timeout", rule: "request/options", about: "each request has a parameter of the client's own", wire: query(func(q url.Values) { q.Set("timeout", "10m") })},
		{name: "opens-later", rule: "list/errors", about: "a watch is opened when its call has returned: a refusal is its first event", calls: opensLater},
		{name: "selectors-respelt", rule: "request/isolated", about: "selectors are asked for in other words that mean the same, and in another order", wire: query(respelt)},
		{name: "old-watch-path", rule: "request/verb", about: "watches are asked for by the old path, with watch in it", wire: either(isWatch, asks(func(r *http.Request) {
			r.URL.Path = strings.Replace(r.URL.Path, "/api/v1/", "/api/v1/watch/", 1)
			q := r.URL.Query()
			q.Del("watch")
			r.URL.RawQuery = q.Encode()
		}))},
		{name: "asks-for-ever", rule: "request/retry-after", about: "who is told when to come back does so, however often that is", wire: following},
		{name: "pages-anew", rule: "pager/expired", about: "after a 410 a list in pages is begun anew, three times at most", more: []harness.Feature{conformance.Pages}, calls: inPages(3)},
		{name: "pages-fail", rule: "pager/expired", about: "a 410 in the midst of the pages is the error of the list", more: []harness.Feature{conformance.Pages}, calls: inPages(0)},
		{name: "page-zero", rule: "pager/continue-alone", of: "pager", about: "further pages are asked for with resourceVersion 0", wire: further("resourceVersion", "0")},
		{name: "retrying-401-untold", rule: "resume/permanent", of: "retry-watcher", about: "a 401 ends a watch without an ERROR", calls: quietly(401)},
		{name: "retrying-slowly", rule: "resume/errors", of: "retry-watcher", about: "each connection but the first takes two seconds to open", wire: onAnswer(slowly)},
		{name: "retrying-own-time", rule: "request/options", of: "retry-watcher", about: "each connection has a timeout of the client's own", wire: query(func(q url.Values) { q.Set("timeoutSeconds", "300") })},
		{name: "retrying-initial", rule: "resume/version", of: "retry-watcher", about: "watches begin without a resourceVersion, at 0 and as streaming lists, too", calls: func(c client) client { return notesNewest(initial(c)) }, wire: fromNewest},
		{name: "retrying-unmarked", rule: "resume/version", of: "retry-watcher", about: "no bookmarks are asked for", wire: loses("allowWatchBookmarks")},
		{name: "waits-once", rule: "until/returns", about: "a wait ends with an error of its own where its watch does", more: []harness.Feature{conformance.Waits}, calls: waitsOnce},
		{name: "waits-on", of: "retry-watcher", knows: "until", rule: "until/prompt", about: "a wait returns when the watch that it was on has ended", more: []harness.Feature{conformance.Waits}, calls: waitsOn},
	}
	return out
}

// respelt asks with a==b for a=b, and with a notin (b) for a!=b.
func respelt(q url.Values) {
	for name, spelt := range map[string]string{"labelSelector": "$1 notin ($2)", "fieldSelector": "$1!=$2"} {
		parts := strings.Split(q.Get(name), ",")
		if strings.Contains(q.Get(name), "(") || q.Get(name) == "" { // app in (one,two)
			continue
		}
		for i, p := range parts {
			if parts[i] = unequal.ReplaceAllString(p, spelt); parts[i] == p && !strings.Contains(p, "!") {
				parts[i] = strings.Replace(p, "=", "==", 1)
			}
		}
		slices.Reverse(parts)
		q.Set(name, strings.Join(parts, ","))
	}
}

var unequal = regexp.MustCompile(`^([^=!]+)!=(.*)$`)

// opensLater returns watches before they are open.
func opensLater(c client) client {
	return opening(func(ctx context.Context, o options, right func(context.Context, options) (watching, error)) (watching, error) {
		ctx, cancel := context.WithCancel(ctx)
		l := &later{cancel: cancel, opened: make(chan struct{})}
		o = o.DeepCopy()
		go func() {
			defer close(l.opened)
			l.w, l.err = right(ctx, o)
		}()
		return l, nil
	})(c)
}

// later is a watch that is opened in the background.
type later struct {
	cancel context.CancelFunc
	opened chan struct{} // closed when w or err is there
	w      watching
	err    error
	told   bool
}

// Next implements listerwatcher.Watch.
func (l *later) Next(ctx context.Context) (event, bool) {
	select {
	case <-l.opened:
	case <-ctx.Done():
		return event{}, false
	}
	var known apierrors.APIStatus
	switch {
	case l.err == nil:
		return l.w.Next(ctx)
	case l.told, errors.Is(l.err, context.Canceled):
		return event{}, false
	case !errors.As(l.err, &known):
		l.told = true
		return lastError("the watch was not opened"), true
	}
	l.told = true
	b, err := json.Marshal(known.Status())
	return event{Type: "ERROR", Object: b}, err == nil
}

// Stop implements listerwatcher.Watch.
func (l *later) Stop() {
	l.cancel()
	go func() {
		if <-l.opened; l.w != nil {
			l.w.Stop()
		}
	}()
}

// waitsOnce makes waits of watches.
func waitsOnce(c client) client {
	c.until = func(ctx context.Context, o options, cond conformance.Condition) (*event, error) {
		w, err := c.watch(ctx, o)
		if err != nil {
			return nil, err
		}
		defer w.Stop()
		for {
			e, ok := w.Next(ctx)
			if !ok {
				return nil, errors.New("there is no more")
			}
			var of struct{ Metadata struct{ Name string } }
			if json.Unmarshal(e.Object, &of) == nil && e.Type == cond.Type && of.Metadata.Name == cond.Name {
				return &e, nil
			}
		}
	}
	return c
}

// ahead reads a watch ahead of its consumer.
func ahead(_ context.Context, w watching) watching {
	return buffered(w, 10, waiting)
}

// lastError is an ERROR of the client's own.
func lastError(message string) event {
	return event{Type: "ERROR", Object: json.RawMessage(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":500,"reason":"InternalError","message":"` + message + `"}`)}
}

func cancelTold(opened context.Context, w watching) watching {
	said := false
	return next{w, func(ctx context.Context, come coming) (event, bool) {
		e, ok := come(ctx)
		if !ok && opened.Err() != nil && ctx.Err() == nil && !said {
			said = true
			return lastError("context canceled"), true
		}
		return e, ok
	}}
}

// told ends the bytes of a watch that broke off with an ERROR.
func told(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err == nil && isWatch(r) {
			res.Body = &telling{ReadCloser: res.Body}
		}
		return res, err
	})
}

// inPages is a list in pages of the caller's size, or of 500, which is begun anew so often.
func inPages(anew int) func(client) client {
	return func(c client) client {
		page := c.list
		c.list = func(ctx context.Context, o options) (*conformance.List, error) {
			l, err := pagesOf(ctx, o, page)
			for tries := 0; tries < anew && apierrors.IsResourceExpired(err); tries++ {
				l, err = pagesOf(ctx, o, page)
			}
			return l, err
		}
		return c
	}
}

func pagesOf(ctx context.Context, o options, page func(context.Context, options) (*conformance.List, error)) (*conformance.List, error) {
	asked := *o.DeepCopy()
	if asked.Limit == 0 {
		asked.Limit = 500
	}
	out := &conformance.List{}
	for {
		l, err := page(ctx, &asked)
		if err != nil {
			return nil, err
		}
		out.ResourceVersion, out.Items = l.ResourceVersion, append(out.Items, l.Items...)
		if l.Continue == "" {
			return out, nil
		}
		asked.Continue, asked.ResourceVersion, asked.ResourceVersionMatch = l.Continue, "", ""
	}
}

// slowly takes its time before each connection but the first.
func slowly(r *http.Request, first bool) int {
	if !first {
		select {
		case <-time.After(2 * time.Second):
		case <-r.Context().Done():
		}
	}
	return 0
}

// telling are bytes of a watch: where they break off, on a new line, they say so.
type telling struct {
	io.ReadCloser
	rest *strings.Reader // what is said in the end
}

// Read implements io.Reader.
func (t *telling) Read(b []byte) (int, error) {
	if t.rest != nil {
		return t.rest.Read(b)
	}
	n, err := t.ReadCloser.Read(b)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		t.rest, err = strings.NewReader("\n"+`{"type":"ERROR","object":`+string(lastError("the connection broke").Object)+"}\n"), nil
	}
	return n, err
}
