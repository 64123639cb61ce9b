package rig

import (
	"fmt"
	"slices"
	"time"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// So many failures in so short a time are a busy loop, whatever pauses are between them.
const (
	BusyFailures = 100
	BusyTime     = 10 * time.Second
)

// BusyRow is the last requests of a client in a row that failed.
type BusyRow struct{ last []failure }

type failure struct {
	call *history.Event
	what string
}

// Fail adds a request that failed, and what such requests are called, in the plural. If the row is a busy loop with it, it adds a finding
// and reports so.
func (b *BusyRow) Fail(x *Exchange, what string, j *harness.Judgement) bool {
	b.last = append(b.last, failure{x.Call, what})
	n := len(b.last) - 1 - BusyFailures
	if n < 0 {
		return false
	}
	first := b.last[n].call
	took := time.Duration(x.Call.At - first.At)
	if took >= BusyTime {
		return false
	}
	if slices.ContainsFunc(b.last[n:], func(f failure) bool { return f.what != what }) {
		what = "requests"
	}
	j.Fail(fmt.Sprintf("fewer than %d failures in %s", BusyFailures, BusyTime),
		fmt.Sprintf("%d %s in %s", BusyFailures, what, took.Round(time.Millisecond)), first.Num, x.Call.Num)
	return true
}

// IdleConnections is how many connections of a client may carry nothing while it opens another. A pool uses one of those instead.
const IdleConnections = 8

// AbandonedAfter is for how many seconds a connection carries nothing before it is one that nobody uses any more, nor closes: Node's pool
// closes one after four.
const AbandonedAfter = 5

// JudgeIdle adds a finding if a client, whose requests over HTTP these are, opens a connection while too many others have carried nothing for
// some seconds. A client may have two pools, for lists and for watches, each with as many connections as it ever had requests at once.
func JudgeIdle(requests []*Exchange, seconds int, j *harness.Judgement) {
	if len(requests) <= IdleConnections || requests[0].Asked.URI == "" {
		return
	}
	j.Tested++
	var open []*Exchange
	most := 0
	for _, x := range requests {
		open = slices.DeleteFunc(open, func(o *Exchange) bool { return o.Over != nil && o.Over.Num < x.Call.Num })
		open = append(open, x)
		most = max(most, len(open))
		idle := 0
		for _, s := range x.Asked.Idle {
			if s >= seconds {
				idle++
			}
		}
		if idle >= max(IdleConnections, 2*most) {
			j.Fail("a connection that carries nothing is used again, or closed",
				fmt.Sprintf("%d that have carried nothing for %s, and the client opens another", idle, time.Duration(seconds)*time.Second), x.Call.Num)
			return
		}
	}
}
