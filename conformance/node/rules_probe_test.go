package node

// oneProbed is a pod that runs, with all three probes.
const oneProbed = `
	user PUT a {spec: {containers: [{name: c, startupProbe: {failureThreshold: 2, exec: {command: [probe, start]}}, livenessProbe: {failureThreshold: 2, exec: {command: [probe, live]}}, readinessProbe: {failureThreshold: 2, exec: {command: [probe, ready]}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// ownGrace is a pod whose liveness probe has a grace of its own.
const ownGrace = `
	user PUT a {spec: {containers: [{name: c, livenessProbe: {failureThreshold: 1, terminationGracePeriodSeconds: 7, exec: {command: [probe, live]}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// late is a pod whose readiness probe comes after four seconds, and must succeed twice.
const late = `
	user PUT a {spec: {containers: [{name: c, readinessProbe: {initialDelaySeconds: 4, successThreshold: 2, exec: {command: [probe, ready]}}}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// oneReady is a pod that is Ready, for a while.
const oneReady = oneRuns + `
	agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True"}], containerStatuses: [{name: c, containerID: "x://c1", state: {running: {}}}]}}
	+20s
`

var probeHistories = map[string][]judgedHistory{
	"probe/startup": {
		{name: "first", history: oneProbed + `
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 0
			cri ExecSync c1 probe ready -> 0`},
		{name: "again after a restart of the agent", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 0
			KILL
			START
			cri ExecSync c1 probe start -> 0`},
		{name: "beside others", want: "has succeeded before another one runs", got: "it has not", history: oneProbed + `
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe live -> 0 <<
			cri ExecSync c1 probe start -> 0`},
		{name: "never", want: "has succeeded before another one runs", got: "it has not", history: oneProbed + `
			cri ExecSync c1 probe ready -> 0 <<`},
		{name: "again", want: "does not run again", got: "it does", history: oneProbed + `
			cri ExecSync c1 probe start -> 0 <<
			cri ExecSync c1 probe start -> 0 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED probe/startup <<"},
	},
	"probe/liveness": {
		{name: "as often as the threshold says", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 1
			cri ExecSync c1 probe live ! DeadlineExceeded
			cri StopContainer c1 3`},
		{name: "the startup probe", history: oneProbed + `
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 3`},
		{name: "no answer", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live ! Unavailable
			cri ExecSync c1 probe live ! Unavailable`},
		{name: "its pod is deleted", untested: true, history: oneProbed + `
			user DELETE a 3
			cri StopContainer c1 3`},
		{name: "there are two sandboxes", untested: true, history: oneProbed + `
			user TWIN-SANDBOX a
			cri StopContainer c1 3`},
		{name: "its manifest changes", untested: true, history: `
			user MANIFEST s {spec: {containers: [{name: c, livenessProbe: {failureThreshold: 2, exec: {command: [probe, live]}}}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent CREATE pods s
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri StopContainer c1 3`},
		{name: "with the grace of the probe", history: ownGrace + `
			cri ExecSync c1 probe live -> 1
			cri StopContainer c1 7`},
		{name: "with the grace of the pod", want: "the grace of the probe, 7 seconds", got: "3", history: ownGrace + `
			cri ExecSync c1 probe live -> 1
			cri StopContainer c1 3 <<`},
		{name: "once", want: "as often in a row as its threshold says", got: "it has not", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 1
			cri StopContainer c1 3 <<`},
		{name: "not in a row", want: "as often in a row as its threshold says", got: "it has not", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 1
			cri ExecSync c1 probe live -> 0
			cri ExecSync c1 probe live -> 1
			cri StopContainer c1 3 <<`},
		{name: "no answer counts", want: "as often in a row as its threshold says", got: "it has not", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live ! Unavailable
			cri ExecSync c1 probe live ! Unavailable
			cri StopContainer c1 3 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED probe/liveness <<"},
	},
	"probe/readiness": {
		{name: "once it has succeeded", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe ready -> 0
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c1"}]}}`},
		{name: "not yet", untested: true, history: oneProbed + `
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: false, containerID: "x://c1"}]}}`},
		{name: "the mirror pod of another manifest", untested: true, history: `
			user MANIFEST s {}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			user MANIFEST s {spec: {containers: [{name: c, readinessProbe: {failureThreshold: 2, exec: {command: [probe, ready]}}}]}}
			agent CREATE pods s
			agent PATCH pods/status s {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c1"}]}}`},
		{name: "as often as the threshold says", history: late + `
			+4s
			cri ExecSync c1 probe ready -> 0
			cri ExecSync c1 probe ready ! Unavailable
			cri ExecSync c1 probe ready -> 0
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c1"}]}}`},
		{name: "the container before it was", want: "as often in a row as its threshold says", got: "it is, if the successes of the container before it count", history: late + `
			+4s
			cri ExecSync c1 probe ready -> 0
			cri ExecSync c1 probe ready -> 0
			cri ContainerStatus c1 EXITED 1
			cri ExecSync c1 probe ready ! Unknown
			cri CreateContainer p1/c 1 -> c2
			cri StartContainer c2
			+4s
			cri ExecSync c2 probe ready -> 0
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c2"}]}} <<`},
		{name: "not in a row", want: "as often in a row as its threshold says", got: "it is", history: late + `
			+4s
			cri ExecSync c1 probe ready -> 0
			cri ExecSync c1 probe ready -> 1
			cri ExecSync c1 probe ready -> 0
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c1"}]}} <<`},
		{name: "before", want: "c is not ready before", got: "it is", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe ready -> 1
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, ready: true, containerID: "x://c1"}]}} <<
			cri ExecSync c1 probe ready -> 0`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED probe/readiness <<"},
	},
	"probe/delay": {
		{name: "after the delay", history: late + `
			+4s
			cri ExecSync c1 probe ready -> 0`},
		{name: "at once", want: "4 seconds after the start", got: "1s", history: late + `
			<< StartContainer
			+1s
			cri ExecSync c1 probe ready -> 0 <<`},
	},
	"probe/agent-restart": {
		{name: "it stays", history: oneReady + `
			KILL
			START
			agent PATCH pods/status a {status: {message: x}}`},
		{name: "the container has just started", untested: true, history: oneRuns + `
			+1s
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True"}]}}
			KILL
			START
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}}`},
		{name: "killed twice before it writes that the container runs", untested: true, history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}}
			+1s
			KILL
			+20s
			START
			KILL
			START
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True"}]}}`},
		{name: "killed before it starts the container", history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}}
			+1s
			KILL
			+20s
			START
			KILL
			START
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True"}]}}`},
		{name: "a static pod, whose mirror pod the agent does not know yet", untested: true, history: `
			user MANIFEST s {spec: {containers: [{name: c, readinessProbe: {exec: {command: [probe, ready]}}}]}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent CREATE pods s
			agent PATCH pods/status s {status: {conditions: [{type: Ready, status: "True"}], containerStatuses: [{name: c, containerID: "x://c1", state: {running: {}}}]}}
			+20s
			KILL
			START
			agent PATCH pods/status s {status: {conditions: [{type: Ready, status: "False"}]}}`},
		{name: "the story changes an answer", history: oneReady + `
			KILL
			user ANSWER a/c
			START
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}}`},
		{name: "it changes", want: "Ready of default/a stays True", got: "False", history: oneReady + `
			KILL
			START <<
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}} <<`},
	},
	"probe/termination": {
		{name: "none", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			cri ExecSync c1 probe live -> 0
			user DELETE a 6
			cri StopContainer c1 6 ...
			+4s
			cri <- c1`},
		{name: "one that was under way", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			user DELETE a 6
			cri StopContainer c1 6 ...
			+500ms
			cri ExecSync c1 probe live -> 0
			+4s
			cri <- c1`},
		{name: "it is restarted for its image when its pod is deleted", untested: true, history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			user EDIT a {spec: {containers: [{name: c, image: "y:1"}]}}
			user DELETE a 6
			cri StopContainer c1 3 ...
			+2s
			cri ExecSync c1 probe live -> 0
			cri <- c1`},
		{name: "its sandbox ends when its pod is deleted", untested: true, history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			user END-SANDBOX a
			user DELETE a 6
			cri StopContainer c1 3 ...
			+2s
			cri ExecSync c1 probe live ! Unknown
			cri <- c1`},
		{name: "it goes on", want: "no liveness probe runs", got: "one does", history: oneProbed + `
			cri ExecSync c1 probe start -> 0
			user DELETE a 6
			cri StopContainer c1 6 ... <<
			+2s
			cri ExecSync c1 probe live -> 0 <<
			cri <- c1`},
	},
}
