package node

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

const criClient = "k8s.io/cri-client@v0.37.2/pkg/remote_runtime.go#remoteRuntimeService."

var faultDeadline = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/deadline",
		Level:   harness.Must,
		Text:    "A call that the runtime does not answer is given up after runtimeRequestTimeout: twice that for RunPodSandbox, the grace more for StopContainer, and the timeout more for ExecSync. PullImage, and an ExecSync without a timeout, have no deadline.",
		Sources: []harness.Source{source.Symbol(criClient + "RunPodSandbox"), source.Symbol(criClient + "StopContainer"), source.Symbol(criClient + "ExecSync"), source.Symbol(criClient + "CreateContainer")},
		Why:     "One call that hangs, and its pod neither starts nor ends until the agent is restarted.",
		Advice:  "Set a deadline on the context of each CRI call in one place, from runtimeRequestTimeout and the method, and look for calls that bypass it.",
		Classes: []string{"StartContainer", "StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("fault/deadline", judgeDeadlines),
}

// deadlineOf returns how long an agent waits for the answer of a call; 0: for ever.
func (t *trace) deadlineOf(c *call) time.Duration {
	limit := t.lifeAt(c.Num).timeout
	switch q := c.Ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		return 2 * limit
	case *runtimeapi.StopContainerRequest:
		return limit + time.Duration(q.GetTimeout())*time.Second
	case *runtimeapi.ExecSyncRequest:
		if q.GetTimeout() == 0 {
			return 0
		}
		return limit + time.Duration(q.GetTimeout())*time.Second
	case *runtimeapi.PullImageRequest, *runtimeapi.GetEventsRequest, nil:
		return 0
	}
	return limit
}

// deadlineSlack is how much later than its deadline a call may end: an agent may be busy.
const deadlineSlack = 5 * time.Second

func judgeDeadlines(t *trace, j *harness.Judgement) {
	for _, c := range t.calls {
		limit, to := t.deadlineOf(c), c.To
		if c.Return == 0 {
			to = t.lifeEnd(c.Num)
		}
		switch waited := to - c.From; {
		case limit == 0 || repeated[c.Method] || measured[c.Method] || c.Return == 0 && waited <= limit+deadlineSlack:
		case waited > limit+deadlineSlack:
			j.Tested++
			j.Fail(fmt.Sprintf("%s is given up after %s", c.Method, limit), fmt.Sprintf("it goes on for %s", waited.Round(time.Millisecond)), c.Num)
		case slices.Contains(ofOnePod, c.Method): // an agent that runs no pod proves nothing
			j.Tested++
		}
	}
}

// lifeEnd returns when the life of the agent that made a call ended, or the history.
func (t *trace) lifeEnd(num int32) time.Duration {
	for _, l := range t.lives {
		if l.to > num {
			return time.Duration(t.h.Event(l.to).At)
		}
	}
	return t.end()
}

var faultIndependent = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/independent",
		Level:   harness.Must,
		Text:    "While a call for one pod is not answered, others go on: a pod that comes is begun, and one that is deleted is stopped. An agent that pulls one image after the other may make others wait for a pull.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.UpdatePod"), inKubelet("pod_workers.go#podWorkers.podWorkerLoop")},
		Why:     "One pod whose volume or network hangs stops the whole node.",
		Advice:  "Give each pod a worker of its own, and hold no lock that others need during a CRI call. Look for one queue or mutex around the client of the runtime.",
		Classes: []string{"StartContainer", "StopContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("fault/independent", judgeIndependent),
}

// independent is how long an agent may take to begin with a pod, while it waits for something else.
const independent = 10 * time.Second

// ofOnePod are the calls that the worker or a prober of one pod makes, and no other waits for.
var ofOnePod = []string{"RunPodSandbox", "StopPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "ExecSync"}

func judgeIndependent(t *trace, j *harness.Judgement) {
	for _, c := range t.calls {
		if !slices.Contains(ofOnePod, c.Method) || t.ended(c)-c.From < independent {
			continue
		}
		for _, p := range t.pods {
			if p == t.podOf(c) || p.static || len(p.states) == 0 || len(p.states[0].Obj.Spec.Volumes) > 0 {
				continue
			}
			t.judgeBegun(c, p, j)
			t.judgeStopped(c, p, j)
		}
	}
}

// ended returns when a call ended, or the life of its agent.
func (t *trace) ended(c *call) time.Duration {
	if c.Return > 0 {
		return c.To
	}
	return t.lifeEnd(c.Num)
}

// judgeBegun judges that a pod that came while a call was under way, for long, was begun with.
func (t *trace) judgeBegun(c *call, p *podTrace, j *harness.Judgement) {
	first := p.states[0]
	if !t.underWay(c, first.Num, first.At) || first.Obj.DeletionTimestamp != nil || p.gone(t.numAt(first.At+independent)) {
		return
	}
	if j.Tested++; !t.acts(p, first.Num, first.At+independent, nil) {
		j.Fail(fmt.Sprintf("%s is begun within %s, while %s of another pod is not answered", p.key, independent, c.Method), "nothing is done for it", c.Num, first.Num)
	}
}

// judgeStopped judges that a pod that was deleted meanwhile, while it ran, is stopped.
func (t *trace) judgeStopped(c *call, p *podTrace, j *harness.Judgement) {
	i := slices.IndexFunc(p.states, func(s state[*v1.Pod]) bool { return s.Obj.DeletionTimestamp != nil || s.Deleted })
	if i < 0 || !t.underWay(c, p.states[i].Num, p.states[i].At) {
		return
	}
	deleted := p.states[i]
	runs := func(x *container) bool {
		return x.runs() && x.started.Return < deleted.Num && (x.ended == 0 || x.ended > deleted.Num)
	}
	own := func(c *call) bool { return t.podOf(c) == p && c.Num < deleted.Num && t.ended(c) > deleted.At } // its worker waits itself
	if !slices.ContainsFunc(p.containers(), runs) || slices.ContainsFunc(t.calls, own) {
		return
	}
	if j.Tested++; !t.acts(p, deleted.Num, deleted.At+independent, t.isProbe) {
		j.Fail(fmt.Sprintf("%s is stopped within %s after its deletion, while %s of another pod is not answered", p.key, independent, c.Method), "nothing is done for it", c.Num, deleted.Num)
	}
}

// underWay reports whether a call is under way from an event on for long, nothing else holds the agent up, and it has had the time to start.
func (t *trace) underWay(c *call, num int32, at time.Duration) bool {
	until := t.numAt(at + independent)
	return c.Num < num && t.ended(c) > at+independent && t.end() > at+independent && !t.heldUp(until) && !t.killedBetween(c.Num, until)
}

// numAt returns the first event after a time, or the last of all.
func (t *trace) numAt(at time.Duration) int32 {
	for i := range t.h.Events {
		if time.Duration(t.h.Events[i].At) > at {
			return t.h.Events[i].Num
		}
	}
	return int32(len(t.h.Events))
}

// heldUp reports whether the story did something before an event for which all pods may wait: to the API server, to the runtime as a whole,
// or to its calls that are not about one pod.
func (t *trace) heldUp(num int32) bool {
	return t.did(num, "REFUSE", "API-FAULT", "CRASH", "CONDITIONS", "RESTART") > 0 || slices.ContainsFunc(t.user, func(q *request) bool {
		if q.Verb != "RUNTIME-FAULT" || q.Num > num {
			return false
		}
		var f RuntimeFault
		_ = json.Unmarshal(t.h.Event(q.Num).X.Args, &f) // what cannot be read is empty
		return !slices.Contains(ofOnePod, f.Method)
	})
}

// acts reports whether the agent did something for a pod after an event, and before some time, aside from some calls: it made another one, or
// refused the pod. That it writes another status is not enough.
func (t *trace) acts(p *podTrace, num int32, until time.Duration, but func(*call) bool) bool {
	return slices.ContainsFunc(t.calls, func(c *call) bool {
		return c.Num > num && c.From <= until && t.podOf(c) == p && (but == nil || !but(c))
	}) || slices.ContainsFunc(t.of("PATCH pods/status", "DELETE pods"), func(q *request) bool {
		return q.Num > num && q.From <= until && q.Key == p.key && (q.Verb == "DELETE" || terminal(q.status().Phase))
	})
}

// isProbe reports whether a call runs a probe of the suite.
func (t *trace) isProbe(c *call) bool {
	q, ok := c.Ask.(*runtimeapi.ExecSyncRequest)
	return ok && len(q.GetCmd()) > 0 && q.GetCmd()[0] == "probe"
}

// podOf returns the pod that a call is about; nil: none that is known.
func (t *trace) podOf(c *call) *podTrace {
	switch q := c.Ask.(type) {
	case *runtimeapi.RunPodSandboxRequest:
		return t.byUID[q.GetConfig().GetMetadata().GetUid()]
	case *runtimeapi.CreateContainerRequest:
		return t.byUID[q.GetSandboxConfig().GetMetadata().GetUid()]
	case *runtimeapi.PullImageRequest:
		return t.byUID[q.GetSandboxConfig().GetMetadata().GetUid()]
	}
	switch about := t.byID[c.ID].(type) {
	case *sandbox:
		return t.byUID[about.config.GetMetadata().GetUid()]
	case *container:
		return t.byUID[about.pod.config.GetMetadata().GetUid()]
	}
	return nil
}
