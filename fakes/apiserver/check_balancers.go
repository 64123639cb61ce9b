package apiserver

import (
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What services have for those outside, in the order in which kube-apiserver looks
// (k8s.io/kubernetes v1.37.1, pkg/apis/core/validation). What was there before is not judged anew.

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'"

func isBalancer(in *corev1.Service) bool { return in.Spec.Type == corev1.ServiceTypeLoadBalancer }

// isReached says that a service is reached from outside, for which there is a policy.
func isReached(in *corev1.Service) bool {
	return isExternal(in) || in.Spec.Type == corev1.ServiceTypeClusterIP && len(in.Spec.ExternalIPs) > 0
}

// checkExternalIPs: they are addresses, and none that has a meaning of its own.
func checkExternalIPs(in, old *corev1.Service) (errs field.ErrorList) {
	for i, ip := range in.Spec.ExternalIPs {
		at := field.NewPath("spec", "externalIPs").Index(i)
		broken := utilvalidation.IsValidIPForLegacyField(at, ip, true, ofOld(old, func(s *corev1.Service) []string { return s.Spec.ExternalIPs }))
		if errs = append(errs, broken...); len(broken) > 0 {
			continue
		}
		a, err := netip.ParseAddr(ip)
		switch {
		case err != nil: // it was there before
		case a.IsUnspecified():
			errs = append(errs, field.Invalid(at, ip, "may not be unspecified ("+ip+")"))
		case a.IsLoopback():
			errs = append(errs, field.Invalid(at, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)"))
		case a.IsLinkLocalUnicast():
			errs = append(errs, field.Invalid(at, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"))
		case a.IsLinkLocalMulticast():
			errs = append(errs, field.Invalid(at, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"))
		}
	}
	return errs
}

// ofOld is something of an old service, if there is one.
func ofOld[T any](old *corev1.Service, what func(*corev1.Service) T) (none T) {
	if old == nil {
		return none
	}
	return what(old)
}

// checkSourceRanges: who may ask a load balancer is said by ranges of addresses, in the spec or, as it was once,
// in an annotation.
func checkSourceRanges(in, old *corev1.Service) (errs field.ErrorList) {
	all, path := in.Spec.LoadBalancerSourceRanges, field.NewPath("spec", "LoadBalancerSourceRanges")
	known := ofOld(old, func(s *corev1.Service) []string { return slices.Clone(s.Spec.LoadBalancerSourceRanges) })
	at := path.Index
	if len(all) == 0 {
		said, there := in.Annotations[corev1.AnnotationLoadBalancerSourceRangesKey]
		if !there {
			return nil
		}
		path = field.NewPath("metadata", "annotations").Key(corev1.AnnotationLoadBalancerSourceRangesKey)
		at, known = func(int) *field.Path { return path }, nil
		if said = strings.TrimSpace(said); said != "" && ofOld(old, func(s *corev1.Service) string { return s.Annotations[corev1.AnnotationLoadBalancerSourceRangesKey] }) != said {
			all = strings.Split(said, ",")
		}
	}
	if !isBalancer(in) {
		errs = append(errs, field.Forbidden(path, onlyBalancers))
	}
	for i := range known {
		known[i] = strings.TrimSpace(known[i])
	}
	for i, cidr := range all {
		errs = append(errs, utilvalidation.IsValidCIDRForLegacyField(at(i), strings.TrimSpace(cidr), true, known)...)
	}
	return errs
}

// checkBalancer is what only load balancers have.
func checkBalancer(in *corev1.Service) (errs field.ErrorList) {
	if in.Spec.AllocateLoadBalancerNodePorts != nil && !isBalancer(in) {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "allocateLoadBalancerNodePorts"), onlyBalancers))
	}
	return errs
}

// checkBalancerClass: a load balancer keeps its class, and nothing else has one. Another type that becomes one may have any. old may be nil.
func checkBalancerClass(in, old *corev1.Service) (errs field.ErrorList) {
	class, path := in.Spec.LoadBalancerClass, field.NewPath("spec", "loadBalancerClass")
	if old != nil && isBalancer(old) && isBalancer(in) && !equality.Semantic.DeepEqual(class, old.Spec.LoadBalancerClass) {
		errs = append(errs, field.Invalid(path, class, "may not change once set"))
	}
	switch {
	case class == nil:
	case !isBalancer(in):
		errs = append(errs, field.Forbidden(path, onlyBalancers))
	default:
		errs = append(errs, wrongs(path, *class, utilvalidation.IsQualifiedName(*class))...)
	}
	return errs
}

// checkTrafficPolicy: there is one for what is reached from outside, and a port to ask for health where that is local.
func checkTrafficPolicy(in, old *corev1.Service) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	switch {
	case isReached(in):
		errs = oneOf(path.Child("externalTrafficPolicy"), s.ExternalTrafficPolicy, corev1.ServiceExternalTrafficPolicyCluster, corev1.ServiceExternalTrafficPolicyLocal)
	case s.ExternalTrafficPolicy != "":
		errs = append(errs, field.Invalid(path.Child("externalTrafficPolicy"), s.ExternalTrafficPolicy, "may only be set for externally-accessible services"))
	}
	if old == nil && s.HealthCheckNodePort == 0 && getsHealthPort(in) {
		errs = append(errs, field.Required(path.Child("healthCheckNodePort"), ""))
	}
	if s.HealthCheckNodePort != 0 && !getsHealthPort(in) {
		errs = append(errs, field.Invalid(path.Child("healthCheckNodePort"), s.HealthCheckNodePort, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"))
	}
	return errs
}

// checkServiceStatus: what a load balancer has given are addresses and names.
func checkServiceStatus(in, old *corev1.Service) (errs field.ErrorList) {
	path, all := field.NewPath("status", "loadBalancer", "ingress"), in.Status.LoadBalancer.Ingress
	if len(all) > 0 && !isBalancer(in) {
		return field.ErrorList{field.Forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")}
	}
	var known []string
	for _, was := range old.Status.LoadBalancer.Ingress {
		known = append(known, was.IP)
	}
	for i, g := range all {
		at := path.Index(i)
		if g.IP != "" {
			errs = append(errs, utilvalidation.IsValidIPForLegacyField(at.Child("ip"), g.IP, true, known)...)
		}
		switch mode := at.Child("ipMode"); {
		case g.IPMode == nil && g.IP != "":
			errs = append(errs, field.Required(mode, "must be specified when `ip` is set"))
		case g.IPMode == nil:
		case g.IP == "":
			errs = append(errs, field.Forbidden(mode, "may not be specified when `ip` is not set"))
		default:
			errs = append(errs, oneOf(mode, *g.IPMode, corev1.LoadBalancerIPModeProxy, corev1.LoadBalancerIPModeVIP)...)
		}
		if g.Hostname != "" {
			errs = append(errs, wrongs(at.Child("hostname"), g.Hostname, utilvalidation.IsDNS1123Subdomain(g.Hostname))...)
			if _, err := netip.ParseAddr(g.Hostname); err == nil {
				errs = append(errs, field.Invalid(at.Child("hostname"), g.Hostname, "must be a DNS name, not an IP address"))
			}
		}
	}
	return errs
}

// warnService is what is allowed in a service, and has no effect, or soon none.
func warnService(in *corev1.Service) (warnings []string) {
	s := &in.Spec
	headless := s.Type == corev1.ServiceTypeClusterIP && s.ClusterIP == corev1.ClusterIPNone
	if headless && s.LoadBalancerIP != "" {
		warnings = append(warnings, "spec.loadBalancerIP is ignored for headless services")
	}
	if headless && len(s.ExternalIPs) > 0 {
		warnings = append(warnings, "spec.externalIPs is ignored for headless services")
	}
	if headless && s.SessionAffinity != corev1.ServiceAffinityNone {
		warnings = append(warnings, "spec.SessionAffinity is ignored for headless services")
	}
	switch {
	case len(s.ExternalIPs) == 0 || headless:
	case s.Type == corev1.ServiceTypeExternalName:
		warnings = append(warnings, `spec.externalIPs is ignored when spec.type is "ExternalName"`)
	default:
		warnings = append(warnings, "spec.externalIPs is deprecated and may no longer be implemented in some clusters")
	}
	if s.Type != corev1.ServiceTypeExternalName && s.ExternalName != "" {
		warnings = append(warnings, `spec.externalName is ignored when spec.type is not "ExternalName"`)
	}
	if d := s.TrafficDistribution; d != nil && *d == corev1.ServiceTrafficDistributionPreferClose {
		warnings = append(warnings, `spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`)
	}
	return warnings
}
