package node

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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

// actuate tells the runtime the allocated resources of containers that run with others: memory first, then CPU, those that shrink first. The pod
// grows before its containers, and shrinks after them.
func (r *resizer) actuate(ctx context.Context, p *v1.Pod, s *podStatus, x actions) error {
	type change struct {
		c  *v1.Container
		id string
	}
	for _, k := range []v1.ResourceName{v1.ResourceMemory, v1.ResourceCPU} {
		var changes []change
		before := p.DeepCopy()
		for c := range containers(p, false) {
			was, ok := r.actuated(p.UID, c.Name)
			if !ok {
				continue
			}
			container(before, c.Name).Resources = was
			cs := s.find(c.Name, true)
			killed := cs != nil && slices.ContainsFunc(x.kill, func(k stop) bool { return k.Id == cs.Id })
			one, now := was.Requests[k], was.Limits[k]
			if cs != nil && cs.State == running && !killed && (one.Cmp(c.Resources.Requests[k]) != 0 || now.Cmp(c.Resources.Limits[k]) != 0) {
				changes = append(changes, change{c, cs.Id})
			}
		}
		was, now := linuxResources(sum(before, requestsOf), limitsOfPod(before)), linuxResources(sum(p, requestsOf), limitsOfPod(p))
		if len(changes) == 0 && equality.Semantic.DeepEqual(valuesOf(was, k), valuesOf(now, k)) {
			continue
		}
		slices.SortStableFunc(changes, func(a, b change) int {
			grows := func(c change) int {
				is, _ := r.actuated(p.UID, c.c.Name)
				old, oldLimit := is.Requests[k], is.Limits[k]
				return boolInt(old.Cmp(c.c.Resources.Requests[k]) < 0 || oldLimit.Cmp(c.c.Resources.Limits[k]) < 0)
			}
			return grows(a) - grows(b)
		})
		defer r.a.pleg.inspectAgain(p.UID) // the status is read once more, even after a failure
		growing := valuesOf(now, k)[0] > valuesOf(was, k)[0] || valuesOf(now, k)[1] > valuesOf(was, k)[1]
		if err := r.roomy(ctx, k, p, s, growing); err != nil {
			return err
		}
		same := equality.Semantic.DeepEqual(valuesOf(was, k), valuesOf(now, k))
		if growing && !same {
			if err := r.tellPod(ctx, x.sandbox, p, now); err != nil {
				return err
			}
		}
		for _, one := range changes {
			if err := r.tellContainer(ctx, p, one.c, one.id, k); err != nil {
				return err
			}
		}
		if !growing && !same {
			if err := r.tellPod(ctx, x.sandbox, p, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// valuesOf are the limit and the request that belong to a resource.
func valuesOf(x *runtimeapi.LinuxContainerResources, k v1.ResourceName) [2]int64 {
	if k == v1.ResourceMemory {
		return [2]int64{x.MemoryLimitInBytes, 0}
	}
	return [2]int64{x.CpuQuota, x.CpuShares}
}

// roomy returns an error if a container uses more memory than it is to have.
func (r *resizer) roomy(ctx context.Context, k v1.ResourceName, p *v1.Pod, s *podStatus, growing bool) error {
	if k != v1.ResourceMemory {
		return nil
	}
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

func (r *resizer) tellPod(ctx context.Context, sandbox string, p *v1.Pod, now *runtimeapi.LinuxContainerResources) error {
	q := &runtimeapi.UpdatePodSandboxResourcesRequest{PodSandboxId: sandbox, Overhead: &runtimeapi.LinuxContainerResources{}, Resources: now}
	_, err := r.a.rt.UpdatePodSandboxResources(ctx, q)
	if status.Code(err) == codes.Unimplemented {
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
