package runtime

import (
	"strings"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const (
	messages  = "k8s.io/cri-api@v0.37.2/pkg/apis/runtime/v1/api.pb.go#"
	calls     = "k8s.io/cri-api@v0.37.2/pkg/apis/runtime/v1/api_grpc.pb.go#"
	kubelet   = "k8s.io/kubernetes@v1.37.1/pkg/kubelet/"
	grpcCodes = "google.golang.org/grpc@v1.82.1/codes/codes.go#"
	criClient = "k8s.io/cri-client@v0.37.2/pkg/"
)

// api is a message of the CRI, or a call: Service.Call. The Go files have the comments of api.proto.
func api(name string) harness.Source {
	if service, call, ok := strings.Cut(name, "."); ok {
		return source.Symbol(calls + service + "Client." + call)
	}
	return source.Symbol(messages + name)
}

func inKubelet(name string) harness.Source { return source.Symbol(kubelet + name) }

// requestTimeout is how long a kubelet waits for most answers by default.
var requestTimeout = source.Symbol("k8s.io/kubernetes@v1.37.1/pkg/kubelet/apis/config/v1beta1/defaults.go#SetDefaults_KubeletConfiguration")

func inClient(name string) harness.Source { return source.Symbol(criClient + name) }
