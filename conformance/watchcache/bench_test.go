//go:build unix

package watchcache_test

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// cpuTime is the processor time of this process: a machine that others use as
// well tells little by the wall clock.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkJudge is what a history of model.Busy costs in all: it is read, its replay is built, and all rules judge it.
func BenchmarkJudge(b *testing.B) {
	kind := watchcache.Suite.Describe()
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("ops=%d", ops), func(b *testing.B) {
			o := model.Busy(ops)
			events, header := model.Events(o), o.Header()
			header.Features = plainKind // else the rules that need them are left out
			runtime.GC()
			b.ReportAllocs()
			start := cpuTime(b)
			for b.Loop() {
				h, err := history.New(header, events)
				if err != nil {
					b.Fatal(err)
				}
				if r := kind.Judge(harness.Info{}, h); r.Verdict == harness.Fail || r.Events != len(events) {
					b.Fatal(r.Verdict, r.Reason)
				}
			}
			n := float64(len(events)) * float64(b.N)
			b.ReportMetric(n/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(n/(cpuTime(b)-start).Seconds(), "events/cpu-s")
		})
	}
}

// BenchmarkRules is each rule alone over a finished replay of model.Busy; those
// about how a watch goes on, which need watches that end, of model.BusyEnding.
// Events are all of the history, a list's items among them; brought are those
// that the watches brought, which is what most rules read, and items those of
// the lists.
func BenchmarkRules(b *testing.B) {
	going := []string{"watch/from-list", "watch/resumable"}
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		benchRules(b, model.Busy(ops), func(r harness.Rule) bool { return !slices.Contains(going, r.Address()) })
		benchRules(b, model.BusyEnding(ops), func(r harness.Rule) bool { return slices.Contains(going, r.Address()) })
	}
}

func benchRules(b *testing.B, o model.Options, which func(harness.Rule) bool) {
	h, err := model.New(o)
	if err != nil {
		b.Fatal(err)
	}
	brought, items := 0, 0
	for _, w := range replay.Of(h).Watches {
		brought += len(w.Events)
	}
	for _, l := range replay.Of(h).Lists {
		items += len(l.Items)
	}
	for _, r := range watchcache.Suite.Rules {
		if !which(r) {
			continue
		}
		b.Run(fmt.Sprintf("%s/ops=%d", r.Address(), o.Ops), func(b *testing.B) {
			b.ReportAllocs()
			tested, start := 0, cpuTime(b)
			for b.Loop() {
				j := r.Judge(h)
				if tested = j.Tested; len(j.Bad) > 0 {
					b.Fatal(j.Bad[0])
				}
			}
			took := (cpuTime(b) - start).Seconds()
			report := func(n int, unit string) {
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
				b.ReportMetric(float64(n)*float64(b.N)/took, unit+"/cpu-s")
			}
			report(len(h.Events)+items, "events")
			report(brought, "brought")
			report(items, "items")
			b.ReportMetric(float64(tested), "tested")
		})
	}
}
