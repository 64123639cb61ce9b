package exec

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// unanswered describes the requests that the adapter should have answered by now; empty if there are none.
func (c *conn) unanswered() string {
	const most = 3
	c.mu.Lock()
	defer c.mu.Unlock()
	var late []string
	for _, p := range slices.SortedFunc(maps.Values(c.waiting), func(a, b pending) int { return cmp.Compare(a.id, b.id) }) {
		if why := c.overdue(p); why != "" {
			late = append(late, p.describe()+why)
		}
	}
	if len(late) > most {
		late = append(late[:most], fmt.Sprintf("and %d more", len(late)-most))
	}
	return strings.Join(late, ", ")
}

// overdue says how long ago a request was sent, and why it must not wait any longer; empty if it may.
func (c *conn) overdue(p pending) string {
	sent := " (sent " + ago(p.sent)
	stop := map[string]string{"lw.read": "lw.stop", "wc.read": "wc.stop"}[p.op]
	if at, ok := c.stopped[p.handle()]; ok && stop != "" {
		return sent + "; " + stop + " of that watch was sent " + ago(at) + `: answer the read with {"ended":true})`
	}
	if at, ok := c.cancelled[p.id]; ok && time.Since(at) > time.Second { // not by the end of the check
		return sent + "; cancel of it was sent " + ago(at) + ")"
	}
	if mayWait(p.op) {
		return ""
	}
	return sent + ")"
}

// mayWait reports whether an adapter answers an op only when there is something to say.
func mayWait(op string) bool {
	return slices.Contains([]string{"lw.read", "wc.read", "lw.until", "inf.run", "queue.pop"}, op)
}

// handle returns what the request is about: a watch or, if it names none, what was opened.
func (p pending) handle() string {
	var of struct{ H, W string }
	_ = json.Unmarshal(p.line, &of) // it is ours
	return cmp.Or(of.W, of.H)
}

func (p pending) describe() string {
	of := ""
	if h := p.handle(); h != "" {
		of = " of " + h
	}
	return fmt.Sprintf("%s%s, id %d", p.op, of, p.id)
}

func ago(t time.Time) string { return time.Since(t).Round(100*time.Millisecond).String() + " ago" }
