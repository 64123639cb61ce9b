package resources

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1beta1 "k8s.io/apimachinery/pkg/apis/meta/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
)

// form is how a representation is asked for, and what then comes.
type form struct {
	media   string
	as      schema.GroupVersionKind    // Table or PartialObjectMetadata; empty: the object itself
	include metav1.IncludeObjectPolicy // what the rows of a Table have; empty: the server's default, the metadata
}

var formsByName = map[string]form{
	replay.FormProtobuf:         {media: runtime.ContentTypeProtobuf},
	replay.FormCBOR:             {media: runtime.ContentTypeCBOR},
	replay.FormTable:            {media: runtime.ContentTypeJSON, as: metav1.SchemeGroupVersion.WithKind("Table")},
	replay.FormTableBeta:        {media: runtime.ContentTypeJSON, as: metav1beta1.SchemeGroupVersion.WithKind("Table"), include: metav1.IncludeMetadata},
	replay.FormTableObject:      {media: runtime.ContentTypeJSON, as: metav1.SchemeGroupVersion.WithKind("Table"), include: metav1.IncludeObject},
	replay.FormMetadata:         {media: runtime.ContentTypeJSON, as: metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")},
	replay.FormMetadataBeta:     {media: runtime.ContentTypeJSON, as: metav1beta1.SchemeGroupVersion.WithKind("PartialObjectMetadata")},
	replay.FormMetadataProtobuf: {media: runtime.ContentTypeProtobuf, as: metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")},
}

// IsForm reports whether a form has this name.
func IsForm(name string) bool { return formsByName[name].media != "" }

// accept is the Accept header of a request for one object, or for a list.
func (f form) accept(list bool) string {
	if f.as.Empty() {
		return f.media
	}
	return fmt.Sprintf("%s;as=%s;g=%s;v=%s", f.media, f.kind(list), metav1.GroupName, f.as.Version)
}

func (f form) kind(list bool) string {
	if list && f.as.Kind == "PartialObjectMetadata" {
		return "PartialObjectMetadataList"
	}
	return f.as.Kind
}

// Forms reads the objects of a server in other forms than JSON. It is safe for concurrent use.
type Forms struct {
	config *rest.Config
	http   *http.Client
	mu     sync.Mutex
	by     map[string]rest.Interface // by form and group version
}

// NewForms returns the Forms of a server that a configuration leads to, by an HTTP client that was made of it.
func NewForms(config *rest.Config, h *http.Client) *Forms {
	return &Forms{config: config, http: h, by: map[string]rest.Interface{}}
}

// formScheme has all kinds that answers have.
var formScheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(s))
	utilruntime.Must(metav1.AddMetaToScheme(s))
	utilruntime.Must(metav1beta1.AddMetaToScheme(s))
	for _, r := range Things.Versions { // CBOR has no serializer of its own for kinds without a Go type
		s.AddKnownTypeWithName(r.GroupVersion.WithKind(r.Kind), r.Fresh())
		s.AddKnownTypeWithName(r.GroupVersion.WithKind(r.Kind+"List"), r.List())
	}
	return s
}()

// asSent decodes objects, and leaves kind and apiVersion in them.
type asSent struct{ serializer.CodecFactory }

func (asSent) EncoderForVersion(e runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return e
}
func (asSent) DecoderToVersion(d runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder { return d }

func (f *Forms) client(name string, gv schema.GroupVersion) (rest.Interface, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := name + " " + gv.String()
	if c := f.by[key]; c != nil {
		return c, nil
	}
	own := rest.CopyConfig(f.config)
	own.GroupVersion, own.APIPath, own.QPS = &gv, "/apis", -1
	if gv.Group == "" {
		own.APIPath = "/api"
	}
	own.ContentType = runtime.ContentTypeJSON
	own.NegotiatedSerializer = asSent{serializer.NewCodecFactory(formScheme, serializer.WithSerializer(cbor.NewSerializerInfo))}
	c, err := rest.RESTClientForConfigAndClient(own, &http.Client{Transport: formTransport{f.http.Transport, formsByName[name].media}})
	if err == nil {
		f.by[key] = c
	}
	return c, err
}

// formTransport refuses an answer that is of another media type than was asked for.
type formTransport struct {
	next  http.RoundTripper
	media string
}

func (t formTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		return resp, err
	}
	got, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case got == t.media:
		return resp, nil
	case t.media == runtime.ContentTypeCBOR && got == runtime.ContentTypeCBORSequence: // of a watch; client-go knows it by a feature gate only
		resp.Header.Set("Content-Type", t.media)
		return resp, nil
	}
	resp.Body.Close()
	return nil, wrongForm("%s was asked for, and %q came", t.media, resp.Header.Get("Content-Type"))
}

// wrongForm is the error of an answer that has not the form that was asked for.
func wrongForm(format string, args ...any) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Reason: replay.WrongForm, Message: fmt.Sprintf(format, args...)}}
}

// Client returns a client of a resource in a namespace, or in all (""), that reads in a form, one of replay.Forms; what it writes
// goes by c.
func (f *Forms) Client(c watchcache.Client, r Resource, namespace, name string) watchcache.Client {
	return &formed{c, f, r, namespace, name, formsByName[name]}
}

type formed struct {
	watchcache.Client
	forms     *Forms
	resource  Resource
	namespace string
	name      string
	form
}

// request makes one for an object, or for a list or a watch of all.
func (c *formed) request(object string, options runtime.Object) (*rest.Request, error) {
	by, err := c.forms.client(c.name, c.resource.GroupVersion)
	if err != nil {
		return nil, err
	}
	r := by.Get().MaxRetries(0).NamespaceIfScoped(c.namespace, c.namespace != "").Resource(c.resource.Name)
	if object != "" {
		r = r.Name(object)
	}
	if c.include != "" {
		r = r.Param("includeObject", string(c.include))
	}
	return r.SpecificallyVersionedParams(options, scheme.ParameterCodec, corev1.SchemeGroupVersion), nil
}

// ask makes a request and returns the object that came.
func (c *formed) ask(ctx context.Context, object string, list bool, options runtime.Object) (runtime.Object, error) {
	r, err := c.request(object, options)
	if err != nil {
		return nil, err
	}
	o, err := r.SetHeader("Accept", c.accept(list)).Do(ctx).Get()
	if err != nil {
		return nil, err
	}
	return o, c.check(o, list)
}

// check refuses an object of another kind than was asked for.
func (c *formed) check(o runtime.Object, list bool) error {
	want := c.as
	if want.Empty() {
		want = c.resource.GroupVersion.WithKind(c.resource.Kind)
		if list {
			want.Kind += "List"
		}
	} else {
		want.Kind = c.kind(list)
	}
	if got := o.GetObjectKind().GroupVersionKind(); got != want {
		return wrongForm("%s was asked for, and %s came", want, got)
	}
	return nil
}

// Get implements watchcache.Client.
func (c *formed) Get(ctx context.Context, name string, o metav1.GetOptions) (*corev1.ConfigMap, error) {
	got, err := c.ask(ctx, name, false, &o)
	if err != nil {
		return nil, err
	}
	return c.one(got, &columns{})
}

// one shows an object, which may be the only row of a Table.
func (c *formed) one(o runtime.Object, seen *columns) (*corev1.ConfigMap, error) {
	t, ok := o.(*metav1.Table)
	if !ok {
		return c.show(o)
	}
	all, err := c.rows(t, seen)
	if err == nil && len(all) != 1 {
		err = wrongForm("a Table with %d rows came for one object", len(all))
	}
	if err != nil {
		return nil, err
	}
	return &all[0], nil
}

// List implements watchcache.Client.
func (c *formed) List(ctx context.Context, o metav1.ListOptions) (*corev1.ConfigMapList, error) {
	got, err := c.ask(ctx, "", true, &o)
	if err != nil {
		return nil, err
	}
	out := &corev1.ConfigMapList{}
	switch l := got.(type) {
	case *metav1.Table:
		out.ListMeta = l.ListMeta
		out.Items, err = c.rows(l, &columns{})
	case *metav1.PartialObjectMetadataList:
		out.ListMeta = l.ListMeta
		err = c.partials(out, l.Items)
	case *metav1beta1.PartialObjectMetadataList:
		out.ListMeta = l.ListMeta
		err = c.partials(out, l.Items)
	default:
		out = c.resource.ShowList(got)
	}
	return out, err
}

func (c *formed) partials(out *corev1.ConfigMapList, items []metav1.PartialObjectMetadata) error {
	for i := range items {
		m, err := c.metadata(items[i].ObjectMeta)
		if err != nil {
			return err
		}
		out.Items = append(out.Items, *m)
	}
	return nil
}

// Watch implements watchcache.Client.
func (c *formed) Watch(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	o.Watch = true
	r, err := c.request("", &o)
	if err != nil {
		return nil, err
	}
	w, err := r.SetHeader("Accept", c.accept(false)).Watch(ctx)
	if err != nil {
		return nil, err
	}
	seen := &columns{}
	return Watch(w, func(o runtime.Object) runtime.Object {
		if _, ok := o.(*metav1.Status); ok {
			return o
		}
		err := c.check(o, false)
		if err == nil {
			var m *corev1.ConfigMap
			if m, err = c.one(o, seen); err == nil {
				return m
			}
		}
		if s, ok := err.(apierrors.APIStatus); ok {
			status := s.Status()
			return &status
		}
		return &metav1.Status{Reason: replay.WrongForm, Message: err.Error()}
	}), nil
}

// show shows an object, or its metadata.
func (c *formed) show(o runtime.Object) (*corev1.ConfigMap, error) {
	if p, ok := o.(*metav1.PartialObjectMetadata); ok {
		return c.metadata(p.ObjectMeta)
	}
	m, ok := c.resource.Show(o).(*corev1.ConfigMap)
	if !ok {
		return nil, wrongForm("a %T came", o)
	}
	return m, nil
}

// metadata shows an object of which only the metadata is known.
func (c *formed) metadata(meta metav1.ObjectMeta) (*corev1.ConfigMap, error) {
	b, err := json.Marshal(map[string]any{"apiVersion": c.resource.GroupVersion.String(), "kind": c.resource.Kind, "metadata": meta})
	o := c.resource.Fresh()
	if err == nil {
		err = json.Unmarshal(b, o)
	}
	if err != nil {
		return nil, err
	}
	m, err := c.show(o)
	if err == nil {
		m.Data, m.TypeMeta = nil, metav1.TypeMeta{}
	}
	return m, err
}

// columns are those of a Table. On a watch only its first event has them.
type columns struct {
	all []metav1.TableColumnDefinition
}

// rows shows the objects of a Table's rows.
func (c *formed) rows(t *metav1.Table, seen *columns) ([]corev1.ConfigMap, error) {
	if len(t.ColumnDefinitions) > 0 {
		seen.all = t.ColumnDefinitions
	}
	out := make([]corev1.ConfigMap, 0, len(t.Rows))
	for i := range t.Rows {
		m, err := c.rowObject(t.Rows[i].Object.Raw)
		if err == nil {
			err = seen.fit(&t.Rows[i], m.Name)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, *m)
	}
	return out, nil
}

// rowObject shows the object of a row.
func (c *formed) rowObject(raw []byte) (*corev1.ConfigMap, error) {
	var o metav1.PartialObjectMetadata
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, wrongForm("the object of a row cannot be read: %v", err)
	}
	got, want := o.GroupVersionKind(), metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")
	if c.include == metav1.IncludeObject {
		want = c.resource.GroupVersion.WithKind(c.resource.Kind)
	} else {
		want.Version = got.Version
	}
	if got != want {
		return nil, wrongForm("the object of a row is a %s", got)
	}
	if c.include != metav1.IncludeObject {
		return c.metadata(o.ObjectMeta)
	}
	whole := c.resource.Fresh()
	if err := json.Unmarshal(raw, whole); err != nil {
		return nil, wrongForm("the object of a row cannot be read: %v", err)
	}
	return c.show(whole)
}

// fit refuses a row without a cell for each column, or with another name than its object. A bookmark has no name.
func (s *columns) fit(row *metav1.TableRow, name string) error {
	if len(row.Cells) != len(s.all) {
		return wrongForm("a row has %d cells, and the Table %d columns", len(row.Cells), len(s.all))
	}
	i := slices.IndexFunc(s.all, func(d metav1.TableColumnDefinition) bool { return d.Format == "name" })
	if i >= 0 && !reflect.DeepEqual(row.Cells[i], any(name)) {
		return wrongForm("the row of %q has the name %v", name, row.Cells[i])
	}
	return nil
}
