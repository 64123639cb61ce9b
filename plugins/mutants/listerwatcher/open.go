// Package listerwatcher has clients with exactly one fault each, made of client-go's: and ones that are odd but
// correct, and ones that withhold something.
package listerwatcher

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"k8s.io/client-go/rest"

	conformance "github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/clientgo/listwatch"
	"github.com/lwtest/lwtest/plugins/mutants"
)

// mutant is a client with a fault: in what it asks and hears, or in what it makes of that.
type mutant struct {
	name  string
	rule  string // that must flag it, without the kind
	about string
	of    string            // the way of client-go's that it is made of; "": its typed client
	more  []harness.Feature // what it has beside the features of that
	knows string            // another way whose known failures it has, too, as it does the same; "": none
	wire  func(http.RoundTripper) http.RoundTripper
	calls func(client) client

	config func(*rest.Config) // what its clients are configured by
}

// Mutants are the clients with exactly one fault, each with the rule that must flag it, on servers that open makes,
// which have these features.
func Mutants(open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) []mutants.Target {
	return targets("mutant", all(), open, serverHas)
}

// Oddities are odd but correct: every check that their features allow passes on each, but for what client-go's own
// fails that they are made of.
func Oddities(open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) []mutants.Target {
	return targets("oddity", oddities(), open, serverHas)
}

// Nulls withhold something: they must pass nothing about it.
func Nulls(open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) []mutants.Target {
	var out []mutants.Target
	for _, n := range nulls() {
		t := n.target("null", open, serverHas)
		t.Withholds = n.withholds
		out = append(out, t)
	}
	return out
}

func targets(sort string, all []mutant, open func(*harness.T) (rig.Server, error), serverHas []harness.Feature) []mutants.Target {
	var out []mutants.Target
	for _, m := range all {
		out = append(out, m.target(sort, open, serverHas))
	}
	return out
}

// Open gives the one that stands after "listwatch:", such as mutant/limit-lost.
func Open(arg string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) (harness.Target, error) {
	return mutants.Find("listwatch:"+arg, slices.Concat(Mutants(open, serverHas...), Pairs(open, serverHas...), Oddities(open, serverHas...), Nulls(open, serverHas...)))
}

func (m mutant) target(sort string, open func(*harness.T) (rig.Server, error), serverHas []harness.Feature) mutants.Target {
	name := "listwatch:" + sort + "/" + m.name
	lines, err := listwatch.Known(cmp.Or(m.of, "typed"))
	if err != nil {
		panic(err) // it is embedded
	}
	if m.knows != "" {
		further, err := listwatch.Known(m.knows)
		if err != nil {
			panic(err) // so is this
		}
		lines = append(lines, further...)
	}
	for l := range lines {
		lines[l].Target, lines[l].Sometimes = name, sort != "oddity" // a fault may hide another
	}
	s, has, err := listwatch.Subject(cmp.Or(m.of, "typed"), func(c *rest.Config) {
		if m.config != nil {
			m.config(c)
		}
		if m.wire != nil {
			c.Wrap(m.wire)
		}
	})
	if err != nil {
		panic(err) // there is no other that it could be made of
	}
	features := slices.Concat([]harness.Feature{harness.VirtualTime}, has, m.more, serverHas)
	out := mutants.Target{Name: m.name, About: m.about, Target: harness.Target{Name: name, Known: lines}, Cases: func() []harness.Case {
		return conformance.Suite.Bind(conformance.Plugin(name, open, func(*harness.T) (conformance.Subject, error) { return subject{m, s}, nil }, features...))
	}}
	if m.rule != "" {
		out.Rule = "listerwatcher/" + m.rule
	}
	return out
}

type subject struct {
	mutant
	right conformance.Subject
}

// Open implements listerwatcher.Subject.
func (s subject) Open(c conformance.Config) (conformance.Client, error) {
	right, err := s.right.Open(c)
	if err != nil {
		return nil, err
	}
	out := client{right.(conformance.Lister).List, right.(conformance.Watcher).Watch, right.(conformance.Waiter).Until, right.(conformance.Preconditioned).UntilUnless}
	if s.calls != nil {
		out = s.calls(out)
	}
	return out, nil
}

// client is a Lister, a Watcher, a Waiter and a Preconditioned of four functions: those that its features do not have are not called.
type client struct {
	list   func(context.Context, options) (*conformance.List, error)
	watch  func(context.Context, options) (watching, error)
	until  func(context.Context, options, conformance.Condition) (*event, error)
	unless func(context.Context, options, conformance.Precondition, conformance.Condition) (*event, error)
}

// UntilUnless implements listerwatcher.Preconditioned.
func (c client) UntilUnless(ctx context.Context, o options, p conformance.Precondition, cond conformance.Condition) (*event, error) {
	return c.unless(ctx, o, p, cond)
}

// List implements listerwatcher.Lister.
func (c client) List(ctx context.Context, o options) (*conformance.List, error) {
	return c.list(ctx, o)
}

// Until implements listerwatcher.Waiter.
func (c client) Until(ctx context.Context, o options, cond conformance.Condition) (*event, error) {
	return c.until(ctx, o, cond)
}

// Watch implements listerwatcher.Watcher.
func (c client) Watch(ctx context.Context, o options) (watching, error) {
	return c.watch(ctx, o)
}
