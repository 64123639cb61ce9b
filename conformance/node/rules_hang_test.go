package node

// stopping is a pod a whose stop takes long, beside a pod b that runs. The agent waits a minute for most answers.
const stopping = `
	KILL
	START {timeout: 1m}
	user PUT a
	cri RunPodSandbox a -> p1
	cri CreateContainer p1/c -> c1
	cri StartContainer c1
	user PUT b
	cri RunPodSandbox b -> p2
	cri CreateContainer p2/c -> c2
	cri StartContainer c2
	user RUNTIME-FAULT f {method: StopContainer, hang: true}
	user DELETE a 3
	cri StopContainer c1 3 ...
	+1s
`

// waiting is an agent that waits three seconds for most answers.
const waiting = `
	KILL
	START {timeout: 3s}
	user PUT a
`

var hangHistories = map[string][]judgedHistory{
	"fault/deadline": {
		{name: "it gives up", history: waiting + `
			cri RunPodSandbox a ...
			+6s
			cri <- a ! DeadlineExceeded`},
		{name: "the grace counts", history: oneRuns + `
			KILL
			START {timeout: 3s}
			user DELETE a 30
			cri StopContainer c1 30 ...
			+33s
			cri <- c1 ! DeadlineExceeded`},
		{name: "the agent is killed meanwhile", untested: true, history: waiting + `
			cri RunPodSandbox a ...
			+6s
			KILL
			+1m
			START`},
		{name: "a pull takes its time", untested: true, history: waiting + `
			cri PullImage x:1 a ...
			+10m
			cri <- x:1`},
		{name: "it waits for ever", want: "RunPodSandbox is given up after 6s", got: "it goes on for 1m0s", history: waiting + `
			cri RunPodSandbox a ... <<
			+1m
			user FILL 1`},
		{name: "it waits for too long", want: "RunPodSandbox is given up after 6s", got: "it goes on for 20s", history: waiting + `
			cri RunPodSandbox a ... <<
			+20s
			cri <- a ! DeadlineExceeded`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED fault/deadline <<"},
	},
	"fault/independent": {
		{name: "another pod comes", history: stopping + `
			user PUT d
			+2s
			cri RunPodSandbox d -> p3
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "another pod is deleted", history: stopping + `
			user DELETE b 3
			+2s
			cri StopContainer c2 3
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "nothing else happens", untested: true, history: stopping + `
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "the API server is away", untested: true, history: stopping + `
			user REFUSE
			user PUT d
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "lists hang, too", untested: true, history: stopping + `
			user RUNTIME-FAULT g {method: ListContainers, hang: true}
			user PUT d
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "the agent is killed", untested: true, history: stopping + `
			user PUT d
			+1s
			KILL
			+20s
			START`},
		{name: "it waits for an image volume", untested: true, history: stopping + `
			user PUT d {spec: {volumes: [{name: x, secret: {secretName: x}}]}}
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "nothing is done for a new pod", want: "default/d is begun within 10s, while StopContainer of another pod is not answered", got: "nothing is done", history: stopping + `
			<< cri StopContainer
			user PUT d <<
			+20s
			cri <- c1 ! DeadlineExceeded
			cri RunPodSandbox d -> p3`},
		{name: "a new pod is refused", history: stopping + `
			user PUT d
			agent PATCH pods/status d {status: {phase: Failed, reason: OutOfcpu}}
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "only the status of a new pod is written", want: "default/d is begun within 10s", got: "nothing is done", history: stopping + `
			<< cri StopContainer
			user PUT d <<
			agent PATCH pods/status d {status: {phase: Pending, message: x}}
			+20s
			cri <- c1 ! DeadlineExceeded`},
		{name: "a pod that is deleted is only probed", want: "default/b is stopped within 10s after its deletion", got: "nothing is done", history: stopping + `
			<< cri StopContainer
			user DELETE b 3 <<
			+5s
			cri ExecSync c2 probe live -> 0
			+20s
			cri <- c1 ! DeadlineExceeded
			cri StopContainer c2 2`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED fault/independent <<"},
	},
}
