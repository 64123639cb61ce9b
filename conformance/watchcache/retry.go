package watchcache

import (
	"context"
	"errors"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

const (
	retries      = 5                // of one request, at most
	retryLongest = 10 * time.Second // a longer Retry-After is not waited for
)

// do makes a request at a turn of its actor. An answer that says when to ask
// again is no answer to what was asked: it is asked again then, each time as a
// call of its own. It gives the last call's number and answer.
func (d *driver) do(c harness.Call, f func(context.Context) (harness.Answer, error)) (int32, harness.Answer) {
	c = d.asked(c)
	for n := 0; ; n++ {
		var pause time.Duration
		d.turn(c.Actor)
		var limit time.Duration
		if d.hurry != nil {
			limit = d.hurry(c.Actor)
		}
		num, a := d.t.Do(c, func(ctx context.Context) harness.Answer {
			if limit > 0 {
				var stop context.CancelFunc
				ctx, stop = context.WithTimeout(ctx, limit)
				defer stop()
			}
			a, err := f(ctx)
			if limit > 0 { // an answer that comes all the same is not read any more
				return harness.Answer{Err: &history.Error{Msg: "the caller has given up"}}
			}
			if err != nil {
				if !d.once {
					pause = retryAfter(err)
				}
				return d.refused(err)
			}
			return a
		})
		if pause == 0 || n == retries || d.t.Context().Err() != nil {
			return num, a
		}
		d.t.Sleep(pause)
	}
}

// retryAfter is what an error asks a client to wait before it asks again; 0: it does not.
func retryAfter(err error) time.Duration {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return 0
	}
	status := s.Status()
	if !comesBack(&status) {
		return 0
	}
	if pause := time.Duration(status.Details.RetryAfterSeconds) * time.Second; pause <= retryLongest {
		return pause
	}
	return 0
}

// comesBack says whether a refusal asks the client to come back: nothing has been done.
func comesBack(s *metav1.Status) bool {
	return (s.Code == http.StatusTooManyRequests || s.Code == http.StatusServiceUnavailable) && s.Details != nil && s.Details.RetryAfterSeconds > 0
}
