package listerwatcher

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

type wire = func(http.RoundTripper) http.RoundTripper

type tripper func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// asks changes each request.
func asks(f func(*http.Request)) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			f(r)
			return next.RoundTrip(r)
		})
	}
}

// query changes the parameters of each request.
func query(f func(url.Values)) wire {
	return asks(func(r *http.Request) {
		q := r.URL.Query()
		f(q)
		r.URL.RawQuery = q.Encode()
	})
}

// inDefault asks in the namespace default: /api/v1/namespaces/NAME/configmaps.
func inDefault(r *http.Request) {
	if parts := strings.Split(r.URL.Path, "/"); len(parts) > 4 {
		r.URL.Path = strings.Replace(r.URL.Path, parts[4], "default", 1)
	}
}

// nth does something to those requests of each call, counted from 1.
func nth(such func(n int) bool, does wire) wire {
	return perCall(func() wire {
		n := 0
		return either(func(*http.Request) bool { n++; return such(n) }, does)
	})
}

// either does something to some requests.
func either(such func(*http.Request) bool, does wire) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		done := does(next)
		return tripper(func(r *http.Request) (*http.Response, error) {
			if such(r) {
				return done.RoundTrip(r)
			}
			return next.RoundTrip(r)
		})
	}
}

// perCall makes a transport for each call, which is known by a label selector of its own. What it sees is one request after
// the other, and what came of each before the next.
func perCall(does func() wire) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		var mu sync.Mutex
		calls := map[string]http.RoundTripper{}
		return tripper(func(r *http.Request) (*http.Response, error) {
			of := r.URL.Query().Get("labelSelector")
			mu.Lock()
			if calls[of] == nil {
				calls[of] = does()(next)
			}
			call := calls[of]
			mu.Unlock()
			return call.RoundTrip(r)
		})
	}
}

// noted is a text that may be read and written at once.
type noted struct {
	mu sync.Mutex
	is string
}

func (n *noted) set(to string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.is = to
}

func (n *noted) get() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.is
}

// loses leaves a parameter out.
func loses(name string) wire { return query(func(q url.Values) { q.Del(name) }) }

// unless sets a parameter that a request does not have.
func unless(name, to string) wire {
	return query(func(q url.Values) {
		if !q.Has(name) {
			q.Set(name, to)
		}
	})
}

func isWatch(r *http.Request) bool { return r.URL.Query().Has("watch") }

func isList(r *http.Request) bool { return !isWatch(r) }

// again asks at once again what was refused for now.
func again(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		res, err := next.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable {
			return res, err
		}
		if err := res.Body.Close(); err != nil {
			return nil, err
		}
		return next.RoundTrip(r)
	})
}

// following asks again, when it is told to, what was refused for now, until it is not.
func following(next http.RoundTripper) http.RoundTripper {
	return tripper(func(r *http.Request) (*http.Response, error) {
		for {
			res, err := next.RoundTrip(r)
			if err != nil || res.StatusCode != http.StatusTooManyRequests && res.StatusCode < http.StatusInternalServerError {
				return res, err
			}
			seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
			if err != nil {
				return res, nil
			}
			if err := res.Body.Close(); err != nil {
				return nil, err
			}
			select {
			case <-time.After(time.Duration(seconds) * time.Second):
			case <-r.Context().Done():
				return nil, r.Context().Err()
			}
		}
	})
}

// skipping leaves out what it cannot read of a watch, or has no resourceVersion, and goes on.
func skipping(next http.RoundTripper) http.RoundTripper {
	return reads(func(line []byte) bool {
		var e struct{ Type string }
		return json.Unmarshal(line, &e) == nil && slices.Contains([]string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}, e.Type) &&
			!strings.Contains(string(line), `"object":null`) && (e.Type == "ERROR" || strings.Contains(string(line), `"resourceVersion":`))
	})(next)
}

// without leaves out what has a word in it.
func without(word string) func([]byte) bool {
	return func(line []byte) bool { return !bytes.Contains(line, []byte(word)) }
}

// reads leaves lines out of watches, each an event in JSON.
func reads(keeps func(line []byte) bool) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err == nil && isWatch(r) {
				res.Body = &readable{res.Body, keeps, bufio.NewReader(res.Body), bytes.Buffer{}}
			}
			return res, err
		})
	}
}

// readable is what is kept of a stream of events in JSON, each on a line.
type readable struct {
	io.Closer
	keeps func([]byte) bool
	from  *bufio.Reader
	next  bytes.Buffer
}

// Read implements io.Reader.
func (r *readable) Read(b []byte) (int, error) {
	for r.next.Len() == 0 {
		line, err := r.from.ReadBytes('\n')
		if r.keeps(line) {
			r.next.Write(line)
		}
		if err != nil && r.next.Len() == 0 {
			return 0, err
		}
	}
	return r.next.Read(b)
}
