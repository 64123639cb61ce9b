package apiserver

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// mostStored is how many bytes etcd takes in one request, unless it is told otherwise. What is beside the
// object there, its key twice and a few dozen bytes, is not counted.
const mostStored = 3 << 19

// fits refuses what would be too large for etcd, as its answer comes through a kube-apiserver: built-in kinds
// are stored as protobuf, custom resources as JSON.
func fits(obj runtime.Object) error {
	n := 0
	switch o := obj.(type) {
	case interface{ Size() int }:
		n = o.Size()
	case *unstructured.Unstructured:
		if n = textIn(o.Object); n > mostStored/8 { // escapes make it at most six times as long; else it is not worth the time
			b, err := json.Marshal(o)
			if err != nil {
				return bare(err.Error())
			}
			n = len(b)
		}
	}
	if n > mostStored {
		return bare("etcdserver: request is too large")
	}
	return nil
}

// textIn is how long the texts in a JSON value are, with something for all else.
func textIn(v any) (n int) {
	switch v := v.(type) {
	case string:
		return len(v) + 3
	case map[string]any:
		for k, item := range v {
			n += len(k) + 4 + textIn(item)
		}
	case []any:
		for _, item := range v {
			n += 1 + textIn(item)
		}
	default:
		return 20
	}
	return n
}
