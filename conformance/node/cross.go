package node

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/story"
)

// cross is what random stories of node agents combine: a call of the agent, how it fails, the pod that lives meanwhile, and the moment.
var cross = story.Cross{
	Dimensions: []story.Dimension{
		{Name: "call", Values: calls(), Seen: failed},
		{Name: "failure", Seen: failed, Values: []story.Value{
			{Name: "once", With: failure{shape: "refused", times: 1, api: APIFault{Status: &APIStatus{Code: 500}}}},
			{Name: "four times", With: failure{shape: "refused", times: 4, api: APIFault{Status: &APIStatus{Code: 500}}}},
			{Name: "its answer is lost", With: failure{shape: "answer-lost", times: 1, api: APIFault{LoseAnswer: true}}},
			{Name: "slow", With: failure{shape: "late", times: 3, api: APIFault{Latency: story.Duration(2 * time.Second)}}},
			{Name: "hangs", With: failure{shape: "hangs", times: 1, api: APIFault{Hang: "headers", For: story.Duration(20 * time.Second)}}},
			{Name: "is done, and never answered", With: failure{shape: "never-answered", times: 1, api: APIFault{Hang: "body", For: story.Duration(20 * time.Second)}}},
			{Name: "the agent is killed", With: failure{shape: "agent-dies-in-the-middle", times: 1, api: slowAPI, meanwhile: agentDies}},
			{Name: "the agent is killed at its end", With: failure{shape: "agent-dies-at-the-end", times: 1, api: APIFault{LoseAnswer: true}, meanwhile: agentDies}},
			{Name: "the runtime is killed", With: failure{shape: "runtime-dies-in-the-middle", times: 1, api: slowAPI, meanwhile: runtimeDies}},
		}},
		{Name: "source", Values: []story.Value{
			{Name: "API server", With: origin{"a", func(p Pod) story.Step { return put("a", p) }, remove("a")}},
			{Name: "folder", With: origin{"s", func(p Pod) story.Step { return manifestOf("s", p) }, op("remove-manifest", "s")}},
			{Name: "URL", With: origin{"u", func(p Pod) story.Step { return serve(Serve{Pods: []Named{{"u", p}}}) }, serve(Serve{})}},
		}},
		{Name: "containers", Values: []story.Value{
			{Name: "one", With: func(p Pod) Pod { return p }},
			{Name: "two", With: func(p Pod) Pod {
				p.Spec.Containers = append(p.Spec.Containers, main("d", runs))
				return p
			}},
			{Name: "init", With: func(p Pod) Pod { return p.withInit(main("i", script("sleep 1"))) }},
			{Name: failingInit, With: func(p Pod) Pod { return p.withInit(main("i", script("exit 1"))) }},
			{Name: "sidecar", With: func(p Pod) Pod { return p.withInit(sidecar(main("x", runs))) }},
			{Name: "sidecar and init", With: func(p Pod) Pod { return p.withInit(sidecar(main("x", runs)), main("i", script("exit 0"))) }},
			{Name: "two sidecars", With: PodShapes["two-sidecars"]},
			{Name: "probed sidecar", With: PodShapes["probed-sidecar"]},
			{Name: "ruled", With: PodShapes["ruled"]},
			{Name: "one that restarts all", With: func(p Pod) Pod {
				p.Spec.Containers = append(p.Spec.Containers, main("d", runs))
				return PodShapes["ruled-all"](p)
			}},
		}},
		{Name: "probe", Values: []story.Value{
			{Name: "none", With: func(p Pod) Pod { return p }},
			{Name: "startup", With: onC(func(c *v1.Container) { c.StartupProbe = probe("start", 3) })},
			{Name: "liveness", With: onC(func(c *v1.Container) { c.LivenessProbe = probe("live", 2) })},
			{Name: "readiness", With: onC(func(c *v1.Container) { c.ReadinessProbe = probe("ready", 1) })},
			{Name: "readiness, three times", With: onC(func(c *v1.Container) { c.ReadinessProbe = patient(probe("ready", 2), 0, 3) })},
			{Name: "preStop", With: onC(func(c *v1.Container) { c.Lifecycle = &v1.Lifecycle{PreStop: execHook("sleep 1")} })},
			{Name: "postStart", With: PodShapes["post-start"]},
		}},
		{Name: "pod", Values: append([]story.Value{{Name: "plain", With: func(p Pod) Pod { return p }}}, shapes("host-network", "message-path", "message-log", "program", "untagged", "pulled", "digest", "sized", "burstable", "critical", "deadline", "gated")...)},
		{Name: "program", Values: []story.Value{
			{Name: "ends at SIGTERM", With: runs}, {Name: "ignores SIGTERM", With: stubborn}, {Name: "succeeds", With: script("sleep 3")}, {Name: "fails", With: script("sleep 3; exit 1")},
		}},
		{Name: "policy", Values: []story.Value{{Name: "Always", With: v1.RestartPolicyAlways}, {Name: "OnFailure", With: v1.RestartPolicyOnFailure}, {Name: "Never", With: v1.RestartPolicyNever}}},
		{Name: "before", Values: append([]story.Value{{Name: "nothing", With: steps(nil)}}, scenes...)},
		{Name: "moment", Values: []story.Value{
			{Name: "at rest", With: story.Concat(steps{start}, thePod, steps{settle()}, theFault)},
			{Name: "while it starts", With: story.Concat(steps{start}, theFault, thePod, steps{advance(time.Second)})}, // the agent may run since the scene before
			{Name: "while the agent starts", With: story.Concat(theFault, thePod, steps{start})},
			{Name: "while its probes fail", With: story.Concat(failing(1), steps{start}, thePod, steps{advance(4 * time.Second)}, failing(0), theFault)},
			{Name: "while it is resized", With: story.Concat(steps{start}, thePod, steps{settle(), resize("", "100000", "64Mi"), settle()}, theFault)},
			{Name: "while it has two sandboxes", With: story.Concat(steps{start}, thePod, steps{settle(), op("twin-sandbox", "")}, theFault, steps{settle()})},
			{Name: "while the disk is full", With: story.Concat(steps{start}, thePod, steps{settle(), {Op: "fill", N: 97}}, theFault, steps{advance(12 * time.Second)})},
			{Name: "while it stops", With: story.Concat(steps{start}, thePod, steps{settle()})}, // all stories go on so
			{Name: "in a burst", With: story.Concat(steps{start}, theFault, thePod, steps{put("b", Pod{}), put("c", Pod{})})},
			{Name: "after the agent's restart", With: story.Concat(steps{start}, thePod, steps{settle(), kill, start}, theFault)},
		}},
	},
	Story: crossed,
}

// failing has the probes of a pod answer with a code.
func failing(code int32) steps {
	return steps{answer("/c", Probe{Probe: "start", Code: code}), answer("/c", Probe{Probe: "ready", Code: code}), answer("/x", Probe{Probe: "start", Code: code})}
}

// failure is what goes wrong with a call, by whom it is made to, and what happens while it is under way.
type failure struct {
	shape     string // one of Shapes, of calls of the runtime
	times     int
	api       APIFault
	meanwhile steps
}

// slowAPI makes a request take long enough for a kill.
var slowAPI = APIFault{Latency: story.Duration(5 * time.Second)}

// Who dies in a call comes back after it, if nobody else has started it.
var (
	agentDies   = steps{advance(time.Second), kill, start}
	runtimeDies = steps{advance(time.Second), op("crash", ""), advance(time.Second), op("restart", "")}
)

// shapes returns shapes of pods as values.
func shapes(names ...string) (all []story.Value) {
	for _, name := range names {
		all = append(all, story.Value{Name: name, With: PodShapes[name]})
	}
	return all
}

// failingInit is the value of a pod that never gets beyond its init container.
const failingInit = "init that fails"

// origin is where a pod comes from, and how it goes.
type origin struct {
	name string
	make func(Pod) story.Step
	end  story.Step
}

// The steps of a moment that stand for those of the row.
var (
	thePod   = steps{{Op: "pod"}}
	theFault = steps{{Op: "fault"}}
)

// calls are those that the agent makes to the runtime, and its requests to the API server.
func calls() (all []story.Value) {
	for _, method := range faultyCalls {
		all = append(all, story.Value{Name: method, With: RuntimeFault{Method: method}})
	}
	for _, x := range []APIFault{
		{Verbs: []string{"watch"}, Resource: "pods"}, {Verbs: []string{"list"}, Resource: "pods"}, {Verbs: []string{"get"}, Resource: "pods"}, {Verbs: []string{"create"}, Resource: "pods"},
		{Verbs: []string{"patch"}, Resource: "pods", Subresource: "status"}, {Verbs: []string{"delete"}, Resource: "pods"},
		{Verbs: []string{"update"}, Resource: "leases"}, {Verbs: []string{"patch"}, Resource: "nodes", Subresource: "status"},
	} {
		all = append(all, story.Value{Name: x.Verbs[0] + " " + x.Resource, With: x})
	}
	return all
}

// failed reports whether a call of the agent failed, or never ended.
func failed(e *history.Event) bool { return e.Err() != nil }

// fault returns the step that arms a row's fault.
func fault(r story.Row) story.Step {
	f := story.With[failure](r, "failure")
	if x := story.With[APIFault](r, "call"); x.Verbs != nil {
		f.api.Verbs, f.api.Resource, f.api.Subresource, f.api.Times = x.Verbs, x.Resource, x.Subresource, f.times
		if f.api.LoseAnswer && x.Verbs[0] == "watch" {
			f.api.LoseAnswer, f.api.Reset = false, "headers"
		}
		return story.Step{Op: "api-fault", As: "f", With: f.api}
	}
	rt := Fault(story.With[RuntimeFault](r, "call").Method, f.shape, f.times)
	if rt.Hang && rt.Method == "PullImage" { // it has no deadline
		rt.For = story.Duration(20 * time.Second)
	}
	return story.Step{Op: "runtime-fault", As: "f", With: rt}
}

func crossed(r story.Row) (all []story.Part) {
	p := spec(main("c", story.With[[]string](r, "program")))
	for _, d := range []string{"probe", "containers", "pod"} {
		p = story.With[func(Pod) Pod](r, d)(p)
	}
	p.Spec.RestartPolicy = story.With[v1.RestartPolicy](r, "policy")
	from, f := story.With[origin](r, "source"), story.With[failure](r, "failure")
	add := func(list steps) {
		for _, s := range list {
			switch s.Op {
			case "pod":
				all = append(all, story.Part{Of: []string{"source", "containers", "probe", "pod", "program", "policy"}, Steps: steps{from.make(p)}})
			case "fault":
				all = append(all, story.Part{Of: []string{"call", "failure"}, Steps: steps{fault(r)}})
			case "answer", "edit", "twin-sandbox":
				s.Obj = from.name + s.Obj
				fallthrough
			default:
				all = append(all, story.Shows("moment", s))
			}
		}
	}
	moment := story.With[steps](r, "moment")
	if before := story.With[steps](r, "before"); before != nil {
		all = append(all, story.Shows("before", before...))
		if moment[0].Op != "start" {
			all = append(all, story.Shows("moment", kill))
		}
	}
	add(moment)
	all = append(all, story.Shows("failure", f.meanwhile...), story.Scene(settle(), exit(from.name+"/c", 42), advance(4*time.Second)))
	if r["containers"].Name != failingInit {
		all = append(all, story.Scene(story.Step{Op: "converge"}))
	}
	add(theFault)
	all = append(all, story.Scene(from.end), story.Shows("failure", f.meanwhile...), story.Scene(settle(), story.Step{Op: "converge"}))
	return all
}
