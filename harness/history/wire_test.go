package history

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/internal/full"
)

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("schema.json")
	require.NoError(t, err)
	return s
}

// valid checks each line of a file against schema.json.
func valid(t *testing.T, s *jsonschema.Schema, text string) {
	t.Helper()
	for i, l := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
		require.NoError(t, err)
		require.NoError(t, s.Validate(v), "line %d: %s", i+1, l)
	}
}

// wireStep has the fields of a Step that are written.
type wireStep struct {
	Num     int32  `json:"step"`
	At      int64  `json:"at,omitempty"`
	Text    string `json:"text,omitempty"`
	Skipped string `json:"skipped,omitempty"`
}

// schema.json and the code have the same fields.
func TestSchemaHasTheFieldsOfTheCode(t *testing.T) {
	b, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	var doc struct {
		Defs map[string]struct {
			Required   []string                   `json:"required"`
			Properties map[string]json.RawMessage `json:"properties"`
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(b, &doc))
	for name, wire := range map[string]reflect.Type{
		"header": reflect.TypeFor[Header](), "event": reflect.TypeFor[line](), "footer": reflect.TypeFor[footer](),
		"object": reflect.TypeFor[object](), "error": reflect.TypeFor[Error](), "step": reflect.TypeFor[wireStep](),
	} {
		var fields, always []string
		for i := range wire.NumField() {
			field, rest, _ := strings.Cut(wire.Field(i).Tag.Get("json"), ",")
			fields = append(fields, field)
			if rest == "" {
				always = append(always, field)
			}
		}
		def := doc.Defs[name]
		var documented []string
		for p := range def.Properties {
			documented = append(documented, p)
		}
		assert.ElementsMatch(t, fields, documented, name)
		assert.ElementsMatch(t, always, def.Required, "required of %s", name)
	}
	for _, word := range []string{"arguments", "listBody"} { // of watchcache: see TestSchemaNamesTheVocabulary
		assert.Contains(t, doc.Defs, word)
		delete(doc.Defs, word)
	}
	assert.Len(t, doc.Defs, 6)
}

func TestSchemaTakesWhatIsWritten(t *testing.T) {
	s := schema(t)
	for seed := range int64(100) {
		header, events := randomHistory(seed, 20)
		h, err := New(header, events)
		require.NoError(t, err)
		h.Steps = []Step{{Num: 1, Text: "start the informer"}, {Num: 2, At: 5, Skipped: "needs the feature x", After: int32(len(events))}}
		valid(t, s, written(t, h))
	}
	doc, err := os.ReadFile("SCHEMA.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(doc), "```jsonl\n")
	example, _, _ = strings.Cut(example, "```")
	valid(t, s, example)
}

// Histories of real servers agree with schema.json. The test reads one in twelve, or all with LWTEST_FULL=every.
func TestSchemaTakesGoldens(t *testing.T) {
	if full.Race {
		t.Skip("reads for half a minute, on one goroutine")
	}
	s, n := schema(t), 0
	require.NoError(t, filepath.WalkDir("../../conformance", func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		if n++; n%12 != 1 && !full.Every() {
			return nil
		}
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		valid(t, s, string(b))
		h := read(t, string(b))
		require.Equal(t, strings.TrimSpace(string(b)), strings.TrimSpace(written(t, h)), "%s is as the code writes it", path)
		return nil
	}))
}

// The schema refuses whatever the reader refuses in a single line.
func TestSchemaRefuses(t *testing.T) {
	s := schema(t)
	for _, l := range []string{
		`{}`, `[]`, `{"lwtest":"history/v2","kind":"a","time":"real"}`, `{"lwtest":"history/v1","time":"real"}`,
		`{"lwtest":"history/v1","kind":"a","time":"fake"}`, `{"n":0,"actor":"a","kind":"K"}`, `{"n":1,"kind":"K"}`,
		`{"n":1,"actor":"","kind":"K"}`, `{"n":1,"actor":"a","kind":"K","phase":"request"}`,
		`{"n":2,"actor":"a","kind":"K","phase":"return"}`, `{"n":2,"actor":"a","kind":"K","phase":"return","call":0}`,
		`{"n":1,"actor":"a","kind":"K","obj":{"rv":5}}`, `{"n":1,"actor":"a","kind":"K","items":{}}`, `{"end":false,"events":1}`,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
		require.NoError(t, err)
		assert.Error(t, s.Validate(v), l)
		lines := []string{head, l}
		if strings.Contains(l, `"n":2`) {
			lines = slices.Insert(lines, 1, first)
		}
		if strings.Contains(l, "lwtest") {
			lines = []string{l}
		}
		_, err = Read(strings.NewReader(file(lines...)))
		assert.Error(t, err, l)
	}
}

// Arguments of lists, watches and writes, and the answers of lists, have types in schema.json. Read accepts a history
// with other types, and replay.Readable refuses it.
func TestSchemaKnowsListsAndWatches(t *testing.T) {
	s := schema(t)
	for l, fine := range map[string]bool{
		`{"n":1,"phase":"call","actor":"a","kind":"WATCH","args":{"timeoutSeconds":5,"shardSelector":"x","sendInitialEvents":true}}`:        true,
		`{"n":1,"phase":"call","actor":"a","kind":"WATCH","args":{"timeoutSeconds":"5s"}}`:                                                  false,
		`{"n":1,"phase":"call","actor":"a","kind":"DELETECOLLECTION","args":{"labelSelector":"app=one"}}`:                                   true,
		`{"n":1,"phase":"call","actor":"a","kind":"DELETECOLLECTION","args":{"labelSelector":{"app":"one"}}}`:                               false,
		`{"n":1,"phase":"call","actor":"a","kind":"OTHER","args":{"limit":"all"}}`:                                                          true,
		`{"n":1,"phase":"call","actor":"a","kind":"GET","args":{"resourceVersion":5}}`:                                                      false,
		`{"n":1,"phase":"call","actor":"a","kind":"PATCH","args":{"dryRun":"All"}}`:                                                         false,
		`{"n":1,"phase":"call","actor":"a","kind":"PATCH","args":{"dryRun":true,"DryRun":"All","Kind":1}}`:                                  true,
		`{"n":1,"actor":"a","kind":"ADDED","end":true,"events":1}`:                                                                          true,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","items":[],"body":{"shardInfo":{"selector":"x"}}}`:                      true,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","items":[],"body":{"shardInfo":"x"}}`:                                   false,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","items":null,"obj":{"rv":"5"}}`:                                         true,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","obj":{"rv":"5"}}`:                                                      true,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","items":null,"obj":null}`:                                               false,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","obj":{"rv":""}}`:                                                       false,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST"}`:                                                                       false,
		`{"n":2,"phase":"return","call":1,"actor":"a","kind":"LIST","err":{"code":410},"body":{"continue":"tok","causes":[{"reason":""}]}}`: true,
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
		require.NoError(t, err)
		assert.Equal(t, fine, s.Validate(v) == nil, l)
	}
}
