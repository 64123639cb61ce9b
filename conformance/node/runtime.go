package node

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/conformance/source"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// runtimeStories are about what an agent asks of the runtime beside pods: its configuration, logs, and images.
func runtimeStories() []story.Check {
	return []story.Check{
		{
			Name: "config/driver", About: "The runtime fails to tell its cgroup driver when the agent starts, and later does not have the call.", Needs: needs(Containers, Restarts),
			Rules: podRules(configDriver),
			Steps: steps{{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "RuntimeConfig", Code: 14, Times: 2}}, start, put("a", Pod{}), promised(configDriver, "a", running), kill,
				{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "RuntimeConfig", Code: 12}}, start, put("b", Pod{}), promised(configDriver, "b", running), promised(configDriver, "a/c", Await{Running: 1})},
		}, {
			Name: "container-gc/log-rotation", About: "A container writes a long log, and the runtime cannot open a new one at first. Another one ends after a long log.", Needs: needs(Containers, LogRotation),
			Rules: podRules(logRotation),
			Steps: steps{{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "ReopenContainerLog", Code: 13, Times: 2}}, start, put("a", spec(main("c", script("while true; do echo "+line+"; sleep 1; done")))),
				put("b", never(main("c", script("echo "+line+"; echo "+line+"; echo "+line+"; echo "+line+"; sleep 5; exit 0")))), await("a", running), await("b", Await{Phase: v1.PodSucceeded}), advance(30 * time.Second)},
		}, {
			Name: "image/credentials", About: "A pod pulls an image with a secret. Others want the image: without a secret, with the policy Never, and with the secret.", Needs: needs(Containers, Images, Restarts),
			Rules: podRules(imageCredentials),
			Steps: steps{start, {Op: "secret", Obj: "s", With: Secret{Registry: "registry.example", Username: "user", Password: "pass"}}, put("a", secretly("s", newImage, v1.PullIfNotPresent)), await("a", running),
				{Op: "runtime-fault", As: "f", With: RuntimeFault{Method: "PullImage", Code: 16}}, put("b", secretly("", newImage, v1.PullIfNotPresent)), promised(imageCredentials, "b", Await{Waiting: "ImagePullBackOff"}),
				put("d", secretly("", newImage, v1.PullNever)), promised(imageCredentials, "d", Await{Waiting: "ErrImageNeverPull"}), put("e", secretly("s", newImage, v1.PullIfNotPresent)), promised(imageCredentials, "e", running),
				kill, start, put("g", secretly("", newImage, v1.PullIfNotPresent)), promised(imageCredentials, "g", Await{Waiting: "ImagePullBackOff"})},
		}, {
			Name: "image-gc/age", About: "A node has room. An image is there that nobody has used for long.", Needs: needs(Containers, Images, ImageGC), Span: 14 * time.Minute,
			Rules: podRules(imageAge, imageGC),
			Steps: steps{start, put("a", never(from(newImage, v1.PullIfNotPresent, main("c", script("exit 0"))))), await("a", Await{Phase: v1.PodSucceeded}), remove("a"), await("a", gone), put("b", Pod{}), await("b", running), advance(13 * time.Minute)},
		}, {
			Name: "image-gc/order", About: "An image is unused for long, and another one for less. Then the file system of images fills up.", Needs: needs(Containers, Images, ImageGC, Eviction, Configured), Span: 14 * time.Minute,
			Rules: podRules(imageGC),
			Steps: steps{starting(Start{ImageAge: story.Duration(24 * time.Hour)}), put("b", spec(from("registry.example/other:1", v1.PullIfNotPresent, main("c", runs)))), await("b", running), put("a", never(from(newImage, v1.PullIfNotPresent, main("c", script("exit 0"))))), await("a", Await{Phase: v1.PodSucceeded}),
				remove("a"), await("a", gone), advance(7 * time.Minute), remove("b"), await("b", gone), {Op: "fill", N: 88}, advance(4 * time.Minute)},
		},
	}
}

// line is what makes a log long: four are longer than an agent is configured to allow.
var line = strings.Repeat("0123456789", 40)

// secretly is a pod with an image, which it pulls with a secret; empty: without.
func secretly(secret, image string, policy v1.PullPolicy) Pod {
	p := spec(from(image, policy, main("c", runs)))
	if secret != "" {
		p.Spec.ImagePullSecrets = []v1.LocalObjectReference{{Name: secret}}
	}
	return p
}

var configDriver = harness.Rule{
	Clause: harness.Clause{
		ID:      "config/driver",
		Level:   harness.Must,
		Text:    "An agent asks the runtime for its cgroup driver before it runs a pod. If that fails it asks again, and does not guess. A runtime that does not have the call is fine: then the driver is what the agent is configured to use.",
		Sources: []harness.Source{source.Symbol("k8s.io/kubernetes@v1.37.1/cmd/kubelet/app/server.go#getCgroupDriverFromCRI")},
		Why:     "Runtime and agent put the processes of a pod into different cgroups, and limits do not hold.",
		Advice:  "Call RuntimeConfig at the start, and repeat it until it answers before you run a pod. Fall back to your own setting only if it is Unimplemented.",
		Classes: []string{"RuntimeConfig"},
	},
	Needs: []harness.Feature{Containers, Restarts},
	Judge: promise("config/driver", judgeDriver),
}

func judgeDriver(t *trace, j *harness.Judgement) {
	for _, l := range t.lives {
		var failed *call
		for _, c := range t.calls {
			if c.Num < l.from || l.to > 0 && c.Num > l.to {
				continue
			}
			switch {
			case c.Method == "RuntimeConfig" && c.Err != nil && codes.Code(c.Err.Code) != codes.Unimplemented:
				failed = c
				j.Tested++
			case c.Method == "RuntimeConfig":
				failed = nil
			case c.Method == "RunPodSandbox" && failed != nil:
				j.Fail("no pod runs before the runtime has told its cgroup driver", "one does", failed.Num, c.Num)
			}
		}
	}
}

var logRotation = harness.Rule{
	Clause: harness.Clause{
		ID:      "container-gc/log-rotation",
		Level:   harness.Must,
		Text:    "When the log of a container is too long, the agent renames it and asks the runtime to open a new one. If the runtime fails to, the agent tries again in the next round, as long as the container runs. Containers that have ended are not asked for again and again.",
		Sources: []harness.Source{inKubelet("logs/container_log_manager.go#containerLogManager.rotateLatestLog"), inKubelet("logs/container_log_manager.go#containerLogManager.rotateLogs"), page("Logging Architecture", "Log rotation", "concepts/cluster-administration/logging.md")},
		Why:     "A log fills the disk, or the rest of it is written to a file that nobody reads.",
		Advice:  "Repeat ReopenContainerLog in the next round if it has failed, though the log is renamed already, and leave out containers that do not run any more.",
		Classes: []string{"ReopenContainerLog"},
	},
	Needs: []harness.Feature{Containers, LogRotation},
	Judge: judged(judgeRotation),
}

// inRounds is how long something may take that an agent does in rounds: two of them, and some time for a busy machine.
func inRounds(round, otherwise time.Duration) time.Duration {
	return 2*cmp.Or(round, otherwise) + 5*time.Second
}

func judgeRotation(t *trace, j *harness.Judgement) {
	last, late := map[*container]*call{}, map[*container]*call{} // the last that failed, and the first after the end
	again := inRounds(t.config.ContainerLogMonitorInterval, 10*time.Second)
	for _, c := range t.calls {
		x, ok := t.byID[c.ID].(*container)
		if !ok || c.Method != "ReopenContainerLog" {
			continue
		}
		j.Tested++
		delete(last, x)
		if c.Err != nil {
			last[x] = c
		}
		switch first := late[x]; {
		case x.ended == 0 || x.ended > c.Num:
		case first == nil:
			late[x] = c
		default:
			j.Fail("a container that has ended is asked for a new log once at most", "it is asked again", x.ended, first.Num, c.Num)
		}
	}
	for x, c := range last {
		if t.runsUntil(x, c.To+again) {
			j.Fail(fmt.Sprintf("a new log is asked for again within %s", again), "it is not", c.Num)
		}
	}
}

// runsUntil reports whether a container, and the agent that asked for it last, are known to run until some time.
func (t *trace) runsUntil(x *container, at time.Duration) bool {
	if x.ended > 0 && x.endedAt < at || t.end() < at {
		return false
	}
	for _, l := range t.lives {
		if l.to > 0 && time.Duration(t.h.Events[l.to-1].At) < at && l.to > x.made.Num {
			return false
		}
	}
	return true
}

// end returns when the last event of a history was.
func (t *trace) end() time.Duration {
	if len(t.h.Events) == 0 {
		return 0
	}
	return time.Duration(t.h.Events[len(t.h.Events)-1].At)
}

var imageCredentials = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/credentials",
		Level:   harness.Must,
		Text:    "An image that was only ever pulled with a secret is not run by a pod that has no such secret, though it is on the node, also after the agent has restarted. That pod pulls it itself, or waits if its policy is Never.",
		Sources: []harness.Source{inKubelet("images/pullmanager/image_pull_manager.go#PullManager.MustAttemptImagePull"), source.Symbol("k8s.io/kubernetes@v1.37.1/pkg/features/kube_features.go#KubeletEnsureSecretPulledImages")},
		Why:     "Whoever may create pods can read private images of others, as long as their pods share a node.",
		Advice:  "Record on disk which secrets an image was pulled with, and pull again for a pod that has none of these, although ImageStatus finds the image.",
		Classes: []string{"PullImage", "CreateContainer"},
	},
	Needs: []harness.Feature{Containers, Images},
	Judge: promise("image/credentials", judgeCredentials),
}

func judgeCredentials(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			image := x.config.GetImage().GetUserSpecifiedImage()
			first, open := t.pulledSecretly(image, x.made.Num, p.uid)
			if first == nil || open || p.hasSecretOf(t.byUID[podOfPull(first)]) {
				continue
			}
			if j.Tested++; t.pulled(p, image, x.made.Num) == nil {
				j.Fail(p.key+" pulls the image itself, as it has no secret", "it runs what another pod pulled with one", first.Num, x.made.Num)
			}
		}
	}
}

// pulledSecretly returns the first pull of an image before an event, and whether there was one without a secret. Those of one pod do not count.
func (t *trace) pulledSecretly(image string, num int32, but string) (first *call, open bool) {
	for _, c := range t.calls {
		q, ok := c.Ask.(*runtimeapi.PullImageRequest)
		if !ok || !c.ok() || c.Return > num || !named(q.GetImage().GetImage(), image) || podOfPull(c) == but {
			continue
		}
		if first == nil {
			first = c
		}
		open = open || q.GetAuth() == nil
	}
	return first, open
}

func podOfPull(c *call) string {
	q, _ := c.Ask.(*runtimeapi.PullImageRequest) // its caller has looked
	return q.GetSandboxConfig().GetMetadata().GetUid()
}

// hasSecretOf reports whether a pod has a secret for pulls that another one has, or is that pod.
func (p *podTrace) hasSecretOf(other *podTrace) bool {
	if other == nil || len(p.states) == 0 || len(other.states) == 0 {
		return true // nobody knows
	}
	for _, s := range p.states[0].Obj.Spec.ImagePullSecrets {
		for _, o := range other.states[0].Obj.Spec.ImagePullSecrets {
			if s.Name == o.Name {
				return true
			}
		}
	}
	return p == other
}

var imageAge = harness.Rule{
	Clause: harness.Clause{
		ID:      "image-gc/age",
		Level:   harness.Must,
		Text:    "An image that no container has used for longer than the agent is configured to keep it is deleted within two rounds of five minutes, though there is room.",
		Sources: []harness.Source{inKubelet("images/image_gc_manager.go#realImageGCManager.freeOldImages"), page("Garbage Collection", "Garbage collection for unused container images", "concepts/architecture/garbage-collection.md")},
		Why:     "Old images, with known holes in them, stay on a node for years.",
		Advice:  "Delete images whose last use is older than imageMaximumGCAge in each round of the image collection, also when there is room on the disk.",
		Classes: []string{"RemoveImage"},
	},
	Needs: []harness.Feature{Containers, Images, ImageGC},
	Judge: judged(judgeImageAge),
}

func judgeImageAge(t *trace, j *harness.Judgement) {
	if t.config.ImageMaximumGCAge == 0 || len(t.lives) == 0 {
		return
	}
	last := t.lives[len(t.lives)-1] // an agent counts from its start
	began, end := time.Duration(t.h.Events[last.from-1].At), t.end()
	if last.to > 0 {
		end = time.Duration(t.h.Events[last.to-1].At)
	}
	for _, c := range t.calls {
		pulled, ok := c.Reply.(*runtimeapi.PullImageResponse)
		if !ok || pulled.GetImageRef() == "" {
			continue
		}
		since, used := t.lastUse(pulled.GetImageRef(), c.To, math.MaxInt32)
		within := t.config.ImageMaximumGCAge + inRounds(0, 5*time.Minute)
		if since = max(since, began); used || end-since < within {
			continue
		}
		j.Tested++
		if last := t.removal(pulled.GetImageRef(), c.Num, math.MaxInt32); last == nil || !last.ok() {
			j.Fail(fmt.Sprintf("an image is deleted within %s after its last use", within), "it is not", c.Num)
		}
	}
}

// lastUse returns when an image was last used before an event, if it was after some time, and whether it is used then.
func (t *trace) lastUse(image string, since time.Duration, num int32) (time.Duration, bool) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			if x.config.GetImage().GetImage() != image && imageMount(x.config) != image || x.made.Num > num {
				continue
			}
			if x.removed == nil || x.removed.Num > num {
				return since, true
			}
			since = max(since, x.removed.To)
		}
	}
	return since, false
}

// removal returns the last deletion of an image between two events, which may have failed; nil: none.
func (t *trace) removal(image string, from, to int32) (last *call) {
	for _, c := range t.calls {
		if q, ok := c.Ask.(*runtimeapi.RemoveImageRequest); ok && c.Num > from && c.Num < to && q.GetImage().GetImage() == image {
			last = c
		}
	}
	return last
}
