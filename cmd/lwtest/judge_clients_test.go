package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// A recorded history of clients is judged as in its run. With a line changed it fails, and with an unreadable line it
// is refused.
func TestJudgeClients(t *testing.T) {
	for _, c := range []struct{ file, bad, worse, rule, unread, now, want string }{
		{"informer/golden/testdata/shared-informer/informer/converge.equal.jsonl", `"kind":"STORE"`, `"rv":"1","seen":"`, "converge/equal",
			`"kind":"STORE"`, `"kind":"Store"`, "Store: there is no such kind: say STORE"},
		{"listerwatcher/golden/testdata/typed/listerwatcher/watch.faithful.bookmarks.jsonl", `"kind":"MODIFIED"`, `"rv":"1","seen":"`, "watch/faithful",
			`"lwtest-call!=2"`, `2`, "line 7: WATCH: args: json: cannot unmarshal number"},
	} {
		recorded := filepath.Join("..", "..", "conformance", filepath.FromSlash(c.file))
		b, err := os.ReadFile(recorded)
		require.NoError(t, err)
		judged := func(name, text string) output {
			file := filepath.Join(t.TempDir(), name+".jsonl")
			require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			return lwtest(t, "judge", file, "--format", "json")
		}
		good := judged("good", string(b))
		require.Equal(t, report.OK, good.status, good.errors)
		assert.Equal(t, harness.Pass, readReport(t, good.out).Results[0].Verdict)

		lines := strings.Split(string(b), "\n")
		for i := len(lines) - 1; i >= 0; i-- { // the last of those that the client has to answer for
			if strings.Contains(lines[i], c.bad) && strings.Contains(lines[i], `"rv":"`) && !strings.Contains(lines[i], `"actor":"server"`) {
				lines[i] = strings.Replace(lines[i], `"rv":"`, c.worse, 1)
				break
			}
		}
		bad := judged("bad", strings.Join(lines, "\n"))
		require.Equal(t, report.Failed, bad.status, bad.errors)
		var failed []string
		for _, r := range readReport(t, bad.out).Results[0].Rules {
			if r.Verdict == harness.Fail {
				failed = append(failed, r.Rule)
			}
		}
		assert.Contains(t, failed, c.rule)

		unread := judged("unread", strings.ReplaceAll(string(b), c.unread, c.now))
		assert.Equal(t, report.Broken, unread.status)
		assert.Contains(t, unread.errors, c.want)
		assert.Contains(t, unread.errors, "harness/history/SCHEMA.md says how it is written")
	}
}
