package watchcache

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// ways are those to ask for something: for each the first refusal, nothing once one was answered.
type ways map[string]unanswered

type unanswered struct {
	call int32 // 0: something was answered
	got  string
}

// note keeps what became of a request that was asked in these ways; got is its refusal, empty for none.
func (w ways) note(call int32, got string, asked ...string) {
	for _, way := range asked {
		was, before := w[way]
		switch {
		case got == "":
			w[way] = unanswered{}
		case !before || was.call > call:
			w[way] = unanswered{call, got}
		}
	}
}

// never names the first way in which nothing was answered; empty if there is none.
func (w ways) never() string {
	first := ""
	for _, way := range slices.Sorted(maps.Keys(w)) {
		if call := w[way].call; call != 0 && (first == "" || call < w[first].call) {
			first = way
		}
	}
	if first == "" {
		return ""
	}
	return fmt.Sprintf("no %s was answered: %s", first, w[first].got)
}

// mode is from where, and in which manner, something is asked for.
func mode(q *replay.Request) string {
	o := &q.Args.Options
	at := q.Kind + " of the most recent state"
	switch o.ResourceVersion {
	case "":
	case "0":
		at = q.Kind + ` at "0"`
	default:
		at = q.Kind + " at a resourceVersion"
	}
	if o.ResourceVersionMatch != "" {
		at += " " + string(o.ResourceVersionMatch)
	}
	if o.SendInitialEvents != nil {
		at += fmt.Sprintf(" with sendInitialEvents=%t", *o.SendInitialEvents)
	}
	switch {
	case o.Continue != "":
		at += " with a continue token"
	case o.Limit > 0:
		at += " with a limit"
	}
	if q.Kind == replay.List && o.TimeoutSeconds != nil {
		at += " with timeoutSeconds"
	}
	return at
}

// narrowing is what it is asked of.
func narrowing(q *replay.Request) string {
	of := q.Kind + " of all namespaces"
	if q.Args.Namespace != "" || q.Kind == replay.Get {
		of = q.Kind + " of a namespace"
	}
	if q.Args.Options.LabelSelector != "" {
		of += " by label"
	}
	if q.Args.Options.FieldSelector != "" {
		of += " by field"
	}
	return of
}

// judgeAnswered looks at gets, lists or watches with nothing wrong. What a
// server in trouble refuses (500, 503, 504 and the like), or because of who asks, is no
// fault; but what was never answered was not put to the test.
func judgeAnswered(kind string) func(*history.History) harness.Judgement {
	return func(h *history.History) harness.Judgement {
		var j harness.Judgement
		rightful, all := newRightful(h), ways{}
		for _, q := range replay.Asked(h) {
			right := rightful.is(&q)
			if q.Kind != kind || !right {
				continue
			}
			at := cameOf(h, &q)
			if at == 0 {
				continue
			}
			if kind == replay.Get && missed(&q) {
				q.Err = nil // whether it was there, other rules ask
			}
			got := ""
			if q.Err != nil {
				got = answer(h, &q)
			}
			switch {
			case !stateGone(&q):
				all.note(q.Call, got, mode(&q), narrowing(&q))
			case !has(h, NoPastStates):
				all.note(q.Call, got+"; a server that keeps no states of the past declares the feature "+string(NoPastStates), mode(&q), narrowing(&q))
			}
			switch {
			case q.Err == nil:
				if hasShown(h, &q) { // an empty answer is what one gets of a server that has nothing at all
					j.Tested++
				}
			case rightful.blamed(&q):
				j.Tested++
				j.Fail("an answer: nothing is wrong with this "+kind, got, q.Call, at)
			}
		}
		j.Undecided = all.never()
		return j
	}
}

// stateGone reports whether a list at exactly a resourceVersion (match Exact, or a limit and no match) was refused with 410.
func stateGone(q *replay.Request) bool {
	o := &q.Args.Options
	exact := o.ResourceVersionMatch == metav1.ResourceVersionMatchExact || o.ResourceVersionMatch == "" && o.Limit > 0
	past := o.ResourceVersion != "" && o.ResourceVersion != "0"
	return q.Kind == replay.List && exact && past && q.Err != nil && q.Err.Code == http.StatusGone
}

// hasShown says that an answer has some object, or that a watch brought something.
func hasShown(h *history.History, q *replay.Request) bool {
	switch q.Kind {
	case replay.Get:
		return q.Obj.Key != ""
	case replay.List:
		return len(replay.Objects(h.Event(q.Return))) > 0
	}
	e := firstOf(h, q)
	return e != nil && (isEvent(e) || e.Kind == replay.Bookmark)
}

// cameOf is the number of the event that shows what came of a request, 0 for
// none. A watch that was refused by its first event was refused.
func cameOf(h *history.History, q *replay.Request) int32 {
	e := firstOf(h, q)
	if q.Kind != replay.Watch || q.Err != nil || e == nil {
		return q.Return
	}
	if e.Kind == replay.Errored {
		q.Err, q.Refusal = e.Err(), replay.RefusalOf(e)
	}
	return e.Num
}

// rightful says of requests, in the order of their calls, whether anything is wrong with them.
type rightful struct {
	h      *history.History
	future future
	tokens map[place]bool   // that were given
	listed map[string]bool  // resourceVersions that lists were answered with
	places map[string]int32 // by namespace, "" for all: the first answer to a create there
}

func newRightful(h *history.History) *rightful {
	return &rightful{h: h, future: future{h: h}, tokens: map[place]bool{}, listed: map[string]bool{}, places: createdIn(h)}
}

// createdIn gives, for namespaces, the first answer to a create there; "" is for
// all. A server that was restarted need not know each resource at once, and in a trace of anybody
// another client may have ended the namespace, or taken the resource away.
func createdIn(h *history.History) map[string]int32 {
	if len(done(h, replay.Restart)) > 0 || h.Header.Check == "" && replay.Of(h).Shared() {
		return nil
	}
	return writtenIn(h, replay.Create)
}

// writtenIn gives, for namespaces, the first answer to a write of some kinds there; "" is for all.
func writtenIn(h *history.History, kinds ...string) map[string]int32 {
	first := map[string]int32{}
	for _, kind := range kinds {
		for _, e := range done(h, kind) {
			ns, _ := replay.SplitKey(e.Obj.Key)
			for _, in := range []string{ns, ""} {
				if first[in] == 0 || e.Num < first[in] {
					first[in] = e.Num
				}
			}
		}
	}
	return first
}

func (x *rightful) is(q *replay.Request) bool {
	ahead := x.future.is(q)
	o := &q.Args.Options
	scope, err := replay.ParseScope(q.Args)
	if err != nil {
		return false
	}
	given := o.Continue == "" || x.tokens[place{q.Actor, o.Continue, scope.String()}]
	if q.Kind == replay.List && q.Return != 0 {
		x.listed[q.Obj.RV] = q.Err == nil
		for _, token := range []string{replay.ListBodyOf(x.h.Event(q.Return)).Continue, q.Refusal.Continue} {
			x.tokens[place{q.Actor, token, scope.String()}] = token != ""
		}
	}
	rv := o.ResourceVersion
	readable := rv == "" || rv == "0" || history.Comparable(rv) || x.listed[rv]
	timed := o.TimeoutSeconds == nil || *o.TimeoutSeconds >= 0
	return given && readable && !ahead && timed && o.ShardSelector == "" && o.Limit >= 0 && canSelect(x.h, &scope) && combines(x.h, q)
}

// canSelect says that every server with the features that are declared has such selectors.
func canSelect(h *history.History, s *replay.Scope) bool {
	if !s.Labels.Empty() && !has(h, LabelWatch) || !s.Fields.Empty() && !has(h, FieldWatch) {
		return false
	}
	for _, f := range s.Fields.Requirements() {
		if f.Field != "metadata.name" && !(f.Field == "metadata.namespace" && (s.Namespace != "" || inNamespaces(h))) {
			return false
		}
	}
	return true
}

// inNamespaces says that an object was seen in a namespace. What is in none need not be selectable by one.
func inNamespaces(h *history.History) bool {
	for k := range int32(h.Keys()) {
		if ns, _ := replay.SplitKey(h.Key(k)); ns != "" {
			return true
		}
	}
	return false
}

// combines says that what a request asks for can be asked for at once.
func combines(h *history.History, q *replay.Request) bool {
	o := &q.Args.Options
	switch {
	case q.Kind == replay.List && o.Continue != "":
		return o.ResourceVersionMatch == "" && (o.ResourceVersion == "" || o.ResourceVersion == "0") && o.SendInitialEvents == nil
	case q.Kind == replay.List:
		return !isForbidden(q) && o.SendInitialEvents == nil
	case q.Kind == replay.Watch && o.SendInitialEvents != nil:
		return has(h, WatchList) && o.ResourceVersionMatch == metav1.ResourceVersionMatchNotOlderThan && o.Continue == "" && o.Limit == 0
	case q.Kind == replay.Watch:
		return o.ResourceVersionMatch == "" && o.Continue == "" && o.Limit == 0
	}
	return true
}

// blamed says that a refusal takes a request for a wrong one: also where that is
// about what may be gone, and nothing that was asked for can be.
func (x *rightful) blamed(q *replay.Request) bool {
	o := &q.Args.Options
	switch {
	case !q.Refused() || replay.Retriable(q.Err, q.Refusal):
		return false
	case q.Err.Code == http.StatusGone:
		return q.Kind != replay.Watch && o.Continue == "" && (o.ResourceVersion == "" || o.ResourceVersion == "0")
	case q.Err.Code == http.StatusNotFound:
		first := x.places[q.Args.Namespace]
		return q.Kind != replay.Get && first != 0 && first < q.Call
	}
	return blames(q.Err.Code)
}

// blames says that a code is about what a request asks, not about who asks, how
// much, or what others do meanwhile; 501 is, too. 404 and 410 are for those who know what is there.
func blames(code int) bool {
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusRequestTimeout, http.StatusConflict, http.StatusGone,
		http.StatusRequestEntityTooLarge, http.StatusLocked, http.StatusTooManyRequests:
		return false
	}
	return code >= 400 && code < 500 || code == http.StatusNotImplemented
}
