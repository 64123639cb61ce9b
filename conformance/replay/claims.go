package replay

import (
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Claims are contents that writes sent which should have stored nothing. What
// shows one is their doing, also where the server has filled in what was left
// out: more than was sent is then what this server has been seen to add to others.
type Claims struct {
	exact []map[string]int32  // by key, of which few have any
	rest  []map[string]sentBy // by what is left without what the server adds
	fills fills
}

type sentBy struct {
	call int32
	body string
}

// NewClaims has none yet.
func NewClaims(r *Replay) *Claims {
	added := history.Derive(r.H, func(*history.History) fills { return r.fills() })
	return &Claims{make([]map[string]int32, r.H.Keys()), make([]map[string]sentBy, r.H.Keys()), added}
}

// fills are the names of what the server adds; nil: nothing.
type fills map[string]bool

// fills are those of the words that answers to creates and updates have, and
// that these had not sent. Finalizers are none of them: they have rules of their own.
func (r *Replay) fills() fills {
	var out fills
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.Outcome != Done || w.verb != kindCreate && w.verb != kindUpdate || w.is(status) {
			continue
		}
		sent, got := r.H.Event(w.Call).Obj.Body, r.H.Event(w.Return).Obj.Body
		if sent == got {
			continue
		}
		for p := range strings.FieldsSeq(got) {
			name, _, pair := strings.Cut(p, "=")
			if pair && name+"=" != finalizersAre && !strings.Contains(" "+sent, " "+name+"=") {
				if out == nil {
					out = fills{}
				}
				out[name] = true
			}
		}
	}
	return out
}

// without is a content less what the server adds.
func (c *Claims) without(body string) string {
	var out []string
	for p := range strings.FieldsSeq(body) {
		if name, _, _ := strings.Cut(p, "="); !c.fills[name] {
			out = append(out, p)
		}
	}
	return strings.Join(out, " ")
}

// Put claims a content for a call, unless another had claimed it.
func (c *Claims) Put(k int32, body string, call int32) {
	if c.exact[k] == nil {
		c.exact[k], c.rest[k] = map[string]int32{}, map[string]sentBy{}
	}
	if c.exact[k][body] == 0 {
		c.exact[k][body] = call
	}
	if c.fills == nil {
		return
	}
	if rest := c.without(body); rest != "" && c.rest[k][rest].call == 0 {
		c.rest[k][rest] = sentBy{call, body}
	}
}

// Forget drops what a write has stored, or may have.
func (c *Claims) Forget(k int32, body string) {
	delete(c.exact[k], body)
	c.forgetRest(k, body)
}

// forgetRest leaves it to whoever sent just that.
func (c *Claims) forgetRest(k int32, body string) {
	if len(c.rest[k]) > 0 {
		delete(c.rest[k], c.without(body))
	}
}

// Find is the call that claims what an object of a key shows; 0: none does.
func (c *Claims) Find(k int32, body string) int32 {
	if call := c.exact[k][body]; call != 0 || len(c.rest[k]) == 0 {
		return call
	}
	if by := c.rest[k][c.without(body)]; by.call != 0 && Stored(by.body, body) {
		return by.call
	}
	return 0
}
