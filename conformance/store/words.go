package store

import (
	"errors"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// The kinds of event in a history of this kind, beside the verbs of a Change.
// Calls have an object where they are about one, and args; returns have what
// was given: an object (GET, GET-BY-KEY; none where there is nothing), items (LIST, INDEX, BY-INDEX;
// of LIST-KEYS and INDEX-KEYS with their keys alone), a body (INDEX-VALUES,
// SYNCED; of POP and POP-BATCH a Popped) or a resourceVersion (VERSION). PUSH
// is a notice with items. SETTLED, of the actor of a POP, says that it had not
// returned when everything was idle. Objects have their Values, with commas
// between, in the field "values".
const (
	evOpen        = "OPEN"
	evReplace     = "REPLACE"
	evApplyAll    = "APPLY-ALL"
	evResync      = "RESYNC"
	evBookmark    = "BOOKMARK"
	evGet         = "GET"
	evGetByKey    = "GET-BY-KEY"
	evList        = "LIST"
	evKeys        = "LIST-KEYS"
	evVersion     = "VERSION"
	evIndex       = "INDEX"
	evByIndex     = "BY-INDEX"
	evIndexKeys   = "INDEX-KEYS"
	evIndexValues = "INDEX-VALUES"
	evAddIndexers = "ADD-INDEXERS"
	evPop         = "POP"
	evPopBatch    = "POP-BATCH"
	evSynced      = "SYNCED"
	evClose       = "CLOSE"
	evPush        = "PUSH"
)

// args is what a call asks for beside the object.
type args struct {
	Indexers []string `json:"indexers,omitempty"` // of OPEN and ADD-INDEXERS
	TTL      int64    `json:"ttl,omitempty"`      // of OPEN, in nanoseconds
	Index    string   `json:"index,omitempty"`
	Value    string   `json:"value,omitempty"`
	Unknown  bool     `json:"unknown,omitempty"` // of DELETE
	Objects  []Object `json:"objects,omitempty"` // of REPLACE
	Changes  []Change `json:"changes,omitempty"` // of APPLY-ALL
}

// body is what is answered beside objects.
type body struct {
	Synced *bool    `json:"synced,omitempty"`
	Values []string `json:"values,omitempty"`
}

// Reasons of errors in a history.
const (
	reasonKey    = "KeyError"
	reasonClosed = "Closed"
)

// failure is an error as a history keeps it, nil for none.
func failure(err error) *history.Error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrKey):
		return &history.Error{Reason: reasonKey, Definite: true}
	case errors.Is(err, ErrClosed):
		return &history.Error{Reason: reasonClosed, Definite: true}
	}
	return &history.Error{Msg: err.Error()}
}

// valuesField is the field of a Ref that has an object's Values.
const valuesField = "values"

func ref(set func(map[string]string) *history.Set, o Object) history.Ref {
	r := history.Ref{Key: o.Key(), RV: o.ResourceVersion, Body: o.Body}
	if len(o.Values) > 0 {
		r.Fields = set(map[string]string{valuesField: strings.Join(o.Values, ",")})
	}
	return r
}

// refs are sorted by key: lists are a map's, in no order, and the same seed
// is to give the same history.
func refs(set func(map[string]string) *history.Set, list []Object) []history.Ref {
	out := make([]history.Ref, 0, len(list))
	for _, o := range list {
		out = append(out, ref(set, o))
	}
	slices.SortStableFunc(out, func(a, b history.Ref) int {
		return strings.Compare(a.Key+"\n"+a.RV+"\n"+a.Body, b.Key+"\n"+b.RV+"\n"+b.Body)
	})
	return out
}

func keyRefs(keys []string) []history.Ref {
	out := make([]history.Ref, 0, len(keys))
	for _, k := range slices.Sorted(slices.Values(keys)) {
		out = append(out, history.Ref{Key: k})
	}
	return out
}

// objectOf is the object that a Ref was made of.
func objectOf(r history.Ref) Object {
	o := Object{Name: r.Key, ResourceVersion: r.RV, Body: r.Body}
	if ns, name, ok := strings.Cut(r.Key, "/"); ok {
		o.Namespace, o.Name = ns, name
	}
	if v := r.Fields.Get(valuesField); v != "" {
		o.Values = strings.Split(v, ",")
	}
	return o
}

func objectsOf(items []history.Ref) []Object {
	var out []Object
	for _, r := range items {
		out = append(out, objectOf(r))
	}
	return out
}

// text is an object for people, all of it: objects of one text are one state. Values are a set.
func text(o Object) string {
	s := o.Key()
	if o.ResourceVersion != "" {
		s += " @" + o.ResourceVersion
	}
	if o.Body != "" {
		s += " " + o.Body
	}
	if len(o.Values) > 0 {
		s += " {" + strings.Join(slices.Compact(slices.Sorted(slices.Values(o.Values))), ",") + "}"
	}
	return s
}

func texts(all []Object) (out []string) {
	for _, o := range all {
		out = append(out, text(o))
	}
	return out
}

// joined is a text of several, in no order.
func joined(all []string) string { return strings.Join(sorted(all), ", ") }

func (d Delta) String() string {
	switch {
	case d.Type == ReplacedAll:
		return d.Type + " @" + d.ResourceVersion + " [" + strings.Join(texts(d.Objects), ", ") + "]"
	case d.Type == Bookmarked:
		return d.Type + " @" + d.ResourceVersion
	case d.Object == nil:
		return d.Type
	case d.Unknown:
		return d.Type + " " + text(*d.Object) + " (final state unknown)"
	}
	return d.Type + " " + text(*d.Object)
}

func deltaTexts(ds []Delta) string {
	var all []string
	for _, d := range ds {
		all = append(all, d.String())
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// has says whether the subject of a history declared a feature.
func has(h *history.History, f harness.Feature) bool {
	return slices.Contains(h.Header.Features, string(f))
}

func sorted(all []string) []string { return slices.Sorted(slices.Values(all)) }
