package runtime

var containerHistories = map[string][]judged{
	"container/unique": {
		{name: "again fails, as in containerd", history: oneMade + `
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved`},
		{name: "again gives its id, as in CRI-O", history: oneMade + `
			c1 CreateContainer a/c same=true -> k1`},
		{name: "again after its removal", history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k2
			c1 ContainerStatus a/c -> CREATED`},
		{name: "another attempt, and the same name in another sandbox", untested: true, history: oneMade + `
			c1 CreateContainer a/c attempt=1 -> k2
			c1 RunPodSandbox b -> p2
			c1 CreateContainer b/c -> k3`},
		{name: "twice at once, and both get one id", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ...
			c2 CreateContainer a/c work=ends ...
			c2 <- k1
			c1 <- k1
			c1 ContainerStatus a/c -> EXITED code=42`},
		{name: "twice at once, and the first was removed before the second came", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ...
			c2 CreateContainer a/c work=forever -> k2
			c2 RemoveContainer a/c
			c1 <- k1`},
		{name: "the answer is lost", untested: true, history: onePod + `
			c1 CreateContainer a/c took=10s ! DeadlineExceeded
			c1 CreateContainer a/c ! FailedPrecondition name is reserved
			c1 CreateContainer a/c -> k1`},
		{name: "it is being removed", untested: true, history: oneMade + `
			c2 RemoveContainer a/c ...
			c1 CreateContainer a/c same=true -> k2
			c2 <-`},
		{name: "its sandbox was removed", untested: true, history: oneMade + `
			c1 RemovePodSandbox a
			c1 CreateContainer a/c same=true ! NotFound no such sandbox`},
		{name: "its sandbox was stopped", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 StopPodSandbox a
			c1 CreateContainer a/c same=true ! FailedPrecondition the sandbox is not ready`},
		{name: "the name is kept by another call that is under way, and fails", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c2 CreateContainer a/c work=missing ...
			c1 CreateContainer a/c work=forever ! FailedPrecondition name is reserved
			c2 <- ! Unknown no such binary`},
		{name: "the name is kept by a call whose caller gave up", untested: true, history: onePod + `
			c2 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 CreateContainer a/c same=true -> k1
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved`},
		{name: "another one cannot be created after its removal", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/c work=missing ! Unknown no such binary`},
		{name: "its image was removed", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 RemoveImage img
			c1 CreateContainer a/c same=true ! NotFound no such image`},
		{name: "another id", want: "the id k1 of the one that is there", got: "another id: k2", history: onePod + `
			c1 CreateContainer a/c -> k1 <<
			c1 CreateContainer a/c -> k2 <<`},
		{name: "another id after a restart", want: "the id k1 of the one that is there", got: "another id: k2", history: onePod + `
			c1 CreateContainer a/c -> k1 <<
			KILL
			START
			c1 CreateContainer a/c -> k2 <<`},
		{name: "twice at once, and there are two", want: "the id k1", got: "another id: k2", history: onePod + `
			c1 CreateContainer a/c ...
			c2 CreateContainer a/c -> k2 <<
			c1 <- k1 <<
			<< c1 CreateContainer a/c`},
		{name: "the id of another", want: "an id of its own", got: "k1, which the container a/c has", history: onePod + `
			c1 CreateContainer a/c -> k1 <<
			c1 CreateContainer a/d -> k1 <<`},
		{name: "never again", want: "a container: the one of the name was removed", got: "name is reserved", history: oneMade + `
			c1 RemoveContainer a/c <<
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<`},
		{name: "without an id", want: "the id of a container", got: "none", history: onePod + `
			c1 CreateContainer a/c -> none <<`},
		{name: "the id of one that was removed", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/d -> k1`},
		{name: "in a sandbox that is not there", untested: true, history: `
			c1 CreateContainer b/c ! NotFound no such sandbox`},
		{name: "never answered", untested: true, history: oneMade + `
			c1 CreateContainer a/c same=true ...`},
		{name: "with another signal after its removal", untested: true, history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/c work=forever signal=SIGUSR1 ! InvalidArgument no such signal`},
		{name: "one of two answers late, and the other one was removed", untested: true, history: onePod + `
			c1 CreateContainer a/c ...
			c2 CreateContainer a/c ...
			c1 <- k1
			c1 RemoveContainer a/c
			c2 <- k2`},
		{name: "again after its removal, beside others", history: oneMade + `
			c1 CreateContainer a/d work=forever -> k2
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true -> k3`},
		{name: "not at first", want: "a container: the one of the name was removed", got: "name is reserved", history: oneMade + `
			c1 CreateContainer a/d ! DeadlineExceeded
			c1 RemoveContainer a/c <<
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<
			c1 CreateContainer a/c same=true -> k3
			c1 RemoveContainer a/c
			c1 CreateContainer a/c same=true ! DeadlineExceeded`},
	},
	"container/retry": {
		{name: "listed at once, as in containerd", history: retried + `
			c1 CreateContainer a/c same=true took=4s ! FailedPrecondition name is reserved
			c1 ListContainers -> k1:CREATED{"metadata":{"name":"c"},"pod_sandbox_id":"p1"}`},
		{name: "the last one succeeds, as in CRI-O", history: retried + `
			c1 CreateContainer a/c same=true -> k1
			c1 ListContainers -> k1:CREATED`},
		{name: "one succeeds, and is removed", history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 CreateContainer a/c same=true took=1s -> k1
			c1 RemoveContainer a/c took=4s
			c1 CreateContainer a/c same=true took=1s ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true took=1s ! FailedPrecondition name is reserved`},
		{name: "it is so fast that no deadline passes", history: onePod + `
			c1 CreateContainer a/c work=forever -> k1
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true took=5s ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers -> k1:CREATED`},
		{name: "it is so fast, and makes another", want: "one container", got: "2", history: onePod + `
			c1 CreateContainer a/c work=forever -> k1 <<
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true took=5s ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<
			c1 ListContainers -> k1:CREATED k2:CREATED{"metadata":{"name":"c"},"pod_sandbox_id":"p1"}`},
		{name: "too early to say", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers ->`},
		{name: "too hasty to say", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			... 10s
			c1 CreateContainer a/c same=true ! DeadlineExceeded
			c1 CreateContainer a/c same=true ! DeadlineExceeded
			c1 CreateContainer a/c same=true ! DeadlineExceeded
			c1 ListContainers ->`},
		{name: "too few to say", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			... 10s
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers ->`},
		{name: "nobody has listed", untested: true, history: retried + `
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers state=CONTAINER_RUNNING ->`},
		{name: "another sandbox was listed", untested: true, history: retried + `
			c1 RunPodSandbox b -> p2
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers of=b ->`},
		{name: "listed only while it was being made", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 ListContainers ->
			c1 CreateContainer a/c same=true took=2s ! DeadlineExceeded
			c1 CreateContainer a/c same=true took=2s ! DeadlineExceeded
			c1 CreateContainer a/c same=true took=2s ! FailedPrecondition name is reserved`},
		{name: "the sandbox is stopped", untested: true, history: retried + `
			c2 StopPodSandbox a ...
			c1 CreateContainer a/c same=true ! FailedPrecondition the sandbox is not ready
			c2 <-
			c1 ListContainers ->`},
		{name: "the runtime is restarted", untested: true, history: retried + `
			KILL
			START
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved
			c1 ListContainers ->`},
		{name: "its binary is missing", untested: true, history: onePod + `
			c1 CreateContainer a/c work=missing took=2s ! DeadlineExceeded
			c1 CreateContainer a/c same=true took=2s ! Unknown no such binary
			c1 CreateContainer a/c same=true took=2s ! Unknown no such binary
			c1 CreateContainer a/c same=true took=2s ! Unknown no such binary
			c1 ListContainers ->`},
		{name: "never", want: "a container, after 3 more calls", got: "name is reserved", history: retried + `
			<< c1 CreateContainer a/c work=forever
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<
			c1 ListContainers ->`},
		{name: "two of them", want: "one container of the name and attempt", got: "2", history: retried + `
			<< c1 CreateContainer a/c work=forever
			c1 CreateContainer a/c same=true -> k1 <<
			c1 ListContainers -> k1:CREATED k2:CREATED{"metadata":{"name":"c"},"pod_sandbox_id":"p1"}`},
		{name: "in a sandbox that is not there", untested: true, history: `
			c1 CreateContainer b/c ! DeadlineExceeded`},
		{name: "the first one was refused", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! Unknown out of order
			c1 CreateContainer a/c same=true took=2s ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true took=2s ! FailedPrecondition name is reserved
			c1 CreateContainer a/c same=true took=2s ! FailedPrecondition name is reserved
			c1 ListContainers ->`},
		{name: "others were created", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever took=5s ! DeadlineExceeded
			c1 CreateContainer a/c same=true took=2s ! FailedPrecondition name is reserved
			c1 CreateContainer a/d work=forever took=2s ! Unknown out of order
			c1 CreateContainer a/e work=forever took=2s ! Unknown out of order
			c1 ListContainers ->`},
		{name: "never, and one more is not answered", want: "a container, after 3 more calls", got: "name is reserved", history: retried + `
			<< c1 CreateContainer a/c work=forever
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<
			c1 ListContainers ->
			c1 CreateContainer a/c same=true ...`},
		{name: "two of them, by state", want: "one container of the name and attempt", got: "2", history: retried + `
			<< c1 CreateContainer a/c work=forever
			c1 CreateContainer a/c same=true ! FailedPrecondition name is reserved <<
			c1 ListContainers state=CONTAINER_CREATED -> k1:CREATED{"metadata":{"name":"c"},"pod_sandbox_id":"p1"} k2:CREATED{"metadata":{"name":"c"},"pod_sandbox_id":"p1"}`},
		{name: "one of the name in another sandbox", history: retried + `
			c1 RunPodSandbox b -> p2
			c1 CreateContainer b/c -> k9
			c1 CreateContainer a/c same=true -> k1
			c1 ListContainers -> k1:CREATED k9:CREATED`},
	},
	"container/echo": {
		{name: "all is there", history: oneRuns + `
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "made by a call whose caller gave up, as another one", untested: true, history: onePod + `
			c1 CreateContainer a/c work=ends ! DeadlineExceeded
			c1 CreateContainer a/c work=forever -> k1
			c1 ContainerStatus a/c -> CREATED annotations=null`},
		{name: "made by a call whose caller gave up, as it is", history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 CreateContainer a/c same=true -> k1
			c1 ContainerStatus a/c -> CREATED`},
		{name: "made by the second of two calls whose callers gave up", untested: true, history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 CreateContainer a/c work=ends ! DeadlineExceeded
			c1 CreateContainer a/c work=forever -> k1
			c1 ContainerStatus a/c -> CREATED annotations=null`},
		{name: "made by the first of two calls", history: oneMade + `
			c1 CreateContainer a/c work=ends -> k1
			c1 ContainerStatus a/c@k1 -> CREATED`},
		{name: "a metadata of another", want: "the metadata", got: "attempt:1", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED metadata.attempt=1 <<`},
		{name: "a label of its own", want: "the labels", got: "x:y", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED labels.x=y <<`},
		{name: "annotations are lost", want: "the annotations", got: "map[]", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED annotations=null <<`},
		{name: "other calls were not answered", history: `
			c1 RunPodSandbox a -> p1
			c1 RunPodSandbox b -> p2
			c1 CreateContainer a/d work=ends ! DeadlineExceeded
			c1 CreateContainer b/c work=ends ! DeadlineExceeded
			c1 CreateContainer a/c work=forever -> k1
			c1 CreateContainer a/c work=ends ! DeadlineExceeded
			c1 ContainerStatus a/c -> CREATED`},
		{name: "the id of another", want: "the id k1", got: "k2", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED id=k2 <<`},
		{name: "no status", want: "a status", got: "none", history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> none <<`},
	},
	"container/image": {
		{name: "the id of the image", history: `
			c1 PullImage img -> i1
			c1 ImageStatus img -> i1:5
` + oneMade + `
			c1 ContainerStatus a/c -> CREATED
			c1 ListContainers -> k1:CREATED`},
		{name: "image_ref is a digest, as in CRI-O", history: `
			c1 ImageStatus img -> i1:5
` + oneMade + `
			c1 ContainerStatus a/c -> CREATED image_ref=img@sha256
			c1 ListContainers -> k1:CREATED{"image_ref":"img@sha256"}`},
		{name: "nobody knows the id", untested: true, history: oneMade + `
			c1 ContainerStatus a/c -> CREATED image_id=other`},
		{name: "the tag has moved since", untested: true, history: oneMade + `
			c1 ImageStatus img -> i2:5
			c1 ContainerStatus a/c -> CREATED image_id=i1`},
		{name: "a name", want: "the image_id i1", got: "img", history: `
			c1 ImageStatus img -> i1:5 <<
` + oneMade + `
			c1 ContainerStatus a/c -> CREATED image_id=img <<`},
		{name: "by digest", history: `
			c1 ImageStatus img -> i1:5{"repo_digests":["img@sha256:1"]}
` + onePod + `
			c1 CreateContainer a/c image=digest -> k1
			c1 ContainerStatus a/c -> CREATED`},
		{name: "by digest, after a removal", untested: true, history: `
			c1 ImageStatus img -> i1:5{"repo_digests":["img@sha256:1"]}
` + onePod + `
			c1 RemoveImage img
			c1 CreateContainer a/c image=digest -> k1
			c1 ContainerStatus a/c -> CREATED image_id=i2`},
		{name: "a name by digest", want: "the image_id i1", got: "img@sha256:1", history: `
			c1 ImageStatus img -> i1:5{"repo_digests":["img@sha256:1"]} <<
` + onePod + `
			c1 CreateContainer a/c image=digest -> k1
			c1 ContainerStatus a/c -> CREATED image_id=img@sha256:1 <<`},
		{name: "none in a list", want: "the image_id i1", got: `""`, history: `
			c1 ImageStatus img -> i1:5 <<
` + oneMade + `
			c1 ListContainers -> k1:CREATED{"image_id":""} <<`},
		{name: "a pull answers a digest", want: "the id of the image: i1", got: "a pull that answers img@sha256", history: `
			c1 PullImage img -> img@sha256 <<
			c1 ImageStatus img -> i1:5 <<`},
		{name: "a pull may move the tag", untested: true, history: onePod + `
			c1 ImageStatus img -> i1:5
			c2 PullImage img ...
			c1 CreateContainer a/c -> k1
			c2 <- i2
			c1 ContainerStatus a/c -> CREATED image_id=i2`},
		{name: "a tag was moved afterwards", history: oneMade + `
			c1 ImageStatus img -> i1:5
			c1 CreateContainer a/d -> k2
			c1 PullImage img -> i2
			c1 ContainerStatus a/d -> CREATED`},
	},
	"container/log-path": {
		{name: "absolute", history: oneMade + `
			c1 ContainerStatus a/c -> CREATED log_path=/logs/run-a/c_0.log`},
		{name: "of the sandbox that a call gave up made", history: `
			c1 RunPodSandbox a ! DeadlineExceeded
			c1 RunPodSandbox a same=true -> p1
			c1 CreateContainer a/c -> k1
			c1 ContainerStatus a/c -> CREATED`},
		{name: "empty", want: "the log_path /logs/run-a/c_0.log", got: `""`, history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED log_path="" <<`},
		{name: "relative", want: "the log_path /logs/run-a/c_0.log", got: `"c_0.log"`, history: oneMade + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> CREATED log_path=c_0.log <<`},
	},
}

// retried is a create whose deadline has passed, and two more that fail.
const retried = onePod + `
	c1 CreateContainer a/c work=forever took=2s ! DeadlineExceeded
	... 1s
	c1 CreateContainer a/c same=true took=2s ! DeadlineExceeded
	... 1s
	c1 CreateContainer a/c same=true took=2s ! DeadlineExceeded
	... 1s
`
