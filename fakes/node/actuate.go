package node

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// differs reports whether a container that runs has other resources than allocated. It is called under the lock.
func (r *resizer) differs(p *v1.Pod, s *podStatus) bool {
	for c := range containers(p, false) {
		if cs := s.find(c.Name, true); cs != nil && cs.State == running {
			if x, ok := r.state.Actuated[p.UID][c.Name]; ok && !sameResources(&x, &c.Resources) {
				return true
			}
			if !r.inForce(c, cs) {
				return true
			}
		}
	}
	return false
}

// inForce reports whether the runtime says that a container has the resources of its spec.
func (r *resizer) inForce(c *v1.Container, cs *containerStatus) bool {
	is, want := cs.GetResources().GetLinux(), linuxResources(c.Resources.Requests, c.Resources.Limits)
	return is == nil || (want.CpuShares == 2 || is.CpuShares == want.CpuShares) && (want.CpuQuota == 0 || is.CpuQuota == want.CpuQuota) &&
		(want.MemoryLimitInBytes == 0 || is.MemoryLimitInBytes == want.MemoryLimitInBytes)
}

func sameResources(x, y *v1.ResourceRequirements) bool {
	for _, k := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		for _, of := range []func(*v1.ResourceRequirements) v1.ResourceList{requestsOf, limitsOf} {
			if a, b := of(x)[k], of(y)[k]; a.Cmp(b) != 0 {
				return false
			}
		}
	}
	return true
}

// created remembers the resources that a container is created with.
func (r *resizer) created(p *v1.Pod, c *v1.Container) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told(p.UID, c.Name, c.Resources)
}

// told remembers resources that the runtime was told. It is called under the lock.
func (r *resizer) told(uid types.UID, name string, x v1.ResourceRequirements) {
	if r.state.Actuated[uid] == nil {
		r.state.Actuated[uid] = map[string]v1.ResourceRequirements{}
	}
	r.state.Actuated[uid][name] = *x.DeepCopy()
	r.a.save(allocationState, r.state)
}

func (r *resizer) actuated(uid types.UID, name string) (v1.ResourceRequirements, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	x, ok := r.state.Actuated[uid][name]
	return x, ok
}

// needsRestart reports whether a container must restart for its new resources.
func (r *resizer) needsRestart(p *v1.Pod, c *v1.Container, cs *containerStatus) bool {
	was, ok := r.actuated(p.UID, c.Name)
	if !ok || cs.State != running {
		return false
	}
	for _, policy := range c.ResizePolicy {
		k := policy.ResourceName
		request, limit := was.Requests[k], was.Limits[k]
		if policy.RestartPolicy == v1.RestartContainer && (request.Cmp(c.Resources.Requests[k]) != 0 || limit.Cmp(c.Resources.Limits[k]) != 0) {
			return true
		}
	}
	return false
}

// statusResources is what the status of a container says of its resources: what is in force.
func (r *resizer) statusResources(p *v1.Pod, c *v1.Container, cs *containerStatus) *v1.ResourceRequirements {
	out := c.Resources.DeepCopy()
	is := cs.GetResources().GetLinux()
	if cs.State != running || is == nil {
		return out
	}
	was, ok := r.actuated(p.UID, c.Name)
	if !ok {
		was = c.Resources
	}
	set := func(list v1.ResourceList, k v1.ResourceName, q *resource.Quantity) {
		if want, ok := list[k]; ok && want.Cmp(*q) != 0 {
			list[k] = *q
		}
	}
	if q := resource.NewMilliQuantity(is.CpuQuota/100, resource.DecimalSI); is.CpuQuota > 0 {
		set(out.Limits, v1.ResourceCPU, q)
	}
	if is.MemoryLimitInBytes > 0 {
		set(out.Limits, v1.ResourceMemory, resource.NewQuantity(is.MemoryLimitInBytes, resource.BinarySI))
	}
	if want, ok := out.Requests[v1.ResourceCPU]; ok && is.CpuShares > 2 && is.CpuShares != max(want.MilliValue()*1024/1000, 2) {
		out.Requests[v1.ResourceCPU] = *resource.NewMilliQuantity((is.CpuShares*1000+1023)/1024, resource.DecimalSI)
	}
	if q, ok := was.Requests[v1.ResourceMemory]; ok {
		set(out.Requests, v1.ResourceMemory, &q)
	}
	return out
}

// change is a container that runs with other resources than allocated.
type change struct {
	c     *v1.Container
	id    string
	grows bool
}

// actuate tells the runtime the allocated resources of containers that run with others: memory first, then CPU, those that shrink first. The pod
// grows before its containers, and shrinks after them.
func (r *resizer) actuate(ctx context.Context, p *v1.Pod, s *podStatus, x actions) error {
	for _, k := range []v1.ResourceName{v1.ResourceMemory, v1.ResourceCPU} {
		before, changes := r.changes(p, s, x, k)
		was, now := podResources(before), podResources(p)
		if len(changes) == 0 && *partOf(was, k, true) == *partOf(now, k, true) && *partOf(was, k, false) == *partOf(now, k, false) {
			continue
		}
		defer r.a.pleg.inspectAgain(p.UID) // the status is read once more, even after a failure
		if k == v1.ResourceMemory {
			if err := r.roomy(ctx, p, s); err != nil {
				return err
			}
		}
		tell := func(limit, grow bool) error {
			from, to := partOf(was, k, limit), *partOf(now, k, limit)
			if to == 0 || to == *from || (to > *from) != grow {
				return nil
			}
			*from = to
			return r.tellPod(ctx, x.sandbox, was)
		}
		for _, limit := range []bool{true, false} {
			if err := tell(limit, true); err != nil {
				return err
			}
		}
		for _, one := range changes {
			if err := r.tellContainer(ctx, p, one.c, one.id, k); err != nil {
				return err
			}
		}
		for _, limit := range []bool{false, true} {
			if err := tell(limit, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes returns a pod with the resources that the runtime was told, and the containers of which it is to be told others.
func (r *resizer) changes(p *v1.Pod, s *podStatus, x actions, k v1.ResourceName) (before *v1.Pod, all []change) {
	before = p.DeepCopy()
	for c := range containers(p, false) {
		was, ok := r.actuated(p.UID, c.Name)
		if !ok {
			continue
		}
		container(before, c.Name).Resources = was
		cs := s.find(c.Name, true)
		if cs == nil || cs.State != running || slices.ContainsFunc(x.kill, func(k stop) bool { return k.Id == cs.Id }) {
			continue
		}
		request, limit := was.Requests[k], was.Limits[k]
		d, e := request.Cmp(c.Resources.Requests[k]), limit.Cmp(c.Resources.Limits[k])
		if d != 0 || e != 0 {
			all = append(all, change{c, cs.Id, d < 0 || e < 0})
		}
	}
	slices.SortStableFunc(all, func(x, y change) int { return boolInt(x.grows) - boolInt(y.grows) })
	return before, all
}

// podResources is what a pod's cgroup has: a limit only if each container has one.
func podResources(p *v1.Pod) *runtimeapi.LinuxContainerResources {
	limits := limitsOfPod(p)
	for c := range containers(p, false) {
		for _, k := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			if q := c.Resources.Limits[k]; q.IsZero() && p.Spec.Resources == nil {
				delete(limits, k)
			}
		}
	}
	return linuxResources(sum(p, requestsOf), limits)
}

// partOf is the limit, or the request, of a resource. There is no request of memory.
func partOf(x *runtimeapi.LinuxContainerResources, k v1.ResourceName, limit bool) *int64 {
	switch {
	case k == v1.ResourceMemory && limit:
		return &x.MemoryLimitInBytes
	case k == v1.ResourceMemory:
		return new(int64)
	case limit:
		return &x.CpuQuota
	}
	return &x.CpuShares
}

// roomy returns an error if a container uses more memory than it is to have.
func (r *resizer) roomy(ctx context.Context, p *v1.Pod, s *podStatus) error {
	const k = v1.ResourceMemory
	for c := range containers(p, false) {
		was, ok := r.actuated(p.UID, c.Name)
		cs := s.find(c.Name, true)
		limit, old := c.Resources.Limits[k], was.Limits[k]
		if !ok || cs == nil || cs.State != running || limit.IsZero() || !old.IsZero() && limit.Cmp(old) >= 0 {
			continue
		}
		out, err := r.a.rt.ContainerStats(ctx, &runtimeapi.ContainerStatsRequest{ContainerId: cs.Id})
		if err != nil {
			return fmt.Errorf("unable to read memory usage for pod %q", describe(p))
		}
		if used := out.GetStats().GetMemory().GetUsageBytes().GetValue(); used >= uint64(limit.Value()) {
			err := fmt.Errorf("cannot decrease memory limits: attempting to set container %q memory limit (%d) below current usage (%d)", c.Name, limit.Value(), used)
			r.mu.Lock()
			if c := r.running[p.UID]; c != nil {
				c.Reason, c.Message = v1.PodReasonError, err.Error()
			}
			r.mu.Unlock()
			return err
		}
	}
	return nil
}

// tellPod tells the runtime the resources of a pod. A runtime that does not want to know is right, too.
func (r *resizer) tellPod(ctx context.Context, sandbox string, now *runtimeapi.LinuxContainerResources) error {
	q := &runtimeapi.UpdatePodSandboxResourcesRequest{PodSandboxId: sandbox, Overhead: &runtimeapi.LinuxContainerResources{}, Resources: now}
	_, err := r.a.rt.UpdatePodSandboxResources(ctx, q)
	if code := status.Code(err); code == codes.Unimplemented || code == codes.Unknown && strings.Contains(err.Error(), "not implemented") {
		return nil
	}
	return err
}

// tellContainer tells the runtime one resource of a container; the other stays as it is.
func (r *resizer) tellContainer(ctx context.Context, p *v1.Pod, c *v1.Container, id string, k v1.ResourceName) error {
	is, _ := r.actuated(p.UID, c.Name)
	next := c.DeepCopy()
	next.Resources = v1.ResourceRequirements{Requests: maps.Clone(is.Requests), Limits: maps.Clone(is.Limits)}
	put := func(to *v1.ResourceList, from v1.ResourceList) {
		if q, ok := from[k]; ok {
			if *to == nil {
				*to = v1.ResourceList{}
			}
			(*to)[k] = q
		} else {
			delete(*to, k)
		}
	}
	put(&next.Resources.Requests, c.Resources.Requests)
	put(&next.Resources.Limits, c.Resources.Limits)
	if _, err := r.a.rt.UpdateContainerResources(ctx, &runtimeapi.UpdateContainerResourcesRequest{ContainerId: id, Linux: r.a.resourcesOf(p, next)}); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told(p.UID, c.Name, next.Resources)
	return nil
}
