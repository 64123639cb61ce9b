package workloads

//lint:file-ignore SA1019 Endpoints are deprecated, and there is a controller for them

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const (
	sliceController = "endpointslice-controller.k8s.io"
	managedBy       = "endpoints.kubernetes.io/managed-by"
)

// backends are the pods of a Service with the same ports.
type backends struct {
	ports []corev1.EndpointPort
	pods  []*corev1.Pod
}

// syncService keeps the EndpointSlices and the Endpoints of a Service with a selector.
func (m *manager) syncService(namespace, name string) error {
	svc, ok := get[*corev1.Service](m, services, namespace, name)
	if !ok {
		e, has := get[*corev1.Endpoints](m, endpoints, namespace, name)
		if has && e.Labels[managedBy] != "" {
			return m.remove(endpoints, e, "")
		}
		return nil
	}
	if len(svc.Spec.Selector) == 0 || svc.Spec.Type == corev1.ServiceTypeExternalName || svc.DeletionTimestamp != nil {
		return nil
	}
	groups := map[string]*backends{}
	for _, p := range in[*corev1.Pod](m, pods, namespace) {
		if p.Status.PodIP == "" || ended(p) || !selectorOf(svc).Matches(labels.Set(p.Labels)) {
			continue
		}
		ports := portsOf(svc, p)
		key := fmt.Sprint(ports)
		if groups[key] == nil {
			groups[key] = &backends{ports: ports}
		}
		groups[key].pods = append(groups[key].pods, p)
	}
	var all []*backends
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		all = append(all, groups[key])
	}
	return cmp.Or(m.syncSlices(svc, all), m.syncEndpoints(svc, all))
}

// portsOf resolves a Service's target ports in a pod. A name that the pod has not got is left out.
func portsOf(svc *corev1.Service, p *corev1.Pod) (all []corev1.EndpointPort) {
	for _, port := range svc.Spec.Ports {
		n := port.TargetPort.IntVal
		if port.TargetPort.Type == intstr.String {
			for _, c := range p.Spec.Containers {
				for _, has := range c.Ports {
					if has.Name == port.TargetPort.StrVal && has.Protocol == port.Protocol {
						n = has.ContainerPort
					}
				}
			}
		}
		if n > 0 {
			all = append(all, corev1.EndpointPort{Name: port.Name, Port: n, Protocol: port.Protocol, AppProtocol: port.AppProtocol})
		}
	}
	return all
}

// address returns a pod's address of a family; "": it has none.
func address(p *corev1.Pod, family corev1.IPFamily) string {
	for _, ip := range append(p.Status.PodIPs, corev1.PodIP{IP: p.Status.PodIP}) {
		if a, err := netip.ParseAddr(ip.IP); err == nil && a.Is4() == (family == corev1.IPv4Protocol) {
			return ip.IP
		}
	}
	return ""
}

func (m *manager) syncSlices(svc *corev1.Service, all []*backends) error {
	for _, family := range svc.Spec.IPFamilies {
		var want []*discoveryv1.EndpointSlice
		for _, b := range all {
			want = append(want, m.slicesOf(svc, family, b)...)
		}
		if len(want) == 0 {
			want = append(want, newSlice(svc, family)) // an empty one, which says so
		}
		if err := m.replaceSlices(svc, family, want); err != nil {
			return err
		}
	}
	return nil
}

func newSlice(svc *corev1.Service, family corev1.IPFamily) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: svc.Namespace, GenerateName: svc.Name + "-", Labels: map[string]string{},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(svc, corev1.SchemeGroupVersion.WithKind("Service"))}}, AddressType: discoveryv1.AddressType(family)}
	maps.Copy(s.Labels, svc.Labels)
	s.Labels[discoveryv1.LabelServiceName], s.Labels[discoveryv1.LabelManagedBy] = svc.Name, sliceController
	if svc.Spec.ClusterIP == corev1.ClusterIPNone {
		s.Labels[corev1.IsHeadlessService] = ""
	}
	return s
}

// slicesOf makes slices of 100 endpoints.
func (m *manager) slicesOf(svc *corev1.Service, family corev1.IPFamily, b *backends) (all []*discoveryv1.EndpointSlice) {
	var ports []discoveryv1.EndpointPort
	for _, p := range b.ports {
		ports = append(ports, discoveryv1.EndpointPort{Name: &p.Name, Port: &p.Port, Protocol: &p.Protocol, AppProtocol: p.AppProtocol})
	}
	var some []discoveryv1.Endpoint
	for _, p := range b.pods {
		ip, ends, serves := address(p, family), p.DeletionTimestamp != nil, ready(p)
		if ip == "" || p.Spec.NodeName == "" {
			continue
		}
		isReady := svc.Spec.PublishNotReadyAddresses || serves && !ends
		e := discoveryv1.Endpoint{Addresses: []string{ip}, Conditions: discoveryv1.EndpointConditions{Ready: &isReady, Serving: &serves, Terminating: &ends},
			TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID}, NodeName: &p.Spec.NodeName}
		if p.Spec.Hostname != "" && p.Spec.Subdomain == svc.Name {
			e.Hostname = &p.Spec.Hostname
		}
		if n, ok := get[*corev1.Node](m, nodes, "", p.Spec.NodeName); ok && n.Labels[corev1.LabelTopologyZone] != "" {
			zone := n.Labels[corev1.LabelTopologyZone]
			e.Zone = &zone
		}
		some = append(some, e)
	}
	for chunk := range slices.Chunk(some, 100) {
		s := newSlice(svc, family)
		s.Ports, s.Endpoints = ports, chunk
		all = append(all, s)
	}
	return all
}

// replaceSlices makes the slices of a Service those that are wanted, with as few writes as there must be.
func (m *manager) replaceSlices(svc *corev1.Service, family corev1.IPFamily, want []*discoveryv1.EndpointSlice) error {
	has := slices.DeleteFunc(indexed[*discoveryv1.EndpointSlice](m, endpointSlices, string(svc.UID)), func(s *discoveryv1.EndpointSlice) bool {
		return s.AddressType != discoveryv1.AddressType(family) || s.Labels[discoveryv1.LabelManagedBy] != sliceController || s.DeletionTimestamp != nil
	})
	for i, w := range want {
		if i >= len(has) {
			if _, err := create(m, endpointSlices, w); err != nil {
				return err
			}
			continue
		}
		now := has[i].DeepCopy()
		now.Labels, now.Ports, now.Endpoints = w.Labels, w.Ports, w.Endpoints
		if equality.Semantic.DeepEqual(now, has[i]) {
			continue
		}
		if _, err := update(m, endpointSlices, now, ""); err != nil {
			return err
		}
	}
	return each(has[min(len(want), len(has)):], func(s *discoveryv1.EndpointSlice) error { return m.remove(endpointSlices, s, "") })
}

func (m *manager) syncEndpoints(svc *corev1.Service, all []*backends) error {
	e := &corev1.Endpoints{ObjectMeta: metav1.ObjectMeta{Namespace: svc.Namespace, Name: svc.Name, Labels: map[string]string{}}}
	maps.Copy(e.Labels, svc.Labels)
	e.Labels[managedBy] = "endpoint-controller"
	if svc.Spec.ClusterIP == corev1.ClusterIPNone {
		e.Labels[corev1.IsHeadlessService] = ""
	}
	for _, b := range all {
		s := corev1.EndpointSubset{Ports: b.ports}
		for _, p := range b.pods {
			ip := address(p, svc.Spec.IPFamilies[0])
			if ip == "" || p.DeletionTimestamp != nil {
				continue
			}
			a := corev1.EndpointAddress{IP: ip, NodeName: &p.Spec.NodeName, TargetRef: &corev1.ObjectReference{Kind: "Pod", Namespace: p.Namespace, Name: p.Name, UID: p.UID}}
			if p.Spec.Hostname != "" && p.Spec.Subdomain == svc.Name {
				a.Hostname = p.Spec.Hostname
			}
			if svc.Spec.PublishNotReadyAddresses || ready(p) {
				s.Addresses = append(s.Addresses, a)
			} else {
				s.NotReadyAddresses = append(s.NotReadyAddresses, a)
			}
		}
		if len(s.Addresses)+len(s.NotReadyAddresses) > 0 {
			e.Subsets = append(e.Subsets, s)
		}
	}
	has, ok := get[*corev1.Endpoints](m, endpoints, svc.Namespace, svc.Name)
	if !ok {
		_, err := create(m, endpoints, e)
		return err
	}
	now := has.DeepCopy()
	now.Labels, now.Subsets = e.Labels, e.Subsets
	if equality.Semantic.DeepEqual(now, has) {
		return nil
	}
	_, err := update(m, endpoints, now, "")
	return err
}
