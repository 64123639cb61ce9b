package exec

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// What comes right behind the end of a case is of that case.
func TestBehindTheEnd(t *testing.T) {
	for mode, want := range map[string]string{"end-twice": "was answered already", "end-garbage": "the line is not a JSON object of the protocol", "end-exit": ""} {
		t.Run(mode, func(t *testing.T) {
			check, next := open(t, mode)
			r := run(t, check)
			if mode == "end-exit" {
				assert.Equal(t, harness.Fail, r.Verdict)
				assert.Equal(t, "the process of the subject ended: exit status 7", r.Rules[0].Bad[0].Got)
			} else {
				assert.Equal(t, harness.CauseAdapter, r.Cause)
				assert.Contains(t, r.Reason, want)
			}
			assert.Equal(t, harness.Pass, run(t, next).Verdict)
		})
	}
}

// What has ended the talk while no case was under way is told by the next, which says so; and that alone.
func TestBetweenCases(t *testing.T) {
	for _, why := range []error{&Gone{"signal: segmentation fault", "last words"}, &ProtocolError{What: "no message", Line: "bye"}} {
		a := &adapter{command: command(""), limit: controlLimit}
		c, hello, err := a.live()
		require.NoError(t, err)
		t.Cleanup(func() { _, _ = a.close() })
		a.c = c
		c.close(why)
		cases := a.cases("it", hello.Offers[0])
		r, next := run(t, cases[0]), run(t, cases[0])
		assert.Equal(t, harness.Pass, next.Verdict, next.Reason)
		if _, is := why.(*ProtocolError); is {
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Equal(t, "the adapter: after its case had ended: no message: bye", r.Reason)
			continue
		}
		assert.Equal(t, harness.Fail, r.Verdict)
		assert.Equal(t, "the process of the subject ended: signal: segmentation fault, after its case had ended", r.Rules[0].Bad[0].Got)
	}
}

// A crash behind the last case is told when the target is closed, noticed before or not; a process that ends well, or that we
// have ended, is none. So is what is no message and comes at the end of its input.
func TestBehindTheLast(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"": "", "deaf": "", "end-crash": "the process has ended: exit status 139, after its last case had ended",
		"last-words": "after its last case had ended: the line is not a JSON object of the protocol (invalid character 'e' looking for beginning of value): end of input"} {
		a := &adapter{command: command(mode), limit: controlLimit}
		c, hello, err := a.live()
		require.NoError(t, err)
		a.c = c
		assert.Equal(t, harness.Pass, run(t, a.cases("it", hello.Offers[0])[0]).Verdict)
		_, err = a.close()
		if want == "" {
			assert.NoError(t, err, mode)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
	a := &adapter{command: command(""), limit: controlLimit}
	c, _, err := a.live()
	require.NoError(t, err)
	a.c = c
	c.close(&Gone{"signal: killed", ""})
	_, err = a.close()
	assert.ErrorContains(t, err, "the process has ended: signal: killed, after its case had ended")
}

// Who does not answer what begins a case, or ends it, or with an error, costs that case alone.
func TestControl(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"mute-begin": "the adapter: it does not answer case.begin within 1s",
		"mute-end":   "the adapter: it does not answer case.end within 1s",
	} {
		a := &adapter{command: command(mode), limit: time.Second}
		c, hello, err := a.live()
		require.NoError(t, err)
		t.Cleanup(func() { _, _ = a.close() })
		a.c = c
		cases := a.cases("it", hello.Offers[0])
		r := run(t, cases[slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == "basic/add" })])
		assert.Equal(t, harness.CauseAdapter, r.Cause)
		assert.Equal(t, want, r.Reason)
		assert.Equal(t, harness.Pass, run(t, cases[slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == "replace/exact" })]).Verdict)
	}
}
