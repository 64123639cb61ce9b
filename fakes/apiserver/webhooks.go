package apiserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	admissionv1 "k8s.io/api/admission/v1"
	hooksv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/yaml"
)

// WebhookCaller posts a review, as JSON, to a webhook and returns what it answers. It is called concurrently, and never under a
// lock. Package rest has one for HTTP.
type WebhookCaller func(ctx context.Context, to hooksv1.WebhookClientConfig, review []byte) ([]byte, error)

// exchange sends a review and reads the answer.
func exchange(ctx context.Context, call WebhookCaller, to hooksv1.WebhookClientConfig, review, answer any) error {
	b, err := json.Marshal(review)
	if err != nil {
		return err
	}
	if b, err = call(ctx, to, b); err != nil {
		return err
	}
	if err = json.Unmarshal(b, answer); err == nil {
		return nil
	}
	if doc, plain := yaml.YAMLToJSON(b); plain == nil { // a kube-apiserver tries that
		b = doc
	}
	if _, unknown := jsonserializer.DefaultMetaFactory.Interpret(b); unknown != nil {
		return unknown
	}
	return err
}

// The kinds that say which webhooks there are. Webhooks are not asked about them.
var (
	mutatingHooks   = hooksv1.SchemeGroupVersion.WithResource("mutatingwebhookconfigurations")
	validatingHooks = hooksv1.SchemeGroupVersion.WithResource("validatingwebhookconfigurations")

	validatingPolicies = hooksv1.SchemeGroupVersion.WithResource("validatingadmissionpolicies")
	policyBindings     = hooksv1.SchemeGroupVersion.WithResource("validatingadmissionpolicybindings")
	mutatingPolicies   = hooksv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicies")
	mutatingBindings   = hooksv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicybindings")
)

// hook is a webhook of either type.
type hook struct {
	hooksv1.MutatingWebhook // a validating one has no more than that
	mutates                 bool
}

// hooks returns the webhooks of a type in the order of their configurations' names.
func (c *core) hooks(mutating bool) (all []hook) {
	resource := validatingHooks
	if mutating {
		resource = mutatingHooks
	}
	k := c.served.Load().kinds[resource]
	if c.o.Webhooks == nil || k == nil {
		return nil
	}
	c.mu.RLock()
	state := k.Now()
	c.mu.RUnlock()
	for rec := range state.Within("", "") {
		all = append(all, hooksOf(rec.obj)...)
	}
	return all
}

// hooksOf are the webhooks of a configuration.
func hooksOf(configuration runtime.Object) (all []hook) {
	switch o := configuration.(type) {
	case *hooksv1.MutatingWebhookConfiguration:
		for _, w := range o.Webhooks {
			all = append(all, hook{w, true})
		}
	case *hooksv1.ValidatingWebhookConfiguration:
		for _, w := range o.Webhooks {
			all = append(all, hook{MutatingWebhook: hooksv1.MutatingWebhook{
				Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy, SideEffects: w.SideEffects, NamespaceSelector: w.NamespaceSelector,
				ObjectSelector: w.ObjectSelector, TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions,
			}})
		}
	}
	return all
}

// warnConditions tells that the conditions of webhooks mean nothing here.
func warnConditions(configuration runtime.Object) (all []string) {
	for _, w := range hooksOf(configuration) {
		if len(w.MatchConditions) > 0 {
			all = append(all, fmt.Sprintf("webhook %q: this server does not evaluate CEL: matchConditions are taken to be true", w.Name))
		}
	}
	return all
}

// asking is a request that webhooks are asked about; nil: they are not.
type asking struct {
	view            *View
	kind            *kind
	req             Request
	name, namespace string
	op              hooksv1.OperationType
	old             runtime.Object // nil: none
	dryRun          bool
	options         options
}

// options are those of a write that webhooks see.
type options struct {
	metav1.TypeMeta `json:",inline"`
	DryRun          []string `json:"dryRun,omitempty"`
	FieldManager    string   `json:"fieldManager,omitempty"`
	FieldValidation string   `json:"fieldValidation,omitempty"`
}

// asks returns what webhooks are asked about a request; nil: nothing, there are none.
func (v *View) asks(ctx context.Context, k *kind, req Request, op hooksv1.OperationType, name string, old runtime.Object, o options) *asking {
	if k.res.Group == hooksv1.GroupName || len(v.hooks(true))+len(v.hooks(false))+len(v.policies(ctx))+len(v.mutatingPolicies(ctx)) == 0 {
		return nil
	}
	said := strings.ToUpper(string(op[:1])) + strings.ToLower(string(op[1:])) + "Options"
	if agent, _, _ := strings.Cut(CallerOf(ctx).UserAgent, "/"); o.FieldManager == agent { // the client has not said it
		o.FieldManager = ""
	}
	o.TypeMeta = metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: said}
	a := &asking{v, k, req, name, req.Namespace, op, old, len(o.DryRun) > 0, o}
	if k.res.GroupVersionResource == namespaces {
		a.namespace = name
	}
	return a
}

// plugins lets the built-in plugins change a new object.
func (a *asking) plugins(object runtime.Object) error {
	if a.op != hooksv1.Create || a.req.Subresource != "" {
		return nil
	}
	a.view.mu.Lock()
	defer a.view.mu.Unlock()
	return a.view.mutate(a.kind, object)
}

// mutate asks the mutating webhooks, one after the other, and those again that want it when a later one, or a built-in plugin, has changed
// the object. It returns the object as they leave it. object is nil for a delete.
func (a *asking) mutate(ctx context.Context, object runtime.Object) (runtime.Object, error) {
	if a == nil {
		return object, nil
	}
	if err := a.plugins(object); err != nil {
		return nil, err
	}
	object, err := a.changed(ctx, object)
	if err != nil {
		return nil, err
	}
	all := a.view.hooks(true)
	invoked, again, changed := map[int]bool{}, map[int]bool{}, false // by index: may be asked again; must be
	for round := range 2 {
		if round == 1 && changed {
			before := object.DeepCopyObject()
			if err := a.plugins(object); err != nil {
				return nil, err
			}
			if !equality.Semantic.DeepEqual(before, object) {
				maps.Copy(again, invoked)
			}
		}
		for i, w := range all {
			as := a.matches(w, object)
			if as == nil || round == 1 && !again[i] {
				continue
			}
			if ok, err := a.meets(ctx, w, as, object); err != nil {
				return nil, err
			} else if !ok {
				continue
			}
			next, err := a.call(ctx, w, as, object)
			if err != nil {
				return nil, err
			}
			if object != nil && !equality.Semantic.DeepEqual(next, object) {
				changed = true
				maps.Copy(again, invoked)
				clear(invoked)
			}
			if object = next; w.ReinvocationPolicy != nil && *w.ReinvocationPolicy == hooksv1.IfNeededReinvocationPolicy {
				invoked[i] = true
			}
		}
	}
	return object, nil
}

// validate asks the validating webhooks, all at once, about what is to be stored; nil for a delete.
func (a *asking) validate(ctx context.Context, object runtime.Object) error {
	if a == nil {
		return nil
	}
	if m, ok := object.(metav1.Object); ok && a.name == "" { // it has been generated by now
		a.name = m.GetName()
	}
	if err := a.obey(ctx, object); err != nil {
		return err
	}
	var wg sync.WaitGroup
	all := a.view.hooks(false)
	errs, notes, kinds := make([]error, len(all)), make([]Notes, len(all)), make([]*kind, len(all))
	for i, w := range all {
		as := a.matches(w, object)
		if as == nil {
			continue
		}
		if ok, err := a.meets(ctx, w, as, object); err != nil {
			return err
		} else if ok {
			kinds[i] = as
		}
	}
	for i, w := range all {
		if as := kinds[i]; as != nil {
			wg.Go(func() { _, errs[i] = a.call(WithNotes(ctx, &notes[i]), w, as, object) })
		}
	}
	wg.Wait()
	for i := range all {
		notesOf(ctx).Warnings = append(notesOf(ctx).Warnings, notes[i].Warnings...)
	}
	return cmp.Or(append(errs, nil)...)
}

// matches returns the kind in whose version a webhook wants to see the object; nil: it does not want to.
func (a *asking) matches(w hook, object runtime.Object) *kind {
	if !a.selected(w, object) {
		return nil
	}
	if a.ruled(w, a.kind) {
		return a.kind
	}
	if w.MatchPolicy != nil && *w.MatchPolicy == hooksv1.Exact || !a.kind.res.Custom {
		return nil
	}
	defined := a.view.served.Load()
	for _, r := range defined.Resources {
		if k := defined.kinds[r.GroupVersionResource]; k.history == a.kind.history && a.ruled(w, k) {
			return k
		}
	}
	return nil
}

// ruled reports whether the rules of a webhook name the request, where its resource is that of a kind.
func (a *asking) ruled(w hook, k *kind) bool {
	has := func(all []string, one string) bool { return slices.Contains(all, "*") || slices.Contains(all, one) }
	return slices.ContainsFunc(w.Rules, func(r hooksv1.RuleWithOperations) bool {
		if !slices.Contains(r.Operations, hooksv1.OperationAll) && !slices.Contains(r.Operations, a.op) || !has(r.APIGroups, k.res.Group) || !has(r.APIVersions, k.res.Version) {
			return false
		}
		if s := r.Scope; s != nil && *s != hooksv1.AllScopes && (*s == hooksv1.NamespacedScope) != k.res.Namespaced {
			return false
		}
		return slices.ContainsFunc(r.Resources, func(name string) bool {
			name, sub, _ := strings.Cut(name, "/")
			return (name == "*" || name == k.res.Resource) && (sub == "*" || sub == a.req.Subresource)
		})
	})
}

// selected reports whether the selectors of a webhook choose the object, or the old one, and its namespace.
func (a *asking) selected(w hook, object runtime.Object) bool {
	chooses := func(s *metav1.LabelSelector, of ...runtime.Object) bool {
		sel, err := metav1.LabelSelectorAsSelector(s)
		if err != nil || s == nil || sel.Empty() {
			return err == nil
		}
		return slices.ContainsFunc(of, func(o runtime.Object) bool {
			m, ok := o.(metav1.Object)
			return ok && sel.Matches(labels.Set(m.GetLabels()))
		})
	}
	if !chooses(w.ObjectSelector, object, a.old) {
		return false
	}
	switch {
	case a.kind.res.GroupVersionResource == namespaces:
		return chooses(w.NamespaceSelector, cmp.Or(object, a.old))
	case !a.kind.res.Namespaced:
		return true
	}
	return chooses(w.NamespaceSelector, a.namespaceOf())
}

// namespaceOf is the namespace of the request; nil: there is none.
func (a *asking) namespaceOf() runtime.Object {
	k := a.view.served.Load().kinds[namespaces]
	if k == nil {
		return nil
	}
	a.view.mu.RLock()
	defer a.view.mu.RUnlock()
	if rec := k.Now().Get(a.namespace); rec != nil {
		return rec.obj
	}
	return nil
}

// call asks one webhook about the object in the version of a kind. It returns the object as it leaves it, and an error as a client sees
// it. Whoever cannot be asked is left out if the webhook's failurePolicy says so.
func (a *asking) call(ctx context.Context, w hook, as *kind, object runtime.Object) (runtime.Object, error) {
	shown, err := a.inVersion(ctx, as, object)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	r, err := a.ask(ctx, w, as, shown)
	switch {
	case err != nil && w.FailurePolicy != nil && *w.FailurePolicy == hooksv1.Ignore && ctx.Err() == nil:
		return object, nil
	case err != nil:
		return nil, apierrors.NewInternalError(fmt.Errorf("failed calling webhook %q: %w", w.Name, err))
	}
	notes := notesOf(ctx)
	notes.Warnings = append(notes.Warnings, r.Warnings...)
	if !r.Allowed {
		return nil, denied(w.Name, r.Result)
	}
	if len(r.Patch) == 0 {
		return object, nil
	}
	if object == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", w.Name))
	}
	out, err := a.patched(as, shown, r.Patch)
	if err == nil {
		out, err = a.inVersion(ctx, a.kind, out)
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return out, nil
}

// inVersion is an object of the request in the version of a kind; nil is nil.
func (a *asking) inVersion(ctx context.Context, as *kind, object runtime.Object) (runtime.Object, error) {
	if object == nil || a.req.Subresource == scale {
		return object, nil
	}
	return as.as(ctx, object)
}

// ask makes the call. The words of errors are a kube-apiserver's (k8s.io/apiserver/pkg/admission/plugin/webhook).
func (a *asking) ask(ctx context.Context, w hook, as *kind, object runtime.Object) (*admissionv1.AdmissionResponse, error) {
	if !slices.Contains(w.AdmissionReviewVersions, "v1") {
		return nil, errors.New("could not create admission objects: webhook does not accept known AdmissionReview versions (v1)")
	}
	req, err := a.request(ctx, as, object)
	if err != nil {
		return nil, err
	}
	review := &admissionv1.AdmissionReview{TypeMeta: metav1.TypeMeta{APIVersion: admissionv1.SchemeGroupVersion.String(), Kind: "AdmissionReview"}, Request: req}
	req.UID = uuid.NewUUID()
	if w.TimeoutSeconds != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*w.TimeoutSeconds)*time.Second)
		defer cancel()
	}
	answer := &admissionv1.AdmissionReview{}
	if err := exchange(ctx, a.view.o.Webhooks, w.ClientConfig, review, answer); err != nil {
		return nil, fmt.Errorf("failed to call webhook: %w", err)
	}
	if err := valid(w, review, answer); err != nil {
		return nil, fmt.Errorf("received invalid webhook response: %w", err)
	}
	if _, err := jsonpatch.DecodePatch(answer.Response.Patch); err != nil && len(answer.Response.Patch) > 0 {
		return nil, fmt.Errorf("received undecodable patch in webhook response: %w", err)
	}
	return answer.Response, nil
}

// kindOf is the kind of what a request to the resource, or to a subresource of it, sends.
func (k *kind) kindOf(sub string) schema.GroupVersionKind {
	if s, ok := k.res.Subresource(sub); ok {
		return s.Kind
	}
	return k.res.GroupVersion().WithKind(k.res.Kind)
}

// sent is an object as a review has it.
func sent(object runtime.Object, gvk schema.GroupVersionKind) runtime.RawExtension {
	if object == nil {
		return runtime.RawExtension{}
	}
	object = object.DeepCopyObject()
	object.GetObjectKind().SetGroupVersionKind(gvk)
	return runtime.RawExtension{Object: object}
}

// valid says what is wrong with an answer.
func valid(w hook, review, answer *admissionv1.AdmissionReview) error {
	r := answer.Response
	switch {
	case r == nil:
		return errors.New("webhook response was absent")
	case r.UID != review.Request.UID:
		return fmt.Errorf("expected response.uid=%q, got %q", review.Request.UID, r.UID)
	case answer.TypeMeta != review.TypeMeta:
		return fmt.Errorf("expected webhook response of %v, got %v", review.GroupVersionKind(), answer.GroupVersionKind())
	case !w.mutates && len(r.Patch) > 0:
		return errors.New("validating webhook may not return response.patch")
	case !w.mutates && r.PatchType != nil:
		return errors.New("validating webhook may not return response.patchType")
	case len(r.Patch) > 0 && r.PatchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case len(r.Patch) == 0 && r.PatchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case r.PatchType != nil && *r.PatchType != admissionv1.PatchTypeJSONPatch:
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *r.PatchType)
	}
	return nil
}

// denied is the refusal of a webhook.
func denied(name string, result *metav1.Status) error {
	s := metav1.Status{}
	if result != nil {
		s = *result
	}
	if s.Code = max(s.Code, http.StatusBadRequest); s.Status == "" || s.Status == metav1.StatusSuccess {
		s.Status = metav1.StatusFailure
	}
	by, why := fmt.Sprintf("admission webhook %q denied the request", name), cmp.Or(s.Message, string(s.Reason))
	if s.Message = by + ": " + why; why == "" {
		s.Message = by + " without explanation"
	}
	return &apierrors.StatusError{ErrStatus: s}
}

// patched is an object with what a webhook changes of it, and with defaults.
func (a *asking) patched(as *kind, object runtime.Object, patch []byte) (runtime.Object, error) {
	p, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, err
	}
	row := as.res.like(a.req.Subresource)
	if s, ok := as.res.Subresource(a.req.Subresource); ok && !row.Custom {
		row = &Resource{GroupVersionResource: row.GroupVersionResource, Kind: s.Kind.Kind, New: s.New, defaults: row.defaults}
	}
	doc, err := json.Marshal(sent(object, row.GroupVersion().WithKind(row.Kind)))
	if err != nil {
		return nil, err
	}
	if doc, err = p.Apply(doc); err != nil {
		return nil, err
	}
	out, _, err := row.decodeStrict(doc)
	if err == nil && row.defaults != nil {
		row.defaults(out)
	}
	return out, err
}

type userKey struct{}

// WithUser is a context whose requests are that user's, for webhooks to see.
func WithUser(ctx context.Context, u authenticationv1.UserInfo) context.Context {
	return context.WithValue(ctx, userKey{}, u)
}

func userOf(ctx context.Context) authenticationv1.UserInfo {
	u, _ := ctx.Value(userKey{}).(authenticationv1.UserInfo)
	return u
}
