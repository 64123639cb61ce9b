package node

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// event is a change that a relist found.
type event struct {
	uid  types.UID
	died string // the id of a container that has ended; "": another change
}

// record is what was last seen of a pod: the states of its sandboxes and containers by id.
type record map[string]string

// pleg lists what the runtime has each second, keeps the status of each pod, and tells what changed. It follows the kubelet's pod
// lifecycle event generator (k8s.io/kubernetes v1.37.1, pkg/kubelet/pleg/generic.go).
type pleg struct {
	a        *Agent
	events   chan event
	requests chan request

	mu       sync.Mutex
	records  map[types.UID]record
	again    map[types.UID]bool // inspect at the next relist even if nothing changed
	cache    map[types.UID]inspected
	at       time.Time // nothing in the cache is older
	relisted time.Time // the last relist that worked
	pods     map[types.UID]*runtimePod
	changed  chan struct{} // closed when the cache changes
}

// inspected is the status of a pod, or why there is none.
type inspected struct {
	*podStatus
	err error
}

func (i inspected) addresses() []string {
	if i.podStatus == nil {
		return nil
	}
	return i.ips
}

type request struct {
	uid types.UID
	at  time.Time
}

func newPLEG(a *Agent) *pleg {
	return &pleg{a: a, events: make(chan event, 1000), requests: make(chan request, 1000), records: map[types.UID]record{},
		again: map[types.UID]bool{}, cache: map[types.UID]inspected{}, changed: make(chan struct{})}
}

func (p *pleg) run() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			p.relist()
			timer.Reset(p.a.c.Relist)
			continue
		default:
		}
		select {
		case <-p.a.ctx.Done():
			return
		case <-timer.C:
			p.relist()
			timer.Reset(p.a.c.Relist)
		case r := <-p.requests:
			if r.at.After(p.lastRelist()) {
				p.relistPod(r.uid)
			}
		}
	}
}

// request asks for a relist of one pod soon.
func (p *pleg) request(uid types.UID) {
	select {
	case p.requests <- request{uid, time.Now()}:
	default:
	}
}

// inspectAgain asks for the status of a pod at the next relist.
func (p *pleg) inspectAgain(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again[uid] = true
}

func (p *pleg) lastRelist() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.relisted
}

func (p *pleg) relist() {
	at := time.Now()
	pods, err := p.a.listPods(p.a.ctx, "", true)
	if err != nil {
		p.a.log.Error("cannot list pods", "err", err)
		return
	}
	p.mu.Lock()
	p.relisted, p.pods = at, pods
	known := maps.Clone(p.records)
	for uid := range p.again {
		known[uid] = nil
	}
	p.mu.Unlock()
	for uid := range pods {
		known[uid] = nil
	}
	for uid := range known {
		p.reconcile(uid, pods[uid])
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
	p.broadcast()
}

func (p *pleg) relistPod(uid types.UID) {
	pods, err := p.a.listPods(p.a.ctx, uid, true)
	if err != nil {
		p.inspectAgain(uid)
		return
	}
	p.mu.Lock()
	if p.pods != nil && pods[uid] != nil {
		p.pods[uid] = pods[uid]
	}
	p.mu.Unlock()
	p.reconcile(uid, pods[uid])
}

func (p *pleg) broadcast() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// reconcile compares what the runtime lists of a pod (nil: nothing) with what it listed before, and inspects the pod if that differs.
func (p *pleg) reconcile(uid types.UID, now *runtimePod) {
	p.mu.Lock()
	before, again := p.records[uid], p.again[uid]
	delete(p.again, uid)
	p.mu.Unlock()
	after := newRecord(now)
	events := changes(uid, before, after)
	if len(events) == 0 && !again {
		return
	}
	status, err := &podStatus{at: time.Now()}, error(nil)
	if now != nil {
		status, err = p.a.inspect(p.a.ctx, now)
	}
	p.mu.Lock()
	switch {
	case err != nil:
		p.again[uid] = true
		p.cache[uid] = inspected{&podStatus{at: now.at, ips: p.cache[uid].addresses()}, err}
	case now == nil:
		delete(p.records, uid)
		delete(p.cache, uid)
	default:
		if len(status.ips) == 0 && !slices.ContainsFunc(status.sandboxes, func(b *runtimeapi.PodSandboxStatus) bool { return b.State == ready }) {
			status.ips = p.cache[uid].addresses() // a pod that has ended keeps its addresses
		}
		p.records[uid], p.cache[uid] = after, inspected{status, nil}
	}
	p.broadcast()
	p.mu.Unlock()
	if err != nil {
		return
	}
	if len(events) == 0 {
		events = []event{{uid: uid}}
	}
	for _, e := range events {
		select {
		case p.events <- e:
		default:
			p.a.log.Error("too many events, one is lost", "pod", uid)
		}
	}
}

func newRecord(p *runtimePod) record {
	if p == nil {
		return nil
	}
	out := record{}
	for _, s := range p.sandboxes {
		if out[s.Id] = "exited"; s.State == ready {
			out[s.Id] = "running"
		}
	}
	for _, c := range p.containers {
		switch c.State {
		case running:
			out[c.Id] = "running"
		case exited:
			out[c.Id] = "exited"
		default:
			out[c.Id] = "unknown"
		}
	}
	return out
}

func changes(uid types.UID, before, after record) (all []event) {
	for id, state := range after {
		switch was := before[id]; {
		case was == state:
		case state == "exited":
			all = append(all, event{uid, id})
		default:
			all = append(all, event{uid: uid})
		}
	}
	for id, was := range before {
		if _, ok := after[id]; ok {
			continue
		}
		if was != "exited" {
			all = append(all, event{uid, id})
		} else {
			all = append(all, event{uid: uid})
		}
	}
	return all
}

// newerThan waits for a status of a pod that was asked for after a time.
func (p *pleg) newerThan(ctx context.Context, uid types.UID, t time.Time) (*podStatus, error) {
	for {
		p.mu.Lock()
		s, ok := p.cache[uid]
		fresh, changed := p.at.After(t), p.changed
		p.mu.Unlock()
		switch {
		case ok && (s.at.After(t) || fresh):
			if s.err != nil {
				return nil, s.err
			}
			return s.clone(), nil
		case !ok && fresh:
			return &podStatus{}, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// get returns the last status of a pod; nil: none.
func (p *pleg) get(uid types.UID) *podStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s, ok := p.cache[uid]; ok && s.err == nil {
		return s.clone()
	}
	return nil
}

// runsOther reports whether a pod of a full name runs that has another UID.
func (p *pleg) runsOther(uid types.UID, name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, q := range p.pods {
		if other == uid || q.name+"_"+q.namespace != name {
			continue
		}
		if slices.ContainsFunc(q.sandboxes, func(b *runtimeapi.PodSandbox) bool { return b.State == ready }) ||
			slices.ContainsFunc(q.containers, func(c *runtimeapi.Container) bool { return c.State == running }) {
			return true
		}
	}
	return false
}

// watchEvents takes the runtime's events: the end of a container asks for a relist of its pod. Whatever else they say, the relists
// decide. A stream that ends five times is not asked for again (k8s.io/kubernetes v1.37.1, pkg/kubelet/pleg/evented.go).
func (a *Agent) watchEvents() {
	for try := 0; try < 5; try++ {
		stream, err := a.rt.GetContainerEvents(a.ctx, &runtimeapi.GetEventsRequest{})
		for err == nil {
			var e *runtimeapi.ContainerEventResponse
			if e, err = stream.Recv(); err == nil && e.ContainerEventType == runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT {
				if uid := types.UID(e.GetPodSandboxStatus().GetMetadata().GetUid()); uid != "" {
					a.pleg.request(uid)
				}
			}
		}
		if a.ctx.Err() != nil || !errors.Is(err, io.EOF) && !a.sleep(time.Second) {
			return
		}
	}
}
