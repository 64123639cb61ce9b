package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
)

// openAPIv2Proto is OpenAPI v2 in protobuf, which client-go asks for.
const openAPIv2Proto = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"

// openAPIv2 serves /openapi/v2: one document of all that is served.
func (x *exchange) openAPIv2() {
	doc, err := x.swagger()
	if err != nil {
		x.fail(err)
		return
	}
	kind, d, ok := x.inForm(doc, openAPIv2Proto)
	if !ok {
		return
	}
	all, _ := x.openAPIs() // it went well before
	x.w.Header().Set("Vary", "Accept")
	x.w.Header().Set("Content-Type", kind)
	x.w.Header().Set("ETag", strconv.Quote(d.hash))
	http.ServeContent(x.w, x.r, "", all.read, bytes.NewReader(d.body))
}

// documentV2 makes the document of OpenAPI v2 of those of v3.
func (s *served) documentV2() (openAPIDoc, error) {
	all, err := s.openAPIs()
	if err != nil {
		return openAPIDoc{}, err
	}
	paths, definitions := map[string]any{}, map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(all.docs)) {
		var doc struct {
			Paths      map[string]any
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(all.docs[name].json.body, &doc); err != nil {
			return openAPIDoc{}, err
		}
		for path, what := range doc.Paths {
			paths[path] = pathV2(what)
		}
		for name, schema := range doc.Components.Schemas {
			definitions[name] = schemaV2(schema)
		}
	}
	body, err := json.Marshal(map[string]any{"swagger": "2.0", "info": map[string]any{"title": "Kubernetes", "version": "1.37"}, "paths": paths, "definitions": definitions})
	if err != nil {
		return openAPIDoc{}, err
	}
	return openAPIDoc{described(body), sync.OnceValues(func() (describing, error) {
		doc, err := openapi_v2.ParseDocument(body)
		if err != nil {
			return describing{}, err
		}
		pb, err := proto.MarshalOptions{Deterministic: true}.Marshal(doc)
		return described(pb), err
	})}, nil
}

// schemaV2 is a schema, or a part of one, in the words of v2: references are elsewhere, and nothing stands beside them but a description.
func schemaV2(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = schemaV2(v[i])
		}
		return out
	case map[string]any:
		if of, ok := v["allOf"].([]any); ok && len(of) == 1 {
			out, _ := schemaV2(of[0]).(map[string]any)
			if about, ok := v["description"]; ok {
				out["description"] = about
			}
			return out
		}
		out := map[string]any{}
		for k, w := range v {
			switch ref, isText := w.(string); {
			case k == "$ref" && isText:
				out[k] = strings.Replace(ref, "#/components/schemas/", "#/definitions/", 1)
			case k == "oneOf" && v["format"] == "int-or-string":
				out["type"] = "string"
			case k == "nullable", k == "anyOf", k == "oneOf", k == "not":
			default:
				out[k] = schemaV2(w)
			}
		}
		return out
	}
	return v
}

// pathV2 is what can be done at a path.
func pathV2(v any) any {
	in, _ := v.(map[string]any)
	out := map[string]any{}
	for method, what := range in {
		if method == "parameters" {
			out[method] = parametersV2(what)
			continue
		}
		if operation, ok := what.(map[string]any); ok {
			out[method] = operationV2(operation)
		}
	}
	return out
}

func operationV2(in map[string]any) map[string]any {
	out := map[string]any{"schemes": []string{"https"}, "consumes": []string{"*/*"}}
	for k, w := range in {
		if k == "description" || k == "operationId" || k == "tags" || strings.HasPrefix(k, "x-") {
			out[k] = w
		}
	}
	parameters := parametersV2(in["parameters"])
	if body, ok := in["requestBody"].(map[string]any); ok {
		schema, _ := contentV2(body)
		parameters = append(parameters, map[string]any{"name": "body", "in": "body", "required": true, "schema": schema})
	}
	if len(parameters) > 0 {
		out["parameters"] = parameters
	}
	responses := map[string]any{}
	produces := []string{"application/json"}
	all, _ := in["responses"].(map[string]any)
	for code, what := range all {
		response, _ := what.(map[string]any)
		r := map[string]any{"description": response["description"]}
		if schema, media := contentV2(response); schema != nil {
			r["schema"], produces = schema, media
		}
		responses[code] = r
	}
	out["responses"], out["produces"] = responses, produces
	return out
}

// contentV2 is the schema of a body, and the media types that it may have.
func contentV2(in map[string]any) (schema any, media []string) {
	content, _ := in["content"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		media = append(media, name)
		if c, ok := content[name].(map[string]any); ok && schema == nil {
			schema = schemaV2(c["schema"])
		}
	}
	return schema, media
}

func parametersV2(v any) (out []any) {
	all, _ := v.([]any)
	for _, p := range all {
		in, _ := p.(map[string]any)
		flat := map[string]any{}
		for _, k := range []string{"name", "in", "required", "description"} {
			if w, ok := in[k]; ok {
				flat[k] = w
			}
		}
		schema, _ := in["schema"].(map[string]any)
		flat["type"] = schema["type"]
		if unique, ok := schema["uniqueItems"]; ok {
			flat["uniqueItems"] = unique
		}
		out = append(out, flat)
	}
	return out
}
