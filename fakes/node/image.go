package node

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/flowcontrol"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// puller gets images. It pulls so many at a time, waits after a failure, and remembers with which secret an image was pulled.
type puller struct {
	a       *Agent
	slots   chan struct{} // has a place for each pull that may run; nil: any number
	limit   *rate.Limiter
	backoff *flowcontrol.Backoff

	mu      sync.Mutex
	last    map[string]string       // why the last pull failed, by pod and image
	records map[string]*pullRecord  // by image id
	seen    map[string]*imageRecord // by image id
}

// pullRecord says who may use an image that was pulled. It survives a restart.
type pullRecord struct {
	Anyone  bool            `json:"anyone,omitempty"`
	Secrets map[string]bool `json:"secrets,omitempty"` // namespace/name and hash of the credentials
}

// imageRecord says when an image was found and last used, for garbage collection. Zero: nobody has seen it used.
type imageRecord struct{ found, used time.Time }

// volumeImage is an image that was pulled for a volume.
type volumeImage struct {
	spec *runtimeapi.ImageSpec
	err  error
}

const pullRecords = "image_pull_records.json"

func newPuller(a *Agent) *puller {
	p := &puller{a: a, limit: rate.NewLimiter(rate.Limit(a.c.RegistryQPS), a.c.RegistryBurst), backoff: flowcontrol.NewBackOff(10*time.Second, 300*time.Second), last: map[string]string{},
		records: map[string]*pullRecord{}, seen: map[string]*imageRecord{}}
	if a.c.RegistryQPS < 0 {
		p.limit = rate.NewLimiter(rate.Inf, 0)
	}
	switch {
	case a.c.SerializeImagePulls == nil || *a.c.SerializeImagePulls:
		p.slots = make(chan struct{}, 1)
	case a.c.MaxParallelImagePulls > 0:
		p.slots = make(chan struct{}, a.c.MaxParallelImagePulls)
	}
	a.load(pullRecords, &p.records)
	return p
}

// tagged returns an image's name with a tag or a digest.
func tagged(image string) string {
	if !strings.Contains(image, "@") && !strings.Contains(image[strings.LastIndexByte(image, '/')+1:], ":") {
		return image + ":latest"
	}
	return image
}

// ensureImage returns the reference of an image, which it pulls if the policy says so. c is the container that it is for; nil: a volume. Errors
// are failures.
func (a *Agent) ensureImage(ctx context.Context, p *v1.Pod, c *v1.Container, image string, policy v1.PullPolicy, sandbox *runtimeapi.PodSandboxConfig) (string, error) {
	spec := &runtimeapi.ImageSpec{Image: tagged(image), Annotations: p.Annotations, RuntimeHandler: ""}
	secrets := a.pullSecrets(p, spec.Image)
	if policy != v1.PullAlways {
		out, err := a.images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: spec})
		if err != nil {
			return "", failure{reason: "ImageInspectError", message: fmt.Sprintf("Failed to inspect image %q: %v", image, err)}
		}
		if id := out.GetImage().GetId(); id != "" && a.puller.mayUse(id, secrets) {
			a.events.container(p, c, v1.EventTypeNormal, "Pulled", "Container image %q already present on machine and can be accessed by the pod", image)
			return id, nil
		}
		if policy == v1.PullNever {
			a.events.container(p, c, v1.EventTypeWarning, "ErrImageNeverPull", "Container image %q is not present with pull policy of Never", image)
			return "", failure{reason: "ErrImageNeverPull", message: fmt.Sprintf("Container image %q is not present with pull policy of Never", image)}
		}
	}
	key := string(p.UID) + "_" + image
	if a.puller.backoff.IsInBackOffSinceUpdate(key, time.Now()) {
		a.puller.mu.Lock()
		why := a.puller.last[key]
		a.puller.mu.Unlock()
		a.events.container(p, c, v1.EventTypeNormal, "BackOff", "Back-off pulling image %q", image)
		return "", failure{reason: "ImagePullBackOff", message: fmt.Sprintf("Back-off pulling image %q: %s", image, why)}
	}
	a.events.container(p, c, v1.EventTypeNormal, "Pulling", "Pulling image %q", image)
	began := time.Now()
	ref, size, took, err := a.puller.pull(ctx, spec, secrets, sandbox)
	if err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "Failed", "Failed to pull image %q: %v", image, messageOf(err))
		a.puller.backoff.Next(key, time.Now())
		a.puller.mu.Lock()
		a.puller.last[key] = "ErrImagePull: " + messageOf(err)
		a.puller.mu.Unlock()
		return "", failure{reason: "ErrImagePull", message: err.Error()}
	}
	a.events.container(p, c, v1.EventTypeNormal, "Pulled", "Successfully pulled image %q in %v (%v including waiting). Image size: %d bytes.", image,
		took.Truncate(time.Millisecond), time.Since(began).Truncate(time.Millisecond), size)
	return ref, nil
}

// pull pulls an image with each of the credentials in turn; without any if there are none. A pull that goes over the rate fails at once, as in
// a kubelet. took does not count the time in which others pulled.
func (p *puller) pull(ctx context.Context, spec *runtimeapi.ImageSpec, secrets []credential, sandbox *runtimeapi.PodSandboxConfig) (ref string, size uint64, took time.Duration, err error) {
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-ctx.Done():
			return "", 0, 0, ctx.Err()
		}
	}
	began := time.Now()
	if len(secrets) == 0 {
		secrets = []credential{{}}
	}
	for _, s := range secrets {
		if !p.limit.Allow() {
			return "", 0, 0, fmt.Errorf("pull QPS exceeded")
		}
		var out *runtimeapi.PullImageResponse
		if out, err = p.a.images.PullImage(ctx, &runtimeapi.PullImageRequest{Image: spec, Auth: s.auth, SandboxConfig: sandbox}); err == nil {
			p.record(out.ImageRef, s)
			took = time.Since(began)
			is, err := p.a.images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: spec})
			if err != nil {
				p.a.log.Debug("no status of a pulled image", "err", err)
			}
			return out.ImageRef, is.GetImage().GetSize(), took, nil
		}
	}
	return "", 0, 0, err
}

func (p *puller) record(id string, s credential) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.records[id]
	if r == nil {
		r = &pullRecord{Secrets: map[string]bool{}}
		p.records[id] = r
	}
	if s.key == "" {
		r.Anyone = true
	} else {
		r.Secrets[s.key] = true
	}
	p.a.save(pullRecords, p.records)
}

// mayUse reports whether a pod with these credentials may use an image that is there: if no pod pulled it, or one without secrets, or one with
// one of them.
func (p *puller) mayUse(id string, secrets []credential) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.records[id]
	return r == nil || r.Anyone || slices.ContainsFunc(secrets, func(s credential) bool { return r.Secrets[s.key] })
}

// imageVolumes pulls the images of a pod's volumes once, and returns those that a container mounts.
func (r *run) imageVolumes(c *v1.Container) (map[string]*runtimeapi.ImageSpec, error) {
	if r.volumes == nil {
		r.volumes = map[string]volumeImage{}
		for _, vol := range r.pod.Spec.Volumes {
			if vol.Image == nil {
				continue
			}
			ref, err := r.a.ensureImage(r.job.ctx, r.pod, nil, vol.Image.Reference, vol.Image.PullPolicy, r.config)
			r.volumes[vol.Name] = volumeImage{&runtimeapi.ImageSpec{Image: ref, UserSpecifiedImage: vol.Image.Reference, Annotations: r.pod.Annotations}, err}
		}
	}
	out := map[string]*runtimeapi.ImageSpec{}
	for _, m := range c.VolumeMounts {
		v, ok := r.volumes[m.Name]
		if ok && v.err != nil {
			return nil, v.err
		}
		if ok {
			out[m.Name] = v.spec
		}
	}
	return out, nil
}

// userOf returns an image, whose user a container has that says none.
func (a *Agent) userOf(ctx context.Context, image string) (*runtimeapi.Image, error) {
	out, err := a.images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: &runtimeapi.ImageSpec{Image: image}})
	if err == nil && out.GetImage() == nil {
		err = fmt.Errorf("unable to get image user: image %q is not found", image)
	}
	return out.GetImage(), err
}
