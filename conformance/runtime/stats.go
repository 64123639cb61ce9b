package runtime

import (
	"fmt"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var statsRunning = harness.Rule{
	Clause: harness.Clause{
		ID:      "stats/running",
		Level:   harness.Must,
		Text:    "The list of statistics has every container that runs, and none that was removed. The statistics of a container have times above 0, in a list and alone, and its CPU time does not go back.",
		Sources: []harness.Source{api("RuntimeService.ListContainerStats"), inKubelet("stats/cri_stats_provider.go#criStatsProvider.listPodStats")},
		Why:     "Eviction and autoscaling see less than what is used.",
		Classes: []string{"ListContainerStats OK"},
	},
	Needs: []harness.Feature{Stats},
	Judge: judgeStats,
}

func judgeStats(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	cpu := map[string][]usage{}
	for _, x := range recordOf(h).of("ListContainerStats", "ContainerStats") {
		all, ok := statsIn(x)
		if !ok {
			continue
		}
		in := map[string]bool{}
		for _, s := range all {
			id := s.GetAttributes().GetId()
			in[id] = true
			c, _ := l.byID[id].(*containerLife)
			used := s.GetCpu().GetUsageCoreNanoSeconds().GetValue()
			switch before := usedBefore(cpu[id], x.Num); {
			case l.gone(id, x.Num) != nil:
				j.Fail("no statistics of a container that was removed", short(id), l.gone(id, x.Num).Return, x.Return)
			case c == nil || !c.runs(x): // one that has ended may be listed, and uses nothing
			case s.GetCpu().GetTimestamp() <= 0 || s.GetMemory().GetTimestamp() <= 0:
				j.Fail("times above 0", fmt.Sprintf("cpu %d, memory %d", s.GetCpu().GetTimestamp(), s.GetMemory().GetTimestamp()), x.Num, x.Return)
			case used < before:
				j.Fail(fmt.Sprintf("a CPU time of at least %d", before), fmt.Sprint(used), x.Num, x.Return)
			default:
				cpu[id] = append(cpu[id], usage{x.Return, used})
			}
		}
		for _, c := range l.containers {
			if x.ID == "" && c.made.Return < x.Num && l.there(c.id, x.Return) && c.runs(x) && c.selected(statsFilter(x)) {
				if j.Tested++; !in[c.id] {
					j.Fail("statistics of "+c.made.Key+", which runs", "none", c.made.Return, x.Return)
				}
			}
		}
	}
	return j
}

// statsFilter is the filter of a list of statistics.
func statsFilter(x *exchange) *runtimeapi.ContainerStatsFilter {
	ask, _ := x.Ask.(*runtimeapi.ListContainerStatsRequest)
	return ask.GetFilter()
}

// selected reports whether a filter lets a container through.
func (c *containerLife) selected(f *runtimeapi.ContainerStatsFilter) bool {
	return begins(c.id, f.GetId()) && begins(c.pod.id, f.GetPodSandboxId()) && selects(f.GetLabelSelector(), c.config.GetLabels())
}

// usage is a CPU time that was told.
type usage struct {
	at   int32
	time uint64
}

// usedBefore returns the largest CPU time that was told before an event.
func usedBefore(all []usage, num int32) (most uint64) {
	for _, u := range all {
		if u.at < num {
			most = max(most, u.time)
		}
	}
	return most
}

// statsIn are the statistics of an answer.
func statsIn(x *exchange) ([]*runtimeapi.ContainerStats, bool) {
	switch reply := x.Reply.(type) {
	case *runtimeapi.ListContainerStatsResponse:
		return reply.GetStats(), true
	case *runtimeapi.ContainerStatsResponse:
		return []*runtimeapi.ContainerStats{reply.GetStats()}, true
	}
	return nil, false
}
