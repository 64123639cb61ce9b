package informer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// home is the namespace of i; that of j is elsewhere.
const home = "default"

// Histories by hand, one event or one call with its return a line. An object is name@resourceVersion, with #2 after the
// name where it is the second of that name, :content and +value of the label app, and a * where it is marked; without an
// @ it is a key alone.
//
//	has metadata-only                    the features
//	real                                 in real time
//	w a@5:x+one                          the drive puts an object; w -a@6 deletes one
//	w> a                                 a write that has no answer yet; w< a@5 is that answer
//	w! a                                 one that failed
//	i RUN resync=10s transform index     the informer starts; also ns=, one (of the label app), but-a (by name); a second one says ns=elsewhere and is j, k is the next of i's
//	i STOP                               also SETTLED, TOLD an error, PUSH a@5 b@6, WRITE a@7 of its own, HELD-WRITE a@7 and later ANSWERED a@7
//	i RETURN                             from its first RUN; RETURN last
//	i SYNCED yes                         a reading; also VERSION 5, STORE a@5 b@6, INDEX one a@5, READ a a@7, GET a a@7
//	i> STORE                             one that takes its time, to the line that begins with i<
//	i! STORE                             one that failed
//	h1 HANDLE period=20s                 a handler is added; of=j to the other informer; refused
//	h1 ADD a@5 initial                   a notification; also UPDATE, DELETE a@6 and DELETE a@5 unknown; held=a@6 is what
//	                                     the store has (else the same; on DELETE nothing), held=none, old=a@4 the old state
//	                                     (else the one told before), old=none, indexed=b or none what the index has (else the same)
//	h1> ADD a@5                          one that takes its time, up to h1<
//	h1 SYNCED yes                        also SETTLED, UNHANDLE wait
//	s1 LIST rv=0 limit=2                 a request, of i or, with ns=elsewhere, of j; wire: over HTTP; idle=9x5: by a new connection
//	                                     beside nine that have carried nothing for five seconds
//	s1 WATCH rv=5 initial=true           also match= continue= bookmarks; REQUEST is of something else
//	s1 <- @5 a@5 b@4 continue=t          its answer
//	s1 <- 429 retry=1 cause=Some         a refusal; too-large: by its message alone
//	s1 <- ok                             it is open
//	s1 ADDED a@6                         what it sent; also BOOKMARK @7, BOOKMARK @7 end, ERROR 410, SPOILED
//	s1 FAULT garble lost                 a fault that struck it; lost: it kept the answer from the client
//	s1 END clean                         or broken, stopped
//	network DOWN                         nothing is reached any more; also UP; DIED: the connections of requests with http2 are dead; UNTRUSTED
//	... 3s                               so much time passes
//	.. GAVE-UP deadline                  of the engine; also LEFT
//
// A line that ends with ! is one that the findings point at.
type handmade struct {
	events []history.Event
	head   history.Header
	now    time.Duration
	sets   history.Interner
	runs   []int32
	open   map[string][]int32 // calls without a return, by actor
	last   map[string]int32   // the last request, by its name
	told   map[string]history.Ref
	lines  []int // by event: its line
	line   int
	marked []int
}

// lettered are the informers of a history, by how a line begins.
var lettered = map[string]string{"i": informerActor, "j": secondActor, "k": nthInformer(informerActor, 2)}

func historyOf(t testing.TB, text string) (*history.History, *handmade) {
	t.Helper()
	p := &handmade{head: history.Header{Kind: "informer", Time: history.VirtualTime}, open: map[string][]int32{}, last: map[string]int32{}, told: map[string]history.Ref{}}
	for line := range strings.Lines(text) {
		p.line++
		f := strings.Fields(line)
		if n := len(f); n > 0 && f[n-1] == "!" {
			f, p.marked = f[:n-1], append(p.marked, p.line)
		}
		if len(f) > 0 {
			require.NoError(t, p.read(f), line)
		}
	}
	h, err := history.New(p.head, p.events)
	require.NoError(t, err)
	return h, p
}

func (p *handmade) read(f []string) error {
	who := strings.TrimRight(f[0], "<>!")
	switch f[0][0] {
	case 'w':
		return p.writes(f[0], f[1:])
	case 'i', 'j', 'k':
		return p.informs(f[0], lettered[who], f[1:])
	case 's':
		return p.serves(f[0], f[1:])
	case '.':
		return p.engine(f)
	}
	if f[0] == "has" {
		p.head.Features = f[1:]
		return nil
	}
	if f[0] == "real" {
		p.head.Time = history.RealTime
		return nil
	}
	if who == rig.Network && f[1] == rig.Untrusted {
		p.add(history.Event{Actor: who, Kind: f[1]})
		return nil
	}
	if who == rig.Network {
		return p.returns(p.call(who, history.Event{Actor: who, Kind: f[1]}), history.Event{})
	}
	return p.handles(f[0], who, f[1:])
}

func (p *handmade) engine(f []string) error {
	if f[0] == "..." {
		d, err := time.ParseDuration(f[1])
		p.now += d
		return err
	}
	p.add(history.Event{Actor: history.Engine, Kind: f[1], X: &history.Ext{Err: &history.Error{Msg: f[2]}}})
	return nil
}

func (p *handmade) add(e history.Event) int32 {
	e.At = int64(p.now)
	e.Num = int32(len(p.events)) + 1
	p.events, p.lines = append(p.events, e), append(p.lines, p.line)
	return e.Num
}

// call is one that takes its time where a line says so: then the first of its actor that a later line ends.
func (p *handmade) call(how string, e history.Event) int32 {
	e.Phase = history.Call
	num := p.add(e)
	if strings.HasSuffix(how, ">") {
		p.open[e.Actor] = append(p.open[e.Actor], num)
	}
	return num
}

// first is the first call of an actor that has no return.
func (p *handmade) first(actor string) (int32, error) {
	if len(p.open[actor]) == 0 {
		return 0, fmt.Errorf("%s has no call", actor)
	}
	call := p.open[actor][0]
	p.open[actor] = p.open[actor][1:]
	return call, nil
}

func (p *handmade) returns(call int32, e history.Event) error {
	of := p.events[call-1]
	e.Phase, e.Call, e.Actor, e.Kind = history.Return, call, of.Actor, of.Kind
	p.add(e)
	return nil
}

func (p *handmade) seen(actor, kind string, items []string) {
	p.add(history.Event{Actor: actor, Kind: kind, X: &history.Ext{Items: p.objects(items)}})
}

func plainJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is plain data
	}
	return b
}

var failed = &history.Ext{Err: &history.Error{Msg: "it failed"}}

func (p *handmade) writes(how string, words []string) error {
	text, gone := strings.CutPrefix(words[0], "-")
	kind, o := rig.PutKind, p.object(text)
	if gone {
		kind, o.UID, o.Body, o.Labels = rig.DeleteKind, "", "", nil
	}
	if how == "w<" {
		call, err := p.first(rig.WriterActor)
		if err != nil {
			return err
		}
		return p.returns(call, history.Event{Obj: o})
	}
	call := p.call(how, history.Event{Actor: rig.WriterActor, Kind: kind, Obj: history.Ref{Key: o.Key}})
	switch how {
	case "w>":
		return nil
	case "w!":
		return p.returns(call, history.Event{X: failed})
	}
	return p.returns(call, history.Event{Obj: o})
}

func (p *handmade) informs(how, actor string, words []string) error {
	if strings.HasSuffix(how, "<") {
		call, err := p.first(actor)
		if err != nil {
			return err
		}
		return p.answers(call, words)
	}
	kind, words := words[0], words[1:]
	switch kind {
	case runKind:
		a := runArgs{Namespace: home}
		for _, w := range words {
			switch name, value, _ := strings.Cut(w, "="); name {
			case "ns":
				a.Namespace = value
			case "resync":
				a.Resync, _ = time.ParseDuration(value)
			case "transform":
				a.Transform = Mark
			case "index":
				a.Index = ByApp
			case "one":
				a.Labels = "app=one"
			case "but-a":
				a.Fields = "metadata.name!=a"
			}
		}
		p.runs = append(p.runs, p.add(history.Event{Phase: history.Call, Actor: actor, Kind: kind, X: &history.Ext{Args: plainJSON(a)}}))
		return nil
	case "RETURN":
		call := p.runs[0]
		if len(words) > 0 {
			call = p.runs[len(p.runs)-1]
		}
		p.add(history.Event{Phase: history.Return, Actor: p.events[call-1].Actor, Kind: runKind, Call: call})
		return nil
	case history.Settled, errorKind:
		p.add(history.Event{Actor: actor, Kind: kind})
		return nil
	case pushKind:
		p.seen(actor, kind, words)
		return nil
	case answeredKind:
		p.add(history.Event{Actor: actor, Kind: kind, Call: p.last[heldKind], Obj: p.object(words[0])})
		return nil
	}
	e := history.Event{Actor: actor, Kind: kind}
	switch kind {
	case indexKind:
		e.X = &history.Ext{Args: plainJSON(indexArgs{words[0]})}
		words = words[1:]
	case readKind, getKind, writeKind, heldKind:
		e.Obj = history.Ref{Key: p.object(words[0]).Key}
		if kind == readKind || kind == getKind {
			words = words[1:]
		}
	}
	call := p.call(how, e)
	if kind == heldKind {
		p.last[heldKind] = call
	}
	switch {
	case strings.HasSuffix(how, ">"):
		return nil
	case strings.HasSuffix(how, "!"):
		return p.returns(call, history.Event{X: failed})
	}
	return p.answers(call, words)
}

// answers is the return of a reading.
func (p *handmade) answers(call int32, words []string) error {
	var e history.Event
	switch p.events[call-1].Kind {
	case syncedKind:
		e.X = &history.Ext{Body: plainJSON(readingBody{Synced: words[0] == "yes"})}
	case versionKind:
		e.X = &history.Ext{Body: plainJSON(readingBody{Version: strings.Join(words, "")})}
	case readKind, getKind, writeKind, heldKind:
		if len(words) > 0 {
			e.Obj = p.object(words[0])
		}
	case listKind, indexKind:
		e.X = &history.Ext{Items: p.objects(words)}
	}
	return p.returns(call, e)
}

func (p *handmade) handles(how, actor string, words []string) error {
	if strings.HasSuffix(how, "<") {
		call, err := p.first(actor)
		if err != nil {
			return err
		}
		return p.returns(call, history.Event{})
	}
	kind, words := words[0], words[1:]
	e := history.Event{Actor: actor, Kind: kind}
	var back history.Event
	if slices.Contains(words, "refused") {
		back.X = failed
	}
	switch kind {
	case history.Settled:
		p.add(e)
		return nil
	case handleKind:
		a := handleArgs{Informer: informerActor}
		for _, w := range words {
			switch name, value, _ := strings.Cut(w, "="); name {
			case "of":
				a.Informer = secondActor
			case "period":
				a.Period, _ = time.ParseDuration(value)
			}
		}
		e.X = &history.Ext{Args: plainJSON(a)}
	case removeKind:
		e.X = &history.Ext{Args: plainJSON(removeArgs{slices.Contains(words, "wait")})}
	case syncedKind:
		back.X = &history.Ext{Body: plainJSON(readingBody{Synced: words[0] == "yes"})}
	default:
		p.notifies(&e, words)
	}
	call := p.call(how, e)
	if strings.HasSuffix(how, ">") {
		return nil
	}
	return p.returns(call, back)
}

// notifies is what a notification has.
func (p *handmade) notifies(e *history.Event, words []string) {
	e.Obj = p.object(words[0])
	var n noticeArgs
	if e.Kind != Deleted {
		n.Held = p.state(words[0])
		if e.Obj.Labels != nil {
			n.Indexed = []string{e.Obj.Key}
		}
	}
	if was, ok := p.told[e.Actor+e.Obj.Key]; ok && e.Kind == Updated {
		s := stateOf(&was)
		n.Old = &s
	}
	for _, w := range words[1:] {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "initial":
			n.Initial = true
		case "unknown":
			n.Unknown = true
		case "held":
			n.Held = p.state(value)
		case "old":
			n.Old = p.state(value)
		case "indexed":
			n.Indexed = nil
			if value != "none" {
				n.Indexed = []string{p.object(value).Key}
			}
		}
	}
	p.told[e.Actor+e.Obj.Key] = e.Obj
	e.X = &history.Ext{Args: plainJSON(n)}
}

func (p *handmade) state(s string) *state {
	if s == "none" {
		return nil
	}
	o := p.object(s)
	out := stateOf(&o)
	return &out
}

func (p *handmade) objects(words []string) []history.Ref {
	out := []history.Ref{}
	for _, w := range words {
		out = append(out, p.object(w))
	}
	return out
}

// object is name#2@resourceVersion:content+app*.
func (p *handmade) object(s string) history.Ref {
	s, marked := strings.CutSuffix(s, "*")
	s, app, _ := strings.Cut(s, "+")
	s, content, _ := strings.Cut(s, ":")
	s, rv, known := strings.Cut(s, "@")
	s, uid, second := strings.Cut(s, "#")
	ns, name, found := strings.Cut(s, "/")
	if !found {
		ns, name = home, s
	}
	key := ns + "/" + name
	if !known {
		return history.Ref{Key: key}
	}
	if !second {
		uid = "1"
	}
	m := map[string]any{"name": name, "namespace": ns, "uid": name + uid, "resourceVersion": rv}
	b := map[string]any{"metadata": m}
	if marked {
		m["annotations"] = map[string]any{Marked: "yes"}
	}
	if content != "" {
		b["data"] = map[string]any{"spec": content}
	}
	o := history.Ref{Key: key, UID: name + uid, RV: rv, Body: string(plainJSON(b))}
	if app != "" {
		m["labels"] = map[string]any{"app": app}
		o.Labels = p.sets.Set(map[string]string{"app": app})
		o.Body = string(plainJSON(b))
	}
	return o
}
