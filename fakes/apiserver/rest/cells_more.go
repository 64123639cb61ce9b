package rest

import (
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
)

// Workloads.

// jobStates are the conditions of a job that its status is named after, the first that is True. Deletion comes after the second.
var jobStates = []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuspended, batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet}

func jobStatus(o *batchv1.Job) string {
	for i, kind := range jobStates {
		if i == 2 && o.DeletionTimestamp != nil {
			return "Terminating"
		}
		j := slices.IndexFunc(o.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == kind })
		if j >= 0 && o.Status.Conditions[j].Status == corev1.ConditionTrue {
			return string(kind)
		}
	}
	return "Running"
}

func completions(o *batchv1.Job) string {
	switch {
	case o.Spec.Completions != nil:
		return fmt.Sprintf("%d/%d", o.Status.Succeeded, *o.Spec.Completions)
	case ptr.Deref(o.Spec.Parallelism, 0) > 1:
		return fmt.Sprintf("%d/1 of %d", o.Status.Succeeded, *o.Spec.Parallelism)
	}
	return fmt.Sprintf("%d/1", o.Status.Succeeded)
}

func jobDuration(o *batchv1.Job) string {
	switch {
	case o.Status.StartTime == nil:
		return ""
	case o.Status.CompletionTime == nil:
		return since(*o.Status.StartTime)
	}
	return duration.HumanDuration(o.Status.CompletionTime.Sub(o.Status.StartTime.Time))
}

func controllerOf(o metav1.Object) string {
	ref := metav1.GetControllerOf(o)
	if ref == nil {
		return none
	}
	return strings.ToLower(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind).GroupKind().String()) + "/" + ref.Name
}

// metrics are those of an autoscaler, current/wanted, two at most.
func metrics(o *autoscalingv2.HorizontalPodAutoscaler) string {
	var all []string
	for i, m := range o.Spec.Metrics {
		var now autoscalingv2.MetricStatus
		if i < len(o.Status.CurrentMetrics) {
			now = o.Status.CurrentMetrics[i]
		}
		all = append(all, metric(m, now))
	}
	switch {
	case len(all) == 0:
		return none
	case len(all) > 2:
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:2], ", "), len(all)-2)
	}
	return strings.Join(all, ", ")
}

func metric(m autoscalingv2.MetricSpec, now autoscalingv2.MetricStatus) string {
	var current *autoscalingv2.MetricValueStatus
	switch {
	case m.External != nil:
		if now.External != nil {
			current = &now.External.Current
		}
		return reached(m.External.Target, current)
	case m.Object != nil:
		if now.Object != nil {
			current = &now.Object.Current
		}
		return reached(m.Object.Target, current)
	case m.Pods != nil:
		if now.Pods != nil {
			current = &now.Pods.Current
		}
		return quantity(current, func(v *autoscalingv2.MetricValueStatus) *resource.Quantity { return v.AverageValue }) + "/" + m.Pods.Target.AverageValue.String()
	case m.Resource != nil:
		if now.Resource != nil {
			current = &now.Resource.Current
		}
		return used(m.Resource.Name, m.Resource.Target, current)
	case m.ContainerResource != nil:
		if now.ContainerResource != nil {
			current = &now.ContainerResource.Current
		}
		return used(m.ContainerResource.Name, m.ContainerResource.Target, current)
	}
	return "<unknown type>"
}

// quantity is a value of a status; "<unknown>": there is none.
func quantity(v *autoscalingv2.MetricValueStatus, of func(*autoscalingv2.MetricValueStatus) *resource.Quantity) string {
	if v == nil || of(v) == nil {
		return unknown
	}
	return of(v).String()
}

func reached(t autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	if t.AverageValue != nil {
		return quantity(now, func(v *autoscalingv2.MetricValueStatus) *resource.Quantity { return v.AverageValue }) + "/" + t.AverageValue.String() + " (avg)"
	}
	return quantity(now, func(v *autoscalingv2.MetricValueStatus) *resource.Quantity { return v.Value }) + "/" + t.Value.String()
}

func used(name corev1.ResourceName, t autoscalingv2.MetricTarget, now *autoscalingv2.MetricValueStatus) string {
	if t.AverageValue != nil {
		return fmt.Sprintf("%s: %s/%s", name, quantity(now, func(v *autoscalingv2.MetricValueStatus) *resource.Quantity { return v.AverageValue }), t.AverageValue)
	}
	current, wanted := unknown, "<auto>"
	if now != nil && now.AverageUtilization != nil {
		current = fmt.Sprintf("%d%%", *now.AverageUtilization)
	}
	if t.AverageUtilization != nil {
		wanted = fmt.Sprintf("%d%%", *t.AverageUtilization)
	}
	return fmt.Sprintf("%s: %s/%s", name, current, wanted)
}

// Services and the network.

func serviceCells(o *corev1.Service) []any {
	ip := none
	if len(o.Spec.ClusterIPs) > 0 {
		ip = o.Spec.ClusterIPs[0]
	}
	var ports []string
	for _, p := range o.Spec.Ports {
		if p.NodePort > 0 {
			ports = append(ports, fmt.Sprintf("%d:%d/%s", p.Port, p.NodePort, p.Protocol))
		} else {
			ports = append(ports, fmt.Sprintf("%d/%s", p.Port, p.Protocol))
		}
	}
	return []any{o.Name, string(o.Spec.Type), ip, externalIP(o), cmp.Or(strings.Join(ports, ","), none), age(o), labels.FormatLabels(o.Spec.Selector)}
}

func externalIP(o *corev1.Service) string {
	ips := o.Spec.ExternalIPs
	switch o.Spec.Type {
	case corev1.ServiceTypeClusterIP, corev1.ServiceTypeNodePort:
		return cmp.Or(strings.Join(ips, ","), none)
	case corev1.ServiceTypeLoadBalancer:
		set := map[string]bool{}
		for _, i := range o.Status.LoadBalancer.Ingress {
			set[cmp.Or(i.IP, i.Hostname)] = true
		}
		delete(set, "")
		return cmp.Or(strings.Join(append(sorted(set), ips...), ","), "<pending>")
	case corev1.ServiceTypeExternalName:
		return o.Spec.ExternalName
	}
	return unknown
}

//lint:ignore SA1019 clients still read it
func addresses(o *corev1.Endpoints) string {
	var all []string
	for _, s := range o.Subsets {
		if len(s.Ports) == 0 {
			for _, a := range s.Addresses {
				all = append(all, a.IP)
			}
		}
		for _, p := range s.Ports {
			for _, a := range s.Addresses {
				all = append(all, net.JoinHostPort(a.IP, strconv.Itoa(int(p.Port))))
			}
		}
	}
	if len(o.Subsets) == 0 {
		return none
	}
	return atMost(3, all, "")
}

func slicePorts(o *discoveryv1.EndpointSlice) string {
	var all []string
	for _, p := range o.Ports {
		switch {
		case p.Port != nil:
			all = append(all, fmt.Sprint(*p.Port))
		case p.Name != nil:
			all = append(all, *p.Name)
		default:
			all = append(all, "*")
		}
	}
	return atMost(3, all, unset)
}

func sliceAddresses(o *discoveryv1.EndpointSlice) string {
	var all []string
	for _, e := range o.Endpoints {
		all = append(all, e.Addresses...)
	}
	return atMost(3, all, unset)
}

func hosts(o *networkingv1.Ingress) string {
	var all []string
	for i, r := range o.Spec.Rules {
		if len(all) == 3 {
			return fmt.Sprintf("%s + %d more...", strings.Join(all, ","), len(o.Spec.Rules)-3)
		}
		if o.Spec.Rules[i].Host != "" {
			all = append(all, r.Host)
		}
	}
	return cmp.Or(strings.Join(all, ","), "*")
}

func ingressAddress(o *networkingv1.Ingress) string {
	set := map[string]bool{}
	for _, i := range o.Status.LoadBalancer.Ingress {
		set[cmp.Or(i.IP, i.Hostname)] = true
	}
	delete(set, "")
	return strings.Join(sorted(set), ",")
}

func ingressPorts(o *networkingv1.Ingress) string {
	if len(o.Spec.TLS) > 0 {
		return "80, 443"
	}
	return "80"
}

func ingressParameters(o *networkingv1.IngressClass) string {
	p := o.Spec.Parameters
	if p == nil {
		return none
	}
	kind := p.Kind
	if p.APIGroup != nil {
		kind += "." + *p.APIGroup
	}
	return kind + "/" + p.Name
}

func parent(o *networkingv1.IPAddress) string {
	p := o.Spec.ParentRef
	if p == nil {
		return none
	}
	name := strings.ToLower(schema.GroupResource{Group: p.Group, Resource: p.Resource}.String())
	if p.Namespace != "" {
		name += "/" + p.Namespace
	}
	return name + "/" + p.Name
}

// Nodes, events, quotas and rights.

func nodeCells(o *corev1.Node) []any {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		if c.Type == corev1.NodeReady {
			status = map[bool]string{true: "Ready", false: "NotReady"}[c.Status == corev1.ConditionTrue]
		}
	}
	if o.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	roles := map[string]bool{}
	for k, v := range o.Labels {
		if role, ok := strings.CutPrefix(k, "node-role.kubernetes.io/"); ok {
			roles[role] = true
		} else if k == "kubernetes.io/role" {
			roles[v] = true
		}
	}
	delete(roles, "")
	i := o.Status.NodeInfo
	kernel := cmp.Or(i.KernelVersion, unknown)
	if i.Architecture != "" {
		kernel += " (" + i.Architecture + ")"
	}
	return []any{o.Name, status, cmp.Or(strings.Join(sorted(roles), ","), none), age(o), i.KubeletVersion,
		address(o, corev1.NodeInternalIP), address(o, corev1.NodeExternalIP), cmp.Or(i.OSImage, unknown), kernel, cmp.Or(i.ContainerRuntimeVersion, unknown)}
}

func address(o *corev1.Node, kind corev1.NodeAddressType) string {
	for _, a := range o.Status.Addresses {
		if a.Type == kind {
			return a.Address
		}
	}
	return none
}

func eventCells(o *corev1.Event) []any {
	first := o.FirstTimestamp
	if first.IsZero() {
		first = metav1.NewTime(o.EventTime.Time)
	}
	last, count := o.LastTimestamp, max(o.Count, 1)
	if last.IsZero() {
		last = first
	}
	if o.Series != nil {
		last, count = metav1.NewTime(o.Series.LastObservedTime.Time), o.Series.Count
	}
	object := strings.ToLower(o.InvolvedObject.Kind)
	if o.InvolvedObject.Name != "" {
		object += "/" + o.InvolvedObject.Name
	}
	source := cmp.Or(o.Source.Component, o.ReportingController)
	if host := cmp.Or(o.Source.Host, o.ReportingInstance); host != "" {
		source += ", " + host
	}
	return []any{since(last), o.Type, o.Reason, object, o.InvolvedObject.FieldPath, source, strings.TrimSpace(o.Message), since(first), count, o.Name}
}

func quotaCells(o *corev1.ResourceQuota) []any {
	names := map[string]bool{}
	for name := range o.Status.Hard {
		names[string(name)] = true
	}
	var requests, limits []string
	for _, name := range sorted(names) {
		usedNow, hard := o.Status.Used[corev1.ResourceName(name)], o.Status.Hard[corev1.ResourceName(name)]
		text := fmt.Sprintf("%s: %s/%s", name, usedNow.String(), hard.String())
		if strings.HasPrefix(name, "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{o.Name, strings.Join(requests, ", "), strings.Join(limits, ", "), age(o)}
}

// subjects are the users, groups and service accounts of a binding.
func subjects(all []rbacv1.Subject) []any {
	names := map[string][]string{}
	for _, s := range all {
		name := s.Name
		if s.Kind == rbacv1.ServiceAccountKind {
			name = s.Namespace + "/" + name
		}
		names[s.Kind] = append(names[s.Kind], name)
	}
	return []any{strings.Join(names[rbacv1.UserKind], ", "), strings.Join(names[rbacv1.GroupKind], ", "), strings.Join(names[rbacv1.ServiceAccountKind], ", ")}
}

func requested(o *certificatesv1.CertificateSigningRequest) string {
	if o.Spec.ExpirationSeconds == nil {
		return none
	}
	return duration.HumanDuration(time.Duration(*o.Spec.ExpirationSeconds) * time.Second)
}

func signing(o *certificatesv1.CertificateSigningRequest) string {
	has := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range o.Status.Conditions {
		has[c.Type] = true
	}
	status := "Pending"
	switch {
	case has[certificatesv1.CertificateDenied]:
		status = "Denied"
	case has[certificatesv1.CertificateApproved]:
		status = "Approved"
	}
	if has[certificatesv1.CertificateFailed] {
		status += ",Failed"
	}
	if len(o.Status.Certificate) > 0 {
		status += ",Issued"
	}
	return status
}

func podSigning(o *certificatesv1.PodCertificateRequest) string {
	state := "Pending"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case certificatesv1.PodCertificateRequestConditionTypeIssued, certificatesv1.PodCertificateRequestConditionTypeDenied, certificatesv1.PodCertificateRequestConditionTypeFailed:
			state = c.Type
		}
	}
	return state
}

// Storage and devices.

// accessModes are those of a volume in their short names.
func accessModes(all []corev1.PersistentVolumeAccessMode) string {
	var short []string
	for _, m := range []struct {
		mode corev1.PersistentVolumeAccessMode
		name string
	}{{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"}, {corev1.ReadWriteOncePod, "RWOP"}} {
		if slices.Contains(all, m.mode) {
			short = append(short, m.name)
		}
	}
	return strings.Join(short, ",")
}

// phase is "Terminating" for what is being deleted.
func phase[T ~string](o metav1.Object, p T) string {
	if o.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	return string(p)
}

func volumeCells(o *corev1.PersistentVolume) []any {
	claim := ""
	if r := o.Spec.ClaimRef; r != nil {
		claim = r.Namespace + "/" + r.Name
	}
	class := cmp.Or(o.Annotations[corev1.BetaStorageClassAnnotation], o.Spec.StorageClassName)
	return []any{o.Name, o.Spec.Capacity.Storage().String(), accessModes(o.Spec.AccessModes), string(o.Spec.PersistentVolumeReclaimPolicy), phase(o, o.Status.Phase), claim,
		class, ptr.Deref(o.Spec.VolumeAttributesClassName, unset), o.Status.Reason, age(o), string(ptr.Deref(o.Spec.VolumeMode, unset))}
}

func claimCells(o *corev1.PersistentVolumeClaim) []any {
	capacity, modes := "", ""
	if o.Spec.VolumeName != "" {
		capacity, modes = o.Status.Capacity.Storage().String(), accessModes(o.Status.AccessModes)
	}
	class := cmp.Or(o.Annotations[corev1.BetaStorageClassAnnotation], ptr.Deref(o.Spec.StorageClassName, ""))
	return []any{o.Name, phase(o, o.Status.Phase), o.Spec.VolumeName, capacity, modes, class, ptr.Deref(o.Spec.VolumeAttributesClassName, unset), age(o),
		string(ptr.Deref(o.Spec.VolumeMode, unset))}
}

func driverCells(o *storagev1.CSIDriver) []any {
	var modes, audiences []string
	for _, m := range o.Spec.VolumeLifecycleModes {
		modes = append(modes, string(m))
	}
	for _, t := range o.Spec.TokenRequests {
		audiences = append(audiences, t.Audience)
	}
	tokens := unset
	if o.Spec.TokenRequests != nil {
		tokens = strings.Join(audiences, ",")
	}
	return []any{o.Name, ptr.Deref(o.Spec.AttachRequired, true), ptr.Deref(o.Spec.PodInfoOnMount, false), ptr.Deref(o.Spec.StorageCapacity, false), tokens,
		ptr.Deref(o.Spec.RequiresRepublish, false), cmp.Or(strings.Join(modes, ","), none), age(o)}
}

func migration(o *storagemigrationv1.StorageVersionMigration) string {
	status := "Unknown"
	for _, c := range o.Status.Conditions {
		switch c.Type {
		case string(storagemigrationv1.MigrationRunning), string(storagemigrationv1.MigrationFailed), string(storagemigrationv1.MigrationSucceeded):
			if c.Status == metav1.ConditionTrue {
				status = c.Type
			}
		}
	}
	return status
}

func claimState(o *resourcev1.ResourceClaim) string {
	var all []string
	if o.DeletionTimestamp != nil {
		all = append(all, "deleted")
	}
	switch {
	case o.Status.Allocation != nil && len(o.Status.ReservedFor) > 0:
		all = append(all, "allocated", "reserved")
	case o.Status.Allocation != nil:
		all = append(all, "allocated")
	case o.DeletionTimestamp == nil:
		all = append(all, "pending")
	}
	return strings.Join(all, ",")
}

func parameters(r *admissionv1.ParamRef) string {
	switch {
	case r == nil, r.Name == "" && r.Selector == nil:
		return unset
	case r.Name == "":
		return r.Selector.String()
	}
	return cmp.Or(r.Namespace, "*") + "/" + r.Name
}
