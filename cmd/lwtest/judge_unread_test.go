package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/report"
)

// trace is of a list and a watch after a create. The watch shows nothing.
const trace = `{"lwtest":"history/v1","kind":"watchcache","features":["comparable-rv"],"time":"real"}
{"n":1,"phase":"call","actor":"c","kind":"CREATE","obj":{"key":"a/x","body":"1"}}
{"n":2,"phase":"return","call":1,"actor":"c","kind":"CREATE","obj":{"key":"a/x","uid":"u","rv":"5","body":"1"}}

{"n":3,"phase":"call","actor":"w","kind":"LIST","args":{"namespace":"a"}}
{"n":4,"phase":"return","call":3,"actor":"w","kind":"LIST","obj":{"rv":"5"},"items":[{"key":"a/x","uid":"u","rv":"5","body":"1"}]}
{"end":true,"events":4}
`

// A trace with an unreadable part is refused with its line, because rules that never saw that part would pass.
func TestJudgeRefusesWhatItCannotRead(t *testing.T) {
	dir := t.TempDir()
	judged := func(name, text string) output {
		file := filepath.Join(dir, name+".jsonl")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		return lwtest(t, "judge", file)
	}
	require.Equal(t, report.OK, judged("good", trace).status)
	for _, c := range []struct{ name, old, now, want string }{
		{"limit", `"namespace":"a"`, `"namespace":"a","limit":"500"`, "limit.jsonl: line 5: LIST: args.limit is a JSON string, want an integer"},
		{"list", `{"namespace":"a"}`, `["a"]`, "line 5: LIST: args is a JSON array, want an object"},
		{"case", `"kind":"LIST","args"`, `"kind":"List","args"`, "line 6: "}, // its return does not fit it
		{"dry", `"kind":"CREATE","obj":{"key":"a/x","body":"1"}}`, `"kind":"CREATE","obj":{"key":"a/x","body":"1"},"args":{"dryRun":"All"}}`, "line 2: CREATE: args.dryRun is a JSON string, want true or false"},
		{"bytes", `"body":"1"`, "\"body\":\"\xfe\"", "line 2: not UTF-8"},
	} {
		o := judged(c.name, strings.Replace(trace, c.old, c.now, 1))
		assert.Equal(t, report.Broken, o.status, c.name)
		assert.Contains(t, o.errors, c.want)
	}
	lower := judged("lower", strings.ReplaceAll(trace, `"LIST"`, `"list"`))
	assert.Equal(t, report.Broken, lower.status)
	assert.Contains(t, lower.errors, "lower.jsonl: line 5: list: there is no such kind: say LIST")
	served := judged("served", strings.Replace(trace, `"namespace":"a"`, `"labelSelector":"app in (("`, 1))
	assert.Equal(t, report.Unproven, served.status)
	assert.Contains(t, served.out, "the LIST #3 was answered, and nobody can tell what it asked for")
	own := judged("own", strings.Replace(trace, `"n":3,`, `"n":3,"Kind":"WATCH","end":1,"ARGS":[],`, 1))
	assert.Equal(t, report.OK, own.status, own.errors)
	assert.Equal(t, report.Broken, lwtest(t, "judge", dir).status, "and so it is for a directory")
}
