package listerwatcher

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// home is the client's namespace.
const home = "default"

// Histories by hand, one event a line; those of c1 are of the client, those of s1 what the server has of c1's last call:
//
//	has lists watches json              the features
//	c1 -> LIST rv=5 limit=2             a call, with its options: rv match limit continue labels fields bookmarks initial timeout; untagged
//	s1 -> LIST                          the request that came of it, with just those options
//	s1 -> WATCH rv=5 watch=0            or with these instead, or none; and with another query, accept=, ns=, resource=, path=; untagged; idle=9x5: by a new connection beside nine that have carried nothing for five seconds
//	s1 .. FAULT garble lost             a fault that struck it; lost: it kept the answer from the client
//	s1 <- @5 [a@3:x b@4] continue=t remaining=3
//	s1 <- 429 TooManyRequests retry=1 cause=FieldValueInvalid
//	s1 <- ok                            a watch is open
//	s1 .. ADDED a@6:x                   what it sent; also BOOKMARK @7, BOOKMARK @7 initial, ERROR 410 Expired, SPOILED garble
//	s1 .. END clean                     or broken, stopped
//	c1 <- @5 [a@3:x b@4]                what the caller was given; a status; ok; error, which is one without a code
//	c1 <- ok changed rv=7               and its options are others now
//	c1 .. ADDED a@6:x                   also ENDED and SETTLED
//	c1 -> STOP                          of its last watch; also CANCEL, of a wait, too
//	c1 -> READ pause=2s                 its last watch is read from now on, with a pause after each event
//	c1 -> UNTIL rv=5 for=ADDED/b        a wait for an event of this type, of this object
//	c1 -> UNTIL for=ADDED/b unless=there/a  or unless=gone/a: with a precondition
//	c1 <- met ADDED b@6                 what met its condition
//	c1 <- held                          its precondition held
//	... 3s                              so much time passes
//	s1 -> WATCH http2                   a request by HTTP/2; network -> DIED: its connection is dead from now on
//	network -> DOWN                     connections are refused from now on
//	network .. REFUSED                  one is, the last of too many
//	.. GAVE-UP deadline                 the engine gives the drive up
type handmade struct {
	events  []history.Event
	head    history.Header
	now     time.Duration
	last    map[string]int32              // the last call of the client, by number; of s1 the last request
	options map[string]metav1.ListOptions // of the last call
}

func historyOf(t testing.TB, text string) *history.History {
	t.Helper()
	p := &handmade{head: history.Header{Kind: "listerwatcher", Time: history.VirtualTime, Features: []string{"lists", "watches", "json", "server-faults"}},
		last: map[string]int32{}, options: map[string]metav1.ListOptions{}}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			require.NoError(t, p.line(f), line)
		}
	}
	h, err := history.New(p.head, p.events)
	require.NoError(t, err)
	return h
}

func (p *handmade) line(f []string) error {
	switch {
	case f[0] == "has":
		p.head.Features = f[1:]
		return nil
	case f[0] == "real":
		p.head.Time = history.RealTime
		return nil
	case f[0] == "...":
		d, err := time.ParseDuration(f[1])
		p.now += d
		return err
	case f[0] == rig.Network && f[1] == "..":
		p.add(history.Event{Actor: rig.Network, Kind: f[2]})
		return nil
	case f[0] == rig.Network:
		p.add(history.Event{Phase: history.Call, Actor: rig.Network, Kind: f[2]})
		return nil
	case f[0] == "..":
		p.add(history.Event{Actor: history.Engine, Kind: f[1], X: &history.Ext{Err: &history.Error{Msg: f[2]}}})
		return nil
	case len(f) < 3:
		return fmt.Errorf("want an actor, an arrow and what it does")
	}
	who, of := f[0][:1], f[0][1:]
	switch who + f[1] {
	case "c->":
		return p.calls(of, f[2], f[3:])
	case "s->":
		return p.requested(of, f[2], f[3:])
	case "c<-", "s<-":
		return p.returns(f[0], f[2:])
	case "c..", "s..":
		return p.notices(f[0], f[2], f[3:])
	}
	return fmt.Errorf("there is no %s %s", f[0], f[1])
}

func (p *handmade) add(e history.Event) int32 {
	e.At = int64(p.now)
	e.Num = int32(len(p.events)) + 1
	p.events = append(p.events, e)
	return e.Num
}

func plainJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is plain data
	}
	return b
}

func (p *handmade) calls(of, kind string, words []string) error {
	if kind == stopKind || kind == cancelKind {
		num := p.add(history.Event{Phase: history.Call, Actor: "c" + of, Kind: kind, X: &history.Ext{Args: plainJSON(endArgs{p.last["c"+of]})}})
		p.add(history.Event{Phase: history.Return, Actor: "c" + of, Kind: kind, Call: num})
		return nil
	}
	if kind == readKind {
		a := readArgs{Watch: p.last["c"+of]}
		for _, w := range words {
			a.Pause, _ = time.ParseDuration(strings.TrimPrefix(w, "pause="))
		}
		num := p.add(history.Event{Phase: history.Call, Actor: "c" + of, Kind: kind, X: &history.Ext{Args: plainJSON(a)}})
		p.add(history.Event{Phase: history.Return, Actor: "c" + of, Kind: kind, Call: num})
		return nil
	}
	var wanted Condition
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "for=") }); i >= 0 {
		wanted.Type, wanted.Name, _ = strings.Cut(words[i][len("for="):], "/")
		words = slices.Delete(words, i, i+1)
	}
	var unless *Precondition
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "unless=") }); i >= 0 {
		how, name, _ := strings.Cut(words[i][len("unless="):], "/")
		unless, words = &Precondition{name, how == "there"}, slices.Delete(words, i, i+1)
	}
	untagged := slices.Contains(words, "untagged")
	o, err := optionsOf(slices.DeleteFunc(words, func(w string) bool { return w == "untagged" }))
	if err != nil {
		return err
	}
	tag := fmt.Sprintf("%s!=%d", callTag, len(p.events))
	if o.LabelSelector != "" {
		tag = o.LabelSelector + "," + tag
	}
	if untagged {
		tag = o.LabelSelector
	}
	o.LabelSelector = tag
	p.options[of] = o
	args := any(called{home, configMaps.Resource, o})
	if kind == untilKind {
		args = awaited{called{home, configMaps.Resource, o}, wanted, unless}
	}
	p.last["c"+of] = p.add(history.Event{Phase: history.Call, Actor: "c" + of, Kind: kind, X: &history.Ext{Args: plainJSON(args)}})
	return nil
}

// requested is what the server was sent: of c1's call, but for what the words say.
func (p *handmade) requested(of, kind string, words []string) error {
	o, own := p.options[of], []string(nil)
	r := rig.Request{Accept: jsonType, Version: "v1", Resource: configMaps.Resource, Namespace: home}
	watch, path := map[bool]string{true: "true"}[kind == rig.Watch], ""
	for _, w := range words {
		switch name, value, _ := strings.Cut(w, "="); name {
		case "accept":
			r.Accept = value
		case "ns":
			r.Namespace = value
		case "resource":
			r.Resource = value
		case "watch":
			watch = value
		case "path":
			path = value
		case "idle":
			count, seconds, _ := strings.Cut(value, "x") // 9x5: nine, for five seconds
			n, _ := strconv.Atoi(count)
			s, _ := strconv.Atoi(seconds)
			r.Idle = slices.Repeat([]int{s}, n)
		case "http2":
			r.HTTP2 = true
		case "untagged":
			o.LabelSelector = ""
		case "none":
			own = []string{}
		default:
			own = append(own, w)
		}
	}
	if own != nil {
		tag := o.LabelSelector
		var err error
		if o, err = optionsOf(own); err != nil {
			return err
		}
		o.LabelSelector = tag
	}
	r.URI = cmp.Or(path, "/api/v1/namespaces/"+r.Namespace+"/"+r.Resource)
	if watch != "" {
		r.URI += "?watch=" + watch
	}
	if r.Options = plainJSON(o); kind == rig.Other { // what it asked for the server did not look at
		r = rig.Request{URI: r.URI, Accept: r.Accept}
	}
	p.last["s"+of] = p.add(history.Event{Phase: history.Call, Actor: rig.Actor, Kind: kind, X: &history.Ext{Args: plainJSON(r)}})
	return nil
}

func optionsOf(words []string) (o metav1.ListOptions, err error) {
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		yes, n := value == "true", int64(0)
		switch name {
		case "rv":
			o.ResourceVersion = value
		case "match":
			o.ResourceVersionMatch = metav1.ResourceVersionMatch(value)
		case "limit":
			o.Limit, err = strconv.ParseInt(value, 10, 64)
		case "continue":
			o.Continue = value
		case "labels":
			o.LabelSelector = value
		case "fields":
			o.FieldSelector = value
		case "bookmarks":
			o.AllowWatchBookmarks = true
		case "initial":
			o.SendInitialEvents = &yes
		case "timeout":
			n, err = strconv.ParseInt(value, 10, 64)
			o.TimeoutSeconds = &n
		default:
			err = fmt.Errorf("there is no option %q", w)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// actor is who does what is written as s1's, or c1's.
func actor(who string) string {
	if who[0] == 's' {
		return rig.Actor
	}
	return who
}

func (p *handmade) returns(who string, words []string) error {
	call := p.last[who]
	e := history.Event{Phase: history.Return, Actor: actor(who), Kind: p.events[call-1].Kind, Call: call}
	var body returned
	if words[0] == "met" {
		body.Met, e.Obj, words = words[1], object(words[2]), nil
	}
	for i, w := range words {
		if w == "changed" {
			after, err := optionsOf(words[i+1:])
			if err != nil {
				return err
			}
			body.After, words = &after, words[:i]
			break
		}
	}
	x := &history.Ext{}
	if err := p.answer(&e, x, &body, words); err != nil {
		return err
	}
	if b := plainJSON(body); string(b) != "{}" {
		x.Body = b
	}
	if x.Err != nil || x.Items != nil || x.Body != nil {
		e.X = x
	}
	p.add(e)
	return nil
}

// answer reads what an answer, or an ERROR, has.
func (p *handmade) answer(e *history.Event, x *history.Ext, body *returned, words []string) error {
	items := strings.Trim(strings.Join(words, " "), " ")
	if from, to := strings.Index(items, "["), strings.Index(items, "]"); from >= 0 && to > from {
		x.Items = []history.Ref{}
		for _, o := range strings.Fields(items[from+1 : to]) {
			x.Items = append(x.Items, object(o))
		}
		words = strings.Fields(items[:from] + items[to+1:])
	}
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch code, err := strconv.Atoi(w); {
		case w == "ok":
		case w == "held":
			body.Held = true
		case w == "error":
			x.Err = &history.Error{Msg: "something went wrong"}
		case err == nil:
			x.Err = &history.Error{Code: code, Msg: "a status"}
		case x.Err != nil && i == 1 && !strings.Contains(w, "="):
			x.Err.Reason = w
		case w[0] == '@':
			e.Obj.RV = w[1:]
		case name == "says":
			x.Err.Msg = value
		case name == "continue":
			body.Continue = value
		case name == "remaining":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return err
			}
			body.Remaining = &n
		case name == "retry", name == "cause":
			if body.StatusBody == nil {
				body.StatusBody = &rig.StatusBody{}
			}
			if name == "cause" {
				body.Causes = append(body.Causes, metav1.StatusCause{Type: metav1.CauseType(value)})
				continue
			}
			n, err := strconv.Atoi(value)
			if err != nil {
				return err
			}
			body.RetryAfter = int32(n)
		default:
			return fmt.Errorf("%q means nothing in an answer", w)
		}
	}
	return nil
}

// object is "name@resourceVersion:content".
func object(s string) history.Ref {
	s, content, _ := strings.Cut(s, ":")
	name, rv, _ := strings.Cut(s, "@")
	b := map[string]any{"metadata": map[string]any{"name": name, "resourceVersion": rv}}
	if content != "" {
		b["data"] = map[string]any{"spec": content}
	}
	return history.Ref{Key: home + "/" + name, RV: rv, Body: string(plainJSON(b))}
}

func (p *handmade) notices(who, kind string, words []string) error {
	e := history.Event{Actor: actor(who), Kind: kind, Call: p.last[who]}
	switch kind {
	case rig.FaultStruck:
		lost := words[len(words)-1] == "lost"
		if lost {
			words = words[:len(words)-1]
		}
		e.X = &history.Ext{Body: plainJSON(rig.FaultBody{Name: "f", Does: strings.Join(words, " "), Lost: lost})}
	case "SPOILED":
		e.Kind, e.X = rig.SpoiledFrame, &history.Ext{Body: plainJSON(rig.FaultBody{Name: "ADDED", Does: strings.Join(words, " ")})}
	case rig.End:
		e.X = &history.Ext{Body: plainJSON(rig.EndBody{How: words[0]})}
	case history.Ended, history.Settled:
	case errorType:
		var body returned
		e.X = &history.Ext{}
		if err := p.answer(&e, e.X, &body, words); err != nil {
			return err
		}
		e.X.Body = plainJSON(body)
	default:
		if words[0][0] == '@' {
			if e.Obj.RV = words[0][1:]; len(words) > 1 {
				e.Obj.Body = `{"metadata":{"annotations":{"` + metav1.InitialEventsAnnotationKey + `":"true"}}}`
			}
		} else {
			e.Obj = object(words[0])
		}
	}
	p.add(e)
	return nil
}
