package node

import (
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
)

// status returns the status that a patch of a pod has.
func (q *request) status() v1.PodStatus {
	var p v1.Pod
	_ = json.Unmarshal(q.Body, &p) // what cannot be read is empty
	return p.Status
}

var statusPatch = harness.Rule{
	Clause: harness.Clause{
		ID:      "status/patch",
		Level:   harness.Must,
		Text:    "The agent writes the status of a pod by patches that have the UID of the pod, and never writes the status of one pod to another of the same name.",
		Sources: []harness.Source{inKubelet("status/status_manager.go#manager.syncPod")},
		Why:     "A new pod gets the end of the old one, and its controller replaces it.",
		Classes: []string{"PATCH pods/status"},
	},
	Judge: judged(judgePatch),
}

func judgePatch(t *trace, j *harness.Judgement) {
	for _, q := range t.of("PATCH pods/status", "UPDATE pods/status") {
		var sent, answer v1.Pod
		_ = json.Unmarshal(q.Body, &sent)
		_ = json.Unmarshal(q.Answer, &answer)
		j.Tested++
		switch {
		case sent.UID == "":
			j.Fail("the patch has the UID of the pod", "it has none", q.Num)
		case q.ok() && answer.UID != sent.UID:
			j.Fail(fmt.Sprintf("the status goes to the pod %s", sent.UID), fmt.Sprintf("it went to %s", answer.UID), q.Num)
		}
	}
}
