package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

func TestReadable(t *testing.T) {
	const fine = `{"lwtest":"history/v1","kind":"store","time":"virtual","features":["queue","delta"]}
{"n":1,"phase":"call","actor":"c1","kind":"DELETE","obj":{"key":"a/x"},"args":{"unknown":true}}
{"n":2,"call":1,"phase":"return","actor":"c1","kind":"DELETE"}
{"n":3,"phase":"call","actor":"pop","kind":"POP"}
{"n":4,"call":3,"phase":"return","actor":"pop","kind":"POP","body":{"deltas":[{"type":"Added","object":{"name":"x"}}]}}
{"n":5,"actor":"push","kind":"PUSH"}
{"end":true,"events":5}
`
	for _, c := range []struct{ name, old, now, want string }{
		{"fine", "", "", ""},
		{"a word of somebody's own", `"kind":"PUSH"`, `"kind":"note"`, ""},
		{"small letters", `"actor":"c1","kind":"DELETE"`, `"actor":"c1","kind":"delete"`, "line 2: delete: there is no such kind: say DELETE"},
		{"an argument that there is not", `"unknown":true`, `"unknwon":true`, "line 2: DELETE: args: json: unknown field"},
		{"a delta that is none", `{"type":"Added","object":{"name":"x"}}`, `"Added"`, "line 5: POP: body: json: cannot unmarshal"},
	} {
		h, err := history.Read(strings.NewReader(strings.ReplaceAll(fine, c.old, c.now)))
		if c.old == "" {
			h, err = history.Read(strings.NewReader(fine))
		}
		require.NoError(t, err, c.name)
		switch err := Readable(h); c.want {
		case "":
			assert.NoError(t, err, c.name)
			for _, r := range Suite.Rules {
				r.Judge(h) // and nothing panics
			}
			score(h)
		default:
			assert.ErrorContains(t, err, c.want, c.name)
		}
	}
}
