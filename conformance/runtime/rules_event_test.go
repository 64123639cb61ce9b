package runtime

// twoWatch are two that watch, a sandbox, and a container that was created.
const twoWatch = `
	w1 GetContainerEvents
	w2 GetContainerEvents
	c1 RunPodSandbox a -> p1
	c1 CreateContainer a/c work=ends -> k1
	w1 EVENT CREATED a/c
	w2 EVENT CREATED a/c
`

// oneWatches watches a container that is started.
const oneWatches = `
	w1 GetContainerEvents
	c1 RunPodSandbox a -> p1
	c1 CreateContainer a/c work=ends -> k1
	w1 EVENT CREATED a/c
	c1 StartContainer a/c
	w1 EVENT STARTED a/c
	... 1s
`

var eventHistories = map[string][]judged{
	"event/stopped": {
		{name: "one", history: oneWatches + `
			w1 EVENT STOPPED a/c
			c1 ContainerStatus a/c -> EXITED code=42
			SETTLED
			c1 RemoveContainer a/c
			w1 EVENT DELETED a/c`},
		{name: "STOPPED only, and late", history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c work=ends -> k1
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42
			w1 EVENT STOPPED a/c
			SETTLED`},
		{name: "events of the sandbox, as in containerd", history: oneWatches + `
			w1 EVENT STOPPED a/c
			c1 ContainerStatus a/c -> EXITED code=42
			SETTLED
			c1 StopPodSandbox a
			w1 EVENT STOPPED a pod_sandbox_status=null`},
		{name: "it was stopped", history: oneWatches + `
			c1 StopContainer a/c grace=1
			w1 EVENT STOPPED a/c
			SETTLED`},
		{name: "nobody knows that it has ended", untested: true, history: oneWatches + `
			SETTLED`},
		{name: "it was started before", untested: true, history: oneEnds + `
			w1 GetContainerEvents
			c1 ContainerStatus a/c -> EXITED code=42
			SETTLED`},
		{name: "no time for the event", untested: true, history: oneWatches + `
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "it was not started, or its start failed", untested: true, history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c work=missing -> k1
			c1 StartContainer a/c ! Unknown no such binary
			c1 ContainerStatus a/c -> EXITED code=128 reason=StartError
			SETTLED`},
		{name: "the runtime is killed before", untested: true, history: oneWatches + `
			KILL
			w1 ENDED ! Unavailable EOF
			START
			c1 ContainerStatus a/c -> EXITED code=42
			SETTLED`},
		{name: "the runtime is killed at once", untested: true, history: oneWatches + `
			c1 ContainerStatus a/c -> EXITED code=42
			KILL
			w1 ENDED ! Unavailable EOF
			START
			SETTLED`},
		{name: "none", want: "one STOPPED of a/c", got: "0", history: oneWatches + `
			c1 ContainerStatus a/c -> EXITED code=42 <<
			SETTLED <<`},
		{name: "two", want: "one STOPPED of a/c", got: "2", also: "event/order", history: oneWatches + `
			w1 EVENT STOPPED a/c
			w1 EVENT STOPPED a/c
			c1 StopPodSandbox a <<
			SETTLED <<`},
		{name: "none for the second", want: "one STOPPED of a/c", got: "0", also: "event/all", history: twoWatch + `
			c1 StartContainer a/c
			w1 EVENT STOPPED a/c
			c1 ContainerStatus a/c -> EXITED code=42 <<
			SETTLED <<`},
		{name: "without metadata", want: "the metadata of the sandbox", got: "none", history: oneWatches + `
			<< CreateContainer a/c
			w1 EVENT STOPPED a/c pod_sandbox_status.metadata=null <<`},
		{name: "after its DELETED", want: "nothing of a container after its DELETED", got: "CONTAINER_STOPPED_EVENT", also: "event/order", history: oneWatches + `
			c1 RemoveContainer a/c
			w1 EVENT DELETED a/c <<
			w1 EVENT STOPPED a/c <<`},
		{name: "a stop was not answered", untested: true, history: oneWatches + `
			c1 StopContainer a/c grace=1 ! DeadlineExceeded
			SETTLED`},
		{name: "stopped before its start", untested: true, history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c work=forever -> k1
			c1 StopContainer a/c grace=1
			c1 StartContainer a/c
			SETTLED`},
	},
	"event/order": {
		{name: "all four", history: oneWatches + `
			w1 EVENT STOPPED a/c
			c1 RemoveContainer a/c
			w1 EVENT DELETED a/c`},
		{name: "of the sandbox, as in CRI-O", untested: true, history: onePod + `
			w1 GetContainerEvents
			w1 EVENT STARTED a
			w1 EVENT STARTED a
			w1 EVENT STOPPED a containers_statuses=null`},
		{name: "it was never started", history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1
			w1 EVENT CREATED a/c
			c1 RemoveContainer a/c
			w1 EVENT DELETED a/c`},
		{name: "two at one time", history: oneWatches + `
			w1 EVENT STOPPED a/c created_at=9000000000
			w1 EVENT DELETED a/c created_at=9000000000`},
		{name: "another one of the name", untested: true, history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1
			w1 EVENT CREATED a/c
			c1 RemoveContainer a/c
			c1 CreateContainer a/c -> k2
			w1 EVENT CREATED a/c`},
		{name: "it is created twice", want: "an event that comes after CONTAINER_CREATED_EVENT", got: "CONTAINER_CREATED_EVENT", history: oneMade + `
			w1 EVENT CREATED a/c <<
			w1 EVENT CREATED a/c <<`},
		{name: "it ends before it starts", want: "an event that comes after CONTAINER_STOPPED_EVENT", got: "CONTAINER_STARTED_EVENT", history: oneEnds + `
			w1 EVENT STOPPED a/c <<
			w1 EVENT STARTED a/c <<`},
		{name: "the time goes back", want: "a time not before 5", got: "4", history: oneEnds + `
			w1 EVENT STARTED a/c created_at=5 <<
			w1 EVENT STOPPED a/c created_at=4 <<`},
	},
	"event/all": {
		{name: "both get all", history: twoWatch + `
			c1 StartContainer a/c
			w2 EVENT STARTED a/c
			w1 EVENT STARTED a/c
			SETTLED`},
		{name: "one is a little later", history: twoWatch + `
			c1 StartContainer a/c
			w1 EVENT STARTED a/c
			SETTLED
			w2 EVENT STARTED a/c
			SETTLED`},
		{name: "one came later", untested: true, history: `
			w1 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1
			w2 GetContainerEvents
			w1 EVENT CREATED a/c
			SETTLED`},
		{name: "one cannot watch", untested: true, history: `
			w1 GetContainerEvents
			w2 GetContainerEvents ! Unimplemented no such method
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1
			w1 EVENT CREATED a/c
			SETTLED`},
		{name: "the runtime is killed", untested: true, history: twoWatch + `
			KILL
			w1 ENDED ! Unavailable EOF
			w2 ENDED ! Unavailable EOF
			START
			SETTLED`},
		{name: "no time for the event", untested: true, history: `
			w1 GetContainerEvents
			w2 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1
			w1 EVENT CREATED a/c`},
		{name: "only one gets it (containerd#7318)", want: "the same events of a/c for w1 and w2", got: "[CONTAINER_CREATED_EVENT], and []", history: `
			w1 GetContainerEvents
			w2 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1 <<
			w1 EVENT CREATED a/c
			SETTLED <<`},
		{name: "a stream ends (cri-o#7164)", want: "a stream that goes on", got: "EOF", history: twoWatch + `
			w2 ENDED ! Unknown EOF <<`},
		{name: "only the second gets it", want: "the same events of a/c for w1 and w2", got: "[], and [CONTAINER_CREATED_EVENT]", history: `
			w1 GetContainerEvents
			w2 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1 <<
			w2 EVENT CREATED a/c
			SETTLED <<`},
		{name: "each gets another", want: "the same events of a/c for w1 and w2", got: "[CONTAINER_CREATED_EVENT], and [CONTAINER_STARTED_EVENT]", history: `
			w1 GetContainerEvents
			w2 GetContainerEvents
			c1 RunPodSandbox a -> p1
			c1 CreateContainer a/c -> k1 <<
			w1 EVENT CREATED a/c
			w2 EVENT STARTED a/c
			SETTLED <<`},
	},
	"event/list": {
		{name: "it is known", history: oneWatches + `
			w1 EVENT STOPPED a/c
			c1 ContainerStatus a/c -> EXITED code=42
			c1 ListContainers -> k1:EXITED
			c1 RemoveContainer a/c
			w1 EVENT DELETED a/c
			c1 ListContainers ->`},
		{name: "more is known", history: twoWatch + `
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42
			w1 EVENT STARTED a/c`},
		{name: "asked before", untested: true, history: oneMade + `
			w1 GetContainerEvents
			c1 StartContainer a/c
			c2 ContainerStatus a/c ...
			w1 EVENT STOPPED a/c
			c2 <- RUNNING`},
		{name: "the runtime was restarted", untested: true, history: oneMade + `
			w1 GetContainerEvents
			w1 EVENT STARTED a/c
			KILL
			START
			c1 ContainerStatus a/c -> CREATED`},
		{name: "it is not known", want: "a/c at least in the state CONTAINER_EXITED", got: "CONTAINER_RUNNING", history: oneWatches + `
			w1 EVENT STOPPED a/c <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "a list does not know it", want: "a/c at least in the state CONTAINER_EXITED", got: "CONTAINER_RUNNING", history: oneWatches + `
			w1 EVENT STOPPED a/c <<
			c1 ListContainers -> k1:RUNNING <<`},
		{name: "it is listed after its DELETED", want: "no a/c after its DELETED", got: "CONTAINER_EXITED", history: oneWatches + `
			w1 EVENT STOPPED a/c
			c2 RemoveContainer a/c ...
			w1 EVENT DELETED a/c <<
			c1 ListContainers -> k1:EXITED <<
			c2 <-`},
	},
}
