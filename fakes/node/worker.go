package node

import (
	"context"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// worker takes one pod through its life: it waits to start, is synced until it is to end, then terminating until no container runs, then
// terminated, and finished (k8s.io/kubernetes v1.37.1, pkg/kubelet/pod_workers.go). Its fields are under the agent's lock.
type worker struct {
	uid    types.UID
	name   string  // the pod's full name
	pod    *v1.Pod // the latest; nil: only the runtime knows it
	mirror *v1.Pod
	orphan *runtimePod

	wake    chan struct{} // has a value if there is work
	pending bool
	cancel  context.CancelFunc // ends what the worker does now
	due     time.Time          // of the next sync

	started, terminating, terminated, finished bool
	deleted, evicted                           bool
	stopping                                   bool // it has begun to terminate: no container starts any more
	again                                      bool // a pod of the same UID is to start when this one is finished
	grace                                      int64
	alter                                      func(*v1.PodStatus) // what an eviction says
	done                                       []chan struct{}     // closed when no container runs
}

// update is news for a worker.
type update struct {
	pod, mirror *v1.Pod
	orphan      *runtimePod // instead of pod
	create      bool        // the pod is new in its source
	kill        bool        // end the pod
	evict       bool
	grace       *int64 // at most so many seconds, for kill
	alter       func(*v1.PodStatus)
	done        chan struct{}
}

// update hands news to the worker of a pod, which it makes if there is none.
func (a *Agent) update(u update) {
	a.mu.Lock()
	defer a.mu.Unlock()
	uid, name := types.UID(""), ""
	if u.pod != nil {
		uid, name = u.pod.UID, fullName(u.pod)
	} else {
		uid, name = u.orphan.uid, u.orphan.name+"_"+u.orphan.namespace
	}
	w := a.workers[uid]
	if w == nil {
		if u.pod != nil && u.kill { // nothing runs of it, as far as anybody knows; housekeeping looks
			return
		}
		w = &worker{uid: uid, name: name, wake: make(chan struct{}, 1)}
		a.workers[uid] = w
		if u.pod != nil && isTerminal(u.pod.Status.Phase) && a.pleg.get(uid).ended() { // an agent before this one terminated it
			w.started, w.terminating, w.stopping, w.terminated = true, true, true, true
		}
		a.wg.Go(func() { a.work(w) })
	} else if w.terminating && u.create {
		w.again = true
		return
	}
	if w.finished {
		return
	}
	if u.pod == nil && w.pod != nil { // the worker knows more than the runtime
		u.pod, u.kill = w.pod, true
	}
	began := w.begin(u)
	shorter := w.take(u)
	w.pending = true
	w.notify()
	if (began || shorter) && w.cancel != nil {
		w.cancel()
	}
}

// begin reports whether news ends the pod that went on before.
func (w *worker) begin(u update) bool {
	if w.terminating {
		w.deleted = w.deleted || u.pod != nil && u.pod.DeletionTimestamp != nil
		return false
	}
	switch {
	case u.pod == nil, u.pod.DeletionTimestamp != nil:
		w.deleted, w.terminating = true, true
	case isTerminal(u.pod.Status.Phase):
		w.terminating = true
	case u.kill:
		w.evicted, w.terminating = u.evict, true
	}
	return w.terminating
}

// take keeps the news, and reports whether the grace period is shorter than it was.
func (w *worker) take(u update) bool {
	if u.pod != nil {
		w.pod, w.mirror, w.orphan = u.pod, u.mirror, nil
	} else {
		w.orphan = u.orphan
	}
	if u.alter != nil {
		w.alter = u.alter
	}
	switch {
	case w.terminated && u.done != nil:
		close(u.done)
	case u.done != nil:
		w.done = append(w.done, u.done)
	}
	if !w.terminating || w.terminated {
		return false
	}
	was, set := w.grace, false
	lower := func(g *int64) {
		if g != nil && (w.grace == 0 || *g < w.grace) {
			w.grace, set = *g, true
		}
	}
	if u.pod != nil {
		lower(u.pod.DeletionGracePeriodSeconds)
	}
	lower(u.grace)
	if !set && w.grace == 0 && u.pod != nil && u.pod.Spec.TerminationGracePeriodSeconds != nil {
		w.grace = *u.pod.Spec.TerminationGracePeriodSeconds
	}
	w.grace = max(w.grace, 1)
	return was != 0 && was != w.grace
}

func (w *worker) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// job is what a worker does next.
type job struct {
	ctx         context.Context
	pod, mirror *v1.Pod
	orphan      *runtimePod
	grace       int64
	alter       func(*v1.PodStatus)
	phase       string // sync, terminating or terminated
}

// next returns the next job of a worker. ok is false if there is none for now; over if there never is one again.
func (a *Agent) next(w *worker) (j job, ok, over bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !w.pending {
		return j, false, false
	}
	if !w.started && w.orphan == nil {
		if w.terminating { // it never ran, or an agent before this one ran it
			if !a.mayHaveRun(w.pod) {
				w.finished, w.terminated = true, true
				return j, false, true
			}
		} else if a.isNameTaken(w) {
			w.due = time.Now().Add(a.jitter(time.Second, 0.5))
			return j, false, false
		}
		w.started = true
	}
	w.pending = false
	j = job{pod: w.pod, mirror: w.mirror, orphan: w.orphan, grace: w.grace, alter: w.alter, phase: "sync"}
	if w.pod != nil {
		j.pod = a.resizes.allocated(w.pod)
	}
	switch {
	case w.terminated:
		j.phase = "terminated"
	case w.terminating:
		j.phase, w.stopping = "terminating", true
	}
	j.ctx, w.cancel = context.WithCancel(a.ctx)
	return j, true, false
}

// mayHaveRun reports whether containers of a pod may run that this agent did not start. It is called under the lock.
func (a *Agent) mayHaveRun(p *v1.Pod) bool { return !isStatic(p) || a.pleg.get(p.UID) != nil }

// isNameTaken reports whether another pod of the same full name has started and is not finished, or still runs since before the agent
// started. It is called under the lock.
func (a *Agent) isNameTaken(w *worker) bool {
	for _, other := range a.workers {
		if other != w && other.name == w.name && !other.finished && other.started {
			return true
		}
	}
	return a.pleg.runsOther(w.uid, w.name)
}

// work does a worker's jobs until the pod is finished.
func (a *Agent) work(w *worker) {
	last := time.Time{}
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-w.wake:
		}
		j, ok, over := a.next(w)
		if over {
			a.finished(w)
			return
		}
		if !ok {
			continue
		}
		terminal, relist, err := a.do(j, last)
		last = time.Now()
		if relist {
			a.pleg.request(w.uid)
		}
		if a.ctx.Err() != nil {
			return
		}
		if a.complete(w, j, terminal, err) {
			a.finished(w)
			return
		}
	}
}

// do does a job with a status of the pod that is newer than the last job.
func (a *Agent) do(j job, last time.Time) (terminal, relist bool, err error) {
	if j.orphan != nil && j.pod == nil {
		return false, false, a.killPod(j.ctx, nil, j.orphan, new(int64(1)))
	}
	status, err := a.pleg.newerThan(j.ctx, j.pod.UID, last)
	if err != nil {
		return false, false, err
	}
	switch j.phase {
	case "terminated":
		a.finishPod(j.pod, status)
		return false, false, nil
	case "terminating":
		return false, false, a.terminatePod(j, status)
	}
	return a.syncPod(j, status)
}

// complete takes the pod to its next phase, or says when it is synced again. It reports whether the pod is finished.
func (a *Agent) complete(w *worker, j job, terminal bool, err error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	w.cancel()
	w.cancel = nil
	now := func() { w.pending = true; w.notify() }
	var later retryAfter
	switch {
	case errors.Is(err, context.Canceled):
		now()
	case errors.As(err, &later):
		w.due = time.Now().Add(a.jitter(min(max(time.Until(later.at), 0), a.c.SyncFrequency), 0.5))
		a.log.Debug("pod is synced later", "pod", w.name, "err", err)
	case err != nil:
		a.log.Error("error syncing pod", "pod", w.name, "err", err)
		w.due = time.Now().Add(a.jitter(10*time.Second, 0.5))
		if errors.Is(err, errNetwork) {
			w.due = time.Now().Add(a.jitter(time.Second, 0.5))
		}
	case j.phase == "terminated", j.orphan != nil:
		w.terminated, w.finished = true, true
		for _, ch := range w.done {
			close(ch)
		}
		w.done = nil
		return true
	case j.phase == "terminating":
		w.terminated, w.alter = true, nil
		for _, ch := range w.done {
			close(ch)
		}
		w.done = nil
		now()
	case terminal:
		if !w.terminating {
			w.terminating, w.stopping = true, true
			w.take(update{pod: w.pod, mirror: w.mirror})
		}
		now()
	default:
		w.due = time.Now().Add(a.jitter(a.c.SyncFrequency, 0.5))
	}
	if w.pending {
		w.notify()
	}
	return false
}

// finished lets a pod of the same name start.
func (a *Agent) finished(w *worker) {
	a.probes.remove(w.uid)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, other := range a.workers {
		if other != w && other.name == w.name && !other.started {
			other.notify()
		}
	}
}

// retryAfter is an error that says when to try again.
type retryAfter struct {
	error
	at time.Time
}
