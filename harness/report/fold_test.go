package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

func TestFold(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    string
		width int
		want  string
	}{
		{"no terminal", "a b c d e f", 0, "a b c d e f"},
		{"fits", "a b c d e f\n", 11, "a b c d e f\n"},
		{"a field", "  want    one two three four", 20, "  want    one two\n      three four"},
		{"a wide field", "  want    one two three four five six", 30, "  want    one two three four\n          five six"},
		{"a sentence", "one two three four", 12, "one two\n  three four"},
		{"a step", "    3. one two three four five", 24, "    3. one two three\n       four five"},
		{"a link stays whole", "  want    https://example.com/a/long/link", 20, "  want    https://example.com/a/long/link"},
		{"an event is cut", "        x #12  <- LIST      (#11) @7 [a/b @3]", 30, "        x #12  <- LIST      (…"},
		{"colors take no room", "\x1b[31mone\x1b[0m two", 7, "\x1b[31mone\x1b[0m two"},
		{"wide characters", "日本語 日本語", 8, "日本語\n  日本語"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Fold(c.in, c.width)) })
	}
}

// On a terminal of 80 or 40 columns no line is longer, but for words that are. The table is a list there.
func TestNarrow(t *testing.T) {
	in := Input{Header: Header{Settings: Settings{Targets: []string{"a:rather-long-target"}}, Plan: []Planned{{Target: "a:rather-long-target", Check: "k/a/one"}, {Target: "a:rather-long-target", Check: "k/a/two"}}}, Results: []harness.Result{
		{Target: "a:rather-long-target", Check: "k/a/one", Verdict: harness.Pass, Elapsed: time.Second},
		{Target: "a:rather-long-target", Check: "k/a/two", Verdict: harness.Inconclusive, Reason: strings.Repeat("because of this ", 20)},
	}}
	assert.Contains(t, text(t, New(in), TextOptions{Width: 120}), "inconclusive     time\n")
	for _, width := range []int{80, 40} {
		out := text(t, New(in), TextOptions{Width: width})
		assert.Contains(t, out, "a:rather-long-target\n  k: 1 inconclusive, 1 passed  1s\n")
		for line := range strings.SplitSeq(out, "\n") {
			assert.LessOrEqual(t, Columns(line), width, line)
		}
	}
}
