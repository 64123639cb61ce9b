package controller

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness/history"
)

// mostFirst and mostLast bound the lines that are lined up. A controller in a tight loop writes more.
const (
	mostFirst = 1000
	mostLast  = 200
)

// line is what happened at one point of a run.
type line struct {
	num     int32
	text    string
	request string // the same in both runs if this is the same; empty: it has no like
	outcome string // of a write
	weight  int32  // how much it counts that a like line stands beside it
	write   *write // of the controller; nil: it is something else
	struck  bool   // it is what was disturbed, or says so
	more    int    // how often it is refused again
}

// sides are two lines that stand side by side. One of them may be nil.
type sides struct{ left, right *line }

// The weights of lines. What users do, and rests, are the same steps in both runs. So they weigh more than all writes between two of them
// usually do.
const (
	lightly = 1
	heavily = 100
)

// lines returns what happened in a run, in order.
func (p *past) lines(h *history.History) (all []line) {
	names, struck, said := p.names(), map[int32]bool{}, map[string]bool{}
	for _, d := range p.disturbs {
		struck[d.call] = true
		text := evDisturb
		body(h.Event(d.num), &text)
		if !said[text] { // one that lasts is at each write anew
			all = append(all, line{num: d.num, text: text, struck: true})
		}
		said[text] = true
	}
	for _, w := range p.writes {
		l := w.line(names)
		l.write, l.weight, l.struck = w, lightly, struck[w.num]
		all = append(all, l)
	}
	for _, w := range p.user {
		l := w.line(names)
		l.request, l.weight = w.actor+" "+l.request, heavily
		all = append(all, l)
	}
	for _, m := range p.rests {
		all = append(all, line{num: m.num, text: evRest, request: evRest, weight: heavily})
	}
	all = append(all, line{num: p.end, text: evFinal, request: evFinal, weight: heavily})
	for _, l := range p.lives {
		all = append(all, l.lines()...)
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Compare(a.num, b.num) })
	return again(all)
}

// lines returns when a life began and ended, and why.
func (l *pastLife) lines() (all []line) {
	add := func(kind, why string, m mark) {
		if m.num != 0 {
			all = append(all, line{num: m.num, text: kind + " " + l.actor + why, request: kind, weight: lightly})
		}
	}
	why := ""
	if l.err != "" {
		why = ": " + l.err
	}
	add(evStart, "", l.start)
	add(evStop, "", l.stop)
	add(evKill, "", l.kill)
	add(evStuck, "", l.stuck)
	add(evOver, why, l.over)
	return all
}

// again makes one line of requests that follow each other and are refused in the same way.
func again(all []line) (out []line) {
	for _, l := range all {
		if n := len(out) - 1; n >= 0 && l.outcome != done && l.outcome != "" && l.request == out[n].request && l.outcome == out[n].outcome {
			out[n].more++
			continue
		}
		out = append(out, l)
	}
	return out
}

// done is the outcome of a write that succeeds.
const done = "ok"

// names returns the generated names of a run, each with what it was generated from.
func (p *past) names() map[string]string {
	names := map[string]string{}
	for _, w := range slices.Concat(p.writes, p.user) {
		if w.obj != nil && w.obj.Meta.GenerateName != "" {
			names[w.obj.Meta.Name] = w.obj.Meta.GenerateName + "*"
		}
	}
	return names
}

// line returns a write as a line. Its request has no names that are drawn, so that it is the same in each run.
func (w *write) line(names map[string]string) line {
	key, name := w.key, w.args.Name
	if w.obj != nil {
		name = w.obj.Meta.Name
	}
	if w.verb == "POST" && w.args.Subresource == "" && name != "" {
		key += "/" + name
	}
	sub := ""
	if w.args.Subresource != "" {
		sub = "/" + w.args.Subresource
	}
	if w.args.DryRun {
		sub += " (dry run)"
	}
	dir, name := key[:strings.LastIndex(key, "/")+1], key[strings.LastIndex(key, "/")+1:]
	plain := cmp.Or(names[name], drawn.ReplaceAllString(uid.ReplaceAllString(name, "uid"), "$1*"))
	l := line{num: w.num, request: w.verb + " " + dir + plain + sub, outcome: done}
	switch {
	case w.ret == 0:
		l.outcome = "no answer"
	case w.err != nil && w.err.Code == 0:
		l.outcome = w.err.Msg
	case w.err != nil:
		l.outcome = strings.TrimSpace(fmt.Sprint(w.err.Code, " ", w.err.Reason))
	}
	l.text = w.actor + " " + w.verb + " " + key + sub + ": " + l.outcome
	return l
}

// like returns the weight of two lines that stand side by side, which is twice as much if they have the same outcome; 0: they are not alike.
func (l *line) like(o *line) int32 {
	switch {
	case l.request == "" || l.request != o.request:
		return 0
	case l.outcome == o.outcome:
		return 2 * l.weight
	}
	return l.weight
}

// lineUp puts like lines of two runs side by side, as many as possible.
func lineUp(left, right []line) (all []sides) {
	n := 0
	for n < min(len(left), len(right)) && left[n].outcome == right[n].outcome && left[n].like(&right[n]) > 0 {
		all = append(all, sides{&left[n], &right[n]})
		n++
	}
	left, right = trimmed(left[n:]), trimmed(right[n:])
	best := make([][]int32, len(left)+1) // the most weight that the lines from here to the end can have
	for i := range best {
		best[i] = make([]int32, len(right)+1)
	}
	for i := len(left) - 1; i >= 0; i-- {
		for j := len(right) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like := left[i].like(&right[j]); like > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like)
			}
		}
	}
	for i, j := 0, 0; i < len(left) || j < len(right); {
		switch {
		case i < len(left) && j < len(right) && left[i].like(&right[j]) > 0 && best[i][j] == best[i+1][j+1]+left[i].like(&right[j]):
			all = append(all, sides{&left[i], &right[j]})
			i, j = i+1, j+1
		case i == len(left) || j < len(right) && best[i][j] == best[i][j+1]: // what went wrong first, then what is missing after it
			all = append(all, sides{nil, &right[j]})
			j++
		default:
			all = append(all, sides{&left[i], nil})
			i++
		}
	}
	return all
}

// trimmed leaves out lines in the middle, if there are too many to line up.
func trimmed(all []line) []line {
	n := len(all) - mostFirst - mostLast
	if n <= 0 {
		return all
	}
	return slices.Concat(all[:mostFirst], []line{{text: fmt.Sprintf("… %d more", n)}}, all[len(all)-mostLast:])
}
