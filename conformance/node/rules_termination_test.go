package node

// stopped is a pod that was deleted, and of which nothing runs.
const stopped = oneRuns + `
	user DELETE a 3
	cri StopContainer c1 3
	cri StopPodSandbox p1
	agent PATCH pods/status a {status: {phase: Succeeded}}
`

// hookRuns is a pod with a preStop hook.
const hookRuns = `
	user PUT a {spec: {containers: [{name: c, lifecycle: {preStop: {exec: {command: [sh, -c, bye]}}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// hookWithoutGrace is a pod with a preStop hook and no grace.
const hookWithoutGrace = `
	user PUT a {spec: {terminationGracePeriodSeconds: 0, containers: [{name: c, lifecycle: {preStop: {exec: {command: [sh, -c, bye]}}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// overWithSidecar is a pod whose container has ended, and whose sidecar has not.
const overWithSidecar = `
	user PUT a {spec: {restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}], containers: [{name: c}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/s -> s1
	cri StartContainer s1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
	runtime EXIT c1
`

// oneHooked is a pod whose container has a postStart hook.
const oneHooked = `
	user PUT a {spec: {containers: [{name: c, lifecycle: {postStart: {exec: {command: [sh, -c, exit 1]}}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

var terminationHistories = map[string][]judgedHistory{
	"termination/delete": {
		{name: "in the end", history: stopped + `
			agent DELETE pods a`},
		{name: "a pod that never ran", history: `
			user PUT a
			user DELETE a 3
			agent PATCH pods/status a {status: {phase: Failed}}
			agent DELETE pods a`},
		{name: "the runtime has a sandbox that the agent has not run", history: `
			user PUT a
			cri RunPodSandbox a -> p1
			user TWIN-SANDBOX a
			user DELETE a 3
			cri StopPodSandbox p1
			cri ListPodSandbox p1 p2
			agent PATCH pods/status a {status: {phase: Failed}}
			agent DELETE pods a`},
		{name: "another pod has taken the name", untested: true, history: oneRuns + `
			user DELETE a 3
			user DELETE a 0
			api DELETED a
			user PUT a {metadata: {uid: u-2}}
			agent DELETE pods a {preconditions: {uid: u-a}}`},
		{name: "a mirror pod", untested: true, history: staticRuns + `
			agent CREATE pods s
			agent DELETE pods s {preconditions: null}`},
		{name: "with its grace", want: "gracePeriodSeconds is 0", got: "it is not", history: stopped + `
			agent DELETE pods a {gracePeriodSeconds: null} <<`},
		{name: "whatever the UID is", want: "the precondition is the UID u-a", got: "it is not", history: stopped + `
			agent DELETE pods a {preconditions: null} <<`},
		{name: "of another UID", want: "the precondition is the UID u-a", got: "it is not", history: stopped + `
			agent DELETE pods a {preconditions: {uid: u-b}} <<`},
		{name: "before the phase", want: "Succeeded or Failed", got: "Running", history: oneRuns + `
			user DELETE a 3
			cri StopContainer c1 3
			cri StopPodSandbox p1
			agent DELETE pods a <<`},
		{name: "before the sandbox", want: "all its sandboxes are stopped", got: "one is not", history: oneRuns + `
			<< RunPodSandbox
			user DELETE a 3
			cri StopContainer c1 3
			agent PATCH pods/status a {status: {phase: Succeeded}}
			agent DELETE pods a <<
			cri StopPodSandbox p1`},
		{name: "before the container", also: "phase/terminal", want: "all its sandboxes are stopped", got: "one is not", history: oneRuns + `
			<< RunPodSandbox
			<< StartContainer
			user DELETE a 3
			cri StopContainer c1 3 ...
			agent PATCH pods/status a {status: {phase: Succeeded}}
			agent DELETE pods a <<
			cri <- c1
			cri StopPodSandbox p1`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED termination/delete <<"},
	},
	"termination/grace": {
		{name: "all of it", history: oneRuns + `
			user DELETE a 10
			cri StopContainer c1 10`},
		{name: "what is left", history: oneRuns + `
			user DELETE a 10
			+4s
			cri StopContainer c1 6`},
		{name: "the least", history: oneRuns + `
			user DELETE a 0
			cri StopContainer c1 2`},
		{name: "it was being evicted", untested: true, history: oneRuns + `
			user FILL 97
			user DELETE a 10
			cri StopContainer c1 2`},
		{name: "all that the agent knows is that the pod is gone", untested: true, history: oneRuns + `
			user DELETE a 0
			agent WATCH pods
			cri StopContainer c1 30`},
		{name: "the agent watched until the pod was gone", want: "a grace of 2 seconds at most", got: "30", history: oneRuns + `
			agent WATCH pods
			user DELETE a 0
			cri StopContainer c1 30 <<`},
		{name: "the hook took some", history: hookRuns + `
			user DELETE a 10
			cri ExecSync c1 sh -c bye ...
			+4s
			cri <- c1
			cri StopContainer c1 6`},
		{name: "a second stop", history: oneRuns + `
			user DELETE a 10
			cri StopContainer c1 10 ...
			user DELETE a 2
			cri StopContainer c1 2
			cri <- c1`},
		{name: "no deletion", untested: true, history: oneProbed + `
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 30`},
		{name: "a probe failed, and the agent did not know of the deletion", untested: true, history: oneProbed + `
			user REFUSE
			user DELETE a 0
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 30`},
		{name: "the hook of a container with probes fails", want: "a grace of 6 seconds at most", got: "30", history: `
			user PUT a {spec: {containers: [{name: c, livenessProbe: {exec: {command: [probe, live]}}, lifecycle: {preStop: {exec: {command: [sh, -c, bye]}}}}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user DELETE a 10
			cri ExecSync c1 sh -c bye ...
			+4s
			cri <- c1
			cri StopContainer c1 30 <<`},
		{name: "its pod is over", untested: true, history: overWithSidecar + `
			user DELETE a 10
			cri StopContainer s1 30`},
		{name: "its pod is over, and it was stopped for the deletion", want: "a grace of 10 seconds at most", got: "30", history: `
			user PUT a {spec: {restartPolicy: Never, containers: [{name: c}, {name: d}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			cri CreateContainer p1/d -> d1
			cri StartContainer d1
			user DELETE a 10
			cri StopContainer d1 10
			cri StopContainer c1 30 <<`},
		{name: "more", want: "a grace of 10 seconds at most", got: "30", history: oneRuns + `
			user DELETE a 10
			cri StopContainer c1 30 <<`},
		{name: "less", want: "a grace of 10 seconds, which are left of 10", got: "5", history: oneRuns + `
			user DELETE a 10
			cri StopContainer c1 5 <<`},
		{name: "none", want: "a grace of 3 seconds", got: "0", history: oneRuns + `
			user DELETE a 3
			cri StopContainer c1 0 <<`},
		{name: "the hook does not count", want: "a grace of 6 seconds at most", got: "10", history: hookRuns + `
			user DELETE a 10
			cri ExecSync c1 sh -c bye ...
			+4s
			cri <- c1
			cri StopContainer c1 10 <<`},
	},
	"termination/pre-stop": {
		{name: "before the stop", history: hookRuns + `
			user DELETE a 10
			cri ExecSync c1 sh -c bye
			cri StopContainer c1 10`},
		{name: "it takes all of the grace", history: hookRuns + `
			user DELETE a 10
			cri ExecSync c1 sh -c bye ...
			+10s
			cri StopContainer c1 2
			cri <- c1 ! DeadlineExceeded`},
		{name: "the container is stopped for its probe", untested: true, history: oneProbed + `
			api MODIFIED a {spec: {containers: [{name: c, lifecycle: {preStop: {exec: {command: [sh, -c, bye]}}}}]}}
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 3`},
		{name: "no grace, and the container is stopped for a second sandbox", untested: true, history: hookWithoutGrace + `
			user TWIN-SANDBOX a
			user DELETE a 0
			cri StopContainer c1 2`},
		{name: "no grace, and the container is stopped for the deletion", want: "the preStop hook runs before", got: "it does not", history: hookWithoutGrace + `
			user DELETE a 0
			cri StopContainer c1 2 <<`},
		{name: "a grace, and the container is stopped for a second sandbox", want: "the preStop hook runs before", got: "it does not", history: hookRuns + `
			user TWIN-SANDBOX a
			user DELETE a 0
			cri StopContainer c1 2 <<`},
		{name: "it does not run", want: "the preStop hook runs before", got: "it does not", history: hookRuns + `
			user DELETE a 10
			cri StopContainer c1 10 <<`},
		{name: "it runs afterwards", want: "the preStop hook runs before", got: "it does not", history: hookRuns + `
			user DELETE a 10
			cri StopContainer c1 10 <<
			cri ExecSync c1 sh -c bye`},
		{name: "it goes on", want: "has ended, or the grace is over", got: "it goes on", history: hookRuns + `
			user DELETE a 10
			cri ExecSync c1 sh -c bye ... <<
			+1s
			cri StopContainer c1 9 ... <<
			+2s
			cri <- c1`},
	},
	"termination/post-start": {
		{name: "it is stopped", history: oneHooked + `
			cri ExecSync c1 sh -c exit 1 -> 1
			cri StopContainer c1 3
			+15s
			cri ListContainers`},
		{name: "it succeeds", untested: true, history: oneHooked + `
			cri ExecSync c1 sh -c exit 1
			+15s
			cri ListContainers`},
		{name: "the agent is killed", untested: true, history: oneHooked + `
			cri ExecSync c1 sh -c exit 1 -> 1
			KILL
			START
			+15s
			cri ListContainers`},
		{name: "it runs on", want: "c is stopped", got: "it runs on 15s later", history: oneHooked + `
			cri ExecSync c1 sh -c exit 1 -> 1 <<
			+15s
			cri ListContainers <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED termination/post-start <<"},
	},
	"termination/shorter": keeps("termination/shorter"),
	"termination/stuck":   keeps("termination/stuck"),
	"termination/force":   keeps("termination/force"),
	"termination/deadline": {
		{name: "it is over", history: `
			user PUT a {spec: {activeDeadlineSeconds: 5}}
			+6s
			agent PATCH pods/status a {status: {phase: Failed, reason: DeadlineExceeded, startTime: "2000-01-01T00:00:00Z"}}`},
		{name: "the mirror pod of another manifest", untested: true, history: `
			user MANIFEST s {}
			agent CREATE pods h1
			user MANIFEST s {spec: {activeDeadlineSeconds: 5}}
			+6s
			agent PATCH pods/status h1 {status: {phase: Failed, reason: DeadlineExceeded, startTime: "2000-01-01T00:00:00Z"}}`},
		{name: "it is over, and the agent has trouble", untested: true, history: `
			user REFUSE
			user PUT a {spec: {activeDeadlineSeconds: 5}}
			agent PATCH pods/status a {status: {phase: Running, startTime: "2000-01-01T00:00:00Z"}}
			+20s
			cri ListContainers`},
		{name: "the agent ignores its deadline", want: "a pod ends when its deadline is over", got: "it is Running", history: `
			user PUT a {spec: {activeDeadlineSeconds: 5}}
			agent PATCH pods/status a {status: {phase: Running, startTime: "2000-01-01T00:00:00Z"}} <<
			+20s
			cri ListContainers <<`},
		{name: "early", want: "the deadline is over", got: "it is not", history: `
			user PUT a {spec: {activeDeadlineSeconds: 5}}
			+2s
			agent PATCH pods/status a {status: {phase: Failed, reason: DeadlineExceeded, startTime: "2000-01-01T00:00:00Z"}} <<`},
		{name: "there is none", want: "the deadline is over", got: "it is not", history: `
			user PUT a
			+6s
			agent PATCH pods/status a {status: {phase: Failed, reason: DeadlineExceeded, startTime: "2000-01-01T00:00:00Z"}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED termination/deadline <<"},
	},
}
