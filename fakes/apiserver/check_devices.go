package apiserver

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func checkDeviceClass(in, _ *resourcev1.DeviceClass) field.ErrorList {
	return checkDeviceSelectors(in.Spec.Selectors, field.NewPath("spec", "selectors"))
}

func checkResourceClaim(in, _ *resourcev1.ResourceClaim) field.ErrorList {
	return checkDeviceRequests(in.Spec.Devices.Requests, field.NewPath("spec", "devices", "requests"))
}

func checkClaimTemplate(in, _ *resourcev1.ResourceClaimTemplate) field.ErrorList {
	return checkDeviceRequests(in.Spec.Spec.Devices.Requests, field.NewPath("spec", "spec", "devices", "requests"))
}

// checkDeviceSelectors does not compile the expressions.
func checkDeviceSelectors(all []resourcev1.DeviceSelector, path *field.Path) (errs field.ErrorList) {
	for i, s := range all {
		if s.CEL == nil {
			errs = append(errs, field.Required(path.Index(i).Child("cel"), ""))
		}
	}
	return errs
}

func checkDeviceRequests(all []resourcev1.DeviceRequest, path *field.Path) (errs field.ErrorList) {
	for i, r := range all {
		at := path.Index(i)
		errs = append(errs, wrongs(at.Child("name"), r.Name, utilvalidation.IsDNS1123Label(r.Name))...)
		if slices.ContainsFunc(all[:i], func(b resourcev1.DeviceRequest) bool { return b.Name == r.Name }) {
			errs = append(errs, field.Duplicate(at, r))
		}
		switch {
		case r.Exactly == nil && len(r.FirstAvailable) == 0:
			errs = append(errs, field.Required(at, "exactly one of `exactly` or `firstAvailable` is required"))
		case r.Exactly != nil && len(r.FirstAvailable) > 0:
			errs = append(errs, field.Invalid(at, nil, "exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set"))
		case r.Exactly != nil:
			e := r.Exactly
			errs = append(errs, checkDevices(e.DeviceClassName, e.Selectors, e.AllocationMode, e.Count, at.Child("exactly"))...)
		}
		for j, f := range r.FirstAvailable {
			first := at.Child("firstAvailable").Index(j)
			errs = append(errs, wrongs(first.Child("name"), f.Name, utilvalidation.IsDNS1123Label(f.Name))...)
			all := checkDevices(f.DeviceClassName, f.Selectors, f.AllocationMode, f.Count, first)
			if f.DeviceClassName == "" {
				all = append(all[1:], all[0]) // kube-apiserver finds it later here
			}
			errs = append(errs, all...)
		}
	}
	return errs
}

func checkDevices(class string, selectors []resourcev1.DeviceSelector, mode resourcev1.DeviceAllocationMode, count int64, path *field.Path) (errs field.ErrorList) {
	if class == "" {
		errs = append(errs, field.Required(path.Child("deviceClassName"), ""))
	} else {
		errs = append(errs, wrongs(path.Child("deviceClassName"), class, utilvalidation.IsDNS1123Subdomain(class))...)
	}
	errs = append(errs, checkDeviceSelectors(selectors, path.Child("selectors"))...)
	switch {
	case mode == resourcev1.DeviceAllocationModeAll && count != 0:
		errs = append(errs, field.Invalid(path.Child("count"), count, "must not be specified when allocationMode is 'All'"))
	case mode == resourcev1.DeviceAllocationModeExactCount && count <= 0:
		errs = append(errs, field.Invalid(path.Child("count"), count, "must be greater than zero"))
	case mode != resourcev1.DeviceAllocationModeAll && mode != resourcev1.DeviceAllocationModeExactCount:
		errs = append(errs, oneOf(path.Child("allocationMode"), mode, resourcev1.DeviceAllocationModeAll, resourcev1.DeviceAllocationModeExactCount)...)
	}
	return errs
}
