package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// templates is the document of two custom resources, Inside in namespaces and Outside of them, by which those of
// others are made.
const templates = "apis/template.example.com/v1"

// document is as much of an OpenAPI document as is taken apart.
type document struct {
	OpenAPI    json.RawMessage            `json:"openapi"`
	Info       json.RawMessage            `json:"info"`
	Paths      map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]json.RawMessage `json:"schemas"`
	} `json:"components"`
}

// describeCustom adds documents of custom resources of which nothing is known but metadata.
func (all openAPI) describeCustom(rows []*row) error {
	var template document
	if err := json.Unmarshal(all.docs[templates].json.body, &template); err != nil {
		return fmt.Errorf("openapi.zip: %w", err)
	}
	delete(all.docs, templates)
	custom := map[schema.GroupVersion]*document{}
	for _, r := range rows {
		if !r.Custom {
			continue
		}
		gv := r.GroupVersion()
		if custom[gv] == nil {
			custom[gv] = &document{OpenAPI: template.OpenAPI, Info: template.Info, Paths: map[string]json.RawMessage{}}
			custom[gv].Components.Schemas = map[string]json.RawMessage{}
		}
		template.of(r, custom[gv])
	}
	for gv, d := range custom {
		body, err := json.Marshal(d)
		if err != nil {
			return err
		}
		all.docs["apis/"+gv.String()] = newOpenAPIDoc(body)
	}
	return nil
}

// of adds what describes a resource to a document.
func (d *document) of(r *row, out *document) {
	mine, other := "Inside", "Outside"
	if !r.Namespaced {
		mine, other = other, mine
	}
	words := strings.Split(r.Group, ".")
	for i := range words {
		words[i] = upper(words[i])
	}
	camel, reverse := strings.Join(words, ""), strings.Split(r.Group, ".")
	slices.Reverse(reverse)
	rename := strings.NewReplacer(
		"apis/template.example.com/v1", "apis/"+r.GroupVersion().String(),
		"com.example.template.v1", strings.Join(append(reverse, r.Version), "."),
		"TemplateExampleComV1", camel+upper(r.Version),
		"templateExampleCom_v1", strings.ToLower(camel[:min(1, len(camel))])+camel[min(1, len(camel)):]+"_"+r.Version,
		"template.example.com", r.Group,
		mine+`List","version":"v1"`, r.Kind+`List","version":"`+r.Version+`"`,
		mine+`","version":"v1"`, r.Kind+`","version":"`+r.Version+`"`,
		mine, r.Kind, strings.ToLower(mine)+"s", r.Resource.Resource,
	)
	for path, what := range d.Paths {
		if !strings.Contains(path, strings.ToLower(other)) && (r.Status != nil || !strings.HasSuffix(path, "/status")) {
			out.Paths[rename.Replace(path)] = json.RawMessage(rename.Replace(string(what)))
		}
	}
	for name, what := range d.Components.Schemas {
		if !strings.Contains(name, other) {
			what = json.RawMessage(rename.Replace(string(what)))
			if s := r.Schema(); s != nil && strings.HasSuffix(name, "."+mine) {
				what = withSchema(what, s)
			}
			out.Components.Schemas[rename.Replace(name)] = what
		}
	}
}

// withSchema is what a document says of a kind of which only metadata is known, with the schema that it has.
func withSchema(what json.RawMessage, s *spec.Schema) json.RawMessage {
	var known, all map[string]any
	text, err := json.Marshal(s)
	if err != nil || json.Unmarshal(what, &known) != nil || json.Unmarshal(text, &all) != nil {
		return what // it has been JSON before
	}
	properties, _ := all["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
	}
	if of, ok := known["properties"].(map[string]any); ok {
		maps.Copy(properties, of)
	}
	all["properties"] = properties
	for name, v := range known {
		if _, there := all[name]; !there && strings.HasPrefix(name, "x-kubernetes-group") {
			all[name] = v
		}
	}
	out, err := json.Marshal(all)
	if err != nil {
		return what
	}
	return out
}

func upper(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
