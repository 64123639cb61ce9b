package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

var limitRanges = corev1.SchemeGroupVersion.WithResource("limitranges")

// limit refuses a new pod or claim that one of the LimitRanges in its namespace forbids.
func (c *core) limit(k *kind, _ string, in, old runtime.Object, _ *Notes) error {
	pod, isPod := in.(*corev1.Pod)
	claim, isClaim := in.(*corev1.PersistentVolumeClaim)
	if old != nil || !isPod && !isClaim {
		return nil
	}
	m := in.(metav1.Object)
	for _, r := range c.limitRanges(m.GetNamespace()) {
		var errs []error
		for _, limit := range r.Spec.Limits {
			switch {
			case isPod && limit.Type == corev1.LimitTypeContainer:
				for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
					errs = append(errs, beyond(limit, c.Resources)...)
				}
			case isPod && limit.Type == corev1.LimitTypePod:
				errs = append(errs, beyond(limit, podResources(pod, limit))...)
			case isClaim && limit.Type == corev1.LimitTypePersistentVolumeClaim:
				errs = append(errs, beyond(limit, corev1.ResourceRequirements{Requests: claim.Spec.Resources.Requests})...)
			}
		}
		if err := utilerrors.NewAggregate(errs); err != nil {
			return apierrors.NewForbidden(k.res.GroupResource(), m.GetName(), err)
		}
	}
	return nil
}

// limitRanges are those of a namespace.
func (c *core) limitRanges(namespace string) (all []*corev1.LimitRange) {
	if k := c.st.kinds[limitRanges]; k != nil {
		for r := range k.Now().Within(namespace+"/", "") {
			all = append(all, r.obj.(*corev1.LimitRange))
		}
	}
	return all
}

// defaultLimits gives the containers of a new pod the defaults of the LimitRanges in its namespace.
func (c *core) defaultLimits(pod *corev1.Pod) error {
	for _, r := range c.limitRanges(pod.Namespace) {
		defaultLimits(pod, r)
	}
	return nil
}

// defaultLimits sets what containers leave out, and notes it in an annotation.
func defaultLimits(pod *corev1.Pod, r *corev1.LimitRange) {
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for _, limit := range r.Spec.Limits {
		if limit.Type == corev1.LimitTypeContainer {
			fill(requests, limit.DefaultRequest, true)
			fill(limits, limit.Default, true)
		}
	}
	var notes []string
	for _, l := range []struct {
		what string
		list []corev1.Container
	}{{"container", pod.Spec.Containers}, {"init container", pod.Spec.InitContainers}} {
		for i := range l.list {
			for _, x := range []struct {
				what string
				to   *corev1.ResourceList
				from corev1.ResourceList
			}{{"request", &l.list[i].Resources.Requests, requests}, {"limit", &l.list[i].Resources.Limits, limits}} {
				if *x.to == nil {
					*x.to = corev1.ResourceList{}
				}
				if set := fill(*x.to, x.from, false); len(set) > 0 {
					notes = append(notes, fmt.Sprintf("%s %s for %s %s", strings.Join(set, ", "), x.what, l.what, l.list[i].Name))
				}
			}
		}
	}
	if len(notes) > 0 {
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + strings.Join(notes, "; ")
	}
}

// fill copies amounts that the first list lacks, or with all each, and returns the sorted names of those that it copied.
func fill(to, from corev1.ResourceList, all bool) (set []string) {
	for _, name := range sortedNames(from) {
		if _, has := to[name]; all || !has {
			to[name] = from[name].DeepCopy()
			set = append(set, string(name))
		}
	}
	return set
}

// podResources are the cpu and memory that a pod as a whole requests and is limited to, where a limit names them.
func podResources(pod *corev1.Pod, limit corev1.LimitRangeItem) corev1.ResourceRequirements {
	out := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	for _, list := range []corev1.ResourceList{limit.Min, limit.Max, limit.MaxLimitRequestRatio} {
		for name := range list {
			if name != corev1.ResourceCPU && name != corev1.ResourceMemory {
				continue
			}
			for prefix, to := range map[string]corev1.ResourceList{"requests.": out.Requests, "limits.": out.Limits} {
				if sum := asksFor(pod, corev1.ResourceName(prefix)+name); !sum.IsZero() {
					to[name] = sum
				}
			}
		}
	}
	return out
}

// beyond returns an error for each amount that a limit forbids. A claim has no limits, only requests.
func beyond(limit corev1.LimitRangeItem, has corev1.ResourceRequirements) (errs []error) {
	claim := limit.Type == corev1.LimitTypePersistentVolumeClaim
	say := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, name := range sortedNames(limit.Min) {
		least := limit.Min[name]
		request, asked := has.Requests[name]
		most, limited := has.Limits[name]
		switch {
		case !asked:
			say("minimum %s usage per %s is %s.  No request is specified", name, limit.Type, least.String())
		case request.Cmp(least) < 0:
			say("minimum %s usage per %s is %s, but request is %s", name, limit.Type, least.String(), request.String())
		case limited && most.Cmp(least) < 0:
			say("minimum %s usage per %s is %s, but limit is %s", name, limit.Type, least.String(), most.String())
		}
	}
	for _, name := range sortedNames(limit.Max) {
		max := limit.Max[name]
		request, asked := has.Requests[name]
		most, limited := has.Limits[name]
		switch {
		case claim && !asked:
			say("maximum %s usage per %s is %s.  No request is specified", name, limit.Type, max.String())
		case !claim && !limited:
			say("maximum %s usage per %s is %s.  No limit is specified", name, limit.Type, max.String())
		case limited && most.Cmp(max) > 0:
			say("maximum %s usage per %s is %s, but limit is %s", name, limit.Type, max.String(), most.String())
		case asked && request.Cmp(max) > 0:
			say("maximum %s usage per %s is %s, but request is %s", name, limit.Type, max.String(), request.String())
		}
	}
	if claim {
		return errs
	}
	for _, name := range sortedNames(limit.MaxLimitRequestRatio) {
		if err := beyondRatio(limit, name, has.Requests[name], has.Limits[name]); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

func beyondRatio(limit corev1.LimitRangeItem, name corev1.ResourceName, request, most resource.Quantity) error {
	ratio := limit.MaxLimitRequestRatio[name]
	about := fmt.Sprintf("%s max limit to request ratio per %s is %s, but ", name, limit.Type, ratio.String())
	switch has := most.AsApproximateFloat64() / request.AsApproximateFloat64(); {
	case request.IsZero():
		return errors.New(about + "no request is specified or request is 0")
	case most.IsZero():
		return errors.New(about + "no limit is specified or limit is 0")
	case has > ratio.AsApproximateFloat64():
		return fmt.Errorf("%sprovided ratio is %f", about, has)
	}
	return nil
}
