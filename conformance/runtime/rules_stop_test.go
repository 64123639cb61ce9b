package runtime

// oneStubborn runs, and ignores SIGTERM.
const oneStubborn = onePod + `
	c1 CreateContainer a/c work=stubborn -> k1
	c1 StartContainer a/c
	... 5s
`

// oneSignaled is stopped by SIGUSR1.
const oneSignaled = onePod + `
	c1 CreateContainer a/c work=signaled signal=SIGUSR1 -> k1
	c1 StartContainer a/c
	... 5s
`

var stopHistories = map[string][]judged{
	"stop/term": {
		{name: "it ends at once", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 took=1s
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "nobody looks", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 took=3s`},
		{name: "it had no time for its handler", untested: true, history: oneRuns + `
			... 1s
			c1 StopContainer a/c grace=15 took=15s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "a short grace", untested: true, history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=3 took=3s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "another stop with a short grace", untested: true, history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 ...
			c2 StopContainer a/c grace=0
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "its sandbox is stopped", untested: true, history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 ...
			c2 StopPodSandbox a
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "the first stop was not answered", untested: true, history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 took=2s ! DeadlineExceeded
			c1 StopContainer a/c grace=15 took=13s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "the runtime was restarted", untested: true, history: oneRuns + `
			KILL
			START
			... 5s
			c1 StopContainer a/c grace=15 took=15s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it was not started", untested: true, history: oneMade + `
			... 5s
			c1 StopContainer a/c grace=15
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "a stop that comes before the start", untested: true, history: oneMade + `
			... 5s
			c2 StopContainer a/c grace=15 ...
			c1 StartContainer a/c
			c2 <-
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "on a busy machine", history: `
			REAL
			c1 RunPodSandbox a took=4s -> p1
			c1 CreateContainer a/c work=forever -> k1
			c1 StartContainer a/c took=1s
			... 5s
			c1 StopContainer a/c grace=15 took=6s
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "too late for a busy machine, too", want: "an answer once it has ended, within 7s", got: "an answer after 8s", history: `
			REAL
			c1 RunPodSandbox a took=4s -> p1
			c1 CreateContainer a/c work=forever -> k1
			c1 StartContainer a/c took=1s
			... 5s
			c1 StopContainer a/c grace=15 took=8s <<
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "virtual time knows no busy machine", want: "an answer once it has ended, within 3s", got: "an answer after 6s", history: `
			c1 RunPodSandbox a took=4s -> p1
			c1 CreateContainer a/c work=forever -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=15 took=6s <<
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "late", want: "an answer once it has ended, within 3s", got: "an answer after 15s", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 took=15s <<
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "killed", want: "its own exit code 3", got: "exit code 137", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 <<
			c1 ContainerStatus a/c -> EXITED code=137 <<`},
		{name: "not yet ended", also: "stop/ended", want: "CONTAINER_EXITED", got: "CONTAINER_RUNNING", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "fails", want: "success", got: "cannot signal", history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=15 ! Unknown cannot signal <<`},
		{name: "it is stopped by another signal", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever signal=SIGUSR1 -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=10 took=10s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it ends at another signal only", untested: true, history: onePod + `
			c1 CreateContainer a/c work=signaled -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=10 took=10s
			c1 ContainerStatus a/c -> EXITED code=137`},
	},
	"stop/kill": {
		{name: "when its time is up", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=5100ms
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "at once", history: oneStubborn + `
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "another stop cuts it short", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=0
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "its removal cuts it short", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 RemoveContainer a/c
			c1 <-`},
		{name: "the caller gives up", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 took=1s ! DeadlineExceeded
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "started twice", untested: true, history: oneStubborn + `
			c1 StartContainer a/c ! FailedPrecondition it runs
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "early", want: "5s of time for the process", got: "an answer after 1s", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=1s <<
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "late", want: "an answer within 8s", got: "an answer after 9s", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=9s <<
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "another code", want: "the exit code 137", got: "exit code 143", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=5s <<
			c1 ContainerStatus a/c -> EXITED code=143 <<`},
		{name: "it runs on", also: "stop/ended", want: "CONTAINER_EXITED", got: "CONTAINER_RUNNING", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=5s <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "fails", want: "success", got: "cannot signal", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=5s ! Internal cannot signal <<`},
		{name: "its start was not answered", untested: true, history: onePod + `
			c1 CreateContainer a/c work=stubborn -> k1
			c1 StartContainer a/c ! DeadlineExceeded
			... 5s
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "with its sandbox", untested: true, history: oneStubborn + `
			c1 StopPodSandbox a took=9s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "stopped before its start", untested: true, history: onePod + `
			c1 CreateContainer a/c work=stubborn -> k1
			c2 StopContainer a/c grace=5 ...
			c1 StartContainer a/c
			c2 <-
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "stopped again when it has ended", history: oneStubborn + `
			c1 StopContainer a/c grace=5 took=5s
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "another signal kills it", untested: true, history: onePod + `
			c1 CreateContainer a/c work=stubborn signal=SIGKILL -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=10
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it may not ignore the signal yet", untested: true, history: onePod + `
			c1 CreateContainer a/c work=stubborn -> k1
			c1 StartContainer a/c
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=143`},
	},
	"stop/ended": {
		{name: "it has", history: oneRuns + `
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=0`},
		{name: "it ended by itself before", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "it was not started", untested: true, history: oneMade + `
			c1 StopContainer a/c grace=5
			c1 ContainerStatus a/c -> CREATED`},
		{name: "nobody has looked", untested: true, history: oneRuns + `
			c1 StopContainer a/c grace=5`},
		{name: "it runs", want: "a container that has ended", got: "CONTAINER_RUNNING", history: oneEnds + `
			c1 StopContainer a/c grace=5 <<
			c1 ContainerStatus a/c -> RUNNING <<`},
	},
	"stop/again": {
		{name: "the second ends both", history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=1 took=1s
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "after one that was given up", history: oneStubborn + `
			c1 StopContainer a/c grace=20 took=2s ! DeadlineExceeded
			c2 StopContainer a/c grace=1 took=1s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "with a longer time", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=5 ...
			c2 StopContainer a/c grace=30 took=5s
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "its caller gives up", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=1 took=100ms ! DeadlineExceeded
			c1 <- ! Canceled`},
		{name: "the runtime is killed", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			c2 StopContainer a/c grace=1 ...
			KILL
			c1 <- ! Unavailable EOF
			... 9s
			c2 <- ! Unavailable EOF
			START`},
		{name: "it is never answered", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			c2 StopContainer a/c grace=1 ...
			... 9s`},
		{name: "waits for the first", want: "success within 4s", got: "StopContainer succeeded after 19s", history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=1 took=19s <<
			c1 <-
			<< c1 StopContainer a/c`},
		{name: "is held until its caller gives up", want: "success within 4s", got: "DeadlineExceeded after 11s", history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=1 took=11s ! DeadlineExceeded <<
			c1 <-
			<< c1 StopContainer a/c`},
		{name: "fails", want: "success within 4s", got: "is being stopped", history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			... 1s
			c2 StopContainer a/c grace=1 ! FailedPrecondition it is being stopped <<
			... 19s
			c1 <-
			<< c1 StopContainer a/c`},
		{name: "the one that was given up lengthens it", want: "success within 4s", got: "StopContainer succeeded after 18s", history: oneStubborn + `
			c1 StopContainer a/c grace=20 took=2s ! DeadlineExceeded <<
			c1 StopContainer a/c grace=1 took=18s <<`},
		{name: "one that ends at once", untested: true, history: oneRuns + `
			... 5s
			c1 StopContainer a/c grace=20 ...
			c2 StopContainer a/c grace=1
			c1 <-
			c1 ContainerStatus a/c -> EXITED code=3`},
		{name: "one that may have ended", untested: true, history: onePod + `
			c1 CreateContainer a/c work={"after":"60s"} -> k1
			c1 StartContainer a/c
			c1 StopContainer a/c grace=20 ...
			c2 StopContainer a/c grace=1 took=1s
			c1 <-`},
		{name: "its sandbox is stopped", untested: true, history: oneStubborn + `
			c1 StopPodSandbox a ...
			c2 StopContainer a/c grace=1 took=1s
			c1 <-`},
		{name: "its sandbox is stopped later", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			c2 StopPodSandbox a took=5s
			c1 <-`},
		{name: "the runtime is killed, with another answer", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=20 ...
			c2 StopContainer a/c grace=1 ...
			KILL
			c2 <- ! Unknown EOF
			c1 <- ! Unknown EOF
			START`},
	},
	"stop/signal": {
		{name: "it is told, and sent", history: oneSignaled + `
			c1 ContainerStatus a/c -> RUNNING
			c1 StopContainer a/c grace=10
			c1 ContainerStatus a/c -> EXITED code=5`},
		{name: "none, and the effective one is told, as in containerd", untested: true, history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING stop_signal=15`},
		{name: "none, and none is told, as in CRI-O", untested: true, history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING stop_signal=0`},
		{name: "no time for it", history: oneSignaled + `
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it ends at another one", history: onePod + `
			c1 CreateContainer a/c work=forever signal=SIGUSR1 -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=2 took=2s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "its removal ends it", history: oneSignaled + `
			c2 RemoveContainer a/c ...
			c1 ContainerStatus a/c -> EXITED code=137
			c2 <-`},
		{name: "not told", want: "the stop_signal SIGNAL_SIGUSR1", got: "SIGNAL_RUNTIME_DEFAULT", history: oneSignaled + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> RUNNING stop_signal=0 <<`},
		{name: "not sent", want: "its own exit code 5", got: "exit code 137", history: oneSignaled + `
			c1 StopContainer a/c grace=10 took=10s <<
			c1 ContainerStatus a/c -> EXITED code=137 <<`},
		{name: "it ends at another one, and has time", history: onePod + `
			c1 CreateContainer a/c work=forever signal=SIGUSR1 -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=10 took=10s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it ignores all", history: onePod + `
			c1 CreateContainer a/c work=stubborn signal=SIGUSR1 -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=10 took=10s
			c1 ContainerStatus a/c -> EXITED code=137`},
		{name: "it had no time for its handler", history: onePod + `
			c1 CreateContainer a/c work=signaled signal=SIGUSR1 -> k1
			c1 StartContainer a/c
			c1 StopContainer a/c grace=10 took=10s
			c1 ContainerStatus a/c -> EXITED code=137`},
	},
}
