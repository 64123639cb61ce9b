package listerwatcher

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// resuming are clients that resume watches, and have a fault in that.
func resuming() []mutant {
	out := []mutant{
		{name: "resumes-from-start", rule: "resume/version", about: "each connection begins where the first did", wire: remembers("resourceVersion")},
		{name: "resumes-too-late", rule: "resume/version", about: "each connection begins at one resourceVersion more", wire: query(func(q url.Values) {
			if n, err := strconv.Atoi(q.Get("resourceVersion")); err == nil {
				q.Set("resourceVersion", strconv.Itoa(n+1))
			}
		})},
		{name: "resumes-before-bookmark", rule: "resume/version", about: "bookmarks are asked for, and not read", wire: unmarked},
		{name: "resumes-before-delete", rule: "resume/version", about: "a DELETED does not count: where it is the last event, it comes again", wire: perCall(beforeDelete)},
		{name: "resumes-bookmarks-as-text", rule: "resume/version", about: "a bookmark counts where its resourceVersion is the greater text", wire: textually("BOOKMARK")},
		{name: "resumes-events-as-text", rule: "resume/version", about: "so does an event", wire: textually("ADDED", "MODIFIED", "DELETED")},
		{name: "resumes-in-int16", rule: "resume/version", about: "where a watch goes on is an int16", wire: laterNumbered(asInt16)},
		{name: "resumes-in-int32", rule: "resume/version", about: "it is an int32", wire: laterNumbered(asInt32)},
		{name: "resumes-in-float", rule: "resume/version", about: "it is a float64", wire: laterNumbered(asFloat)},
		{name: "resumes-never", rule: "resume/version", about: "a watch ends with its first connection", wire: onAnswer(func(r *http.Request, first bool) int {
			if !first {
				return http.StatusUnauthorized
			}
			return 0
		})},
		{name: "event-lost-in-pause", rule: "watch/faithful", about: "the third event of a journey is lost", calls: leaves(func(at int, e event) bool { return at == 2 })},
		{name: "event-after-bookmark-lost", rule: "watch/faithful", about: "who resumes from a bookmark misses the first event", wire: perCall(afterBookmark)},
		{name: "event-again", rule: "watch/faithful", about: "the third event of a journey comes twice", calls: doubles(2)},
		{name: "late-dropped-resuming", rule: "watch/faithful", about: "an event that its consumer does not take within 10 ms is dropped", calls: watches(impatient)},
		{name: "state-again", rule: "watch/faithful", about: "a watch that began with the state that there was begins so again", calls: initial, wire: begins(func(began string, q url.Values) {
			if began != atState {
				begin(began, q)
			}
		})},
		{name: "stream-again", rule: "watch/faithful", about: "a streaming list goes on from what came last, and asks for the whole state again", calls: initial, wire: begins(func(began string, q url.Values) {
			if began == atState {
				streams(q)
			}
		})},
		{name: "python-client-819", rule: "resume/version", about: "a watch that began with the state that there was goes on from what came last of it, whatever is newer, and asks for no bookmark", calls: initial, wire: ofLastObject},
		{name: "dotnet-operator-sdk-675", rule: "resume/version", about: "a watch that began with the state that there was begins so again, and hands on what it has not had", calls: func(c client) client { return onlyNew(initial(c)) }, wire: begins(func(began string, q url.Values) {
			begin(began, q)
		})},
		{name: "expired-untold", rule: "resume/expired", about: "a 410 ends the watch without a word", calls: quietly(410)},
		{name: "expired-stays", rule: "resume/expired", about: "a 410 is told, and the watch stays open", calls: watches(func(_ context.Context, w watching) watching {
			told := false
			return next{w, func(ctx context.Context, come coming) (event, bool) {
				e, ok := come(ctx)
				if told = told || e.Type == "ERROR"; !ok && told {
					<-ctx.Done()
				}
				return e, ok
			}}
		})},
		{name: "expired-mistold", rule: "resume/expired", about: "a 410 is told as a 500", calls: alters(func(_ int, e *event) {
			if e.Type == "ERROR" {
				e.Object = json.RawMessage(strings.NewReplacer("410", "500", "Expired", "InternalError", "Gone", "InternalError").Replace(string(e.Object)))
			}
		})},
		{name: "kubernetes-126038", rule: "resume/permanent", about: "what is forbidden is asked for again for ever", wire: recoded(map[int]int{401: 500, 403: 500})},
		{name: "gives-up", rule: "resume/errors", about: "the first 503 is the end", wire: recoded(map[int]int{503: 403})},
		{name: "gives-up-untold", rule: "resume/errors", about: "the fifth refusal is the end, without a word", wire: patient(5), calls: quietly(401)},
		{name: "gives-up-late", rule: "resume/errors", about: "so is the twentieth", wire: patient(20), calls: quietly(401)},
		{name: "hot", rule: "resume/errors", about: "what is refused is asked for again at once, ten times", wire: hot(10, 0)},
		{name: "hot-without-end", rule: "resume/busy-loop", about: "so it is after twenty milliseconds, for as long as that is", wire: hot(math.MaxInt, 20*time.Millisecond)},
		{name: "failed-left-open", rule: "resume/connections", about: "a connection that brought an ERROR stays open until the call ends", wire: leftOpen},
		{name: "unreadable-untold", rule: "resume/unreadable", about: "an event that cannot be gone on from ends the watch without a word", calls: quietly(500)},
		{name: "unreadable-skipped", rule: "resume/unreadable", about: "what cannot be gone on from is skipped", wire: skipping},
		{name: "frame-skipped-resuming", rule: "watch/frame", about: "what cannot be read of a watch is left out, and the rest goes on", wire: skipping},
	}
	for i := range out {
		out[i].of = "retry-watcher"
	}
	return out
}

// quietly keeps ERRORs of a code from the consumer.
func quietly(code int) func(client) client {
	return events(func(_ int, e event) []event {
		var s struct{ Code int }
		if e.Type == "ERROR" && json.Unmarshal(e.Object, &s) == nil && s.Code == code {
			return nil
		}
		return []event{e}
	})
}

// onAnswer has requests refused with a code of its own; 0: they are not. It is told whether they are the first of their call.
func onAnswer(code func(r *http.Request, first bool) int) wire {
	return perCall(func() wire {
		first := true
		return func(next http.RoundTripper) http.RoundTripper {
			return tripper(func(r *http.Request) (*http.Response, error) {
				was := first
				first = false
				if c := code(r, was); c != 0 {
					return refusal(c), nil
				}
				return next.RoundTrip(r)
			})
		}
	})
}

func refusal(code int) *http.Response {
	return &http.Response{StatusCode: code, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":` + strconv.Itoa(code) + `,"reason":"` + reasons[code] + `"}`))}
}

var reasons = map[int]string{401: "Unauthorized", 403: "Forbidden", 500: "InternalError"}

// recoded has some refusals come with another code.
func recoded(codes map[int]int) wire {
	return answering(func(res *http.Response) (*http.Response, error) {
		if code := codes[res.StatusCode]; code != 0 {
			return refusal(code), res.Body.Close()
		}
		return res, nil
	})
}

// hot asks again and again, so often, and with such a pause, for what is refused, or breaks off.
func hot(times int, pause time.Duration) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			for range times {
				res, err := next.RoundTrip(r)
				if err == nil && res.StatusCode < 500 || err != nil && (pause == 0 || r.Context().Err() != nil) {
					return res, err
				}
				if err == nil {
					if err := res.Body.Close(); err != nil {
						return nil, err
					}
				}
				select {
				case <-time.After(pause):
				case <-r.Context().Done():
				}
			}
			return next.RoundTrip(r)
		})
	}
}

// leftOpen closes no connection that brought an ERROR: it ends with its call's context.
func leftOpen(next http.RoundTripper) http.RoundTripper {
	return answering(func(res *http.Response) (*http.Response, error) {
		res.Body = &leaving{ReadCloser: res.Body}
		return res, nil
	})(next)
}

type leaving struct {
	io.ReadCloser
	failed atomic.Bool
}

// Read implements io.Reader.
func (l *leaving) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if bytes.Contains(b[:n], []byte(`"type":"ERROR"`)) {
		l.failed.Store(true)
	}
	return n, err
}

// Close implements io.Closer.
func (l *leaving) Close() error {
	if l.failed.Load() {
		return nil
	}
	return l.ReadCloser.Close()
}

// patient takes the nth refusal of a call that comes from a server in trouble for one that nobody can mend.
func patient(n int) wire {
	return perCall(func() wire {
		refused := 0
		return answering(func(res *http.Response) (*http.Response, error) {
			if res.StatusCode < 500 {
				return res, nil
			}
			if refused++; refused < n {
				return res, nil
			}
			return refusal(http.StatusUnauthorized), res.Body.Close()
		})
	})
}

// answering changes answers.
func answering(f func(*http.Response) (*http.Response, error)) wire {
	return func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			res, err := next.RoundTrip(r)
			if err != nil {
				return res, err
			}
			return f(res)
		})
	}
}
