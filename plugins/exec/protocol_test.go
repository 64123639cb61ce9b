package exec

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// example is one line of testdata/examples.jsonl, which plugins/adapter goes through, too: a request, and what
// answers it, or an event.
type example struct {
	Op      string          `json:"op"`
	Request json.RawMessage `json:"request"`
	Answer  json.RawMessage `json:"answer"`
	Err     json.RawMessage `json:"err"`
	Ev      string          `json:"ev"`
	line    []byte
}

func examples(t *testing.T) (out []example) {
	t.Helper()
	b, err := os.ReadFile("testdata/examples.jsonl")
	require.NoError(t, err)
	for lines := bufio.NewScanner(bytes.NewReader(b)); lines.Scan(); {
		e := example{line: bytes.Clone(lines.Bytes())}
		require.NoError(t, json.Unmarshal(e.line, &e), "%s", e.line)
		out = append(out, e)
	}
	return out
}

// same reads a message strictly as one like of, and wants it written as it was.
func same(t *testing.T, of any, message []byte, seen map[string]bool) {
	t.Helper()
	v := reflect.New(reflect.TypeOf(of))
	d := json.NewDecoder(bytes.NewReader(message))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(v.Interface()), "%s", message)
	again, err := json.Marshal(v.Interface())
	require.NoError(t, err)
	assert.JSONEq(t, string(message), string(again))
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(message, &fields))
	for name := range fields {
		seen[reflect.TypeOf(of).Name()+"."+name] = true
	}
}

// Every message has examples, in which each of its fields is set.
func TestExamples(t *testing.T) {
	t.Parallel()
	ops, evs := map[string]Op{}, map[string]Ev{}
	wanted, seen := map[string]bool{}, map[string]bool{}
	for _, o := range Ops() {
		ops[o.Name] = o
		want(wanted, o.Request, o.Reply)
	}
	for _, e := range Evs() {
		evs[e.Name] = e
		want(wanted, e.Fields)
	}
	want(wanted, Failure{})
	for _, e := range examples(t) {
		if e.Ev != "" {
			ev, ok := evs[e.Ev]
			require.True(t, ok, "there is no event %s", e.Ev)
			seen[e.Ev] = true
			same(t, ev.Fields, without(t, e.line, "ev"), seen)
			continue
		}
		op, ok := ops[e.Op]
		require.True(t, ok, "there is no op %s", e.Op)
		seen[e.Op] = true
		same(t, op.Request, e.Request, seen)
		if e.Answer != nil {
			same(t, op.Reply, e.Answer, seen)
		}
		if e.Err != nil {
			same(t, Failure{}, e.Err, seen)
		}
	}
	for _, o := range Ops() {
		assert.True(t, seen[o.Name], "no example of %s", o.Name)
	}
	for _, e := range Evs() {
		assert.True(t, seen[e.Name], "no example of the event %s", e.Name)
	}
	for field := range wanted {
		assert.True(t, seen[field], "no example sets %s", field)
	}
}

// want adds the fields of messages.
func want(fields map[string]bool, messages ...any) {
	for _, m := range messages {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(m)) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				fields[reflect.TypeOf(m).Name()+"."+name] = true
			}
		}
	}
}

func without(t *testing.T, line []byte, field string) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(line, &fields))
	delete(fields, field)
	b, err := json.Marshal(fields)
	require.NoError(t, err)
	return b
}

// What a request is on the wire.
func TestRequestLine(t *testing.T) {
	t.Parallel()
	line, err := request(3, "store.list", Store{"s1"})
	require.NoError(t, err)
	assert.Equal(t, `{"id":3,"op":"store.list","h":"s1"}`, string(line))
	line, err = request(4, "barrier", Nothing{})
	require.NoError(t, err)
	assert.Equal(t, `{"id":4,"op":"barrier"}`, string(line))
}
