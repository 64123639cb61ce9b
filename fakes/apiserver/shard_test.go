package apiserver

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// What a real kube-apiserver took for a shardSelector, and how it printed it again.
func TestParseShard(t *testing.T) {
	const low = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')"
	const high = "shardRange(object.metadata.uid, '0x8000000000000000', '0x10000000000000000')"
	for text, want := range map[string]string{
		low: low,
		"shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')":               low,
		"  shardRange( object.metadata . uid ,\n\"0x0000000000000000\",'0x8000000000000000' ) //": low,
		"(" + low + ") || (" + high + ")":                                                         low + " || " + high,
		low + "||" + low:                                                                          low + " || " + low,
		low + " || (" + high + "||" + low + ")":                                                   low + " || " + high + " || " + low,
		"x." + low:                                                                                low,
		"shardRange(object.metadata.namespace,'0x00000000000000aa','0x00000000000000ff')":         "shardRange(object.metadata.namespace, '0x00000000000000aa', '0x00000000000000ff')",
	} {
		s, err := parseShard(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String(), text)
	}
}

// A shard has the hashes from its start on, and not its end; the last shard has the largest.
func TestShardMatch(t *testing.T) {
	m := &corev1.ConfigMap{}
	m.UID = "u"
	h := fnv.New64a()
	_, _ = h.Write([]byte(m.UID))
	n := h.Sum64()
	has := func(start, end string) bool {
		s, err := parseShard(fmt.Sprintf("shardRange(object.metadata.uid,'%s','%s')", start, end))
		require.NoError(t, err)
		return s.match(m)
	}
	hex := func(n uint64) string { return fmt.Sprintf("0x%016x", n) }
	require.True(t, has(hex(n), hex(n+1)))
	require.False(t, has(hex(n+1), "0x10000000000000000"))
	require.False(t, has(hex(0), hex(n)))
	require.True(t, has(hex(n), "0x10000000000000000"))
	m.UID = types.UID("v")
	require.False(t, has(hex(n), hex(n+1)))
	m.Namespace = "u"
	s, err := parseShard(fmt.Sprintf("shardRange(object.metadata.namespace,'%s','%s')", hex(n), hex(n+1)))
	require.NoError(t, err)
	require.True(t, s.match(m))
}

// No text makes it panic, or is a shard without a range.
func FuzzParseShard(f *testing.F) {
	for _, text := range []string{"", "bad", "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')||", "!x.y(1,null)&&(.a", "'x", `"\n"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := parseShard(text); err == nil {
			again, err := parseShard(s.String())
			require.NoError(t, err)
			require.Equal(t, s, again)
		}
	})
}

// What is too long or too deep is refused, before it costs anything.
func TestShardLimits(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("(", 1<<20):     "code point size exceeds limit: size: 1048576, limit 100000",
		strings.Repeat("(", 99_999):    "recursion limit exceeded: 250",
		strings.Repeat("!", 99_999):    "recursion limit exceeded: 250",
		strings.Repeat("a(", 49_999):   "recursion limit exceeded: 250",
		strings.Repeat("a.", 49_999):   "recursion limit exceeded: 250",
		strings.Repeat("a||", 33_000):  "mismatched input",
		strings.Repeat("a(b.", 24_999): "recursion limit exceeded: 250",
	} {
		_, err := parseShard(text)
		require.ErrorContains(t, err, want, text[:4])
	}
}
