package mutants

import (
	"bytes"
	"io"
	"net/http"
)

// LeavesRefused reads an answer that is an error up to its last byte, and never closes it: its connection carries nothing any more.
func LeavesRefused(next http.RoundTripper) http.RoundTripper { return leaving{next} }

type leaving struct{ http.RoundTripper }

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
	res.ContentLength--
	res.Body = io.NopCloser(bytes.NewReader(b))
	return res, nil
}
