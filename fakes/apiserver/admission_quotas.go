package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

var quotas = corev1.SchemeGroupVersion.WithResource("resourcequotas")

// charge takes what a new object uses from the quotas of its namespace, or refuses it. The lock is held.
func (c *core) charge(now time.Time, k *kind, in runtime.Object, dryRun bool) error {
	m, q := in.(metav1.Object), c.st.kinds[quotas]
	if !c.o.Admission.ResourceQuota || q == nil || m.GetNamespace() == "" {
		return nil
	}
	var writes []write
	for r := range q.Now().Within(m.GetNamespace()+"/", "") {
		quota := r.obj.(*corev1.ResourceQuota)
		if quota.DeletionTimestamp != nil || !covers(quota, in) {
			continue
		}
		after, err := charged(quota, k, in)
		if err != nil {
			return apierrors.NewForbidden(k.res.GroupResource(), m.GetName(), err)
		}
		if after != nil {
			writes = append(writes, write{kind: q, change: &change{old: r, new: c.st.record(r.key, after)}})
		}
	}
	if len(writes) > 0 && !dryRun {
		c.commit(now, writes...)
	}
	return nil
}

// charged returns a quota with what an object uses; nil: it uses nothing of it.
func charged(quota *corev1.ResourceQuota, k *kind, in runtime.Object) (*corev1.ResourceQuota, error) {
	var after *corev1.ResourceQuota
	var asked, used, hard, missing []string
	uses := usage(k, in)
	for _, name := range sortedNames(quota.Status.Hard) {
		amount, limit := uses[name], quota.Status.Hard[name]
		if _, says := uses[name]; !says && computed(name) && k.res.Resource == "pods" {
			missing = append(missing, string(name)+" for: "+strings.Join(silent(in.(*corev1.Pod), name), ","))
			continue
		}
		if amount.IsZero() {
			continue
		}
		now := quota.Status.Used[name]
		sum := now.DeepCopy()
		sum.Add(amount)
		if sum.Cmp(limit) > 0 {
			asked, used, hard = append(asked, fmt.Sprintf("%s=%s", name, amount.String())), append(used, fmt.Sprintf("%s=%s", name, now.String())), append(hard, fmt.Sprintf("%s=%s", name, limit.String()))
		}
		if after == nil {
			after = quota.DeepCopy()
		}
		if after.Status.Used == nil {
			after.Status.Used = corev1.ResourceList{}
		}
		after.Status.Used[name] = sum
	}
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("failed quota: %s: must specify %s", quota.Name, strings.Join(missing, "; "))
	case len(asked) > 0:
		return nil, errors.New("exceeded quota: " + quota.Name + ", requested: " + strings.Join(asked, ",") + ", used: " + strings.Join(used, ",") + ", limited: " + strings.Join(hard, ","))
	}
	return after, nil
}

func sortedNames(l corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range l {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// computed reports whether a quota counts what the containers of pods ask for.
func computed(name corev1.ResourceName) bool {
	kind, _ := asks(name)
	return kind != ""
}

// asks returns what a quota counts of the containers of pods: of which kind, and "requests" or "limits"; "": it counts objects.
func asks(name corev1.ResourceName) (kind corev1.ResourceName, of string) {
	switch name {
	case corev1.ResourceCPU, corev1.ResourceMemory:
		return name, "requests"
	}
	of, rest, _ := strings.Cut(string(name), ".")
	if kind = corev1.ResourceName(rest); kind == corev1.ResourceCPU || kind == corev1.ResourceMemory {
		return kind, of
	}
	return "", ""
}

// silent are the containers that do not say what a quota counts.
func silent(pod *corev1.Pod, name corev1.ResourceName) (names []string) {
	kind, of := asks(name)
	for _, c := range containersOf(&pod.Spec) {
		if _, ok := amounts(c.Resources, of)[kind]; !ok {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}

func amounts(r corev1.ResourceRequirements, of string) corev1.ResourceList {
	if of == "limits" {
		return r.Limits
	}
	return r.Requests
}

// usage is what an object counts for in quotas.
func usage(k *kind, in runtime.Object) corev1.ResourceList {
	one := *resource.NewQuantity(1, resource.DecimalSI)
	out := corev1.ResourceList{corev1.ResourceName("count/" + k.res.GroupResource().String()): one}
	if slices.Contains([]string{"pods", "services", "secrets", "configmaps", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas"}, k.res.GroupResource().String()) {
		out[corev1.ResourceName(k.res.Resource)] = one
	}
	switch o := in.(type) {
	case *corev1.Service:
		if o.Spec.Type == corev1.ServiceTypeLoadBalancer {
			out[corev1.ResourceServicesLoadBalancers] = one
		}
		for _, p := range o.Spec.Ports {
			if p.NodePort != 0 {
				n := out[corev1.ResourceServicesNodePorts]
				n.Add(one)
				out[corev1.ResourceServicesNodePorts] = n
			}
		}
	case *corev1.PersistentVolumeClaim:
		out[corev1.ResourceRequestsStorage] = *o.Spec.Resources.Requests.Storage()
	case *corev1.Pod:
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory} {
			if len(silent(o, name)) == 0 {
				out[name] = asksFor(o, name)
			}
		}
	}
	return out
}

// asksFor is what a pod asks for: of all containers and sidecars together, or of the largest init container.
func asksFor(pod *corev1.Pod, name corev1.ResourceName) (sum resource.Quantity) {
	kind, of := asks(name)
	for _, c := range pod.Spec.Containers {
		sum.Add(amounts(c.Resources, of)[kind])
	}
	var sidecars, most resource.Quantity
	for _, c := range pod.Spec.InitContainers {
		amount := amounts(c.Resources, of)[kind]
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			sidecars.Add(amount)
			continue
		}
		if amount.Add(sidecars); amount.Cmp(most) > 0 {
			most = amount
		}
	}
	if sum.Add(sidecars); most.Cmp(sum) > 0 {
		return most
	}
	return sum
}
