package node

import (
	"context"
	"strings"
	"sync"

	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

// past keeps the calls that the agent made before, so that the fault of a mutant can depend on them.
type past struct {
	mu         sync.Mutex
	lives      int                             // of the agent
	pods       map[string]*v1.PodSandboxConfig // by id
	containers map[string]*life                // by id
	failed     map[string]int                  // in which life of the agent a call failed, by the method and what it is about
}

// life is a container.
type life struct {
	pod    *v1.PodSandboxConfig
	config *v1.ContainerConfig
}

// meeting is a call of the agent, with what a mutant knows of those before.
type meeting struct {
	ctx    context.Context
	method string
	q, m   any
	invoke invoker

	*past
	pod *v1.PodSandboxConfig // of which it is; nil: none
	of  *life                // the container that it is about; nil: none
	cut bool                 // one about the same was the last of its sort before the agent died, and has failed
}

// do makes the call.
func (c *meeting) do() error { return c.invoke(c.ctx, c.method, c.q, c.m) }

// again reports whether the agent was started before.
func (c *meeting) again() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lives > 1
}

// container returns one by its id; nil: there is none.
func (c *meeting) container(id string) *life {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.containers[id]
}

// stubborn reports whether a container of the call's sandbox ignores SIGTERM.
func (c *meeting) stubborn() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.containers {
		if l.pod == c.pod && l.does("trap ''") {
			return true
		}
	}
	return false
}

// is reports whether a container has a name, does whether its command has a text.
func (l *life) is(name string) bool { return l != nil && l.config.GetMetadata().GetName() == name }
func (l *life) does(text string) bool {
	return l != nil && strings.Contains(strings.Join(l.config.GetCommand(), " "), text)
}

// from returns where a pod comes from: "api", "file" or "http".
func from(pod *v1.PodSandboxConfig) string {
	return pod.GetAnnotations()["kubernetes.io/config.source"]
}

// meetings returns what makes calls as do does, which knows what went before.
func meetings(do func(*meeting) error) func() around {
	return func() around {
		p := &past{pods: map[string]*v1.PodSandboxConfig{}, containers: map[string]*life{}, failed: map[string]int{}}
		return func(ctx context.Context, method string, q, m any, invoke invoker) error {
			pod, container, name := cri.Concerns(q)
			key := method + " " + name
			p.mu.Lock()
			if method == "RuntimeConfig" {
				p.lives++
			}
			c := &meeting{ctx: ctx, method: method, q: q, m: m, invoke: invoke, past: p, pod: p.pods[pod], of: p.containers[container], cut: p.failed[key] > 0 && p.failed[key] < p.lives}
			if c.of != nil {
				c.pod = c.of.pod
			}
			p.mu.Unlock()
			err := do(c)
			p.mu.Lock()
			defer p.mu.Unlock()
			switch {
			case c.cut: // for ever
			case err != nil || ctx.Err() != nil:
				p.failed[key] = max(p.lives, 1)
			default:
				delete(p.failed, key)
			}
			switch q := q.(type) {
			case *v1.RunPodSandboxRequest:
				if err == nil {
					p.pods[m.(*v1.RunPodSandboxResponse).GetPodSandboxId()] = q.GetConfig()
				}
			case *v1.CreateContainerRequest:
				if err == nil {
					p.containers[m.(*v1.CreateContainerResponse).GetContainerId()] = &life{c.pod, q.GetConfig()}
				}
			}
			return err
		}
	}
}
