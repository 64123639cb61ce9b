package handmade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// without takes a word out.
func without(words []string, word string) ([]string, bool) {
	i := slices.Index(words, word)
	if i < 0 {
		return words, false
	}
	return slices.Delete(slices.Clone(words), i, i+1), true
}

// policy takes out the propagation policy of a delete, such as policy=Foreground.
func policy(words []string) ([]string, metav1.DeletionPropagation) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "policy=") })
	if i < 0 {
		return words, ""
	}
	return slices.Delete(slices.Clone(words), i, i+1), metav1.DeletionPropagation(strings.TrimPrefix(words[i], "policy="))
}

// removed takes out what a patch takes away, such as removes=label:app+spec.
func removed(words []string) ([]string, []string) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "removes=") })
	if i < 0 {
		return words, nil
	}
	return slices.Delete(slices.Clone(words), i, i+1), strings.Split(strings.TrimPrefix(words[i], "removes="), "+")
}

// appliedBy takes out what says that a patch is an apply, such as by=m1, or by=m1! where it forces.
func appliedBy(words []string) ([]string, replay.WriteArgs) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "by=") })
	if i < 0 {
		return words, replay.WriteArgs{}
	}
	manager, force := strings.CutSuffix(strings.TrimPrefix(words[i], "by="), "!")
	return slices.Delete(slices.Clone(words), i, i+1), replay.WriteArgs{Type: types.ApplyYAMLPatchType, FieldManager: manager, Force: force}
}

// patchType takes out what says of which other type a patch is, json or strategic, and what a JSON patch tests,
// such as tests=resourceVersion=2+label:app=one; and by which version it is asked for, such as served=other.
func patchType(words []string, args *replay.WriteArgs) []string {
	for word, t := range map[string]types.PatchType{"json": types.JSONPatchType, "strategic": types.StrategicMergePatchType} {
		rest, ok := without(words, word)
		if words = rest; ok {
			args.Type = t
		}
	}
	for _, w := range words {
		if v, ok := strings.CutPrefix(w, "served="); ok {
			args.Served = v
		}
	}
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return strings.HasPrefix(w, "served=") })
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "tests=") })
	if i < 0 {
		return words
	}
	args.Tests = strings.Split(strings.TrimPrefix(words[i], "tests="), "+")
	return slices.Delete(slices.Clone(words), i, i+1)
}

// generating takes out what a name that the server makes begins with, such as generate=made-.
func generating(words []string) ([]string, string) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "generate=") })
	if i < 0 {
		return words, ""
	}
	return slices.Delete(slices.Clone(words), i, i+1), strings.TrimPrefix(words[i], "generate=")
}

// graced is the grace period that a delete asks for; nil: none.
func graced(words []string) ([]string, *int64, error) {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "grace=") })
	if i < 0 {
		return words, nil, nil
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(words[i], "grace="), 10, 64)
	return slices.Delete(slices.Clone(words), i, i+1), &n, err
}

// object reads words into r, over what it says already.
func (p *parser) object(r *history.Ref, words []string) error {
	labels, fields := map[string]string{}, map[string]string{}
	for i, w := range words {
		k, v, pair := strings.Cut(w, "=")
		switch {
		case strings.HasPrefix(w, "@"):
			r.RV = w[1:]
		case !pair && i == 0:
			r.Key = w
		case !pair:
			return fmt.Errorf("%q: a key comes first, all else is @RV or k=v", w)
		case k == "v":
			r.Body = "spec=" + v
		case k == "body":
			r.Body = strings.ReplaceAll(v, "+", " ")
		case k == "uid":
			r.UID = v
		case k == "generation":
			r.Meta = p.in.Set(map[string]string{replay.Generation: v})
		case k == "created":
			r.Meta = p.in.Set(map[string]string{replay.Created: v})
		case k == "managed":
			r.Meta = p.in.Set(map[string]string{replay.ManagedFields: v})
		case k == "deleted":
			r.Meta = p.in.Set(map[string]string{replay.Deletion: v})
		case k[0] == '.':
			fields[k[1:]] = v
		default:
			labels[k] = v
		}
	}
	if len(labels) > 0 {
		r.Labels = p.in.Set(labels)
	}
	if len(fields) > 0 {
		r.Fields = p.in.Set(fields)
	}
	return nil
}

// arguments are those of a list or a watch.
func arguments(words []string) (replay.Args, error) {
	var a replay.Args
	o := &a.Options
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		var err error
		switch k {
		case "ns":
			a.Namespace = v
		case "rv":
			o.ResourceVersion = v
		case "match":
			o.ResourceVersionMatch = metav1.ResourceVersionMatch(v)
		case "labels":
			o.LabelSelector = v
		case "fields":
			o.FieldSelector = v
		case "limit":
			o.Limit, err = strconv.ParseInt(v, 10, 64)
		case "continue":
			o.Continue = v
		case "shard":
			o.ShardSelector = shard(v)
		case "form":
			a.Form = v
		case "served":
			a.Served = v
		case "bookmarks":
			o.AllowWatchBookmarks = true
		case "timeout":
			var n int64
			n, err = strconv.ParseInt(v, 10, 64)
			o.TimeoutSeconds = &n
		case "initial":
			var b bool
			b, err = strconv.ParseBool(v)
			o.SendInitialEvents = &b
		default:
			err = fmt.Errorf("there is no argument %q", w)
		}
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

func listBody(words []string) (json.RawMessage, error) {
	if len(words) == 0 {
		return nil, nil
	}
	var b replay.ListBody
	for _, w := range words {
		switch k, v, _ := strings.Cut(w, "="); k {
		case "continue":
			b.Continue = v
		case "remaining":
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return nil, err
			}
			b.Remaining = &n
		case "shard":
			b.ShardInfo = &metav1.ShardInfo{Selector: shard(v)}
		default:
			return nil, fmt.Errorf("%q: after the items come continue=, remaining= and shard=", w)
		}
	}
	return json.Marshal(b)
}

// shard is a shard selector: low and high are the halves of the hashes of uids,
// anything else is what it is, with + for spaces.
func shard(word string) string {
	const middle = 1 << 63
	switch s := (replay.Shard{Field: replay.HashedUID}); word {
	case "low":
		s.Ranges = []replay.HashRange{{First: 0, Last: middle - 1}}
		return s.String()
	case "high":
		s.Ranges = []replay.HashRange{{First: middle, Last: 1<<64 - 1}}
		return s.String()
	}
	return strings.ReplaceAll(word, "+", " ")
}

// failure reads an answer that is an error: a code and a reason, or "lost".
func failure(e *history.Event, words []string) (bool, error) {
	x := &history.Error{Msg: strings.Join(words, " ")}
	switch code, err := strconv.Atoi(first(words)); {
	case err == nil:
		words, body, err := refusal(words[1:])
		if err != nil {
			return false, err
		}
		x.Code, x.Reason, x.Msg = code, strings.Join(words, " "), ""
		x.Definite = code >= 400 && code < 500
		e.X = &history.Ext{Err: x, Body: body}
		return true, nil
	case first(words) == "lost":
	case first(words) == replay.WrongForm:
		x.Reason = replay.WrongForm
	case e.Kind == replay.Errored:
		return false, fmt.Errorf("want a code: ERROR 410 Expired")
	default:
		return false, nil
	}
	e.X = &history.Ext{Err: x}
	return true, nil
}

// refusal takes the details out of the words of an error: cause=REASON or
// cause=REASON:FIELD, retry=SECONDS, continue=TOKEN, rv=VERSION.
func refusal(words []string) (reason []string, body json.RawMessage, err error) {
	var r replay.Refusal
	for _, w := range words {
		switch k, v, pair := strings.Cut(w, "="); {
		case !pair:
			reason = append(reason, w)
			continue
		case k == "cause":
			c, field, _ := strings.Cut(v, ":")
			r.Causes = append(r.Causes, replay.Cause{Reason: c, Field: field})
		case k == "retry":
			n, err := strconv.ParseInt(v, 10, 32)
			if err != nil {
				return nil, nil, err
			}
			r.RetryAfter = int32(n)
		case k == "continue":
			r.Continue = v
		case k == "rv":
			r.RV = v
		default:
			return nil, nil, fmt.Errorf("%q: an error has cause=, retry=, continue= and rv=", w)
		}
	}
	if len(reason) == len(words) {
		return reason, nil, nil
	}
	body, err = json.Marshal(r)
	return reason, body, err
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// birth is a uid that a key has from a resourceVersion on.
type birth struct{ rv, uid string }

func (p *parser) born(r *history.Ref) {
	if r.UID == "" && history.Comparable(r.RV) {
		p.births[r.Key] = append(p.births[r.Key], birth{r.RV, "u" + r.RV})
	}
}

// names gives objects the uids that their lines do not say.
func (p *parser) names() {
	p.eachAnswer(func(r *history.Ref) {
		if r.UID != "" && history.Comparable(r.RV) {
			p.births[r.Key] = append(p.births[r.Key], birth{r.RV, r.UID})
		}
	})
	p.eachAnswer(func(r *history.Ref) {
		if r.UID == "" && r.Key != "" && history.Comparable(r.RV) {
			r.UID = p.uid(r)
		}
	})
	for i := range p.events {
		if e := &p.events[i]; e.Obj.UID == "-" {
			e.Obj.UID = ""
		}
	}
	p.eachAnswer(func(r *history.Ref) {
		if r.UID == "-" {
			r.UID = ""
		}
	})
}

func (p *parser) eachAnswer(f func(*history.Ref)) {
	for i := range p.events {
		e := &p.events[i]
		if e.Phase == history.Call {
			continue
		}
		f(&e.Obj)
		if e.X != nil {
			for j := range e.X.Items {
				f(&e.X.Items[j])
			}
		}
	}
}

func (p *parser) uid(r *history.Ref) string {
	var last birth
	for _, b := range p.births[r.Key] {
		if history.CompareRV(b.rv, r.RV) <= 0 && (last.rv == "" || history.CompareRV(b.rv, last.rv) >= 0) {
			last = b
		}
	}
	return last.uid
}
