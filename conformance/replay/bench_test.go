//go:build unix

package replay_test

import (
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/harness/history"
)

var sizes = []int{10_000, 100_000, 1_000_000}

// clock counts the processor time of this process, the collector's included:
// a machine that others use as well tells little by the wall clock.
type clock struct {
	b     *testing.B
	start time.Duration
}

// startClock lets the collector finish first: what made the history is not counted.
func startClock(b *testing.B) clock {
	runtime.GC()
	return clock{b, cpuTime(b)}
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// perSecond reports how many events were gone through in a second, by either clock.
func (c clock) perSecond(events int) {
	n := float64(events) * float64(c.b.N)
	c.b.ReportMetric(n/c.b.Elapsed().Seconds(), "events/s")
	c.b.ReportMetric(n/(cpuTime(c.b)-c.start).Seconds(), "events/cpu-s")
}

// BenchmarkBuild is the replay alone, over a finished history.
func BenchmarkBuild(b *testing.B) {
	for _, ops := range sizes {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			h, err := model.New(model.Busy(ops))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			c := startClock(b)
			for b.Loop() {
				replay.Build(h)
			}
			c.perSecond(len(h.Events))
		})
	}
}

// BenchmarkHistory is what a history costs before anything is asked of it.
func BenchmarkHistory(b *testing.B) {
	for _, ops := range sizes {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			events := model.Events(model.Busy(ops))
			b.ReportAllocs()
			c := startClock(b)
			for b.Loop() {
				if _, err := history.New(history.Header{Kind: "watchcache", Time: history.VirtualTime}, events); err != nil {
					b.Fatal(err)
				}
			}
			c.perSecond(len(events))
		})
	}
}
