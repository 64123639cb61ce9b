package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzRead checks that Read never panics, and that what it reads is the same after a Write and a Read.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b)
	}
	for seed := range int64(20) {
		var b bytes.Buffer
		h, events := randomHistory(seed, 8)
		made, err := New(h, events)
		require.NoError(f, err)
		require.NoError(f, made.Write(&b))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := Read(bytes.NewReader(b))
		if err != nil {
			require.Regexp(t, `^line \d+: `, err.Error())
			return
		}
		text := written(t, h)
		again := read(t, text)
		require.Equal(t, text, written(t, again))
		require.Equal(t, h.Header, again.Header)
		require.Equal(t, h.Truncated, again.Truncated)
		require.Equal(t, len(h.Events), len(again.Events))
		require.Equal(t, h.pages, again.pages)
		require.Equal(t, h.keys, again.keys)
		numbers := make([]int32, len(h.Events))
		for i := range h.Events {
			numbers[i] = int32(i + 1)
			require.NotEmpty(t, h.Describe(&h.Events[i]))
		}
		require.Equal(t, h.Timeline(numbers), again.Timeline(numbers))
	})
}
