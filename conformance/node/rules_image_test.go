package node

// programmed is a pod with a sandbox, whose container has variables and arguments.
const programmed = `
	user PUT a {spec: {containers: [{name: c, args: ["--b=$(B)", "$$(A)", "$(C)"], env: [{name: A, value: "1"}, {name: B, value: "$(A) of a"}, {name: HOST, valueFrom: {fieldRef: {fieldPath: status.hostIP}}}]}]}}
	cri RunPodSandbox a -> p1
`

var imageHistories = map[string][]judgedHistory{
	"image/policy": {
		{name: "IfNotPresent", history: oneRuns},
		{name: "Always, and it is pulled", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:1 a
			cri CreateContainer p1/c -> c1`},
		{name: "its short name", history: `
			user PUT a {spec: {containers: [{name: c, image: busybox, imagePullPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:latest a
			cri CreateContainer p1/c -> c1`},
		{name: "Always, and the image changes meanwhile", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:1 a
			user EDIT a {spec: {containers: [{name: c, image: "y:1"}]}}
			cri CreateContainer p1/c {config: {image: {user_specified_image: docker.io/library/busybox:1}}} -> c1`},
		{name: "Always, and it is not", want: "Always is pulled before c is created", got: "it is not", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1 <<`},
		{name: "Always, and the pull fails", want: "Always is pulled before c is created", got: "it is not", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Always}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:1 a ! Unavailable
			cri CreateContainer p1/c -> c1 <<`},
		{name: "Never, and it is", want: "Never is not pulled", got: "it is", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Never}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:1 a <<
			cri CreateContainer p1/c -> c1`},
		{name: "Never, and it is, without a container", want: "Never is not pulled", got: "it is", history: `
			user PUT a {spec: {containers: [{name: c, imagePullPolicy: Never}]}}
			cri RunPodSandbox a -> p1
			cri PullImage docker.io/library/busybox:1 a <<`},
	},
	"image/serial": {
		{name: "one after the other", history: `
			user PUT a
			cri PullImage x:1 a
			cri PullImage y:1 a`},
		{name: "after one that was given up", history: `
			user PUT a
			cri PullImage x:1 a ...
			cri PullImage y:1 a
			cri <- x:1 ! DeadlineExceeded`},
		{name: "beside that of an agent that was killed", untested: true, history: `
			user PUT a
			cri PullImage x:1 a ...
			KILL
			START
			cri PullImage y:1 a
			cri <- x:1`},
		{name: "side by side", want: "the pull of before has ended", got: "it has not", history: `
			user PUT a
			cri PullImage x:1 a ... <<
			cri PullImage y:1 a <<
			cri <- x:1`},
	},
	"image/back-off": {
		{name: "it waits longer and longer", history: `
			user PUT a
			cri PullImage x:1 a ! Unavailable
			+10s
			cri PullImage x:1 a ! Unavailable
			+20s
			cri PullImage x:1 a`},
		{name: "after a restart", untested: true, history: `
			user PUT a
			cri PullImage x:1 a ! Unavailable
			KILL
			START
			cri PullImage x:1 a`},
		{name: "for another pod", untested: true, history: `
			user PUT a
			user PUT b
			cri PullImage x:1 a ! Unavailable
			cri PullImage x:1 b`},
		{name: "at once", want: "10s after the pull that failed", got: "1s", history: `
			user PUT a
			cri PullImage x:1 a ! Unavailable <<
			+1s
			cri PullImage x:1 a <<`},
		{name: "no longer", want: "20s after the pull that failed", got: "10s", history: `
			user PUT a
			cri PullImage x:1 a ! Unavailable
			+10s
			cri PullImage x:1 a ! Unavailable <<
			+10s
			cri PullImage x:1 a <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED image/back-off <<"},
	},
	"image/name": {
		{name: "it is named", history: oneRuns},
		{name: "the image has changed", history: oneRuns + `
			user EDIT a {spec: {containers: [{name: c, image: "y:1"}]}}
			cri StopContainer c1 3
			cri CreateContainer p1/c -> c2`},
		{name: "it is not", want: "user_specified_image is docker.io/library/busybox:1", got: `""`, history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c {config: {image: {user_specified_image: ""}}} -> c1 <<`},
		{name: "other namespaces", want: "those of the sandbox", got: "they are not", history: `
			user PUT a
			cri RunPodSandbox a {config: {linux: {security_context: {namespace_options: {network: 2}}}}} -> p1 <<
			cri CreateContainer p1/c {config: {linux: {security_context: {namespace_options: {network: 0}}}}} -> c1 <<`},
	},
	"image/program": {
		{name: "as the spec says", history: programmed + `
			cri CreateContainer p1/c {config: {envs: [{key: A, value: "1"}, {key: B, value: 1 of a}, {key: HOST, value: x}], args: ["--b=1 of a", "$(A)", "$(C)"]}} -> c1`},
		{name: "a variable is missing", want: `the variable A of c is "1"`, got: `""`, history: programmed + `
			cri CreateContainer p1/c {config: {envs: [{key: B, value: 1 of a}], args: ["--b=1 of a", "$(A)", "$(C)"]}} -> c1 <<`},
		{name: "a variable is another", want: `the variable B of c is "1 of a"`, got: `"1"`, history: programmed + `
			cri CreateContainer p1/c {config: {envs: [{key: A, value: "1"}, {key: B, value: "1"}], args: ["--b=1 of a", "$(A)", "$(C)"]}} -> c1 <<`},
		{name: "as it is written", want: "the command and the arguments of c", got: "$(B)", history: programmed + `
			cri CreateContainer p1/c {config: {envs: [{key: A, value: "1"}, {key: B, value: 1 of a}], args: ["--b=$(B)", "$$(A)", "$(C)"]}} -> c1 <<`},
		{name: "another command", want: "the command and the arguments of c", got: "false", history: `
			user PUT a
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c {config: {command: ["false"]}} -> c1 <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED image/program <<"},
	},
	"image/rate": {
		{name: "few at once, and then slowly", history: `
			user PUT a
			cri PullImage x:1 a
			cri PullImage y:1 a
			+200ms
			cri PullImage z:1 a
			+200ms
			cri PullImage z:2 a`},
		{name: "few", untested: true, history: `
			user PUT a
			cri PullImage x:1 a
			cri PullImage y:1 a`},
		{name: "two agents, each of which counts for itself", untested: true, history: `
			user PUT a
			cri PullImage x:1 a
			cri PullImage y:1 a
			KILL
			START
			cri PullImage z:1 a`},
		{name: "the second agent pulls many at once", want: "2 pulls at once at most, and 5 in a second", got: "3 in 0s", history: `
			user PUT a
			KILL
			START
			cri PullImage x:1 a <<
			cri PullImage y:1 a
			cri PullImage z:1 a <<`},
		{name: "many at once", want: "2 pulls at once at most, and 5 in a second", got: "3 in 0s", history: `
			user PUT a
			cri PullImage x:1 a <<
			cri PullImage y:1 a
			cri PullImage z:1 a <<`},
		{name: "it does not come", want: "it is so", got: "not within", history: "user EXPIRED image/rate <<"},
	},
	"image/volume": {
		{name: "it is mounted", history: `
			user PUT a {spec: {volumes: [{name: v, image: {reference: "x:1"}}], containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]}}
			cri RunPodSandbox a -> p1
			cri PullImage x:1 a
			cri CreateContainer p1/c {config: {mounts: [{container_path: /v, image: {image: sha}}]}} -> c1`},
		{name: "another container", untested: true, history: `
			user PUT a {spec: {volumes: [{name: v, image: {reference: "x:1"}}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1`},
		{name: "it is not", want: "the image x:1 is mounted", got: "it is not", history: `
			user PUT a {spec: {volumes: [{name: v, image: {reference: "x:1"}}], containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}]}}
			cri RunPodSandbox a -> p1
			cri CreateContainer p1/c -> c1 <<`},
	},
}
