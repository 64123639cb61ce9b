package runtime

// manyPods are two sandboxes and four containers, one in each state, with ids long enough to be cut.
const manyPods = `
	c1 RunPodSandbox a -> p1-0123456789
	c1 RunPodSandbox b -> p2-0123456789
	c1 CreateContainer a/runs work=forever -> k1-0123456789
	c1 StartContainer a/runs
	c1 CreateContainer a/ended work=succeeds -> k2-0123456789
	c1 StartContainer a/ended
	c1 ContainerStatus a/ended -> EXITED
	c1 CreateContainer b/new work=forever -> k3-0123456789
`

var listHistories = map[string][]judged{
	"list/complete": {
		{name: "everything", history: manyPods + `
			c1 ListContainers -> k1-0123456789:RUNNING k2-0123456789:EXITED k3-0123456789:CREATED
			c1 ListPodSandbox -> p1-0123456789:READY p2-0123456789:READY`},
		{name: "by state", history: manyPods + `
			c1 ListContainers state=CONTAINER_RUNNING -> k1-0123456789:RUNNING
			c1 ListContainers state=CONTAINER_EXITED -> k2-0123456789:EXITED
			c1 ListContainers state=CONTAINER_CREATED -> k3-0123456789:CREATED
			c1 ListPodSandbox state=SANDBOX_READY -> p1-0123456789:READY p2-0123456789:READY
			c1 StopPodSandbox b
			c1 ListPodSandbox state=SANDBOX_READY -> p1-0123456789:READY
			c1 ListPodSandbox state=SANDBOX_NOTREADY -> p2-0123456789:NOTREADY`},
		{name: "by id, and the beginning of one", history: manyPods + `
			c1 ListContainers of=a/runs -> k1-0123456789:RUNNING
			c1 ListContainers of=a/runs short=true -> k1-0123456789:RUNNING
			c1 ListPodSandbox of=b short=true -> p2-0123456789:READY`},
		{name: "by sandbox, and by state too", history: manyPods + `
			c1 ListContainers of=a -> k1-0123456789:RUNNING k2-0123456789:EXITED
			c1 ListContainers of=b state=CONTAINER_RUNNING ->`},
		{name: "of others, too", history: oneMade + `
			c1 ListContainers -> k1:CREATED other:RUNNING
			c1 ListPodSandbox -> p1:READY other:READY`},
		{name: "what is being made, and what is being removed", untested: true, history: `
			c2 RunPodSandbox a ...
			c1 ListPodSandbox ->
			c1 ListPodSandbox -> p1:READY
			c2 <- p1
			c2 RemovePodSandbox a ...
			c1 ListPodSandbox ->
			c2 <- ! DeadlineExceeded
			c1 ListPodSandbox ->`},
		{name: "what is being started or stopped, by state", untested: true, history: oneMade + `
			c2 StartContainer a/c ...
			c1 ListContainers state=CONTAINER_RUNNING ->
			c1 ListContainers state=CONTAINER_CREATED ->
			c2 <-
			c2 StopContainer a/c grace=5 ...
			c1 ListContainers state=CONTAINER_RUNNING ->
			c1 ListContainers state=CONTAINER_EXITED ->
			c2 <-`},
		{name: "what may have ended", history: oneEnds + `
			c1 ListContainers -> k1:RUNNING
			c1 ListContainers -> k1:EXITED
			c1 ListContainers state=CONTAINER_EXITED ->`},
		{name: "a sandbox that is being stopped, by state", untested: true, history: onePod + `
			c1 StopPodSandbox a ! DeadlineExceeded
			c1 ListPodSandbox state=SANDBOX_READY ->
			c1 ListPodSandbox state=SANDBOX_NOTREADY ->`},
		{name: "what an unanswered call has made", untested: true, history: `
			c1 RunPodSandbox a ! DeadlineExceeded
			c1 ListPodSandbox ->
			c1 ListPodSandbox -> p1:READY`},
		{name: "it fails", untested: true, history: oneMade + `
			c1 ListContainers ! Unknown out of order
			c1 ListPodSandbox ...`},
		{name: "after a restart", history: oneMade + `
			KILL
			START
			c1 ListContainers -> k1:CREATED
			c1 ListPodSandbox -> p1:READY`},
		{name: "one is missing", want: "a/c (k1), which is there", got: "a list without it", history: oneMade + `
			<< CreateContainer a/c
			c1 ListContainers -> <<`},
		{name: "one is missing by state", want: "a/c (k1), which is there", got: "a list without it", history: oneRuns + `
			<< CreateContainer a/c
			c1 ListContainers state=CONTAINER_RUNNING -> <<`},
		{name: "a sandbox is missing after a restart", want: "a (p1), which is there", got: "a list without it", history: onePod + `
			<< RunPodSandbox a
			KILL
			START
			c1 ListPodSandbox -> <<`},
		{name: "a stream lacks one", want: "a/c (k1), which is there", got: "a list without it", history: oneMade + `
			<< CreateContainer a/c
			c1 StreamContainers -> <<`},
		{name: "twice", want: "each item once", got: "k1 twice", history: oneMade + `
			c1 ListContainers -> k1:CREATED k1:CREATED <<`},
		{name: "another state", want: "only what the filter lets through", got: "a/c (k1)", history: oneMade + `
			<< CreateContainer a/c
			c1 ListContainers state=CONTAINER_RUNNING -> k1:CREATED <<`},
		{name: "another sandbox", want: "only what the filter lets through", got: "a/c (k1)", history: oneMade + `
			<< CreateContainer a/c
			c1 RunPodSandbox b -> p2
			c1 ListContainers of=b -> k1:CREATED <<`},
		{name: "a sandbox in another state", want: "only what the filter lets through", got: "a (p1)", history: onePod + `
			<< RunPodSandbox a
			c1 StopPodSandbox a
			c1 ListPodSandbox state=SANDBOX_READY -> p1:NOTREADY <<`},
		{name: "one that contradicts the filter", want: "only containers in the state CONTAINER_RUNNING", got: "CONTAINER_EXITED", history: oneEnds + `
			c1 ListContainers state=CONTAINER_RUNNING -> k1:EXITED <<`},
		{name: "in a wrong state", want: "a/c in the state CONTAINER_RUNNING", got: "CONTAINER_CREATED", history: oneRuns + `
			<< CreateContainer a/c
			c1 ListContainers -> k1:CREATED <<`},
		{name: "without its attempt", want: "the metadata, the labels", got: "p1", history: onePod + `
			c1 CreateContainer a/c attempt=2 -> k1 <<
			c1 ListContainers -> k1:CREATED{"metadata":{"attempt":0}} <<`},
		{name: "a container that is being made", untested: true, history: onePod + `
			c2 CreateContainer a/c ...
			c1 ListContainers ->
			c2 <- k1`},
		{name: "a sandbox that was stopped", history: onePod + `
			c1 RunPodSandbox b -> p2
			c1 StopPodSandbox a
			c1 ListPodSandbox -> p1:NOTREADY p2:READY`},
		{name: "by label and by state", history: manyPods + `
			c1 ListContainers label=new state=CONTAINER_CREATED -> k3-0123456789:CREATED
			c1 ListContainers label=new state=CONTAINER_RUNNING ->
			c1 ListPodSandbox label=b state=SANDBOX_NOTREADY ->`},
		{name: "the state is ignored beside an id", want: "only what the filter lets through", got: "a/c (k1)", history: oneRuns + `
			<< CreateContainer a/c
			c1 ListContainers of=a/c state=CONTAINER_CREATED -> k1:RUNNING <<`},
		{name: "a sandbox by id and by state", history: manyPods + `
			c1 ListPodSandbox of=b state=SANDBOX_READY -> p2-0123456789:READY`},
		{name: "a sandbox is missing by state", want: "a (p1), which is there", got: "a list without it", history: onePod + `
			<< RunPodSandbox a
			c1 ListPodSandbox state=SANDBOX_READY -> <<`},
		{name: "one that was stopped before its start, as in CRI-O", history: oneMade + `
			c1 StopContainer a/c grace=0
			c1 ListContainers state=CONTAINER_CREATED ->
			c1 ListContainers -> k1:EXITED`},
		{name: "one whose start failed", history: oneMade + `
			c1 StartContainer a/c ! Unknown out of order
			c1 ListContainers state=CONTAINER_RUNNING ->
			c1 ListContainers -> k1:EXITED`},
		{name: "what may have ended since it was asked for", history: oneEnds + `
			c1 ContainerStatus a/c -> RUNNING
			c1 ListContainers -> k1:RUNNING
			c1 ListContainers state=CONTAINER_RUNNING ->`},
	},
	"stream/same": {
		{name: "what the list has", history: oneRuns + `
			c1 ListContainers -> k1:RUNNING
			c1 StreamContainers -> k1:RUNNING
			c1 ListPodSandbox state=SANDBOX_NOTREADY ->
			c1 StreamPodSandboxes state=SANDBOX_NOTREADY ->
			c1 ListContainerStats -> k1:100
			c1 StreamContainerStats -> k1:200
			c1 ListPodSandboxStats -> p1
			c1 StreamPodSandboxStats -> p1
			c1 ListPodSandboxMetrics -> p1
			c1 StreamPodSandboxMetrics -> p1
			c1 ListImages -> i1:5
			c1 StreamImages -> i1:5`},
		{name: "in another order", history: oneRuns + `
			c1 CreateContainer a/d work=forever -> k2
			c1 ListContainers -> k1:RUNNING k2:CREATED
			c1 StreamContainers -> k2:CREATED k1:RUNNING`},
		{name: "another filter", history: onePod + `
			c1 ListPodSandbox state=SANDBOX_NOTREADY ->
			c1 StreamPodSandboxes -> p1:READY`},
		{name: "something was made meanwhile", history: onePod + `
			c1 ListPodSandbox -> p1:READY
			c2 RunPodSandbox b ...
			c1 StreamPodSandboxes -> p1:READY p2:READY
			c2 <- p2`},
		{name: "something may have been made meanwhile", history: onePod + `
			c1 CreateContainer a/c ! DeadlineExceeded
			c1 ListContainers ->
			c1 StreamContainers -> k1:CREATED`},
		{name: "something may have ended meanwhile", history: oneEnds + `
			c1 ListContainers state=CONTAINER_RUNNING -> k1:RUNNING
			c1 StreamContainers state=CONTAINER_RUNNING ->`},
		{name: "pods of others come and go", history: onePod + `
			c1 ListPodSandboxMetrics -> p1 other
			c1 StreamPodSandboxMetrics -> p1 another`},
		{name: "the runtime was restarted", history: oneMade + `
			c1 ListContainers -> k1:CREATED
			KILL
			START
			c1 StreamContainers -> k1:CREATED`},
		{name: "there is none", untested: true, history: onePod + `
			c1 StreamContainers ! Unimplemented no such method
			c1 StreamImages ! Unavailable EOF`},
		{name: "the list fails, too", untested: true, history: onePod + `
			c1 ListImages ! Unknown out of order
			c1 StreamImages ! Unknown out of order`},
		{name: "an item twice", want: "each item once", got: "[k1 k1]", also: "list/complete", history: oneMade + `
			c1 StreamContainers -> k1:CREATED k1:CREATED <<`},
		{name: "fewer", want: "what the list has: [k1 k2]", got: "[k1]", also: "list/complete", history: oneMade + `
			c1 CreateContainer a/d -> k2
			c1 ListContainers -> k1:CREATED k2:CREATED <<
			c1 StreamContainers -> k1:CREATED <<`},
		{name: "fewer of the metrics", want: "what the list has: [p1]", got: "[]", history: onePod + `
			c1 ListPodSandboxMetrics -> p1 other <<
			c1 StreamPodSandboxMetrics -> other <<`},
		{name: "a message without an item", want: "items, and the end of the stream", got: "has no item", history: onePod + `
			c1 StreamContainers ! DataLoss a message of the stream has no item <<`},
		{name: "the list has failed before", history: oneMade + `
			c1 ListContainers -> k1:CREATED
			c1 ListContainers ! Unknown out of order
			c1 StreamContainers -> k1:CREATED`},
		{name: "fewer, while others run or have ended", want: "what the list has: [k1 k2]", got: "[k1]", history: oneRuns + `
			c1 CreateContainer a/d work=ends -> k2
			c1 StartContainer a/d
			c1 ContainerStatus a/d -> EXITED code=42
			c1 ListContainerStats -> k1:100 k2:0 <<
			c1 StreamContainerStats -> k1:100 <<`},
		{name: "images after a restart", history: onePod + `
			c1 ListImages -> i1:5
			KILL
			START
			c1 StreamImages -> i1:5 i2:5`},
	},
	"stream/all": {
		{name: "all", history: onePod + `
			c1 StreamContainers ->
			c1 StreamImages ->`},
		{name: "none", untested: true, history: onePod + `
			c1 StreamContainers ! Unimplemented no such method
			c1 StreamPodSandboxes ! Unimplemented no such method`},
		{name: "one is not answered", history: onePod + `
			c1 StreamContainers ->
			c1 StreamImages ! Unavailable EOF
			c1 StreamPodSandboxMetrics ! DeadlineExceeded`},
		{name: "one is missing", want: "StreamPodSandboxMetrics, as there is StreamContainers", got: "Unimplemented", history: onePod + `
			c1 StreamContainers -> <<
			c1 StreamPodSandboxMetrics ! Unimplemented no such method <<`},
	},
}
