package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// mounted is what the agent knows of the volumes of a pod. Only the pod's worker uses it.
type mounted struct {
	data   map[string]objectData // of ConfigMaps and Secrets
	tokens map[string]token      // by volume and path
	wait   time.Duration         // after the last failure
}

// objectData is the data of a ConfigMap or a Secret, as they were at a time.
type objectData struct {
	at     time.Time
	values map[string]string
}

// token is a token of a service account.
type token struct {
	text        string
	began, ends time.Time
}

// isDue reports whether it is time for another token: a fifth of its life is left, or it is a day old (k8s.io/kubernetes v1.37.1,
// pkg/kubelet/token).
func (t token) isDue(now time.Time) bool {
	return now.After(t.ends.Add(-t.ends.Sub(t.began)/5)) || now.After(t.began.Add(24*time.Hour))
}

// content is a file of a volume.
type content struct {
	text []byte
	mode fs.FileMode
}

// mountVolumes writes the files of a pod's volumes that come from the API: those of ConfigMaps, Secrets, the downward API and tokens. Each sync
// of the pod does it again. What was read of the API is read anew after a SyncFrequency; if that fails, the files stay as they are.
func (a *Agent) mountVolumes(ctx context.Context, p *v1.Pod) error {
	if a.c.State == "" {
		return nil
	}
	a.mu.Lock()
	m := a.mounted[p.UID]
	if m == nil {
		m = &mounted{data: map[string]objectData{}, tokens: map[string]token{}}
		a.mounted[p.UID] = m
	}
	a.mu.Unlock()
	var errs []error
	for i := range p.Spec.Volumes {
		vol := &p.Spec.Volumes[i]
		if !isFromAPI(vol) || !isUsed(p, vol.Name) {
			continue
		}
		files, err := (&volume{a, ctx, p, m, vol}).files()
		if err == nil {
			err = writeFiles(a.volumeDir(p.UID, vol.Name), files)
		}
		if err != nil {
			a.events.pod(p, v1.EventTypeWarning, "FailedMount", "MountVolume.SetUp failed for volume %q : %v", vol.Name, err)
			errs = append(errs, fmt.Errorf("volume %s cannot be mounted: %w", vol.Name, err))
		}
	}
	if len(errs) == 0 {
		m.wait = 0
		return nil
	}
	m.wait = min(max(2*m.wait, 500*time.Millisecond), 2*time.Minute)
	return retryAfter{errors.Join(errs...), time.Now().Add(m.wait)}
}

// isUsed reports whether a container mounts a volume. A kubelet leaves out the others.
func isUsed(p *v1.Pod, name string) bool {
	for c := range containers(p, true) {
		if slices.ContainsFunc(c.VolumeMounts, func(m v1.VolumeMount) bool { return m.Name == name }) {
			return true
		}
	}
	return false
}

// isFromAPI reports whether the files of a volume come from the API server. Containers cannot write to them.
func isFromAPI(vol *v1.Volume) bool {
	return vol.ConfigMap != nil || vol.Secret != nil || vol.DownwardAPI != nil || vol.Projected != nil
}

// volume is a volume that is being mounted.
type volume struct {
	a   *Agent
	ctx context.Context
	pod *v1.Pod
	m   *mounted
	*v1.Volume
}

// files returns the files of the volume, by their paths.
func (v *volume) files() (map[string]content, error) {
	out := map[string]content{}
	switch {
	case v.ConfigMap != nil:
		return out, v.object(out, "configmap", v.ConfigMap.Name, v.ConfigMap.Items, v.ConfigMap.DefaultMode, v.ConfigMap.Optional)
	case v.Secret != nil:
		return out, v.object(out, "secret", v.Secret.SecretName, v.Secret.Items, v.Secret.DefaultMode, v.Secret.Optional)
	case v.DownwardAPI != nil:
		return out, v.downward(out, v.DownwardAPI.Items, v.DownwardAPI.DefaultMode)
	}
	var errs []error
	mode := v.Projected.DefaultMode
	for _, s := range v.Projected.Sources {
		switch {
		case s.ConfigMap != nil:
			errs = append(errs, v.object(out, "configmap", s.ConfigMap.Name, s.ConfigMap.Items, mode, s.ConfigMap.Optional))
		case s.Secret != nil:
			errs = append(errs, v.object(out, "secret", s.Secret.Name, s.Secret.Items, mode, s.Secret.Optional))
		case s.DownwardAPI != nil:
			errs = append(errs, v.downward(out, s.DownwardAPI.Items, mode))
		case s.ServiceAccountToken != nil:
			text, err := v.token(s.ServiceAccountToken)
			out[s.ServiceAccountToken.Path] = content{[]byte(text), modeOf(nil, mode)}
			errs = append(errs, err)
		default:
			errs = append(errs, errors.New("this agent does not know the source of a projected volume"))
		}
	}
	return out, errors.Join(errs...)
}

func modeOf(own, all *int32) fs.FileMode {
	switch {
	case own != nil:
		return fs.FileMode(*own)
	case all != nil:
		return fs.FileMode(*all)
	}
	return 0o644
}

// object adds the files of a ConfigMap or a Secret: those of items, or one for each key.
func (v *volume) object(out map[string]content, kind, name string, items []v1.KeyToPath, mode *int32, optional *bool) error {
	id := kind + " " + name
	known, ok := v.m.data[id]
	if !ok || time.Since(known.at) >= v.a.c.SyncFrequency {
		values, err := v.a.dataOf(v.ctx, v.pod.Namespace, kind, name, optional)
		if err != nil && !ok {
			return err
		}
		if err == nil {
			known = objectData{time.Now(), values}
			v.m.data[id] = known
		}
	}
	if len(items) == 0 {
		for k, text := range known.values {
			out[k] = content{[]byte(text), modeOf(nil, mode)}
		}
		return nil
	}
	for _, item := range items {
		text, ok := known.values[item.Key]
		if !ok && (optional == nil || !*optional) {
			return fmt.Errorf("references non-existent %s key: %s", map[string]string{"configmap": "config", "secret": "secret"}[kind], item.Key)
		}
		if ok {
			out[item.Path] = content{[]byte(text), modeOf(item.Mode, mode)}
		}
	}
	return nil
}

// downward adds the files of the downward API.
func (v *volume) downward(out map[string]content, items []v1.DownwardAPIVolumeFile, mode *int32) error {
	for _, item := range items {
		text, err := "", error(nil)
		switch {
		case item.FieldRef != nil:
			text, err = v.a.field(v.pod, nil, item.FieldRef.FieldPath)
		case item.ResourceFieldRef != nil:
			c := container(v.pod, item.ResourceFieldRef.ContainerName)
			if c == nil {
				return fmt.Errorf("container %s not found", item.ResourceFieldRef.ContainerName)
			}
			text = v.a.resourceField(c, item.ResourceFieldRef)
		}
		if err != nil {
			return err
		}
		out[item.Path] = content{[]byte(text), modeOf(item.Mode, mode)}
	}
	return nil
}

// token returns a token of the pod's service account, which is good as long as the pod lives.
func (v *volume) token(from *v1.ServiceAccountTokenProjection) (string, error) {
	id := v.Name + "/" + from.Path
	known, ok := v.m.tokens[id]
	if ok && !known.isDue(time.Now()) {
		return known.text, nil
	}
	if v.a.api == nil {
		return "", errors.New("no API server gives tokens")
	}
	q := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: from.ExpirationSeconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: v.pod.Name, UID: v.pod.UID}}}
	if from.Audience != "" {
		q.Spec.Audiences = []string{from.Audience}
	}
	began := time.Now()
	made, err := v.a.api.CoreV1().ServiceAccounts(v.pod.Namespace).CreateToken(v.ctx, v.pod.Spec.ServiceAccountName, q, metav1.CreateOptions{})
	switch {
	case err == nil:
		v.m.tokens[id] = token{made.Status.Token, began, made.Status.ExpirationTimestamp.Time}
		return made.Status.Token, nil
	case ok && began.Before(known.ends):
		v.a.log.Error("cannot renew a token", "pod", describe(v.pod), "err", err)
		return known.text, nil
	}
	return "", fmt.Errorf("failed to fetch token: %w", err)
}

// writeFiles makes a folder have these files and no others. A file is never seen half written.
func writeFiles(dir string, files map[string]content) error {
	for name, c := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if was, err := os.ReadFile(path); err == nil && bytes.Equal(was, c.text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		part := filepath.Join(dir, "..part")
		if err := os.WriteFile(part, c.text, 0o600); err != nil {
			return err
		}
		if err := errors.Join(os.Chmod(part, c.mode.Perm()), os.Rename(part, path)); err != nil {
			return err
		}
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if _, ok := files[filepath.ToSlash(name)]; err == nil && !ok {
			err = os.Remove(path)
		}
		return err
	})
}

// hostsFile writes the /etc/hosts of a pod, and returns where it is.
func (r *run) hostsFile() (string, error) {
	path, name := filepath.Join(r.a.podDir(r.pod.UID), "etc-hosts"), r.config.GetHostname()
	if r.pod.Spec.Subdomain != "" {
		name = fmt.Sprintf("%s.%s.%s.svc.cluster.local\t%s", name, r.pod.Spec.Subdomain, r.pod.Namespace, name)
	}
	var b strings.Builder
	b.WriteString("# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n")
	for _, ip := range r.status.ips {
		fmt.Fprintf(&b, "%s\t%s\n", ip, name)
	}
	if len(r.pod.Spec.HostAliases) > 0 {
		b.WriteString("\n# Entries added by HostAliases.\n")
	}
	for _, alias := range r.pod.Spec.HostAliases {
		fmt.Fprintf(&b, "%s\t%s\n", alias.IP, strings.Join(alias.Hostnames, "\t"))
	}
	return path, os.WriteFile(path, []byte(b.String()), 0o644)
}

// hasHosts reports whether the agent mounts /etc/hosts into a container.
func (r *run) hasHosts(c *v1.Container) bool {
	return r.a.c.State != "" && !r.pod.Spec.HostNetwork && len(r.status.ips) > 0 &&
		!slices.ContainsFunc(c.VolumeMounts, func(m v1.VolumeMount) bool { return filepath.Clean(m.MountPath) == "/etc/hosts" })
}
