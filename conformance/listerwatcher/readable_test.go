package listerwatcher

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

func TestReadable(t *testing.T) {
	const fine = `{"lwtest":"history/v1","kind":"listerwatcher","time":"virtual","features":["lists","watches","waits"]}
{"n":1,"phase":"call","actor":"c1","kind":"LIST","args":{"namespace":"default","resource":"configmaps","options":{"labelSelector":"app=one,lwtest-call!=1"}}}
{"n":2,"phase":"call","actor":"server","kind":"LIST","args":{"namespace":"default","resource":"configmaps","options":{"labelSelector":"app=one,lwtest-call!=1"}}}
{"n":3,"call":2,"phase":"return","actor":"server","kind":"LIST","err":{"code":429},"body":{"retryAfter":1}}
{"n":4,"call":1,"phase":"return","actor":"c1","kind":"LIST","obj":{"rv":"5"},"items":[],"body":{"continue":"more"}}
{"n":5,"phase":"call","actor":"w1","kind":"WATCH","args":{"options":{"labelSelector":"lwtest-call!=2"}}}
{"n":6,"call":5,"phase":"return","actor":"w1","kind":"WATCH"}
{"n":7,"call":5,"actor":"w1","kind":"ERROR","err":{"code":429},"body":{"retryAfter":1}}
{"n":8,"phase":"call","actor":"w1","kind":"STOP","args":{"watch":5}}
{"n":9,"phase":"call","actor":"u1","kind":"UNTIL","args":{"options":{},"condition":{"Type":"ADDED","Name":"a"}}}
{"n":10,"call":9,"phase":"return","actor":"u1","kind":"UNTIL","obj":{"key":"default/a"},"body":{"met":"ADDED"}}
{"end":true,"events":10}
`
	for _, c := range []struct{ name, old, now, want string }{
		{"fine", "", "", ""},
		{"a word of somebody's own", `"actor":"w1","kind":"STOP"`, `"actor":"w1","kind":"note"`, ""},
		{"small letters", `"kind":"UNTIL"`, `"kind":"Until"`, "line 10: Until: there is no such kind: say UNTIL"},
		{"two calls of one tag, one after the other", `{"labelSelector":"lwtest-call!=2"}`, `{"labelSelector":"app=one,lwtest-call!=1"}`, ""},
		{"and both at once", `{"options":{},"condition"`, `{"options":{"labelSelector":"lwtest-call!=2"},"condition"`, "line 10: UNTIL: nothing tells its requests from those of #5: say lwtest-call!=N"},
		{"two without", `"labelSelector":"lwtest-call!=2"`, `"limit":5`, "line 10: UNTIL: nothing tells its requests from those of #5"},
		{"an argument that there is not", `{"options":{"labelSelector":"lwtest-call!=2"}}`, `{"labelSelector":"lwtest-call!=2"}`, "line 6: WATCH: args: json: unknown field"},
		{"a list that is not told", `"obj":{"rv":"5"},"items":[],"body":{"continue":"more"}`, `"at":0`, "line 5: LIST: it has no items, and no err"},
		{"a body of other words", `"continue":"more"`, `"next":"more"`, "line 5: LIST: body: json: unknown field"},
		{"an ERROR of other words", `"kind":"ERROR","err":{"code":429},"body":{"retryAfter":1}`, `"kind":"ERROR","err":{"code":429},"body":{"wait":1}`, "line 8: ERROR: body: json: unknown field"},
		{"a refusal of other words", `"kind":"LIST","err":{"code":429},"body":{"retryAfter":1}`, `"kind":"LIST","err":{"code":429},"body":{"wait":1}`, "line 4: LIST: body: json: unknown field"},
		{"what is stopped is no watch", `"args":{"watch":5}`, `"args":{"watch":1}`, "line 9: STOP: args.watch is 1, and that is no WATCH or UNTIL before it"},
		{"a wait for nothing", `"Name":"a"`, `"Name":""`, "line 10: UNTIL: args.condition lacks its Type, or its Name"},
		{"that comes of nothing", `"body":{"met":"ADDED"}`, `"body":{}`, "line 11: UNTIL: it has no err, and says neither"},
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
	}
}
