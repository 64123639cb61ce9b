package apiserver

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// mostContent is how many bytes the values of a configmap or a secret may have together.
const mostContent = 1 << 20

// content judges keys and size of what configmaps and secrets hold.
func content(obj runtime.Object) (errs field.ErrorList) {
	switch o := obj.(type) {
	case *corev1.ConfigMap:
		errs = append(keys("data", o.Data, o.BinaryData, "binaryData"), keys("binaryData", o.BinaryData, map[string]string(nil), "")...)
		if total(o.Data)+total(o.BinaryData) > mostContent {
			errs = append(errs, field.TooLong(field.NewPath(""), "", mostContent))
		}
	case *corev1.Secret:
		errs = keys("data", o.Data, map[string]string(nil), "")
		if total(o.Data)+total(o.StringData) > mostContent {
			errs = append(errs, field.TooLong(field.NewPath("data"), "", mostContent))
		}
	}
	return errs
}

// keys judges those of one bag, which must not be in the other.
func keys[V, W any](name string, bag map[string]V, other map[string]W, otherName string) (errs field.ErrorList) {
	for _, key := range slices.Sorted(maps.Keys(bag)) {
		path := field.NewPath(name).Key(key)
		for _, msg := range validation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(path, key, msg))
		}
		if _, both := other[key]; both {
			errs = append(errs, field.Invalid(path, key, "duplicate of key present in "+otherName))
		}
	}
	return errs
}

func total[V ~string | ~[]byte](bag map[string]V) (n int) {
	for _, v := range bag {
		n += len(v)
	}
	return n
}
