package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkContainer is what is wrong with a container, where names are those of the others.
func checkContainer(c *corev1.Container, volumes []corev1.Volume, names map[string]bool, path *field.Path) (errs field.ErrorList) {
	errs = ownName(path.Child("name"), c.Name, names)
	switch {
	case c.Image == "":
		errs = append(errs, field.Required(path.Child("image"), ""))
	case strings.TrimSpace(c.Image) != c.Image:
		errs = append(errs, field.Invalid(path.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	if p := c.TerminationMessagePolicy; p != "" {
		errs = append(errs, oneOf(path.Child("terminationMessagePolicy"), p, corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError)...)
	}
	errs = append(errs, checkPorts(c.Ports, path.Child("ports"))...)
	errs = append(errs, checkEnv(c, path)...)
	for i, m := range c.VolumeMounts {
		at := path.Child("volumeMounts").Index(i)
		if m.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		}
		if !slices.ContainsFunc(volumes, func(v corev1.Volume) bool { return v.Name == m.Name }) {
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		} else if slices.ContainsFunc(c.VolumeMounts[:i], func(o corev1.VolumeMount) bool { return o.MountPath == m.MountPath }) {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
	}
	if p := c.ImagePullPolicy; p != "" {
		errs = append(errs, oneOf(path.Child("imagePullPolicy"), p, corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	}
	errs = append(errs, checkResources(c.Resources, path.Child("resources"))...)
	errs = append(errs, checkSecurityContext(c.SecurityContext, path.Child("securityContext"))...)
	if l, at := c.Lifecycle, path.Child("lifecycle"); l != nil {
		errs = append(append(errs, checkHandler(l.PostStart, at.Child("postStart"))...), checkHandler(l.PreStop, at.Child("preStop"))...)
	}
	errs = append(errs, checkProbe(c.LivenessProbe, true, path.Child("livenessProbe"))...)
	errs = append(errs, checkProbe(c.ReadinessProbe, false, path.Child("readinessProbe"))...)
	return append(errs, checkProbe(c.StartupProbe, true, path.Child("startupProbe"))...)
}

func checkSecurityContext(s *corev1.SecurityContext, path *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	errs = checkIDs(&corev1.PodSecurityContext{RunAsUser: s.RunAsUser, RunAsGroup: s.RunAsGroup}, path)
	no := s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation
	if no && s.Privileged != nil && *s.Privileged {
		errs = append(errs, field.Invalid(path, internalContext(s), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
	}
	if no && s.Capabilities != nil && slices.Contains(s.Capabilities.Add, "CAP_SYS_ADMIN") {
		errs = append(errs, field.Invalid(path, internalContext(s), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
	}
	return errs
}

// internalContext has the fields and names that kube-apiserver's own type has.
func internalContext(s *corev1.SecurityContext) any {
	return struct {
		Capabilities                                                   *struct{ Add, Drop []corev1.Capability }
		Privileged                                                     *bool
		SELinuxOptions                                                 *struct{ User, Role, Type, Level string }
		WindowsOptions                                                 *corev1.WindowsSecurityContextOptions
		RunAsUser, RunAsGroup                                          *int64
		RunAsNonRoot, ReadOnlyRootFilesystem, AllowPrivilegeEscalation *bool
		ProcMount                                                      *corev1.ProcMountType
		SeccompProfile                                                 *struct {
			Type             corev1.SeccompProfileType
			LocalhostProfile *string
		}
		AppArmorProfile *corev1.AppArmorProfile
	}{
		(*struct{ Add, Drop []corev1.Capability })(s.Capabilities), s.Privileged, (*struct{ User, Role, Type, Level string })(s.SELinuxOptions), s.WindowsOptions, s.RunAsUser, s.RunAsGroup, s.RunAsNonRoot,
		s.ReadOnlyRootFilesystem, s.AllowPrivilegeEscalation, s.ProcMount, (*struct {
			Type             corev1.SeccompProfileType
			LocalhostProfile *string
		})(s.SeccompProfile), s.AppArmorProfile,
	}
}

// checkPorts: names of ports are their own, and ports of a host, too.
func checkPorts(all []corev1.ContainerPort, path *field.Path) (errs field.ErrorList) {
	names, hosts := map[string]bool{}, map[string]bool{}
	for i, p := range all {
		at := path.Index(i)
		if p.Name != "" {
			if wrong := utilvalidation.IsValidPortName(p.Name); len(wrong) > 0 {
				errs = append(errs, wrongs(at.Child("name"), p.Name, wrong)...)
			} else if names[p.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names[p.Name] = true
		}
		if p.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, wrongs(at.Child("containerPort"), p.ContainerPort, utilvalidation.IsValidPortNum(int(p.ContainerPort)))...)
		}
		if p.HostPort != 0 {
			host := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			if errs = append(errs, wrongs(at.Child("hostPort"), p.HostPort, utilvalidation.IsValidPortNum(int(p.HostPort)))...); hosts[host] {
				errs = append(errs, field.Duplicate(at.Child("hostPort"), host))
			}
			hosts[host] = true
		}
		errs = append(errs, oneOf(at.Child("protocol"), p.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
	}
	return errs
}

func checkEnv(c *corev1.Container, path *field.Path) (errs field.ErrorList) {
	for i, e := range c.Env {
		at := path.Child("env").Index(i)
		if e.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, wrongs(at.Child("name"), e.Name, utilvalidation.IsRelaxedEnvVarName(e.Name))...)
		}
		switch from := e.ValueFrom; {
		case from == nil:
		case e.Value != "":
			errs = append(errs, field.Invalid(at.Child("valueFrom"), "", "may not be specified when `value` is not empty"))
		case *from == corev1.EnvVarSource{}:
			errs = append(errs, field.Invalid(at.Child("valueFrom"), "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
		case from.FieldRef != nil:
			errs = append(errs, checkFieldRef(from.FieldRef, at.Child("valueFrom", "fieldRef"))...)
		}
	}
	for _, e := range c.EnvFrom {
		if e.ConfigMapRef == nil && e.SecretRef == nil {
			errs = append(errs, field.Invalid(path.Child("envFrom"), "", "must specify one of: `configMapRef` or `secretRef`"))
		}
	}
	return errs
}

// variableFields are the fields of a pod that an environment variable can have as its value.
var variableFields = []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}

func checkFieldRef(r *corev1.ObjectFieldSelector, path *field.Path) field.ErrorList {
	at := path.Child("fieldPath")
	switch {
	case r.APIVersion == "":
		return field.ErrorList{field.Required(path.Child("apiVersion"), "")}
	case r.FieldPath == "":
		return field.ErrorList{field.Required(at, "")}
	}
	if of, key, ok := strings.Cut(r.FieldPath, "['"); ok && strings.HasSuffix(key, "']") && (of == "metadata.labels" || of == "metadata.annotations") {
		if of == "metadata.annotations" {
			key = strings.ToLower(key)
		}
		return wrongs(path, strings.TrimSuffix(key, "']"), utilvalidation.IsQualifiedName(strings.TrimSuffix(key, "']")))
	}
	switch others := []string{"metadata.labels", "metadata.annotations", "spec.restartPolicy", "spec.schedulerName", "status.phase"}; {
	case slices.Contains(variableFields, r.FieldPath), r.FieldPath == "spec.host": // which is spec.nodeName
		return nil
	case slices.Contains(others, r.FieldPath):
		return field.ErrorList{field.NotSupported(at, r.FieldPath, variableFields)}
	case strings.Contains(r.FieldPath, "['") && strings.HasSuffix(r.FieldPath, "']"):
		return field.ErrorList{field.Invalid(at, r.FieldPath, "error converting fieldPath: field label does not support subscript: "+r.FieldPath)}
	}
	return field.ErrorList{field.Invalid(at, r.FieldPath, "error converting fieldPath: field label not supported: "+r.FieldPath)}
}

// checkProbe: it does something, at a port that there can be, and in times that are not negative.
func checkProbe(p *corev1.Probe, once bool, path *field.Path) (errs field.ErrorList) {
	if p == nil {
		return nil
	}
	port := func(at *field.Path, port intstr.IntOrString) {
		if port.Type == intstr.Int {
			errs = append(errs, wrongs(at.Child("port"), port.IntValue(), utilvalidation.IsValidPortNum(port.IntValue()))...)
		} else {
			errs = append(errs, wrongs(at.Child("port"), port.StrVal, utilvalidation.IsValidPortName(port.StrVal))...)
		}
	}
	switch {
	case p.Exec != nil:
		if len(p.Exec.Command) == 0 {
			errs = append(errs, field.Required(path.Child("exec", "command"), ""))
		}
	case p.HTTPGet != nil:
		port(path.Child("httpGet"), p.HTTPGet.Port)
	case p.TCPSocket != nil:
		port(path.Child("tcpSocket"), p.TCPSocket.Port)
	case p.GRPC == nil:
		errs = append(errs, field.Required(path, "must specify a handler type"))
	}
	for _, n := range []struct {
		name  string
		value int32
	}{
		{"initialDelaySeconds", p.InitialDelaySeconds}, {"timeoutSeconds", p.TimeoutSeconds}, {"periodSeconds", p.PeriodSeconds},
		{"successThreshold", p.SuccessThreshold}, {"failureThreshold", p.FailureThreshold},
	} {
		errs = append(errs, atLeast0(path.Child(n.name), &n.value)...)
	}
	if once && p.SuccessThreshold != 1 {
		errs = append(errs, field.Invalid(path.Child("successThreshold"), p.SuccessThreshold, "must be 1"))
	}
	return errs
}

func checkHandler(h *corev1.LifecycleHandler, path *field.Path) field.ErrorList {
	if h == nil || h.Exec != nil || h.HTTPGet != nil || h.TCPSocket != nil || h.Sleep != nil {
		return nil
	}
	return field.ErrorList{field.Required(path, "must specify a handler type")}
}

// checkResources: nobody requests more than his limit, or less than nothing.
func checkResources(r corev1.ResourceRequirements, path *field.Path) (errs field.ErrorList) {
	for _, l := range []struct {
		name string
		list corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for _, name := range slices.Sorted(maps.Keys(l.list)) {
			asked := l.list[name]
			if asked.Sign() < 0 {
				errs = append(errs, field.Invalid(path.Child(l.name).Key(string(name)), asked.String(), "must be greater than or equal to 0"))
			}
			if limit, ok := r.Limits[name]; l.name == "requests" && ok && asked.Cmp(limit) > 0 {
				errs = append(errs, field.Invalid(path.Child("requests"), asked.String(),
					fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
			}
		}
	}
	return errs
}
