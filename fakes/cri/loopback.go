package cri

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/netip"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// mostManifest is how many bytes of a manifest are read.
const mostManifest = 4 << 20

// Loopback is an Options.Pull that asks a registry for the manifest of an image whose name begins with a loopback address and a port,
// such as 127.0.0.1:5000/a/b:1, by plain HTTP as the distribution specification of OCI says. It reads no layers. Any other image is not
// its affair.
func Loopback(ctx context.Context, name, username, password string) (*Image, error) {
	host, _, _ := strings.Cut(name, "/")
	if at, err := netip.ParseAddrPort(host); err != nil || !at.Addr().IsLoopback() {
		return nil, nil
	}
	name = full(name)
	repository, reference := repository(name), ""
	if _, digest, ok := strings.Cut(name, "@"); ok {
		reference = digest
	} else {
		reference = name[len(repository)+1:]
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/v2"+strings.TrimPrefix(repository, host)+"/manifests/"+reference, nil)
	if err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "failed to pull %q: %v", name, err)
	}
	q.Header.Set("Accept", "application/vnd.oci.image.manifest.v1+json, application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.index.v1+json")
	if username != "" {
		q.SetBasicAuth(username, password)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, pullFailed(ctx, name, err.Error())
	}
	defer answer.Body.Close()
	manifest, err := io.ReadAll(io.LimitReader(answer.Body, mostManifest))
	switch {
	case err != nil:
		return nil, pullFailed(ctx, name, err.Error())
	case answer.StatusCode == http.StatusNotFound:
		return nil, status.Errorf(codes.NotFound, "failed to pull %q: not found", name)
	case answer.StatusCode != http.StatusOK:
		return nil, pullFailed(ctx, name, answer.Status)
	}
	sum := sha256.Sum256(manifest)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	if strings.Contains(name, "@") && digest != reference {
		return nil, pullFailed(ctx, name, "its manifest has the digest "+digest)
	}
	return &Image{Content: digest, Digest: digest}, nil
}

// pullFailed returns the error of a pull: that of its caller who has gone, or what happened.
func pullFailed(ctx context.Context, name, why string) error {
	if ctx.Err() != nil {
		return status.FromContextError(ctx.Err()).Err()
	}
	return status.Errorf(codes.Unknown, "failed to pull %q: %s", name, why)
}
