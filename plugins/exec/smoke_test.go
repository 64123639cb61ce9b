package exec

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// smokes gives what smoke says is wrong with an adapter, by step, or unsure. Each step is told of once, in its turn, whatever ends the talk.
func smokes(t *testing.T, mode string) map[string]string {
	t.Helper()
	var order, told []string
	for _, s := range Steps() {
		order = append(order, s.Name)
	}
	wrong := map[string]string{}
	hello, _, err := Smoke(t.Context(), command(mode), func(s Step, err error) {
		if told = append(told, s.Name); err != nil {
			wrong[s.Name] = err.Error()
			if errors.As(err, new(*Unsure)) {
				wrong[s.Name] = "unsure: " + err.Error()
			}
		}
	})
	require.NoError(t, err)
	assert.Equal(t, order, told)
	assert.NotEmpty(t, hello.Implementation)
	return wrong
}

// An adapter that is right passes every step; each that is wrong in one thing fails the step for that, and no more than
// what depends on it.
func TestSmoke(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]map[string]string{
		"":             {},
		"http":         {},
		"nulls":        {},
		"client":       {},
		"obliging":     {"unknown-op": "it is answered with ok"},
		"strict":       {"unknown-field": "barrier: the process has ended: exit status 2"},
		"push-items":   {"answers": `the event push does not match docs/protocol.md (the field "objects" is missing, an array of objects)`},
		"push-whose":   {"answers": `an event push for the handle "", which was never opened`},
		"deaf":         {"end-of-input": "it still runs"},
		"leaks":        {"open": "store: after case.end store.resync of smoke3, which is not open, is answered with ok"},
		"client-leaks": {"open": "listerwatcher: after case.end lw.list of smoke5 still reaches its server"},
		"client-dies":  {"answers": "unsure: listerwatcher: lw.list: the process has ended: exit status 1"},
		"stays":        {"open": "watchcache: after case.end its server still answers at https://127.0.0.1:"},
	} {
		t.Run(mode, func(t *testing.T) {
			wrong := smokes(t, mode)
			assert.Len(t, wrong, len(want), "%v", wrong)
			for name, got := range want {
				assert.Contains(t, wrong[name], got)
			}
		})
	}
}

// What ends the talk when nobody waits for an answer is found all the same, each time, and the step is named after which it
// came.
func TestSmokeBetweenSteps(t *testing.T) {
	t.Parallel()
	const noMessage = "the line is not a JSON object of the protocol (invalid character "
	for mode, want := range map[string]map[string]string{
		"log-cancel":   {"unknown-request": noMessage + "'h' looking for beginning of value): handled cancel"},
		"leaves":       {"case": "the process has ended: exit status 1"},
		"last-words":   {"end-of-input": noMessage + "'e' looking for beginning of value): end of input"},
		"log-shutdown": {"shutdown": noMessage + "'h' looking for beginning of value): handled shutdown"},
		"log-barrier":  {"barrier": noMessage + "'h' looking for beginning of value): handled barrier"},
		"again":        {"barrier": "this answers a request that was never sent, or that was answered already"},
		"log-hello":    {"barrier": noMessage + "'h' looking for beginning of value): handled hello"},
	} {
		t.Run(mode, func(t *testing.T) {
			for range 3 {
				wrong := smokes(t, mode)
				for name, got := range want {
					assert.Contains(t, wrong[name], got, "%v", wrong)
				}
				switch mode {
				case "log-barrier", "again": // other steps ask for barriers, too
					for _, name := range []string{"case", "unknown-op", "end-of-input", "shutdown", "crash"} {
						assert.NotContains(t, wrong, name)
					}
				case "log-hello": // so does each process
				default:
					assert.Len(t, wrong, len(want), "%v", wrong)
				}
			}
		})
	}
}

// A server that an adapter starts is asked for a list where it says that it is.
func TestSmokeServes(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"nowhere":    "connection refused",
		"no-address": "it must be http://HOST:PORT",
		"bad-ca":     "wc.start: its ca holds no certificate: it must be the PEM of the authority that signed the server's certificate, not \"garbage\"",
		"pods":       `the answer must be a v1 ConfigMapList with items; it is {"kind":"PodList"`,
		"none":       "the answer must be a v1 ConfigMapList with items; it is {}",
		"no-items":   `the answer must be a v1 ConfigMapList with items; it is {"kind":"ConfigMapList","apiVersion":"v1","metadata":{}}`,
	} {
		t.Run(mode, func(t *testing.T) {
			wrong := smokes(t, mode)
			assert.Len(t, wrong, 1, "%v", wrong)
			assert.Contains(t, wrong["open"], want)
			assert.NotContains(t, wrong["open"], "kubeconfig")
		})
	}
}

// An adapter that does not say where its server is, or how it can be trusted, has spoken nonsense: the implementation is
// not blamed.
func TestServerUnsaid(t *testing.T) {
	for mode, want := range map[string]string{"no-address": "it must be http://HOST:PORT", "bad-ca": "its ca holds no certificate"} {
		t.Run(mode, func(t *testing.T) {
			target, err := Open(t.Context(), command(mode))
			require.NoError(t, err)
			r, _ := harness.Run(target.Cases[0], harness.Options{TB: t, Seed: 1, Target: "exec"})
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Contains(t, r.Reason, want)
			assert.NotContains(t, r.Reason, "kubeconfig")
			_, err = target.Close()
			require.NoError(t, err)
		})
	}
}

// What notices show is proposed, unless it is declared.
func TestProposals(t *testing.T) {
	for name, c := range map[string]struct {
		declared []string
		notices  *notices
		want     []Proposal
	}{
		"nothing":        {nil, &notices{}, nil},
		"no old state":   {nil, &notices{stateless: true}, []Proposal{{"informer", "new-state-only", "its UPDATE has no old state"}}},
		"the first ones": {nil, &notices{initial: true}, []Proposal{{"informer", "initial-flag", "its ADD says initial"}}},
		"declared":       {[]string{"new-state-only", "initial-flag"}, &notices{stateless: true, initial: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []Proposal
			s := &smoke{offers: []Offer{{Kind: "informer", Features: c.declared}}, proposals: &got}
			c.notices.proposals(s)
			c.notices.proposals(s)
			assert.Equal(t, c.want, got, "each once")
		})
	}
}
