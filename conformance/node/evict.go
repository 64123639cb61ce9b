package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

// qos returns the QoS class of a pod.
func qos(pod *v1.Pod) v1.PodQOSClass {
	none, guaranteed := true, true
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		if len(c.Resources.Requests)+len(c.Resources.Limits) > 0 {
			none = false
		}
		if len(c.Resources.Limits) != 2 || len(c.Resources.Requests) > 0 && !equality.Semantic.DeepEqual(c.Resources.Requests, c.Resources.Limits) {
			guaranteed = false
		}
	}
	switch {
	case none:
		return v1.PodQOSBestEffort
	case guaranteed:
		return v1.PodQOSGuaranteed
	}
	return v1.PodQOSBurstable
}

// containsAny returns the first of some words that a text contains.
func containsAny(text string, words ...string) string {
	for _, w := range words {
		if strings.Contains(text, w) {
			return w
		}
	}
	return ""
}

var evictionPressure = harness.Rule{
	Clause: harness.Clause{
		ID:      "eviction/pressure",
		Level:   harness.Must,
		Text:    "When the file system of images is nearly full, the Node has the condition DiskPressure. The agent deletes images that nobody uses first, and then evicts one pod after the other, the least important first, until there is room. A pod that is evicted ends with the condition DisruptionTarget. One that comes meanwhile is refused with the reason Evicted, has no such condition, and never runs. An agent that starts while the file system is full may refuse what runs. Critical pods stay, and may come. The condition lasts for evictionPressureTransitionPeriod after there is room again.",
		Sources: []harness.Source{inKubelet("eviction/eviction_manager.go#managerImpl.synchronize"), inKubelet("eviction/eviction_manager.go#managerImpl.Admit"), inKubelet("kubelet.go#Kubelet.rejectPod"), page("Node-pressure Eviction", "", "concepts/scheduling-eviction/node-pressure-eviction.md")},
		Why:     "A node stops to work when its disk is full, or evicts what keeps it alive.",
		Advice:  "Write DisruptionTarget with the status of a pod that you evict, skip critical pods, and keep DiskPressure for its transition period after the disk was last full.",
		Classes: []string{"RemoveImage"},
	},
	Needs: []harness.Feature{Containers, Eviction},
	Judge: promise("eviction/pressure", judgeEviction),
}

func judgeEviction(t *trace, j *harness.Judgement) {
	t.judgePressure(j)
	for _, p := range t.pods {
		for _, s := range p.states {
			if s.Obj.Status.Reason != "Evicted" {
				continue
			}
			j.Tested++
			refused := len(p.sandboxes) == 0 || t.refusedAtStart(p, s.Num)
			if c := condition(s.Obj, v1.DisruptionTarget); !refused && (c == nil || c.Status != v1.ConditionTrue || c.Reason != v1.PodReasonTerminationByKubelet) {
				j.Fail("a pod that is evicted has the condition DisruptionTarget, by the kubelet", "it has not", s.Num)
			}
			if critical(s.Obj) {
				j.Fail("critical pods are not evicted", p.key+" is", s.Num)
			}
			break
		}
	}
}

// refusedAtStart reports whether the agent of an event may have refused a pod that an earlier one ran: the file system of images was full when
// it started.
func (t *trace) refusedAtStart(p *podTrace, num int32) bool {
	l := t.lifeAt(num)
	return len(p.sandboxes) > 0 && p.sandboxes[0].made.Num < l.from && t.fullBetween(l.from, t.numAt(l.began+pressureRound))
}

// fullFrom is how full, in percent, the file system of images is when agents may evict pods: kubelets do when less than 15 % is left.
const fullFrom = 85

// fullBetween reports whether the file system of images was full at some time between two events.
func (t *trace) fullBetween(from, to int32) (full bool) {
	for _, q := range t.user {
		percent := 0
		if q.Verb == "FILL" && q.Num < to && json.Unmarshal(q.Body, &percent) == nil {
			full = percent > fullFrom || full && q.Num > from
		}
	}
	return full
}

// pressureRound is how often an agent looks at the file system.
const pressureRound = 10 * time.Second

// judgePressure judges the ends of DiskPressure: an agent saw that there was no room in the round before there was, at the latest. But once it
// evicts a pod it looks at nothing until that has ended, or for half a minute (managerImpl.waitForPodsCleanup): a runtime that fails holds it up.
func (t *trace) judgePressure(j *harness.Judgement) {
	for i := 1; i < len(t.nodes); i++ {
		was, now := t.nodes[i-1], t.nodes[i]
		if !diskPressure(was.Obj) || diskPressure(now.Obj) {
			continue
		}
		var room *request
		for _, q := range t.user {
			if q.Verb == "FILL" && q.Num < now.Num {
				room = q
			}
		}
		if room == nil || t.did(now.Num, "RUNTIME-FAULT", "CRASH") > 0 || len(t.lives) > 1 && t.lifeAt(now.Num).began > room.From-pressureRound { // this agent may never have seen the file system full
			continue
		}
		if j.Tested++; now.At < room.From-pressureRound+t.config.EvictionPressureTransitionPeriod {
			j.Fail(fmt.Sprintf("DiskPressure lasts for %s", t.config.EvictionPressureTransitionPeriod), fmt.Sprintf("it ends %s after there is room", now.At-room.From), room.Num, now.Num)
		}
	}
}

func diskPressure(n *v1.Node) bool {
	return hasCondition("True", n.Status.Conditions, func(c v1.NodeCondition) string {
		if c.Type != v1.NodeDiskPressure {
			return ""
		}
		return string(c.Status)
	})
}

// critical reports whether a pod must stay.
func critical(p *v1.Pod) bool {
	return p.Spec.Priority != nil && *p.Spec.Priority >= 2_000_000_000
}

var imageGC = harness.Rule{
	Clause: harness.Clause{
		ID:      "image-gc/unused",
		Level:   harness.Must,
		Text:    "The agent deletes only images that no container uses and that are not pinned, the longest unused first. For want of room it deletes none that it has known for less than imageMinimumGCAge. A pod that needs a deleted image pulls it again.",
		Sources: []harness.Source{inKubelet("images/image_gc_manager.go#realImageGCManager.GarbageCollect"), page("Garbage Collection", "Container image lifecycle", "concepts/architecture/garbage-collection.md")},
		Why:     "A container cannot restart because its image is gone.",
		Advice:  "Collect the image ids of all containers just before you delete any image. Leave out pinned and young ones, and begin with the one whose last use is oldest.",
		Classes: []string{"RemoveImage"},
	},
	Needs: []harness.Feature{Containers, ImageGC},
	Judge: promise("image-gc/unused", judgeImageGC),
}

func judgeImageGC(t *trace, j *harness.Judgement) {
	for _, c := range t.calls {
		ask, ok := c.Ask.(*runtimeapi.RemoveImageRequest)
		if !ok {
			continue
		}
		for _, p := range t.pods {
			for _, x := range p.containers() {
				if x.made.Return > c.Num {
					continue
				}
				if j.Tested++; (x.ended == 0 || x.ended > c.Num) && x.config.GetImage().GetImage() == ask.GetImage().GetImage() {
					j.Fail("the image of "+x.name+", which runs, stays", "it is deleted", x.made.Num, c.Num)
				}
			}
		}
		t.judgeOrderOfImages(c, ask.GetImage().GetImage(), j)
	}
}

// judgeOrderOfImages judges the deletion of one image beside the others.
func (t *trace) judgeOrderOfImages(c *call, image string, j *harness.Judgement) {
	if listed := t.pinnedIn(image, c.Num); listed != nil {
		j.Fail("an image that is pinned stays", "it is deleted", listed.Num, c.Num)
	}
	pull := t.pullOf(image, c.Num)
	if pull == nil || t.killedBetween(pull.Num, c.Num) { // an agent knows no ages of images that were there before it
		return
	}
	if age := c.From - pull.From; t.did(c.Num, "FILL") > 0 && age < t.config.ImageMinimumGCAge && !t.thereBefore(image, pull.Num) {
		j.Fail(fmt.Sprintf("an image is known for %s before it is deleted", t.config.ImageMinimumGCAge), age.String(), pull.Num, c.Num)
	}
	for _, other := range t.calls {
		pulled, ok := other.Reply.(*runtimeapi.PullImageResponse)
		if !ok || other.Return > c.Num || t.removal(pulled.GetImageRef(), other.Num, c.Num) != nil {
			continue
		}
		unused, used := t.lastUse(pulled.GetImageRef(), other.To, c.Num)
		if !used && pulled.GetImageRef() != image && t.usedThrough(image, unused, unused+5*time.Minute+30*time.Second) {
			j.Fail("the image that is longest unused is deleted first", "another one is", other.Num, c.Num)
		}
	}
}

// thereBefore reports whether the runtime told of an image before an event, and it was not removed since: a pull may find it.
func (t *trace) thereBefore(image string, num int32) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		if c.Return == 0 || c.Return > num || t.removal(image, c.Num, num) != nil {
			return false
		}
		status, _ := c.Reply.(*runtimeapi.ImageStatusResponse)
		list, _ := c.Reply.(*runtimeapi.ListImagesResponse)
		return slices.ContainsFunc(append(list.GetImages(), status.GetImage()), func(i *runtimeapi.Image) bool { return i.GetId() == image })
	})
}

// pinnedIn returns the last list of images before an event if it says that an image is pinned; nil otherwise.
func (t *trace) pinnedIn(image string, num int32) *call {
	for _, c := range slices.Backward(t.calls) {
		if r, ok := c.Reply.(*runtimeapi.ListImagesResponse); ok && c.Return < num {
			if slices.ContainsFunc(r.GetImages(), func(i *runtimeapi.Image) bool { return i.GetId() == image && i.GetPinned() }) {
				return c
			}
			return nil
		}
	}
	return nil
}

// pullOf returns the first pull of an image since it was last deleted, before an event; nil: none.
func (t *trace) pullOf(image string, num int32) (first *call) {
	for _, c := range t.calls {
		if r, ok := c.Reply.(*runtimeapi.PullImageResponse); ok && c.Return < num && r.GetImageRef() == image && (first == nil || t.removal(image, first.Num, c.Num) != nil) {
			first = c
		}
	}
	return first
}

// usedThrough reports whether one container of an image was there from one time to another.
func (t *trace) usedThrough(image string, from, to time.Duration) bool {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			if x.config.GetImage().GetImage() == image && x.made.To < from+30*time.Second && (x.removed == nil || x.removed.From > to) {
				return true
			}
		}
	}
	return false
}
