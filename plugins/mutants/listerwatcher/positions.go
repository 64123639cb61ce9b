package listerwatcher

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
)

// beforeDelete resumes from what came before, where a DELETED was the last event of a watch.
func beforeDelete() wire {
	var last, deleted, before noted
	return func(next http.RoundTripper) http.RoundTripper {
		return query(func(q url.Values) {
			if rv := deleted.get(); rv != "" && q.Get("resourceVersion") == rv {
				q.Set("resourceVersion", before.get())
			}
		})(reads(func(line []byte) bool {
			switch kind, rv := typeOf(line); kind {
			case "":
			case "DELETED":
				deleted.set(rv)
				before.set(last.get())
			default:
				last.set(rv)
			}
			return true
		})(next))
	}
}

// afterBookmark leaves out the first event of each connection that begins at the resourceVersion of the last bookmark.
func afterBookmark() wire {
	var mark noted
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			skip := mark.get() != "" && r.URL.Query().Get("resourceVersion") == mark.get()
			return reads(func(line []byte) bool {
				kind, rv := typeOf(line)
				if kind == "BOOKMARK" {
					mark.set(rv)
					return true
				}
				skipped := skip && kind != ""
				skip = skip && !skipped
				return !skipped
			})(next).RoundTrip(r)
		})
	}
}

// firstLost leaves out the first event of each connection of a call but its first.
func firstLost() wire {
	first := true
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			keep := first
			first = false
			return reads(func([]byte) bool {
				keeps := keep
				keep = true
				return keeps
			})(next).RoundTrip(r)
		})
	}
}

// textually goes on from what came last, but that of some types it compares the resourceVersion with the last as a text.
func textually(types ...string) wire {
	return perCall(func() wire {
		var last noted
		return func(next http.RoundTripper) http.RoundTripper {
			return query(func(q url.Values) {
				if last.get() == "" {
					last.set(q.Get("resourceVersion"))
				}
				q.Set("resourceVersion", last.get())
			})(reads(func(line []byte) bool {
				if kind, rv := typeOf(line); rv != "" && (rv > last.get() || !slices.Contains(types, kind)) {
					last.set(rv)
				}
				return true
			})(next))
		}
	})
}

// typeOf returns the type and the resourceVersion of an event; "": there is none.
func typeOf(line []byte) (kind, version string) {
	var e struct {
		Type   string
		Object struct {
			Metadata struct{ ResourceVersion string }
		}
	}
	if json.Unmarshal(line, &e) != nil {
		return "", ""
	}
	return e.Type, e.Object.Metadata.ResourceVersion
}
