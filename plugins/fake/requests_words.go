package fake

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/requestlog"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// kinds are the verbs of a log in the words of a history.
var kinds = map[string]string{
	"create": replay.Create, "update": replay.Update, "patch": replay.Patch, "delete": replay.Delete,
	"deletecollection": replay.DeleteCollection, "get": replay.Get, "list": replay.List, "watch": replay.Watch,
}

// args are the options of all verbs, as far as a history has them.
type args struct {
	metav1.ListOptions
	DryRun        []string              `json:"dryRun"`
	Preconditions *metav1.Preconditions `json:"preconditions"`

	GracePeriodSeconds *int64                      `json:"gracePeriodSeconds"`
	PropagationPolicy  *metav1.DeletionPropagation `json:"propagationPolicy"`
	OrphanDependents   *bool                       `json:"orphanDependents"`
}

// policy is what a delete asks for about dependents, by itself or by its kind; "": nothing. A namespace goes when
// all that is in it has gone, whatever is asked for.
func (t *translation) policy(o *args) metav1.DeletionPropagation {
	switch {
	case t.about.Resource == corev1.Resource("namespaces"):
		return metav1.DeletePropagationForeground
	case t.row != nil && t.row.Uncollected:
		return ""
	case o.PropagationPolicy != nil:
		return *o.PropagationPolicy
	case o.OrphanDependents != nil && !*o.OrphanDependents:
		return metav1.DeletePropagationBackground
	case o.OrphanDependents != nil, t.row != nil && t.row.Orphans:
		return metav1.DeletePropagationOrphan
	}
	return ""
}

// grace is how many seconds a deletion leaves what it deletes, where some are left: what it asks for, or what the kind
// has. Of one object that was answered the answer tells that.
func (t *translation) grace(a *ask) *int64 {
	asked := a.options.GracePeriodSeconds
	if t.row == nil || t.row.Grace == nil || asked != nil && *asked == 0 {
		return nil
	}
	var o metav1.PartialObjectMetadata
	if a.Verb == "delete" && a.done != nil && decode(a.done.Object, &o) == nil {
		if left := o.DeletionGracePeriodSeconds; left == nil || *left == 0 {
			return nil
		}
		return o.DeletionGracePeriodSeconds
	}
	if asked == nil {
		asked = new(int64(corev1.DefaultTerminationGracePeriodSeconds))
	}
	return asked
}

// call is what a request asked for.
func (t *translation) call(a *ask) error {
	options := a.Options
	if a.Verb == "deletecollection" {
		var which args
		if err := decode(a.Which, &which); err != nil {
			return err
		}
		a.options.ListOptions = which.ListOptions
	}
	if err := decode(options, &a.options); err != nil {
		return err
	}
	a.kind = t.kindOf(a)
	out := history.Event{Phase: history.Call, Kind: a.kind, X: &history.Ext{}}
	dry := len(a.options.DryRun) > 0
	switch a.Verb {
	case "get", "list", "watch", "deletecollection":
		asked := replay.Args{Namespace: a.Namespace, Name: a.Name, Options: t.words.Asked(a.options.ListOptions), DryRun: dry}
		if a.Verb == "deletecollection" {
			asked.PropagationPolicy, asked.GracePeriodSeconds = t.policy(&a.options), t.grace(a)
		}
		out.X.Args = raw(asked.Flat())
		if a.Verb == "get" {
			out.Obj.Key = key(a.Entry)
		}
		if p := a.options.Preconditions; p != nil {
			out.Obj.UID, out.Obj.RV = text(p.UID), text(p.ResourceVersion)
		}
	default:
		sent, err := t.sent(a)
		if err != nil {
			return err
		}
		out.Obj = sent
		args := replay.WriteArgs{DryRun: dry, Subresource: a.Subresource}
		if a.Verb == "delete" {
			args.PropagationPolicy, args.GracePeriodSeconds = t.policy(&a.options), t.grace(a)
		}
		if dry || a.Subresource != "" || args.PropagationPolicy != "" || args.GracePeriodSeconds != nil {
			out.X.Args = raw(args)
		}
	}
	if out.X.Args == nil {
		out.X = nil
	}
	t.take(a)
	out.Actor = a.actor
	a.num = t.add(a.Entry, out)
	return nil
}

// kindOf is the verb of a request in the words of a history. A patch that may take something away, which a
// history can tell of few, is what it came to: an update to what it made, or the create that an apply can
// be. So is an update of a status, which takes annotations away that it does not name.
func (t *translation) kindOf(a *ask) string {
	took := a.done != nil && (a.Verb == "patch" && takes(a.Entry) || a.Verb == "update" && a.Subresource != "")
	switch {
	case took && a.created:
		return replay.Create
	case took:
		return replay.Update
	case a.Verb == "update" && a.Subresource != "":
		return replay.Patch
	}
	return kinds[a.Verb]
}

// sent is the object that a write asks for. Where only the server knows that, because of defaults and patches,
// it is what the server made of it.
func (t *translation) sent(a *ask) (history.Ref, error) {
	ref := history.Ref{Key: key(a.Entry)}
	if a.Verb == "delete" {
		if p := a.options.Preconditions; p != nil {
			ref.UID, ref.RV = text(p.UID), text(p.ResourceVersion)
		}
		return ref, nil
	}
	asked, err := show(a.Object)
	if err != nil {
		return ref, err
	}
	if a.Verb == "patch" {
		asked = preconditions(a.Entry)
	}
	shown, doc := asked, a.Object
	if made := a.done; made != nil && (a.Verb == "patch" || a.Subresource != "" || !t.asSent()) {
		doc = made.Object
		if shown, err = show(doc); err != nil {
			return ref, err
		}
	}
	shown.Namespace = a.Namespace
	if a.Name != "" {
		shown.Name = a.Name
	}
	ref = t.words.Object(shown)
	if ref.Fields, err = t.fields(doc); err != nil {
		return ref, err
	}
	ref.Key, ref.UID, ref.RV = key(a.Entry), string(asked.UID), asked.ResourceVersion
	if a.Verb == "patch" && a.kind == replay.Create {
		ref.UID, ref.RV = "", ""
	}
	if a.Verb == "create" {
		ref.Key = t.words.Object(asked).Key
		if a.Namespace != "" && asked.Namespace == "" {
			ref.Key = a.Namespace + "/" + asked.Name
		}
	}
	return ref, nil
}

// asSent says that a server stores just what it is sent: kinds without defaults and without a status.
func (t *translation) asSent() bool {
	return t.nothing == nil || t.about.Resource.Resource == "configmaps" || t.about.Resource.Resource == "leases"
}

// rowOf is what our server knows of a resource; nil: it is a custom one.
func rowOf(of schema.GroupResource) *apiserver.Resource {
	for _, r := range apiserver.Resources() {
		if r.GroupResource() == of {
			return &r
		}
	}
	return nil
}

// printedEmpty is what Go prints of a kind where nothing is set, beside its metadata.
func printedEmpty(r *apiserver.Resource) (parts map[string]json.RawMessage, err error) {
	err = decode(raw(r.New()), &parts)
	delete(parts, "metadata")
	return parts, err
}

// stored is an object that the server showed.
func (t *translation) stored(obj json.RawMessage) (history.Ref, error) {
	m, err := show(obj)
	if err != nil {
		return history.Ref{}, err
	}
	ref := t.words.Stored(m)
	ref.Meta = t.beside(m, ref.Meta)
	ref.Fields, err = t.fields(obj)
	return ref, err
}

// beside adds to what a server decides of an object what clients can change, too, and what is no content:
// who manages its fields, and from what its name was made.
func (t *translation) beside(m *corev1.ConfigMap, of *history.Set) *history.Set {
	if m.GenerateName == "" && len(m.ManagedFields) == 0 {
		return of
	}
	all := maps.Clone(of.Map())
	if m.GenerateName != "" {
		all[replay.GeneratedFrom] = m.GenerateName
	}
	if len(m.ManagedFields) > 0 {
		h := fnv.New64a()
		h.Write(raw(m.ManagedFields))
		all[replay.ManagedFields] = fmt.Sprintf("%x", h.Sum64())
	}
	return t.words.Set(all)
}

// fields are an object's that can be selected, beside its name and namespace: all of them, so that the rules
// know which object has none.
func (t *translation) fields(obj json.RawMessage) (*history.Set, error) {
	if t.row == nil || len(t.row.Fields) == 0 || len(obj) == 0 {
		return nil, nil
	}
	o := t.row.New()
	if err := json.Unmarshal(obj, o); err != nil {
		return nil, err
	}
	all := map[string]string{}
	for name, of := range t.row.Fields {
		all[name] = of(o)
	}
	return t.words.Set(all), nil
}

// preconditions are what a patch says of metadata that must be so.
func preconditions(e *requestlog.Entry) *corev1.ConfigMap {
	out := &corev1.ConfigMap{}
	if json.Unmarshal([]byte(e.Patch), out) == nil {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: out.UID, ResourceVersion: out.ResourceVersion}}
	}
	var meta struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if json.Unmarshal([]byte(e.Patch), &meta) == nil {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: meta.Metadata.UID, ResourceVersion: meta.Metadata.ResourceVersion}}
	}
	var steps []struct {
		Path  string `json:"path"`
		Value any    `json:"value"`
	}
	_ = json.Unmarshal([]byte(e.Patch), &steps) // what nobody can read is refused
	out = &corev1.ConfigMap{}
	for _, s := range steps {
		if s.Path == "/metadata/resourceVersion" {
			out.ResourceVersion = fmt.Sprint(s.Value)
		}
	}
	return out
}

// returned is what the answer has.
func (t *translation) returned(a *ask, e *requestlog.Entry) (harness.Answer, error) {
	if e.Message != "" {
		return t.refused(e), nil
	}
	switch a.Verb {
	case "list":
		return t.listed(e)
	case "create", "update", "patch", "get":
		obj, err := t.stored(e.Object)
		return harness.Answer{Obj: obj}, err
	}
	return harness.Answer{}, nil
}

func (t *translation) listed(e *requestlog.Entry) (harness.Answer, error) {
	var l struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(e.Object, &l); err != nil {
		return harness.Answer{}, err
	}
	out := t.words.Listed(l.Metadata)
	out.Items = make([]history.Ref, 0, len(l.Items))
	for _, item := range l.Items {
		obj, err := t.stored(item)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, obj)
	}
	return out, nil
}

// refused is an error, with what its Status says beside where it is one.
func (t *translation) refused(e *requestlog.Entry) harness.Answer {
	var s metav1.Status
	if e.Code == 0 || decode(e.Object, &s) != nil || s.Code == 0 {
		return harness.Answer{Err: &history.Error{Code: int(e.Code), Reason: e.Reason, Msg: e.Message}}
	}
	return t.words.Refused(s)
}

// show makes of any object one that the suite reads: what is neither metadata nor status is its spec.
func show(obj json.RawMessage) (*corev1.ConfigMap, error) {
	m := &corev1.ConfigMap{}
	var parts map[string]json.RawMessage
	if err := decode(obj, &parts); err != nil {
		return m, err
	}
	if err := decode(parts["metadata"], &m.ObjectMeta); err != nil {
		return m, err
	}
	m.Data = map[string]string{}
	if status := string(parts["status"]); status != "" && status != "{}" {
		m.Data[watchcache.Status] = status
	}
	for _, f := range []string{"metadata", "status", "kind", "apiVersion"} {
		delete(parts, f)
	}
	if len(parts) > 0 {
		b, err := json.Marshal(parts) // in the order of the names
		m.Data[watchcache.Spec] = string(b)
		return m, err
	}
	return m, nil
}

// marks shows the object of a bookmark, without what Go prints of its kind where nothing is set, such as an
// empty spec: a real server's bookmarks have that, too.
func (t *translation) marks(obj json.RawMessage) (*corev1.ConfigMap, error) {
	var parts map[string]json.RawMessage
	if err := decode(obj, &parts); err != nil {
		return nil, err
	}
	for name := range t.nothing {
		var v any
		if decode(parts[name], &v) == nil && isHollow(v) {
			delete(parts, name)
		}
	}
	m, err := show(raw(parts))
	if err == nil {
		delete(m.Annotations, "deprecated.daemonset.template.generation") // each DaemonSet of apps/v1 has it
	}
	return m, err
}

// isHollow reports whether a value says nothing: it is zero, or all that it has is. A Deployment's bookmark has "replicas": 0.
func isHollow(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			if !isHollow(x) {
				return false
			}
		}
		return true
	case []any:
		return len(v) == 0
	}
	return v == nil || v == 0.0 || v == false || v == ""
}

func decode(b json.RawMessage, into any) error {
	if len(b) == 0 {
		return nil
	}
	return json.Unmarshal(b, into)
}

func key(e *requestlog.Entry) string {
	if e.Namespace == "" {
		return e.Name
	}
	return e.Namespace + "/" + e.Name
}

func text[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}
