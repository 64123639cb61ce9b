package node

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// podDir is the pod's folder; "": there is none.
func (a *Agent) podDir(uid types.UID) string {
	if a.c.State == "" {
		return ""
	}
	return filepath.Join(a.c.State, "pods", string(uid))
}

func (a *Agent) makeDirs(p *v1.Pod) error {
	dir := a.podDir(p.UID)
	if dir == "" {
		return nil
	}
	for _, vol := range p.Spec.Volumes {
		if vol.HostPath == nil && vol.Image == nil {
			if err := os.MkdirAll(a.volumeDir(p.UID, vol.Name), 0o755); err != nil {
				return err
			}
		}
	}
	return os.MkdirAll(filepath.Join(dir, "volumes"), 0o750)
}

func (a *Agent) removeDirs(p *v1.Pod) {
	a.mu.Lock()
	delete(a.mounted, p.UID)
	a.mu.Unlock()
	if dir := a.podDir(p.UID); dir != "" && p.UID != "" {
		_ = os.RemoveAll(dir)
	}
}

func (a *Agent) volumeDir(uid types.UID, name string) string {
	return filepath.Join(a.podDir(uid), "volumes", name)
}

// env returns the variables of a container: its own, then those of services.
func (r *run) env(c *v1.Container) (all []v1.EnvVar, err error) {
	set := func(name, value string) {
		if i := slices.IndexFunc(all, func(e v1.EnvVar) bool { return e.Name == name }); i >= 0 {
			all[i].Value = value
			return
		}
		all = append(all, v1.EnvVar{Name: name, Value: value})
	}
	for _, from := range c.EnvFrom {
		var data map[string]string
		if from.ConfigMapRef != nil {
			data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "configmap", from.ConfigMapRef.Name, from.ConfigMapRef.Optional)
		} else if from.SecretRef != nil {
			data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "secret", from.SecretRef.Name, from.SecretRef.Optional)
		}
		if err != nil {
			return nil, err
		}
		for _, k := range slices.Sorted(maps.Keys(data)) {
			set(from.Prefix+k, data[k])
		}
	}
	services := r.a.serviceEnv(r.pod)
	for _, e := range c.Env {
		value, ok := expand(e.Value, all, services), true
		if e.ValueFrom != nil {
			if value, ok, err = r.valueFrom(c, e.ValueFrom); err != nil {
				return nil, err
			}
		}
		if ok {
			set(e.Name, value)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(services)) {
		if !slices.ContainsFunc(all, func(e v1.EnvVar) bool { return e.Name == k }) {
			all = append(all, v1.EnvVar{Name: k, Value: services[k]})
		}
	}
	return all, nil
}

func (r *run) valueFrom(c *v1.Container, from *v1.EnvVarSource) (value string, ok bool, err error) {
	key, optional, where := "", (*bool)(nil), ""
	var data map[string]string
	switch {
	case from.FieldRef != nil:
		value, err = r.a.field(r.pod, r.status.ips, from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		return r.a.resourceField(c, from.ResourceFieldRef), true, nil
	case from.ConfigMapKeyRef != nil:
		key, optional, where = from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Optional, "ConfigMap "+r.pod.Namespace+"/"+from.ConfigMapKeyRef.Name
		data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "configmap", from.ConfigMapKeyRef.Name, optional)
	case from.SecretKeyRef != nil:
		key, optional, where = from.SecretKeyRef.Key, from.SecretKeyRef.Optional, "Secret "+r.pod.Namespace+"/"+from.SecretKeyRef.Name
		data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "secret", from.SecretKeyRef.Name, optional)
	}
	if value, ok = data[key]; err == nil && !ok && (optional == nil || !*optional) {
		err = fmt.Errorf("couldn't find key %s in %s", key, where)
	}
	return value, ok, err
}

// resourceField is a request or a limit of a container in units of a divisor, rounded up. Without a limit it is what the node has.
func (a *Agent) resourceField(c *v1.Container, from *v1.ResourceFieldSelector) string {
	kind, what, _ := strings.Cut(from.Resource, ".")
	q := c.Resources.Requests[v1.ResourceName(what)]
	if kind == "limits" {
		if q = c.Resources.Limits[v1.ResourceName(what)]; q.IsZero() {
			q = a.c.Capacity[v1.ResourceName(what)]
		}
	}
	value, unit := q.Value(), max(from.Divisor.Value(), 1)
	if what == string(v1.ResourceCPU) && !from.Divisor.IsZero() {
		value, unit = q.MilliValue(), from.Divisor.MilliValue()
	}
	return strconv.FormatInt((value+unit-1)/unit, 10)
}

var keyed = regexp.MustCompile(`^metadata\.(labels|annotations)\['(.*)'\]$`)

// field is a field of a pod with addresses, as the downward API has it.
func (a *Agent) field(p *v1.Pod, ips []string, path string) (string, error) {
	maps := map[string]map[string]string{"labels": p.Labels, "annotations": p.Annotations}
	if m := keyed.FindStringSubmatch(path); m != nil {
		return maps[m[1]][m[2]], nil
	}
	if all, ok := maps[strings.TrimPrefix(path, "metadata.")]; ok {
		return lines(all), nil
	}
	ip := ""
	if len(ips) > 0 {
		ip = ips[0]
	}
	if p.Spec.HostNetwork {
		ip = a.c.Address
	}
	value, ok := map[string]string{"metadata.name": p.Name, "metadata.namespace": p.Namespace, "metadata.uid": string(p.UID), "spec.nodeName": p.Spec.NodeName,
		"spec.serviceAccountName": p.Spec.ServiceAccountName, "status.hostIP": a.c.Address, "status.hostIPs": a.c.Address, "status.podIP": ip, "status.podIPs": strings.Join(ips, ",")}[path]
	if !ok {
		return "", fmt.Errorf("unsupported fieldPath: %s", path)
	}
	return value, nil
}

// lines returns labels or annotations as the downward API has them.
func lines(all map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		out = append(out, fmt.Sprintf("%s=%q", k, all[k]))
	}
	return strings.Join(out, "\n")
}

// dataOf reads a ConfigMap or a Secret.
func (a *Agent) dataOf(ctx context.Context, namespace, kind, name string, optional *bool) (map[string]string, error) {
	if a.api == nil {
		return nil, fmt.Errorf("no API server has %s %s", kind, name)
	}
	out, err := map[string]string{}, error(nil)
	if kind == "secret" {
		var s *v1.Secret
		if s, err = a.api.CoreV1().Secrets(namespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
			for k, v := range s.Data {
				out[k] = string(v)
			}
		}
	} else {
		var m *v1.ConfigMap
		if m, err = a.api.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
			maps.Copy(out, m.Data)
			for k, v := range m.BinaryData {
				out[k] = string(v)
			}
		}
	}
	switch {
	case err != nil && optional != nil && *optional:
		return nil, nil
	case apierrors.IsNotFound(err):
		err = fmt.Errorf("%s %q not found", kind, name)
	}
	return out, err
}

var reference = regexp.MustCompile(`\$\$|\$\([^)]*\)`)

// expand replaces $(NAME) by variables, or else by those of services. $$ is a dollar sign, and what is not known stays.
func expand(s string, env []v1.EnvVar, services map[string]string) string {
	return reference.ReplaceAllStringFunc(s, func(m string) string {
		if m == "$$" {
			return "$"
		}
		for _, e := range env {
			if e.Name == m[2:len(m)-1] {
				return e.Value
			}
		}
		if value, ok := services[m[2:len(m)-1]]; ok {
			return value
		}
		return m
	})
}

// mounts returns the mounts of a container: its volumes, /etc/hosts, and the file for its termination message.
func (r *run) mounts(c *v1.Container, env []v1.EnvVar, attempt int, images map[string]*runtimeapi.ImageSpec) (all []*runtimeapi.Mount, err error) {
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(r.pod.Spec.Volumes, func(v v1.Volume) bool { return v.Name == m.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no volume %q", m.Name)
		}
		mount, vol := &runtimeapi.Mount{ContainerPath: m.MountPath, Readonly: m.ReadOnly}, &r.pod.Spec.Volumes[i]
		sub := m.SubPath
		if m.SubPathExpr != "" {
			sub = expand(m.SubPathExpr, env, nil)
		}
		if !filepath.IsLocal(filepath.Clean("./" + sub)) {
			return nil, fmt.Errorf("the path %q leaves volume %q", sub, m.Name)
		}
		switch {
		case vol.Image != nil:
			mount.Image, mount.ImageSubPath, mount.Readonly = images[m.Name], sub, true
		case vol.HostPath != nil:
			mount.HostPath = filepath.Join(vol.HostPath.Path, sub)
		case r.a.c.State != "":
			mount.HostPath, mount.Readonly = filepath.Join(r.a.volumeDir(r.pod.UID, m.Name), sub), m.ReadOnly || isFromAPI(vol)
			if _, err := os.Stat(mount.HostPath); err != nil && sub != "" {
				if err := os.MkdirAll(mount.HostPath, 0o755); err != nil {
					return nil, err
				}
			}
		default:
			continue
		}
		all = append(all, mount)
	}
	if r.hasHosts(c) {
		path, err := r.hostsFile()
		if err != nil {
			return nil, err
		}
		all = append(all, &runtimeapi.Mount{ContainerPath: "/etc/hosts", HostPath: path})
	}
	if dir := r.a.podDir(r.pod.UID); dir != "" && c.TerminationMessagePath != "" {
		path := filepath.Join(dir, "containers", c.Name, strconv.Itoa(attempt))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			return nil, err
		}
		all = append(all, &runtimeapi.Mount{ContainerPath: c.TerminationMessagePath, HostPath: path})
	}
	return all, nil
}
