package apiserver

import (
	"cmp"
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// APIServices is the kind that says which API server serves a version of a group.
var APIServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// APIService has the fields of an APIService that this server reads. Objects are *unstructured.Unstructured, because their Go type is in
// k8s.io/kube-aggregator, which is no dependency of this module.
type APIService struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              APIServiceSpec   `json:"spec"`
	Status            APIServiceStatus `json:"status"`
}

// APIServiceSpec says who serves a version of a group. Its name and its fields' are those of kube-aggregator, for messages.
type APIServiceSpec struct {
	Service               *ServiceReference `json:"service"` // nil: this server itself
	Group                 string            `json:"group"`
	Version               string            `json:"version"`
	InsecureSkipTLSVerify bool              `json:"insecureSkipTLSVerify"`
	CABundle              []byte            `json:"caBundle"`
	GroupPriorityMinimum  int32             `json:"groupPriorityMinimum"`
	VersionPriority       int32             `json:"versionPriority"`
}

// APIServiceStatus says whether it answers.
type APIServiceStatus struct {
	Conditions []APIServiceCondition `json:"conditions"`
}

// ServiceReference names a Service.
type ServiceReference struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Port      int32  `json:"port"`
}

// APIServiceCondition is a condition of an APIService.
type APIServiceCondition struct {
	Type               string                 `json:"type"`
	Status             metav1.ConditionStatus `json:"status"`
	LastTransitionTime metav1.Time            `json:"lastTransitionTime"`
	Reason             string                 `json:"reason"`
	Message            string                 `json:"message"`
}

// Available returns the condition Available of an APIService; Unknown where it has none.
func (s *APIService) Available() APIServiceCondition {
	for _, c := range s.Status.Conditions {
		if c.Type == "Available" {
			return c
		}
	}
	return APIServiceCondition{Type: "Available", Status: metav1.ConditionUnknown}
}

// ReadAPIServiceJSON completes the JSON of an APIService with its kind, where a client leaves that out as it may for built-in kinds. The
// error says which field has the wrong type.
func ReadAPIServiceJSON(doc []byte) ([]byte, error) {
	var content map[string]any
	if err := json.Unmarshal(doc, &content); err != nil {
		return doc, nil // whoever decodes it says why not
	}
	if err := json.Unmarshal(doc, &APIService{}); err != nil {
		return nil, err
	}
	if content["kind"] != nil && content["apiVersion"] != nil {
		return doc, nil
	}
	content["kind"], content["apiVersion"] = cmp.Or(content["kind"], any("APIService")), cmp.Or(content["apiVersion"], any(APIServices.GroupVersion().String()))
	return json.Marshal(content)
}

// LocalAPIService is the condition of an APIService that names no service.
var LocalAPIService = map[string]any{"type": "Available", "status": "True", "reason": "Local", "message": "Local APIServices are always available"}

// ReadAPIService reads an APIService. The error says which field has the wrong type.
func ReadAPIService(obj runtime.Object) (*APIService, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("%T is no APIService", obj)
	}
	s := &APIService{}
	return s, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, s)
}

// apiServiceDefinition is what would define APIServices if they were custom resources.
func apiServiceDefinition() *crd {
	type props = apiextensionsv1.JSONSchemaProps
	object := func(of map[string]props) props { return props{Type: "object", Properties: of} }
	text, yes, number := props{Type: "string"}, props{Type: "boolean"}, props{Type: "integer", Format: "int32"}
	port := number
	port.Default = &apiextensionsv1.JSON{Raw: []byte("443")}
	list, key := "map", []string{"type"}
	condition := object(map[string]props{"type": text, "status": text, "lastTransitionTime": text, "reason": text, "message": text})
	condition.Required = key
	all := object(map[string]props{
		"spec": object(map[string]props{
			"service": object(map[string]props{"namespace": text, "name": text, "port": port}),
			"group":   text, "version": text, "insecureSkipTLSVerify": yes, "caBundle": {Type: "string", Format: "byte"},
			"groupPriorityMinimum": number, "versionPriority": number,
		}),
		"status": object(map[string]props{"conditions": {
			Type: "array", XListType: &list, XListMapKeys: key, Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &condition},
		}}),
	})
	d := &crd{}
	d.Spec.Group, d.Spec.Scope = APIServices.Group, apiextensionsv1.ClusterScoped
	d.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: APIServices.Version, Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &all},
		Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
	}}
	d.Status.AcceptedNames = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: APIServices.Resource, Singular: "apiservice", Kind: "APIService", ListKind: "APIServiceList", Categories: []string{"api-extensions"},
	}
	return d
}

// apiServiceResources is the row of APIServices: that of a custom resource, with what kube-apiserver checks.
func apiServiceResources() []Resource {
	rows, err := customRows(apiServiceDefinition())
	if err != nil {
		panic(err) // the schema is fixed
	}
	r, bySchema := *rows[0], rows[0].check
	r.Spec, r.prepare = nil, prepareAPIService // kube-apiserver counts no generations
	r.check = func(in, old runtime.Object) field.ErrorList {
		if errs := bySchema(in, old); len(errs) > 0 {
			return errs
		}
		return checkAPIService(in)
	}
	statusBySchema := r.checkPart[status]
	r.checkPart = map[string]func(in, old runtime.Object) field.ErrorList{status: func(in, old runtime.Object) field.ErrorList {
		return append(statusBySchema(in, old), checkAPIServiceStatus(in)...)
	}}
	return []Resource{r}
}

// prepareAPIService makes an APIService without a service available, and drops empty fields as encoding/json does for a Go type.
func prepareAPIService(in, old runtime.Object) {
	u := in.(*unstructured.Unstructured)
	spec, _ := u.Object["spec"].(map[string]any)
	if skip, ok := spec["insecureSkipTLSVerify"].(bool); ok && !skip {
		delete(spec, "insecureSkipTLSVerify")
	}
	if old != nil {
		return
	}
	state := map[string]any{}
	if spec["service"] == nil {
		local := runtime.DeepCopyJSON(LocalAPIService)
		local["lastTransitionTime"] = u.GetCreationTimestamp().UTC().Format("2006-01-02T15:04:05Z")
		state["conditions"] = []any{local}
	}
	u.Object[status] = state
}

// apiServiceName requires the name of an APIService to be that of its version and group.
func apiServiceName(u *unstructured.Unstructured) func(name string, prefix bool) []string {
	return func(name string, prefix bool) []string {
		if wrong := pathSegment(name, false); len(wrong) > 0 {
			return wrong
		}
		version, _, _ := unstructured.NestedString(u.Object, "spec", "version")
		group, _, _ := unstructured.NestedString(u.Object, "spec", "group")
		if want := version + "." + group; name != want {
			return []string{fmt.Sprintf("must be `spec.version+\".\"+spec.group`: %q", want)}
		}
		return nil
	}
}

// checkAPIService follows k8s.io/kube-aggregator v0.37.1, pkg/apis/apiregistration/validation.
func checkAPIService(in runtime.Object) (errs field.ErrorList) {
	s, err := ReadAPIService(in)
	path := field.NewPath("spec")
	if err != nil {
		return field.ErrorList{field.Invalid(path, nil, err.Error())}
	}
	spec := &s.Spec
	switch {
	case spec.Group != "":
		errs = wrongs(path.Child("group"), spec.Group, utilvalidation.IsDNS1123Subdomain(spec.Group))
	case spec.Version != "v1":
		errs = append(errs, field.Required(path.Child("group"), "only v1 may have an empty group and it better be legacy kube"))
	}
	errs = append(errs, wrongs(path.Child("version"), spec.Version, utilvalidation.IsDNS1035Label(spec.Version))...)
	if p := spec.GroupPriorityMinimum; p <= 0 || p > 20000 {
		errs = append(errs, field.Invalid(path.Child("groupPriorityMinimum"), p, "must be positive and less than 20000"))
	}
	if p := spec.VersionPriority; p <= 0 || p > 1000 {
		errs = append(errs, field.Invalid(path.Child("versionPriority"), p, "must be positive and less than 1000"))
	}
	return append(errs, checkAPIServiceTarget(s, path)...)
}

// checkAPIServiceTarget checks the service that serves the version, and how its certificate is verified.
func checkAPIServiceTarget(s *APIService, path *field.Path) (errs field.ErrorList) {
	spec, skip, service := &s.Spec, path.Child("insecureSkipTLSVerify"), path.Child("service")
	if spec.Service == nil {
		if n := len(spec.CABundle); n > 0 {
			errs = append(errs, field.Invalid(path.Child("caBundle"), fmt.Sprintf("%d bytes", n), "local APIServices may not have a caBundle"))
		}
		if spec.InsecureSkipTLSVerify {
			errs = append(errs, field.Invalid(skip, true, "local APIServices may not have insecureSkipTLSVerify"))
		}
		return errs
	}
	if spec.Service.Namespace == "" {
		errs = append(errs, field.Required(service.Child("namespace"), ""))
	}
	if spec.Service.Name == "" {
		errs = append(errs, field.Required(service.Child("name"), ""))
	}
	if wrong := utilvalidation.IsValidPortNum(int(spec.Service.Port)); wrong != nil {
		errs = append(errs, field.Invalid(service.Child("port"), spec.Service.Port, "port is not valid: "+strings.Join(wrong, ", ")))
	}
	if spec.InsecureSkipTLSVerify && len(spec.CABundle) > 0 {
		errs = append(errs, field.Invalid(skip, true, "may not be true if caBundle is present"))
	}
	return errs
}

func checkAPIServiceStatus(in runtime.Object) (errs field.ErrorList) {
	s, err := ReadAPIService(in)
	if err != nil {
		return nil // the schema says what is wrong
	}
	for i, c := range s.Status.Conditions {
		errs = append(errs, oneOf(field.NewPath("status", "conditions").Index(i).Child("status"), c.Status, metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown)...)
	}
	return errs
}
