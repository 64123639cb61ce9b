package informers

import (
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/lwtest/lwtest/conformance/informer"
)

// transform is the one that is asked for; nil: none.
func transform(c informer.Config) cache.TransformFunc {
	if c.Transform == informer.Mark {
		return Mark
	}
	return nil
}

// Mark is the transform informer.Mark of what has metadata: it sets the annotation informer.Marked. Anything else stays as it
// is; there is no error. It keeps the object's other annotations as they are, for others may have the map.
func Mark(x any) (any, error) {
	o, ok := x.(metav1.Object)
	if !ok {
		return x, nil
	}
	notes := maps.Clone(o.GetAnnotations())
	if notes == nil {
		notes = map[string]string{}
	}
	notes[informer.Marked] = "yes"
	o.SetAnnotations(notes)
	return x, nil
}

func indexers(c informer.Config) cache.Indexers {
	out := cache.Indexers{}
	if c.Index == informer.ByApp {
		out[informer.ByApp] = byApp
	}
	return out
}

// byApp is the index of that name.
func byApp(x any) ([]string, error) {
	o, ok := x.(metav1.Object)
	if !ok || o.GetLabels()["app"] == "" {
		return nil, nil
	}
	return []string{o.GetLabels()["app"]}, nil
}

func all(list []any) (out []json.RawMessage) {
	for _, x := range list {
		out = append(out, plain(x))
	}
	return out
}

// plain is an object in JSON.
func plain(o any) json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil {
		return json.RawMessage(fmt.Sprintf("%q", err)) // nothing that a client has decoded
	}
	return b
}
