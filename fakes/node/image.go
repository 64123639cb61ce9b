package node

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// imageRecord says when an image was found and last used, for garbage collection.
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

// ensureImage returns the reference of an image, which it pulls if the policy says so. Errors are failures.
func (a *Agent) ensureImage(ctx context.Context, p *v1.Pod, image string, policy v1.PullPolicy, sandbox *runtimeapi.PodSandboxConfig) (string, error) {
	spec := &runtimeapi.ImageSpec{Image: tagged(image), Annotations: p.Annotations, RuntimeHandler: ""}
	secrets := a.pullSecrets(p, spec.Image)
	if policy != v1.PullAlways {
		out, err := a.images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: spec})
		if err != nil {
			return "", failure{reason: "ImageInspectError", message: fmt.Sprintf("Failed to inspect image %q: %v", image, err)}
		}
		if id := out.GetImage().GetId(); id != "" && a.puller.mayUse(id, secrets) {
			a.events.pod(p, v1.EventTypeNormal, "Pulled", "Container image %q already present on machine and can be accessed by the pod", image)
			return id, nil
		}
		if policy == v1.PullNever {
			a.events.pod(p, v1.EventTypeWarning, "ErrImageNeverPull", "Container image %q is not present with pull policy of Never", image)
			return "", failure{reason: "ErrImageNeverPull", message: fmt.Sprintf("Container image %q is not present with pull policy of Never", image)}
		}
	}
	key := string(p.UID) + "_" + image
	if a.puller.backoff.IsInBackOffSinceUpdate(key, time.Now()) {
		a.puller.mu.Lock()
		why := a.puller.last[key]
		a.puller.mu.Unlock()
		a.events.pod(p, v1.EventTypeNormal, "BackOff", "Back-off pulling image %q", image)
		return "", failure{reason: "ImagePullBackOff", message: fmt.Sprintf("Back-off pulling image %q: %s", image, why)}
	}
	a.events.pod(p, v1.EventTypeNormal, "Pulling", "Pulling image %q", image)
	ref, err := a.puller.pull(ctx, spec, secrets, sandbox)
	if err != nil {
		a.events.pod(p, v1.EventTypeWarning, "Failed", "Failed to pull image %q: %v", image, messageOf(err))
		a.puller.backoff.Next(key, time.Now())
		a.puller.mu.Lock()
		a.puller.last[key] = "ErrImagePull: " + messageOf(err)
		a.puller.mu.Unlock()
		return "", failure{reason: "ErrImagePull", message: err.Error()}
	}
	a.events.pod(p, v1.EventTypeNormal, "Pulled", "Successfully pulled image %q", image)
	return ref, nil
}

// pull pulls an image with each of the credentials in turn; without any if there are none. A pull that goes over the rate fails at once, as in
// a kubelet.
func (p *puller) pull(ctx context.Context, spec *runtimeapi.ImageSpec, secrets []credential, sandbox *runtimeapi.PodSandboxConfig) (ref string, err error) {
	if p.slots != nil {
		select {
		case p.slots <- struct{}{}:
			defer func() { <-p.slots }()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	if len(secrets) == 0 {
		secrets = []credential{{}}
	}
	for _, s := range secrets {
		if !p.limit.Allow() {
			return "", fmt.Errorf("pull QPS exceeded")
		}
		var out *runtimeapi.PullImageResponse
		if out, err = p.a.images.PullImage(ctx, &runtimeapi.PullImageRequest{Image: spec, Auth: s.auth, SandboxConfig: sandbox}); err == nil {
			p.record(out.ImageRef, s)
			if _, err := p.a.images.ImageStatus(ctx, &runtimeapi.ImageStatusRequest{Image: spec}); err != nil { // the kubelet asks for the size
				p.a.log.Debug("no status of a pulled image", "err", err)
			}
			return out.ImageRef, nil
		}
	}
	return "", err
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

// credential is what a secret says for a registry.
type credential struct {
	key  string // identifies the secret and what it says; "": no secret
	auth *runtimeapi.AuthConfig
}

// pullSecrets returns the credentials of a pod's secrets that fit an image.
func (a *Agent) pullSecrets(p *v1.Pod, image string) (all []credential) {
	host, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(host, ".:") && host != "localhost" {
		host = "docker.io"
	}
	for _, ref := range p.Spec.ImagePullSecrets {
		if a.api == nil || ref.Name == "" {
			continue
		}
		s, err := a.api.CoreV1().Secrets(p.Namespace).Get(a.ctx, ref.Name, metav1.GetOptions{})
		if err != nil {
			a.log.Info("no pull secret", "secret", ref.Name, "err", err)
			continue
		}
		var config struct {
			Auths map[string]struct{ Username, Password, Auth string }
		}
		if json.Unmarshal(s.Data[v1.DockerConfigJsonKey], &config) != nil {
			continue
		}
		for registry, x := range config.Auths {
			name := strings.TrimPrefix(strings.TrimPrefix(registry, "https://"), "http://")
			if name, _, _ = strings.Cut(name, "/"); name != host && !(host == "docker.io" && strings.HasSuffix(name, "docker.io")) {
				continue
			}
			if b, err := base64.StdEncoding.DecodeString(x.Auth); err == nil && x.Username == "" {
				x.Username, x.Password, _ = strings.Cut(string(b), ":")
			}
			all = append(all, credential{fmt.Sprintf("%s/%s %s:%s", s.Namespace, s.Name, x.Username, x.Password), &runtimeapi.AuthConfig{Username: x.Username, Password: x.Password}})
		}
	}
	return all
}

// imageVolumes pulls the images of a pod's volumes once, and returns those that a container mounts.
func (r *run) imageVolumes(c *v1.Container) (map[string]*runtimeapi.ImageSpec, error) {
	if r.volumes == nil {
		r.volumes = map[string]volumeImage{}
		for _, vol := range r.pod.Spec.Volumes {
			if vol.Image == nil {
				continue
			}
			ref, err := r.a.ensureImage(r.job.ctx, r.pod, vol.Image.Reference, vol.Image.PullPolicy, r.config)
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

// imagesOfNode returns the 50 largest images.
func (a *Agent) imagesOfNode() (all []v1.ContainerImage) {
	out, err := a.images.ListImages(a.ctx, &runtimeapi.ListImagesRequest{})
	if err != nil {
		return nil
	}
	slices.SortStableFunc(out.Images, func(x, y *runtimeapi.Image) int { return cmp.Compare(y.Size, x.Size) })
	for _, i := range out.Images[:min(len(out.Images), 50)] {
		names := slices.Concat(i.RepoDigests, i.RepoTags)
		all = append(all, v1.ContainerImage{Names: names[:min(len(names), 5)], SizeBytes: int64(i.Size)})
	}
	return all
}

// collectImages looks for images each 5 minutes, and removes old ones and, while the file system is too full, unused ones.
func (a *Agent) collectImages() {
	if _, err := a.findImages(); err != nil {
		a.log.Error("cannot list images", "err", err)
	}
	for a.sleep(a.c.ImageGCPeriod) {
		used, capacity := a.imageStats()
		images, err := a.findImages()
		if err != nil {
			continue
		}
		if a.c.ImageMaximumGCAge > 0 {
			images = a.freeImages(images, func(_ *runtimeapi.Image, r *imageRecord) bool { return time.Since(r.used) > a.c.ImageMaximumGCAge })
		}
		if high := a.c.ImageGCHighThresholdPercent; high < 100 && capacity > 0 && used*100 >= uint64(high)*capacity {
			a.freeSpace(images, int64(used)-int64(capacity)*int64(a.c.ImageGCLowThresholdPercent)/100)
		}
	}
}

// freeSpace removes unused images, the longest unused first, until so many bytes are free.
func (a *Agent) freeSpace(images []*runtimeapi.Image, bytes int64) {
	a.freeImages(images, func(i *runtimeapi.Image, r *imageRecord) bool {
		if bytes <= 0 || time.Since(r.found) < a.c.ImageMinimumGCAge {
			return false
		}
		bytes -= int64(i.Size)
		return true
	})
}

// freeImages removes the images that a function picks, and returns the others.
func (a *Agent) freeImages(images []*runtimeapi.Image, pick func(*runtimeapi.Image, *imageRecord) bool) (left []*runtimeapi.Image) {
	for _, i := range images {
		a.puller.mu.Lock()
		r := *a.puller.seen[i.Id]
		a.puller.mu.Unlock()
		if !pick(i, &r) {
			left = append(left, i)
			continue
		}
		if _, err := a.images.RemoveImage(a.ctx, &runtimeapi.RemoveImageRequest{Image: &runtimeapi.ImageSpec{Image: i.Id}}); err != nil {
			a.log.Error("cannot remove an image", "image", i.Id, "err", err)
			continue
		}
		a.puller.mu.Lock()
		delete(a.puller.seen, i.Id)
		delete(a.puller.records, i.Id)
		a.save(pullRecords, a.puller.records)
		a.puller.mu.Unlock()
	}
	return left
}

// findImages returns the images that may be removed, the longest unused first.
func (a *Agent) findImages() ([]*runtimeapi.Image, error) {
	out, err := a.images.ListImages(a.ctx, &runtimeapi.ListImagesRequest{})
	if err != nil {
		return nil, err
	}
	cs, err := a.listContainers(a.ctx, &runtimeapi.ContainerFilter{})
	if err != nil {
		return nil, err
	}
	now, used, there := time.Now(), map[string]bool{}, map[string]bool{}
	for _, c := range cs {
		used[c.GetImageId()], used[c.GetImageRef()], used[c.GetImage().GetImage()] = true, true, true
	}
	for _, p := range a.configured() { // images of volumes
		for _, vol := range p.Spec.Volumes {
			if vol.Image != nil && !isTerminal(p.Status.Phase) {
				used[tagged(vol.Image.Reference)] = true
			}
		}
	}
	a.puller.mu.Lock()
	defer a.puller.mu.Unlock()
	var free []*runtimeapi.Image
	for _, i := range out.Images {
		there[i.Id] = true
		r := a.puller.seen[i.Id]
		if r == nil {
			r = &imageRecord{found: now, used: now}
			a.puller.seen[i.Id] = r
		}
		if used[i.Id] || slices.ContainsFunc(slices.Concat(i.RepoTags, i.RepoDigests), func(n string) bool { return used[n] || used[strings.TrimPrefix(n, "docker.io/library/")] }) {
			r.used = now
			continue
		}
		if !i.Pinned {
			free = append(free, i)
		}
	}
	for id := range a.puller.seen {
		if !there[id] {
			delete(a.puller.seen, id)
		}
	}
	slices.SortStableFunc(free, func(x, y *runtimeapi.Image) int {
		return cmp.Or(a.puller.seen[x.Id].used.Compare(a.puller.seen[y.Id].used), a.puller.seen[x.Id].found.Compare(a.puller.seen[y.Id].found))
	})
	return free, nil
}
