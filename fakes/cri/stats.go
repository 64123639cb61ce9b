package cri

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// What a container uses: a tenth of a core, a writable layer, and memory that grows to a limit.
const (
	layer     = 64 << 10
	memory    = 1 << 20
	perSecond = 4 << 10
	mostUsed  = 64 << 20
)

// running returns how long a container has run.
func (c *container) running(now int64) time.Duration {
	switch {
	case c.started == 0:
		return 0
	case c.finished > 0:
		now = c.finished
	}
	return time.Duration(now - c.started)
}

func (r *Runtime) statsOf(c *container) *runtimeapi.ContainerStats {
	now := r.now()
	ran := c.running(now)
	used := min(uint64(memory+int64(ran.Seconds()*perSecond)), mostUsed)
	if limit := uint64(c.resources.GetMemoryLimitInBytes()); limit > 0 {
		used = min(used, limit)
	}
	out := &runtimeapi.ContainerStats{
		Attributes:    &runtimeapi.ContainerAttributes{Id: c.id, Metadata: c.config.GetMetadata(), Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations()},
		Cpu:           &runtimeapi.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: number(uint64(ran / 10)), UsageNanoCores: number(1e8)},
		Memory:        &runtimeapi.MemoryUsage{Timestamp: now, WorkingSetBytes: number(used), UsageBytes: number(used), RssBytes: number(used), PageFaults: number(used >> 12), MajorPageFaults: number(0)},
		WritableLayer: &runtimeapi.FilesystemUsage{Timestamp: now, FsId: &runtimeapi.FilesystemIdentifier{Mountpoint: r.o.Mountpoint}, UsedBytes: number(layer), InodesUsed: number(8)},
		Swap:          &runtimeapi.SwapUsage{Timestamp: now, SwapUsageBytes: number(0), SwapAvailableBytes: number(uint64(c.resources.GetMemorySwapLimitInBytes()))},
		Io:            &runtimeapi.IoUsage{Timestamp: now},
	}
	if limit := uint64(c.resources.GetMemoryLimitInBytes()); limit > 0 {
		out.Memory.AvailableBytes = number(limit - used)
	}
	return out
}

func (r service) ContainerStats(_ context.Context, q *runtimeapi.ContainerStatsRequest) (*runtimeapi.ContainerStatsResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.container(q.GetContainerId())
	if c == nil {
		return nil, notFound("container", q.GetContainerId())
	}
	return &runtimeapi.ContainerStatsResponse{Stats: r.statsOf(c)}, nil
}

func (r service) ListContainerStats(_ context.Context, q *runtimeapi.ListContainerStatsRequest) (*runtimeapi.ListContainerStatsResponse, error) {
	return &runtimeapi.ListContainerStatsResponse{Stats: r.containerStatsFor(q.GetFilter())}, nil
}

func (r *Runtime) containerStatsFor(f *runtimeapi.ContainerStatsFilter) (all []*runtimeapi.ContainerStats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.sortedContainers() {
		if c.state == runtimeapi.ContainerState_CONTAINER_RUNNING && strings.HasPrefix(c.id, f.GetId()) && strings.HasPrefix(c.pod.id, f.GetPodSandboxId()) &&
			selects(f.GetLabelSelector(), c.config.GetLabels()) {
			all = append(all, r.statsOf(c))
		}
	}
	return all
}

// podStats is what the running containers of a sandbox use together.
func (r *Runtime) podStats(s *sandbox) *runtimeapi.PodSandboxStats {
	now := r.now()
	ran := uint64(now - s.created)
	x := &runtimeapi.LinuxPodSandboxStats{
		Cpu: &runtimeapi.CpuUsage{UsageCoreNanoSeconds: number(ran / 100), UsageNanoCores: number(1e7)}, Memory: &runtimeapi.MemoryUsage{WorkingSetBytes: number(layer), UsageBytes: number(layer), RssBytes: number(layer)},
		Network: &runtimeapi.NetworkUsage{Timestamp: now, DefaultInterface: &runtimeapi.NetworkInterfaceUsage{Name: "eth0", RxBytes: number(ran >> 20), TxBytes: number(ran >> 21), RxErrors: number(0), TxErrors: number(0)}},
		Process: &runtimeapi.ProcessUsage{Timestamp: now, ProcessCount: number(1)}, Io: &runtimeapi.IoUsage{Timestamp: now},
	}
	for _, c := range r.sortedContainers() {
		if c.pod != s || c.state != runtimeapi.ContainerState_CONTAINER_RUNNING {
			continue
		}
		one := r.statsOf(c)
		x.Containers = append(x.Containers, one)
		x.Process.ProcessCount.Value++
		x.Cpu.UsageCoreNanoSeconds.Value += one.Cpu.UsageCoreNanoSeconds.Value
		x.Cpu.UsageNanoCores.Value += one.Cpu.UsageNanoCores.Value
		x.Memory.WorkingSetBytes.Value += one.Memory.WorkingSetBytes.Value
		x.Memory.UsageBytes.Value += one.Memory.UsageBytes.Value
		x.Memory.RssBytes.Value += one.Memory.RssBytes.Value
	}
	x.Cpu.Timestamp = r.now()
	x.Memory.Timestamp = x.Cpu.Timestamp
	return &runtimeapi.PodSandboxStats{Linux: x,
		Attributes: &runtimeapi.PodSandboxAttributes{Id: s.id, Metadata: s.config.GetMetadata(), Labels: s.config.GetLabels(), Annotations: s.config.GetAnnotations()}}
}

func (r service) PodSandboxStats(_ context.Context, q *runtimeapi.PodSandboxStatsRequest) (*runtimeapi.PodSandboxStatsResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sandbox(q.GetPodSandboxId())
	switch {
	case s == nil:
		return nil, notFound("sandbox", q.GetPodSandboxId())
	case !s.ready:
		return nil, status.Errorf(codes.Unknown, "sandbox %q is not running", s.id)
	}
	return &runtimeapi.PodSandboxStatsResponse{Stats: r.podStats(s)}, nil
}

func (r service) ListPodSandboxStats(_ context.Context, q *runtimeapi.ListPodSandboxStatsRequest) (*runtimeapi.ListPodSandboxStatsResponse, error) {
	return &runtimeapi.ListPodSandboxStatsResponse{Stats: r.podStatsFor(q.GetFilter())}, nil
}

func (r *Runtime) podStatsFor(f *runtimeapi.PodSandboxStatsFilter) (all []*runtimeapi.PodSandboxStats) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sortedSandboxes() {
		if s.ready && strings.HasPrefix(s.id, f.GetId()) && selects(f.GetLabelSelector(), s.config.GetLabels()) {
			all = append(all, r.podStats(s))
		}
	}
	return all
}

// cpuSeconds is the only metric that a sandbox has.
const cpuSeconds = "container_cpu_usage_seconds_total"

func (r service) ListMetricDescriptors(context.Context, *runtimeapi.ListMetricDescriptorsRequest) (*runtimeapi.ListMetricDescriptorsResponse, error) {
	return &runtimeapi.ListMetricDescriptorsResponse{Descriptors: []*runtimeapi.MetricDescriptor{
		{Name: cpuSeconds, Help: "Cumulative cpu time consumed in seconds.", LabelKeys: []string{"id", "name", "image"}}}}, nil
}

func (r service) ListPodSandboxMetrics(context.Context, *runtimeapi.ListPodSandboxMetricsRequest) (*runtimeapi.ListPodSandboxMetricsResponse, error) {
	return &runtimeapi.ListPodSandboxMetricsResponse{PodMetrics: r.podMetrics()}, nil
}

func (r *Runtime) podMetrics() (all []*runtimeapi.PodSandboxMetrics) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.sortedSandboxes() {
		x := &runtimeapi.PodSandboxMetrics{PodSandboxId: s.id}
		for _, c := range r.sortedContainers() {
			if now := r.now(); c.pod == s && c.state == runtimeapi.ContainerState_CONTAINER_RUNNING {
				x.ContainerMetrics = append(x.ContainerMetrics, &runtimeapi.ContainerMetrics{ContainerId: c.id, Metrics: []*runtimeapi.Metric{{Name: cpuSeconds, Timestamp: now,
					MetricType: runtimeapi.MetricType_COUNTER, LabelValues: []string{c.id, c.config.GetMetadata().GetName(), c.config.GetImage().GetImage()}, Value: number(uint64(c.running(now).Seconds() / 10))}}})
			}
		}
		all = append(all, x)
	}
	return all
}
