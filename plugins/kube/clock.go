package kube

import (
	"net/http"
	"sync/atomic"
	"time"
)

// clock tells the time of the API server, from the Date of its answers, give or
// take a second. Heartbeats are written and read by it: two machines whose
// clocks differ by minutes must not take each other's runs for dead.
type clock struct{ ahead atomic.Int64 } // of ours, in ns

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// wrap reads the Date of each answer that passes.
func (c *clock) wrap(next http.RoundTripper) http.RoundTripper { return &dated{next, c} }

type dated struct {
	next  http.RoundTripper
	clock *clock
}

func (d *dated) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := d.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		d.clock.ahead.Store(int64(time.Until(t)))
	}
	return resp, nil
}

// WrappedRoundTripper is how client-go finds what is beneath.
func (d *dated) WrappedRoundTripper() http.RoundTripper { return d.next }
