package clientgo

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/store"
)

// object is a store.Object as client-go's stores know one: by its metadata.
type object struct {
	metav1.ObjectMeta
	is store.Object
}

func made(o store.Object) *object {
	return &object{metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, ResourceVersion: o.ResourceVersion}, o}
}

func madeAll(list []store.Object) []any {
	out := make([]any, 0, len(list))
	for _, o := range list {
		out = append(out, made(o))
	}
	return out
}

// given is what a Change gives to a store: the object, or a tombstone.
func given(c store.Change) any {
	if c.Unknown {
		return cache.DeletedFinalStateUnknown{Key: c.Object.Key(), Obj: made(c.Object)}
	}
	return made(c.Object)
}

// back is what a store gave.
func back(x any) (store.Object, error) {
	if o, ok := x.(*object); ok {
		return o.is, nil
	}
	return store.Object{}, fmt.Errorf("it gave a %T, which nobody put there", x)
}

func backAll(list []any) ([]store.Object, error) {
	out := make([]store.Object, 0, len(list))
	for _, x := range list {
		o, err := back(x)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

var errNoKey = errors.New("an object of this name has no key")

// keyOf is the key function: of tombstones, too, as informers have it.
func keyOf(x any) (string, error) {
	if o, ok := x.(*object); ok && o.Name == store.NoKey {
		return "", errNoKey
	}
	return cache.DeletionHandlingMetaNamespaceKeyFunc(x)
}

// told is an error as the suite knows it: a KeyError by its own type, with the object.
func told(err error) error {
	var k cache.KeyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &k) && errors.Is(err, errNoKey):
		return fmt.Errorf("%w: %w", store.ErrKey, err)
	case errors.Is(err, cache.ErrFIFOClosed):
		return fmt.Errorf("%w: %w", store.ErrClosed, err)
	}
	return err
}

func indexers(names []string) cache.Indexers {
	out := cache.Indexers{}
	for _, name := range names {
		out[name] = func(x any) ([]string, error) {
			o, err := back(x)
			return store.IndexedValues(name, o), err
		}
	}
	return out
}
