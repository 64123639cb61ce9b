package model

import (
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// lister lists and gets: a call, a look, an answer.
type lister struct {
	*world
	name  string
	call  int32
	scope scope
	rev   int // the least it may answer with; 0: the present
	exact bool
	limit int
	saw   []*object
	seen  int
	got   string // key of a get
	more  page   // where the list goes on, if it does
	due   int    // writes after which the next list of a Mixed run begins
}

// page is where a list goes on.
type page struct {
	token string
	scope scope
	rev   int
	after string
}

func (l *lister) step() {
	switch {
	case l.Mixed && l.call == 0:
		l.next()
	case l.call == 0 && l.chance(0.3):
		l.get()
	case l.call == 0:
		l.begin()
	case l.saw == nil:
		l.look()
	default:
		l.end()
	}
}

func (l *lister) get() {
	k := l.keys[l.rnd.IntN(len(l.keys))]
	l.got, l.scope, l.rev, l.exact = k.text, scopes[0], 0, false
	args := replay.Args{Namespace: k.ns, Name: k.name}
	if !l.ByOrder && l.chance(0.4) {
		l.rev = max(first, l.store.rev-l.rnd.IntN(15))
		args.Options.ResourceVersion = l.store.rv(l.rev)
	}
	if l.rev != 0 && l.chance(0.2) {
		args.Options.ResourceVersion = "0"
	}
	l.call = l.world.call(l.name, replay.Get, history.Ref{Key: k.text}, args.Flat())
}

// next lists anew, where it is time.
func (l *lister) next() {
	if l.done < l.due {
		return
	}
	l.due += perList
	l.scope, l.rev, l.exact, l.limit, l.more = scopes[0], 0, false, perPage, page{}
	args := l.scope.args()
	args.Options.Limit = perPage
	l.call = l.world.call(l.name, replay.List, history.Ref{}, args.Flat())
}

func (l *lister) begin() {
	l.scope, l.rev, l.exact, l.limit = scopes[l.rnd.IntN(len(scopes))], 0, false, 0
	token := l.more.token
	if token != "" {
		l.scope = l.more.scope
	}
	args := l.scope.args()
	o := &args.Options
	if token == "" && l.chance(0.4) {
		l.limit = 1 + l.rnd.IntN(3)
	}
	switch p := l.rnd.Float64(); {
	case token != "":
		o.Continue, l.limit = token, 1+l.rnd.IntN(3)
		l.rev, l.exact = l.more.rev, true
	case p < 0.2 && !l.ByOrder:
		o.ResourceVersion = "0"
		l.rev = max(first, l.store.rev-l.rnd.IntN(10))
	case p < 0.4 && !l.ByOrder:
		l.rev, l.exact = max(first, l.store.rev-l.rnd.IntN(10)), l.limit > 0 // a limit alone means exactly
		o.ResourceVersion = l.store.rv(l.rev)
	case p < 0.6 && !l.ByOrder:
		l.rev, l.exact = max(first, l.store.rev-l.rnd.IntN(30)), true
		o.ResourceVersion, o.ResourceVersionMatch = l.store.rv(l.rev), metav1.ResourceVersionMatchExact
	}
	o.Limit = int64(l.limit)
	l.call = l.world.call(l.name, replay.List, history.Ref{}, args.Flat())
}

// look takes the state that will be answered.
func (l *lister) look() {
	l.seen = l.store.rev
	if l.rev != 0 && l.rev <= l.store.rev {
		l.seen = l.rev
		if !l.exact && l.store.rev > l.rev {
			l.seen += l.rnd.IntN(l.store.rev - l.rev)
		}
	}
	l.saw = append(make([]*object, 0, 1), l.store.at(l.seen)...)
}

func (l *lister) end() {
	if l.got != "" {
		l.endGet()
	} else {
		l.page(l.more.after)
	}
	l.call, l.got, l.saw = 0, "", nil
}

func (l *lister) endGet() {
	x := &history.Ext{Err: &history.Error{Code: 404, Reason: "NotFound", Definite: true}}
	r := history.Ref{}
	for _, o := range l.saw {
		if o.ref.Key == l.got {
			r, x = o.ref, nil
		}
	}
	l.answer(l.name, replay.Get, l.call, r, x)
}

// page answers with the items after a key, as many as were asked for.
func (l *lister) page(after string) {
	var left []*object
	for _, o := range l.saw {
		if o.ref.Key > after && l.scope.has(o) {
			left = append(left, o)
		}
	}
	l.more = page{}
	var remain *int64
	if l.limit > 0 && len(left) > l.limit {
		if l.scope.labels+l.scope.fields == "" {
			n := int64(len(left) - l.limit)
			remain = &n
		}
		left = left[:l.limit]
		after := left[l.limit-1].ref.Key
		token := fmt.Sprintf("%d:%s", l.seen, strings.TrimPrefix(after, l.scope.ns+"/")) // like etcd's, the same in two namespaces
		l.more = page{token, l.scope, l.seen, after}
	}
	l.listAnswer(l.name, l.call, l.scope, l.seen, left, replay.ListBody{Continue: l.more.token, Remaining: remain})
}

func (w *world) listAnswer(actor string, call int32, s scope, rev int, state []*object, body replay.ListBody) {
	x := &history.Ext{Items: []history.Ref{}}
	for _, o := range state {
		if s.has(o) {
			x.Items = append(x.Items, o.ref)
		}
	}
	if body.Continue != "" {
		x.Body, _ = json.Marshal(body) // plain data
	}
	w.answer(actor, replay.List, call, history.Ref{RV: w.store.rv(rev)}, x)
}
