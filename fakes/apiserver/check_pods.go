package apiserver

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkPodSpec is what is wrong with what pods are made of.
func checkPodSpec(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	errs = checkVolumes(spec.Volumes, path.Child("volumes"))
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	names := map[string]bool{}
	for i := range spec.Containers {
		errs = append(errs, checkContainer(&spec.Containers[i], spec.Volumes, names, path.Child("containers").Index(i))...)
	}
	for i := range spec.InitContainers {
		errs = append(errs, checkContainer(&spec.InitContainers[i], spec.Volumes, names, path.Child("initContainers").Index(i))...)
	}
	errs = append(errs, oneOf(path.Child("restartPolicy"), spec.RestartPolicy, corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, checkIDs(spec.SecurityContext, path.Child("securityContext"))...)
	errs = append(errs, checkSysctls(spec, path.Child("securityContext", "sysctls"))...)
	errs = append(errs, checkAffinity(spec.Affinity, path.Child("affinity"))...)
	errs = append(errs, oneOf(path.Child("dnsPolicy"), spec.DNSPolicy, corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	if spec.DNSPolicy == corev1.DNSNone && spec.DNSConfig == nil {
		errs = append(errs, field.Required(path.Child("dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None"))
	}
	errs = append(errs, metav1validation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector"))...)
	if spec.HostNetwork {
		errs = append(errs, checkHostPorts(spec.Containers, path.Child("containers"))...)
		errs = append(errs, checkHostPorts(spec.InitContainers, path.Child("initContainers"))...)
	}
	if share := spec.ShareProcessNamespace; share != nil && *share && spec.HostPID {
		errs = append(errs, field.Invalid(path.Child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	for i, g := range spec.ReadinessGates {
		errs = append(errs, wrongs(path.Child("readinessGates").Index(i).Child("conditionType"), string(g.ConditionType), utilvalidation.IsQualifiedName(string(g.ConditionType)))...)
	}
	gates := map[string]bool{}
	for i, g := range spec.SchedulingGates {
		at := path.Child("schedulingGates").Index(i)
		if errs = append(errs, wrongs(at, g.Name, utilvalidation.IsQualifiedName(g.Name))...); gates[g.Name] {
			errs = append(errs, field.Duplicate(at, g.Name))
		}
		gates[g.Name] = true
	}
	errs = append(errs, checkSpread(spec.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
	if d := spec.ActiveDeadlineSeconds; d != nil && (*d < 1 || *d > math.MaxInt32) {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *d, utilvalidation.InclusiveRangeError(1, math.MaxInt32)))
	}
	for _, n := range []struct {
		field, value string
		wrong        func(string) []string
	}{
		{"serviceAccountName", spec.ServiceAccountName, subdomain}, {"nodeName", spec.NodeName, subdomain},
		{"hostname", spec.Hostname, utilvalidation.IsDNS1123Label}, {"subdomain", spec.Subdomain, utilvalidation.IsDNS1123Label},
	} {
		if n.value != "" {
			errs = append(errs, wrongs(path.Child(n.field), n.value, n.wrong(n.value))...)
		}
	}
	errs = append(errs, checkTolerations(spec.Tolerations, path.Child("tolerations"))...)
	for i, a := range spec.HostAliases {
		at := path.Child("hostAliases").Index(i)
		errs = append(errs, utilvalidation.IsValidIPForLegacyField(at.Child("ip"), a.IP, true, nil)...)
		for j, h := range a.Hostnames {
			errs = append(errs, wrongs(at.Child("hostnames").Index(j), h, utilvalidation.IsDNS1123Subdomain(h))...)
		}
	}
	if p := spec.PreemptionPolicy; p != nil && *p != corev1.PreemptLowerPriority && *p != corev1.PreemptNever {
		errs = append(errs, field.NotSupported(path.Child("preemptionPolicy"), *p, []string{"PreemptLowerPriority", "Never"}))
	}
	return errs
}

func checkPodTemplate(in, _ *corev1.PodTemplate) field.ErrorList {
	path := field.NewPath("template")
	return append(metav1validation.ValidateLabels(in.Template.Labels, path.Child("labels")), checkPodSpec(&in.Template.Spec, path.Child("spec"))...)
}

// sysctlName matches the names of sysctls.
var sysctlName = regexp.MustCompile(`^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$`)

func checkSysctls(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	if spec.SecurityContext == nil {
		return nil
	}
	all := spec.SecurityContext.Sysctls
	for i, s := range all {
		at := path.Index(i).Child("name")
		switch {
		case s.Name == "":
			errs = append(errs, field.Required(at, ""))
		case len(s.Name) > 253 || !sysctlName.MatchString(s.Name):
			errs = append(errs, field.Invalid(at, s.Name, fmt.Sprintf("must have at most 253 characters and match regex %s", sysctlName)))
		case slices.ContainsFunc(all[:i], func(o corev1.Sysctl) bool { return o.Name == s.Name }):
			errs = append(errs, field.Duplicate(at, s.Name))
		}
	}
	return errs
}

// checkIDs: users and groups are not negative.
func checkIDs(s *corev1.PodSecurityContext, path *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	for _, id := range []struct {
		name  string
		value *int64
	}{{"runAsUser", s.RunAsUser}, {"runAsGroup", s.RunAsGroup}, {"fsGroup", s.FSGroup}} {
		if id.value != nil && (*id.value < 0 || *id.value > math.MaxInt32) {
			errs = append(errs, field.Invalid(path.Child(id.name), *id.value, utilvalidation.InclusiveRangeError(0, math.MaxInt32)))
		}
	}
	return errs
}

func checkSpread(all []corev1.TopologySpreadConstraint, path *field.Path) (errs field.ErrorList) {
	for i, c := range all {
		at := path.Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
		}
		if c.TopologyKey == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
		} else {
			errs = append(errs, wrongs(at.Child("topologyKey"), c.TopologyKey, utilvalidation.IsQualifiedName(c.TopologyKey))...)
		}
		errs = append(errs, oneOf(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable, corev1.DoNotSchedule, corev1.ScheduleAnyway)...)
	}
	return errs
}

// checkHostPorts: on the network of the host a port is the same outside, where that is said.
func checkHostPorts(all []corev1.Container, path *field.Path) (errs field.ErrorList) {
	for i, c := range all {
		for j, p := range c.Ports {
			if p.HostPort != 0 && p.HostPort != p.ContainerPort {
				errs = append(errs, field.Invalid(path.Index(i).Child("ports").Index(j).Child("hostPort"), p.HostPort, "must match `containerPort` when `hostNetwork` is true"))
			}
		}
	}
	return errs
}

func checkTolerations(all []corev1.Toleration, path *field.Path) (errs field.ErrorList) {
	for i, t := range all {
		at := path.Index(i)
		if t.Key != "" {
			errs = append(errs, wrongs(at.Child("key"), t.Key, utilvalidation.IsQualifiedName(t.Key))...)
		} else if t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(at.Child("operator"), t.Operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(at.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		switch wrong := utilvalidation.IsValidLabelValue(t.Value); t.Operator {
		case corev1.TolerationOpEqual, "":
			if len(wrong) > 0 {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, strings.Join(wrong, ";")))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
			}
		case corev1.TolerationOpLt, corev1.TolerationOpGt: // the gate TaintTolerationComparisonOperators is off
			errs = append(errs, field.NotSupported(at.Child("operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt}))
		default:
			errs = append(errs, oneOf(at.Child("operator"), t.Operator, corev1.TolerationOpEqual, corev1.TolerationOpExists)...)
		}
		if t.Effect != "" {
			errs = append(errs, oneOf(at.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		}
	}
	return errs
}

// checkVolumes: each has a name of its own and one source, of which the names that matter are said.
func checkVolumes(all []corev1.Volume, path *field.Path) (errs field.ErrorList) {
	names := map[string]bool{}
	for i := range all {
		v, at := &all[i], path.Index(i)
		sources := 0
		for s := reflect.ValueOf(v.VolumeSource); sources < s.NumField(); sources++ {
			if f := s.Field(sources); !f.IsNil() {
				errs = append(errs, checkSource(f.Interface(), at)...)
			}
		}
		errs = append(errs, more(v.VolumeSource, at)...)
		errs = append(errs, ownName(at.Child("name"), v.Name, names)...)
	}
	return errs
}

// more than one source is too many: which is named is the order of kube-apiserver's.
func more(sources any, at *field.Path) field.ErrorList {
	var named []string
	s := reflect.ValueOf(sources)
	for _, source := range []string{"EmptyDir", "HostPath", "GitRepo", "NFS", "Secret", "ConfigMap", "PersistentVolumeClaim", "DownwardAPI", "Projected", "Local", "CSI", "Ephemeral"} {
		if f := s.FieldByName(source); f.IsValid() && !f.IsNil() {
			named = append(named, source)
		}
	}
	if len(named) < 2 {
		return nil
	}
	f, _ := s.Type().FieldByName(named[1])
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return field.ErrorList{field.Forbidden(at.Child(name), "may not specify more than 1 volume type")}
}

func checkSource(source any, at *field.Path) field.ErrorList {
	need := func(value string, names ...string) field.ErrorList {
		if value != "" {
			return nil
		}
		return field.ErrorList{field.Required(at.Child(names[0], names[1:]...), "")}
	}
	switch s := source.(type) {
	case *corev1.HostPathVolumeSource:
		if s.Path == "" {
			return need("", "hostPath", "path")
		}
		return append(upwards(s.Path, at.Child("hostPath", "path")), checkHostPathType(s.Type, at.Child("hostPath", "type"))...)
	case *corev1.LocalVolumeSource:
		return append(need(s.Path, "local", "path"), upwards(s.Path, at.Child("local", "path"))...)
	case *corev1.NFSVolumeSource:
		errs := append(need(s.Server, "nfs", "server"), need(s.Path, "nfs", "path")...)
		if !strings.HasPrefix(s.Path, "/") {
			errs = append(errs, field.Invalid(at.Child("nfs", "path"), s.Path, "must be an absolute path"))
		}
		return errs
	case *corev1.CSIPersistentVolumeSource:
		return append(need(s.Driver, "csi", "driver"), need(s.VolumeHandle, "csi", "volumeHandle")...)
	case *corev1.SecretVolumeSource:
		return need(s.SecretName, "secret", "secretName")
	case *corev1.ConfigMapVolumeSource:
		return need(s.Name, "configMap", "name")
	case *corev1.PersistentVolumeClaimVolumeSource:
		return need(s.ClaimName, "persistentVolumeClaim", "claimName")
	}
	return nil
}

func checkHostPathType(t *corev1.HostPathType, path *field.Path) field.ErrorList {
	if t == nil {
		return nil
	}
	return oneOf(path, *t, corev1.HostPathUnset, corev1.HostPathBlockDev, corev1.HostPathCharDev, corev1.HostPathDirectory, corev1.HostPathDirectoryOrCreate, corev1.HostPathFile, corev1.HostPathFileOrCreate, corev1.HostPathSocket)
}

// upwards refuses paths that lead out of their directory.
func upwards(name string, path *field.Path) field.ErrorList {
	if !slices.Contains(strings.Split(name, "/"), "..") {
		return nil
	}
	return field.ErrorList{field.Invalid(path, name, "must not contain '..'")}
}

// ownName: a name is a label, and nobody else's.
func ownName(path *field.Path, name string, taken map[string]bool) (errs field.ErrorList) {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if errs = wrongs(path, name, utilvalidation.IsDNS1123Label(name)); taken[name] {
		errs = append(errs, field.Duplicate(path, name))
	}
	taken[name] = true
	return errs
}

func subdomain(name string) []string { return validation.NameIsDNSSubdomain(name, false) }

// wrongs are what a function of package validation says of a value.
func wrongs(path *field.Path, value any, what []string) (errs field.ErrorList) {
	for _, w := range what {
		errs = append(errs, field.Invalid(path, value, w))
	}
	return errs
}

// oneOf: a value is one of those that there are. Where it is left out, it has been set already.
func oneOf[T ~string](path *field.Path, value T, known ...T) field.ErrorList {
	for _, k := range known {
		if value == k {
			return nil
		}
	}
	return field.ErrorList{field.NotSupported(path, value, known)}
}

// atLeast0 is about numbers that may be left out.
func atLeast0[N int32 | int64](path *field.Path, n *N) field.ErrorList {
	if n == nil || *n >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *n, "must be greater than or equal to 0").WithOrigin("minimum")}
}

// checkSelector is what is wrong with a selector of labels.
func checkSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, path)
}
