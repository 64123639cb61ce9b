package exec

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/proc"
	"github.com/lwtest/lwtest/internal/full"
)

// flooding is an adapter of an informer that is never full: once it has a handler it writes lines without pause.
type flooding struct {
	mode string
	run  int64  // the request
	late string // a line for the next case
}

func (f *flooding) serve() {
	s := bufio.NewScanner(os.Stdin)
	s.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for s.Scan() {
		var r struct {
			ID, Of int64
			Op     string
			H, As  string
		}
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			panic(err)
		}
		switch r.Op {
		case "hello":
			_ = out.Encode(map[string]any{"id": r.ID, "ok": HelloReply{Protocol: Version, Implementation: "flood",
				Offers: []Offer{{Kind: "informer", Features: []string{"handlers"}}}}})
			continue
		case "inf.run":
			f.run = r.ID
			continue
		case "inf.list":
			_ = out.Encode(map[string]any{"id": r.ID, "ok": InformerObjects{[]json.RawMessage{}}})
			continue
		}
		switch {
		case r.Op == "case.begin" && f.late != "":
			fmt.Println(f.late)
		case r.Op == "case.begin" && f.mode == "late-much":
			_, _ = os.Stdout.WriteString(strings.Repeat(f.line("", "", 0, "")+"\n", 2*maxEvents/3))
		case r.Op == "cancel" && r.Of == f.run && strings.HasPrefix(f.mode, "late"):
			_ = out.Encode(map[string]any{"id": f.run, "ok": Nothing{}})
		}
		_ = out.Encode(map[string]any{"id": r.ID, "ok": Nothing{}})
		if r.Op == "inf.handle" && f.mode == "late" {
			f.late = f.line(r.H, r.As, 99, "")
		} else if r.Op == "inf.handle" && f.mode != "late-much" {
			go f.flood(r.H, r.As)
		}
	}
}

// flood does not end. It writes whole lines, many at a time.
func (f *flooding) flood(h, as string) {
	data := strings.Repeat("y", map[string]int{"flood-notices": 100, "flood-large": 100_000}[f.mode])
	for seq := 1; ; {
		var lines []byte
		for ; len(lines) < 100_000; seq++ {
			lines = append(append(lines, f.line(h, as, seq, data)...), '\n')
		}
		if _, err := os.Stdout.Write(lines); err != nil {
			os.Exit(0)
		}
	}
}

func (f *flooding) line(h, as string, seq int, data string) string {
	switch f.mode {
	case "flood-later", "late-much":
		return `{"ev":"of a later version"}`
	case "flood-garbage":
		return "garbage"
	case "flood-stray":
		return fmt.Sprintf(`{"id":%d,"ok":{}}`, 1000+seq)
	case "flood-gap": // each second notice is lost
		seq = 2*seq - 1
	}
	kind := "ADD"
	if f.mode == "flood-added" {
		kind = "ADDED"
	}
	return fmt.Sprintf(`{"ev":"notice","h":%q,"as":%q,"seq":%d,"type":%q,"object":{"apiVersion":"v1","kind":"ConfigMap",`+
		`"metadata":{"name":"a","namespace":"default","resourceVersion":"5","uid":"u"},"data":{"x":%q}}}`, h, as, seq, kind, data)
}

// A flood costs its check, at once: it is the adapter's, and nothing that is judged.
func TestFlood(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"flood-notices": "a flood: ",
		"flood-large":   "a flood: ",
		"flood-later":   `a flood: it has written more than 65536 events in one case: {"ev":"of a later version"}`,
		"flood-garbage": "the line is not a JSON object of the protocol",
		"flood-stray":   "this answers a request that was never sent",
		"flood-gap":     "a notice for the handler h2 has seq 3 instead of 2",
		"flood-added":   `the event notice does not match docs/protocol.md ("type" is "ADDED" instead of one of ADD, UPDATE, DELETE)`,
	} {
		t.Run(mode, func(t *testing.T) {
			if full.Race && (mode == "flood-notices" || mode == "flood-large") {
				t.Skip("the race detector reads so slowly that the check's time may be over before a limit is broken: what came is judged then")
			}
			target, err := Open(t.Context(), command(mode))
			require.NoError(t, err)
			t.Cleanup(func() { _, _ = target.Close() })
			r := run(t, order(t, target))
			if mode == "flood-large" && r.Cause == "" { // TestFlow has the limit
				t.Skip("this machine is so busy that the check ended before 256 MiB were read: what came is judged then")
			}
			assert.Equal(t, harness.Inconclusive, r.Verdict)
			assert.Equal(t, harness.CauseAdapter, r.Cause)
			assert.Contains(t, r.Reason, "the adapter: ")
			if !strings.Contains(r.Reason, "broken pipe") { // on a busy machine a request may meet the end of it first
				assert.Contains(t, r.Reason, want)
			}
			assert.Empty(t, r.Rules)
		})
	}
}

// order is the check notify/order.
func order(t *testing.T, target harness.Target) harness.Case {
	t.Helper()
	i := slices.IndexFunc(target.Cases, func(c harness.Case) bool { return c.Name == "notify/order" })
	require.GreaterOrEqual(t, i, 0, "there is no such check")
	return target.Cases[i]
}

// What comes when a case is over is nobody's, and costs the next case nothing; nor does it count for the next how much came.
func TestLate(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"late", "late-much"} {
		target, err := Open(t.Context(), command(mode))
		require.NoError(t, err)
		t.Cleanup(func() { _, _ = target.Close() })
		c := order(t, target)
		c.Span = time.Second
		for range 2 {
			r := run(t, c)
			assert.NotEqual(t, harness.CauseAdapter, r.Cause, r.Reason)
		}
	}
}

// Each limit is named by what breaks it, and the case before counts for nothing.
func TestFlow(t *testing.T) {
	for want, f := range map[string]func(*flow) string{
		"a flood: it has written more than 65536 events in one case":                       func(f *flow) string { return f.came(true, 1) },
		"a flood: it has written more than 268435456 bytes in one case":                    func(f *flow) string { return f.came(false, 1<<20) },
		"a flood: more than 16384 of its events wait to be taken":                          func(f *flow) string { return f.waits(1) },
		"a flood: its events that wait to be taken have more than 33554432 bytes":          func(f *flow) string { return f.waits(1 << 20) },
		"a flood: more than 16384 of its events wait to be taken, though some were before": func(f *flow) string { f.waits(9); f.taken(9); return f.waits(1) },
	} {
		c := &conn{}
		c.flowsAnew()
		much, n := "", 0
		for ; much == ""; n++ {
			much = f(c.flowing())
		}
		want, _, _ := strings.Cut(want, ", though")
		assert.Equal(t, want, much)
		assert.Greater(t, n, 32)
		c.flowsAnew()
		assert.Empty(t, f(c.flowing()))
	}
}

// docs/protocol.md states the limits.
func TestLimitsAreStated(t *testing.T) {
	b, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	for _, row := range []string{
		fmt.Sprintf("| one line | %d MiB |", proc.MaxLine>>20),
		fmt.Sprintf("| output that lwtest could not read in time | %d MiB |", proc.MaxUnread>>20),
		fmt.Sprintf("| output in one case, with answers | %d MiB |", maxBytes>>20),
		fmt.Sprintf("| events in one case, known or not | %d |", maxEvents),
		fmt.Sprintf("| events that wait to be taken, as those of a handler that a check slows down | %d, or %d MiB |", maxWaiting, maxWaitingBytes>>20),
		fmt.Sprintf("| memory of the process | %d GiB |", proc.MaxMemory>>30),
	} {
		assert.True(t, strings.Contains(string(b), row+"\n"), row)
	}
}
