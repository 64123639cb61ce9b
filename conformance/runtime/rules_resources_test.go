package runtime

var resourceHistories = map[string][]judged{
	"resources/update": {
		{name: "each stays until it is changed", history: oneMade + `
			c1 UpdateContainerResources a/c memory=1000
			c1 ContainerStatus a/c -> CREATED resources.linux.memory_limit_in_bytes=1000
			c1 StartContainer a/c
			c1 UpdateContainerResources a/c shares=512
			c1 ContainerStatus a/c -> RUNNING resources.linux.memory_limit_in_bytes=1000 resources.linux.cpu_shares=512`},
		{name: "shares as cgroup v2 has them", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=499`},
		{name: "one that fails", history: oneRuns + `
			c1 UpdateContainerResources a/c memory=1000 ! Unknown too little
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "after a restart", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=512`},
		{name: "it has ended", untested: true, history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137 resources=null`},
		{name: "no update", untested: true, history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING resources=null`},
		{name: "one is under way", untested: true, history: oneRuns + `
			c2 UpdateContainerResources a/c shares=512 ...
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=512
			c1 ContainerStatus a/c -> RUNNING
			c2 <-`},
		{name: "one was not answered", untested: true, history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512 ! DeadlineExceeded
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=512`},
		{name: "two at once", untested: true, history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512 ...
			c2 UpdateContainerResources a/c shares=1024
			c1 <-
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=1024`},
		{name: "made by a call whose caller gave up, with other limits", untested: true, history: onePod + `
			c1 CreateContainer a/c work=ends ! DeadlineExceeded
			c1 CreateContainer a/c work=forever -> k1
			c1 UpdateContainerResources a/c shares=512
			c1 ContainerStatus a/c -> CREATED resources=null annotations=null`},
		{name: "not told", want: "memory limit 1000", got: "67108864", history: oneRuns + `
			c1 UpdateContainerResources a/c memory=1000 <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "another is lost", want: "memory limit 67108864", got: "0", history: oneRuns + `
			c1 UpdateContainerResources a/c quota=20000 period=100000 <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.memory_limit_in_bytes=0 resources.linux.cpu_quota=20000 resources.linux.cpu_period=100000 <<`},
		{name: "a half", want: "CPU period 100000", got: "0", history: oneRuns + `
			c1 UpdateContainerResources a/c quota=20000 period=100000 <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_quota=20000 <<`},
		{name: "no shares", want: "CPU shares 20", got: "0", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=20 <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=0 <<`},
		{name: "one that fails changes something", want: "memory limit 67108864", got: "1000", history: oneRuns + `
			c1 UpdateContainerResources a/c memory=1000 ! InvalidArgument too little <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.memory_limit_in_bytes=1000 <<`},
		{name: "lost by a restart", want: "CPU shares 512", got: "64", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512 <<
			KILL
			START
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "the second of two is not told", want: "memory limit 1000", got: "67108864", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512
			c1 UpdateContainerResources a/c memory=1000 <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=512 <<`},
		{name: "a period that nobody has set", history: oneRuns + `
			c1 UpdateContainerResources a/c shares=512
			c1 ContainerStatus a/c -> RUNNING resources.linux.cpu_shares=512 resources.linux.cpu_period=100000`},
		{name: "a little less memory", want: "memory limit 1000", got: "999", history: oneRuns + `
			c1 UpdateContainerResources a/c memory=1000 <<
			c1 ContainerStatus a/c -> RUNNING resources.linux.memory_limit_in_bytes=999 <<`},
	},
	"stats/pods": {
		{name: "each by its filter", history: manyPods + `
			c1 ListPodSandboxStats -> p1-0123456789 p2-0123456789
			c1 ListPodSandboxStats of=a short=true -> p1-0123456789
			c1 ListPodSandboxStats of=b -> p2-0123456789
			c1 ListPodSandboxStats label=b -> p2-0123456789
			c1 StreamPodSandboxStats of=b -> p2-0123456789`},
		{name: "one that was stopped may be listed", history: manyPods + `
			c1 StopPodSandbox b
			c1 ListPodSandboxStats -> p1-0123456789
			c1 ListPodSandboxStats -> p1-0123456789 p2-0123456789`},
		{name: "one that is being stopped, removed or made", untested: true, history: onePod + `
			c2 StopPodSandbox a ...
			c1 ListPodSandboxStats ->
			c2 <- ! DeadlineExceeded
			c1 ListPodSandboxStats ->
			c2 RunPodSandbox b ...
			c1 ListPodSandboxStats -> p1
			c2 <- p2`},
		{name: "one in which a container is being started, or may end", untested: true, history: oneEnds + `
			c1 ListPodSandboxStats ->
			c2 StartContainer a/c ...
			c1 ListPodSandboxStats ->
			c2 <-`},
		{name: "it fails", untested: true, history: onePod + `
			c1 ListPodSandboxStats ! Unknown out of order
			c1 ListPodSandboxStats ...`},
		{name: "after a restart", history: oneRuns + `
			KILL
			START
			c1 ListPodSandboxStats -> p1`},
		{name: "nothing after a restart", want: "a (p1), which is there", got: "a list without it", history: oneRuns + `
			<< RunPodSandbox a
			KILL
			START
			c1 ListPodSandboxStats -> <<`},
		{name: "a stream lacks one", want: "a (p1), which is there", got: "a list without it", history: onePod + `
			<< RunPodSandbox a
			c1 StreamPodSandboxStats -> <<`},
		{name: "another one than that of the filter", want: "only what the filter lets through", got: "a (p1)", history: onePod + `
			<< RunPodSandbox a
			c1 RunPodSandbox b -> p2
			c1 ListPodSandboxStats of=b -> p1 p2 <<`},
		{name: "one that was removed", want: "no statistics of a sandbox that was removed", got: "p1", history: onePod + `
			c1 RemovePodSandbox a <<
			c1 ListPodSandboxStats -> p1 <<`},
	},
	"stats/running": {
		{name: "of all that run", history: oneRuns + `
			c1 CreateContainer a/new work=forever -> k2
			c1 ListContainerStats -> k1:100
			c1 ContainerStats a/c -> 100
			c1 ListContainerStats -> k1:200`},
		{name: "one that has ended is listed, and uses nothing", history: oneRuns + `
			c1 CreateContainer a/d work=ends -> k2
			c1 StartContainer a/d
			... 1s
			c1 ListContainerStats -> k1:100 k2:5
			c1 ListContainerStats -> k1:100 k2:0{"cpu":null,"memory":null}`},
		{name: "one that is being stopped or removed", untested: true, history: oneRuns + `
			c2 RemoveContainer a/c ...
			c1 ListContainerStats ->
			c2 <- ! DeadlineExceeded
			c1 ListContainerStats -> k1:100`},
		{name: "the answers of two cross", history: oneRuns + `
			c1 ListContainerStats ...
			c2 ListContainerStats -> k1:100
			c1 <- k1:200
			c2 ListContainerStats -> k1:200`},
		{name: "after a restart", history: oneRuns + `
			c1 ListContainerStats -> k1:100
			KILL
			START
			c1 ListContainerStats -> k1:200`},
		{name: "another one of the name", history: oneRuns + `
			c1 ListContainerStats -> k1:100
			c1 RemoveContainer a/c
			c1 CreateContainer a/c work=forever -> k2
			c1 StartContainer a/c
			c1 ListContainerStats -> k2:1`},
		{name: "one is missing", want: "statistics of a/c, which runs", got: "none", history: oneRuns + `
			c1 ListContainerStats -> <<
			<< CreateContainer a/c`},
		{name: "one that was removed", want: "no statistics of a container that was removed", got: "k1", history: oneRuns + `
			c1 RemoveContainer a/c <<
			c1 ListContainerStats -> k1:100 <<`},
		{name: "without a time", want: "times above 0", got: "cpu 0, memory 1", history: oneRuns + `
			c1 ListContainerStats -> k1:100{"cpu":{"timestamp":0}} <<`},
		{name: "without memory, alone", want: "times above 0", got: "cpu 1, memory 0", history: oneRuns + `
			c1 ContainerStats a/c -> 100{"memory":null} <<`},
		{name: "the time goes back", want: "a CPU time of at least 100", got: "50", history: oneRuns + `
			c1 ListContainerStats -> k1:100
			c1 ContainerStats a/c -> 50 <<`},
		{name: "one of somebody else", history: oneRuns + `
			c1 ListContainerStats -> k1:100 other:0{"cpu":null,"memory":null}`},
		{name: "of one of two", untested: true, history: oneRuns + `
			c1 CreateContainer a/d work=forever -> k2
			c1 StartContainer a/d
			c1 ContainerStats a/c -> 100`},
	},
}
