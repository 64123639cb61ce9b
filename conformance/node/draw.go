package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// draws says how random stories use the words.
var draws = map[string]story.Drawing{
	"start": {Weight: 6, Draw: drawStart},
	"fill":  {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{N: story.Pick(c, 10, 88, 97)} }},
	"kill":  {Weight: 2},
	"put":   {Weight: 12, Draw: drawPut},
	"edit": {Weight: 4, Draw: func(c harness.Choices) story.Step {
		if story.Chance(c, 3) {
			return drawMoreEdit(c)
		}
		return drawEdit(c)
	}},
	"delete":          {Weight: 7, Draw: drawDelete},
	"manifest":        {Weight: 4, Draw: drawManifest},
	"remove-manifest": {Weight: 2, Draw: func(c harness.Choices) story.Step { return op("", story.Pick(c, "s", "t")) }},
	"serve":           {Weight: 2, Draw: drawServe},
	"exit":            {Weight: 7, Draw: func(c harness.Choices) story.Step { return exit(drawContainer(c), story.Pick(c, 0, 1, 42)) }},
	"answer":          {Weight: 4, Draw: drawAnswer},
	"twin-sandbox":    {Weight: 2, Draw: func(c harness.Choices) story.Step { return op("", drawName(c)) }},
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
	first := drawStart(c)
	first.Op = "start"
	begin := steps{first, {Op: "put", Obj: "a", With: drawPod(c)}}
	if story.Chance(c, 3) {
		return append(slices.Clone(story.Pick(c, scenes...).With.(steps)), begin...)
	}
	return begin
}

// scenes take several steps in a row, which chance seldom draws. Some random stories begin with one.
var scenes = []story.Value{
	{Name: "a sidecar's probe fails at first", With: steps{answer("b/x", Probe{Probe: "start", Code: 1}), start, put("b", PodShapes["probed-sidecar"](spec(main("c", runs)))), advance(4 * time.Second), answer("b/x", Probe{Probe: "start"})}},
	{Name: "readiness takes three successes", With: steps{answer("b/c", Probe{Probe: "ready", Code: 1}), start, put("b", spec(checked(nil, nil, patient(probe("ready", 2), 3, 3)))), advance(4 * time.Second), answer("b/c", Probe{Probe: "ready"}), settle()}},
	{Name: "liveness fails once", With: steps{start, put("b", spec(checked(nil, graceful(probe("live", 3), 7), nil))), await("b", running), answer("b/c", Probe{Probe: "live", Code: 1}), advance(time.Second), answer("b/c", Probe{Probe: "live"}), settle()}},
	{Name: "liveness fails", With: steps{start, put("b", spec(checked(nil, graceful(probe("live", 3), 7), nil))), await("b", running), answer("b/c", Probe{Probe: "live", Code: 1}), settle(), answer("b/c", Probe{Probe: "live"})}},
	{Name: "a new image, and the disk is full", With: steps{start, put("b", never(from("registry.example/0:1", v1.PullIfNotPresent, main("c", script("exit 0"))))), await("b", Await{Phase: v1.PodSucceeded}), remove("b"), await("b", gone), {Op: "fill", N: 97}, advance(15 * time.Second)}},
	{Name: "the disk is full for a while", With: steps{start, put("b", Pod{}), await("b", running), {Op: "fill", N: 97}, advance(15 * time.Second), {Op: "fill", N: 10}, within(time.Minute, await("node", Await{Condition: "DiskPressure=False"}))}},
	{Name: "a resize that fits, and one that does not", With: steps{start, put("b", spec(sized("100m", "64Mi"))), await("b", running), onlyWith(Cgroups, resize("b", "200m", "64Mi")), advance(12 * time.Second), resize("b", "100000", "64Mi"), advance(15 * time.Second)}},
	{Name: "a runtime without streams", With: steps{{Op: "runtime-fault", As: "lacks", With: Fault("Stream*", "lacks", 0)}, starting(Start{Streaming: true}), put("b", Pod{}), settle()}},
	{Name: "an exit code with a rule", With: steps{start, put("b", PodShapes["ruled"](never(main("c", runs)))), await("b", running), exit("b/c", 42), settle()}},
	{Name: "a second sandbox", With: steps{start, put("b", Pod{}), await("b", running), op("twin-sandbox", "b"), settle(), settle()}},
	{Name: "a sandbox without its address", With: steps{start, put("b", Pod{}), await("b", running), op("drop-address", "b"), exit("b/c", 1), settle()}},
	{Name: "the URL fails", With: steps{serve(Serve{Pods: []Named{{Name: "v"}}}), start, await("v", running), serve(Serve{Code: 500}), settle()}},
	{Name: "two pulls", With: steps{{Op: "runtime-fault", As: "slow", With: Fault("PullImage", "late", 0)}, start, put("b", spec(from("registry.example/0:1", v1.PullIfNotPresent, main("c", runs)))), put("e", spec(from("registry.example/1:1", v1.PullIfNotPresent, main("c", runs)))), settle(), {Op: "clear", As: "slow"}}},
	{Name: "many images, and one as a volume", With: steps{start, put("b", spec(manyImages(14)...)), put("e", withImageVolume(withProgram(main("c", runs)))), settle()}},
	{Name: "an image that needs a secret", With: steps{start, {Op: "secret", Obj: "s", With: Secret{Registry: "registry.example", Username: "user", Password: "pass"}}, put("b", secretly("s", "registry.example/3:1", v1.PullIfNotPresent)), await("b", running), put("e", secretly("", "registry.example/3:1", v1.PullIfNotPresent)), settle()}},
	{Name: "a manifest changes", With: steps{start, manifestOf("t", Pod{}), await("t", running), manifestOf("t", spec(main("c", stubborn))), settle()}},
	{Name: "a static pod that refers", With: steps{start, manifestOf("r", accounted()), manifestOf("t", Pod{}), settle()}},
	{Name: "hooks", With: steps{start, put("b", spec(hooked(v1.Lifecycle{PostStart: execHook("exit 1")}))), put("e", spec(hooked(v1.Lifecycle{PreStop: execHook("sleep 2")})).grace(8)), await("e", running), settle(), remove("e"), await("e", gone), remove("b")}},
	{Name: "a deadline", With: steps{start, put("b", deadline(3)), settle(), settle()}},
	{Name: "others change it", With: steps{start, put("b", spec(withProgram(main("c", runs)))), await("b", running), editStatus("b", `{"status":{"conditions":[{"type":"example.com/gate","status":"True"},{"type":"example.com/checked","status":"True"}]}}`), addEphemeral("b"), settle()}},
	{Name: "three pods of a name", With: steps{start, put("b", Pod{}), await("b", running), removeIn("b", 0), put("b", Pod{}), await("b", running), remove("b"), await("b", gone), put("b", Pod{}), settle()}},
	{Name: "a pull that fails", With: steps{{Op: "runtime-fault", As: "away", With: Fault("PullImage", "refused", 2)}, start, put("b", spec(from("registry.example/2:1", v1.PullAlways, main("c", runs)))), await("b", running), {Op: "clear", As: "away"}}},
	{Name: "a call hangs, and another pod goes", With: steps{starting(Start{Timeout: story.Duration(40 * time.Second)}), put("b", Pod{}), await("b", running), {Op: "runtime-fault", As: "hangs", With: Fault("RunPodSandbox", "hangs", 1)}, put("e", Pod{}), advance(time.Second), remove("b"), advance(12 * time.Second), {Op: "clear", As: "hangs"}}},
	{Name: "the network is away", With: steps{start, put("b", Pod{}), await("b", running), {Op: "conditions", With: Conditions{Runtime: true}}, advance(20 * time.Second), {Op: "conditions", With: Conditions{Runtime: true, Network: true}}, settle()}},
	{Name: "the runtime tells no driver, and opens no log", With: steps{{Op: "runtime-fault", As: "driver", With: Fault("RuntimeConfig", "refused", 2)}, {Op: "runtime-fault", As: "log", With: Fault("ReopenContainerLog", "refused", 2)}, start, put("b", spec(main("c", script("while true; do echo "+line+"; sleep 1; done")))), await("b", running), advance(20 * time.Second)}},
}

// onlyWith makes a step do nothing without a feature. With cgroupsPerQOS: false, as here, a kubelet panics when it resizes a pod
// (kubernetes#137993).
func onlyWith(f harness.Feature, s story.Step) story.Step {
	s.When = needs(f)
	return s
}

// drawEnd waits until all is as it should be.
func drawEnd(harness.Choices) []story.Step { return steps{{Op: "converge"}} }

func drawName(c harness.Choices) string { return story.Pick(c, "a", "a", "a", "b", "b", "s", "t", "u") }

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
			if p.name == "ready" {
				(*p.to).SuccessThreshold = story.Pick[int32](c, 1, 1, 3)
			}
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
	if story.Chance(c, 2) {
		p = drawShape(c, p)
	}
	return p.grace(story.Pick[int64](c, 0, 1, 3, 3, 30))
}

// PodShapes change a pod, which has a container c, to what agents treat otherwise than most pods, by their names. Pods that
// an agent refuses are not among them.
var PodShapes = map[string]func(Pod) Pod{
	"host-network": func(p Pod) Pod { p.Spec.HostNetwork = true; return p },
	"message-path": onC(func(c *v1.Container) { c.TerminationMessagePath = "/dev/other" }),
	"message-log":  onC(func(c *v1.Container) { c.TerminationMessagePolicy = v1.TerminationMessageFallbackToLogsOnError }),
	"program":      onC(func(c *v1.Container) { *c = withProgram(*c) }),
	"untagged":     onC(func(c *v1.Container) { c.Image, c.ImagePullPolicy = "registry.example/untagged", v1.PullIfNotPresent }),
	"pulled":       onC(func(c *v1.Container) { c.Image, c.ImagePullPolicy = Image, v1.PullAlways }),
	"digest": onC(func(c *v1.Container) {
		c.Image, c.ImagePullPolicy = "registry.example/d@sha256:"+strings.Repeat("0a", 32), v1.PullIfNotPresent
	}),
	"post-start":     onC(func(c *v1.Container) { c.Lifecycle = &v1.Lifecycle{PostStart: execHook("exit 0")} }),
	"sized":          onC(func(c *v1.Container) { c.Resources = sized("100m", "64Mi").Resources }),
	"burstable":      onC(func(c *v1.Container) { c.Resources = sharing("10m").Resources }),
	"two-sidecars":   func(p Pod) Pod { return p.withInit(sidecar(main("x", runs)), sidecar(main("y", stubborn))) },
	"probed-sidecar": func(p Pod) Pod { return p.withInit(sidecar(startupOnly("x"))) },
	"critical":       func(p Pod) Pod { p.Spec.PriorityClassName = "system-node-critical"; return p },
	"deadline":       func(p Pod) Pod { p.Spec.ActiveDeadlineSeconds = new(int64(6)); return p },
	"ruled": onC(func(c *v1.Container) {
		c.RestartPolicy, c.RestartPolicyRules = onExit42(v1.ContainerRestartRuleActionRestart)
	}),
	"ruled-all": onC(func(c *v1.Container) {
		c.RestartPolicy, c.RestartPolicyRules = onExit42(v1.ContainerRestartRuleActionRestartAllContainers)
	}),
	"gated": func(p Pod) Pod {
		p.Spec.ReadinessGates = []v1.PodReadinessGate{{ConditionType: "example.com/gate"}}
		return p
	},
	"image-volume": func(p Pod) Pod {
		v := withImageVolume(v1.Container{})
		p.Spec.Volumes, p.Spec.Containers[0].VolumeMounts = v.Spec.Volumes, v.Spec.Containers[0].VolumeMounts
		return p
	},
}

// referring are static pods that name an object of the API. No agent runs them.
var referring = []Pod{accounted(), secret(), spec(v1.Container{Name: "c", Env: []v1.EnvVar{{Name: "V", ValueFrom: &v1.EnvVarSource{ConfigMapKeyRef: &v1.ConfigMapKeySelector{LocalObjectReference: v1.LocalObjectReference{Name: "m"}, Key: "k"}}}}})}

func drawManifest(c harness.Choices) story.Step {
	if story.Chance(c, 4) { // under a name of its own: the rule judges only names that no other manifest has
		return manifestOf("r", story.Pick(c, referring...))
	}
	return manifestOf(story.Pick(c, "s", "t"), drawPod(c))
}

// onC makes a shape of a function that changes the container c.
func onC(f func(*v1.Container)) func(Pod) Pod {
	return func(p Pod) Pod { f(&p.Spec.Containers[0]); return p }
}

func drawShape(c harness.Choices, p Pod) Pod {
	name := story.Pick(c, slices.Sorted(maps.Keys(PodShapes))...)
	for _, x := range p.Spec.InitContainers { // names of containers differ
		if x.Name == "x" && strings.Contains(name, "sidecar") {
			return p
		}
	}
	return PodShapes[name](p)
}

func drawEdit(c harness.Choices) story.Step {
	return edit(drawName(c), story.Pick(c, `{"metadata":{"labels":{"x":"1"}}}`, `{"metadata":{"annotations":{"x":"2"}}}`, `{"spec":{"containers":[{"name":"c","image":"registry.example/9:1"}]}}`))
}

// drawMoreEdit changes what most stories leave alone: the resources of a container, its ephemeral containers, and the Node.
func drawMoreEdit(c harness.Choices) story.Step {
	switch c.IntN(4) {
	case 0:
		return resize(drawName(c), story.Pick(c, "100m", "200m", "100000"), "64Mi")
	case 1:
		return addEphemeral(drawName(c))
	case 2:
		return editStatus(drawName(c), `{"status":{"conditions":[{"type":"example.com/gate","status":"True"}]}}`)
	}
	return edit("node", story.Pick(c, `{"metadata":{"labels":{"example.com/rack":"7"}}}`, `{"metadata":{"labels":{"example.com/rack":null}}}`, `{"spec":{"taints":[{"key":"example.com/apart","effect":"NoSchedule"}]}}`, `{"spec":{"taints":null}}`))
}

func drawStart(c harness.Choices) story.Step {
	return starting(Start{Events: story.Chance(c, 4), Streaming: story.Chance(c, 4), BackOff: story.Pick(c, 0, 0, story.Duration(20*time.Second)), Timeout: story.Pick(c, 0, 0, story.Duration(20*time.Second))})
}

func drawDelete(c harness.Choices) story.Step {
	return story.Step{Obj: drawName(c), With: Delete{Grace: story.Pick(c, nil, nil, nil, new(int64(0)), new(int64(1)), new(int64(10)))}}
}

func drawServe(c harness.Choices) story.Step {
	if story.Chance(c, 2) {
		return serve(Serve{Pods: []Named{{Name: "u", Pod: drawPod(c)}}})
	}
	return serve(story.Pick(c, Serve{}, Serve{Code: 500}, Serve{Hang: true}))
}

func drawAnswer(c harness.Choices) story.Step {
	return answer(drawName(c)+story.Pick(c, "/c", "/c", "/c", "/x"), Probe{Probe: story.Pick(c, "start", "live", "ready"), Code: story.Pick[int32](c, 0, 0, 1), Hang: story.Chance(c, 8)})
}

// moreCalls are those that an agent makes beside faultyCalls.
var moreCalls = []string{"RemoveImage", "UpdateContainerResources", "UpdatePodSandboxResources", "ReopenContainerLog", "RuntimeConfig", "GetContainerEvents", "StreamContainers", "StreamPodSandboxes"}

// halfwayCalls are the calls that the runtime can do slowly, in two halves. So a party can die when the first half is done.
var halfwayCalls = []string{"RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "CreateContainer", "StartContainer", "StopContainer", "RemoveContainer", "PullImage"}

// Shapes are the ways in which a call of the runtime fails, by their names. Each may strike once, several times, or until it is cleared.
var Shapes = map[string]RuntimeFault{
	"refused":                    {Code: 14},
	"error":                      {Code: 2},
	"lacks":                      {Code: 12}, // the runtime does not have it
	"answer-lost":                {Code: 4, Applied: true},
	"hangs":                      {Hang: true},
	"hangs-a-while":              {Hang: true, For: story.Duration(20 * time.Second)},
	"never-answered":             {Hang: true, Applied: true},
	"late":                       {Delay: story.Duration(2 * time.Second)},
	"too-late":                   {Delay: story.Duration(20 * time.Second)}, // its caller has given up by then
	"agent-dies":                 {Dies: "agent"},
	"agent-dies-at-the-end":      {Dies: "agent", Applied: true},
	"agent-dies-in-the-middle":   {Dies: "agent", Slow: story.Duration(time.Second)},
	"runtime-dies":               {Dies: "runtime"},
	"runtime-dies-at-the-end":    {Dies: "runtime", Applied: true},
	"runtime-dies-in-the-middle": {Dies: "runtime", Slow: story.Duration(time.Second)},
}

// Fault returns the fault that makes a call fail in a way, so many times; 0: until it is cleared. A call that is
// not one of halfwayCalls fails before anything is done.
func Fault(method, shape string, times int) RuntimeFault {
	f := Shapes[shape]
	f.Method, f.Times = method, times
	if f.Slow > 0 && !slices.Contains(halfwayCalls, method) {
		f.Slow = 0
	}
	return f
}

// drawRuntimeFault makes a call fail in some way: mostly a few times, and else until that is cleared.
func drawRuntimeFault(c harness.Choices) story.Step {
	method := story.Pick(c, faultyCalls...)
	switch c.IntN(4) {
	case 0:
		method = story.Pick(c, moreCalls...)
	case 1:
		method = story.Pick(c, halfwayCalls...)
	}
	f := Fault(method, story.Pick(c, slices.Sorted(maps.Keys(Shapes))...), story.Pick(c, 1, 1, 2, 3, 0))
	f.Nth = story.Pick(c, 0, 0, 2)
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
