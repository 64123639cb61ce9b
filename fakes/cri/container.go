package cri

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// container is a container. Its fields are under the runtime's lock.
type container struct {
	id        string
	pod       *sandbox
	config    *runtimeapi.ContainerConfig // a copy, which nobody changes
	imageID   string
	imageRef  string
	state     runtimeapi.ContainerState
	created   int64
	started   int64
	finished  int64
	exitCode  int32
	reason    string
	message   string
	resources *runtimeapi.LinuxContainerResources
	workload  Workload
	process   *process // nil before the start
	starting  bool     // a start is in its middle
	log       *logFile
	files     *files
}

// holding is a container that was made for a caller who has gone; see Personality.HoldsRepeats.
type holding struct {
	id      string // empty: it is being made
	repeats int
}

func identityOfContainer(pod string, m *runtimeapi.ContainerMetadata) string {
	return fmt.Sprintf("container %s_%d of %s", m.GetName(), m.GetAttempt(), pod)
}

func (r service) CreateContainer(ctx context.Context, q *runtimeapi.CreateContainerRequest) (*runtimeapi.CreateContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(q.GetPodSandboxId())
	if s == nil {
		return nil, notFound("sandbox", q.GetPodSandboxId())
	}
	config := q.GetConfig()
	if config.GetMetadata().GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "the container needs metadata with a name")
	}
	identity := identityOfContainer(s.id, config.GetMetadata())
	if h := r.held[identity]; h != nil {
		return r.repeated(ctx, identity, h)
	}
	if c := r.containerOf(s, config.GetMetadata()); c != nil {
		if r.o.Personality.RepeatsAnswerID {
			return &runtimeapi.CreateContainerResponse{ContainerId: c.id}, nil
		}
		return nil, status.Errorf(codes.FailedPrecondition, "name %q is reserved for %q", identity, c.id)
	}
	c, err := r.newContainer(s, config)
	if err != nil {
		return nil, err
	}
	slow := r.faults.slow("CreateContainer", q)
	if slow == nil {
		r.add(c)
		return &runtimeapi.CreateContainerResponse{ContainerId: c.id}, nil
	}
	return r.createSlowly(ctx, c, identity, slow)
}

// createSlowly takes its time to make a container. If the caller goes meanwhile, the container is made all the same.
func (r *Runtime) createSlowly(ctx context.Context, c *container, identity string, slow *Fault) (*runtimeapi.CreateContainerResponse, error) {
	h := &holding{}
	r.held[identity] = h
	r.mu.Unlock()
	lived := r.lives(slow)
	r.mu.Lock()
	if !lived { // nothing was kept of what was being made
		return nil, errDown
	}
	if r.sandboxes[c.pod.id] != c.pod {
		delete(r.held, identity)
		return nil, notFound("sandbox", c.pod.id)
	}
	if h.id = c.id; ctx.Err() != nil && r.o.Personality.HoldsRepeats {
		r.containers[c.id] = c // listed once somebody is given its id
		c.state = unlisted
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	delete(r.held, identity)
	r.add(c)
	return &runtimeapi.CreateContainerResponse{ContainerId: c.id}, nil
}

// unlisted is the state of a container that nobody has the id of.
const unlisted = runtimeapi.ContainerState(-1)

// repeated answers a CreateContainer while what an earlier one makes is not known to its caller.
func (r *Runtime) repeated(ctx context.Context, identity string, h *holding) (*runtimeapi.CreateContainerResponse, error) {
	if !r.o.Personality.HoldsRepeats {
		return nil, status.Errorf(codes.FailedPrecondition, "name %q is reserved", identity)
	}
	if h.repeats++; h.id == "" || h.repeats == 1 {
		r.mu.Unlock()
		<-ctx.Done()
		r.mu.Lock()
		return nil, status.Errorf(codes.DeadlineExceeded, "name %q is reserved, and what it stands for is being made", identity)
	}
	delete(r.held, identity)
	c := r.containers[h.id]
	if c == nil {
		return nil, status.Errorf(codes.Unknown, "what %q stood for is gone", identity)
	}
	r.add(c)
	return &runtimeapi.CreateContainerResponse{ContainerId: c.id}, nil
}

// newContainer makes a container that nobody knows yet.
func (r *Runtime) newContainer(s *sandbox, config *runtimeapi.ContainerConfig) (*container, error) {
	if !s.ready {
		return nil, status.Errorf(codes.Unknown, "sandbox %q is not running", s.id)
	}
	image := r.imageFor(config.GetImage().GetImage())
	if image == nil {
		return nil, status.Errorf(codes.NotFound, "image %q: not found", config.GetImage().GetImage())
	}
	if s := config.GetLinux().GetSecurityContext(); s.GetRunAsGroup() != nil && s.GetRunAsUser() == nil && s.GetRunAsUsername() == "" {
		return nil, status.Error(codes.InvalidArgument, "run_as_group needs run_as_user or run_as_username")
	}
	if err := r.checkMounts(config.GetMounts()); err != nil {
		return nil, err
	}
	c := &container{id: r.newID("container"), pod: s, config: clone(config), imageID: image.id, imageRef: image.id, created: r.now()}
	c.files = &files{config: c.config, pod: s.config, host: r.host}
	for _, m := range c.config.GetMounts() {
		if m.GetImage().GetImage() != "" {
			m.Image.ImageRef = r.imageFor(m.Image.Image).id
		}
	}
	if r.o.Personality.ImageRefIsDigest {
		c.imageRef = image.digestName()
	}
	if c.resources = c.config.GetLinux().GetResources(); c.resources == nil {
		c.resources = &runtimeapi.LinuxContainerResources{}
	}
	if r.o.Workload != nil {
		c.workload = r.o.Workload(c.config)
	} else {
		c.workload = shellOf(c.config, image)
	}
	if c.workload == nil && r.o.Personality.MissingBinaryAtCreate {
		return nil, status.Errorf(codes.Unknown, "container create failed: %s", missing(c.config))
	}
	return c, nil
}

// missing describes a binary that is not there.
func missing(config *runtimeapi.ContainerConfig) string {
	return unfound(append(slices.Concat(config.GetCommand(), config.GetArgs()), "")[0])
}

// unfound describes a command that is not there, as runc does.
func unfound(command string) string {
	if strings.Contains(command, "/") {
		return fmt.Sprintf("exec: %q: stat %s: no such file or directory", command, command)
	}
	return fmt.Sprintf("exec: %q: executable file not found in $PATH", command)
}

// checkMounts refuses mounts that contradict themselves.
func (r *Runtime) checkMounts(all []*runtimeapi.Mount) error {
	for _, m := range all {
		switch image := m.GetImage().GetImage(); {
		case m.GetRecursiveReadOnly() && (!m.GetReadonly() || m.GetPropagation() != runtimeapi.MountPropagation_PROPAGATION_PRIVATE):
			return status.Errorf(codes.InvalidArgument, "the mount %s is recursively read-only, and so must be read-only and private", m.GetContainerPath())
		case image != "" && m.GetHostPath() != "":
			return status.Errorf(codes.InvalidArgument, "the mount %s is of an image and of a path of the host", m.GetContainerPath())
		case image != "" && r.imageFor(image) == nil:
			return status.Errorf(codes.NotFound, "image %q of the mount %s: not found", image, m.GetContainerPath())
		case image != "" && m.GetImageSubPath() != "" && !r.imageFor(image).has(m.GetImageSubPath()):
			return status.Errorf(codes.NotFound, "the image %q has no %s", image, m.GetImageSubPath())
		}
	}
	return nil
}

// add makes a container known.
func (r *Runtime) add(c *container) {
	c.state = runtimeapi.ContainerState_CONTAINER_CREATED
	r.containers[c.id] = c
	r.tell(c.pod, c.id, runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT)
}

// container returns the container that an id, or the beginning of one, names; nil: none.
func (r *Runtime) container(id string) *container {
	if c := byPrefix(r.containers, id); c != nil && c.state != unlisted {
		return c
	}
	return nil
}

// containerOf returns the container of a sandbox that has an identity; nil: none.
func (r *Runtime) containerOf(s *sandbox, m *runtimeapi.ContainerMetadata) *container {
	for _, c := range r.containers {
		if c.pod == s && c.config.GetMetadata().GetName() == m.GetName() && c.config.GetMetadata().GetAttempt() == m.GetAttempt() {
			return c
		}
	}
	return nil
}

func (r service) StartContainer(_ context.Context, q *runtimeapi.StartContainerRequest) (*runtimeapi.StartContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	if err := startable(c, q); err != nil {
		return nil, err
	}
	c.starting = true
	r.mu.Unlock()
	lived := r.middle("StartContainer", q)
	r.mu.Lock()
	if c.starting = false; !lived {
		return nil, errDown
	}
	c = r.container(q.GetContainerId()) // somebody may have removed it
	if err := startable(c, q); err != nil {
		return nil, err
	}
	if c.workload == nil {
		c.started, c.message = 0, missing(c.config)
		r.exited(c, 128, "StartError")
		return nil, status.Errorf(codes.Unknown, "failed to start %q: %s", c.id, c.message)
	}
	c.log = openLog(r.file(c.logPath()), r.o.Personality.NumericZone)
	c.state, c.started = runtimeapi.ContainerState_CONTAINER_RUNNING, r.now()
	c.process = r.start(c)
	r.tell(c.pod, c.id, runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT)
	p := c.process
	r.work.Go(func() {
		code, reason := p.run()
		r.mu.Lock()
		r.exited(c, code, reason)
		r.mu.Unlock()
		close(p.done)
	})
	return &runtimeapi.StartContainerResponse{}, nil
}

// startable returns why a container cannot be started; nil: it can.
func startable(c *container, q *runtimeapi.StartContainerRequest) error {
	switch {
	case c == nil:
		return notFound("container", q.GetContainerId())
	case c.state != runtimeapi.ContainerState_CONTAINER_CREATED, c.starting:
		return status.Errorf(codes.Unknown, "container %q is in the state %s", c.id, c.state)
	case !c.pod.ready:
		return status.Errorf(codes.Unknown, "sandbox %q is not running", c.pod.id)
	}
	return nil
}

// exited makes a container one that has ended.
func (r *Runtime) exited(c *container, code int32, reason string) {
	if c.state == runtimeapi.ContainerState_CONTAINER_EXITED {
		return
	}
	c.state, c.exitCode, c.finished = runtimeapi.ContainerState_CONTAINER_EXITED, code, r.now()
	switch c.reason = reason; {
	case reason != "":
	case code == 0:
		c.reason = "Completed"
	default:
		c.reason = "Error"
	}
	if c.log != nil {
		c.log.close()
	}
	if f := r.o.Observer.Exited; f != nil {
		f(c.id)
	}
	if r.containers[c.id] == c {
		r.tell(c.pod, c.id, runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT)
	}
}

func (r service) StopContainer(ctx context.Context, q *runtimeapi.StopContainerRequest) (*runtimeapi.StopContainerResponse, error) {
	r.mu.Lock()
	c := r.container(q.GetContainerId())
	if c == nil || c.state != runtimeapi.ContainerState_CONTAINER_RUNNING { // one that was created can still be started, as on containerd
		r.mu.Unlock()
		return &runtimeapi.StopContainerResponse{}, nil
	}
	p := c.process
	signal := signalName(c.config.GetStopSignal())
	r.mu.Unlock()
	if !r.middle("StopContainer", q) {
		return nil, errDown
	}
	if q.GetTimeout() > 0 {
		p.signal(signal)
		select {
		case <-p.done:
			return &runtimeapi.StopContainerResponse{}, nil
		case <-ctx.Done(): // the container goes on with its grace, and a later call is free to end that
			return nil, status.FromContextError(ctx.Err()).Err()
		case <-time.After(time.Duration(q.GetTimeout()) * time.Second):
		}
	}
	p.kill(137)
	<-p.done
	return &runtimeapi.StopContainerResponse{}, nil
}

func (r service) RemoveContainer(_ context.Context, q *runtimeapi.RemoveContainerRequest) (*runtimeapi.RemoveContainerResponse, error) {
	r.mu.Lock()
	c := r.container(q.GetContainerId())
	if c == nil {
		r.mu.Unlock()
		return &runtimeapi.RemoveContainerResponse{}, nil
	}
	defer r.mu.Unlock()
	r.kill(c)
	r.mu.Unlock()
	lived := r.middle("RemoveContainer", q)
	r.mu.Lock()
	if !lived {
		return nil, errDown
	}
	r.kill(c)                    // somebody may have started it
	if r.containers[c.id] == c { // nobody else was faster
		r.removed(c)
	}
	return &runtimeapi.RemoveContainerResponse{}, nil
}

// kill ends a container if it runs. It is called under the lock, which it gives up for a while.
func (r *Runtime) kill(c *container) {
	if c.state == runtimeapi.ContainerState_CONTAINER_RUNNING {
		p := c.process
		p.kill(137)
		r.mu.Unlock()
		<-p.done
		r.mu.Lock()
	}
}

// removed takes a container that does not run away.
func (r *Runtime) removed(c *container) {
	was := c.state
	delete(r.containers, c.id)
	delete(r.held, identityOfContainer(c.pod.id, c.config.GetMetadata()))
	if was != unlisted {
		r.tell(c.pod, c.id, runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT)
	}
}

func (r service) ContainerStatus(_ context.Context, q *runtimeapi.ContainerStatusRequest) (*runtimeapi.ContainerStatusResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	if c == nil {
		return nil, notFound("container", q.GetContainerId())
	}
	out := &runtimeapi.ContainerStatusResponse{Status: r.statusOf(c)}
	if q.GetVerbose() {
		out.Info = map[string]string{"info": fmt.Sprintf(`{"sandboxID":%q,"pid":%d}`, c.pod.id, c.process.pid())}
	}
	return out, nil
}

// logPath is where the container's output goes; empty: nowhere.
func (c *container) logPath() string {
	if dir := c.pod.config.GetLogDirectory(); dir != "" && c.config.GetLogPath() != "" {
		return filepath.Join(dir, c.config.GetLogPath())
	}
	return ""
}

func (r *Runtime) statusOf(c *container) *runtimeapi.ContainerStatus {
	signal := c.config.GetStopSignal()
	if signal == runtimeapi.Signal_SIGNAL_RUNTIME_DEFAULT && !r.o.Personality.DefaultSignalUntold {
		signal = runtimeapi.Signal_SIGNAL_SIGTERM
	}
	user := userOf(c)
	return &runtimeapi.ContainerStatus{Id: c.id, Metadata: c.config.GetMetadata(), State: c.state, CreatedAt: c.created, StartedAt: c.started, FinishedAt: c.finished,
		ExitCode: c.exitCode, Image: &runtimeapi.ImageSpec{Image: r.nameOf(c), Annotations: c.config.GetImage().GetAnnotations()}, ImageRef: c.imageRef, Reason: c.reason, Message: c.message, Labels: c.config.GetLabels(),
		Annotations: c.config.GetAnnotations(), Mounts: c.config.GetMounts(), LogPath: c.logPath(), Resources: &runtimeapi.ContainerResources{Linux: c.resources},
		ImageId: c.imageID, User: &runtimeapi.ContainerUser{Linux: user}, StopSignal: signal}
}

// nameOf returns the name of a container's image: that by which the container was made or, if that was the id, a name that the store has.
func (r *Runtime) nameOf(c *container) string {
	name := c.config.GetImage().GetImage()
	if image := r.images[c.imageID]; image != nil && name == image.id && len(image.tags)+len(image.digests) > 0 {
		return slices.Concat(image.tags, image.digests)[0]
	}
	return name
}

// userOf returns the user of a container, and its groups with the first one first.
func userOf(c *container) *runtimeapi.LinuxContainerUser {
	security := c.config.GetLinux().GetSecurityContext()
	user := &runtimeapi.LinuxContainerUser{Uid: security.GetRunAsUser().GetValue(), Gid: security.GetRunAsGroup().GetValue()}
	user.SupplementalGroups = slices.Compact(append([]int64{user.Gid}, security.GetSupplementalGroups()...))
	return user
}

// statusesOf returns the statuses of a sandbox's containers, the newest first.
func (r *Runtime) statusesOf(s *sandbox) (all []*runtimeapi.ContainerStatus) {
	for _, c := range r.sortedContainers() {
		if c.pod == s && c.state != unlisted {
			all = append(all, r.statusOf(c))
		}
	}
	return all
}

func (r *Runtime) sortedContainers() []*container {
	all := make([]*container, 0, len(r.containers))
	for _, c := range r.containers {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *container) int { return newestFirst(a.created, b.created, a.id, b.id) })
	return all
}

func (r service) ListContainers(_ context.Context, q *runtimeapi.ListContainersRequest) (*runtimeapi.ListContainersResponse, error) {
	return &runtimeapi.ListContainersResponse{Containers: r.containersFor(q.GetFilter())}, nil
}

func (r *Runtime) containersFor(f *runtimeapi.ContainerFilter) (all []*runtimeapi.Container) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.sortedContainers() {
		if c.state != unlisted && strings.HasPrefix(c.id, f.GetId()) && strings.HasPrefix(c.pod.id, f.GetPodSandboxId()) &&
			(f.GetState() == nil || f.GetState().GetState() == c.state) && selects(f.GetLabelSelector(), c.config.GetLabels()) {
			all = append(all, &runtimeapi.Container{Id: c.id, PodSandboxId: c.pod.id, Metadata: c.config.GetMetadata(), Image: c.config.GetImage(), ImageRef: c.imageRef,
				State: c.state, CreatedAt: c.created, Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(), ImageId: c.imageID})
		}
	}
	return all
}

func (r service) UpdateContainerResources(_ context.Context, q *runtimeapi.UpdateContainerResourcesRequest) (*runtimeapi.UpdateContainerResourcesResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	switch x := q.GetLinux(); {
	case c == nil:
		return nil, notFound("container", q.GetContainerId())
	case c.state == runtimeapi.ContainerState_CONTAINER_EXITED:
		return nil, status.Errorf(codes.Unknown, "container %q has ended", c.id)
	case x.GetCpuShares() < 0 || x.GetCpuPeriod() < 0 || x.GetMemoryLimitInBytes() < 0:
		return nil, status.Error(codes.InvalidArgument, "a limit is negative")
	}
	c.resources = merged(c.resources, q.GetLinux())
	return &runtimeapi.UpdateContainerResourcesResponse{}, nil
}

// merged returns resources in which those that now sets are new.
func merged(was, now *runtimeapi.LinuxContainerResources) *runtimeapi.LinuxContainerResources {
	if now == nil {
		return was
	}
	out := &runtimeapi.LinuxContainerResources{}
	if was != nil {
		out = clone(was)
	}
	set(&out.CpuPeriod, now.CpuPeriod)
	set(&out.CpuQuota, now.CpuQuota)
	set(&out.CpuShares, now.CpuShares)
	set(&out.MemoryLimitInBytes, now.MemoryLimitInBytes)
	set(&out.OomScoreAdj, now.OomScoreAdj)
	set(&out.CpusetCpus, now.CpusetCpus)
	set(&out.CpusetMems, now.CpusetMems)
	set(&out.MemorySwapLimitInBytes, now.MemorySwapLimitInBytes)
	if len(now.HugepageLimits) > 0 {
		out.HugepageLimits = now.HugepageLimits
	}
	for k, v := range now.Unified {
		if out.Unified == nil {
			out.Unified = map[string]string{}
		}
		out.Unified[k] = v
	}
	return out
}

// set takes a value over unless it is zero.
func set[T comparable](to *T, value T) {
	var zero T
	if value != zero {
		*to = value
	}
}

func (r service) ReopenContainerLog(_ context.Context, q *runtimeapi.ReopenContainerLogRequest) (*runtimeapi.ReopenContainerLogResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	switch {
	case c == nil:
		return nil, notFound("container", q.GetContainerId())
	case c.state != runtimeapi.ContainerState_CONTAINER_RUNNING:
		return nil, status.Errorf(codes.Unknown, "container %q is not running", c.id)
	}
	if err := c.log.reopen(); err != nil {
		return nil, status.Errorf(codes.Unknown, "cannot reopen the log: %v", err)
	}
	return &runtimeapi.ReopenContainerLogResponse{}, nil
}

// sleep waits, or until a context ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
