package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

var restartSingle = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/single",
		Level:   harness.Must,
		Text:    "Of the containers of one name in a pod one runs at most: the one before has ended before the next is started. This holds for static pods of one namespace and name together.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.allowPodStart"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions")},
		Why:     "Two copies of a program write to the same volume, or answer for the same name.",
		Advice:  "Look in the runtime's list for a container of that name, also one that an earlier agent made, and wait until it has EXITED before you start another.",
		Classes: []string{"StartContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeSingle),
}

func judgeSingle(t *trace, j *harness.Judgement) {
	byName := map[string][]*container{}
	for _, p := range t.pods {
		owner := p.uid
		if p.static {
			owner = p.key
		}
		for _, x := range p.containers() {
			name := owner + "/" + x.name
			for _, y := range byName[name] {
				if x.started == nil || y.started == nil {
					continue
				}
				was, now := y, x
				if x.started.Num < y.started.Num { // a static pod of before that is back
					was, now = x, y
				}
				if !was.runs() || now.pod.twin && was.pod.notAt > 0 && was.pod.notAt < now.started.Num { // one that the story ran took the place of a sandbox that is not ready
					continue
				}
				if t.bornLate(was, now) {
					continue
				}
				if j.Tested++; was.ended == 0 || was.ended > now.started.Num {
					j.Fail(fmt.Sprintf("the container %s of before has ended", x.name), "it was not seen to have", was.made.Num, now.started.Num)
				}
			}
			byName[name] = append(byName[name], x)
		}
	}
}

// bornLate reports whether an agent died while it started a container, and the next one may have looked before the runtime had done so: a
// container that was only created is made again (kubecontainer.ShouldContainerBeRestarted).
func (t *trace) bornLate(was, now *container) bool {
	return t.killedBetween(was.started.Num, was.started.Return) && now.made.From <= was.started.To+t.config.SyncFrequency
}

// runs reports whether a container certainly ran.
func (x *container) runs() bool { return x.started != nil && x.started.ok() }

var restartReason = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/reason",
		Level:   harness.Must,
		Text:    "A container that runs is stopped only for a reason: its pod is being deleted or has ended, its program in the spec changed, a probe or a hook failed, its sandbox is gone, or its manifest changed. A change of labels or of the status, a restart of the agent or of the runtime, and lost requests are none.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions"), inKubelet("config/config.go#checkAndUpdatePod")},
		Why:     "Programs stop without anybody having asked for it, on all nodes at once if an API server or an agent restarts.",
		Advice:  "Find what led to this stop. Restart for changes of the program in the spec only, not of labels or status, and take an error or half an answer for no news.",
		Classes: []string{"StartContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("restart/reason", judgeReason),
}

func judgeReason(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			if !x.runs() {
				continue
			}
			j.Tested++
			for _, c := range t.stopsOf(x) {
				if (x.ended == 0 || x.ended > c.Num) && !t.reason(p, x, c.Num) {
					j.Fail(fmt.Sprintf("the container %s of %s goes on", x.name, p.key), "it is stopped, and nothing that the story did is a reason", x.started.Num, c.Num)
					break
				}
			}
		}
	}
}

// stopsOf returns the calls that stop a container, those of its sandbox included.
func (t *trace) stopsOf(x *container) (all []*call) {
	for _, c := range t.calls {
		if c.ID == x.id && (c.Method == "StopContainer" || c.Method == "RemoveContainer") || c.ID == x.pod.id && (c.Method == "StopPodSandbox" || c.Method == "RemovePodSandbox") {
			all = append(all, c)
		}
	}
	return all
}

// reason reports whether there may have been a reason to stop a container, before an event.
func (t *trace) reason(p *podTrace, x *container, num int32) bool {
	return t.rewritten(p, num) || p.gone(num) || t.deletes(p.key, 0, num) || t.ownReason(p, x, num)
}

// ownReason reports whether a container of a pod that its source has may have had a reason to be stopped, before an event.
func (t *trace) ownReason(p *podTrace, x *container, num int32) bool {
	if x.pod.notAt > 0 && x.pod.notAt < num || t.saysEnd(p, num) || t.did(num, "TWIN-SANDBOX", "DROP-ADDRESS") > 0 {
		return true
	}
	for _, y := range x.pod.all { // others that ended, or are to be stopped, may end the pod, or restart all of it
		if y != x && (y.ended > 0 && y.ended < num || t.failedCheck(y, num)) && p.endsTogether(num) {
			return true
		}
	}
	return t.failedCheck(x, num) || p.changed(x, num)
}

// restarts reports whether a sync may stop a container to restart it, before an event: for its image, or for its sandbox. It goes on if its
// pod is deleted meanwhile, with the pod's own grace and its probes.
func (t *trace) restarts(p *podTrace, x *container, num int32) bool {
	return t.spoilt(num) || p.changed(x, num)
}

// spoilt reports whether the story did something to a sandbox, or to the runtime, before an event.
func (t *trace) spoilt(num int32) bool {
	return t.did(num, "END-SANDBOX", "TWIN-SANDBOX", "DROP-ADDRESS", "CRASH", "RESTART") > 0
}

// deletes reports whether the story deleted a pod of a name between two events. A watch may tell later.
func (t *trace) deletes(key string, from, to int32) bool {
	return slices.ContainsFunc(t.user, func(q *request) bool { return q.Verb == "DELETE" && q.Key == key && q.Num > from && q.Num < to })
}

// rewritten reports whether a pod is static, and manifests changed after the first, before an event. An error of the manifest URL is no change.
func (t *trace) rewritten(p *podTrace, num int32) bool {
	n := 0
	for _, q := range t.user {
		if q.Num < num && (q.Verb == "MANIFEST" || q.Verb == "SERVE" && q.Key == "200") {
			n++
		}
	}
	return p.static && n > 1
}

// did returns how many of some things the story did before an event.
func (t *trace) did(num int32, kinds ...string) (n int) {
	for _, q := range t.user {
		if kind := q.Verb; q.Num < num && slices.Contains(kinds, kind) {
			n++
		}
	}
	return n
}

// gone reports whether a pod was deleted, or was being deleted, before an event.
func (p *podTrace) gone(num int32) bool {
	return slices.ContainsFunc(p.states, func(s state[*v1.Pod]) bool {
		return s.Num < num && (s.Deleted || s.Obj.DeletionTimestamp != nil)
	})
}

// saysEnd reports whether the agent ends a pod by itself: because of its deadline, an eviction or a refusal. It says so in the
// status, but may stop containers before.
func (t *trace) saysEnd(p *podTrace, num int32) bool {
	for _, s := range p.states {
		if s.Obj.Spec.ActiveDeadlineSeconds != nil || terminal(s.Obj.Status.Phase) && s.Obj.Status.Reason != "" {
			return true
		}
	}
	return t.did(num, "FILL") > 0 || p.static && slices.ContainsFunc(t.user, func(q *request) bool { // no mirror pod may show it
		return q.Num < num && slices.Contains([]string{"MANIFEST", "SERVE"}, q.Verb) && bytes.Contains(q.Body, []byte("activeDeadlineSeconds"))
	})
}

// endsTogether reports whether the end of one container may end others: sidecars of a pod that is over, and restart rules.
func (p *podTrace) endsTogether(num int32) bool {
	pod := p.at(num)
	if pod == nil {
		return true
	}
	return pod.Spec.RestartPolicy != v1.RestartPolicyAlways || slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c v1.Container) bool { return len(c.RestartPolicyRules) > 0 })
}

// failedCheck reports whether a probe or a hook of a container may have failed before an event.
func (t *trace) failedCheck(x *container, num int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return c.Method == "ExecSync" && c.ID == x.id && c.Num < num && (c.Err != nil || exitCode(c) != 0)
	})
}

// changed reports whether the spec of a container changed since it was created, before an event, in a way that restarts it.
func (p *podTrace) changed(x *container, num int32) bool {
	var was *v1.Container
	for _, s := range p.states {
		if s.Since > num {
			break
		}
		now := containerOf(s.Obj, x.name)
		if was != nil && now != nil && (was.Image != now.Image || len(now.ResizePolicy) > 0 && asJSON(was.Resources) != asJSON(now.Resources)) {
			return true
		}
		was = now
	}
	return false
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(b)
}

// containerOf returns a container of a spec; nil: there is none.
func containerOf(p *v1.Pod, name string) *v1.Container {
	for _, all := range [][]v1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		for i := range all {
			if all[i].Name == name {
				return &all[i]
			}
		}
	}
	return nil
}

var restartPolicy = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/policy",
		Level:   harness.Must,
		Text:    "A container that has ended is started again if its restart policy says so: Always in any case, OnFailure unless it ended with 0, Never in no case. The phase of a pod none of whose containers will restart is Succeeded if all ended with 0, and Failed otherwise.",
		Sources: []harness.Source{inKubelet("container/helpers.go#ShouldContainerBeRestarted"), inKubelet("kubelet_pods.go#getPhase"), lifecycle("How Pods handle problems with containers")},
		Why:     "A job runs twice, or a service does not come back.",
		Advice:  "Decide by the restart policy and the exit code that the runtime tells, in one function, and derive the phase from it too. A code that is not known is not 0.",
		Classes: []string{"StartContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("restart/policy", judgePolicy),
}

func judgePolicy(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		last := map[string]*container{}
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			was := last[x.name]
			last[x.name] = x
			if was == nil || was.pod != x.pod || pod == nil || was.code == nil || !was.runs() {
				continue
			}
			c := containerOf(pod, x.name)
			if c == nil || c.RestartPolicy != nil || len(c.RestartPolicyRules) > 0 || p.endsTogether(x.made.Num) && hasRules(pod) || p.changed(was, x.made.Num) || len(was.stops) > 0 || t.did(x.made.Num, "FORGET") > 0 {
				continue
			}
			j.Tested++
			policy := pod.Spec.RestartPolicy
			if policy == v1.RestartPolicyNever || policy == v1.RestartPolicyOnFailure && *was.code == 0 {
				j.Fail(fmt.Sprintf("%s is not started again: the policy is %s, and it ended with %d", x.name, policy, *was.code), "it is", was.ended, x.made.Num)
			}
		}
	}
}

// hasRules reports whether a container of a pod has restart rules.
func hasRules(pod *v1.Pod) bool {
	return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c v1.Container) bool { return len(c.RestartPolicyRules) > 0 })
}

var restartCount = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/count",
		Level:   harness.Must,
		Text:    "Each start of a container in a sandbox has the next attempt. The restartCount in the status never goes back, and is that of the attempt.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.startContainer"), inKubelet("kubelet_pods.go#Kubelet.convertToAPIContainerStatuses")},
		Why:     "Alerts on restarts miss some, and a log overwrites the one before.",
		Advice:  "Take as the next attempt the largest one that the runtime lists or the status has, plus 1, and write the attempt of the container as its restartCount.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("restart/count", judgeCount),
}

func judgeCount(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		next := map[string]*container{}
		for _, x := range p.containers() {
			if was := next[x.name]; was != nil && !t.nothingLeft(p, was, x) && t.did(x.made.Num, "RESTART") == 0 {
				j.Tested++
				lost := t.lostCreations(x.pod, was.made.Num, x.made.Num)
				if x.attempt <= was.attempt || x.pod == was.pod && was.runs() && x.attempt > was.attempt+1+lost {
					j.Fail(fmt.Sprintf("the attempt of %s is %d", x.name, was.attempt+1), fmt.Sprintf("%d", x.attempt), was.made.Num, x.made.Num)
				}
			}
			next[x.name] = x
		}
		t.judgeRestartCounts(p, j)
	}
}

// nothingLeft reports whether nothing was left of a container when the next one was created: its static pod ended and came back, or the
// story removed it before it was started, when it had no log. So is it if the agent removed it for want of a sandbox, and came to create the
// next one only in a later sync.
func (t *trace) nothingLeft(p *podTrace, was, now *container) bool {
	if p.static && was.pod != now.pod && t.goneBy(was, now.made.Num) {
		return true
	}
	if was.removed != nil {
		pod := p.at(now.made.Num)
		purged := !was.runs() || pod != nil && isInit(pod, was.name) // with its log; others are kept
		return was.pod != now.pod && was.removed.Num < now.made.Num && purged && t.listed(was.removed.Return, now.made.Num)
	}
	return !was.runs() && t.did(now.made.Num, "FORGET") > t.did(was.made.Num, "FORGET")
}

// goneBy reports whether a container may have been removed before an event: by a call that succeeded, or one whose agent died.
func (t *trace) goneBy(x *container, num int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return c.Method == "RemoveContainer" && c.ID == x.id && c.Num < num && (c.ok() || c.Return == 0 || c.Err.Reason == "Canceled")
	})
}

// listed reports whether the agent was told of another list of containers between two events.
func (t *trace) listed(from, to int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return c.Method == "ListContainers" && c.ok() && c.Num > from && c.Return < to
	})
}

// lostCreations returns how many containers were created in a sandbox at most between two events without a success that was told.
func (t *trace) lostCreations(s *sandbox, from, to int32) (n uint32) {
	for _, c := range t.calls {
		if q, ok := c.Ask.(*runtimeapi.CreateContainerRequest); ok && c.Err != nil && q.GetPodSandboxId() == s.id && c.Num > from && c.Num < to {
			n++
		}
	}
	return n
}

func (t *trace) judgeRestartCounts(p *podTrace, j *harness.Judgement) {
	for i := 1; i < len(p.states); i++ {
		was, now := p.states[i-1], p.states[i]
		if was.Obj.UID != now.Obj.UID || t.tellsOther(p, now.Num) || t.mirrorLate(p, now.Num) { // the mirror pod comes too late
			continue
		}
		for _, c := range now.Obj.Status.ContainerStatuses {
			if before := statusOf(was.Obj, c.Name); before != nil && before.RestartCount > c.RestartCount {
				j.Fail(fmt.Sprintf("the restartCount of %s does not go back from %d", c.Name, before.RestartCount), fmt.Sprintf("%d", c.RestartCount), was.Num, now.Num)
			}
		}
	}
}

var restartBackOff = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/back-off",
		Level:   harness.Must,
		Text:    "A container that ends again and again is restarted at once the first time, and then after ten seconds, twenty, and so on up to the configured maximum, counted from its end. Meanwhile it waits with the reason CrashLoopBackOff.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.doBackOff"), lifecycle("How Pods handle problems with containers")},
		Why:     "A program that cannot start takes the whole node, or does not come back when it could.",
		Advice:  "Keep a back-off per container that doubles from ten seconds to the maximum, count it from finished_at of the last run, and say CrashLoopBackOff meanwhile.",
		Classes: []string{"StartContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("restart/back-off", judgeBackOff),
}

// firstBackOff is how long a container that was restarted once waits for the next time.
const firstBackOff = 10 * time.Second

func judgeBackOff(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		byName := map[string][]*container{}
		for _, x := range p.containers() {
			byName[x.name] = append(byName[x.name], x)
		}
		for _, all := range byName {
			judgeBackOffs(t, p, all, j)
		}
	}
}

// judgeBackOffs judges the containers of one name. The agent forgets a back-off when it is killed, and when the container ran for long.
// One that the agent stopped itself, because a probe failed, is restarted at once.
func judgeBackOffs(t *trace, p *podTrace, all []*container, j *harness.Judgement) {
	wait := time.Duration(0)
	for i := 1; i < len(all); i++ {
		was, now := all[i-1], all[i]
		most := t.lifeAt(now.made.Num).backOff
		if most == 0 || was.pod != now.pod || !was.runs() || was.ended == 0 || t.did(now.made.Num, "FORGET") > t.did(was.made.Num, "FORGET") || t.killedBetween(was.made.Num, now.made.Num) || p.changed(was, now.made.Num) || len(was.stops) > 0 || was.endedAt-was.started.To > most {
			wait = 0
			continue
		}
		if wait > 0 {
			j.Tested++
			if got := now.made.From - was.endedAt; got < wait-time.Second {
				j.Fail(fmt.Sprintf("%s after the end", wait), got.String(), was.ended, now.made.Num)
			}
		}
		wait = min(max(min(firstBackOff, most), 2*wait), most)
	}
}

// killedBetween reports whether the agent was killed between two events.
func (t *trace) killedBetween(from, to int32) bool {
	return slices.ContainsFunc(t.lives, func(l life) bool { return l.to > from && l.to < to })
}
