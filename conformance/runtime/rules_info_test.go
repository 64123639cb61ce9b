package runtime

// conditions is the status of a runtime that is ready.
const conditions = `status={"conditions":[{"type":"RuntimeReady","status":true},{"type":"NetworkReady","status":false}]}`

var infoHistories = map[string][]judged{
	"status/conditions": {
		{name: "both, and other ones", history: `
			c1 Status -> ` + conditions + ` runtime_handlers=[{"name":""},{"name":"runc"}]
			c1 Status -> status={"conditions":[{"type":"RuntimeReady"},{"type":"NetworkReady"},{"type":"ContainerdHasNoDeprecationWarnings"}]}`},
		{name: "no answer", untested: true, history: `
			c1 Status ! Unavailable connection refused
			c1 Status ...`},
		{name: "one is missing", want: "the condition NetworkReady once", got: "0 times", history: `
			c1 Status -> status={"conditions":[{"type":"RuntimeReady","status":true}]} <<`},
		{name: "one is there twice", want: "the condition RuntimeReady once", got: "2 times", history: `
			c1 Status -> status={"conditions":[{"type":"RuntimeReady"},{"type":"NetworkReady"},{"type":"RuntimeReady"}]} <<`},
		{name: "a handler is there twice", want: "runtime handlers whose names differ", got: `"runc" twice`, history: `
			c1 Status -> ` + conditions + ` runtime_handlers=[{"name":"runc"},{"name":"runc"}] <<`},
	},
	"status/version": {
		{name: "v1", history: `
			c1 Version`},
		{name: "no answer", untested: true, history: `
			c1 Version ! Unavailable connection refused`},
		{name: "another API", want: "the API version v1", got: "v1alpha2", history: `
			c1 Version -> runtime_api_version=v1alpha2 <<`},
		{name: "no name", want: "a name", got: `"", "v1"`, history: `
			c1 Version -> runtime_name="" <<`},
	},
	"config/cgroup-driver": {
		{name: "systemd, and cgroupfs", history: `
			c1 RuntimeConfig -> linux={"cgroup_driver":0}
			c1 RuntimeConfig -> linux.cgroup_driver=1`},
		{name: "no answer", untested: true, history: `
			c1 RuntimeConfig ! Unavailable connection refused
			c1 RuntimeConfig ! DeadlineExceeded`},
		{name: "nothing of Linux", want: "systemd or cgroupfs", got: "RuntimeConfig succeeded", history: `
			c1 RuntimeConfig <<`},
		{name: "another one", want: "systemd or cgroupfs", got: "RuntimeConfig succeeded", history: `
			c1 RuntimeConfig -> linux.cgroup_driver=2 <<`},
	},
	"image/status": {
		{name: "one that is there, and one that is not", history: `
			c1 ImageStatus img -> i1:5
			c1 ImageStatus lwtest.invalid/absent:1`},
		{name: "it was removed", untested: true, history: `
			c1 RemoveImage img
			c1 ImageStatus img`},
		{name: "it was removed by another name", history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img
			c1 ImageStatus i1`},
		{name: "it is being removed", untested: true, history: `
			c1 ImageStatus img ...
			c2 RemoveImage img
			c1 <-`},
		{name: "its removal is not answered", untested: true, history: `
			c1 RemoveImage img ! DeadlineExceeded
			c1 ImageStatus img`},
		{name: "it cannot be pulled again", untested: true, history: `
			c1 RemoveImage img
			c1 PullImage img ! Unknown no network
			c1 ImageStatus img`},
		{name: "it is being pulled again", untested: true, history: `
			c1 RemoveImage img
			c2 PullImage img ...
			c1 ImageStatus img
			c2 <-`},
		{name: "no answer", untested: true, history: `
			c1 ImageStatus img ! Unavailable connection refused
			c1 ImageStatus lwtest.invalid/absent:1 ! DeadlineExceeded`},
		{name: "an error of one that is not there", want: "success without an image", got: "NotFound", history: `
			c1 ImageStatus lwtest.invalid/absent:1 ! NotFound no such image <<`},
		{name: "no size", want: "a size above 0", got: `id "i1", size 0`, history: `
			c1 ImageStatus img -> i1:0 <<`},
		{name: "it is not there", want: "an image", got: "ImageStatus succeeded, without one", history: `
			c1 ImageStatus img <<`},
		{name: "an error", want: "an image", got: "out of order", history: `
			c1 ImageStatus img ! Unknown out of order <<`},
		{name: "pulled again, and not there", want: "an image", got: "without one", history: `
			c1 RemoveImage img
			c1 PullImage img
			c1 ImageStatus img <<`},
		{name: "one that cannot be there", want: "success without an image", got: "ImageStatus succeeded", history: `
			c1 ImageStatus lwtest.invalid/absent:1 -> i9:5 <<`},
		{name: "no id", want: "an id", got: "size 5", history: `
			c1 ImageStatus img -> :5 <<`},
		{name: "it is not there, and removed later", want: "an image", got: "without one", history: `
			c1 ImageStatus img <<
			c1 RemoveImage img`},
		{name: "its removal is not answered, and it is pulled again", untested: true, history: `
			c1 RemoveImage img ! DeadlineExceeded
			c1 PullImage img
			c1 ImageStatus img`},
	},
	"image/pull": {
		{name: "one that is there", history: `
			c1 PullImage r/lwtest/one:1 -> sha
			c1 PullImage r/lwtest/one:1 -> sha`},
		{name: "by somebody who may", history: `
			c1 PullImage r/private/one:1 ! Unknown 401
			c1 PullImage r/private/one:1 as=stranger ! Unknown 401
			c1 PullImage r/private/one:1 as=user -> sha`},
		{name: "one that is not there", history: `
			c1 PullImage r/lwtest/missing:1 ! NotFound no such image`},
		{name: "one of others", untested: true, history: `
			c1 PullImage x:1 ! NotFound no such image`},
		{name: "its caller gave up", untested: true, history: `
			c1 PullImage r/lwtest/one:1 took=10s ! DeadlineExceeded`},
		{name: "one that is there fails", want: "success", got: "no such image", history: `
			c1 PullImage r/lwtest/two:1 ! NotFound no such image <<`},
		{name: "one that is not there succeeds", want: "does not have it", got: "succeeded", history: `
			c1 PullImage r/lwtest/missing:1 -> sha <<`},
		{name: "by anybody", want: "not for these credentials", got: "succeeded", history: `
			c1 PullImage r/private/one:1 as=user -> sha
			c1 PullImage r/private/one:1 -> sha <<`},
	},
	"image/remove": {
		{name: "another tag is removed, which may leave this one", untested: true, history: `
			c1 ImageStatus r/lwtest/one:1 -> sha:5
			c1 ImageStatus r/lwtest/one:2 -> sha:5
			c1 RemoveImage r/lwtest/one:1
			c1 ImageStatus r/lwtest/one:2 -> sha:5`},
		{name: "a tag of an image that was removed by its id", want: "no image: it was removed", got: "sha", history: `
			c1 ImageStatus r/lwtest/one:1 -> sha:5
			c1 RemoveImage sha <<
			c1 ImageStatus r/lwtest/one:1 -> sha:5 <<`},
		{name: "it is gone, and comes back", history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img
			c1 ImageStatus img
			c1 ListImages -> i2:5
			c1 PullImage img
			c1 ImageStatus img -> i1:5`},
		{name: "a pull whose caller gave up may bring it back", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img
			c1 PullImage img ! DeadlineExceeded
			c1 ImageStatus img -> i1:5
			c1 ListImages -> i1:5`},
		{name: "a pull that is under way may bring it back", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c2 PullImage img ...
			c1 RemoveImage img
			c2 <-
			c1 ImageStatus img -> i1:5`},
		{name: "asked in the middle of it", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c2 RemoveImage img ...
			c1 ImageStatus img -> i1:5
			c2 <-`},
		{name: "it is not removed", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img ! FailedPrecondition it is in use
			c1 ImageStatus img -> i1:5`},
		{name: "it is there", want: "no image: it was removed", got: "i1", history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img <<
			c1 ImageStatus img -> i1:5 <<`},
		{name: "it is there, and pulled later", want: "no image: it was removed", got: "i1", history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img <<
			c1 ImageStatus img -> i1:5 <<
			c1 PullImage img`},
		{name: "it is listed", want: "a list without the image img", got: "i1", history: `
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img <<
			c1 ListImages -> i1:5{"repo_tags":["img"]} <<`},
		{name: "nobody knows its id", untested: true, history: `
			c1 RemoveImage img
			c1 ImageStatus img`},
		{name: "listed in the middle of it", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c1 ListImages ...
			c2 RemoveImage img
			c1 <- i1:5`},
		{name: "a pull from before, whose caller gave up, may bring it back", untested: true, history: `
			c1 ImageStatus img -> i1:5
			c1 PullImage img ! DeadlineExceeded
			c1 RemoveImage img
			c1 ImageStatus img -> i1:5
			c1 ListImages -> i1:5{"repo_tags":["img"]}`},
		{name: "pulled before", want: "a list without the image img", got: "i1", history: `
			c1 PullImage img
			c1 ImageStatus img -> i1:5
			c1 RemoveImage img <<
			c1 ListImages -> i1:5{"repo_tags":["img"]} <<`},
	},
	"image/filesystem": {
		{name: "two", history: `
			c1 ImageFsInfo -> image_filesystems=[` + filesystem + `,` + filesystem + `]`},
		{name: "no answer", untested: true, history: `
			c1 ImageFsInfo ! Unavailable connection refused`},
		{name: "none", want: "a file system of images", got: "ImageFsInfo succeeded without one", history: `
			c1 ImageFsInfo <<`},
		{name: "an error", want: "a file system of images", got: "out of order", history: `
			c1 ImageFsInfo ! Unknown out of order <<`},
		{name: "a relative path", want: "an absolute path", got: `"images"`, history: `
			c1 ImageFsInfo -> image_filesystems=[{"timestamp":1,"fs_id":{"mountpoint":"images"},"used_bytes":{"value":1}}] <<`},
		{name: "no time", want: "an absolute path", got: ", 0", history: `
			c1 ImageFsInfo -> image_filesystems=[{"fs_id":{"mountpoint":"/images"},"used_bytes":{"value":1}}] <<`},
		{name: "the used bytes are missing", want: "the bytes that are used", got: "<nil>", history: `
			c1 ImageFsInfo -> image_filesystems=[{"timestamp":1,"fs_id":{"mountpoint":"/images"}}] <<`},
	},
	"checkpoint/pod": {
		{name: "it runs on", history: oneRuns + `
			c1 CheckpointPod a/c
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "it fails, and the container runs on", history: oneRuns + `
			c1 CheckpointPod a/c ! Unknown no CRIU
			c1 ContainerStatus a/c -> RUNNING`},
		{name: "what is not there, or does not run", history: oneMade + `
			c1 CheckpointPod none/none ! NotFound no such sandbox
			c1 CheckpointPod a/c ! FailedPrecondition it does not run`},
		{name: "Unimplemented, or not answered", untested: true, history: oneRuns + `
			c1 CheckpointPod none/none ! Unimplemented no such method
			c1 CheckpointPod a/c ! DeadlineExceeded`},
		{name: "it may have been started", untested: true, history: oneMade + `
			c2 StartContainer a/c ...
			c1 CheckpointPod a/c
			c2 <-`},
		{name: "it is stopped afterwards", untested: true, history: oneRuns + `
			c1 CheckpointPod a/c
			c2 StopContainer a/c grace=5 ...
			c1 ContainerStatus a/c -> EXITED code=3
			c2 <-`},
		{name: "it has ended", want: "a container that runs on", got: "CONTAINER_EXITED", history: oneRuns + `
			c1 CheckpointPod a/c <<
			c1 ContainerStatus a/c -> EXITED code=137 <<`},
		{name: "what does not run", want: "an error: the container is CONTAINER_CREATED", got: "CheckpointPod succeeded", history: oneMade + `
			c1 CheckpointPod a/c <<`},
		{name: "what is not there", want: "an error: nothing has this id", got: "CheckpointPod succeeded", history: `
			c1 CheckpointPod none/none <<`},
		{name: "what was removed", want: "an error: it was removed by RemovePodSandbox", got: "CheckpointPod succeeded", history: oneRuns + `
			c1 RemovePodSandbox a
			c1 CheckpointPod a/c <<`},
		{name: "one that is not there, not answered", untested: true, history: `
			c1 CheckpointPod none/none ! DeadlineExceeded`},
		{name: "nobody knows what it is", history: onePod + `
			c1 CreateContainer a/c work=ends ! DeadlineExceeded
			c1 CreateContainer a/c work=forever -> k1
			c1 CheckpointPod a/c`},
	},
	"leak/none": {
		{name: "nothing is left", history: `
			COUNT -> mounts=3 processes=4` + fivePods + `
			COUNT -> mounts=3 processes=6`},
		{name: "too few pods", untested: true, history: `
			COUNT -> mounts=3
			c1 RunPodSandbox a -> p1
			c1 RemovePodSandbox a
			COUNT -> mounts=99`},
		{name: "a pod is there", untested: true, history: `
			COUNT -> mounts=3` + fivePods + `
			c1 RunPodSandbox b -> p9
			COUNT -> mounts=9`},
		{name: "a pod may be there", untested: true, history: `
			COUNT -> mounts=3` + fivePods + `
			c1 RunPodSandbox b ! DeadlineExceeded
			COUNT -> mounts=9`},
		{name: "a pod is being run", untested: true, history: `
			COUNT -> mounts=3` + fivePods + `
			c2 RunPodSandbox b ...
			COUNT -> mounts=9
			c2 <- p9`},
		{name: "the runtime was restarted", untested: true, history: `
			COUNT -> processes=3` + fivePods + `
			KILL
			START
			COUNT -> processes=9`},
		{name: "it was killed in the middle, and nothing is left", history: `
			COUNT -> processes=3` + fivePods + halfRun + `
			c1 ListPodSandbox
			COUNT -> processes=4`},
		{name: "it was killed in the middle, and nobody lists", untested: true, history: `
			COUNT -> processes=3` + fivePods + halfRun + `
			COUNT -> processes=9`},
		{name: "it was killed in the middle, and a pod is still listed", untested: true, history: `
			COUNT -> processes=3` + fivePods + halfRun + `
			c1 ListPodSandbox -> ` + listedHalf + `
			COUNT -> processes=9`},
		{name: "it was killed in the middle, and is another process", untested: true, history: `
			COUNT -> files=3` + fivePods + halfRun + `
			c1 ListPodSandbox
			COUNT -> files=90`},
		{name: "it was killed in the middle, and something is left that nobody lists", want: "about 3 processes, as before 6 pods came and went", got: "5", history: `
			COUNT -> processes=3 <<` + fivePods + halfRun + `
			c1 ListPodSandbox
			COUNT -> processes=5 <<`},
		{name: "nobody can count", untested: true, history: `
			COUNT ! Unknown out of order` + fivePods + `
			COUNT -> processes=9`},
		{name: "a mount of each", want: "about 3 mounts, as before 5 pods came and went", got: "8", history: `
			COUNT -> mounts=3 processes=4 <<` + fivePods + `
			COUNT -> mounts=8 processes=4 <<`},
	},
}

const (
	// filesystem is one of images.
	filesystem = `{"timestamp":1,"fs_id":{"mountpoint":"/images"},"used_bytes":{"value":1}}`
	// fivePods are pods that come and go.
	fivePods = `
	c1 RunPodSandbox a -> p1
	c1 RemovePodSandbox a
	c1 RunPodSandbox a -> p2
	c1 RemovePodSandbox a
	c1 RunPodSandbox a -> p3
	c1 RemovePodSandbox a
	c1 RunPodSandbox a -> p4
	c1 RemovePodSandbox a
	c1 RunPodSandbox a -> p5
	c1 RemovePodSandbox a`
)
