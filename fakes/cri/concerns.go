package cri

import v1 "k8s.io/cri-api/pkg/apis/runtime/v1"

// Concerns returns the IDs of the pod sandbox and of the container that a CRI request names, "" where it names none, and a key for what
// it is about: equal keys of one method mean the same pod, container or image.
func Concerns(q any) (sandbox, container, key string) {
	switch x := q.(type) {
	case *v1.RunPodSandboxRequest:
		return "", "", x.GetConfig().GetMetadata().GetUid()
	case *v1.CreateContainerRequest:
		return x.GetPodSandboxId(), "", x.GetPodSandboxId() + x.GetConfig().GetMetadata().GetName()
	case interface{ GetContainerId() string }:
		return "", x.GetContainerId(), x.GetContainerId()
	case interface{ GetPodSandboxId() string }:
		return x.GetPodSandboxId(), "", x.GetPodSandboxId()
	case interface{ GetImage() *v1.ImageSpec }:
		return "", "", x.GetImage().GetImage()
	}
	return "", "", ""
}
