package node

// gatedRuns is a pod with a readiness gate.
const gatedRuns = `
	user PUT a {spec: {readinessGates: [{conditionType: x}]}}
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
`

// runsTwice is a pod whose container failed, ran again, and ended well.
const runsTwice = oneRuns + `
	cri ContainerStatus c1 EXITED 1
	cri CreateContainer p1/c -> c2
	cri StartContainer c2
	user DELETE a 3
	cri ContainerStatus c2 EXITED 0
	agent PATCH pods/status a {status: {phase: Succeeded}}
`

var statusHistories = map[string][]judgedHistory{
	"phase/monotone": {
		{name: "all of them", history: oneRuns + `
			cri ContainerStatus c1 EXITED 0
			agent PATCH pods/status a {status: {phase: Succeeded}}`},
		{name: "one is left out", history: `
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "back, as the sandbox is gone", history: oneRuns + `
			user END-SANDBOX a
			agent PATCH pods/status a {status: {phase: Pending}}`},
		{name: "nothing is left of a static pod, and the next agent runs it anew", untested: true, history: staticRuns + `
			agent CREATE pods s {status: {phase: Succeeded}}
			cri ContainerStatus c1 EXITED 0
			cri RemoveContainer c1
			cri StopPodSandbox p1
			KILL
			START
			cri RunPodSandbox s -> p2
			cri CreateContainer p2/c -> c2
			agent PATCH pods/status s {status: {phase: Running}}`},
		{name: "perhaps nothing is left of it: the agent died while it removed the container", untested: true, history: staticRuns + `
			agent CREATE pods s {status: {phase: Failed}}
			cri ContainerStatus c1 EXITED 1
			cri StopPodSandbox p1
			cri RemoveContainer c1 ! Canceled
			KILL
			START
			cri RunPodSandbox s -> p2
			cri CreateContainer p2/c -> c2
			agent PATCH pods/status s {status: {phase: Running}}`},
		{name: "the manifest URL tells another pod of its name", history: servedRuns + `
			cri ContainerStatus c1 EXITED 1
			agent PATCH pods/status s {status: {phase: Failed}}
			user SERVE 200 {body: {items: [{metadata: {name: s, namespace: default, labels: {x: z}}}]}}
			agent PATCH pods/status s {status: {phase: Pending}}`},
		{name: "the manifest URL tells the same pod", want: "a phase that may follow \"Failed\"", got: "Pending", history: servedRuns + `
			cri ContainerStatus c1 EXITED 1
			agent PATCH pods/status s {status: {phase: Failed}} <<
			user SERVE 200 {body: {items: [{metadata: {name: s, namespace: default}}]}}
			agent PATCH pods/status s {status: {phase: Pending}} <<`},
		{name: "the next agent forgets that a static pod has ended", want: "a phase that may follow \"Succeeded\"", got: "Pending", history: staticRuns + `
			agent CREATE pods s {status: {phase: Succeeded}}
			<< agent CREATE pods s
			cri ContainerStatus c1 EXITED 0
			KILL
			START
			agent PATCH pods/status s {status: {phase: Pending}} <<`},
		{name: "a static pod that has ended is past its deadline", want: "a phase that may follow \"Succeeded\"", got: "\"Failed\" for its deadline, of a static pod", history: `
			user MANIFEST s {spec: {activeDeadlineSeconds: 5}}
			cri RunPodSandbox s -> p1
			cri CreateContainer p1/c -> c1
			cri StartContainer c1
			agent CREATE pods s {spec: {activeDeadlineSeconds: 5}}
			cri ContainerStatus c1 EXITED 0
			agent PATCH pods/status s {status: {phase: Succeeded, startTime: "2000-01-01T00:00:00Z"}} <<
			+6s
			agent PATCH pods/status s {status: {phase: Failed, reason: DeadlineExceeded}} <<`},
		{name: "the deadline of a static pod begins anew with the next agent", untested: true, history: `
			user MANIFEST s {spec: {activeDeadlineSeconds: 5}}
			cri RunPodSandbox s -> p1
			agent CREATE pods s {spec: {activeDeadlineSeconds: 5}, status: {phase: Failed}}
			KILL
			START {}
			agent PATCH pods/status s {status: {phase: Running}}`},
		{name: "a static pod comes back under the same agent", want: `a phase that may follow "Failed"`, got: `"Running"`, history: `
			user MANIFEST s {spec: {activeDeadlineSeconds: 5}}
			cri RunPodSandbox s -> p1
			agent CREATE pods s {spec: {activeDeadlineSeconds: 5}}
			agent PATCH pods/status s {status: {phase: Failed}} <<
			agent PATCH pods/status s {status: {phase: Running}} <<`},
		{name: "another end, as a container is left that never started", history: oneRuns + `
			cri ContainerStatus c1 EXITED 1
			cri CreateContainer p1/c -> c2
			cri StartContainer c2 ! DeadlineExceeded
			agent PATCH pods/status a {status: {phase: Succeeded}}
			cri RemoveContainer c1
			cri StopPodSandbox p1
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "another end, as the last run is removed before the one of before", history: runsTwice + `
			cri RemoveContainer c2
			cri ListContainers c1 p1/c
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "another end, while the last run is there", want: `a phase that may follow "Succeeded"`, got: `"Failed"`, history: runsTwice + `
			<< PATCH pods/status a {status: {phase: Succeeded
			cri ListContainers c1 p1/c
			cri RemoveContainer c2
			agent PATCH pods/status a {status: {phase: Failed}} <<`},
		{name: "another end, as the run of before is removed", want: `a phase that may follow "Succeeded"`, got: `"Failed"`, history: runsTwice + `
			<< PATCH pods/status a {status: {phase: Succeeded
			cri RemoveContainer c1
			cri StopPodSandbox p1
			cri ListContainers c2 p1/c
			agent PATCH pods/status a {status: {phase: Failed}} <<`},
		{name: "the story writes it", untested: true, history: `
			user PUT a
			user STATUS a {status: {phase: Unknown}}`},
		{name: "a static pod begins anew before the agent hears of its mirror pod", untested: true, history: `
			user MANIFEST s {spec: {restartPolicy: Never}}
			agent CREATE pods s
			user RESTART forgets
			KILL
			START
			agent PATCH pods/status s {status: {phase: Failed}}
			agent PATCH pods/status s {status: {phase: Pending}}`},
		{name: "the mirror pod of another manifest, which has not run", history: `
			user MANIFEST s {spec: {restartPolicy: Never}}
			agent CREATE pods h1
			agent PATCH pods/status h1 {status: {phase: Failed}}
			user MANIFEST s {spec: {restartPolicy: Never, hostNetwork: true}}
			agent PATCH pods/status h1 {status: {phase: Pending}}`},
		{name: "a static pod begins anew", want: `a phase that may follow "Failed"`, got: `"Pending"`, history: `
			user MANIFEST s {spec: {restartPolicy: Never}}
			agent CREATE pods s
			agent PATCH pods/status s {status: {phase: Failed}} <<
			user MANIFEST x {}
			agent PATCH pods/status s {status: {phase: Pending}} <<`},
		{name: "back", want: `a phase that may follow "Running"`, got: `"Pending"`, history: oneRuns + `
			<< PATCH
			agent PATCH pods/status a {status: {phase: Pending}} <<`},
		{name: "Unknown", want: `a phase that may follow "Running"`, got: `"Unknown"`, history: oneRuns + `
			<< PATCH
			agent PATCH pods/status a {status: {phase: Unknown}} <<`},
		{name: "another end", want: `a phase that may follow "Succeeded"`, got: `"Failed"`, history: `
			user PUT a
			agent PATCH pods/status a {status: {phase: Succeeded}} <<
			agent PATCH pods/status a {status: {phase: Failed}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED phase/monotone <<"},
	},
	"phase/runs": keeps("phase/runs"),
	"phase/terminal": {
		{name: "all have ended", history: oneRuns + `
			cri ContainerStatus c1 EXITED 0
			agent PATCH pods/status a {status: {phase: Succeeded}}`},
		{name: "nothing ran", history: `
			user PUT a
			agent PATCH pods/status a {status: {phase: Failed}}`},
		{name: "one runs", want: "all containers have ended", got: "one has not: c", history: oneRuns + `
			<< StartContainer
			agent PATCH pods/status a {status: {phase: Failed}} <<`},
		{name: "one of a static pod runs", want: "all containers have ended", got: "one has not: c, of a static pod", history: staticRuns + `
			<< StartContainer
			agent CREATE pods s {status: {phase: Running}}
			agent PATCH pods/status s {status: {phase: Failed}} <<`},
		{name: "one is being stopped", want: "all containers have ended", got: "one has not: c", history: oneRuns + `
			<< StartContainer
			user DELETE a 3
			cri StopContainer c1 3 ...
			agent PATCH pods/status a {status: {phase: Failed}} <<
			cri <- c1`},
	},
	"status/patch": {
		{name: "with the UID", history: oneRuns},
		{name: "refused for another UID", history: `
			user PUT a
			agent PATCH pods/status a {metadata: {uid: u-b}, status: {phase: Running}} ! 409`},
		{name: "without", want: "the patch has the UID of the pod", got: "it has none", history: `
			user PUT a
			agent PATCH pods/status a {metadata: {uid: ""}, status: {phase: Running}} <<`},
	},
	"status/quiet": {
		{name: "each says something", history: oneRuns + `
			cri ContainerStatus c1 EXITED 0
			agent PATCH pods/status a {status: {phase: Succeeded}}`},
		{name: "it failed", history: oneRuns + `
			agent PATCH pods/status a {status: {phase: Running}} ! 500`},
		{name: "twice", want: "a write changes something", got: "the pod is as it was", history: oneRuns + `
			agent PATCH pods/status a {status: {phase: Running}} <<`},
	},
	"status/conditions": {
		{name: "it changes", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:05Z"}]}}`},
		{name: "it does not, and stays", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			agent PATCH pods/status a {status: {message: x}}`},
		{name: "there and back between two writes", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			cri ContainerStatus c1 EXITED 1
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:05Z"}]}}`},
		{name: "the manifest URL tells another pod of its name", history: servedRuns + `
			agent PATCH pods/status s {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			user SERVE 200 {body: {items: [{metadata: {name: s, namespace: default, labels: {x: z}}}]}}
			agent PATCH pods/status s {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:09Z"}]}}`},
		{name: "the next agent takes one away", want: "the condition x stays", got: "it is gone", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: x, status: "True"}]}} <<
			KILL
			START
			agent PATCH pods/status a {status: {conditions: [{type: x, $patch: delete}]}} <<`},
		{name: "the next agent refuses the pod", want: "the condition x stays", got: "it is gone, as the next agent refuses the pod", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: x, status: "True"}]}} <<
			user FILL 88
			KILL
			START
			agent PATCH pods/status a {status: {conditions: [{type: x, $patch: delete}]}} <<
			cri StopContainer c1 2
			agent PATCH pods/status a {status: {phase: Failed, reason: Evicted}}`},
		{name: "the story writes it", untested: true, history: oneRuns + `
			user STATUS a {status: {conditions: [{type: x, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			user STATUS a {status: {conditions: [{type: x, status: "True", lastTransitionTime: "2000-01-01T00:00:05Z"}]}}`},
		{name: "the agent was killed, and the story deletes the pod meanwhile", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			+10s
			KILL
			+10s
			user DELETE a 3
			START
			+10s
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:25Z"}]}}`},
		{name: "one of its own is taken back", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}, {type: PodResizeInProgress, status: "True"}]}}
			agent PATCH pods/status a {status: {conditions: [{type: PodResizeInProgress, $patch: delete}]}}`},
		{name: "the time alone changes", want: "the lastTransitionTime of Ready stays", got: "it changes", history: oneRuns + `
			+10s
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}} <<
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:05Z"}]}} <<`},
		{name: "the status alone changes", want: "the lastTransitionTime of Ready changes", got: "it stays", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}} <<
			+5s
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}} <<`},
		{name: "the next agent computes it in the same second, and writes it late", history: oneRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}
			KILL
			START
			+5s
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False", lastTransitionTime: "2000-01-01T00:00:00Z"}]}}`},
		{name: "that of somebody else goes", want: "the condition x stays", got: "it is gone", history: oneRuns + `
			user STATUS a {status: {conditions: [{type: x, status: "True", lastTransitionTime: "2000-01-01T00:00:00Z"}]}} <<
			agent PATCH pods/status a {status: {conditions: [{type: x, $patch: delete}]}} <<`},
		{name: "its sandbox was stopped", untested: true, history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			cri StopPodSandbox p1
			agent PATCH pods/status a {status: {phase: Running, conditions: [{type: Initialized, status: "True"}, {type: PodReadyToStartContainers, status: "False"}]}}`},
		{name: "it runs without a sandbox", want: "PodReadyToStartContainers is True", got: "False", history: oneInit + `
			cri ContainerStatus i1 EXITED 0
			agent PATCH pods/status a {status: {phase: Pending, message: x}}
			agent PATCH pods/status a {status: {phase: Running, conditions: [{type: Initialized, status: "True"}, {type: PodReadyToStartContainers, status: "False"}]}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED status/conditions <<"},
	},
	"status/readiness-gate": {
		{name: "after the condition", history: gatedRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "False"}]}}
			user STATUS a {status: {conditions: [{type: x, status: "True"}, {type: Ready, status: "False"}]}}
			agent PATCH pods/status a {status: {conditions: [{type: x, status: "True"}, {type: Ready, status: "True"}]}}
			user STATUS a {status: {conditions: [{type: x, status: "False"}, {type: Ready, status: "True"}]}}`},
		{name: "no gate", untested: true, history: oneReady},
		{name: "the mirror pod of another manifest", untested: true, history: `
			user MANIFEST s {spec: {readinessGates: [{conditionType: x}]}}
			agent CREATE pods h1
			agent PATCH pods/status h1 {status: {conditions: [{type: Ready, status: "False"}]}}
			user MANIFEST s {}
			agent PATCH pods/status h1 {status: {conditions: [{type: Ready, status: "True"}]}}`},
		{name: "before, of a static pod", want: "x is True before the pod is Ready", got: "it is not", history: `
			user MANIFEST s {spec: {readinessGates: [{conditionType: x}]}}
			agent CREATE pods h1
			agent PATCH pods/status h1 {status: {conditions: [{type: Ready, status: "False"}]}}
			agent PATCH pods/status h1 {status: {conditions: [{type: Ready, status: "True"}]}} <<`},
		{name: "before", want: "x is True before the pod is Ready", got: "it is not", history: gatedRuns + `
			agent PATCH pods/status a {status: {conditions: [{type: Ready, status: "True"}]}} <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED status/readiness-gate <<"},
	},
	"status/generation": {
		{name: "that of the spec", history: oneRuns + `
			agent PATCH pods/status a {status: {observedGeneration: 1}}
			user EDIT a {metadata: {generation: 2}}
			agent PATCH pods/status a {status: {observedGeneration: 2, conditions: [{type: Ready, status: "False", observedGeneration: 1}]}}`},
		{name: "an old one", history: oneRuns + `
			user EDIT a {metadata: {generation: 2}}
			agent PATCH pods/status a {status: {observedGeneration: 1}}`},
		{name: "ahead", want: "at most the generation 1", got: "2", history: oneRuns + `
			agent PATCH pods/status a {status: {observedGeneration: 2}} <<`},
		{name: "back", want: "not less than 2", got: "1", history: oneRuns + `
			user EDIT a {metadata: {generation: 2}}
			agent PATCH pods/status a {status: {observedGeneration: 2}}
			agent PATCH pods/status a {status: {observedGeneration: 1}} <<`},
		{name: "a condition ahead", want: "Ready is of the generation 1 at most", got: "2", history: oneRuns + `
			agent PATCH pods/status a {status: {observedGeneration: 1, conditions: [{type: Ready, status: "False", observedGeneration: 2}]}} <<`},
	},
	"status/revert": keeps("status/revert"),
}
