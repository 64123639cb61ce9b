package node

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// resourcesOf returns the resources of a container.
func (a *Agent) resourcesOf(p *v1.Pod, c *v1.Container) *runtimeapi.LinuxContainerResources {
	limits := maps.Clone(c.Resources.Limits)
	if p.Spec.Resources != nil { // a container without a limit has that of the pod
		all := maps.Clone(p.Spec.Resources.Limits)
		maps.Copy(all, limits)
		limits = all
	}
	out := linuxResources(c.Resources.Requests, limits)
	out.OomScoreAdj = a.oomScore(p, c)
	out.MemorySwapLimitInBytes = out.MemoryLimitInBytes
	out.HugepageLimits = []*runtimeapi.HugepageLimit{{PageSize: "2MB"}, {PageSize: "1GB"}}
	return out
}

var (
	maskedPaths = []string{"/proc/asound", "/proc/acpi", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
		"/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware", "/sys/devices/virtual/powercap"}
	readonlyPaths = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
)

func (a *Agent) securityOf(p *v1.Pod, c *v1.Container, user *runtimeapi.Image) *runtimeapi.LinuxContainerSecurityContext {
	out := &runtimeapi.LinuxContainerSecurityContext{NamespaceOptions: namespacesOf(p), Seccomp: &runtimeapi.SecurityProfile{ProfileType: runtimeapi.SecurityProfile_Unconfined},
		MaskedPaths: maskedPaths, ReadonlyPaths: readonlyPaths}
	if sc := p.Spec.SecurityContext; sc != nil {
		out.RunAsUser, out.RunAsGroup = int64Of(sc.RunAsUser), int64Of(sc.RunAsGroup)
		out.SupplementalGroups, out.SupplementalGroupsPolicy = groupsOf(sc)
		if sc.SeccompProfile != nil && sc.SeccompProfile.Type == v1.SeccompProfileTypeRuntimeDefault {
			out.Seccomp.ProfileType = runtimeapi.SecurityProfile_RuntimeDefault
		}
	}
	if sc := c.SecurityContext; sc != nil {
		if sc.RunAsUser != nil {
			out.RunAsUser = int64Of(sc.RunAsUser)
		}
		if sc.RunAsGroup != nil {
			out.RunAsGroup = int64Of(sc.RunAsGroup)
		}
		out.Privileged = sc.Privileged != nil && *sc.Privileged
		out.ReadonlyRootfs = sc.ReadOnlyRootFilesystem != nil && *sc.ReadOnlyRootFilesystem
		out.NoNewPrivs = sc.AllowPrivilegeEscalation != nil && !*sc.AllowPrivilegeEscalation
		if sc.Capabilities != nil {
			out.Capabilities = &runtimeapi.Capability{}
			for _, x := range sc.Capabilities.Add {
				out.Capabilities.AddCapabilities = append(out.Capabilities.AddCapabilities, string(x))
			}
			for _, x := range sc.Capabilities.Drop {
				out.Capabilities.DropCapabilities = append(out.Capabilities.DropCapabilities, string(x))
			}
		}
		if sc.SeccompProfile != nil && sc.SeccompProfile.Type == v1.SeccompProfileTypeRuntimeDefault {
			out.Seccomp.ProfileType = runtimeapi.SecurityProfile_RuntimeDefault
		}
	}
	if out.RunAsUser == nil {
		if out.RunAsUsername = user.GetUsername(); user.GetUid() != nil {
			out.RunAsUser = user.GetUid()
		} else if out.RunAsUsername == "" {
			out.RunAsUser = &runtimeapi.Int64Value{}
		}
	}
	return out
}
