package node

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// failure is why a container did not start: the reason of its waiting state.
type failure struct {
	reason, message string
	until           time.Time // no attempt before; zero: as usual
}

func (f failure) Error() string { return f.reason + ": " + f.message }

var errNetwork = errors.New("network is not ready")

// syncPod brings a pod closer to its spec and reports its status. terminal is true if the pod has ended; relist asks for a relist of
// the pod.
func (a *Agent) syncPod(j job, s *podStatus) (terminal, relist bool, err error) {
	pod := j.pod
	j.ctx = a.ctx // what has been begun is not broken off because the pod is to end
	a.resizes.progress(pod, s)
	st := a.newStatus(pod, s, false)
	s.ips = nil
	for _, ip := range st.PodIPs {
		s.ips = append(s.ips, ip.IP)
	}
	a.status.set(pod, st)
	if isTerminal(st.Phase) {
		return true, false, nil
	}
	if err := a.networkError(); err != nil && !pod.Spec.HostNetwork {
		a.events.pod(pod, v1.EventTypeWarning, "NetworkNotReady", "network is not ready: %v", err)
		return false, false, fmt.Errorf("%w: %v", errNetwork, err)
	}
	a.syncMirror(pod, j.mirror)
	if err := a.makeDirs(pod); err != nil {
		return false, false, err
	}
	a.probes.add(pod)
	restartAll := slices.ContainsFunc(st.Conditions, func(c v1.PodCondition) bool {
		return c.Type == v1.AllContainersRestarting && c.Status == v1.ConditionTrue
	})
	r := &run{a: a, job: j, pod: pod, status: s}
	r.sync(restartAll)
	a.keepReasons(pod.UID, r)
	if restartAll && r.err() == nil && r.did > 0 {
		a.requestWork(pod.UID)
	}
	err = r.err()
	return false, err == nil && r.did > 0, err
}

// requestWork makes a worker sync again at once.
func (a *Agent) requestWork(uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.workers[uid]; w != nil {
		w.pending = true
	}
}

// run is one sync of a pod with the runtime.
type run struct {
	a       *Agent
	job     job
	pod     *v1.Pod
	status  *podStatus
	config  *runtimeapi.PodSandboxConfig // of the sandbox
	sandbox string                       // its id
	volumes map[string]volumeImage       // pulled, by name; nil: not yet
	did     int                          // how many steps were taken
	fails   map[string]error             // by the container, or "" for the pod
	tried   []string                     // containers whose start was tried
}

func (r *run) fail(what string, err error) {
	if r.fails == nil {
		r.fails = map[string]error{}
	}
	r.fails[what] = err
}

// err returns what failed. If a back-off is part of it, the error says when the first one ends.
func (r *run) err() error {
	var all []error
	var first time.Time
	for _, err := range r.fails {
		all = append(all, err)
		var f failure
		if errors.As(err, &f) && !f.until.IsZero() && (first.IsZero() || f.until.Before(first)) {
			first = f.until
		}
	}
	if err := errors.Join(all...); err == nil || first.IsZero() {
		return err
	}
	return retryAfter{errors.Join(all...), first}
}

// keepReasons remembers why containers did not start.
func (a *Agent) keepReasons(uid types.UID, r *run) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reasons[uid] == nil {
		a.reasons[uid] = map[string]failure{}
	}
	for _, name := range r.tried {
		var f failure
		if errors.As(r.fails[name], &f) {
			a.reasons[uid][name] = f
		} else {
			delete(a.reasons[uid], name)
		}
	}
}

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

// sync carries the plan out.
func (r *run) sync(restartAll bool) {
	x := r.plan(restartAll)
	if !r.clean(x) {
		return
	}
	r.pruneInit()
	r.sandbox = x.sandbox
	if x.createSandbox && !r.createSandbox(x.attempt) {
		return
	}
	if r.config == nil && len(x.ephemerals)+len(x.init)+len(x.start) > 0 {
		r.config = r.a.sandboxConfig(r.pod, x.attempt)
	}
	if !x.killPod && len(x.reset) == 0 {
		if err := r.a.resizes.actuate(r.job.ctx, r.pod, r.status, x); err != nil {
			r.fail("", err)
		}
	}
	for _, c := range x.ephemerals {
		r.start(c)
	}
	for _, c := range x.init {
		if !r.start(c) && !isSidecar(c) {
			return
		}
	}
	for _, c := range x.start {
		r.start(c)
	}
}

// clean stops and removes what must not run. It reports whether the sync goes on.
func (r *run) clean(x actions) bool {
	a, ctx := r.a, r.job.ctx
	if x.killPod {
		r.did++
		if err := a.killPod(ctx, r.pod, runningPod(r.pod, r.status), nil); err != nil {
			r.fail("", fmt.Errorf("cannot kill the pod: %w", err))
			return false
		}
		if x.createSandbox {
			for _, cs := range r.status.containers {
				if initIndex(r.pod, &v1.Container{Name: cs.name}) >= 0 {
					a.removeContainer(ctx, cs.Id)
				}
			}
		}
		return true
	}
	for _, k := range x.kill {
		r.did++
		if err := a.killContainer(ctx, r.pod, container(r.pod, k.name), k.Id, k.reason, k.why, nil, nil); err != nil {
			r.fail("", fmt.Errorf("cannot kill container %s: %w", k.name, err))
			return false
		}
	}
	for _, cs := range x.reset {
		if cs.State != exited {
			if err := a.killContainer(ctx, r.pod, container(r.pod, cs.name), cs.Id, "", "killing", new(int64(0)), nil); err != nil {
				r.fail("", err)
				return false
			}
		}
		if err := a.removeContainer(ctx, cs.Id); err != nil {
			r.fail("", err)
			return false
		}
		r.did++
	}
	return true
}

// pruneInit removes all but the last run of each init container.
func (r *run) pruneInit() {
	seen := map[string]bool{}
	for _, cs := range r.status.containers {
		if initIndex(r.pod, &v1.Container{Name: cs.name}) < 0 || cs.State != exited && cs.State != unknown {
			continue
		}
		if seen[cs.name] {
			r.a.removeContainer(r.job.ctx, cs.Id)
		}
		seen[cs.name] = true
	}
}

// createSandbox makes the sandbox and tells its address.
func (r *run) createSandbox(attempt uint32) bool {
	a, ctx := r.a, r.job.ctx
	r.did++
	r.config = a.sandboxConfig(r.pod, attempt)
	if err := a.makeLogDir(r.config.LogDirectory); err != nil {
		r.fail("", err)
		return false
	}
	out, err := a.rt.RunPodSandbox(ctx, &runtimeapi.RunPodSandboxRequest{Config: r.config, RuntimeHandler: a.handlerOf(r.pod)})
	if err != nil {
		if a.isTerminating(r.pod.UID) {
			return false
		}
		a.events.pod(r.pod, v1.EventTypeWarning, "FailedCreatePodSandBox", "Failed to create pod sandbox: %v", err)
		r.fail("", fmt.Errorf("failed to create sandbox: %w", err))
		return false
	}
	r.sandbox = out.PodSandboxId
	status, err := a.rt.PodSandboxStatus(ctx, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: r.sandbox})
	if err != nil || status.GetStatus() == nil {
		r.fail("", fmt.Errorf("no status of the new sandbox: %w", err))
		return false
	}
	if !r.pod.Spec.HostNetwork {
		r.status.ips = ipsOf(status.Status)
	}
	a.status.sandboxReady(r.pod)
	return true
}
