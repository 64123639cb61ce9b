package history

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	exactHead = `{"lwtest":"history/v1","kind":"toy","time":"real"}` + "\n"
	exactFoot = `{"end":true,"events":1}` + "\n"
)

// Fields that another tool added are ignored, however they are spelled, at any depth and in any order. Ours stay
// unchanged.
func TestOwnFieldsAreIgnored(t *testing.T) {
	plain := `{"n":1,"actor":"c","kind":"LIST","obj":{"key":"a/x","rv":"7","labels":{"Key":"l","RV":"m"}},"items":[{"key":"a/y"}],"err":{"code":409,"msg":"a<b"},"args":{"Limit":1,"limit":2},"body":{"Kind":"<b>"}}`
	want, err := Read(strings.NewReader(exactHead + plain + "\n" + exactFoot))
	require.NoError(t, err)
	for _, own := range []string{
		`"Kind":"WATCH"`, `"KIND":5`, `"ACTOR":null`, `"N":9`, `"Call":3`, `"Obj":{"key":"other"}`, `"Items":7`, `"ERR":"no"`, `"Args":1`,
		`"end":true`, `"end":"yes"`, `"events":["a"]`, `"end":true,"events":1`, `"Phase":"call"`,
		"\"\u212aind\":\"WATCH\"", `"\u004bind":"WATCH"`, `"\u212aind" : "WATCH"`, `"other":{"kind":{"Kind":1}}`, `"quote\"d":"Kind\":"`,
	} {
		for _, text := range []string{
			strings.Replace(plain, `{"n"`, `{`+own+`,"n"`, 1),
			strings.TrimSuffix(plain, "}") + "," + own + "}",
		} {
			h, err := Read(strings.NewReader(exactHead + text + "\n" + exactFoot))
			if assert.NoError(t, err, own) {
				assert.Equal(t, want.Events, h.Events, own)
			}
		}
	}
	for old, now := range map[string]string{`"rv":"7"`: `"rv":"7","Rv":"8","KEY":4`, `{"key":"a/y"}`: `{"Key":"b","key":"a/y","UID":5}`, `"code":409`: `"code":409,"CODE":"x"`} {
		h, err := Read(strings.NewReader(exactHead + strings.Replace(plain, old, now, 1) + "\n" + exactFoot))
		if assert.NoError(t, err, now) {
			assert.Equal(t, want.Events, h.Events, now)
		}
	}
}

func TestOwnFieldsOfHeaderAndFooter(t *testing.T) {
	h, err := Read(strings.NewReader(`{"Kind":5,"lwtest":"history/v1","kind":"toy","LWTEST":1,"time":"real","Time":"x"}` + "\n" + `{"END":false,"end":true,"events":0,"Events":7}` + "\n"))
	require.NoError(t, err)
	assert.Equal(t, "toy", h.Header.Kind)
	assert.False(t, h.Truncated)
	_, err = Read(strings.NewReader(exactHead + `{"n":1,"actor":"c","Kind":"LIST"}` + "\n"))
	require.ErrorContains(t, err, "line 2: actor or kind is missing", "another spelling is not ours")
	_, err = Read(strings.NewReader(`{"lwtest":"history/v1","Kind":"toy","time":"real"}` + "\n"))
	require.ErrorContains(t, err, "line 1: kind is missing")
}

// Two different contents with invalid Unicode would both become U+FFFD, and equal.
func TestWhatIsNotUnicodeIsRefused(t *testing.T) {
	event := `{"n":1,"actor":"c","kind":"ADDED","obj":{"key":"a/x","body":"%s"}}` + "\n"
	for _, bad := range []string{"\xfe", "\xff", "a\xc3", `\udc80`, `\ud800`, `\ud800\ud800`, `\ud800x`, `\"\udfff`, `\\\udfff`} {
		_, err := Read(strings.NewReader(exactHead + "\n" + fmt.Sprintf(event, bad) + exactFoot))
		if assert.Error(t, err, "%q", bad) {
			assert.Regexp(t, "^line 3: .*would count as equal", err.Error(), "%q", bad)
		}
	}
	_, err := Read(strings.NewReader(`{"lwtest":"history/v1","kind":"toy","time":"real","plugin":"` + "\xff" + `"}` + "\n"))
	require.ErrorContains(t, err, "line 1: ")
	for _, good := range []string{"\u00e9", "\U0001f600", `\ud83d\ude00`, `\\udc80`, `\u00e9\n`, "\ufffd", `\ufffd`} {
		h, err := Read(strings.NewReader(exactHead + fmt.Sprintf(event, good) + exactFoot))
		if assert.NoError(t, err, "%q", good) {
			assert.False(t, h.Truncated)
		}
	}
	text := exactHead + fmt.Sprintf(event, "\u00e9")
	cut := strings.Index(text, "\u00e9") + 1
	h, err := Read(strings.NewReader(text[:cut]))
	require.NoError(t, err, "a file that was cut in the middle of a character")
	assert.True(t, h.Truncated)
}

func TestLineOfAnEvent(t *testing.T) {
	event := func(n int) string { return fmt.Sprintf(`{"n":%d,"actor":"c","kind":"X"}`+"\n", n) }
	h, err := Read(strings.NewReader(exactHead + "\n" + event(1) + event(2) + " \n\n" + event(3) + "\n"))
	require.NoError(t, err)
	for num, want := range map[int32]int{1: 3, 2: 4, 3: 7} {
		assert.Equal(t, want, h.Line(num))
	}
}
