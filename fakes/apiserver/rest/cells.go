package rest

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/utils/ptr"
)

// recordedColumns are the columns of Tables as a kube-apiserver 1.37.1 has them, by resource. TestRealColumns writes them.
//
//go:embed columns.json
var recordedColumns []byte

var columnsOf = sync.OnceValue(func() map[string][]metav1.TableColumnDefinition {
	out := map[string][]metav1.TableColumnDefinition{}
	if err := json.Unmarshal(recordedColumns, &out); err != nil {
		panic(err) // it is part of the program
	}
	return out
})

const (
	none    = "<none>"
	unset   = "<unset>"
	unknown = "<unknown>"
)

// builtinCells returns what the columns of a built-in kind say of an object; nil: its kind has its name and when it was created.
func builtinCells(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *apiextensionsv1.CustomResourceDefinition:
		return definitionCells(o)
	case *corev1.Pod:
		return podCells(o)
	case *corev1.PodTemplate:
		return append([]any{o.Name}, append(containersOf(&o.Template), labels.FormatLabels(o.Template.Labels))...)
	case *corev1.ReplicationController:
		return append([]any{o.Name, ptr.Deref(o.Spec.Replicas, 0), o.Status.Replicas, o.Status.ReadyReplicas, age(o)},
			append(containersOf(o.Spec.Template), labels.FormatLabels(o.Spec.Selector))...)
	case *appsv1.ReplicaSet:
		return append([]any{o.Name, ptr.Deref(o.Spec.Replicas, 0), o.Status.Replicas, o.Status.ReadyReplicas, age(o)},
			append(containersOf(&o.Spec.Template), metav1.FormatLabelSelector(o.Spec.Selector))...)
	case *appsv1.Deployment:
		s := o.Status
		return append([]any{o.Name, of(s.ReadyReplicas, o.Spec.Replicas), s.UpdatedReplicas, s.AvailableReplicas, age(o)},
			append(containersOf(&o.Spec.Template), selector(o.Spec.Selector))...)
	case *appsv1.StatefulSet:
		return append([]any{o.Name, of(o.Status.ReadyReplicas, o.Spec.Replicas), age(o)}, containersOf(&o.Spec.Template)...)
	case *appsv1.DaemonSet:
		s := o.Status
		return append([]any{o.Name, s.DesiredNumberScheduled, s.CurrentNumberScheduled, s.NumberReady, s.UpdatedNumberScheduled, s.NumberAvailable,
			labels.FormatLabels(o.Spec.Template.Spec.NodeSelector), age(o)},
			append(containersOf(&o.Spec.Template), metav1.FormatLabelSelector(o.Spec.Selector))...)
	case *appsv1.ControllerRevision:
		return []any{o.Name, controllerOf(o), o.Revision, age(o)}
	case *batchv1.Job:
		return append([]any{o.Name, jobStatus(o), completions(o), jobDuration(o), age(o)},
			append(containersOf(&o.Spec.Template), metav1.FormatLabelSelector(o.Spec.Selector))...)
	case *batchv1.CronJob:
		last := none
		if o.Status.LastScheduleTime != nil {
			last = since(*o.Status.LastScheduleTime)
		}
		return append([]any{o.Name, o.Spec.Schedule, ptr.Deref(o.Spec.TimeZone, none), boolean(o.Spec.Suspend), len(o.Status.Active), last, age(o)},
			append(containersOf(&o.Spec.JobTemplate.Spec.Template), metav1.FormatLabelSelector(o.Spec.JobTemplate.Spec.Selector))...)
	case *policyv1.PodDisruptionBudget:
		return []any{o.Name, intOrString(o.Spec.MinAvailable), intOrString(o.Spec.MaxUnavailable), o.Status.DisruptionsAllowed, age(o)}
	case *autoscalingv2.HorizontalPodAutoscaler:
		least := unset
		if o.Spec.MinReplicas != nil {
			least = fmt.Sprint(*o.Spec.MinReplicas)
		}
		return []any{o.Name, o.Spec.ScaleTargetRef.Kind + "/" + o.Spec.ScaleTargetRef.Name, metrics(o), least, o.Spec.MaxReplicas, o.Status.CurrentReplicas, age(o)}
	case *corev1.ComponentStatus:
		is, message := "Unknown", ""
		for _, c := range o.Conditions {
			if is, message = "Unhealthy", c.Message; c.Status == corev1.ConditionTrue {
				is = "Healthy"
			}
		}
		return []any{o.Name, is, message, ""}
	case *corev1.Service:
		return serviceCells(o)
	//lint:ignore SA1019 clients still read it
	case *corev1.Endpoints:
		return []any{o.Name, addresses(o), age(o)}
	case *discoveryv1.EndpointSlice:
		return []any{o.Name, string(o.AddressType), slicePorts(o), sliceAddresses(o), age(o)}
	case *networkingv1.Ingress:
		return []any{o.Name, ptr.Deref(o.Spec.IngressClassName, none), hosts(o), ingressAddress(o), ingressPorts(o), age(o)}
	case *networkingv1.IngressClass:
		return []any{o.Name + defaultMark(o, networkingv1.AnnotationIsDefaultIngressClass), o.Spec.Controller, ingressParameters(o), age(o)}
	case *networkingv1.NetworkPolicy:
		return []any{o.Name, metav1.FormatLabelSelector(&o.Spec.PodSelector), age(o)}
	case *networkingv1.IPAddress:
		return []any{o.Name, parent(o), age(o)} // it has a cell more than columns
	case *networkingv1.ServiceCIDR:
		return []any{o.Name, strings.Join(o.Spec.CIDRs, ","), age(o)}
	case *corev1.Node:
		return nodeCells(o)
	case *corev1.Namespace:
		return []any{o.Name, string(o.Status.Phase), age(o)}
	case *corev1.ConfigMap:
		return []any{o.Name, len(o.Data) + len(o.BinaryData), age(o)}
	case *corev1.Secret:
		return []any{o.Name, string(o.Type), len(o.Data), age(o)}
	case *corev1.ServiceAccount:
		return []any{o.Name, age(o)}
	case *corev1.Event:
		return eventCells(o)
	case *corev1.ResourceQuota:
		return quotaCells(o)
	case *corev1.PersistentVolume:
		return volumeCells(o)
	case *corev1.PersistentVolumeClaim:
		return claimCells(o)
	case *rbacv1.RoleBinding:
		return append([]any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o)}, subjects(o.Subjects)...)
	case *rbacv1.ClusterRoleBinding:
		return append([]any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o)}, subjects(o.Subjects)...)
	case *coordinationv1.Lease:
		return []any{o.Name, ptr.Deref(o.Spec.HolderIdentity, ""), age(o)}
	case *certificatesv1.CertificateSigningRequest:
		return []any{o.Name, age(o), cmp.Or(o.Spec.SignerName, none), o.Spec.Username, requested(o), signing(o)}
	case *certificatesv1.PodCertificateRequest:
		return []any{o.Name, o.Spec.PodName, o.Spec.ServiceAccountName, string(o.Spec.NodeName), o.Spec.SignerName, podSigning(o), labels.FormatLabels(o.Spec.UnverifiedUserAnnotations)}
	case *schedulingv1.PriorityClass:
		return []any{o.Name, o.Value, o.GlobalDefault, age(o), string(ptr.Deref(o.PreemptionPolicy, ""))}
	case *nodev1.RuntimeClass:
		return []any{o.Name, o.Handler, age(o)}
	}
	return moreCells(obj)
}

// moreCells is builtinCells of storage, devices and admission.
func moreCells(obj runtime.Object) []any {
	switch o := obj.(type) {
	case *autoscalingv1.Scale:
		return []any{o.Name, o.Spec.Replicas, o.Status.Replicas, age(o)}
	case *storagev1.StorageClass:
		return []any{o.Name, o.Provisioner, string(ptr.Deref(o.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)),
			string(ptr.Deref(o.VolumeBindingMode, storagev1.VolumeBindingImmediate)), ptr.Deref(o.AllowVolumeExpansion, false), age(o)}
	case *storagev1.VolumeAttributesClass:
		return []any{o.Name, o.DriverName, age(o)}
	case *storagev1.VolumeAttachment:
		return []any{o.Name, o.Spec.Attacher, ptr.Deref(o.Spec.Source.PersistentVolumeName, ""), o.Spec.NodeName, o.Status.Attached, age(o)}
	case *storagev1.CSINode:
		return []any{o.Name, len(o.Spec.Drivers), age(o)}
	case *storagev1.CSIDriver:
		return driverCells(o)
	case *storagemigrationv1.StorageVersionMigration:
		return []any{o.Name, o.Spec.Resource.String(), migration(o)}
	case *resourcev1.DeviceClass:
		return []any{o.Name, age(o)}
	case *resourcev1.ResourceClaim:
		return []any{o.Name, claimState(o), age(o)}
	case *resourcev1.ResourceClaimTemplate:
		return []any{o.Name, age(o)}
	case *resourcev1.ResourceSlice:
		return []any{o.Name, ptr.Deref(o.Spec.NodeName, ""), o.Spec.Driver, o.Spec.Pool.Name, age(o)}
	case *resourcev1.DeviceTaintRule:
		added := ""
		if t := o.Spec.Taint.TimeAdded; t != nil {
			added = since(*t)
		}
		return []any{o.Name, o.Spec.Taint.Key, o.Spec.Taint.Value, string(o.Spec.Taint.Effect), added, age(o)}
	case *admissionv1.MutatingWebhookConfiguration:
		return []any{o.Name, len(o.Webhooks), age(o)}
	case *admissionv1.ValidatingWebhookConfiguration:
		return []any{o.Name, len(o.Webhooks), age(o)}
	case *admissionv1.ValidatingAdmissionPolicy:
		return []any{o.Name, len(o.Spec.Validations), parameterKind(o.Spec.ParamKind), age(o)}
	case *admissionv1.ValidatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, parameters(o.Spec.ParamRef), age(o)}
	case *admissionv1.MutatingAdmissionPolicy:
		return []any{o.Name, len(o.Spec.Mutations), parameterKind(o.Spec.ParamKind), age(o)}
	case *admissionv1.MutatingAdmissionPolicyBinding:
		return []any{o.Name, o.Spec.PolicyName, parameters(o.Spec.ParamRef), age(o)}
	case *certificatesv1.ClusterTrustBundle:
		return []any{o.Name, cmp.Or(o.Spec.SignerName, none)}
	case *flowcontrolv1.FlowSchema:
		return flowSchemaCells(o)
	case *flowcontrolv1.PriorityLevelConfiguration:
		return priorityLevelCells(o)
	}
	return nil
}

func parameterKind(k *admissionv1.ParamKind) string {
	if k == nil {
		return unset
	}
	return k.APIVersion + "/" + k.Kind
}

func flowSchemaCells(o *flowcontrolv1.FlowSchema) []any {
	method, dangling := none, "?"
	if d := o.Spec.DistinguisherMethod; d != nil {
		method = string(d.Type)
	}
	for _, c := range o.Status.Conditions {
		if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
			dangling = string(c.Status)
		}
	}
	return []any{o.Name, o.Spec.PriorityLevelConfiguration.Name, o.Spec.MatchingPrecedence, method, age(o), dangling}
}

func priorityLevelCells(o *flowcontrolv1.PriorityLevelConfiguration) []any {
	out := []any{o.Name, string(o.Spec.Type), none, none, none, none, age(o)}
	if l := o.Spec.Limited; l != nil {
		out[2] = l.NominalConcurrencyShares
		if q := l.LimitResponse.Queuing; q != nil {
			out[3], out[4], out[5] = q.Queues, q.HandSize, q.QueueLengthLimit
		}
	}
	return out
}

// of is "ready/wanted".
func of(ready int32, wanted *int32) string { return fmt.Sprintf("%d/%d", ready, ptr.Deref(wanted, 0)) }

// containersOf are the names and the images of the containers of a template.
func containersOf(t *corev1.PodTemplateSpec) []any {
	var names, images []string
	if t != nil {
		for _, c := range t.Spec.Containers {
			names, images = append(names, c.Name), append(images, c.Image)
		}
	}
	return []any{strings.Join(names, ","), strings.Join(images, ",")}
}

func selector(s *metav1.LabelSelector) string {
	sel, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return "<invalid>"
	}
	return sel.String()
}

func since(t metav1.Time) string {
	if t.IsZero() {
		return unknown
	}
	return duration.HumanDuration(time.Since(t.Time))
}

// atMost joins the first of a list, and says how many more there are.
func atMost(n int, all []string, empty string) string {
	switch {
	case len(all) == 0:
		return empty
	case len(all) > n:
		return fmt.Sprintf("%s + %d more...", strings.Join(all[:n], ","), len(all)-n)
	}
	return strings.Join(all, ",")
}

func boolean(b *bool) string {
	switch {
	case b == nil:
		return unset
	case *b:
		return "True"
	}
	return "False"
}

func intOrString(v fmt.Stringer) string {
	if fmt.Sprint(v) == "<nil>" {
		return "N/A"
	}
	return v.String()
}

// defaultMark marks a class that is the default one by an annotation.
func defaultMark(o metav1.Object, annotation string) string {
	if o.GetAnnotations()[annotation] == "true" {
		return " (default)"
	}
	return ""
}

// sorted returns the keys of a set, in order.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
