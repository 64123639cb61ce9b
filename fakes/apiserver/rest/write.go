package rest

import (
	"bufio"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// sendSize is how much of an answer is gathered before it is written to the connection.
const sendSize = 64 << 10

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
	x.send(code, len(body), zipKey{}, func(out io.Writer) { _, _ = out.Write(body) }) // a client that is gone needs no answer
}

// send sends a body of that size, which write gives, compressed where the client takes that and it is worth it.
func (x *exchange) send(code, size int, key zipKey, write func(io.Writer)) {
	zipped := x.zipped(size)
	if zipped {
		x.zipHeader()
	}
	x.w.WriteHeader(code)
	out := bufio.NewWriterSize(x.w, min(size, sendSize))
	defer func() { _ = out.Flush() }()
	if zipped {
		x.zip(out, key, write)
		return
	}
	write(out)
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
