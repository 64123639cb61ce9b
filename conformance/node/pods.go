package node

import (
	"fmt"
	"math"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
)

var admissionRefused = harness.Rule{
	Clause: harness.Clause{
		ID:      "admission/refused",
		Level:   harness.Must,
		Text:    "A pod that the agent refuses, because it is too large or asks for a node of another sort, is Failed with a reason. The runtime is never asked about it, and it does not come back by itself.",
		Sources: []harness.Source{inKubelet("kubelet.go#Kubelet.rejectPod"), inKubelet("lifecycle/predicate.go#predicateAdmitHandler.Admit")},
		Why:     "Its controller waits for ever, or the node runs out of memory.",
		Advice:  "Check node selector and free resources before the first call of the runtime, write Failed with a reason, and do not try such a pod again when there is room.",
		Classes: []string{"PATCH pods/status"},
	},
	Needs: []harness.Feature{Admission},
	Judge: promise("admission/refused", judgeAdmission),
}

func judgeAdmission(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, s := range p.states {
			if s.Obj.Status.Phase != v1.PodFailed || s.Obj.Status.Reason == "" || len(s.Obj.Status.ContainerStatuses) > 0 || s.Obj.Status.Reason == "DeadlineExceeded" || s.Obj.Status.Reason == "Evicted" {
				continue
			}
			j.Tested++
			if len(p.sandboxes) > 0 {
				j.Fail("a pod that was refused never runs", "it does", s.Num, p.sandboxes[0].made.Num)
			}
			break
		}
	}
}

var containerGC = harness.Rule{
	Clause: harness.Clause{
		ID:      "container-gc/dead",
		Level:   harness.Must,
		Text:    "Of the dead containers of one name in a pod the agent keeps the newest, and removes those of before within a minute or two. The sandboxes of pods that are gone are removed.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_gc.go#containerGC.evictContainers"), inKubelet("kubelet.go#Kubelet.StartGarbageCollection")},
		Why:     "The disk of a node fills up with containers of a program that crashes.",
		Advice:  "Collect every minute: for each pod and name remove all dead containers but the one that was created last, and the sandboxes of pods that are gone.",
		Classes: []string{"RemoveContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("container-gc/dead", judgeContainerGC),
}

func judgeContainerGC(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		all := p.containers()
		for i, x := range all {
			if x.removed == nil || p.gone(x.removed.Num) || t.saysEnd(p, x.removed.Num) || p.static {
				continue
			}
			if pod := p.at(x.removed.Num); pod == nil || isInit(pod, x.name) || hasRules(pod) || terminal(pod.Status.Phase) {
				continue
			}
			j.Tested++
			if !slices.ContainsFunc(all[i+1:], func(y *container) bool { return y.name == x.name && y.made.Num < x.removed.Num }) {
				j.Fail("the newest container of "+x.name+" stays", "it is removed", x.made.Num, x.removed.Num)
			}
		}
	}
}

func isInit(pod *v1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c v1.Container) bool { return c.Name == name })
}

var logPath = harness.Rule{
	Clause: harness.Clause{
		ID:      "container-gc/log-path",
		Level:   harness.Must,
		Text:    "The log of a container is in the folder of its pod, below one of its own name, and is named after its attempt.",
		Sources: []harness.Source{inKubelet("kuberuntime/helpers.go#buildContainerLogsPath"), inKubelet("kuberuntime/helpers.go#BuildPodLogsDirectory")},
		Why:     "Those who collect logs do not find it, or one log overwrites another.",
		Advice:  "Set the sandbox's log_directory to the pod's folder and the container's log_path to NAME/ATTEMPT.log, with the attempt that its metadata has.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeLogPath),
}

func judgeLogPath(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			j.Tested++
			if want := fmt.Sprintf("%s/%d.log", x.name, x.attempt); x.config.GetLogPath() != want {
				j.Fail("the log path is "+want, x.config.GetLogPath(), x.made.Num)
			}
			if x.pod.config.GetLogDirectory() == "" {
				j.Fail("the sandbox has a folder for logs", "it has none", x.pod.made.Num)
			}
		}
	}
}

var ephemeralOnce = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/ephemeral",
		Level:   harness.Should,
		Text:    "An ephemeral container is started once, and is not restarted when it ends.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions"), page("Ephemeral Containers", "", "concepts/workloads/pods/ephemeral-containers.md")},
		Why:     "What somebody did by hand once is done again and again.",
		Advice:  "Skip an ephemeral container if the runtime or the status has one of its name, in whatever state, and leave it out of decisions about restarts.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("restart/ephemeral", judgeEphemeral),
}

func judgeEphemeral(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		seen := map[string]*container{}
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			if pod == nil || !slices.ContainsFunc(pod.Spec.EphemeralContainers, func(c v1.EphemeralContainer) bool { return c.Name == x.name }) {
				continue
			}
			j.Tested++
			if was := seen[x.name]; was != nil && was.pod == x.pod {
				j.Fail(x.name+" is created once", "twice", was.made.Num, x.made.Num)
			}
			seen[x.name] = x
		}
	}
}

var restartRules = harness.Rule{
	Clause: harness.Clause{
		ID:      "restart/rules",
		Level:   harness.Must,
		Text:    "A container whose exit code matches one of its restart rules is restarted, whatever the policy of the pod is. With the action RestartAllContainers all containers of the pod are stopped, and start anew in the same sandbox, init containers first.",
		Sources: []harness.Source{inKubelet("container/helpers.go#ShouldContainerBeRestarted"), source.Symbol("k8s.io/kubernetes@v1.37.1/pkg/features/kube_features.go#RestartAllContainersOnContainerExits")},
		Why:     "A worker of a large job that could go on takes the whole job down.",
		Advice:  "Check the container's restartPolicyRules before any restart policy, also where you compute the phase. For RestartAllContainers keep the sandbox.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers, Rules},
	Judge: promise("restart/rules", judgeRules),
}

func judgeRules(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		all := p.containers()
		for i, x := range all {
			c := p.specOf(x)
			if c == nil || p.static || x.code == nil || !x.runs() || len(x.stops) > 0 || x.pod.notAt > 0 && x.pod.notAt < x.ended || !ruledBy(c, *x.code) || t.did(math.MaxInt32, "FORGET") > 0 {
				continue
			}
			again := func(num int32) bool {
				return slices.ContainsFunc(all[i+1:], func(y *container) bool { return y.name == x.name && y.made.Num < num })
			}
			over := slices.IndexFunc(p.states, func(s state[*v1.Pod]) bool {
				return s.Num > x.ended && terminal(s.Obj.Status.Phase) && s.Obj.Status.Reason == "" && !p.gone(s.Num+1) && !again(s.Num)
			})
			if over >= 0 {
				j.Fail(fmt.Sprintf("%s is restarted: a rule of it has the exit code %d", x.name, *x.code), "the pod is "+string(p.states[over].Obj.Status.Phase), x.ended, p.states[over].Num)
			}
			if over >= 0 || again(math.MaxInt32) {
				j.Tested++
			}
		}
	}
}

// ruledBy reports whether a rule of a container restarts it after an exit code.
func ruledBy(c *v1.Container, code int32) bool {
	return slices.ContainsFunc(c.RestartPolicyRules, func(r v1.ContainerRestartRule) bool {
		return r.ExitCodes != nil && (r.ExitCodes.Operator == v1.ContainerRestartRuleOnExitCodesOpIn) == slices.Contains(r.ExitCodes.Values, code)
	})
}

var plegExit = harness.Rule{
	Clause: harness.Clause{
		ID:      "pleg/exit",
		Level:   harness.Must,
		Text:    "The agent sees the end of a container within a relist and a sync.",
		Sources: []harness.Source{inKubelet("pleg/generic.go#GenericPLEG.Relist"), inKubelet("kubelet.go#NewMainKubelet")},
		Why:     "A job that has ended keeps its node busy.",
		Advice:  "List the containers about once a second, compare with the list before, and sync a pod at once when one has changed, not only in the next periodic sync.",
		Classes: []string{"ListContainers"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("pleg/exit", judgePLEG),
}

// seenWithin is how long a container may have ended before its agent knows.
const seenWithin = 10 * time.Second

func judgePLEG(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			if x.exited == 0 || t.did(x.exited, "CRASH", "RUNTIME-FAULT") > 0 || len(x.stops) > 0 {
				continue
			}
			for _, c := range t.calls {
				r, ok := c.Reply.(*runtimeapi.ContainerStatusResponse)
				if !ok || c.ID != x.id || r.GetStatus().GetState() != runtimeapi.ContainerState_CONTAINER_EXITED || t.killedBetween(x.made.Num, c.Num) || t.did(c.Num, "RUNTIME-FAULT", "CRASH") > 0 {
					continue
				}
				if j.Tested++; c.From-x.exitedAt > seenWithin {
					j.Fail("the end of a container is seen within "+seenWithin.String(), (c.From - x.exitedAt).String(), x.exited, c.Num)
				}
				break
			}
		}
	}
}

var faultRecovers = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/recovers",
		Level:   harness.Must,
		Text:    "Whatever call of the runtime fails once, with or without having been done, or hangs beyond the deadline of the agent: in the end all pods run that should, and those that were deleted are gone.",
		Sources: []harness.Source{inKubelet("pod_workers.go#podWorkers.podWorkerLoop"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.SyncPod")},
		Why:     "A pod is lost because of one error.",
		Advice:  "Pass each error of the runtime to the pod's worker, and let it retry, after a back-off, from a fresh list: a call that failed or hung may have been done.",
		Classes: []string{"RunPodSandbox", "CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("fault/recovers", nil),
}

var faultAPI = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/api",
		Level:   harness.Must,
		Text:    "Errors of the API server, watches that end, and history that is gone change nothing in the end: all pods run that should, and their statuses are written.",
		Sources: []harness.Source{inKubelet("config/apiserver.go#NewSourceApiserver"), inKubelet("status/status_manager.go#manager.syncPod")},
		Why:     "A node loses pods when the API server is upgraded.",
		Advice:  "When a watch ends watch on, after a 410 list again, and keep the pods you have until a whole list has come. Queue statuses that could not be written.",
		Classes: []string{"WATCH pods"},
	},
	Judge: promise("fault/api", nil),
}

var faultRestart = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/agent-restart",
		Level:   harness.Must,
		Text:    "An agent that was killed takes over the containers that run, finishes the deletions that were under way, and starts what is missing.",
		Sources: []harness.Source{inKubelet("kubelet_pods.go#Kubelet.HandlePodCleanups"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.computePodActions")},
		Why:     "An upgrade of the agent restarts all programs of a node.",
		Advice:  "Build your state from the runtime's lists at the start, match containers to pods by UID and name, start only what is missing, and finish deletions.",
		Classes: []string{"ListContainers"},
	},
	Needs: []harness.Feature{Restarts},
	Judge: promise("fault/agent-restart", nil),
}

var faultReboot = harness.Rule{
	Clause: harness.Clause{
		ID:      "fault/reboot",
		Level:   harness.Must,
		Text:    "When the runtime has lost everything, all pods get new sandboxes and run again, init containers first, and their restart counts go on.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#calcRestartCountByLogDir"), inKubelet("kuberuntime/util/util.go#PodSandboxChanged")},
		Why:     "A node does not come back after a reboot.",
		Advice:  "Start a pod without a sandbox in the runtime anew, init containers first, and take its restart counts from its status in the API server.",
		Classes: []string{"RunPodSandbox"},
	},
	Needs: []harness.Feature{Containers},
	Judge: promise("fault/reboot", nil),
}
