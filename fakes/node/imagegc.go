package node

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

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
		if a.c.ImageMaximumGCAge > 0 && time.Since(a.began) > a.c.ImageMaximumGCAge {
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
			r = &imageRecord{found: now}
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
