package watchcache_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
	"github.com/lwtest/lwtest/conformance/watchcache"
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

// BenchmarkRules is each rule alone over a finished replay: deletes, a tenth
// of the answers lost, 8 writers and 4 watchers, the second by label. Events
// are those that the watches brought, which is what most rules read.
func BenchmarkRules(b *testing.B) {
	for _, ops := range []int{10_000, 100_000, 1_000_000} {
		h, err := model.New(model.Options{Seed: 1, Ops: ops, Writers: 8, Watchers: 4, Names: 100, Lost: 0.1, Steady: true})
		if err != nil {
			b.Fatal(err)
		}
		brought := 0
		for _, w := range replay.Of(h).Watches {
			brought += len(w.Events)
		}
		for _, r := range watchcache.Suite.Rules {
			b.Run(fmt.Sprintf("%s/ops=%d", r.Address(), ops), func(b *testing.B) {
				b.ReportAllocs()
				start := cpuTime(b)
				for b.Loop() {
					if j := r.Judge(h); len(j.Bad) > 0 {
						b.Fatal(j.Bad[0])
					}
				}
				report := func(n int, unit string) {
					b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
					b.ReportMetric(float64(n)*float64(b.N)/(cpuTime(b)-start).Seconds(), unit+"/cpu-s")
				}
				report(len(h.Events), "events")
				report(brought, "brought")
			})
		}
	}
}
