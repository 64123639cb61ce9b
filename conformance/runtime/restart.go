package runtime

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

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
		Advice:  "Run containers under a parent that outlives the runtime, save ids, configs and start times before you answer, and take them over when the runtime starts.",
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
		Advice:  "Let the process's parent (a shim or monitor) write exit code and time to disk, and read them when the runtime starts, before it answers any call.",
		Classes: []string{"ContainerStatus after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeRestartExit,
}

var restartStop = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/stop",
		Level:   harness.Must,
		Text:    "After a restart of the runtime a container that runs can be stopped, also if the runtime was killed in the middle of a stop.",
		Sources: []harness.Source{api("RuntimeService.StopContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.killContainer")},
		Why:     "The pod stays Terminating until the node is started anew.",
		Advice:  "When the runtime starts, reconnect to running containers, and treat one that was being stopped as running, so that its next stop begins anew.",
		Classes: []string{"StopContainer after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeRestartStop,
}

var restartStart = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/start",
		Level:   harness.Must,
		Text:    "After a restart of the runtime a container that was created before can be started, or it can be removed and created again.",
		Sources: []harness.Source{api("RuntimeService.CreateContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer")},
		Why:     "The name stays taken, and the pod waits for ever.",
		Advice:  "When the runtime starts, load containers that were created but not yet started. If one cannot be started any more, let RemoveContainer clear it and free its name.",
		Classes: []string{"StartContainer after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeRestartStart,
}

var restartHalf = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/half",
		Level:   harness.Must,
		Text:    "What a call has left in whose middle the runtime was killed is listed after the restart, or not there: the name of the sandbox or the container is free again, or what has it is in a list, and can be removed. The same holds if the call had succeeded before the kill.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_gc.go#containerGC.evictSandboxes"), inKubelet("kuberuntime/kuberuntime_sandbox.go#kubeGenericRuntimeManager.createPodSandbox"), api("RuntimeService.ListPodSandbox"), api("RuntimeService.RunPodSandbox")},
		Why:     "A kubelet removes what it sees. A name that is taken by something else keeps its pod from starting for ever, and what nobody sees runs for ever.",
		Advice:  "Save the name before anything is made. When the runtime starts, list what is half made so that it can be removed, or undo it and free its name.",
		Classes: []string{"RunPodSandbox after a restart"},
	},
	Needs: []harness.Feature{Restart},
	Judge: judgeHalf,
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

func judgeRestartStop(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, start := range r.of(evStart) {
		for _, c := range l.containers {
			x := firstAfter(c.stops, start.Return)
			if x == nil || !start.ok() || x.Method != "StopContainer" || c.made.Return > start.Num || !c.work.Runs || len(c.starts) == 0 || !c.starts[0].ok() || c.starts[0].Return > start.Num || !l.there(c.id, x.Return) || r.killed(start.Num, x.Return) || lost(x) || x.Err != nil && x.To-x.From > graceOf(x)+patience-time.Second {
				continue
			}
			s := c.firstSeen(x.Return)
			switch j.Tested++; {
			case x.Err != nil:
				j.Fail("success", outcome(x), start.Return, x.Return)
			case s != nil && s.status.GetState() != exited && firstAfter(c.starts, x.Num) == nil:
				j.Fail("a container that has ended, after it was stopped", s.status.GetState().String(), x.Return, s.Return)
			}
		}
	}
	return j
}

// firstAfter returns the first of some calls that was made after an event and has returned; nil: none.
func firstAfter(all []*exchange, num int32) *exchange {
	for _, x := range all {
		if x.Num > num && x.Return > 0 {
			return x
		}
	}
	return nil
}

func judgeRestartStart(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, restart := range r.of(evStart) {
		for _, c := range l.containers {
			x := firstAfter(c.starts, restart.Return)
			if x == nil || !restart.ok() || c.starts[0] != x || c.made.Return > restart.Num || c.work.Missing || begunBefore(c.stops, x.Return) || r.killed(restart.Num, x.Return) || lost(x) {
				continue
			}
			anew := func(y *exchange) bool { return y.Num > x.Return && y.ok() && y.Key == c.made.Key }
			switch {
			case x.ok() || slices.ContainsFunc(r.of("CreateContainer"), anew):
				j.Tested++
			case c.cannotBeAnew(r):
				j.Tested++
				j.Fail("a start, or a container that is created anew", outcome(x), restart.Return, x.Return)
			}
		}
	}
	return j
}

// cannotBeAnew reports whether somebody has tried to remove a container and to create it again, and was refused.
func (c *containerLife) cannotBeAnew(r *record) bool {
	refused := func(x *exchange) bool { return x.Err != nil && !lost(x) }
	return slices.ContainsFunc(c.removals, refused) || slices.ContainsFunc(r.of("CreateContainer"), func(x *exchange) bool {
		return refused(x) && x.Key == c.made.Key && doneBefore(c.removals, x.Num) != nil && !begunBefore(c.pod.stops, x.Return)
	})
}

// listsAll reports whether an answer lists everything of the kind that a call makes, whatever its state.
func listsAll(h *history.History, list, x *exchange) bool {
	switch ask := list.Ask.(type) {
	case *runtimeapi.ListPodSandboxRequest:
		f := ask.GetFilter()
		return list.ok() && x.Method == "RunPodSandbox" && f.GetState() == nil && f.GetId() == "" && (driven(h) || len(f.GetLabelSelector()) == 0)
	case *runtimeapi.ListContainersRequest:
		f := ask.GetFilter()
		return list.ok() && x.Method == "CreateContainer" && f.GetState() == nil && f.GetId() == "" && f.GetPodSandboxId() == "" && (driven(h) || len(f.GetLabelSelector()) == 0)
	}
	return false
}

// hasName reports whether a list has something of the name of what a call makes.
func hasName(list, x *exchange) bool {
	switch ask := x.Ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		reply, _ := list.Reply.(*runtimeapi.ListPodSandboxResponse)
		return slices.ContainsFunc(reply.GetItems(), func(s *runtimeapi.PodSandbox) bool {
			return proto.Equal(s.GetMetadata(), ask.GetConfig().GetMetadata())
		})
	case *runtimeapi.CreateContainerRequest:
		return namedIn(list, ask.GetPodSandboxId(), ask.GetConfig().GetMetadata()) > 0
	}
	return false
}

// unlisted reports whether a list, after a call that may have run a sandbox and before an event, has nothing of its name.
func (r *record) unlisted(x *exchange, num int32) bool {
	return x.Return > 0 && slices.ContainsFunc(r.of("ListPodSandbox"), func(list *exchange) bool {
		return list.Num > x.Return && list.Return < num && listsAll(r.h, list, x) && !hasName(list, x)
	})
}

func judgeHalf(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	for _, x := range r.of("RunPodSandbox", "CreateContainer") {
		half, fast := x.vague() && x.Return > 0 && r.killed(x.Num, x.Return), x.ok() && driven(h) // a fast runtime has answered before it was killed
		if !half && !fast {
			continue
		}
		if start := doneAfter(r.of(evStart), x.Num); start != nil {
			r.judgeName(x, start, &j)
		}
	}
	r.judgeAdopted(&j)
	return j
}

// judgeName judges the first call, after a restart, for the name of what a call was to make in which the runtime was killed.
func (r *record) judgeName(x, start *exchange, j *harness.Judgement) {
	for _, y := range r.of(x.Method) {
		if y.Num < start.Return || !sameName(x, y) {
			continue
		}
		if lost(y) || r.killed(start.Return, y.Return) {
			return
		}
		if !taken(y) {
			j.Tested++
			return
		}
		seen := false
		for _, list := range r.of("ListPodSandbox", "ListContainers") {
			if list.Num < start.Return || !listsAll(r.h, list, x) || r.killed(start.Return, list.Return) {
				continue
			}
			if hasName(list, x) {
				j.Tested++
				return
			}
			seen = seen || list.Num > y.Return && !slices.ContainsFunc(r.of("RemovePodSandbox", "RemoveContainer", "StopPodSandbox"), func(z *exchange) bool { return z.Num > start.Return && z.Num < list.Return })
		}
		if seen {
			j.Tested++
			j.Fail("a name that is free again, or what has it in a list", outcome(y), x.Num, y.Return)
		}
		return
	}
}

// judgeAdopted judges the removals of sandboxes that were listed after a restart, and whose ids nobody was answered.
func (r *record) judgeAdopted(j *harness.Judgement) {
	for _, x := range r.of("RemovePodSandbox") {
		if len(r.kills) == 0 || x.Num < r.kills[0] || !driven(r.h) || x.ID == noID || livesOf(r.h).byID[x.ID] != nil || lost(x) || contended(r.h, x) || r.killed(x.Num, x.Return) {
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("a sandbox that was listed can be removed", outcome(x), x.Num, x.Return)
		}
	}
}
