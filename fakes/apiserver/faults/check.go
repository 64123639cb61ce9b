package faults

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/lwtest/lwtest/fakes/internal/nth"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// file is what Read reads.
type file struct {
	Seed   uint64  `json:"seed,omitempty"`
	Faults []Fault `json:"faults"`
}

// Read makes a Set of a file in YAML or JSON: a seed, and a list of faults with the fields of Fault. What it
// does not know is refused, and so is what could never strike.
func Read(b []byte) (*Set, error) {
	var f file
	if err := yaml.UnmarshalStrict(b, &f); err != nil {
		return nil, fmt.Errorf("%w: a file of faults has `seed` and `faults`, see docs/faults.md", err)
	}
	if len(f.Faults) == 0 {
		return nil, errors.New("there is no fault in it: say `faults:` and a list, see docs/faults.md")
	}
	return New(f.Seed, f.Faults...)
}

var verbs = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}

// check says what is wrong with a fault, and what to say instead.
func (f *Fault) check() error {
	for _, v := range f.Verbs {
		if !slices.Contains(verbs, v) {
			return fmt.Errorf("verbs: there is no %q: say %s", v, strings.Join(verbs, ", "))
		}
	}
	what := f.what()
	switch {
	case f.Streaming != nil && !slices.Contains(f.watched(), "watch"):
		return errors.New("streaming: it chooses among watches: say watch among verbs, or leave verbs out")
	case f.Continued != nil && !slices.Contains(f.watched(), "list"):
		return errors.New("continued: it chooses among lists: say list among verbs, or leave verbs out")
	case f.Versioned != nil && !slices.Contains(f.watched(), "list") && !slices.Contains(f.watched(), "watch"):
		return errors.New("versioned: it chooses among lists and watches: say list or watch among verbs, or leave verbs out")
	case len(what) == 0:
		return errors.New("it does nothing: say one of latency, status, hang, reset, loseAnswer, stale, empty, limit, answer, events, wire")
	case len(what) > 1:
		return fmt.Errorf("it has %s: say one, and make a fault of each", strings.Join(what, " and "))
	case f.Empty && (f.Continued == nil || !*f.Continued):
		return errors.New("empty: a page without items needs a token to go on with: say continued: true")
	case f.Limit < 0:
		return errors.New("limit: say how many items a page has at most, 2 for one")
	case f.For != nil && f.Hang == "":
		return errors.New("for: it is for a hang alone")
	case f.Latency != nil && f.Latency.Duration <= 0:
		return errors.New("latency: say more than 0, 2s for one")
	}
	if w := f.Wire; w != nil {
		switch {
		case w.Frame < 0, *w == Bytes{}, w.Gather != nil && w.Gather.Duration <= 0:
			return errors.New("wire: say how bytes go out: frame: 1 for one byte in each, inside: true, gather: 1s, gzip: never, close: true")
		case w.Gzip != "" && w.Gzip != Always && w.Gzip != Never:
			return fmt.Errorf("wire.gzip: there is no %q: say always or never", w.Gzip)
		}
	}
	for name, part := range map[string]Part{"hang": f.Hang, "reset": f.Reset} {
		if part != "" && part != Headers && part != Body {
			return fmt.Errorf("%s: there is no %q: say headers (before them) or body (in its midst)", name, part)
		}
	}
	return errors.Join(f.fits(), nth.Check(f.Nth, f.Times, f.Probability), f.Status.check(), f.Answer.check(), f.Events.check())
}

// what names the fields that say what happens.
func (f *Fault) what() []string {
	var out []string
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"latency", f.Latency != nil}, {"status", f.Status != nil}, {"hang", f.Hang != ""}, {"reset", f.Reset != ""},
		{"loseAnswer", f.LoseAnswer}, {"stale", f.Stale != nil}, {"empty", f.Empty}, {"limit", f.Limit != 0},
		{"answer", f.Answer != nil}, {"events", f.Events != nil}, {"wire", f.Wire != nil},
	} {
		if field.set {
			out = append(out, field.name)
		}
	}
	return out
}

// fits refuses what no request of these verbs can meet; where no verb is named, those that can are meant.
func (f *Fault) fits() error {
	for _, v := range f.Verbs {
		if !slices.Contains(f.possible(), v) {
			return fmt.Errorf("verbs: %s cannot strike a %s: say %s, or leave verbs out", f.what()[0], v, strings.Join(f.possible(), ", "))
		}
	}
	return nil
}

// watched are the verbs that it names, or all that it can strike.
func (f *Fault) watched() []string {
	if len(f.Verbs) > 0 {
		return f.Verbs
	}
	return f.possible()
}

// possible are the verbs that a fault can strike.
func (f *Fault) possible() []string {
	switch {
	case f.Stale != nil:
		return []string{"get", "list", "watch"}
	case f.Events != nil:
		return []string{"watch"}
	case f.Empty, f.Limit != 0:
		return []string{"list"}
	case f.LoseAnswer:
		return slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == "watch" })
	}
	return verbs
}

func (s *Status) check() error {
	switch {
	case s == nil:
		return nil
	case s.Code < 400 || s.Code > 599:
		return fmt.Errorf("status.code: %d is no error: say 400 to 599", s.Code)
	case s.RetryAfter < 0:
		return errors.New("status.retryAfter: it is seconds, 1 or more")
	}
	return nil
}

func (a *Answer) check() error {
	if a != nil && (a.Code < 200 || a.Code > 599) {
		return fmt.Errorf("answer.code: %d ends no request: say 200 to 599", a.Code)
	}
	return nil
}

func (e *Events) check() error {
	if e == nil {
		return nil
	}
	all := []Do{Drop, Double, Swap, Delay, Early, Lie, Error, Close, Break, Stall, Truncate, Garble, Replace}
	for _, t := range e.Types {
		if !slices.Contains([]string{"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}, t) {
			return fmt.Errorf("events.types: there is no %q: say ADDED, MODIFIED, DELETED, BOOKMARK", t)
		}
	}
	chosen := len(e.Types) > 0 || e.Object != "" || e.Nth != 0 || e.Times != 0 || e.Probability != nil
	switch {
	case !slices.Contains(all, e.Do):
		return fmt.Errorf("events.do: there is no %q: say one of %s", e.Do, list(all))
	case e.After != nil && !slices.Contains(atMoments, e.Do):
		return fmt.Errorf("events.after: %s needs an event: say nth, or do one of %s", e.Do, list(atMoments))
	case e.After != nil && chosen:
		return errors.New("events.after: it is a moment, and no event's: leave types, object, nth, times and probability out")
	case e.After != nil && e.After.Duration < 0:
		return errors.New("events.after: say 0s or more")
	case e.Do == Delay && e.For == nil, e.For != nil && e.Do != Delay && e.Do != Error:
		return errors.New("events.for: delay needs it, to say how long; error may have it, to say how long the connection stays open; nothing else has it")
	case (e.Do == Replace) != (e.Frame != ""):
		return errors.New("events.frame: it is what a frame is replaced with: both or neither")
	case e.By != 0 && e.Do != Lie:
		return errors.New("events.by: it is for do: lie")
	case e.Status != nil && e.Do != Error:
		return errors.New("events.status: it is for do: error")
	}
	return errors.Join(nth.Check(e.Nth, e.Times, e.Probability), e.Status.check())
}

// served refuses faults that could not strike at an API because it has no such resource or subresource.
func (s *Set) served(o Options) error {
	for _, a := range s.armed {
		if a.View != "" && a.View != o.View {
			continue
		}
		among := slices.DeleteFunc(slices.Clone(o.Resources), func(r apiserver.Resource) bool {
			return a.Resource != "" && r.GroupResource().String() != a.Resource
		})
		if len(among) == 0 {
			return fmt.Errorf("%s: resource: there is no %q: say %s", a.Name, a.Resource, alike(a.Resource, o.Resources))
		}
		if a.Subresource != "" && !slices.ContainsFunc(among, func(r apiserver.Resource) bool { _, ok := r.Subresource(a.Subresource); return ok }) {
			return fmt.Errorf("%s: subresource: there is no %q%s", a.Name, a.Subresource, subresources(among))
		}
	}
	return nil
}

// alike names the resources that may be meant: those of that plural in a group, or else all.
func alike(plural string, all []apiserver.Resource) string {
	var meant, every []string
	for _, r := range all {
		name := r.GroupResource().String()
		if every = append(every, name); r.Resource == plural {
			meant = append(meant, name)
		}
	}
	if len(meant) > 0 {
		return strings.Join(meant, " or ")
	}
	return "one of " + strings.Join(every, ", ")
}

// subresources says which there are.
func subresources(all []apiserver.Resource) string {
	var out []string
	for _, r := range all {
		for _, s := range r.Subresources() {
			out = append(out, s.Name)
		}
	}
	if slices.Sort(out); len(out) == 0 {
		return ": there are none"
	}
	return ": say one of " + strings.Join(slices.Compact(out), ", ")
}

// Views refuses faults of views that are none of these.
func (s *Set) Views(names ...string) error {
	for _, a := range s.armed {
		if a.View != "" && !slices.Contains(names, a.View) {
			return fmt.Errorf("%s: view: there is no %q: say one of %s", a.Name, a.View, strings.Join(names, ", "))
		}
	}
	return nil
}

func list(all []Do) string {
	var out []string
	for _, d := range all {
		out = append(out, string(d))
	}
	return strings.Join(out, ", ")
}

// reasons are what a kube-apiserver says with a code.
var reasons = map[int32]metav1.StatusReason{
	400: metav1.StatusReasonBadRequest, 401: metav1.StatusReasonUnauthorized, 403: metav1.StatusReasonForbidden,
	404: metav1.StatusReasonNotFound, 405: metav1.StatusReasonMethodNotAllowed, 409: metav1.StatusReasonConflict,
	410: metav1.StatusReasonExpired, 413: metav1.StatusReasonRequestEntityTooLarge, 422: metav1.StatusReasonInvalid,
	429: metav1.StatusReasonTooManyRequests, 500: metav1.StatusReasonInternalError,
	503: metav1.StatusReasonServiceUnavailable, 504: metav1.StatusReasonTimeout,
}
