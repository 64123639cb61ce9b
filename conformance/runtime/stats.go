package runtime

import (
	"fmt"
	"slices"

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
		Advice:  "Read statistics of every running container in the store, set the time of each reading, and report the cgroup's total CPU time, not a difference.",
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

var statsPods = harness.Rule{
	Clause: harness.Clause{
		ID:      "stats/pods",
		Level:   harness.Must,
		Text:    "The list of statistics of sandboxes has every sandbox that is ready and that its filter lets through, by id or the beginning of one and by all labels together, and no other.",
		Sources: []harness.Source{api("RuntimeService.ListPodSandboxStats"), api("PodSandboxStatsFilter"), inKubelet("stats/cri_stats_provider.go#criStatsProvider.listPodStatsStrictlyFromCRI")},
		Why:     "Eviction and autoscaling see a pod that uses nothing.",
		Advice:  "Take the sandboxes from the store that ListPodSandbox reads, with the same filter. Do not leave out one that has no containers or is from before a restart.",
		Classes: []string{"ListPodSandboxStats OK"},
	},
	Needs: []harness.Feature{PodStats},
	Judge: judgePodStats,
}

func judgePodStats(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("ListPodSandboxStats", "StreamPodSandboxStats") {
		ids, ok := podStatsIn(x)
		if !ok {
			continue
		}
		for _, id := range ids {
			if gone := l.gone(id, x.Num); gone != nil {
				j.Fail("no statistics of a sandbox that was removed", short(id), gone.Return, x.Return)
			}
		}
		f := x.Ask.(interface {
			GetFilter() *runtimeapi.PodSandboxStatsFilter
		}).GetFilter()
		for _, s := range l.sandboxes {
			through := begins(s.id, f.GetId()) && selects(f.GetLabelSelector(), s.config.GetLabels())
			if s.made.Return < x.Num && l.there(s.id, x.Return) && (!through || s.steady(x)) {
				report(&j, x, s.made, s.id, through, slices.Contains(ids, s.id))
			}
		}
	}
	return j
}

// steady reports whether a sandbox was ready all the time of a call, and what each of its containers was did not change: a runtime may
// leave out one whose figures it cannot read at that moment.
func (s *sandboxLife) steady(x *exchange) bool {
	return s.driven && !begunBefore(s.stops, x.Return) && !slices.ContainsFunc(s.containers, func(c *containerLife) bool {
		_, certain := c.stateDuring(x)
		return !certain
	})
}

// podStatsIn are the ids of the sandboxes in a list of statistics.
func podStatsIn(x *exchange) (ids []string, ok bool) {
	var all []*runtimeapi.PodSandboxStats
	switch reply := x.Reply.(type) {
	case *runtimeapi.ListPodSandboxStatsResponse:
		all = reply.GetStats()
	case *runtimeapi.StreamPodSandboxStatsResponse:
		all = reply.GetPodSandboxStats()
	default:
		return nil, false
	}
	for _, s := range all {
		ids = append(ids, s.GetAttributes().GetId())
	}
	return ids, true
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
