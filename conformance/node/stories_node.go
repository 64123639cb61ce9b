package node

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// wanting is a container that requests CPUs.
func wanting(name, cpus string) v1.Container {
	c := main(name, runs)
	c.Resources.Requests = v1.ResourceList{v1.ResourceCPU: resource.MustParse(cpus)}
	return c
}

// selecting is a pod for nodes with a label.
func selecting(key, value string) Pod {
	p := Pod{}
	p.Spec.NodeSelector = map[string]string{key: value}
	return p
}

func sourceStories() []story.Check {
	return []story.Check{
		{
			Name: "source/ready", About: "The agent is killed, a pod is deleted by force, and the agent starts while the manifest URL hangs.", Needs: needs(Containers, HTTPSource, Restarts),
			Rules: podRules(sourceReady, sourceScope),
			Steps: steps{start, put("a", Pod{}), put("b", Pod{}), await("a", running), await("b", running), kill, serve(Serve{Hang: true}), removeIn("a", 0), start, settle(), settle(), serve(Serve{}), promised(sourceReady, "a/c", Await{None: true}), promised(sourceReady, "b", running)},
		}, {
			Name: "source/http", About: "The manifest URL answers with pods, with an error, with one pod, and with nothing.", Needs: needs(Containers, HTTPSource),
			Rules: []harness.Rule{sourceHTTP, restartReason},
			Steps: steps{serve(Serve{Pods: []Named{{Name: "a"}, {Name: "b"}}}), start, promised(sourceHTTP, "a", running), promised(sourceHTTP, "b", running), serve(Serve{Code: 500}), settle(), promised(sourceHTTP, "a/c", Await{Running: 1}),
				serve(Serve{Pods: []Named{{Name: "a"}}}), promised(sourceHTTP, "b", gone), promised(sourceHTTP, "a/c", Await{Running: 1}), serve(Serve{}), promised(sourceHTTP, "a", gone)},
		}, {
			Name: "source/offline", About: "The API server cannot be reached when the agent starts; later it can.", Needs: needs(Containers, StaticPods),
			Rules: []harness.Rule{sourceOffline, staticIdentity, staticMirror, restartReason},
			Steps: steps{op("refuse", ""), start, manifestOf("a", Pod{}), promised(sourceOffline, "a/c", Await{Running: 1}), settle(), op("accept", ""), within(45*time.Second, promised(sourceOffline, "a", running))},
		}, {
			Name: "source/duplicate", About: "Two manifests have a pod of one name.", Needs: needs(Containers, StaticPods),
			Rules: []harness.Rule{sourceDuplicate, restartReason},
			Steps: steps{manifestOf("a", Pod{}), {Op: "manifest", Obj: "a", As: "second", With: Pod{}.labeled("second", "yes")}, start, promised(sourceDuplicate, "a", running), settle(), promised(sourceDuplicate, "a/c", Await{Running: 1})},
		}, {
			Name: "source/refused", About: "Static pods name a service account and a secret.", Needs: needs(Containers, StaticPods),
			Rules: []harness.Rule{sourceRefused, staticMirror},
			Steps: steps{manifestOf("a", accounted()), manifestOf("b", secret()), manifestOf("d", Pod{}), start, await("d", running), settle()},
		},
	}
}

func accounted() Pod {
	p := Pod{}
	p.Spec.ServiceAccountName = "default"
	return p
}

func secret() Pod {
	c := main("c", runs)
	c.VolumeMounts = []v1.VolumeMount{{Name: "s", MountPath: "/s"}}
	p := spec(c)
	p.Spec.Volumes = []v1.Volume{{Name: "s", VolumeSource: v1.VolumeSource{Secret: &v1.SecretVolumeSource{SecretName: "s"}}}}
	return p
}

// static are the rules that each story with static pods tests.
func static(all ...harness.Rule) []harness.Rule {
	return append(all, staticIdentity, staticMirror, phaseMonotone, statusPatch)
}

func staticStories() []story.Check {
	return []story.Check{
		{
			Name: "static/mirror", About: "The mirror pod of a static pod is deleted, with its grace and without.", Needs: needs(Containers, StaticPods),
			Rules: static(restartReason),
			Steps: steps{start, manifestOf("a", Pod{}), promised(staticMirror, "a", running), removeIn("a", 0), promised(staticMirror, "a", Await{New: true, Phase: v1.PodRunning}), remove("a"), promised(staticMirror, "a", Await{New: true, Phase: v1.PodRunning}), promised(staticMirror, "a/c", Await{Running: 1})},
		}, {
			Name: "static/replace", About: "A manifest changes while its pod ends slowly, five times (kubernetes#107733).", Needs: needs(Containers, StaticPods),
			Rules: static(staticReplace, restartSingle),
			Steps: story.Concat(steps{start, manifestOf("a", spec(slowToEnd(main("c", nil))).grace(6)), await("a", running)},
				story.Repeat(5, func(i int) steps {
					return steps{manifestOf("a", spec(main("c", []string{"sh", "-c", "trap 'exit 0' TERM; sleep infinity & wait; exit " + string(rune('1'+i))})).labeled("version", string(rune('1'+i)))), advance(time.Second)}
				}), steps{promised(staticReplace, "a", Await{Phase: v1.PodRunning, Label: "version=5", Running: 1})}),
		}, {
			Name: "static/back", About: "A manifest is removed, and comes back while the pod still ends (kubernetes#104648).", Needs: needs(Containers, StaticPods),
			Rules: static(staticRemove, restartSingle),
			Steps: steps{start, manifestOf("a", spec(slowToEnd(main("c", nil))).grace(6)), await("a", running), op("remove-manifest", "a"), advance(2500 * time.Millisecond), manifestOf("a", spec(slowToEnd(main("c", nil))).grace(6)), advance(6 * time.Second), promised(staticRemove, "a", running), promised(staticRemove, "a/c", Await{Running: 1})},
		}, {
			Name: "static/remove", About: "A manifest is removed.", Needs: needs(Containers, StaticPods),
			Rules: static(staticRemove),
			Steps: steps{start, manifestOf("a", Pod{}), await("a", running), op("remove-manifest", "a"), promised(staticRemove, "a", gone), promised(staticRemove, "a/c", Await{None: true})},
		}, {
			Name: "static/foreign", About: "A mirror pod of another hash is there when the manifest comes. Somebody changes a label of the mirror pod.", Needs: needs(Containers, StaticPods),
			Rules: static(staticForeign, restartReason),
			Steps: steps{manifestOf("a", Pod{}), put("a", Pod{Annotations: map[string]string{mirrorAnnotation: "0123456789abcdef"}}), await("a", Await{Exists: true, New: true}), start, promised(staticForeign, "a", Await{New: true, Phase: v1.PodRunning}), edit("a", `{"metadata":{"labels":{"x":"1"}}}`), settle(), promised(staticForeign, "a/c", Await{Running: 1})},
		}, {
			Name: "static/offline", About: "A manifest changes while the agent is away, and the API server cannot be reached when it comes back (kubernetes#112814).", Needs: needs(Containers, StaticPods, Restarts),
			Rules: []harness.Rule{staticReplace, restartSingle, staticIdentity},
			Steps: steps{start, manifestOf("a", Pod{}), await("a", running), kill, op("refuse", ""), manifestOf("a", Pod{}.labeled("version", "2")), start, settle(), settle(), op("accept", ""), within(45*time.Second, promised(staticReplace, "a", Await{Phase: v1.PodRunning, Label: "version=2", Running: 1}))},
		},
	}
}

func nodeStories() []story.Check {
	return []story.Check{
		{
			Name: "lease/renew", About: "The lease of a node is renewed, and some renewals fail.", Needs: needs(Lease),
			Rules: []harness.Rule{leaseOwner, leaseRenew},
			Steps: steps{start, await("lease", Await{Exists: true}), advance(10 * time.Second), {Op: "api-fault", As: "f", With: APIFault{Verbs: []string{"update"}, Resource: "leases.coordination.k8s.io", Times: 2, Status: &APIStatus{Code: 500}}}, advance(8 * time.Second)},
		}, {
			Name: "lease/owner", About: "The Node is deleted, and its lease with it, while the agent runs (kubernetes#109777).", Needs: needs(Lease, Status),
			Rules: []harness.Rule{leaseOwner},
			Steps: steps{start, await("node", Await{Condition: "Ready=True"}), await("lease", Await{Exists: true}), remove("node"), advance(12 * time.Second)},
		}, {
			Name: "node-status/register", About: "The agent registers its Node, others label and taint it, and the agent starts again, also after the Node was deleted.", Needs: needs(Status, Restarts),
			Rules: []harness.Rule{nodeRegister, nodeFeatures},
			Steps: steps{start, promised(nodeRegister, "node", Await{Condition: "Ready=True"}), edit("node", `{"metadata":{"labels":{"example.com/rack":"7"}},"spec":{"taints":[{"key":"example.com/apart","effect":"NoSchedule"}]}}`), settle(), kill, start, advance(6 * time.Second),
				kill, remove("node"), start, promised(nodeRegister, "node", Await{Condition: "Ready=True"})},
		}, {
			Name: "node-status/report", About: "A node has nothing to do.", Needs: needs(Status),
			Rules: []harness.Rule{nodeReport},
			Steps: steps{start, await("node", Await{Condition: "Ready=True"}), advance(25 * time.Second)},
		}, {
			Name: "node-status/ready", About: "The runtime and its network are not ready for a while.", Needs: needs(Containers, Status),
			Rules: []harness.Rule{nodeReady, restartReason},
			Steps: steps{start, put("a", Pod{}), await("a", running), await("node", Await{Condition: "Ready=True"}), {Op: "conditions", With: Conditions{Runtime: true}}, promised(nodeReady, "node", Await{Condition: "Ready=False"}), {Op: "conditions", With: Conditions{Runtime: true, Network: true}}, promised(nodeReady, "node", Await{Condition: "Ready=True"}),
				{Op: "conditions", With: Conditions{Network: true}}, within(50*time.Second, promised(nodeReady, "node", Await{Condition: "Ready=False"})), {Op: "conditions", With: Conditions{Runtime: true, Network: true}}, promised(nodeReady, "node", Await{Condition: "Ready=True"})},
		}, {
			Name: "container-gc/dead", About: "Containers that crash are removed, but the newest.", Needs: needs(Containers),
			Rules: podRules(containerGC),
			Steps: steps{start, put("a", spec(main("c", script("sleep 1; exit 1")))), await("a", Await{Restarts: 3}), within(130*time.Second, promised(containerGC, "a/c", Await{Dead: 2}))},
		},
	}
}

func faultStories() []story.Check {
	return []story.Check{
		{
			Name: "fault/runtime-down", About: "The runtime is down for a while.", Needs: needs(Containers, Status),
			Rules: podRules(faultRecovers),
			Steps: steps{start, put("a", Pod{}), await("a", running), op("crash", ""), put("b", Pod{}), advance(8 * time.Second), {Op: "restart"}, promised(faultRecovers, "b", running), promised(faultRecovers, "a", running)},
		}, {
			Name: "fault/independent", About: "The stop of a container is not answered, and then the run of a sandbox. Meanwhile other pods come and go.", Needs: needs(Containers, Configured),
			Rules: podRules(faultIndependent, faultDeadline),
			Steps: steps{starting(Start{Timeout: story.Duration(40 * time.Second)}), put("a", Pod{}), put("b", Pod{}), put("d", Pod{}), await("a", running), await("b", running), await("d", running),
				{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "StopContainer", Hang: true, Times: 1}}, remove("a"), advance(time.Second), put("e", Pod{}), remove("b"), advance(11 * time.Second),
				promised(faultIndependent, "e", running), promised(faultIndependent, "b", gone), {Op: "clear", As: "f"}, {Op: "runtime-fault", As: "g", With: RuntimeFault{Method: "RunPodSandbox", Hang: true, Times: 1}}, put("g", Pod{}), advance(time.Second),
				remove("d"), promised(faultIndependent, "d", gone), {Op: "clear", As: "g"}, promised(faultIndependent, "g", running), promised(faultIndependent, "a", gone)},
		}, {
			Name: "fault/reboot", About: "The runtime forgets everything.", Needs: needs(Containers),
			Rules: podRules(faultReboot, orderInit),
			Steps: steps{start, put("a", Pod{}.withInit(main("i", script("exit 0")))), await("a", running), op("crash", ""), {Op: "restart", With: Restart{Forgets: true}}, promised(faultReboot, "a/c", Await{Running: 1}), promised(faultReboot, "a", running), settle()},
		}, {
			Name: "fault/agent-restart", About: "The agent is killed and started while pods run.", Needs: needs(Containers, Restarts),
			Rules: podRules(faultRestart),
			Steps: steps{start, put("a", Pod{}), put("b", never(main("c", runs))), await("a", running), await("b", running), kill, put("d", Pod{}), exit("b/c", 0), start, promised(faultRestart, "d", running), promised(faultRestart, "b", Await{Phase: v1.PodSucceeded}), settle()},
		}, {
			Name: "fault/api", About: "The API server fails, ends watches, and cannot be reached.",
			Rules: anyPods(faultAPI, sourceScope, terminationDelete),
			Steps: steps{start, put("a", Pod{}), await("a", running), {Op: "api-fault", As: "f", With: APIFault{Verbs: []string{"patch"}, Resource: "pods", Subresource: "status", Times: 2, Status: &APIStatus{Code: 500}}}, op("refuse", ""), advance(3 * time.Second), op("accept", ""), put("b", Pod{}), within(45*time.Second, promised(faultAPI, "b", running)),
				{Op: "api-fault", As: "g", With: APIFault{Verbs: []string{"watch"}, Resource: "pods", Times: 1, Status: &APIStatus{Code: 410}}}, op("refuse", ""), op("accept", ""), put("d", Pod{}), within(45*time.Second, promised(faultAPI, "d", running)), remove("b"), within(45*time.Second, promised(faultAPI, "b", gone))},
		},
	}
}
