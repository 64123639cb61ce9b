package fuzz_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/fuzz"
)

// Stories that reach something new are kept in the corpus, and read and varied in the next run.
func TestCorpus(t *testing.T) {
	o := options("informer/streams", 60)
	o.Blind, o.Corpus = false, filepath.Join(t.TempDir(), "corpus")
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Positive(t, r.Triples)
	files, err := filepath.Glob(filepath.Join(o.Corpus, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	_, err = informer.Suite.Describe().Story(b)
	require.NoError(t, err)
	_, err = fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	again, err := filepath.Glob(filepath.Join(o.Corpus, "*.json"))
	require.NoError(t, err)
	grown := len(again)
	assert.Less(t, grown-len(files), len(files)/2, "the second run adds only what is new")
	require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o666))
	_, err = fuzz.Run(t.Context(), o)
	require.ErrorContains(t, err, files[0]+", a story of the corpus, is no JSON: delete it")
	after, err := filepath.Glob(filepath.Join(o.Corpus, "*.json"))
	require.NoError(t, err)
	assert.Len(t, after, grown, "it is not copied")
	require.NoError(t, os.WriteFile(files[0], []byte(`{"lwtest":"story/v1","kind":"informer","steps":[{"op":"a word that is gone"}]}`), 0o666))
	_, err = fuzz.Run(t.Context(), o)
	require.NoError(t, err, "it is left out")
}

// Around a story each fault is played at each place, and no more.
func TestAround(t *testing.T) {
	o := options("informer/streams", 1000)
	o.Around = []byte(`{"lwtest":"story/v1","kind":"informer","steps":[{"op":"start"},{"op":"settle"}]}`)
	k := informer.Suite.Describe()
	s, err := k.Story(o.Around)
	require.NoError(t, err)
	n, ith := k.Language.Around(s, false)
	seen := map[string]bool{}
	for i := range n {
		b, err := ith(i).JSON()
		require.NoError(t, err)
		_, err = k.Story(b)
		require.NoError(t, err)
		seen[string(b)] = true
	}
	assert.Len(t, seen, n)
	pairs, ith := k.Language.Around(s, true)
	faults := n / (s.Len() + 1)
	assert.Equal(t, faults*faults*(1+2+3), pairs, "two places of three, or the same")
	distinct := map[string]bool{}
	for i := range pairs {
		b, err := ith(i).JSON()
		require.NoError(t, err)
		distinct[string(b)] = true
	}
	assert.Len(t, distinct, pairs)
	assert.Greater(t, ith(pairs-1).Len(), s.Len()+1)
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, n, r.Stories)
	assert.Empty(t, r.Failed)
}

func TestMerge(t *testing.T) {
	o := options("informer/emptied-kept", 60)
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	require.NotEmpty(t, r.Failed)
	b, err := json.Marshal(r)
	require.NoError(t, err)
	again, err := fuzz.ReadReport(b)
	require.NoError(t, err)
	sum, err := fuzz.Merge(r, again)
	require.NoError(t, err)
	assert.Equal(t, 120, sum.Stories)
	require.Len(t, sum.Failed, len(r.Failed))
	for i := range r.Failed {
		assert.Equal(t, 2*r.Failed[i].Stories, sum.Failed[i].Stories)
		assert.Equal(t, len(r.Failed[i].Shapes), len(sum.Failed[i].Shapes), "equal shapes are one")
	}
	again.Kind = "store"
	_, err = fuzz.Merge(r, again)
	require.ErrorContains(t, err, "merge those of one kind")
	_, err = fuzz.ReadReport([]byte(`{"lwtest":"fuzz/v9"}`))
	require.ErrorContains(t, err, "fuzz/v1")
}

// A failure that --known names is counted, and neither new nor shrunk.
func TestKnown(t *testing.T) {
	o := options("informer/emptied-kept", 60)
	o.Known = []byte(`[{"check":"*/*","rule":"*","verdict":"fail","got":".*","reason":"a test"}]`)
	r, err := fuzz.Run(t.Context(), o)
	require.NoError(t, err)
	require.NotEmpty(t, r.Failed)
	assert.Zero(t, r.New())
	assert.Empty(t, r.Failed[0].Shapes)
	assert.Equal(t, "a test", r.Failed[0].Known)
}
