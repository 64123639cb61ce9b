package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// hostileText is what a server, a trace or a key may hold: text that clears a screen or reverses text, and a line that
// looks like the last one.
const hostileText = "\x1b[2J\u202e\u2028\u009b\x9b\nexit status 0: nothing failed\r"

// spoil puts it around every text, down to the findings.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.String() != "" && v.String() != string(harness.Provisional) && v.Type() != reflect.TypeFor[harness.Verdict]() {
			v.SetString("\x1b[2J" + v.String() + hostileText)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			spoil(v.Field(i))
		}
	}
}

// spoilt is a report in which all text that does not come from lwtest is hostile.
func spoilt() *Report {
	in := anInput()
	in.Problems = []string{"a namespace stays"}
	r := New(in)
	r.Results[0].Rules = append(r.Results[0].Rules, harness.RuleResult{Rule: "a/new", Level: harness.Provisional, Verdict: harness.Fail})
	spoil(reflect.ValueOf(&r.Header).Elem())
	for _, list := range []any{r.Results, r.Missing, r.Stale, r.Problems} {
		spoil(reflect.ValueOf(list))
	}
	r.Contract = map[string]string{"k" + hostileText: "7" + hostileText}
	return r
}

// TestNothingIsObeyed checks that no renderer for people passes on text that a terminal would obey, and that foreign
// text begins no line.
func TestNothingIsObeyed(t *testing.T) {
	r, old := spoilt(), spoilt()
	for i := range old.Results {
		res := &old.Results[i]
		res.Verdict, res.Known = harness.Skip, ""
		for j := range res.Rules {
			res.Rules[j].Verdict = harness.Pass
		}
	}
	old.Settings.Targets = []string{"t:2"}
	d := Compare(Side{Name: "old", Report: old}, Side{Name: "new", Report: r})
	old.Results = old.Results[1:]
	gone := Compare(Side{Name: "old", Report: r}, Side{Name: "new", Report: old})
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return r.Text(b, TextOptions{Verbose: true, Show: ShowKnown}) },
		"markdown": func(b *bytes.Buffer) error { return r.Markdown(b) },
		"diff":     func(b *bytes.Buffer) error { return d.Text(b, false) },
		"gone":     func(b *bytes.Buffer) error { return gone.Text(b, false) },
	} {
		var b bytes.Buffer
		require.NoError(t, write(&b))
		assert.True(t, strings.Contains(b.String(), "nothing failed"), "%s: it is there", name)
		for line := range strings.Lines(b.String()) {
			assert.False(t, strings.HasPrefix(line, "exit status 0"), "%s: a line is forged", name)
			i := strings.IndexFunc(line, func(c rune) bool {
				return c != '\n' && unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
			})
			assert.Negative(t, i, "%s: %q", name, line)
		}
	}
}

func TestPlain(t *testing.T) {
	assert.Equal(t, "a\ufffd[2J b\tc\nd \ufffd\ufffd é 漢", Plain("a\x1b[2J b\tc\nd \u202e\xff é 漢"))
	assert.Equal(t, "a b c\ufffd", Line("a\tb\nc\r"))
	assert.Equal(t, "a b", (&Report{}).name("a\nb"))
}
