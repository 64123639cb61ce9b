package node

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const kubelet = "k8s.io/kubernetes@v1.37.1/pkg/kubelet/"

func inKubelet(name string) harness.Source { return source.Symbol(kubelet + name) }

// docs is the documentation of Kubernetes, at a commit.
const docs = "https://github.com/kubernetes/website/blob/bad70d1db1641fd4bfe653ccf60ea9cef0e36f46/content/en/docs/"

// page is a section of a page of the documentation.
func page(title, section, file string) harness.Source {
	if section != "" {
		title += `, "` + section + `"`
	}
	return harness.Source{Name: "Kubernetes, " + title, URL: docs + file}
}

// lifecycle is a section of the documentation of pods.
func lifecycle(section string) harness.Source {
	return page("Pod Lifecycle", section, "concepts/workloads/pods/pod-lifecycle.md")
}
