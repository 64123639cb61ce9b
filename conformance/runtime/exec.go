package runtime

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var execState = harness.Rule{
	Clause: harness.Clause{
		ID:      "exec/state",
		Level:   harness.Must,
		Text:    "Nothing can be run in a container that has ended: ExecSync fails.",
		Sources: []harness.Source{inKubelet("prober/prober.go#prober.runProbe"), api("RuntimeService.ExecSync")},
		Why:     "A probe of a container that has ended succeeds, and the pod is taken for ready.",
		Advice:  "Check the container's state at the beginning of ExecSync, and return an error unless it runs. Do not answer with an empty response, whose code is 0.",
		Classes: []string{"ExecSync ended"},
	},
	Needs: []harness.Feature{Exec},
	Judge: judgeExecState,
}

var execCode = harness.Rule{
	Clause: harness.Clause{
		ID:      "exec/code",
		Level:   harness.Must,
		Text:    "ExecSync answers with the exit code, whatever it is, and with what the command has written to each of its outputs.",
		Sources: []harness.Source{api("ExecSyncResponse"), inKubelet("prober/prober.go#prober.runProbe")},
		Why:     "A probe that fails counts as an error of the runtime, or as success.",
		Advice:  "Read stdout and stderr through a pipe each, and copy the exit code of the command into the response. A code other than 0 is no error of the call.",
		Classes: []string{"ExecSync OK"},
	},
	Needs: []harness.Feature{Exec},
	Judge: judgeExecCode,
}

var execTimeout = harness.Rule{
	Clause: harness.Clause{
		ID:      "exec/timeout",
		Level:   harness.Must,
		Text:    "An ExecSync that takes longer than its timeout ends then, with DeadlineExceeded or with an exit code other than 0, also if a process in the background holds its outputs.",
		Sources: []harness.Source{api("ExecSyncRequest"), inKubelet("prober/prober.go#prober.runProbe")},
		Why:     "A probe that hangs is never repeated, and a pod that is ill stays ready (kubernetes#94115, containerd#9568).",
		Advice:  "Start a timer of the request's timeout. When it fires, kill the command with its children, wait no longer for their output, and return DeadlineExceeded.",
		Classes: []string{"ExecSync timeout"},
	},
	Needs: []harness.Feature{Exec},
	Judge: judgeExecTimeout,
}

var execMissing = harness.Rule{
	Clause: harness.Clause{
		ID:      "exec/missing",
		Level:   harness.Must,
		Text:    "ExecSync of a binary that is missing fails, but not as one whose time is up, or answers with an exit code other than 0.",
		Sources: []harness.Source{inKubelet("prober/prober.go#prober.runProbe"), api("RuntimeService.ExecSync")},
		Why:     "A probe with a mistake in its command counts as success, or waits for its timeout.",
		Advice:  "Return a failure to start the command at once, as an error or as the exit code 126 or 127. Do not drop it, and do not wait for output that never comes.",
		Classes: []string{"ExecSync failed"},
	},
	Needs: []harness.Feature{Exec},
	Judge: judgeExecMissing,
}

var execOutput = harness.Rule{
	Clause: harness.Clause{
		ID:      "exec/output",
		Level:   harness.Should,
		Text:    "An ExecSync whose command writes more than 16 MiB succeeds, with its exit code and the first part of the output.",
		Sources: []harness.Source{api("ExecSyncResponse")},
		Why:     "A probe that writes much fails, though its command has succeeded.",
		Advice:  "Keep output only up to a limit that fits into a gRPC message (16 MiB), read and drop the rest so that the command can go on, and return its exit code.",
		Classes: []string{"ExecSync OK"},
	},
	Needs: []harness.Feature{Exec},
	Judge: judgeExecOutput,
}

// What the scripts of execs do, as rules know them.
const (
	scriptCode = "echo out; echo err >&2; exit 7"
	scriptLong = "sleep 30"
	scriptBack = "sleep 30 & echo bg"
	scriptMuch = "head -c 17825792 /dev/zero"
	notThere   = "/no-such/binary"
)

// cutOutput keeps the first KiB of the output of an ExecSync, so that histories stay small.
func cutOutput(f method[*runtimeapi.ExecSyncRequest, *runtimeapi.ExecSyncResponse]) method[*runtimeapi.ExecSyncRequest, *runtimeapi.ExecSyncResponse] {
	return func(ctx context.Context, q *runtimeapi.ExecSyncRequest, o ...grpc.CallOption) (*runtimeapi.ExecSyncResponse, error) {
		reply, err := f(ctx, q, o...)
		if reply != nil {
			reply.Stdout = reply.Stdout[:min(len(reply.Stdout), 1024)]
		}
		return reply, err
	}
}

func execs(h *history.History, f func(*exchange, *runtimeapi.ExecSyncRequest, *containerLife)) {
	l := livesOf(h)
	for _, x := range recordOf(h).of("ExecSync") {
		ask, _ := x.Ask.(*runtimeapi.ExecSyncRequest)
		if c, _ := l.byID[x.ID].(*containerLife); c != nil && len(ask.GetCmd()) > 0 && x.Return > 0 {
			f(x, ask, c)
		}
	}
}

// scriptOf is the script of an exec, or its binary.
func scriptOf(ask *runtimeapi.ExecSyncRequest) string { return ask.GetCmd()[len(ask.GetCmd())-1] }

// runs reports whether a container ran all the time of a call.
func (c *containerLife) runs(x *exchange) bool {
	state, certain := c.stateDuring(x)
	return certain && state == running
}

// graceOfExec is how long a command may take.
func graceOfExec(ask *runtimeapi.ExecSyncRequest) time.Duration {
	return time.Duration(ask.GetTimeout()) * time.Second
}

func judgeExecState(h *history.History) (j harness.Judgement) {
	execs(h, func(x *exchange, _ *runtimeapi.ExecSyncRequest, c *containerLife) {
		if state, certain := c.stateDuring(x); certain && state == exited && !lost(x) {
			if j.Tested++; x.ok() {
				j.Fail("an error: the container has ended", "the command ran", c.made.Return, x.Return)
			}
		}
	})
	return j
}

func judgeExecCode(h *history.History) (j harness.Judgement) {
	execs(h, func(x *exchange, ask *runtimeapi.ExecSyncRequest, c *containerLife) {
		if scriptOf(ask) != scriptCode || !c.runs(x) || lost(x) {
			return
		}
		reply, _ := x.Reply.(*runtimeapi.ExecSyncResponse)
		got := fmt.Sprintf("code %d, stdout %q, stderr %q", reply.GetExitCode(), reply.GetStdout(), reply.GetStderr())
		if x.Err != nil {
			got = outcome(x)
		}
		if want := `code 7, stdout "out\n", stderr "err\n"`; got != want {
			j.Fail(want, got, x.Num, x.Return)
		}
		j.Tested++
	})
	return j
}

func judgeExecMissing(h *history.History) (j harness.Judgement) {
	execs(h, func(x *exchange, ask *runtimeapi.ExecSyncRequest, c *containerLife) {
		reply, _ := x.Reply.(*runtimeapi.ExecSyncResponse)
		if scriptOf(ask) != notThere || !c.runs(x) || x.code() == codes.Unavailable || x.unanswered() {
			return
		}
		if j.Tested++; x.ok() && reply.GetExitCode() == 0 || x.code() == codes.DeadlineExceeded {
			j.Fail("an error other than DeadlineExceeded, or an exit code other than 0", outcome(x), x.Num, x.Return)
		}
	})
	return j
}

func judgeExecOutput(h *history.History) (j harness.Judgement) {
	execs(h, func(x *exchange, ask *runtimeapi.ExecSyncRequest, c *containerLife) {
		reply, _ := x.Reply.(*runtimeapi.ExecSyncResponse)
		if scriptOf(ask) != scriptMuch || !c.runs(x) || lost(x) {
			return
		}
		if j.Tested++; x.Err != nil || reply.GetExitCode() != 0 || len(reply.GetStdout()) == 0 {
			j.Fail("the exit code 0 and the first part of the output", outcome(x), x.Num, x.Return)
		}
	})
	return j
}

func judgeExecTimeout(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	execs(h, func(x *exchange, ask *runtimeapi.ExecSyncRequest, c *containerLife) {
		limit, took := graceOfExec(ask), x.To-x.From
		script := scriptOf(ask)
		if limit == 0 || script != scriptLong && script != scriptBack || !c.runs(x) || r.killed(x.Num, x.Return) || r.down(x.Num) {
			return
		}
		reply, _ := x.Reply.(*runtimeapi.ExecSyncResponse)
		j.Tested++
		switch {
		case took > limit+r.slack:
			j.Fail(fmt.Sprintf("an answer within %s", limit+r.slack), lateness(x), x.Num, x.Return)
		case script == scriptLong && x.ok() && reply.GetExitCode() == 0:
			j.Fail("DeadlineExceeded, or an exit code other than 0", "success", x.Num, x.Return)
		}
	})
	return j
}
