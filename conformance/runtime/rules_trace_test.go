package runtime

// The calls of somebody else, such as a kubelet.
const (
	ofOthers = "TRACE\n" + onePod
	// ofOthersEnd is a container that was seen to end, and ofOthersWatch has somebody who watches events before.
	ofOthersEnd = `
	c1 CreateContainer a/c -> k1
	c1 StartContainer a/c
	c1 ContainerStatus a/c -> EXITED code=7
`
	ofOthersWatch = `TRACE
	w1 GetContainerEvents
` + onePod + ofOthersEnd
)

var traceHistories = map[string][]judged{
	"sandbox/unique": {
		{name: "of others: it cannot be run for another reason", history: ofOthers + `
			c1 RemovePodSandbox a
			c1 RunPodSandbox a same=true ! Unknown no network`},
		{name: "of others: the name was taken by what has no life", untested: true, history: `
			TRACE
			c1 ListPodSandbox -> p1:READY
			c1 RunPodSandbox a -> p1
			c1 RemovePodSandbox a
			c1 RunPodSandbox a same=true ! AlreadyExists name is taken`},
		{name: "of others: never again", want: "a sandbox: the one of the name was removed", got: "AlreadyExists", history: ofOthers + `
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true ! AlreadyExists name is taken <<`},
		{name: "of others: never again, in words", want: "a sandbox: the one of the name was removed", got: "in use", history: ofOthers + `
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true ! Unknown the name is in use <<`},
	},
	"sandbox/status": {
		{name: "of others: it ends by itself", history: ofOthers + `
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "of others: it was there before", untested: true, history: `
			TRACE
			c1 ListPodSandbox -> p1:READY
			c1 RunPodSandbox a -> p1
			c1 PodSandboxStatus a -> READY labels=null annotations=null`},
		{name: "of others: listed afterwards", history: ofOthers + `
			c1 ListPodSandbox -> p1:READY
			c1 PodSandboxStatus a -> READY`},
		{name: "of others: no labels", want: "the labels", got: "map[]", history: ofOthers + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY labels=null <<`},
	},
	"sandbox/stop": {
		{name: "of others: it runs on", want: "no container that runs", got: "CONTAINER_RUNNING", history: ofOthers + `
			c1 CreateContainer a/c -> k1
			c1 StopPodSandbox a <<
			c1 ContainerStatus a/c -> RUNNING <<`},
	},
	"list/complete": {
		{name: "of others: a sandbox may have ended", untested: true, history: ofOthers + `
			c1 ListPodSandbox state=SANDBOX_READY ->`},
		{name: "of others: a container may have ended", history: ofOthers + ofOthersEnd + `
			c1 ListContainers state=CONTAINER_EXITED -> k1:EXITED`},
		{name: "of others: a container may have ended at once", untested: true, history: ofOthers + `
			c1 CreateContainer a/c -> k1
			c1 StartContainer a/c
			c1 ListContainers state=CONTAINER_RUNNING ->`},
		{name: "of others: a sandbox is missing", want: "a (p1), which is there", got: "a list without it", history: ofOthers + `
			<< RunPodSandbox a
			c1 ListPodSandbox -> <<`},
	},
	"container/exit": {
		{name: "of others: any code", untested: true, history: ofOthers + ofOthersEnd},
		{name: "of others: it runs for long", untested: true, history: ofOthers + `
			c1 CreateContainer a/c -> k1
			c1 StartContainer a/c
			... 60s
			c1 ContainerStatus a/c -> RUNNING`},
	},
	"container/retry": {
		{name: "of others: it cannot be created for another reason", history: "TRACE\n" + retried + `
			c1 CreateContainer a/c same=true ! Unknown no such mount
			c1 ListContainers ->`},
		{name: "of others: never", want: "a container, after 3 more calls", got: "name is reserved", history: "TRACE\n" + retried + `
			<< c1 CreateContainer a/c work=forever
			c1 CreateContainer a/c same=true ! Unknown name is reserved <<
			c1 ListContainers ->`},
	},
	"stop/kill": {
		{name: "of others: any code, at any time", untested: true, history: ofOthers + `
			c1 CreateContainer a/c -> k1
			c1 StartContainer a/c
			... 5s
			c1 StopContainer a/c grace=30 took=9s
			c1 ContainerStatus a/c -> EXITED code=5`},
	},
	"event/stopped": {
		{name: "of others: one", history: ofOthersWatch + `
			w1 EVENT STOPPED a/c
			... 11s
			c1 ContainerStatus a/c -> EXITED code=7`},
		{name: "of others: it may still come", untested: true, history: ofOthersWatch + `
			... 10s
			c1 ContainerStatus a/c -> EXITED code=7`},
		{name: "of others: the watch has ended", untested: true, history: ofOthersWatch + `
			w1 STOPPED
			... 11s
			c1 ContainerStatus a/c -> EXITED code=7`},
		{name: "of others: none", want: "one STOPPED of a/c", got: "0", history: ofOthersWatch + `
			<< c1 ContainerStatus a/c
			... 11s
			c1 ContainerStatus a/c -> EXITED code=7 <<`},
	},
	"event/all": {
		{name: "of others: a stream that nobody has opened here ends", untested: true, history: ofOthers + `
			w1 ENDED ! Unknown EOF`},
	},
	"image/status": {
		{name: "of others: it is not there", untested: true, history: `
			TRACE
			c1 ImageStatus img`},
		{name: "of others: it is not there any more", history: `
			TRACE
			c1 ImageStatus img -> i1:5
			c1 RemoveImage i1
			c1 ImageStatus img`},
		{name: "of others: it is lost", want: "an image", got: "without one", history: `
			TRACE
			c1 ImageStatus img -> i1:5
			c1 ImageStatus img <<`},
		{name: "of others: an error for one that is not there", want: "success without an image", got: "NotFound", history: `
			TRACE
			c1 ImageStatus img ! NotFound no such image <<`},
	},
	"idempotence/absent": {
		{name: "a start of one that has ended is no stop", untested: true, history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 StartContainer a/c ! FailedPrecondition it has ended`},
	},
}
