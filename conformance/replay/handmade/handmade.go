// Package handmade reads histories that were written by hand. Tests use it, nothing else does.
//
// One event a line, as a timeline shows them; # begins a comment. Events are
// numbered from 1, comments and empty lines are not.
//
//	c1 -> CREATE a/x v=1 app=one              a call: verb, key, content (v), labels
//	c1 <- @2                                  its return: the object sent, as it was stored
//	c1 -> UPDATE a/x @2 uid=u2 v=2            @ and uid of a call are preconditions
//	c1 <- 409 Conflict                        a refusal: with a 4xx code it did not happen for certain
//	c1 <- 504 Timeout cause=ResourceVersionTooLarge retry=1
//	l1 <- 422 Invalid cause=FieldValueForbidden:resourceVersionMatch
//	l1 <- 410 Expired continue=tok
//	c1 -> DELETE a/x
//	c1 <- lost                                nobody knows; no line at all: no answer, either
//	c1 -> CREATE a/y v=3 dry                  a dry run
//	c1 -> UPDATE a/y body=status=up status    put to the status subresource
//	c1 -> PATCH a/y removes=label:app+spec    what it sets to null
//	c1 -> PATCH a/y v=2 by=m1                 a server-side apply of the manager m1; by=m1! one with force
//	c1 -> CREATE-SUBRESOURCE a/x              such as an eviction, without an effect
//	c1 -> DELETE a/x grace=7                  with a grace period of its own, in seconds
//	c1 -> DELETECOLLECTION ns=a pre=u1@7      with preconditions: a uid, a resourceVersion
//	c1 <- ok answer=@5                        a delete is answered with the object at that resourceVersion
//	c1 <- ok                                  an answer that says nothing
//	c1 -> GET a/x rv=2
//	c1 <- a/x @2 v=1 app=one
//	l1 -> LIST ns=a labels=app=one rv=2 match=Exact limit=2
//	l1 <- @5 [a/x @2 v=1, a/y @3] continue=tok remaining=4
//	l1 -> LIST ns=a shard=low                 or high: that half of the hashes of uids; or a selector, with + for spaces
//	l1 <- @5 [a/x @2 v=1] shard=low           the answer's shardInfo
//	l1 -> LIST form=table served=other        in another form than JSON, by the other served version
//	l1 <- WrongForm                           the answer has not that form
//	w1 -> WATCH ns=a rv=2 labels=app=one fields=metadata.name=x bookmarks initial=true
//	w1 <- ADDED a/x @2 v=1 app=one
//	w1 <- BOOKMARK @8
//	w1 <- END-MARK @8                         the bookmark that ends the initial events
//	w1 <- ERROR 410 Expired
//	w1 <- SETTLED                             and ENDED, STOPPED, PAUSED, RESUMED …; SETTLED @5: up to there
//	admin -> RESTART                          and COMPACT, MOVE-WINDOW, LAG, LAG-OVER, STARTING, STARTING-OVER, STORAGE, STORAGE-OVER
//	admin <- ok
//	admin -> WRITE-OTHER                      another resource was written to: its list is at the answer
//	admin <- @9
//	c2 <- #7 @9                               the return of call 7, where it is not the actor's last
//	... 90s                                   so much time passes; events in a row share a moment
//	... real time                             the history is of real time, not of virtual time
//	... of a check                            a check recorded it: there was nothing before it
//
// Of an object: v=1 is the content "spec=1"; body= is content as it is, with +
// for spaces; .k=v is a field; any other k=v is a label. A uid that is not said
// is that of the last creation of the key at or before the resourceVersion
// ("u2" for one at 2); uid=- is none.
package handmade

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// History is Parse for a test: text that cannot be read ends it.
func History(t testing.TB, text string) *history.History {
	t.Helper()
	h, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Parse reads a history. An error names the line.
func Parse(text string) (*history.History, error) {
	p := parser{calls: map[string][]int32{}, births: map[string][]birth{}, time: history.VirtualTime}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %q: %w", i+1, line, err)
		}
	}
	p.names()
	header := history.Header{Kind: "watchcache", Check: p.check, Time: p.time, Features: p.features}
	return history.New(header, p.events)
}

type parser struct {
	in     history.Interner
	events []history.Event
	calls  map[string][]int32 // by actor: numbers of its calls that may still be answered, or bring events
	births map[string][]birth
	time   string        // of the header
	check  string        // that recorded it; empty: a trace
	now    time.Duration // since the start

	features []string // of the header; nil: it does not say
}

func (p *parser) line(line string) error {
	actor, rest, _ := strings.Cut(line, " ")
	if actor == "..." {
		return p.passes(rest)
	}
	arrow, rest, _ := strings.Cut(strings.TrimSpace(rest), " ")
	words := strings.Fields(rest)
	if len(words) == 0 {
		return errors.New("want ACTOR -> CALL … or ACTOR <- ANSWER …")
	}
	e := history.Event{Num: int32(len(p.events) + 1), Actor: actor, At: int64(p.now)}
	var err error
	switch arrow {
	case "->":
		err = p.call(&e, words)
	case "<-":
		err = p.answer(&e, words)
	default:
		return fmt.Errorf("%q is no arrow: say -> or <-", arrow)
	}
	p.events = append(p.events, e)
	return err
}

// passes lets time pass, or says what time it is, or which features the subject has.
func (p *parser) passes(what string) error {
	switch what = strings.TrimSpace(what); what {
	case "real time":
		p.time = history.RealTime
		return nil
	case "of a check":
		p.check = "hand/made"
		return nil
	}
	if all, ok := strings.CutPrefix(what, "has "); ok {
		p.features = strings.Fields(all)
		return nil
	}
	d, err := time.ParseDuration(what)
	p.now += d
	return err
}

func (p *parser) call(e *history.Event, words []string) error {
	e.Phase, e.Kind = history.Call, words[0]
	p.calls[e.Actor] = append(p.calls[e.Actor], e.Num)
	var err error
	switch e.Kind {
	case replay.Create, replay.Update, replay.Patch, replay.Delete:
		words, dry := without(words[1:], "dry")
		words, removes := removed(words)
		words, args := appliedBy(words)
		words, args.GenerateName = generating(words)
		words = patchType(words, &args)
		words, args.PropagationPolicy = policy(words)
		words, toStatus := without(words, "status")
		words, grace, bad := graced(words)
		if bad != nil {
			return bad
		}
		args.DryRun, args.Removes, args.GracePeriodSeconds = dry, removes, grace
		if toStatus {
			args.Subresource = "status"
		}
		if dry || removes != nil || args.Type != "" || toStatus || grace != nil || args.GenerateName != "" || args.PropagationPolicy != "" {
			err = setArgs(e, args)
		}
		return errors.Join(err, p.object(&e.Obj, words))
	case replay.CreateSubresource:
		return p.object(&e.Obj, words[1:])
	case replay.Get:
		if len(words) < 2 {
			return errors.New("want the key of what is asked for")
		}
		a, err := arguments(words[2:])
		e.Obj.Key = words[1]
		a.Namespace, a.Name = replay.SplitKey(e.Obj.Key)
		return errors.Join(err, setArgs(e, a.Flat()))
	case replay.List, replay.Watch, replay.DeleteCollection:
		words, dry := without(words[1:], "dry")
		if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "pre=") }); i >= 0 {
			e.Obj.UID, e.Obj.RV, _ = strings.Cut(strings.TrimPrefix(words[i], "pre="), "@")
			words = slices.Delete(slices.Clone(words), i, i+1)
		}
		words, grace, bad := graced(words)
		a, err := arguments(words)
		a.DryRun, a.GracePeriodSeconds = dry, grace
		return errors.Join(err, bad, setArgs(e, a.Flat()))
	case replay.Compact, replay.MoveWindow, replay.Restart, replay.WriteOther, "LAG", "LAG" + replay.Over, "STARTING", "STARTING" + replay.Over, replay.StorageFault, replay.StorageFault + replay.Over:
		return nil // what is done to the server
	}
	return fmt.Errorf("there is no call %s", e.Kind)
}

func setArgs(e *history.Event, v any) error {
	b, err := json.Marshal(v)
	e.X = &history.Ext{Args: b}
	return err
}

// answer is a return, or what a watch brings.
func (p *parser) answer(e *history.Event, words []string) error {
	call, words, err := p.which(e.Actor, words)
	if err != nil {
		return err
	}
	if e.Call = call; call == 0 && !notice(words[0]) {
		return errors.New("the actor has no call that this could answer")
	}
	if notice(words[0]) {
		return p.notice(e, words[0], words[1:])
	}
	return p.returned(e, &p.events[call-1], words)
}

// which is the call that an answer belongs to: the one it names, else the
// actor's last that has not been answered, else its last watch.
func (p *parser) which(actor string, words []string) (int32, []string, error) {
	var n int32
	if strings.HasPrefix(words[0], "#") {
		if _, err := fmt.Sscanf(words[0], "#%d", &n); err != nil || n < 1 || int(n) > len(p.events) || len(words) < 2 {
			return 0, nil, fmt.Errorf("%s is no event before this one", words[0])
		}
		return n, words[1:], nil
	}
	calls := p.calls[actor]
	if len(calls) > 0 {
		n = calls[len(calls)-1]
	}
	return n, words, nil
}

// close takes a call from those that can be answered; a watch stays.
func (p *parser) close(actor string, call int32) {
	if p.events[call-1].Kind == replay.Watch {
		return
	}
	calls := p.calls[actor]
	for i, n := range calls {
		if n == call {
			p.calls[actor] = append(calls[:i:i], calls[i+1:]...)
			return
		}
	}
}

// deleted reads the answer to a delete: answer=@5 is the object at that resourceVersion, answer=y@5 another object.
func (p *parser) deleted(e, call *history.Event, words []string) error {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "answer=") })
	if i < 0 {
		return p.object(&e.Obj, words)
	}
	name, rv, _ := strings.Cut(strings.TrimPrefix(words[i], "answer="), "@")
	if name == "" {
		_, name = replay.SplitKey(call.Obj.Key)
	}
	b, err := json.Marshal(replay.DeleteBody{Name: name, ResourceVersion: rv})
	e.X = &history.Ext{Body: b}
	return errors.Join(err, p.object(&e.Obj, slices.Delete(slices.Clone(words), i, i+1)))
}

func (p *parser) returned(e, call *history.Event, words []string) error {
	e.Phase, e.Kind = history.Return, call.Kind
	p.close(call.Actor, call.Num)
	if failed, err := failure(e, words); failed || err != nil {
		return err
	}
	if words[0] == "ok" {
		words = words[1:]
	}
	switch call.Kind {
	case replay.List:
		return p.list(e, words)
	case replay.Delete:
		return p.deleted(e, call, words)
	case replay.Create, replay.Update, replay.Patch:
		e.Obj = history.Ref{Key: call.Obj.Key, Labels: call.Obj.Labels, Fields: call.Obj.Fields, Body: call.Obj.Body}
		if err := p.object(&e.Obj, words); err != nil {
			return err
		}
		if call.Kind == replay.Create {
			p.born(&e.Obj)
		}
		return nil
	}
	return p.object(&e.Obj, words)
}

func (p *parser) list(e *history.Event, words []string) error {
	line := strings.Join(words, " ")
	head, rest, ok := strings.Cut(line, "[")
	items, tail, closed := strings.Cut(rest, "]")
	if !ok || !closed {
		return errors.New("want the items of the list in brackets, such as @5 [a/x @2, a/y @3]")
	}
	e.X = &history.Ext{Items: []history.Ref{}}
	for _, item := range strings.Split(items, ",") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		var r history.Ref
		if err := p.object(&r, strings.Fields(item)); err != nil {
			return err
		}
		e.X.Items = append(e.X.Items, r)
	}
	if body, err := listBody(strings.Fields(tail)); err != nil {
		return err
	} else if body != nil {
		e.X.Body = body
	}
	return p.object(&e.Obj, strings.Fields(head))
}

func (p *parser) notice(e *history.Event, kind string, words []string) error {
	e.Kind = kind
	switch {
	case kind == replay.Errored || first(words) == replay.WrongForm:
		_, err := failure(e, words)
		return err
	case kind == endMark:
		e.Kind = replay.Bookmark
		words = append(words, "."+replay.InitialEventsEnd+"=true")
	}
	return p.object(&e.Obj, words)
}

// endMark is a bookmark that ends the initial events.
const endMark = "END-MARK"

func notice(word string) bool {
	switch word {
	case replay.Added, replay.Modified, replay.Deleted, replay.Bookmark, endMark, replay.Errored,
		replay.Paused, replay.Resumed, history.Settled, history.Ended, history.Stopped, history.GaveUp, history.Left, history.Panic, history.Exited, history.ProtocolError:
		return true
	}
	return false
}
