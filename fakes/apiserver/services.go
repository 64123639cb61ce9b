package apiserver

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What a service has depends on its type: an address, ports of nodes, policies. What a type has not got goes
// with a change of it, and what it has comes; what stays is kept where an update does not say it
// (k8s.io/kubernetes v1.37.1, pkg/registry/core/service).

func hasAddress(s *corev1.Service) bool { return s.Spec.Type != corev1.ServiceTypeExternalName }

func isExternal(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer
}

// getsNodePorts says that a service is given ports of nodes; others of its type may have them.
func getsNodePorts(s *corev1.Service) bool {
	allocate := s.Spec.AllocateLoadBalancerNodePorts
	return s.Spec.Type == corev1.ServiceTypeNodePort || s.Spec.Type == corev1.ServiceTypeLoadBalancer && (allocate == nil || *allocate)
}

func getsHealthPort(s *corev1.Service) bool {
	return s.Spec.Type == corev1.ServiceTypeLoadBalancer && s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal
}

// prepareService drops what the new type has not got, unless the client has just said it, and keeps the rest.
func prepareService(in, old *corev1.Service) {
	if old == nil {
		return
	}
	spec, was := &in.Spec, &old.Spec
	switch {
	case hasAddress(in) && hasAddress(old):
		keepAddress(spec, was)
	case hasAddress(old):
		dropAddress(spec, was)
	}
	if isExternal(old) && isExternal(in) {
		keepNodePorts(spec.Ports, was.Ports)
	}
	if isExternal(old) && !isExternal(in) {
		for i := range spec.Ports {
			if slices.ContainsFunc(was.Ports, func(p corev1.ServicePort) bool { return p.NodePort == spec.Ports[i].NodePort }) {
				spec.Ports[i].NodePort = 0
			}
		}
	}
	if isReached(old) && !isReached(in) {
		dropSame(&spec.ExternalTrafficPolicy, was.ExternalTrafficPolicy)
	}
	if getsHealthPort(old) && getsHealthPort(in) {
		defaultTo(&spec.HealthCheckNodePort, was.HealthCheckNodePort)
	} else if getsHealthPort(old) {
		dropSame(&spec.HealthCheckNodePort, was.HealthCheckNodePort)
	}
	if was.SessionAffinity == corev1.ServiceAffinityClientIP && spec.SessionAffinity == corev1.ServiceAffinityNone && equality.Semantic.DeepEqual(spec.SessionAffinityConfig, was.SessionAffinityConfig) {
		spec.SessionAffinityConfig = nil
	}
	if isBalancer(old) && !isBalancer(in) {
		dropSamePtr(&spec.AllocateLoadBalancerNodePorts, was.AllocateLoadBalancerNodePorts)
		dropSamePtr(&spec.LoadBalancerClass, was.LoadBalancerClass)
	}
	if !isBalancer(in) { // whoever gave it takes it back later, and nobody need see that
		in.Status.LoadBalancer = corev1.LoadBalancerStatus{}
	}
}

// hideService hides the policy of an ExternalName service, which it has again when its type changes.
func hideService(obj runtime.Object) runtime.Object {
	s := obj.(*corev1.Service)
	if hasAddress(s) || s.Spec.InternalTrafficPolicy == nil {
		return obj
	}
	s = s.DeepCopy()
	s.Spec.InternalTrafficPolicy = nil
	return s
}

// dropSame makes a value nothing, unless it has just been changed.
func dropSame[T comparable](v *T, was T) {
	if *v == was {
		var none T
		*v = none
	}
}

// dropSamePtr is dropSame for what may be left out.
func dropSamePtr[T comparable](v **T, was *T) {
	if *v != nil && was != nil && **v == *was {
		*v = nil
	}
}

// keepAddress: an update that says no address keeps the one it had.
func keepAddress(spec, was *corev1.ServiceSpec) {
	defaultTo(&spec.ClusterIP, was.ClusterIP)
	if spec.ClusterIP != "" && (len(spec.ClusterIPs) == 0 || spec.ClusterIPs[0] != spec.ClusterIP) {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	bare := staysWithoutFamilies(spec, was)
	defaultTo(&spec.IPFamilyPolicy, was.IPFamilyPolicy)
	if len(spec.IPFamilies) == 0 && !needsDualStack(spec) && !bare {
		spec.IPFamilies = was.IPFamilies
		giveFamilies(spec)
	}
}

func dropAddress(spec, was *corev1.ServiceSpec) {
	if spec.ClusterIP == "" || spec.ClusterIP == was.ClusterIP {
		spec.ClusterIP, spec.ClusterIPs = "", nil
	}
	if slices.Equal(spec.IPFamilies, was.IPFamilies) {
		spec.IPFamilies = nil
	}
	dropSamePtr(&spec.IPFamilyPolicy, was.IPFamilyPolicy)
}

// keepNodePorts: a port that says none keeps that of the old port of the same number.
func keepNodePorts(ports, was []corev1.ServicePort) {
	for i := range ports {
		p := &ports[i]
		at := slices.IndexFunc(was, func(o corev1.ServicePort) bool { return o.Port == p.Port && o.Protocol == p.Protocol })
		if p.NodePort == 0 && at >= 0 && !slices.ContainsFunc(ports, func(o corev1.ServicePort) bool { return o.NodePort == was[at].NodePort }) {
			p.NodePort = was[at].NodePort
		}
	}
}

// allocate gives a service what it needs and has not got: an address of its own, as far as Options.ServiceRange
// reaches, and ports of nodes. The lock is held.
func allocate(c *core, obj, before runtime.Object) error {
	in, old := obj.(*corev1.Service), &corev1.Service{}
	if before != nil {
		old = before.(*corev1.Service)
	}
	if errs := checkDualStack(in); len(errs) > 0 {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), in.Name, errs)
	}
	fresh := hasAddress(in) && (before == nil || !hasAddress(old))
	if ip, err := netip.ParseAddr(in.Spec.ClusterIP); err == nil && ip.Is4() && fresh && !c.serviceRange().Contains(ip) {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), in.Name, field.ErrorList{field.Invalid(field.NewPath("spec", "clusterIPs"),
			[]string{in.Spec.ClusterIP}, fmt.Sprintf("failed to allocate IP %s: the provided network does not match the current range", ip))})
	}
	if hasAddress(in) {
		if !c.giveAddress(&in.Spec, &old.Spec, fresh) {
			return apierrors.NewInternalError(fmt.Errorf("failed to allocate a serviceIP for Service %q: range is full", in.Name))
		}
	}
	taken := c.takenPorts(in)
	var errs field.ErrorList
	for i := range in.Spec.Ports {
		path := field.NewPath("spec", "ports").Index(i).Child("nodePort")
		errs = append(errs, c.givePort(in, old, i, taken, path)...)
	}
	if getsHealthPort(in) && in.Spec.HealthCheckNodePort == 0 {
		in.Spec.HealthCheckNodePort = c.freePort(taken)
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("Service").GroupKind(), in.Name, errs)
	}
	return nil
}

// DefaultServiceRange has the addresses of services unless Options.ServiceRange has others.
var DefaultServiceRange = netip.MustParsePrefix("10.0.0.0/24")

// serviceRange has the addresses of services.
func (c *core) serviceRange() netip.Prefix {
	if c.o.ServiceRange.IsValid() {
		return c.o.ServiceRange.Masked()
	}
	return DefaultServiceRange
}

// giveAddress gives a service an address, if it may have a new one, and families of addresses. It reports whether there was an address left.
func (c *core) giveAddress(spec, was *corev1.ServiceSpec, fresh bool) bool {
	if spec.ClusterIP == "" && fresh {
		if spec.ClusterIP = c.freeAddress(); spec.ClusterIP == "" {
			return false
		}
	}
	if spec.ClusterIP != "" && (len(spec.ClusterIPs) == 0 || spec.ClusterIPs[0] == "") {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	if !staysWithoutFamilies(spec, was) {
		giveFamilies(spec)
	}
	return true
}

// staysWithoutFamilies reports whether a service that prefers two families and that its /status has created, without an address, gets
// none by an update: kube-apiserver adds none to such a service.
func staysWithoutFamilies(spec, was *corev1.ServiceSpec) bool {
	prefers := func(p *corev1.IPFamilyPolicy) bool { return p != nil && *p == corev1.IPFamilyPolicyPreferDualStack }
	return spec.Type == was.Type && prefers(spec.IPFamilyPolicy) && (was.IPFamilyPolicy == nil || prefers(was.IPFamilyPolicy)) &&
		len(spec.IPFamilies)+len(was.IPFamilies)+len(spec.ClusterIPs)+len(was.ClusterIPs) == 0
}

// giveFamilies says of which families a service's addresses are, unless it says so.
func giveFamilies(spec *corev1.ServiceSpec) {
	policy, families := corev1.IPFamilyPolicySingleStack, []corev1.IPFamily{corev1.IPv4Protocol}
	if spec.ClusterIP == corev1.ClusterIPNone && len(spec.Selector) == 0 {
		policy, families = corev1.IPFamilyPolicyRequireDualStack, []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = families
	}
	defaultPtr(&spec.IPFamilyPolicy, policy)
}

// services are those there are.
func (c *core) services(yield func(*corev1.Service) bool) {
	for r := range c.st.kinds[corev1.SchemeGroupVersion.WithResource("services")].Now().Within("", "") {
		if !yield(r.obj.(*corev1.Service)) {
			return
		}
	}
}

// freeAddress is the first that no service has, from one that the seed chooses, or "" if services have all.
func (c *core) freeAddress() string {
	taken := map[string]bool{}
	for s := range c.services {
		taken[s.Spec.ClusterIP] = true
	}
	within := c.serviceRange()
	network := binary.BigEndian.Uint32(within.Addr().AsSlice())
	hosts := 1<<(32-within.Bits()) - 2 // neither the first nor the last
	first := c.rand.IntN(hosts)
	for i := range hosts {
		var ip [4]byte
		binary.BigEndian.PutUint32(ip[:], network+uint32(1+(first+i)%hosts))
		if ip := netip.AddrFrom4(ip).String(); !taken[ip] {
			return ip
		}
	}
	return ""
}

// The ports of nodes that services may have: a kube-apiserver's default.
const firstNodePort, lastNodePort = 30_000, 32_767

// takenPorts are the ports of nodes that other services have.
func (c *core) takenPorts(but *corev1.Service) map[int32]bool {
	taken := map[int32]bool{}
	for s := range c.services {
		if s.UID == but.UID {
			continue
		}
		taken[s.Spec.HealthCheckNodePort] = true
		for _, p := range s.Spec.Ports {
			taken[p.NodePort] = true
		}
	}
	return taken
}

// givePort gives a service's i-th port one of the nodes' ports, or looks at the one that it has.
func (c *core) givePort(in, old *corev1.Service, i int, taken map[int32]bool, path *field.Path) field.ErrorList {
	p := &in.Spec.Ports[i]
	held := slices.ContainsFunc(old.Spec.Ports, func(o corev1.ServicePort) bool { return o.NodePort == p.NodePort })
	switch {
	case p.NodePort == 0 && !getsNodePorts(in), p.NodePort != 0 && held:
	case p.NodePort == 0:
		if same := slices.IndexFunc(in.Spec.Ports[:i], func(o corev1.ServicePort) bool { return o.Port == p.Port }); same >= 0 && old.Name == "" {
			p.NodePort = in.Spec.Ports[same].NodePort // of another protocol
			return nil
		}
		p.NodePort = c.freePort(taken)
	case p.NodePort < firstNodePort || p.NodePort > lastNodePort:
		return field.ErrorList{field.Invalid(path, p.NodePort, fmt.Sprintf(
			"provided port is not in the valid range. The range of valid ports is %d-%d", firstNodePort, lastNodePort))}
	case taken[p.NodePort] && isExternal(in):
		return field.ErrorList{field.Invalid(path, p.NodePort, "provided port is already allocated")}
	}
	return nil
}

// freePort is the first that is not taken, which it is then, from one that the seed chooses; 0: there is none.
func (c *core) freePort(taken map[int32]bool) int32 {
	const ports = lastNodePort - firstNodePort + 1
	first := c.rand.Int32N(ports)
	for i := range int32(ports) {
		if port := firstNodePort + (first+i)%ports; !taken[port] {
			taken[port] = true
			return port
		}
	}
	return 0
}

// needsDualStack reports whether a service cannot do without IPv6. A headless one without a selector can.
func needsDualStack(s *corev1.ServiceSpec) bool {
	p, selectorless := s.IPFamilyPolicy, s.ClusterIP == corev1.ClusterIPNone && len(s.Selector) == 0
	return p != nil && *p == corev1.IPFamilyPolicyRequireDualStack && !selectorless
}

// checkDualStack: there are no IPv6 addresses here.
func checkDualStack(in *corev1.Service) (errs field.ErrorList) {
	if !hasAddress(in) || !needsDualStack(&in.Spec) {
		return nil
	}
	path := field.NewPath("spec")
	errs = field.ErrorList{field.Invalid(path.Child("ipFamilyPolicy"), corev1.IPFamilyPolicyRequireDualStack, "this cluster is not configured for dual-stack services")}
	for i, f := range in.Spec.IPFamilies {
		if f == corev1.IPv6Protocol {
			errs = append(errs, field.Invalid(path.Child("ipFamilies").Index(i), f, "not configured on this cluster"))
		}
	}
	return errs
}

func checkService(in, old *corev1.Service) (errs field.ErrorList) {
	if old == nil {
		return checkServiceAlone(in, nil)
	}
	if errs := checkDualStack(in); len(errs) > 0 { // seen before all else
		return errs
	}
	if hasAddress(in) && hasAddress(old) && old.Spec.ClusterIP != "" && in.Spec.ClusterIP != old.Spec.ClusterIP {
		errs = append(errs, field.Invalid(field.NewPath("spec", "clusterIPs").Index(0), in.Spec.ClusterIPs, "may not change once set"))
	}
	return slices.Concat(errs, checkBalancerClass(in, old), checkServiceAlone(in, old))
}

// checkServiceAlone is what is wrong with a service, but for changes that it must not make.
func checkServiceAlone(in, old *corev1.Service) (errs field.ErrorList) {
	path := field.NewPath("spec")
	if len(in.Spec.Ports) == 0 && in.Spec.ClusterIP != corev1.ClusterIPNone && hasAddress(in) {
		return append(field.ErrorList{field.Required(path.Child("ports"), "")}, checkServiceWords(in, old)...)
	}
	errs = checkServiceWords(in, old)
	if isExternal(in) && in.Spec.ClusterIP == corev1.ClusterIPNone {
		errs = slices.Insert(errs, 0, field.Invalid(path.Child("clusterIPs").Index(0), in.Spec.ClusterIP, fmt.Sprintf("may not be set to 'None' for %s services", in.Spec.Type)))
	}
	for i, p := range in.Spec.Ports {
		if p.NodePort != 0 && !isExternal(in) {
			errs = append(errs, field.Forbidden(path.Child("ports").Index(i).Child("nodePort"), fmt.Sprintf("may not be used when `type` is '%s'", in.Spec.Type)))
		}
	}
	if in.Spec.Type == corev1.ServiceTypeExternalName {
		const never = "may not be set for ExternalName services"
		if in.Spec.IPFamilyPolicy != nil {
			errs = slices.Insert(errs, 0, field.Forbidden(path.Child("ipFamilyPolicy"), never))
		}
		if len(in.Spec.ClusterIPs) > 0 || in.Spec.ClusterIP != "" && (old == nil || len(old.Spec.ClusterIPs) == 0) {
			errs = slices.Insert(errs, 0, field.Forbidden(path.Child("clusterIPs"), never))
		}
	}
	return errs
}
