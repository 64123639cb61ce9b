package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkServiceWords is what is wrong with names, numbers and words of a service.
func checkServiceWords(in, old *corev1.Service) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if s.Type == corev1.ServiceTypeExternalName {
		if s.ExternalName == "" {
			errs = append(errs, field.Required(path.Child("externalName"), ""))
		} else {
			errs = append(errs, wrongs(path.Child("externalName"), s.ExternalName, utilvalidation.IsDNS1123Subdomain(s.ExternalName))...)
		}
	}
	broken, twice := checkServicePorts(s, path.Child("ports"))
	errs = append(errs, broken...)
	errs = append(errs, metav1validation.ValidateLabels(s.Selector, path.Child("selector"))...)
	errs = append(errs, oneOf(path.Child("sessionAffinity"), s.SessionAffinity, corev1.ServiceAffinityClientIP, corev1.ServiceAffinityNone)...)
	errs = append(errs, checkExternalIPs(in, old)...)
	errs = append(errs, oneOf(path.Child("type"), s.Type, corev1.ServiceTypeClusterIP, corev1.ServiceTypeExternalName, corev1.ServiceTypeLoadBalancer, corev1.ServiceTypeNodePort)...)
	errs = append(errs, twice...)
	if s.ClusterIP != "" && len(s.ClusterIPs) == 0 && hasAddress(in) {
		errs = append(errs, field.Required(path.Child("clusterIPs"), ""))
	}
	if p := s.IPFamilyPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("ipFamilyPolicy"), *p, corev1.IPFamilyPolicyPreferDualStack, corev1.IPFamilyPolicyRequireDualStack, corev1.IPFamilyPolicySingleStack)...)
	}
	errs = append(errs, checkSourceRanges(in, old)...)
	errs = append(errs, checkBalancer(in)...)
	if old == nil {
		errs = append(errs, checkBalancerClass(in, nil)...)
	}
	errs = append(errs, checkTrafficPolicy(in, old)...)
	if p := s.InternalTrafficPolicy; p != nil {
		errs = append(errs, oneOf(path.Child("internalTrafficPolicy"), *p, corev1.ServiceInternalTrafficPolicyCluster, corev1.ServiceInternalTrafficPolicyLocal)...)
	}
	if d := s.TrafficDistribution; d != nil {
		errs = append(errs, oneOf(path.Child("trafficDistribution"), *d, corev1.ServiceTrafficDistributionPreferClose, corev1.ServiceTrafficDistributionPreferSameZone, corev1.ServiceTrafficDistributionPreferSameNode)...)
	}
	return errs
}

// checkServicePorts: names are labels and their own, and no port is there twice.
func checkServicePorts(s *corev1.ServiceSpec, path *field.Path) (errs, twice field.ErrorList) {
	type port struct {
		Name        string
		Protocol    corev1.Protocol
		AppProtocol *string
		Port        int32
		TargetPort  int
		NodePort    int32
	}
	names, ports := map[string]bool{}, map[port]bool{}
	for i, p := range s.Ports {
		at := path.Index(i)
		if p.Name != "" || len(s.Ports) > 1 {
			errs = append(errs, ownName(at.Child("name"), p.Name, names)...)
		}
		errs = append(errs, wrongs(at.Child("port"), p.Port, utilvalidation.IsValidPortNum(int(p.Port)))...)
		errs = append(errs, oneOf(at.Child("protocol"), p.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		if to := p.TargetPort; to.Type == intstr.String {
			errs = append(errs, wrongs(at.Child("targetPort"), to.StrVal, utilvalidation.IsValidPortName(to.StrVal))...)
		} else {
			errs = append(errs, wrongs(at.Child("targetPort"), to.IntVal, utilvalidation.IsValidPortNum(to.IntValue()))...)
		}
		this := port{Protocol: p.Protocol, Port: p.Port}
		if ports[this] {
			twice = append(twice, field.Duplicate(at, this))
		}
		ports[this] = true
	}
	return errs, twice
}

func checkCSINode(in, old *storagev1.CSINode) (errs field.ErrorList) {
	if old != nil {
		errs = checkCSINodeUpdate(in, old)
	}
	names := map[string]bool{}
	for i, d := range in.Spec.Drivers {
		at := field.NewPath("spec", "drivers").Index(i)
		switch {
		case d.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names[d.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), d.Name))
		default:
			errs = append(errs, wrongs(at.Child("name"), d.Name, utilvalidation.IsDNS1123Subdomain(d.Name))...)
		}
		names[d.Name] = true
		if d.NodeID == "" {
			errs = append(errs, field.Required(at.Child("nodeID"), ""))
		}
		if a := d.Allocatable; a != nil {
			errs = append(errs, atLeast0(at.Child("allocatable", "count"), a.Count)...)
		}
	}
	return errs
}

func checkCSIDriver(in, old *storagev1.CSIDriver) (errs field.ErrorList) {
	if old != nil {
		errs = checkCSIDriverUpdate(in, old)
	}
	spec := field.NewPath("spec")
	if p := in.Spec.FSGroupPolicy; p != nil {
		errs = append(errs, oneOf(spec.Child("fsGroupPolicy"), *p, storagev1.FileFSGroupPolicy, storagev1.NoneFSGroupPolicy, storagev1.ReadWriteOnceWithFSTypeFSGroupPolicy)...)
	}
	for _, m := range in.Spec.VolumeLifecycleModes {
		errs = append(errs, oneOf(spec.Child("volumeLifecycleModes"), m, storagev1.VolumeLifecyclePersistent, storagev1.VolumeLifecycleEphemeral)...)
	}
	audiences := map[string]bool{}
	for i, r := range in.Spec.TokenRequests {
		at := spec.Child("tokenRequests").Index(i)
		if audiences[r.Audience] {
			errs = append(errs, field.Duplicate(at.Child("audience"), r.Audience))
		}
		audiences[r.Audience] = true
		if s := r.ExpirationSeconds; s != nil && *s < 10*60 {
			errs = append(errs, field.Invalid(at.Child("expirationSeconds"), *s, "may not specify a duration less than 10 minutes"))
		}
	}
	return errs
}
