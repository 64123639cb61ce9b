package apiserver

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"
)

func checkNetworkPolicy(in, _ *networkingv1.NetworkPolicy) field.ErrorList {
	s, path := &in.Spec, field.NewPath("spec")
	errs := checkSelector(&s.PodSelector, path.Child("podSelector"))
	rule := func(ports []networkingv1.NetworkPolicyPort, peers []networkingv1.NetworkPolicyPeer, at *field.Path, side string) {
		for i := range ports {
			errs = append(errs, checkPolicyPort(&ports[i], at.Child("ports").Index(i))...)
		}
		for i := range peers {
			errs = append(errs, checkPeer(&peers[i], at.Child(side).Index(i))...)
		}
	}
	for i, r := range s.Ingress {
		rule(r.Ports, r.From, path.Child("ingress").Index(i), "from")
	}
	for i, r := range s.Egress {
		rule(r.Ports, r.To, path.Child("egress").Index(i), "to")
	}
	if types := path.Child("policyTypes"); len(s.PolicyTypes) > 2 {
		errs = append(errs, field.Invalid(types, s.PolicyTypes, "may not specify more than two policyTypes"))
	} else {
		for i, t := range s.PolicyTypes {
			if t != networkingv1.PolicyTypeIngress && t != networkingv1.PolicyTypeEgress {
				errs = append(errs, field.NotSupported(types.Index(i), t, []string{"Ingress", "Egress"}))
			}
		}
	}
	return errs
}

func checkPolicyPort(p *networkingv1.NetworkPolicyPort, path *field.Path) (errs field.ErrorList) {
	if p.Protocol != nil {
		errs = oneOf(path.Child("protocol"), *p.Protocol, corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)
	}
	port, end := path.Child("port"), path.Child("endPort")
	switch {
	case p.Port != nil && p.Port.Type == intstr.Int:
		errs = append(errs, wrongs(port, p.Port.IntVal, utilvalidation.IsValidPortNum(int(p.Port.IntVal)))...)
		if p.EndPort != nil && *p.EndPort < p.Port.IntVal {
			errs = append(errs, field.Invalid(end, *p.EndPort, "must be greater than or equal to `port`"))
		}
		if p.EndPort != nil {
			errs = append(errs, wrongs(end, *p.EndPort, utilvalidation.IsValidPortNum(int(*p.EndPort)))...)
		}
	case p.Port != nil:
		if p.EndPort != nil {
			errs = append(errs, field.Invalid(end, *p.EndPort, "may not be specified when `port` is non-numeric"))
		}
		errs = append(errs, wrongs(port, p.Port.StrVal, utilvalidation.IsValidPortName(p.Port.StrVal))...)
	case p.EndPort != nil:
		errs = append(errs, field.Invalid(end, *p.EndPort, "may not be specified when `port` is not specified"))
	}
	return errs
}

func checkPeer(p *networkingv1.NetworkPolicyPeer, path *field.Path) (errs field.ErrorList) {
	if p.PodSelector != nil {
		errs = append(errs, checkSelector(p.PodSelector, path.Child("podSelector"))...)
	}
	if p.NamespaceSelector != nil {
		errs = append(errs, checkSelector(p.NamespaceSelector, path.Child("namespaceSelector"))...)
	}
	selectors := p.PodSelector != nil || p.NamespaceSelector != nil
	switch {
	case p.IPBlock == nil && !selectors:
		errs = append(errs, field.Required(path, "must specify a peer"))
	case p.IPBlock != nil:
		errs = append(errs, checkIPBlock(p.IPBlock, path.Child("ipBlock"))...)
		if selectors {
			errs = append(errs, field.Forbidden(path, "may not specify both ipBlock and another peer"))
		}
	}
	return errs
}

func checkIPBlock(b *networkingv1.IPBlock, path *field.Path) (errs field.ErrorList) {
	if b.CIDR == "" {
		return field.ErrorList{field.Required(path.Child("cidr"), "")}
	}
	errs = utilvalidation.IsValidCIDRForLegacyField(path.Child("cidr"), b.CIDR, true, nil)
	all, err := netip.ParsePrefix(b.CIDR)
	if err != nil {
		return errs
	}
	for i, e := range b.Except {
		at := path.Child("except").Index(i)
		errs = append(errs, utilvalidation.IsValidCIDRForLegacyField(at, e, true, nil)...)
		if part, err := netip.ParsePrefix(e); err == nil && (!all.Contains(part.Addr()) || all.Bits() >= part.Bits()) {
			errs = append(errs, field.Invalid(at, e, "must be a strict subset of `cidr`"))
		}
	}
	return errs
}

func checkSlice(in, old *discoveryv1.EndpointSlice) (errs field.ErrorList) {
	types, last := field.NewPath("addressType"), field.ErrorList{}
	if in.AddressType == "" {
		last = append(last, field.Required(types, ""))
	}
	unknown := field.ErrorList{}
	if in.AddressType != "" {
		unknown = oneOf(types, in.AddressType, discoveryv1.AddressTypeFQDN, discoveryv1.AddressTypeIPv4, discoveryv1.AddressTypeIPv6)
	}
	if old != nil { // it is not moved
		errs, unknown = unknown, nil
	}
	errs, last = append(errs, checkSlicePorts(in.Ports)...), append(last, unknown...)
	if old != nil {
		if in.AddressType != old.AddressType {
			last = append(last, field.Invalid(types, nil, validation.FieldImmutableErrorMsg))
		}
		if equality.Semantic.DeepEqual(in.Endpoints, old.Endpoints) { // they were valid once
			return append(errs, last...)
		}
	}
	for i, e := range in.Endpoints {
		at := field.NewPath("endpoints").Index(i).Child("addresses")
		for j, a := range e.Addresses {
			errs = append(errs, checkAddress(a, in.AddressType, at, j)...)
		}
		if len(e.Addresses) == 0 {
			last = append(last, field.Required(at, ""))
		}
	}
	return append(errs, last...)
}

func checkSlicePorts(all []discoveryv1.EndpointPort) (errs field.ErrorList) {
	var names []string
	for i, p := range all {
		path, name := field.NewPath("ports").Index(i), ""
		if p.Name != nil {
			name = *p.Name
		}
		if name != "" {
			errs = append(errs, wrongs(path.Child("name"), name, utilvalidation.IsDNS1123Label(name))...)
		}
		if slices.Contains(names, name) {
			errs = append(errs, field.Duplicate(path.Child("name"), name))
		}
		names = append(names, name)
		if p.Protocol != nil {
			errs = append(errs, oneOf(path.Child("protocol"), *p.Protocol, corev1.ProtocolSCTP, corev1.ProtocolTCP, corev1.ProtocolUDP)...)
		}
	}
	return errs
}

// checkAddress judges the i-th address of an endpoint by the type of them all.
func checkAddress(a string, of discoveryv1.AddressType, path *field.Path, i int) (errs field.ErrorList) {
	at := path.Index(i)
	parsed, err := netip.ParseAddr(a)
	switch {
	case of == discoveryv1.AddressTypeFQDN:
		return utilvalidation.IsFullyQualifiedDomainName(at, a)
	case of == discoveryv1.AddressTypeIPv4:
		if errs = utilvalidation.IsValidIPForLegacyField(at, a, true, nil); len(errs) == 0 && err == nil && !parsed.Is4() {
			errs = append(errs, field.Invalid(path, a, "must be an IPv4 address"))
		}
	case of == discoveryv1.AddressTypeIPv6:
		if errs = utilvalidation.IsValidIP(at, a); len(errs) == 0 && err == nil && !parsed.Is6() {
			errs = append(errs, field.Invalid(path, a, "must be an IPv6 address"))
		}
	}
	return errs
}

func checkIngress(in, old *networkingv1.Ingress) (errs field.ErrorList) {
	s, path := &in.Spec, field.NewPath("spec")
	if len(s.Rules) == 0 && s.DefaultBackend == nil {
		errs = append(errs, field.Invalid(path, s.Rules, "either `defaultBackend` or `rules` must be specified"))
	}
	if s.DefaultBackend != nil {
		errs = append(errs, checkBackend(s.DefaultBackend, path.Child("defaultBackend"))...)
	}
	for i, r := range s.Rules {
		at := path.Child("rules").Index(i)
		if r.Host != "" {
			if netutils.ParseIPSloppy(r.Host) != nil {
				errs = append(errs, field.Invalid(at.Child("host"), r.Host, "must be a DNS name, not an IP address"))
			}
			errs = append(errs, checkHost(r.Host, at.Child("host"))...)
		}
		if r.HTTP == nil {
			continue
		}
		if at = at.Child("http", "paths"); len(r.HTTP.Paths) == 0 {
			errs = append(errs, field.Required(at, ""))
		}
		for j := range r.HTTP.Paths {
			errs = append(errs, checkHTTPPath(&r.HTTP.Paths[j], at.Index(j))...)
		}
	}
	for i, t := range s.TLS {
		at := path.Child("tls").Index(i)
		for j, host := range t.Hosts {
			errs = append(errs, checkHost(host, at.Child("hosts").Index(j))...)
		}
		if t.SecretName != "" {
			errs = append(errs, wrongs(at.Child("secretName"), t.SecretName, subdomain(t.SecretName))...)
		}
	}
	if c := s.IngressClassName; c != nil {
		errs = append(errs, wrongs(path.Child("ingressClassName"), *c, subdomain(*c))...)
		const annotation = "kubernetes.io/ingress.class"
		if other, both := in.Annotations[annotation]; both && old == nil && other != *c {
			errs = append(errs, field.Invalid(field.NewPath("annotations").Child(annotation), other, "must match `ingressClassName` when both are specified"))
		}
	}
	return errs
}

func checkHost(host string, path *field.Path) field.ErrorList {
	if strings.Contains(host, "*") {
		return wrongs(path, host, utilvalidation.IsWildcardDNS1123Subdomain(host))
	}
	return wrongs(path, host, utilvalidation.IsDNS1123Subdomain(host))
}

func checkHTTPPath(p *networkingv1.HTTPIngressPath, path *field.Path) (errs field.ErrorList) {
	if p.PathType == nil {
		return field.ErrorList{field.Required(path.Child("pathType"), "pathType must be specified")}
	}
	at := path.Child("path")
	known := oneOf(path.Child("pathType"), *p.PathType, networkingv1.PathTypeExact, networkingv1.PathTypeImplementationSpecific, networkingv1.PathTypePrefix)
	free := *p.PathType == networkingv1.PathTypeImplementationSpecific
	if errs = known; len(known) == 0 && !strings.HasPrefix(p.Path, "/") && !(free && p.Path == "") {
		errs = append(errs, field.Invalid(at, p.Path, "must be an absolute path"))
	}
	if len(known) == 0 && !free {
		for _, part := range []string{"//", "/./", "/../", "%2f", "%2F"} {
			if strings.Contains(p.Path, part) {
				errs = append(errs, field.Invalid(at, p.Path, fmt.Sprintf("must not contain '%s'", part)))
			}
		}
		for _, end := range []string{"/..", "/."} {
			if strings.HasSuffix(p.Path, end) {
				errs = append(errs, field.Invalid(at, p.Path, fmt.Sprintf("cannot end with '%s'", end)))
			}
		}
	}
	return append(errs, checkBackend(&p.Backend, path.Child("backend"))...)
}

func checkBackend(b *networkingv1.IngressBackend, path *field.Path) (errs field.ErrorList) {
	switch {
	case b.Resource != nil && b.Service != nil:
		return field.ErrorList{field.Invalid(path, "", "cannot set both resource and service backends")}
	case b.Resource != nil:
		at := path.Child("resource")
		if g := b.Resource.APIGroup; g != nil {
			errs = wrongs(at.Child("apiGroup"), *g, utilvalidation.IsDNS1123Subdomain(*g))
		}
		for _, n := range []struct{ name, value string }{{"kind", b.Resource.Kind}, {"name", b.Resource.Name}} {
			if n.value == "" {
				errs = append(errs, field.Required(at.Child(n.name), ""))
			} else {
				errs = append(errs, wrongs(at.Child(n.name), n.value, pathSegment(n.value, false))...)
			}
		}
		return errs
	case b.Service == nil:
		return field.ErrorList{field.Invalid(path, "", "resource or service backend is required")}
	}
	at, port := path.Child("service"), b.Service.Port
	if name := b.Service.Name; name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	} else {
		errs = append(errs, wrongs(at.Child("name"), name, utilvalidation.IsDNS1123Label(name))...)
	}
	switch {
	case port.Name != "" && port.Number != 0:
		return append(errs, field.Invalid(path, "", "cannot set both port name & port number"))
	case port.Name != "":
		return append(errs, wrongs(at.Child("port", "name"), port.Name, utilvalidation.IsValidPortName(port.Name))...)
	case port.Number != 0:
		return append(errs, wrongs(at.Child("port", "number"), port.Number, utilvalidation.IsValidPortNum(int(port.Number)))...)
	}
	return append(errs, field.Required(path, "port name or number is required"))
}

func checkIngressClass(in, old *networkingv1.IngressClass) (errs field.ErrorList) {
	path := field.NewPath("spec", "controller")
	if old != nil {
		errs = immutable(path, in.Spec.Controller, old.Spec.Controller)
	}
	return append(errs, utilvalidation.IsDomainPrefixedPath(path, in.Spec.Controller)...)
}
