package apiserver

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
)

// systemPriorities are of classes that every server has.
var systemPriorities = map[string]int32{"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}

// admitPod does what admission plugins do: priority, and tolerations of a node that is gone for a while.
// The lock is held.
func admitPod(c *core, in, old runtime.Object) error {
	if old != nil {
		return nil
	}
	pod := in.(*corev1.Pod)
	if err := c.prioritize(pod); err != nil {
		return err
	}
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
	return nil
}

// prioritize sets the priority that a pod's class has.
func (c *core) prioritize(pod *corev1.Pod) error {
	policy, priority := corev1.PreemptLowerPriority, int32(0)
	if name := pod.Spec.PriorityClassName; name != "" {
		known := false
		if priority, known = systemPriorities[name]; !known {
			k := c.st.kinds[schedulingv1.SchemeGroupVersion.WithResource("priorityclasses")]
			if k == nil || k.now().get(name) == nil {
				return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, fmt.Errorf("no PriorityClass with name %s was found", name))
			}
			class := k.now().get(name).obj.(*schedulingv1.PriorityClass)
			priority, policy = class.Value, *class.PreemptionPolicy
		}
	}
	if p := pod.Spec.Priority; p != nil && *p != priority {
		return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, fmt.Errorf(
			"the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *p, priority))
	}
	pod.Spec.Priority = &priority
	defaultPtr(&pod.Spec.PreemptionPolicy, policy)
	return nil
}

// allocate gives a service an address of its own, as far as 10.0.0.0/24 reaches. The lock is held.
func allocate(c *core, in, old runtime.Object) error {
	if old != nil {
		return nil
	}
	s := in.(*corev1.Service)
	if s.Spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	policy, families := corev1.IPFamilyPolicySingleStack, []corev1.IPFamily{corev1.IPv4Protocol}
	if s.Spec.ClusterIP == corev1.ClusterIPNone && len(s.Spec.Selector) == 0 {
		policy, families = corev1.IPFamilyPolicyRequireDualStack, []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	}
	if s.Spec.ClusterIP == "" {
		s.Spec.ClusterIP = c.freeAddress()
	}
	if len(s.Spec.ClusterIPs) == 0 {
		s.Spec.ClusterIPs = []string{s.Spec.ClusterIP}
	}
	if len(s.Spec.IPFamilies) == 0 {
		s.Spec.IPFamilies = families
	}
	defaultPtr(&s.Spec.IPFamilyPolicy, policy)
	return nil
}

// freeAddress is the first that no service has, from one that the seed chooses.
func (c *core) freeAddress() string {
	taken := map[string]bool{}
	for r := range c.st.kinds[corev1.SchemeGroupVersion.WithResource("services")].now().within("", "") {
		taken[r.obj.(*corev1.Service).Spec.ClusterIP] = true
	}
	const hosts = 254
	first := c.rand.IntN(hosts)
	for i := range hosts {
		ip := netip.AddrFrom4([4]byte{10, 0, 0, byte(1 + (first+i)%hosts)}).String()
		if !taken[ip] {
			return ip
		}
	}
	return corev1.ClusterIPNone
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
