package rig

import (
	"fmt"
	"time"

	"github.com/lwtest/lwtest/harness"
)

// So many failures in so short a time are a busy loop, whatever pauses are between them.
const (
	BusyFailures = 100
	BusyTime     = 10 * time.Second
)

// BusyRow is the last requests of a client in a row that failed.
type BusyRow struct{ last []*Exchange }

// Fail adds a request that failed. It reports whether the row is a busy loop with it, and adds a finding then.
func (b *BusyRow) Fail(x *Exchange, j *harness.Judgement) bool {
	b.last = append(b.last, x)
	n := len(b.last) - 1 - BusyFailures
	if n < 0 {
		return false
	}
	first := b.last[n]
	took := time.Duration(x.Call.At - first.Call.At)
	if took >= BusyTime {
		return false
	}
	j.Fail(fmt.Sprintf("fewer than %d failures in %s", BusyFailures, BusyTime),
		fmt.Sprintf("%d requests in %s", BusyFailures, took.Round(time.Millisecond)), first.Call.Num, x.Call.Num)
	return true
}
