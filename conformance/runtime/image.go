package runtime

import (
	"fmt"
	"path/filepath"
	"slices"

	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var imageStatus = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/status",
		Level:   harness.Must,
		Text:    "The status of an image has an id and a size above 0. Of an image that is not there it succeeds without an image.",
		Sources: []harness.Source{api("ImageService.ImageStatus"), inClient("remote_image.go#remoteImageService.imageStatusV1")},
		Why:     "A kubelet takes an error for a runtime that is ill, and an image of size 0 for an error.",
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
		Classes: []string{"RemoveImage OK"},
	},
	Needs: []harness.Feature{ImagePull},
	Judge: judgeImageRemove,
}

var imageFilesystem = harness.Rule{
	Clause: harness.Clause{
		ID:      "image/filesystem",
		Level:   harness.Must,
		Text:    "ImageFsInfo has a file system of images, with the absolute path where it is mounted, the bytes that are used and a time above 0.",
		Sources: []harness.Source{api("ImageService.ImageFsInfo"), inKubelet("stats/cri_stats_provider.go#criStatsProvider.ImageFsStats")},
		Why:     "A kubelet cannot tell how full the disk is, and does not start to evict, or to remove images.",
		Classes: []string{"ImageFsInfo OK"},
	},
	Judge: judgeFilesystem,
}

// absentImage is a name that no image has.
const absentImage = "lwtest.invalid/absent:1"

func judgeImageStatus(h *history.History) (j harness.Judgement) {
	r := recordOf(h)
	for _, x := range r.of("ImageStatus") {
		reply, _ := x.Reply.(*runtimeapi.ImageStatusResponse)
		switch {
		case lost(x):
		case x.Key == absentImage:
			if j.Tested++; x.Err != nil || reply.GetImage() != nil {
				j.Fail("success without an image", outcome(x), x.Num, x.Return)
			}
		case reply.GetImage() == nil && !r.unpulled(x): // the suite was given an image that is there
			j.Tested++
			j.Fail("an image", outcome(x)+", without one", x.Num, x.Return)
		case reply.GetImage() != nil:
			if j.Tested++; reply.GetImage().GetId() == "" || reply.GetImage().GetSize() == 0 {
				j.Fail("an id, and a size above 0", fmt.Sprintf("id %q, size %d", reply.GetImage().GetId(), reply.GetImage().GetSize()), x.Num, x.Return)
			}
		}
	}
	return j
}

func judgeImageRemove(h *history.History) (j harness.Judgement) {
	ids, removed := map[string]string{}, map[string]*exchange{}
	for _, x := range recordOf(h).calls {
		switch reply := x.Reply.(type) {
		case *runtimeapi.RemoveImageResponse:
			removed[x.Key] = x
		case *runtimeapi.ImageStatusResponse:
			if id := reply.GetImage().GetId(); id != "" {
				ids[x.Key] = id
			}
			if r := removed[x.Key]; r != nil && r.Return < x.Num && ids[x.Key] != "" && !recordOf(h).pulled(r.Num, x.Return) {
				if j.Tested++; reply.GetImage() != nil {
					j.Fail("no image: it was removed", reply.GetImage().GetId(), r.Return, x.Return)
				}
			}
		case *runtimeapi.ListImagesResponse:
			for _, image := range reply.GetImages() {
				for name, r := range removed {
					if ids[name] == image.GetId() && r.Return < x.Num && !recordOf(h).pulled(r.Num, x.Return) {
						j.Fail("a list without the image "+name+", which was removed", image.GetId(), r.Return, x.Return)
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

// pulled reports whether somebody may have pulled an image between two events.
func (r *record) pulled(from, to int32) bool {
	for _, x := range r.of("PullImage") {
		if x.Num < to && (x.Return > from || lost(x)) {
			return true
		}
	}
	return false
}

// unpulled reports whether an image may be gone when a call asks for it: one was removed, by whatever name, and no pull has succeeded
// since.
func (r *record) unpulled(x *exchange) bool {
	return slices.ContainsFunc(r.of("RemoveImage"), func(y *exchange) bool {
		back := func(p *exchange) bool { return p.ok() && p.Num > y.Return && p.Return < x.Num }
		return y.Num < x.Return && (lost(y) || !slices.ContainsFunc(r.of("PullImage"), back))
	})
}
