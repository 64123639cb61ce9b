package main

import (
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/plugins/adapter"
)

// hook gives an informer its transform, and says who is to hear of errors, by one of the ways in which that is done.
func hook(inf cache.SharedIndexInformer, c adapter.InformerConfig, failing func(cache.SharedIndexInformer, func(error)) error) error {
	if c.Transform == adapter.Mark {
		if err := transformed(inf); err != nil {
			return err
		}
	}
	if c.Failed == nil {
		return nil
	}
	return failing(inf, func(err error) { c.Failed(status(err)) })
}

// mark is the transform of that name.
func mark(x any) (any, error) {
	o, ok := x.(metav1.Object)
	if !ok {
		return x, nil
	}
	notes := maps.Clone(o.GetAnnotations())
	if notes == nil {
		notes = map[string]string{}
	}
	notes[adapter.Marked] = "yes"
	o.SetAnnotations(notes)
	return x, nil
}
