package informer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness/history"
)

// serves reads a line of the server's.
func (p *handmade) serves(who string, words []string) error {
	kind, words := words[0], words[1:]
	e := history.Event{Actor: rig.Actor, Kind: kind, Call: p.last[who], X: &history.Ext{}}
	switch kind {
	case rig.List, rig.Watch, rig.Other:
		return p.requests(who, kind, words)
	case "<-":
		e.Phase, e.Kind = history.Return, p.events[e.Call-1].Kind
		p.add(*p.answer(&e, words))
	case "ERROR":
		p.add(*p.answer(&e, words))
	case rig.FaultStruck, rig.SpoiledFrame:
		lost := slices.Contains(words, "lost")
		does := strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "lost" }), " ")
		e.X.Body = plainJSON(rig.FaultBody{Name: "f", Does: does, Lost: lost})
		p.add(e)
	case rig.End:
		e.X.Body = plainJSON(rig.EndBody{How: words[0]})
		p.add(e)
	case "BOOKMARK":
		e.Obj.RV = words[0][1:]
		if len(words) > 1 {
			e.Obj.Body = `{"metadata":{"annotations":{"` + metav1.InitialEventsAnnotationKey + `":"true"}}}`
		}
		p.add(e)
	default:
		e.Obj = p.object(words[0])
		p.add(e)
	}
	return nil
}

func (p *handmade) requests(who, kind string, words []string) error {
	r := rig.Request{Client: informerActor, Version: "v1", Resource: configMaps.Resource, Namespace: home}
	var o metav1.ListOptions
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		yes := value == "true"
		switch name {
		case "rv":
			o.ResourceVersion = value
		case "match":
			o.ResourceVersionMatch = metav1.ResourceVersionMatch(value)
		case "limit":
			o.Limit, _ = strconv.ParseInt(value, 10, 64)
		case "continue":
			o.Continue = value
		case "bookmarks":
			o.AllowWatchBookmarks = true
		case "initial":
			o.SendInitialEvents = &yes
		case "ns":
			r.Namespace = value
		case "by":
			r.Client = lettered[value]
		case "http2":
			r.HTTP2 = true
		case "wire":
			r.URI = "/api/v1/configmaps"
		case "idle":
			r.URI = "/api/v1/configmaps"
			count, seconds, _ := strings.Cut(value, "x") // 9x5: nine, for five seconds
			n, _ := strconv.Atoi(count)
			s, _ := strconv.Atoi(seconds)
			r.Idle = slices.Repeat([]int{s}, n)
		default:
			return fmt.Errorf("there is no option %q", w)
		}
	}
	r.Options = plainJSON(o)
	p.last[who] = p.add(history.Event{Phase: history.Call, Actor: rig.Actor, Kind: kind, X: &history.Ext{Args: plainJSON(r)}})
	return nil
}

// answer reads what an answer, or an ERROR, has.
func (p *handmade) answer(e *history.Event, words []string) *history.Event {
	var list rig.ListBody
	var status rig.StatusBody
	var items []string
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch code, err := strconv.Atoi(w); {
		case w == "ok":
		case err == nil:
			e.X.Err = &history.Error{Code: code, Msg: "a status"}
		case w == "too-large" && e.X.Err != nil:
			e.X.Err.Msg = "Timeout: Too large resource version: 99, current: 9"
		case w[0] == '@':
			e.Obj.RV = w[1:]
		case name == "continue":
			list.Continue = value
		case name == "cause":
			status.Causes = append(status.Causes, metav1.StatusCause{Type: metav1.CauseType(value)})
		case name == "retry":
			n, _ := strconv.Atoi(value)
			status.RetryAfter = int32(n)
		default:
			items = append(items, w)
		}
	}
	switch {
	case e.X.Err != nil:
		e.X.Body = plainJSON(status)
	case e.Obj.RV != "":
		e.X.Items, e.X.Body = p.objects(items), plainJSON(list)
	}
	return e
}
