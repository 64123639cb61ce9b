package node

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// instead does something in the place of a call where two things meet.
func instead(method string, when func(*meeting) bool, other func(*meeting) error) func() around {
	return meetings(func(c *meeting) error {
		if c.method == method && when(c) {
			return other(c)
		}
		return c.do()
	})
}

func diedIn(c *meeting) bool { return c.cut }
func refused(*meeting) error { return status.Error(codes.Internal, "the mutant does not ask again") }
func beyondDeadline(c *meeting) error {
	return patient()(c.ctx, c.method, c.q, c.m, c.invoke)
}

// seen changes the answers to a call where two things meet.
func seen[R any](when func(*meeting) bool, change func(*meeting, R)) func() around {
	return meetings(func(c *meeting) error {
		err := c.do()
		if r, ok := c.m.(R); ok && err == nil && when(c) {
			change(c, r)
		}
		return err
	})
}

// unlisted leaves containers out of lists.
func unlisted(which func(*meeting, *life) bool) func() around {
	return seen(func(*meeting) bool { return true }, func(c *meeting, r *v1.ListContainersResponse) {
		r.Containers = slices.DeleteFunc(r.Containers, func(x *v1.Container) bool {
			l := c.container(x.GetId())
			return l != nil && which(c, l)
		})
	})
}

func onHost(l *life) bool {
	return l.pod.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() == v1.NamespaceMode_NODE
}

// pairs have a fault that shows only where two things meet: a call and how it fails, a pod and where it comes from, or a moment.
var pairs = []row{
	{name: "static-init-unseen", rule: "fault/recovers", about: "it does not see init containers of static pods", on: "*", around: unlisted(func(_ *meeting, l *life) bool { return from(l.pod) == "file" && l.is("i") })},
	{name: "static-stubborn-left", rule: "fault/recovers", about: "it stops no static pod with a container that ignores SIGTERM", on: "*",
		around: meetings(func(c *meeting) error {
			if strings.HasPrefix(c.method, "Stop") && from(c.pod) == "file" && c.stubborn() {
				return nil
			}
			return c.do()
		})},
	{name: "exit-lost-in-restart", rule: "order/init", about: "after its own restart it takes all exits for success", on: "*",
		around: seen((*meeting).again, func(_ *meeting, r *v1.ContainerStatusResponse) {
			if r.GetStatus().GetState() == v1.ContainerState_CONTAINER_EXITED {
				r.Status.ExitCode, r.Status.Reason = 0, "Completed"
			}
		})},
	{name: "sidecar-unseen-after-restart", rule: "restart/single", about: "after its own restart it does not see sidecars", on: "*",
		around: unlisted(func(c *meeting, l *life) bool { return c.again() && l.is("x") })},
	{name: "sidecar-before-stubborn", rule: "order/termination", about: "it stops sidecars before a container that ignores SIGTERM", on: "*", around: meetings(sidecarBeforeStubborn)},
	{name: "host-unseen-after-restart", rule: "restart/single", about: "after its own restart it does not see containers on the network of the host", on: "*",
		around: unlisted(func(c *meeting, l *life) bool { return c.again() && onHost(l) })},
	{name: "host-url-unseen", rule: "restart/single", about: "it does not see containers on the network of the host that come from its manifest URL", on: "*",
		around: unlisted(func(_ *meeting, l *life) bool { return from(l.pod) == "http" && onHost(l) })},

	{name: "patient-create", rule: "fault/deadline", about: "it waits for the making of a container as long as that takes", on: "*", around: instead("CreateContainer", whatever, beyondDeadline)},
	{name: "patient-removal", rule: "fault/deadline", about: "it waits for the removal of a container as long as that takes", on: "*", around: instead("RemoveContainer", whatever, beyondDeadline)},
	{name: "patient-run", rule: "fault/deadline", about: "it waits for a sandbox as long as that takes", on: "*", around: instead("RunPodSandbox", whatever, beyondDeadline)},
	{name: "patient-exec", rule: "fault/deadline", about: "it waits for a probe as long as that takes", on: "*", around: instead("ExecSync", whatever, beyondDeadline)},

	{name: "half-run-not-again", rule: "fault/recovers", about: "it runs no sandbox of a pod in whose making it died", on: "*", around: instead("RunPodSandbox", diedIn, refused)},
	{name: "half-create-not-again", rule: "fault/recovers", about: "it makes no container in whose making it died", on: "*", around: instead("CreateContainer", diedIn, refused)},
	{name: "half-pod-stop-fails", rule: "fault/recovers", about: "it cannot stop a sandbox in whose stop it died", on: "*", around: instead("StopPodSandbox", diedIn, refused)},
}

func whatever(*meeting) bool { return true }

// sidecarBeforeStubborn stops the sidecar x of a pod before another container that ignores SIGTERM.
func sidecarBeforeStubborn(c *meeting) error {
	if c.method == "StopContainer" && c.of.does("trap ''") && !c.of.is("x") {
		c.mu.Lock()
		var sidecars []string
		for id, l := range c.containers {
			if l.pod == c.pod && l.is("x") {
				sidecars = append(sidecars, id)
			}
		}
		c.mu.Unlock()
		for _, id := range sidecars {
			_ = c.invoke(c.ctx, c.method, &v1.StopContainerRequest{ContainerId: id, Timeout: 1}, &v1.StopContainerResponse{})
		}
	}
	return c.do()
}
