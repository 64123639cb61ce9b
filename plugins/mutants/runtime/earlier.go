package runtime

import (
	"context"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

// past keeps the calls that the runtime got before, so that the fault of a mutant can depend on them.
type past struct {
	mu         sync.Mutex
	restarted  func() bool
	pods       map[string]*sandbox // by id
	containers map[string]*life    // by id
	calls      map[string]*calls   // by the method, and by that with what it is about
}

// sandbox is one that was run.
type sandbox struct {
	config  *v1.PodSandboxConfig
	handler string
	stopped bool
}

// life is what became of a container.
type life struct {
	pod      *sandbox
	config   *v1.ContainerConfig
	started  bool
	stopping int  // stops under way
	stopped  bool // a stop has succeeded
	cut      bool // one has waited for its whole grace
}

// does reports whether the script of a container has a text.
func (l *life) does(text string) bool {
	return l != nil && strings.Contains(strings.Join(l.config.GetCommand(), " ")+strings.Join(l.config.GetArgs(), " "), text)
}

// byDigest reports whether the image of a container was named by its digest, byID whether it was by its id.
func (l *life) byDigest() bool {
	return l != nil && strings.Contains(l.config.GetImage().GetImage(), "@")
}
func (l *life) byID() bool {
	return l != nil && strings.HasPrefix(l.config.GetImage().GetImage(), "sha256:")
}

// onHost reports whether a sandbox has the network of the host.
func (s *sandbox) onHost() bool {
	return s != nil && s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == v1.NamespaceMode_NODE
}

// inUserNamespace reports whether a sandbox has users of its own.
func (s *sandbox) inUserNamespace() bool {
	return s != nil && s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetUsernsOptions() != nil
}

// calls are those of one method, or those of one method about one thing.
type calls struct {
	ended, underWay int
	killed, hurried bool // the runtime was killed in one; one had a deadline of a moment
}

// meeting is a call to the runtime, with what a mutant knows of those before.
type meeting struct {
	ctx    context.Context
	method string
	q, m   any
	invoke func(method string, q, m any) error

	*past
	pod  *sandbox // that it is about, or is in; nil: none
	of   *life    // the container that it is about; nil: none
	same calls    // the other calls of the method about the same
	busy bool     // a container was being made when it began
}

// do makes the call.
func (c *meeting) do() error { return c.invoke("", c.q, c.m) }

// is reports whether it is a call of a method.
func (c *meeting) is(method string) bool { return c.method == method }

// has reports whether a container of the call's sandbox is such.
func (c *meeting) has(such func(*life) bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.containers {
		if l.pod == c.pod && such(l) {
			return true
		}
	}
	return false
}

// container returns one by its id; nil: there is none.
func (c *meeting) container(id string) *life {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.containers[id]
}

// never does not answer the call.
func (c *meeting) never() error {
	<-c.ctx.Done()
	return status.FromContextError(c.ctx.Err()).Err()
}

// hurriedRemoval reports whether a caller has given up the removal of an image in a moment.
func (c *meeting) hurriedRemoval(q *v1.ImageStatusRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.callsOf("RemoveImage " + q.GetImage().GetImage()).hurried
}

// callsOf returns the calls of a key. It is called with the lock.
func (p *past) callsOf(key string) *calls {
	if p.calls[key] == nil {
		p.calls[key] = &calls{}
	}
	return p.calls[key]
}

// meet makes a call as a mutant does, and takes note of it.
func (p *past) meet(as func(*meeting) error, c *meeting) error {
	pod, container, name := cri.Concerns(c.q)
	p.mu.Lock()
	c.past, c.pod, c.of = p, p.pods[pod], p.containers[container]
	if c.of != nil {
		c.pod = c.of.pod
	}
	all := []*calls{p.callsOf(c.method), p.callsOf(c.method + " " + name)}
	c.same, c.busy = *all[1], p.callsOf("CreateContainer").underWay > 0
	for _, k := range all {
		k.underWay++
		k.hurried = k.hurried || late(c.ctx)
	}
	if c.is("StopContainer") && c.of != nil {
		c.of.stopping++
	}
	p.mu.Unlock()
	began := time.Now()
	err := as(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range all {
		k.underWay--
		k.ended++
		k.killed = k.killed || status.Code(err) == codes.Unavailable
	}
	p.note(c, err, time.Since(began))
	return err
}

// note notes what a call has changed. It is called with the lock.
func (p *past) note(c *meeting, err error, took time.Duration) {
	if c.is("StopContainer") && c.of != nil {
		c.of.stopping--
	}
	if err != nil {
		return
	}
	switch q := c.q.(type) {
	case *v1.RunPodSandboxRequest:
		p.pods[c.m.(*v1.RunPodSandboxResponse).GetPodSandboxId()] = &sandbox{config: q.GetConfig(), handler: q.GetRuntimeHandler()}
	case *v1.CreateContainerRequest:
		p.containers[c.m.(*v1.CreateContainerResponse).GetContainerId()] = &life{pod: c.pod, config: q.GetConfig()}
	case *v1.StartContainerRequest:
		if c.of != nil {
			c.of.started = true
		}
	case *v1.StopContainerRequest:
		if grace := time.Duration(q.GetTimeout()) * time.Second; c.of != nil {
			c.of.stopped, c.of.cut = true, c.of.cut || grace > 0 && took >= grace
		}
	case *v1.StopPodSandboxRequest:
		if c.pod != nil {
			c.pod.stopped = true
		}
	}
}
