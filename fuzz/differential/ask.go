package differential

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// escaped is a value of a query, in which placeholders stay.
func escaped(s string) string {
	return strings.NewReplacer("%7B", "{", "%7D", "}").Replace(url.QueryEscape(s))
}

// readEdit takes an edit apart.
func readEdit(e string) (pointer []string, value any, err error) {
	at, text, ok := strings.Cut(e, " ")
	if !ok || !strings.HasPrefix(at, "/") {
		return nil, nil, fmt.Errorf("an edit is a JSON pointer, a space and JSON, and not %q", e)
	}
	err = json.Unmarshal([]byte(text), &value)
	return strings.Split(at[1:], "/"), value, err
}

// edited sets what the edits say. Where a parent is no object, it becomes one.
func edited(object map[string]any, edits []string) map[string]any {
	for _, e := range edits {
		pointer, value, _ := readEdit(e)
		at := object
		for _, name := range pointer[:len(pointer)-1] {
			next, ok := at[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[name] = next
			}
			at = next
		}
		at[pointer[len(pointer)-1]] = value
	}
	return object
}

// plain is the kind's valid object with a name.
func (k *kind) plain(name string) map[string]any {
	object := k.identity(name)
	_ = json.Unmarshal([]byte(k.Object), &object)
	if k.Cluster {
		object["metadata"].(map[string]any)["labels"] = map[string]any{"story": "{NS}"}
	}
	return object
}

func (k *kind) identity(name string) map[string]any {
	meta := map[string]any{}
	if name != "" {
		meta["name"] = name
	}
	return map[string]any{"apiVersion": k.Version, "kind": k.Kind, "metadata": meta}
}

// body is what a request has in it. seen is the object as the server last answered it, or nil.
func (w word) body(a Ask, seen map[string]any) string {
	k := kindNamed(a.Kind)
	var value any
	switch {
	case a.Body != "":
		return a.Body
	case w.form == none, w.form == other:
		return ""
	case w.form == part:
		value = edited(map[string]any{}, a.Edits)
	case w.form == ops:
		all := []any{}
		for _, e := range a.Edits {
			pointer, v, _ := readEdit(e)
			all = append(all, map[string]any{"op": "add", "path": "/" + strings.Join(pointer, "/"), "value": v})
		}
		value = all
	case w.form == apply && !a.Seen:
		value = edited(k.identity(a.Name), a.Edits)
	case w.form == scaled:
		value = edited(map[string]any{"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": a.Name, "namespace": "{NS}"}}, a.Edits)
	case a.Seen && w.form == whole && seen != nil:
		value = edited(seen, a.Edits)
	default:
		value = edited(k.plain(a.Name), a.Edits)
	}
	b, _ := json.Marshal(value)
	return string(b)
}

// url is the path and the query. An object is created in its collection.
func (w word) url(a Ask) string {
	out := a.Path
	if out == "" {
		out = kindNamed(a.Kind).path()
		if w.form == whole && w.method == http.MethodPost {
			a.Name = ""
		}
		for _, part := range []string{a.Name, a.Sub} {
			if part != "" {
				out += "/" + part
			}
		}
	}
	if k := kindNamed(a.Kind); w.methodOf(a) == http.MethodDelete && k.Cluster && out == k.path() && !strings.Contains(strings.Join(a.Query, ""), "story%3D{NS}") {
		a.Query = append([]string{"labelSelector=story%3D{NS}"}, a.Query...) // a shrunk story must not delete what others have
	}
	if len(a.Query) > 0 {
		out += "?" + strings.Join(a.Query, "&")
	}
	return out
}

func (w word) methodOf(a Ask) string {
	if a.Method != "" {
		return a.Method
	}
	return w.method
}

// headersOf are a request's headers.
func (w word) headersOf(a Ask, body string) http.Header {
	h := http.Header{}
	if body != "" && w.contentType != "" {
		h.Set("Content-Type", w.contentType)
	}
	for _, line := range a.Headers {
		name, value, _ := strings.Cut(line, ": ")
		h.Set(name, value)
	}
	return h
}

// say is the request in a line, with its placeholders.
func (w word) say(a Ask) string {
	if kindNamed(a.Kind) == nil {
		return w.name
	}
	parts := []string{w.methodOf(a), w.url(a)}
	parts = append(parts, a.Headers...)
	if w.contentType != "" && w.contentType != "application/json" && !slices.ContainsFunc(a.Headers, func(h string) bool { return strings.HasPrefix(h, "Content-Type") }) {
		parts = append(parts, "("+w.name+")")
	}
	if a.Seen && w.form == whole {
		parts = append(parts, "the object with "+strings.Join(a.Edits, ", "))
	} else if body := w.body(a, nil); body != "" {
		parts = append(parts, body)
	}
	return strings.Join(parts, " ")
}
