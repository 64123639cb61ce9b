package runtime

import (
	"fmt"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var restartKeeps = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/keeps",
		Level:   harness.Must,
		Text:    "Sandboxes and containers outlive the runtime: after it was killed and started again each has its id, a container that runs still runs, since the same time, and its sandbox is READY.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.GetPods"), api("RuntimeService.ListContainers")},
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
		Sources: []harness.Source{api("ContainerStatus"), inKubelet("kubelet_pods.go#Kubelet.convertStatusToAPIStatus")},
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
