package cri

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Memory is what a runtime knows after a restart.
type Memory string

// What restarts leave.
const (
	// Keeps: all is as it was. What ended meanwhile has the exit code and the time of its end.
	Keeps Memory = "keeps"
	// ForgetsExits: what ended meanwhile has the exit code 255 and the reason Unknown.
	ForgetsExits Memory = "forgets-exits"
	// ForgetsAll: there are no pods, and nothing runs, as after a reboot that lost the state.
	ForgetsAll Memory = "forgets-all"
)

var errDown = status.Error(codes.Unavailable, "the runtime is down")

// during returns a context that ends with a call or with the life of the runtime, and that life; nil: the runtime is down.
func (r *Runtime) during(call context.Context) (ctx, life context.Context, cancel context.CancelFunc) {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.server.down {
		return call, nil, func() {}
	}
	if r.server.life == nil {
		r.server.life, r.server.die = context.WithCancel(r.ctx)
	}
	life = r.server.life
	ctx, end := context.WithCancel(call)
	stop := context.AfterFunc(life, end)
	return ctx, life, func() { stop(); end() }
}

// middle lets the time pass that the middle of a call takes, and reports whether the runtime lived through it. It is called without the lock.
func (r *Runtime) middle(method string, q any) bool {
	return r.lives(r.faults.slow(method, q))
}

// lives lets the time of a fault pass, and reports whether the runtime lived through it. It is called without the lock.
func (r *Runtime) lives(slow *Fault) bool {
	if slow == nil {
		return true
	}
	slow.struck()
	r.server.mu.Lock()
	life := r.server.life
	r.server.mu.Unlock()
	if life == nil {
		return false
	}
	sleep(life, time.Duration(slow.Slow))
	return life.Err() == nil
}

// Crash kills the runtime, in the middle of all calls. Containers go on. Until Restart each call fails with Unavailable.
func (r *Runtime) Crash() {
	r.server.mu.Lock()
	down, die := r.server.down, r.server.die
	r.server.down, r.server.life, r.server.die = true, nil, nil
	r.server.mu.Unlock()
	if down {
		return
	}
	if die != nil {
		die()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = r.now()
	r.deaths++
}

// crash returns what a fault does that kills the runtime: it dies, and comes back after the time that the fault says, unless somebody
// has started it before.
func (r *Runtime) crash(f *Fault) func() {
	return func() {
		r.Crash()
		if f.Restart == 0 {
			return
		}
		death := r.death()
		r.work.Go(func() {
			sleep(r.ctx, time.Duration(f.Restart))
			if r.ctx.Err() == nil && r.death() == death {
				r.Restart(r.o.Memory)
			}
		})
	}
}

// death returns the number of the death that the runtime has not come back from; 0: it is up.
func (r *Runtime) death() int {
	r.server.mu.Lock()
	down := r.server.down
	r.server.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !down {
		return 0
	}
	return r.deaths
}

// Restart starts the runtime anew; one that is up dies before. What was being made is gone.
func (r *Runtime) Restart(m Memory) {
	r.Crash()
	r.mu.Lock()
	clear(r.held)
	clear(r.making)
	for id, c := range r.containers {
		if c.state == unlisted {
			delete(r.containers, id)
		}
	}
	var killed []*process
	switch m {
	case ForgetsExits:
		for _, c := range r.containers {
			if c.state == runtimeapi.ContainerState_CONTAINER_EXITED && c.finished >= r.since {
				c.exitCode, c.reason, c.finished = 255, "Unknown", r.now()
			}
		}
	case ForgetsAll:
		for _, s := range r.sandboxes {
			killed = append(killed, r.killAll(s)...)
		}
		clear(r.containers)
		clear(r.sandboxes)
		clear(r.addresses)
	}
	r.mu.Unlock()
	wait(killed)
	r.server.mu.Lock()
	r.server.down = false
	r.server.mu.Unlock()
}

// KillSandbox ends the process that holds a sandbox, as if the kernel had: the sandbox is not ready, and its containers go on to
// their end.
func (r *Runtime) KillSandbox(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sandbox(id); s != nil {
		r.stopped(s)
	}
}

// TwinSandbox runs a second sandbox beside one, with its configuration and the next attempt, as nobody asked for.
func (r *Runtime) TwinSandbox(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(id)
	if s == nil {
		return
	}
	twin := &sandbox{id: r.newID("sandbox"), config: clone(s.config), handler: s.handler, ready: true, created: r.now(), resources: s.resources, overhead: s.overhead}
	twin.config.Metadata.Attempt++
	if s.address.IsValid() {
		twin.address = r.newAddress()
	}
	r.sandboxes[twin.id] = twin
	r.tell(twin, twin.id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
}

// DropAddress takes the address of a sandbox away. Nobody is told.
func (r *Runtime) DropAddress(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.sandbox(id); s != nil {
		delete(r.addresses, s.address)
		s.address = netip.Addr{}
	}
}

// Exit ends a container as if its process had ended with a code.
func (r *Runtime) Exit(id string, code int32) {
	r.mu.Lock()
	c := r.container(id)
	if c == nil || c.state != runtimeapi.ContainerState_CONTAINER_RUNNING {
		r.mu.Unlock()
		return
	}
	p := c.process
	p.kill(code)
	r.mu.Unlock()
	<-p.done
}

// Sandboxes returns the ids of all sandboxes, in alphabetical order.
func (r *Runtime) Sandboxes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.sandboxes))
}
