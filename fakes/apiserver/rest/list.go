package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// listing reads a list whose items are the store's own.
type listing func(context.Context, apiserver.Request, metav1.ListOptions) (apiserver.Listed, error)

// list answers with a list.
func (x *exchange) list(t target, f form, o metav1.ListOptions) {
	if x.joins(t, f) {
		x.joined(t, f, o)
		return
	}
	l, err := x.api.List(x.r.Context(), t.req, o)
	if err == nil {
		err = f.readTable(x.r.URL.Query())
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.answer(t, f, http.StatusOK, l)
}

// joins says whether a list can be joined from the bytes of its items, which are kept with them: those of
// built-in kinds in plain JSON, which is what most lists are.
func (x *exchange) joins(t target, f form) bool {
	return x.listing != nil && f.name == runtime.ContentTypeJSON && !f.indented && f.as.Empty() && !t.row.Custom && !t.row.twin
}

// noItems is how the JSON of a list ends that has none.
var noItems = []byte("[]}\n")

// joined answers with a list that is not encoded as a whole.
func (x *exchange) joined(t target, f form, o metav1.ListOptions) {
	l, err := x.listing(x.r.Context(), t.req, o)
	if err != nil {
		x.fail(err)
		return
	}
	head, err := f.encode(t.row.kinded(l.List))
	if err != nil {
		x.fail(err)
		return
	}
	head, ok := bytes.CutSuffix(head, noItems)
	if !ok {
		x.fail(errors.New("a list that does not end with its items"))
		return
	}
	parts, size, err := f.parts(l.Items)
	if err != nil {
		x.fail(err)
		return
	}
	x.w.Header().Set("Content-Type", f.contentType())
	x.send(http.StatusOK, len(head)+size+len(noItems), func(out io.Writer) {
		_, _ = out.Write(head) // a client that is gone needs no answer
		_, _ = out.Write(noItems[:1])
		for i, p := range parts {
			if i > 0 {
				_, _ = io.WriteString(out, ",")
			}
			_, _ = out.Write(p)
		}
		_, _ = out.Write(noItems[1:])
	})
}

// parts are the bytes of items, and how many with what is between them.
func (f form) parts(items []apiserver.Stored) (parts [][]byte, size int, err error) {
	parts = make([][]byte, len(items))
	for i, it := range items {
		parts[i], err = it.Kept(func(obj runtime.Object) ([]byte, error) {
			b, err := f.encode(obj)
			return bytes.Clone(bytes.TrimSuffix(b, []byte("\n"))), err // of its own size
		})
		if err != nil {
			return nil, 0, err
		}
		size += len(parts[i]) + 1
	}
	return parts, max(0, size-1), nil
}
