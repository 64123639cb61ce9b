package node

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sandboxConfig returns what the sandbox of a pod is made from (k8s.io/kubernetes v1.37.1, pkg/kubelet/kuberuntime/kuberuntime_sandbox.go).
func (a *Agent) sandboxConfig(p *v1.Pod, attempt uint32) *runtimeapi.PodSandboxConfig {
	labels := map[string]string{}
	maps.Copy(labels, p.Labels)
	labels[labelPodName], labels[labelPodNamespace], labels[labelPodUID] = p.Name, p.Namespace, string(p.UID)
	out := &runtimeapi.PodSandboxConfig{Metadata: &runtimeapi.PodSandboxMetadata{Name: p.Name, Namespace: p.Namespace, Uid: string(p.UID), Attempt: attempt},
		Labels: labels, Annotations: p.Annotations, LogDirectory: a.logDir(p), DnsConfig: &runtimeapi.DNSConfig{}}
	if c := p.Spec.DNSConfig; c != nil {
		out.DnsConfig.Servers, out.DnsConfig.Searches = c.Nameservers, c.Searches
	}
	if !p.Spec.HostNetwork {
		if out.Hostname = p.Spec.Hostname; out.Hostname == "" {
			out.Hostname = strings.TrimRight(p.Name[:min(len(p.Name), 63)], "-.")
		}
	}
	privileged := false
	for c := range containers(p, true) {
		privileged = privileged || c.SecurityContext != nil && c.SecurityContext.Privileged != nil && *c.SecurityContext.Privileged
	}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			out.PortMappings = append(out.PortMappings, &runtimeapi.PortMapping{HostIp: port.HostIP, HostPort: port.HostPort, ContainerPort: port.ContainerPort,
				Protocol: runtimeapi.Protocol(runtimeapi.Protocol_value[string(port.Protocol)])})
		}
	}
	security := &runtimeapi.LinuxSandboxSecurityContext{Privileged: privileged, Seccomp: &runtimeapi.SecurityProfile{ProfileType: runtimeapi.SecurityProfile_RuntimeDefault},
		NamespaceOptions: namespacesOf(p)}
	out.Linux = &runtimeapi.LinuxPodSandboxConfig{CgroupParent: a.cgroupParent(p), SecurityContext: security, Sysctls: map[string]string{}, Overhead: &runtimeapi.LinuxContainerResources{}}
	if sc := p.Spec.SecurityContext; sc != nil {
		security.RunAsUser, security.RunAsGroup = int64Of(sc.RunAsUser), int64Of(sc.RunAsGroup)
		security.SupplementalGroups, security.SupplementalGroupsPolicy = groupsOf(sc)
		for _, s := range sc.Sysctls {
			out.Linux.Sysctls[s.Name] = s.Value
		}
	}
	out.Linux.Resources = linuxResources(sum(p, requestsOf), limitsOfPod(p))
	if p.Spec.Overhead != nil {
		out.Linux.Overhead = linuxResources(p.Spec.Overhead, p.Spec.Overhead)
	}
	return out
}

// limitsOfPod is the sum of the limits of a pod's containers.
func limitsOfPod(p *v1.Pod) v1.ResourceList { return sum(p, limitsOf) }

func int64Of(n *int64) *runtimeapi.Int64Value {
	if n == nil {
		return nil
	}
	return &runtimeapi.Int64Value{Value: *n}
}

func groupsOf(sc *v1.PodSecurityContext) (groups []int64, policy runtimeapi.SupplementalGroupsPolicy) {
	if sc.FSGroup != nil {
		groups = append(groups, *sc.FSGroup)
	}
	if sc.SupplementalGroupsPolicy != nil {
		policy = runtimeapi.SupplementalGroupsPolicy(runtimeapi.SupplementalGroupsPolicy_value[string(*sc.SupplementalGroupsPolicy)])
	}
	return append(groups, sc.SupplementalGroups...), policy
}

// namespacesOf is the same for the sandbox and the containers of a pod.
func namespacesOf(p *v1.Pod) *runtimeapi.NamespaceOption {
	out := &runtimeapi.NamespaceOption{Network: networkOf(p), Pid: runtimeapi.NamespaceMode_CONTAINER, UsernsOptions: &runtimeapi.UserNamespace{Mode: runtimeapi.NamespaceMode_NODE}}
	switch {
	case p.Spec.HostPID:
		out.Pid = runtimeapi.NamespaceMode_NODE
	case p.Spec.ShareProcessNamespace != nil && *p.Spec.ShareProcessNamespace:
		out.Pid = runtimeapi.NamespaceMode_POD
	}
	if p.Spec.HostIPC {
		out.Ipc = runtimeapi.NamespaceMode_NODE
	}
	if p.Spec.HostUsers != nil && !*p.Spec.HostUsers {
		ids := []*runtimeapi.IDMapping{{HostId: 65536, ContainerId: 0, Length: 65536}}
		out.UsernsOptions = &runtimeapi.UserNamespace{Mode: runtimeapi.NamespaceMode_POD, Uids: ids, Gids: ids}
	}
	return out
}

// cgroupParent is the cgroup of a pod below that of its QoS class (k8s.io/kubernetes v1.37.1, pkg/kubelet/cm).
func (a *Agent) cgroupParent(p *v1.Pod) string {
	if !a.c.CgroupsPerQOS {
		return ""
	}
	parts := []string{"kubepods"}
	for _, part := range strings.Split(a.c.CgroupRoot, "/") {
		if part != "" {
			parts = slices.Insert(parts, len(parts)-1, part)
		}
	}
	if qos := qosOf(p); qos != v1.PodQOSGuaranteed {
		parts = append(parts, strings.ToLower(string(qos)))
	}
	parts = append(parts, "pod"+string(p.UID))
	if a.driver == runtimeapi.CgroupDriver_CGROUPFS {
		return "/" + strings.Join(parts, "/")
	}
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "-", "_")
	}
	return strings.Join(parts, "-") + ".slice"
}

// handlerOf is the runtime handler of a pod: that of its class, if there is one.
func (a *Agent) handlerOf(p *v1.Pod) string {
	if p.Spec.RuntimeClassName == nil || *p.Spec.RuntimeClassName == "" || a.api == nil {
		return ""
	}
	class, err := a.api.NodeV1().RuntimeClasses().Get(a.ctx, *p.Spec.RuntimeClassName, metav1.GetOptions{})
	if err != nil {
		return *p.Spec.RuntimeClassName // the runtime refuses it
	}
	return class.Handler
}

func (a *Agent) logDir(p *v1.Pod) string {
	if a.c.Logs == "" {
		return ""
	}
	return filepath.Join(a.c.Logs, p.Namespace+"_"+p.Name+"_"+string(p.UID))
}

func (a *Agent) makeLogDir(dir string) error {
	if dir == "" {
		return nil
	}
	return os.MkdirAll(dir, 0o755)
}

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

// start starts a container: it waits for its back-off, gets the image, creates and starts the container, and runs its postStart hook. It reports
// whether the container started.
func (r *run) start(c *v1.Container) bool {
	r.did++
	r.tried = append(r.tried, c.Name)
	if err := r.tryStart(c); err != nil {
		r.fail(c.Name, err)
		return false
	}
	return true
}

func (r *run) tryStart(c *v1.Container) error {
	a, p, ctx := r.a, r.pod, r.job.ctx
	if err := r.backOff(c); err != nil {
		return err
	}
	images, err := r.imageVolumes(c)
	if err != nil {
		return err
	}
	ref, err := a.ensureImage(ctx, p, c.Image, c.ImagePullPolicy, r.config)
	if err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "Failed", "Error: %v", err.(failure).reason)
		return err
	}
	config, err := r.containerConfig(c, ref, images)
	if err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "Failed", "Error: %v", err)
		return failure{reason: "CreateContainerConfigError", message: err.Error()}
	}
	a.resizes.created(p, c)
	made, err := a.rt.CreateContainer(ctx, &runtimeapi.CreateContainerRequest{PodSandboxId: r.sandbox, Config: config, SandboxConfig: r.config})
	if err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "Failed", "Error: %v", messageOf(err))
		return failure{reason: "CreateContainerError", message: messageOf(err)}
	}
	a.events.container(p, c, v1.EventTypeNormal, "Created", "Container created")
	if _, err := a.rt.StartContainer(ctx, &runtimeapi.StartContainerRequest{ContainerId: made.ContainerId}); err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "Failed", "Error: %v", messageOf(err))
		return failure{reason: "RunContainerError", message: messageOf(err)}
	}
	a.events.container(p, c, v1.EventTypeNormal, "Started", "Container started")
	if c.Lifecycle == nil || c.Lifecycle.PostStart == nil {
		return nil
	}
	if err := a.runHook(ctx, p, c, made.ContainerId, c.Lifecycle.PostStart); err != nil {
		a.events.container(p, c, v1.EventTypeWarning, "FailedPostStartHook", "PostStartHook failed")
		if err := a.killContainer(ctx, p, c, made.ContainerId, "", "FailedPostStartHook", nil, nil); err != nil {
			a.log.Error("cannot kill a container whose postStart hook failed", "container", c.Name, "err", err)
		}
		return failure{reason: "PostStartHookError", message: err.Error()}
	}
	return nil
}

func messageOf(err error) string { return status.Convert(err).Message() }

// backOff returns an error while a container that ended is to wait.
func (r *run) backOff(c *v1.Container) error {
	a := r.a
	i := slices.IndexFunc(r.status.containers, func(cs *containerStatus) bool { return cs.name == c.Name && cs.State == exited })
	if i < 0 {
		return nil
	}
	ended := time.Unix(0, r.status.containers[i].FinishedAt)
	key := fmt.Sprintf("%s_%s_%s_%s_%s", r.pod.Name, r.pod.Namespace, r.pod.UID, c.Name, hashOf(c))
	if a.crash.IsInBackOffSince(key, ended) {
		d := a.crash.Get(key)
		a.events.container(r.pod, c, v1.EventTypeWarning, "BackOff", "Back-off restarting failed container %s in pod %s", c.Name, describe(r.pod))
		return failure{reason: "CrashLoopBackOff", message: fmt.Sprintf("back-off %s restarting failed container=%s pod=%s", d, c.Name, describe(r.pod)), until: ended.Add(d)}
	}
	a.crash.Next(key, ended)
	return nil
}

// containerConfig returns what a container is made from.
func (r *run) containerConfig(c *v1.Container, image string, images map[string]*runtimeapi.ImageSpec) (*runtimeapi.ContainerConfig, error) {
	a, p := r.a, r.pod
	env, err := r.env(c)
	if err != nil {
		return nil, err
	}
	user, err := a.userOf(r.job.ctx, c.Image)
	if err != nil {
		return nil, err
	}
	attempt := a.nextAttempt(p, c, r.status)
	out := &runtimeapi.ContainerConfig{Metadata: &runtimeapi.ContainerMetadata{Name: c.Name, Attempt: uint32(attempt)}, Image: &runtimeapi.ImageSpec{Image: image, UserSpecifiedImage: c.Image},
		WorkingDir: c.WorkingDir, Stdin: c.Stdin, StdinOnce: c.StdinOnce, Tty: c.TTY,
		Labels:      map[string]string{labelPodName: p.Name, labelPodNamespace: p.Namespace, labelPodUID: string(p.UID), labelContainer: c.Name},
		Annotations: annotationsOf(p, c, attempt)}
	for _, arg := range c.Command {
		out.Command = append(out.Command, expand(arg, env))
	}
	for _, arg := range c.Args {
		out.Args = append(out.Args, expand(arg, env))
	}
	for _, e := range env {
		out.Envs = append(out.Envs, &runtimeapi.KeyValue{Key: e.Name, Value: []byte(e.Value)})
	}
	if a.c.Logs != "" {
		out.LogPath = fmt.Sprintf("%s/%d.log", c.Name, attempt)
		if err := a.makeLogDir(filepath.Join(a.logDir(p), c.Name)); err != nil {
			return nil, err
		}
	}
	if out.Mounts, err = r.mounts(c, env, attempt, images); err != nil {
		return nil, err
	}
	out.Linux = &runtimeapi.LinuxContainerConfig{Resources: a.resourcesOf(p, c), SecurityContext: a.securityOf(p, c, user)}
	if sc := out.Linux.SecurityContext; c.SecurityContext != nil && c.SecurityContext.RunAsNonRoot != nil && *c.SecurityContext.RunAsNonRoot && sc.GetRunAsUser().GetValue() == 0 {
		return nil, fmt.Errorf("container has runAsNonRoot and image will run as root (pod: %q, container: %s)", describe(p), c.Name)
	}
	if target := targetOf(p, c.Name); target != "" {
		cs := r.status.find(target, false)
		if cs == nil || cs.State != running {
			return nil, fmt.Errorf("unable to find target container %s", target)
		}
		out.Linux.SecurityContext.NamespaceOptions.Pid, out.Linux.SecurityContext.NamespaceOptions.TargetId = runtimeapi.NamespaceMode_TARGET, cs.Id
	}
	return out, nil
}

// targetOf is the container whose processes an ephemeral container sees.
func targetOf(p *v1.Pod, name string) string {
	for _, e := range p.Spec.EphemeralContainers {
		if e.Name == name {
			return e.TargetContainerName
		}
	}
	return ""
}

// nextAttempt is how often a container has been started before: one more than the last time, or as its logs say.
func (a *Agent) nextAttempt(p *v1.Pod, c *v1.Container, s *podStatus) int {
	if cs := s.find(c.Name, false); cs != nil {
		return int(cs.restarts) + 1
	}
	next := 0
	if a.c.Logs == "" {
		return next
	}
	files, _ := os.ReadDir(filepath.Join(a.logDir(p), c.Name))
	for _, f := range files {
		first, _, _ := strings.Cut(f.Name(), ".")
		if n, err := strconv.Atoi(first); err == nil && !f.IsDir() {
			next = max(next, n+1)
		}
	}
	return next
}

func annotationsOf(p *v1.Pod, c *v1.Container, attempt int) map[string]string {
	out := map[string]string{noteHash: hashOf(c), noteRestarts: strconv.Itoa(attempt), noteMessagePath: c.TerminationMessagePath, noteMessagePolicy: string(c.TerminationMessagePolicy)}
	if g := p.DeletionGracePeriodSeconds; g != nil {
		out[noteDeletionGrace] = strconv.FormatInt(*g, 10)
	}
	if g := p.Spec.TerminationGracePeriodSeconds; g != nil {
		out[noteTerminateGrace] = strconv.FormatInt(*g, 10)
	}
	if c.Lifecycle != nil && c.Lifecycle.PreStop != nil {
		b, _ := json.Marshal(c.Lifecycle.PreStop)
		out[notePreStop] = string(b)
	}
	if len(c.Ports) > 0 {
		b, _ := json.Marshal(c.Ports)
		out[notePorts] = string(b)
	}
	return out
}

// resourcesOf returns the resources of a container.
func (a *Agent) resourcesOf(p *v1.Pod, c *v1.Container) *runtimeapi.LinuxContainerResources {
	limits := maps.Clone(c.Resources.Limits)
	if p.Spec.Resources != nil { // a container without a limit has that of the pod
		all := maps.Clone(p.Spec.Resources.Limits)
		maps.Copy(all, limits)
		limits = all
	}
	out := linuxResources(c.Resources.Requests, limits)
	out.OomScoreAdj = a.oomScore(p, c)
	out.MemorySwapLimitInBytes = out.MemoryLimitInBytes
	out.HugepageLimits = []*runtimeapi.HugepageLimit{{PageSize: "2MB"}, {PageSize: "1GB"}}
	return out
}

var (
	maskedPaths = []string{"/proc/asound", "/proc/acpi", "/proc/interrupts", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
		"/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware", "/sys/devices/virtual/powercap"}
	readonlyPaths = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
)

func (a *Agent) securityOf(p *v1.Pod, c *v1.Container, user *runtimeapi.Image) *runtimeapi.LinuxContainerSecurityContext {
	out := &runtimeapi.LinuxContainerSecurityContext{NamespaceOptions: namespacesOf(p), Seccomp: &runtimeapi.SecurityProfile{ProfileType: runtimeapi.SecurityProfile_Unconfined},
		MaskedPaths: maskedPaths, ReadonlyPaths: readonlyPaths}
	if sc := p.Spec.SecurityContext; sc != nil {
		out.RunAsUser, out.RunAsGroup = int64Of(sc.RunAsUser), int64Of(sc.RunAsGroup)
		out.SupplementalGroups, out.SupplementalGroupsPolicy = groupsOf(sc)
		if sc.SeccompProfile != nil && sc.SeccompProfile.Type == v1.SeccompProfileTypeRuntimeDefault {
			out.Seccomp.ProfileType = runtimeapi.SecurityProfile_RuntimeDefault
		}
	}
	if sc := c.SecurityContext; sc != nil {
		if sc.RunAsUser != nil {
			out.RunAsUser = int64Of(sc.RunAsUser)
		}
		if sc.RunAsGroup != nil {
			out.RunAsGroup = int64Of(sc.RunAsGroup)
		}
		out.Privileged = sc.Privileged != nil && *sc.Privileged
		out.ReadonlyRootfs = sc.ReadOnlyRootFilesystem != nil && *sc.ReadOnlyRootFilesystem
		out.NoNewPrivs = sc.AllowPrivilegeEscalation != nil && !*sc.AllowPrivilegeEscalation
		if sc.Capabilities != nil {
			out.Capabilities = &runtimeapi.Capability{}
			for _, x := range sc.Capabilities.Add {
				out.Capabilities.AddCapabilities = append(out.Capabilities.AddCapabilities, string(x))
			}
			for _, x := range sc.Capabilities.Drop {
				out.Capabilities.DropCapabilities = append(out.Capabilities.DropCapabilities, string(x))
			}
		}
		if sc.SeccompProfile != nil && sc.SeccompProfile.Type == v1.SeccompProfileTypeRuntimeDefault {
			out.Seccomp.ProfileType = runtimeapi.SecurityProfile_RuntimeDefault
		}
	}
	if out.RunAsUser == nil {
		if out.RunAsUsername = user.GetUsername(); user.GetUid() != nil {
			out.RunAsUser = user.GetUid()
		} else if out.RunAsUsername == "" {
			out.RunAsUser = &runtimeapi.Int64Value{}
		}
	}
	return out
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
