package informer

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/informer"
)

// oddTransports have an HTTP client that asks again by itself.
var oddTransports = []variant{
	{"repeats-3", "resume/too-large", "what is refused with 429, 503 or 504 is asked for three times more, as kube-rs's RetryPolicy does", notGo,
		repeats(3, 500*time.Millisecond, 429, 503, 504)},
	{"repeats-10", "resume/too-large", "what is refused with 429 or 5xx is asked for ten times more, as fabric8's client does", notGo,
		repeats(10, 100*time.Millisecond, 429, 500, 502, 503, 504)},
	{"path-unknown-at-first", "request/allowed", "its first two requests are at a path that does not exist", wiredLists, lost(2)},
}

// notGo does not claim to behave as client-go does.
var notGo = base{streams: true, wire: true, has: append(without(conformance.ClientGoSemantics, conformance.NoticesSilence), conformance.Streams)}

func repeats(times int, pause time.Duration, of ...int) func(*informer) {
	return wraps(func(next http.RoundTripper) http.RoundTripper { return repeating{next, times, pause, of} })
}

// wraps has it ask by HTTP, over a transport of its own.
func wraps(transport func(http.RoundTripper) http.RoundTripper) func(*informer) {
	return func(i *informer) {
		i.config.Server.Direct = nil
		s, err := serverOf(i.config, transport)
		if err != nil {
			panic(err) // the same has gone well once
		}
		i.server.close()
		i.server = s
	}
}

// repeating asks again so often, after pauses that double, or as long as it is told to wait.
type repeating struct {
	http.RoundTripper
	times int
	pause time.Duration
	of    []int
}

// RoundTrip implements http.RoundTripper.
func (r repeating) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		got, err := r.RoundTripper.RoundTrip(req)
		if err != nil || !slices.Contains(r.of, got.StatusCode) {
			return got, err
		}
		pause := r.pause << n
		if s, err := strconv.Atoi(got.Header.Get("Retry-After")); err == nil {
			pause = max(pause, time.Duration(s)*time.Second)
		}
		got.Header.Del("Retry-After") // or the client above asks ten times more, each time
		if n == r.times {
			return got, nil
		}
		_, _ = io.Copy(io.Discard, got.Body)
		_ = got.Body.Close()
		if err := sleep(req.Context(), pause); err != nil {
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
