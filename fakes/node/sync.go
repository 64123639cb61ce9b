package node

import (
	"errors"
	"fmt"
	"slices"
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
	if err := a.mountVolumes(j.ctx, pod); err != nil {
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
