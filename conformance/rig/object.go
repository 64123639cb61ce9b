package rig

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Object returns what a history keeps of an object in JSON: key, uid, resourceVersion and labels, and its Content as the body.
// If b is no JSON object, the body says so.
func Object(t *harness.T, b json.RawMessage) history.Ref {
	return t.Ref(b, func() history.Ref { return object(t, b) })
}

func object(t *harness.T, b json.RawMessage) history.Ref {
	v, err := decode(b)
	if err != nil {
		return notObject(b)
	}
	meta, ok := metadataOf(v)
	if !ok {
		return notObject(b)
	}
	key := meta.namespace + "/" + meta.name
	if meta.namespace == "" {
		key = meta.name
	}
	return history.Ref{Key: key, UID: meta.uid, RV: meta.resourceVersion, Labels: t.Set(meta.labels), Body: content(v)}
}

func notObject(b json.RawMessage) history.Ref {
	return history.Ref{Body: fmt.Sprintf("no object: %.100s", b)}
}

// metadata is what identifies an object.
type metadata struct {
	name, namespace, uid, resourceVersion string
	labels                                map[string]string
}

// metadataOf returns the metadata of a decoded object. ok is false if a field has a wrong type.
func metadataOf(v map[string]any) (m metadata, ok bool) {
	of, ok := v["metadata"].(map[string]any)
	if !ok {
		return m, v["metadata"] == nil
	}
	for name, to := range map[string]*string{"name": &m.name, "namespace": &m.namespace, "uid": &m.uid, "resourceVersion": &m.resourceVersion} {
		if *to, ok = of[name].(string); !ok && of[name] != nil {
			return m, false
		}
	}
	labels, ok := of["labels"].(map[string]any)
	if !ok && of["labels"] != nil {
		return m, false
	}
	m.labels = make(map[string]string, len(labels))
	for name, value := range labels {
		if m.labels[name], ok = value.(string); !ok && value != nil {
			return m, false
		}
	}
	return m, true
}

// decode decodes an object. Numbers keep their digits.
func decode(b json.RawMessage) (v map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return v, d.Decode(&v)
}

// Content returns an object without kind and apiVersion in a canonical form: fields sorted, null and empty ones left out, the
// times of the metadata in UTC, and of long texts the beginning, the length and a checksum. Equal texts are equal contents.
func Content(b json.RawMessage) string {
	v, err := decode(b)
	if err != nil {
		return notObject(b).Body
	}
	return content(v)
}

// Without returns a Content without some fields, each given by its path.
func Without(body string, fields ...[]string) string {
	v, err := decode([]byte(body))
	if err != nil {
		return body
	}
	for _, path := range fields {
		unstructured.RemoveNestedField(v, path...)
	}
	return content(v)
}

// content is Content of a decoded object, which it changes.
func content(v map[string]any) string {
	delete(v, "kind")
	delete(v, "apiVersion")
	if m, ok := v["metadata"].(map[string]any); ok {
		instants(m, "creationTimestamp", "deletionTimestamp")
		of, _ := m["managedFields"].([]any)
		for _, f := range of {
			if f, ok := f.(map[string]any); ok {
				instants(f, "time")
			}
		}
	}
	out, err := json.Marshal(bare(v))
	if err != nil {
		return err.Error() // it was JSON before
	}
	return string(out)
}

// instants rewrites times in UTC: 12:00:00.000Z and 13:00:00+01:00 are 12:00:00Z. Other values stay.
func instants(of map[string]any, names ...string) {
	for _, name := range names {
		s, _ := of[name].(string)
		if t, err := time.Parse(time.RFC3339, s); err == nil {
			of[name] = t.UTC().Format(time.RFC3339Nano)
		}
	}
}

// bare removes null and empty values; nil if nothing is left.
func bare(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if v[name] = bare(field); v[name] == nil {
				delete(v, name)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = bare(v[i])
		}
	case string:
		return brief(v)
	}
	return v
}

// brief returns a text, or the beginning, length and checksum of a long one.
func brief(s string) string {
	const most, begin = 1000, 32
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… %d bytes %.6x", strings.ToValidUTF8(s[:begin], ""), len(s), sha256.Sum256([]byte(s)))
}

// ListBody is what a history keeps of a list, beside its items and its resourceVersion.
type ListBody struct {
	Continue  string `json:"continue,omitempty"`
	Remaining *int64 `json:"remaining,omitempty"`
}

// Listed returns what a history keeps of a list in JSON.
func Listed(t *harness.T, b json.RawMessage) harness.Answer {
	var l struct {
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if len(b) == 0 {
		return harness.Answer{}
	}
	if err := json.Unmarshal(b, &l); err != nil {
		return harness.Answer{Body: fmt.Sprintf("no list: %.100s", b)}
	}
	return ListOf(t, l.Metadata, l.Items)
}

// ListOf is Listed for a list that is decoded.
func ListOf(t *harness.T, m metav1.ListMeta, items []json.RawMessage) harness.Answer {
	a := harness.Answer{Obj: history.Ref{RV: m.ResourceVersion}, Items: []history.Ref{}}
	if m.Continue != "" || m.RemainingItemCount != nil {
		a.Body = ListBody{m.Continue, m.RemainingItemCount}
	}
	for _, i := range items {
		a.Items = append(a.Items, Object(t, i))
	}
	return a
}

// StatusBody is what a history keeps of a Status, beside code, reason and message.
type StatusBody struct {
	Causes     []metav1.StatusCause `json:"causes,omitempty"`
	RetryAfter int32                `json:"retryAfter,omitempty"` // seconds
}

// StatusOf returns the StatusBody of a Status in JSON; nil if it would be empty.
func StatusOf(b json.RawMessage) any {
	var s metav1.Status
	if json.Unmarshal(b, &s) != nil || s.Details == nil {
		return nil
	}
	return StatusBodyOf(s)
}

// StatusBodyOf returns the StatusBody of a Status; nil if it would be empty.
func StatusBodyOf(s metav1.Status) any {
	if s.Details == nil || len(s.Details.Causes) == 0 && s.Details.RetryAfterSeconds == 0 {
		return nil
	}
	return StatusBody{s.Details.Causes, s.Details.RetryAfterSeconds}
}
