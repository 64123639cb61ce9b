package cri

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Image is an image as a registry has it.
type Image struct {
	// Content makes the id and the digest: names of one content are tags of one image. Empty means the name itself.
	Content string
	// Digest is that of the manifest; empty: Content makes it.
	Digest string
	Size   uint64 // bytes; zero means a million
	// Entrypoint is what runs if a container has no command.
	Entrypoint []string
	User       string
	UID        *int64
	Pinned     bool
	Paths      []string // what image_sub_path of an image mount may name
	// Takes is how long a pull takes. A pull that is cancelled leaves nothing.
	Takes time.Duration
	// Username and Password are what a pull must have; empty means that anybody may pull.
	Username, Password string
	// Fails is the error of each pull; OK means none.
	Fails   codes.Code
	Message string // of that error
}

// stored is an image in the store.
type stored struct {
	Image
	id      string
	digest  string   // of its manifest
	tags    []string // with their repositories
	digests []string // likewise
}

func hash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// full returns a name with its registry and its tag, as `docker.io/library/busybox:latest`.
func full(name string) string {
	repository, _, _ := strings.Cut(name, "@")
	host, _, ok := strings.Cut(repository, "/")
	switch {
	case !ok:
		name = "docker.io/library/" + name
	case !strings.ContainsAny(host, ".:") && host != "localhost":
		name = "docker.io/" + name
	}
	if !strings.Contains(name, "@") && !strings.Contains(name[strings.LastIndexByte(name, '/'):], ":") {
		name += ":latest"
	}
	return name
}

// repository is a full name without its tag or digest.
func repository(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		name = name[:i]
	}
	return name
}

// find returns what the registry has of a name.
func (r *Runtime) find(name string) (Image, bool) {
	image, ok := Image{}, r.o.Registry == nil
	for known, x := range r.o.Registry {
		_, digest, byDigest := strings.Cut(name, "@")
		if full(known) == full(name) || byDigest && repository(full(known)) == repository(full(name)) && newStored(known, x).digest == digest {
			image, ok = x, true
			if byDigest && image.Content == "" {
				image.Content = full(known)
			}
		}
	}
	return image, ok
}

// newStored returns an image without tags.
func newStored(name string, image Image) *stored {
	if image.Content == "" {
		image.Content = full(name)
	}
	if image.Size == 0 {
		image.Size = 1e6
	}
	return &stored{Image: image, id: hash("config", image.Content), digest: cmp.Or(image.Digest, hash("manifest", image.Content))}
}

// store puts an image into the store, under the lock or before the runtime is used, and returns its id.
func (r *Runtime) store(name string, image Image) string {
	x := newStored(name, image)
	if _, digest, ok := strings.Cut(name, "@"); ok {
		x.digest = digest
	}
	if is := r.images[x.id]; is != nil {
		x = is
	}
	r.images[x.id] = x
	add := func(to *[]string, name string) {
		if !slices.Contains(*to, name) {
			*to = append(*to, name)
		}
	}
	name = full(name)
	add(&x.digests, repository(name)+"@"+x.digest)
	if !strings.Contains(name, "@") {
		for _, other := range r.images { // a tag is moved
			other.tags = slices.DeleteFunc(other.tags, func(t string) bool { return t == name && other != x })
		}
		add(&x.tags, name)
	}
	return x.id
}

// imageFor returns what a name, a digest, an id or the beginning of an id names; nil: nothing in the store.
func (r *Runtime) imageFor(name string) *stored {
	if name == "" {
		return nil
	}
	for id, x := range r.images {
		if id == name || slices.Contains(x.tags, full(name)) || slices.Contains(x.digests, full(name)) {
			return x
		}
	}
	var found *stored
	for id, x := range r.images {
		if hexes := strings.TrimPrefix(id, "sha256:"); len(name) > 3 && strings.HasPrefix(hexes, strings.TrimPrefix(name, "sha256:")) {
			if found != nil {
				return nil
			}
			found = x
		}
	}
	return found
}

// has reports whether the image has a path, for a mount.
func (x *stored) has(sub string) bool { return slices.Contains(x.Paths, strings.Trim(sub, "/")) }

// digestName is the name of the image by its digest.
func (x *stored) digestName() string {
	if len(x.digests) == 0 {
		return x.id
	}
	return x.digests[0]
}

func (x *stored) message() *runtimeapi.Image {
	out := &runtimeapi.Image{Id: x.id, RepoTags: slices.Clone(x.tags), RepoDigests: slices.Clone(x.digests), Size: x.Size, Username: x.User, Pinned: x.Pinned,
		Spec: &runtimeapi.ImageSpec{Image: x.id}}
	if x.UID != nil {
		out.Uid = &runtimeapi.Int64Value{Value: *x.UID}
	}
	return out
}

func (r service) PullImage(ctx context.Context, q *runtimeapi.PullImageRequest) (*runtimeapi.PullImageResponse, error) {
	name := q.GetImage().GetImage()
	image, ok := r.find(name)
	if r.o.Pull != nil {
		switch asked, err := r.o.Pull(ctx, name, q.GetAuth().GetUsername(), q.GetAuth().GetPassword()); {
		case err != nil:
			return nil, err
		case asked != nil:
			image, ok = *asked, true
		}
	}
	switch user := q.GetAuth(); {
	case name == "":
		return nil, status.Error(codes.InvalidArgument, "the image has no name")
	case !r.handles(q.GetImage().GetRuntimeHandler()):
		return nil, status.Errorf(codes.Unknown, "no runtime for %q is configured", q.GetImage().GetRuntimeHandler())
	case !ok:
		return nil, status.Errorf(codes.NotFound, "failed to pull %q: not found", name)
	case image.Fails != codes.OK:
		return nil, status.Error(image.Fails, image.Message)
	case image.Username != "" && (user.GetUsername() != image.Username || user.GetPassword() != image.Password):
		return nil, status.Errorf(codes.Unknown, "failed to pull %q: 401 Unauthorized", name)
	}
	if sleep(ctx, image.Takes); ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	if !r.middle("PullImage", q) {
		return nil, errDown
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return &runtimeapi.PullImageResponse{ImageRef: r.store(name, image)}, nil
}

func (r service) ImageStatus(_ context.Context, q *runtimeapi.ImageStatusRequest) (*runtimeapi.ImageStatusResponse, error) {
	if q.GetImage().GetImage() == "" {
		return nil, status.Error(codes.InvalidArgument, "the image has no name")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.imageFor(q.GetImage().GetImage())
	if x == nil {
		return &runtimeapi.ImageStatusResponse{}, nil
	}
	out := &runtimeapi.ImageStatusResponse{Image: x.message()}
	if q.GetVerbose() {
		out.Info = map[string]string{"info": fmt.Sprintf(`{"chainID":%q}`, x.digest)}
	}
	return out, nil
}

func (r service) ListImages(_ context.Context, q *runtimeapi.ListImagesRequest) (*runtimeapi.ListImagesResponse, error) {
	return &runtimeapi.ListImagesResponse{Images: r.imagesFor(q.GetFilter())}, nil
}

func (r *Runtime) imagesFor(f *runtimeapi.ImageFilter) (all []*runtimeapi.Image) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name := f.GetImage().GetImage()
	for _, x := range r.images {
		if name == "" || r.imageFor(name) == x {
			all = append(all, x.message())
		}
	}
	slices.SortFunc(all, func(a, b *runtimeapi.Image) int { return strings.Compare(a.Id, b.Id) })
	return all
}

// removeImage takes an image away with all its tags. Containers that run it go on.
func (r service) RemoveImage(_ context.Context, q *runtimeapi.RemoveImageRequest) (*runtimeapi.RemoveImageResponse, error) {
	if q.GetImage().GetImage() == "" {
		return nil, status.Error(codes.InvalidArgument, "the image has no name")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.imageFor(q.GetImage().GetImage()); x != nil {
		delete(r.images, x.id)
	}
	return &runtimeapi.RemoveImageResponse{}, nil
}

func (r service) ImageFsInfo(context.Context, *runtimeapi.ImageFsInfoRequest) (*runtimeapi.ImageFsInfoResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	used := uint64(0)
	for _, x := range r.images {
		used += x.Size
	}
	usage := func(bytes uint64) []*runtimeapi.FilesystemUsage {
		return []*runtimeapi.FilesystemUsage{{Timestamp: r.now(), FsId: &runtimeapi.FilesystemIdentifier{Mountpoint: r.o.Mountpoint}, UsedBytes: number(bytes), InodesUsed: number(bytes / 4096)}}
	}
	return &runtimeapi.ImageFsInfoResponse{ImageFilesystems: usage(used), ContainerFilesystems: usage(layer * uint64(len(r.containers)))}, nil
}

func number(n uint64) *runtimeapi.UInt64Value { return &runtimeapi.UInt64Value{Value: n} }
