// Package runner runs the checks of targets in worker processes and keeps
// what they give in a run directory: a subject that crashes, exits or hangs
// costs one verdict, and a run that was killed can be resumed.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/report"
)

// Opener yields the target of a connect string. Parent and workers each call
// it once for a target; it must give the same cases every time.
type Opener func(ctx context.Context, connect string) (harness.Target, error)

// Plan is what was selected: the cases in the order of the targets and of
// their contracts. Close it when the run is over.
type Plan struct {
	Items   []Item
	Known   []harness.Known // what the targets bring with them
	Notes   []string        // what the targets have to say of themselves, a line each; Close adds to them
	targets []harness.Target
}

// Item is a selected check on a target.
type Item struct {
	Target string // connect string
	Case   harness.Case

	of    string // address of the target's case, if Case has another; empty: it has not
	story []byte // that Case plays; nil: the check's own drive
	seed  int64  // 0: that of the settings
}

// Planned is the item as reports keep it.
func (i Item) Planned() report.Planned {
	return report.Planned{Target: i.Target, Check: i.Case.Address(), Features: i.Case.Has, Of: i.of, Story: i.story, Seed: i.seed}
}

// as returns an item that a plan has under an address of its own: a case that is repeated, or that plays a story.
func (i Item) as(p report.Planned) (Item, error) {
	out := Item{Target: i.Target, Case: i.Case, of: i.Case.Address(), story: p.Story, seed: p.Seed}
	var err error
	out.Case, err = renamed(i.Case, p.Check, p.Story)
	return out, err
}

// renamed returns a case with another address, which plays a story if there is one.
func renamed(c harness.Case, address string, story []byte) (harness.Case, error) {
	out := c
	if story != nil {
		var err error
		if out, err = c.Play(story); err != nil {
			return out, err
		}
		out.Has = c.Has
	}
	out.Name = strings.TrimPrefix(address, c.Kind.Name+"/")
	return out, nil
}

// Select opens the targets and picks their checks. Its errors say what to
// change; then everything is closed again.
func Select(ctx context.Context, open Opener, s report.Settings) (*Plan, error) {
	p := &Plan{}
	err := p.fill(ctx, open, s)
	if err == nil {
		err = p.ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Plan) fill(ctx context.Context, open Opener, s report.Settings) error {
	var all []Item
	names := report.Names(s.Targets)
	for _, connect := range s.Targets {
		t, err := open(ctx, connect)
		if err != nil {
			return fmt.Errorf("target %s: %w", names[connect], err)
		}
		t.Name = names[connect]
		p.targets = append(p.targets, t)
		for _, k := range t.Known {
			k.Target = connect
			p.Known = append(p.Known, k)
		}
		for _, n := range t.Notes {
			p.note(t, n)
		}
		items, err := itemsOf(connect, t)
		if err != nil {
			return err
		}
		all = append(all, items...)
	}
	if err := adjust(all, s.Features); err != nil {
		return err
	}
	return p.pick(all, s)
}

func (p *Plan) note(t harness.Target, line string) {
	p.Notes = append(p.Notes, "target "+t.Name+": "+line)
}

// ready asks the targets whether their checks would prove anything.
func (p *Plan) ready(ctx context.Context) error {
	for _, t := range p.targets {
		if t.Ready == nil {
			continue
		}
		if err := t.Ready(ctx); err != nil {
			return fmt.Errorf("target %s: %w", t.Name, err)
		}
	}
	return nil
}

// itemsOf refuses a target that is wrong as data: such a run would prove nothing.
func itemsOf(connect string, t harness.Target) ([]Item, error) {
	if len(t.Cases) == 0 {
		return nil, fmt.Errorf("target %s offers no checks", connect)
	}
	var items []Item
	seen := map[string]bool{}
	for _, c := range t.Cases {
		a := c.Address()
		if seen[a] {
			return nil, fmt.Errorf("target %s has two checks %s: this is a fault of its plugin", connect, a)
		}
		if err := c.UnknownFeatures(); err != nil {
			return nil, fmt.Errorf("target %s: %w", connect, err)
		}
		seen[a] = true
		items = append(items, Item{Target: connect, Case: c})
	}
	for _, k := range Kinds(items) {
		if err := k.Validate(); err != nil {
			return nil, fmt.Errorf("target %s: the suite %s is faulty: %w", connect, k.Name, err)
		}
	}
	return items, nil
}

// adjust declares and withdraws features; a change must mean something to at
// least one of the kinds.
func adjust(items []Item, changes []string) error {
	for _, c := range changes {
		var refused error
		taken := false
		for i := range items {
			has, err := harness.Adjust(items[i].Case.Has, []string{c}, items[i].Case.Kind.Features)
			if err != nil {
				refused = err
				continue
			}
			taken = true
			items[i].Case.Has = has
		}
		if !taken {
			return refused
		}
	}
	return nil
}

// Selects says what is wrong with a selection from what targets may have, which are not open yet.
func Selects(may []Item, s report.Settings) error {
	if len(s.Checks) > 0 {
		return nil // a case that is not open plays no story
	}
	return (&Plan{}).pick(may, s)
}

// exactly picks the checks that are named one by one.
func (p *Plan) exactly(all []Item, checks []report.Planned) error {
	for _, c := range checks {
		i := slices.IndexFunc(all, func(it Item) bool {
			if kind, _, _ := strings.Cut(c.Check, "/"); c.Story != nil {
				return it.Target == c.Target && it.Case.Kind.Name == kind
			}
			return it.Target == c.Target && it.Case.Address() == cmp.Or(c.Of, c.Check)
		})
		if i < 0 && c.Story != nil {
			return fmt.Errorf("target %s has no checks of the kind of the story, %s", c.Target, strings.Split(c.Check, "/")[0])
		}
		if i < 0 {
			return fmt.Errorf("target %s has no check %s%s", c.Target, cmp.Or(c.Of, c.Check), nearest(cmp.Or(c.Of, c.Check), all))
		}
		it := all[i]
		switch {
		case c.Story != nil || c.Of != "":
			var err error
			if it, err = it.as(c); err != nil {
				return err
			}
		default:
			it.Case.Has = c.Features
		}
		p.Items = append(p.Items, it)
	}
	return nil
}

func (p *Plan) pick(all []Item, s report.Settings) error {
	if len(s.Checks) > 0 {
		return p.exactly(all, s.Checks)
	}
	used := map[string]bool{}
	for _, it := range all {
		if len(s.Suites) > 0 && !slices.Contains(s.Suites, it.Case.Kind.Name) {
			continue
		}
		hit := len(s.Globs) == 0
		for _, g := range s.Globs {
			if harness.Match(g, it.Case.Address()) {
				hit, used[g] = true, true
			}
		}
		if hit {
			p.Items = append(p.Items, it)
		}
	}
	return complaints(all, s, used, len(p.Items))
}

// complaints are about selections that select nothing: nothing run is not success.
func complaints(all []Item, s report.Settings, used map[string]bool, n int) error {
	var kinds []string
	for _, k := range Kinds(all) {
		kinds = append(kinds, k.Name)
	}
	for _, suite := range s.Suites {
		if !slices.Contains(kinds, suite) {
			return fmt.Errorf("no suite %q on %s%s: there are %s", suite, strings.Join(s.Targets, " and "), harness.Suggest(suite, kinds), strings.Join(kinds, ", "))
		}
	}
	for _, g := range s.Globs {
		if !used[g] {
			return fmt.Errorf("no check matches %q%s: `lwtest list` shows them all", g, nearest(g, all))
		}
	}
	if n == 0 {
		return errors.New("no check is selected: nothing would be tested")
	}
	return nil
}

// nearest names a few checks that look like what was asked for.
func nearest(glob string, all []Item) string {
	var addresses []string
	for _, it := range all {
		addresses = append(addresses, it.Case.Address())
	}
	if hint := harness.Suggest(glob, addresses); hint != "" {
		return hint
	}
	type near struct {
		address string
		shared  int
	}
	var list []near
	for _, it := range all {
		n := 0
		for _, word := range strings.FieldsFunc(glob, func(r rune) bool { return strings.ContainsRune("/*-?[]", r) }) {
			if strings.Contains(it.Case.Address(), word) {
				n += len(word)
			}
		}
		if n > 0 && !slices.ContainsFunc(list, func(o near) bool { return o.address == it.Case.Address() }) {
			list = append(list, near{it.Case.Address(), n})
		}
	}
	slices.SortStableFunc(list, func(a, b near) int { return cmp.Compare(b.shared, a.shared) })
	var names []string
	for _, n := range list[:min(len(list), 3)] {
		names = append(names, n.address)
	}
	if len(names) == 0 {
		return ""
	}
	return " (there is " + strings.Join(names, ", ") + ")"
}

// Kinds are those of the items, each once.
func Kinds(items []Item) []*harness.Kind {
	var out []*harness.Kind
	for _, it := range items {
		if !slices.ContainsFunc(out, func(k *harness.Kind) bool { return k.Name == it.Case.Kind.Name }) {
			out = append(out, it.Case.Kind)
		}
	}
	return out
}

// Planned are the items as reports keep them.
func (p *Plan) Planned() []report.Planned {
	var out []report.Planned
	for _, it := range p.Items {
		out = append(out, it.Planned())
	}
	return out
}

// Sweeps reports whether checks may leave something that others would see.
func (p *Plan) Sweeps() bool {
	return slices.ContainsFunc(p.targets, func(t harness.Target) bool { return t.Sweep != nil })
}

// Sweep removes what checks of the run with this ID have left that could not
// end, and gives a line for each target that had something left.
func (p *Plan) Sweep(ctx context.Context, runID string) (removed []string, err error) {
	var errs []error
	for _, t := range p.targets {
		if t.Sweep == nil {
			continue
		}
		line, err := t.Sweep(ctx, runID)
		if line != "" {
			removed = append(removed, "target "+t.Name+": "+line)
		}
		errs = append(errs, err)
	}
	return removed, errors.Join(errs...)
}

// Alive says which target is gone, and why.
func (p *Plan) Alive(ctx context.Context) error {
	for _, t := range p.targets {
		if t.Alive == nil {
			continue
		}
		if err := t.Alive(ctx); err != nil {
			return fmt.Errorf("target %s: %w", t.Name, err)
		}
	}
	return nil
}

// Mortal reports whether a target may be gone in the midst of a run, as far as Alive can know.
func (p *Plan) Mortal() bool {
	return slices.ContainsFunc(p.targets, func(t harness.Target) bool { return t.Alive != nil })
}

// Logs has the targets write what may tell why checks failed, each into a folder below dir, and gives these.
func (p *Plan) Logs(ctx context.Context, dir string) (written []string, err error) {
	var errs []error
	for i, t := range p.targets {
		if t.Logs == nil {
			continue
		}
		at := filepath.Join(dir, fmt.Sprint(i+1))
		if err := t.Logs(ctx, at); err != nil {
			errs = append(errs, fmt.Errorf("target %s: its logs: %w", t.Name, err))
			continue
		}
		written = append(written, at)
	}
	return written, errors.Join(errs...)
}

// Close lets go of the targets.
func (p *Plan) Close() error {
	var errs []error
	for _, t := range p.targets {
		if t.Close == nil {
			continue
		}
		line, err := t.Close()
		if line != "" {
			p.note(t, line)
		}
		errs = append(errs, err)
	}
	p.targets = nil
	return errors.Join(errs...)
}
