package rest

import (
	"compress/gzip"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// gzipFrom is from how many bytes on an answer is compressed for who takes that.
const gzipFrom = 128 << 10

// answer sends an object in the form asked for.
func (x *exchange) answer(t target, f form, code int, obj runtime.Object) {
	obj, err := f.show(t.row, obj)
	if err != nil {
		x.fail(err)
		return
	}
	x.write(code, f.contentType(), f, obj)
}

// write sends an object as it is.
func (x *exchange) write(code int, contentType string, f form, obj runtime.Object) {
	body, err := f.encode(obj)
	if err != nil {
		x.raw(http.StatusInternalServerError, asStatus(err))
		return
	}
	x.w.Header().Set("Content-Type", contentType)
	if x.wire.Cut || x.wire.Hang {
		x.halfway(code, body)
		return
	}
	if len(body) <= gzipFrom || !takesGzip(x.r) {
		x.w.WriteHeader(code)
		_, _ = x.w.Write(body) // a client that is gone needs no answer
		return
	}
	x.w.Header().Set("Content-Encoding", "gzip")
	x.w.Header().Add("Vary", "Accept-Encoding")
	x.w.WriteHeader(code)
	z, err := gzip.NewWriterLevel(x.w, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is one
	}
	_, _ = z.Write(body)
	_ = z.Close()
}

func takesGzip(r *http.Request) bool {
	for _, token := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(token) == "gzip" {
			return true
		}
	}
	return false
}

// kinded gives an object, or a list, the kind and apiVersion that the wire has; its items have none.
func (r *row) kinded(obj runtime.Object) runtime.Object {
	switch o := obj.(type) {
	case *metav1.Status:
		name(o)
	case runtime.Unstructured: // it has both
	case metav1.ListInterface:
		obj.GetObjectKind().SetGroupVersionKind(r.gvk.GroupVersion().WithKind(r.Kind + "List"))
	default:
		obj.GetObjectKind().SetGroupVersionKind(r.gvk)
	}
	return obj
}
