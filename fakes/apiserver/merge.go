package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// errNoPatch is in the words that kube-apiserver has from its library.
//
//lint:ignore ST1005 so it begins
var errNoPatch = errors.New("Invalid JSON Patch")

// mergePatch is what a merge patch (RFC 7386) makes of an object's JSON. The library that kube-apiserver v1.37.1
// uses reads what is left of a patch anew at each level: one 10,000 levels deep, and that is let in, takes it 20
// seconds, and a gigabyte. Here it is read once. The answers are the same.
func mergePatch(doc, patch []byte) ([]byte, error) {
	var change map[string]any
	if err := decodeNumbers(patch, &change); err != nil || change == nil {
		return nil, apierrors.NewBadRequest(errNoPatch.Error())
	}
	was, _ := objectOf(json.RawMessage(doc), 0)
	return json.Marshal(mergeInto(was, change, 1))
}

// decodeNumbers reads numbers as they are written.
func decodeNumbers(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}

// inOrder is to which level what a patch does not touch keeps the order of its fields, which some errors show.
const inOrder = 16

// objectOf gives an object's fields; those of one that is not read yet are not read either, but for deep ones.
func objectOf(v any, level int) (map[string]any, bool) {
	raw, unread := v.(json.RawMessage)
	if !unread {
		object, ok := v.(map[string]any)
		return object, ok
	}
	if !bytes.HasPrefix(raw, []byte("{")) {
		return nil, false
	}
	out := map[string]any{}
	if level >= inOrder {
		return out, decodeNumbers(raw, &out) == nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, false
	}
	for k, v := range fields {
		out[k] = v
	}
	return out, true
}

// mergeInto changes an object, and gives it back.
func mergeInto(object, patch map[string]any, level int) map[string]any {
	for k, v := range patch {
		was, isObject := objectOf(object[k], level)
		change, deeper := v.(map[string]any)
		switch {
		case v == nil:
			delete(object, k)
		case isObject && deeper:
			object[k] = mergeInto(was, change, level+1)
		case isObject: // what comes in place of an object comes as it is, with its nulls
			object[k] = v
		default:
			object[k] = withoutNulls(v)
		}
	}
	return object
}

// withoutNulls takes the null fields out of what is new: there is nothing for them to delete.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, v any) bool { return v == nil })
		for k := range v {
			v[k] = withoutNulls(v[k])
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}
