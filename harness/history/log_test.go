package history

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logged returns a history with everything that an event may have, and with objects that come again.
func logged(t *testing.T) *History {
	t.Helper()
	var in Interner
	a := Ref{Key: "ns/a", UID: "u", RV: "3", Body: `{"x":"<&>"}`, Labels: in.Set(map[string]string{"l": "1"}), Meta: in.Set(map[string]string{"m": "2"})}
	b := Ref{Key: "ns/b", RV: "4", Fields: in.Set(map[string]string{"f": "1"})}
	h, err := New(Header{Kind: "k", Time: RealTime, Features: []string{}}, []Event{
		{Phase: Call, Actor: "c", Kind: "LIST", X: &Ext{Args: []byte(`{"limit":3}`)}},
		{Phase: Return, Call: 1, Actor: "c", Kind: "LIST", At: 5, X: &Ext{Items: []Ref{a, b, a}, Body: []byte(`{"n":1}`)}},
		{Phase: Call, Actor: "c", Kind: "LIST"},
		{Phase: Return, Call: 3, Actor: "c", Kind: "LIST", X: &Ext{Items: []Ref{}}},
		{Actor: "w", Kind: "ADDED", Call: 1, Obj: a},
		{Actor: "w", Kind: "ERROR", X: &Ext{Err: &Error{Code: 410, Reason: "Expired", Definite: true}}},
	})
	require.NoError(t, err)
	return h
}

func asJSON(t *testing.T, h *History) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, h.Write(&b))
	return b.String()
}

// ReadLog returns the complete events of a log wherever it is cut, and reports that it was cut.
func TestLog(t *testing.T) {
	h := logged(t)
	var b bytes.Buffer
	l, err := NewLog(&b, h.Header)
	require.NoError(t, err)
	head := b.Len()
	for i := range h.Events {
		require.NoError(t, l.Write(&h.Events[i]))
	}
	h.Steps = []Step{{Num: 1, At: 3, Text: "end the watches", Skipped: "there are none", After: int32(len(h.Events))}}
	require.NoError(t, l.WriteStep(&h.Steps[0]))
	require.NoError(t, l.Close())
	got, err := ReadLog(bytes.NewReader(b.Bytes()))
	require.NoError(t, err)
	assert.Equal(t, asJSON(t, h), asJSON(t, got))
	assert.False(t, got.Truncated)
	for n := range b.Len() {
		got, err := ReadLog(bytes.NewReader(b.Bytes()[:n]))
		if n < head {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err, n)
		assert.True(t, got.Truncated)
		assert.True(t, strings.HasPrefix(asJSON(t, h), asJSON(t, got)), n)
	}
}

func TestLogOfNothing(t *testing.T) {
	_, err := ReadLog(strings.NewReader(""))
	assert.ErrorContains(t, err, "no header")
	_, err = ReadLog(strings.NewReader("garbage"))
	assert.Error(t, err)
}

// Compressed and plain histories can be read. One that was compressed event by event and cut off is truncated, as a plain one is.
func TestReadCompressed(t *testing.T) {
	h := logged(t)
	var b bytes.Buffer
	require.NoError(t, h.WriteCompressed(&b))
	file := filepath.Join(t.TempDir(), "h.jsonl.gz")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	got, err := ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, asJSON(t, h), asJSON(t, got))
	_, err = Read(bytes.NewReader(b.Bytes()[:b.Len()-20]))
	assert.Error(t, err, "there is no header")
	b.Reset()
	z := gzip.NewWriter(&b)
	w, err := NewWriter(z, h.Header)
	require.NoError(t, err)
	require.NoError(t, w.Write(&h.Events[0]))
	require.NoError(t, z.Flush())
	got, err = Read(&b)
	require.NoError(t, err)
	assert.True(t, got.Truncated)
	assert.Len(t, got.Events, 1)
	_, err = Read(strings.NewReader("\x1f\x8bgarbage"))
	assert.ErrorContains(t, err, "gzip")
}

func BenchmarkWrite(b *testing.B) {
	items := make([]Ref, 1000)
	var in Interner
	for i := range items {
		items[i] = Ref{Key: "ns/" + strings.Repeat("a", i%30), RV: "7", Body: strings.Repeat("x", 100), Labels: in.Set(map[string]string{"app": "x"})}
	}
	e := Event{Num: 1, Phase: Return, Actor: "c", Kind: "LIST", X: &Ext{Items: items}}
	b.Run("json", func(b *testing.B) {
		w, _ := NewWriter(io.Discard, Header{})
		for b.Loop() {
			_ = w.Write(&e)
		}
	})
	b.Run("log", func(b *testing.B) {
		w, _ := NewLog(io.Discard, Header{})
		for b.Loop() {
			_ = w.Write(&e)
		}
	})
	b.Run("gzip", func(b *testing.B) {
		z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
		w, _ := NewWriter(z, Header{})
		for b.Loop() {
			_ = w.Write(&e)
		}
	})
}
