package node

// oneInit is a pod whose init container has started.
const oneInit = `
	user PUT a {spec: {initContainers: [{name: i}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/i -> i1
	cri StartContainer i1
`

// oneSidecar is a pod with a sidecar that has started.
const oneSidecar = `
	user PUT a {spec: {initContainers: [{name: s, restartPolicy: Always}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/s -> s1
	cri StartContainer s1
`

var orderHistories = map[string][]judgedHistory{
	"order/init": {
		{name: "it succeeds first", history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			cri CreateContainer p1/c -> c1`},
		{name: "it fails, and then succeeds", history: oneInit + `
			cri ContainerStatus i1 EXITED 1
			cri CreateContainer p1/i -> i2
			cri StartContainer i2
			cri ContainerStatus i2 EXITED 0
			cri CreateContainer p1/c -> c1`},
		{name: "an ephemeral container needs none", untested: true, history: oneInit + `
			user EDIT a {spec: {ephemeralContainers: [{name: e}]}}
			cri CreateContainer p1/e -> e1`},
		{name: "nobody was told how it ended", untested: true, history: oneInit + `
			cri RemoveContainer i1
			cri CreateContainer p1/c -> c1`, also: "restart/reason"},
		{name: "it runs", want: "the init container i has ended with 0 before c is created", got: "it has not", history: oneInit + `
			<< CreateContainer p1/i
			cri CreateContainer p1/c -> c1 <<
			cri ContainerStatus i1 EXITED 0`},
		{name: "it failed", want: "has ended with 0", got: "it has not", history: oneInit + `
			<< CreateContainer p1/i
			cri ContainerStatus i1 EXITED 1
			cri CreateContainer p1/c -> c1 <<`},
		{name: "the second beside the first", want: "before j is created", got: "it has not", history: `
			user PUT a {spec: {initContainers: [{name: i}, {name: j}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/i -> i1 <<
			cri StartContainer i1
			cri CreateContainer p1/j -> j1 <<`},
		{name: "not in the new sandbox", want: "before c is created", got: "it has not", history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			cri StopPodSandbox p1
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/c -> c1 <<`},
	},
	"order/init-failure": keeps("order/init-failure"),
	"order/sidecar": {
		{name: "it has started", history: oneSidecar + `
			cri CreateContainer p1/c -> c1`},
		{name: "its startup probe has succeeded", history: oneSidecar + `
			api MODIFIED a {spec: {initContainers: [{name: s, startupProbe: {exec: {command: [probe, start]}}}]}}
			cri ExecSync s1 probe start -> 1
			cri ExecSync s1 probe start -> 0
			cri CreateContainer p1/c -> c1`},
		{name: "in a static pod its startup probe is of another life of the agent", untested: true, history: `
			user MANIFEST s {spec: {initContainers: [{name: x, restartPolicy: Always, startupProbe: {exec: {command: [probe, start]}}}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			agent CREATE pods s
			KILL
			START
			cri CreateContainer p1/c -> c1`},
		{name: "in a static pod its startup probe has not succeeded", want: "the sidecar x is started before c is created", got: "it is not", history: `
			user MANIFEST s {spec: {initContainers: [{name: x, restartPolicy: Always, startupProbe: {exec: {command: [probe, start]}}}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			agent CREATE pods s
			cri CreateContainer p1/c -> c1 <<`},
		{name: "its start was not answered", history: `
			user PUT a {spec: {initContainers: [{name: s, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri StartContainer s1 ! DeadlineExceeded
			cri ContainerStatus s1 RUNNING
			cri CreateContainer p1/c -> c1`},
		{name: "it is created only", want: "the sidecar s is started before c is created", got: "it is not", history: `
			user PUT a {spec: {initContainers: [{name: s, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri CreateContainer p1/c -> c1 <<
			cri StartContainer s1`},
		{name: "its startup probe has failed", want: "is started before c is created", got: "it is not", history: oneSidecar + `
			api MODIFIED a {spec: {initContainers: [{name: s, startupProbe: {exec: {command: [probe, start]}}}]}}
			cri ExecSync s1 probe start -> 1
			cri CreateContainer p1/c -> c1 <<
			cri ExecSync s1 probe start -> 0`},
		{name: "it does not restart", want: "it is so", got: "not within", history: oneSidecar + `
			user EXPIRED order/sidecar <<`},
	},
	"order/termination": {
		{name: "it is stopped last", history: oneSidecar + `
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user DELETE a 10
			cri StopContainer c1 10 ...
			+2s
			cri <- c1
			cri StopContainer s1 8`},
		{name: "an init container after it still runs", untested: true, history: `
			user PUT a {spec: {initContainers: [{name: s, restartPolicy: Always}, {name: i}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri StartContainer s1
			cri CreateContainer p1/i -> i1
			cri StartContainer i1
			user DELETE a 10
			cri StopContainer i1 10 ...
			cri StopContainer s1 10
			cri <- i1`},
		{name: "the grace is over", history: oneSidecar + `
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user DELETE a 10
			+1s
			cri StopContainer c1 9 ...
			+9500ms
			cri StopContainer s1 2
			cri <- c1`},
		{name: "a hook takes all of the grace", history: oneSidecar + `
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user DELETE a 3
			cri ExecSync c1 sh -c bye ...
			+3s
			cri <- c1
			cri StopContainer c1 2 ...
			cri StopContainer s1 2
			cri <- c1`},
		{name: "a pod without a grace was to restart before it was deleted", history: `
			user PUT a {spec: {terminationGracePeriodSeconds: 0, initContainers: [{name: x, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user TWIN-SANDBOX a
			user DELETE a 10
			cri StopContainer x1 2
			cri StopContainer c1 2`},
		{name: "a deletion is shorter than the pod's own grace", history: `
			user PUT a {spec: {initContainers: [{name: x, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user TWIN-SANDBOX a
			user DELETE a 1
			cri StopContainer c1 2 ...
			+1s
			cri StopContainer x1 2
			cri <- c1`},
		{name: "the grace of a static pod is over, and that of its mirror pod is not", history: `
			user MANIFEST s {spec: {initContainers: [{name: x, restartPolicy: Always}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent CREATE pods s
			user DELETE s 10
			user MANIFEST s
			cri StopContainer c1 3 ...
			+3s
			cri StopContainer x1 2
			cri <- c1`},
		{name: "a mirror pod that is deleted while its static pod ends", history: `
			user MANIFEST s {spec: {initContainers: [{name: x, restartPolicy: Always}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/x -> x1
			cri StartContainer x1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent CREATE pods s
			user MANIFEST s
			cri StopContainer c1 3 ...
			+1s
			user DELETE s 3
			+1500ms
			cri StopContainer x1 2
			+1s
			cri <- c1`},
		{name: "beside a container", want: "c has ended before the sidecar s is stopped", got: "it has not", history: oneSidecar + `
			cri CreateContainer p1/c -> c1
			cri StartContainer c1 <<
			user DELETE a 10
			cri StopContainer c1 10 ...
			cri StopContainer s1 10 <<
			+2s
			cri <- c1`},
		{name: "the first sidecar before the second", want: "u has ended before the sidecar s is stopped", got: "it has not", history: `
			user PUT a {spec: {initContainers: [{name: s, restartPolicy: Always}, {name: u, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri StartContainer s1
			cri CreateContainer p1/u -> u1
			cri StartContainer u1 <<
			user DELETE a 10
			cri StopContainer s1 10 <<
			cri StopContainer u1 10`},
	},
	"order/sandbox": {
		{name: "a new one for one that is gone", history: oneRuns + `
			cri PodSandboxStatus p1 NOTREADY
			cri StopPodSandbox p1
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/c -> c2`},
		{name: "a runtime answers the next agent with the sandbox that it has made", history: `
			user PUT a
			cri RunPodSandbox a -> p1
			KILL
			START
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1`},
		{name: "a static pod that came back", history: staticRuns + `
			user MANIFEST s
			cri StopContainer c1 3
			cri StopPodSandbox p1
			cri RemovePodSandbox p1
			user MANIFEST s {}
			cri RunPodSandbox h1 {config: {metadata: {attempt: 0}}} -> p2`},
		{name: "it loses its address while a sync stops a container", history: oneRuns + `
			cri PodSandboxStatus p1 READY 10.0.0.1
			user EDIT a {spec: {containers: [{name: c, image: "x:2"}]}}
			cri StopContainer c1 3 ...
			user DROP-ADDRESS a
			cri PodSandboxStatus p1 READY
			cri <- c1
			cri CreateContainer p1/c -> c2`},
		{name: "a new one for one that has lost its address", history: oneRuns + `
			cri PodSandboxStatus p1 READY 10.0.0.1
			user DROP-ADDRESS a
			cri PodSandboxStatus p1 READY
			cri StopPodSandbox p1
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/c -> c2`},
		{name: "the runtime has a second one", history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2
			cri StopPodSandbox p1
			cri StopPodSandbox p2
			cri RunPodSandbox a {config: {metadata: {attempt: 2}}} -> p3
			cri CreateContainer p3/c -> c2`},
		{name: "the runtime has a second one, and trouble", history: oneRuns + `
			user CRASH
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2
			+15s
			cri ListPodSandbox p1 p2`},
		{name: "the pod keeps both", want: "one sandbox is stopped", got: "both are ready 15s later", history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2 <<
			+15s
			cri ListPodSandbox p1 p2 <<`},
		{name: "the pod keeps both while a container of it is stopped", history: oneRuns + `
			user EDIT a {spec: {containers: [{name: c, image: "x:2"}]}}
			cri StopContainer c1 20 ...
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2
			+15s
			cri ListPodSandbox p1 p2
			cri <- c1`},
		{name: "another one comes while the pod is stopped", history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1
			cri StopContainer c1 3 ...
			cri ListPodSandbox p1 p2
			cri <- c1
			cri StopPodSandbox p1
			cri RunPodSandbox a {config: {metadata: {attempt: 2}}} -> p3
			cri CreateContainer p3/c -> c2`},
		{name: "the second one stays", want: "not ready any more", got: "nobody has stopped it", history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2 <<
			cri StopPodSandbox p1
			cri RunPodSandbox a {config: {metadata: {attempt: 2}}} -> p3 <<
			cri CreateContainer p3/c -> c2`},
		{name: "it has no address yet", history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri PodSandboxStatus p1 READY
			cri CreateContainer p1/c -> c1`},
		{name: "on without its address", want: "that has an address", got: "it has lost that", history: oneRuns + `
			cri PodSandboxStatus p1 READY 10.0.0.1
			cri PodSandboxStatus p1 READY <<
			cri ContainerStatus c1 EXITED 1
			+2s
			cri CreateContainer p1/c -> c2 <<`},
		{name: "it is told without its address as a container is created", history: oneRuns + `
			cri PodSandboxStatus p1 READY 10.0.0.1
			cri ContainerStatus c1 EXITED 1
			user DROP-ADDRESS a
			cri PodSandboxStatus p1 READY
			cri CreateContainer p1/c -> c2`},
		{name: "the same attempt", want: "larger than 0", got: "0", history: oneRuns + `
			<< RunPodSandbox a
			cri PodSandboxStatus p1 NOTREADY
			cri RunPodSandbox a {config: {metadata: {attempt: 0}}} -> p2 <<`},
		{name: "two at once", want: "not ready any more", got: "nobody has stopped it", history: oneRuns + `
			<< RunPodSandbox a
			cri RunPodSandbox a -> p2 <<`},
		{name: "a container in the old one", want: "in the newest sandbox", got: "in one of before", history: oneRuns + `
			cri PodSandboxStatus p1 NOTREADY
			cri RunPodSandbox a -> p2 <<
			cri CreateContainer p1/c -> c2 <<`},
	},
}
