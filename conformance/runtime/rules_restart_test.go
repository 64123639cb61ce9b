package runtime

// oneSeen runs, and was seen so.
const oneSeen = oneRuns + "c1 ContainerStatus a/c -> RUNNING\n"

// halfRun is a runtime that is killed in the middle of the run of a sandbox.
const halfRun = `
	c1 RunPodSandbox a ...
	KILL
	c1 <- ! Unavailable connection lost
	START
`

// listedHalf is the sandbox that this has left.
const listedHalf = `p9:NOTREADY{"metadata":{"name":"run-a","uid":"run-a","namespace":"lwtest"}}`

var restartHistories = map[string][]judged{
	"restart/keeps": {
		{name: "it runs, since the same time", history: oneSeen + `
			KILL
			... 1s
			START
			c1 ContainerStatus a/c -> RUNNING
			c1 PodSandboxStatus a -> READY`},
		{name: "it was not asked for before", untested: true, history: oneRuns + `
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING started_at=5`},
		{name: "it does not come up", untested: true, history: oneSeen + `
			KILL
			START ! Unknown out of order
			c1 ContainerStatus a/c ! Unavailable connection refused`},
		{name: "it may have ended by itself", untested: true, history: onePod + `
			c1 CreateContainer a/c work=ends -> k1
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING
			KILL
			START
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "a stop was under way", untested: true, history: oneSeen + `
			c2 StopContainer a/c grace=5 ...
			KILL
			c2 <- ! Unavailable EOF
			START
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "it is stopped before anybody asks", untested: true, history: oneSeen + `
			KILL
			START
			c2 StopContainer a/c grace=5 ...
			c1 ContainerStatus a/c -> EXITED code=3
			c2 <-`},
		{name: "removed before anybody asks", untested: true, history: oneSeen + `
			KILL
			START
			c1 RemoveContainer a/c
			c1 ContainerStatus a/c ! NotFound no such container`},
		{name: "it is not up at once", untested: true, history: oneSeen + `
			KILL
			START
			c1 ContainerStatus a/c ! Unavailable connection refused`},
		{name: "it has ended", want: "CONTAINER_RUNNING since 2", got: "CONTAINER_EXITED since 2", history: oneSeen + `
			<< ContainerStatus a/c
			KILL
			START
			c1 ContainerStatus a/c -> EXITED code=255 reason=Unknown <<`},
		{name: "it is unknown", want: "CONTAINER_RUNNING since 2", got: "CONTAINER_UNKNOWN since 0", history: oneSeen + `
			<< ContainerStatus a/c
			KILL
			START
			c1 ContainerStatus a/c -> UNKNOWN started_at=0 <<`},
		{name: "since another time", want: "CONTAINER_RUNNING since 2", got: "CONTAINER_RUNNING since 9", also: "container/times", history: oneSeen + `
			<< ContainerStatus a/c
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING started_at=9 <<`},
		{name: "it is lost", want: "the container that ran before", got: "NotFound", also: "error/not-found", history: oneSeen + `
			<< c1 ContainerStatus a/c -> RUNNING
			KILL
			START
			c1 ContainerStatus a/c ! NotFound no such container <<`},
		{name: "lost by the second restart", want: "the container that ran before", got: "NotFound", also: "error/not-found", history: oneSeen + `
			KILL
			START
			c1 ContainerStatus a/c@k1 -> RUNNING <<
			KILL
			START
			c1 ContainerStatus a/c ! NotFound no such container <<`},
		{name: "another one is lost", untested: true, history: oneSeen + `
			KILL
			START
			c1 ContainerStatus a/none ! NotFound no such container`},
	},
	"restart/exit": {
		{name: "its own code", history: onePod + ended5 + `
			KILL
			... 9s
			START
			c1 ContainerStatus a/c -> EXITED code=7`},
		{name: "it may have ended before", untested: true, history: onePod + ended5 + `
			... 6s
			KILL
			START
			c1 ContainerStatus a/c -> EXITED code=255 reason=Unknown`},
		{name: "it runs", untested: true, history: onePod + ended5 + `
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it was stopped", untested: true, history: onePod + ended5 + `
			c2 StopContainer a/c grace=5 ...
			KILL
			c2 <- ! Unavailable EOF
			START
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "nobody asks", untested: true, history: onePod + ended5 + `
			KILL
			START`},
		{name: "255, as in containerd 2.4", want: "the exit code 7 and the reason Error", got: "255 and Unknown", history: onePod + ended5 + `
			<< StartContainer a/c
			KILL
			... 9s
			START
			c1 ContainerStatus a/c -> EXITED code=255 reason=Unknown <<`},
		{name: "while it was down for the second time", want: "the exit code 7 and the reason Error", got: "0 and Completed", history: onePod + ended5 + `
			<< StartContainer a/c
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING
			KILL
			... 9s
			START
			c1 ContainerStatus a/c -> EXITED <<`},
		{name: "it tells 8 and Error", want: "the exit code 7 and the reason Error", got: "8 and Error", history: onePod + ended5 + `
			<< StartContainer a/c
			KILL
			... 9s
			START
			c1 ContainerStatus a/c -> EXITED code=8 <<`},
		{name: "it tells 7 and Unknown", want: "the exit code 7 and the reason Error", got: "7 and Unknown", history: onePod + ended5 + `
			<< StartContainer a/c
			KILL
			... 9s
			START
			c1 ContainerStatus a/c -> EXITED code=7 reason=Unknown <<`},
	},
	"restart/stop": {
		{name: "it is stopped", history: oneRuns + `
			KILL
			START
			... 4s
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "after a stop that the kill has cut", history: oneStubborn + `
			c2 StopContainer a/c grace=30 ...
			KILL
			c2 <- ! Unavailable EOF
			START
			c1 StopContainer a/c grace=1 took=1s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it was not started", untested: true, history: oneMade + `
			KILL
			START
			c1 StopContainer a/c grace=1
			c1 ContainerStatus a/c -> CREATED`},
		{name: "its start was cut", untested: true, history: oneMade + `
			c1 StartContainer a/c ...
			KILL
			c1 <- ! Unavailable EOF
			START
			c1 StopContainer a/c grace=1 ! Unknown out of order`},
		{name: "it is killed again", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 ...
			KILL
			c1 <- ! Unavailable EOF
			START`},
		{name: "its caller gives up", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 took=1s ! DeadlineExceeded
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "its sandbox is stopped first", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopPodSandbox a
			c1 StopContainer a/c grace=5 ! Unknown out of order`},
		{name: "it fails", want: "success", got: "no task", history: oneRuns + `
			KILL
			START <<
			c1 StopContainer a/c grace=5 ! Unknown no task <<`},
		{name: "it runs on", also: "stop/ended", want: "a container that has ended, after it was stopped", got: "CONTAINER_RUNNING", history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "nearly as late as its deadline", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 took=15s ! Internal context deadline exceeded`},
		{name: "made afterwards", untested: true, history: onePod + `
			KILL
			START
			c1 CreateContainer a/c work=forever -> k1
			c1 StartContainer a/c
			c1 StopContainer a/c grace=5 ! Unknown out of order`},
		{name: "started afterwards", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c
			c1 StopContainer a/c grace=5 ! Unknown out of order`},
		{name: "it may have ended", untested: true, history: oneEnds + `
			KILL
			START
			c1 StopContainer a/c grace=5 ! Unknown out of order`},
		{name: "it is being removed", untested: true, history: oneRuns + `
			KILL
			START
			c2 RemoveContainer a/c ...
			c1 StopContainer a/c grace=5 ! Unknown it is being removed`},
		{name: "never answered", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 ...`},
		{name: "killed again, with another answer", untested: true, history: oneRuns + `
			KILL
			START
			c1 StopContainer a/c grace=5 ...
			KILL
			c1 <- ! Unknown EOF
			START`},
	},
	"restart/half": {
		{name: "the name is free", history: halfRun + `
			c1 RunPodSandbox a -> p1`},
		{name: "the sandbox is listed", history: halfRun + `
			c1 ListPodSandbox -> ` + listedHalf + `
			c1 RunPodSandbox a ! FailedPrecondition name is reserved for p9`},
		{name: "nobody lists", untested: true, history: halfRun + `
			c1 RunPodSandbox a ! FailedPrecondition name is reserved`},
		{name: "the call had ended, and nothing has the name", want: "a name that is free again", got: "reserved", history: onePod + ` <<
			KILL
			START
			c1 RunPodSandbox a ! FailedPrecondition name is reserved <<
			c1 ListPodSandbox`, also: "list/complete"},
		{name: "the call had ended", history: onePod + `
			KILL
			START
			c1 RunPodSandbox a ! FailedPrecondition name is reserved
			c1 ListPodSandbox -> p1:READY`},
		{name: "only those that are ready are listed", untested: true, history: halfRun + `
			c1 RunPodSandbox a ! FailedPrecondition name is reserved
			c1 ListPodSandbox state=SANDBOX_READY`},
		{name: "it is removed before the list", history: halfRun + `
			c1 RunPodSandbox a ! FailedPrecondition name is reserved
			c1 RemovePodSandbox a@p9
			c1 ListPodSandbox`},
		{name: "the name of a sandbox is taken by nothing", want: "a name that is free again, or what has it in a list", got: "reserved", history: halfRun + `
			<< c1 RunPodSandbox a ...
			c1 RunPodSandbox a ! FailedPrecondition name is reserved <<
			c1 ListPodSandbox`},
		{name: "that of a container", want: "a name that is free again", got: "reserved", history: onePod + `
			c1 CreateContainer a/c work=forever ... <<
			KILL
			c1 <- ! Unavailable connection lost
			START
			c1 CreateContainer a/c work=forever ! Unknown name is reserved <<
			c1 ListContainers`},
		{name: "it is listed, and cannot be removed", want: "can be removed", got: "busy", history: halfRun + `
			c1 ListPodSandbox -> ` + listedHalf + `
			c1 RemovePodSandbox a@p9 ! Unknown busy <<`},
	},
	"restart/start": {
		{name: "it starts", history: oneMade + `
			KILL
			START
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it is created anew", history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k2
			c1 StartContainer a/c`},
		{name: "nobody tries the other way", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle`},
		{name: "nobody creates it anew", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 RemoveContainer a/c`},
		{name: "the other way is not answered", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true ! DeadlineExceeded`},
		{name: "its sandbox is removed meanwhile", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle
			c1 RemovePodSandbox a
			c1 CreateContainer a/c same=true ! NotFound no such sandbox`},
		{name: "its binary is missing", untested: true, history: oneMissing + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no such binary
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true ! Unknown no such binary`},
		{name: "it was started before", untested: true, history: oneRuns + `
			KILL
			START
			c1 StartContainer a/c ! FailedPrecondition it runs
			c1 RemoveContainer a/c`},
		{name: "its sandbox was stopped", untested: true, history: oneMade + `
			c1 StopPodSandbox a
			KILL
			START
			c1 StartContainer a/c ! FailedPrecondition the sandbox is not ready
			c1 RemoveContainer a/c`},
		{name: "neither", want: "a start, or a container that is created anew", got: "no bundle", also: "container/unique", history: oneMade + `
			KILL
			START <<
			c1 StartContainer a/c ! Unknown no bundle <<
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved`},
		{name: "it cannot be removed", want: "a start, or a container that is created anew", got: "no bundle", also: "remove/gone", history: oneMade + `
			KILL
			START <<
			c1 StartContainer a/c ! Unknown no bundle <<
			c1 RemoveContainer a/c ! Unknown no bundle
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved`},
		{name: "it runs, and cannot be removed", untested: true, also: "remove/gone", history: oneRuns + `
			KILL
			START
			c1 StartContainer a/c ! FailedPrecondition it runs
			c1 RemoveContainer a/c ! Unknown out of order`},
		{name: "made afterwards, and cannot be removed", untested: true, also: "remove/gone", history: onePod + `
			KILL
			START
			c1 CreateContainer a/c -> k1
			c1 StartContainer a/c ! Unknown out of order
			c1 RemoveContainer a/c ! Unknown out of order`},
		{name: "it was stopped, and cannot be removed", untested: true, also: "remove/gone", history: oneMade + `
			KILL
			START
			c1 StopContainer a/c grace=1
			c1 StartContainer a/c ! Unknown it was stopped
			c1 RemoveContainer a/c ! Unknown out of order`},
		{name: "killed again, and cannot be removed", untested: true, also: "remove/gone", history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ...
			KILL
			c1 <- ! Unknown EOF
			START
			c1 RemoveContainer a/c ! Unknown out of order`},
		{name: "not answered, and cannot be removed", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! DeadlineExceeded
			c1 RemoveContainer a/c ! Unknown out of order`},
		{name: "another one is not created", untested: true, history: oneMade + `
			KILL
			START
			c1 StartContainer a/c ! Unknown no bundle
			c1 RemoveContainer a/c
			c1 CreateContainer a/d ! Unknown out of order`},
	},
}

// ended5 is a container that ends with 7 after five seconds, and was seen running.
const ended5 = `
	c1 CreateContainer a/c work={"exit":7,"after":"5s"} -> k1
	c1 StartContainer a/c
	c1 ContainerStatus a/c -> RUNNING
`
