package apiserver

import (
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// unjudged is checkPart of kinds whose status is not judged.
var unjudged = map[string]func(in, old runtime.Object) field.ErrorList{status: nil}

// furtherCore are kinds of the core group that only controllers and few clients use. Of what they hold little is
// checked: see doc.go.
func furtherCore() []Resource {
	v1 := corev1.SchemeGroupVersion
	return []Resource{
		//lint:ignore SA1019 clients still use it
		builtin[corev1.Endpoints, corev1.EndpointsList](v1, "endpoints", Resource{
			Deprecated: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
			Namespaced: true, Unconditional: true, CreateOnUpdate: true, ShortNames: []string{"ep"},
			defaults: of1(defaultEndpoints),
		}),
		builtin[corev1.PersistentVolume, corev1.PersistentVolumeList](v1, "persistentvolumes", Resource{
			Unconditional: true, ShowsDeleted: true, ShortNames: []string{"pv"},
			Status:   of(func(v *corev1.PersistentVolume) any { return &v.Status }),
			defaults: of1(defaultPersistentVolume), check: checked(checkVolume), checkPart: unjudged, prepare: changed(preparePersistentVolume), prepareStatus: changed(preparePersistentVolumeStatus),
		}),
		builtin[corev1.PersistentVolumeClaim, corev1.PersistentVolumeClaimList](v1, "persistentvolumeclaims", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true, ShortNames: []string{"pvc"},
			Status:   of(func(c *corev1.PersistentVolumeClaim) any { return &c.Status }),
			defaults: of1(defaultClaim), check: checked(checkClaim), checkPart: unjudged,
		}),
		builtin[corev1.ReplicationController, corev1.ReplicationControllerList](v1, "replicationcontrollers", Resource{
			Namespaced: true, Unconditional: true, Orphans: true, ShortNames: []string{"rc"}, Categories: []string{"all"}, hosts: podNames,
			Fields: fieldFuncs{"status.replicas": of(func(c *corev1.ReplicationController) string { return strconv.Itoa(int(c.Status.Replicas)) })},
			Spec:   of(func(c *corev1.ReplicationController) any { return &c.Spec }),
			Status: of(func(c *corev1.ReplicationController) any { return &c.Status }),
			Scale: of(func(c *corev1.ReplicationController) Scaled {
				return Scaled{c.Spec.Replicas, c.Status.Replicas, labels.SelectorFromSet(c.Spec.Selector).String()}
			}),
			defaults: of1(defaultReplicationController), check: checked(checkReplicationController),
			ValidName: func(name string, prefix bool) []string {
				if prefix { // is not judged
					return nil
				}
				return validation.NameIsDNSSubdomain(name, false)
			},
		}),
		builtin[corev1.PodTemplate, corev1.PodTemplateList](v1, "podtemplates", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true,
			Spec:     of(func(t *corev1.PodTemplate) any { return &t.Template }),
			defaults: of1(func(t *corev1.PodTemplate) { defaultPodSpec(&t.Template.Spec) }), check: checked(checkPodTemplate),
		}),
		builtin[corev1.ResourceQuota, corev1.ResourceQuotaList](v1, "resourcequotas", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true, ShortNames: []string{"quota"},
			Status: of(func(q *corev1.ResourceQuota) any { return &q.Status }),
			check:  checked(checkQuota), checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkQuotaStatus)},
		}),
		builtin[corev1.LimitRange, corev1.LimitRangeList](v1, "limitranges", Resource{
			Namespaced: true, Unconditional: true, CreateOnUpdate: true, ShortNames: []string{"limits"},
			defaults: of1(defaultLimitRange), check: checked(checkLimits),
		}),
		builtin[discoveryv1.EndpointSlice, discoveryv1.EndpointSliceList](discoveryv1.SchemeGroupVersion, "endpointslices", Resource{
			Namespaced: true, Unconditional: true,
			Spec: of(func(s *discoveryv1.EndpointSlice) any {
				return []any{s.Labels, s.AddressType, s.Endpoints, s.Ports}
			}),
			defaults: of1(defaultSlice), stored: held(storedSlice), check: checked(checkSlice),
		}),
	}
}

//lint:ignore SA1019 clients still use it
func defaultEndpoints(e *corev1.Endpoints) {
	for _, s := range e.Subsets {
		for i := range s.Ports {
			defaultTo(&s.Ports[i].Protocol, corev1.ProtocolTCP)
		}
	}
}

// storedSlice makes empty lists none.
func storedSlice(in *discoveryv1.EndpointSlice) {
	if len(in.Endpoints) == 0 {
		in.Endpoints = nil
	}
	if len(in.Ports) == 0 {
		in.Ports = nil
	}
}

func defaultSlice(s *discoveryv1.EndpointSlice) {
	for i := range s.Ports {
		defaultPtr(&s.Ports[i].Name, "")
		defaultPtr(&s.Ports[i].Protocol, corev1.ProtocolTCP)
	}
}

func defaultPersistentVolume(v *corev1.PersistentVolume) {
	defaultTo(&v.Status.Phase, corev1.VolumePending)
	defaultTo(&v.Spec.PersistentVolumeReclaimPolicy, corev1.PersistentVolumeReclaimRetain)
	defaultPtr(&v.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	if h := v.Spec.HostPath; h != nil {
		defaultPtr(&h.Type, corev1.HostPathUnset)
	}
}

func defaultClaim(c *corev1.PersistentVolumeClaim) {
	defaultTo(&c.Status.Phase, corev1.ClaimPending)
	defaultPtr(&c.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
}

// preparePersistentVolume notes when a volume came into its first phase.
func preparePersistentVolume(in, old *corev1.PersistentVolume) {
	if old == nil {
		in.Status.LastPhaseTransitionTime = in.CreationTimestamp.DeepCopy()
	}
}

// preparePersistentVolumeStatus notes when a volume came into its phase, unless the client does.
func preparePersistentVolumeStatus(in, old *corev1.PersistentVolume) {
	is, was := in.Status.LastPhaseTransitionTime, old.Status.LastPhaseTransitionTime
	switch same := in.Status.Phase == old.Status.Phase; {
	case same && is == nil:
		in.Status.LastPhaseTransitionTime = was
	case !same && (is == nil || is.Equal(was)):
		in.Status.LastPhaseTransitionTime = now()
	}
}

func defaultReplicationController(c *corev1.ReplicationController) {
	defaultPtr(&c.Spec.Replicas, 1)
	if c.Spec.Template == nil {
		return
	}
	defaultPodSpec(&c.Spec.Template.Spec)
	if said := c.Spec.Template.Labels; said != nil {
		if len(c.Spec.Selector) == 0 {
			c.Spec.Selector = maps.Clone(said)
		}
		if len(c.Labels) == 0 {
			c.Labels = maps.Clone(said)
		}
	}
}

// defaultLimitRange: the default limit of containers is the most, and their default request that limit, else the least.
func defaultLimitRange(r *corev1.LimitRange) {
	for i := range r.Spec.Limits {
		l := &r.Spec.Limits[i]
		if l.Type != corev1.LimitTypeContainer {
			continue
		}
		l.Default = missing(l.Default, l.Max)
		l.DefaultRequest = missing(missing(l.DefaultRequest, l.Default), l.Min)
	}
}

// missing adds to what there is of resources what others have beside.
func missing(have, others corev1.ResourceList) corev1.ResourceList {
	if have == nil {
		have = corev1.ResourceList{}
	}
	for name, q := range others {
		if _, ok := have[name]; !ok {
			have[name] = q.DeepCopy()
		}
	}
	return have
}
