package replay

import (
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Forms are the representations, other than JSON, that a read can ask for. Args.Form has their names.
const (
	FormProtobuf         = "protobuf"
	FormCBOR             = "cbor"
	FormTable            = "table"
	FormTableBeta        = "table-v1beta1"
	FormTableObject      = "table-object" // whose rows have the whole objects
	FormMetadata         = "metadata"
	FormMetadataBeta     = "metadata-v1beta1"
	FormMetadataProtobuf = "metadata-protobuf"
)

// WrongForm is the reason of an answer, or an event, that has not the form that was asked for.
const WrongForm = "WrongForm"

// OnlyMetadata reports whether answers in a form show nothing of objects but their metadata.
func OnlyMetadata(form string) bool {
	switch form {
	case FormTable, FormTableBeta, FormMetadata, FormMetadataBeta, FormMetadataProtobuf:
		return true
	}
	return false
}

// FormOf returns the form that the request of an answer or a notice asked for.
func FormOf(h *history.History, e *history.Event) string {
	call := e
	if e.Call != 0 {
		call = h.Event(e.Call)
	}
	if call.X == nil || !strings.Contains(string(call.X.Args), `"form"`) { // nearly none has one
		return ""
	}
	a, _ := arguments(call)
	return a.Form
}

// contentWords begin the words of a content that are no metadata.
var contentWords = []string{"spec=", "status=", "node="}

// MetadataOf is a content without the words that are no metadata.
func MetadataOf(body string) string {
	_, meta := splitContent(body)
	return meta
}

// splitContent parts the words of a content: those of the object's own fields come first, then its metadata.
func splitContent(body string) (own, meta string) {
	rest := body
	for rest != "" {
		word, after, _ := strings.Cut(rest, " ")
		if !slices.ContainsFunc(contentWords, func(p string) bool { return strings.HasPrefix(word, p) }) {
			break
		}
		rest = after
	}
	return strings.TrimSuffix(body[:len(body)-len(rest)], " "), rest
}

// Whole returns h with whole objects in place of those of which a form showed only the metadata: what it leaves out is as
// another form shows it. So every rule judges every form. A request with an object that no other form shows is left out,
// where a write of unknown outcome may have made it. The events keep their numbers.
func Whole(h *history.History) *history.History {
	return history.Derive(h, func(h *history.History) made { return made{whole(h)} }).h
}

// made is what Whole makes, of its own type: a history derives one thing of each.
type made struct{ h *history.History }

func whole(h *history.History) *history.History {
	forms := formsOf(h)
	if len(forms) == 0 {
		return h
	}
	c := completer{h: h, forms: forms, shown: map[state]string{}, of: map[int32][]int32{}, lost: map[int32]bool{}}
	c.read()
	events := slices.Clone(h.Events)
	left := map[int32]bool{}
	for i := range events {
		if !c.complete(&events[i]) {
			left[max(events[i].Call, 1)] = true
		}
	}
	for i := range events {
		if e := &events[i]; left[e.Num] || e.Call != 0 && left[e.Call] {
			e.Kind, e.Obj, e.X = leftOut, history.Ref{}, nil
		}
	}
	for i := range events { // New ranks the items anew, and those of h stay as they are
		if e := &events[i]; e.X != nil && e.X.Items != nil {
			x := *e.X
			x.Items = slices.Clone(x.Items)
			e.X = &x
		}
	}
	out, err := history.New(h.Header, events)
	if err != nil {
		return h // it was a history before, and nothing that makes one has changed
	}
	out.Truncated = h.Truncated
	return out
}

// formsOf returns, by call, the forms that show only metadata.
func formsOf(h *history.History) map[int32]string {
	var out map[int32]string
	for i := range h.Events {
		e := &h.Events[i]
		if e.Phase != history.Call || e.X == nil {
			continue
		}
		if f := FormOf(h, e); OnlyMetadata(f) {
			if out == nil {
				out = map[int32]string{}
			}
			out[e.Num] = f
		}
	}
	return out
}

// completer completes objects.
type completer struct {
	h     *history.History
	forms map[int32]string
	shown map[state]string  // whole contents, by key and rank
	of    map[int32][]int32 // the ranks of a key at which one is known, in order
	lost  map[int32]bool    // keys of writes whose outcome nobody knows
}

// read collects the contents that whole forms show.
func (c *completer) read() {
	answered := map[int32]bool{}
	for i := range c.h.Events {
		e := &c.h.Events[i]
		if e.Phase == history.Return {
			answered[e.Call] = e.Err() == nil || e.Err().Definite
			if e.Err() != nil {
				continue
			}
		}
		if e.Phase != history.Call && c.forms[e.Call] == "" && e.Kind != Deleted && !IsDryRun(c.h.Event(max(e.Call, 1))) {
			for _, o := range Objects(e) {
				c.note(&o)
			}
		}
	}
	for i := range c.h.Events {
		if e := &c.h.Events[i]; e.Phase == history.Call && !answered[e.Num] && isWriteKind(e.Kind) {
			c.lost[e.Obj.K] = true
		}
	}
	for _, ranks := range c.of {
		slices.Sort(ranks)
	}
}

func (c *completer) note(o *history.Ref) {
	at := state{o.K, o.N}
	if _, known := c.shown[at]; o.N == 0 || o.K == 0 || known {
		return
	}
	c.shown[at] = o.Body
	c.of[o.K] = append(c.of[o.K], o.N)
}

func isWriteKind(kind string) bool {
	return kind == Create || kind == Update || kind == Patch || kind == Delete || kind == DeleteCollection
}

// complete completes the objects of an event; false: it cannot be.
func (c *completer) complete(e *history.Event) bool {
	if e.Phase == history.Call || c.forms[e.Call] == "" || e.Err() != nil || e.Kind == Bookmark {
		return true
	}
	if e.X != nil && e.X.Items != nil {
		x := *e.X
		x.Items = slices.Clone(x.Items)
		e.X = &x
		for i := range x.Items {
			if !c.object(&x.Items[i], false) {
				return false
			}
		}
	}
	return c.object(&e.Obj, e.Kind == Deleted)
}

// object adds what of an object is no metadata: as it is shown at that resourceVersion, or else as it was before, since what a
// server does by itself changes only metadata.
func (c *completer) object(o *history.Ref, gone bool) bool {
	switch {
	case o.K == 0 || strings.HasPrefix(o.Key, Foreign):
		return true
	case o.N == 0:
		return false
	}
	body, known := c.shown[state{o.K, o.N}]
	if gone || !known {
		i, _ := slices.BinarySearch(c.of[o.K], o.N)
		if known = i > 0; known {
			body = c.shown[state{o.K, c.of[o.K][i-1]}]
		}
		if c.lost[o.K] || c.lost[0] {
			return false
		}
	}
	own, _ := splitContent(body)
	o.Body = strings.TrimSpace(own + " " + o.Body)
	return true
}
