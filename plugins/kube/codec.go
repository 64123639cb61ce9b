package kube

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// anyKind reads and writes objects of kinds that no Go type is known for, as
// client-go's dynamic client does; a Status, or what wraps the events of a
// watch, keeps its type.
func anyKind() runtime.NegotiatedSerializer {
	known := runtime.NewScheme()
	metav1.AddToGroupVersion(known, schema.GroupVersion{Version: "v1"})
	codec := func(c runtime.ObjectCreater, t runtime.ObjectTyper) runtime.Serializer {
		return json.NewSerializerWithOptions(json.DefaultMetaFactory, c, t, json.SerializerOptions{})
	}
	return runtime.NewSimpleNegotiatedSerializer(runtime.SerializerInfo{
		MediaType: runtime.ContentTypeJSON, MediaTypeType: "application", MediaTypeSubType: "json", EncodesAsText: true,
		Serializer: codec(creater{known}, typer{known}),
		StreamSerializer: &runtime.StreamSerializerInfo{
			EncodesAsText: true, Framer: json.Framer, Serializer: codec(known, known),
		},
	})
}

type creater struct{ known *runtime.Scheme }

func (c creater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	if o, err := c.known.New(kind); err == nil {
		return o, nil
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	return u, nil
}

type typer struct{ known *runtime.Scheme }

func (t typer) ObjectKinds(o runtime.Object) ([]schema.GroupVersionKind, bool, error) {
	if _, ok := o.(runtime.Unstructured); ok {
		return []schema.GroupVersionKind{o.GetObjectKind().GroupVersionKind()}, false, nil
	}
	return t.known.ObjectKinds(o)
}

func (t typer) Recognizes(kind schema.GroupVersionKind) bool { return true }
