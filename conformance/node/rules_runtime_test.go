package node

import "strings"

// secretlyPulled has a pod a that pulls an image with a secret.
const secretlyPulled = `
	user PUT a {spec: {imagePullSecrets: [{name: s}], containers: [{name: c, image: "x:1"}]}}
	cri RunPodSandbox a -> p1
	cri PullImage x:1 a {auth: {username: u}} -> sha <<
	cri CreateContainer p1/c -> c1
`

// unused has an image that nobody uses.
const unused = `
	user PUT a
	cri RunPodSandbox a -> p1
	cri PullImage x:1 a -> sha
	cri CreateContainer p1/c {config: {image: {image: sha}}} -> c1
	cri StartContainer c1
	user DELETE a 0
	runtime EXIT c1
	cri RemoveContainer c1
`

var runtimeHistories = map[string][]judgedHistory{
	"config/driver": {
		{name: "it is asked again", history: `
			cri RuntimeConfig ! Unavailable
			cri RuntimeConfig
			user PUT a
			cri RunPodSandbox a -> p1`},
		{name: "the runtime does not have it", untested: true, history: `
			cri RuntimeConfig ! Unimplemented
			user PUT a
			cri RunPodSandbox a -> p1`},
		{name: "in another life", history: `
			cri RuntimeConfig ! Unavailable
			KILL
			START
			cri RuntimeConfig
			user PUT a
			cri RunPodSandbox a -> p1`},
		{name: "it is guessed", want: "no pod runs before", got: "one does", history: `
			cri RuntimeConfig ! Unavailable <<
			user PUT a
			cri RunPodSandbox a -> p1 <<`},
		{name: "no pod runs", want: "it is so", got: "not within", history: "user EXPIRED config/driver <<"},
	},
	"container-gc/log-rotation": {
		{name: "it is asked for again", history: oneRuns + `
			cri ReopenContainerLog c1 ! Internal
			+10s
			cri ReopenContainerLog c1
			+60s
			user CAME other`},
		{name: "the container ends meanwhile", history: oneRuns + `
			cri ReopenContainerLog c1 ! Internal
			+1s
			cri ContainerStatus c1 EXITED 0
			cri ReopenContainerLog c1 ! NotFound
			+60s
			user CAME other`},
		{name: "the agent is killed meanwhile", history: oneRuns + `
			cri ReopenContainerLog c1 ! Internal
			KILL
			+60s
			START`},
		{name: "it is not", want: "again within 25s", got: "it is not", history: oneRuns + `
			cri ReopenContainerLog c1 ! Internal <<
			+60s
			user CAME other`},
		{name: "a container that has ended is asked for twice", want: "once at most", got: "asked again", history: oneRuns + `
			cri ContainerStatus c1 EXITED 0 <<
			cri ReopenContainerLog c1 ! NotFound <<
			cri ReopenContainerLog c1 ! NotFound <<`},
	},
	"image/credentials": {
		{name: "it pulls itself", history: unmarked(secretlyPulled) + `
			user PUT b {spec: {containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox b -> p2
			cri PullImage x:1 b -> sha
			cri CreateContainer p2/c -> c2`},
		{name: "it has the secret", untested: true, history: unmarked(secretlyPulled) + `
			user PUT b {spec: {imagePullSecrets: [{name: s}], containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox b -> p2
			cri CreateContainer p2/c -> c2`},
		{name: "anybody may pull", history: unmarked(secretlyPulled) + `
			user PUT b {spec: {containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox b -> p2
			cri PullImage x:1 b -> sha
			user PUT d {spec: {containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox d -> p3
			cri CreateContainer p3/c -> c3`, untested: true},
		{name: "it does not", want: "default/b pulls the image itself", got: "another pod", history: secretlyPulled + `
			user PUT b {spec: {containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox b -> p2
			cri CreateContainer p2/c -> c2 <<`},
		{name: "its pull fails", want: "default/b pulls the image itself", got: "another pod", history: secretlyPulled + `
			user PUT b {spec: {containers: [{name: c, image: "x:1"}]}}
			cri RunPodSandbox b -> p2
			cri PullImage x:1 b ! Unauthenticated
			cri CreateContainer p2/c -> c2 <<`},
	},
	"image-gc/age": {
		{name: "it is deleted", history: unused + `
			+10m
			cri RemoveImage sha
			+5m
			user CAME other`},
		{name: "it was used lately", untested: true, history: unused + `
			+8m
			user CAME other`},
		{name: "it is used", untested: true, history: oneRuns + `
			cri PullImage x:1 a -> sha
			runtime EXIT c1
			cri CreateContainer p1/c {config: {image: {image: sha}}} -> c2
			+20m
			user CAME other`},
		{name: "it stays", want: "an image is deleted within 10m35s", got: "it is not", history: marked(unused, "PullImage") + `
			+11m
			user CAME other`},
	},
}

// unmarked returns a history without marks.
func unmarked(history string) string { return strings.ReplaceAll(history, " <<", "") }

// marked marks the first line of a history that has a word.
func marked(history, word string) string {
	before, after, _ := strings.Cut(history, word)
	line, rest, _ := strings.Cut(after, "\n")
	return before + word + line + " <<\n" + rest
}
