package replay

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	exact "k8s.io/apimachinery/pkg/util/json"

	"github.com/lwtest/lwtest/harness/history"
)

// Refusal is what a Status says beside code, reason and message. A history
// keeps it as the body of the answer, or of the ERROR event.
type Refusal struct {
	Causes     []Cause `json:"causes,omitempty"`
	RetryAfter int32   `json:"retryAfterSeconds,omitempty"`
	Continue   string  `json:"continue,omitempty"` // a token to go on with, as opaque as others
	RV         string  `json:"resourceVersion,omitempty"`
}

// Cause is one thing that is wrong with a request.
type Cause struct {
	Reason string `json:"reason,omitempty"`
	Msg    string `json:"message,omitempty"`
	Field  string `json:"field,omitempty"`
}

// RefusalOf reads the body of an answer; the zero value where there is none.
func RefusalOf(e *history.Event) Refusal {
	var r Refusal
	if e.X != nil && e.X.Body != nil && e.X.Err != nil {
		_ = exact.Unmarshal(e.X.Body, &r) // unreadable: it says nothing
	}
	return r
}

// TooLarge says that the refusal names what client-go looks for: the
// resourceVersion is one that this server has not seen yet.
func (r Refusal) TooLarge() bool {
	for _, c := range r.Causes {
		if c.Reason == string(metav1.CauseTypeResourceVersionTooLarge) {
			return true
		}
	}
	return false
}

// Retriable says that the same request may succeed later: the server says
// when to try again, or that it or something behind it did not get to it.
func Retriable(err *history.Error, r Refusal) bool {
	switch err.Code {
	case 429, 503, 504:
		return true
	}
	return r.RetryAfter > 0
}
