package cri

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandbox is a pod sandbox. Its fields are under the runtime's lock.
type sandbox struct {
	id        string
	config    *runtimeapi.PodSandboxConfig // a copy, which nobody changes
	handler   string
	ready     bool
	created   int64
	address   netip.Addr // invalid: it has the host's network, or has been stopped
	resources *runtimeapi.LinuxContainerResources
	overhead  *runtimeapi.LinuxContainerResources
}

// identity is what no two sandboxes that live may share.
func identityOfPod(m *runtimeapi.PodSandboxMetadata) string {
	return fmt.Sprintf("pod %s_%s_%s_%d", m.GetName(), m.GetNamespace(), m.GetUid(), m.GetAttempt())
}

// notFound is the error of an id that nothing has.
func notFound(what, id string) error {
	return status.Errorf(codes.NotFound, "%s %q: not found", what, id)
}

// clone is a deep copy.
func clone[M proto.Message](m M) M { return proto.Clone(m).(M) }

func (r service) RunPodSandbox(_ context.Context, q *runtimeapi.RunPodSandboxRequest) (*runtimeapi.RunPodSandboxResponse, error) {
	config := q.GetConfig()
	switch {
	case config.GetMetadata().GetName() == "" || config.GetMetadata().GetNamespace() == "" || config.GetMetadata().GetUid() == "":
		return nil, status.Error(codes.InvalidArgument, "the sandbox needs metadata with a name, a namespace and a uid")
	case !r.handles(q.GetRuntimeHandler()):
		return nil, status.Errorf(codes.Unknown, "no runtime for %q is configured", q.GetRuntimeHandler())
	}
	if err := checkUserNamespace(config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetUsernsOptions()); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	identity := identityOfPod(config.GetMetadata())
	for _, s := range r.sandboxes {
		if identityOfPod(s.config.GetMetadata()) == identity {
			if r.o.Personality.RepeatsAnswerID {
				return &runtimeapi.RunPodSandboxResponse{PodSandboxId: s.id}, nil
			}
			return nil, status.Errorf(codes.FailedPrecondition, "name %q is reserved for %q", identity, s.id)
		}
	}
	if r.making[identity] {
		return nil, status.Errorf(codes.FailedPrecondition, "name %q is reserved", identity)
	}
	s := &sandbox{id: r.newID("sandbox"), config: clone(config), handler: q.GetRuntimeHandler(), ready: true, created: r.now()}
	s.resources, s.overhead = s.config.GetLinux().GetResources(), s.config.GetLinux().GetOverhead()
	r.making[identity] = true
	r.mu.Unlock()
	lived := r.middle("RunPodSandbox", q)
	r.mu.Lock()
	if !lived {
		if s.ready = false; r.o.Personality.KeepsHalf {
			r.sandboxes[s.id] = s
		}
		return nil, errDown
	}
	delete(r.making, identity)
	if s.config.GetLinux().GetSecurityContext().GetNamespaceOptions().GetNetwork() != runtimeapi.NamespaceMode_NODE {
		if s.address = r.newAddress(); !s.address.IsValid() {
			return nil, status.Errorf(codes.Unknown, "no address is left in %s", r.o.Pods)
		}
	}
	r.sandboxes[s.id] = s
	if !r.o.Personality.FewSandboxEvents {
		r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT)
	}
	r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
	return &runtimeapi.RunPodSandboxResponse{PodSandboxId: s.id}, nil
}

// checkUserNamespace refuses what is no user namespace of a pod.
func checkUserNamespace(u *runtimeapi.UserNamespace) error {
	switch mode := u.GetMode(); {
	case u == nil, mode == runtimeapi.NamespaceMode_NODE:
		return nil
	case mode != runtimeapi.NamespaceMode_POD:
		return status.Errorf(codes.InvalidArgument, "a user namespace of the mode %s is not supported", mode)
	}
	if len(u.GetUids()) != 1 || len(u.GetGids()) != 1 || u.GetUids()[0].GetContainerId() != 0 || u.GetGids()[0].GetContainerId() != 0 {
		return status.Error(codes.InvalidArgument, "a user namespace needs one mapping of uids and one of gids, of which each maps the id 0 of the container")
	}
	return nil
}

// handles reports whether there is a runtime handler.
func (r *Runtime) handles(name string) bool { return name == "" || slices.Contains(r.o.Handlers, name) }

// newAddress takes the first address that is free; the first of the subnet is the host's.
func (r *Runtime) newAddress() netip.Addr {
	for a := r.o.Pods.Addr().Next().Next(); r.o.Pods.Contains(a); a = a.Next() {
		if !r.addresses[a] {
			r.addresses[a] = true
			return a
		}
	}
	return netip.Addr{}
}

// sandbox returns the sandbox that an id, or the beginning of one, names; nil: none.
func (r *Runtime) sandbox(id string) *sandbox { return byPrefix(r.sandboxes, id) }

// byPrefix returns what an id names, or the only one whose id begins so.
func byPrefix[T any](all map[string]*T, id string) (found *T) {
	if x := all[id]; x != nil || id == "" {
		return x
	}
	for full, x := range all {
		if strings.HasPrefix(full, id) {
			if found != nil {
				return nil
			}
			found = x
		}
	}
	return found
}

func (r service) StopPodSandbox(_ context.Context, q *runtimeapi.StopPodSandboxRequest) (*runtimeapi.StopPodSandboxResponse, error) {
	r.mu.Lock()
	s := r.sandbox(q.GetPodSandboxId())
	if s == nil {
		r.mu.Unlock()
		return &runtimeapi.StopPodSandboxResponse{}, nil
	}
	killed := r.killAll(s)
	r.mu.Unlock()
	wait(killed)
	if !r.middle("StopPodSandbox", q) {
		return nil, errDown
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended(s)
	return &runtimeapi.StopPodSandboxResponse{}, nil
}

// killAll kills the containers of a sandbox, and returns those that run.
func (r *Runtime) killAll(s *sandbox) (all []*process) {
	for _, c := range r.containers {
		if c.pod == s && c.state == runtimeapi.ContainerState_CONTAINER_RUNNING {
			c.process.kill(137)
			all = append(all, c.process)
		}
	}
	return all
}

// wait waits until processes have ended, and that is known.
func wait(all []*process) {
	for _, p := range all {
		<-p.done
	}
}

// ended stops a sandbox, with what was started in it meanwhile. It is called under the lock, which it gives up for a while.
func (r *Runtime) ended(s *sandbox) {
	r.stopped(s)
	killed := r.killAll(s)
	r.mu.Unlock()
	wait(killed)
	r.mu.Lock()
}

// stopped makes a sandbox not ready, and frees its address.
func (r *Runtime) stopped(s *sandbox) {
	if s.ready {
		s.ready = false
		delete(r.addresses, s.address)
		s.address = netip.Addr{}
		r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
	}
}

func (r service) RemovePodSandbox(_ context.Context, q *runtimeapi.RemovePodSandboxRequest) (*runtimeapi.RemovePodSandboxResponse, error) {
	r.mu.Lock()
	s := r.sandbox(q.GetPodSandboxId())
	if s == nil {
		r.mu.Unlock()
		return &runtimeapi.RemovePodSandboxResponse{}, nil
	}
	killed := r.killAll(s)
	r.mu.Unlock()
	wait(killed)
	if !r.middle("RemovePodSandbox", q) {
		return nil, errDown
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended(s)
	if r.sandboxes[s.id] != s { // somebody else was faster
		return &runtimeapi.RemovePodSandboxResponse{}, nil
	}
	for _, c := range r.sortedContainers() {
		if c.pod == s {
			r.removed(c)
		}
	}
	delete(r.sandboxes, s.id)
	if !r.o.Personality.FewSandboxEvents {
		r.tell(s, s.id, runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT)
	}
	return &runtimeapi.RemovePodSandboxResponse{}, nil
}

func (r service) PodSandboxStatus(_ context.Context, q *runtimeapi.PodSandboxStatusRequest) (*runtimeapi.PodSandboxStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(q.GetPodSandboxId())
	if s == nil {
		return nil, notFound("sandbox", q.GetPodSandboxId())
	}
	out := &runtimeapi.PodSandboxStatusResponse{Status: s.status()}
	if q.GetVerbose() {
		out.Info = map[string]string{"info": fmt.Sprintf(`{"runtime":"fake","handler":%q}`, s.handler)}
	}
	if r.o.Personality.StatusHasContainers && !r.lacks(Events) {
		out.ContainersStatuses, out.Timestamp = r.statusesOf(s), r.now()
	}
	return out, nil
}

// state is as an answer has it.
func (s *sandbox) state() runtimeapi.PodSandboxState {
	if s.ready {
		return runtimeapi.PodSandboxState_SANDBOX_READY
	}
	return runtimeapi.PodSandboxState_SANDBOX_NOTREADY
}

func (s *sandbox) status() *runtimeapi.PodSandboxStatus {
	options := &runtimeapi.NamespaceOption{}
	if o := s.config.GetLinux().GetSecurityContext().GetNamespaceOptions(); o != nil {
		options = clone(o)
	}
	out := &runtimeapi.PodSandboxStatus{Id: s.id, Metadata: s.config.GetMetadata(), State: s.state(), CreatedAt: s.created, Network: &runtimeapi.PodSandboxNetworkStatus{},
		Linux: &runtimeapi.LinuxPodSandboxStatus{Namespaces: &runtimeapi.Namespace{Options: options}}, Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(),
		RuntimeHandler: s.handler}
	if s.address.IsValid() {
		out.Network.Ip = s.address.String()
	}
	return out
}

func (r service) ListPodSandbox(_ context.Context, q *runtimeapi.ListPodSandboxRequest) (*runtimeapi.ListPodSandboxResponse, error) {
	return &runtimeapi.ListPodSandboxResponse{Items: r.sandboxesFor(q.GetFilter())}, nil
}

// sandboxesFor returns what a filter lets through, the newest first.
func (r *Runtime) sandboxesFor(f *runtimeapi.PodSandboxFilter) (all []*runtimeapi.PodSandbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sortedSandboxes() {
		if strings.HasPrefix(s.id, f.GetId()) && (f.GetState() == nil || f.GetState().GetState() == s.state()) && selects(f.GetLabelSelector(), s.config.GetLabels()) {
			all = append(all, &runtimeapi.PodSandbox{Id: s.id, Metadata: s.config.GetMetadata(), State: s.state(), CreatedAt: s.created,
				Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations(), RuntimeHandler: s.handler})
		}
	}
	return all
}

// selects reports whether labels have all that a selector wants.
func selects(selector, labels map[string]string) bool {
	for k, v := range selector {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	return true
}

func (r *Runtime) sortedSandboxes() []*sandbox {
	all := make([]*sandbox, 0, len(r.sandboxes))
	for _, s := range r.sandboxes {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *sandbox) int { return newestFirst(a.created, b.created, a.id, b.id) })
	return all
}

func newestFirst(a, b int64, idA, idB string) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return strings.Compare(idA, idB)
}

func (r service) UpdatePodSandboxResources(_ context.Context, q *runtimeapi.UpdatePodSandboxResourcesRequest) (*runtimeapi.UpdatePodSandboxResourcesResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(q.GetPodSandboxId())
	if s == nil {
		return nil, notFound("sandbox", q.GetPodSandboxId())
	}
	s.resources, s.overhead = merged(s.resources, q.GetResources()), merged(s.overhead, q.GetOverhead())
	return &runtimeapi.UpdatePodSandboxResourcesResponse{}, nil
}
