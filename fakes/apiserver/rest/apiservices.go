package rest

import (
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// A kube-apiserver stores an APIService for each version of a group that it serves itself. Here these are computed for each request: gets
// and lists have them, watches do not, and they can be neither changed nor deleted. Those that name a service are stored as any object.

// services serves apiservices where the table has no row of them: there are only the local ones.
func services() review {
	res := apiserver.CustomResource(apiserver.APIServices.GroupVersion().WithKind("APIService"), apiserver.APIServices.Resource, false)
	res.Categories = []string{"api-extensions"}
	r := newRow(&res)
	r.unkept = true
	return review{row: r, list: func(x *exchange) (all []runtime.Object) {
		for _, u := range x.localServices() {
			all = append(all, u)
		}
		return all
	}}
}

// localServices returns an APIService for each group version that this server serves itself.
func (x *exchange) localServices() (all []*unstructured.Unstructured) {
	for _, g := range append([]metav1.APIGroup{{Versions: []metav1.GroupVersionForDiscovery{{Version: "v1"}}}}, x.found().groups...) {
		for _, v := range g.Versions {
			spec := map[string]any{"version": v.Version}
			if g.Name != "" {
				spec["group"] = g.Name
			}
			all = append(all, &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": apiserver.APIServices.GroupVersion().String(), "kind": "APIService", "metadata": map[string]any{"name": v.Version + "." + g.Name}, "spec": spec,
				"status": map[string]any{"conditions": []any{runtime.DeepCopyJSON(apiserver.LocalAPIService)}},
			}})
		}
	}
	return all
}

// localNamed returns the local APIService of a name; nil: there is none.
func (x *exchange) localNamed(name string) *unstructured.Unstructured {
	all := x.localServices()
	i := slices.IndexFunc(all, func(u *unstructured.Unstructured) bool { return u.GetName() == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// localService answers requests for apiservices that have to do with local ones, and returns false for others.
func (x *exchange) localService(t target) bool {
	if x.r.Method != http.MethodGet || t.watch || x.watching() {
		return false
	}
	local := x.localNamed(t.req.Name)
	if t.req.Name != "" && (local == nil || t.req.Subresource != "" && t.sub == nil) {
		return false
	}
	f, err := x.form(t)
	if err == nil {
		err = f.readTable(x.r.URL.Query())
	}
	var out runtime.Object = local
	if err == nil && local == nil {
		out, err = x.listServices(t)
	}
	if err != nil {
		x.fail(err)
		return true
	}
	x.answer(t, f, http.StatusOK, out)
	return true
}

// listServices returns a list of stored and local APIServices, by name. Local ones are on the first page, whatever its limit.
func (x *exchange) listServices(t target) (runtime.Object, error) {
	var o metav1.ListOptions
	if err := x.parameters(&o); err != nil {
		return nil, err
	}
	l, err := x.api.List(x.r.Context(), t.req, o)
	if err != nil {
		return nil, err
	}
	list := l.(*unstructured.UnstructuredList)
	byLabel, err := labels.Parse(o.LabelSelector)
	if err != nil || o.Continue != "" || !byLabel.Matches(labels.Set{}) {
		return list, nil // the API has judged the selectors
	}
	byField, err := fields.ParseSelector(o.FieldSelector)
	if err != nil {
		return list, nil
	}
	for _, u := range x.localServices() {
		if byField.Matches(fields.Set{"metadata.name": u.GetName()}) {
			list.Items = append(list.Items, *u)
		}
	}
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	return list, nil
}

// apiServiceColumns and apiServiceCells are those of an APIService's row.
func apiServiceColumns() []metav1.TableColumnDefinition {
	about := metav1.ObjectMeta{}.SwaggerDoc()
	return []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: about["name"]},
		{Name: "Service", Type: "string", Description: "The reference to the service that hosts this API endpoint."},
		{Name: "Available", Type: "string", Description: "Whether this service is available."},
		{Name: "Age", Type: "string", Description: about["creationTimestamp"]},
	}
}

func apiServiceCells(obj runtime.Object) []any {
	s, err := apiserver.ReadAPIService(obj)
	if err != nil {
		return nil
	}
	service, c := "Local", s.Available()
	if of := s.Spec.Service; of != nil {
		service = of.Namespace + "/" + of.Name
	}
	available := string(c.Status)
	if c.Status != metav1.ConditionTrue && c.Reason != "" {
		available += " (" + c.Reason + ")"
	}
	return []any{s.Name, service, available, age(s)}
}

// remoteServices returns the APIServices that name a service: by the priority of their groups, then by name.
func (x *exchange) remoteServices() (all []*apiserver.APIService) {
	l, err := x.stored.List(x.r.Context(), apiserver.Request{Resource: apiserver.APIServices}, metav1.ListOptions{ResourceVersion: "0"}) // nobody waits for it
	if err != nil {
		return nil // this server has no such kind
	}
	_ = meta.EachListItem(l, func(obj runtime.Object) error {
		s, err := apiserver.ReadAPIService(obj)
		if err == nil && s.Spec.Service != nil {
			all = append(all, s)
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b *apiserver.APIService) int {
		return int(b.Spec.GroupPriorityMinimum - a.Spec.GroupPriorityMinimum)
	})
	return all
}

// remoteService returns the APIService of a version of a group, if it names a service; nil: there is no such one.
func (x *exchange) remoteService(group, version string) *apiserver.APIService {
	obj, err := x.stored.Get(x.r.Context(), apiserver.Request{Resource: apiserver.APIServices, Name: version + "." + group}, metav1.GetOptions{ResourceVersion: "0"})
	if err != nil {
		return nil
	}
	s, err := apiserver.ReadAPIService(obj)
	if err != nil || s.Spec.Service == nil {
		return nil
	}
	return s
}
