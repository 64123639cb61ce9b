package cri

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	goruntime "runtime"
	"strings"

	"github.com/lwtest/lwtest/conformance/runtime"
)

// registry serves the images of the suite on loopback, to be read only, as the distribution specification of OCI says.
type registry struct {
	http.Server
	address string
	all     map[string]blob // manifests by "REPOSITORY/manifests/TAG", and whatever there is by "REPOSITORY/…/DIGEST"
}

type blob struct {
	kind    string // the media type
	digest  string
	content []byte
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// serveRegistry serves the images until Close.
func serveRegistry() (*registry, error) {
	r := &registry{all: map[string]blob{}}
	for _, path := range []string{"lwtest/one:1", "lwtest/one:2", "lwtest/two:1", "private/one:1"} {
		repository, tag, _ := strings.Cut(path, ":")
		if err := r.add(repository, tag); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("no registry for images can be served: %w", err)
	}
	r.address, r.Handler = l.Addr().String(), r
	go func() { _ = r.Serve(l) }() // it ends with Close
	return r, nil
}

// add adds an image of one file, which has the name of the repository: all tags of that are one image.
func (r *registry) add(repository, tag string) error {
	var layer, packed bytes.Buffer
	t := tar.NewWriter(&layer)
	if err := t.WriteHeader(&tar.Header{Name: "name", Mode: 0o644, Size: int64(len(repository))}); err != nil {
		return err
	}
	_, _ = t.Write([]byte(repository)) // a buffer takes everything
	_ = t.Close()
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(layer.Bytes())
	_ = z.Close()
	config, err := json.Marshal(map[string]any{"architecture": goruntime.GOARCH, "os": "linux", "config": map[string]any{}, "rootfs": map[string]any{"type": "layers", "diff_ids": []string{digestOf(layer.Bytes())}}})
	if err != nil {
		return err
	}
	const oci = "application/vnd.oci.image."
	keep := func(folder, kind string, content []byte) map[string]any {
		b := blob{kind, digestOf(content), content}
		r.all[repository+folder+b.digest] = b
		return map[string]any{"mediaType": kind, "digest": b.digest, "size": len(content)}
	}
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": oci + "manifest.v1+json", "config": keep("/blobs/", oci+"config.v1+json", config),
		"layers": []any{keep("/blobs/", oci+"layer.v1.tar+gzip", packed.Bytes())}})
	if err != nil {
		return err
	}
	keep("/manifests/", oci+"manifest.v1+json", manifest)
	r.all[repository+"/manifests/"+tag] = r.all[repository+"/manifests/"+digestOf(manifest)]
	return nil
}

// ServeHTTP implements http.Handler.
func (r *registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	path, ok := strings.CutPrefix(q.URL.Path, "/v2/")
	user, password, _ := q.BasicAuth()
	b, there := r.all[path]
	switch {
	case !ok || q.Method != http.MethodGet && q.Method != http.MethodHead:
		http.Error(w, "this registry can only be read", http.StatusMethodNotAllowed)
	case strings.HasPrefix(path, "private/") && (user != runtime.User || password != runtime.Password):
		w.Header().Set("WWW-Authenticate", `Basic realm="lwtest"`)
		http.Error(w, `{"errors":[{"code":"UNAUTHORIZED"}]}`, http.StatusUnauthorized)
	case path == "":
	case !there:
		http.Error(w, `{"errors":[{"code":"MANIFEST_UNKNOWN"}]}`, http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", b.kind)
		w.Header().Set("Docker-Content-Digest", b.digest)
		w.Header().Set("Content-Length", fmt.Sprint(len(b.content)))
		if q.Method == http.MethodGet {
			_, _ = w.Write(b.content) // the runtime may have gone
		}
	}
}
