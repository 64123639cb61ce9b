package exec

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// open gives a check of the adapter's, and the next.
func open(t *testing.T, mode string) (check, next harness.Case) {
	t.Helper()
	target, err := Open(t.Context(), command(mode))
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = target.Close() })
	for _, c := range target.Cases {
		switch c.Name {
		case "basic/add":
			check = c
		case "replace/exact":
			next = c
		}
	}
	require.NotEmpty(t, check.Name)
	return check, next
}

func run(t *testing.T, c harness.Case) harness.Result {
	t.Helper()
	r, _ := harness.Run(c, harness.Options{TB: t, Seed: 1, Target: "exec"})
	return r
}

func TestAdapter(t *testing.T) {
	target, err := Open(t.Context(), command(""))
	require.NoError(t, err)
	for _, c := range target.Cases {
		if r := run(t, c); r.Verdict != harness.Skip {
			assert.Equal(t, harness.Pass, r.Verdict, "%s: %s", c.Name, r.Reason)
		}
	}
	_, err = target.Close()
	require.NoError(t, err)
}

// A broken protocol costs one check, is never the implementation's failure, and the next check has a new process.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"garbage": "the line is not a JSON object of the protocol (invalid character 'H' looking for beginning of value): Hello, world!",
		"scalar":  "the line is not a JSON object of the protocol (json: cannot unmarshal number into Go value of type struct { exec.answer; exec.event }): 7",
		"latin1":  `the line is not UTF-8: {"id":14,"ok":{"key":"�"}}`,
		"neither": `a line needs an id or an ev, and not both: {"what":1}`,
		"both":    `an answer needs exactly one of ok, err and skip: {"err":{"msg":""},"id":14,"ok":{}}`,
		"empty":   `an answer needs exactly one of ok, err and skip: {"id":14}`,
		"stray":   `this answers a request that was never sent, or that was answered already: {"id":999999,"ok":{}}`,
		"twice":   `this answers a request that was never sent, or that was answered already: {"id":14,"ok":{}}`,
		"long":    "it has written a line of more than 16777216 bytes",
		"closes":  "it closed its stdout, but it still runs",
		"lacks":   "it declares a feature that needs store.apply, but answers that op with skip: not written yet",
		"busy":    "it refuses case.begin: not now",
	} {
		t.Run(mode, func(t *testing.T) {
			check, next := open(t, mode)
			r := run(t, check)
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Equal(t, "the adapter: "+want, r.Reason)
			assert.Equal(t, strings.TrimSpace(want+"\n"+map[string]string{"garbage": "a word of its log"}[mode]), r.Stack)
			assert.Empty(t, r.Rules)
			assert.Equal(t, harness.Pass, run(t, next).Verdict)
		})
	}
}

// The end of the process is the implementation's crash, whatever it leaves behind.
func TestCrash(t *testing.T) {
	for mode, want := range map[string]string{
		"exit":  "the process of the subject ended: exit status 7",
		"half":  "the process of the subject ended: exit status 7",
		"fork":  "the process of the subject ended: exit status 0",
		"panic": "the process of the subject ended: exit status 2",
	} {
		t.Run(mode, func(t *testing.T) {
			check, next := open(t, mode)
			r := run(t, check)
			assert.Equal(t, harness.Fail, r.Verdict)
			require.NotEmpty(t, r.Rules)
			require.NotEmpty(t, r.Rules[0].Bad, "subject/survives")
			assert.Equal(t, want, r.Rules[0].Bad[0].Got)
			assert.Equal(t, harness.Pass, run(t, next).Verdict)
		})
	}
	t.Run("its last words", func(t *testing.T) {
		check, _ := open(t, "exit")
		assert.Contains(t, run(t, check).Stack, "last words")
	})
}

// What is of a later version, or comes late, is let pass.
func TestUnasked(t *testing.T) {
	check, next := open(t, "unasked")
	for _, c := range []harness.Case{check, next} {
		r := run(t, c)
		assert.Equal(t, harness.Pass, r.Verdict, r.Reason)
	}
}

// What cannot be put to a suite is refused before anything is asked of it.
func TestHello(t *testing.T) {
	for mode, want := range map[string]string{
		"version": "speaks version 2 of the protocol; this lwtest speaks version 1",
		"nothing": "it offers nothing",
		"feature": `it declares the unknown feature "flying" of store: ` + "`lwtest list --features` lists those that there are",
		"kind":    `it offers the unknown kind "stove": the kinds are listerwatcher, informer, store, watchcache`,
		"twofold": "it offers store twice: offer each kind once",
		"serves":  "it offers store with serves: only a watchcache has that",
		"holds":   "it offers store with holds: only an informer has that",
		"sorts":   "it declares the features delta and log of store, which exclude each other",
		"updates": "it declares the features update-needs-object and create-on-update of watchcache, which exclude each other",
		"no-sort": "it declares the feature queue of store without its sort",
		"refuses": "does not answer hello: not today",
	} {
		t.Run(mode, func(t *testing.T) {
			_, err := Open(t.Context(), command(mode))
			assert.ErrorContains(t, err, want)
			_, _, ofSmoke := Smoke(t.Context(), command(mode), func(s Step, _ error) { assert.Fail(t, "nothing is asked of it", s.Name) })
			assert.Equal(t, err, ofSmoke, "smoke refuses what run refuses")
		})
	}
	_, err := Open(t.Context(), "echo why >&2; exit 3")
	assert.ErrorContains(t, err, "does not answer hello: the process has ended: exit status 3\nits stderr: why")
}

// A request that is never answered holds the drive until its time is up, and no longer.
func TestHang(t *testing.T) {
	t.Parallel()
	check, next := open(t, "hang")
	check.Span = time.Second
	r := run(t, check)
	assert.Equal(t, harness.Inconclusive, r.Verdict)
	assert.Contains(t, r.Reason, "the adapter has not answered store.apply of s")
	assert.Equal(t, harness.Pass, run(t, next).Verdict)
}

// Its process ends with the target, whether it listens or not.
func TestItGoesOnAfterItsInput(t *testing.T) {
	t.Parallel()
	target, err := Open(t.Context(), command("deaf"))
	require.NoError(t, err)
	_, err = target.Close()
	assert.NoError(t, err)
}
