package node

import (
	"slices"
	"strings"

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
		Text:    "When the file system of images is nearly full, the Node has the condition DiskPressure. The agent deletes images that nobody uses first, and then evicts one pod after the other, the least important first, until there is room. A pod that is evicted ends with the condition DisruptionTarget. Critical pods stay.",
		Sources: []harness.Source{inKubelet("eviction/eviction_manager.go#managerImpl.synchronize"), page("Node-pressure Eviction", "", "concepts/scheduling-eviction/node-pressure-eviction.md")},
		Why:     "A node stops to work when its disk is full, or evicts what keeps it alive.",
		Classes: []string{"RemoveImage"},
	},
	Needs: []harness.Feature{Containers, Eviction},
	Judge: promise("eviction/pressure", judgeEviction),
}

func judgeEviction(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, s := range p.states {
			if s.Obj.Status.Reason != "Evicted" {
				continue
			}
			j.Tested++
			if c := condition(s.Obj, v1.DisruptionTarget); c == nil || c.Status != v1.ConditionTrue || c.Reason != v1.PodReasonTerminationByKubelet {
				j.Fail("a pod that is evicted has the condition DisruptionTarget, by the kubelet", "it has not", s.Num)
			}
			if critical(s.Obj) {
				j.Fail("critical pods are not evicted", p.key+" is", s.Num)
			}
			break
		}
	}
}

// critical reports whether a pod must stay.
func critical(p *v1.Pod) bool {
	return p.Spec.Priority != nil && *p.Spec.Priority >= 2_000_000_000
}

var imageGC = harness.Rule{
	Clause: harness.Clause{
		ID:      "image-gc/unused",
		Level:   harness.Must,
		Text:    "The agent deletes only images that no container uses. A pod that needs a deleted image pulls it again.",
		Sources: []harness.Source{inKubelet("images/image_gc_manager.go#realImageGCManager.GarbageCollect"), page("Garbage Collection", "Container image lifecycle", "concepts/architecture/garbage-collection.md")},
		Why:     "A container cannot restart because its image is gone.",
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
	}
}
