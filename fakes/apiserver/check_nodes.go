package apiserver

import (
	"fmt"
	"maps"
	"net"
	"slices"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkNode(in, old *corev1.Node) (errs field.ErrorList) {
	errs = slices.Concat(checkTaints(in.Spec.Taints), checkAmounts(&in.Status), checkPodCIDRs(in.Spec.PodCIDRs))
	if old != nil {
		errs = append(errs, checkNodeUpdate(in, old)...)
	}
	return errs
}

// checkNodeStatus is about what a write to /status can change.
func checkNodeStatus(in, _ *corev1.Node) field.ErrorList {
	return append(checkAmounts(&in.Status), checkNodeAddresses(&in.Status)...)
}

// checkTaints: a key and an effect are there once.
func checkTaints(all []corev1.Taint) (errs field.ErrorList) {
	type taint struct {
		Key, Value string
		Effect     corev1.TaintEffect
		TimeAdded  any
	}
	taken := map[taint]bool{}
	for i, t := range all {
		at := field.NewPath("metadata", "taints").Index(i)
		errs = append(errs, wrongs(at.Child("key"), t.Key, utilvalidation.IsQualifiedName(t.Key))...)
		errs = append(errs, oneOf(at.Child("effect"), t.Effect, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		if taken[taint{Key: t.Key, Effect: t.Effect}] {
			twice := field.Duplicate(at, taint{t.Key, t.Value, t.Effect, nil})
			twice.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, twice)
		}
		taken[taint{Key: t.Key, Effect: t.Effect}] = true
	}
	return errs
}

// checkAmounts: what a node has is not negative.
func checkAmounts(s *corev1.NodeStatus) (errs field.ErrorList) {
	for _, part := range []struct {
		name string
		all  corev1.ResourceList
	}{{"capacity", s.Capacity}, {"allocatable", s.Allocatable}} {
		for _, name := range slices.Sorted(maps.Keys(part.all)) {
			if q := part.all[name]; q.Sign() < 0 {
				errs = append(errs, field.Invalid(field.NewPath("status", part.name, string(name)), q.String(), "must be greater than or equal to 0"))
			}
		}
	}
	return errs
}

// checkPodCIDRs: a node's pods have a range of addresses, or one of each family.
func checkPodCIDRs(all []string) (errs field.ErrorList) {
	path := field.NewPath("spec", "podCIDRs")
	for i, cidr := range all {
		errs = append(errs, utilvalidation.IsValidCIDRForLegacyField(path.Index(i), cidr, true, nil)...)
	}
	if len(all) < 2 {
		return errs
	}
	var four, six bool
	for i, cidr := range all {
		_, n, err := net.ParseCIDR(cidr)
		if err != nil {
			errs = append(errs, field.InternalError(path, fmt.Errorf("invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[%d]: %v (%v)", i, n, err)))
			four = false
			break
		}
		v4 := n.IP.To4() != nil
		four, six = four || v4, six || !v4
	}
	if !four || !six || len(all) > 2 {
		errs = append(errs, field.Invalid(path, all, "may specify no more than one CIDR for each IP family"))
	}
	return errs
}

// checkNodeUpdate: what a cloud has said of a node stays.
func checkNodeUpdate(in, old *corev1.Node) (errs field.ErrorList) {
	errs = checkNodeAddresses(&in.Status)
	spec := field.NewPath("spec")
	changed := field.Forbidden(spec.Child("podCIDRs"), `node updates may not change podCIDR except from "" to valid`)
	was, now := old.Spec.PodCIDRs, in.Spec.PodCIDRs
	switch {
	case len(was) == 0:
	case len(was) != len(now):
		errs = append(errs, changed)
	default:
		for i := range was {
			if was[i] != now[i] {
				errs = append(errs, changed)
			}
		}
	}
	switch id := spec.Child("providerID"); {
	case old.Spec.ProviderID == "" || in.Spec.ProviderID == old.Spec.ProviderID:
	case in.Spec.ProviderID == "":
		errs = append(errs, field.Invalid(id, nil, "field cannot be cleared once set"))
	default:
		errs = append(errs, field.Invalid(id, nil, "field cannot be modified once set"))
	}
	return errs
}
