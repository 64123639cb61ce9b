package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// minimumGrace is how many seconds a container always has to stop.
const minimumGrace = 2

// terminatePod stops all of a pod, and then reports how its containers ended.
func (a *Agent) terminatePod(j job, s *podStatus) error {
	st := a.newStatus(j.pod, s, false)
	if j.alter != nil {
		j.alter(&st)
	}
	a.status.set(j.pod, st)
	a.probes.stopLiveness(j.pod)
	if err := a.killPod(j.ctx, j.pod, runningPod(j.pod, s), &j.grace); err != nil {
		a.events.pod(j.pod, v1.EventTypeWarning, "FailedKillPod", "error killing pod: %v", err)
		return fmt.Errorf("error killing terminating pod: %w", err)
	}
	a.probes.remove(j.pod.UID)
	pods, err := a.listPods(j.ctx, j.pod.UID, true)
	if err != nil {
		return err
	}
	stopped := &podStatus{}
	if p := pods[j.pod.UID]; p != nil {
		if stopped, err = a.inspect(j.ctx, p); err != nil {
			return err
		}
	}
	for _, cs := range stopped.containers {
		if cs.State == running {
			return fmt.Errorf("container %s runs after it was stopped", cs.Id)
		}
	}
	stopped.ips = s.ips
	a.status.set(j.pod, a.newStatus(j.pod, stopped, true))
	return nil
}

// finishPod reports the last status of a pod of which nothing runs.
func (a *Agent) finishPod(pod *v1.Pod, s *podStatus) {
	a.status.set(pod, a.newStatus(pod, s, true))
	a.removeDirs(pod)
	a.status.finish(pod)
}

// runningPod is what of a pod's status is to be stopped: containers that run or may run, and all sandboxes.
func runningPod(pod *v1.Pod, s *podStatus) *runtimePod {
	p := &runtimePod{uid: pod.UID, name: pod.Name, namespace: pod.Namespace}
	for _, b := range s.sandboxes {
		p.sandboxes = append(p.sandboxes, &runtimeapi.PodSandbox{Id: b.Id})
	}
	for _, cs := range s.containers {
		if cs.State == running {
			p.containers = append(p.containers, &runtimeapi.Container{Id: cs.Id, Labels: map[string]string{labelContainer: cs.name}})
		}
	}
	return p
}

// killPod stops the containers of a pod side by side, then its sandboxes. Sidecars stop after the containers, the last one first. pod is nil
// if only the runtime knows it; grace is nil for that of the pod.
func (a *Agent) killPod(ctx context.Context, pod *v1.Pod, p *runtimePod, grace *int64) error {
	order := newOrder(pod, p)
	errs := make([]error, len(p.containers))
	var wg sync.WaitGroup
	for i, c := range p.containers {
		wg.Go(func() {
			spec, owner := (*v1.Container)(nil), pod
			if pod != nil {
				spec = container(pod, c.Labels[labelContainer])
			}
			if spec == nil {
				if owner, spec, errs[i] = a.restored(ctx, c.Id); errs[i] != nil {
					return
				}
			}
			errs[i] = a.killContainer(ctx, owner, spec, c.Id, "", "", grace, order)
		})
	}
	wg.Wait()
	err := errors.Join(errs...)
	for _, s := range p.sandboxes {
		if _, failed := a.rt.StopPodSandbox(ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: s.Id}); failed != nil && status.Code(failed) != codes.NotFound {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// restored returns what the runtime knows of the spec of a container that no pod has: enough to stop it as its pod wanted.
func (a *Agent) restored(ctx context.Context, id string) (*v1.Pod, *v1.Container, error) {
	r, err := a.rt.ContainerStatus(ctx, &runtimeapi.ContainerStatusRequest{ContainerId: id})
	if err != nil {
		return nil, nil, err
	}
	labels, notes := r.GetStatus().GetLabels(), r.GetStatus().GetAnnotations()
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(labels[labelPodUID]), Name: labels[labelPodName], Namespace: labels[labelPodNamespace]}}
	if g, err := strconv.ParseInt(notes[noteTerminateGrace], 10, 64); err == nil {
		pod.Spec.TerminationGracePeriodSeconds = &g
	}
	c := &v1.Container{Name: labels[labelContainer]}
	if hook := (&v1.LifecycleHandler{}); json.Unmarshal([]byte(notes[notePreStop]), hook) == nil {
		c.Lifecycle = &v1.Lifecycle{PreStop: hook}
	}
	return pod, c, nil
}

// killContainer runs the preStop hook of a container and stops it with the grace that is left. reason "LivenessProbe" and "StartupProbe" choose
// the grace period of the probe.
func (a *Agent) killContainer(ctx context.Context, pod *v1.Pod, c *v1.Container, id, reason, why string, override *int64, order *order) error {
	if c == nil {
		c = &v1.Container{}
	}
	grace := int64(minimumGrace)
	switch probe := probeOf(c, reason); {
	case pod.DeletionGracePeriodSeconds != nil:
		grace = *pod.DeletionGracePeriodSeconds
	case probe != nil && probe.TerminationGracePeriodSeconds != nil:
		grace = *probe.TerminationGracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		grace = *pod.Spec.TerminationGracePeriodSeconds
	}
	if why == "" {
		why = "Stopping container " + c.Name
	}
	a.events.container(pod, c, v1.EventTypeNormal, "Killing", "%s", why)
	if override != nil {
		grace = *override
	}
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil && grace > 0 {
		began := time.Now()
		a.runPreStop(ctx, pod, c, id, time.Duration(grace)*time.Second)
		grace -= int64(time.Since(began).Seconds())
	}
	if grace > 0 {
		grace -= order.wait(ctx, c.Name, grace)
	}
	if err := ctx.Err(); err != nil { // begun anew with a shorter grace
		return err
	}
	_, err := a.rt.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: max(grace, minimumGrace)})
	if err != nil && status.Code(err) != codes.NotFound {
		return err
	}
	order.ended(c.Name)
	return nil
}

// runPreStop runs a preStop hook, and waits for it as long as the grace is. One that takes longer goes on until its container ends.
func (a *Agent) runPreStop(ctx context.Context, pod *v1.Pod, c *v1.Container, id string, grace time.Duration) {
	wait, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	done := make(chan struct{})
	a.wg.Go(func() {
		defer close(done)
		if err := a.runHook(ctx, pod, c, id, c.Lifecycle.PreStop); err != nil {
			a.events.container(pod, c, v1.EventTypeWarning, "FailedPreStopHook", "PreStopHook failed")
		}
	})
	select {
	case <-done:
	case <-wait.Done():
	}
}

func probeOf(c *v1.Container, reason string) *v1.Probe {
	switch reason {
	case "LivenessProbe":
		return c.LivenessProbe
	case "StartupProbe":
		return c.StartupProbe
	}
	return nil
}

func (a *Agent) removeContainer(ctx context.Context, id string) error {
	_, err := a.rt.RemoveContainer(ctx, &runtimeapi.RemoveContainerRequest{ContainerId: id})
	return err
}
