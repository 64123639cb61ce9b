package runtime

import (
	"fmt"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var listComplete = harness.Rule{
	Clause: harness.Clause{
		ID:      "list/complete",
		Level:   harness.Must,
		Text:    "A list has everything that is there and that its filter lets through, by id or the beginning of one, by state, by sandbox and by all labels together, and nothing else. A container has its attempt, its sandbox, its labels and its annotations.",
		Sources: []harness.Source{api("ContainerFilter"), api("PodSandboxFilter"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.GetPods")},
		Why:     "A kubelet starts a second container beside one that it does not see.",
		Advice:  "Check each item of the store against every field of the filter, with no shortcut for an id, a sandbox or labels. Fill the items from the saved config.",
		Classes: []string{"ListContainers OK", "ListPodSandbox OK"},
	},
	Judge: judgeListComplete,
}

// listedIn are the items of a list.
func listedIn(x *exchange) (ids []string, ok bool) {
	switch reply := x.Reply.(type) {
	case *runtimeapi.ListContainersResponse:
		for _, c := range reply.GetContainers() {
			ids = append(ids, c.GetId())
		}
	case *runtimeapi.StreamContainersResponse:
		for _, c := range reply.GetContainers() {
			ids = append(ids, c.GetId())
		}
	case *runtimeapi.ListPodSandboxResponse:
		for _, s := range reply.GetItems() {
			ids = append(ids, s.GetId())
		}
	case *runtimeapi.StreamPodSandboxesResponse:
		for _, s := range reply.GetPodSandboxes() {
			ids = append(ids, s.GetId())
		}
	default:
		return nil, false
	}
	return ids, true
}

func judgeListComplete(h *history.History) (j harness.Judgement) {
	l := livesOf(h)
	for _, x := range recordOf(h).calls {
		ids, ok := listedIn(x)
		if !ok {
			continue
		}
		in := map[string]bool{}
		for _, id := range ids {
			if in[id] {
				j.Fail("each item once", short(id)+" twice", x.Num, x.Return)
			}
			in[id] = true
		}
		if pods, ok := x.Ask.(interface {
			GetFilter() *runtimeapi.PodSandboxFilter
		}); ok {
			for _, s := range l.sandboxes {
				if s.made.Return < x.Num && l.there(s.id, x.Return) {
					s.listed(&j, x, pods.GetFilter(), in[s.id])
				}
			}
			continue
		}
		for _, c := range l.containers {
			if c.made.Return < x.Num && l.there(c.id, x.Return) {
				c.listed(&j, x, filterOf(x), in[c.id])
			}
		}
		judgeItems(&j, l, x)
	}
	return j
}

func filterOf(x *exchange) *runtimeapi.ContainerFilter {
	switch ask := x.Ask.(type) {
	case *runtimeapi.ListContainersRequest:
		return ask.GetFilter()
	case *runtimeapi.StreamContainersRequest:
		return ask.GetFilter()
	}
	return nil
}

// begins reports whether an id begins so.
func begins(id, with string) bool { return len(id) >= len(with) && id[:len(with)] == with }

// selects reports whether labels have all that a selector wants.
func selects(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}

// listed judges whether a sandbox is in a list. Where the state decides, it says nothing: that may change at any time.
func (s *sandboxLife) listed(j *harness.Judgement, x *exchange, f *runtimeapi.PodSandboxFilter, in bool) {
	through := begins(s.id, f.GetId()) && selects(f.GetLabelSelector(), s.config.GetLabels())
	if f.GetState() != nil && through {
		stopped := doneBefore(s.stops, x.Num) != nil
		if !stopped && (begunBefore(s.stops, x.Return) || !s.driven) {
			return
		}
		through = stopped == (f.GetState().GetState() == runtimeapi.PodSandboxState_SANDBOX_NOTREADY)
	}
	report(j, x, s.made, s.id, through, in)
}

func (c *containerLife) listed(j *harness.Judgement, x *exchange, f *runtimeapi.ContainerFilter, in bool) {
	pod := ""
	if c.pod != nil {
		pod = c.pod.id
	}
	through := begins(c.id, f.GetId()) && begins(pod, f.GetPodSandboxId()) && selects(f.GetLabelSelector(), c.config.GetLabels())
	if f.GetState() != nil && through {
		state, certain := c.stateDuring(x)
		if !certain {
			return
		}
		through = state == f.GetState().GetState()
	}
	report(j, x, c.made, c.id, through, in)
}

// stateDuring returns the state that a container had all the time of a call, if that is certain.
func (c *containerLife) stateDuring(x *exchange) (runtimeapi.ContainerState, bool) {
	switch {
	case !begunBefore(c.starts, x.Return) && !begunBefore(c.stops, x.Return):
		return created, true
	case len(c.starts) == 1 && c.starts[0].ok() && c.starts[0].Return < x.Num && c.work.Runs && !begunBefore(c.stops, x.Return):
		return running, true
	}
	if c.endedBefore(x.Num) {
		return exited, true
	}
	return 0, false
}

// endedBefore reports whether a status told before an event that a container has ended.
func (c *containerLife) endedBefore(num int32) bool {
	return slices.ContainsFunc(c.seen, func(s sight) bool { return s.Return < num && s.status.GetState() == exited })
}

func report(j *harness.Judgement, x, made *exchange, id string, through, in bool) {
	j.Tested++
	switch {
	case through && !in:
		j.Fail(fmt.Sprintf("%s (%s), which is there", made.Key, short(id)), "a list without it", made.Return, x.Return)
	case in && !through:
		j.Fail("only what the filter lets through", fmt.Sprintf("%s (%s)", made.Key, short(id)), made.Return, x.Return)
	}
}

// itemsOf are the containers of a list.
func itemsOf(x *exchange) []*runtimeapi.Container {
	switch reply := x.Reply.(type) {
	case *runtimeapi.ListContainersResponse:
		return reply.GetContainers()
	case *runtimeapi.StreamContainersResponse:
		return reply.GetContainers()
	}
	return nil
}

// judgeItems compares what lists have of containers with what these were created with.
func judgeItems(j *harness.Judgement, l *lives, x *exchange) {
	for _, item := range itemsOf(x) {
		if f := filterOf(x).GetState(); f != nil && item.GetState() != f.GetState() {
			j.Fail("only containers in the state "+f.GetState().String(), item.GetState().String(), x.Num, x.Return)
		}
		c, _ := l.byID[item.GetId()].(*containerLife)
		if c == nil || c.pod == nil {
			continue
		}
		want := fmt.Sprint(c.pod.id, c.config.GetMetadata(), c.config.GetLabels(), c.config.GetAnnotations())
		got := fmt.Sprint(item.GetPodSandboxId(), item.GetMetadata(), item.GetLabels(), item.GetAnnotations())
		if want != got {
			j.Fail("the sandbox, the metadata, the labels and the annotations of "+c.made.Key, got, c.made.Num, x.Return)
		}
		if state, certain := c.stateDuring(x); certain && state != item.GetState() {
			j.Fail(c.made.Key+" in the state "+state.String(), item.GetState().String(), c.made.Return, x.Return)
		}
	}
}
