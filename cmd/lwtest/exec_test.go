package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// says is an adapter as a shell script: hello, and then this line as the answer to each request.
func says(line string) string {
	return `exec:read -r l; echo '{"id":1,"ok":{"protocol":1,"implementation":"sh","offers":[{"kind":"store","features":["map"]}]}}'; while read -r l; do ` + line + `; done`
}

// A check whose adapter breaks the protocol was not run: that is no failure of the implementation, and the exit status
// says so. If the adapter's process ends, the check fails.
func TestAdapters(t *testing.T) {
	for _, c := range []struct {
		name, line, reason string
		verdict            harness.Verdict
		status             int
	}{
		{"garbage", "echo garbage", "the adapter: the line is not a JSON object of the protocol (invalid character 'g' looking for beginning of value): garbage", harness.Inconclusive, 3},
		{"exit", "echo why >&2; exit 5", "", harness.Fail, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "run")
			for _, command := range [][]string{
				{"run", "store/basic/add", "store/basic/update", "--target", says(c.line), "--out", dir},
				{"judge", dir}, // their histories say the same
			} {
				o := lwtest(t, append(command, "--format", "json")...)
				assert.Equal(t, c.status, o.status, o.errors)
				got := readReport(t, o.out).Results
				assert.Len(t, got, 2)
				for _, r := range got {
					assert.Equal(t, c.verdict, r.Verdict)
					assert.Equal(t, c.reason, r.Reason)
				}
			}
		})
	}
	t.Run("that does not start", func(t *testing.T) {
		t.Parallel()
		o := lwtest(t, "run", "--target", "exec:echo why >&2; exit 5")
		assert.Equal(t, 3, o.status)
		assert.Contains(t, o.errors, "does not answer hello: the process has ended: exit status 5\nits stderr: why")
	})
	t.Run("smoke", func(t *testing.T) {
		t.Parallel()
		o := lwtest(t, "smoke", "--target", says("echo garbage"))
		assert.Equal(t, 1, o.status)
		assert.Contains(t, o.out, "  wrong  case             case.begin and case.end are answered, three times over\n")
		assert.Contains(t, o.out, "the adapter is wrong in 12 steps")
		const offersNothing = `exec:read -r l; echo '{"id":1,"ok":{"protocol":1,"implementation":"sh","offers":[]}}'; cat >/dev/null`
		for _, verb := range []string{"smoke", "run"} {
			o = lwtest(t, verb, "--target", offersNothing)
			assert.Equal(t, 3, o.status)
			assert.Contains(t, o.errors, "it offers nothing")
		}
		// Text from an adapter is shown, but terminal codes in it are not obeyed.
		o = lwtest(t, "smoke", "--target", `exec:read -r l; printf '%s\n' '{"id":1,"ok":{"protocol":1,"implementation":"mi\u001b[2Jne","version":"1\n  ok     all","offers":[{"kind":"store","features":[]}]}}'; read -r l; echo garbage`)
		assert.Contains(t, o.out, "\nmi\ufffd[2Jne 1   ok     all: store ()\n")
		assert.NotContains(t, o.out, "\x1b")
		// A fault that may be the implementation's is not blamed on the adapter.
		o = lwtest(t, "smoke", "--target", "exec:"+goesOn)
		assert.Equal(t, 2, o.status, o.out)
		assert.Contains(t, o.out, "  unsure open             what it offers can be opened, with and without its server, and ends with case.end\n"+
			"         got: informer: inf.run is not answered after cancel: the adapter does not pass that on, or the library goes on\n")
		assert.Contains(t, o.out, "no step shows a fault of the adapter, but in 1 step either the adapter or its implementation is wrong\n")
		o = lwtest(t, "smoke", "--target", "fake")
		assert.Equal(t, 3, o.status)
		assert.Contains(t, o.errors, "give --target exec:COMMAND")
	})
}

// goesOn is an adapter of an informer that does not stop.
const goesOn = `while read -r l; do
	id=${l#*'"id":'}; id=${id%%[,\}]*}; answer='"ok":{}'
	case $l in
	*'"hello"'*) answer='"ok":{"protocol":1,"implementation":"sh","version":"","offers":[{"kind":"informer","features":[]}]}' ;;
	*'"inf.open"'*) opened=yes ;;
	*'"case.end"'*) opened= ;;
	*'"inf.run"'*) continue ;;
	*'"inf.list"'*) answer='"ok":{"objects":[]}'; [ "$opened" ] || answer='"err":{"msg":"there is none"}' ;;
	*'"crash"'*) exit 7 ;;
	*smoke.unknown*) answer='"skip":"no such op"' ;;
	esac
	echo "{\"id\":$id,$answer}"
	case $l in *'"shutdown"'*) exit ;; esac
done`
