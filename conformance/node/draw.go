package node

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words.
var draws = map[string]story.Drawing{
	"start":           {Weight: 6},
	"kill":            {Weight: 2},
	"put":             {Weight: 12, Draw: drawPut},
	"edit":            {Weight: 4, Draw: drawEdit},
	"delete":          {Weight: 7, Draw: drawDelete},
	"manifest":        {Weight: 4, Draw: func(c harness.Choices) story.Step { return manifestOf(story.Pick(c, "s", "t"), drawPod(c)) }},
	"remove-manifest": {Weight: 2, Draw: func(c harness.Choices) story.Step { return op("", story.Pick(c, "s", "t")) }},
	"serve":           {Weight: 1, Draw: drawServe},
	"exit":            {Weight: 7, Draw: func(c harness.Choices) story.Step { return exit(drawContainer(c), story.Pick(c, 0, 1, 42)) }},
	"answer":          {Weight: 4, Draw: drawAnswer},
	"twin-sandbox":    {Weight: 1, Draw: func(c harness.Choices) story.Step { return op("", drawName(c)) }},
	"drop-address":    {Weight: 1, Draw: func(c harness.Choices) story.Step { return op("", drawName(c)) }},
	"end-sandbox":     {Weight: 2, Draw: func(c harness.Choices) story.Step { return op("", drawName(c)) }},
	"forget":          {Weight: 2, Draw: func(c harness.Choices) story.Step { return op("", drawContainer(c)) }},
	"crash":           {Weight: 1},
	"restart":         {Weight: 2, Draw: func(c harness.Choices) story.Step { return story.Step{With: Restart{Forgets: story.Chance(c, 4)}} }},
	"conditions": {Weight: 1, Draw: func(c harness.Choices) story.Step {
		return story.Step{With: Conditions{Runtime: !story.Chance(c, 3), Network: !story.Chance(c, 3)}}
	}},
	"runtime-fault": {Weight: 5, Draw: drawRuntimeFault},
	"api-fault":     {Weight: 3, Draw: drawAPIFault},
	"clear":         {Weight: 3, Draw: func(c harness.Choices) story.Step { return story.Step{As: story.Pick(c, "f", "g")} }},
	"refuse":        {Weight: 1},
	"accept":        {Weight: 2},
	"advance": {Weight: 12, Draw: func(c harness.Choices) story.Step {
		return advance(story.Pick(c, 100*time.Millisecond, time.Second, 3*time.Second, 15*time.Second))
	}},
	"settle": {Weight: 4},
}

// drawBegin mostly starts the agent with a pod.
func drawBegin(c harness.Choices) []story.Step {
	if story.Chance(c, 6) {
		return nil
	}
	return steps{{Op: "start"}, {Op: "put", Obj: "a", With: drawPod(c)}}
}

// drawEnd waits until all is as it should be.
func drawEnd(harness.Choices) []story.Step { return steps{{Op: "converge"}} }

func drawName(c harness.Choices) string { return story.Pick(c, "a", "a", "b", "s", "t") }

func drawContainer(c harness.Choices) string {
	return drawName(c) + "/" + story.Pick(c, "c", "c", "c", "d", "i", "x")
}

func drawPut(c harness.Choices) story.Step { return put(story.Pick(c, "a", "a", "b"), drawPod(c)) }

// drawPod makes a pod of a container c, and perhaps others.
func drawPod(c harness.Choices) Pod {
	own := main("c", story.Pick(c, runs, runs, stubborn, script("trap 'sleep 2; exit 0' TERM; sleep infinity & wait")))
	for _, p := range []struct {
		name string
		to   **v1.Probe
	}{{"start", &own.StartupProbe}, {"live", &own.LivenessProbe}, {"ready", &own.ReadinessProbe}} {
		if story.Chance(c, 5) {
			*p.to = probe(p.name, int32(1+c.IntN(3)))
			(*p.to).InitialDelaySeconds = story.Pick[int32](c, 0, 0, 3)
		}
	}
	if story.Chance(c, 6) {
		own.Lifecycle = &v1.Lifecycle{PreStop: execHook(story.Pick(c, "exit 0", "sleep 2", "sleep 60"))}
	}
	if story.Chance(c, 6) {
		own = from(fmt.Sprintf("registry.example/%d:1", c.IntN(3)), story.Pick(c, v1.PullIfNotPresent, v1.PullAlways), own)
	}
	p := spec(own)
	if story.Chance(c, 4) {
		p.Spec.Containers = append(p.Spec.Containers, main("d", story.Pick(c, runs, script("exit 0"), script("sleep 3; exit 1"))))
	}
	if story.Chance(c, 4) {
		p = p.withInit(main("i", story.Pick(c, script("exit 0"), script("sleep 2"), script("exit 0"))))
	}
	if story.Chance(c, 5) {
		p = p.withInit(sidecar(main("x", runs)))
	}
	p.Spec.RestartPolicy = story.Pick(c, "", "", v1.RestartPolicyOnFailure, v1.RestartPolicyNever)
	return p.grace(story.Pick[int64](c, 0, 1, 3, 3, 30))
}

func drawEdit(c harness.Choices) story.Step {
	return edit(drawName(c), story.Pick(c, `{"metadata":{"labels":{"x":"1"}}}`, `{"metadata":{"annotations":{"x":"2"}}}`, `{"spec":{"containers":[{"name":"c","image":"registry.example/9:1"}]}}`))
}

func drawDelete(c harness.Choices) story.Step {
	return story.Step{Obj: drawName(c), With: Delete{Grace: story.Pick(c, nil, nil, nil, new(int64(0)), new(int64(1)), new(int64(10)))}}
}

func drawServe(c harness.Choices) story.Step {
	return serve(story.Pick(c, Serve{}, Serve{}, Serve{Code: 500}, Serve{Hang: true}))
}

func drawAnswer(c harness.Choices) story.Step {
	return answer(drawName(c)+"/c", Probe{Probe: story.Pick(c, "start", "live", "ready"), Code: story.Pick[int32](c, 0, 0, 1), Hang: story.Chance(c, 8)})
}

func drawRuntimeFault(c harness.Choices) story.Step {
	f := RuntimeFault{Method: story.Pick(c, faultyCalls...), Times: 1 + c.IntN(3)}
	switch c.IntN(4) {
	case 0:
		f.Code = 14
	case 1:
		f.Code, f.Applied = 4, true
	case 2:
		f.Hang, f.For = true, story.Duration(20*time.Second)
	case 3:
		f.Delay = story.Duration(2 * time.Second)
	}
	return story.Step{As: story.Pick(c, "f", "g"), With: f}
}

func drawAPIFault(c harness.Choices) story.Step {
	f := APIFault{Verbs: []string{story.Pick(c, "get", "watch", "patch", "delete", "create", "update")}, Times: 1 + c.IntN(3)}
	switch c.IntN(4) {
	case 0:
		f.Status = &APIStatus{Code: story.Pick[int32](c, 409, 429, 500, 503)}
	case 1:
		f.LoseAnswer = f.Verbs[0] != "watch"
		f.Reset = map[bool]string{true: "headers"}[!f.LoseAnswer]
	case 2:
		f.Reset = "headers"
	case 3:
		f.Latency = story.Duration(2 * time.Second)
	}
	return story.Step{As: story.Pick(c, "f", "g"), With: f}
}
