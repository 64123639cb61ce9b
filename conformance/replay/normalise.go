package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// Foreign begins the key of an object that is not this run's: drives keep
// nothing of it but that and its resourceVersion.
const Foreign = "~/"

// What a history keeps of metadata that the server decides, beside the uid.
const (
	Created    = "creationTimestamp"
	Generation = "generation"
	Deletion   = "deletionTimestamp"

	// What clients can change, too, and that no part of a content tells. A history may leave them out, as lwtest's
	// own drives do, which change neither.
	ManagedFields = "managedFields"
	GeneratedFrom = "generateName"
)

// Normalise makes histories of different servers comparable: resourceVersions
// become their order among this run's changes, uids are numbered, namespaces
// get short names in the same order, an object's creationTimestamps are numbered,
// times and paths go, and so do objects that are not this run's. Nothing else changes, and what a shard was chosen by not at
// all: uids and namespaces, where the server knows shards. The result is a history of its own.
func Normalise(h *history.History) *history.History {
	n := &normaliser{h: h, uids: map[string]string{}, tokens: map[string]string{}, created: map[string][]string{}, ranks: ownRanks(h)}
	if n.hashed = Of(h).Shards(); !n.hashed {
		n.findNamespaces()
	}
	var events []history.Event
	number := make([]int32, len(h.Events)+1)
	for i := range h.Events {
		e := h.Events[i]
		foreign := strings.HasPrefix(e.Obj.Key, Foreign)
		if e.Phase == history.Return {
			foreign = number[e.Call] == 0 // its call has gone
		}
		if foreign {
			continue
		}
		number[e.Num] = int32(len(events) + 1)
		e.At, e.Call = 0, number[e.Call]
		e.Obj = n.ref(e.Obj)
		e.X = n.ext(e.X)
		if e.Phase == history.Return && ofAll(h.Event(h.Events[i].Call)) {
			e.X = uncounted(e.X)
		}
		events = append(events, e)
	}
	head := h.Header
	head.Target, _, _ = strings.Cut(head.Target, ":/") // a kubeconfig's path is this machine's
	out, err := history.New(head, events)
	if err != nil {
		panic(err) // calls and returns of a valid history stay paired
	}
	out.Truncated = h.Truncated
	return out
}

// ofAll says that a call is a list of all namespaces: others' objects are counted in its answer.
func ofAll(call *history.Event) bool {
	args, err := arguments(call)
	return err == nil && call.Kind == List && args.Namespace == ""
}

// uncounted is the answer to a list without the number of objects that remain.
func uncounted(x *history.Ext) *history.Ext {
	var b ListBody
	if x == nil || x.Err != nil || x.Body == nil || json.Unmarshal(x.Body, &b) != nil || b.Remaining == nil {
		return x
	}
	b.Remaining = nil
	y := *x
	y.Body = nil
	if b.Continue != "" || b.ShardInfo != nil {
		y.Body, _ = json.Marshal(b) // of plain data
	}
	return &y
}

type normaliser struct {
	h     *history.History
	ranks []int32 // by N: how many of this run's changes lie at or before it
	uids  map[string]string

	hashed bool // what a shard is chosen by stays as it is

	tokens  map[string]string
	used    map[string]string
	created map[string][]string // by name, key and uid: its timestamps
	in      history.Interner
}

// ownRanks counts this run's changes up to each rank: a resourceVersion that
// somebody else's write made is that of the change of ours before it. A
// deletion that nothing has shown counts from the first resourceVersion that
// may lie after it.
func ownRanks(h *history.History) []int32 {
	r := Of(h)
	out := make([]int32, h.Ranks()+1)
	seen := seenBefore(h, r)
	if r.ByOrder {
		return out
	}
	for i := range r.Versions {
		out[r.Versions[i].N] = 1 // several deletions may share a revision
	}
	out[0] = 0
	for i := range r.Versions {
		if v := &r.Versions[i]; v.N == 0 {
			out[max(v.After, seen[v.Call])+1]++
		}
	}
	for n := 1; n < len(out); n++ {
		out[n] += out[n-1]
	}
	return out
}

// seenBefore is, for each event, the largest rank in any event before it, or of
// a write that had returned by then: what a deletion made may be shown later.
func seenBefore(h *history.History, r *Replay) []int32 {
	out := make([]int32, len(h.Events)+2)
	for i := range r.Versions {
		if v := &r.Versions[i]; v.By != 0 {
			out[v.By+1] = v.N
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		out[e.Num+1] = max(out[e.Num+1], out[e.Num], e.Obj.N)
	}
	return out
}

// rv keeps "", "0" and what cannot be compared; a normalised one begins at 1,
// which stands for all before this run's first change.
func (n *normaliser) rv(s string) string {
	rank, ok := n.h.Floor(s)
	if !ok {
		return s
	}
	past := ""
	if int(rank) == n.h.Ranks()-1 && rank > 0 && history.CompareRV(s, n.h.RV(rank)) > 0 {
		past = "000000" // from the future: stays far ahead
	}
	return fmt.Sprint(n.ranks[rank]+1) + past
}

func (n *normaliser) uid(s string) string {
	if s == "" || n.hashed {
		return s
	}
	if n.uids[s] == "" {
		n.uids[s] = fmt.Sprintf("u%d", len(n.uids)+1)
	}
	return n.uids[s]
}

// findNamespaces names them a, b … in their order; one that begins like another keeps its tail.
func (n *normaliser) findNamespaces() {
	var all []string
	add := func(ns string) {
		if ns != "" && !slices.Contains(all, ns) {
			all = append(all, ns)
		}
	}
	for i := range n.h.Events {
		e := &n.h.Events[i]
		if strings.HasPrefix(e.Obj.Key, Foreign) {
			continue
		}
		ns, _ := SplitKey(e.Obj.Key)
		add(ns)
		if e.X != nil && e.Phase == history.Call {
			if a, err := ParseArgs(e.X.Args); err == nil {
				add(a.Namespace)
			}
		}
	}
	slices.Sort(all)
	n.used = map[string]string{}
	letter := 'a'
	for i, ns := range all {
		alike := slices.IndexFunc(all[:i], func(before string) bool { return strings.HasPrefix(ns, before) })
		if alike >= 0 {
			n.used[ns] = n.used[all[alike]] + strings.TrimPrefix(ns, all[alike])
			continue
		}
		n.used[ns] = string(letter)
		letter++
	}
}

func (n *normaliser) namespace(ns string) string {
	if to, ok := n.used[ns]; ok {
		return to
	}
	return ns
}

func (n *normaliser) ref(r history.Ref) history.Ref {
	if ns, name := SplitKey(r.Key); ns != "" {
		r.Key = n.namespace(ns) + "/" + name
	}
	r.Meta = n.meta(&r)
	r.UID, r.RV = n.uid(r.UID), n.rv(r.RV)
	r.K, r.N = 0, 0
	return r
}

// meta has in place of a creationTimestamp or a deletionTimestamp how many others this
// object had before: two objects of one second are not more alike than others.
func (n *normaliser) meta(r *history.Ref) *history.Set {
	m := maps.Clone(r.Meta.Map())
	for _, name := range []string{Created, Deletion} {
		at := m[name]
		if at == "" {
			continue
		}
		of := name + " " + r.Key + " " + r.UID
		i := slices.Index(n.created[of], at)
		if i < 0 {
			i = len(n.created[of])
			n.created[of] = append(n.created[of], at)
		}
		m[name] = fmt.Sprint(i + 1)
	}
	return n.in.Set(m)
}

func (n *normaliser) ext(x *history.Ext) *history.Ext {
	if x == nil {
		return nil
	}
	y := *x
	if x.Items != nil {
		y.Items = []history.Ref{}
		for _, r := range x.Items {
			if !strings.HasPrefix(r.Key, Foreign) {
				y.Items = append(y.Items, n.ref(r))
			}
		}
	}
	y.Args, y.Body = n.raw(x.Args), n.raw(x.Body)
	if x.Err != nil {
		y.Err = &history.Error{Code: x.Err.Code, Reason: x.Err.Reason, Definite: x.Err.Definite} // messages name versions, uids and hosts
	}
	return &y
}

// ofNamespace is a term of a field selector that names a namespace.
var ofNamespace = regexp.MustCompile(`metadata\.namespace(=|==|!=)[^=,]+`)

// raw renames what arguments and answers hold of all this; tokens are opaque and hold it too.
func (n *normaliser) raw(b json.RawMessage) json.RawMessage {
	var m map[string]any
	if b == nil || json.Unmarshal(b, &m) != nil {
		return b
	}
	for k, v := range m {
		if tests, ok := v.([]any); ok && k == "tests" {
			m[k] = n.tests(tests)
		}
		s, ok := v.(string)
		if !ok {
			continue
		}
		switch k {
		case "resourceVersion":
			m[k] = n.rv(s)
		case "namespace":
			m[k] = n.namespace(s)
		case "continue":
			m[k] = n.token(s)
		case "fieldSelector":
			m[k] = ofNamespace.ReplaceAllStringFunc(s, func(term string) string {
				i := strings.LastIndex(term, "=") + 1
				return term[:i] + n.namespace(term[i:])
			})
		}
	}
	out, err := json.Marshal(m)
	if err != nil {
		return b
	}
	return out
}

// tests renames what a JSON patch tests.
func (n *normaliser) tests(all []any) []any {
	out := slices.Clone(all)
	for i, t := range out {
		text, _ := t.(string)
		if rv, ok := strings.CutPrefix(text, VersionTest); ok {
			out[i] = VersionTest + n.rv(rv)
		} else if uid, ok := strings.CutPrefix(text, UIDTest); ok {
			out[i] = UIDTest + n.uid(uid)
		}
	}
	return out
}

func (n *normaliser) token(s string) string {
	if s == "" {
		return ""
	}
	s, own := strings.CutPrefix(s, MadeUp)
	if n.tokens[s] == "" {
		n.tokens[s] = fmt.Sprintf("token-%d", len(n.tokens)+1)
	}
	if own {
		return MadeUp + n.tokens[s]
	}
	return n.tokens[s]
}
