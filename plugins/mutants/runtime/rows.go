package runtime

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/fakes/cri"
)

// inStatus changes the status of containers.
func inStatus(f func(*v1.ContainerStatus)) func(q, reply any, err error) error {
	return reply(func(m *v1.ContainerStatusResponse) { f(m.Status) })
}

// pod changes the status of sandboxes.
func pod(f func(*v1.PodSandboxStatus)) func(q, reply any, err error) error {
	return reply(func(m *v1.PodSandboxStatusResponse) { f(m.Status) })
}

// ended changes the status of containers that have ended.
func ended(f func(*v1.ContainerStatus)) func(q, reply any, err error) error {
	return inStatus(func(s *v1.ContainerStatus) {
		if s.State == v1.ContainerState_CONTAINER_EXITED {
			f(s)
		}
	})
}

// message changes the messages of a stream.
func message[M any](f func(M)) func(any) {
	return func(m any) { f(m.(M)) }
}

// containers changes lists of containers.
func containers(f func([]*v1.Container) []*v1.Container) func(q, reply any, err error) error {
	return reply(func(m *v1.ListContainersResponse) { m.Containers = f(m.Containers) })
}

var rows = []row{
	{name: "network-untold", rule: "status/conditions", about: "the status has no condition NetworkReady", on: "Status",
		answer: reply(func(m *v1.StatusResponse) { m.Status.Conditions = m.Status.Conditions[:1] })},
	{name: "handlers-twice", rule: "status/conditions", about: "the default runtime handler is listed twice", on: "Status",
		answer: reply(func(m *v1.StatusResponse) { m.RuntimeHandlers = append(m.RuntimeHandlers, m.RuntimeHandlers[0]) })},
	{name: "version-alpha", rule: "status/version", about: "the API version is v1alpha2", on: "Version",
		answer: reply(func(m *v1.VersionResponse) { m.RuntimeApiVersion = "v1alpha2" })},
	{name: "driver-untold", rule: "config/cgroup-driver", about: "RuntimeConfig says nothing of Linux", on: "RuntimeConfig",
		answer: reply(func(m *v1.RuntimeConfigResponse) { m.Linux = nil })},

	{name: "image-absent-fails", rule: "image/status", about: "the status of an image that is not there is NotFound", on: "ImageStatus",
		answer: func(_, m any, err error) error {
			if r, ok := m.(*v1.ImageStatusResponse); ok && r.Image == nil && err == nil {
				return becomes(codes.OK, codes.NotFound)(nil, nil, err)
			}
			return err
		}},
	{name: "image-without-size", rule: "image/status", about: "an image has the size 0", on: "ImageStatus",
		answer: reply(func(m *v1.ImageStatusResponse) {
			if m.Image != nil {
				m.Image.Size = 0
			}
		})},
	{name: "pull-missing-succeeds", rule: "image/pull", about: "the pull of an image that is not there succeeds", on: "PullImage", answer: becomes(codes.NotFound, codes.OK)},
	{name: "pull-as-anybody", rule: "image/pull", about: "once somebody has pulled a private image everybody can", on: "PullImage", around: cachesPulls},
	{name: "image-tag-stays", rule: "image/remove", about: "the removal of an image by its id does nothing", on: "RemoveImage", around: ignoresIDs},
	{name: "image-stays", rule: "image/remove", about: "the removal of an image does nothing", on: "RemoveImage", skip: true},

	{name: "sandbox-twice", rule: "sandbox/unique", about: "a sandbox that is run again is another one, of the next attempt", on: "RunPodSandbox", around: again(func(q *v1.RunPodSandboxRequest) { q.Config.Metadata.Attempt++ })},
	{name: "sandbox-attempt-lost", rule: "sandbox/status", about: "the status of a sandbox has no attempt", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.Metadata.Attempt = 0 })},
	{name: "sandbox-namespaces-untold", rule: "sandbox/status", about: "the status of a sandbox has no namespaces", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.Linux = nil })},
	{name: "sandbox-annotations-more", rule: "sandbox/status", about: "a sandbox has an annotation that nobody gave it", on: "PodSandboxStatus",
		answer: pod(func(s *v1.PodSandboxStatus) { s.Annotations["runtime/own"] = "1" })},
	{name: "sandbox-never-ready", rule: "sandbox/status", about: "a sandbox is NOTREADY", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.State = v1.PodSandboxState_SANDBOX_NOTREADY })},
	{name: "sandbox-without-address", rule: "sandbox/address", about: "a sandbox has no address", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.Network = nil })},
	{name: "sandbox-same-address", rule: "sandbox/address", about: "all sandboxes have one address", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.Network.Ip = "10.88.0.2" })},
	{name: "sandbox-stop-nothing", rule: "sandbox/stop", about: "the stop of a sandbox does nothing", on: "StopPodSandbox", skip: true},
	{name: "sandbox-stays-ready", rule: "sandbox/stop", about: "a sandbox that was stopped is READY", on: "PodSandboxStatus", answer: pod(func(s *v1.PodSandboxStatus) { s.State = v1.PodSandboxState_SANDBOX_READY })},

	{name: "container-twice", rule: "container/unique", about: "a container that is created again is another one", on: "CreateContainer", around: again(func(q *v1.CreateContainerRequest) { q.Config.Metadata.Attempt++ })},
	{name: "container-attempt-lost", rule: "container/echo", about: "the status of a container has no attempt", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.Metadata.Attempt = 0 })},
	{name: "container-empty-annotations-lost", rule: "container/echo", about: "annotations without a value are lost", on: "ContainerStatus",
		answer: inStatus(func(s *v1.ContainerStatus) { deleteEmpty(s.Annotations) })},
	{name: "container-labels-more", rule: "container/echo", about: "a container has a label that nobody gave it", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.Labels["own"] = "1" })},
	{name: "container-image-name", rule: "container/image", about: "image_id is the name of the image", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.ImageId = s.Image.Image })},
	{name: "log-path-empty", rule: "container/log-path", about: "log_path is empty (kubernetes#107717)", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.LogPath = "" })},
	{name: "log-path-relative", rule: "container/log-path", about: "log_path is relative", on: "ContainerStatus",
		answer: inStatus(func(s *v1.ContainerStatus) { s.LogPath = s.LogPath[strings.LastIndexByte(s.LogPath, '/')+1:] })},
	{name: "started-at-creation", rule: "container/times", about: "a container that was not started has the time of its creation as that of its start", on: "ContainerStatus",
		answer: inStatus(func(s *v1.ContainerStatus) { s.StartedAt = max(s.StartedAt, s.CreatedAt) })},
	{name: "finished-in-seconds", rule: "container/times", about: "the time of the end is in seconds", on: "ContainerStatus", answer: ended(func(s *v1.ContainerStatus) { s.FinishedAt /= int64(time.Second) })},
	{name: "missing-starts", rule: "container/start", about: "a container whose binary is missing starts", on: "StartContainer", answer: becomes(codes.Unknown, codes.OK)},
	{name: "missing-exits-1", rule: "container/start", about: "such a container has the exit code 1", on: "ContainerStatus",
		answer: ended(func(s *v1.ContainerStatus) {
			if s.Reason == "StartError" {
				s.ExitCode = 1
			}
		})},
	{name: "exit-code-zero", rule: "container/exit", about: "every exit code is 0", on: "ContainerStatus", answer: ended(func(s *v1.ContainerStatus) { s.ExitCode = 0 })},
	{name: "reason-empty", rule: "container/exit", about: "a container that has ended has no reason", on: "ContainerStatus", answer: ended(func(s *v1.ContainerStatus) { s.Reason = "" })},
	{name: "end-moves", rule: "container/final", about: "the time of the end is that of the question", on: "ContainerStatus", answer: ended(func(s *v1.ContainerStatus) { s.FinishedAt = time.Now().UnixNano() })},
	{name: "starts-twice", rule: "container/final", about: "a container can be started again", on: "StartContainer", answer: becomes(codes.Unknown, codes.OK)},

	{name: "term-is-kill", rule: "stop/term", about: "a stop kills at once", on: "StopContainer", ask: func(q any) { q.(*v1.StopContainerRequest).Timeout = 0 }},
	{name: "stop-waits", rule: "stop/term", about: "a stop takes the whole grace", on: "StopContainer", answer: func(q, _ any, err error) error {
		time.Sleep(time.Duration(q.(*v1.StopContainerRequest).Timeout) * time.Second)
		return err
	}},
	{name: "kill-early", rule: "stop/kill", about: "the grace is a second", on: "StopContainer", ask: func(q any) { q.(*v1.StopContainerRequest).Timeout = min(1, q.(*v1.StopContainerRequest).Timeout) }},
	{name: "kill-143", rule: "stop/kill", about: "a container that was killed has the exit code 143", on: "ContainerStatus",
		answer: ended(func(s *v1.ContainerStatus) {
			if s.ExitCode == 137 {
				s.ExitCode = 143
			}
		})},
	{name: "stop-before-the-end", rule: "stop/ended", about: "the end of a container is told a second later, also after a stop (containerd)", on: "ContainerStatus", answer: func(_, m any, err error) error {
		if s := m.(*v1.ContainerStatusResponse).GetStatus(); err == nil && s.GetState() == v1.ContainerState_CONTAINER_EXITED && time.Since(time.Unix(0, s.FinishedAt)) < time.Second {
			s.State, s.ExitCode, s.Reason, s.FinishedAt = v1.ContainerState_CONTAINER_RUNNING, 0, "", 0
		}
		return err
	}},
	{name: "stop-shorter-ignored", rule: "stop/again", about: "a second stop waits for the first", on: "StopContainer", around: oneAtATime},

	{name: "stop-never-answers", rule: "stop/in-time", about: "a stop whose grace passes is done, and never answered", on: "StopContainer", around: silent(func(q any, took time.Duration) bool {
		return took >= time.Duration(q.(*v1.StopContainerRequest).Timeout)*time.Second
	})},
	{name: "remove-never-answers", rule: "error/no-answer", about: "the removal of a container is done, and never answered", on: "RemoveContainer", around: silent(func(any, time.Duration) bool { return true })},

	{name: "remove-keeps", rule: "remove/gone", about: "the removal of a container does nothing", on: "RemoveContainer", skip: true},
	{name: "remove-running-fails", rule: "remove/gone", about: "a container that runs cannot be removed", on: "RemoveContainer", code: codes.FailedPrecondition},
	{name: "absent-unknown", rule: "error/not-found", about: "what is not there is Unknown", on: "*Status", answer: becomes(codes.NotFound, codes.Unknown)},
	{name: "absent-start-invalid", rule: "error/not-found", about: "the start of what is not there is an invalid argument", on: "StartContainer", answer: becomes(codes.NotFound, codes.InvalidArgument)},
	{name: "absent-stop-fails", rule: "idempotence/absent", about: "the stop of what is not there is NotFound", on: "StopContainer", around: mustBe("ContainerStatus", func(q any) (any, any) {
		return &v1.ContainerStatusRequest{ContainerId: q.(*v1.StopContainerRequest).ContainerId}, &v1.ContainerStatusResponse{}
	})},
	{name: "absent-pod-fails", rule: "idempotence/absent", about: "the removal of a sandbox that is not there is NotFound", on: "RemovePodSandbox", around: mustBe("PodSandboxStatus", func(q any) (any, any) {
		return &v1.PodSandboxStatusRequest{PodSandboxId: q.(*v1.RemovePodSandboxRequest).PodSandboxId}, &v1.PodSandboxStatusResponse{}
	})},

	{name: "exec-code-lost", rule: "exec/code", about: "the exit code of an exec is 1, if it is not 0", on: "ExecSync", answer: reply(func(m *v1.ExecSyncResponse) { m.ExitCode = min(m.ExitCode, 1) })},
	{name: "exec-one-output", rule: "exec/code", about: "both outputs of an exec come in one", on: "ExecSync", answer: reply(func(m *v1.ExecSyncResponse) { m.Stdout, m.Stderr = append(m.Stdout, m.Stderr...), nil })},
	{name: "exec-ended", rule: "exec/state", about: "an exec in a container that has ended succeeds", on: "ExecSync", answer: becomes(codes.Unknown, codes.OK)},
	{name: "exec-timeout-ignored", rule: "exec/timeout", about: "an exec has no timeout", on: "ExecSync", ask: func(q any) { q.(*v1.ExecSyncRequest).Timeout = 0 }},
	{name: "exec-timeout-succeeds", rule: "exec/timeout", about: "an exec that takes too long succeeds", on: "ExecSync", answer: becomes(codes.DeadlineExceeded, codes.OK)},

	{name: "containers-short", rule: "list/complete", about: "the oldest container is in no list", on: "ListContainers", answer: containers(func(all []*v1.Container) []*v1.Container { return all[:max(0, len(all)-1)] })},
	{name: "containers-twice", rule: "list/complete", about: "the newest container is in lists twice", on: "ListContainers", answer: containers(func(all []*v1.Container) []*v1.Container { return append(all, all[:min(1, len(all))]...) })},
	{name: "list-state-ignored", rule: "list/complete", about: "the state of a filter is ignored", on: "ListContainers", ask: func(q any) { q.(*v1.ListContainersRequest).Filter.State = nil }},
	{name: "list-pod-ignored", rule: "list/complete", about: "the sandbox of a filter is ignored", on: "ListContainers", ask: func(q any) { q.(*v1.ListContainersRequest).Filter.PodSandboxId = "" }},
	{name: "list-labels-ignored", rule: "list/complete", about: "a list of sandboxes by state has all of them", on: "ListPodSandbox", ask: func(q any) { q.(*v1.ListPodSandboxRequest).Filter.State = nil }},
	{name: "list-image-untold", rule: "container/image", about: "containers in lists have no image_id", on: "ListContainers",
		answer: containers(func(all []*v1.Container) []*v1.Container {
			for _, c := range all {
				c.ImageId = ""
			}
			return all
		})},
	{name: "list-attempt-lost", rule: "list/complete", about: "containers in lists have no attempt and no annotations", on: "ListContainers",
		answer: containers(func(all []*v1.Container) []*v1.Container {
			for _, c := range all {
				c.Metadata.Attempt, c.Annotations = 0, nil
			}
			return all
		})},
	{name: "stream-empty-message", rule: "stream/same", about: "a streaming list ends with an empty message", on: "StreamContainers", empty: true},
	{name: "stats-short", rule: "stats/running", about: "the newest container has no statistics", on: "ListContainerStats",
		answer: reply(func(m *v1.ListContainerStatsResponse) { m.Stats = m.Stats[min(1, len(m.Stats)):] })},
	{name: "stats-without-time", rule: "stats/running", about: "statistics have no time", on: "ListContainerStats",
		answer: reply(func(m *v1.ListContainerStatsResponse) {
			for _, s := range m.Stats {
				s.Cpu.Timestamp = 0
			}
		})},

	{name: "stream-item-twice", rule: "stream/same", about: "a streaming list of sandboxes begins with its last item", on: "StreamPodSandboxes",
		message: message(func(m *v1.StreamPodSandboxesResponse) { m.PodSandboxes = append(m.PodSandboxes, m.PodSandboxes[0]) })},
	{name: "stream-images-short", rule: "stream/same", about: "a streaming list has no image", on: "StreamImages", drops: func(int, int) bool { return true }},
	{name: "stream-not-all", rule: "stream/all", about: "images cannot be streamed", on: "StreamImages", code: codes.Unimplemented},
	{name: "optional-unknown", rule: "error/unimplemented", about: "a call that there is not is Unknown", on: "UpdatePodSandboxResources",
		answer: func(any, any, error) error { return status.Error(codes.Unknown, "not implemented") }},
	{name: "stop-unavailable", rule: "error/unavailable", about: "each stop is Unavailable", on: "StopContainer", code: codes.Unavailable},
	{name: "create-unavailable", rule: "error/unavailable", about: "each create is Unavailable", on: "CreateContainer", code: codes.Unavailable},
	{name: "exec-unavailable", rule: "error/unavailable", about: "each exec is Unavailable", on: "ExecSync", code: codes.Unavailable},
	{name: "stats-fail", rule: "error/served", about: "each ContainerStats is Internal", on: "ContainerStats", code: codes.Internal},
	{name: "images-fail", rule: "error/served", about: "each list of images is Internal", on: "ListImages", code: codes.Internal},
	{name: "status-hangs-once", rule: "error/no-answer", about: "the second status of a container is never answered", faults: []cri.Fault{{Method: "ContainerStatus", Nth: 2, Times: 1, Hang: true}}},
	{name: "lists-hang", rule: "error/no-answer", about: "no list of containers is answered", faults: []cri.Fault{{Method: "ListContainers", Hang: true}}},
	{name: "lists-not-found", rule: "error/served", about: "each list of sandboxes is NotFound", on: "ListPodSandbox", code: codes.NotFound},
	{name: "run-fails", rule: "error/served", about: "no sandbox can be run", on: "RunPodSandbox", code: codes.Internal},
	{name: "create-fails", rule: "error/served", about: "no container can be created", on: "CreateContainer", code: codes.NotFound},
	{name: "start-fails", rule: "error/served", about: "no container can be started", on: "StartContainer", code: codes.Unknown},
	{name: "update-fails", rule: "error/served", about: "no limit can be changed", on: "UpdateContainerResources", code: codes.Internal},
	{name: "rotate-fails", rule: "error/served", about: "no log can be opened again", on: "ReopenContainerLog", code: codes.Internal},
	{name: "remove-image-fails", rule: "error/served", about: "no image can be removed", on: "RemoveImage", code: codes.Internal},
	{name: "pod-stats-fail", rule: "error/served", about: "no sandbox has statistics", on: "PodSandboxStats", code: codes.NotFound},
	{name: "pod-stats-short", rule: "stats/pods", about: "the list of statistics of sandboxes lacks the first", on: "ListPodSandboxStats",
		answer: reply(func(m *v1.ListPodSandboxStatsResponse) { m.Stats = m.Stats[min(1, len(m.Stats)):] })},
	{name: "pull-fails", rule: "image/pull", about: "no image can be pulled", on: "PullImage", code: codes.Internal},
	{name: "update-absent-succeeds", rule: "error/not-found", about: "an update of what is not there succeeds", on: "UpdateContainerResources", answer: becomes(codes.NotFound, codes.OK)},
	{name: "image-fs-relative", rule: "image/filesystem", about: "the file system of images has no mount point", on: "ImageFsInfo",
		answer: reply(func(m *v1.ImageFsInfoResponse) { m.ImageFilesystems[0].FsId = nil })},
	{name: "image-id-of-name", rule: "container/image", about: "a container that was created by digest has the digest as image_id", on: "ContainerStatus",
		answer: inStatus(func(s *v1.ContainerStatus) {
			if strings.Contains(s.Image.GetImage(), "@") {
				s.ImageId = s.Image.GetImage()
			}
		})},
	{name: "handler-ignored", rule: "sandbox/handler", about: "a runtime handler that there is not is the default one", on: "RunPodSandbox", ask: func(q any) { q.(*v1.RunPodSandboxRequest).RuntimeHandler = "" }},
	{name: "mappings-ignored", rule: "sandbox/users", about: "a user namespace is not looked at", on: "RunPodSandbox",
		ask: func(q any) {
			q.(*v1.RunPodSandboxRequest).Config.Linux.SecurityContext.NamespaceOptions.UsernsOptions = nil
		}},
	{name: "reserved-for-ever", rule: "container/retry", about: "the name of a container whose create has failed stays taken (containerd#4604)", on: "CreateContainer", around: keepsName},
	{name: "signal-untold", rule: "stop/signal", about: "the status has no stop signal", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.StopSignal = 0 })},
	{name: "signal-ignored", rule: "stop/signal", about: "a stop always sends SIGTERM", on: "CreateContainer", ask: func(q any) { q.(*v1.CreateContainerRequest).Config.StopSignal = 0 }},
	{name: "exec-missing-succeeds", rule: "exec/missing", about: "an exec of a binary that is missing succeeds", on: "ExecSync", answer: becomes(codes.Unknown, codes.OK)},
	{name: "exec-missing-late", rule: "exec/missing", about: "an exec of a binary that is missing fails as one whose time is up", on: "ExecSync", answer: becomes(codes.Unknown, codes.DeadlineExceeded)},
	{name: "exec-much-fails", rule: "exec/output", about: "an exec that writes much fails (containerd 2.4.2)", on: "ExecSync",
		answer: func(_, m any, err error) error {
			if r, ok := m.(*v1.ExecSyncResponse); ok && err == nil && len(r.Stdout) > 8<<20 {
				return status.Error(codes.ResourceExhausted, "grpc: trying to send message larger than max")
			}
			return err
		}},
	{name: "log-in-docker-format", rule: "log/format", about: "a log has JSON", on: "ContainerStatus", logs: func(line string) string { return `{"log":"` + line + `"}` }},
	{name: "log-partial-as-full", rule: "log/format", about: "the parts of a long line are lines", on: "ContainerStatus", logs: func(line string) string { return strings.Replace(line, " P ", " F ", 1) }},
	{name: "log-stderr-as-stdout", rule: "log/format", about: "stderr is in stdout", on: "ContainerStatus", logs: func(line string) string { return strings.Replace(line, " stderr ", " stdout ", 1) }},
	{name: "reopen-does-nothing", rule: "log/reopen", about: "ReopenContainerLog does nothing", on: "ReopenContainerLog", skip: true},
	{name: "update-untold", rule: "resources/update", about: "the status has no resources", on: "ContainerStatus", answer: inStatus(func(s *v1.ContainerStatus) { s.Resources = nil })},
	{name: "update-nothing", rule: "resources/update", about: "an update does nothing", on: "UpdateContainerResources", skip: true},
	{name: "update-zero-resets", rule: "resources/update", about: "an update sets what it does not name to a default", on: "UpdateContainerResources", ask: func(q any) {
		if x := q.(*v1.UpdateContainerResourcesRequest).Linux; x.MemoryLimitInBytes == 0 {
			x.MemoryLimitInBytes = 4 << 20
		}
	}},
	{name: "checkpoint-of-anything", rule: "checkpoint/pod", about: "a container that does not run is saved", on: "CheckpointPod", answer: becomes(codes.FailedPrecondition, codes.OK)},
	{name: "sandbox-leaks", rule: "leak/none", about: "each removal of a sandbox leaves another one", on: "RemovePodSandbox", around: leavesOne},

	{name: "event-stopped-lost", rule: "event/stopped", about: "the second STOPPED is lost", faults: []cri.Fault{{Event: "drop", Type: "CONTAINER_STOPPED_EVENT", Nth: 2, Times: 1}}},
	{name: "event-stopped-twice", rule: "event/stopped", about: "STOPPED comes twice", faults: []cri.Fault{{Event: "double", Type: "CONTAINER_STOPPED_EVENT"}}},
	{name: "event-started-late", rule: "event/order", about: "the event after STARTED comes before it (cri-o#9738)", faults: []cri.Fault{{Event: "swap", Type: "CONTAINER_STARTED_EVENT"}}},
	{name: "event-early", rule: "event/list", about: "the status of a container that has ended is that of before, for three seconds", on: "ContainerStatus", around: staleStatus},
	{name: "event-to-one", rule: "event/all", about: "each event comes to one watcher only (containerd#7318)", on: "GetContainerEvents", drops: func(stream, n int) bool { return n%2 != stream%2 }},

	{name: "restart-forgets-all", rule: "restart/keeps", about: "a restart ends everything", memory: cri.ForgetsAll},
	{name: "restart-stop-fails", rule: "restart/stop", about: "after a restart nothing can be stopped", on: "StopContainer", restarted: codes.Unknown},
	{name: "restart-start-fails", rule: "restart/start", about: "after a restart nothing can be created or started", on: "*Container", restarted: codes.Unknown},
	{name: "half-name-taken", rule: "restart/half", about: "the name of a sandbox in whose making it was killed stays taken", on: "RunPodSandbox", around: keepsHalf},
	{name: "half-leaks", rule: "leak/none", about: "a sandbox in whose making it was killed stays, and is in no list (containerd 1.6.20)", on: "*PodSandbox", around: leavesHalf},
	{name: "restart-forgets-exits", rule: "restart/exit", about: "what ends while the runtime is down has the code 255 (containerd 2.4.2)", memory: cri.ForgetsExits},
}

// nulls do nothing.
var nulls = []row{
	{name: "succeeds", about: "every call succeeds, with an empty answer", on: "*", skip: true, drops: func(int, int) bool { return true }},
	{name: "refuses", about: "every call is Unimplemented", on: "*", code: codes.Unimplemented, drops: func(int, int) bool { return true }},
}

var oddities = []row{
	{name: "cri-o", rule: "container/unique", about: "it answers as CRI-O does", options: func(o *cri.Options) { o.Personality = cri.CRIO }},
	{name: "listed-backwards", rule: "list/complete", about: "lists have the oldest first", on: "ListContainers", answer: containers(func(all []*v1.Container) []*v1.Container { slices.Reverse(all); return all })},
	{name: "stop-takes-a-second", rule: "stop/term", about: "a stop takes a second longer", on: "StopContainer", answer: func(_, _ any, err error) error { time.Sleep(time.Second); return err }},
	{name: "half-stays", rule: "restart/half", about: "a sandbox in whose making it was killed is listed", options: func(o *cri.Options) { o.Personality.KeepsHalf = true }},
	{name: "answers-late", rule: "error/no-answer", about: "a sandbox takes three minutes to run", on: "RunPodSandbox", answer: func(_, _ any, err error) error { time.Sleep(3 * time.Minute); return err }},
	{name: "pod-update-unserved", rule: "error/served", about: "the limits of sandboxes cannot be changed", on: "UpdatePodSandboxResources", code: codes.Unimplemented},
	{name: "verbose", rule: "container/echo", about: "a status has info that nobody asked for", on: "ContainerStatus", answer: reply(func(m *v1.ContainerStatusResponse) { m.Info = map[string]string{"pid": "1"} })},
}

// around is what row.around returns.
type around = func(ctx context.Context, q, reply any, invoke func(method string, q, reply any) error) error

// again makes a call that was refused, as what it asks for is there, once more for something else.
func again[Q any](change func(Q)) func() around {
	return func() around {
		return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
			err := invoke("", q, m)
			if status.Code(err) == codes.FailedPrecondition {
				change(q.(Q))
				err = invoke("", q, m)
			}
			return err
		}
	}
}

// silent never answers the calls of which when returns true, though it has done them. took is how long that took.
func silent(when func(q any, took time.Duration) bool) func() around {
	return func() around {
		return func(ctx context.Context, q, m any, invoke func(string, any, any) error) error {
			began := time.Now()
			err := invoke("", q, m)
			if err == nil && when(q, time.Since(began)) {
				<-ctx.Done()
				err = status.FromContextError(ctx.Err()).Err()
			}
			return err
		}
	}
}

// oneAtATime makes calls wait for each other.
func oneAtATime() around {
	turn := make(chan struct{}, 1)
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		turn <- struct{}{}
		defer func() { <-turn }()
		return invoke("", q, m)
	}
}

// keepsName refuses to create a container again once the deadline of a create has passed, and hides that it is there.
func keepsName() around {
	var taken atomic.Bool
	return func(ctx context.Context, q, m any, invoke func(string, any, any) error) error {
		if taken.Load() {
			return status.Error(codes.Unknown, "name is reserved")
		}
		ask := q.(*v1.CreateContainerRequest)
		if late(ctx) {
			taken.Store(true)
			<-ctx.Done()
			return status.FromContextError(ctx.Err()).Err()
		}
		return invoke("", ask, m)
	}
}

// late reports whether a deadline passes before a container can be made.
func late(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && time.Until(deadline) < 20*time.Millisecond
}

// keepsHalf refuses the names of sandboxes in whose making the runtime was killed.
func keepsHalf() around {
	var taken sync.Map
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		name := q.(*v1.RunPodSandboxRequest).GetConfig().GetMetadata().String()
		if _, ok := taken.Load(name); ok {
			return status.Errorf(codes.FailedPrecondition, "name %q is reserved", name)
		}
		err := invoke("", q, m)
		if status.Code(err) == codes.Unavailable {
			taken.Store(name, true)
		}
		return err
	}
}

// leavesHalf runs another sandbox for each in whose making the runtime was killed, once it is up.
func leavesHalf() around {
	var half, n atomic.Uint32
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		_, runs := q.(*v1.RunPodSandboxRequest)
		for ; !runs && half.Load() > n.Load(); n.Add(1) {
			config := &v1.PodSandboxConfig{Metadata: &v1.PodSandboxMetadata{Name: "left", Namespace: "left", Uid: "left", Attempt: n.Load()}}
			_ = invoke("RunPodSandbox", &v1.RunPodSandboxRequest{Config: config}, &v1.RunPodSandboxResponse{})
		}
		err := invoke("", q, m)
		if runs && status.Code(err) == codes.Unavailable {
			half.Add(1)
		}
		return err
	}
}

// cachesPulls pulls each image once.
func cachesPulls() around {
	var pulled sync.Map
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		name := q.(*v1.PullImageRequest).GetImage().GetImage()
		if ref, ok := pulled.Load(name); ok {
			m.(*v1.PullImageResponse).ImageRef = ref.(string)
			return nil
		}
		err := invoke("", q, m)
		if err == nil {
			pulled.Store(name, m.(*v1.PullImageResponse).GetImageRef())
		}
		return err
	}
}

// ignoresIDs removes no image by its id.
func ignoresIDs() around {
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		if strings.HasPrefix(q.(*v1.RemoveImageRequest).GetImage().GetImage(), "sha256:") {
			return nil
		}
		return invoke("", q, m)
	}
}

// leavesOne runs another sandbox after the removal of one.
func leavesOne() around {
	var n atomic.Uint32
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		err := invoke("", q, m)
		config := &v1.PodSandboxConfig{Metadata: &v1.PodSandboxMetadata{Name: "left", Namespace: "left", Uid: "left", Attempt: n.Add(1)}}
		_ = invoke("RunPodSandbox", &v1.RunPodSandboxRequest{Config: config}, &v1.RunPodSandboxResponse{})
		return err
	}
}

// staleStatus answers the status of each container that was told before, for a second.
func staleStatus() around {
	type told struct {
		at time.Time
		m  *v1.ContainerStatusResponse
	}
	var mu sync.Mutex
	all := map[string]told{}
	return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
		mu.Lock()
		defer mu.Unlock()
		id := q.(*v1.ContainerStatusRequest).ContainerId
		if was, ok := all[id]; ok && time.Since(was.at) < 3*time.Second {
			proto.Merge(m.(proto.Message), was.m)
			return nil
		}
		err := invoke("", q, m)
		if err == nil {
			all[id] = told{time.Now(), proto.Clone(m.(proto.Message)).(*v1.ContainerStatusResponse)}
		}
		return err
	}
}

// mustBe makes a call fail if another one does.
func mustBe(method string, other func(q any) (ask, reply any)) func() around {
	return func() around {
		return func(_ context.Context, q, m any, invoke func(string, any, any) error) error {
			ask, reply := other(q)
			if err := invoke(method, ask, reply); err != nil {
				return err
			}
			return invoke("", q, m)
		}
	}
}

func deleteEmpty(m map[string]string) {
	for k, v := range m {
		if v == "" {
			delete(m, k)
		}
	}
}
