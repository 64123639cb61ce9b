package node

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// actions is what a sync does.
type actions struct {
	killPod, createSandbox  bool
	sandbox                 string
	attempt                 uint32
	init, start, ephemerals []*v1.Container
	kill                    []stop
	reset                   []*containerStatus // to be removed, killed before if they run; all others are left alone
}

// stop is a container to be killed, and why.
type stop struct {
	*containerStatus
	reason string // "StartupProbe" or "LivenessProbe" choose the grace period
	why    string
}

// sandboxChanged reports whether a pod needs a new sandbox, its attempt, the id of the sandbox that it has, and why.
func sandboxChanged(p *v1.Pod, s *podStatus) (bool, uint32, string, string) {
	if len(s.sandboxes) == 0 {
		return true, 0, "", "no pod sandbox exists"
	}
	count := 0
	for _, b := range s.sandboxes {
		if b.State == ready {
			count++
		}
	}
	b := s.sandboxes[0]
	next := b.GetMetadata().GetAttempt() + 1
	switch {
	case count > 1:
		return true, next, b.Id, "multiple pod sandboxes are ready and need to be reconciled"
	case b.State != ready:
		return true, next, b.Id, "pod sandbox is not ready"
	case b.GetLinux().GetNamespaces().GetOptions().GetNetwork() != networkOf(p):
		return true, next, "", "network namespace mode changed and sandbox needs to be recreated"
	case !p.Spec.HostNetwork && b.Network != nil && b.Network.Ip == "":
		return true, next, b.Id, "pod sandbox has no IP address"
	}
	return false, next - 1, b.Id, ""
}

func networkOf(p *v1.Pod) runtimeapi.NamespaceMode {
	if p.Spec.HostNetwork {
		return runtimeapi.NamespaceMode_NODE
	}
	return runtimeapi.NamespaceMode_POD
}

// plan computes what to do (k8s.io/kubernetes v1.37.1, pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
func (r *run) plan(restartAll bool) (x actions) {
	p, s := r.pod, r.status
	x.createSandbox, x.attempt, x.sandbox, _ = sandboxChanged(p, s)
	x.killPod = x.createSandbox
	if restartAll {
		x.killPod, x.createSandbox = false, false
		x.reset = resetOrder(p, s)
		return x
	}
	if x.createSandbox {
		r.planSandbox(&x)
		return x
	}
	for i := range p.Spec.EphemeralContainers {
		if c := (*v1.Container)(&p.Spec.EphemeralContainers[i].EphemeralContainerCommon); s.find(c.Name, false) == nil {
			x.ephemerals = append(x.ephemerals, c)
		}
	}
	if !r.planInit(&x) || x.killPod {
		return x
	}
	keep := 0
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		cs := s.find(c.Name, false)
		if cs == nil || cs.State != running {
			if shouldStart(p, c, s) {
				x.start = append(x.start, c)
				if cs != nil && cs.State == unknown {
					x.kill = append(x.kill, stop{cs, "", "Container is in unknown state, try killing it before restart"})
				}
			}
			continue
		}
		again := p.Spec.RestartPolicy != v1.RestartPolicyNever
		if c.RestartPolicy != nil {
			again = *c.RestartPolicy != v1.ContainerRestartPolicyNever
		}
		reason, why := r.unfit(c, cs)
		switch {
		case why == "" && r.a.resizes.needsRestart(p, c, cs):
			why, again = fmt.Sprintf("Container %s resize requires restart", c.Name), true
		case why == "":
			keep++
			continue
		case reason == "":
			again = true // another definition
		}
		if again {
			why += ", will be restarted"
			x.start = append(x.start, c)
		}
		x.kill = append(x.kill, stop{cs, reason, why})
	}
	if keep == 0 && len(x.start) == 0 {
		x.killPod, x.init = true, nil // sidecars do not keep a pod alive
	}
	return x
}

// unfit says why a container that runs must not go on; "": it may.
func (r *run) unfit(c *v1.Container, cs *containerStatus) (reason, why string) {
	switch {
	case cs.hash != hashOf(c):
		return "", fmt.Sprintf("Container %s definition changed", c.Name)
	case r.a.probes.result(liveness, cs.Id) == failed:
		return "LivenessProbe", fmt.Sprintf("Container %s failed liveness probe", c.Name)
	case r.a.probes.result(startup, cs.Id) == failed:
		return "StartupProbe", fmt.Sprintf("Container %s failed startup probe", c.Name)
	}
	return "", ""
}

// shouldStart reports whether a container that does not run is to be started.
func shouldStart(p *v1.Pod, c *v1.Container, s *podStatus) bool {
	cs := s.find(c.Name, false)
	switch {
	case p.DeletionTimestamp != nil:
		return false
	case cs == nil:
		return true
	case cs.State == running:
		return false
	case cs.State != exited:
		return true
	}
	return restarts(p, c, cs.ExitCode)
}

// planSandbox is the plan for a pod without a sandbox: everything starts from the beginning, unless it has been done.
func (r *run) planSandbox(x *actions) {
	p, s := r.pod, r.status
	if p.Spec.RestartPolicy == v1.RestartPolicyNever && x.attempt != 0 && len(s.containers) != 0 {
		x.createSandbox = false
		return
	}
	var start []*v1.Container
	for i := range p.Spec.Containers {
		c := &p.Spec.Containers[i]
		once := p.Spec.RestartPolicy == v1.RestartPolicyOnFailure
		if c.RestartPolicy != nil {
			once = *c.RestartPolicy == v1.ContainerRestartPolicyOnFailure
		}
		if cs := s.find(c.Name, false); once && cs != nil && cs.State == exited && cs.ExitCode == 0 {
			continue
		}
		start = append(start, c)
	}
	if len(start) == 0 && anyCreated(p, s) {
		x.createSandbox = false
		return
	}
	if len(p.Spec.InitContainers) > 0 {
		x.init = []*v1.Container{&p.Spec.InitContainers[0]}
		return
	}
	x.start = start
}

// anyCreated reports whether a container that is no init container was ever created, so that all init containers are done.
func anyCreated(p *v1.Pod, s *podStatus) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(c v1.Container) bool {
		cs := s.find(c.Name, false)
		return cs != nil && cs.State != unknown
	})
}

// anyStarted reports whether one has started in the sandbox of now.
func anyStarted(p *v1.Pod, s *podStatus) bool {
	return slices.ContainsFunc(p.Spec.Containers, func(c v1.Container) bool {
		cs := s.find(c.Name, true)
		return cs != nil && (cs.State == running || cs.State == exited)
	})
}

// planInit is the plan for init containers. It reports whether the pod is initialized.
func (r *run) planInit(x *actions) bool {
	p, s := r.pod, r.status
	if len(p.Spec.InitContainers) == 0 {
		return true
	}
	done := anyStarted(p, s)
	before := done // the init container that is looked at has been initialized before
	count := len(p.Spec.InitContainers)
	for i := count - 1; i >= 0; i-- {
		c := &p.Spec.InitContainers[i]
		cs := s.find(c.Name, true)
		if cs == nil {
			if before && isSidecar(c) {
				x.init = append(x.init, c)
			}
			continue
		}
		if before && !isSidecar(c) {
			continue
		}
		initialized := false
		switch {
		case cs.State == created:
			x.init = append(x.init, c)
		case cs.State == running && isSidecar(c):
			initialized = r.planSidecar(x, c, cs)
		case cs.State == running:
		case isSidecar(c):
			if cs.State != exited {
				x.kill = append(x.kill, stop{cs, "", "Init container is in unknown state, try killing it before restart"})
			}
			x.init = append(x.init, c)
		case cs.State == exited && cs.ExitCode == 0:
			initialized = true
		case !restarts(p, c, cs.ExitCode):
			x.killPod, x.init = true, nil
			return false
		default:
			if cs.State != exited {
				x.kill = append(x.kill, stop{cs, "", "Init container is in unknown state, try killing it before restart"})
			}
			x.init = append(x.init, c)
		}
		if initialized {
			if i == count-1 {
				done = true
			} else if !before {
				x.init = append(x.init, &p.Spec.InitContainers[i+1])
			}
		}
		before = true
	}
	if !before {
		x.init = append(x.init, &p.Spec.InitContainers[0])
	}
	slices.SortStableFunc(x.init, func(c, d *v1.Container) int { return cmp.Compare(initIndex(p, c), initIndex(p, d)) })
	return done
}

func initIndex(p *v1.Pod, c *v1.Container) int {
	return slices.IndexFunc(p.Spec.InitContainers, func(d v1.Container) bool { return d.Name == c.Name })
}

// planSidecar is the plan for a sidecar that runs. It reports whether it has started, so that the next container may start.
func (r *run) planSidecar(x *actions, c *v1.Container, cs *containerStatus) bool {
	if c.StartupProbe != nil {
		switch r.a.probes.result(startup, cs.Id) {
		case failed:
			x.kill = append(x.kill, stop{cs, "StartupProbe", fmt.Sprintf("Init container %s failed startup probe", c.Name)})
			x.init = append(x.init, c)
			return false
		case succeeded:
		default:
			return false
		}
	}
	reason, why := r.unfit(c, cs)
	if why == "" && r.a.resizes.needsRestart(r.pod, c, cs) {
		why = fmt.Sprintf("Container %s resize requires restart", c.Name)
	}
	if why != "" {
		x.kill = append(x.kill, stop{cs, reason, "Init c" + strings.TrimPrefix(why, "C")})
		x.init = append(x.init, c)
	}
	return true
}

// resetOrder returns all containers in the order in which a restart of all removes them: those whose exit asked for it come last.
func resetOrder(p *v1.Pod, s *podStatus) []*containerStatus {
	pick := func(all []v1.Container, sources bool) (out []*containerStatus) {
		for i := range all {
			for _, cs := range s.containers {
				source := cs.State == exited && ruleFor(&all[i], cs.ExitCode) == v1.ContainerRestartRuleActionRestartAllContainers
				if cs.name == all[i].Name && source == sources {
					out = append(out, cs)
				}
			}
		}
		return out
	}
	return slices.Concat(pick(p.Spec.Containers, false), pick(p.Spec.InitContainers, false), pick(p.Spec.Containers, true), pick(p.Spec.InitContainers, true))
}
