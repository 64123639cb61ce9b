package mutants

import (
	"math/big"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// of is an object's metadata.
func of(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // the store has nothing without
	}
	return m
}

// listOf is a list's metadata.
func listOf(list runtime.Object) metav1.ListInterface {
	m, err := meta.ListAccessor(list)
	if err != nil {
		panic(err) // as above
	}
	return m
}

// items of a list.
func items(list runtime.Object) []runtime.Object {
	all, err := meta.ExtractList(list)
	if err != nil {
		panic(err) // as above
	}
	return all
}

func setItems(list runtime.Object, all []runtime.Object) {
	if err := meta.SetList(list, all); err != nil {
		panic(err) // as above
	}
}

// plus moves a resourceVersion, of any length.
func plus(rv string, n int64) string {
	v, ok := new(big.Int).SetString(rv, 10)
	if !ok {
		return rv
	}
	return v.Add(v, big.NewInt(n)).String()
}

// older says whether a resourceVersion is less than another.
func older(a, b string) bool {
	return len(a) < len(b) || len(a) == len(b) && a < b
}

// mark is a bookmark at an event's resourceVersion.
func mark(e watch.Event) watch.Event {
	m := reflect.New(reflect.TypeOf(e.Object).Elem()).Interface().(runtime.Object)
	of(m).SetResourceVersion(of(e.Object).GetResourceVersion())
	return watch.Event{Type: watch.Bookmark, Object: m}
}

// copyOf is the same event again, for a client that may change the first.
func copyOf(e watch.Event) watch.Event {
	return watch.Event{Type: e.Type, Object: e.Object.DeepCopyObject()}
}

// moved is a copy of an object, at another resourceVersion.
func moved(obj runtime.Object, rv string) runtime.Object {
	again := obj.DeepCopyObject()
	of(again).SetResourceVersion(rv)
	return again
}

// change says whether a cause is a write after the watch began.
func change(c apiserver.Cause) bool {
	return c == apiserver.Created || c == apiserver.Updated || c == apiserver.Deleted
}

// name that a field selector asks for, and nothing else.
func name(o *metav1.ListOptions) (string, bool) {
	sel, err := fields.ParseSelector(o.FieldSelector)
	if err != nil {
		return "", false
	}
	return sel.RequiresExactMatch("metadata.name")
}

// nth is true on every nth call.
func nth(n int) func() bool {
	i := 0
	return func() bool { i++; return i%n == 0 }
}

// pass lets an event through; the end is none.
func pass(e watch.Event, c apiserver.Cause) []watch.Event {
	if c == apiserver.End {
		return nil
	}
	return []watch.Event{e}
}

// fromNow makes a watch start at the present, without its state.
func fromNow(o *metav1.ListOptions) {
	no := false
	o.ResourceVersion, o.ResourceVersionMatch, o.SendInitialEvents = "", metav1.ResourceVersionMatchNotOlderThan, &no
}
