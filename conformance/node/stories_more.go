package node

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// sized is a container with equal requests and limits.
func sized(cpu, memory string) v1.Container {
	c := main("c", runs)
	r := v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu), v1.ResourceMemory: resource.MustParse(memory)}
	c.Resources = v1.ResourceRequirements{Requests: r, Limits: r}
	return c
}

// resize returns a step that asks for other resources of the container c.
func resize(name, cpu, memory string) story.Step {
	r := `{"cpu":"` + cpu + `","memory":"` + memory + `"}`
	return story.Step{Op: "edit", Obj: name, With: Edit{Subresource: "resize", Patch: []byte(`{"spec":{"containers":[{"name":"c","resources":{"requests":` + r + `,"limits":` + r + `}}]}}`)}}
}

// sharing is a container that requests less than its limit.
func sharing(cpu string) v1.Container {
	c := main("c", runs)
	c.Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpu)}
	return c
}

// important is a pod that is critical.
func important() Pod {
	p := spec(main("c", runs))
	p.Spec.PriorityClassName = "system-node-critical"
	return p
}

func resizeStories() []story.Check {
	return []story.Check{
		{
			Name: "resize/applied", About: "A pod grows, shrinks, and grows while the runtime cannot update sandboxes.", Needs: needs(Containers, Resize),
			Rules: podRules(resizeApplied),
			Steps: steps{start, put("a", spec(sized("100m", "64Mi"))), await("a", running), resize("a", "200m", "128Mi"), promised(resizeApplied, "a/c", Await{CPU: "200m", Running: 1}), resize("a", "100m", "128Mi"), promised(resizeApplied, "a/c", Await{CPU: "100m", Running: 1}),
				{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "UpdatePodSandboxResources", Code: 12}}, resize("a", "300m", "128Mi"), promised(resizeApplied, "a/c", Await{CPU: "300m", Running: 1})},
		}, {
			Name: "resize/pending", About: "A pod asks for more than the node has. Its container ends, and the agent restarts.", Needs: needs(Containers, Resize, Restarts),
			Rules: podRules(resizePending),
			Steps: steps{start, put("a", spec(sized("100m", "64Mi"))), await("a", running), resize("a", "100000", "64Mi"), promised(resizePending, "a", Await{Condition: "PodResizePending=True"}), exit("a/c", 1), await("a/c", Await{Restarts: 1, Running: 1}), kill, start, settle(),
				promised(resizePending, "a", Await{Condition: "PodResizePending=True"}), resize("a", "100m", "64Mi"), promised(resizePending, "a", Await{Lacks: "PodResizePending"})},
		}, {
			Name: "cgroup/parent", About: "Pods of the three QoS classes.", Needs: needs(Containers, Cgroups),
			Rules: podRules(cgroupParent),
			Steps: steps{start, put("a", Pod{}), put("b", spec(sharing("10m"))), put("d", spec(sized("10m", "16Mi"))), await("a", running), await("b", running), await("d", running)},
		},
	}
}

func evictionStories() []story.Check {
	return []story.Check{
		{
			Name: "eviction/pressure", About: "The file system of images fills up while pods run, and an image is there that nobody uses.", Needs: needs(Containers, Eviction, ImageGC, Images, Status),
			Rules: podRules(evictionPressure, imageGC, phaseTerminal),
			Steps: steps{start, put("a", never(from(newImage, v1.PullIfNotPresent, main("c", script("exit 0"))))), await("a", Await{Phase: v1.PodSucceeded}), remove("a"), await("a", gone), put("b", spec(main("c", script("trap 'exit 1' TERM; sleep infinity & wait")))), put("d", important()), await("b", running), await("d", running), advance(2 * time.Second),
				{Op: "fill", N: 97}, promised(evictionPressure, "node", Await{Condition: "DiskPressure=True"}), promised(evictionPressure, "b", Await{Phase: v1.PodFailed, Reason: "Evicted"}), advance(25 * time.Second), {Op: "fill", N: 10}, promised(evictionPressure, "d", running), within(60*time.Second, promised(evictionPressure, "node", Await{Condition: "DiskPressure=False"}))},
		},
	}
}

// starting starts an agent in another way.
func starting(a Start) story.Step { return story.Step{Op: "start", With: a} }

func eventStories() []story.Check {
	return []story.Check{
		{
			Name: "pleg/events", About: "The agent listens to events, some of which are lost, doubled, or come late.", Needs: needs(Containers, PLEGEvents),
			Rules: podRules(plegEvents, restartSingle),
			Steps: steps{{Op: "runtime-fault", As: "f", With: RuntimeFault{Event: "double"}}, starting(Start{Events: true}), put("a", Pod{}), promised(plegEvents, "a", running), {Op: "clear", As: "f"}, {Op: "runtime-fault", As: "g", With: RuntimeFault{Event: "drop", Type: "CONTAINER_STOPPED_EVENT"}}, exit("a/c", 1), within(50*time.Second, promised(plegEvents, "a/c", Await{Restarts: 1, Running: 1})),
				{Op: "clear", As: "g"}, {Op: "runtime-fault", As: "h", With: RuntimeFault{Event: "swap"}}, put("b", Pod{}), within(50*time.Second, promised(plegEvents, "b", running)), remove("b"), within(50*time.Second, promised(plegEvents, "b", gone))},
		}, {
			Name: "pleg/no-events", About: "The agent wants events, and the stream ends at once.", Needs: needs(Containers, PLEGEvents),
			Rules: podRules(plegEvents, restartSingle),
			Steps: steps{{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "GetContainerEvents", Code: 12}}, starting(Start{Events: true}), put("a", Pod{}), promised(plegEvents, "a", running), exit("a/c", 1), within(50*time.Second, promised(plegEvents, "a/c", Await{Restarts: 1, Running: 1}))},
		}, {
			Name: "pleg/stuck", About: "The status of one container hangs for a while.", Needs: needs(Containers),
			Rules: podRules(plegStuck),
			Steps: steps{start, put("a", Pod{}), await("a", running), {Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "ContainerStatus", Hang: true, Times: 3}}, exit("a/c", 1), put("b", Pod{}), within(60*time.Second, promised(plegStuck, "b", running)), {Op: "clear", As: "f"}, within(40*time.Second, promised(plegStuck, "a/c", Await{Restarts: 1, Running: 1}))},
		}, {
			Name: "pleg/streams", About: "The agent lists by streams, which the runtime lacks, and has but cuts.", Needs: needs(Containers, Streaming, Restarts),
			Rules: podRules(plegStreams),
			Steps: steps{starting(Start{Streaming: true}), put("a", Pod{}), promised(plegStreams, "a", running), {Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "Stream*", Code: 14, Applied: true, Times: 6}}, settle(), {Op: "clear", As: "f"}, put("b", Pod{}), promised(plegStreams, "b", running), kill,
				{Op: "runtime-fault", As: "g", With: RuntimeFault{Method: "Stream*", Code: 12}}, starting(Start{Streaming: true}), put("d", Pod{}), promised(plegStreams, "d", running)},
		},
	}
}

var plegEvents = harness.Rule{
	Clause: harness.Clause{
		ID:      "pleg/events",
		Level:   harness.Must,
		Text:    "An agent that listens to events comes to the same end without them: events that are lost, doubled or late change neither final states nor restarts.",
		Sources: []harness.Source{inKubelet("pleg/evented.go#EventedPLEG.watchEventsChannel")},
		Why:     "One lost event, and a pod that has ended runs for ever in the API server.",
		Advice:  "Let events only make you look sooner: read the state from the runtime then, and keep a relist by a timer for events that never come.",
		Classes: []string{"GetContainerEvents"},
	},
	Needs: []harness.Feature{Containers, PLEGEvents},
	Judge: promise("pleg/events", nil),
}

var plegStuck = harness.Rule{
	Clause: harness.Clause{
		ID:      "pleg/stuck",
		Level:   harness.Must,
		Text:    "A container whose status the runtime does not tell for a while holds up no other pod for ever.",
		Sources: []harness.Source{inKubelet("pleg/generic.go#GenericPLEG.Relist")},
		Why:     "One container that hangs makes the whole node NotReady.",
		Advice:  "Give the status call of each pod a deadline, go on with the other pods when it fails, and ask for this one again in the next relist.",
		Classes: []string{"ContainerStatus"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("pleg/stuck", nil),
}

var plegStreams = harness.Rule{
	Clause: harness.Clause{
		ID:      "pleg/streams",
		Level:   harness.Must,
		Text:    "An agent that lists by streams falls back to plain lists if the runtime has no streams. A stream that breaks is not taken for a list that is complete.",
		Sources: []harness.Source{source.Symbol("k8s.io/kubernetes@v1.37.1/pkg/features/kube_features.go#CRIListStreaming")},
		Why:     "An agent kills pods that it does not see in half a list.",
		Advice:  "Use plain lists when a stream is Unimplemented. Throw away what a stream has brought unless it ended with EOF, and keep the list of before.",
		Classes: []string{"StreamContainers"},
	},
	Needs: []harness.Feature{Containers, Streaming},
	Judge: promise("pleg/streams", nil),
}

// faultyCalls are the calls of the runtime that an agent makes in the life of a pod.
var faultyCalls = []string{"RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "PodSandboxStatus", "ListPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "ListContainers", "ContainerStatus",
	"ExecSync", "PullImage", "ImageStatus", "ListImages", "ImageFsInfo", "Status", "Version", "ListContainerStats", "ListPodSandboxStats"}

// matrixStories have each call fail in three ways, with a pod that lives from its creation to its end meanwhile.
func matrixStories() (all []story.Check) {
	for _, method := range faultyCalls {
		hang := RuntimeFault{Method: method, Hang: true, Times: 1}
		if method == "PullImage" { // it has no deadline
			hang.For = story.Duration(20 * time.Second)
		}
		faults := []RuntimeFault{{Method: method, Code: 14, Times: 1}, {Method: method, Code: 4, Applied: true, Times: 1}, hang}
		c := story.Check{Name: "fault/call/" + method, About: method + " fails once with Unavailable, once with DeadlineExceeded after it was done, and hangs once.", Needs: needs(Containers, Images, Probes),
			Rules: []harness.Rule{faultRecovers, faultDeadline, phaseMonotone, statusPatch, terminationDelete, phaseTerminal}, Steps: steps{start, put("keeps", Pod{}), await("keeps", running)}}
		for i, f := range faults {
			name := string(rune('a' + i))
			c.Steps = append(c.Steps, story.Step{Op: "runtime-fault", As: "f", With: f},
				put(name, spec(from("registry.example/"+name+":1", v1.PullIfNotPresent, checked(nil, nil, probe("ready", 3)))).withInit(main("i", script("exit 0")))),
				within(45*time.Second, promised(faultRecovers, name, running)), remove(name), within(45*time.Second, promised(faultRecovers, name, gone)), story.Step{Op: "clear", As: "f"})
		}
		c.Steps = append(c.Steps, settle(), promised(faultRecovers, "keeps", running), promised(faultRecovers, "keeps/c", Await{Running: 1}))
		all = append(all, c)
	}
	return all
}

// deathStories have the agent, and then the runtime, die in the middle of a call for a pod, and come back. Before that the agent runs a pod:
// one that is still starting may not get to the call in time.
func deathStories() (all []story.Check) {
	for _, method := range []string{"RunPodSandbox", "CreateContainer", "StartContainer", "StopContainer", "PullImage"} {
		c := story.Check{Name: "fault/dies/" + method, About: "The agent is killed in the middle of " + method + ", and started again, and then the runtime.", Needs: needs(Containers, Images, Restarts),
			Rules: []harness.Rule{faultRecovers, phaseMonotone, statusPatch, terminationDelete}, Steps: steps{start, put("keeps", Pod{}), await("keeps", running)}}
		for i, shape := range []string{"agent-dies-in-the-middle", "runtime-dies-in-the-middle"} {
			name := string(rune('a' + i))
			back := steps{advance(3 * time.Second), start, {Op: "restart"}}
			c.Steps = story.Concat(c.Steps, steps{{Op: "runtime-fault", As: "f", With: Fault(method, shape, 1)}, put(name, spec(from("registry.example/"+name+":1", v1.PullIfNotPresent, main("c", runs))))}, back,
				steps{within(45*time.Second, promised(faultRecovers, name, running)), remove(name)}, back, steps{within(45*time.Second, promised(faultRecovers, name, gone)), {Op: "clear", As: "f"}})
		}
		all = append(all, c)
	}
	return all
}
