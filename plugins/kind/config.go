package kind

import (
	"context"
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"
)

// ConfigLabel is the label by which a node image says which configuration its clusters want, as YAML: lwtest's own image
// has no network add-on, for instance, and kind would wait for one.
const ConfigLabel = "io.lwtest.kind.config"

// config is what the cluster is made of: the file, or what the image says of itself, or kind's default.
func (o Options) config(ctx context.Context, e engine) (*v1alpha4.Cluster, error) {
	c := &v1alpha4.Cluster{}
	raw, from, err := o.rawConfig(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalStrict(raw, c); err != nil {
		return nil, fmt.Errorf("%s is not a kind configuration: %w", from, err)
	}
	if len(raw) > 0 && (c.Kind != "Cluster" || c.APIVersion != "kind.x-k8s.io/v1alpha4") {
		return nil, fmt.Errorf("%s is of kind %q and version %q: it must be a Cluster of kind.x-k8s.io/v1alpha4", from, c.Kind, c.APIVersion)
	}
	return c, nil
}

func (o Options) rawConfig(ctx context.Context, e engine) (raw []byte, from string, err error) {
	if o.Config != "" {
		b, err := os.ReadFile(o.Config)
		if err != nil {
			return nil, "", fmt.Errorf("--kind-config: %w", err)
		}
		return b, "--kind-config " + o.Config, nil
	}
	if o.Image == "" {
		return nil, "", nil
	}
	// an image that is not here yet, which kind pulls, has none
	out, _ := e.ask(ctx, "image", "inspect", "--format", fmt.Sprintf("{{index .Config.Labels %q}}", ConfigLabel), o.Image)
	return []byte(strings.TrimSpace(strings.Replace(string(out), "<no value>", "", 1))), "the label " + ConfigLabel + " of " + o.Image, nil
}

// expose has the first control-plane node's etcd be reached at a port of 127.0.0.1.
func expose(c *v1alpha4.Cluster, port int) {
	if len(c.Nodes) == 0 {
		c.Nodes = []v1alpha4.Node{{Role: v1alpha4.ControlPlaneRole}}
	}
	for i := range c.Nodes {
		if n := &c.Nodes[i]; n.Role == "" || n.Role == v1alpha4.ControlPlaneRole {
			n.ExtraPortMappings = append(n.ExtraPortMappings, v1alpha4.PortMapping{ContainerPort: etcdPort, HostPort: int32(port), ListenAddress: "127.0.0.1"})
			return
		}
	}
}
