package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
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
				owner, spec = &v1.Pod{}, &v1.Container{Name: c.Labels[labelContainer]}
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
		hook, cancel := context.WithTimeout(ctx, time.Duration(grace)*time.Second)
		if err := a.runHook(hook, pod, c, id, c.Lifecycle.PreStop); err != nil {
			a.events.container(pod, c, v1.EventTypeWarning, "FailedPreStopHook", "PreStopHook failed")
		}
		cancel()
		grace -= int64(time.Since(began).Seconds())
	}
	if grace > 0 {
		grace -= order.wait(ctx, c.Name, grace)
	}
	_, err := a.rt.StopContainer(ctx, &runtimeapi.StopContainerRequest{ContainerId: id, Timeout: max(grace, minimumGrace)})
	if err != nil && status.Code(err) != codes.NotFound {
		return err
	}
	order.ended(c.Name)
	return nil
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

// order is in which order the containers of a pod with sidecars stop. A nil order is none.
type order struct {
	mu      sync.Mutex
	over    map[string]chan struct{} // closed when the container has stopped
	waitFor map[string][]chan struct{}
}

func newOrder(pod *v1.Pod, p *runtimePod) *order {
	if pod == nil {
		return nil
	}
	o := &order{over: map[string]chan struct{}{}, waitFor: map[string][]chan struct{}{}}
	runs := map[string]bool{}
	for _, c := range p.containers {
		runs[c.Labels[labelContainer]] = true
	}
	add := func(name string) chan struct{} {
		o.over[name] = make(chan struct{})
		if !runs[name] {
			close(o.over[name])
		}
		return o.over[name]
	}
	var before []chan struct{}
	for _, c := range pod.Spec.Containers {
		before = append(before, add(c.Name))
	}
	for i := len(pod.Spec.InitContainers) - 1; i >= 0; i-- {
		if c := &pod.Spec.InitContainers[i]; isSidecar(c) {
			o.waitFor[c.Name] = before
			before = append(before[:len(before):len(before)], add(c.Name))
		}
	}
	return o
}

// wait waits for a container's turn, and returns how many seconds it took.
func (o *order) wait(ctx context.Context, name string, grace int64) int64 {
	if o == nil {
		return 0
	}
	began, left := time.Now(), time.NewTimer(time.Duration(grace)*time.Second)
	defer left.Stop()
	for _, ch := range o.waitFor[name] {
		select {
		case <-ch:
			continue
		case <-left.C:
		case <-ctx.Done():
		}
		break
	}
	return int64(time.Since(began).Seconds())
}

func (o *order) ended(name string) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if ch := o.over[name]; ch != nil {
		close(ch)
		delete(o.over, name)
	}
}

func (a *Agent) removeContainer(ctx context.Context, id string) error {
	_, err := a.rt.RemoveContainer(ctx, &runtimeapi.RemoveContainerRequest{ContainerId: id})
	return err
}

// runHook runs a postStart or preStop hook to its end.
func (a *Agent) runHook(ctx context.Context, pod *v1.Pod, c *v1.Container, id string, h *v1.LifecycleHandler) error {
	switch {
	case h.Exec != nil:
		out, err := a.rt.ExecSync(ctx, &runtimeapi.ExecSyncRequest{ContainerId: id, Cmd: h.Exec.Command})
		if err == nil && out.GetExitCode() != 0 {
			err = fmt.Errorf("command %v exited with %d: %s", h.Exec.Command, out.ExitCode, out.Stderr)
		}
		return err
	case h.Sleep != nil:
		if !sleep(ctx, time.Duration(h.Sleep.Seconds)*time.Second) {
			return ctx.Err()
		}
		return nil
	case h.HTTPGet != nil:
		return a.httpGet(ctx, h.HTTPGet, c, a.addressOf(pod.UID))
	case h.TCPSocket != nil:
		return a.dial(ctx, h.TCPSocket.Host, h.TCPSocket.Port, c, a.addressOf(pod.UID))
	}
	return errors.New("the hook has no handler")
}

// httpGet asks a container, and returns an error for an answer that is no success.
func (a *Agent) httpGet(ctx context.Context, g *v1.HTTPGetAction, c *v1.Container, address string) error {
	port, err := portOf(g.Port, c)
	if err != nil {
		return err
	}
	if g.Host != "" {
		address = g.Host
	}
	url := fmt.Sprintf("%s://%s/%s", strings.ToLower(string(g.Scheme)), net.JoinHostPort(address, port), strings.TrimPrefix(g.Path, "/"))
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	for _, h := range g.HTTPHeaders {
		q.Header.Add(h.Name, h.Value)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode >= 400 {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", answer.StatusCode)
	}
	return nil
}

// dial connects to a container.
func (a *Agent) dial(ctx context.Context, host string, port intstr.IntOrString, c *v1.Container, address string) error {
	if host == "" {
		host = address
	}
	number, err := portOf(port, c)
	if err != nil {
		return err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, number))
	if err == nil {
		conn.Close()
	}
	return err
}

// portOf returns the number of a port that may be named.
func portOf(p intstr.IntOrString, c *v1.Container) (string, error) {
	if p.Type == intstr.Int {
		return p.String(), nil
	}
	for _, known := range c.Ports {
		if known.Name == p.StrVal {
			return strconv.Itoa(int(known.ContainerPort)), nil
		}
	}
	if _, err := strconv.Atoi(p.StrVal); err != nil {
		return "", fmt.Errorf("container %s has no port %q", c.Name, p.StrVal)
	}
	return p.StrVal, nil
}
