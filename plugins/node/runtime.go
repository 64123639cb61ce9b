package node

import (
	"os"
	"path/filepath"
	"sync"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/fakes/cri"
)

// control is the container runtime of a case, as its administrator sees it.
type control struct {
	*cri.Runtime
	answers *answers
	disk    *disk
}

func (c control) find(pod, container string, f func(cri.Info)) {
	for _, x := range c.Containers() {
		if x.Pod == pod && x.Name == container {
			f(x)
		}
	}
}

// Exit implements node.Runtime.
func (c control) Exit(pod, container string, code int32) {
	c.find(pod, container, func(x cri.Info) { c.Runtime.Exit(x.ID, code) })
}

// Count implements node.Runtime.
func (c control) Count(pod, container string) (running, all int) {
	c.find(pod, container, func(x cri.Info) {
		if all++; x.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
			running++
		}
	})
	return running, all
}

// Forget implements node.Runtime.
func (c control) Forget(pod, container string) {
	c.find(pod, container, func(x cri.Info) { c.Remove(x.ID) })
}

// EndSandbox implements node.Runtime.
func (c control) EndSandbox(pod string) {
	for _, x := range c.Containers() {
		if x.Pod == pod {
			c.KillSandbox(x.Sandbox)
			c.Runtime.Exit(x.ID, 137)
		}
	}
}

// TwinSandbox implements node.Runtime.
func (c control) TwinSandbox(pod string) { c.live(pod, c.Runtime.TwinSandbox) }

// DropAddress implements node.Runtime.
func (c control) DropAddress(pod string) { c.live(pod, c.Runtime.DropAddress) }

// live does something with the sandbox in which the containers of a pod run.
func (c control) live(pod string, f func(sandbox string)) {
	for _, x := range c.Containers() {
		if x.Pod == pod && x.State == runtimeapi.ContainerState_CONTAINER_RUNNING {
			f(x.Sandbox)
			return
		}
	}
}

// Restart implements node.Runtime.
func (c control) Restart(forgets bool) {
	m := cri.Keeps
	if forgets {
		m = cri.ForgetsAll
	}
	c.Runtime.Restart(m)
}

// Ready implements node.Runtime.
func (c control) Ready(runtime, network bool) {
	why := func(ready bool) string {
		if ready {
			return ""
		}
		return "the story says so"
	}
	c.SetReady(why(runtime), why(network))
}

// Arm implements node.Runtime.
func (c control) Arm(f node.RuntimeFault, struck func()) error {
	var own cri.Fault
	if f.Dies != "" { // and the call waits for that
		f.Dies, f.Hang = "", f.Slow == 0
	}
	if err := convert(f, &own); err != nil {
		return err
	}
	if err := own.Validate(); err != nil {
		return err
	}
	own.Struck = struck
	c.Runtime.Arm(own)
	return nil
}

// Answer implements node.Runtime.
func (c control) Answer(pod, container string, p node.Probe) { c.answers.set(pod, container, p) }

// Fill implements node.Runtime.
func (c control) Fill(percent int) error { return c.disk.fill(percent) }

// disk is the file system of images: a real one, on a mount point, or one that is only told.
type disk struct {
	mount string // empty: it is only told

	mu      sync.Mutex
	percent int
}

// capacity is the size of the file system of images.
const capacity = 64 << 20

func (d *disk) fill(percent int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.percent = percent
	if d.mount == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(d.mount, "filler"), make([]byte, capacity/100*percent), 0o600)
}

// stats tells how many bytes are used, and how many there are.
func (d *disk) stats() (used, all uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return uint64(capacity / 100 * d.percent), capacity
}

// answers are what exec probes get.
type answers struct {
	mu  sync.Mutex
	all map[[3]string]node.Probe
}

func (a *answers) set(pod, container string, p node.Probe) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[[3]string]node.Probe{}
	}
	a.all[[3]string{pod, container, p.Probe}] = p
}

// exec returns what an exec runs: a probe, whose command is `probe NAME`, or what a shell would.
func (a *answers) exec(c *runtimeapi.ContainerConfig, argv []string) cri.Workload {
	if len(argv) != 2 || argv[0] != "probe" {
		return cri.Shell(argv)
	}
	key := [3]string{c.GetLabels()["io.kubernetes.pod.name"], c.GetLabels()["io.kubernetes.container.name"], argv[1]}
	return func(p *cri.Process) int32 {
		a.mu.Lock()
		answer := a.all[key]
		a.mu.Unlock()
		if answer.Hang {
			<-p.Context().Done()
		}
		return answer.Code
	}
}

// serve serves the runtime on a socket until the case ends.
func (c control) serve(path string) (stop func(), err error) {
	l, err := cri.Listen(path)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Serve(l) // it ends with the runtime
	}()
	return func() {
		c.Close()
		<-done
	}, nil
}
