package controller

import (
	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const writing = "https://github.com/kubernetes/community/blob/21e334c1a31ff8c1f45b992de4eda11ebac87285/contributors/devel/sig-api-machinery/controllers.md#"

// guideline is one of those for writing controllers.
func guideline(about string) harness.Source {
	return harness.Source{Name: `Writing Controllers, "Guidelines": ` + about, URL: writing + "guidelines"}
}

var (
	levelDriven = guideline("level driven, not edge driven")
	otherActors = guideline("there are other actors in the system")
	percolate   = guideline("percolate errors to the top level for consistent re-queuing")
	concurrency = source.Convention("Concurrency Control and Consistency", "concurrency-control-and-consistency")
	statusOfAPI = source.Convention("Typical status properties", "typical-status-properties")
	rbacDocs    = harness.Source{Name: "k8s.io/api@v0.37.2/rbac/v1/types.go#PolicyRule"}
	idempotency = source.Convention("Idempotency", "idempotency")
)
