package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// kind is what a probe is about.
type kind string

const (
	startup   kind = "Startup"
	liveness  kind = "Liveness"
	readiness kind = "Readiness"
)

// result is what the probes of a container came to.
type result int

const (
	none result = iota // there is none yet
	failed
	succeeded
	pending // a startup probe that has not succeeded
)

// prober runs the probes of pods, each on a goroutine (k8s.io/kubernetes v1.37.1, pkg/kubelet/prober).
type prober struct {
	a *Agent

	mu      sync.Mutex
	results map[kind]map[string]result // by the container's id in the runtime
	workers map[probeKey]*probe
}

type probeKey struct {
	uid       types.UID
	container string
	kind      kind
}

// probe is one probe of one container.
type probe struct {
	probeKey
	pod    *v1.Pod
	c      *v1.Container
	spec   *v1.Probe
	cancel context.CancelFunc
	now    chan struct{} // asks for a probe at once

	id     string // of the container that is probed
	last   bool
	run    int32
	onHold bool // until there is another container
}

func newProber(a *Agent) *prober {
	return &prober{a: a, results: map[kind]map[string]result{startup: {}, liveness: {}, readiness: {}}, workers: map[probeKey]*probe{}}
}

// add starts the probes of a pod that do not run.
func (m *prober) add(p *v1.Pod) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range containers(p, false) {
		for k, spec := range map[kind]*v1.Probe{startup: c.StartupProbe, liveness: c.LivenessProbe, readiness: c.ReadinessProbe} {
			key := probeKey{p.UID, c.Name, k}
			if spec == nil || m.workers[key] != nil || initIndex(p, c) >= 0 && !isSidecar(c) {
				continue
			}
			w := &probe{probeKey: key, pod: p, c: c, spec: spec, now: make(chan struct{}, 1)}
			ctx, cancel := context.WithCancel(m.a.ctx)
			w.cancel = cancel
			m.workers[key] = w
			m.a.wg.Go(func() { m.work(ctx, w) })
		}
	}
}

// remove ends all probes of a pod.
func (m *prober) remove(uid types.UID) { m.stop(func(k probeKey) bool { return k.uid == uid }) }

// stopLiveness ends the probes that would restart containers.
func (m *prober) stopLiveness(p *v1.Pod) {
	m.stop(func(k probeKey) bool { return k.uid == p.UID && k.kind != readiness })
}

func (m *prober) stop(which func(probeKey) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k, w := range m.workers {
		if which(k) {
			w.cancel()
		}
	}
}

func (m *prober) result(k kind, id string) result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.results[k][id]
}

// set keeps a result, and asks for a sync of the pod if it is another one.
func (m *prober) set(w *probe, r result) {
	m.mu.Lock()
	was := m.results[w.kind][w.id]
	m.results[w.kind][w.id] = r
	m.mu.Unlock()
	if was != r {
		select {
		case m.a.synced <- w.uid:
		case <-m.a.ctx.Done():
		}
	}
}

// work probes again and again until the pod ends or ctx does.
func (m *prober) work(ctx context.Context, w *probe) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.results[w.kind], w.id)
		if m.workers[w.probeKey] == w {
			delete(m.workers, w.probeKey)
		}
	}()
	period := time.Duration(max(w.spec.PeriodSeconds, 1)) * time.Second
	if period > time.Since(m.a.began) { // after a restart not all probes run at once
		if !sleep(ctx, m.a.jitter(period, 1)-period) {
			return
		}
	}
	tick := time.NewTicker(period)
	defer tick.Stop()
	for ctx.Err() == nil && m.probe(ctx, w) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.now:
			tick.Reset(period)
		}
	}
}

// probe probes once, and reports whether the probing goes on.
func (m *prober) probe(ctx context.Context, w *probe) bool {
	st, ok := m.a.status.known(w.uid)
	if !ok {
		return true
	}
	if isTerminal(st.Phase) {
		return false
	}
	x := containerStatusOf(&st, w.container)
	if x == nil || x.ContainerID == "" {
		return true
	}
	if id := runtimeID(x.ContainerID); id != w.id {
		m.meet(w, id, x)
	}
	if w.onHold {
		return true
	}
	if x.State.Running == nil {
		m.set(w, failed)
		return x.State.Terminated == nil || restarts(w.pod, w.c, x.State.Terminated.ExitCode)
	}
	started := x.Started != nil && *x.Started
	if int32(time.Since(x.State.Running.StartedAt.Time).Seconds()) < w.spec.InitialDelaySeconds || started == (w.kind == startup) {
		return true
	}
	ok, why, err := m.try(ctx, w, st.PodIP)
	if err != nil || ctx.Err() != nil {
		return true
	}
	if !ok {
		m.a.events.container(w.pod, w.c, v1.EventTypeWarning, "Unhealthy", "%s probe failed: %s", w.kind, why)
	}
	m.count(w, ok)
	return true
}

// meet begins with another container. One that ran before the agent started keeps what was reported of it.
func (m *prober) meet(w *probe, id string, x *v1.ContainerStatus) {
	m.mu.Lock()
	delete(m.results[w.kind], w.id)
	m.mu.Unlock()
	w.id, w.onHold, w.run = id, false, 0
	switch {
	case w.kind == startup && x.Started != nil && *x.Started:
		m.set(w, succeeded)
	case m.isOld(x):
	case w.kind == liveness:
		m.set(w, succeeded)
	case w.kind == readiness:
		m.set(w, failed)
	default:
		m.set(w, pending)
	}
}

// count counts a result in, and acts on it once there are so many in a row as the thresholds say.
func (m *prober) count(w *probe, ok bool) {
	if w.last != ok {
		w.run = 0
	}
	w.last = ok
	w.run++
	switch {
	case !ok && w.run < w.spec.FailureThreshold, ok && w.run < w.spec.SuccessThreshold:
		return
	case ok:
		m.set(w, succeeded)
	default:
		m.set(w, failed)
	}
	if w.kind == startup || w.kind == liveness && !ok {
		w.onHold, w.run = true, 0
	}
}

// try runs the handler of a probe, up to three times while there is an error, which is no result.
func (m *prober) try(ctx context.Context, w *probe, ip string) (ok bool, why string, err error) {
	for range 3 {
		if ok, why, err = m.once(ctx, w, ip); err == nil || ctx.Err() != nil {
			break
		}
	}
	return ok, why, err
}

func (m *prober) once(ctx context.Context, w *probe, ip string) (bool, string, error) {
	timeout := time.Duration(max(w.spec.TimeoutSeconds, 1)) * time.Second
	if e := w.spec.Exec; e != nil {
		q := &runtimeapi.ExecSyncRequest{ContainerId: w.id, Timeout: int64(timeout / time.Second)}
		for _, arg := range e.Command {
			q.Cmd = append(q.Cmd, expand(arg, w.c.Env, nil))
		}
		out, err := m.a.rt.ExecSync(ctx, q)
		switch {
		case status.Code(err) == codes.DeadlineExceeded:
			return false, fmt.Sprintf("command timed out: %q timed out after %v", e.Command, timeout), nil
		case err != nil:
			return false, "", err
		}
		return out.ExitCode == 0, string(out.Stdout) + string(out.Stderr), nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var err error
	switch {
	case w.spec.HTTPGet != nil:
		err = m.a.httpGet(ctx, w.spec.HTTPGet, w.c, ip)
	case w.spec.TCPSocket != nil:
		err = m.a.dial(ctx, w.spec.TCPSocket.Host, w.spec.TCPSocket.Port, w.c, ip)
	case w.spec.GRPC != nil:
		err = healthy(ctx, ip, w.spec.GRPC)
	default:
		return false, "", errors.New("the probe has no handler")
	}
	if err != nil {
		return false, err.Error(), nil
	}
	return true, "", nil
}

// healthy asks a gRPC health service.
func healthy(ctx context.Context, ip string, g *v1.GRPCAction) error {
	conn, err := grpc.NewClient(net.JoinHostPort(ip, strconv.Itoa(int(g.Port))), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	q := &grpc_health_v1.HealthCheckRequest{}
	if g.Service != nil {
		q.Service = *g.Service
	}
	out, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, q)
	if err == nil && out.Status != grpc_health_v1.HealthCheckResponse_SERVING {
		err = fmt.Errorf("service unhealthy (responded with %q)", out.Status)
	}
	return err
}
