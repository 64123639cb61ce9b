package runtime

import (
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// timeOf is how long a work takes.
func timeOf(x Work) time.Duration { return time.Duration(x.After) }

var stopTerm = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/term",
		Level:   harness.Must,
		Text:    "A stop sends a SIGTERM. A container that ends at once has its own exit code, the call returns then, and the container has ended when it returns.",
		Sources: []harness.Source{api("RuntimeService.StopContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.killContainer")},
		Why:     "A process cannot finish its work, or every deletion of a pod takes the whole grace period.",
		Advice:  "Send SIGTERM, then wait for the end of the process or of the grace period, whichever comes first. Save the process's own exit code before you return.",
		Classes: []string{"StopContainer OK"},
	},
	Judge: judgeStopTerm,
}

var stopKill = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/kill",
		Level:   harness.Must,
		Text:    "A container that ignores the SIGTERM is killed when the time of the stop is up, not before, and has ended with the code 137 when the call returns.",
		Sources: []harness.Source{api("RuntimeService.StopContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.killContainer")},
		Why:     "A pod is never deleted, or a process is killed in the middle of its work.",
		Advice:  "Wait for as long as the timeout of the request says before you send SIGKILL. Then wait for the end of the process and save the code 137 before you return.",
		Classes: []string{"StopContainer OK"},
	},
	Judge: judgeStopKill,
}

var stopEnded = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/ended",
		Level:   harness.Must,
		Text:    "Once a stop has succeeded, the container has ended, also if it was just ending by itself.",
		Sources: []harness.Source{api("RuntimeService.StopContainer"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.killContainer")},
		Why:     "Who stops a container and then removes it fails, and a volume is taken away from a process that runs.",
		Advice:  "Let StopContainer wait until the exit is saved where ContainerStatus reads it, not only until the signal is sent, also if the process is just ending by itself.",
		Classes: []string{"StopContainer OK"},
	},
	Judge: judgeStopEnded,
}

var stopAgain = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/again",
		Level:   harness.Must,
		Text:    "A later stop with a shorter time ends a stop that is under way, and one that was given up does not lengthen it.",
		Sources: []harness.Source{api("RuntimeService.StopContainer"), inKubelet("pod_workers.go#podSyncStatus")},
		Why:     "`kubectl delete --now` waits for the long grace period that was begun before.",
		Advice:  "Do not hold the container's lock for a grace period. Give each StopContainer a deadline of its own, and send SIGKILL at the earliest of them.",
		Classes: []string{"StopContainer twice"},
	},
	Judge: judgeStopAgain,
}

var stopSignal = harness.Rule{
	Clause: harness.Clause{
		ID:      "stop/signal",
		Level:   harness.Must,
		Text:    "A container that was created with a stop_signal has that in its status, and a stop sends it instead of SIGTERM.",
		Sources: []harness.Source{api("ContainerConfig"), inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.generateContainerConfig")},
		Why:     "A process that is to be ended by another signal is killed at the end of its grace.",
		Advice:  "Save stop_signal from the ContainerConfig with the container, on disk too, and read it in ContainerStatus and where StopContainer picks its signal.",
		Classes: []string{"StopContainer OK"},
	},
	Needs: []harness.Feature{Signals},
	Judge: judgeStopSignal,
}

// firstSeen returns the first status of a container that was asked for after an event; nil: none.
func (c *containerLife) firstSeen(num int32) *sight {
	for i := range c.seen {
		if c.seen[i].Num > num {
			return &c.seen[i]
		}
	}
	return nil
}

// alone returns the only stop of a container that ran, which was answered; nil: there are several, or something else could have
// ended it.
func (c *containerLife) alone(h *history.History) *exchange {
	if len(c.starts) != 1 || !c.starts[0].ok() || len(c.stops) == 0 || !c.work.Runs {
		return nil
	}
	x := c.stops[0]
	if x.Method != "StopContainer" || x.Num < c.starts[0].Return || lost(x) || len(c.stops) > 1 && c.stops[1].Num < x.Return || recordOf(h).killed(c.starts[0].Num, x.Return) {
		return nil
	}
	return x
}

// byTerm reports whether a stop sends a SIGTERM to a container: no other signal was configured.
func (c *containerLife) byTerm() bool {
	return slices.Contains([]runtimeapi.Signal{runtimeapi.Signal_SIGNAL_RUNTIME_DEFAULT, runtimeapi.Signal_SIGNAL_SIGTERM}, c.config.GetStopSignal())
}

func graceOf(x *exchange) time.Duration {
	ask, _ := x.Ask.(*runtimeapi.StopContainerRequest)
	return time.Duration(ask.GetTimeout()) * time.Second
}

func judgeStopTerm(h *history.History) (j harness.Judgement) {
	late := recordOf(h).slack
	for _, c := range livesOf(h).containers {
		x := c.alone(h)
		if x == nil || !c.byTerm() || c.work.Term == nil || c.work.Signal != "" || graceOf(x) <= late || x.From-c.starts[0].To < slack { // a process that has just begun may have no handler yet
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("success", outcome(x), x.Num, x.Return)
			continue
		}
		if took := x.To - x.From; took > late {
			j.Fail(fmt.Sprintf("an answer once it has ended, within %s", late), fmt.Sprintf("an answer after %s", took.Round(time.Millisecond)), x.Num, x.Return)
		}
		if s := c.firstSeen(x.Return); s != nil && (s.status.GetState() != exited || int(s.status.GetExitCode()) != *c.work.Term) {
			j.Fail(fmt.Sprintf("CONTAINER_EXITED with its own exit code %d", *c.work.Term), fmt.Sprint(s.status.GetState(), ", ", ending(s.status)), x.Return, s.Return)
		}
	}
	return j
}

func judgeStopKill(h *history.History) (j harness.Judgement) {
	late := recordOf(h).slack
	for _, c := range livesOf(h).containers {
		x := c.alone(h)
		if x == nil || !c.byTerm() || c.work.Term != nil || x.From-c.starts[0].To < slack { // it may not ignore the signal yet
			continue
		}
		if j.Tested++; x.Err != nil {
			j.Fail("success", outcome(x), x.Num, x.Return)
			continue
		}
		switch took := x.To - x.From; {
		case took < graceOf(x)-time.Second/2:
			j.Fail(fmt.Sprintf("%s of time for the process", graceOf(x)), fmt.Sprintf("an answer after %s", took.Round(time.Millisecond)), x.Num, x.Return)
		case took > graceOf(x)+late:
			j.Fail(fmt.Sprintf("an answer within %s", graceOf(x)+late), fmt.Sprintf("an answer after %s", took.Round(time.Millisecond)), x.Num, x.Return)
		}
		if s := c.firstSeen(x.Return); s != nil && (s.status.GetState() != exited || s.status.GetExitCode() != 137) {
			j.Fail("CONTAINER_EXITED with the exit code 137", fmt.Sprint(s.status.GetState(), ", ", ending(s.status)), x.Return, s.Return)
		}
	}
	return j
}

func judgeStopEnded(h *history.History) (j harness.Judgement) {
	for _, c := range livesOf(h).containers {
		for _, x := range c.stops {
			s := c.firstSeen(x.Return)
			if x.Method != "StopContainer" || !x.ok() || s == nil || len(c.starts) == 0 || c.starts[0].Return == 0 || c.starts[0].Return > x.Num || !c.starts[0].ok() || recordOf(h).killed(x.Num, s.Return) {
				continue
			}
			if j.Tested++; s.status.GetState() != exited {
				j.Fail("a container that has ended", s.status.GetState().String(), x.Return, s.Return)
			}
		}
	}
	return j
}

func judgeStopSignal(h *history.History) (j harness.Judgement) {
	sights(h, func(c *containerLife, s sight) {
		want, late := c.config.GetStopSignal(), recordOf(h).slack
		if want == runtimeapi.Signal_SIGNAL_RUNTIME_DEFAULT {
			return
		}
		if j.Tested++; s.status.GetStopSignal() != want {
			j.Fail("the stop_signal "+want.String(), s.status.GetStopSignal().String(), c.made.Num, s.Return)
		}
		x := c.alone(h)
		if x == nil || x.Return > s.Num || s != *c.firstSeen(x.Return) || x.Err != nil || c.work.Term == nil || "SIGNAL_SIG"+c.work.Signal != want.String() || graceOf(x) <= late || x.From-c.starts[0].To < slack {
			return
		}
		if j.Tested++; int(s.status.GetExitCode()) != *c.work.Term {
			j.Fail(fmt.Sprintf("its own exit code %d, at a %s", *c.work.Term, want), ending(s.status), x.Num, s.Return)
		}
	})
	return j
}

func judgeStopAgain(h *history.History) (j harness.Judgement) {
	late := recordOf(h).slack
	for _, c := range livesOf(h).containers {
		if !c.work.Runs || c.work.Term != nil || len(c.stops) < 2 {
			continue
		}
		a, b := c.stops[0], c.stops[1]
		if a.Method != "StopContainer" || b.Method != "StopContainer" || b.From > a.From+graceOf(a)-late || b.Return == 0 || b.code() == codes.Unavailable || recordOf(h).killed(a.Num, b.Return) {
			continue
		}
		due := graceOf(b)
		if lost(b) && b.To-b.From <= due+late {
			continue // its caller gave up
		}
		if b.From+due < a.From+graceOf(a)-late {
			if j.Tested++; b.To-b.From > due+late || b.Err != nil {
				j.Fail(fmt.Sprintf("success within %s, which is sooner than the first stop would end", due+late), fmt.Sprintf("%s after %s", outcome(b), (b.To-b.From).Round(time.Millisecond)), a.Num, b.Return)
			}
		}
	}
	return j
}
