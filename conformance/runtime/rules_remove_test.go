package runtime

var removeHistories = map[string][]judged{
	"remove/gone": {
		{name: "one that runs", history: oneRuns + `
			c1 RemoveContainer a/c
			c1 ListContainers ->
			c1 ListPodSandbox -> p1:READY`},
		{name: "a sandbox with one that runs", history: oneRuns + `
			c1 RemovePodSandbox a
			c1 ListContainers ->
			c1 ListPodSandbox ->`},
		{name: "listed in the middle of it", history: oneRuns + `
			c2 RemoveContainer a/c ...
			c1 ListContainers -> k1:EXITED
			c2 <-`},
		{name: "listed when its caller has given up", untested: true, history: oneRuns + `
			c1 RemoveContainer a/c ! DeadlineExceeded
			c1 ListContainers -> k1:RUNNING
			c1 RemovePodSandbox a ! Unavailable EOF
			c1 ListContainers -> k1:RUNNING`},
		{name: "another one of the name", history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k2
			c1 ListContainers -> k2:CREATED`},
		{name: "created while its sandbox is removed, as in containerd", history: onePod + `
			c2 CreateContainer a/c ...
			c1 RemovePodSandbox a
			c2 <- k1
			c1 ListContainers -> k1:CREATED
			c1 ContainerStatus a/c -> CREATED`},
		{name: "twice at once, as in containerd", history: oneMade + `
			c1 RemoveContainer a/c ...
			c2 RemoveContainer a/c ! Unknown container is already in removing state
			c1 <-`},
		{name: "in the middle of its start, as in containerd", untested: true, history: oneMade + `
			c1 StartContainer a/c ...
			c2 RemoveContainer a/c ! Unknown container is in starting state
			c1 <-`},
		{name: "a sandbox in the middle of the removal of its container, as in containerd", history: oneMade + `
			c1 RemoveContainer a/c ...
			c2 RemovePodSandbox a ! Unknown container is already in removing state
			c1 <-`},
		{name: "after one whose caller gave up", untested: true, history: oneMade + `
			c1 RemoveContainer a/c ! DeadlineExceeded
			c1 RemoveContainer a/c ! Unknown container is already in removing state`},
		{name: "it is not removed", want: "a list without what was removed", got: "k1 is in it", history: oneRuns + `
			c1 RemoveContainer a/c <<
			c1 ListContainers -> k1:RUNNING <<`},
		{name: "it is streamed", want: "a list without what was removed", got: "k1 is in it", history: oneRuns + `
			c1 RemoveContainer a/c <<
			c1 StreamContainers -> k1:RUNNING <<`},
		{name: "it comes back after a restart", want: "a list without what was removed", got: "p1 is in it", history: onePod + `
			c1 RemovePodSandbox a <<
			KILL
			START
			c1 ListPodSandbox -> p1:READY <<`},
		{name: "the sandbox leaves its container", want: "a list without what was removed", got: "k1 is in it", history: oneRuns + `
			c1 RemovePodSandbox a <<
			c1 ListContainers -> k1:EXITED <<`},
		{name: "one that runs is not removed", want: "success", got: "it runs", history: oneRuns + `
			c1 RemoveContainer a/c ! FailedPrecondition it runs <<`},
		{name: "a sandbox is not removed", want: "success", got: "it has containers", history: oneRuns + `
			c1 RemovePodSandbox a ! Unknown it has containers <<`},
		{name: "one that runs is not removed while another one starts", want: "success", got: "it runs", history: oneRuns + `
			c1 CreateContainer a/d -> k2
			c2 StartContainer a/d ...
			c1 RemoveContainer a/c ! FailedPrecondition it runs <<
			c2 <-
			c1 RemoveContainer a/c ! DeadlineExceeded`},
		{name: "not after a restart either", want: "success", got: "removing state", history: oneRuns + `
			c1 RemoveContainer a/c ! DeadlineExceeded
			KILL
			START
			c1 RemoveContainer a/c ! Unknown container is already in removing state <<`},
	},
	"error/not-found": {
		{name: "it was never there", history: `
			c1 ContainerStatus a/none ! NotFound no such container
			c1 PodSandboxStatus none ! NotFound no such sandbox
			c1 StartContainer a/none ! NotFound no such container
			c1 ExecSync a/none script=x ! NotFound no such container
			c1 ContainerStats a/none ! NotFound no such container
			c1 UpdateContainerResources a/none shares=5 ! NotFound no such container`},
		{name: "it was removed", history: oneMade + `
			c1 RemoveContainer a/c
			c1 ContainerStatus a/c ! NotFound no such container
			c1 RemovePodSandbox a
			c1 PodSandboxStatus a ! NotFound no such sandbox`},
		{name: "its sandbox was removed", history: oneMade + `
			c1 RemovePodSandbox a
			c1 ContainerStatus a/c ! NotFound no such container`},
		{name: "the runtime does not have the call", untested: true, history: onePod + `
			c1 UpdatePodSandboxResources none ! Unimplemented no such method
			c1 PodSandboxStats none ! Unimplemented no such method`},
		{name: "nobody has answered", untested: true, history: `
			c1 ContainerStatus a/none ! Unavailable connection refused
			c1 ContainerStatus a/none ! DeadlineExceeded
			c1 ContainerStatus a/none ...`},
		{name: "it is being removed", untested: true, history: oneMade + `
			c2 RemoveContainer a/c ...
			c1 ContainerStatus a/c ! NotFound no such container
			c1 ContainerStatus a/c ! Unknown it is being removed
			c2 <- ! DeadlineExceeded
			c1 ContainerStatus a/c ! NotFound no such container
			c1 ContainerStatus a/c -> EXITED`},
		{name: "it is there, and the answer is another error", untested: true, history: oneMade + `
			c1 ContainerStatus a/c ! Unknown out of order
			c1 StartContainer a/c ! NotFound no such file`},
		{name: "created while its sandbox was removed", untested: true, history: onePod + `
			c2 CreateContainer a/c ...
			c1 RemovePodSandbox a
			c2 <- k1
			c1 StartContainer a/c ! FailedPrecondition no sandbox
			c1 ContainerStatus a/c -> CREATED`},
		{name: "Unknown", want: "NotFound: nothing has this id", got: "2 Unknown", history: `
			c1 ContainerStatus a/none ! Unknown no such container <<`},
		{name: "the status of what was removed", want: "NotFound: it was removed by RemoveContainer", got: "ContainerStatus succeeded", history: oneMade + `
			c1 RemoveContainer a/c
			c1 ContainerStatus a/c -> CREATED <<`},
		{name: "the start of what was removed", want: "NotFound: it was removed by RemovePodSandbox", got: "InvalidArgument", history: oneMade + `
			c1 RemovePodSandbox a
			c1 StartContainer a/c ! InvalidArgument no such container <<`},
		{name: "statistics of what was removed", want: "NotFound", got: "PodSandboxStats succeeded", history: onePod + `
			c1 RemovePodSandbox a
			c1 PodSandboxStats a <<`},
		{name: "it is there", want: "an answer other than NotFound", got: "NotFound", history: oneMade + `
			c1 ContainerStatus a/c ! NotFound no such container <<
			<< CreateContainer a/c`},
		{name: "the sandbox is there", want: "an answer other than NotFound", got: "NotFound", history: onePod + `
			c1 PodSandboxStatus a ! NotFound no such sandbox <<
			<< RunPodSandbox a`},
		{name: "a command is not found", untested: true, history: oneRuns + `
			c1 ExecSync a/c script=ls ! NotFound no such file`},
		{name: "a start that failed has left nothing, as in CRI-O", untested: true, history: oneMade + `
			c1 StartContainer a/c ! Unknown a hook failed
			c1 ContainerStatus a/c ! NotFound no such container`},
	},
	"idempotence/absent": {
		{name: "it was never there", history: `
			c1 StopContainer a/none grace=1
			c1 RemoveContainer a/none
			c1 StopPodSandbox none
			c1 RemovePodSandbox none`},
		{name: "twice", history: oneMade + `
			c1 RemoveContainer a/c
			c1 RemoveContainer a/c
			c1 StopContainer a/c grace=1
			c1 RemovePodSandbox a
			c1 RemovePodSandbox a
			c1 StopPodSandbox a`},
		{name: "an image twice", history: `
			c1 RemoveImage img
			c1 RemoveImage img`},
		{name: "an image that was pulled again, and is in use", untested: true, history: onePod + `
			c1 RemoveImage img
			c1 PullImage img
			c1 CreateContainer a/c -> k1
			c1 RemoveImage img ! FailedPrecondition it is in use, as in CRI-O`},
		{name: "an image that a pull may have brought back", untested: true, history: onePod + `
			c2 PullImage img ...
			c1 RemoveImage img
			c2 <-
			c1 CreateContainer a/c -> k1
			c1 RemoveImage img ! FailedPrecondition it is in use, as in CRI-O`},
		{name: "it may be there", untested: true, history: oneMade + `
			c1 RemoveContainer a/c ! DeadlineExceeded
			c1 StopContainer a/c grace=1 ! Unknown it is being removed`},
		{name: "nobody has answered", untested: true, history: `
			c1 StopContainer a/none grace=1 ! Unavailable connection refused
			c1 RemovePodSandbox none ...`},
		{name: "another one of the name", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k2
			c1 StopContainer a/c grace=1 ! Internal out of order`},
		{name: "a stop", want: "success: nothing has this id", got: "NotFound", history: `
			c1 StopContainer a/none grace=1 ! NotFound no such container <<`},
		{name: "a removal again", want: "success: it was removed by RemovePodSandbox", got: "NotFound", also: "remove/gone", history: onePod + `
			c1 RemovePodSandbox a
			c1 RemovePodSandbox a ! NotFound no such sandbox <<`},
		{name: "a container of a sandbox that was removed", want: "success: it was removed by RemovePodSandbox", got: "Unknown", also: "remove/gone", history: oneMade + `
			c1 RemovePodSandbox a
			c1 RemoveContainer a/c ! Unknown no such container <<`},
		{name: "an image again", want: "success: it was removed before", got: "NotFound", history: `
			c1 RemoveImage img
			c1 RemoveImage img ! NotFound no such image <<`},
		{name: "an image twice at once", untested: true, history: `
			c1 RemoveImage img ...
			c2 RemoveImage img ! Unknown it is being removed
			c1 <-
			c1 RemoveImage img ! DeadlineExceeded`},
		{name: "a removal", want: "success: nothing has this id", got: "NotFound", history: `
			c1 RemovePodSandbox none ! NotFound no such sandbox <<`},
		{name: "a stop of one that has ended", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StopContainer a/c grace=5`},
		{name: "a stop of one that may not have ended, or is being removed", untested: true, history: oneEnds + `
			c1 StopContainer a/c grace=5 ! Unknown out of order
			c1 ContainerStatus a/c -> EXITED code=42
			c2 RemoveContainer a/c ...
			c1 StopContainer a/c grace=5 ! Unknown it is being removed
			c2 <-`},
		{name: "a stop of one that has ended fails", want: "success: it had ended", got: "it does not run", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StopContainer a/c grace=5 ! FailedPrecondition it does not run <<`},
	},
	"error/served": {
		{name: "each is answered", history: onePod + `
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus a -> READY`},
		{name: "statistics of a container that has ended", untested: true, history: oneRuns + `
			c1 StopContainer a/c grace=5
			c1 ContainerStats a/c ! Unknown no metrics
			c1 PodSandboxStatus a -> READY
			c1 ContainerStats a/c ! Unknown no metrics
			c1 PodSandboxStatus a -> READY
			c1 ContainerStats a/c ! Unknown no metrics`},
		{name: "what is not there", untested: true, history: oneRuns + `
			c1 RemovePodSandbox a
			c1 ContainerStatus a/c ! Unknown no such container
			c1 Version
			c1 ContainerStatus a/c ! Unknown no such container
			c1 Version
			c1 ContainerStatus a/c ! Unknown no such container`, also: "error/not-found"},
		{name: "its caller gave up", untested: true, history: onePod + `
			c1 ListImages ! DeadlineExceeded ` + caller + ` 1s
			c1 Version
			c1 ListImages ! DeadlineExceeded ` + caller + ` 1s
			c1 Version
			c1 ListImages ! DeadlineExceeded ` + caller + ` 1s`},
		{name: "a runtime without RuntimeConfig", history: onePod + `
			c1 RuntimeConfig ! Unimplemented
			c1 RuntimeConfig ! Unimplemented
			c1 RuntimeConfig ! Unimplemented`, also: "config/cgroup-driver"},
		{name: "twice", untested: true, history: onePod + `
			c1 ListContainers ! Internal
			c1 Version
			c1 ListContainers ! Internal`},
		{name: "calls that something stands against", untested: true, history: onePod + `
			c1 RunPodSandbox b handler=x ! Unknown no such handler
			c1 CreateContainer a/m work=missing ! Unknown no such binary
			c1 Version
			c1 RunPodSandbox c handler=x ! Unknown no such handler
			c1 CreateContainer a/n work=missing ! Unknown no such binary
			c1 Version
			c1 RunPodSandbox d handler=x ! Unknown no such handler
			c1 CreateContainer a/o work=missing ! Unknown no such binary`},
		{name: "starts after one that has left something", untested: true, history: oneMade + `
			c1 StartContainer a/c ! Unknown out of memory
			c1 Version
			c1 StartContainer a/c ! Unknown it is EXITED
			c1 Version
			c1 StartContainer a/c ! Unknown it is EXITED`},
		{name: "the network is not ready", untested: true, history: `
			c1 Status -> status={"conditions":[{"type":"RuntimeReady","status":true},{"type":"NetworkReady"}]}
			c1 RunPodSandbox a ! Unknown no network
			c1 Version
			c1 RunPodSandbox b ! Unknown no network
			c1 Version
			c1 RunPodSandbox c ! Unknown no network`},
		{name: "creates of somebody else", untested: true, history: "TRACE\n" + onePod + `
			c1 CreateContainer a/c ! Unknown no such mount
			c1 Version
			c1 CreateContainer a/d ! Unknown no such mount
			c1 Version
			c1 CreateContainer a/e ! Unknown no such mount`},
		{name: "what was given up holds the name", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded ` + caller + ` 1s
			c1 CreateContainer a/c same=true ! Unknown reserved
			c1 Version
			c1 CreateContainer a/c same=true ! Unknown reserved
			c1 Version
			c1 CreateContainer a/c same=true ! Unknown reserved`},
		{name: "one of three", history: onePod + `
			c1 CreateContainer a/c work=forever ! Internal
			c1 CreateContainer a/d work=forever ! Internal
			c1 CreateContainer a/e work=forever -> k1`},
		{name: "each run", want: "the runtime is up", got: "3 calls of RunPodSandbox", history: `
			c1 RunPodSandbox a ! Internal <<
			c1 Version
			c1 RunPodSandbox b ! Internal <<
			c1 Version
			c1 RunPodSandbox c ! Internal <<`},
		{name: "each create, also again", want: "the runtime is up", got: "3 calls of CreateContainer", history: onePod + `
			c1 CreateContainer a/c work=forever ! Internal <<
			c1 Version
			c1 CreateContainer a/c same=true ! Internal <<
			c1 Version
			c1 CreateContainer a/c same=true ! Internal <<`},
		{name: "each start", want: "the runtime is up", got: "3 calls of StartContainer", history: oneMade + `
			c1 StartContainer a/c ! NotFound no task <<
			c1 Version
			c1 StartContainer a/c ! NotFound no task <<
			c1 Version
			c1 StartContainer a/c ! NotFound no task <<`},
		{name: "each list of sandboxes is NotFound", want: "the runtime is up", got: "3 calls of ListPodSandbox", history: onePod + `
			c1 ListPodSandbox ! NotFound <<
			c1 Version
			c1 ListPodSandbox ! NotFound <<
			c1 Version
			c1 ListPodSandbox ! NotFound <<`},
		{name: "each list", want: "the runtime is up", got: "3 calls of ListContainers", history: onePod + `
			c1 ListContainers ! Internal <<
			c1 Version
			c1 ListContainers ! Internal <<
			c1 Version
			c1 ListContainers ! Internal <<`},
		{name: "each of a container that runs", want: "the runtime is up", got: "3 calls of ContainerStats", history: oneRuns + `
			c1 ContainerStats a/c ! Unknown <<
			c1 Version
			c1 ContainerStats a/c ! Unknown <<
			c1 Version
			c1 ContainerStats a/c ! Unknown <<`},
	},
	"error/unavailable": {
		{name: "each call is served", history: onePod + `
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus a -> READY`},
		{name: "one call is served in the end", history: onePod + `
			c1 StopContainer a/none grace=1 ! Unavailable
			c1 Version
			c1 StopContainer a/none grace=1 ! Unavailable
			c1 Version
			c1 StopContainer a/none grace=1 ! Unavailable
			c1 Version
			c1 StopContainer a/none grace=1`},
		{name: "twice, as when a runtime starts", untested: true, history: onePod + `
			c1 CreateContainer a/c ! Unavailable not ready yet
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable not ready yet`},
		{name: "no other call succeeds in between", untested: true, history: onePod + `
			c1 CreateContainer a/c ! Unavailable
			c1 CreateContainer a/c same=true ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable`},
		{name: "another call that began before", untested: true, history: onePod + `
			c2 ListImages ...
			c1 CreateContainer a/c ! Unavailable
			c2 <-
			c1 CreateContainer a/c same=true ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable`},
		{name: "the runtime is down", untested: true, history: onePod + `
			KILL
			c1 CreateContainer a/c ! Unavailable
			START
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable`},
		{name: "killed on the way", untested: true, history: onePod + `
			c1 CreateContainer a/c ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable
			KILL
			START
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable`},
		{name: "an injected fault", untested: true, history: onePod + `
			c1 CreateContainer a/c ...
			c1 FAULT
			c1 <- ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable
			c1 PodSandboxStatus a -> READY
			c1 CreateContainer a/c same=true ! Unavailable`},
		{name: "the registry is down", untested: true, history: onePod + `
			c1 PullImage img ! Unavailable no such host
			c1 ListPodSandbox -> p1:READY
			c1 PullImage img ! Unavailable no such host
			c1 ListPodSandbox -> p1:READY
			c1 PullImage img ! Unavailable no such host`},
		{name: "of one container in a trace", untested: true, history: "TRACE\n" + oneRuns + `
			c1 ExecSync a/c script=x ! Unavailable its shim has died
			c1 ListPodSandbox -> p1:READY
			c1 ExecSync a/c script=x ! Unavailable its shim has died
			c1 ListContainers -> k1:RUNNING
			c1 ExecSync a/c script=x ! Unavailable its shim has died`},
		{name: "a runtime that can do nothing", untested: true, history: `
			c1 ListImages
			c1 ListImages
			c1 ListImages`},
		{name: "each stop", want: "the runtime is up", got: "3 calls of StopContainer", history: oneRuns + `
			c1 StopContainer a/c grace=5 ! Unavailable <<
			c1 ContainerStatus a/c -> RUNNING
			c1 StopContainer a/c grace=5 ! Unavailable <<
			c1 ContainerStatus a/c -> RUNNING
			c1 StopContainer a/c grace=5 ! Unavailable <<`},
		{name: "each run of a sandbox", want: "the runtime is up", got: "3 calls of RunPodSandbox", history: `
			c1 RunPodSandbox a ! Unavailable <<
			c1 Version
			c1 RunPodSandbox a ! Unavailable <<
			c1 Version
			c1 RunPodSandbox a ! Unavailable <<`},
		{name: "of several containers in a trace", want: "the runtime is up", got: "3 calls of StopContainer", history: "TRACE\n" + oneRuns + `
			c1 CreateContainer a/d -> k2
			c1 StopContainer a/c grace=5 ! Unavailable <<
			c1 ListPodSandbox -> p1:READY
			c1 StopContainer a/d grace=5 ! Unavailable <<
			c1 ListPodSandbox -> p1:READY
			c1 StopContainer a/c grace=5 ! Unavailable <<`},
	},
	"error/unimplemented": {
		{name: "Unimplemented", history: onePod + `
			c1 UpdatePodSandboxResources a ! Unimplemented no such method
			c1 StreamContainers ! Unimplemented unknown method`},
		{name: "it is there, or fails for another reason", history: onePod + `
			c1 UpdatePodSandboxResources a
			c1 PodSandboxStats none ! NotFound no such sandbox
			c1 ListPodSandboxMetrics ! Unknown out of order`},
		{name: "the runtime is down", untested: true, history: onePod + `
			KILL
			c1 StreamContainers ! Unavailable EOF
			START`},
		{name: "never answered", untested: true, history: onePod + `
			c1 ListPodSandboxMetrics ...`},
		{name: "a runtime that can do nothing", untested: true, history: `
			c1 ListPodSandboxMetrics ! Unknown not implemented`},
		{name: "Unknown", want: "Unimplemented", got: "unknown method", history: onePod + `
			c1 ListPodSandboxMetrics ! Unknown unknown method ListPodSandboxMetrics <<`},
		{name: "in words", want: "Unimplemented", got: "not implemented", history: onePod + `
			c1 UpdatePodSandboxResources a ! Internal not implemented yet <<`},
		{name: "the end of a stream", want: "Unimplemented", got: "EOF", history: onePod + `
			c1 GetContainerEvents ! Unknown EOF <<`},
	},
}
