package node

// crashed is a container that has ended twice.
const crashed = oneRuns + `
	cri ContainerStatus c1 EXITED 1
	cri CreateContainer p1/c -> c2
	cri StartContainer c2
	cri ContainerStatus c2 EXITED 1
`

// neverStarted is a pod whose init container was created and not started, and removed as its sandbox has ended.
const neverStarted = `
	user PUT a {spec: {initContainers: [{name: x}], containers: [{name: c}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/x -> x1
	cri StartContainer x1 ! Unavailable
	user END-SANDBOX a
	cri StopPodSandbox p1
	cri RemoveContainer x1
	cri RunPodSandbox a -> p2
`

// oneRuled is a pod that never restarts, but for the exit code 42 of its container.
const oneRuled = `
	user PUT a {spec: {restartPolicy: Never, containers: [{name: c, restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
	agent PATCH pods/status a {status: {phase: Running}}
`

var restartHistories = map[string][]judgedHistory{
	"restart/single": {
		{name: "in a second sandbox, when the first is gone", untested: true, history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2
			user END-SANDBOX a
			cri PodSandboxStatus p1 NOTREADY
			cri CreateContainer p2/c -> c2
			cri StartContainer c2`},
		{name: "in a second sandbox, beside the first", want: "the container c of before has ended", got: "it was not seen to have", history: oneRuns + `
			user TWIN-SANDBOX a
			cri ListPodSandbox p1 p2
			cri CreateContainer p2/c -> c2
			cri StartContainer c2 <<
			<< cri CreateContainer p1/c`},
		{name: "an agent dies while it starts one, and the next one looks before that is done", untested: true, history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1 ...
			KILL
			START {}
			cri CreateContainer p1/c -> c2
			cri <- c1
			cri StartContainer c2`},
		{name: "an agent dies while it starts one, and the next one has seen it run", want: "the container c of before has ended", got: "it was not seen to have", history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1 ...
			KILL
			cri <- c1
			START {}
			+30s
			cri CreateContainer p1/c -> c2
			cri StartContainer c2 <<
			<< cri CreateContainer p1/c`},
		{name: "one after the other", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2
			cri StartContainer c2`},
		{name: "it ends with its sandbox", history: oneRuns + `
			user DELETE a 3
			cri StopPodSandbox p1
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/c -> c2
			cri StartContainer c2`},
		{name: "it could not be started", untested: true, history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1 ! Unknown
			cri CreateContainer p1/c -> c2
			cri StartContainer c2`},
		{name: "side by side", want: "the container c of before has ended", got: "it was not seen to have", history: oneRuns + `
			<< CreateContainer
			cri CreateContainer p1/c -> c2
			cri StartContainer c2 <<
			cri ContainerStatus c1 EXITED 1`},
		{name: "while the old one is stopped", want: "the container c of before has ended", got: "it was not seen to have", history: oneProbed + `
			<< CreateContainer
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 3 ...
			cri CreateContainer p1/c -> c2
			cri StartContainer c2 <<
			cri <- c1`},
		{name: "static pods of one name", want: "the container c of before has ended", got: "it was not seen to have", also: "static/replace", history: staticRuns + `
			<< CreateContainer
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri RunPodSandbox s -> p2
			cri CreateContainer p2/c -> c2
			cri StartContainer c2 <<`},
	},
	"restart/reason": {
		{name: "another answer of the manifest URL", history: "user SERVE 200 {body: one}" + staticRuns + `
			user SERVE 200 {body: none}
			cri StopContainer c1 3`},
		{name: "an error of the manifest URL", want: "the container c of default/s-node-1 goes on", got: "it is stopped", history: staticRuns + `
			<< StartContainer c1
			user SERVE 500
			cri StopContainer c1 3 <<`},
		{name: "it goes on", history: oneRuns + `
			user EDIT a {metadata: {labels: {x: z}}}
			user STATUS a {status: {phase: Pending}}
			KILL
			START`},
		{name: "its pod is deleted", history: oneRuns + `
			user DELETE a 3
			cri StopContainer c1 3`},
		{name: "a static pod is past its deadline, and nothing can be told", history: `
			user MANIFEST s {spec: {activeDeadlineSeconds: 6}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			+7s
			cri StopContainer c1 2`},
		{name: "a static pod without one", want: "goes on", got: "it is stopped", history: staticRuns + `
			<< StartContainer
			+7s
			cri StopContainer c1 2 <<`},
		{name: "its image has changed", history: oneRuns + `
			user EDIT a {spec: {containers: [{name: c, image: "y:1"}]}}
			cri StopContainer c1 3`},
		{name: "its probe has failed", history: oneProbed + `
			cri ExecSync c1 probe start -> 1
			cri ExecSync c1 probe start -> 1
			cri StopContainer c1 3`},
		{name: "its sandbox is gone", history: oneRuns + `
			cri PodSandboxStatus p1 NOTREADY
			cri StopContainer c1 3
			cri StopPodSandbox p1`},
		{name: "its manifest has changed", history: staticRuns + `
			user MANIFEST s {metadata: {labels: {x: z}}}
			cri StopContainer c1 3`},
		{name: "its deadline is over", history: `
			user PUT a {spec: {activeDeadlineSeconds: 5}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			+6s
			cri StopContainer c1 3`},
		{name: "another container has ended, and none restarts", history: `
			user PUT a {spec: {restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri StartContainer s1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			cri ContainerStatus c1 EXITED 0
			cri StopContainer s1 3`},
		{name: "the probe of another container has failed, and none restarts", history: `
			user PUT a {spec: {restartPolicy: Never, initContainers: [{name: s, restartPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/s -> s1
			cri StartContainer s1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			cri ExecSync c1 probe live -> 1
			cri StopContainer s1 2
			cri StopContainer c1 2`},
		{name: "for a label", want: "the container c of default/a goes on", got: "nothing that the story did is a reason", history: oneRuns + `
			<< StartContainer
			user EDIT a {metadata: {labels: {x: z}}}
			cri StopContainer c1 3 <<`},
		{name: "for a status", want: "goes on", got: "it is stopped", history: oneRuns + `
			<< StartContainer
			user STATUS a {status: {phase: Pending}}
			cri StopContainer c1 3 <<`},
		{name: "for a restart of the agent", want: "goes on", got: "it is stopped", history: oneRuns + `
			<< StartContainer
			KILL
			START
			cri StopPodSandbox p1 <<`},
		{name: "it is removed", also: "container-gc/dead", want: "goes on", got: "it is stopped", history: oneRuns + `
			<< StartContainer
			cri RemoveContainer c1 <<`},
	},
	"restart/policy": {
		{name: "Always", history: oneRuns + `
			cri ContainerStatus c1 EXITED 0
			cri CreateContainer p1/c -> c2`},
		{name: "OnFailure, after a failure", history: oneRuns + `
			api MODIFIED a {spec: {restartPolicy: OnFailure}}
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2`},
		{name: "Never, in another sandbox", untested: true, history: oneRuns + `
			api MODIFIED a {spec: {restartPolicy: Never}}
			cri ContainerStatus c1 EXITED 0
			cri StopPodSandbox p1
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/c -> c2`},
		{name: "a policy of its own", untested: true, history: oneRuns + `
			api MODIFIED a {spec: {restartPolicy: Never, containers: [{name: c, restartPolicy: Always}]}}
			cri ContainerStatus c1 EXITED 0
			cri CreateContainer p1/c -> c2`},
		{name: "OnFailure, after a success", want: "the policy is OnFailure, and it ended with 0", got: "it is", history: oneRuns + `
			api MODIFIED a {spec: {restartPolicy: OnFailure}}
			cri ContainerStatus c1 EXITED 0 <<
			cri CreateContainer p1/c -> c2 <<`},
		{name: "Never", want: "the policy is Never, and it ended with 1", got: "it is", history: oneRuns + `
			api MODIFIED a {spec: {restartPolicy: Never}}
			cri ContainerStatus c1 EXITED 1 <<
			cri CreateContainer p1/c -> c2 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED restart/policy <<"},
	},
	"restart/count": {
		{name: "one more", history: crashed + `
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, restartCount: 1}]}}`},
		{name: "the runtime has forgotten them", untested: true, history: oneRuns + `
			user RESTART x forgets
			cri RunPodSandbox a {config: {metadata: {attempt: 0}}} -> p2
			cri CreateContainer p2/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2`},
		{name: "one that the agent was not told of", history: oneRuns + `
			user RUNTIME-FAULT f
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c ! DeadlineExceeded
			cri CreateContainer p1/c -> c2`},
		{name: "a static pod whose container was perhaps removed, as the agent died", untested: true, history: staticRuns + `
			cri ContainerStatus c1 EXITED 1
			cri StopPodSandbox p1
			cri RemoveContainer c1 ! Canceled
			KILL
			START
			cri RunPodSandbox s {config: {metadata: {attempt: 1}}} -> p2
			cri CreateContainer p2/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2`},
		{name: "a static pod that came back", untested: true, history: staticRuns + `
			user MANIFEST s
			cri StopContainer c1 3
			cri StopPodSandbox p1
			cri RemoveContainer c1
			user MANIFEST s {}
			cri RunPodSandbox h1 -> p2
			cri CreateContainer p2/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2`},
		{name: "one that was forgotten before it was started", untested: true, history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1 ! DeadlineExceeded
			user FORGET a/c
			cri CreateContainer p1/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2`},
		{name: "one that never started is removed for want of a sandbox, and a later sync begins anew", untested: true, history: neverStarted + `
			cri ListContainers
			cri CreateContainer p2/x {config: {metadata: {attempt: 0}, log_path: x/0.log}} -> x2`},
		{name: "one that never started is removed for want of a sandbox, and the same sync goes on", want: "the attempt of x is 1", got: "0", history: neverStarted + `
			<< CreateContainer
			cri CreateContainer p2/x {config: {metadata: {attempt: 0}, log_path: x/0.log}} -> x2 <<`},
		{name: "a sidecar that ran is removed for want of a sandbox, and a later sync begins anew", untested: true, history: oneSidecar + `
			user DROP-ADDRESS a
			cri StopPodSandbox p1
			cri RemoveContainer s1
			cri RunPodSandbox a {config: {metadata: {attempt: 1}}} -> p2
			cri ListContainers
			cri CreateContainer p2/s {config: {metadata: {attempt: 0}, log_path: s/0.log}} -> s2`},
		{name: "one that ran and was forgotten", want: "the attempt of c is 1", got: "0", history: oneRuns + `
			<< CreateContainer
			user FORGET a/c
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2 <<`},
		{name: "the same", want: "the attempt of c is 1", got: "0", history: oneRuns + `
			<< CreateContainer
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {config: {metadata: {attempt: 0}, log_path: c/0.log}} -> c2 <<`},
		{name: "a runtime answers the next agent with the container that it has made", untested: true, history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1
			KILL
			START
			cri CreateContainer p1/c -> c1
			cri StartContainer c1`},
		{name: "one is left out", want: "the attempt of c is 1", got: "2", history: oneRuns + `
			<< CreateContainer
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c {config: {metadata: {attempt: 2}, log_path: c/2.log}} -> c2 <<`},
		{name: "a mirror pod tells of the static pod that replaced its own", untested: true, history: `
			user MANIFEST s {metadata: {labels: {x: z}}}
			agent CREATE pods h1
			agent PATCH pods/status h1 {status: {containerStatuses: [{name: c, restartCount: 2}]}}
			user MANIFEST s {}
			cri RunPodSandbox h2 -> p1
			agent PATCH pods/status h1 {status: {containerStatuses: [{name: c, restartCount: 0}]}}`},
		{name: "the status goes back", want: "does not go back from 2", got: "1", history: oneRuns + `
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, restartCount: 2}]}} <<
			agent PATCH pods/status a {status: {containerStatuses: [{name: c, restartCount: 1}]}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED restart/count <<"},
	},
	"restart/back-off": {
		{name: "longer and longer", history: crashed + `
			+10s
			cri CreateContainer p1/c -> c3
			cri StartContainer c3
			cri ContainerStatus c3 EXITED 1
			+15s
			cri CreateContainer p1/c -> c4`},
		{name: "a later agent waits longer", history: crashed + `
			+10s
			cri CreateContainer p1/c -> c3
			KILL
			START {backOff: 300s}`},
		{name: "it ran for long", untested: true, history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2
			cri StartContainer c2
			+20s
			cri ContainerStatus c2 EXITED 1
			cri CreateContainer p1/c -> c3`},
		{name: "the agent has forgotten", untested: true, history: crashed + `
			KILL
			START
			cri CreateContainer p1/c -> c3`},
		{name: "as the agent was started", history: "START {backOff: 5s}" + crashed + `
			+5s
			cri CreateContainer p1/c -> c3`},
		{name: "at once", want: "10s after the end", got: "1s", history: crashed + `
			<< ContainerStatus c2
			+1s
			cri CreateContainer p1/c -> c3 <<`},
		{name: "no longer", want: "15s after the end", got: "10s", history: crashed + `
			+10s
			cri CreateContainer p1/c -> c3
			cri StartContainer c3
			cri ContainerStatus c3 EXITED 1 <<
			+10s
			cri CreateContainer p1/c -> c4 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED restart/back-off <<"},
	},
	"restart/rules": {
		{name: "it is restarted", history: oneRuled + `
			cri ContainerStatus c1 EXITED 42
			cri CreateContainer p1/c -> c2
			cri StartContainer c2
			cri ContainerStatus c2 EXITED 1
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "no rule has its code", untested: true, history: oneRuled + `
			cri ContainerStatus c1 EXITED 1
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "its pod is deleted", untested: true, history: oneRuled + `
			cri ContainerStatus c1 EXITED 42
			user DELETE a 3
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "its pod is evicted", untested: true, history: oneRuled + `
			cri ContainerStatus c1 EXITED 42
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted, conditions: [{type: DisruptionTarget, status: "True", reason: TerminationByKubelet}]}}`},
		{name: "its pod has failed", want: "c is restarted: a rule of it has the exit code 42", got: "the pod is Failed", history: oneRuled + `
			cri ContainerStatus c1 EXITED 42 <<
			agent PATCH pods/status a {status: {phase: Failed}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED restart/rules <<"},
	},
	"restart/ephemeral": {
		{name: "once", history: oneRuns + `
			user EDIT a {spec: {ephemeralContainers: [{name: e}]}}
			cri CreateContainer p1/e -> e1
			cri StartContainer e1
			cri ContainerStatus e1 EXITED 1`},
		{name: "in a new sandbox", history: oneRuns + `
			user EDIT a {spec: {ephemeralContainers: [{name: e}]}}
			cri CreateContainer p1/e -> e1
			cri PodSandboxStatus p1 NOTREADY
			cri RunPodSandbox a -> p2
			cri CreateContainer p2/e -> e2`},
		{name: "again", want: "e is created once", got: "twice", history: oneRuns + `
			user EDIT a {spec: {ephemeralContainers: [{name: e}]}}
			cri CreateContainer p1/e -> e1 <<
			cri StartContainer e1
			cri ContainerStatus e1 EXITED 1
			cri CreateContainer p1/e -> e2 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED restart/ephemeral <<"},
	},
	"pleg/exit": {
		{name: "soon", history: oneRuns + `
			runtime EXIT c1
			+2s
			cri ContainerStatus c1 EXITED 1`},
		{name: "the runtime fails", untested: true, history: oneRuns + `
			user RUNTIME-FAULT f
			runtime EXIT c1
			+20s
			cri ContainerStatus c1 EXITED 1`},
		{name: "the agent was killed", untested: true, history: oneRuns + `
			KILL
			runtime EXIT c1
			+20s
			START
			cri ContainerStatus c1 EXITED 1`},
		{name: "late", want: "within 10s", got: "12s", history: oneRuns + `
			runtime EXIT c1 <<
			+12s
			cri ContainerStatus c1 EXITED 1 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED pleg/exit <<"},
	},
	"pleg/events":  keeps("pleg/events"),
	"pleg/stuck":   keeps("pleg/stuck"),
	"pleg/streams": keeps("pleg/streams"),
}
