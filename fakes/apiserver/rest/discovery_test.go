package rest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientrest "k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

const discoveryFile = "testdata/discovery.json"

// found is what discovery says of one resource, in each of its two forms.
type found struct {
	GroupVersion string
	Plain        []metav1.APIResource // with its subresources
	Whole        *apidiscoveryv2.APIResourceDiscovery
}

// Discovery says of each resource what a real kube-apiserver does: names, short ones too, categories, scope, verbs,
// subresources.
func TestDiscovery(t *testing.T) {
	b, err := os.ReadFile(discoveryFile)
	require.NoError(t, err)
	var want []found
	require.NoError(t, json.Unmarshal(b, &want))
	inBubble(t, apiserver.Options{}, func(t *testing.T, b both) {
		config := b.RESTConfig()
		client := &http.Client{Transport: &http.Transport{DialContext: config.Dial}}
		defer client.CloseIdleConnections()
		got := discovered(t, client, config)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i])
		}
	})
}

// TestRealDiscovery asks a real kube-apiserver, and writes the file:
//
//	make goldens-check RAW=Discovery
func TestRealDiscovery(t *testing.T) {
	config := realConfig(t, wanted(t, "Discovery"))
	client := realSession(config).client
	defer client.CloseIdleConnections()
	b, err := json.MarshalIndent(discovered(t, client, config), "", " ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(discoveryFile, append(b, '\n'), 0o644))
}

// discovered is what a server says of the resources of the table.
func discovered(t *testing.T, client *http.Client, config *clientrest.Config) (out []found) {
	t.Helper()
	rows := apiserver.Resources()
	for _, unkept := range []schema.GroupVersionResource{corev1.SchemeGroupVersion.WithResource("bindings"), corev1.SchemeGroupVersion.WithResource("componentstatuses")} {
		rows = append(rows, apiserver.Resource{GroupVersionResource: unkept})
	}
	for _, r := range rows {
		gv, root := r.GroupVersion().String(), "/apis"
		if r.Group == "" {
			root = "/api"
		}
		f := found{GroupVersion: gv}
		var l metav1.APIResourceList
		discover(t, client, config, root+"/"+gv, "application/json", &l)
		for _, res := range l.APIResources {
			name, _, _ := strings.Cut(res.Name, "/")
			if name == r.Resource {
				f.Plain = append(f.Plain, res)
			}
		}
		var all apidiscoveryv2.APIGroupDiscoveryList
		discover(t, client, config, root, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", &all)
		f.Whole = whole(all, r)
		require.NotNil(t, f.Whole, r.Resource)
		out = append(out, f)
	}
	return out
}

func whole(all apidiscoveryv2.APIGroupDiscoveryList, r apiserver.Resource) *apidiscoveryv2.APIResourceDiscovery {
	for _, g := range all.Items {
		for _, v := range g.Versions {
			for _, res := range v.Resources {
				if g.Name == r.Group && v.Version == r.Version && res.Resource == r.Resource {
					for i := range res.Subresources {
						res.Subresources[i].AcceptedTypes = nil
					}
					return &res
				}
			}
		}
	}
	return nil
}

func discover(t *testing.T, client *http.Client, config *clientrest.Config, path, accept string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, config.Host+path, nil)
	require.NoError(t, err)
	req.Header.Set("Accept", accept)
	if config.BearerToken != "" {
		req.Header.Set("Authorization", "Bearer "+config.BearerToken)
	}
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, into), "%s", b)
}
