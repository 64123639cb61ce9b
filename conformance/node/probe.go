package node

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

// exitCode returns the exit code of an exec; 0 if there is none.
func exitCode(c *call) int32 {
	r, ok := c.Reply.(*runtimeapi.ExecSyncResponse)
	if !ok {
		return 0
	}
	return r.GetExitCode()
}

// probes are the probes of a container by the names that stories give them. Their command is `probe NAME`.
func (t *trace) probes(x *container, name string) (all []*call) {
	for _, c := range t.calls {
		if ask, ok := c.Ask.(*runtimeapi.ExecSyncRequest); ok && c.ID == x.id && slices.Equal(ask.GetCmd(), []string{"probe", name}) {
			all = append(all, c)
		}
	}
	return all
}

// namedProbe is a probe by the name that stories give it.
type namedProbe struct {
	name string
	*v1.Probe
}

// probesOf returns the probes that a container has.
func probesOf(c *v1.Container) []namedProbe {
	all := []namedProbe{{"start", c.StartupProbe}, {"live", c.LivenessProbe}, {"ready", c.ReadinessProbe}}
	return slices.DeleteFunc(all, func(p namedProbe) bool { return p.Probe == nil })
}

// probed reports whether a probe succeeded before an event.
func (t *trace) probed(x *container, name string, num int32) bool {
	return inRow(t.probes(x, name), num, (*call).succeeded) > 0
}

// inRow returns how many of some probes in a row came to a result at most, before an event. One without a result does not count.
func inRow(all []*call, num int32, is func(*call) bool) (most int32) {
	n := int32(0)
	for _, q := range all {
		switch {
		case q.Return == 0 || q.Return > num:
		case is(q):
			n++
			most = max(most, n)
		case q.ok() || q.failed():
			n = 0
		}
	}
	return most
}

// succeeded reports whether a probe has succeeded.
func (c *call) succeeded() bool { return c.ok() && exitCode(c) == 0 }

var probeStartup = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/startup",
		Level:   harness.Must,
		Text:    "As long as the startup probe of a container has not succeeded, its other probes do not run, and the container is not started in the status. Once it has, it does not run again.",
		Sources: []harness.Source{inKubelet("prober/worker.go#worker.doProbe"), lifecycle("Container probes")},
		Why:     "A program that takes long to start is killed again and again.",
		Advice:  "Keep `started` false until the startup probe has succeeded, check it before each liveness or readiness probe, and end the startup probe of that container then.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Probes},
	Judge: promise("probe/startup", judgeStartup),
}

func judgeStartup(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || c.StartupProbe == nil {
				continue
			}
			first := successOf(t.probes(x, "start"))
			for _, name := range []string{"live", "ready"} {
				for _, q := range t.probes(x, name) {
					if p.static && t.killedBetween(x.made.Num, q.Num) { // the mirror pod may tell the agent too late how it was
						continue
					}
					if j.Tested++; first == nil || q.Num < first.Return {
						j.Fail("the startup probe has succeeded before another one runs", "it has not", q.Num)
					}
				}
			}
			if first == nil {
				continue
			}
			for _, q := range t.probes(x, "start") {
				if q.Num > first.Return && !t.killedBetween(first.Num, q.Num) {
					j.Fail("the startup probe does not run again", "it does", first.Num, q.Num)
				}
			}
		}
	}
}

// successOf returns the first of some probes that succeeded; nil: none.
func successOf(all []*call) *call {
	for _, q := range all {
		if q.succeeded() {
			return q
		}
	}
	return nil
}

// specOf returns the spec that a container was created from; nil: it is not known.
func (p *podTrace) specOf(x *container) *v1.Container {
	pod := p.at(x.made.Num)
	if pod == nil {
		return nil
	}
	return containerOf(pod, x.name)
}

var probeLiveness = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/liveness",
		Level:   harness.Must,
		Text:    "A container whose liveness or startup probe has failed failureThreshold times in a row, and not before, is stopped, with the grace of the probe if that has one, and restarted as its policy says. An answer that the runtime failed to give is no failure; one that does not come in time is.",
		Sources: []harness.Source{inKubelet("prober/worker.go#worker.doProbe"), inKubelet("kuberuntime/kuberuntime_container.go#setTerminationGracePeriod"), lifecycle("Container probes")},
		Why:     "A program that hangs goes on hanging, or one that works is killed.",
		Advice:  "Count failures in a row per container ID: a timeout is one, an error of the runtime is none. At failureThreshold stop it, with the probe's grace if it has one.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Probes},
	Judge: promise("probe/liveness", judgeLiveness),
}

func judgeLiveness(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c != nil && c.LivenessProbe != nil && len(x.stops) == 0 {
				j.Tested += t.unanswered(x)
			}
			if c == nil || len(x.stops) == 0 || p.gone(x.stops[0].Num) || t.deletes(p.key, 0, x.stops[0].Num) || x.ended > 0 && x.ended < x.stops[0].Num {
				continue
			}
			if c.LivenessProbe == nil && c.StartupProbe == nil || c.Lifecycle != nil || !scripted(c.LivenessProbe, "live") || !scripted(c.StartupProbe, "start") {
				continue
			}
			stop := x.stops[0]
			if t.saysEnd(p, stop.Num) || p.changed(x, stop.Num) || t.rewritten(p, stop.Num) || x.pod.notAt > 0 || t.spoilt(stop.Num) {
				continue
			}
			j.Tested++
			failed := t.failedFor(x, c, stop.Num)
			if failed == nil {
				j.Fail("its probe has failed as often in a row as its threshold says", "it has not", stop.Num)
			} else if ask, ok := stop.Ask.(*runtimeapi.StopContainerRequest); ok && failed.TerminationGracePeriodSeconds != nil && ask.GetTimeout() != max(*failed.TerminationGracePeriodSeconds, minimumGrace) {
				j.Fail(fmt.Sprintf("the grace of the probe, %d seconds", *failed.TerminationGracePeriodSeconds), fmt.Sprint(ask.GetTimeout()), stop.Num)
			}
		}
	}
}

// failedFor returns the probe of a container that has failed as often as its threshold says, before an event; nil: none has.
func (t *trace) failedFor(x *container, c *v1.Container, num int32) *v1.Probe {
	for _, p := range probesOf(c) {
		if p.name != "ready" && inRow(t.probes(x, p.name), num, (*call).failed) >= p.FailureThreshold {
			return p.Probe
		}
	}
	return nil
}

// scripted reports whether a probe is missing, or one of those that stories answer by a name.
func scripted(p *v1.Probe, name string) bool {
	return p == nil || p.Exec != nil && slices.Equal(p.Exec.Command, []string{"probe", name})
}

// unanswered returns how many liveness probes the runtime failed to answer.
func (t *trace) unanswered(x *container) (n int) {
	for _, q := range t.probes(x, "live") {
		if q.Err != nil && !q.failed() {
			n++
		}
	}
	return n
}

// failed reports whether a probe has failed: a code, or no answer in time.
func (c *call) failed() bool {
	return exitCode(c) != 0 || c.Err != nil && c.Err.Reason == "DeadlineExceeded"
}

var probeReadiness = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/readiness",
		Level:   harness.Must,
		Text:    "A container is ready once its readiness probe has succeeded successThreshold times in a row, and no longer once it has failed failureThreshold times. It is not restarted for that. The pod is Ready if all its containers are.",
		Sources: []harness.Source{inKubelet("prober/worker.go#worker.doProbe"), inKubelet("status/generate.go#GeneratePodReadyCondition"), lifecycle("Container probes")},
		Why:     "Services send requests to programs that cannot answer.",
		Advice:  "Count results in a row per container ID, from 0 and not ready for each new container, and change ready only at successThreshold or failureThreshold.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Probes},
	Judge: promise("probe/readiness", judgeReadiness),
}

func judgeReadiness(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, s := range p.states {
			for _, status := range s.Obj.Status.ContainerStatuses {
				c := containerOf(s.Obj, status.Name)
				if c == nil || c.ReadinessProbe == nil || !status.Ready {
					continue
				}
				if x := t.byContainer(status.ContainerID); x != nil && slices.Contains(p.sandboxes, x.pod) { // a mirror pod may tell of another
					if t.killedBetween(x.made.Num, s.Num) || t.namesakes(p) { // probe/agent-restart; and the spec may be that of another pod
						continue
					}
					threshold := max(c.ReadinessProbe.SuccessThreshold, 1)
					if j.Tested++; inRow(t.probes(x, "ready"), s.Num, (*call).succeeded) >= threshold {
						continue
					}
					got := "it is"
					if inRow(t.probesOfName(x, "ready"), s.Num, (*call).succeeded) >= threshold {
						got = "it is, if the successes of the container before it count"
					}
					j.Fail(status.Name+" is not ready before its readiness probe has succeeded as often in a row as its threshold says", got, s.Num)
				}
			}
		}
	}
}

// probesOfName returns the probes of a container, and of those of its name that ran before it in its sandbox.
func (t *trace) probesOfName(x *container, probe string) (all []*call) {
	for _, y := range x.pod.all {
		if y.name == x.name && y.made.Num <= x.made.Num {
			all = append(all, t.probes(y, probe)...)
		}
	}
	return all
}

var probeDelay = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/delay",
		Level:   harness.Must,
		Text:    "A probe runs for the first time when its container has run for initialDelaySeconds, and not before.",
		Sources: []harness.Source{inKubelet("prober/worker.go#worker.doProbe")},
		Why:     "A program is killed while it starts.",
		Advice:  "Skip probes until initialDelaySeconds have passed since started_at of this container, also after its restart. The start of the pod or the prober does not count.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Probes},
	Judge: judged(judgeDelay),
}

func judgeDelay(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || x.started == nil {
				continue
			}
			for _, probe := range probesOf(c) {
				all := t.probes(x, probe.name)
				if probe.InitialDelaySeconds == 0 || len(all) == 0 {
					continue
				}
				j.Tested++
				if after := all[0].From - x.started.From; after < time.Duration(probe.InitialDelaySeconds)*time.Second-time.Second { // an agent knows starts by the second
					j.Fail(fmt.Sprintf("the first probe comes %d seconds after the start", probe.InitialDelaySeconds), after.String(), x.started.Num, all[0].Num)
				}
			}
		}
	}
}

// byContainer returns the container that a status names; nil: it is not known.
func (t *trace) byContainer(id string) *container {
	_, id, _ = strings.Cut(id, "://")
	x, _ := t.byID[id].(*container)
	return x
}

var probeRestart = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/agent-restart",
		Level:   harness.Must,
		Text:    "A restart of the agent changes no readiness by itself: a pod whose containers started ten seconds before or earlier stays Ready, or not, until a probe says otherwise.",
		Sources: []harness.Source{inKubelet("prober/worker.go#newWorker"), inKubelet("prober/prober_manager.go#manager.UpdatePodStatus")},
		Why:     "All endpoints of a node vanish when its agent is upgraded.",
		Advice:  "Begin the prober of a container that runs already with the result in the pod's last status, not with a failure, until its first probe has answered.",
		Classes: []string{"PATCH pods/status"},
	},
	Needs: []harness.Feature{Containers, Probes, Restarts},
	Judge: promise("probe/agent-restart", judgeProbeRestart),
}

func judgeProbeRestart(t *trace, j *harness.Judgement) {
	for i, l := range t.lives {
		if i == 0 {
			continue
		}
		for _, p := range t.pods {
			t.judgeReadyAfter(p, t.lives[i-1].to, l, j)
		}
	}
}

// judgeReadyAfter judges the Ready condition of a pod after a restart of the agent, until something else than the agent moves it.
func (t *trace) judgeReadyAfter(p *podTrace, killed int32, l life, j *harness.Judgement) {
	pod := p.at(killed)
	if pod == nil || len(p.states) == 0 || p.states[0].Num > killed || pod.DeletionTimestamp != nil || terminal(pod.Status.Phase) {
		return
	}
	if !t.settled(p, killed, killed) { // the agent had no time to say so
		return
	}
	if p.static && slices.ContainsFunc(pod.Spec.Containers, func(c v1.Container) bool { return c.ReadinessProbe != nil || c.StartupProbe != nil }) {
		return // what was reported is in the mirror pod, of which the agent may hear too late
	}
	was := conditionOf(pod, v1.PodReady)
	if was == "" || p.young(t.h.Event(l.from).At) || p.unreported(pod, killed) {
		return
	}
	j.Tested++
	for _, s := range p.states {
		if s.Num < l.from || l.to > 0 && s.Num > l.to {
			continue
		}
		if t.touched(killed, s.Num) || p.startsBetween(killed, s.Num) || s.Obj.DeletionTimestamp != nil || t.saysOtherwise(p, was, l.from, s.Num) {
			return
		}
		if now := conditionOf(s.Obj, v1.PodReady); now != was && !s.Deleted {
			j.Fail(fmt.Sprintf("Ready of %s stays %s over the restart of the agent", p.key, was), string(now), l.from, s.Num)
			return
		}
	}
}

// saysOtherwise reports whether a probe of a pod gave a result between two events that may move its readiness.
func (t *trace) saysOtherwise(p *podTrace, was v1.ConditionStatus, from, to int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		x, ok := t.byID[c.ID].(*container)
		if !ok || c.Method != "ExecSync" || c.Num < from || c.Return == 0 || c.Return > to || !slices.Contains(p.sandboxes, x.pod) {
			return false
		}
		return c.failed() == (was == v1.ConditionTrue)
	})
}

// young reports whether a container of a pod was started less than ten seconds before an instant, in nanoseconds. An agent that
// restarts then takes it for a new one.
func (p *podTrace) young(at int64) bool {
	for _, x := range p.containers() {
		if x.started != nil && x.started.From < time.Duration(at) && time.Duration(at)-x.started.From < 11*time.Second {
			return true
		}
	}
	return false
}

// unreported reports whether the status of a pod is behind its containers at an event: one runs that the status does not have as
// running, or the other way round. An agent that was killed before it wrote this begins with that status, however long ago it was.
func (p *podTrace) unreported(pod *v1.Pod, num int32) bool {
	return slices.ContainsFunc(p.containers(), func(x *container) bool {
		runs := x.started != nil && x.started.Num < num && (x.ended == 0 || x.ended > num)
		return runs != slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c v1.ContainerStatus) bool {
			return c.State.Running != nil && strings.HasSuffix(c.ContainerID, "://"+x.id)
		})
	})
}

// startsBetween reports whether a container of a pod was started between two events.
func (p *podTrace) startsBetween(from, to int32) bool {
	return slices.ContainsFunc(p.containers(), func(x *container) bool { return x.started != nil && x.started.Num > from && x.started.Num < to })
}

// touched reports whether the story did something that may change readiness between two events, or a container ended.
func (t *trace) touched(from, to int32) bool {
	for _, q := range t.user {
		if q.Num > from && q.Num < to && q.Verb != evStart && q.Verb != evKill && q.Verb != "SERVE" && q.Verb != "CREATE" {
			return true
		}
	}
	for _, x := range t.byID {
		if c, ok := x.(*container); ok && c.ended > from && c.ended < to {
			return true
		}
	}
	return false
}

func conditionOf(p *v1.Pod, kind v1.PodConditionType) v1.ConditionStatus {
	for _, c := range p.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return ""
}

var probeEnd = harness.Rule{
	Clause: harness.Clause{
		ID:      "probe/termination",
		Level:   harness.Must,
		Text:    "Once a pod is being deleted its liveness and startup probes do not run any more.",
		Sources: []harness.Source{inKubelet("prober/worker.go#worker.doProbe"), inKubelet("prober/prober_manager.go#manager.StopLivenessAndStartup")},
		Why:     "A program that shuts down is killed for not answering.",
		Advice:  "End the liveness and startup probers of a pod as the first step of its termination, before hooks and StopContainer. Readiness may go on.",
		Classes: []string{"ExecSync"},
	},
	Needs: []harness.Feature{Containers, Probes},
	Judge: judged(judgeProbeEnd),
}

func judgeProbeEnd(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || c.LivenessProbe == nil || len(x.stops) == 0 || !p.gone(x.stops[0].Num) || t.restarts(p, x, x.stops[0].Num) {
				continue
			}
			j.Tested++
			for _, q := range append(t.probes(x, "live"), t.probes(x, "start")...) {
				if q.Num > x.stops[0].Num && q.From > x.stops[0].From+time.Second { // one may be under way
					j.Fail("no liveness probe runs once the container is being stopped", "one does", x.stops[0].Num, q.Num)
				}
			}
		}
	}
}
