package apiserver

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// defaultPod is what a pod has beyond the spec of its template.
func defaultPod(p *corev1.Pod) {
	spec := &p.Spec
	defaultPodSpec(spec)
	for _, c := range containersOf(spec) {
		for i := range c.Ports {
			if p := &c.Ports[i]; spec.HostNetwork { // a template is left as it is
				defaultTo(&p.HostPort, p.ContainerPort)
			}
		}
		if len(c.Resources.Limits) > 0 && c.Resources.Requests == nil {
			c.Resources.Requests = corev1.ResourceList{}
		}
		for name, q := range c.Resources.Limits {
			if _, said := c.Resources.Requests[name]; !said {
				c.Resources.Requests[name] = q.DeepCopy()
			}
		}
	}
	defaultPtr(&spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	if g := spec.TerminationGracePeriodSeconds; g != nil && *g < 0 {
		spec.TerminationGracePeriodSeconds = new(int64(1))
	}
	switch s := &p.Status; {
	case s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP):
		s.PodIPs = []corev1.PodIP{{IP: s.PodIP}}
	case s.PodIP == "" && len(s.PodIPs) > 0:
		s.PodIP = s.PodIPs[0].IP
	}
}

// containersOf are all but the ephemeral ones.
func containersOf(spec *corev1.PodSpec) (out []*corev1.Container) {
	for i := range spec.InitContainers {
		out = append(out, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		out = append(out, &spec.Containers[i])
	}
	return out
}

// defaultPodSpec is for pods and what makes them.
func defaultPodSpec(spec *corev1.PodSpec) {
	defaultTo(&spec.RestartPolicy, corev1.RestartPolicyAlways)
	defaultTo(&spec.DNSPolicy, corev1.DNSClusterFirst)
	defaultTo(&spec.SchedulerName, corev1.DefaultSchedulerName)
	defaultPtr(&spec.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	defaultPtr(&spec.SecurityContext, corev1.PodSecurityContext{})
	defaultTo(&spec.ServiceAccountName, spec.DeprecatedServiceAccount)
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for _, c := range containersOf(spec) {
		defaultContainer(c)
	}
	for i := range spec.EphemeralContainers {
		defaultContainer((*corev1.Container)(&spec.EphemeralContainers[i].EphemeralContainerCommon))
	}
	for i := range spec.Volumes {
		defaultVolume(&spec.Volumes[i].VolumeSource)
	}
}

func defaultContainer(c *corev1.Container) {
	defaultTo(&c.TerminationMessagePath, corev1.TerminationMessagePathDefault)
	defaultTo(&c.TerminationMessagePolicy, corev1.TerminationMessageReadFile)
	defaultTo(&c.ImagePullPolicy, pullPolicy(c.Image))
	for i := range c.Ports {
		defaultTo(&c.Ports[i].Protocol, corev1.ProtocolTCP)
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil && from.FieldRef != nil {
			defaultTo(&from.FieldRef.APIVersion, "v1")
		}
	}
	for _, p := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(p)
	}
	if l := c.Lifecycle; l != nil {
		for _, h := range []*corev1.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil {
				defaultHTTPGet(h.HTTPGet)
			}
		}
	}
}

// pullPolicy is for an image: what has no tag, or "latest", may be another one tomorrow.
func pullPolicy(image string) corev1.PullPolicy {
	_, digest, _ := strings.Cut(image, "@")
	name := image[strings.LastIndex(image, "/")+1:]
	_, tag, _ := strings.Cut(name, ":")
	if digest == "" && (tag == "" || tag == "latest") {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	defaultTo(&p.TimeoutSeconds, 1)
	defaultTo(&p.PeriodSeconds, 10)
	defaultTo(&p.SuccessThreshold, 1)
	defaultTo(&p.FailureThreshold, 3)
	defaultHTTPGet(p.HTTPGet)
	if p.GRPC != nil {
		defaultPtr(&p.GRPC.Service, "")
	}
}

func defaultHTTPGet(g *corev1.HTTPGetAction) {
	if g != nil {
		defaultTo(&g.Path, "/")
		defaultTo(&g.Scheme, corev1.URISchemeHTTP)
	}
}

func defaultVolume(v *corev1.VolumeSource) {
	if *v == (corev1.VolumeSource{}) {
		v.EmptyDir = &corev1.EmptyDirVolumeSource{}
	}
	const mode = corev1.SecretVolumeSourceDefaultMode // the same for all
	if v.Secret != nil {
		defaultPtr(&v.Secret.DefaultMode, mode)
	}
	if v.ConfigMap != nil {
		defaultPtr(&v.ConfigMap.DefaultMode, mode)
	}
	if v.HostPath != nil {
		defaultPtr(&v.HostPath.Type, corev1.HostPathUnset)
	}
	if v.DownwardAPI != nil {
		defaultPtr(&v.DownwardAPI.DefaultMode, mode)
		defaultPaths(v.DownwardAPI.Items)
	}
	if v.Projected == nil {
		return
	}
	defaultPtr(&v.Projected.DefaultMode, mode)
	for _, s := range v.Projected.Sources {
		if s.ServiceAccountToken != nil {
			defaultPtr(&s.ServiceAccountToken.ExpirationSeconds, 3600)
		}
		if s.DownwardAPI != nil {
			defaultPaths(s.DownwardAPI.Items)
		}
	}
}

func defaultPaths(files []corev1.DownwardAPIVolumeFile) {
	for _, f := range files {
		if f.FieldRef != nil {
			defaultTo(&f.FieldRef.APIVersion, "v1")
		}
	}
}
