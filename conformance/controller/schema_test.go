package controller

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fleetDefinition = `{"spec": {"versions": [{"name": "v1beta1"}, {"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": {"type": "object", "properties": {
	"size": {"type": "integer", "minimum": 0},
	"colour": {"type": "string"},
	"mode": {"type": "string", "enum": ["fast", "slow"]},
	"lit": {"type": "boolean"},
	"crew": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer"}}}},
	"labels": {"type": "object", "additionalProperties": {"type": "string"}},
	"loose": {"type": "object", "additionalProperties": true},
	"least": {"type": "integer", "minimum": 3, "default": 3},
	"armed": {"type": "boolean", "default": true},
	"kind": {"type": "string", "default": "a", "enum": ["a", "b"]},
	"deep": {"type": "object", "properties": {"a": {"type": "string"}}}
}}}}}}]}}`

// Changes of an object, in their order, and the changes back.
func TestVariations(t *testing.T) {
	s := schemaIn([]byte(fleetDefinition), "v1")
	require.NotNil(t, s)
	const absent = `{"armed":false} {"armed":null}, {"colour":"a"} {"colour":null}, {"kind":"b"} {"kind":null}, {"least":4} {"least":null}, {"lit":true} {"lit":null}, {"mode":"fast"} {"mode":null}, {"size":1} {"size":null}`
	for spec, want := range map[string]string{
		`{}`: absent,
		`{"size": 9007199254740993, "armed": true, "kind": "a", "least": 3, "lit": false, "mode": "slow", "colour": "1Gi"}`: `{"least":4} {"least":3}, {"least":2} {"least":3}, ` +
			`{"size":9007199254740994} {"size":9007199254740993}, {"size":9007199254740992} {"size":9007199254740993}, {"armed":false} {"armed":true}, {"lit":true} {"lit":false}, ` +
			`{"kind":"b"} {"kind":"a"}, {"mode":"fast"} {"mode":"slow"}, {"colour":"2Gi"} {"colour":"1Gi"}, {"colour":"1Gix"} {"colour":"1Gi"}, {"colour":"1G"} {"colour":"1Gi"}`,
		`{"crew": [{"count": 1, "x": "y"}], "labels": {"k": "v"}, "loose": {"k": "v"}}`: `{"crew":[{"count":2,"x":"y"}]} {"crew":[{"count":1,"x":"y"}]}, {"crew":[{"count":0,"x":"y"}]} {"crew":[{"count":1,"x":"y"}]}, ` +
			`{"crew":[]} {"crew":[{"count":1,"x":"y"}]}, {"crew":[{"count":1,"x":"y"},{"count":1,"x":"y"}]} {"crew":[{"count":1,"x":"y"}]}, {"labels":{"k":"vx"}} {"labels":{"k":"v"}}, ` + absent,
	} {
		var o map[string]any
		require.NoError(t, unmarshalNumbers([]byte(spec), &o))
		var got []byte
		for i, v := range s.variations(o) {
			to := v.value.(map[string]any)
			patch, err := json.Marshal(mergePatch(o, to))
			require.NoError(t, err)
			back, err := json.Marshal(mergePatch(to, o))
			require.NoError(t, err)
			if i > 0 {
				got = append(got, ", "...)
			}
			got = append(append(append(got, patch...), ' '), back...)
		}
		assert.Equal(t, want, string(got), spec)
	}
	// what a rule is about
	ruled := func(rule string) *schema {
		s := schemaIn([]byte(fleetDefinition), "v1")
		require.NoError(t, json.Unmarshal([]byte(`{"x-kubernetes-validations": [{"rule": "`+rule+`"}]}`), s.Properties["spec"]))
		return s
	}
	all := len(s.variations(nil))
	assert.Len(t, ruled("self == oldSelf").variations(nil), 0)
	assert.Len(t, ruled("self.size == oldSelf.size || has(self.lit)").variations(nil), all-2)
	assert.Len(t, ruled("self.sizes > 1").variations(nil), all)
	assert.Empty(t, (&schema{}).variations(map[string]any{"size": 1}))
	assert.Nil(t, schemaIn([]byte(fleetDefinition), "v2"))
	assert.Nil(t, schemaIn([]byte(fleetDefinition), "v1beta1"))
}
