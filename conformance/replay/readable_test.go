package replay

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// trace reads events as lines; n is filled in.
func trace(t *testing.T, lines ...string) *history.History {
	t.Helper()
	text := `{"lwtest":"history/v1","kind":"watchcache","time":"real"}` + "\n"
	for i, l := range lines {
		text += strings.Replace(l, "{", `{"n":`+string(rune('1'+i))+`,"actor":"c",`, 1) + "\n"
	}
	h, err := history.Read(strings.NewReader(text))
	require.NoError(t, err)
	return h
}

func TestReadableNamesLineAndField(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"phase":"call","kind":"WATCH","args":{"resourceVersion":11}}`, "line 2: WATCH: args.resourceVersion is a JSON number, want a string"},
		{`{"phase":"call","kind":"LIST","args":{"limit":"500"}}`, "line 2: LIST: args.limit is a JSON string, want an integer"},
		{`{"phase":"call","kind":"LIST","args":{"limit":1.5}}`, "args.limit is a JSON number 1.5, want an integer"},
		{`{"phase":"call","kind":"WATCH","args":{"timeoutSeconds":"300"}}`, "args.timeoutSeconds is a JSON string, want an integer"},
		{`{"phase":"call","kind":"WATCH","args":{"allowWatchBookmarks":"true"}}`, "args.allowWatchBookmarks is a JSON string, want true or false"},
		{`{"phase":"call","kind":"WATCH","args":{"sendInitialEvents":1}}`, "args.sendInitialEvents is a JSON number, want true or false"},
		{`{"phase":"call","kind":"LIST","args":{"labelSelector":{"app":"one"}}}`, "args.labelSelector is a JSON object, want a string"},
		{`{"phase":"call","kind":"LIST","args":[]}`, "args is a JSON array, want an object"},
		{`{"phase":"call","kind":"WATCH","args":"labelSelector=app"}`, "args is a JSON string, want an object"},
		{`{"phase":"call","kind":"GET","args":{"name":7}}`, "args.name is a JSON number, want a string"},
		{`{"phase":"call","kind":"DELETECOLLECTION","args":{"dryRun":"All"}}`, "args.dryRun is a JSON string, want true or false"},
		{`{"phase":"call","kind":"CREATE","args":{"dryRun":"All"}}`, "line 2: CREATE: args.dryRun is a JSON string, want true or false"},
		{`{"phase":"call","kind":"DELETE","args":{"dryRun":["All"]}}`, "args.dryRun is a JSON array, want true or false"},
		{`{"phase":"call","kind":"PATCH","args":{"fieldManager":1}}`, "args.fieldManager is a JSON number, want a string"},
		{`{"phase":"call","kind":"PATCH","args":"dryRun"}`, "args is a JSON string, want an object"},
		{`{"phase":"call","kind":"watch","args":{}}`, "line 2: watch: there is no such kind: say WATCH"},
		{`{"phase":"call","kind":"DeleteCollection","args":{}}`, "there is no such kind: say DELETECOLLECTION"},
		{`{"kind":"Added","obj":{"key":"a/x"}}`, "there is no such kind: say ADDED"},
		{`{"kind":"settled"}`, "there is no such kind: say SETTLED"},
		{`{"kind":"gave-up"}`, "there is no such kind: say GAVE-UP"},
	} {
		assert.ErrorContains(t, Readable(trace(t, c.line)), c.want, c.line)
	}
	for _, kind := range []string{Create, Update, Patch, Get} {
		call := `{"phase":"call","kind":"` + kind + `","obj":{"key":"a/x"}}`
		answer := `{"call":1,"phase":"return","kind":"` + kind + `"`
		assert.ErrorContains(t, Readable(trace(t, call, answer+`}`)), "line 3: "+kind+": it has neither obj nor err")
		assert.NoError(t, Readable(trace(t, call, answer+`,"obj":{"key":"a/x"}}`)))
		assert.NoError(t, Readable(trace(t, call, answer+`,"err":{"code":409,"msg":"m"}}`)))
		h := trace(t, call, answer+`}`)
		h.Header.Check = "watchcache/x"
		assert.NoError(t, Readable(h), "a check records what it was given")
	}
	list := `{"phase":"call","kind":"LIST","args":{}}`
	err := Readable(trace(t, list, `{"call":1,"phase":"return","kind":"LIST","obj":{"rv":"1"},"items":[],"body":{"continue":5}}`))
	assert.ErrorContains(t, err, "line 3: LIST: body.continue is a JSON number, want a string")
	for _, answer := range []string{`"items":null`, `"body":{}`, `"obj":{},"at":1`} {
		err := Readable(trace(t, list, `{"call":1,"phase":"return","kind":"LIST",`+answer+`}`))
		assert.ErrorContains(t, err, "line 3: LIST: it has neither items nor a resourceVersion", answer)
	}
}

// What is legal: nothing, null, a trace's own fields in any spelling, kinds of
// its own, and selectors that no server can read.
func TestReadableTakesWhatIsLegal(t *testing.T) {
	for _, line := range []string{
		`{"phase":"call","kind":"LIST"}`, `{"phase":"call","kind":"LIST","args":null}`, `{"phase":"call","kind":"WATCH","args":{"timeoutSeconds":null}}`,
		`{"phase":"call","kind":"LIST","args":{"Limit":"x","LIMIT":[],"watch":"true","Kind":1,"kind":2,"apiVersion":3,"user":{}}}`,
		`{"phase":"call","kind":"UPDATE","args":{"DryRun":"All","userAgent":1}}`, `{"phase":"call","kind":"UPDATE","args":{"dryRun":true}}`,
		`{"phase":"call","kind":"LIST","args":{"labelSelector":"app in (("}}`, `{"phase":"call","kind":"LIST","args":{"shardSelector":"bad"}}`,
		`{"phase":"call","kind":"EXEC","args":"ls"}`, `{"kind":"log","body":1}`,
	} {
		assert.NoError(t, Readable(trace(t, line)), line)
	}
	refused := trace(t, `{"phase":"call","kind":"LIST","args":{}}`, `{"call":1,"phase":"return","kind":"LIST","err":{"code":410},"body":{"continue":"t"}}`)
	assert.NoError(t, Readable(refused))
}

// A list's answer that has a resourceVersion and no items is an empty list.
func TestListWithoutItemsIsEmpty(t *testing.T) {
	for _, items := range []string{"", `,"items":null`, `,"items":[]`} {
		h := trace(t, `{"phase":"call","kind":"LIST"}`, `{"call":1,"phase":"return","kind":"LIST","obj":{"rv":"7"}`+items+`}`)
		require.NoError(t, Readable(h), items)
		require.Len(t, Of(h).Lists, 1, "%q", items)
		assert.Equal(t, "7", Of(h).Lists[0].RV)
		assert.Empty(t, Objects(h.Event(2)), "%q", items)
	}
}

// Arguments are known by their exact names.
func TestArgsAreExact(t *testing.T) {
	a, err := ParseArgs(json.RawMessage(`{"limit":2,"Limit":3,"NAMESPACE":"b","namespace":"a","DryRun":true,"Watch":5}`))
	require.NoError(t, err)
	assert.Equal(t, Args{Namespace: "a", Options: metav1.ListOptions{Limit: 2}}, a)
	h := trace(t, `{"phase":"call","kind":"CREATE","args":{"DryRun":true}}`)
	assert.False(t, IsDryRun(h.Event(1)))
}

// Every argument comes back as it was written.
func TestArgsThereAndBack(t *testing.T) {
	yes, six := true, int64(6)
	full := metav1.ListOptions{LabelSelector: "a", FieldSelector: "b", AllowWatchBookmarks: true, ResourceVersion: "1", ResourceVersionMatch: "Exact",
		TimeoutSeconds: &six, Limit: 7, Continue: "c", SendInitialEvents: &yes, ShardSelector: "s"}
	for i := range reflect.TypeFor[metav1.ListOptions]().NumField() {
		if name := reflect.TypeFor[metav1.ListOptions]().Field(i).Name; name != "TypeMeta" && name != "Watch" {
			require.False(t, reflect.ValueOf(full).Field(i).IsZero(), "%s is new: is it an argument?", name)
		}
	}
	want := Args{Namespace: "n", Name: "m", Options: full, DryRun: true}
	b, err := json.Marshal(want.Flat())
	require.NoError(t, err)
	got, err := ParseArgs(b)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// A list or a watch whose selectors cannot be read is right where it is refused,
// and undecided where it is served.
func TestServedThoughNobodyCanReadIt(t *testing.T) {
	list, watch := `{"phase":"call","kind":"LIST","args":{"labelSelector":"app in (("}}`, `{"phase":"call","kind":"WATCH","args":{"fieldSelector":"a"}}`
	open, added, ended := `{"call":1,"phase":"return","kind":"WATCH"}`, `{"call":1,"kind":"ADDED","obj":{"key":"a/x"}}`, `{"call":1,"kind":"ERROR","err":{"code":400}}`
	for _, c := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"a list is served", []string{list, `{"call":1,"phase":"return","kind":"LIST","obj":{"rv":"1"},"items":[]}`}, true},
		{"a list is refused", []string{list, `{"call":1,"phase":"return","kind":"LIST","err":{"code":400}}`}, false},
		{"no answer", []string{list}, false},
		{"a watch is open", []string{watch, open}, true},
		{"a watch brings something", []string{watch, added}, true},
		{"and then ends", []string{watch, open, added, ended}, true},
		{"a watch is refused", []string{watch, `{"call":1,"phase":"return","kind":"WATCH","err":{"code":400}}`}, false},
		{"a watch is refused in its stream", []string{watch, open, ended}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := trace(t, c.lines...)
			require.NoError(t, Readable(h))
			assert.Equal(t, c.want, Of(h).NotRead != "", Of(h).NotRead)
			if c.want {
				assert.Contains(t, Of(h).NotRead, "#1 was answered")
			}
		})
	}
}
