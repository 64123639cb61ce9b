package exec

func runtimeOps() []Op {
	const kind = "runtime"
	return []Op{
		{"rt.start", kind, "start a container runtime, and answer when it serves the CRI on a unix socket. lwtest then talks to it there. It ends with the case, with all that it holds; or it stays for the cases that follow, if its pods and containers are gone, and ends with the adapter", RTRuntime{}, RTStarted{}},
		{"rt.kill", kind, "kill it, like kill -9: its containers go on. Answer when it does not serve any more (feature restart)", RTRuntime{}, Nothing{}},
		{"rt.restart", kind, "start it again on what it had stored, at the same socket. Answer when it serves again; if it serves already, do nothing (feature restart)", RTRuntime{}, Nothing{}},
	}
}

// RTRuntime names a runtime.
type RTRuntime struct {
	H string `json:"h"`
}

// RTStarted says where a runtime listens, and how its pods are made: as the parameters of the target cri:unix:// do.
type RTStarted struct {
	Socket string `json:"socket"`           // the absolute path of its unix socket
	Image  string `json:"image,omitempty"`  // the image of all containers, with a POSIX shell, sleep and seq; it is pulled if it is not there; none: docker.io/library/busybox:latest
	Logs   string `json:"logs,omitempty"`   // a folder for the logs of pods, which lwtest sees, too; none: a new one in the temporary folder
	Parent string `json:"parent,omitempty"` // the cgroup of pods; none: system.slice with the systemd cgroup driver, or what the runtime chooses
	Beside bool   `json:"beside,omitempty"` // go on although the runtime has pods of others
}
