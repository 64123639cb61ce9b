package mutants

import (
	"bytes"
	"io"
	"net/http"
	"time"
)

// LeavesRefused reads an answer that is an error up to its last byte, and closes it so long after, or never if that is 0. Until then its
// connection is open, and carries nothing.
func LeavesRefused(long time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return leaving{next, long} }
}

type leaving struct {
	http.RoundTripper
	long time.Duration
}

// RoundTrip implements http.RoundTripper.
func (l leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.RoundTripper.RoundTrip(r)
	if err != nil || res.StatusCode < 400 || res.ContentLength < 2 {
		return res, err
	}
	b := make([]byte, res.ContentLength-1) // the last is the end of a line
	if _, err := io.ReadFull(res.Body, b); err != nil {
		return nil, err
	}
	if body := res.Body; l.long > 0 {
		time.AfterFunc(l.long, func() { _ = body.Close() }) // what it says is of no use any more
	}
	res.ContentLength--
	res.Body = io.NopCloser(bytes.NewReader(b))
	return res, nil
}
