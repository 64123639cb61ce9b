package rest

import (
	"bytes"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metascheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// Definitions are an API of their own, which client-go does not know.
func init() { utilruntime.Must(apiextensionsv1.AddToScheme(scheme.Scheme)) }

// media is a representation of objects on the wire.
type media struct {
	name     string // type and subtype
	whole    runtime.Serializer
	strict   runtime.Serializer // as whole, but unknown and doubled fields are errors
	pretty   runtime.Serializer // nil: as whole
	options  runtime.Serializer // of DeleteOptions, whatever version they say
	stream   bool               // watches can have it
	builtins bool               // custom resources cannot
}

// codecs are all representations, the default first.
type codecs struct{ all []*media }

func newCodecs() *codecs {
	text := func(o jsonserializer.SerializerOptions) runtime.Serializer {
		return jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, o)
	}
	type options = jsonserializer.SerializerOptions
	proto := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	c := &codecs{[]*media{
		{name: runtime.ContentTypeJSON, whole: text(options{}), strict: text(options{Strict: true}), pretty: text(options{Pretty: true}), stream: true},
		{name: runtime.ContentTypeYAML, whole: text(options{Yaml: true}), strict: text(options{Yaml: true, Strict: true})},
		{name: runtime.ContentTypeProtobuf, whole: proto, strict: proto, stream: true, builtins: true},
	}}
	known := metascheme.Codecs.SupportedMediaTypes()
	for _, m := range c.all {
		info, _ := runtime.SerializerInfoForMediaType(known, m.name)
		m.options = info.Serializer
	}
	return c
}

// names of the media types, in order.
func (c *codecs) names(suffix string, ok func(*media) bool) []string {
	var out []string
	for _, m := range c.all {
		if ok(m) {
			out = append(out, m.name+suffix)
		}
	}
	return out
}

func whole(*media) bool      { return true }
func streams(m *media) bool  { return m.stream }
func ofCustom(m *media) bool { return !m.builtins }

// form is what an answer looks like: a representation, and what is shown of objects.
type form struct {
	*media
	indented bool
	as       schema.GroupVersionKind // Table, PartialObjectMetadata or …List; empty: the object itself
	table    tableOptions
}

func (f form) contentType() string { return f.name }

// streamType is the content type of a watch.
func (f form) streamType() string {
	if f.name == runtime.ContentTypeJSON {
		return f.name
	}
	return f.name + ";stream=watch"
}

func (f form) encode(obj runtime.Object) ([]byte, error) {
	s := f.whole
	if f.indented && f.pretty != nil {
		s = f.pretty
	}
	var b bytes.Buffer
	if err := s.Encode(obj, &b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
