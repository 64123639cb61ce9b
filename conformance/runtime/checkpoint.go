package runtime

import (
	"fmt"
	"os"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

var checkpointPod = harness.Rule{
	Clause: harness.Clause{
		ID:      "checkpoint/pod",
		Level:   harness.Must,
		Text:    "CheckpointPod fails for a sandbox that is not there, and for a container that does not run. After it, whether it has succeeded or not, the containers run on.",
		Sources: []harness.Source{api("RuntimeService.CheckpointPod"), api("CheckpointPodRequest")},
		Why:     "A checkpoint of a pod ends it, or is taken for complete without one of its containers.",
		Advice:  "Check that the sandbox is there and that each container runs before CheckpointPod freezes any, and thaw them on every way out, after errors too.",
		Classes: []string{"CheckpointPod OK", "CheckpointPod failed"},
	},
	Needs: []harness.Feature{Checkpoint},
	Judge: judgeCheckpoint,
}

func stepCheckpoint(w *world, s story.Step) error {
	c := w.containerOf(s.Obj)
	dir := w.logs("checkpoint")
	if err := os.MkdirAll(w.here(dir), 0o700); err != nil {
		return err
	}
	_, _ = call(w, s, "CheckpointPod", s.Obj, c.id, w.rt.CheckpointPod, &runtimeapi.CheckpointPodRequest{PodSandboxId: c.pod.id, OutputPath: dir, ContainerIds: []string{c.id}})
	return nil
}

func judgeCheckpoint(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("CheckpointPod") {
		if lost(x) || x.code() == codes.Unimplemented {
			continue
		}
		c, _ := l.byID[x.ID].(*containerLife)
		if c == nil || l.gone(c.id, x.Num) != nil {
			if j.Tested++; x.Err == nil && absent(l, x) != "" {
				j.Fail("an error: "+absent(l, x), outcome(x), x.Num, x.Return)
			}
			continue
		}
		if state, certain := c.stateDuring(x); certain && state != running {
			if j.Tested++; x.Err == nil {
				j.Fail("an error: the container is "+state.String(), outcome(x), x.Num, x.Return)
			}
		}
		if s := c.firstSeen(x.Return); s != nil && c.runs(&exchange{Num: x.Num, Return: s.Return}) {
			if j.Tested++; s.status.GetState() != running {
				j.Fail("a container that runs on", fmt.Sprint(s.status.GetState()), x.Return, s.Return)
			}
		}
	}
	return j
}
