package history_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/conformance/watchcache/golden"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/internal/full"
)

var fence = regexp.MustCompile("(?s)```([a-z]*)\n(.*?)```")

// fenced returns the texts in fences of this language in SCHEMA.md.
func fenced(t *testing.T, language string) []string {
	t.Helper()
	doc, err := os.ReadFile("SCHEMA.md")
	require.NoError(t, err)
	var out []string
	for _, m := range fence.FindAllStringSubmatch(string(doc), -1) {
		if m[1] == language {
			out = append(out, m[2])
		}
	}
	return out
}

func example(t *testing.T) []string {
	t.Helper()
	all := fenced(t, "jsonl")
	require.Len(t, all, 1)
	return strings.Split(strings.TrimSpace(all[0]), "\n")
}

func judge(t *testing.T, lines []string) harness.Result {
	t.Helper()
	h, err := history.Read(strings.NewReader(strings.Join(lines, "\n")))
	require.NoError(t, err)
	return watchcache.Suite.Describe().Judge(harness.Info{}, h)
}

// What SCHEMA.md says about its example agrees with the rules.
func TestSchemaExamplePasses(t *testing.T) {
	r := judge(t, example(t))
	assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	var tested []string
	for _, rr := range r.Rules {
		if rr.Verdict == harness.Pass {
			tested = append(tested, rr.Rule)
		}
	}
	for _, want := range []string{"watch/reliable", "watch/from-list", "list/snapshot"} {
		assert.Contains(t, tested, want)
	}
	assert.True(t, slices.ContainsFunc(tested, func(r string) bool { return strings.HasPrefix(r, "write/conflict") }), tested)
}

func TestSchemaExampleWithoutALineFails(t *testing.T) {
	r := judge(t, without(t, example(t), 10))
	require.Equal(t, harness.Fail, r.Verdict)
	i := slices.IndexFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Rule == "watch/from-list" })
	require.Equal(t, harness.Fail, r.Rules[i].Verdict)
	r.Rules[i].After = nil // it is described in full
	got := watchcache.Suite.Describe().Explain(r.Rules[i])
	got = got[strings.Index(got, "  want"):strings.Index(got, "  why")]
	assert.Equal(t, fenced(t, "text")[0], got, "SCHEMA.md shows this failure")
}

// without removes one line of a file and renumbers the rest, as SCHEMA.md describes.
func without(t *testing.T, lines []string, line int) []string {
	t.Helper()
	gone := float64(line - 1)
	var out []string
	for i, l := range lines {
		if i+1 == line {
			continue
		}
		var m map[string]any
		require.NoError(t, json.Unmarshal([]byte(l), &m))
		for _, field := range []string{"n", "call", "events"} {
			if n, ok := m[field].(float64); ok && n > gone || ok && field == "events" {
				m[field] = n - 1
			}
		}
		b, err := json.Marshal(m)
		require.NoError(t, err)
		out = append(out, string(b))
	}
	return out
}

// jsonNames returns the names of a struct's fields in JSON.
func jsonNames[T any]() []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "kind" && name != "apiVersion" {
			out = append(out, name)
		}
	}
	return out
}

// Read accepts everything that lwtest records, of real servers and of its own.
func TestWhatIsRecordedIsReadable(t *testing.T) {
	full.Need(t, "50 MB are read")
	recordings, err := golden.Load()
	require.NoError(t, err)
	require.NotEmpty(t, recordings)
	for from, checks := range recordings {
		for check, h := range checks {
			assert.NoError(t, replay.Readable(h), "%s of %s", check, from)
		}
	}
	h, err := history.Read(strings.NewReader(strings.Join(example(t), "\n")))
	require.NoError(t, err)
	assert.NoError(t, replay.Readable(h))
}

// The example fails without its line 10, whatever meaningless fields are added. A field that has a meaning and cannot
// be read does not pass.
func TestWhatCannotBeReadIsNoPass(t *testing.T) {
	bad := without(t, example(t), 10)
	const watch = 7 // its index in the file
	require.Contains(t, bad[watch], `"kind":"WATCH"`)
	for from, to := range map[string]string{
		`"resourceVersion":"11"`: `"resourceVersion":"11","Limit":"500","RESOURCEVERSION":12,"user":"me"`,
		`"actor":"w1"`:           `"actor":"w1","Kind":"LIST","Args":{},"end":true,"events":[]`,
	} {
		require.Contains(t, bad[watch], from)
		lines := slices.Clone(bad)
		lines[watch] = strings.Replace(lines[watch], from, to, 1)
		assert.Equal(t, harness.Fail, judge(t, lines).Verdict, to)
	}
	lines := slices.Clone(bad)
	lines[watch] = strings.Replace(lines[watch], `"args":{`, `"args":{"labelSelector":"app in ((",`, 1)
	r := judge(t, lines)
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "the WATCH #7 was answered, and nobody can tell what it asked for")
}

// A list's answer without items is an empty list. Without the return nothing is known about it.
func TestListWithoutItems(t *testing.T) {
	const list = 4 // its index in the file
	whole := example(t)
	from := strings.Index(whole[list], `,"items"`)
	require.Positive(t, from)
	for _, items := range []string{"", `,"items":null`, `,"items":[]`} {
		lines := slices.Clone(whole)
		lines[list] = whole[list][:from] + items + "}"
		r := judge(t, lines)
		i := slices.IndexFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Rule == "list/snapshot" })
		require.Equal(t, harness.Fail, r.Rules[i].Verdict, "%q", items)
	}
	assert.Equal(t, harness.Pass, judge(t, without(t, whole, list+1)).Verdict)
}

// Absent arguments and null ask for everything.
func TestCallsWithoutArguments(t *testing.T) {
	whole := example(t)
	for _, args := range []string{"", `,"args":null`, `,"args":{}`} {
		lines := slices.Clone(whole)
		lines[3] = strings.Replace(whole[3], `,"args":{"namespace":"shop"}`, args, 1)
		require.NotEqual(t, whole[3], lines[3])
		lines[4] = whole[4][:strings.Index(whole[4], `,"items"`)] + `,"items":[]}`
		r := judge(t, lines)
		i := slices.IndexFunc(r.Rules, func(rr harness.RuleResult) bool { return rr.Rule == "list/snapshot" })
		require.Equal(t, harness.Fail, r.Rules[i].Verdict, "%q", args)
	}
}

// The tables of SCHEMA.md use the words of the code.
func TestSchemaNamesTheVocabulary(t *testing.T) {
	doc, err := os.ReadFile("SCHEMA.md")
	require.NoError(t, err)
	for _, kind := range []string{
		history.Settled, history.Ended, history.Stopped, history.Left, history.GaveUp, history.Panic, history.Exited, history.ProtocolError,
		replay.Create, replay.Update, replay.Patch, replay.Delete, replay.DeleteCollection, replay.Get, replay.List, replay.Watch,
		replay.Added, replay.Modified, replay.Deleted, replay.Bookmark, replay.Errored,
	} {
		assert.True(t, bytes.Contains(doc, []byte("`"+kind+"`")), kind)
	}
	schema, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	for _, word := range slices.Concat(jsonNames[metav1.ListOptions](), jsonNames[replay.ListBody](), jsonNames[metav1.ShardInfo]()) {
		if word != "watch" { // that is the verb
			assert.True(t, bytes.Contains(doc, []byte("`"+word+"`")), word)
			assert.True(t, bytes.Contains(schema, []byte(`"`+word+`": {`)), word)
		}
	}
	for _, word := range []string{replay.InitialEventsEnd, replay.Foreign} {
		assert.True(t, bytes.Contains(doc, []byte(word)), word)
	}
}
