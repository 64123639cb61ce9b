package node

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	runtimeapi "k8s.io/cri-api/pkg/apis/runtime/v1"
)

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
	ref, err := a.ensureImage(ctx, p, c, c.Image, c.ImagePullPolicy, r.config)
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
		out.Command = append(out.Command, expand(arg, env, nil))
	}
	for _, arg := range c.Args {
		out.Args = append(out.Args, expand(arg, env, nil))
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
