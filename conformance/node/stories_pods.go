package node

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// stories are the checks of the suite, in the order of the contract.
var stories = []func() []story.Check{sourceStories, staticStories, orderStories, imageStories, probeStories, restartStories, terminationStories, statusStories, resizeStories, evictionStories, eventStories, runtimeStories, nodeStories, faultStories, matrixStories, deathStories}

func orderStories() []story.Check {
	return []story.Check{
		{
			Name: "order/init", About: "A pod has two init containers, which end one after the other.", Needs: needs(Containers),
			Rules: podRules(orderInit, orderSandbox),
			Steps: steps{start, put("a", Pod{}.withInit(main("i1", script("sleep 1")), main("i2", script("sleep 1")))), promised(orderInit, "a", running), settle()},
		}, {
			Name: "order/init-failure", About: "Init containers fail: in a pod that restarts, and in one that never does.", Needs: needs(Containers),
			Rules: podRules(orderFailure),
			Steps: steps{start, put("a", never(main("c", runs)).withInit(main("i", script("exit 1")))), put("b", Pod{}.withInit(main("i", script("sleep 1; exit 1")))),
				promised(orderFailure, "a", Await{Phase: v1.PodFailed}), promised(orderFailure, "b/i", Await{Restarts: 2}), settle()},
		}, {
			Name: "order/sidecar", About: "A pod has a sidecar with a startup probe. It ends by itself, and then the pod is deleted.", Needs: needs(Containers, Sidecars, Probes),
			Rules: podRules(orderSidecar, orderTermination, terminationDelete, restartSingle),
			Steps: steps{answer("a/s", Probe{Probe: "start", Code: 1}), start, put("a", Pod{}.withInit(sidecar(startupOnly("s")), sidecar(main("t", stubborn)))), await("a/s", Await{Running: 1}), settle(),
				answer("a/s", Probe{Probe: "start"}), promised(orderSidecar, "a", running), exit("a/s", 1), promised(orderSidecar, "a/s", Await{Restarts: 1, Running: 1}), remove("a"), promised(terminationDelete, "a", gone)},
		}, {
			Name: "order/sandbox", About: "The sandbox of a pod ends.", Needs: needs(Containers),
			Rules: podRules(orderSandbox, orderInit, restartCount),
			Steps: steps{start, put("a", Pod{}.withInit(main("i", script("exit 0")))), await("a", running), op("end-sandbox", "a"), promised(orderSandbox, "a/c", Await{Restarts: 1, Running: 1}), settle()},
		}, {
			Name: "order/sandboxes", About: "A second sandbox of a pod is ready. Later the sandbox loses its address.", Needs: needs(Containers),
			Rules: podRules(orderSandbox, restartCount),
			Steps: steps{start, put("a", Pod{}), await("a", running), op("twin-sandbox", "a"), promised(orderSandbox, "a/c", Await{Restarts: 1, Running: 1}), await("a", running),
				op("drop-address", "a"), exit("a/c", 1), promised(orderSandbox, "a/c", Await{Restarts: 2, Running: 1}), exit("a/c", 1), promised(orderSandbox, "a/c", Await{Restarts: 3, Running: 1}), settle()},
		}, {
			Name: "order/reboot", About: "The agent is killed, the sandbox of a pod ends, as in a reboot, and the agent starts (kubernetes#120247).", Needs: needs(Containers, Restarts),
			Rules: podRules(orderSandbox, orderInit),
			Steps: steps{start, put("a", Pod{}.withInit(main("i", script("sleep 1")))), await("a", running), kill, op("end-sandbox", "a"), start, promised(orderSandbox, "a/c", Await{Restarts: 1, Running: 1}), settle()},
		},
	}
}

// startupOnly is a container with a startup probe.
func startupOnly(name string) v1.Container {
	c := main(name, runs)
	c.StartupProbe = probe("start", 60)
	return c
}

const (
	absentImage = "registry.example/none:1"
	newImage    = "registry.example/new:1"
)

func imageStories() []story.Check {
	return []story.Check{
		{
			Name: "image/policy", About: "Pods with images that are there and that are not, with each policy.", Needs: needs(Containers, Images),
			Rules: podRules(imagePolicy),
			Steps: steps{start, put("a", spec(from("docker.io/library/busybox:1", v1.PullAlways, main("c", runs)))), put("b", spec(from(newImage, v1.PullIfNotPresent, main("c", runs)))),
				put("d", spec(from(absentImage, v1.PullNever, main("c", runs)))), put("e", spec(from("registry.example/untagged", v1.PullIfNotPresent, main("c", runs)))),
				promised(imagePolicy, "a", running), promised(imagePolicy, "b", running), promised(imagePolicy, "d", Await{Waiting: "ErrImageNeverPull", Phase: v1.PodPending}), promised(imagePolicy, "e", running)},
		}, {
			Name: "image/serial", About: "Four pods need images that take a second.", Needs: needs(Containers, Images, SerialPulls),
			Rules: podRules(imageSerial),
			Steps: steps{{Op: "runtime-fault", As: "slow", With: RuntimeFault{Method: "PullImage", Delay: story.Duration(time.Second)}}, start,
				put("a", spec(from("registry.example/a:1", v1.PullIfNotPresent, main("c", runs)))), put("b", spec(from("registry.example/b:1", v1.PullIfNotPresent, main("c", runs)))),
				put("d", spec(from("registry.example/d:1", v1.PullIfNotPresent, main("c", runs)))), put("e", spec(from("registry.example/e:1", v1.PullIfNotPresent, main("c", runs)))),
				await("a", running), await("b", running), await("d", running), await("e", running)},
		}, {
			Name: "image/back-off", About: "The pulls of an image fail twice.", Needs: needs(Containers, Images),
			Rules: podRules(imageBackOff, imagePolicy),
			Steps: steps{{Op: "runtime-fault", As: "away", With: RuntimeFault{Method: "PullImage", Code: 14, Times: 2}}, start, put("a", spec(from(newImage, v1.PullIfNotPresent, main("c", runs)))),
				promised(imageBackOff, "a", Await{Waiting: "ImagePullBackOff", Phase: v1.PodPending}), within(50*time.Second, promised(imageBackOff, "a", running))},
		}, {
			Name: "image/program", About: "A container has arguments and variables, which name each other.", Needs: needs(Containers),
			Rules: podRules(),
			Steps: steps{start, put("a", spec(withProgram(main("c", runs)))), promised(imageProgram, "a", running)},
		}, {
			Name: "image/rate", About: "A pod needs fourteen images at once.", Needs: needs(Containers, Images, PullQPS),
			Rules: podRules(imageRate),
			Steps: steps{start, put("a", spec(manyImages(14)...)), within(60*time.Second, promised(imageRate, "a", running))},
		}, {
			Name: "image/volume", About: "A pod has an image as a volume.", Needs: needs(Containers, Images),
			Rules: podRules(imageVolume),
			Steps: steps{start, put("a", withImageVolume(main("c", runs))), promised(imageVolume, "a", running)},
		},
	}
}

func withProgram(c v1.Container) v1.Container {
	c.Env = []v1.EnvVar{{Name: "ONE", Value: "1"}, {Name: "EMPTY"}, {Name: "BOTH", Value: "$(ONE) and $(NONE)"}, {Name: "POD", ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}}}
	c.Args = []string{"--both=$(BOTH)", "$$(ONE)", ""}
	return c
}

// manyImages are containers with images of their own.
func manyImages(n int) (all []v1.Container) {
	for i := range n {
		name := fmt.Sprintf("c%d", i)
		all = append(all, from("registry.example/"+name+":1", v1.PullIfNotPresent, main(name, runs)))
	}
	return all
}

func withImageVolume(c v1.Container) Pod {
	c.VolumeMounts = []v1.VolumeMount{{Name: "data", MountPath: "/data", ReadOnly: true}}
	p := spec(c)
	p.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{Image: &v1.ImageVolumeSource{Reference: newImage, PullPolicy: v1.PullIfNotPresent}}}}
	return p
}

func probeStories() []story.Check {
	return []story.Check{
		{
			Name: "probe/startup", About: "The startup probe of a container fails for a while.", Needs: needs(Containers, Probes),
			Rules: podRules(probeStartup, probeReadiness),
			Steps: steps{answer("a/c", Probe{Probe: "start", Code: 1}), start, put("a", spec(checked(probe("start", 60), probe("live", 3), probe("ready", 3)))), await("a/c", Await{Running: 1}),
				advance(3 * time.Second), answer("a/c", Probe{Probe: "start"}), promised(probeStartup, "a", running), advance(3 * time.Second)},
		}, {
			Name: "probe/startup-fails", About: "The startup probe of a container never succeeds.", Needs: needs(Containers, Probes),
			Rules: podRules(probeLiveness, restartSingle),
			Steps: steps{answer("a/c", Probe{Probe: "start", Code: 1}), start, put("a", spec(checked(graceful(probe("start", 3), 5), nil, nil))), promised(probeLiveness, "a/c", Await{Restarts: 1})},
		}, {
			Name: "probe/liveness", About: "The liveness probe of a container fails twice, and later for good. Its threshold is three.", Needs: needs(Containers, Probes),
			Rules: podRules(probeLiveness, restartSingle, restartCount),
			Steps: steps{start, put("a", spec(checked(nil, graceful(probe("live", 3), 7), nil))), await("a", running), advance(2 * time.Second), answer("a/c", Probe{Probe: "live", Code: 1}), promised(probeLiveness, "a/c", Await{Restarts: 1}),
				answer("a/c", Probe{Probe: "live"}), promised(probeLiveness, "a", running)},
		}, {
			Name: "probe/timeout", About: "The liveness probe of a container does not end.", Needs: needs(Containers, Probes),
			Rules: podRules(probeLiveness),
			Steps: steps{start, put("a", spec(checked(nil, probe("live", 2), nil))), await("a", running), answer("a/c", Probe{Probe: "live", Hang: true}), promised(probeLiveness, "a/c", Await{Restarts: 1})},
		}, {
			Name: "probe/no-answer", About: "The runtime fails to answer probes for a while.", Needs: needs(Containers, Probes),
			Rules: podRules(probeLiveness),
			Steps: steps{start, put("a", spec(checked(nil, probe("live", 1), nil))), await("a", running), {Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "ExecSync", Code: 14}}, advance(5 * time.Second), {Op: "clear", As: "f"}, advance(2 * time.Second)},
		}, {
			Name: "probe/readiness", About: "A container becomes ready, some seconds after its start and after three successes, and stops to be.", Needs: needs(Containers, Probes),
			Rules: podRules(probeReadiness, probeDelay),
			Steps: steps{answer("a/c", Probe{Probe: "ready", Code: 1}), start, put("a", spec(checked(nil, nil, patient(probe("ready", 2), 4, 3)))), await("a", Await{Phase: v1.PodRunning, Ready: new(false)}), advance(2 * time.Second), answer("a/c", Probe{Probe: "ready"}), promised(probeReadiness, "a", running),
				answer("a/c", Probe{Probe: "ready", Code: 1}), promised(probeReadiness, "a", Await{Ready: new(false)})},
		}, {
			Name: "probe/agent-restart", About: "The agent is killed and started while one pod is ready and another is not (kubernetes#135795, kubernetes#100277).", Needs: needs(Containers, Probes, Restarts),
			Rules: podRules(probeRestart, faultRestart),
			Steps: steps{answer("b/c", Probe{Probe: "ready", Code: 1}), start, put("a", spec(checked(nil, nil, probe("ready", 3)))), put("b", spec(checked(nil, nil, probe("ready", 3)))), await("a", running), await("b", Await{Phase: v1.PodRunning, Ready: new(false)}), advance(12 * time.Second),
				kill, start, put("d", Pod{}), promised(faultRestart, "d", running), settle()},
		}, {
			Name: "probe/termination", About: "A pod whose probes would fail is deleted, and takes four seconds.", Needs: needs(Containers, Probes),
			Rules: podRules(probeEnd, terminationDelete),
			Steps: steps{start, put("a", spec(slowToEnd(checked(nil, probe("live", 2), probe("ready", 1)))).grace(6)), await("a", running), remove("a"), answer("a/c", Probe{Probe: "live", Code: 1}), promised(terminationDelete, "a", gone)},
		},
	}
}

// graceful gives a probe a grace of its own, in seconds.
func graceful(p *v1.Probe, seconds int64) *v1.Probe {
	p.TerminationGracePeriodSeconds = &seconds
	return p
}

// patient makes a probe wait some seconds after the start, and need some successes.
func patient(p *v1.Probe, seconds, successes int32) *v1.Probe {
	p.InitialDelaySeconds, p.SuccessThreshold = seconds, successes
	return p
}

// slowToEnd makes a container take four seconds to end.
func slowToEnd(c v1.Container) v1.Container {
	c.Command = script("trap 'sleep 4; exit 0' TERM; sleep infinity & wait")
	return c
}

func restartStories() []story.Check {
	return []story.Check{
		{
			Name: "restart/policy", About: "Containers end with 0 and with 1 under each policy.", Needs: needs(Containers),
			Rules: podRules(restartPolicy, restartSingle, restartCount, phaseTerminal),
			Steps: steps{start, put("always-0", spec(main("c", script("sleep 1; exit 0")))), put("failure-0", onFailure(main("c", script("sleep 1; exit 0")))), put("failure-1", onFailure(main("c", script("sleep 1; exit 1")))),
				put("never-0", never(main("c", script("sleep 1; exit 0")))), put("never-1", never(main("c", script("sleep 1; exit 1")))), put("both", never(main("c", script("exit 0")), main("d", script("exit 1")))),
				promised(restartPolicy, "always-0", Await{Restarts: 1}), promised(restartPolicy, "failure-0", Await{Phase: v1.PodSucceeded}), promised(restartPolicy, "failure-1", Await{Restarts: 1}),
				promised(restartPolicy, "never-0", Await{Phase: v1.PodSucceeded}), promised(restartPolicy, "never-1", Await{Phase: v1.PodFailed}), promised(restartPolicy, "both", Await{Phase: v1.PodFailed}), settle()},
		}, {
			Name: "restart/back-off", About: "A container crashes again and again.", Needs: needs(Containers),
			Rules: podRules(restartBackOff, restartCount, containerGC),
			Steps: steps{start, put("a", spec(main("c", script("exit 1")))), promised(restartBackOff, "a", Await{Waiting: "CrashLoopBackOff"}), promised(restartBackOff, "a", Await{Restarts: 4})},
		}, {
			Name: "restart/back-off-grows", About: "A container crashes again and again. The agent is configured to wait up to twenty seconds.", Needs: needs(Containers, Configured),
			Rules: podRules(restartBackOff),
			Steps: steps{starting(Start{BackOff: story.Duration(20 * time.Second)}), put("a", spec(main("c", script("exit 1")))), within(45*time.Second, promised(restartBackOff, "a", Await{Restarts: 3}))},
		}, {
			Name: "restart/rules", About: "The exit codes of containers match their restart rules, in pods that never restart.", Needs: needs(Containers, Rules),
			Rules: podRules(restartRules, restartSingle, orderInit),
			Steps: steps{start, put("a", never(ruled("c", v1.ContainerRestartRuleActionRestart), main("d", runs))), put("b", never(ruled("c", v1.ContainerRestartRuleActionRestartAllContainers), main("d", runs)).withInit(main("i", script("exit 0")))),
				await("a", running), await("b", running), exit("a/c", 42), exit("b/c", 42), promised(restartRules, "a/c", Await{Restarts: 1, Running: 1}), promised(restartRules, "b/c", Await{Restarts: 1, Running: 1}), promised(restartRules, "b/d", Await{Restarts: 1, Running: 1}),
				promised(restartRules, "a", running), promised(restartRules, "b", running), exit("a/c", 1), exit("b/d", 0), settle()},
		}, {
			Name: "restart/ephemeral", About: "An ephemeral container ends.", Needs: needs(Containers),
			Rules: podRules(ephemeralOnce),
			Steps: steps{start, put("a", Pod{}), await("a", running), addEphemeral("a"),
				promised(ephemeralOnce, "a/e", Await{Ended: true}), settle()},
		}, {
			Name: "pleg/exit", About: "A container ends by itself.", Needs: needs(Containers),
			Rules: podRules(plegExit, restartSingle),
			Steps: steps{start, put("a", Pod{}), put("b", never(main("c", runs))), await("a", running), await("b", running), exit("a/c", 7), promised(plegExit, "a/c", Await{Restarts: 1, Running: 1}), exit("b/c", 0), promised(plegExit, "b", Await{Phase: v1.PodSucceeded})},
		},
	}
}

// addEphemeral adds the ephemeral container e to a pod. It fails after a second.
func addEphemeral(name string) story.Step {
	return story.Step{Op: "edit", Obj: name, With: Edit{Subresource: "ephemeralcontainers", Patch: []byte(`{"spec":{"ephemeralContainers":[{"name":"e","image":"` + Image + `","command":["sh","-c","sleep 1; exit 1"],"targetContainerName":"c"}]}}`)}}
}

// ruled is a container whose exit code 42 has an action.
func ruled(name string, action v1.ContainerRestartRuleAction) v1.Container {
	c := main(name, runs)
	c.RestartPolicy, c.RestartPolicyRules = onExit42(action)
	return c
}

func onExit42(action v1.ContainerRestartRuleAction) (*v1.ContainerRestartPolicy, []v1.ContainerRestartRule) {
	return new(v1.ContainerRestartPolicyNever), []v1.ContainerRestartRule{{Action: action, ExitCodes: &v1.ContainerRestartRuleOnExitCodes{Operator: v1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}}}}
}

func removeIn(name string, seconds int64) story.Step {
	return story.Step{Op: "delete", Obj: name, With: Delete{Grace: &seconds}}
}

func terminationStories() []story.Check {
	return []story.Check{
		{
			Name: "termination/delete", About: "Pods are deleted: one that ends at once, and one that ignores SIGTERM.",
			Rules: anyPods(terminationDelete, terminationGrace, phaseTerminal),
			Steps: steps{start, put("a", Pod{}), put("b", spec(main("c", stubborn))), await("a", running), await("b", running), remove("a"), remove("b"), promised(terminationDelete, "a", gone), promised(terminationDelete, "b", gone)},
		}, {
			Name: "termination/delete/refused", About: "A pod that is too large is being deleted when the agent sees it first.", Needs: needs(Admission),
			Rules: []harness.Rule{terminationDelete, statusPatch},
			Steps: steps{put("a", spec(wanting("c", "100000"))), remove("a"), start, promised(terminationDelete, "a", gone)},
		}, {
			Name: "termination/pre-stop", About: "Pods with preStop hooks are deleted: one that takes two seconds, one that takes longer than the grace, and one that sleeps.", Needs: needs(Containers, Lifecycle),
			Rules: podRules(terminationHook, terminationGrace, terminationDelete),
			Steps: steps{start, put("a", spec(hooked(v1.Lifecycle{PreStop: execHook("sleep 2")})).grace(8)), put("b", spec(hooked(v1.Lifecycle{PreStop: execHook("sleep 60")})).grace(4)), put("d", spec(hooked(v1.Lifecycle{PreStop: &v1.LifecycleHandler{Sleep: &v1.SleepAction{Seconds: 2}}})).grace(8)),
				await("a", running), await("b", running), await("d", running), remove("a"), remove("b"), remove("d"), promised(terminationDelete, "a", gone), promised(terminationDelete, "b", gone), promised(terminationDelete, "d", gone)},
		}, {
			Name: "termination/post-start", About: "The postStart hook of a container fails.", Needs: needs(Containers, Lifecycle),
			Rules: podRules(terminationNotifies, restartSingle),
			Steps: steps{start, put("a", spec(hooked(v1.Lifecycle{PostStart: execHook("exit 1")}))), promised(terminationNotifies, "a", Await{Restarts: 1})},
		}, {
			Name: "termination/shorter", About: "A pod that ignores SIGTERM is deleted with a long grace, and then with a short one.", Needs: needs(Containers),
			Rules: podRules(terminationShorter, terminationGrace),
			Steps: steps{start, put("a", spec(main("c", stubborn)).grace(120)), await("a", running), remove("a"), advance(2 * time.Second), removeIn("a", 2), promised(terminationShorter, "a", gone)},
		}, {
			Name: "termination/stuck", About: "The runtime cannot stop containers for a while.", Needs: needs(Containers),
			Rules: podRules(terminationStuck, terminationDelete),
			Steps: steps{start, put("a", Pod{}), await("a", running), {Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "StopContainer", Code: 13}}, remove("a"), advance(6 * time.Second), {Op: "clear", As: "f"}, promised(terminationStuck, "a", gone)},
		}, {
			Name: "termination/force", About: "A pod that ends slowly is deleted by force, and created again.", Needs: needs(Containers),
			Rules: podRules(terminationForce),
			Steps: steps{start, put("a", spec(slowToEnd(main("c", nil))).grace(8)), await("a", running), removeIn("a", 0), put("a", Pod{}), promised(terminationForce, "a", running), promised(terminationForce, "a/c", Await{Running: 1}), settle()},
		}, {
			Name: "termination/deadline", About: "A pod runs longer than its deadline.", Needs: needs(Containers),
			Rules: podRules(terminationDeadline, phaseTerminal),
			Steps: steps{start, put("a", deadline(3)), promised(terminationDeadline, "a", Await{Phase: v1.PodFailed, Reason: "DeadlineExceeded"}), settle()},
		}, {
			Name: "termination/agent-restart", About: "The agent is killed while pods are being deleted, and before.", Needs: needs(Restarts),
			Rules: anyPods(faultRestart, terminationDelete),
			Steps: steps{start, put("a", spec(slowToEnd(main("c", nil))).grace(8)), put("b", Pod{}), put("d", Pod{}), await("a", running), await("b", running), await("d", running), remove("a"), advance(time.Second), kill, remove("b"), start, promised(faultRestart, "a", gone), promised(faultRestart, "b", gone), promised(faultRestart, "d", running)},
		},
	}
}

func gated(condition v1.PodConditionType) Pod {
	p := Pod{}
	p.Spec.ReadinessGates = []v1.PodReadinessGate{{ConditionType: condition}}
	return p
}

func deadline(seconds int64) Pod {
	p := Pod{}
	p.Spec.ActiveDeadlineSeconds = &seconds
	return p
}

func statusStories() []story.Check {
	return []story.Check{
		{
			Name: "phase/runs", About: "Pods with one container and with two are created. One is deleted by force and created again at once, and then deleted with its grace and created again.",
			Rules: anyPods(phaseRuns),
			Steps: steps{start, put("a", Pod{}), put("b", spec(main("c", runs), main("d", runs))), promised(phaseRuns, "a", running), promised(phaseRuns, "b", running), removeIn("a", 0), put("a", Pod{}), promised(phaseRuns, "a", running), remove("a"), await("a", gone), put("a", Pod{}), promised(phaseRuns, "a", running), settle()},
		}, {
			Name: "phase/ends", About: "Pods that do not restart end with success and without.", Needs: needs(Containers),
			Rules: podRules(phaseTerminal),
			Steps: steps{start, put("a", never(main("c", script("exit 0")))), put("b", never(main("c", script("sleep 1; exit 3")))), promised(phaseMonotone, "a", Await{Phase: v1.PodSucceeded}), promised(phaseMonotone, "b", Await{Phase: v1.PodFailed}), settle()},
		}, {
			Name: "phase/forgotten", About: "A pod fails, the runtime forgets its container, and the pod is deleted (kubernetes#58711).", Needs: needs(Containers),
			Rules: podRules(phaseTerminal),
			Steps: steps{start, put("a", never(main("c", runs))), await("a", running), exit("a/c", 1), op("forget", "a/c"), settle(), remove("a"), promised(phaseMonotone, "a", gone)},
		}, {
			Name: "status/quiet", About: "A pod runs, and nothing happens.",
			Rules: anyPods(statusQuiet),
			Steps: steps{start, put("a", Pod{}), await("a", running), settle(), settle()},
		}, {
			Name: "status/revert", About: "Somebody else writes the status of a pod, a condition of its own, and a label.",
			Rules: anyPods(statusRevert, statusConditions),
			Steps: steps{start, put("a", Pod{}), await("a", running), editStatus("a", `{"status":{"conditions":[{"type":"example.com/checked","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`),
				editStatus("a", `{"status":{"phase":"Pending"}}`), promised(statusRevert, "a", running), edit("a", `{"metadata":{"labels":{"x":"1"}}}`), promised(statusConditions, "a", Await{Condition: "example.com/checked=True"}), settle()},
		}, {
			Name: "status/readiness-gate", About: "A pod has a readiness gate, and somebody writes its condition.",
			Rules: anyPods(statusGate),
			Steps: steps{start, put("a", gated("example.com/checked")), await("a", Await{Phase: v1.PodRunning, Condition: "ContainersReady=True"}), settle(), promised(statusGate, "a", Await{Ready: new(false)}),
				editStatus("a", `{"status":{"conditions":[{"type":"example.com/checked","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`), promised(statusGate, "a", running)},
		}, {
			Name: "status/image", About: "The image of a container changes.", Needs: needs(Containers, Images),
			Rules: podRules(restartSingle, restartCount),
			Steps: steps{start, put("a", Pod{}), await("a", running), edit("a", `{"spec":{"containers":[{"name":"c","image":"`+newImage+`"}]}}`), promised(restartReason, "a/c", Await{Restarts: 1, Running: 1}), settle()},
		}, {
			Name: "admission/refused", About: "Pods are too large, or for another sort of node.", Needs: needs(Admission),
			Rules: []harness.Rule{admissionRefused, phaseMonotone, statusPatch},
			Steps: steps{start, put("a", spec(wanting("c", "100000"))), put("b", selecting("no", "such")), promised(admissionRefused, "a", Await{Phase: v1.PodFailed, Reason: "OutOfcpu"}), promised(admissionRefused, "b", Await{Phase: v1.PodFailed, Reason: "NodeAffinity"}), settle(), settle()},
		},
	}
}
