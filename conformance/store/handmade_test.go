package store

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness/history"
)

// Histories by hand, one call and its answer a line:
//
//	has map index                       the features, in the first line
//	OPEN ttl=2s value,namespace         the options; may be left out
//	ADD a/x@1:b{red,blue} => ok         an object: key, resourceVersion, body, values
//	DELETE? a/x@1 => ok                 a tombstone
//	ADD a/no-key => KeyError            a refusal; another word is any error
//	REPLACE @5 a/x@1 a/y@2 => ok
//	APPLY-ALL ADD=a/x@1 DELETE?=a/y@2 => ok
//	GET a/x => a/x@1:b                  or nothing
//	LIST => a/x@1:b a/y@2               or nothing
//	BY-INDEX value red => a/x@1
//	INDEX value a/q{red} => a/x@1
//	INDEX-VALUES value => red blue
//	ADD-INDEXERS value => ok
//	VERSION => @5
//	POP => Added=a/x@1 Deleted?=a/x@1   also ReplacedAll@5=a/x@1+a/y@2, SyncAll, Bookmark@5; and at the end: initial
//	POP => waits                        it has not returned when everything is idle; "=> #n …" answers it later
//	PUSH a/x@1
//	... 3s                              so much time passes
//	u1 -> ADD a/x@1                     calls that overlap,
//	u1 <- ok                            each with the answer to its actor's last
type handmade struct {
	in     history.Interner
	events []history.Event
	head   history.Header
	now    time.Duration
	open   map[string]int32 // by actor
}

func historyOf(t testing.TB, text string) *history.History {
	t.Helper()
	p := &handmade{head: history.Header{Kind: "store", Time: history.VirtualTime, Features: []string{}}, open: map[string]int32{}}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			p.line(t, line)
		}
	}
	h, err := history.New(p.head, p.events)
	require.NoError(t, err)
	return h
}

func (p *handmade) line(t testing.TB, line string) {
	t.Helper()
	first, rest, _ := strings.Cut(line, " ")
	switch {
	case first == "has":
		p.head.Features = strings.Fields(rest)
		return
	case first == "real":
		p.head.Time = history.RealTime
		return
	case first == "...":
		d, err := time.ParseDuration(rest)
		require.NoError(t, err, line)
		p.now += d
		return
	case first == evPush:
		p.add(history.Event{Actor: "push", Kind: evPush, X: &history.Ext{Items: p.refs(t, rest)}})
		return
	}
	if call, ok := strings.CutPrefix(rest, "-> "); ok {
		p.call(t, first, call)
		return
	}
	if answer, ok := strings.CutPrefix(rest, "<- "); ok {
		p.answer(t, first, answer)
		return
	}
	call, answer, ok := strings.Cut(line, " => ")
	require.True(t, ok, line)
	actor := "c1"
	if strings.HasPrefix(call, evPop) {
		actor = "pop"
	}
	p.call(t, actor, call)
	p.answer(t, actor, answer)
}

func (p *handmade) add(e history.Event) {
	e.Num, e.At = int32(len(p.events)+1), int64(p.now)
	p.events = append(p.events, e)
}

func (p *handmade) call(t testing.TB, actor, text string) {
	t.Helper()
	kind, rest, _ := strings.Cut(text, " ")
	kind, unknown := strings.CutSuffix(kind, "?")
	e := history.Event{Phase: history.Call, Actor: actor, Kind: kind}
	a := args{Unknown: unknown}
	words := strings.Fields(rest)
	switch kind {
	case evOpen:
		for _, w := range words {
			if d, ok := strings.CutPrefix(w, "ttl="); ok {
				ttl, err := time.ParseDuration(d)
				require.NoError(t, err)
				a.TTL = int64(ttl)
			} else {
				a.Indexers = strings.Split(w, ",")
			}
		}
	case evReplace:
		e.Obj.RV = strings.TrimPrefix(words[0], "@")
		a.Objects = objectsOf(p.refs(t, strings.Join(words[1:], " ")))
		if a.Objects == nil {
			a.Objects = []Object{}
		}
	case evApplyAll:
		for _, w := range words {
			verb, o, _ := strings.Cut(w, "=")
			verb, unknown := strings.CutSuffix(verb, "?")
			a.Changes = append(a.Changes, Change{Verb(verb), p.object(t, o), unknown})
		}
	case evBookmark:
		e.Obj.RV = strings.TrimPrefix(words[0], "@")
	case evIndex:
		a.Index, e.Obj = words[0], p.ref(t, words[1])
	case evByIndex, evIndexKeys:
		a.Index, a.Value = words[0], words[1]
	case evIndexValues:
		a.Index = words[0]
	case evAddIndexers:
		a.Indexers = strings.Split(words[0], ",")
	default:
		if len(words) > 0 {
			e.Obj = p.ref(t, words[0])
		}
	}
	if a.some() {
		b, err := json.Marshal(a)
		require.NoError(t, err)
		e.X = &history.Ext{Args: b}
	}
	p.add(e)
	p.open[actor] = int32(len(p.events))
}

func (p *handmade) answer(t testing.TB, actor, text string) {
	t.Helper()
	call := p.open[actor]
	kind := p.events[call-1].Kind
	if text == "waits" {
		p.add(history.Event{Actor: actor, Kind: history.Settled})
		return
	}
	e := history.Event{Phase: history.Return, Call: call, Actor: actor, Kind: kind}
	words := strings.Fields(text)
	switch {
	case text == reasonKey || text == reasonClosed:
		e.X = &history.Ext{Err: &history.Error{Reason: text, Definite: true}}
	case text == "error":
		e.X = &history.Ext{Err: &history.Error{Msg: "it says no"}}
	case text == "ok":
	case kind == evVersion:
		e.Obj.RV = strings.TrimPrefix(text, "@")
	case kind == evGet || kind == evGetByKey:
		if text != absent {
			e.Obj = p.ref(t, text)
		}
	case kind == evSynced:
		e.X = &history.Ext{Body: fmt.Appendf(nil, `{"synced":%s}`, text)}
	case kind == evIndexValues:
		if text == absent {
			words = nil
		}
		b, err := json.Marshal(body{Values: words})
		require.NoError(t, err)
		e.X = &history.Ext{Body: b}
	case isPop(kind):
		b, err := json.Marshal(p.popped(t, words))
		require.NoError(t, err)
		e.X = &history.Ext{Body: b}
	case text == absent:
		e.X = &history.Ext{Items: []history.Ref{}}
	default:
		e.X = &history.Ext{Items: p.refs(t, text)}
	}
	p.add(e)
}

var objectText = regexp.MustCompile(`^([^@:{]+)(?:@([^:{]+))?(?::([^{]+))?(?:\{(.*)\})?$`)

func (p *handmade) object(t testing.TB, s string) Object {
	t.Helper()
	m := objectText.FindStringSubmatch(s)
	require.NotNil(t, m, "%q is no object", s)
	o := objectOf(history.Ref{Key: m[1], RV: m[2], Body: m[3]})
	if m[4] != "" {
		o.Values = strings.Split(m[4], ",")
	}
	return o
}

func (p *handmade) ref(t testing.TB, s string) history.Ref {
	t.Helper()
	return ref(p.in.Set, p.object(t, s))
}

func (p *handmade) refs(t testing.TB, s string) []history.Ref {
	t.Helper()
	out := []history.Ref{}
	for _, w := range strings.Fields(s) {
		out = append(out, p.ref(t, w))
	}
	return out
}

func (p *handmade) popped(t testing.TB, words []string) Popped {
	t.Helper()
	var out Popped
	for _, w := range words {
		if w == "initial" {
			out.Initial = true
			continue
		}
		what, objects, _ := strings.Cut(w, "=")
		what, rv, _ := strings.Cut(what, "@")
		kind, unknown := strings.CutSuffix(what, "?")
		d := Delta{Type: kind, Unknown: unknown, ResourceVersion: rv}
		switch {
		case kind == ReplacedAll && objects != "":
			for _, o := range strings.Split(objects, "+") {
				d.Objects = append(d.Objects, p.object(t, o))
			}
		case objects != "":
			o := p.object(t, objects)
			d.Object = &o
		}
		out.Deltas = append(out.Deltas, d)
	}
	return out
}
