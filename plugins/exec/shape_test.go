package exec

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
)

// shaped are answers and events that are JSON and not what docs/protocol.md wants, by mode: to which op, and the line.
var shaped = map[string]struct{ op, line string }{
	"wrong-field": {"store.list", `{"id":%d,"ok":{"items":[]}}`},
	"no-fields":   {"store.list", `{"id":%d,"ok":{}}`},
	"null-list":   {"store.list", `{"id":%d,"ok":{"objects":null}}`},
	"null-ok":     {"store.list", `{"id":%d,"ok":null}`},
	"text-ok":     {"store.list", `{"id":%d,"ok":"done"}`},
	"no-names":    {"store.keys", `{"id":%d,"ok":{"objects":[]}}`},
	"null-change": {"store.apply", `{"id":%d,"ok":null}`},
	"empty-err":   {"store.list", `{"id":%d,"err":{}}`},
	"null-msg":    {"store.list", `{"id":%d,"err":{"msg":null}}`},
	"text-err":    {"store.list", `{"id":%d,"err":"no"}`},
	"misspelt":    {"store.list", `{"id":%d,"err":{"code":"kee","msg":"no"}}`},
}

// misshapes answers as the mode says, in every case; true: that was the answer.
func (m *mini) misshapes(r asked) bool {
	is, ok := shaped[m.mode]
	if !ok || r.Op != is.op || m.stores[r.H] == nil {
		return false
	}
	if _, err := fmt.Printf(is.line+"\n", r.ID); err != nil {
		os.Exit(0)
	}
	return true
}

// An answer that lacks what docs/protocol.md wants is the adapter's nonsense, and never what the implementation has.
func TestMisshapen(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"wrong-field": `the answer to store.list does not match docs/protocol.md (under ok the field "objects" is missing, an array of objects): {"id":`,
		"no-fields":   `the answer to store.list does not match docs/protocol.md (under ok the field "objects" is missing, an array of objects): {"id":`,
		"null-list":   `the answer to store.list does not match docs/protocol.md (under ok "objects" is null instead of an array of objects): {"id":`,
		"null-ok":     `the answer to store.list does not match docs/protocol.md (under ok null is not an object): {"id":`,
		"text-ok":     `the answer to store.list does not match docs/protocol.md (under ok "done" is not an object): {"id":`,
		"no-names":    `the answer to store.keys does not match docs/protocol.md (under ok the field "names" is missing, an array of strings): {"id":`,
		"null-change": `the answer to store.apply does not match docs/protocol.md (under ok null is not an object): {"id":`,
		"empty-err":   `the answer to store.list does not match docs/protocol.md (under err the field "msg" is missing, a string): {"id":`,
		"null-msg":    `the answer to store.list does not match docs/protocol.md (under err "msg" is null instead of a string): {"id":`,
		"text-err":    `the answer to store.list does not match docs/protocol.md (under err "no" is not an object): {"id":`,
		"misspelt":    `the answer to store.list does not match docs/protocol.md (under err "code" is "kee" instead of one of key, closed): {"id":`,
	} {
		t.Run(mode, func(t *testing.T) {
			check, _ := open(t, mode)
			r := run(t, check)
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Contains(t, r.Reason, "the adapter: "+want)
			assert.Empty(t, r.Rules)

			wrong := smokes(t, mode)
			assert.Len(t, wrong, 1, "%v", wrong)
			assert.Contains(t, wrong["answers"], want)
		})
	}
}

// What a queue hands out has words of the protocol's own, and is looked into; an object that the implementation gave is not.
func TestLacksOfDeltas(t *testing.T) {
	for popped, want := range map[string]string{
		`{"deltas":[{"type":"Added","object":{}},{"type":"ADDED","object":{}}]}`: `in one of "deltas" "type" is "ADDED" instead of one of Added, Updated, Deleted, Replaced, Sync, ReplacedAll, SyncAll, Bookmark`,
		`{"deltas":[{"object":{}}]}`:                  `in one of "deltas" the field "type" is missing, a string`,
		`{"deltas":[7]}`:                              `in one of "deltas" 7 is not an object`,
		`{"deltas":7}`:                                "",
		`{"deltas":[{"type":"Deleted","object":{}}]}`: "",
		`{"deltas":[]}`:                               "",
	} {
		assert.Equal(t, want, lacks([]byte(popped), reflect.TypeFor[store.Popped]()), popped)
	}
	assert.Empty(t, lacks([]byte(`{"objects":[{}]}`), reflect.TypeFor[StoreObjects]()))
}

// A client is asked for a list that its server has.
func TestMisshapenList(t *testing.T) {
	wrong := smokes(t, "client-objects")
	assert.Len(t, wrong, 1, "%v", wrong)
	assert.Contains(t, wrong["answers"], `listerwatcher: the answer to lw.list does not match docs/protocol.md (under ok the field "items" is missing, an array of objects): {"id":`)
}

// Of each message those fields must be there of which the schema says so.
func TestRequired(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	type schema struct {
		Required   []string          `json:"required"`
		Properties map[string]schema `json:"properties"`
	}
	var doc struct {
		Defs map[string]schema `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(b, &doc))
	names := func(message any) (out []string) {
		for name := range required(reflect.TypeOf(message)) {
			out = append(out, name)
		}
		return out
	}
	for _, o := range Ops() {
		assert.ElementsMatch(t, doc.Defs[o.Name+".ok"].Required, names(o.Reply), o.Name)
	}
	for _, e := range Evs() {
		assert.ElementsMatch(t, doc.Defs[e.Name+".event"].Required, append(names(e.Fields), "ev"), e.Name)
	}
	assert.ElementsMatch(t, doc.Defs["answer"].Properties["err"].Required, names(Failure{}))
}

// What a message may be, and what it lacks.
func TestLacks(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		message string
		of      any
		want    string
	}{
		{`{}`, Nothing{}, ""},
		{`{"later":1}`, Nothing{}, ""},
		{`{"objects":[],"later":1}`, StoreObjects{}, ""},
		{`{"object":null}`, StoreObject{}, ""},
		{`{}`, InformerObject{}, ""},
		{`{"object":null}`, WCObject{}, ""}, // what the implementation gave
		{`{}`, WCObject{}, `the field "object" is missing, an object`},
		{`{}`, InformerSynced{}, `the field "synced" is missing, a boolean`},
		{`{"event":null}`, ReadReply{}, `it needs one of "event", "ended"`},
		{`{}`, ReadReply{}, `it needs one of "event", "ended"`},
		{`{"ended":false}`, ReadReply{}, `it needs one of "event", "ended"`},
		{`{"ended":true}`, ReadReply{}, ""},
		{`{"ended":true,"event":null}`, ReadReply{}, ""},
		{`{"event":{}}`, ReadReply{}, `in "event" the field "type" is missing, a string`},
		{`{"event":{"type":"ADDED"}}`, ReadReply{}, `in "event" the field "object" is missing, an object`},
		{`{"options":{},"event":{"type":null,"object":{}}}`, LWUntilReply{}, `in "event" "type" is null instead of a string`},
		{`{"event":{"type":"","object":null}}`, ReadReply{}, ""}, // what the implementation gave
		{`{"event":7}`, ReadReply{}, `in "event" 7 is not an object`},
		{`{"metadata":{},"items":[]}`, LWList{}, `the field "options" is missing, an object`},
		{`{"options":{},"metadata":null,"items":[]}`, LWList{}, `"metadata" is null instead of an object`},
		{`{"options":{},"metadata":{},"items":[null]}`, LWList{}, ""},
		{`{"server":{}}`, WCStarted{}, `in "server" the field "url" is missing, a string`},
		{`{"server":[]}`, WCStarted{}, `in "server" [] is not an object`},
		{`{"h":"i1","err":{}}`, InformerFailed{}, `in "err" the field "msg" is missing, a string`},
		{`{"h":"i1","as":"h2","type":"ADD"}`, InformerNotice{}, `the field "seq" is missing, an integer`},
		{`[]`, Nothing{}, "[] is not an object"},
		{`null`, Nothing{}, "null is not an object"},
	} {
		assert.Equal(t, one.want, lacks([]byte(one.message), reflect.TypeOf(one.of)), "%s of %T", one.message, one.of)
	}
}

// Events are looked at, too, where somebody is told of them.
func TestMisshapenEvent(t *testing.T) {
	process, err := proc.Start("cat", proc.Limits{})
	require.NoError(t, err)
	var got error
	s := &session{conn: talk(process, nil)}
	s.onEnd(func(err error) { got = err })
	var p StorePush
	assert.True(t, s.reads(event{"push", "s1", []byte(`{"ev":"push","h":"s1","objects":[]}`)}, &p))
	assert.False(t, s.reads(event{"push", "s1", []byte(`{"ev":"push","h":"s1","items":[]}`)}, &p))
	assert.EqualError(t, got, `the event push does not match docs/protocol.md (the field "objects" is missing, an array of objects): {"ev":"push","h":"s1","items":[]}`)
}

// An adapter of another version is told that, and not which of its fields this one misses.
func TestForeignHello(t *testing.T) {
	t.Parallel()
	assert.Empty(t, unlike("hello", answer{OK: []byte(`{"protocol":2}`)}))
	assert.Equal(t, `under ok the field "implementation" is missing, a string`, unlike("hello", answer{OK: []byte(`{"protocol":1}`)}))
	assert.Equal(t, `under ok the field "protocol" is missing, an integer`, unlike("hello", answer{OK: []byte(`{}`)}))
}
