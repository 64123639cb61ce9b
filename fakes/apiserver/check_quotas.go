package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Resources that need no domain before their names: those of containers, what quotas limit of pods, and what they count.
var (
	containerResources = sets.New[corev1.ResourceName]("cpu", "memory", "ephemeral-storage")
	scopedResources    = sets.New[corev1.ResourceName]("pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
	countedResources   = sets.New[corev1.ResourceName]("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers")
	quotaResources     = scopedResources.Union(countedResources).Insert("ephemeral-storage", "requests.ephemeral-storage", "limits.ephemeral-storage", "requests.storage")
)

func isHuge(name corev1.ResourceName) bool {
	return strings.HasPrefix(strings.TrimPrefix(string(name), "requests."), corev1.ResourceHugePagesPrefix)
}

// checkResourceName: a name has a domain, or is known; which says that of those that may stand there.
func checkResourceName(name corev1.ResourceName, path *field.Path, may sets.Set[corev1.ResourceName], which string) field.ErrorList {
	if wrong := utilvalidation.IsQualifiedName(string(name)); len(wrong) > 0 {
		errs := wrongs(path, name, wrong)
		if may != nil && !strings.Contains(string(name), "/") {
			errs = append(errs, field.Invalid(path, name, which))
		}
		return errs
	}
	if strings.Contains(string(name), "/") || isHuge(name) {
		return nil
	}
	var errs field.ErrorList
	if !quotaResources.Has(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.Invalid(path, name, "must be a standard resource type or fully qualified"))
	}
	if may != nil && !may.Has(name) {
		errs = append(errs, field.Invalid(path, name, which))
	}
	return errs
}

func checkQuota(in, old *corev1.ResourceQuota) field.ErrorList {
	s, path := &in.Spec, field.NewPath("spec")
	errs, scopes := checkQuantities(s.Hard, path.Child("hard")), path.Child("scopes")
	for _, scope := range s.Scopes {
		errs = append(errs, checkScope(scope, s, s.Scopes, scopes, scopes)...)
	}
	errs = append(errs, conflicting(s.Scopes, s.Scopes, scopes)...)
	if s.ScopeSelector != nil {
		errs = append(errs, checkScopeSelector(s, path.Child("scopeSelector", "matchExpressions"))...)
	}
	if old == nil {
		return append(append(errs, checkQuantities(in.Status.Hard, field.NewPath("status", "hard"))...), checkQuantities(in.Status.Used, field.NewPath("status", "used"))...)
	}
	if !sets.New(s.Scopes...).Equal(sets.New(old.Spec.Scopes...)) {
		errs = append(errs, field.Invalid(scopes, s.Scopes, "field is immutable"))
	}
	return errs
}

func checkQuotaStatus(in, _ *corev1.ResourceQuota) field.ErrorList {
	return append(checkQuantities(in.Status.Hard, field.NewPath("status", "hard")), checkQuantities(in.Status.Used, field.NewPath("status", "used"))...)
}

// checkQuantities judges what a quota allows, or counts.
func checkQuantities(all corev1.ResourceList, path *field.Path) (errs field.ErrorList) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		q, at := all[name], path.Key(string(name))
		errs = append(errs, checkResourceName(name, at, quotaResources, "must be a standard resource for quota")...)
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
		}
		extended := strings.Contains(string(name), "/") && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) && !strings.HasPrefix(string(name), "requests.")
		if (extended || countedResources.Has(name)) && q.MilliValue()%1000 != 0 {
			errs = append(errs, field.Invalid(at, q, "must be an integer"))
		}
	}
	return errs
}

// checkScope: a scope is known, and fits what is limited.
func checkScope(scope corev1.ResourceQuotaScope, s *corev1.ResourceQuotaSpec, value any, unknown, unfit *field.Path) (errs field.ErrorList) {
	fits := scopedResources
	switch scope {
	case corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating, corev1.ResourceQuotaScopeNotBestEffort, corev1.ResourceQuotaScopePriorityClass, corev1.ResourceQuotaScopeCrossNamespacePodAffinity:
	case corev1.ResourceQuotaScopeBestEffort:
		fits = sets.New(corev1.ResourcePods)
	case corev1.ResourceQuotaScopeVolumeAttributesClass:
		fits = sets.New(corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage)
	default:
		if unknown == unfit {
			return field.ErrorList{field.Invalid(unknown, value, "unsupported scope")}
		}
		return field.ErrorList{field.Invalid(unknown, scope, "unsupported scope")}
	}
	for name := range s.Hard {
		if (quotaResources.Has(name) || isHuge(name)) && !fits.Has(name) {
			errs = append(errs, field.Invalid(unfit, value, "unsupported scope applied to resource"))
		}
	}
	return errs
}

func conflicting(all []corev1.ResourceQuotaScope, value any, path *field.Path) (errs field.ErrorList) {
	for _, pair := range [][]corev1.ResourceQuotaScope{{corev1.ResourceQuotaScopeBestEffort, corev1.ResourceQuotaScopeNotBestEffort}, {corev1.ResourceQuotaScopeTerminating, corev1.ResourceQuotaScopeNotTerminating}} {
		if sets.New(all...).HasAll(pair...) {
			errs = append(errs, field.Invalid(path, value, "conflicting scopes"))
		}
	}
	return errs
}

func checkScopeSelector(s *corev1.ResourceQuotaSpec, path *field.Path) (errs field.ErrorList) {
	var all []corev1.ResourceQuotaScope
	for _, r := range s.ScopeSelector.MatchExpressions {
		errs = append(errs, checkScope(r.ScopeName, s, s.ScopeSelector, path.Child("scopeName"), path)...)
		if all = append(all, r.ScopeName); r.ScopeName != corev1.ResourceQuotaScopePriorityClass && r.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass && r.Operator != corev1.ScopeSelectorOpExists {
			errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
		}
		switch r.Operator {
		case corev1.ScopeSelectorOpIn, corev1.ScopeSelectorOpNotIn:
			if len(r.Values) == 0 {
				errs = append(errs, field.Required(path.Child("values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
			}
		case corev1.ScopeSelectorOpExists, corev1.ScopeSelectorOpDoesNotExist:
			if len(r.Values) > 0 {
				errs = append(errs, field.Invalid(path.Child("values"), r.Values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
			}
		default:
			errs = append(errs, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
		}
	}
	return append(errs, conflicting(all, s.Scopes, path)...)
}

func checkLimits(in, _ *corev1.LimitRange) (errs field.ErrorList) {
	types := map[corev1.LimitType]bool{}
	for i := range in.Spec.Limits {
		l, path := &in.Spec.Limits[i], field.NewPath("spec", "limits").Index(i)
		at, known := path.Child("type"), sets.New(corev1.LimitTypePod, corev1.LimitTypeContainer, corev1.LimitTypePersistentVolumeClaim)
		if wrong := utilvalidation.IsQualifiedName(string(l.Type)); len(wrong) > 0 {
			errs = append(errs, wrongs(at, l.Type, wrong)...)
		} else if !known.Has(l.Type) && !strings.Contains(string(l.Type), "/") {
			errs = append(errs, field.Invalid(at, l.Type, "must be a standard limit type or fully qualified"))
		}
		if types[l.Type] {
			errs = append(errs, field.Duplicate(at, l.Type))
		}
		types[l.Type] = true
		errs = append(errs, checkLimit(l, path)...)
	}
	return errs
}

func checkLimit(l *corev1.LimitRangeItem, path *field.Path) (errs field.ErrorList) {
	var may sets.Set[corev1.ResourceName]
	if l.Type == corev1.LimitTypePod || l.Type == corev1.LimitTypeContainer {
		may = containerResources
	}
	names := sets.New[corev1.ResourceName]()
	list := func(name string, all corev1.ResourceList, podsToo bool) {
		if l.Type == corev1.LimitTypePod && !podsToo {
			if len(all) > 0 {
				errs = append(errs, field.Forbidden(path.Child(name), "may not be specified when `type` is 'Pod'"))
			}
			return
		}
		for _, r := range slices.Sorted(maps.Keys(all)) {
			errs = append(errs, checkResourceName(r, path.Child(name).Key(string(r)), may, "must be a standard resource for containers")...)
			names.Insert(r)
		}
	}
	list("max", l.Max, true)
	list("min", l.Min, true)
	list("default", l.Default, false)
	list("defaultRequest", l.DefaultRequest, false)
	_, least := l.Min[corev1.ResourceStorage]
	if _, most := l.Max[corev1.ResourceStorage]; l.Type == corev1.LimitTypePersistentVolumeClaim && !least && !most {
		errs = append(errs, field.Required(path.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
	}
	list("maxLimitRequestRatio", l.MaxLimitRequestRatio, true)
	for _, r := range slices.Sorted(maps.Keys(names)) {
		for _, pair := range []struct {
			low, high corev1.ResourceList
			at, words string
			highest   bool // the value that is told is the higher one
		}{
			{l.Min, l.Max, "min", "min value %s is greater than max value %s", false},
			{l.Min, l.DefaultRequest, "defaultRequest", "min value %s is greater than default request value %s", true},
			{l.DefaultRequest, l.Max, "defaultRequest", "default request value %s is greater than max value %s", false},
			{l.DefaultRequest, l.Default, "defaultRequest", "default request value %s is greater than default limit value %s", false},
			{l.Min, l.Default, "default", "min value %s is greater than default value %s", false},
			{l.Default, l.Max, "default", "default value %s is greater than max value %s", true},
		} {
			low, ok := pair.low[r]
			high, both := pair.high[r]
			if !ok || !both || low.Cmp(high) <= 0 || l.Type == corev1.LimitTypePod && pair.at != "min" {
				continue
			}
			told := low
			if pair.highest {
				told = high
			}
			errs = append(errs, field.Invalid(path.Child(pair.at).Key(string(r)), told, fmt.Sprintf(pair.words, low.String(), high.String())))
		}
		errs = append(errs, checkRatio(l, r, path.Child("maxLimitRequestRatio").Key(string(r)))...)
	}
	return errs
}

func checkRatio(l *corev1.LimitRangeItem, r corev1.ResourceName, path *field.Path) (errs field.ErrorList) {
	ratio, ok := l.MaxLimitRequestRatio[r]
	if !ok {
		return nil
	}
	if ratio.Cmp(resource.MustParse("1")) < 0 {
		errs = append(errs, field.Invalid(path, ratio, fmt.Sprintf("ratio %s is less than 1", ratio.String())))
	}
	least, low := l.Min[r]
	most, high := l.Max[r]
	if limit := most.AsApproximateFloat64() / least.AsApproximateFloat64(); low && high && ratio.AsApproximateFloat64() > limit {
		errs = append(errs, field.Invalid(path, ratio, fmt.Sprintf("ratio %s is greater than max/min = %f", ratio.String(), limit)))
	}
	return errs
}
