package adapter

import "context"

// RuntimeOffer offers a container runtime to the runtime suite. lwtest speaks the CRI to it.
type RuntimeOffer struct {
	Features []string // of the kind runtime
	// Start starts a runtime, and returns when it serves the CRI. It is called once for each case. If Start is nil, nothing is offered.
	Start func() (Runtime, error)
}

// Runtime is a container runtime that is up. It has no pods, unless its address says Beside. With the feature restart it is a Killer and
// a Restarter. If it has a method Close(), that is called at the end of the case, and ends it with all that it holds. A runtime that
// serves several cases has none; the adapter ends it after Serve, and removes its pods if lwtest did not.
type Runtime interface {
	Address() RuntimeAddress
}

// RuntimeAddress says where a runtime listens, and how its pods are made.
type RuntimeAddress struct {
	Socket string `json:"socket"`           // absolute path of its unix socket
	Image  string `json:"image,omitempty"`  // image of all containers, with a POSIX shell; "": docker.io/library/busybox:latest
	Logs   string `json:"logs,omitempty"`   // absolute path of a folder for the logs of pods; "": a new one in the temporary folder
	Parent string `json:"parent,omitempty"` // cgroup of pods; "": system.slice with the systemd cgroup driver, or what the runtime chooses
	Beside bool   `json:"beside,omitempty"` // it may have pods of others
}

// Killer is a Runtime that can be killed, as kill -9 does: its containers go on (feature restart). Kill returns when the runtime does
// not serve any more. Restart of a Restarter starts it again at the same socket, and does nothing if it serves.
type Killer interface {
	Kill(context.Context) error
}

type rtRuntime struct {
	H string `json:"h"`
}

// ops are those of the kind.
func (o RuntimeOffer) ops() map[string]op {
	return map[string]op{
		"rt.start": on(func(c *call, r rtRuntime) (out RuntimeAddress, err error) {
			rt, err := o.Start()
			if err != nil {
				return out, err
			}
			c.keeps(r.H, rt)
			return rt.Address(), nil
		}),
		"rt.kill": on(func(c *call, r rtRuntime) (nothing, error) {
			return tells(c, r.H, func(k Killer) error { return k.Kill(c) })
		}),
		"rt.restart": on(func(c *call, r rtRuntime) (nothing, error) {
			return tells(c, r.H, func(s Restarter) error { return s.Restart(c) })
		}),
	}
}
