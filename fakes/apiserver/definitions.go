package apiserver

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// definitions is the kind that defines others.
var definitions = apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions")

// cleanup is what holds a definition until its objects are gone.
const cleanup = apiextensionsv1.CustomResourceCleanupFinalizer

type (
	crd       = apiextensionsv1.CustomResourceDefinition
	condition = apiextensionsv1.CustomResourceDefinitionCondition
)

func definitionResources() []Resource {
	return []Resource{
		builtin[crd, apiextensionsv1.CustomResourceDefinitionList](apiextensionsv1.SchemeGroupVersion, "customresourcedefinitions", Resource{
			StoredVersion: "v1beta1", ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, freeFinalizers: true, ShowsDeleted: true,
			Spec:     of(func(d *crd) any { return &d.Spec }),
			Status:   of(func(d *crd) any { return &d.Status }),
			defaults: of1(defaultDefinition), prepare: changed(prepareDefinition), check: checked(checkDefinition), warns: of(warnDefinition),
			checkPart: map[string]func(in, old runtime.Object) field.ErrorList{status: checked(checkDefinitionStatus)},
		}),
	}
}

func defaultDefinition(d *crd) {
	apiextensionsv1.SetDefaults_CustomResourceDefinition(d)
	if c := d.Spec.Conversion; c.Webhook != nil && c.Webhook.ClientConfig != nil && c.Webhook.ClientConfig.Service != nil {
		apiextensionsv1.SetDefaults_ServiceReference(c.Webhook.ClientConfig.Service)
	}
}

// prepareDefinition notes the version that objects are stored in.
func prepareDefinition(in, _ *crd) {
	for _, v := range in.Spec.Versions {
		if v.Storage && !slices.Contains(in.Status.StoredVersions, v.Name) {
			in.Status.StoredVersions = append(in.Status.StoredVersions, v.Name)
		}
	}
}

// define follows writes to definitions as a kube-apiserver's controllers do, but at once: it accepts names, establishes,
// deletes the objects of a definition that is being deleted, and serves the established ones. The lock is held.
func (s *core) define(now time.Time, writes []write) {
	concerned := slices.ContainsFunc(writes, func(w write) bool {
		return w.kind.res.GroupVersionResource == definitions || w.deleted && w.kind.ending
	})
	if !concerned || s.defining {
		return
	}
	s.defining = true
	defer func() { s.defining = false }()
	for s.defineNext(now) {
	}
}

// defineNext does one step for the first definition that needs one, and serves the result. It reports whether there was one.
func (s *core) defineNext(now time.Time) bool {
	s.serveDefinitions(now)
	k := s.st.kinds[definitions]
	for rec := range k.Now().Within("", "") {
		old := rec.obj.(*crd)
		next := changeable(old)
		switch {
		case next.DeletionTimestamp != nil && !slices.Contains(next.Finalizers, cleanup):
			continue
		case next.DeletionTimestamp != nil:
			s.terminateDefinition(now, next)
		default:
			s.approve(now, next)
			s.acceptNames(now, next)
			if equality.Semantic.DeepEqual(next.Status, old.Status) {
				establish(now, next)
			}
		}
		if equality.Semantic.DeepEqual(next.Status, old.Status) && equality.Semantic.DeepEqual(next.ObjectMeta, old.ObjectMeta) {
			continue
		}
		if next.DeletionTimestamp != nil && len(next.Finalizers) == 0 {
			s.remove(now, target{k, &record{key: rec.key, rev: rec.rev, obj: next, meta: next, by: rec.by}})
			return true
		}
		s.commit(now, write{kind: k, change: &change{old: rec, new: s.st.record(rec.key, next)}})
		return true
	}
	return false
}

// changeable returns a copy whose metadata and status may change. Both have the same spec: schemas are large, and each step looks at all
// definitions.
func changeable(d *crd) *crd {
	return &crd{TypeMeta: d.TypeMeta, ObjectMeta: *d.ObjectMeta.DeepCopy(), Spec: d.Spec, Status: *d.Status.DeepCopy()}
}

// endDefinition is the delete of a definition: it stays until its objects are gone, and says so. The lock is held.
func (v *View) endDefinition(now time.Time, k *kind, old *record, dryRun bool) runtime.Object {
	in, at := old.obj.DeepCopyObject().(*crd), second(now)
	in.DeletionTimestamp = &at
	if !slices.Contains(in.Finalizers, cleanup) {
		in.Finalizers = append(in.Finalizers, cleanup)
	}
	setCondition(now, in, apiextensionsv1.Terminating, apiextensionsv1.ConditionTrue, "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon")
	if dryRun {
		return in
	}
	rec := v.st.record(old.key, in)
	v.commit(now, write{kind: k, change: &change{old: old, new: rec}})
	return rec.obj.DeepCopyObject()
}

// terminateDefinition deletes the objects of a definition, and lets it go when there are none.
func (s *core) terminateDefinition(now time.Time, d *crd) {
	const progress = "InstanceDeletionInProgress"
	if c := findCondition(d, apiextensionsv1.Terminating); c == nil || c.Reason != progress {
		setCondition(now, d, apiextensionsv1.Terminating, apiextensionsv1.ConditionTrue, progress, "CustomResource deletion is in progress")
		return
	}
	reason, message := "NeverEstablished", "resource was never established"
	if made := s.defined[d.Name]; made != nil && conditionTrue(d, apiextensionsv1.Established) {
		for rec := range made.Now().Within("", "") {
			req := Request{Resource: made.storage.res.GroupVersionResource, Namespace: rec.meta.GetNamespace(), Name: rec.meta.GetName()}
			_, _ = s.views[0].deleteHeld(made.storage, req, metav1.DeleteOptions{}) // nothing is asked of it that could fail
		}
		for range made.Now().Within("", "") {
			return // finalizers hold some
		}
		reason, message = "InstanceDeletionCompleted", "removed all instances"
	}
	setCondition(now, d, apiextensionsv1.Terminating, apiextensionsv1.ConditionFalse, reason, message)
	d.Finalizers = slices.DeleteFunc(d.Finalizers, func(f string) bool { return f == cleanup })
}

// establish says that what has accepted names is served.
func establish(now time.Time, d *crd) {
	if conditionTrue(d, apiextensionsv1.NamesAccepted) && !conditionTrue(d, apiextensionsv1.Established) {
		setCondition(now, d, apiextensionsv1.Established, apiextensionsv1.ConditionTrue, "InitialNamesAccepted", "the initial names have been accepted")
	}
}

// acceptNames accepts the names of a definition that no other of its group has
// (k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go).
func (s *core) acceptNames(now time.Time, d *crd) {
	want, have := d.Spec.Names, &d.Status.AcceptedNames
	if equality.Semantic.DeepEqual(want, *have) {
		return
	}
	resources, kinds := s.namesOf(d.Spec.Group)
	reason, message := "NoConflicts", "no conflicts found"
	fresh := func(name string, accepted *string, taken sets.Set[string], conflict string) {
		if name != *accepted && taken.Has(name) {
			reason, message = conflict, fmt.Sprintf("%q is already in use", name)
			return
		}
		*accepted = name
	}
	fresh(want.Plural, &have.Plural, resources, "PluralConflict")
	fresh(want.Singular, &have.Singular, resources, "SingularConflict")
	var taken []string
	for _, name := range want.ShortNames {
		if !slices.Contains(have.ShortNames, name) && resources.Has(name) {
			taken = append(taken, fmt.Sprintf("%q is already in use", name))
		}
	}
	switch {
	case len(taken) == 0:
		have.ShortNames = want.ShortNames
	case len(taken) == 1:
		reason, message = "ShortNamesConflict", taken[0]
	default:
		reason, message = "ShortNamesConflict", "["+strings.Join(taken, ", ")+"]"
	}
	fresh(want.Kind, &have.Kind, kinds, "KindConflict")
	fresh(want.ListKind, &have.ListKind, kinds, "ListKindConflict")
	have.Categories = want.Categories

	accepted := apiextensionsv1.ConditionFalse
	if reason == "NoConflicts" {
		accepted = apiextensionsv1.ConditionTrue
	}
	setCondition(now, d, apiextensionsv1.NamesAccepted, accepted, reason, message)
	switch {
	case conditionTrue(d, apiextensionsv1.Established):
	case accepted == apiextensionsv1.ConditionTrue:
		setCondition(now, d, apiextensionsv1.Established, apiextensionsv1.ConditionFalse, "Installing", "the initial names have been accepted")
	case findCondition(d, apiextensionsv1.Established) == nil:
		setCondition(now, d, apiextensionsv1.Established, apiextensionsv1.ConditionFalse, "NotAccepted", "not all names are accepted")
	}
}

// namesOf are the names that the definitions of a group have: those of resources, and those of kinds.
func (s *core) namesOf(group string) (resources, kinds sets.Set[string]) {
	resources, kinds = sets.New[string](), sets.New[string]()
	for rec := range s.st.kinds[definitions].Now().Within("", "") {
		if d := rec.obj.(*crd); d.Spec.Group == group {
			names := d.Status.AcceptedNames
			resources.Insert(names.Plural, names.Singular)
			resources.Insert(names.ShortNames...)
			kinds.Insert(names.Kind, names.ListKind)
		}
	}
	return resources, kinds
}

// protected reports whether a group is Kubernetes' own, so that a definition needs an approval.
func protected(group string) bool {
	return group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") || group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io")
}

// approval says whether annotations approve of a definition in a protected group, and why; invalid: they say nothing sensible.
func approvalOf(annotations map[string]string) (accepted, valid bool, reason, message string) {
	const key = apiextensionsv1.KubeAPIApprovedAnnotation
	said := annotations[key]
	u, err := url.ParseRequestURI(said)
	switch {
	case said == "":
		return false, false, "MissingAnnotation", fmt.Sprintf("protected groups must have approval annotation %q, see https://github.com/kubernetes/enhancements/pull/1111", key)
	case strings.HasPrefix(said, "unapproved"):
		return false, true, "UnapprovedAnnotation", fmt.Sprintf("not approved: %q", said)
	case err == nil && u.Host != "" && u.Scheme != "":
		return true, true, "ApprovedAnnotation", "approved in " + said
	}
	return false, false, "InvalidAnnotation", fmt.Sprintf(
		"protected groups must have approval annotation %q with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111", key)
}

// approve says of a definition in a protected group whether it is approved of.
func (s *core) approve(now time.Time, d *crd) {
	if !protected(d.Spec.Group) {
		return
	}
	is := apiextensionsv1.ConditionFalse
	accepted, _, reason, message := approvalOf(d.Annotations)
	if accepted {
		is = apiextensionsv1.ConditionTrue
	}
	if c := findCondition(d, apiextensionsv1.KubernetesAPIApprovalPolicyConformant); c == nil || c.Status != is || c.Reason != reason || c.Message != message {
		setCondition(now, d, apiextensionsv1.KubernetesAPIApprovalPolicyConformant, is, reason, message)
	}
}

func findCondition(d *crd, t apiextensionsv1.CustomResourceDefinitionConditionType) *condition {
	for i := range d.Status.Conditions {
		if d.Status.Conditions[i].Type == t {
			return &d.Status.Conditions[i]
		}
	}
	return nil
}

func conditionTrue(d *crd, t apiextensionsv1.CustomResourceDefinitionConditionType) bool {
	c := findCondition(d, t)
	return c != nil && c.Status == apiextensionsv1.ConditionTrue
}

func setCondition(now time.Time, d *crd, t apiextensionsv1.CustomResourceDefinitionConditionType, is apiextensionsv1.ConditionStatus, reason, message string) {
	c := findCondition(d, t)
	if c == nil {
		d.Status.Conditions = append(d.Status.Conditions, condition{Type: t})
		c = &d.Status.Conditions[len(d.Status.Conditions)-1]
	}
	if c.Status != is {
		c.LastTransitionTime = second(now)
	}
	c.Status, c.Reason, c.Message = is, reason, message
}
