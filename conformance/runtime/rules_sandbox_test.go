package runtime

const (
	// onePod is a sandbox, oneMade has a container that runs until a SIGTERM, and oneRuns has started it.
	onePod  = "c1 RunPodSandbox a -> p1\n"
	oneMade = onePod + "c1 CreateContainer a/c work=forever -> k1\n"
	oneRuns = oneMade + "c1 StartContainer a/c\n"
)

var sandboxHistories = map[string][]judged{
	"sandbox/unique": {
		{name: "again fails, as in containerd", history: onePod + `
			c1 RunPodSandbox a same=true ! FailedPrecondition name is reserved`},
		{name: "again gives its id, as in CRI-O", history: onePod + `
			c1 RunPodSandbox a same=true -> p1`},
		{name: "again after its removal", history: onePod + `
			c1 RemovePodSandbox a
			c1 RunPodSandbox a same=true -> p2
			c1 PodSandboxStatus a -> READY`},
		{name: "another attempt", untested: true, history: onePod + `
			c1 RunPodSandbox a attempt=1 -> p2`},
		{name: "twice at once, one is refused", untested: true, history: `
			c1 RunPodSandbox a ...
			c2 RunPodSandbox a ! FailedPrecondition name is reserved
			c1 <- p1`},
		{name: "twice at once, both get one id", untested: true, history: `
			c1 RunPodSandbox a ...
			c2 RunPodSandbox a ...
			c2 <- p1
			c1 <- p1
			c1 PodSandboxStatus a -> READY`},
		{name: "twice at once, and the first was removed before the second came", untested: true, history: `
			c1 RunPodSandbox a ...
			c2 RunPodSandbox a -> p2
			c2 RemovePodSandbox a
			c1 <- p1`},
		{name: "twice at once, and there are two", want: "the id p1", got: "another id: p2", history: `
			c1 RunPodSandbox a ...
			c2 RunPodSandbox a -> p2 <<
			c1 <- p1 <<
			<< c1 RunPodSandbox a`},
		{name: "the answer is lost, and the name is taken", untested: true, history: `
			c1 RunPodSandbox a took=10s ! DeadlineExceeded
			c1 RunPodSandbox a ! FailedPrecondition name is reserved`},
		{name: "the answer is lost, and a later call gives the id", untested: true, history: `
			c1 RunPodSandbox a took=10s ! DeadlineExceeded
			c1 RunPodSandbox a -> p1
			c1 PodSandboxStatus a -> READY`},
		{name: "the name is kept by another call that is under way, and fails", untested: true, history: onePod + `
			c1 RemovePodSandbox a
			c2 RunPodSandbox a ...
			c1 RunPodSandbox a ! FailedPrecondition name is reserved
			c2 <- ! Unknown no network`},
		{name: "the name is kept by a call whose caller gave up", untested: true, history: `
			c2 RunPodSandbox a took=10s ! DeadlineExceeded
			c1 RunPodSandbox a -> p1
			c1 RemovePodSandbox a
			c1 RunPodSandbox a ! FailedPrecondition name is reserved`},
		{name: "it is being removed", untested: true, history: onePod + `
			c2 RemovePodSandbox a ...
			c1 RunPodSandbox a same=true -> p2
			c2 <-`},
		{name: "its removal failed", untested: true, history: onePod + `
			c1 RemovePodSandbox a ! DeadlineExceeded
			c1 RunPodSandbox a same=true ! FailedPrecondition name is reserved`},
		{name: "the runtime is down", untested: true, history: onePod + `
			c1 RemovePodSandbox a
			KILL
			c1 RunPodSandbox a same=true ! Unavailable connection refused
			START`},
		{name: "it is stopped, and still there", want: "the id p1 of the one that is there", got: "another id: p2", history: `
			c1 RunPodSandbox a -> p1 <<
			c1 StopPodSandbox a
			c1 RunPodSandbox a same=true -> p2 <<`},
		{name: "another id", want: "the id p1 of the one that is there", got: "another id: p2", history: `
			c1 RunPodSandbox a -> p1 <<
			c1 RunPodSandbox a same=true -> p2 <<`},
		{name: "the id of another", want: "an id of its own", got: "p1, which the sandbox a has", history: `
			c1 RunPodSandbox a -> p1 <<
			c1 RunPodSandbox b -> p1 <<`},
		{name: "never again", want: "a sandbox: the one of the name was removed", got: "name is reserved", history: onePod + `
			c1 StopPodSandbox a
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true ! FailedPrecondition name is reserved <<`},
		{name: "without an id", want: "the id of a sandbox", got: "none", history: `
			c1 RunPodSandbox a -> none <<`},
		{name: "the id of one that was removed", untested: true, history: onePod + `
			c1 RemovePodSandbox a
			c1 RunPodSandbox b -> p1`},
		{name: "with another network, or by another handler, after its removal", untested: true, history: onePod + `
			c1 RemovePodSandbox a
			c1 RunPodSandbox a hostNetwork=true ! Unknown out of order
			c1 RunPodSandbox a handler=lwtest-no-such ! NotFound no such handler`},
		{name: "not for the third time", want: "a sandbox: the one of the name was removed", got: "out of order", history: onePod + `
			c1 RunPodSandbox b -> p9
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true -> p2
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true ! Unknown out of order <<
			c1 RunPodSandbox a same=true -> p3`},
		{name: "never again, and of others nothing is known", want: "a sandbox: the one of the name was removed", got: "name is reserved", history: `
			c1 RunPodSandbox b ...
			c2 RunPodSandbox b -> p9
			c1 <- p9
			c1 RunPodSandbox a -> p1
			c1 RemovePodSandbox a <<
			c1 RunPodSandbox a same=true ! FailedPrecondition name is reserved <<`},
	},
	"sandbox/status": {
		{name: "all is there", history: `
			c1 RunPodSandbox a attempt=3 -> p1
			c1 PodSandboxStatus a -> READY
			c1 StopPodSandbox a
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "of the host's network", history: `
			c1 RunPodSandbox a hostNetwork=true -> p1
			c1 PodSandboxStatus a -> READY`},
		{name: "it is being stopped", history: onePod + `
			c2 StopPodSandbox a ...
			c1 PodSandboxStatus a -> NOTREADY
			c1 PodSandboxStatus a -> READY
			c2 <-`},
		{name: "the answer of its stop is lost", history: onePod + `
			c1 StopPodSandbox a ! DeadlineExceeded
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "after a restart", history: onePod + `
			KILL
			c1 PodSandboxStatus a ! Unavailable connection refused
			START
			c1 PodSandboxStatus a -> READY`},
		{name: "of a call whose caller gave up, with another network", untested: true, history: `
			c1 RunPodSandbox a hostNetwork=true ! DeadlineExceeded
			c1 RunPodSandbox a -> p1
			c1 PodSandboxStatus a -> READY linux.namespaces.options.network=2 network=null`},
		{name: "a call with another network has failed", history: `
			c1 RunPodSandbox a hostNetwork=true ! Unknown no such plugin
			c1 RunPodSandbox a -> p1
			c1 PodSandboxStatus a -> READY`},
		{name: "of two calls at once, with different networks", untested: true, history: `
			c1 RunPodSandbox a hostNetwork=true ...
			c2 RunPodSandbox a -> p1
			c1 <- p1
			c2 PodSandboxStatus a -> READY network=null`},
		{name: "of two calls that give one id, the first has made it", history: onePod + `
			c1 RunPodSandbox a hostNetwork=true -> p1
			c1 PodSandboxStatus a@p1 -> READY`},
		{name: "not READY", want: "the state SANDBOX_READY", got: "SANDBOX_NOTREADY", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> NOTREADY <<`},
		{name: "another attempt", want: "the metadata", got: "run-a", history: `
			c1 RunPodSandbox a attempt=3 -> p1 <<
			c1 PodSandboxStatus a -> READY metadata.attempt=2 <<`},
		{name: "labels more, as in CRI-O", history: onePod + `
			c1 PodSandboxStatus a -> READY labels.io_kubernetes_container_name=POD`},
		{name: "no labels", want: "the labels", got: "map[]", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY labels=null <<`},
		{name: "no annotations", want: "the annotations", got: "map[]", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY annotations=null <<`},
		{name: "no namespaces", want: "the namespaces", got: "<nil>", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY linux=null <<`},
		{name: "another time of creation", want: "a time of creation that stays", got: "2", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus a -> READY created_at=2 <<`},
		{name: "no time of creation", want: "a time of creation", got: "0", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY created_at=0 <<`},
		{name: "another namespace: network=2", want: "the namespaces", got: "network:NODE", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY linux.namespaces.options.network=2 <<`},
		{name: "another namespace: ipc=2", want: "the namespaces", got: "ipc:NODE", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY linux.namespaces.options.ipc=2 <<`},
		{name: "the id of another", want: "the id p1", got: "p2", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY id=p2 <<`},
	},
	"sandbox/address": {
		{name: "two addresses", history: onePod + `
			c1 RunPodSandbox b -> p2
			c1 PodSandboxStatus a -> READY
			c1 PodSandboxStatus b -> READY`},
		{name: "the address of one that was stopped", history: onePod + `
			c1 PodSandboxStatus a -> READY network.ip=10.0.0.1
			c1 StopPodSandbox a
			c1 RunPodSandbox b -> p2
			c1 PodSandboxStatus b -> READY network.ip=10.0.0.1`},
		{name: "the address of one that is being stopped", history: onePod + `
			c1 PodSandboxStatus a -> READY network.ip=10.0.0.1
			c2 StopPodSandbox a ...
			c1 RunPodSandbox b -> p2
			c1 PodSandboxStatus b -> READY network.ip=10.0.0.1
			c2 <-`},
		{name: "the address of one whose removal was not answered", history: onePod + `
			c1 PodSandboxStatus a -> READY network.ip=10.0.0.1
			c1 RemovePodSandbox a ! DeadlineExceeded
			c1 RunPodSandbox b -> p2
			c1 PodSandboxStatus b -> READY network.ip=10.0.0.1`},
		{name: "it was stopped, and has none", untested: true, history: onePod + `
			c1 StopPodSandbox a
			c1 PodSandboxStatus a -> NOTREADY network=null`},
		{name: "the host's network", untested: true, history: `
			c1 RunPodSandbox a hostNetwork=true -> p1
			c1 PodSandboxStatus a -> READY`},
		{name: "none", want: "an address", got: "none", history: onePod + `
			<< RunPodSandbox a
			c1 PodSandboxStatus a -> READY network=null <<`},
		{name: "one for two", want: "an address of its own", got: "10.0.0.1, which the sandbox a has", history: onePod + `
			c1 RunPodSandbox b -> p2
			c1 PodSandboxStatus a -> READY <<
			c1 PodSandboxStatus b -> READY network.ip=10.0.0.1 <<`},
	},
	"sandbox/stop": {
		{name: "all has ended", history: oneRuns + `
			c1 CreateContainer a/new work=forever -> k2
			c1 StopPodSandbox a
			c1 PodSandboxStatus a -> NOTREADY
			c1 ContainerStatus a/c -> EXITED code=137
			c1 ContainerStatus a/new -> CREATED
			c1 CreateContainer a/late work=forever ! FailedPrecondition the sandbox is not ready`},
		{name: "one that was not started has ended, as in CRI-O", history: oneMade + `
			c1 StopPodSandbox a
			c1 ContainerStatus a/c -> EXITED code=137 started_at=0`},
		{name: "created at the same time", history: onePod + `
			c2 CreateContainer a/c work=forever ...
			c1 StopPodSandbox a
			c2 <- k1
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "the stop was not answered", untested: true, history: oneRuns + `
			c1 StopPodSandbox a ! DeadlineExceeded
			c1 PodSandboxStatus a -> READY
			c1 ContainerStatus a/c -> RUNNING
			c1 CreateContainer a/d work=forever -> k2`},
		{name: "created before, and its id is given again, as in CRI-O", history: oneMade + `
			c1 StopPodSandbox a
			c1 CreateContainer a/c same=true -> k1
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "created before by a call whose caller gave up, as in CRI-O", history: onePod + `
			c1 CreateContainer a/c work=forever ! DeadlineExceeded
			c1 StopPodSandbox a
			c1 CreateContainer a/c same=true -> k1
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "removed without a stop", untested: true, history: oneRuns + `
			c1 RemovePodSandbox a
			c1 ContainerStatus a/c ! NotFound gone
			c1 PodSandboxStatus a ! NotFound gone`},
		{name: "READY", want: "the state SANDBOX_NOTREADY", got: "SANDBOX_READY", history: onePod + `
			c1 StopPodSandbox a <<
			c1 PodSandboxStatus a -> READY <<`},
		{name: "READY after a restart", want: "the state SANDBOX_NOTREADY", got: "SANDBOX_READY", history: onePod + `
			c1 StopPodSandbox a <<
			KILL
			START
			c1 PodSandboxStatus a -> READY <<`},
		{name: "a container runs", want: "no container that runs", got: "CONTAINER_RUNNING", history: oneRuns + `
			c1 StopPodSandbox a <<
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "a container starts", want: "no container that runs", got: "CONTAINER_RUNNING", history: oneMade + `
			c1 StopPodSandbox a <<
			c1 StartContainer a/c
			c1 ContainerStatus a/c -> RUNNING <<`},
		{name: "a container is created", want: "an error: the sandbox was stopped", got: "the container was created", history: onePod + `
			c1 StopPodSandbox a <<
			c1 CreateContainer a/c work=forever -> k1 <<`},
		{name: "a container of a name that was there before", want: "an error: the sandbox was stopped", got: "the container was created", history: oneMade + `
			c1 RemoveContainer a/c
			c1 CreateContainer a/d ! DeadlineExceeded
			c1 StopPodSandbox a <<
			c1 CreateContainer a/c same=true -> k2 <<
			c1 CreateContainer a/c same=true ! DeadlineExceeded`},
		{name: "created at the same time, and started", history: onePod + `
			c2 CreateContainer a/c work=forever ...
			c1 StopPodSandbox a
			c2 <- k1
			c2 StartContainer a/c
			c2 ContainerStatus a/c -> RUNNING
			c1 PodSandboxStatus a -> NOTREADY`},
		{name: "twice, and after a restart", history: onePod + `
			c1 StopPodSandbox a
			c1 StopPodSandbox a
			KILL
			START
			c1 StopPodSandbox a`},
		{name: "it meets other calls", untested: true, history: oneMade + `
			c2 StartContainer a/c ...
			c1 StopPodSandbox a ! Unknown container is in starting state
			c2 <-
			c1 RemovePodSandbox a ...
			c2 StopPodSandbox a ! Unknown it is being removed
			c1 <-`},
		{name: "it was never there, or was removed", untested: true, also: "idempotence/absent", history: `
			c1 StopPodSandbox none ! NotFound no such sandbox
			c1 RunPodSandbox a -> p1
			c1 RemovePodSandbox a
			c1 StopPodSandbox a ! NotFound no such sandbox`},
		{name: "the second stop fails", want: "success", got: "no such network", history: onePod + `
			c1 StopPodSandbox a
			c1 StopPodSandbox a ! NotFound no such network <<`},
		{name: "the first stop fails", want: "success", got: "out of order", history: onePod + `
			c1 StopPodSandbox a ! Unknown out of order <<`},
		{name: "twice at once", history: onePod + `
			c1 StopPodSandbox a ...
			c2 StopPodSandbox a
			c1 <-`},
	},
	"sandbox/handler": {
		{name: "refused", history: `
			c1 RunPodSandbox a handler=lwtest-no-such ! InvalidArgument no such handler`},
		{name: "refused in other words", history: `
			c1 RunPodSandbox a handler=lwtest-no-such ! Unknown no such handler`},
		{name: "not answered", untested: true, history: `
			c1 RunPodSandbox a handler=lwtest-no-such ! Unavailable connection refused
			c1 RunPodSandbox a handler=lwtest-no-such ! DeadlineExceeded
			c1 RunPodSandbox a handler=lwtest-no-such ...`},
		{name: "the default one", untested: true, history: onePod},
		{name: "a sandbox of the name is there, and its id is given, as in CRI-O", untested: true, history: onePod + `
			c1 RunPodSandbox a handler=lwtest-no-such -> p1`},
		{name: "run", want: "no handler has the name lwtest-no-such", got: "the sandbox p1", history: `
			c1 RunPodSandbox a handler=lwtest-no-such -> p1 <<`},
		{name: "there is no such call", untested: true, history: `
			c1 RunPodSandbox a handler=lwtest-no-such ! Unimplemented no such method`},
		{name: "what has the id is not known", untested: true, history: `
			c1 RunPodSandbox a ! DeadlineExceeded
			c1 RunPodSandbox a handler=lwtest-no-such -> p1`},
	},
	"sandbox/users": {
		{name: "refused", history: `
			c1 RunPodSandbox a mappings=2 ! InvalidArgument one mapping only`},
		{name: "not answered", untested: true, history: `
			c1 RunPodSandbox a mappings=2 ! Canceled`},
		{name: "one mapping", untested: true, history: `
			c1 RunPodSandbox a mappings=1 -> p1`},
		{name: "a sandbox of the name is there, and its id is given, as in CRI-O", untested: true, history: onePod + `
			c1 RunPodSandbox a mappings=2 -> p1`},
		{name: "run", want: "the user namespace has 2 mappings of uids", got: "the sandbox p1", history: `
			c1 RunPodSandbox a mappings=2 -> p1 <<`},
		{name: "there is no such call", untested: true, history: `
			c1 RunPodSandbox a mappings=2 ! Unimplemented no such method`},
		{name: "what has the id is not known", untested: true, history: `
			c1 RunPodSandbox a ! DeadlineExceeded
			c1 RunPodSandbox a mappings=2 -> p1`},
	},
}
