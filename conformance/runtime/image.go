package runtime

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var imageStatus = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/status",
		Level:   harness.Must,
		Text:    "The status of an image has an id and a size above 0. For an image that is not there the call succeeds, without an image.",
		Sources: []harness.Source{api("ImageService.ImageStatus"), inClient("remote_image.go#remoteImageService.imageStatusV1")},
		Why:     "A kubelet takes an error for a runtime that is ill, and an image of size 0 for an error.",
		Advice:  "Answer ImageStatus for an image that is not in the store with an empty response, not with NotFound. For others fill in the id and the size of the content.",
		Classes: []string{"ImageStatus OK", "ImageStatus absent"},
	},
	Judge: judgeImageStatus,
}

var imageRemove = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/remove",
		Level:   harness.Must,
		Text:    "An image that was removed has no status any more, and is in no list.",
		Sources: []harness.Source{api("ImageService.RemoveImage"), inKubelet("images/image_gc_manager.go#realImageGCManager.freeSpace")},
		Why:     "The garbage collection of images counts space that is not freed, and removes others for it.",
		Advice:  "In RemoveImage resolve the tag, digest or id to the image, and delete it from the store with all names that lead to it before you answer.",
		Classes: []string{"RemoveImage OK"},
	},
	Needs: []harness.Feature{ImagePull},
	Judge: judgeImageRemove,
}

var imagePull = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/pull",
		Level:   harness.Must,
		Text:    "An image that the registry has can be pulled, also again, and the answer names it. One that it does not have cannot, nor one for which the credentials are missing or wrong, though it was pulled with others before.",
		Sources: []harness.Source{api("ImageService.PullImage"), inKubelet("images/image_manager.go#imageManager.EnsureImageExists"), inKubelet("images/pullmanager/image_pull_manager.go#PullManager.MustAttemptImagePull")},
		Why:     "A pod does not start, or runs an image that it may not read.",
		Advice:  "Ask the registry in every PullImage, with the credentials of this request, also for an image that you have, and let no killed or parallel pull block it.",
		Classes: []string{"PullImage OK", "PullImage failed"},
	},
	Needs: []harness.Feature{ImagePull},
	Judge: judgePull,
}

// ofRegistry reports whether an image is one of the registry of the suite.
func ofRegistry(name string) bool {
	for _, path := range RegistryImages {
		if strings.HasSuffix(name, path) {
			return true
		}
	}
	return false
}

// mayPull reports whether the registry of the suite has an image for somebody; known is false for images of others.
func mayPull(x *exchange) (may, known bool) {
	ask, _ := x.Ask.(*runtimeapi.PullImageRequest)
	for name, path := range RegistryImages {
		if strings.HasSuffix(x.Key, path) {
			return name != "missing" && (name != "private" || ask.GetAuth().GetUsername() == User), true
		}
	}
	return false, false
}

func judgePull(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	for _, x := range r.of("PullImage") {
		may, known := mayPull(x)
		if !driven(h) || !known || lost(x) || r.killed(x.Num, x.Return) {
			continue
		}
		switch j.Tested++; {
		case may && (x.Err != nil || imageOf(x) == ""):
			j.Fail("success, and the name of the image", outcome(x), x.Num, x.Return)
		case !may && x.Err == nil:
			j.Fail("an error: the registry does not have it, or not for these credentials", outcome(x), x.Num, x.Return)
		}
	}
	return j
}

var imageFilesystem = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/filesystem",
		Level:   harness.Must,
		Text:    "ImageFsInfo has a file system of images, with the absolute path where it is mounted, the bytes that are used and a time above 0.",
		Sources: []harness.Source{api("ImageService.ImageFsInfo"), inKubelet("stats/cri_stats_provider.go#criStatsProvider.ImageFsStats")},
		Why:     "A kubelet cannot tell how full the disk is, and does not start to evict, or to remove images.",
		Advice:  "Fill in the absolute mount point of the image store, used_bytes and the time of the measurement in ImageFsInfo, also while the store is empty.",
		Classes: []string{"ImageFsInfo OK"},
	},
	Judge: judgeFilesystem,
}

// absentImage is a name that no image has.
const absentImage = "lwtest.invalid/absent:1"

// imageCalls are the calls about images of a history.
type imageCalls struct{ answers, pulls, removals []*exchange }

func imagesOf(r *record) imageCalls {
	return imageCalls{r.of("ImageStatus", "PullImage"), r.of("PullImage"), r.of("RemoveImage")}
}

// imageOf returns the id of an image that a status or a pull answered; "": none.
func imageOf(x *exchange) string {
	switch reply := x.Reply.(type) {
	case *runtimeapi.ImageStatusResponse:
		return reply.GetImage().GetId()
	case *runtimeapi.PullImageResponse:
		return reply.GetImageRef()
	}
	return ""
}

// beside reports whether one of some calls may have done its work after the beginning of one call and before the end of another.
func beside(all []*exchange, from, to *exchange) bool {
	return slices.ContainsFunc(all, func(y *exchange) bool {
		return y != from && y != to && (lost(y) || y.Return > from.Num) && (to.Return == 0 || y.Num < to.Return)
	})
}

// at returns the call that answered which image a name, or an id, is at another call; nil: none, or a pull or a removal may have changed it.
func (c imageCalls) at(name string, x *exchange) (is *exchange) {
	for _, y := range c.answers {
		if id := imageOf(y); id != "" && (y.Key == name || id == name || hasDigest(y, name)) && y.Return > 0 && y.Return < x.Num {
			is = y
		}
	}
	if is == nil || beside(c.pulls, is, x) || beside(c.removals, is, x) {
		return nil
	}
	return is
}

// hasDigest reports whether a status says that its image has a name by digest.
func hasDigest(x *exchange, name string) bool {
	reply, _ := x.Reply.(*runtimeapi.ImageStatusResponse)
	return slices.Contains(reply.GetImage().GetRepoDigests(), name)
}

// idBefore returns the id that the image of a name certainly had when something was called; "": it is not known.
func (c imageCalls) idBefore(name string, x *exchange) string {
	if is := c.at(name, x); is != nil && name != "" {
		return imageOf(is)
	}
	return ""
}

// removed returns the removal after which the image of a name is certainly not there at a call; nil: none.
func (c imageCalls) removed(name string, x *exchange) (by *exchange) {
	for _, y := range c.removals {
		if (y.Key == name || y.Key == c.idBefore(name, y)) && y.ok() && y.Return < x.Num {
			by = y
		}
	}
	if by == nil || beside(c.pulls, by, x) {
		return nil
	}
	return by
}

func judgeImageStatus(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	images := imagesOf(r)
	for _, x := range r.of("ImageStatus") {
		reply, _ := x.Reply.(*runtimeapi.ImageStatusResponse)
		image := reply.GetImage()
		switch {
		case lost(x):
		case x.Key == absentImage || x.code() == codes.NotFound:
			if j.Tested++; x.Err != nil || image != nil {
				j.Fail("success without an image", outcome(x), x.Num, x.Return)
			}
		case image != nil:
			if j.Tested++; image.GetId() == "" || image.GetSize() == 0 {
				j.Fail("an id, and a size above 0", fmt.Sprintf("id %q, size %d", image.GetId(), image.GetSize()), x.Num, x.Return)
			}
		case driven(h) && !begunBefore(images.removals, x.Return) && !strings.Contains(x.Key, "sha256:") && !ofRegistry(x.Key), // the suite was given an image that is there
			x.Err == nil && images.at(x.Key, x) != nil:
			j.Tested++
			j.Fail("an image", outcome(x)+", without one", x.Num, x.Return)
		}
	}
	return j
}

func judgeImageRemove(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	images, known := imagesOf(r), map[string]bool{}
	for _, x := range r.calls {
		switch reply := x.Reply.(type) {
		case *runtimeapi.ImageStatusResponse:
			by := images.removed(x.Key, x)
			if by != nil && known[x.Key] {
				if j.Tested++; reply.GetImage() != nil {
					j.Fail("no image: it was removed", reply.GetImage().GetId(), by.Return, x.Return)
				}
			}
			known[x.Key] = known[x.Key] || reply.GetImage() != nil
		case *runtimeapi.ListImagesResponse:
			for _, image := range reply.GetImages() {
				for _, name := range slices.Concat([]string{image.GetId()}, image.GetRepoTags(), image.GetRepoDigests()) {
					if by := images.removed(name, x); by != nil {
						j.Fail("a list without the image "+name+", which was removed", image.GetId(), by.Return, x.Return)
					}
				}
			}
		}
	}
	return j
}

func judgeFilesystem(h *history.History) (j harness.Judgement) {
	for _, x := range recordOf(h).of("ImageFsInfo") {
		reply, _ := x.Reply.(*runtimeapi.ImageFsInfoResponse)
		if lost(x) {
			continue
		}
		if j.Tested++; len(reply.GetImageFilesystems()) == 0 {
			j.Fail("a file system of images", outcome(x)+" without one", x.Num, x.Return)
		}
		for _, f := range reply.GetImageFilesystems() {
			if path := f.GetFsId().GetMountpoint(); !filepath.IsAbs(path) || f.GetUsedBytes() == nil || f.GetTimestamp() <= 0 {
				j.Fail("an absolute path, the bytes that are used and a time", fmt.Sprintf("%q, %v, %d", path, f.GetUsedBytes(), f.GetTimestamp()), x.Num, x.Return)
			}
		}
	}
	return j
}
