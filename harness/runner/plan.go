// Package runner runs the checks of targets in worker processes and keeps their results in a run directory. A subject
// that crashes, exits or hangs costs one verdict, and a killed run can be resumed.
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

// Opener opens the target of a connect string. The parent and each worker call it once per target; it must return the
// same cases every time.
type Opener func(ctx context.Context, connect string) (harness.Target, error)

// Plan holds the selected cases in the order of the targets and of their contracts. Close it when the run is over.
type Plan struct {
	Items   []Item
	Known   []harness.Known // known failures that come with the targets
	Notes   []string        // notes of the targets, a line each; Close may add some
	targets []harness.Target

	connects []string // connect strings of the targets
}

// Item is a selected check on a target.
type Item struct {
	Target string // connect string
	Case   harness.Case

	of    string // address of the target's case, if Case has another; else empty
	story []byte // the story that Case plays; nil: the check's own drive
	group string // items with the same group may share a worker process
	seed  int64  // 0: the seed of the settings
}

// Planned returns the item in the form of reports.
func (i Item) Planned() report.Planned {
	return report.Planned{Target: i.Target, Check: i.Case.Address(), Features: i.Case.Has, Of: i.of, Story: i.story, Seed: i.seed}
}

// as returns the item under the address of p: a case that is repeated, or that plays a story.
func (i Item) as(p report.Planned) (Item, error) {
	out := Item{Target: i.Target, Case: i.Case, of: i.Case.Address(), story: p.Story, group: i.group, seed: p.Seed}
	var err error
	out.Case, err = renamed(i.Case, p.Check, p.Story)
	return out, err
}

// renamed returns the case under another address. If story is not nil, the case plays it.
func renamed(c harness.Case, address string, story []byte) (harness.Case, error) {
	out := c
	if story != nil {
		var err error
		if out, err = c.PlayJSON(story); err != nil {
			return out, err
		}
		out.Has = c.Has
	}
	out.Name = strings.TrimPrefix(address, c.Kind.Name+"/")
	return out, nil
}

// Select opens the targets and selects their checks. An error says what to change; then all targets are closed again.
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
		p.targets, p.connects = append(p.targets, t), append(p.connects, connect)
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

// ready returns an error if the checks of a target would prove nothing.
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

// itemsOf returns the cases of a target, or an error if the target's data are faulty.
func itemsOf(connect string, t harness.Target) ([]Item, error) {
	if len(t.Cases) == 0 {
		return nil, fmt.Errorf("target %s offers no checks", connect)
	}
	var items []Item
	seen := map[string]bool{}
	for _, c := range t.Cases {
		a := c.Address()
		if seen[a] {
			return nil, fmt.Errorf("target %s has two checks %s: correct its plugin", connect, a)
		}
		if err := c.UnknownFeatures(); err != nil {
			return nil, fmt.Errorf("target %s: %w", connect, err)
		}
		seen[a] = true
		items = append(items, Item{Target: connect, Case: c, group: cmp.Or(t.Group, connect)})
	}
	for _, k := range Kinds(items) {
		if err := k.Validate(); err != nil {
			return nil, fmt.Errorf("target %s: the suite %s is faulty: %w", connect, k.Name, err)
		}
	}
	return items, nil
}

// adjust declares and withdraws features. Each change must name a feature of at least one of the kinds.
func adjust(items []Item, changes []string) error {
	for _, c := range changes {
		taken := false
		for i := range items {
			if has, err := harness.Adjust(items[i].Case.Has, []string{c}, items[i].Case.Kind.Features); err == nil {
				items[i].Case.Has, taken = has, true
			}
		}
		if taken {
			continue
		}
		var table []harness.FeatureInfo // of all kinds
		for _, k := range Kinds(items) {
			table = append(table, k.Features...)
		}
		_, err := harness.Adjust(nil, []string{c}, table)
		return err
	}
	return nil
}

// Selects returns an error if the settings select nothing from may, the items of targets that need not be open.
func Selects(may []Item, s report.Settings) error {
	if len(s.Checks) > 0 {
		return nil // a case that is not open plays no story
	}
	return (&Plan{}).pick(may, s)
}

// exactly selects the checks that are named one by one.
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
			its := slices.DeleteFunc(slices.Clone(all), func(it Item) bool { return it.Target != c.Target })
			return fmt.Errorf("target %s has no check %s%s", c.Target, cmp.Or(c.Of, c.Check), harness.Suggest(cmp.Or(c.Of, c.Check), addressesOf(its)))
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

// complaints returns an error for a pattern or suite that selects nothing, because a run of nothing is no success.
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
			return fmt.Errorf("no check matches %q%s: `lwtest list` shows them all", g, harness.SuggestAddress(g, addressesOf(all)))
		}
	}
	if n == 0 {
		return errors.New("no check is selected: nothing would be tested")
	}
	return nil
}

// addressesOf returns the addresses of the items' checks.
func addressesOf(items []Item) (out []string) {
	for _, it := range items {
		out = append(out, it.Case.Address())
	}
	return out
}

// Kinds returns the kinds of the items, each once.
func Kinds(items []Item) []*harness.Kind {
	var out []*harness.Kind
	for _, it := range items {
		if !slices.ContainsFunc(out, func(k *harness.Kind) bool { return k.Name == it.Case.Kind.Name }) {
			out = append(out, it.Case.Kind)
		}
	}
	return out
}

// Planned returns the items in the form of reports.
func (p *Plan) Planned() []report.Planned {
	var out []report.Planned
	for _, it := range p.Items {
		out = append(out, it.Planned())
	}
	return out
}

// Sweeps reports whether checks may leave something on a server that others use.
func (p *Plan) Sweeps() bool {
	return slices.ContainsFunc(p.targets, func(t harness.Target) bool { return t.Sweep != nil })
}

// Sweep removes what unfinished checks of the run with this ID left. It returns a line for each target that had
// something to remove.
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

// Alive returns an error that names the target that is gone, or nil.
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

// Hopeless returns an error that names the target of a result and says how it is set up wrongly, or nil.
func (p *Plan) Hopeless(res harness.Result) error {
	for i, t := range p.targets {
		if p.connects[i] != res.Target || t.Hopeless == nil {
			continue
		}
		if err := t.Hopeless(res); err != nil {
			return fmt.Errorf("target %s: %w", t.Name, err)
		}
	}
	return nil
}

// Mortal reports whether a target may go away during a run and can report it with Alive.
func (p *Plan) Mortal() bool {
	return slices.ContainsFunc(p.targets, func(t harness.Target) bool { return t.Alive != nil })
}

// Logs makes each target write its logs into a folder below dir, and returns the folders.
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

// Close closes the targets.
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
