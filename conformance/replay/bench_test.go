package replay_test

import (
	"fmt"
	"testing"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/harness/history"
)

// busy is the history that benchmarks use: deletes, a tenth of the answers
// lost, 8 writers and 4 watchers, the second by label.
func busy(ops int) model.Options {
	return model.Options{Seed: 1, Ops: ops, Writers: 8, Watchers: 4, Names: 100, Lost: 0.1, Steady: true}
}

var sizes = []int{10_000, 100_000, 1_000_000}

// perSecond reports how many events were gone through in a second.
func perSecond(b *testing.B, events int) {
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(events), "ns/event")
}

// BenchmarkBuild is the replay alone, over a finished history.
func BenchmarkBuild(b *testing.B) {
	for _, ops := range sizes {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			h, err := model.New(busy(ops))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				replay.Build(h)
			}
			perSecond(b, len(h.Events))
		})
	}
}

// BenchmarkHistory is what a history costs before anything is asked of it.
func BenchmarkHistory(b *testing.B) {
	for _, ops := range sizes {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			events := model.Events(busy(ops))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := history.New(history.Header{Kind: "watchcache", Time: history.VirtualTime}, events); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, len(events))
		})
	}
}
