package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var terminationDelete = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/delete",
		Level:   harness.Must,
		Text:    "The agent deletes a pod from the API server with a grace of 0 and its UID as the precondition, and only after all its containers have ended, its sandboxes are stopped, and its phase is Succeeded or Failed. Once that is so it does.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#manager.canBeDeleted"), inKubelet("status/status_manager.go#manager.syncPod"), lifecycle("Termination of Pods")},
		Why:     "A pod that goes too early still runs when its replacement of the same name starts, or its volumes are attached elsewhere. One that never goes holds up its controller, the drain of its node, and its namespace.",
		Advice:  "Delete the pod as the last step: when the runtime says that all has ended and the final phase is written, with a grace of 0 and its UID as the precondition.",
		Classes: []string{"DELETE pods"},
	},
	Judge: promise("termination/delete", judgeDelete),
}

func judgeDelete(t *trace, j *harness.Judgement) {
	for _, q := range t.of("DELETE pods") {
		var o metav1.DeleteOptions
		_ = json.Unmarshal(q.Options, &o) // what cannot be read is empty
		p, pod := t.named(q)
		if p == nil || p.static || p.isReplacement(o.Preconditions, t, q) {
			continue
		}
		j.Tested++
		switch {
		case o.GracePeriodSeconds == nil || *o.GracePeriodSeconds != 0:
			j.Fail("gracePeriodSeconds is 0", "it is not", q.Num)
		case o.Preconditions == nil || o.Preconditions.UID == nil || string(*o.Preconditions.UID) != p.uid:
			j.Fail("the precondition is the UID "+p.uid, "it is not", q.Num)
		case !terminal(pod.Status.Phase):
			j.Fail("the phase is Succeeded or Failed", fmt.Sprintf("it is %q", pod.Status.Phase), q.Num)
		}
		for _, s := range p.sandboxes {
			if !s.twin && s.made.Num < q.Num && (s.notAt == 0 || s.notAt > q.Num) {
				j.Fail("all its sandboxes are stopped", "one is not", s.made.Num, q.Num)
			}
		}
		for _, x := range p.containers() {
			if x.runs() && x.started.Num < q.Num && (x.ended == 0 || x.ended > q.Num) {
				j.Fail("all its containers have ended", "one has not: "+x.name, x.started.Num, q.Num)
			}
		}
	}
}

// isReplacement reports whether a pod has taken the name of one that a deletion is for, by its precondition: that was deleted without a
// grace before, and the deletion does nothing.
func (p *podTrace) isReplacement(c *metav1.Preconditions, t *trace, q *request) bool {
	if c == nil || c.UID == nil || string(*c.UID) == p.uid {
		return false
	}
	was := t.byUID[string(*c.UID)]
	return was != nil && was.key == p.key && slices.ContainsFunc(was.states, func(s state[*v1.Pod]) bool { return s.Deleted && s.Num < q.Num })
}

// named returns the pod that a request is about, and how it was then.
func (t *trace) named(q *request) (*podTrace, *v1.Pod) {
	for _, p := range slices.Backward(t.pods) {
		if p.key != q.Key || len(p.states) == 0 || p.states[0].Num > q.Num {
			continue
		}
		return p, p.at(q.Num)
	}
	return nil, nil
}

func terminal(p v1.PodPhase) bool { return p == v1.PodSucceeded || p == v1.PodFailed }

var terminationGrace = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/grace",
		Level:   harness.Must,
		Text:    "A container of a pod that is deleted is stopped with the grace that is left, and no more: the time that has passed since the deletion, in preStop hooks too, counts. It gets two seconds at least.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.killContainer"), lifecycle("Termination of Pods")},
		Why:     "A program is killed before it has saved its work, or a node waits for one that hangs.",
		Advice:  "Compute the timeout of StopContainer as deletionGracePeriodSeconds less the time since you saw the deletion, preStop hook included, and 2 at least.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeGrace),
}

func judgeGrace(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			for _, c := range x.stops {
				ask, ok := c.Ask.(*runtimeapi.StopContainerRequest)
				if ok && !p.static {
					t.judgeStop(p, x, c, ask.GetTimeout(), j)
				}
			}
		}
	}
}

// minimumGrace is what a container gets in any case, in seconds.
const minimumGrace = 2

func (t *trace) judgeStop(p *podTrace, x *container, c *call, timeout int64, j *harness.Judgement) {
	pod := p.at(c.Num)
	if pod == nil || pod.DeletionGracePeriodSeconds == nil || pod.Spec.TerminationGracePeriodSeconds == nil {
		return
	}
	if t.ownGrace(p, x, c.Num) {
		return
	}
	grace := *pod.DeletionGracePeriodSeconds
	began, longest := p.deleting(c.Num)
	left := grace - int64((c.From-began+time.Second-1)/time.Second)
	most := max(longest-int64(t.inHook(p, x, c.Num)/time.Second), minimumGrace) // what has begun may go on: termination/shorter
	j.Tested++
	switch first := x.stops[0] == c; {
	case timeout > most:
		j.Fail(fmt.Sprintf("a grace of %d seconds at most", most), fmt.Sprintf("%d", timeout), c.Num)
	case first && timeout < min(minimumGrace, grace), first && timeout < left-1:
		j.Fail(fmt.Sprintf("a grace of %d seconds, which are left of %d", max(left, minimumGrace), grace), fmt.Sprintf("%d", timeout), c.Num)
	}
}

// ownGrace reports whether the agent may stop a container with the pod's own grace at an event: for another reason than the deletion of the
// pod, which it need not know of yet, or because all that it knows is that the pod is gone.
func (t *trace) ownGrace(p *podTrace, x *container, num int32) bool {
	return t.restarts(p, x, num) || t.failedProbe(p, x, num) || p.overBefore(x, num) || t.missedDeletion(p, num) || t.did(num, "FILL") > 0 // an eviction has a grace of its own
}

// missedDeletion reports whether a pod had gone from the API server when the agent listed pods, or watched them anew, before an event.
func (t *trace) missedDeletion(p *podTrace, num int32) bool {
	for _, s := range p.states {
		if s.Deleted {
			return slices.ContainsFunc(t.of("LIST pods", "WATCH pods"), func(q *request) bool { return q.Num > s.Num && q.Num < num })
		}
	}
	return false
}

// overBefore reports whether the pod of a container may have been over before an event, by the end of another one that nobody stopped.
func (p *podTrace) overBefore(x *container, num int32) bool {
	return p.endsTogether(num) && slices.ContainsFunc(x.pod.all, func(y *container) bool {
		return y != x && len(y.stops) == 0 && y.runs() && y.ended > 0 && y.ended < num && !isInit(p.at(num), y.name)
	})
}

// failedProbe reports whether a liveness or startup probe of a container may have failed before an event, and before its preStop hook.
func (t *trace) failedProbe(p *podTrace, x *container, num int32) bool {
	c := p.specOf(x)
	if c == nil || c.LivenessProbe == nil && c.StartupProbe == nil {
		return false
	}
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil && c.Lifecycle.PreStop.Exec != nil {
		if hook := t.hook(x, c.Lifecycle.PreStop.Exec.Command); hook != nil {
			num = min(num, hook.Num)
		}
	}
	return t.failedCheck(x, num)
}

// inHook returns how long the preStop hook of a container took, if it had ended before an event.
func (t *trace) inHook(p *podTrace, x *container, num int32) time.Duration {
	c := p.specOf(x)
	if c == nil || c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Exec == nil {
		return 0
	}
	if hook := t.hook(x, c.Lifecycle.PreStop.Exec.Command); hook != nil && hook.Return > 0 && hook.Return < num && p.gone(hook.Num) {
		return hook.To - hook.From
	}
	return 0
}

// deleting returns when the agent could first know that a pod is being deleted, before an event, and the grace of that deletion, which
// later ones only shorten.
func (p *podTrace) deleting(num int32) (at time.Duration, grace int64) {
	for _, s := range p.states {
		if s.Obj.DeletionTimestamp != nil && s.Num < num {
			return s.At, *s.Obj.DeletionGracePeriodSeconds
		}
	}
	return 0, 0
}

var terminationHook = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/pre-stop",
		Level:   harness.Must,
		Text:    "The preStop hook of a container runs, and has ended, before the container is stopped. It counts in the grace.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.executePreStopHook"), page("Container Lifecycle Hooks", "", "concepts/containers/container-lifecycle-hooks.md")},
		Why:     "A program is stopped before it has left its load balancer.",
		Advice:  "Run the preStop hook and wait for its end before StopContainer, for no longer than the grace, and subtract the time that it took from the stop's timeout.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Lifecycle},
	Judge: judged(judgePreStop),
}

func judgePreStop(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || c.Lifecycle == nil || c.Lifecycle.PreStop == nil || c.Lifecycle.PreStop.Exec == nil || len(x.stops) == 0 || !p.gone(x.stops[0].Num) || p.static || t.killedBetween(x.made.Num, x.stops[0].Num) || t.did(x.stops[0].Num, "RUNTIME-FAULT", "CRASH") > 0 {
				continue
			}
			stop, hook := x.stops[0], t.hook(x, c.Lifecycle.PreStop.Exec.Command)
			if hook == nil && p.noGrace(stop.Num) && t.ownGrace(p, x, stop.Num) { // hooks run only in a grace above 0
				continue
			}
			j.Tested++
			switch {
			case hook == nil || hook.Num > stop.Num:
				j.Fail("the preStop hook runs before the container is stopped", "it does not", stop.Num)
			case (hook.Return == 0 || hook.Return > stop.Num) && stop.From-hook.From < graceOf(p.at(stop.Num))-time.Second:
				j.Fail("the preStop hook has ended, or the grace is over, before the container is stopped", "it goes on", hook.Num, stop.Num)
			}
		}
	}
}

// noGrace reports whether the pod's own grace is 0 at an event. That of a deletion is 1 at least for a kubelet.
func (p *podTrace) noGrace(num int32) bool {
	pod := p.at(num)
	return pod != nil && pod.Spec.TerminationGracePeriodSeconds != nil && *pod.Spec.TerminationGracePeriodSeconds == 0
}

// hook returns the first exec of a command in a container; nil: there is none.
func (t *trace) hook(x *container, argv []string) *call {
	for _, c := range t.calls {
		if ask, ok := c.Ask.(*runtimeapi.ExecSyncRequest); ok && c.ID == x.id && slices.Equal(ask.GetCmd(), argv) {
			return c
		}
	}
	return nil
}

var terminationShorter = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/shorter",
		Level:   harness.Should,
		Text:    "A second deletion with a shorter grace ends a pod within that.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.UpdatePod"), lifecycle("Forced Pod termination")},
		Why:     "Nobody can hurry a pod that hangs.",
		Advice:  "When a pod that is ending gets a shorter grace, cancel the hook or the StopContainer that is under way, and stop it again with the shorter timeout.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("termination/shorter", nil),
}

var terminationStuck = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/stuck",
		Level:   harness.Must,
		Text:    "As long as the runtime cannot stop a container, its pod stays in the API server. Once it can, the pod ends.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.SyncTerminatingPod")},
		Why:     "A pod is gone from the API server and runs on, with nobody who knows of it.",
		Advice:  "Pass an error of StopContainer to the pod's worker and retry with a back-off. Delete the pod only when the runtime says that the container has ended.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("termination/stuck", nil),
}

var terminationForce = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/force",
		Level:   harness.Must,
		Text:    "The containers of a pod that is gone from the API server, by a forced deletion, are stopped too.",
		Sources: []harness.Source{inKubelet("kubelet_pods.go#Kubelet.HandlePodCleanups"), lifecycle("Forced Pod termination")},
		Why:     "What was deleted runs on.",
		Advice:  "Compare what the runtime runs with the pods that you know in every cleanup. Stop what has no pod any more, and check that it has ended before you forget it.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("termination/force", nil),
}

var terminationDeadline = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/deadline",
		Level:   harness.Must,
		Text:    "A pod that has run for activeDeadlineSeconds is ended, and is Failed with the reason DeadlineExceeded.",
		Sources: []harness.Source{inKubelet("active_deadline.go#activeDeadlineHandler.ShouldEvict")},
		Why:     "A job that hangs never ends.",
		Advice:  "Compare startTime plus activeDeadlineSeconds with the clock in each sync, and sync when it is due. Then stop all and write Failed with DeadlineExceeded.",
		Classes: []string{"StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("termination/deadline", judgeDeadline),
}

func judgeDeadline(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		t.judgeOverdue(p, j)
		for _, s := range p.states {
			if s.Obj.Status.Reason != "DeadlineExceeded" || t.rewritten(p, s.Num) { // of the new manifest, on the old mirror pod
				continue
			}
			j.Tested++
			d, start := s.Obj.Spec.ActiveDeadlineSeconds, s.Obj.Status.StartTime
			if d == nil || start == nil || s.At < p.states[0].At+time.Duration(*d)*time.Second-time.Second {
				j.Fail("the deadline is over", "it is not", s.Num)
			}
			break
		}
	}
}

// judgeOverdue judges a pod that runs on when its deadline is over.
func (t *trace) judgeOverdue(p *podTrace, j *harness.Judgement) {
	began := slices.IndexFunc(p.states, func(s state[*v1.Pod]) bool {
		return s.Obj.Status.StartTime != nil && s.Obj.Spec.ActiveDeadlineSeconds != nil
	})
	if began < 0 || p.static {
		return
	}
	s := p.states[began]
	late := t.after(s.At + time.Duration(*s.Obj.Spec.ActiveDeadlineSeconds)*time.Second + actsWithin)
	if late == nil || !t.works(s.Num, late.Num) || p.gone(late.Num) || t.begins(p, s.Num, late.Num) && !terminal(p.at(late.Num).Status.Phase) {
		return
	}
	if j.Tested++; !terminal(p.at(late.Num).Status.Phase) {
		j.Fail("a pod ends when its deadline is over", "it is "+string(p.at(late.Num).Status.Phase), s.Num, late.Num)
	}
}

var terminationNotifies = harness.Rule{
	Clause: harness.Clause{
		ID:      "termination/post-start",
		Level:   harness.Must,
		Text:    "A container whose postStart hook fails is killed, and restarted as its policy says.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer"), page("Container Lifecycle Hooks", "", "concepts/containers/container-lifecycle-hooks.md")},
		Why:     "A program runs that was not set up.",
		Advice:  "Check the result of the postStart hook, its exit code too. If it failed, stop the container at once and let the restart policy decide as at any other end.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Lifecycle},
	Judge: promise("termination/post-start", judgePostStart),
}

// actsWithin is how long an agent that works may take to act on what it knows.
const actsWithin = 10 * time.Second

// works reports whether an agent had no trouble from one event to another: it was not killed, and no fault was armed before.
func (t *trace) works(from, to int32) bool {
	return !t.killedBetween(from, to) && t.did(to, "API-FAULT", "REFUSE", "RUNTIME-FAULT", "CRASH", "CONDITIONS") == 0
}

// begins reports whether an agent began to stop something of a pod between two events: that may take long.
func (t *trace) begins(p *podTrace, from, to int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		if ask, ok := c.Ask.(*runtimeapi.ExecSyncRequest); c.Num <= from || c.Num >= to || ok && ask.GetCmd()[0] == "probe" || !ok && !strings.HasPrefix(c.Method, "Stop") {
			return false
		}
		x, ok := t.byID[c.ID].(*container)
		s, _ := t.byID[c.ID].(*sandbox)
		return slices.Contains(p.sandboxes, s) || ok && slices.Contains(p.sandboxes, x.pod)
	})
}

// after returns the first event after some time; nil: none.
func (t *trace) after(at time.Duration) *history.Event {
	i := slices.IndexFunc(t.h.Events, func(e history.Event) bool { return time.Duration(e.At) > at })
	if i < 0 {
		return nil
	}
	return &t.h.Events[i]
}

func judgePostStart(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || c.Lifecycle == nil || c.Lifecycle.PostStart == nil || c.Lifecycle.PostStart.Exec == nil {
				continue
			}
			hook := t.hook(x, c.Lifecycle.PostStart.Exec.Command)
			if hook == nil || exitCode(hook) == 0 {
				continue
			}
			late := t.after(hook.To + actsWithin)
			if late == nil || !t.works(hook.Num, late.Num) {
				continue
			}
			if j.Tested++; (x.ended == 0 || x.ended > late.Num) && !t.begins(p, hook.Num, late.Num) {
				j.Fail(fmt.Sprintf("%s is stopped: its postStart hook failed", x.name), fmt.Sprintf("it runs on %s later", time.Duration(late.At)-hook.To), hook.Num, late.Num)
			}
		}
	}
}
