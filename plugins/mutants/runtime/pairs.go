package runtime

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// at changes the answers of a method where two things meet.
func at[R any](method string, when func(*meeting) bool, change func(R)) func(*meeting) error {
	return func(c *meeting) error {
		err := c.do()
		if r, ok := c.m.(R); ok && err == nil && c.is(method) && when(c) {
			change(r)
		}
		return err
	}
}

// instead does something in the place of a call where two things meet.
func instead(method string, when func(*meeting) bool, other func(*meeting) error) func(*meeting) error {
	return func(c *meeting) error {
		if c.is(method) && when(c) {
			return other(c)
		}
		return c.do()
	}
}

func nothing(*meeting) error       { return nil }
func unanswered(c *meeting) error  { return c.never() }
func afterRestart(c *meeting) bool { return c.restarted() }
func wasKilledIn(c *meeting) bool  { return c.same.killed }
func (l *life) stubborn() bool {
	return l.started && !l.stopped && l.does("trap '' TERM") && l.does("while true")
}
func fails(k codes.Code, why string) func(*meeting) error {
	return func(*meeting) error { return status.Error(k, why) }
}

// unlisted leaves containers out of lists.
func unlisted(which func(*meeting, *v1.ListContainersRequest, *life) bool) func(*meeting) error {
	return func(c *meeting) error {
		err := c.do()
		if r, ok := c.m.(*v1.ListContainersResponse); ok && err == nil {
			r.Containers = slices.DeleteFunc(r.Containers, func(x *v1.Container) bool {
				l := c.container(x.GetId())
				return l != nil && which(c, c.q.(*v1.ListContainersRequest), l)
			})
		}
		return err
	}
}

// asked changes what is asked of a method where two things meet.
func asked[Q proto.Message](when func(*meeting, Q) bool, change func(Q)) func(*meeting) error {
	return func(c *meeting) error {
		if q, ok := c.q.(Q); ok && when(c, q) {
			q = proto.Clone(q).(Q)
			change(q)
			return c.invoke("", q, c.m)
		}
		return c.do()
	}
}

// pairs have a fault that shows only where two things meet: a call and how it fails, an object or a moment, or two of these.
var pairs = []row{
	{name: "cut-keeps-pod", rule: "remove/gone", about: "a sandbox one of whose containers had to be killed stays when it is removed",
		pair: instead("RemovePodSandbox", func(c *meeting) bool { return c.has(func(l *life) bool { return l.cut }) }, nothing)},
	{name: "digest-unmeasured", rule: "stats/running", about: "containers whose image was named by its digest have no statistics",
		pair: func(c *meeting) error {
			err := c.do()
			if r, ok := c.m.(*v1.ListContainerStatsResponse); ok && err == nil {
				r.Stats = slices.DeleteFunc(r.Stats, func(s *v1.ContainerStats) bool { return c.container(s.GetAttributes().GetId()).byDigest() })
			}
			return err
		}},
	{name: "stopping-unlisted", rule: "list/complete", about: "the list of one sandbox lacks containers that are being stopped",
		pair: unlisted(func(_ *meeting, q *v1.ListContainersRequest, l *life) bool {
			return q.GetFilter().GetPodSandboxId() != "" && l.stopping > 0
		})},
	{name: "exec-code-after-restart", rule: "exec/code", about: "after a restart of the runtime the exit code of each exec is 0", pair: at("ExecSync", afterRestart, func(r *v1.ExecSyncResponse) { r.ExitCode = 0 })},
	{name: "update-before-start", rule: "resources/update", about: "an update of a container that was not started does nothing", pair: instead("UpdateContainerResources", func(c *meeting) bool { return c.of != nil && !c.of.started }, nothing)},
	{name: "host-stays-ready", rule: "sandbox/stop", about: "a sandbox with the network of the host that was stopped is READY",
		pair: at("PodSandboxStatus", func(c *meeting) bool { return c.pod.onHost() && c.pod.stopped }, func(r *v1.PodSandboxStatusResponse) { r.Status.State = v1.PodSandboxState_SANDBOX_READY })},
	{name: "signal-by-id", rule: "stop/signal", about: "the stop signal of a container whose image was named by its id is lost",
		pair: at("ContainerStatus", func(c *meeting) bool { return c.of.byID() }, func(r *v1.ContainerStatusResponse) { r.Status.StopSignal = 0 })},
	{name: "attempt-restarted", rule: "sandbox/status", about: "after a restart of the runtime a second sandbox of a pod is NOTREADY",
		pair: at("PodSandboxStatus", func(c *meeting) bool {
			return c.restarted() && c.pod != nil && c.pod.config.GetMetadata().GetAttempt() > 0
		}, func(r *v1.PodSandboxStatusResponse) {
			r.Status.State = v1.PodSandboxState_SANDBOX_NOTREADY
		})},
	{name: "missing-on-host", rule: "container/start", about: "with the network of the host a container whose binary is missing starts",
		pair: instead("StartContainer", func(c *meeting) bool { return c.pod.onHost() && c.of.does("/no-such") }, nothing)},

	{name: "users-pod-stays", rule: "remove/gone", about: "a sandbox in a user namespace stays when it is removed", pair: instead("RemovePodSandbox", func(c *meeting) bool { return c.pod.inUserNamespace() }, nothing)},
	{name: "users-stop-halves", rule: "sandbox/stop", about: "the stop of a sandbox in a user namespace does nothing", pair: instead("StopPodSandbox", func(c *meeting) bool { return c.pod.inUserNamespace() }, nothing)},
	{name: "handler-exec-fails", rule: "exec/code", about: "no command can be run in a sandbox of another handler", pair: instead("ExecSync", func(c *meeting) bool { return c.pod != nil && c.pod.handler != "" }, fails(codes.Unknown, "no such handler"))},
	{name: "no-handler-after-restart", rule: "sandbox/handler", about: "after a restart of the runtime a handler that there is not is the default one",
		pair: asked(func(c *meeting, _ *v1.RunPodSandboxRequest) bool { return c.restarted() }, func(q *v1.RunPodSandboxRequest) { q.RuntimeHandler = "" })},
	{name: "state-ignored-by-id", rule: "list/complete", about: "a list of containers by an id ignores the state",
		pair: asked(func(_ *meeting, q *v1.ListContainersRequest) bool { return q.GetFilter().GetId() != "" }, func(q *v1.ListContainersRequest) { q.Filter.State = nil })},
	{name: "state-ignored-by-pod", rule: "list/complete", about: "a list of the containers of a sandbox ignores the state",
		pair: asked(func(_ *meeting, q *v1.ListContainersRequest) bool { return q.GetFilter().GetPodSandboxId() != "" }, func(q *v1.ListContainersRequest) { q.Filter.State = nil })},
	{name: "state-ignored-by-label", rule: "list/complete", about: "a list of containers by two labels ignores the state",
		pair: asked(func(_ *meeting, q *v1.ListContainersRequest) bool { return len(q.GetFilter().GetLabelSelector()) > 1 }, func(q *v1.ListContainersRequest) { q.Filter.State = nil })},
	{name: "pod-state-ignored-by-id", rule: "list/complete", about: "a list of sandboxes by an id ignores the state",
		pair: asked(func(_ *meeting, q *v1.ListPodSandboxRequest) bool { return q.GetFilter().GetId() != "" }, func(q *v1.ListPodSandboxRequest) { q.Filter.State = nil })},
	{name: "pod-stats-lost-in-restart", rule: "stats/pods", about: "after a restart of the runtime the list of statistics of sandboxes is empty",
		pair: at("ListPodSandboxStats", afterRestart, func(r *v1.ListPodSandboxStatsResponse) { r.Stats = nil })},
	{name: "exec-on-host-fails", rule: "exec/code", about: "with the network of the host no command can be run", pair: instead("ExecSync", func(c *meeting) bool { return c.pod.onHost() }, fails(codes.Unknown, "no namespace"))},
	{name: "exec-beside-signal-fails", rule: "exec/code", about: "no command can be run in a container with a stop signal of its own", pair: instead("ExecSync", func(c *meeting) bool { return c.of.does("USR1") }, fails(codes.Unknown, "no such signal"))},
	{name: "update-on-host-lost", rule: "resources/update", about: "with the network of the host an update does nothing", pair: instead("UpdateContainerResources", func(c *meeting) bool { return c.pod.onHost() }, nothing)},

	{name: "stubborn-pod-unanswered", rule: "stop/in-time", about: "the stop of a sandbox is not answered while a container ignores SIGTERM", pair: instead("StopPodSandbox", func(c *meeting) bool { return c.has((*life).stubborn) }, unanswered)},
	{name: "status-while-stopping", rule: "error/no-answer", about: "the status of a container that is being stopped is never answered", pair: instead("ContainerStatus", func(c *meeting) bool { return c.of != nil && c.of.stopping > 0 }, unanswered)},
	{name: "second-stop-unanswered", rule: "stop/in-time", about: "of two stops at once the second is never answered", pair: instead("StopContainer", func(c *meeting) bool { return c.same.underWay > 0 }, unanswered)},
	{name: "removal-waits-for-log", rule: "error/no-answer", about: "after a restart of the runtime the removal of a container that prints is never answered",
		pair: instead("RemoveContainer", func(c *meeting) bool { return c.restarted() && c.of.does("tick") }, unanswered)},
	{name: "exec-unbounded-after-restart", rule: "exec/timeout", about: "after a restart of the runtime an exec has no timeout",
		pair: asked(func(c *meeting, _ *v1.ExecSyncRequest) bool { return c.restarted() }, func(q *v1.ExecSyncRequest) { q.Timeout = 0 })},
	{name: "create-again-unanswered", rule: "error/no-answer", about: "who creates a container again in a sandbox with the network of the host waits for ever",
		pair: instead("CreateContainer", func(c *meeting) bool { return c.pod.onHost() && c.same.ended > 0 }, unanswered)},

	{name: "half-removal-sticks", rule: "remove/gone", about: "a container in whose removal the runtime was killed cannot be removed", pair: instead("RemoveContainer", wasKilledIn, fails(codes.Unknown, "removal is in progress"))},
	{name: "half-stop-sticks", rule: "restart/stop", about: "a container in whose stop the runtime was killed cannot be stopped", pair: instead("StopContainer", wasKilledIn, fails(codes.Unknown, "the container is being stopped"))},
	{name: "half-create-taken", rule: "restart/half", about: "the name of a container in whose making the runtime was killed stays taken", pair: instead("CreateContainer", wasKilledIn, fails(codes.FailedPrecondition, "the name is reserved"))},
	{name: "half-pod-stop-done", rule: "sandbox/stop", about: "the stop of a sandbox in which the runtime was killed counts as done", pair: instead("StopPodSandbox", wasKilledIn, nothing)},
	{name: "half-pull-locks", rule: "image/pull", about: "an image in whose pull the runtime was killed cannot be pulled", pair: instead("PullImage", wasKilledIn, fails(codes.Unknown, "the image is locked"))},
	{name: "digest-lost-in-restart", rule: "list/complete", about: "a restart of the runtime forgets containers whose image was named by its digest",
		pair: unlisted(func(c *meeting, _ *v1.ListContainersRequest, l *life) bool { return c.restarted() && l.byDigest() })},
	{name: "signal-lost-in-restart", rule: "stop/signal", about: "a restart of the runtime forgets stop signals", pair: at("ContainerStatus", afterRestart, func(r *v1.ContainerStatusResponse) { r.Status.StopSignal = 0 })},

	{name: "image-removed-once", rule: "idempotence/absent", about: "the second removal of an image fails", pair: instead("RemoveImage", func(c *meeting) bool { return c.same.ended > 0 }, fails(codes.NotFound, "no such image"))},
	{name: "pulls-collide", rule: "image/pull", about: "of two pulls of an image at once one fails", pair: instead("PullImage", func(c *meeting) bool { return c.same.underWay > 0 }, fails(codes.Unknown, "the image is locked"))},
	{name: "image-stays-after-restart", rule: "image/remove", about: "after a restart of the runtime the removal of an image by its id does nothing",
		pair: instead("RemoveImage", func(c *meeting) bool {
			return c.restarted() && strings.HasPrefix(c.q.(*v1.RemoveImageRequest).GetImage().GetImage(), "sha256:")
		}, nothing)},
	{name: "stranger-after-restart", rule: "image/pull", about: "after a restart of the runtime everybody can pull a private image",
		pair: func(c *meeting) error {
			err := c.do()
			if r, ok := c.m.(*v1.PullImageResponse); ok && err != nil && c.restarted() {
				r.ImageRef = "sha256:private"
				return nil
			}
			return err
		}},
	{name: "removal-given-up-halves", rule: "image/status", about: "an image whose removal was given up has the size 0",
		pair: func(c *meeting) error {
			err := c.do()
			if r, ok := c.m.(*v1.ImageStatusResponse); ok && err == nil && c.hurriedRemoval(c.q.(*v1.ImageStatusRequest)) {
				r.Image = &v1.Image{Id: "sha256:half"}
			}
			return err
		}},
	{name: "pull-in-burst", rule: "image/pull", about: "a pull beside the making of a container does not say what it has pulled",
		pair: at("PullImage", func(c *meeting) bool { return c.busy }, func(r *v1.PullImageResponse) { r.ImageRef = "" })},
}
