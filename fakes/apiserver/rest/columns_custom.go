package rest

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metatable "k8s.io/apimachinery/pkg/api/meta/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/util/jsonpath"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// columnSet has the printer columns of a custom resource.
type columnSet struct {
	definitions []metav1.TableColumnDefinition // the name's first

	mu    sync.Mutex // a JSONPath has a state
	paths []*jsonpath.JSONPath
}

// newColumns returns nil where a definition says nothing, or what cannot be read: then a Table has the age.
func newColumns(all []apiserver.Column) *columnSet {
	if len(all) == 0 {
		return nil
	}
	out := &columnSet{definitions: []metav1.TableColumnDefinition{
		{Name: "Name", Type: "string", Format: "name", Description: metav1.ObjectMeta{}.SwaggerDoc()["name"]},
	}}
	for _, c := range all {
		path := jsonpath.New(c.Name).AllowMissingKeys(true)
		if path.Parse("{"+c.JSONPath+"}") != nil {
			return out // a kube-apiserver leaves this one and those after it out
		}
		out.paths, out.definitions = append(out.paths, path), append(out.definitions, c.TableColumnDefinition)
	}
	return out
}

// cells are the cells of an object's row.
func (c *columnSet) cells(obj runtime.Object) []any {
	m, ok := obj.(metav1.Object)
	u, isCustom := obj.(runtime.Unstructured)
	if !ok || !isCustom {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := []any{m.GetName()}
	for i, path := range c.paths {
		out = append(out, cellAt(path, c.definitions[i+1].Type, u.UnstructuredContent()))
	}
	return out
}

// cellAt is the cell of a column of a type; nil: there is nothing to show.
func cellAt(path *jsonpath.JSONPath, kind string, content map[string]any) any {
	found, err := path.FindResults(content)
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return nil
	}
	value := found[0][0].Interface()
	switch kind {
	case "string":
		var b bytes.Buffer
		if path.PrintResults(&b, []reflect.Value{reflect.ValueOf(value)}) != nil {
			return nil
		}
		return b.String()
	case "integer", "number":
		return numberCell(kind, value)
	case "boolean":
		if b, ok := value.(bool); ok {
			return b
		}
	case "date":
		return dateCell(value)
	}
	return nil
}

func numberCell(kind string, value any) any {
	n, isWhole := value.(int64)
	f, isReal := value.(float64)
	switch {
	case isWhole && kind == "integer":
		return n
	case isReal && kind == "integer":
		return int64(f)
	case isWhole:
		return float64(n)
	case isReal:
		return f
	}
	return nil
}

func dateCell(value any) any {
	said, ok := value.(string)
	if !ok {
		return nil
	}
	var at metav1.Time
	if at.UnmarshalQueryParameter(said) != nil {
		return "<invalid>"
	}
	return metatable.ConvertToHumanReadableDateType(at)
}

// definitionCells are the cells of a CustomResourceDefinition.
func definitionCells(d *apiextensionsv1.CustomResourceDefinition) []any {
	var versions []string
	for _, v := range d.Spec.Versions {
		switch {
		case v.Served && v.Storage:
			versions = append(versions, v.Name+"(storage)")
		case v.Served:
			versions = append(versions, v.Name)
		}
	}
	slices.Sort(versions)
	established := slices.ContainsFunc(d.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	return []any{d.Name, string(d.Spec.Scope), strings.Join(versions, ","), d.CreationTimestamp.Time.UTC().Format(time.RFC3339),
		d.Spec.Group, d.Spec.Names.Kind, strings.Join(d.Spec.Names.ShortNames, ","), established}
}
