package node

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// resizer keeps which resources each pod was allocated and which the runtime was told, by container. Both survive a restart. A pod runs with what
// it was allocated, whatever its spec says meanwhile (k8s.io/kubernetes v1.37.1, pkg/kubelet/allocation).
type resizer struct {
	a *Agent

	mu      sync.Mutex
	state   resizeState
	pending map[types.UID]*v1.PodCondition
	running map[types.UID]*v1.PodCondition
}

type resources map[types.UID]map[string]v1.ResourceRequirements

type resizeState struct {
	Allocated resources `json:"allocated"`
	Actuated  resources `json:"actuated"`
}

const allocationState = "allocated_pods_state"

func newResizer(a *Agent) *resizer {
	r := &resizer{a: a, pending: map[types.UID]*v1.PodCondition{}, running: map[types.UID]*v1.PodCondition{}, state: resizeState{resources{}, resources{}}}
	a.load(allocationState, &r.state)
	return r
}

// load reads a file of the state folder, if there is one.
func (a *Agent) load(name string, to any) {
	if a.c.State == "" {
		return
	}
	if b, err := os.ReadFile(filepath.Join(a.c.State, name)); err == nil {
		if err := json.Unmarshal(b, to); err != nil {
			a.log.Error("a file of the state folder is not read", "file", name, "err", err)
		}
	}
}

// save writes a file of the state folder.
func (a *Agent) save(name string, v any) {
	if a.c.State == "" {
		return
	}
	b, err := json.Marshal(v)
	path := filepath.Join(a.c.State, name)
	if err == nil {
		if err = os.WriteFile(path+".new", b, 0o600); err == nil {
			err = os.Rename(path+".new", path)
		}
	}
	if err != nil {
		a.log.Error("a file of the state folder is not written", "file", name, "err", err)
	}
}

// allocated returns a pod with the resources that it was allocated.
func (r *resizer) allocated(p *v1.Pod) *v1.Pod {
	r.mu.Lock()
	defer r.mu.Unlock()
	have, ok := r.state.Allocated[p.UID]
	if !ok {
		return p
	}
	out := p.DeepCopy()
	for c := range containers(out, false) {
		if x, ok := have[c.Name]; ok {
			c.Resources = *x.DeepCopy()
		}
	}
	return out
}

func resourcesOfPod(p *v1.Pod) map[string]v1.ResourceRequirements {
	all := map[string]v1.ResourceRequirements{}
	for c := range containers(p, false) {
		all[c.Name] = *c.Resources.DeepCopy()
	}
	return all
}

// allocate gives a pod what its spec says.
func (r *resizer) allocate(p *v1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Allocated[p.UID] = resourcesOfPod(p)
	r.a.save(allocationState, r.state)
}

// keep forgets all pods but these.
func (r *resizer) keep(known map[types.UID]*v1.Pod) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.state.Allocated)
	for uid := range r.state.Allocated {
		if known[uid] == nil {
			delete(r.state.Allocated, uid)
			delete(r.state.Actuated, uid)
			delete(r.pending, uid)
			delete(r.running, uid)
		}
	}
	if len(r.state.Allocated) != before {
		r.a.save(allocationState, r.state)
	}
}

// want allocates what the spec of a pod says, if that is possible now. Else a condition says why not.
func (r *resizer) want(p *v1.Pod) {
	have := r.allocated(p)
	r.mu.Lock()
	_, known := r.state.Allocated[p.UID]
	r.mu.Unlock()
	if !known || isTerminal(p.Status.Phase) || p.DeletionTimestamp != nil {
		return
	}
	if equality.Semantic.DeepEqual(resourcesOfPod(have), resourcesOfPod(p)) {
		r.mu.Lock()
		delete(r.pending, p.UID)
		r.mu.Unlock()
		return
	}
	reason, message := "", ""
	node := r.a.cachedNode()
	switch {
	case isStatic(p):
		reason, message = v1.PodReasonInfeasible, "In-place resize of static-pods is not supported"
	default:
		if _, message = overflow(p, node, nil); message != "" {
			reason = v1.PodReasonInfeasible
		} else if _, message = overflow(p, node, r.a.active(p.UID)); message != "" {
			reason = v1.PodReasonDeferred
		}
	}
	if reason == "" {
		r.allocate(p)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := metav1.Now()
	c := &v1.PodCondition{Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: reason, Message: message, LastProbeTime: now, LastTransitionTime: now, ObservedGeneration: p.Generation}
	if reason == "" {
		c.Type, c.Message = v1.PodResizeInProgress, ""
		delete(r.pending, p.UID)
		r.running[p.UID] = c
		return
	}
	if was := r.pending[p.UID]; was != nil && was.Reason == reason {
		c.LastTransitionTime = was.LastTransitionTime
	}
	r.pending[p.UID] = c
}

// retry tries deferred resizes again, because resources have become free.
func (r *resizer) retry() {
	for uid, p := range r.a.configured() {
		r.mu.Lock()
		c := r.pending[uid]
		r.mu.Unlock()
		if c != nil && c.Reason == v1.PodReasonDeferred {
			r.want(p)
			r.a.requestSync(uid)
		}
	}
}

func (r *resizer) conditions(uid types.UID) (all []v1.PodCondition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range []*v1.PodCondition{r.pending[uid], r.running[uid]} {
		if c != nil {
			all = append(all, *c)
		}
	}
	return all
}

// progress ends the resize of a pod of which the runtime has been told all, and looks at a resize that is pending since before the agent started.
func (r *resizer) progress(p *v1.Pod, s *podStatus) {
	if spec, _ := r.a.pod(p.UID); spec != nil {
		r.want(spec)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running[p.UID] == nil {
		if c := conditionIndex(p.Status.Conditions, v1.PodResizeInProgress); c < 0 || !r.differs(p, s) {
			return
		}
		r.running[p.UID] = new(p.Status.Conditions[conditionIndex(p.Status.Conditions, v1.PodResizeInProgress)])
	}
	if !r.differs(p, s) {
		delete(r.running, p.UID)
	}
}

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
