package apiserver

import (
	"reflect"
	"slices"
	"sync"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	pathcontent "k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Resources is the table of what is served unless Options say otherwise. Each call makes a new one,
// which the caller may change, but not what its rows refer to.
func Resources() []Resource { return slices.Clone(resources()) }

var resources = sync.OnceValue(func() []Resource {
	return slices.Concat(coreResources(), workloads(), clusterResources(), furtherCore(), furtherWorkloads(), storageResources(),
		deviceResources(), policyResources(), admissionResources(), flowResources(), networkResources(), definitionResources(), apiServiceResources())
})

// Unvalidated returns the names of the built-in resources of which only metadata is validated: the server stores whatever decodes.
func Unvalidated() (all []string) {
	for _, r := range Resources() {
		if r.check == nil && r.other == nil && !r.Custom {
			all = append(all, r.GroupResource().String())
		}
	}
	slices.Sort(all)
	return all
}

func coreResources() []Resource {
	v1 := corev1.SchemeGroupVersion
	return []Resource{
		builtin[corev1.ConfigMap, corev1.ConfigMapList](v1, "configmaps", Resource{
			Namespaced: true, Unconditional: true, ShortNames: []string{"cm"},
			check: checked(checkConfigMap),
		}),
		builtin[corev1.Secret, corev1.SecretList](v1, "secrets", Resource{
			Namespaced: true, Unconditional: true,
			Fields:   secretFields(),
			defaults: of1(defaultSecret), reads: of1(readSecret), prepare: changed(prepareSecret), check: checked(checkSecret),
		}),
		builtin[corev1.Namespace, corev1.NamespaceList](v1, "namespaces", Resource{
			Unconditional: true, NoCollection: true, ShowsDeleted: true, ShortNames: []string{"ns"},
			Fields: namespaceFields(), ValidName: validation.NameIsDNSLabel,
			Status:   of(func(n *corev1.Namespace) any { return &n.Status }),
			defaults: of1(defaultNamespace), prepare: changed(prepareNamespace), check: checked(checkNamespace),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{finalize: checked(checkFinalize), status: checked(checkNamespaceStatus)},
		}),
		builtin[corev1.Pod, corev1.PodList](v1, "pods", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true, ShortNames: []string{"po"}, Categories: []string{"all"},
			Fields: podFields(), hosts: "the Pod's hostname",
			Spec:     of(func(p *corev1.Pod) any { return &p.Spec }),
			Status:   of(func(p *corev1.Pod) any { return &p.Status }),
			Grace:    podGrace,
			defaults: of1(defaultPod), prepare: changed(preparePod), prepareStatus: changed(preparePodStatus), statusResets: []string{"deletionTimestamp", "ownerReferences"}, check: checked(checkPod),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{ephemeral: checked(checkEphemeral), resize: checked(checkResize), status: checked(checkPodStatus)},
		}),
		builtin[corev1.Node, corev1.NodeList](v1, "nodes", Resource{
			Unconditional: true, StatusOnCreate: true, ShortNames: []string{"no"},
			Fields:   nodeFields(),
			Status:   of(func(n *corev1.Node) any { return &n.Status }),
			defaults: of1(defaultNode), prepare: changed(prepareNode), check: checked(checkNode),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkNodeStatus)},
		}),
		builtin[corev1.Service, corev1.ServiceList](v1, "services", Resource{
			Namespaced: true, Unconditional: true, CreateOnUpdate: true, ShowsDeleted: true, ShortNames: []string{"svc"}, Categories: []string{"all"},
			Fields: serviceFields(), ValidName: validation.NameIsDNSLabel,
			Status:   of(func(s *corev1.Service) any { return &s.Status }),
			defaults: of1(defaultService), admit: allocate, prepare: changed(prepareService), hides: hideService, check: checked(checkService),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkServiceStatus)},
			warns:     of(warnService),
		}),
		builtin[corev1.ServiceAccount, corev1.ServiceAccountList](v1, "serviceaccounts", Resource{
			Namespaced: true, Unconditional: true, ShowsDeleted: true, ShortNames: []string{"sa"},
			prepare: changed(prepareAccount),
		}),
		builtin[corev1.Event, corev1.EventList](v1, "events", Resource{
			Namespaced: true, Unconditional: true, CreateOnUpdate: true, Uncached: true, Uncollected: true, ShortNames: []string{"ev"},
			Fields: eventFields(), ValidName: pathSegment, freeFinalizers: true, check: checked(checkEvent), checkFirst: true,
		}),
		twinEvents(),
	}
}

func clusterResources() []Resource {
	return []Resource{
		builtin[coordinationv1.Lease, coordinationv1.LeaseList](coordinationv1.SchemeGroupVersion, "leases", Resource{
			Namespaced: true, CreateOnUpdate: true, freeFinalizers: true, check: checked(checkLease),
			prepare: changed(func(in, _ *coordinationv1.Lease) { in.Spec.Strategy, in.Spec.PreferredHolder = nil, nil }), // behind a feature gate
		}),
		builtin[schedulingv1.PriorityClass, schedulingv1.PriorityClassList](schedulingv1.SchemeGroupVersion, "priorityclasses", Resource{
			Unconditional: true, ShortNames: []string{"pc"},
			Spec:     func(runtime.Object) any { return nil }, // it stays at 1
			defaults: of1(defaultPriorityClass), admit: admitPriorityClass, check: checked(checkPriorityClass),
		}),
		builtin[storagev1.CSINode, storagev1.CSINodeList](storagev1.SchemeGroupVersion, "csinodes", Resource{
			ShowsDeleted: true,
			Status:       of(func(n *storagev1.CSINode) any { return &n.Status }),
			defaults:     of1(defaultCSINode), prepareStatus: changed(prepareCSINodeStatus), check: checked(checkCSINode),
		}),
		builtin[storagev1.CSIDriver, storagev1.CSIDriverList](storagev1.SchemeGroupVersion, "csidrivers", Resource{
			ShowsDeleted: true, LateGeneration: true,
			Spec:     of(func(d *storagev1.CSIDriver) any { return &d.Spec }),
			defaults: of1(defaultCSIDriver), check: checked(checkCSIDriver),
		}),
		builtin[nodev1.RuntimeClass, nodev1.RuntimeClassList](nodev1.SchemeGroupVersion, "runtimeclasses", Resource{
			CreateOnUpdate: true, freeFinalizers: true, check: checked(checkRuntimeClass),
		}),
	}
}

// object is a pointer to a struct of type T that is one.
type object[T any] interface {
	*T
	runtime.Object
}

// builtin completes the row of a kind by its types.
func builtin[O, L any, PO object[O], PL object[L]](gv schema.GroupVersion, plural string, r Resource) Resource {
	r.GroupVersionResource = gv.WithResource(plural)
	r.Kind = reflect.TypeFor[O]().Name()
	r.New = func() runtime.Object { return PO(new(O)) }
	r.NewList = func() runtime.Object { return PL(new(L)) }
	return r
}

// of lets a row of the table name its own type.
func of[T runtime.Object, R any](f func(T) R) func(runtime.Object) R {
	return func(o runtime.Object) R { return f(o.(T)) }
}

// of1 is of for what returns nothing.
func of1[T runtime.Object](f func(T)) func(runtime.Object) {
	return func(o runtime.Object) { f(o.(T)) }
}

// changed is of for an object and the old one, which is nil for a create.
// held is the hook stored of a kind whose objects the store holds as it gives them back.
func held[T runtime.Object](f func(in T)) func(in runtime.Object) bool {
	return func(in runtime.Object) bool {
		f(in.(T))
		return false
	}
}

func changed[T runtime.Object](f func(in, old T)) func(in, old runtime.Object) {
	return func(in, old runtime.Object) {
		var before T
		if old != nil {
			before = old.(T)
		}
		f(in.(T), before)
	}
}

// checked is changed for what returns something.
func checked[T runtime.Object, R any](f func(in, old T) R) func(in, old runtime.Object) R {
	return func(in, old runtime.Object) R {
		var before T
		if old != nil {
			before = old.(T)
		}
		return f(in.(T), before)
	}
}

// pathSegment is the least that a name must be.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return pathcontent.IsPathSegmentPrefix(name)
	}
	return pathcontent.IsPathSegmentName(name)
}
