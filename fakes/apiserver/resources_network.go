package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// networkResources are kinds about who reaches whom.
func networkResources() []Resource {
	v1 := networkingv1.SchemeGroupVersion
	return []Resource{
		builtin[networkingv1.Ingress, networkingv1.IngressList](v1, "ingresses", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"ing"},
			Spec:   of(func(i *networkingv1.Ingress) any { return &i.Spec }),
			Status: of(func(i *networkingv1.Ingress) any { return &i.Status }),
			check:  checked(checkIngress), checkPart: unjudged,
		}),
		builtin[networkingv1.IngressClass, networkingv1.IngressClassList](v1, "ingressclasses", Resource{
			Unconditional: true, check: checked(checkIngressClass),
			Spec: of(func(c *networkingv1.IngressClass) any { return &c.Spec }),
			defaults: of1(func(c *networkingv1.IngressClass) {
				if c.Spec.Parameters != nil {
					defaultPtr(&c.Spec.Parameters.Scope, networkingv1.IngressClassParametersReferenceScopeCluster)
				}
			}),
		}),
		builtin[networkingv1.NetworkPolicy, networkingv1.NetworkPolicyList](v1, "networkpolicies", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"netpol"},
			Spec:     of(func(p *networkingv1.NetworkPolicy) any { return &p.Spec }),
			defaults: of1(defaultNetworkPolicy), check: checked(checkNetworkPolicy),
		}),
		builtin[networkingv1.IPAddress, networkingv1.IPAddressList](v1, "ipaddresses", Resource{
			Unconditional: true, ShortNames: []string{"ip"},
		}),
		builtin[networkingv1.ServiceCIDR, networkingv1.ServiceCIDRList](v1, "servicecidrs", Resource{
			Unconditional: true,
			Status:        of(func(c *networkingv1.ServiceCIDR) any { return &c.Status }), prepareStatus: keepMetadata,
		}),
	}
}

func defaultNetworkPolicy(p *networkingv1.NetworkPolicy) {
	if len(p.Spec.PolicyTypes) == 0 {
		p.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(p.Spec.Egress) > 0 {
			p.Spec.PolicyTypes = append(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
		}
	}
	protocol := func(ports []networkingv1.NetworkPolicyPort) {
		for i := range ports {
			defaultPtr(&ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
	for _, r := range p.Spec.Ingress {
		protocol(r.Ports)
	}
	for _, r := range p.Spec.Egress {
		protocol(r.Ports)
	}
}
