package informer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

func TestReadable(t *testing.T) {
	const fine = `{"lwtest":"history/v1","kind":"informer","time":"virtual","features":["has-synced","handlers","version","indexes"]}
{"n":1,"phase":"call","actor":"writer","kind":"PUT","obj":{"key":"default/a"}}
{"n":2,"call":1,"phase":"return","actor":"writer","kind":"PUT","obj":{"key":"default/a","uid":"u","rv":"5","body":"1"}}
{"n":3,"phase":"call","actor":"h1","kind":"HANDLE","args":{"informer":"informer"}}
{"n":4,"call":3,"phase":"return","actor":"h1","kind":"HANDLE"}
{"n":5,"phase":"call","actor":"informer","kind":"RUN","args":{"namespace":"default","index":"app"}}
{"n":6,"phase":"call","actor":"server","kind":"LIST","args":{"namespace":"default","options":{"resourceVersion":"0"}}}
{"n":7,"call":6,"phase":"return","actor":"server","kind":"LIST","obj":{"rv":"5"},"items":[{"key":"default/a","uid":"u","rv":"5","body":"1"}]}
{"n":8,"phase":"call","actor":"server","kind":"WATCH","args":{"namespace":"default","options":{"resourceVersion":"5"}}}
{"n":9,"call":8,"actor":"server","kind":"FAULT","body":{"name":"f","does":"garble"}}
{"n":10,"call":8,"phase":"return","actor":"server","kind":"WATCH"}
{"n":11,"call":8,"actor":"server","kind":"SPOILED","body":{"name":"ADDED","does":"garble"}}
{"n":12,"call":8,"actor":"server","kind":"ERROR","err":{"code":410}}
{"n":13,"call":8,"actor":"server","kind":"END","body":{"how":"clean"}}
{"n":14,"phase":"call","actor":"h1","kind":"ADD","obj":{"key":"default/a","uid":"u","rv":"5","body":"1"},"args":{"initial":true}}
{"n":15,"call":14,"phase":"return","actor":"h1","kind":"ADD"}
{"n":16,"phase":"call","actor":"informer","kind":"SYNCED"}
{"n":17,"call":16,"phase":"return","actor":"informer","kind":"SYNCED","body":{"synced":true}}
{"n":18,"phase":"call","actor":"informer","kind":"STORE"}
{"n":19,"call":18,"phase":"return","actor":"informer","kind":"STORE","items":[{"key":"default/a","uid":"u","rv":"5","body":"1"}]}
{"n":20,"phase":"call","actor":"informer","kind":"INDEX","args":{"value":"one"}}
{"n":21,"call":20,"phase":"return","actor":"informer","kind":"INDEX","items":[]}
{"n":22,"phase":"call","actor":"h1","kind":"UNHANDLE","args":{"wait":true}}
{"n":23,"actor":"informer","kind":"TOLD","body":{"error":"no"}}
{"n":24,"actor":"informer","kind":"PUSH","items":[]}
{"end":true,"events":24}
`
	for _, c := range []struct{ name, old, now, want string }{
		{"fine", "", "", ""},
		{"a word of somebody's own", `"actor":"informer","kind":"TOLD"`, `"actor":"informer","kind":"note"`, ""},
		{"small letters", `"kind":"STORE"`, `"kind":"store"`, "line 19: store: there is no such kind: say STORE"},
		{"small letters of a server", `"kind":"LIST"`, `"kind":"list"`, "line 7: list: there is no such kind: say LIST"},
		{"of its events", `"kind":"ERROR"`, `"kind":"Error"`, "line 13: Error: there is no such kind: say ERROR"},
		{"an informer of another name", `"actor":"informer","kind":"STORE"`, `"actor":"reflector","kind":"STORE"`, "line 19: STORE: its actor is reflector, want informer"},
		{"a writer of another name", `"actor":"writer"`, `"actor":"me"`, "line 2: PUT: its actor is me, want writer"},
		{"a handler that is the informer", `"actor":"h1","kind":"ADD"`, `"actor":"informer","kind":"ADD"`, "line 15: ADD: its actor is informer: give each handler a name"},
		{"a handler that nobody added", `"actor":"h1","kind":"ADD"`, `"actor":"h2","kind":"ADD"`, "line 15: ADD: there is no HANDLE of h2 before it"},
		{"one that is nobody's", `{"informer":"informer"}`, `{"informer":"mine"}`, `line 4: HANDLE: args.informer is "mine", want informer or second`},
		{"a write amid another", `"call":1,"phase":"return"`, `"phase":"call"`, "line 3: PUT: write #1 has no answer yet"},
		{"a write without its resourceVersion", `"uid":"u","rv":"5","body":"1"}}`, `"uid":"u","body":"1"}}`, "line 3: PUT: it has no err, and its obj has no key or no decimal rv"},
		{"a store that is not told", `"kind":"STORE","items":[{"key":"default/a","uid":"u","rv":"5","body":"1"}]`, `"kind":"STORE"`, "line 20: STORE: it has no items, and no err"},
		{"nor is a list", `"obj":{"rv":"5"},"items":[{"key":"default/a","uid":"u","rv":"5","body":"1"}]`, `"at":0`, "line 8: LIST: it has no items, and no err"},
		{"nor what was pushed", `"kind":"PUSH","items":[]`, `"kind":"PUSH"`, "line 25: PUSH: it has no items, and no err"},
		{"a reading without a word", `,"body":{"synced":true}`, ``, "line 18: SYNCED: it has no body with a result"},
		{"one of other words", `{"synced":true}`, `{"isSynced":true}`, "line 18: SYNCED: it has no body with a result"},
		{"arguments of another type", `"initial":true`, `"initial":"yes"`, "line 15: ADD: args: json: cannot unmarshal string"},
		{"that there are not", `"wait":true`, `"waits":true`, "line 23: UNHANDLE: args: json: unknown field"},
		{"an index of no value", `"value":"one"`, `"key":"one"`, "line 21: INDEX: args: json: unknown field"},
		{"nothing to tell of", `"obj":{"key":"default/a","uid":"u","rv":"5","body":"1"},"args":{"initial":true}`, `"args":{}`, "line 15: ADD: its obj has no key"},
		{"options of another type", `"options":{"resourceVersion":"0"}`, `"options":{"resourceVersion":0}`, "line 7: LIST: args.options: json: cannot unmarshal number"},
		{"that there are not", `"options":{"resourceVersion":"0"}`, `"options":{"version":"0"}`, "line 7: LIST: args.options: json: unknown field"},
		{"an ERROR that says nothing", `,"err":{"code":410}`, ``, "line 13: ERROR: it has no err"},
		{"a fault that does nothing", `,"does":"garble"`, ``, "line 10: FAULT: body.does is empty"},
		{"an end of no sort", `{"how":"clean"}`, `{"how":"well"}`, `line 14: END: body.how is "well", want one of clean, broken, stopped`},
		{"after it was given up nothing counts", `"actor":"informer","kind":"RUN","args"`, `"actor":"engine","kind":"GAVE-UP","args"`, ""},
	} {
		text := strings.ReplaceAll(fine, c.old, c.now)
		if c.old == "" {
			text = fine
		}
		h, err := history.Read(strings.NewReader(text))
		require.NoError(t, err, c.name)
		if err := Readable(h); c.want != "" {
			assert.ErrorContains(t, err, c.want, c.name)
			continue
		}
		assert.NoError(t, Readable(h), c.name)
		for _, r := range Suite.Rules {
			r.Judge(h) // and nothing panics
		}
		score(h)
	}
}
