package node

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const kubelet = "k8s.io/kubernetes@v1.37.1/pkg/kubelet/"

func inKubelet(name string) harness.Source { return source.Symbol(kubelet + name) }

// lifecycle is a section of the documentation of pods.
func lifecycle(section, anchor string) harness.Source {
	return harness.Source{Name: "Kubernetes, Pod Lifecycle, \"" + section + "\"", URL: "https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#" + anchor}
}
