package main

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// object is an adapter.Object as client-go's stores know one: by its metadata.
type object struct {
	metav1.ObjectMeta
	is adapter.Object
}

func made(o adapter.Object) *object {
	return &object{metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, ResourceVersion: o.ResourceVersion}, o}
}

func madeAll(list []adapter.Object) []any {
	out := make([]any, 0, len(list))
	for _, o := range list {
		out = append(out, made(o))
	}
	return out
}

// given is what a Change gives to a store: the object, or a tombstone.
func given(c adapter.Change) any {
	if c.Unknown {
		return cache.DeletedFinalStateUnknown{Key: c.Object.Key(), Obj: made(c.Object)}
	}
	return made(c.Object)
}

// back is what a store gave.
func back(x any) (adapter.Object, error) {
	if o, ok := x.(*object); ok {
		return o.is, nil
	}
	return adapter.Object{}, fmt.Errorf("it gave a %T, which nobody put there", x)
}

func backAll(list []any, err error) ([]adapter.Object, error) {
	var out []adapter.Object
	for i := 0; i < len(list) && err == nil; i++ {
		var o adapter.Object
		o, err = back(list[i])
		out = append(out, o)
	}
	return out, err
}

var errNoKey = errors.New("an object of this name has no key")

// keyOf is the key function: of tombstones, too, as informers have it.
func keyOf(x any) (string, error) {
	if o, ok := x.(*object); ok && o.Name == adapter.NoKey {
		return "", errNoKey
	}
	return cache.DeletionHandlingMetaNamespaceKeyFunc(x)
}

// told is an error as lwtest knows it. Before 0.19 a KeyError did not unwrap.
func told(err error) error {
	var k cache.KeyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &k) && k.Err == errNoKey:
		return fmt.Errorf("%w: %v", adapter.ErrKey, err)
	case errors.Is(err, cache.ErrFIFOClosed):
		return fmt.Errorf("%w: %v", adapter.ErrClosed, err)
	}
	return err
}

// indexers are the index functions of these names.
func indexers(names []string) cache.Indexers {
	out := cache.Indexers{}
	for _, name := range names {
		name := name
		out[name] = func(x any) ([]string, error) {
			o, err := back(x)
			return adapter.IndexedValues(name, o), err
		}
	}
	return out
}
