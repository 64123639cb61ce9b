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
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

var fence = regexp.MustCompile("(?s)```([a-z]*)\n(.*?)```")

// fenced are the texts in fences of this language in SCHEMA.md.
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

// The words of SCHEMA.md about its example are held against the rules.
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
	got := watchcache.Suite.Describe().Explain(r.Rules[i])
	got = got[strings.Index(got, "  want"):strings.Index(got, "  why")]
	assert.Equal(t, fenced(t, "text")[0], got, "SCHEMA.md shows this failure")
}

// without leaves out one line of a file and counts on, as SCHEMA.md says.
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

// jsonNames are the fields of a struct as JSON has them.
func jsonNames[T any]() []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "kind" && name != "apiVersion" {
			out = append(out, name)
		}
	}
	return out
}

// The tables of SCHEMA.md have the words of the code.
func TestSchemaNamesTheVocabulary(t *testing.T) {
	doc, err := os.ReadFile("SCHEMA.md")
	require.NoError(t, err)
	for _, kind := range []string{
		history.Settled, history.Ended, history.Stopped, history.Left, history.GaveUp, history.Panic, history.Exited,
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
