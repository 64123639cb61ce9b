package kube

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"time"
)

// patient repeats what clears up: a request that is refused for now (429, 5xx)
// or whose connection breaks, until the deadline of its context; one without a
// deadline is sent once. Each of those requests may be made twice: a deletion
// that happened is not found, or is refused by its preconditions. What a drive
// asks never goes this way.
type patient struct{ next http.RoundTripper }

// The pauses between two tries, where the server names none.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = time.Second
)

func (p *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	until, _ := req.Context().Deadline()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		resp, err := p.next.RoundTrip(req)
		wait, again := notNow(resp, err, pause)
		if !again || time.Now().Add(wait).After(until) {
			if resp != nil && again {
				resp.Header.Del("Retry-After") // or client-go waits for it, too, and tells of the deadline instead of this answer
			}
			return resp, err
		}
		next, unread := rewind(req)
		if unread != nil {
			return resp, err
		}
		if resp != nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
			resp.Body.Close()
		}
		if err := sleep(req.Context(), wait); err != nil {
			return nil, err
		}
		req = next
	}
}

// WrappedRoundTripper is how client-go finds what is beneath.
func (p *patient) WrappedRoundTripper() http.RoundTripper { return p.next }

// notNow says whether an answer may be another one later, and when to ask:
// after the pause, or when the server says.
func notNow(resp *http.Response, err error, pause time.Duration) (time.Duration, bool) {
	if err != nil {
		return pause, true
	}
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < http.StatusInternalServerError {
		return 0, false
	}
	after := resp.Header.Get("Retry-After")
	if n, err := strconv.Atoi(after); err == nil {
		return max(time.Duration(n)*time.Second, firstPause), true
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), firstPause), true
	}
	return pause, true
}

// rewind makes the request anew: its body has been read.
func rewind(req *http.Request) (*http.Request, error) {
	next := req.Clone(req.Context())
	if req.GetBody == nil {
		if req.Body == nil || req.Body == http.NoBody {
			return next, nil
		}
		return nil, http.ErrBodyReadAfterClose
	}
	var err error
	next.Body, err = req.GetBody()
	return next, err
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
