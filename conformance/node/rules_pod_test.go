package node

// oneSized is a pod that runs with a limit of memory and CPU.
const oneSized = `
	user PUT a {spec: {containers: [{name: c, resources: {limits: {cpu: 100m, memory: "100"}, requests: {cpu: 100m, memory: "100"}}}]}}
	cri RunPodSandbox a {config: {linux: {cgroup_parent: /kubepods/podu-a}}} -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// oneLarger is a pod that shall have more CPU, and an agent that knows.
const oneLarger = `
	api MODIFIED node {status: {allocatable: {cpu: "4"}}}
	user PUT a {spec: {containers: [{name: c, resources: {limits: {cpu: 100m, memory: "100"}, requests: {cpu: 100m, memory: "100"}}}]}}
	cri RunPodSandbox a {config: {linux: {cgroup_parent: /kubepods/podu-a}}} -> p1
	cri CreateContainer p1/c {config: {linux: {resources: {memory_limit_in_bytes: 100, cpu_quota: 10000, cpu_period: 100000}}}} -> c1
	cri StartContainer c1
	agent PATCH pods/status a {status: {phase: Running, observedGeneration: 1}}
	user EDIT a {metadata: {generation: 2}, spec: {containers: [{name: c, resources: {limits: {cpu: 200m}, requests: {cpu: 200m}}}]}}
	agent PATCH pods/status a {status: {observedGeneration: 2}}
`

// oneTooLarge is a pod that shall become larger than the node, and an agent that knows.
const oneTooLarge = oneSized + `
	api MODIFIED node {status: {allocatable: {cpu: "4"}}}
	user EDIT a {metadata: {generation: 2}, spec: {containers: [{name: c, resources: {limits: {cpu: 100k}, requests: {cpu: 100k}}}]}}
	agent PATCH pods/status a {status: {phase: Running, observedGeneration: 2}}
`

// pressed is a node that was full.
const pressed = `
	user FILL 97
	agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "True"}]}}
	+5s
	user FILL 10
`

// twoImages is a pod whose image is unused for long, and another one, whose image was used until lately.
const twoImages = `
	user PUT a
	cri RunPodSandbox a -> p1
	cri PullImage x:1 a -> sha-a
	cri CreateContainer p1/c {config: {image: {image: sha-a}}} -> c1
	cri StartContainer c1
	user PUT b
	cri RunPodSandbox b -> p2
	cri PullImage y:1 b -> sha-b
	cri CreateContainer p2/c {config: {image: {image: sha-b}}} -> c2
	cri StartContainer c2
	user DELETE a 3
	cri StopContainer c1 3
	cri RemoveContainer c1
	+6m
	user DELETE b 3
	cri StopContainer c2 3
	cri RemoveContainer c2
`

var podHistories = map[string][]judgedHistory{
	"admission/refused": {
		{name: "it never runs", history: `
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed, reason: OutOfcpu}}`},
		{name: "an eviction is none", untested: true, history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, conditions: [{type: DisruptionTarget, status: "True", reason: TerminationByKubelet}]}}`},
		{name: "it runs", want: "a pod that was refused never runs", got: "it does", history: `
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed, reason: OutOfcpu}} <<
			cri RunPodSandbox a -> p1 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED admission/refused <<"},
	},
	"resize/applied": {
		{name: "what the spec wants", history: oneSized + `
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {memory: "200", cpu: 300m}}}]}}
			cri UpdateContainerResources c1 {linux: {memory_limit_in_bytes: 200}}
			cri UpdateContainerResources c1 {linux: {memory_limit_in_bytes: 200, cpu_quota: 30000, cpu_period: 100000}}`},
		{name: "what it wanted before", history: oneSized + `
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {memory: "200"}}}]}}
			cri UpdateContainerResources c1 {linux: {memory_limit_in_bytes: 100}}`},
		{name: "the runtime is told", history: oneLarger + `
			cri UpdateContainerResources c1 {linux: {memory_limit_in_bytes: 100, cpu_quota: 20000, cpu_period: 100000}}
			+15s
			cri ListContainers`},
		{name: "it is withdrawn before the agent acts", untested: true, history: oneLarger + `
			+5s
			user EDIT a {metadata: {generation: 3}, spec: {containers: [{name: c, resources: {limits: {cpu: 100m}, requests: {cpu: 100m}}}]}}
			+15s
			cri ListContainers`},
		{name: "it waits for others to go", untested: true, history: oneLarger + `
			agent PATCH pods/status a {status: {conditions: [{type: PodResizePending, status: "True", reason: Deferred}]}}
			+15s
			cri ListContainers`},
		{name: "the container ends", untested: true, history: oneLarger + `
			cri ContainerStatus c1 EXITED 1
			+15s
			cri ListContainers`},
		{name: "the runtime fails", untested: true, history: "user RUNTIME-FAULT f" + oneLarger + `
			+15s
			cri ListContainers`},
		{name: "the runtime is not told", want: "c gets the resources of its spec within 10s", got: "cpu_quota:10000", history: oneLarger + `
			<< observedGeneration: 2
			+15s
			cri ListContainers <<`},
		{name: "more memory", want: "resources that its spec had", got: "memory_limit_in_bytes:400", history: oneSized + `
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {memory: "200"}}}]}}
			cri UpdateContainerResources c1 {linux: {memory_limit_in_bytes: 400}} <<`},
		{name: "another CPU", want: "resources that its spec had", got: "cpu_quota:50000", history: oneSized + `
			cri UpdateContainerResources c1 {linux: {cpu_quota: 50000, cpu_period: 100000}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED resize/applied <<"},
	},
	"resize/pending": {
		{name: "it waits", history: oneSized + `
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {cpu: 100k}, requests: {cpu: 100k}}}]}}
			agent PATCH pods/status a {status: {conditions: [{type: PodResizePending, status: "True", reason: Infeasible}]}}`},
		{name: "it is withdrawn soon", untested: true, history: oneTooLarge + `
			+5s
			user EDIT a {metadata: {generation: 3}, spec: {containers: [{name: c, resources: {limits: {cpu: 100m}, requests: {cpu: 100m}}}]}}
			+10s
			cri ListContainers`},
		{name: "the agent has trouble", untested: true, history: "user API-FAULT f" + oneTooLarge + `
			+15s
			cri ListContainers`},
		{name: "it is not said", want: "has the condition PodResizePending", got: "none within 10s", history: oneTooLarge + `
			<< observedGeneration: 2
			+15s
			cri ListContainers <<`},
		{name: "for no reason", want: "the reason is Infeasible or Deferred", got: `""`, history: oneSized + `
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {cpu: 100k}, requests: {cpu: 100k}}}]}}
			agent PATCH pods/status a {status: {conditions: [{type: PodResizePending, status: "True"}]}} <<`},
		{name: "a restart applies it", want: "a resize that is infeasible is not applied", got: "100000 CPUs", history: oneSized + `
			api MODIFIED node {status: {allocatable: {cpu: "4"}}}
			user EDIT a {spec: {containers: [{name: c, resources: {limits: {cpu: 100k}, requests: {cpu: 100k}}}]}}
			agent PATCH pods/status a {status: {conditions: [{type: PodResizePending, status: "True", reason: Infeasible}]}}
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {config: {linux: {resources: {cpu_quota: 10000000000, cpu_period: 100000}}}} -> c2 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED resize/pending <<"},
	},
	"cgroup/parent": {
		{name: "each has its own", history: oneRuns + `
			user PUT b
			cri RunPodSandbox b -> p2`},
		{name: "guaranteed", history: oneSized},
		{name: "burstable", history: `
			user PUT a {spec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}
			cri RunPodSandbox a {config: {linux: {cgroup_parent: /kubepods/burstable/podu-a}}} -> p1`},
		{name: "none", want: "has a cgroup parent", got: "it has none", history: `
			user PUT a
			cri RunPodSandbox a {config: {linux: {cgroup_parent: ""}}} -> p1 <<`},
		{name: "that of another class", want: `a BestEffort pod is below "besteffort"`, got: "burstable", history: `
			user PUT a
			cri RunPodSandbox a {config: {linux: {cgroup_parent: /kubepods/burstable/podu-a}}} -> p1 <<`},
		{name: "that of another pod", want: "no other pod has the cgroup parent /kubepods/besteffort/podu-a", got: "one has", history: oneRuns + `
			user PUT b
			cri RunPodSandbox b {config: {linux: {cgroup_parent: /kubepods/besteffort/podu-a}}} -> p2 <<`},
	},
	"eviction/pressure": {
		{name: "it lasts", history: pressed + `
			+16s
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "False"}]}}`},
		{name: "the agent is another one, which has not seen it", untested: true, history: `
			user FILL 97
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "True"}]}}
			KILL
			user FILL 10
			START {}
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "False"}]}}`},
		{name: "the runtime fails while a pod is evicted", untested: true, history: `
			user FILL 97
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "True"}]}}
			user RUNTIME-FAULT f
			+24s
			user FILL 10
			+4s
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "False"}]}}`},
		{name: "it does not last", want: "DiskPressure lasts for 25s", got: "it ends 14s after there is room", history: pressed + `
			<< user FILL 10
			+14s
			agent PATCH nodes/status {status: {conditions: [{type: DiskPressure, status: "False"}]}} <<`},
		{name: "it says so", history: oneRuns + `
			user FILL 97
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, conditions: [{type: DisruptionTarget, status: "True", reason: TerminationByKubelet}]}}`},
		{name: "it does not", want: "has the condition DisruptionTarget", got: "it has not", history: oneRuns + `
			user FILL 97
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}} <<`},
		{name: "an agent that starts meanwhile refuses what runs", history: oneRuns + `
			user FILL 97
			KILL
			START
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, message: "Pod was rejected: The node had condition: [DiskPressure]. "}}`},
		{name: "an agent that starts refuses what runs, though there is room again", want: "has the condition DisruptionTarget", got: "it has not", history: oneRuns + `
			user FILL 97
			KILL
			user FILL 10
			START
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}} <<`},
		{name: "an agent evicts what it ran since long", want: "has the condition DisruptionTarget", got: "it has not", history: oneRuns + `
			KILL
			START
			+20s
			user FILL 97
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}} <<`},
		{name: "it is full soon after the agent's start", history: oneRuns + `
			KILL
			START
			+1s
			user FILL 97
			+20s
			user FILL 10
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}}`},
		{name: "it comes meanwhile, and is refused", history: `
			user FILL 97
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, message: "Pod was rejected: The node had condition: [DiskPressure]. "}}`},
		{name: "it is refused, and runs", want: "has the condition DisruptionTarget", got: "it has not", history: `
			user FILL 97
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}} <<
			cri RunPodSandbox a -> p1`},
		{name: "a critical pod is refused", want: "critical pods are not evicted", got: "default/a is", history: `
			user PUT a {spec: {priority: 2000001000}}
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}} <<`},
		{name: "a critical pod", want: "critical pods are not evicted", got: "default/a is", history: `
			user PUT a {spec: {priority: 2000001000}}
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, conditions: [{type: DisruptionTarget, status: "True", reason: TerminationByKubelet}]}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED eviction/pressure <<"},
	},
	"image-gc/unused": {
		{name: "one that nobody uses", history: oneRuns + `
			cri RemoveImage x:1`},
		{name: "its container has ended", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri RemoveImage docker.io/library/busybox:1`},
		{name: "one that was pinned", history: oneRuns + `
			cri ListImages x:1 PINNED
			cri ListImages x:1
			cri RemoveImage x:1`},
		{name: "one that was pulled lately, as it is too old", history: oneRuns + `
			cri PullImage x:1 a -> sha
			cri RemoveImage sha`},
		{name: "one that is unused for less", history: twoImages + `
			cri RemoveImage sha-a
			cri RemoveImage sha-b`},
		{name: "the other one cannot be deleted", history: twoImages + `
			cri RemoveImage sha-a ! Internal
			cri RemoveImage sha-b`},
		{name: "the wrong one first", want: "the image that is longest unused is deleted first", got: "another one is", history: twoImages + `
			<< PullImage x:1
			cri RemoveImage sha-b <<`},
		{name: "one that is pinned", want: "an image that is pinned stays", got: "it is deleted", history: oneRuns + `
			cri ListImages x:1 PINNED <<
			cri RemoveImage x:1 <<`},
		{name: "one that was there before it was pulled lately", history: oneRuns + `
			user FILL 97
			cri ListImages sha
			cri PullImage x:1 a -> sha
			+10s
			cri RemoveImage sha`},
		{name: "one that was pulled lately, for want of room", want: "an image is known for 12s before it is deleted", got: "10s", history: oneRuns + `
			user FILL 97
			cri PullImage x:1 a -> sha <<
			+10s
			cri RemoveImage sha <<`},
		{name: "one that is used", want: "the image of c, which runs, stays", got: "it is deleted", history: oneRuns + `
			<< CreateContainer
			cri RemoveImage docker.io/library/busybox:1 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED image-gc/unused <<"},
	},
	"container-gc/dead": {
		{name: "an old one", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2
			cri StartContainer c2
			cri RemoveContainer c1`},
		{name: "the newest is in a sandbox whose run was not answered", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri PodSandboxStatus p1 NOTREADY
			cri RunPodSandbox a -> p2 ! DeadlineExceeded
			cri ListPodSandbox p2
			cri CreateContainer p2/c -> c2
			cri StartContainer c2
			cri RemoveContainer c1`},
		{name: "the newest is in a sandbox that the agent has not run", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {pod_sandbox_id: p9} -> c2
			cri StartContainer c2
			cri RemoveContainer c1`},
		{name: "the newest was created without an answer", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2 ! DeadlineExceeded
			cri ListContainers c2 p1/c
			cri RemoveContainer c1`},
		{name: "its pod is deleted", untested: true, history: oneRuns + `
			user DELETE a 3
			cri StopContainer c1 3
			cri RemoveContainer c1`},
		{name: "an init container", untested: true, history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			cri RemoveContainer i1`},
		{name: "the newest", want: "the newest container of c stays", got: "it is removed", history: oneRuns + `
			<< CreateContainer
			cri ContainerStatus c1 EXITED 1
			cri RemoveContainer c1 <<
			cri CreateContainer p1/c -> c2`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED container-gc/dead <<"},
	},
	"container-gc/log-path": {
		{name: "by its attempt", history: crashed},
		{name: "always the same", want: "the log path is c/1.log", got: "c/0.log", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {config: {log_path: c/0.log}} -> c2 <<`},
		{name: "no folder", want: "has a folder for logs", got: "it has none", history: `
			user PUT a
			cri RunPodSandbox a {config: {log_directory: ""}} -> p1 <<
			cri CreateContainer p1/c -> c1`},
	},
}
