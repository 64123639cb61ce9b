package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// connect asks the runtime who it is and how it wants cgroups. A runtime that cannot say it is asked three times.
func (a *Agent) connect() (err error) {
	for {
		if a.runtime, err = a.rt.Version(a.ctx, &runtimeapi.VersionRequest{}); err == nil {
			break
		}
		if !a.sleep(time.Second) {
			return err
		}
	}
	for try := 0; try < 3; try++ {
		if try > 0 && !a.sleep(2*time.Second) {
			return a.ctx.Err()
		}
		var out *runtimeapi.RuntimeConfigResponse
		switch out, err = a.rt.RuntimeConfig(a.ctx, &runtimeapi.RuntimeConfigRequest{}); {
		case status.Code(err) == codes.Unimplemented:
			return nil
		case err != nil:
			continue
		}
		a.driver = out.GetLinux().GetCgroupDriver()
		if _, ok := runtimeapi.CgroupDriver_name[int32(a.driver)]; !ok {
			return fmt.Errorf("the runtime reported an unknown cgroup driver %d", a.driver)
		}
		return nil
	}
	return fmt.Errorf("the runtime does not tell its configuration: %w", err)
}

// podStatus is what the runtime knows of a pod in full.
type podStatus struct {
	at         time.Time // not older than this
	ips        []string
	sandboxes  []*runtimeapi.PodSandboxStatus // the newest first
	containers []*containerStatus             // the newest first
}

// containerStatus is the status of a container with what its labels and annotations say.
type containerStatus struct {
	*runtimeapi.ContainerStatus
	name     string
	hash     string
	restarts int32
	active   bool   // it is in the newest sandbox, which is ready
	message  string // with the termination message
}

// inspect asks for the statuses of all that the runtime lists of a pod.
func (a *Agent) inspect(ctx context.Context, p *runtimePod) (*podStatus, error) {
	out, active := &podStatus{at: p.at}, ""
	for i, s := range p.sandboxes {
		r, err := a.rt.PodSandboxStatus(ctx, &runtimeapi.PodSandboxStatusRequest{PodSandboxId: s.Id})
		switch {
		case status.Code(err) == codes.NotFound:
			continue
		case err != nil:
			return nil, err
		case r.GetStatus() == nil:
			return nil, errors.New("the status of a sandbox is empty")
		}
		out.sandboxes = append(out.sandboxes, r.Status)
		if i == 0 && r.Status.State == ready {
			out.ips, active = ipsOf(r.Status), s.Id
		}
	}
	for _, c := range p.containers {
		r, err := a.rt.ContainerStatus(ctx, &runtimeapi.ContainerStatusRequest{ContainerId: c.Id})
		switch {
		case status.Code(err) == codes.NotFound:
			continue
		case err != nil:
			return nil, err
		case r.GetStatus() == nil:
			return nil, errors.New("the status of a container is empty")
		}
		out.containers = append(out.containers, newContainerStatus(r.Status, c.PodSandboxId == active))
	}
	slices.SortStableFunc(out.containers, func(x, y *containerStatus) int { return cmp.Compare(y.CreatedAt, x.CreatedAt) })
	return out, nil
}

func newContainerStatus(s *runtimeapi.ContainerStatus, active bool) *containerStatus {
	restarts, _ := strconv.Atoi(s.Annotations[noteRestarts])
	c := &containerStatus{ContainerStatus: s, name: s.Labels[labelContainer], hash: s.Annotations[noteHash], restarts: int32(restarts), active: active, message: s.Message}
	if s.State == exited {
		if m := terminationMessage(s); m != "" && c.message != "" {
			c.message += ": " + m
		} else {
			c.message += m
		}
	}
	return c
}

// ipsOf returns the addresses of a sandbox.
func ipsOf(s *runtimeapi.PodSandboxStatus) (ips []string) {
	if ip := s.GetNetwork().GetIp(); ip != "" {
		ips = append(ips, ip)
	}
	for _, more := range s.GetNetwork().GetAdditionalIps() {
		ips = append(ips, more.GetIp())
	}
	return ips
}

// find returns the newest container of a name; nil: none. activeOnly leaves out those of former sandboxes.
func (s *podStatus) find(name string, activeOnly bool) *containerStatus {
	for _, c := range s.containers {
		if c.name == name && (c.active || !activeOnly) {
			return c
		}
	}
	return nil
}

// clone copies a status, but for the messages of the runtime, which nobody changes.
func (s *podStatus) clone() *podStatus {
	out := *s
	out.ips = slices.Clone(s.ips)
	return &out
}
