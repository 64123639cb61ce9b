package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
)

// status returns the status that a patch of a pod has.
func (q *request) status() v1.PodStatus {
	var p v1.Pod
	_ = json.Unmarshal(q.Body, &p) // what cannot be read is empty
	return p.Status
}

var statusPatch = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/patch",
		Level:   harness.Must,
		Text:    "The agent writes the status of a pod by patches that have the UID of the pod, and never writes the status of one pod to another of the same name.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#manager.syncPod")},
		Why:     "A new pod gets the end of the old one, and its controller replaces it.",
		Advice:  "Put metadata.uid of the pod that the status was computed for into each patch, and drop the status if the pod of that name has another UID by now.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: judged(judgePatch),
}

func judgePatch(t *trace, j *harness.Judgement) {
	for _, q := range t.of("PATCH pods/status", "UPDATE pods/status") {
		var sent, answer v1.Pod
		_ = json.Unmarshal(q.Body, &sent)
		_ = json.Unmarshal(q.Answer, &answer)
		j.Tested++
		switch {
		case sent.UID == "":
			j.Fail("the patch has the UID of the pod", "it has none", q.Num)
		case q.ok() && answer.UID != sent.UID:
			j.Fail(fmt.Sprintf("the status goes to the pod %s", sent.UID), fmt.Sprintf("it went to %s", answer.UID), q.Num)
		}
	}
}

var statusQuiet = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/quiet",
		Level:   harness.Should,
		Text:    "The agent does not write a status that has not changed.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#manager.needsUpdate"), inKubelet("status/status_manager.go#isPodStatusByKubeletEqual")},
		Why:     "Each needless write costs the API server as much as one that says something.",
		Advice:  "Compare the new status with the last one that you wrote, both with the same order and times in seconds, and send no patch if they are equal.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: judged(judgeQuiet),
}

func judgeQuiet(t *trace, j *harness.Judgement) {
	last := map[string]string{} // resourceVersion by UID
	for _, q := range t.of("PATCH pods/status", "UPDATE pods/status") {
		var answer v1.Pod
		_ = json.Unmarshal(q.Answer, &answer)
		if !q.ok() {
			continue
		}
		j.Tested++
		if last[string(answer.UID)] == answer.ResourceVersion {
			j.Fail("a write changes something", "the pod is as it was after the one before", q.Num)
		}
		last[string(answer.UID)] = answer.ResourceVersion
	}
}

var statusConditions = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/conditions",
		Level:   harness.Must,
		Text:    "A condition changes its lastTransitionTime when its status changes, and only then. Conditions that others wrote stay. PodReadyToStartContainers is True once the sandbox has an address, and before Initialized.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#updateLastTransitionTime"), inKubelet("status/generate.go#GeneratePodReadyToStartContainersCondition"), lifecycle("Pod conditions")},
		Why:     "A controller takes a pod that has been ready for long for a new one, or never learns from it.",
		Advice:  "Merge your conditions into the last status: keep other types, and lastTransitionTime unless the status changes. Read PodReadyToStartContainers off the sandbox.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: promise("status/conditions", judgeConditions),
}

func judgeConditions(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for i := 1; i < len(p.states); i++ {
			was, now := p.states[i-1], p.states[i]
			if was.Obj.UID != now.Obj.UID || now.Deleted || now.Since != now.Num {
				continue
			}
			t.judgeTransitions(p, was, now, j)
		}
	}
}

// ownConditions are conditions that an agent takes back.
var ownConditions = map[v1.PodConditionType]bool{v1.PodResizePending: true, v1.PodResizeInProgress: true, v1.AllContainersRestarting: true}

func (t *trace) judgeTransitions(p *podTrace, was, now state[*v1.Pod], j *harness.Judgement) {
	for _, c := range was.Obj.Status.Conditions {
		after := condition(now.Obj, c.Type)
		switch {
		case after == nil:
			got := "it is gone"
			evicted := func(s state[*v1.Pod]) bool { return s.Num >= now.Num && s.Obj.Status.Reason == "Evicted" }
			if t.killedBetween(was.Num, now.Num) && t.refusedAtStart(p, now.Num) && slices.ContainsFunc(p.states, evicted) {
				got += ", as the next agent refuses the pod"
			}
			if !ownConditions[c.Type] {
				j.Fail(fmt.Sprintf("the condition %s stays", c.Type), got, was.Num, now.Num)
			}
			continue
		case c.LastTransitionTime.IsZero():
			continue
		}
		j.Tested++
		switch moved := !after.LastTransitionTime.Equal(&c.LastTransitionTime); {
		case after.Status == c.Status && moved && t.quiet(p, t.written(p, was.Num), now.Num):
			j.Fail(fmt.Sprintf("the lastTransitionTime of %s stays as its status does", c.Type), "it changes", was.Num, now.Num)
		case after.Status != c.Status && !moved && now.At-was.At > 2*time.Second && !t.writtenLate(was.Num, now.Num): // times are in seconds
			j.Fail(fmt.Sprintf("the lastTransitionTime of %s changes as its status does", c.Type), "it stays", was.Num, now.Num)
		}
	}
	ready, initialized := condition(now.Obj, v1.PodReadyToStartContainers), condition(now.Obj, v1.PodInitialized)
	if ready != nil && initialized != nil && len(now.Obj.Spec.InitContainers) > 0 && initialized.Status == v1.ConditionTrue && now.Obj.Status.Phase == v1.PodRunning && ready.Status != v1.ConditionTrue && now.Obj.DeletionTimestamp == nil && len(p.sandboxes) == 1 && p.sandboxes[0].readyAt(now.Num) && t.undisturbed(now.Num) {
		j.Fail("PodReadyToStartContainers is True", string(ready.Status), now.Num)
	}
}

// writtenLate reports whether an agent may have written a state seconds after it had computed it, within the second of the transition
// before: an agent computes all states anew when it starts, and faults of the API keep them from being written.
func (t *trace) writtenLate(from, to int32) bool {
	return t.killedBetween(from, to) || t.did(to, "API-FAULT", "REFUSE") > 0
}

// written returns the event of the last state of a pod up to another that the agent wrote. What happened after it may be news to the
// agent, even if the story has changed the pod since. It is that of the first state if there is none.
func (t *trace) written(p *podTrace, num int32) int32 {
	own := map[string]bool{}
	for _, q := range t.of("CREATE pods", "PATCH pods/status", "UPDATE pods/status") {
		own[q.rv()] = true
	}
	last := p.states[0].Num
	for _, s := range p.states {
		if s.Num <= num && own[s.Obj.ResourceVersion] {
			last = s.Num
		}
	}
	return last
}

// readyAt reports whether nothing tells before an event that a sandbox is not ready.
func (s *sandbox) readyAt(num int32) bool { return s.notAt == 0 || s.notAt > num }

// quiet reports whether nothing happened to a pod between two events that may move a condition there and back.
func (t *trace) quiet(p *podTrace, from, to int32) bool {
	if t.killedBetween(from, to) || t.namesakes(p) || t.tellsOther(p, to) || !t.settled(p, from, to) {
		return false
	}
	from = t.before(from)
	return !slices.ContainsFunc(t.calls, func(c *call) bool { // a probe may have failed
		return c.Method == "ExecSync" && c.Num > from && c.Num < to
	})
}

// settled reports whether no container or sandbox of a pod began or ended between two events or shortly before, and the story left it alone.
func (t *trace) settled(p *podTrace, from, to int32) bool {
	from = t.before(from)
	if t.touched(from, to) || t.did(to, "API-FAULT", "REFUSE") > 0 { // what happened may have been written late, or not at all
		return false
	}
	for _, s := range p.sandboxes {
		if s.made.Num > from && s.made.Num < to || s.notAt > from && s.notAt < to {
			return false
		}
		for _, x := range s.all {
			if x.made.Num > from && x.made.Num < to || x.started != nil && x.started.Num > from && x.started.Num < to || x.ended > from && x.ended < to {
				return false
			}
		}
	}
	return true
}

// writeTime is how long an agent may take from what it sees to what it writes.
const writeTime = 5 * time.Second

// before returns the first event within writeTime before another.
func (t *trace) before(num int32) int32 {
	at := t.h.Event(num).At - int64(writeTime)
	for i := range t.h.Events {
		if t.h.Events[i].At >= at {
			return t.h.Events[i].Num
		}
	}
	return num
}

// namesakes reports whether other pods have the name of a static pod: its mirror pod may tell of them.
func (t *trace) namesakes(p *podTrace) bool {
	return p.static && slices.ContainsFunc(t.pods, func(o *podTrace) bool { return o != p && o.key == p.key })
}

// tellsOther reports whether a mirror pod may tell of another static pod of its name at an event: since it was made, a manifest of that
// name was written, or the manifest URL told another one. The other pod need not have run.
func (t *trace) tellsOther(p *podTrace, num int32) bool {
	return p.static && slices.ContainsFunc(t.user, func(q *request) bool {
		if q.Num < p.states[0].Num || q.Num > num {
			return false
		}
		var m metav1.PartialObjectMetadata
		_ = json.Unmarshal(q.Body, &m) // what is removed has no name
		return q.Verb == "SERVE" && (t.namesakes(p) || t.serves(p, q)) || q.Verb == "MANIFEST" && p.mirrors(&m)
	})
}

// mirrors reports whether a pod is the mirror pod of a manifest, by its name.
func (p *podTrace) mirrors(m *metav1.PartialObjectMetadata) bool {
	return m.Name != "" && strings.HasPrefix(p.key, m.Namespace+"/"+m.Name+"-")
}

// serves reports whether an answer of the manifest URL tells another manifest of the name of a static pod than the answer before.
func (t *trace) serves(p *podTrace, q *request) bool {
	var before []byte
	for _, o := range t.user {
		if o.Verb != "SERVE" || o.Key != "200" || o.Num > q.Num {
			continue
		}
		now := p.servedBy(o.Body)
		if o == q {
			return now != nil && before != nil && !bytes.Equal(now, before)
		}
		before = now
	}
	return false
}

// servedBy returns the manifest of a static pod in an answer of the manifest URL; nil: there is none.
func (p *podTrace) servedBy(body []byte) []byte {
	var list struct{ Items []json.RawMessage }
	_ = json.Unmarshal(body, &list) // an answer may be garbage
	for _, item := range list.Items {
		var m metav1.PartialObjectMetadata
		if json.Unmarshal(item, &m) == nil && p.mirrors(&m) {
			return item
		}
	}
	return nil
}

// mirrorLate reports whether an agent may have begun a static pod anew before it heard of its mirror pod: it was started after the
// runtime had lost what it knew.
func (t *trace) mirrorLate(p *podTrace, num int32) bool {
	return p.static && t.killedBetween(0, num) && t.did(num, "RESTART") > 0
}

// undisturbed reports whether the runtime and its sandboxes were left alone before an event.
func (t *trace) undisturbed(num int32) bool {
	return !t.spoilt(num) && t.did(num, "RUNTIME-FAULT", "CONDITIONS") == 0
}

func condition(p *v1.Pod, kind v1.PodConditionType) *v1.PodCondition {
	for i := range p.Status.Conditions {
		if p.Status.Conditions[i].Type == kind {
			return &p.Status.Conditions[i]
		}
	}
	return nil
}

var statusGate = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/readiness-gate",
		Level:   harness.Must,
		Text:    "A pod with readiness gates becomes Ready only when their conditions are True, too.",
		Sources: []harness.Source{inKubelet("status/generate.go#GeneratePodReadyCondition"), lifecycle("Pod readiness")},
		Why:     "A load balancer that is not set up yet is sent requests.",
		Advice:  "Check the conditions that readinessGates names before you set Ready, take a missing one for False, and compute Ready again when somebody writes one.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: promise("status/readiness-gate", judgeGate),
}

func judgeGate(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for i, s := range p.states {
			before := p.states[max(i-1, 0)].Obj
			if conditionOf(s.Obj, v1.PodReady) != v1.ConditionTrue || conditionOf(before, v1.PodReady) == v1.ConditionTrue || t.rewritten(p, s.Num) { // of the new manifest, on the old mirror pod
				continue
			}
			for _, g := range s.Obj.Spec.ReadinessGates {
				if j.Tested++; conditionOf(s.Obj, g.ConditionType) != v1.ConditionTrue && conditionOf(before, g.ConditionType) != v1.ConditionTrue { // it may change meanwhile
					j.Fail(fmt.Sprintf("%s is True before the pod is Ready", g.ConditionType), "it is not", s.Num)
				}
			}
		}
	}
}

var statusGeneration = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/generation",
		Level:   harness.Must,
		Text:    "The observedGeneration of a status is that of the spec that it is about: never larger than the pod's, and never back.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#manager.SetPodStatus"), page("Pods", "Pod generation", "concepts/workloads/pods/_index.md")},
		Why:     "Somebody who waits for a change to be acted on is told too early.",
		Advice:  "Remember the generation of the spec that a sync has used, and write that one as observedGeneration, not the one of the newest pod that you know.",
		Classes: []string{"PATCH pods/status"},
	},
	Needs: []harness.Feature{Generation},
	Judge: judged(judgeGeneration),
}

func judgeGeneration(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		last := map[string]int64{}
		for _, s := range p.states {
			got, uid := s.Obj.Status.ObservedGeneration, string(s.Obj.UID)
			if got == 0 && last[uid] == 0 {
				continue
			}
			j.Tested++
			switch {
			case got > s.Obj.Generation:
				j.Fail(fmt.Sprintf("at most the generation %d", s.Obj.Generation), fmt.Sprint(got), s.Num)
			case got < last[uid]:
				j.Fail(fmt.Sprintf("not less than %d, as before", last[uid]), fmt.Sprint(got), s.Num)
			}
			for _, c := range s.Obj.Status.Conditions {
				if c.ObservedGeneration > s.Obj.Generation {
					j.Fail(fmt.Sprintf("%s is of the generation %d at most", c.Type, s.Obj.Generation), fmt.Sprint(c.ObservedGeneration), s.Num)
				}
			}
			last[uid] = got
		}
	}
}

var statusRevert = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/revert",
		Level:   harness.Must,
		Text:    "A status that somebody else wrote over the agent's is put right again, and nothing is restarted for it.",
		Sources: []harness.Source{inKubelet("config/config.go#checkAndUpdatePod"), inKubelet("status/status_manager.go#manager.syncBatch")},
		Why:     "What a pod is said to be stays wrong until it changes by itself.",
		Advice:  "Compare the status of each pod that the watch brings with the one that you computed last, and write yours again if somebody else has changed it.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: promise("status/revert", nil),
}
