package node

import (
	"fmt"
	"math"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
)

var imagePolicy = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/policy",
		Level:   harness.Must,
		Text:    "With the policy Always an image is pulled before each start of a container, with IfNotPresent if it is not there, and with Never in no case: then a pod waits with the reason ErrImageNeverPull. An image without a tag means latest.",
		Sources: []harness.Source{inKubelet("images/image_manager.go#imageManager.EnsureImageExists"), page("Images", "Image pull policy", "concepts/containers/images.md")},
		Why:     "A node runs an old program, or does not start because a registry is away.",
		Advice:  "Pull before each creation for Always, for IfNotPresent if ImageStatus finds none, and for Never wait with ErrImageNeverPull. Add :latest to a name without a tag.",
		Classes: []string{"ImageStatus", "PullImage"},
	},
	Needs: []harness.Feature{Containers, Images},
	Judge: promise("image/policy", judgeImagePolicy),
}

func judgeImagePolicy(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil {
				continue
			}
			image := c.Image
			if told := x.config.GetImage().GetUserSpecifiedImage(); p.hadImage(x, told) { // the spec may have changed meanwhile
				image = told
			}
			if j.Tested++; c.ImagePullPolicy == v1.PullAlways && t.pulled(p, image, x.made.Num) == nil {
				j.Fail("an image with the policy Always is pulled before "+x.name+" is created", "it is not", x.made.Num)
			}
		}
		t.judgeNever(p, j)
	}
}

// judgeNever judges the pulls for a pod: an image that only has the policy Never is not pulled.
func (t *trace) judgeNever(p *podTrace, j *harness.Judgement) {
	if len(p.states) == 0 {
		return
	}
	for _, c := range p.states[0].Obj.Spec.Containers {
		if c.ImagePullPolicy != v1.PullNever || t.elsewhere(p, c.Image) {
			continue
		}
		if j.Tested++; t.pulled(p, c.Image, math.MaxInt32) != nil {
			j.Fail("an image with the policy Never is not pulled", "it is", t.pulled(p, c.Image, math.MaxInt32).Num)
		}
	}
}

// pulled returns the last pull of an image for a pod that succeeded before an event; nil: none.
func (t *trace) pulled(p *podTrace, image string, num int32) (last *call) {
	for _, c := range t.calls {
		if q, ok := c.Ask.(*runtimeapi.PullImageRequest); ok && c.ok() && c.Return < num && named(q.GetImage().GetImage(), image) && q.GetSandboxConfig().GetMetadata().GetUid() == p.uid {
			last = c
		}
	}
	return last
}

// named reports whether two names of an image are the same, but for the registry and the tag that are the defaults.
func named(a, b string) bool {
	full := func(s string) string {
		if !strings.Contains(s[strings.LastIndex(s, "/")+1:], ":") && !strings.Contains(s, "@") {
			s += ":latest"
		}
		return strings.TrimPrefix(strings.TrimPrefix(s, "docker.io/"), "library/")
	}
	return full(a) == full(b)
}

// elsewhere reports whether another pod, or another container, may pull the image.
func (t *trace) elsewhere(p *podTrace, image string) bool {
	for _, o := range t.pods {
		for _, s := range o.states {
			for _, c := range s.Obj.Spec.Containers {
				if named(c.Image, image) && c.ImagePullPolicy != v1.PullNever {
					return true
				}
			}
		}
	}
	return false
}

var imageSerial = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/serial",
		Level:   harness.Should,
		Text:    "An agent that is configured to pull images one after the other has one pull under way at most.",
		Sources: []harness.Source{inKubelet("images/puller.go#serialImagePuller.processImagePullRequests")},
		Why:     "A node that starts many pods at once has no bandwidth left for any.",
		Advice:  "Send all pulls of the agent through one queue, whose worker waits for the answer of a pull, of whatever pod, before it sends the next.",
		Classes: []string{"PullImage"},
	},
	Needs: []harness.Feature{Containers, Images, SerialPulls},
	Judge: judged(judgeSerial),
}

func judgeSerial(t *trace, j *harness.Judgement) {
	var last *call
	for _, c := range t.calls {
		if c.Method != "PullImage" {
			continue
		}
		if last != nil && !t.killedBetween(last.Num, c.Num) { // the next agent knows of no pull that the runtime goes on with
			if j.Tested++; last.Return == 0 || last.Return > c.Num && last.Err == nil {
				j.Fail("the pull of before has ended", "it has not", last.Num, c.Num)
			}
		}
		last = c
	}
}

var imageBackOff = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/back-off",
		Level:   harness.Must,
		Text:    "A pull that fails is tried again after ten seconds, then twenty, and so on. The container waits with the reason ErrImagePull, and ImagePullBackOff between the tries. The pod stays Pending, and starts once the pull succeeds.",
		Sources: []harness.Source{inKubelet("images/image_manager.go#imageManager.pullImage"), page("Images", "ImagePullBackOff", "concepts/containers/images.md")},
		Why:     "A registry that is down is asked by all nodes without a pause, or a pod never starts.",
		Advice:  "Keep a back-off per pod and image, ten seconds and twice that after each failure, and check it before every PullImage. Say ImagePullBackOff meanwhile.",
		Classes: []string{"PullImage"},
	},
	Needs: []harness.Feature{Containers, Images},
	Judge: promise("image/back-off", judgePullBackOff),
}

func judgePullBackOff(t *trace, j *harness.Judgement) {
	type place struct{ uid, image string }
	last, waits := map[place]*call{}, map[place]time.Duration{}
	for _, c := range t.calls {
		q, ok := c.Ask.(*runtimeapi.PullImageRequest)
		if !ok {
			continue
		}
		at := place{q.GetSandboxConfig().GetMetadata().GetUid(), q.GetImage().GetImage()}
		was := last[at]
		if last[at] = c; was == nil || was.Err == nil || t.killedBetween(was.Num, c.Num) {
			delete(waits, at)
			continue
		}
		waits[at] = max(firstBackOff, 2*waits[at])
		if j.Tested++; c.From-was.To < waits[at]-time.Second {
			j.Fail(fmt.Sprintf("%s after the pull that failed", waits[at]), (c.From - was.To).String(), was.Num, c.Num)
		}
	}
}

var imageName = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/name",
		Level:   harness.Must,
		Text:    "A container is created from the image that the runtime named for it, and the runtime is told the name in the spec too, as user_specified_image. Pod and containers have the same namespace options.",
		Sources: []harness.Source{inKubelet("kuberuntime/kuberuntime_container.go#kubeGenericRuntimeManager.generateContainerConfig")},
		Why:     "A runtime that checks signatures by name refuses the container, or runs one that it should refuse.",
		Advice:  "Set image to the id that the runtime gave and user_specified_image to the name in the spec, and give containers the namespace options of their sandbox.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers},
	Judge: judged(judgeImageName),
}

func judgeImageName(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			c := p.specOf(x)
			if c == nil || x.config.GetImage() == nil {
				continue
			}
			j.Tested++
			if got := x.config.GetImage().GetUserSpecifiedImage(); !p.hadImage(x, got) {
				j.Fail("user_specified_image is "+c.Image, fmt.Sprintf("%q", got), x.made.Num)
			}
			pod, own := x.pod.config.GetLinux().GetSecurityContext().GetNamespaceOptions(), x.config.GetLinux().GetSecurityContext().GetNamespaceOptions()
			if pod != nil && own != nil && (pod.GetNetwork() != own.GetNetwork() || pod.GetIpc() != own.GetIpc()) {
				j.Fail("the namespaces are those of the sandbox", "they are not", x.pod.made.Num, x.made.Num)
			}
		}
	}
}

var imageRate = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/rate",
		Level:   harness.Must,
		Text:    "The agent pulls no more images at once than registryBurst, and then registryPullQPS in a second. A pod that has to wait goes on later.",
		Sources: []harness.Source{inKubelet("images/helpers.go#throttledImageService.PullImage")},
		Why:     "A node that starts overloads a registry, or uses up what that allows.",
		Advice:  "Take a token from one bucket for all pods (registryPullQPS, registryBurst) before every PullImage. If there is none, try again in a later sync.",
		Classes: []string{"PullImage"},
	},
	Needs: []harness.Feature{Containers, Images, PullQPS},
	Judge: promise("image/rate", judgeRate),
}

func judgeRate(t *trace, j *harness.Judgement) {
	qps, burst := t.config.RegistryPullQPS, t.config.RegistryBurst
	for _, l := range t.lives { // each agent counts for itself
		var all []*call
		for _, c := range t.calls {
			if c.Method == "PullImage" && c.Num > l.from && (l.to == 0 || c.Num < l.to) {
				all = append(all, c)
			}
		}
		if qps == 0 || len(all) <= burst {
			continue
		}
		j.Tested++
		for i, c := range all[burst:] {
			if first := all[i]; c.From-first.From < time.Second/time.Duration(qps)-50*time.Millisecond {
				j.Fail(fmt.Sprintf("%d pulls at once at most, and %d in a second", burst, qps), fmt.Sprintf("%d in %s", burst+1, c.From-first.From), first.Num, c.Num)
				return
			}
		}
	}
}

// hadImage reports whether the spec of a container had an image before it was created.
func (p *podTrace) hadImage(x *container, image string) bool {
	for i, s := range p.states {
		if c := containerOf(s.Obj, x.name); c != nil && named(image, c.Image) && (i == 0 || s.Since < x.made.Num) {
			return true
		}
	}
	return false
}

var imageVolume = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/volume",
		Level:   harness.Must,
		Text:    "An image that is a volume is pulled before a container with it is created, and mounted by the id that the runtime gave it.",
		Sources: []harness.Source{inKubelet("kubelet_volumes.go#Kubelet.ListVolumesForPod"), inKubelet("kuberuntime/kuberuntime_manager.go#kubeGenericRuntimeManager.getImageVolumes")},
		Why:     "A program starts without its data.",
		Advice:  "Treat image volumes as you treat the container's image: pull them before CreateContainer, and put the id that the runtime gave into the mount's image.",
		Classes: []string{"CreateContainer"},
	},
	Needs: []harness.Feature{Containers, Images},
	Judge: promise("image/volume", judgeImageVolume),
}

func judgeImageVolume(t *trace, j *harness.Judgement) {
	for _, p := range t.pods {
		for _, x := range p.containers() {
			pod := p.at(x.made.Num)
			if pod == nil {
				continue
			}
			c := containerOf(pod, x.name)
			for _, v := range pod.Spec.Volumes {
				if v.Image == nil || c == nil || !mounts(c, v.Name) {
					continue
				}
				j.Tested++
				got := imageMount(x.config)
				if got == "" {
					j.Fail("the image "+v.Image.Reference+" is mounted", "it is not", x.made.Num)
				}
			}
		}
	}
}

func mounts(c *v1.Container, volume string) bool {
	for _, m := range c.VolumeMounts {
		if m.Name == volume {
			return true
		}
	}
	return false
}

// imageMount returns the image that is mounted in a container; empty: none.
func imageMount(c *runtimeapi.ContainerConfig) string {
	for _, m := range c.GetMounts() {
		if m.GetImage().GetImage() != "" {
			return m.GetImage().GetImage()
		}
	}
	return ""
}
