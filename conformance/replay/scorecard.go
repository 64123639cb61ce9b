package replay

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/harness/history"
)

// Score counts the classes of request and event that a history exercised. A
// class is a verb and axes in a fixed order:
//
//	LIST   rv match paging initial selector scope outcome
//	WATCH  rv match initial bookmarks timeout selector scope outcome
//	GET    rv outcome
//	CREATE, UPDATE, PATCH, DELETE   rv uid dry outcome
//	PATCH type=apply   rv uid dry outcome
//	PATCH type=json   rv uid dry tests outcome
//	PATCH type=strategic   rv uid dry outcome
//	UPDATE, PATCH sub=status   rv uid dry outcome (PATCH type=apply sub=status, too)
//	DELETECOLLECTION   selector scope outcome
//	EVENT  type
//	FORM   verb form, of each read that asked for a form other than JSON and was answered
//	SERVED verb, of each read that named the API version to ask by, and was answered
//
// rv is of a request: unset, zero, past, current, future, unreadable; of a
// write: none, right, stale, unknown. An outcome is items, empty, events, silent, ok,
// or the code of a refusal (lost where nobody knows).
func Score(h *history.History) map[string]int {
	h = Whole(h)
	r := Of(h)
	s := scorer{r, r.namespaces()}
	out := map[string]int{}
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Phase == history.Notice && IsMark(e):
			out["EVENT type=END-MARK"]++
		case e.Phase == history.Notice:
			switch e.Kind {
			case Added, Modified, Deleted, Bookmark, Errored:
				out["EVENT type="+e.Kind]++
			}
		case e.Phase == history.Return && e.Kind == List:
			out[s.listClass(h.Event(e.Call), e)]++
		}
	}
	for _, q := range Asked(h) {
		if q.Kind == Get && q.Return != 0 {
			out[s.getClass(&q)]++
		}
		if q.Args.Form != "" && q.Answered() {
			out[fmt.Sprintf("FORM verb=%s form=%s", q.Kind, q.Args.Form)]++
		}
		if q.Args.Served != "" && q.Answered() {
			out["SERVED verb="+q.Kind]++
		}
	}
	for i := range r.Watches {
		out[s.watchClass(&r.Watches[i])]++
	}
	for i := range r.Writes {
		out[s.writeClass(&r.Writes[i])]++
	}
	for i := range r.Collections {
		out[s.collectionClass(&r.Collections[i])]++
	}
	return out
}

type scorer struct {
	*Replay
	known map[string]bool // namespaces this run has written to
}

func (r *Replay) namespaces() map[string]bool {
	out := map[string]bool{}
	for k, own := range r.own {
		if ns, _ := SplitKey(r.H.Key(int32(k))); own {
			out[ns] = true
		}
	}
	return out
}

func (r *scorer) listClass(call, ret *history.Event) string {
	args, err := arguments(call)
	if err != nil {
		return "LIST rv=unreadable"
	}
	o := &args.Options
	outcome := refusal(ret.Err())
	if outcome == "" {
		outcome = "empty"
		if ret.X != nil && len(ret.X.Items) > 0 {
			outcome = "items"
		}
	}
	paging := "none"
	switch {
	case strings.HasPrefix(o.Continue, MadeUp):
		paging = "made-up"
	case o.Continue != "":
		paging = "continue"
	case o.Limit > 0:
		paging = "limit"
	}
	return fmt.Sprintf("LIST rv=%s match=%s paging=%s initial=%s %s outcome=%s", r.rvClass(o.ResourceVersion, call.Num), matchClass(o), paging,
		initialClass(o), r.scopeClass(args), outcome)
}

func (r *scorer) getClass(q *Request) string {
	outcome := refusal(q.Err)
	if outcome == "" {
		outcome = "ok"
	}
	return fmt.Sprintf("GET rv=%s outcome=%s", r.rvClass(q.Args.Options.ResourceVersion, q.Call), outcome)
}

func (r *scorer) watchClass(w *WatchCall) string {
	outcome := refusal(w.Err)
	if outcome == "" {
		outcome = "silent"
		for i := range w.Events {
			e := &w.Events[i]
			if e.IsEvent() {
				outcome = "events"
				break
			}
			if e.kind == kindErrored {
				outcome = refusal(r.H.Event(e.Num).Err())
				break
			}
		}
	}
	o := &w.Args.Options
	timeout := "unset"
	if o.TimeoutSeconds != nil {
		timeout = "set"
	}
	return fmt.Sprintf("WATCH rv=%s match=%s initial=%s bookmarks=%t timeout=%s %s outcome=%s", r.rvClass(o.ResourceVersion, w.Call), matchClass(o), initialClass(o),
		o.AllowWatchBookmarks, timeout, r.scopeClass(w.Args), outcome)
}

func (r *scorer) writeClass(w *Write) string {
	outcome := "lost"
	if w.Outcome != Unknown {
		outcome = "ok"
		if err := r.H.Event(w.Return).Err(); err != nil {
			outcome = refusal(err)
		}
	}
	pre := &r.H.Event(w.Call).Obj
	m := r.Moments(w)
	rv, uid := r.Holds(m, w)
	class := func(given string, holds bool) string {
		switch {
		case given == "":
			return "none"
		case m.Doubt:
			return "unknown"
		case holds:
			return "right"
		}
		return "stale"
	}
	verb := w.Verb()
	tests := ""
	switch call := r.H.Event(w.Call); PatchType(call) {
	case types.ApplyYAMLPatchType:
		verb += " type=apply"
	case types.StrategicMergePatchType:
		verb += " type=strategic"
	case types.JSONPatchType:
		verb += " type=json"
		all := Tests(call)
		_, passes := r.Fails(w, m, all)
		tests = " tests=" + class(strings.Join(all, ""), passes)
	}
	if w.ToStatus() {
		verb += " sub=status"
	}
	return fmt.Sprintf("%s rv=%s uid=%s dry=%t%s outcome=%s", verb, class(pre.RV, rv), class(pre.UID, uid), w.is(dry), tests, outcome)
}

func matchClass(o *metav1.ListOptions) string {
	if o.ResourceVersionMatch == "" {
		return "unset"
	}
	return string(o.ResourceVersionMatch)
}

func initialClass(o *metav1.ListOptions) string {
	if o.SendInitialEvents == nil {
		return "unset"
	}
	return fmt.Sprint(*o.SendInitialEvents)
}

func refusal(err *history.Error) string {
	switch {
	case err == nil:
		return ""
	case err.Code != 0:
		return fmt.Sprint(err.Code)
	}
	return "lost"
}

func (r *scorer) rvClass(rv string, call int32) string {
	n, ok := r.H.Floor(rv)
	switch {
	case rv == "":
		return "unset"
	case rv == "0":
		return "zero"
	case !ok:
		return "unreadable"
	case int(n) == r.H.Ranks()-1 && (n == 0 || history.CompareRV(rv, r.H.RV(n)) > 0):
		return "future"
	case !r.ByOrder && n < r.acked[call]:
		return "past"
	}
	return "current"
}

func (r *scorer) scopeClass(a Args) string {
	scope := "all"
	if a.Namespace != "" {
		scope = "absent"
		if r.known[a.Namespace] {
			scope = "namespace"
		}
	}
	selector := "none"
	s, err := ParseScope(a)
	switch {
	case err != nil:
		selector = "unreadable"
	case s.Name != "":
		selector = "name"
	case !s.Fields.Empty():
		selector = "field"
	}
	if err == nil && !s.Labels.Empty() {
		selector = "label"
	}
	if o := a.Options.ShardSelector; o != "" {
		if selector = "shard"; unreadable(o) {
			selector = "unreadable"
		}
	}
	return fmt.Sprintf("selector=%s scope=%s", selector, scope)
}

func unreadable(shard string) bool {
	_, err := ParseShard(shard)
	return err != nil
}
