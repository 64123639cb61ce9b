package apiserver

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// systemPriorities are of classes that every server has.
var systemPriorities = map[string]int32{"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}

// addSystemClasses makes them objects.
func (s *Server) addSystemClasses() {
	k := s.st.kinds[priorityClasses]
	if k == nil {
		return
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, class := range []schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Description: "Used for system critical pods that must not be moved from their current node."},
		{ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Description: "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."},
	} {
		class.Value, class.Generation = systemPriorities[class.Name], 1
		class.UID, class.CreationTimestamp = s.newUID(), second(now)
		defaultPriorityClass(&class)
		s.commit(now, write{kind: k, change: &change{new: s.st.record(class.Name, &class)}})
	}
}

// labelTopology says where the node of a pod is.
func (c *core) labelTopology(pod *corev1.Pod) error {
	if pod.Spec.NodeName != "" {
		pod.Labels = merged(pod.Labels, c.place(pod.Spec.NodeName))
	}
	return nil
}

// tolerate lets a pod stay for a while on a node that is gone, unless it says how long.
func tolerate(pod *corev1.Pod) {
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		tolerated := slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
			return (t.Key == key || t.Key == "") && (t.Effect == corev1.TaintEffectNoExecute || t.Effect == "")
		})
		if !tolerated {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
			})
		}
	}
}

var priorityClasses = schedulingv1.SchemeGroupVersion.WithResource("priorityclasses")

// prioritize sets the priority that a pod's class has, or the class that is for all who name none.
func (c *core) prioritize(pod *corev1.Pod) error {
	policy, priority := corev1.PreemptLowerPriority, int32(0)
	if pod.Spec.PriorityClassName == "" {
		if class := c.defaultClass(); class != nil {
			pod.Spec.PriorityClassName = class.Name
		}
	}
	if name := pod.Spec.PriorityClassName; name != "" {
		known := false
		if priority, known = systemPriorities[name]; !known {
			k := c.st.kinds[priorityClasses]
			if k == nil || k.Now().Get(name) == nil {
				return apierrors.NewForbidden(corev1.Resource("pods"), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf("no PriorityClass with name %s was found", name))
			}
			class := k.Now().Get(name).obj.(*schedulingv1.PriorityClass)
			priority, policy = class.Value, *class.PreemptionPolicy
		}
	}
	if p := pod.Spec.Priority; p != nil && *p != priority {
		return apierrors.NewForbidden(corev1.Resource("pods"), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf(
			"the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *p, priority))
	}
	pod.Spec.Priority = &priority
	if p := pod.Spec.PreemptionPolicy; p != nil && *p != policy {
		return apierrors.NewForbidden(corev1.Resource("pods"), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf(
			"the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", *p, policy))
	}
	pod.Spec.PreemptionPolicy = &policy
	return nil
}

// defaultClass is the one that is for pods that name none, or nil.
func (c *core) defaultClass() *schedulingv1.PriorityClass {
	k := c.st.kinds[priorityClasses]
	if k == nil {
		return nil
	}
	for r := range k.Now().Within("", "") {
		if class := r.obj.(*schedulingv1.PriorityClass); class.GlobalDefault {
			return class
		}
	}
	return nil
}

// admitPriorityClass lets one class be for all. The lock is held.
func admitPriorityClass(c *core, in, _ runtime.Object) error {
	class, has := in.(*schedulingv1.PriorityClass), c.defaultClass()
	if !class.GlobalDefault || has == nil || has.Name == class.Name {
		return nil
	}
	return apierrors.NewForbidden(priorityClasses.GroupResource(), class.Name, fmt.Errorf(
		"PriorityClass %s is already marked as default. Only one default can exist", has.Name))
}

// runAs gives a pod what its RuntimeClass says: its overhead, and which nodes it can run on.
func (c *core) runAs(pod *corev1.Pod) error {
	name, k := pod.Spec.RuntimeClassName, c.st.kinds[nodev1.SchemeGroupVersion.WithResource("runtimeclasses")]
	if name == nil || k == nil {
		return nil
	}
	rec := k.Now().Get(*name)
	if rec == nil {
		return apierrors.NewForbidden(corev1.Resource("pods"), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf("pod rejected: RuntimeClass %q not found", *name))
	}
	class := rec.obj.DeepCopyObject().(*nodev1.RuntimeClass)
	if class.Overhead != nil {
		pod.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling == nil {
		return nil
	}
	for key, want := range class.Scheduling.NodeSelector {
		if has, said := pod.Spec.NodeSelector[key]; said && has != want {
			return apierrors.NewForbidden(corev1.Resource("pods"), cmp.Or(pod.Name, pod.GenerateName, "Unknown"), fmt.Errorf(
				"conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, want, key, has))
		}
		if pod.Spec.NodeSelector == nil {
			pod.Spec.NodeSelector = map[string]string{}
		}
		pod.Spec.NodeSelector[key] = want
	}
	for _, t := range class.Scheduling.Tolerations {
		if !slices.Contains(pod.Spec.Tolerations, t) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, t)
		}
	}
	return nil
}

// podGrace is how long a pod has left.
func podGrace(o runtime.Object, asked *int64) int64 {
	pod := o.(*corev1.Pod)
	period := int64(0)
	for _, said := range []*int64{pod.Spec.TerminationGracePeriodSeconds, asked} {
		if said != nil {
			period = *said
		}
	}
	switch {
	case pod.Spec.NodeName == "", pod.Status.Phase == corev1.PodFailed, pod.Status.Phase == corev1.PodSucceeded:
		return 0
	case period < 0:
		return 1
	}
	return period
}

// qosOf is how well a pod is served: by what its containers ask for and are limited to.
func qosOf(spec *corev1.PodSpec) corev1.PodQOSClass {
	any, all := false, true
	for _, c := range containersOf(spec) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			asked, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			any = any || !zero(asked) || !zero(limit)
			all = all && !zero(limit) && asked.Cmp(limit) == 0
		}
	}
	switch {
	case !any:
		return corev1.PodQOSBestEffort
	case all:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

func zero(q resource.Quantity) bool { return q.IsZero() }
