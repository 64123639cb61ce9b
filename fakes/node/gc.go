package node

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// observe acts on a change that a relist found.
func (a *Agent) observe(e event) {
	a.requestSync(e.uid)
	if e.died != "" {
		a.collectContainersOf(e.uid, e.died, a.needsNothing(e.uid))
	}
}

// needsNothing reports whether no container of a pod need stay: it was evicted, or deleted and has ended, or is unknown.
func (a *Agent) needsNothing(uid types.UID) bool {
	sure := a.allDelivered()
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.workers[uid]; w != nil {
		return w.evicted || w.deleted && w.terminated
	}
	return sure
}

// collectContainersOf removes dead containers of a pod: of the container that died all but the last run, or all of them if the pod has ended for
// good.
func (a *Agent) collectContainersOf(uid types.UID, died string, all bool) {
	s := a.pleg.get(uid)
	if s == nil {
		return
	}
	name := ""
	for _, cs := range s.containers {
		if cs.Id == died {
			name = cs.name
		}
	}
	kept := 0
	for _, cs := range s.containers {
		if cs.State != exited || !all && cs.name != name {
			continue
		}
		if kept++; all || kept > 1 {
			a.wg.Go(func() { _ = a.removeContainer(a.ctx, cs.Id) })
		}
	}
}

// collectContainers removes dead containers, sandboxes and logs each minute.
func (a *Agent) collectContainers() {
	for a.sleep(time.Minute) {
		a.collectDead(false)
	}
}

// collectDead removes all but one dead run of each container, all of pods that are gone, their sandboxes and their logs. With stopped, a
// pod counts as gone once none of its containers runs.
func (a *Agent) collectDead(stopped bool) {
	known, sure := a.configured(), a.allDelivered()
	gone := func(uid types.UID) bool { return sure && a.isGone(uid, known, stopped) }
	cs, err := a.listContainers(a.ctx, &runtimeapi.ContainerFilter{})
	if err != nil {
		return
	}
	slices.SortStableFunc(cs, func(x, y *runtimeapi.Container) int { return cmp.Compare(y.CreatedAt, x.CreatedAt) })
	runs := map[string]int{}
	for _, c := range cs {
		if c.State == running {
			continue
		}
		uid := types.UID(c.Labels[labelPodUID])
		key := string(uid) + "/" + c.GetMetadata().GetName()
		if runs[key]++; runs[key] == 1 && !gone(uid) {
			continue
		}
		if c.State == unknown {
			_ = a.killContainer(a.ctx, &v1.Pod{}, nil, c.Id, "", "", nil, nil)
		}
		_ = a.removeContainer(a.ctx, c.Id)
	}
	a.collectSandboxes(gone)
	if sure && a.c.Logs != "" {
		a.collectLogs(gone)
	}
}

// collectSandboxes removes sandboxes that hold nothing: all of pods that are gone, and all but the newest of others.
func (a *Agent) collectSandboxes(gone func(types.UID) bool) {
	cs, err := a.listContainers(a.ctx, &runtimeapi.ContainerFilter{})
	if err != nil {
		return
	}
	all, err := a.listSandboxes(a.ctx, &runtimeapi.PodSandboxFilter{})
	if err != nil {
		return
	}
	slices.SortStableFunc(all, func(x, y *runtimeapi.PodSandbox) int { return cmp.Compare(y.CreatedAt, x.CreatedAt) })
	seen := map[types.UID]bool{}
	for _, s := range all {
		uid := types.UID(s.GetMetadata().GetUid())
		newest := !seen[uid]
		seen[uid] = true
		if s.State == ready || newest && !gone(uid) || slices.ContainsFunc(cs, func(c *runtimeapi.Container) bool { return c.PodSandboxId == s.Id }) {
			continue
		}
		if _, err := a.rt.StopPodSandbox(a.ctx, &runtimeapi.StopPodSandboxRequest{PodSandboxId: s.Id}); err == nil {
			_, _ = a.rt.RemovePodSandbox(a.ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: s.Id})
		}
	}
}

// collectLogs removes the log folders of pods that are gone.
func (a *Agent) collectLogs(gone func(types.UID) bool) {
	dirs, _ := os.ReadDir(a.c.Logs)
	for _, d := range dirs {
		parts := strings.Split(d.Name(), "_")
		if len(parts) == 3 && d.IsDir() && gone(types.UID(parts[2])) {
			_ = os.RemoveAll(filepath.Join(a.c.Logs, d.Name()))
		}
	}
}

// addressOf is the first address of a pod; "": it has none.
func (a *Agent) addressOf(uid types.UID) string {
	if s := a.pleg.get(uid); s != nil && len(s.ips) > 0 {
		return s.ips[0]
	}
	if p, _ := a.pod(uid); p != nil && p.Spec.HostNetwork {
		return a.c.Address
	}
	return ""
}
