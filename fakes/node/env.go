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
	if dir := a.podDir(p.UID); dir != "" && p.UID != "" {
		_ = os.RemoveAll(dir)
	}
}

func (a *Agent) volumeDir(uid types.UID, name string) string {
	return filepath.Join(a.podDir(uid), "volumes", name)
}

// env returns the variables of a container.
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
	for _, e := range c.Env {
		value, ok := expand(e.Value, all), true
		if e.ValueFrom != nil {
			if value, ok, err = r.valueFrom(c, e.ValueFrom); err != nil {
				return nil, err
			}
		}
		if ok {
			set(e.Name, value)
		}
	}
	return all, nil
}

func (r *run) valueFrom(c *v1.Container, from *v1.EnvVarSource) (value string, ok bool, err error) {
	key, optional := "", (*bool)(nil)
	var data map[string]string
	switch {
	case from.FieldRef != nil:
		value, err = r.field(from.FieldRef.FieldPath)
		return value, true, err
	case from.ResourceFieldRef != nil:
		return resourceField(c, from.ResourceFieldRef.Resource), true, nil
	case from.ConfigMapKeyRef != nil:
		key, optional = from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Optional
		data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "configmap", from.ConfigMapKeyRef.Name, optional)
	case from.SecretKeyRef != nil:
		key, optional = from.SecretKeyRef.Key, from.SecretKeyRef.Optional
		data, err = r.a.dataOf(r.job.ctx, r.pod.Namespace, "secret", from.SecretKeyRef.Name, optional)
	}
	if value, ok = data[key]; err == nil && !ok && (optional == nil || !*optional) {
		err = fmt.Errorf("couldn't find key %s", key)
	}
	return value, ok, err
}

func resourceField(c *v1.Container, name string) string {
	kind, what, _ := strings.Cut(name, ".")
	list := c.Resources.Requests
	if kind == "limits" {
		list = c.Resources.Limits
	}
	q := list[v1.ResourceName(what)]
	return strconv.FormatInt(q.Value(), 10)
}

var keyed = regexp.MustCompile(`^metadata\.(labels|annotations)\['(.*)'\]$`)

// field is a field of the pod, as the downward API has it.
func (r *run) field(path string) (string, error) {
	p := r.pod
	if m := keyed.FindStringSubmatch(path); m != nil {
		return map[string]map[string]string{"labels": p.Labels, "annotations": p.Annotations}[m[1]][m[2]], nil
	}
	ip := ""
	if len(r.status.ips) > 0 {
		ip = r.status.ips[0]
	}
	if p.Spec.HostNetwork {
		ip = r.a.c.Address
	}
	value, ok := map[string]string{"metadata.name": p.Name, "metadata.namespace": p.Namespace, "metadata.uid": string(p.UID), "spec.nodeName": p.Spec.NodeName,
		"spec.serviceAccountName": p.Spec.ServiceAccountName, "status.hostIP": r.a.c.Address, "status.hostIPs": r.a.c.Address, "status.podIP": ip, "status.podIPs": strings.Join(r.status.ips, ",")}[path]
	if !ok {
		return "", fmt.Errorf("unsupported fieldPath: %s", path)
	}
	return value, nil
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
			out = m.Data
		}
	}
	if err != nil && optional != nil && *optional {
		return nil, nil
	}
	return out, err
}

var reference = regexp.MustCompile(`\$\$|\$\([^)]*\)`)

// expand replaces $(NAME) by variables. $$ is a dollar sign, and what is not known stays.
func expand(s string, env []v1.EnvVar) string {
	return reference.ReplaceAllStringFunc(s, func(m string) string {
		if m == "$$" {
			return "$"
		}
		for _, e := range env {
			if e.Name == m[2:len(m)-1] {
				return e.Value
			}
		}
		return m
	})
}

// mounts returns the mounts of a container: its volumes, and the file for its termination message.
func (r *run) mounts(c *v1.Container, env []v1.EnvVar, attempt int, images map[string]*runtimeapi.ImageSpec) (all []*runtimeapi.Mount, err error) {
	for _, m := range c.VolumeMounts {
		i := slices.IndexFunc(r.pod.Spec.Volumes, func(v v1.Volume) bool { return v.Name == m.Name })
		if i < 0 {
			return nil, fmt.Errorf("there is no volume %q", m.Name)
		}
		mount, vol := &runtimeapi.Mount{ContainerPath: m.MountPath, Readonly: m.ReadOnly}, &r.pod.Spec.Volumes[i]
		sub := m.SubPath
		if m.SubPathExpr != "" {
			sub = expand(m.SubPathExpr, env)
		}
		switch {
		case vol.Image != nil:
			mount.Image, mount.ImageSubPath, mount.Readonly = images[m.Name], sub, true
		case vol.HostPath != nil:
			mount.HostPath = filepath.Join(vol.HostPath.Path, sub)
		case r.a.c.State != "":
			mount.HostPath = filepath.Join(r.a.volumeDir(r.pod.UID, m.Name), sub)
		default:
			continue
		}
		all = append(all, mount)
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
