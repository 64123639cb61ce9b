package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	head   = `{"lwtest":"history/v1","kind":"toy","time":"real"}`
	first  = `{"n":1,"phase":"call","actor":"c1","kind":"GET","obj":{"key":"a"}}`
	second = `{"n":2,"call":1,"phase":"return","actor":"c1","kind":"GET","obj":{"key":"a","rv":"5"}}`
	third  = `{"n":3,"actor":"w1","kind":"ADDED","obj":{"key":"a","rv":"5"}}`
	foot   = `{"end":true,"events":3}`
)

func file(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func written(t *testing.T, h *History) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, h.Write(&b))
	return b.String()
}

func read(t *testing.T, s string) *History {
	t.Helper()
	h, err := Read(strings.NewReader(s))
	require.NoError(t, err)
	return h
}

func TestRoundTrip(t *testing.T) {
	for seed := range int64(300) {
		header, events := randomHistory(seed, 40)
		h, err := New(header, events)
		require.NoError(t, err)
		text := written(t, h)
		again := read(t, text)
		require.Equal(t, h.Header, again.Header, "seed %d", seed)
		require.Equal(t, len(h.Events), len(again.Events), "seed %d", seed)
		for i := range h.Events {
			require.Equal(t, plain(&h.Events[i]), plain(&again.Events[i]), "seed %d", seed)
		}
		require.Equal(t, text, written(t, again), "seed %d", seed)
		require.False(t, again.Truncated)
		require.Equal(t, h.pages, again.pages)
		require.Equal(t, h.keys, again.keys)
		require.Equal(t, h.Actors(), again.Actors())
	}
}

// An empty list of features differs from an absent one.
func TestFeaturesAreEmptyOrUnknown(t *testing.T) {
	for field, want := range map[string][]string{
		``: nil, `,"features":null`: nil, `,"features":[]`: {}, `,"features":["pages"]`: {"pages"},
	} {
		h := read(t, file(`{"lwtest":"history/v1","kind":"toy"`+field+`,"time":"real"}`, `{"end":true,"events":0}`))
		assert.Equal(t, want, h.Header.Features, field)
		assert.Equal(t, want, read(t, written(t, h)).Header.Features, field)
	}
}

// plain returns an event without what differs between two interners.
func plain(e *Event) string {
	b, err := json.Marshal(toLine(e))
	if err != nil {
		panic(err)
	}
	s := fmt.Sprintf("%s k=%d n=%d", b, e.Obj.K, e.Obj.N)
	if e.X != nil {
		for _, r := range e.X.Items {
			s += fmt.Sprintf(" k=%d n=%d", r.K, r.N)
		}
	}
	return s
}

func TestWriterWritesEachEventAtOnce(t *testing.T) {
	w := &chunks{}
	hw, err := NewWriter(w, Header{Kind: "toy", Time: RealTime})
	require.NoError(t, err)
	require.NoError(t, hw.Write(&Event{Num: 1, Actor: "a", Kind: "K", X: &Ext{Items: []Ref{}}}))
	require.NoError(t, hw.Close(1))
	require.Equal(t, chunks{
		`{"lwtest":"history/v1","kind":"toy","time":"real"}` + "\n",
		`{"n":1,"actor":"a","kind":"K","items":[]}` + "\n",
		`{"end":true,"events":1}` + "\n",
	}, *w)
}

type chunks []string

func (c *chunks) Write(p []byte) (int, error) {
	*c = append(*c, string(p))
	return len(p), nil
}

func TestWriteStopsAtTheFirstError(t *testing.T) {
	h := read(t, file(head, first, second, third, foot))
	full := errors.New("no space left")
	require.ErrorIs(t, h.Write(&failing{after: 1, err: full}), full)

	h.Events[1].X = &Ext{Args: []byte("{no json")}
	var b bytes.Buffer
	require.Error(t, h.Write(&b))
	assert.NotContains(t, b.String(), `"end"`, "a history with a hole must not look complete")
}

type failing struct {
	after int
	err   error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, f.err
	}
	return len(p), nil
}

func TestReadAccepts(t *testing.T) {
	for _, c := range []struct {
		name, in  string
		events    int
		truncated bool
	}{
		{"a whole file", file(head, first, second, third, foot), 3, false},
		{"without a last line end", strings.TrimSuffix(file(head, first, second, third, foot), "\n"), 3, false},
		{"line ends of Windows", strings.ReplaceAll(file(head, first, second, third, foot), "\n", "\r\n"), 3, false},
		{"empty lines", file(head, "", first, "  ", second, third, foot, "", ""), 3, false},
		{"nothing but a header", file(head), 0, true},
		{"no events", file(head, `{"end":true,"events":0}`), 0, false},
		{"no footer", file(head, first, second, third), 3, true},
		{"a call without an answer", file(head, first), 1, true},
		{"a cut last event", file(head, first, second) + third[:20], 2, true},
		{"a cut last event, cut within a letter", file(head, first, second) + `{"n":3,"actor":"` + "\xc3", 2, true},
		{"a cut footer", file(head, first, second, third) + foot[:8], 3, true},
		{"a last event without its line end", file(head, first, second) + third, 3, true},
		{"unknown fields", file(strings.Replace(head, "{", `{"by":"me","n":7,`, 1), strings.Replace(first, "{", `{"note":{"x":[1]},`, 1), `{"end":true,"events":1,"ok":1}`), 1, false},
		{"notice spelled out", file(head, `{"n":1,"phase":"notice","actor":"a","kind":"K"}`, `{"end":true,"events":1}`), 1, false},
		{"nulls", file(head, `{"n":1,"actor":"a","kind":"K","obj":null,"items":null,"err":null,"args":null,"body":null}`, `{"end":true,"events":1}`), 1, false},
		{"a huge line", file(head, first, `{"n":2,"call":1,"phase":"return","actor":"c1","kind":"GET","obj":{"body":"`+strings.Repeat("x", 1<<20)+`"}}`), 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := read(t, c.in)
			assert.Len(t, h.Events, c.events)
			assert.Equal(t, c.truncated, h.Truncated)
			again := read(t, written(t, h))
			assert.Equal(t, c.truncated, again.Truncated, "a truncated history stays so when it is written again")
		})
	}
}

func TestReadRefuses(t *testing.T) {
	at := func(n int, line string) string {
		lines := []string{head, first, second, third, foot}
		lines[n-1] = line
		return file(lines...)
	}
	for _, c := range []struct{ name, in, want string }{
		{"an empty file", "", "line 1: empty: a history begins with a header"},
		{"text", "hello\n", "line 1: not a header: invalid character 'h'"},
		{"another JSON", `[1]` + "\n", "line 1: not a header"},
		{"a byte order mark", "\ufeff" + file(head, first), "line 1: not a header: it begins with a byte order mark: save it as UTF-8 without one"},
		{"a list for an event", at(2, `[1]`), "line 2: a JSON array where an object is wanted"},
		{"a report", `{"lwtest":"report/v1"}` + "\n", `line 1: format is "report/v1", this lwtest reads "history/v1"`},
		{"no header", file(first, second), `line 1: format is ""`},
		{"no kind", file(`{"lwtest":"history/v1","time":"real"}`), "line 1: kind is missing"},
		{"no clock", file(`{"lwtest":"history/v1","kind":"toy"}`), `line 1: time is "": say "virtual" or "real"`},
		{"a header of wrong types", file(`{"lwtest":"history/v1","kind":7}`), `line 1: not a header: field "kind" holds a JSON number: want a string`},
		{"a cut header", head[:20], "line 1: not a header: unexpected end of JSON input"},
		{"broken in the middle", at(3, second[:30]), "line 3: unexpected end of JSON input"},
		{"broken at the end, but not cut", file(head, first, "{broken}"), "line 3: invalid character 'b'"},
		{"broken at the end, no line end", file(head, first) + "{broken}", "line 3: invalid character 'b'"},
		{"zeros of a crashed disk", file(head, first) + "\x00\x00\x00", "line 3: invalid character"},
		{"a wrong type", at(3, `{"n":"2"}`), `line 3: field "n" holds a JSON string: want a whole number below 2147483648`},
		{"a gap", file(head, first, third), `line 3: event number is 3, want 2 (field "n", from 1)`},
		{"a number twice", file(head, first, first), "line 3: event number is 1, want 2"},
		{"a number too large", file(head, `{"n":4294967297,"actor":"a","kind":"K"}`), `line 2: field "n" holds a JSON number 4294967297: want a whole number below 2147483648`},
		{"no actor", at(2, `{"n":1,"kind":"GET"}`), "line 2: actor or kind is missing"},
		{"no kind of event", at(2, `{"n":1,"actor":"c1"}`), "line 2: actor or kind is missing"},
		{"a phase of its own", at(2, `{"n":1,"actor":"c1","kind":"GET","phase":"request"}`), `line 2: phase is "request": say call, return or notice`},
		{"a list of numbers", at(2, `{"n":1,"actor":"c1","kind":"GET","items":[1]}`), `line 2: field "items" holds a JSON number: want an object`},
		{"a label that is no text", at(2, `{"n":1,"actor":"c1","kind":"GET","obj":{"labels":{"a":1}}}`), `line 2: field "obj.labels" holds a JSON number: want a string`},
		{"a version that is a number", at(2, `{"n":1,"actor":"c1","kind":"GET","obj":{"rv":5}}`), `line 2: field "obj.rv" holds a JSON number: want a string`},
		{"a call to come", at(3, `{"n":2,"call":3,"actor":"c1","kind":"GET"}`), "line 3: event #2 belongs to call #3, which is not before it"},
		{"its own call", at(3, `{"n":2,"call":2,"actor":"c1","kind":"GET"}`), "line 3: event #2 belongs to call #2, which is not before it"},
		{"a negative call", at(3, `{"n":2,"call":-1,"actor":"c1","kind":"GET"}`), "line 3: event #2 belongs to call #-1"},
		{"a return of nothing", at(2, `{"n":1,"phase":"return","actor":"c1","kind":"GET"}`), "line 2: event #1 is a return without a call"},
		{"a return of a notice", file(head, `{"n":1,"actor":"w1","kind":"ADDED"}`, `{"n":2,"call":1,"phase":"return","actor":"w1","kind":"ADDED"}`), "line 3: event #2 belongs to #1, which is a notice and not a call"},
		{"a second return", at(4, `{"n":3,"call":1,"phase":"return","actor":"c1","kind":"GET"}`), "line 4: event #3: call #1 has returned before"},
		{"a return of another kind", at(3, `{"n":2,"call":1,"phase":"return","actor":"c1","kind":"CREATE"}`), "line 3: event #2 is the return of CREATE by c1, but call #1 is GET by c1"},
		{"a return to another actor", at(3, `{"n":2,"call":1,"phase":"return","actor":"c2","kind":"GET"}`), "line 3: event #2 is the return of GET by c2, but call #1 is GET by c1"},
		{"a footer that miscounts", at(5, `{"end":true,"events":4}`), "line 5: the footer counts 4 events, there are 3"},
		{"an event after the footer", file(head, first, second, third, foot, `{"n":4,"actor":"a","kind":"K"}`), "line 6: unexpected line after the footer"},
		{"two footers", file(head, first, second, third, foot, foot), "line 6: unexpected line after the footer"},
		{"two histories in one", file(head, first, second, third, foot, head), "line 6: unexpected line after the footer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.in))
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
		})
	}
}

// A history can be read wherever its writer was killed.
func TestEveryCutIsTruncation(t *testing.T) {
	whole := file(head, first, second, third, foot)
	for n := len(head); n < len(whole); n++ {
		h, err := Read(strings.NewReader(whole[:n]))
		require.NoError(t, err, "cut after %q", whole[:n])
		assert.Equal(t, n < len(whole)-1, h.Truncated, "cut after %d of %d", n, len(whole))
		events := 0
		for i := range 3 { // those that are there to their last brace
			if n >= len(file([]string{head, first, second, third}[:i+2]...))-1 {
				events++
			}
		}
		assert.Len(t, h.Events, events, "cut after %d", n)
	}
}

func TestReadGivesErrorsOfTheReader(t *testing.T) {
	broken := errors.New("stale file handle")
	for _, whole := range []string{"", file(head, first)} {
		_, err := Read(iotest.DataErrReader(&brokenAfter{whole, broken}))
		require.ErrorIs(t, err, broken)
		assert.Contains(t, err.Error(), "line ")
	}
}

type brokenAfter struct {
	text string
	err  error
}

func (b *brokenAfter) Read(p []byte) (int, error) {
	if b.text == "" {
		return 0, b.err
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

func TestReadFileNamesTheFile(t *testing.T) {
	_, err := ReadFile(filepath.Join(t.TempDir(), "none.jsonl"))
	require.ErrorIs(t, err, os.ErrNotExist)

	path := filepath.Join(t.TempDir(), "bad.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o666))
	_, err = ReadFile(path)
	require.ErrorContains(t, err, "bad.jsonl: line 1")

	require.NoError(t, os.WriteFile(path, []byte(file(head, first, second, third, foot)), 0o666))
	h, err := ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "toy", h.Header.Kind)
}

func TestNewRefusesWhatDoesNotPair(t *testing.T) {
	_, err := New(Header{}, []Event{{Actor: "a", Kind: "K", Phase: Return}})
	require.ErrorContains(t, err, "event #1 is a return without a call")
	h, err := New(Header{}, []Event{{Actor: "a", Kind: "K", Phase: Call}, {Actor: "b", Kind: "L", Phase: Call, Call: 1}})
	require.NoError(t, err, "a call may belong to another")
	assert.Equal(t, Format, h.Header.Format)
}

func TestPhaseNames(t *testing.T) {
	assert.Equal(t, "notice", Notice.String())
	assert.Equal(t, "call", Call.String())
	assert.Equal(t, "return", Return.String())
	assert.Equal(t, "phase 9", Phase(9).String())
}

// Steps of a story stand between the events, are not counted as events, and keep their place.
func TestStepsAreKept(t *testing.T) {
	h, err := New(Header{Kind: "k", Time: VirtualTime, Story: json.RawMessage(`{"kind":"k"}`)}, []Event{{Actor: "a", Kind: "ONE"}, {Actor: "a", Kind: "TWO"}})
	require.NoError(t, err)
	h.Steps = []Step{{Num: 1, Text: "begin"}, {Num: 2, Text: "go on", Skipped: "no use", After: 1}, {Num: 3, Text: "go on", At: 7, After: 1}, {Num: 4, Text: "end", After: 2}}
	text := written(t, h)
	back := read(t, text)
	assert.Equal(t, h.Steps, back.Steps)
	assert.Equal(t, h.Header.Story, back.Header.Story)
	assert.Equal(t, text, written(t, back))
	assert.Len(t, back.Events, 2)
	assert.Equal(t, 6, back.Line(2), "the line of an event counts those of steps")
	assert.Equal(t, "  step 3: go on\n  a\nx #2   <- TWO\n", back.Timeline([]int32{2}))
}

func TestStepsBehindTheFooter(t *testing.T) {
	_, err := Read(strings.NewReader("{\"lwtest\":\"history/v1\",\"kind\":\"k\",\"time\":\"real\"}\n{\"end\":true,\"events\":0}\n{\"step\":1}\n"))
	assert.ErrorContains(t, err, "line 3: unexpected line after the footer")
}
