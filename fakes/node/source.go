package node

import (
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/dump"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Annotations of pods that say where they come from.
const (
	noteConfigHash   = "kubernetes.io/config.hash"
	noteConfigMirror = "kubernetes.io/config.mirror"
	noteConfigSeen   = "kubernetes.io/config.seen"
	noteConfigSource = "kubernetes.io/config.source"
)

// sourceUpdate is all pods that a source has: "api", "file" or "http".
type sourceUpdate struct {
	source string
	pods   []*v1.Pod
}

// send hands a source's pods to the loop.
func (a *Agent) send(source string, pods []*v1.Pod) {
	select {
	case a.updates <- sourceUpdate{source, pods}:
	case <-a.ctx.Done():
	}
}

// watchPods follows the pods of the node, once the Node has been looked for.
func (a *Agent) watchPods() {
	if a.api == nil {
		return
	}
	for ready := false; !ready; {
		if !a.sleep(100 * time.Millisecond) {
			return
		}
		a.mu.Lock()
		ready = a.delivered["node"] && a.services != nil
		a.mu.Unlock()
	}
	lw := cache.NewListWatchFromClient(a.api.CoreV1().RESTClient(), "pods", metav1.NamespaceAll, fields.OneTermEqualSelector("spec.nodeName", a.c.Name))
	store := cache.NewUndeltaStore(func(all []any) {
		pods := make([]*v1.Pod, len(all))
		for i, o := range all {
			pods[i] = o.(*v1.Pod)
		}
		a.send("api", pods)
	}, cache.MetaNamespaceKeyFunc)
	cache.NewReflectorWithOptions(lw, &v1.Pod{}, store, cache.ReflectorOptions{}).RunWithContext(a.ctx)
}

// watchManifests reads the folder of static pods again and again.
func (a *Agent) watchManifests() {
	if a.c.Manifests == "" {
		return
	}
	known := map[string]manifest{}
	a.every(a.c.FileCheckFrequency, func() {
		pods, err := a.readManifests(known)
		if err != nil {
			a.log.Error("cannot read manifests", "err", err)
			return
		}
		a.send("file", pods)
	})
}

// manifest is a file that was read before. Most files do not change between two looks at them, and decoding takes longer than a copy.
type manifest struct {
	body string
	pod  *v1.Pod
}

// readManifests returns the pods of a folder. A folder that is missing has none. A file that is no pod is left out. known are the files
// of the last time, by path.
func (a *Agent) readManifests(known map[string]manifest) ([]*v1.Pod, error) {
	files, err := os.ReadDir(a.c.Manifests)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var pods []*v1.Pod
	for _, f := range files {
		if f.IsDir() || strings.HasPrefix(f.Name(), ".") {
			continue
		}
		path := filepath.Join(a.c.Manifests, f.Name())
		b, err := os.ReadFile(path)
		if err == nil {
			m := known[path]
			if m.pod == nil || m.body != string(b) {
				m.body = string(b)
				m.pod, err = a.staticPod(b, path, true)
			}
			if err == nil {
				known[path] = m
				pods = append(pods, m.pod.DeepCopy())
			}
		}
		if err != nil {
			a.log.Error("cannot process manifest file", "path", path, "err", err)
		}
	}
	return pods, err
}

// watchManifestURL asks for a manifest again and again. A failure keeps the pods, an empty answer means that there are none, and the
// same answer again is no news.
func (a *Agent) watchManifestURL() {
	if a.c.ManifestURL == "" {
		return
	}
	last, heard := "", false
	a.every(a.c.HTTPCheckFrequency, func() {
		body, err := a.get(a.c.ManifestURL)
		if err != nil || heard && body == last {
			if err != nil {
				a.log.Error("cannot read the manifest", "err", err)
			}
			return
		}
		var pods []*v1.Pod
		if body != "" {
			if pods, err = a.manifestsOf([]byte(body)); err != nil {
				a.log.Error("cannot read the manifest", "err", err)
				return
			}
		}
		last, heard = body, true
		a.send("http", pods)
	})
}

func (a *Agent) get(url string) (string, error) {
	q, err := http.NewRequestWithContext(a.ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := a.c.HTTP.Do(q)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(io.LimitReader(answer.Body, 10<<20))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, answer.Status)
	}
	return string(b), err
}

// manifestsOf reads a Pod or a PodList.
func (a *Agent) manifestsOf(b []byte) (pods []*v1.Pod, err error) {
	var list struct {
		Kind  string           `json:"kind"`
		Items []map[string]any `json:"items"`
	}
	if err := yaml.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	if list.Kind != "PodList" {
		p, err := a.staticPod(b, a.c.ManifestURL, false)
		return []*v1.Pod{p}, err
	}
	for _, item := range list.Items {
		item["kind"], item["apiVersion"] = "Pod", "v1"
		one, err := yaml.Marshal(item)
		if err != nil {
			return nil, err
		}
		p, err := a.staticPod(one, a.c.ManifestURL, false)
		if err != nil {
			return nil, err
		}
		pods = append(pods, p)
	}
	return pods, nil
}

// staticPod reads the manifest of a static pod. Its UID is a hash of the manifest, unless that says one, and its name ends in that of the
// node.
func (a *Agent) staticPod(b []byte, source string, isFile bool) (*v1.Pod, error) {
	p := &v1.Pod{}
	if err := yaml.Unmarshal(b, p); err != nil {
		return nil, err
	}
	if p.Kind != "Pod" || p.APIVersion != "v1" || p.Name == "" {
		return nil, fmt.Errorf("no v1 Pod with a name: %s %s %q", p.APIVersion, p.Kind, p.Name)
	}
	p.TypeMeta = metav1.TypeMeta{}
	if p.UID == "" {
		h := fnv.New128a()
		fmt.Fprintf(h, "%v", dump.ForHash(p))
		if isFile {
			fmt.Fprintf(h, "host:%sfile:%s", a.c.Name, source)
		} else {
			fmt.Fprintf(h, "url:%s", source)
		}
		p.UID = types.UID(hex.EncodeToString(h.Sum(nil)))
	}
	p.Name += "-" + strings.ToLower(a.c.Name)
	if p.Namespace == "" {
		p.Namespace = metav1.NamespaceDefault
	}
	p.Spec.NodeName = a.c.Name
	metav1.SetMetaDataAnnotation(&p.ObjectMeta, noteConfigHash, string(p.UID))
	if isFile {
		p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute})
	}
	if err := apiserver.PrepareStaticPod(p); err != nil {
		return nil, err
	}
	p.Status = v1.PodStatus{Phase: v1.PodPending}
	if what := apiReference(p); what != "" {
		return nil, fmt.Errorf("static pods may not reference %s", what)
	}
	return p, nil
}

// apiReference returns the kind of API object that a pod refers to; "": none.
func apiReference(p *v1.Pod) string {
	switch {
	case p.Spec.ServiceAccountName != "":
		return "serviceaccounts"
	case len(p.Spec.EphemeralContainers) > 0:
		return "ephemeralcontainers"
	case len(p.Spec.ResourceClaims) > 0:
		return "resourceclaims"
	case len(p.Spec.ImagePullSecrets) > 0:
		return "secrets"
	}
	for c := range containers(p, true) {
		for _, e := range c.EnvFrom {
			if e.SecretRef != nil {
				return "secrets"
			} else if e.ConfigMapRef != nil {
				return "configmaps"
			}
		}
		for _, e := range c.Env {
			if e.ValueFrom != nil && e.ValueFrom.SecretKeyRef != nil {
				return "secrets"
			} else if e.ValueFrom != nil && e.ValueFrom.ConfigMapKeyRef != nil {
				return "configmaps"
			}
		}
	}
	for _, vol := range p.Spec.Volumes {
		switch {
		case vol.Secret != nil:
			return "secrets"
		case vol.ConfigMap != nil:
			return "configmaps"
		case vol.PersistentVolumeClaim != nil, vol.Ephemeral != nil:
			return "persistentvolumeclaims"
		case vol.CSI != nil:
			return "csidrivers"
		case vol.Projected != nil:
			for _, s := range vol.Projected.Sources {
				switch {
				case s.Secret != nil:
					return "secrets"
				case s.ConfigMap != nil:
					return "configmaps"
				case s.ServiceAccountToken != nil:
					return "serviceaccounts"
				case s.ClusterTrustBundle != nil:
					return "clustertrustbundles"
				case s.PodCertificate != nil:
					return "podcertificates"
				}
			}
		}
	}
	return ""
}
