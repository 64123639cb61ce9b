package runtime

import (
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var streamSame = harness.Rule{
	Clause: harness.Clause{
		ID:      "stream/same",
		Level:   harness.Must,
		Text:    "A streaming list has what the list of the same filter has, each item once, and no message without an item.",
		Sources: []harness.Source{api("RuntimeService.StreamContainers"), inClient("remote_runtime.go#remoteRuntimeService.streamContainersV1")},
		Why:     "A kubelet that streams sees other containers than one that lists.",
		Classes: []string{"StreamContainers OK"},
	},
	Needs: []harness.Feature{StreamingLists},
	Judge: judgeStreams,
}

func judgeStreams(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("StreamContainers") {
		reply, ok := x.Reply.(*runtimeapi.StreamContainersResponse)
		if !ok {
			if !lost(x) {
				j.Tested++
				j.Fail("a stream that ends without an error", outcome(x), x.Num, x.Return)
			}
			continue
		}
		j.Tested += len(reply.GetContainers())
		for _, c := range reply.GetContainers() {
			if c.GetId() == emptyMessage {
				j.Fail("at least one item in each message", "none", x.Num, x.Return)
			}
		}
		judgeItems(&j, l, x)
	}
	return j
}
