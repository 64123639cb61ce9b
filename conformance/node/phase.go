package node

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

var phaseMonotone = harness.Rule{
	Clause: harness.Clause{
		ID:      "phase/monotone",
		Level:   harness.Must,
		Text:    "The phase of a pod goes from Pending to Running to Succeeded or Failed, or skips some of these, and never back, but to Pending when its init containers run again, for want of a sandbox or by a restart rule. Succeeded and Failed are for ever. The agent never writes Unknown.",
		Sources: []harness.Source{inKubelet("kubelet_pods.go#Kubelet.generateAPIPodStatus"), inKubelet("status/status_manager.go#mergePodStatus"), lifecycle("Pod phase")},
		Why:     "A Job counts a pod twice, or takes a failure for a success.",
		Advice:  "Compare with the last status, from the API server after a restart, before you write a phase, and keep Succeeded and Failed. A failed list is no reason to go back.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: promise("phase/monotone", judgeMonotone),
}

var phases = map[v1.PodPhase]int{"": 0, v1.PodPending: 1, v1.PodRunning: 2, v1.PodSucceeded: 3, v1.PodFailed: 3}

func judgeMonotone(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		byUID := map[string]state[*v1.Pod]{} // mirror pods have several
		for _, s := range p.states {
			was, ok := byUID[string(s.Obj.UID)]
			if ok && s.Since < s.Num || t.tellsOther(p, s.Num) || t.mirrorLate(p, s.Num) { // the story wrote it
				continue
			}
			byUID[string(s.Obj.UID)] = s
			from, to := was.Obj, s.Obj.Status.Phase
			if !ok || from.Status.Phase == to {
				continue
			}
			if p.static && (s.Obj.Spec.ActiveDeadlineSeconds != nil || t.cleared(p, was.Num, s.Num)) && t.killedBetween(was.Num, s.Num) { // nobody tells the next agent when it began, or how it ended
				continue
			}
			j.Tested++
			rank, known := phases[to]
			if from.Status.Phase == v1.PodRunning && to == v1.PodPending && (!t.undisturbed(s.Num) || hasRules(s.Obj) || t.namesakes(p)) { // its init containers run anew
				continue
			}
			if terminal(from.Status.Phase) && terminal(to) && (p.unstarted(s.Num) || t.outlived(p, s.Num)) { // kubelets take that for the last run once the others are removed
				continue
			}
			if !known || rank < phases[from.Status.Phase] || terminal(from.Status.Phase) {
				got := fmt.Sprintf("%q", to)
				if p.static && s.Obj.Status.Reason == "DeadlineExceeded" {
					got += " for its deadline, of a static pod"
				}
				j.Fail(fmt.Sprintf("a phase that may follow %q", from.Status.Phase), got, was.Num, s.Num)
			}
		}
	}
}

// cleared reports whether all containers that a pod had at one event may have been removed before another.
func (t *trace) cleared(p *podTrace, from, to int32) bool {
	return !slices.ContainsFunc(p.containers(), func(x *container) bool { return x.made.Num < from && !t.goneBy(x, to) })
}

// unstarted reports whether the runtime has a container of a pod at an event whose start failed.
func (p *podTrace) unstarted(num int32) bool {
	return slices.ContainsFunc(p.containers(), func(x *container) bool {
		return x.started != nil && x.started.Err != nil && x.started.Num < num && x.running == 0 && (x.removed == nil || x.removed.Num > num)
	})
}

// outlived reports whether the runtime listed a run of a container before an event, after a later run of that container was removed.
// Kubelets remove the newest run first, and the removal of the next one may fail or hang.
func (t *trace) outlived(p *podTrace, num int32) bool {
	all := p.containers()
	for _, c := range t.calls {
		list, ok := c.Reply.(*runtimeapi.ListContainersResponse)
		if !ok || c.Return > num {
			continue
		}
		for _, listed := range list.GetContainers() {
			i := slices.IndexFunc(all, func(x *container) bool { return x.id == listed.GetId() })
			if i >= 0 && slices.ContainsFunc(all[i+1:], func(y *container) bool {
				return y.name == all[i].name && y.removed != nil && y.removed.Return < c.Num
			}) {
				return true
			}
		}
	}
	return false
}

// rv returns the resourceVersion of the object that was answered.
func (q *request) rv() string {
	var m metav1.PartialObjectMetadata
	_ = json.Unmarshal(q.Answer, &m) // what cannot be read is empty
	return m.ResourceVersion
}

var phaseRuns = harness.Rule{
	Clause: harness.Clause{
		ID:      "phase/runs",
		Level:   harness.Must,
		Text:    "A pod that is bound to the node and that nothing holds up becomes Running, and Ready, also if another pod of its name was there before.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.SyncPod"), lifecycle("Pod lifetime")},
		Why:     "Whoever waits for the pod waits for ever.",
		Advice:  "Find what the worker of this pod waits for. Key workers and caches by UID, so that an older pod of the name is not in the way, and sync at each probe result.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: promise("phase/runs", nil),
}

var phaseTerminal = harness.Rule{
	Clause: harness.Clause{
		ID:      "phase/terminal",
		Level:   harness.Must,
		Text:    "A pod becomes Succeeded or Failed only after all its containers have ended.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#mergePodStatus"), inKubelet("kubelet.go#Kubelet.SyncTerminatedPod")},
		Why:     "Schedulers and controllers give its resources away while it runs.",
		Advice:  "Hold Succeeded and Failed back until the runtime says that every container has ended, also while you stop them for a deadline, an eviction or a deletion.",
		Classes: []string{"PATCH pods/status"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeTerminal),
}

func judgeTerminal(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, q := range t.of("PATCH pods/status") {
			about, _ := t.named(q)
			if about != p || !terminal(q.status().Phase) {
				continue
			}
			j.Tested++
			for _, x := range p.containers() {
				if x.runs() && x.started.Num < q.Num && (x.ended == 0 || x.ended > q.Num) {
					got := "one has not: " + x.name
					if p.static {
						got += ", of a static pod"
					}
					j.Fail("all containers have ended", got, x.started.Num, q.Num)
				}
			}
		}
	}
}
