package runtime

// oneEnds is a container that ends with 42 by itself, a second after its start.
const oneEnds = onePod + `
	c1 CreateContainer a/c work=ends -> k1
	c1 StartContainer a/c
	... 1s
`

// oneMissing is a container whose binary is missing.
const oneMissing = onePod + "c1 CreateContainer a/c work=missing -> k1\n"

var lifeHistories = map[string][]judged{
	"container/times": {
		{name: "in order", history: oneMade + `
			c1 ContainerStatus a/c -> CREATED
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "it has never run, as in CRI-O", history: oneMade + `
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137 started_at=0`},
		{name: "its start failed", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary
			c1 ContainerStatus a/c -> EXITED code=128 reason=StartError started_at=0`},
		{name: "its end is in the second of its start", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 started_at=1000000000 finished_at=5`},
		{name: "the runtime does not know it", history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING
			KILL
			START
			c1 ContainerStatus a/c -> UNKNOWN started_at=0`,
			also: "restart/keeps"},
		{name: "the answers of two cross", history: oneMade + `
			c2 ContainerStatus a/c ...
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING
			c2 <- CREATED`},
		{name: "no time of creation", want: "a time of creation", got: "created 0", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED created_at=0 <<`},
		{name: "started before its start", want: "no time of start or end", got: "started 1", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED started_at=1 <<`},
		{name: "runs, and has ended", want: "a time of start after that of creation, and none of end", got: "finished 3", history: oneRuns + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> RUNNING finished_at=3 <<`},
		{name: "ended in seconds", want: "a time of end after those of creation and start", got: "finished 3", history: oneEnds + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42 created_at=1000 finished_at=3 <<`},
		{name: "another time of creation", want: "times that stay: created 1", got: "created 2", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED
			c1 ContainerStatus a/c -> CREATED created_at=2 <<`},
		{name: "another time of start", want: "times that stay: created 1, started 2", got: "started 3", history: oneRuns + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> RUNNING
			c1 ContainerStatus a/c -> RUNNING started_at=3 <<`},
		{name: "ended before its start", want: "no time of start or end", got: "finished 3", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED finished_at=3 <<`},
		{name: "started before its creation", want: "a time of start after that of creation", got: "created 5, started 2", history: oneRuns + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> RUNNING created_at=5 <<`},
		{name: "started after its end", want: "a time of end after those of creation and start", got: "started 2000000000", history: oneEnds + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42 started_at=2000000000 <<`},
	},
	"container/start": {
		{name: "it runs", history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it has ended", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "missing, as in containerd", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary
			c1 ContainerStatus a/c -> EXITED code=128 reason=StartError`},
		{name: "missing, in other words", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary
			c1 ContainerStatus a/c -> EXITED code=128 reason=ContainerCannotRun`},
		{name: "missing, as in CRI-O", history: oneMade + `
			c1 CreateContainer a/d work=missing ! Unknown no such binary
			c1 ListContainers -> k1:CREATED`},
		{name: "missing, and a container of the name was created afterwards", history: oneMade + `
			c1 CreateContainer a/d work=missing ! Unknown no such binary
			c1 CreateContainer a/d work=forever -> k2
			c1 ListContainers -> k1:CREATED k2:CREATED`},
		{name: "missing, and there was one of the name", history: oneMade + `
			c1 CreateContainer a/c work=missing ! FailedPrecondition name is reserved
			c1 ListContainers -> k1:CREATED`},
		{name: "missing, and listed while it was being made", untested: true, history: onePod + `
			c1 CreateContainer a/d work=missing ...
			c2 ListContainers -> k2:CREATED{"metadata":{"name":"d"},"pod_sandbox_id":"p1"}
			c1 <- ! Unknown no such binary`},
		{name: "missing, where nothing can be created", untested: true, history: onePod + `
			c1 CreateContainer a/d work=missing ! Unknown out of order`},
		{name: "asked in the middle of its start", untested: true, history: oneMade + `
			c2 StartContainer a/c ...
			c1 ContainerStatus a/c -> CREATED
			c2 <-`},
		{name: "the answer of its start is lost", untested: true, history: oneMissing + `
			c1 StartContainer a/c ! DeadlineExceeded
			c1 ContainerStatus a/c -> CREATED`},
		{name: "missing, and the sandbox was stopped", untested: true, history: oneMissing + `
			c1 StopPodSandbox a
			c1 StartContainer a/c ! FailedPrecondition the sandbox is not ready
			c1 ContainerStatus a/c -> CREATED`},
		{name: "started twice at once", untested: true, history: oneMade + `
			c1 StartContainer a/c ...
			c2 StartContainer a/c ! FailedPrecondition it is being started
			c1 <-
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it is created", want: "a container that runs, or has ended", got: "CONTAINER_CREATED", history: oneMade + `
			c1 StartContainer a/c <<
			c1 ContainerStatus a/c -> CREATED <<`},
		{name: "missing, and it starts", want: "an error: the binary is missing", got: "the start succeeded", history: oneMissing + `
			c1 StartContainer a/c <<
			c1 ContainerStatus a/c -> EXITED code=127`},
		{name: "missing, and it starts, and nobody looks", want: "an error: the binary is missing", got: "the start succeeded", history: oneMissing + `
			c1 StartContainer a/c <<`},
		{name: "missing, and it is created", want: "the exit code 128", got: "CONTAINER_CREATED", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary <<
			c1 ContainerStatus a/c -> CREATED <<`},
		{name: "missing, with another code", want: "the exit code 128", got: "exit code 1, reason Error", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary <<
			c1 ContainerStatus a/c -> EXITED code=1 <<`},
		{name: "missing, and something is left of its creation", want: "nothing of a container that could not be created", got: "it is listed", history: oneMade + `
			c1 CreateContainer a/d work=missing ! Unknown no such binary <<
			c1 ListContainers -> k1:CREATED k2:CREATED{"metadata":{"name":"d"},"pod_sandbox_id":"p1"} <<`},
		{name: "its start failed for another reason", untested: true, history: oneMade + `
			c1 StartContainer a/c ! Unknown out of order
			c1 ContainerStatus a/c -> CREATED`},
		{name: "missing, with another code, and the reason", want: "the exit code 128", got: "exit code 127", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary <<
			c1 ContainerStatus a/c -> EXITED code=127 reason=StartError <<`},
		{name: "missing, with another reason", want: "the exit code 128", got: "reason Error", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary <<
			c1 ContainerStatus a/c -> EXITED code=128 reason=Error <<`},
		{name: "missing, and it runs", want: "the exit code 128", got: "CONTAINER_RUNNING", history: oneMissing + `
			c1 StartContainer a/c ! Unknown no such binary <<
			c1 ContainerStatus a/c -> RUNNING code=128 reason=StartError <<`},
		{name: "missing, and not answered", untested: true, history: oneMade + `
			c1 CreateContainer a/d work=missing ! DeadlineExceeded`},
		{name: "one that cannot be created", untested: true, history: oneMade + `
			c1 CreateContainer a/d work=forever ! Unknown out of order`},
		{name: "missing, and listed while it was being made, beside another", history: oneMade + `
			c1 CreateContainer a/d work=missing ...
			c2 ListContainers -> k1:CREATED k2:CREATED{"metadata":{"name":"d"},"pod_sandbox_id":"p1"}
			c1 <- ! Unknown no such binary`},
	},
	"container/exit": {
		{name: "with an error", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "with success", history: onePod + `
			c1 CreateContainer a/c work=succeeds -> k1
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> EXITED`},
		{name: "a second start fails", history: oneEnds + `
			c1 StartContainer a/c ! FailedPrecondition it has ended
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "a little late", untested: true, history: oneEnds + `
			... 2s
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it is being stopped", untested: true, history: oneEnds + `
			c2 StopContainer a/c grace=5 ...
			c1 ContainerStatus a/c -> EXITED code=137
			c2 <-`},
		{name: "a stop of its sandbox was not answered", untested: true, history: oneEnds + `
			c1 StopPodSandbox a ! DeadlineExceeded
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "its start was not answered", untested: true, history: onePod + `
			c1 CreateContainer a/c work=ends -> k1
			c1 StartContainer a/c ! DeadlineExceeded
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "the runtime was restarted", untested: true, history: oneEnds + `
			KILL
			START
			c1 ContainerStatus a/c -> EXITED code=255 reason=Unknown`},
		{name: "made by a call whose caller gave up, with another work", untested: true, history: onePod + `
			c1 CreateContainer a/c work=succeeds ! DeadlineExceeded
			c1 CreateContainer a/c work=ends -> k1
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> EXITED`},
		{name: "another code", want: "the exit code 42 and the reason Error", got: "0 and Completed", history: oneEnds + `
			<< StartContainer a/c
			c1 ContainerStatus a/c -> EXITED <<`},
		{name: "no reason", want: "the exit code 42 and the reason Error", got: "42 and ", history: oneEnds + `
			<< StartContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42 reason="" <<`},
		{name: "it does not end", want: "the state CONTAINER_EXITED: it ends 1s after its start", got: "CONTAINER_RUNNING", history: oneEnds + `
			<< StartContainer a/c
			... 4s
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "another code of the same reason", want: "the exit code 42 and the reason Error", got: "41 and Error", history: oneEnds + `
			<< StartContainer a/c
			c1 ContainerStatus a/c -> EXITED code=41 <<
			KILL
			START`},
	},
	"container/final": {
		{name: "it has ended, and stays so", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StartContainer a/c ! FailedPrecondition it has ended`},
		{name: "the answers of two cross", untested: true, history: oneMade + `
			c2 ContainerStatus a/c ...
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING
			c2 <- CREATED`},
		{name: "one that is created is stopped, as in CRI-O", history: oneMade + `
			c1 ContainerStatus a/c -> CREATED
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "one that is created is stopped, as in containerd", history: oneMade + `
			c1 ContainerStatus a/c -> CREATED
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> CREATED`},
		{name: "another one of the name", untested: true, history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k2
			c1 StartContainer a/c`},
		{name: "a start of one that has ended is not answered", untested: true, history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StartContainer a/c ! DeadlineExceeded`},
		{name: "it was unknown after a restart, and is found", history: oneMade + `
			c1 ContainerStatus a/c -> CREATED
			KILL
			START
			c1 ContainerStatus a/c -> UNKNOWN started_at=0
			c1 ContainerStatus a/c -> CREATED`},
		{name: "a start of one that runs succeeds", untested: true, history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING
			c1 StartContainer a/c`},
		{name: "it runs again", want: "a state that does not go back from CONTAINER_EXITED", got: "CONTAINER_RUNNING", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "another code", want: "exit code 42", got: "exit code 0", history: oneRuns + `
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=42 <<
			c1 ContainerStatus a/c -> EXITED code=0 reason=Error <<`},
		{name: "another code after a restart", want: "exit code 42", got: "exit code 255, reason Unknown", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			KILL
			START
			c1 ContainerStatus a/c -> EXITED code=255 reason=Unknown <<`},
		{name: "another time of the end", want: "finished at 3", got: "finished at 4", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			c1 ContainerStatus a/c -> EXITED code=42 finished_at=4 <<`},
		{name: "started again", want: "an error: it has ended", got: "the start succeeded", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			c1 StartContainer a/c <<`},
		{name: "another reason", want: "reason Error", got: "reason OOMKilled", also: "container/exit", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			c1 ContainerStatus a/c -> EXITED code=42 reason=OOMKilled <<`},
	},
}
