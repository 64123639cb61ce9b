package runtime

import (
	"fmt"
	"math"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var eventStopped = harness.Rule{
	Clause: harness.Clause{
		ID:      "event/stopped",
		Level:   harness.Must,
		Text:    "Who watches events gets exactly one STOPPED for each container that ends, with the metadata of its sandbox, and nothing of a container after its DELETED.",
		Sources: []harness.Source{api("RuntimeService.GetContainerEvents"), inKubelet("pleg/evented.go#EventedPLEG.processCRIEvents")},
		Why:     "A kubelet that relies on events learns minutes later that a container has ended.",
		Advice:  "Send STOPPED only at the place that saves the exit, with the sandbox's status in it. Do not drop events when a queue is full, and send DELETED last.",
		Classes: []string{"EVENT CONTAINER_STOPPED_EVENT"},
	},
	Needs: []harness.Feature{Events},
	Judge: judgeEventStopped,
}

var eventOrder = harness.Rule{
	Clause: harness.Clause{
		ID:      "event/order",
		Level:   harness.Should,
		Text:    "The events of a container come in the order CREATED, STARTED, STOPPED, DELETED, each once, and their times do not go back.",
		Sources: []harness.Source{api("ContainerEventResponse"), inKubelet("pleg/evented.go#EventedPLEG.processCRIEvents")},
		Why:     "Kubelets from 1.26 to 1.36 wrote what they knew of a pod from the last event: a container that has ended runs again (cri-o#9738).",
		Advice:  "Put the events of a container into one queue while you hold its lock, each with the time of its change. Senders that run side by side overtake each other.",
		Classes: []string{"EVENT CONTAINER_STARTED_EVENT", "EVENT CONTAINER_STOPPED_EVENT"},
	},
	Needs: []harness.Feature{Events},
	Judge: judgeEventOrder,
}

var eventAll = harness.Rule{
	Clause: harness.Clause{
		ID:      "event/all",
		Level:   harness.Must,
		Text:    "Each of several watchers gets all events, and a stream goes on while nothing happens.",
		Sources: []harness.Source{api("RuntimeService.GetContainerEvents"), inKubelet("pleg/evented.go#EventedPLEG.watchEventsChannel")},
		Why:     "Beside a tool that watches, a kubelet misses every second event (containerd#7318). A stream that ends makes it give up events (cri-o#7164).",
		Advice:  "Give each GetContainerEvents stream a queue of its own and put every event into all of them: readers of one channel share the events. Do not end an idle stream.",
		Classes: []string{"EVENT CONTAINER_STOPPED_EVENT"},
	},
	Needs: []harness.Feature{Events},
	Judge: judgeEventAll,
}

var eventList = harness.Rule{
	Clause: harness.Clause{
		ID:      "event/list",
		Level:   harness.Must,
		Text:    "What an event tells of a container is in every list and status that is asked for afterwards.",
		Sources: []harness.Source{inKubelet("pleg/generic.go#GenericPLEG.updateCache"), inKubelet("pleg/evented.go#EventedPLEG.processCRIEvents")},
		Why:     "A kubelet asks for the pod when an event comes, and stores the old state as the new one.",
		Advice:  "Save the new state first and send the event after that. Let status and lists read what was saved, not a cache that is refreshed later.",
		Classes: []string{"EVENT CONTAINER_STOPPED_EVENT"},
	},
	Needs: []harness.Feature{Events},
	Judge: judgeEventList,
}

// watched are the events of one watcher by container, in the order in which they came.
func watched(r *record) map[string]map[string][]told {
	out := map[string]map[string][]told{}
	for _, e := range r.events {
		if out[e.Actor] == nil {
			out[e.Actor] = map[string][]told{}
		}
		out[e.Actor][e.GetContainerId()] = append(out[e.Actor][e.GetContainerId()], e)
	}
	return out
}

// settledAfter returns the first event from which on nothing moved, after another; 0: none.
func settledAfter(h *history.History, num int32) int32 {
	for i := int(num); i < len(h.Events); i++ {
		if h.Events[i].Kind == history.Settled {
			return h.Events[i].Num
		}
	}
	return 0
}

// watchers returns who watches, and from when on.
func watchers(r *record) (actors []string, from map[string]int32) {
	from = map[string]int32{}
	for _, x := range r.of("GetContainerEvents") {
		if x.ok() && from[x.Actor] == 0 {
			actors, from[x.Actor] = append(actors, x.Actor), x.Return
		}
	}
	return actors, from
}

func judgeEventStopped(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	actors, from := watchers(r)
	seen := watched(r)
	for _, actor := range actors {
		for _, c := range l.containers {
			all := seen[actor][c.id]
			stops, deleted := 0, int32(0)
			for _, e := range all {
				switch {
				case deleted != 0:
					j.Fail("nothing of a container after its DELETED", e.GetContainerEventType().String(), deleted, e.Num)
				case e.GetContainerEventType() == runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT:
					deleted = e.Num
				case e.GetContainerEventType() == runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT:
					if stops++; e.GetPodSandboxStatus().GetMetadata() == nil {
						j.Fail("the metadata of the sandbox", "none", c.made.Num, e.Num)
					}
				}
			}
			at := c.endSeen()
			if len(c.starts) != 1 || !c.starts[0].ok() || c.starts[0].Num < from[actor] || at == 0 {
				continue
			}
			rest := restAfter(h, at)
			if r.killed(from[actor], rest) {
				continue
			}
			if rest > 0 && watchesUntil(h, actor, rest) {
				if j.Tested++; stops != 1 {
					j.Fail("one STOPPED of "+c.made.Key+", which has ended", fmt.Sprintf("%d", stops), at, rest)
				}
			}
		}
	}
	return j
}

// endSeen returns the first event that shows that a container has ended; 0: none.
func (c *containerLife) endSeen() int32 {
	for _, s := range c.seen {
		if s.status.GetState() == exited {
			return s.Return
		}
	}
	for _, x := range c.stops {
		if x.ok() && len(c.starts) > 0 && c.starts[0].Return < x.Num {
			return x.Return
		}
	}
	return 0
}

func judgeEventOrder(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	for _, byID := range watched(r) {
		for id, all := range byID {
			if _, ok := l.byID[id].(*containerLife); !ok {
				continue // of a sandbox
			}
			for i := 1; i < len(all); i++ {
				a, b := all[i-1], all[i]
				j.Tested++
				switch {
				case b.GetContainerEventType() <= a.GetContainerEventType():
					j.Fail("an event that comes after "+a.GetContainerEventType().String(), b.GetContainerEventType().String(), a.Num, b.Num)
				case b.GetCreatedAt() < a.GetCreatedAt():
					j.Fail(fmt.Sprintf("a time not before %d", a.GetCreatedAt()), fmt.Sprint(b.GetCreatedAt()), a.Num, b.Num)
				}
			}
		}
	}
	return j
}

func judgeEventAll(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	all := watched(r)
	actors, begun := watchers(r)
	for _, c := range l.containers {
		for i := 1; i < len(actors); i++ {
			from := max(begun[actors[i-1]], begun[actors[i]])
			a, b := all[actors[i-1]][c.id], all[actors[i]][c.id]
			rest := settledAfter(h, c.made.Return)
			if c.made.Num < from || rest == 0 || r.killed(0, rest) {
				continue
			}
			if j.Tested++; !hasAll(a, b, rest) || !hasAll(b, a, rest) {
				j.Fail(fmt.Sprintf("the same events of %s for %s and %s", c.made.Key, actors[i-1], actors[i]), fmt.Sprintf("%s, and %s", types(a, rest), types(b, rest)), c.made.Num, rest)
			}
		}
	}
	for i := range h.Events {
		if e := &h.Events[i]; e.Kind == history.Ended && begun[e.Actor] > 0 && !r.killed(0, e.Num+1) {
			j.Tested++
			j.Fail("a stream that goes on until its client ends it", e.Err().String(), e.Num)
		}
	}
	return j
}

// tells has the state of a container that a type of event tells.
var tells = map[runtimeapi.ContainerEventType]runtimeapi.ContainerState{
	runtimeapi.ContainerEventType_CONTAINER_CREATED_EVENT: created,
	runtimeapi.ContainerEventType_CONTAINER_STARTED_EVENT: running,
	runtimeapi.ContainerEventType_CONTAINER_STOPPED_EVENT: exited,
}

func judgeEventList(h *history.History) (j harness.Judgement) {
	r, l := recordOf(h), livesOf(h)
	type listing struct {
		*exchange
		item *runtimeapi.Container
	}
	listed := map[string][]listing{}
	for _, x := range r.of("ListContainers", "StreamContainers") {
		for _, item := range itemsOf(x) {
			listed[item.GetId()] = append(listed[item.GetId()], listing{x, item})
		}
	}
	for _, e := range r.events {
		c, _ := l.byID[e.GetContainerId()].(*containerLife)
		state, ok := tells[e.GetContainerEventType()]
		deleted := e.GetContainerEventType() == runtimeapi.ContainerEventType_CONTAINER_DELETED_EVENT
		if c == nil || !ok && !deleted {
			continue
		}
		see := func(x *exchange, is runtimeapi.ContainerState) {
			if x.Num > e.Num && !r.killed(e.Num, x.Return) {
				switch j.Tested++; {
				case deleted:
					j.Fail("no "+c.made.Key+" after its DELETED", is.String(), e.Num, x.Return)
				case is < state:
					j.Fail(c.made.Key+" at least in the state "+state.String(), is.String(), e.Num, x.Return)
				}
			}
		}
		for _, s := range c.seen {
			see(s.exchange, s.status.GetState())
		}
		for _, in := range listed[c.id] {
			see(in.exchange, in.item.GetState())
		}
	}
	return j
}

// types are those of events up to a moment.
func types(all []told, to int32) (out []string) {
	for _, e := range all {
		if e.Num < to {
			out = append(out, e.GetContainerEventType().String())
		}
	}
	return out
}

// hasAll reports whether one has, sooner or later, all events that another had at a moment.
func hasAll(one, other []told, at int32) bool {
	want, got := types(other, at), types(one, math.MaxInt32)
	return len(want) <= len(got) && slices.Equal(want, got[:len(want)])
}
