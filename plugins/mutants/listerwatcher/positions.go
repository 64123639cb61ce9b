package listerwatcher

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// beforeDelete resumes from what came before, where a DELETED was the last event of a watch.
func beforeDelete(next http.RoundTripper) http.RoundTripper {
	var mu sync.Mutex
	before := map[string]string{} // by the resourceVersion of a DELETED, that of the event before it
	last := ""
	read := reads(func(line []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		var e struct {
			Type   string
			Object struct {
				Metadata struct{ ResourceVersion string }
			}
		}
		if json.Unmarshal(bytes.TrimSpace(line), &e) != nil {
			return true
		}
		if rv := e.Object.Metadata.ResourceVersion; e.Type == "DELETED" {
			before[rv] = last
		} else {
			last = rv
		}
		return true
	})
	return query(func(q url.Values) {
		mu.Lock()
		defer mu.Unlock()
		if rv := before[q.Get("resourceVersion")]; rv != "" {
			q.Set("resourceVersion", rv)
		}
	})(read(next))
}

// afterBookmark leaves out the first event of each connection that begins at the resourceVersion of a bookmark.
func afterBookmark(next http.RoundTripper) http.RoundTripper {
	var mu sync.Mutex
	marks := map[string]bool{}
	return tripper(func(r *http.Request) (*http.Response, error) {
		of := r.URL.Query().Get("labelSelector") // which each call has one of its own of
		mu.Lock()
		skip := marks[of+r.URL.Query().Get("resourceVersion")]
		mu.Unlock()
		return reads(func(line []byte) bool {
			var e struct {
				Type   string
				Object struct {
					Metadata struct{ ResourceVersion string }
				}
			}
			if json.Unmarshal(line, &e) == nil && e.Type == "BOOKMARK" {
				mu.Lock()
				defer mu.Unlock()
				marks[of+e.Object.Metadata.ResourceVersion] = true
				return true
			}
			skipped := skip && e.Type != ""
			skip = skip && !skipped
			return !skipped
		})(next).RoundTrip(r)
	})
}

// firstLost leaves out the first event of each connection of a call but its first.
func firstLost(next http.RoundTripper) http.RoundTripper {
	var mu sync.Mutex
	begun := map[string]bool{}
	return tripper(func(r *http.Request) (*http.Response, error) {
		of := r.URL.Query().Get("labelSelector") // which each call has one of its own of
		mu.Lock()
		lost := !begun[of]
		begun[of] = true
		mu.Unlock()
		return reads(func([]byte) bool {
			keep := lost
			lost = true
			return keep
		})(next).RoundTrip(r)
	})
}

// textually goes on from what came last, but that of some types it compares the resourceVersion with the last as a text.
func textually(types ...string) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		var mu sync.Mutex
		last := map[string]string{}
		return tripper(func(r *http.Request) (*http.Response, error) {
			of := r.URL.Query().Get("labelSelector") // which each call has one of its own of
			return query(func(q url.Values) {
				mu.Lock()
				defer mu.Unlock()
				if last[of] == "" {
					last[of] = q.Get("resourceVersion")
				}
				q.Set("resourceVersion", last[of])
			})(reads(func(line []byte) bool {
				var e struct {
					Type   string
					Object struct {
						Metadata struct{ ResourceVersion string }
					}
				}
				mu.Lock()
				defer mu.Unlock()
				rv := ""
				if json.Unmarshal(line, &e) == nil {
					rv = e.Object.Metadata.ResourceVersion
				}
				if rv != "" && (rv > last[of] || !slices.Contains(types, e.Type)) {
					last[of] = rv
				}
				return true
			})(next)).RoundTrip(r)
		})
	}
}
