package node

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// illegal reports whether a container that ended for good would have another state.
func illegal(p *v1.Pod, old, now *v1.PodStatus) bool {
	if p.Spec.RestartPolicy == v1.RestartPolicyAlways || mayRestartAll(p) {
		return false
	}
	for _, x := range slices.Concat(old.InitContainerStatuses, old.ContainerStatuses) {
		c := container(p, x.Name)
		if x.State.Terminated == nil || c == nil || isSidecar(c) || restarts(p, c, x.State.Terminated.ExitCode) {
			continue
		}
		for _, y := range slices.Concat(now.InitContainerStatuses, now.ContainerStatuses) {
			if y.Name == x.Name && y.State.Terminated == nil {
				return true
			}
		}
	}
	return false
}

// setTransition keeps the time of a condition that has the same status as before.
func setTransition(c *v1.PodCondition, old []v1.PodCondition) {
	if !slices.Contains(ownConditions, c.Type) && c.Type != v1.DisruptionTarget || c.Type == v1.PodResizePending || c.Type == v1.PodResizeInProgress {
		return
	}
	c.LastTransitionTime = metav1.Now()
	if i := conditionIndex(old, c.Type); i >= 0 && old[i].Status == c.Status {
		c.LastTransitionTime = old[i].LastTransitionTime
	}
}

// normalized cuts times to seconds, as the API server does, and long messages.
func normalized(p *v1.Pod, st v1.PodStatus) v1.PodStatus {
	st = *st.DeepCopy()
	seconds := func(t *metav1.Time) { *t = t.Rfc3339Copy() }
	longest := 12 << 10
	if n := len(p.Spec.InitContainers) + len(p.Spec.Containers) + len(p.Spec.EphemeralContainers); n > 0 {
		longest /= n
	}
	if st.StartTime != nil {
		seconds(st.StartTime)
	}
	for i := range st.Conditions {
		seconds(&st.Conditions[i].LastTransitionTime)
		seconds(&st.Conditions[i].LastProbeTime)
	}
	for _, all := range [][]v1.ContainerStatus{st.InitContainerStatuses, st.ContainerStatuses, st.EphemeralContainerStatuses} {
		for i := range all {
			for _, s := range []*v1.ContainerState{&all[i].State, &all[i].LastTerminationState} {
				if s.Running != nil {
					seconds(&s.Running.StartedAt)
				}
				if t := s.Terminated; t != nil {
					seconds(&t.StartedAt)
					seconds(&t.FinishedAt)
					t.Message = t.Message[:min(len(t.Message), longest)]
				}
			}
		}
	}
	return st
}

// sameStatus compares what the kubelet owns of two statuses.
func sameStatus(x, y *v1.PodStatus) bool {
	own := func(s *v1.PodStatus) *v1.PodStatus {
		s = s.DeepCopy()
		s.Conditions = slices.DeleteFunc(s.Conditions, func(c v1.PodCondition) bool {
			return !slices.Contains(ownConditions, c.Type) && c.Type != v1.DisruptionTarget
		})
		slices.SortFunc(s.Conditions, func(c, d v1.PodCondition) int { return strings.Compare(string(c.Type), string(d.Type)) })
		for i := range s.Conditions {
			s.Conditions[i].LastProbeTime = metav1.Time{}
		}
		return s
	}
	return equality.Semantic.DeepEqual(own(x), own(y))
}
