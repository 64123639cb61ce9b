package runtime

import (
	"fmt"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var restartKeeps = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/keeps",
		Level:   harness.Must,
		Text:    "Sandboxes and containers outlive the runtime: after it was killed and started again each has its id, a container that runs still runs, since the same time, and its sandbox is READY.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#GetPods"), api("RuntimeService.ListContainers")},
		Why:     "An update of the runtime restarts all pods of the node.",
		Classes: []string{"ContainerStatus after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeRestartKeeps,
}

var restartExit = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/exit",
		Level:   harness.Must,
		Text:    "A container that ends while the runtime is down has its exit code, its reason and the time of its end when that is up again.",
		Sources: []harness.Source{api("ContainerStatus"), inKubelet("kubelet_pods.go#convertStatusToAPIStatus")},
		Why:     "A job that has succeeded is taken for one that has failed, and runs again.",
		Classes: []string{"ContainerStatus after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeRestartExit,
}

// restarts yields, of each container, the last status before the runtime was killed and the first one after it was started again.
func restarts(h *history.History, f func(c *containerLife, was, is *sight, x *exchange)) {
	r := recordOf(h)
	for _, kill := range r.of(evKill) {
		start := doneAfter(r.of(evStart), kill.Num)
		if start == nil {
			return
		}
		for _, c := range livesOf(h).containers {
			var was *sight
			for k := range c.seen {
				if c.seen[k].Return < kill.Num {
					was = &c.seen[k]
				}
			}
			if was == nil || !livesOf(h).there(c.id, start.Return) {
				continue
			}
			f(c, was, c.firstSeen(start.Return), start)
		}
	}
}

// doneAfter returns the first of some calls that was made after an event and succeeded; nil: none.
func doneAfter(all []*exchange, num int32) *exchange {
	for _, x := range all {
		if x.Num > num && x.ok() {
			return x
		}
	}
	return nil
}

func judgeRestartKeeps(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	restarts(h, func(c *containerLife, was, is *sight, x *exchange) {
		if was.status.GetState() != running || !c.work.Runs || begunBefore(c.stops, x.Return) {
			return
		}
		if is == nil || begunBefore(c.stops, is.Return) {
			for _, q := range recordOf(h).of("ContainerStatus") {
				if q.ID == c.id && q.Num > x.Return && q.Err != nil && !lost(q) && l.there(c.id, q.Return) {
					j.Tested++
					j.Fail("the container that ran before", outcome(q), was.Return, q.Return)
				}
			}
			return
		}
		if j.Tested++; is.status.GetState() != running || is.status.GetStartedAt() != was.status.GetStartedAt() {
			j.Fail(fmt.Sprintf("CONTAINER_RUNNING since %d", was.status.GetStartedAt()), fmt.Sprintf("%s since %d", is.status.GetState(), is.status.GetStartedAt()), was.Return, is.Return)
		}
	})
	return j
}

func judgeRestartExit(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	restarts(h, func(c *containerLife, was, is *sight, x *exchange) {
		if is == nil || is.status.GetState() != exited || !c.byItself(*is) || was.status.GetState() != running {
			return
		}
		reason := map[bool]string{true: "Completed", false: "Error"}[c.work.Exit == 0]
		killed := r.of(evKill)[0]
		if c.starts[0].To+timeOf(c.work) < killed.From { // it may have ended before
			return
		}
		if j.Tested++; int(is.status.GetExitCode()) != c.work.Exit || is.status.GetReason() != reason {
			j.Fail(fmt.Sprintf("the exit code %d and the reason %s", c.work.Exit, reason), fmt.Sprintf("%d and %s", is.status.GetExitCode(), is.status.GetReason()), c.starts[0].Num, is.Return)
		}
	})
	return j
}

var streamSame = harness.Rule{
	Clause: harness.Clause{
		ID:      "stream/same",
		Level:   harness.Must,
		Text:    "A streaming list has what the list of the same filter has, each item once, and no message without an item.",
		Sources: []harness.Source{api("RuntimeService.StreamContainers"), inClient("remote_runtime.go#streamContainersV1")},
		Why:     "A kubelet that streams sees other containers than one that lists.",
		Classes: []string{"StreamContainers OK"},
	},
	Needs: []harness.Feature{StreamingLists},
	Judge: judgeStreams,
}

func judgeStreams(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("StreamContainers") {
		reply, ok := x.Reply.(*runtimeapi.StreamContainersResponse)
		if !ok {
			if !lost(x) {
				j.Tested++
				j.Fail("a stream that ends without an error", outcome(x), x.Num, x.Return)
			}
			continue
		}
		j.Tested++
		for _, c := range reply.GetContainers() {
			if c.GetId() == emptyMessage {
				j.Fail("at least one item in each message", "none", x.Num, x.Return)
			}
		}
		judgeItems(&j, l, x)
	}
	return j
}

var statsRunning = harness.Rule{
	Clause: harness.Clause{
		ID:      "stats/running",
		Level:   harness.Must,
		Text:    "The list of statistics has every container that runs, and none that was removed. Each has a time above 0, and its CPU time does not go back.",
		Sources: []harness.Source{api("RuntimeService.ListContainerStats"), inKubelet("stats/cri_stats_provider.go#listPodStats")},
		Why:     "Eviction and autoscaling see less than what is used.",
		Classes: []string{"ListContainerStats OK"},
	},
	Needs: []harness.Feature{Stats},
	Judge: judgeStats,
}

func judgeStats(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	cpu := map[string]uint64{}
	for _, x := range recordOf(h).of("ListContainerStats") {
		reply, ok := x.Reply.(*runtimeapi.ListContainerStatsResponse)
		if !ok {
			continue
		}
		in := map[string]bool{}
		for _, s := range reply.GetStats() {
			id := s.GetAttributes().GetId()
			in[id] = true
			c, _ := l.byID[id].(*containerLife)
			switch used := s.GetCpu().GetUsageCoreNanoSeconds().GetValue(); {
			case l.gone(id, x.Num) != nil:
				j.Fail("no statistics of what was removed", short(id), l.gone(id, x.Num).Return, x.Return)
			case c == nil || !c.runs(x): // one that has ended may be listed, and uses nothing
			case s.GetCpu().GetTimestamp() <= 0 || s.GetMemory().GetTimestamp() <= 0:
				j.Fail("times above 0", fmt.Sprintf("cpu %d, memory %d", s.GetCpu().GetTimestamp(), s.GetMemory().GetTimestamp()), x.Num, x.Return)
			case used < cpu[id]:
				j.Fail(fmt.Sprintf("a CPU time of at least %d", cpu[id]), fmt.Sprint(used), x.Num, x.Return)
			default:
				cpu[id] = used
			}
		}
		for _, c := range l.containers {
			if c.made.Return < x.Num && l.there(c.id, x.Return) && c.runs(x) {
				if j.Tested++; !in[c.id] {
					j.Fail("statistics of "+c.made.Key+", which runs", "none", c.made.Return, x.Return)
				}
			}
		}
	}
	return j
}
