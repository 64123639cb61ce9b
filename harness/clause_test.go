package harness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSourceLink(t *testing.T) {
	for _, c := range []struct {
		source Source
		want   string
	}{
		{Source{Name: "k8s.io/client-go@v0.37.2/tools/cache/store.go#Store.Add"}, "https://github.com/kubernetes/client-go/blob/v0.37.2/tools/cache/store.go"},
		{Source{Name: "sigs.k8s.io/controller-runtime@v0.25.0/pkg/client/interfaces.go#Reader"}, "https://github.com/kubernetes-sigs/controller-runtime/blob/v0.25.0/pkg/client/interfaces.go"},
		{Source{Name: "github.com/containerd/containerd@v2.4.2/core/mount/mount.go#Mount"}, "https://github.com/containerd/containerd/blob/v2.4.2/core/mount/mount.go"},
		{Source{Name: "the manual", URL: "https://example.org/manual"}, "https://example.org/manual"},
		{Source{Name: "the manual"}, ""},
		{Source{Name: "k8s.io/utils@v0.0.0-20260101000000-0123456789ab/ptr/ptr.go#To"}, ""},    // no tag
		{Source{Name: "sigs.k8s.io/structured-merge-diff/v6@v6.3.0/value/value.go#Value"}, ""}, // the folder may have /v6 or not
		{Source{Name: "example.org/k8s.io/x@v1.0.0/x.go#X"}, ""},
	} {
		assert.Equal(t, c.want, c.source.Link(), c.source.Name)
	}
}
