package node

import (
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
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

// allocated returns a pod with the resources that it was allocated.
func (r *resizer) allocated(p *v1.Pod) *v1.Pod {
	r.mu.Lock()
	defer r.mu.Unlock()
	have, ok := r.state.Allocated[p.UID]
	if !ok {
		return p
	}
	out := p
	for c := range containers(p, false) {
		if x, ok := have[c.Name]; ok && !equality.Semantic.DeepEqual(x, c.Resources) {
			if out == p {
				out = p.DeepCopy()
			}
			container(out, c.Name).Resources = *x.DeepCopy()
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

// want allocates what the spec of a pod says, if that is possible now, and reports whether it did. Else a condition says why not.
func (r *resizer) want(p *v1.Pod) (allocated bool) {
	have := r.allocated(p)
	r.mu.Lock()
	_, known := r.state.Allocated[p.UID]
	r.mu.Unlock()
	if !known || isTerminal(p.Status.Phase) || p.DeletionTimestamp != nil {
		return false
	}
	if equality.Semantic.DeepEqual(resourcesOfPod(have), resourcesOfPod(p)) {
		r.mu.Lock()
		delete(r.pending, p.UID)
		r.mu.Unlock()
		return false
	}
	reason, message := "", ""
	switch {
	case isStatic(p):
		reason, message = v1.PodReasonInfeasible, "In-place resize of static-pods is not supported"
	default:
		if _, message = overflow(p, r.a.cachedNode(), r.a.active(p.UID)); message != "" {
			reason = v1.PodReasonDeferred // also if the node is too small
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
		return true
	}
	if was := r.pending[p.UID]; was != nil && was.Reason == reason {
		c.LastTransitionTime = was.LastTransitionTime
	}
	r.pending[p.UID] = c
	return false
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
	if spec, _ := r.a.pod(p.UID); spec != nil && r.want(spec) {
		r.a.requestSync(p.UID) // this one goes on with what was allocated before
		return
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
