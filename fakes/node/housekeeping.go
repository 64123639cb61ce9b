package node

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// ended reports whether nothing of a pod runs.
func (s *podStatus) ended() bool {
	if s == nil {
		return true
	}
	for _, b := range s.sandboxes {
		if b.State == ready {
			return false
		}
	}
	for _, c := range s.containers {
		if c.State == running {
			return false
		}
	}
	return true
}

// syncDue wakes the workers whose time has come.
func (a *Agent) syncDue() {
	known := a.configured()
	a.mu.Lock()
	defer a.mu.Unlock()
	for uid, w := range a.workers {
		p := known[uid]
		if w.finished || w.due.IsZero() || time.Now().Before(w.due) {
			continue
		}
		w.due = time.Time{}
		if p != nil {
			w.begin(update{pod: p})
			w.take(update{pod: p, mirror: a.mirrorOf(p)})
		}
		w.pending = true
		w.notify()
	}
	for uid, p := range known {
		if w := a.workers[uid]; w != nil && !w.terminating && a.pastDeadline(p) {
			w.pending = true
			w.notify()
		}
	}
}

// isTerminating reports whether a pod has been asked to end.
func (a *Agent) isTerminating(uid types.UID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.workers[uid]
	return w != nil && w.terminating
}

// couldRun reports whether containers of a pod may still run.
func (a *Agent) couldRun(uid types.UID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.workers[uid]
	return w != nil && !w.finished && w.started && !w.terminated
}

// isGone reports whether nothing of a pod is to be kept: no source has it, and no worker is at it. With stopped, it is enough that no
// container of it runs and it will start none.
func (a *Agent) isGone(uid types.UID, known map[types.UID]*v1.Pod, stopped bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.workers[uid]
	switch {
	case w == nil:
		return known[uid] == nil
	case stopped:
		return w.terminated
	}
	return w.evicted || w.terminated && (w.deleted || known[uid] == nil)
}

// housekeep ends pods that no source has, starts those again whose UID is used again, lets go of rejected pods that are being deleted, and
// deletes mirror pods without a static pod. It runs once all sources have told their pods.
func (a *Agent) housekeep() {
	known := a.configured()
	a.mu.Lock()
	var kill []update
	var start []*v1.Pod
	for uid, w := range a.workers {
		p := known[uid]
		switch {
		case w.finished && (p == nil || w.again):
			delete(a.workers, uid)
			delete(a.reasons, uid)
			if p != nil {
				start = append(start, p)
			}
		case !w.finished && p == nil && w.pod != nil && !w.terminating:
			kill = append(kill, update{pod: w.pod, kill: true})
		}
	}
	var terminal []types.UID // pods that were rejected, and are being deleted
	for uid, p := range known {
		if a.workers[uid] == nil && p.DeletionTimestamp != nil && isTerminal(p.Status.Phase) && !isMirror(p) {
			terminal = append(terminal, uid)
		}
	}
	var orphans []*v1.Pod
	for _, m := range a.mirrors {
		orphans = append(orphans, m)
	}
	a.mu.Unlock()
	for _, u := range kill {
		a.update(u)
	}
	for _, p := range start {
		a.status.forget(p.UID)
		a.add(p)
	}
	for _, uid := range terminal {
		a.requestSync(uid)
	}
	for _, m := range orphans {
		if a.staticOf(m) == nil && !a.isNameTerminating(fullName(m)) {
			a.deleteMirror(m, nil)
		}
	}
	a.status.keep(known)
	a.resizes.keep(known)
	a.killOrphans(known)
}

// isNameTerminating reports whether a pod of a full name is on its way to its end.
func (a *Agent) isNameTerminating(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.workers {
		if w.name == name && w.pod != nil && isStatic(w.pod) && !w.finished {
			return true
		}
	}
	return false
}

// killOrphans ends what the runtime runs of pods that nobody knows.
func (a *Agent) killOrphans(known map[types.UID]*v1.Pod) {
	pods, err := a.listPods(a.ctx, "", false)
	if err != nil {
		return
	}
	for uid, p := range pods {
		a.mu.Lock()
		w := a.workers[uid]
		a.mu.Unlock()
		if known[uid] == nil && w == nil && (len(p.sandboxes) > 0 || len(p.containers) > 0) {
			a.update(update{orphan: p})
		}
	}
}
