package listerwatcher

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
)

// A RetryWatcher begins at a resourceVersion alone. Such a one stands for each other beginning, which its first request asks
// with instead.
const (
	atAny   = "900000001" // resourceVersion 0
	atMost  = "900000002" // none
	atState = "900000003" // a streaming list
)

// initial begins watches as their caller says.
func initial(c client) client {
	right := c.watch
	c.watch = func(ctx context.Context, o options) (watching, error) {
		asked := *o.DeepCopy()
		switch {
		case o.SendInitialEvents != nil && *o.SendInitialEvents && o.ResourceVersion == "":
			asked.ResourceVersion = atState
		case o.ResourceVersion == "":
			asked.ResourceVersion = atMost
		case o.ResourceVersion == "0":
			asked.ResourceVersion = atAny
		}
		return right(ctx, &asked)
	}
	return c
}

// begins are the requests of such watches: those after the first of a call are changed by again, which is told how it began.
func begins(again func(began string, q url.Values)) wire {
	return perCall(func() wire {
		began := ""
		return query(func(q url.Values) {
			if rv := q.Get("resourceVersion"); begin(rv, q) {
				began = rv
			} else if began != "" {
				again(began, q)
			}
		})
	})
}

// ofLastObject asks for bookmarks only where they are a must: of a state that there was without one only objects tell.
func ofLastObject(next http.RoundTripper) http.RoundTripper {
	return begins(func(string, url.Values) {})(query(func(q url.Values) {
		if !q.Has("sendInitialEvents") {
			q.Del("allowWatchBookmarks")
		}
	})(next))
}

// onlyNew hands on no state of an object twice.
func onlyNew(c client) client {
	return watches(func(_ context.Context, w watching) watching {
		had := map[string]string{}
		return next{w, func(ctx context.Context, come coming) (event, bool) {
			for {
				e, ok := come(ctx)
				var of struct {
					Metadata struct{ Namespace, Name, ResourceVersion string }
				}
				if !ok || e.Type == "BOOKMARK" || json.Unmarshal(e.Object, &of) != nil {
					return e, ok
				}
				key := of.Metadata.Namespace + "/" + of.Metadata.Name
				if had[key] != of.Metadata.ResourceVersion {
					had[key] = of.Metadata.ResourceVersion
					return e, ok
				}
			}
		}}
	})(c)
}

// newestKey is the key of the highest resourceVersion that came of a watch, in the context of its requests.
type newestKey struct{}

// notesNewest notes the highest resourceVersion that comes of each watch, for fromNewest.
func notesNewest(c client) client {
	right := c.watch
	c.watch = func(ctx context.Context, o options) (watching, error) {
		newest := new(atomic.Uint64)
		w, err := right(context.WithValue(ctx, newestKey{}, newest), o)
		if err != nil {
			return nil, err
		}
		return next{w, func(ctx context.Context, come coming) (event, bool) {
			e, ok := come(ctx)
			var of struct {
				Metadata struct {
					ResourceVersion uint64 `json:",string"`
				}
			}
			if ok && json.Unmarshal(e.Object, &of) == nil {
				newest.Store(max(newest.Load(), of.Metadata.ResourceVersion))
			}
			return e, ok
		}}, nil
	}
	return c
}

// fromNewest goes on from the highest resourceVersion that came: the objects that a watch begins with have no order.
func fromNewest(next http.RoundTripper) http.RoundTripper {
	return begins(func(string, url.Values) {})(asks(func(r *http.Request) {
		newest, ok := r.Context().Value(newestKey{}).(*atomic.Uint64)
		q := r.URL.Query()
		if rv, err := strconv.ParseUint(q.Get("resourceVersion"), 10, 64); ok && err == nil && rv > 0 && rv < newest.Load() {
			q.Set("resourceVersion", strconv.FormatUint(newest.Load(), 10))
			r.URL.RawQuery = q.Encode()
		}
	})(next))
}

// begin asks with what a resourceVersion stands for; false: it stands for itself.
func begin(rv string, q url.Values) bool {
	switch rv {
	case atAny:
		q.Set("resourceVersion", "0")
	case atMost:
		q.Del("resourceVersion")
	case atState:
		q.Del("resourceVersion")
		streams(q)
	default:
		return false
	}
	return true
}

func streams(q url.Values) {
	q.Set("sendInitialEvents", "true")
	q.Set("resourceVersionMatch", "NotOlderThan")
}
