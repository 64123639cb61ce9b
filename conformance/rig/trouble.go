package rig

import (
	"fmt"
	"strings"
	"time"
)

// trouble is what goes wrong between client and server. Its methods need the lock of the recorder.
type trouble struct {
	last    map[string]mishap // of each namespace that clients ask for, unless a request went well after it
	waiting map[int64]string  // requests without an answer
	hung    map[int64]string  // whose answer does not go on
	watches map[int64]bool    // open watches
}

// mishap is a request that was refused, that broke off, or that a fault struck.
type mishap struct {
	at  time.Time
	why string
}

func (t *trouble) note(e Entry, kind, namespace string) {
	bad := func(why string) { t.last[namespace] = mishap{time.Now(), why} }
	switch e.What {
	case Asked:
		t.waiting[e.Request] = kind
	case Answered:
		delete(t.waiting, e.Request)
		switch {
		case e.Code >= 400 || e.Message != "":
			bad(fmt.Sprintf("a %s was refused", kind))
		case kind == Watch:
			t.watches[e.Request] = true
			delete(t.last, namespace)
		case kind == List:
			delete(t.last, namespace)
		}
	case Sent:
		if e.Code >= 400 || e.Message != "" {
			bad("an error ended a watch")
		}
	case Struck:
		if strings.HasPrefix(e.Does, "wire ") {
			return // the client gets the same
		}
		bad("the fault " + e.Fault + " struck")
		if strings.HasPrefix(e.Does, "stall") || strings.HasPrefix(e.Does, "hang") {
			t.hung[e.Request] = kind
		}
	case Over:
		if e.How == "broken" {
			bad(fmt.Sprintf("a %s broke off", kind))
		}
		delete(t.waiting, e.Request)
		delete(t.hung, e.Request)
		delete(t.watches, e.Request)
	}
}

// watched reports whether a watch is open.
func (r *recorder) watched() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.trouble.watches) > 0
}

// dead counts the connections whose clients do not know that they are dead.
func (d *Driver) dead() int {
	if k, ok := d.Server.(Killer); ok {
		return k.Dead()
	}
	return 0
}

// Idle lets the check's grace pass in virtual time, until nothing moves. It returns why clients cannot have come to rest
// then, or "". Something that went wrong in the second half of the time may still be retried.
func (d *Driver) Idle() string {
	began := time.Now()
	d.T.Idle()
	r := d.record
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case d.accept != nil:
		return "not at rest: connections are refused"
	case d.lags:
		return "not at rest: the second view gets nothing new"
	case d.dead() > 0:
		return "not at rest: a client has not noticed yet that its connection is dead"
	}
	half := time.Since(began) / 2
	for _, m := range r.last {
		if ago := time.Since(m.at); ago < half {
			return fmt.Sprintf("not at rest: %s %s ago, and nothing went well since", m.why, ago.Round(time.Second))
		}
	}
	for _, all := range []map[int64]string{r.waiting, r.hung} {
		for _, kind := range all {
			return fmt.Sprintf("not at rest: a %s waits for its answer", kind)
		}
	}
	return ""
}
