package apiserver

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// partOfPod is the old pod with what a write to ephemeralcontainers or resize changes of it. Metadata it does not.
func partOfPod(sub string, in, old *corev1.Pod) *corev1.Pod {
	out := old.DeepCopy()
	if sub == ephemeral {
		out.Spec.EphemeralContainers = in.Spec.EphemeralContainers
		return out
	}
	now, asked := containersOf(&out.Spec), containersOf(&in.Spec)
	for i, c := range now {
		if i < len(asked) && asked[i].Name == c.Name {
			c.Resources, c.ResizePolicy = asked[i].Resources, asked[i].ResizePolicy
		}
	}
	out.Spec.Resources = in.Spec.Resources
	return out
}

// checkEphemeral: ephemeral containers can only be added, and have less than others.
func checkEphemeral(in, old *corev1.Pod) (errs field.ErrorList) {
	path := field.NewPath("spec", "ephemeralContainers")
	names := sets.New[string]()
	for _, c := range containersOf(&in.Spec) {
		names.Insert(c.Name)
	}
	now := map[string]corev1.EphemeralContainer{}
	for i, c := range in.Spec.EphemeralContainers {
		at := path.Index(i)
		switch {
		case c.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names.Has(c.Name):
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		}
		if c.Image == "" {
			errs = append(errs, field.Required(at.Child("image"), ""))
		}
		for _, part := range []struct {
			name string
			said bool
		}{
			{"ports", len(c.Ports) > 0},
			{"livenessProbe", c.LivenessProbe != nil},
			{"readinessProbe", c.ReadinessProbe != nil},
			{"startupProbe", c.StartupProbe != nil},
			{"lifecycle", c.Lifecycle != nil},
			{"resources", !equality.Semantic.DeepEqual(c.Resources, corev1.ResourceRequirements{})},
		} {
			if part.said {
				errs = append(errs, field.Forbidden(at.Child(part.name), "cannot be set for an Ephemeral Container"))
			}
		}
		names.Insert(c.Name)
		now[c.Name] = c
	}
	for _, c := range old.Spec.EphemeralContainers {
		switch there, ok := now[c.Name]; {
		case !ok:
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", c.Name)))
		case !equality.Semantic.DeepEqual(there, c):
			errs = append(errs, field.Forbidden(path, fmt.Sprintf("existing ephemeral containers %q may not be changed\n", c.Name)))
		}
	}
	return errs
}

// checkResize: how urgent a pod is does not change, and what was requested or limited stays so.
func checkResize(in, old *corev1.Pod) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if was, is := qosOf(&old.Spec), qosOf(&in.Spec); was != is {
		errs = append(errs, field.Invalid(spec, was, "Pod QOS Class may not change as a result of resizing"))
	}
	for i := range in.Spec.Containers {
		now, before, at := in.Spec.Containers[i].Resources, old.Spec.Containers[i].Resources, spec.Child("containers").Index(i).Child("resources")
		if removed(before.Requests, now.Requests) {
			errs = append(errs, field.Forbidden(at.Child("requests"), "resource requests cannot be removed"))
		}
		if removed(before.Limits, now.Limits) {
			errs = append(errs, field.Forbidden(at.Child("limits"), "resource limits cannot be removed"))
		}
	}
	return append(checkPodSpec(&in.Spec, spec), errs...)
}

func removed(before, now corev1.ResourceList) bool {
	for name := range before {
		if _, there := now[name]; !there {
			return true
		}
	}
	return false
}
