package node

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandboxConfig returns what the sandbox of a pod is made from (k8s.io/kubernetes v1.37.1, pkg/kubelet/kuberuntime/kuberuntime_sandbox.go).
func (a *Agent) sandboxConfig(p *v1.Pod, attempt uint32) *runtimeapi.PodSandboxConfig {
	labels := map[string]string{}
	maps.Copy(labels, p.Labels)
	labels[labelPodName], labels[labelPodNamespace], labels[labelPodUID] = p.Name, p.Namespace, string(p.UID)
	out := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: p.Namespace, Uid: string(p.UID), Attempt: attempt},
		Labels: labels, Annotations: p.Annotations, LogDirectory: a.logDir(p), DnsConfig: &runtimeapi.DNSConfig{}}
	if c := p.Spec.DNSConfig; c != nil {
		out.DnsConfig.Servers, out.DnsConfig.Searches = c.Nameservers, c.Searches
	}
	if !p.Spec.HostNetwork {
		if out.Hostname = p.Spec.Hostname; out.Hostname == "" {
			out.Hostname = strings.TrimRight(p.Name[:min(len(p.Name), 63)], "-.")
		}
	}
	privileged := false
	for c := range containers(p, true) {
		privileged = privileged || c.SecurityContext != nil && c.SecurityContext.Privileged != nil && *c.SecurityContext.Privileged
	}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			out.PortMappings = append(out.PortMappings, &runtimeapi.PortMapping{HostIp: port.HostIP, HostPort: port.HostPort, ContainerPort: port.ContainerPort,
				Protocol: runtimeapi.Protocol(runtimeapi.Protocol_value[string(port.Protocol)])})
		}
	}
	security := &runtimeapi.LinuxSandboxSecurityContext{Privileged: privileged, Seccomp: &runtimeapi.SecurityProfile{ProfileType: runtimeapi.SecurityProfile_RuntimeDefault},
		NamespaceOptions: namespacesOf(p)}
	out.Linux = &runtimeapi.LinuxPodSandboxConfig{CgroupParent: a.cgroupParent(p), SecurityContext: security, Sysctls: map[string]string{}, Overhead: &runtimeapi.LinuxContainerResources{}}
	if sc := p.Spec.SecurityContext; sc != nil {
		security.RunAsUser, security.RunAsGroup = int64Of(sc.RunAsUser), int64Of(sc.RunAsGroup)
		security.SupplementalGroups, security.SupplementalGroupsPolicy = groupsOf(sc)
		for _, s := range sc.Sysctls {
			out.Linux.Sysctls[s.Name] = s.Value
		}
	}
	out.Linux.Resources = linuxResources(sum(p, requestsOf), limitsOfPod(p))
	if p.Spec.Overhead != nil {
		out.Linux.Overhead = linuxResources(p.Spec.Overhead, p.Spec.Overhead)
	}
	return out
}

// limitsOfPod is the sum of the limits of a pod's containers.
func limitsOfPod(p *v1.Pod) v1.ResourceList { return sum(p, limitsOf) }

func int64Of(n *int64) *runtimeapi.Int64Value {
	if n == nil {
		return nil
	}
	return &runtimeapi.Int64Value{Value: *n}
}

func groupsOf(sc *v1.PodSecurityContext) (groups []int64, policy runtimeapi.SupplementalGroupsPolicy) {
	if sc.FSGroup != nil {
		groups = append(groups, *sc.FSGroup)
	}
	if sc.SupplementalGroupsPolicy != nil {
		policy = runtimeapi.SupplementalGroupsPolicy(runtimeapi.SupplementalGroupsPolicy_value[string(*sc.SupplementalGroupsPolicy)])
	}
	return append(groups, sc.SupplementalGroups...), policy
}

// namespacesOf is the same for the sandbox and the containers of a pod.
func namespacesOf(p *v1.Pod) *runtimeapi.NamespaceOption {
	out := &runtimeapi.NamespaceOption{Network: networkOf(p), Pid: runtimeapi.NamespaceMode_CONTAINER, UsernsOptions: &runtimeapi.UserNamespace{Mode: runtimeapi.NamespaceMode_NODE}}
	switch {
	case p.Spec.HostPID:
		out.Pid = runtimeapi.NamespaceMode_NODE
	case p.Spec.ShareProcessNamespace != nil && *p.Spec.ShareProcessNamespace:
		out.Pid = runtimeapi.NamespaceMode_POD
	}
	if p.Spec.HostIPC {
		out.Ipc = runtimeapi.NamespaceMode_NODE
	}
	if p.Spec.HostUsers != nil && !*p.Spec.HostUsers {
		ids := []*runtimeapi.IDMapping{{HostId: 65536, ContainerId: 0, Length: 65536}}
		out.UsernsOptions = &runtimeapi.UserNamespace{Mode: runtimeapi.NamespaceMode_POD, Uids: ids, Gids: ids}
	}
	return out
}

// cgroupParent is the cgroup of a pod below that of its QoS class (k8s.io/kubernetes v1.37.1, pkg/kubelet/cm).
func (a *Agent) cgroupParent(p *v1.Pod) string {
	if !a.c.CgroupsPerQOS {
		return ""
	}
	parts := []string{"kubepods"}
	for _, part := range strings.Split(a.c.CgroupRoot, "/") {
		if part != "" {
			parts = slices.Insert(parts, len(parts)-1, part)
		}
	}
	if qos := qosOf(p); qos != v1.PodQOSGuaranteed {
		parts = append(parts, strings.ToLower(string(qos)))
	}
	parts = append(parts, "pod"+string(p.UID))
	if a.driver == runtimeapi.CgroupDriver_CGROUPFS {
		return "/" + strings.Join(parts, "/")
	}
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "-", "_")
	}
	return strings.Join(parts, "-") + ".slice"
}

// handlerOf is the runtime handler of a pod: that of its class, if there is one.
func (a *Agent) handlerOf(p *v1.Pod) string {
	if p.Spec.RuntimeClassName == nil || *p.Spec.RuntimeClassName == "" || a.api == nil {
		return ""
	}
	class, err := a.api.NodeV1().RuntimeClasses().Get(a.ctx, *p.Spec.RuntimeClassName, metav1.GetOptions{})
	if err != nil {
		return *p.Spec.RuntimeClassName // the runtime refuses it
	}
	return class.Handler
}

func (a *Agent) logDir(p *v1.Pod) string {
	if a.c.Logs == "" {
		return ""
	}
	return filepath.Join(a.c.Logs, p.Namespace+"_"+p.Name+"_"+string(p.UID))
}

func (a *Agent) makeLogDir(dir string) error {
	if dir == "" {
		return nil
	}
	return os.MkdirAll(dir, 0o755)
}
