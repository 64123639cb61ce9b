package runtime

const caller = "the caller gave up after"

var answerHistories = map[string][]judged{
	"stop/in-time": {
		{name: "the grace passes", history: oneStubborn + `
			c1 StopContainer a/c grace=30 took=30s`},
		{name: "it takes most of the time", history: oneStubborn + `
			c1 StopContainer a/c grace=30 took=149s`, also: "stop/kill"},
		{name: "its caller does not wait", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=30 took=20s ! DeadlineExceeded ` + caller + ` 20s`},
		{name: "the runtime says that its time is up", history: oneStubborn + `
			c1 StopContainer a/c grace=30 took=60s ! DeadlineExceeded no end after the kill`},
		{name: "the runtime is killed meanwhile", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=30 ...
			KILL
			... 3m
			START
			c1 <- ! DeadlineExceeded ` + caller + ` 3m`},
		{name: "it is down", untested: true, history: oneStubborn + `
			KILL
			c1 StopContainer a/c grace=30 took=150s ! DeadlineExceeded ` + caller + ` 2m30s`},
		{name: "a fault was injected", untested: true, history: oneStubborn + `
			c1 StopContainer a/c grace=30 ...
			c1 FAULT
			... 150s
			c1 <- ! DeadlineExceeded ` + caller + ` 2m30s`},
		{name: "never", want: "an answer of StopContainer within 2m30s", got: "none within 2m30s", history: oneStubborn + `
			c1 StopContainer a/c grace=30 took=150s ! DeadlineExceeded ` + caller + ` 2m30s <<`},
		{name: "too late", want: "within 2m5s", got: "an answer after 3m0s", history: oneRuns + `
			c1 StopContainer a/c grace=5 took=3m <<`},
		{name: "a sandbox, never", want: "an answer of StopPodSandbox within 2m0s", got: "none within 2m0s", history: oneRuns + `
			c1 StopPodSandbox a took=2m ! DeadlineExceeded ` + caller + ` 2m0s <<`},
	},
	"error/no-answer": {
		{name: "in time", history: oneRuns},
		{name: "a pull takes long", history: oneRuns + `
			c1 PullImage img took=1h -> sha`},
		{name: "an exec without a timeout", history: oneRuns + `
			c1 ExecSync a/c script=x took=1h`},
		{name: "its caller does not wait", history: oneRuns + `
			c1 ContainerStatus a/c took=9s ! DeadlineExceeded ` + caller + ` 9s`},
		{name: "the name is held by a create that was given up, as in CRI-O", history: onePod + `
			c1 PodSandboxStatus a
			c1 CreateContainer a/c work=forever took=10ms ! DeadlineExceeded ` + caller + ` 10ms
			c1 CreateContainer a/c same=true took=2m ! DeadlineExceeded ` + caller + ` 2m0s`},
		{name: "the name is held by a create that the runtime read first, though it was sent a little later, as in CRI-O", history: onePod + `
			c1 PodSandboxStatus a
			c1 CreateContainer a/c work=forever ...
			c2 CreateContainer a/c work=forever ...
			c2 <- k1
			c2 ContainerStatus a/c took=1m
			c2 ContainerStatus a/c took=1m
			c1 <- ! DeadlineExceeded ` + caller + ` 2m0s`},
		{name: "a create, never, and a repeat a minute later", want: "an answer of CreateContainer within 2m0s", got: "none within 2m0s", history: onePod + `
			c1 CreateContainer a/c work=forever took=1m ... <<
			c2 CreateContainer a/c same=true took=1m ! FailedPrecondition reserved
			c1 <- ! DeadlineExceeded ` + caller + ` 2m0s <<`},
		{name: "a status, never", want: "an answer of ContainerStatus within 2m0s", got: "none within 2m0s", history: oneRuns + `
			c1 ContainerStatus a/c took=2m ! DeadlineExceeded ` + caller + ` 2m0s <<`},
		{name: "a create, never", want: "an answer of CreateContainer within 2m0s", got: "none within 2m0s", history: onePod + `
			c1 CreateContainer a/c work=forever took=2m ! DeadlineExceeded ` + caller + ` 2m0s <<`},
		{name: "a sandbox, too late", want: "an answer of RunPodSandbox within 4m0s", got: "an answer after 5m0s", history: `
			c1 RunPodSandbox a took=5m -> p1 <<`},
		{name: "an exec, never", want: "an answer of ExecSync within 2m5s", got: "none within 2m5s", history: oneRuns + `
			c1 ExecSync a/c script=x timeout=5 took=125s ! DeadlineExceeded ` + caller + ` 2m5s <<`},
		{name: "a status while a stop is under way", want: "an answer of ContainerStatus within 2m0s", got: "an answer after 4m0s", history: oneStubborn + `
			c1 StopContainer a/c grace=300 ...
			c2 ContainerStatus a/c took=4m -> RUNNING <<`},
	},
}
