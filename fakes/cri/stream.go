package cri

import runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

// perMessage is how many items a message of a streaming list has at most.
const perMessage = 100

// send sends items in parts. If there are none, it sends no message.
func send[T any](all []T, one func([]T) error) error {
	for len(all) > 0 {
		n := min(perMessage, len(all))
		if err := one(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func (r service) StreamPodSandboxes(q *runtimeapi.StreamPodSandboxesRequest, s runtimeapi.RuntimeService_StreamPodSandboxesServer) error {
	return send(r.sandboxesFor(q.GetFilter()), func(part []*runtimeapi.PodSandbox) error {
		return s.Send(&runtimeapi.StreamPodSandboxesResponse{PodSandboxes: part})
	})
}

func (r service) StreamContainers(q *runtimeapi.StreamContainersRequest, s runtimeapi.RuntimeService_StreamContainersServer) error {
	return send(r.containersFor(q.GetFilter()), func(part []*runtimeapi.Container) error {
		return s.Send(&runtimeapi.StreamContainersResponse{Containers: part})
	})
}

func (r service) StreamContainerStats(q *runtimeapi.StreamContainerStatsRequest, s runtimeapi.RuntimeService_StreamContainerStatsServer) error {
	return send(r.containerStatsFor(q.GetFilter()), func(part []*runtimeapi.ContainerStats) error {
		return s.Send(&runtimeapi.StreamContainerStatsResponse{ContainerStats: part})
	})
}

func (r service) StreamPodSandboxStats(q *runtimeapi.StreamPodSandboxStatsRequest, s runtimeapi.RuntimeService_StreamPodSandboxStatsServer) error {
	return send(r.podStatsFor(q.GetFilter()), func(part []*runtimeapi.PodSandboxStats) error {
		return s.Send(&runtimeapi.StreamPodSandboxStatsResponse{PodSandboxStats: part})
	})
}

func (r service) StreamPodSandboxMetrics(_ *runtimeapi.StreamPodSandboxMetricsRequest, s runtimeapi.RuntimeService_StreamPodSandboxMetricsServer) error {
	return send(r.podMetrics(), func(part []*runtimeapi.PodSandboxMetrics) error {
		return s.Send(&runtimeapi.StreamPodSandboxMetricsResponse{PodSandboxMetrics: part})
	})
}

func (r service) StreamImages(q *runtimeapi.StreamImagesRequest, s runtimeapi.ImageService_StreamImagesServer) error {
	return send(r.imagesFor(q.GetFilter()), func(part []*runtimeapi.Image) error {
		return s.Send(&runtimeapi.StreamImagesResponse{Images: part})
	})
}
