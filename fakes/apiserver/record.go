package apiserver

import (
	"strings"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// record is one state of one object. It never changes once it is in a tree.
type record struct {
	key  string
	rev  uint64 // of the write that made it
	obj  runtime.Object
	meta metav1.Object // the same object
	kept kept
	by   *writers // who wrote it, as far as obj does not say so; nil: nobody knows
	// other: the store does not hold obj, but what is read as obj. A write that changes nothing is stored then.
	other bool
	whole runtime.Object // what the store holds, where kube-apiserver shows less of it but in /status; nil: obj
	// raw is what the store holds of a custom object, in its version, where a read makes obj of it; nil: obj. Its metadata is out of date.
	raw *unstructured.Unstructured

	versions atomic.Pointer[versions] // what a conversion webhook has made of it
}

// countFrom counts the records with a prefix, "" or one that ends with a slash, that are not before key.
func countFrom(t tree, prefix, key string) int {
	end := t.Len()
	if prefix != "" {
		end = t.Rank(strings.TrimSuffix(prefix, "/") + "0") // '0' follows the slash
	}
	return end - t.Rank(key)
}
