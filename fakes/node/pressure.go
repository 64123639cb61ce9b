package node

import (
	"math"
	"slices"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// pressure is what the node is short of.
type pressure struct {
	disk bool
	seen time.Time // when the file system was last too full
}

// imageStats returns how many bytes of the image file system are used, and how many there are.
func (a *Agent) imageStats() (used, capacity uint64) {
	if a.c.Stats != nil {
		return a.c.Stats()
	}
	out, err := a.images.ImageFsInfo(a.ctx, &runtimeapi.ImageFsInfoRequest{})
	if err != nil || len(out.ImageFilesystems) == 0 {
		return 0, 0
	}
	return statfs(out.ImageFilesystems[0].GetFsId().GetMountpoint())
}

// isFull reports whether less is free than a threshold of the configuration allows.
func (a *Agent) isFull() bool {
	used, capacity := a.imageStats()
	if capacity == 0 {
		return false
	}
	free := int64(capacity) - int64(used)
	for name, text := range a.c.EvictionHard {
		if name != "imagefs.available" && name != "nodefs.available" {
			continue
		}
		limit := int64(0)
		if n := len(text) - 1; n > 0 && text[n] == '%' {
			percent, _ := strconv.ParseFloat(text[:n], 64)
			limit = int64(percent / 100 * float64(capacity))
		} else if q, err := resource.ParseQuantity(text); err == nil {
			limit = q.Value()
		}
		if free < limit {
			return true
		}
	}
	return false
}

// watchPressure looks at the image file system each 10 seconds. When it is too full, images go first, and then one pod at a time.
func (a *Agent) watchPressure() {
	for a.sleep(10 * time.Second) {
		full := a.isFull()
		a.mu.Lock()
		if full {
			a.pressure.seen = time.Now()
		}
		a.pressure.disk = full || a.pressure.disk && time.Since(a.pressure.seen) < a.c.EvictionPressureTransitionPeriod
		a.mu.Unlock()
		if !full || !a.allDelivered() {
			continue
		}
		a.collectDead(true)
		if images, err := a.findImages(); err == nil {
			a.freeSpace(images, math.MaxInt64)
		}
		if a.isFull() {
			a.evictOne()
		}
	}
}

// evictOne ends the pod that matters least, and waits up to 30 seconds until nothing of it runs.
func (a *Agent) evictOne() {
	pods := slices.DeleteFunc(a.active(""), func(p *v1.Pod) bool { return isCritical(p) || a.isTerminating(p.UID) })
	if len(pods) == 0 {
		return
	}
	priority := func(p *v1.Pod) int32 {
		if p.Spec.Priority == nil {
			return 0
		}
		return *p.Spec.Priority
	}
	rank := map[v1.PodQOSClass]int{v1.PodQOSBestEffort: 0, v1.PodQOSBurstable: 1, v1.PodQOSGuaranteed: 2}
	p := slices.MinFunc(pods, func(x, y *v1.Pod) int {
		if d := int(priority(x)) - int(priority(y)); d != 0 {
			return d
		}
		if d := rank[qosOf(x)] - rank[qosOf(y)]; d != 0 {
			return d
		}
		return y.CreationTimestamp.Compare(x.CreationTimestamp.Time)
	})
	const message = "The node was low on resource: ephemeral-storage. "
	a.events.pod(p, v1.EventTypeWarning, "Evicted", "%s", message)
	done := make(chan struct{})
	a.update(update{pod: p, kill: true, evict: true, grace: new(int64(1)), done: done, alter: func(st *v1.PodStatus) {
		st.Phase, st.Reason, st.Message = v1.PodFailed, "Evicted", message
		c := v1.PodCondition{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonTerminationByKubelet, Message: message, ObservedGeneration: p.Generation}
		if i := conditionIndex(st.Conditions, c.Type); i >= 0 {
			st.Conditions[i] = c
		} else {
			st.Conditions = append(st.Conditions, c)
		}
	}})
	select {
	case <-done:
	case <-time.After(30 * time.Second):
	case <-a.ctx.Done():
	}
}
