package node

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
	"k8s.io/utils/dump"
)

func quantity(s string) resource.Quantity { return resource.MustParse(s) }

func marshal(v any) ([]byte, error) { return json.Marshal(v) }

// containers returns init containers and containers of a pod; with all, ephemeral ones too.
func containers(p *v1.Pod, all bool) iter.Seq[*v1.Container] {
	return func(yield func(*v1.Container) bool) {
		for i := range p.Spec.InitContainers {
			if !yield(&p.Spec.InitContainers[i]) {
				return
			}
		}
		for i := range p.Spec.Containers {
			if !yield(&p.Spec.Containers[i]) {
				return
			}
		}
		for i := range p.Spec.EphemeralContainers {
			if all && !yield((*v1.Container)(&p.Spec.EphemeralContainers[i].EphemeralContainerCommon)) {
				return
			}
		}
	}
}

// container returns a container of any kind by its name; nil: none.
func container(p *v1.Pod, name string) *v1.Container {
	for c := range containers(p, true) {
		if c.Name == name {
			return c
		}
	}
	return nil
}

func fullName(p *v1.Pod) string { return p.Name + "_" + p.Namespace }

// describe names a pod as the kubelet's messages do.
func describe(p *v1.Pod) string { return fmt.Sprintf("%s_%s(%s)", p.Name, p.Namespace, p.UID) }

func isStatic(p *v1.Pod) bool {
	return p.Annotations[noteConfigSource] == "file" || p.Annotations[noteConfigSource] == "http"
}

func isMirror(p *v1.Pod) bool { _, ok := p.Annotations[noteConfigMirror]; return ok }

func isMirrorOf(mirror, static *v1.Pod) bool {
	return fullName(mirror) == fullName(static) && mirror.Annotations[noteConfigMirror] == static.Annotations[noteConfigHash]
}

func isTerminal(phase v1.PodPhase) bool { return phase == v1.PodFailed || phase == v1.PodSucceeded }

func isCritical(p *v1.Pod) bool {
	return isStatic(p) || isMirror(p) || p.Spec.Priority != nil && *p.Spec.Priority >= 2_000_000_000
}

// isSidecar reports whether an init container runs beside the containers.
func isSidecar(c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways
}

// ruleFor returns the action of the first restart rule that an exit code matches; "": none.
func ruleFor(c *v1.Container, code int32) v1.ContainerRestartRuleAction {
	for _, r := range c.RestartPolicyRules {
		if r.ExitCodes == nil {
			continue
		}
		in := slices.Contains(r.ExitCodes.Values, code)
		if in == (r.ExitCodes.Operator == v1.ContainerRestartRuleOnExitCodesOpIn) {
			return r.Action
		}
	}
	return ""
}

// restarts reports whether a container that ended with a code starts again.
func restarts(p *v1.Pod, c *v1.Container, code int32) bool {
	policy := v1.ContainerRestartPolicy(p.Spec.RestartPolicy)
	if c.RestartPolicy != nil {
		switch ruleFor(c, code) {
		case v1.ContainerRestartRuleActionRestart, v1.ContainerRestartRuleActionRestartAllContainers:
			return true
		}
		policy = *c.RestartPolicy
	}
	return policy != v1.ContainerRestartPolicyNever && (policy != v1.ContainerRestartPolicyOnFailure || code != 0)
}

// mayRestartAll reports whether an exit of a container can restart all of them.
func mayRestartAll(p *v1.Pod) bool {
	for c := range containers(p, false) {
		for _, r := range c.RestartPolicyRules {
			if r.Action == v1.ContainerRestartRuleActionRestartAllContainers {
				return true
			}
		}
	}
	return false
}

// hashOf identifies what of a container's spec cannot change while it runs.
func hashOf(c *v1.Container) string {
	b, _ := json.Marshal(map[string]string{"name": c.Name, "image": c.Image})
	h := fnv.New32a()
	fmt.Fprintf(h, "%v", dump.ForHash(b))
	return strconv.FormatUint(uint64(h.Sum32()), 16)
}

// sum adds what the containers of a pod ask for: the containers and sidecars together, or more while an init container runs. What the pod
// itself says for CPU and memory wins.
func sum(p *v1.Pod, of func(*v1.ResourceRequirements) v1.ResourceList) v1.ResourceList {
	total, sidecars, most := v1.ResourceList{}, v1.ResourceList{}, v1.ResourceList{}
	add := func(to, more v1.ResourceList) {
		for k, q := range more {
			was := to[k]
			was.Add(q)
			to[k] = was
		}
	}
	for i := range p.Spec.Containers {
		add(total, of(&p.Spec.Containers[i].Resources))
	}
	for i := range p.Spec.InitContainers {
		c := &p.Spec.InitContainers[i]
		now := maps.Clone(sidecars)
		add(now, of(&c.Resources))
		if isSidecar(c) {
			add(total, of(&c.Resources))
			sidecars = now
		}
		for k, q := range now {
			if was, ok := most[k]; !ok || q.Cmp(was) > 0 {
				most[k] = q
			}
		}
	}
	for k, q := range most {
		if was, ok := total[k]; !ok || q.Cmp(was) > 0 {
			total[k] = q
		}
	}
	if p.Spec.Resources != nil {
		maps.Copy(total, of(p.Spec.Resources))
	}
	return total
}

func requestsOf(r *v1.ResourceRequirements) v1.ResourceList { return r.Requests }
func limitsOf(r *v1.ResourceRequirements) v1.ResourceList   { return r.Limits }

// requests is what a pod needs of a node.
func requests(p *v1.Pod) v1.ResourceList {
	total := sum(p, requestsOf)
	for k, q := range p.Spec.Overhead {
		was := total[k]
		was.Add(q)
		total[k] = was
	}
	return total
}

// qosOf returns the QoS class of a pod.
func qosOf(p *v1.Pod) v1.PodQOSClass {
	if p.Status.QOSClass != "" {
		return p.Status.QOSClass
	}
	any, guaranteed := false, true
	for c := range containers(p, false) {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
			any = any || !request.IsZero() || !limit.IsZero()
			guaranteed = guaranteed && !limit.IsZero() && request.Cmp(limit) == 0
		}
	}
	switch {
	case !any:
		return v1.PodQOSBestEffort
	case guaranteed:
		return v1.PodQOSGuaranteed
	}
	return v1.PodQOSBurstable
}

// oomScore is the OOM score adjustment of a container (k8s.io/kubernetes v1.37.1, pkg/kubelet/qos/policy.go).
func (a *Agent) oomScore(p *v1.Pod, c *v1.Container) int64 {
	switch qos := qosOf(p); {
	case qos == v1.PodQOSGuaranteed, p.Spec.PriorityClassName == "system-node-critical":
		return -997
	case qos == v1.PodQOSBestEffort:
		return 1000
	}
	capacity := max(a.c.Capacity.Memory().Value(), 1)
	return min(max(1000-1000*c.Resources.Requests.Memory().Value()/capacity, 3), 999)
}

// linuxResources turns requests and limits into shares, quotas and bytes.
func linuxResources(requests, limits v1.ResourceList) *runtimeapi.LinuxContainerResources {
	cpu, ok := requests[v1.ResourceCPU]
	if limit := limits[v1.ResourceCPU]; !ok || cpu.IsZero() && !limit.IsZero() {
		cpu = limit
	}
	out := &runtimeapi.LinuxContainerResources{CpuPeriod: 100000, CpuShares: min(max(cpu.MilliValue()*1024/1000, 2), 262144)}
	if limit := limits.Cpu().MilliValue(); limit > 0 {
		out.CpuQuota = max(limit*100, 1000)
	}
	out.MemoryLimitInBytes = limits.Memory().Value()
	return out
}
