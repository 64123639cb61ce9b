package exec

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Who writes an adapter by interop/clientnode/README.md alone finds there how informers and clients are talked with, in lines
// of the protocol as it is, in whose answers nothing is left out, and where to go on.
func TestReadmeOfAdapters(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../interop/clientnode/README.md")
	require.NoError(t, err)
	page := string(b)
	assert.Contains(t, page, "](../../docs/protocol.md)")
	assert.Contains(t, page, "lwtest smoke")
	ops, shown := map[string]Op{}, map[string]bool{}
	for _, o := range Ops() {
		ops[o.Name] = o
	}
	var asked map[int64]Op
	for _, line := range strings.Split(strings.ReplaceAll(page, "{…}", "{}"), "\n") {
		way, message, _ := strings.Cut(line, " ")
		switch way {
		case "```":
			asked = map[int64]Op{}
		case "→":
			var r struct {
				ID int64  `json:"id"`
				Op string `json:"op"`
			}
			require.NoError(t, json.Unmarshal([]byte(message), &r), message)
			asked[r.ID], shown[r.Op] = ops[r.Op], true
			require.NotNil(t, ops[r.Op].Request, message)
			same(t, ops[r.Op].Request, without(t, without(t, []byte(message), "id"), "op"), map[string]bool{})
		case "←":
			answered(t, asked, message)
		}
	}
	for _, op := range []string{"inf.open", "inf.handle", "inf.run", "inf.get", "lw.open", "lw.list", "lw.watch", "lw.read", "lw.stop"} {
		assert.True(t, shown[op], op)
	}
}

// The adapter in JavaScript stays as short as the pages say that an adapter is, by lines and by what stands in them.
func TestAdapterIsShort(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../interop/clientnode/adapter.mjs")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
	assert.Less(t, len(lines), 150)
	for i, line := range lines {
		assert.LessOrEqual(t, len(line), 160, "line %d", i+1)
	}
}

// answered reads an answer, or an event, strictly as what it answers has it.
func answered(t *testing.T, asked map[int64]Op, message string) {
	t.Helper()
	var a struct {
		ID  int64           `json:"id"`
		Ev  string          `json:"ev"`
		OK  json.RawMessage `json:"ok"`
		Err json.RawMessage `json:"err"`
	}
	require.NoError(t, json.Unmarshal([]byte(message), &a), message)
	op := asked[a.ID]
	switch {
	case a.Ev != "":
	case a.Err != nil:
		var f Failure
		require.NoError(t, json.Unmarshal(a.Err, &f), message)
		assert.Equal(t, op.Name == "lw.list" || op.Name == "lw.watch", f.Options != nil, message)
	default:
		require.NotNil(t, op.Reply, message)
		same(t, op.Reply, a.OK, map[string]bool{})
	}
}
