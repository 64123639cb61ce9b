package runtime

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const (
	apiProto  = "k8s.io/cri-api@v0.37.2/pkg/apis/runtime/v1/api.proto#"
	kubelet   = "k8s.io/kubernetes@v1.37.2/pkg/kubelet/"
	criClient = "k8s.io/cri-client@v0.37.2/pkg/"
)

// api is a message or a call of the CRI.
func api(name string) harness.Source { return source.Symbol(apiProto + name) }

func inKubelet(name string) harness.Source { return source.Symbol(kubelet + name) }

func inClient(name string) harness.Source { return source.Symbol(criClient + name) }
