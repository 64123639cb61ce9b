package cri

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// saved is what a checkpoint has of a container.
type saved struct {
	Name    string `json:"name"`
	Image   string `json:"image"`
	Started int64  `json:"started"`
}

// save writes the checkpoint of a container to a new file.
func (r *Runtime) save(c *container, file string) error {
	b, err := json.Marshal(saved{c.config.GetMetadata().GetName(), c.imageID, c.started})
	if err == nil {
		err = os.WriteFile(r.file(file), b, 0o600)
	}
	if err != nil {
		return status.Errorf(codes.Unknown, "cannot write the checkpoint: %v", err)
	}
	return nil
}

func (r service) CheckpointContainer(_ context.Context, q *runtimeapi.CheckpointContainerRequest) (*runtimeapi.CheckpointContainerResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	switch {
	case c == nil:
		return nil, notFound("container", q.GetContainerId())
	case c.state != runtimeapi.ContainerState_CONTAINER_RUNNING:
		return nil, status.Errorf(codes.FailedPrecondition, "container %q is not running", c.id)
	}
	return &runtimeapi.CheckpointContainerResponse{}, r.save(c, q.GetLocation())
}

// CheckpointPod saves running containers of a sandbox, each to a file in a folder that there is.
func (r service) CheckpointPod(_ context.Context, q *runtimeapi.CheckpointPodRequest) (*runtimeapi.CheckpointPodResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(q.GetPodSandboxId())
	ids := slices.Clone(q.GetContainerIds())
	slices.Sort(ids)
	switch {
	case s == nil:
		return nil, notFound("sandbox", q.GetPodSandboxId())
	case len(ids) == 0 || len(slices.Compact(ids)) < len(q.GetContainerIds()):
		return nil, status.Error(codes.InvalidArgument, "container_ids must name containers, each once")
	case len(q.GetOptions()) > 0:
		return nil, status.Error(codes.InvalidArgument, "no options are known")
	}
	var all []*container
	for _, id := range q.GetContainerIds() {
		c := r.container(id)
		if c == nil || c.pod != s || c.state != runtimeapi.ContainerState_CONTAINER_RUNNING {
			return nil, status.Errorf(codes.FailedPrecondition, "%q is no running container of the sandbox", id)
		}
		all = append(all, c)
	}
	var written []string
	for _, c := range all {
		file := filepath.Join(q.GetOutputPath(), c.config.GetMetadata().GetName()+".json")
		if err := r.save(c, file); err != nil {
			for _, name := range written {
				_ = os.Remove(r.file(name))
			}
			return nil, err
		}
		written = append(written, file)
	}
	return &runtimeapi.CheckpointPodResponse{}, nil
}

// RestorePod makes a sandbox with containers that were saved. They are created, and not started.
func (r service) RestorePod(ctx context.Context, q *runtimeapi.RestorePodRequest) (*runtimeapi.RestorePodResponse, error) {
	if len(q.GetOptions()) > 0 {
		return nil, status.Error(codes.InvalidArgument, "no options are known")
	}
	for _, config := range q.GetContainerConfigs() {
		var x saved
		b, err := os.ReadFile(r.file(filepath.Join(q.GetCheckpointPath(), config.GetMetadata().GetName()+".json")))
		if err == nil {
			err = json.Unmarshal(b, &x)
		}
		if err != nil {
			return nil, status.Errorf(codes.InvalidArgument, "the checkpoint has no container %q: %v", config.GetMetadata().GetName(), err)
		}
	}
	pod, err := r.RunPodSandbox(ctx, &runtimeapi.RunPodSandboxRequest{Config: q.GetConfig(), RuntimeHandler: q.GetRuntimeHandler()})
	if err != nil {
		return nil, err
	}
	out := &runtimeapi.RestorePodResponse{PodSandboxId: pod.PodSandboxId}
	for _, config := range q.GetContainerConfigs() {
		c, err := r.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{PodSandboxId: pod.PodSandboxId, Config: config, SandboxConfig: q.GetConfig()})
		if err != nil {
			_, _ = r.RemovePodSandbox(ctx, &runtimeapi.RemovePodSandboxRequest{PodSandboxId: pod.PodSandboxId})
			return nil, err
		}
		out.RestoredContainers = append(out.RestoredContainers, &runtimeapi.RestoredContainer{Name: config.GetMetadata().GetName(), ContainerId: c.ContainerId})
	}
	return out, nil
}
