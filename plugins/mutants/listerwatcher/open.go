// Package listerwatcher has clients with exactly one fault each, made of client-go's typed one.
package listerwatcher

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

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
	wire  func(http.RoundTripper) http.RoundTripper
	calls func(client) client
}

// Mutants are all of them, on servers that open makes, which have these features.
func Mutants(open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) []mutants.Target {
	var out []mutants.Target
	for _, m := range all() {
		out = append(out, m.target(open, serverHas))
	}
	return out
}

// Open gives the one that stands after "listwatch:", such as mutant/limit-lost.
func Open(arg string, open func(*harness.T) (rig.Server, error), serverHas ...harness.Feature) (harness.Target, error) {
	name, ok := strings.CutPrefix(arg, "mutant/")
	if i := slices.IndexFunc(all(), func(m mutant) bool { return m.name == name }); ok && i >= 0 {
		return all()[i].target(open, serverHas).Target, nil
	}
	return harness.Target{}, fmt.Errorf("there is no %q: say mutant/NAME, with a name that `lwtest mutants` prints", arg)
}

func (m mutant) target(open func(*harness.T) (rig.Server, error), serverHas []harness.Feature) mutants.Target {
	name := "listwatch:mutant/" + m.name
	s, has, err := listwatch.Subject("typed", func(c *rest.Config) {
		if m.wire != nil {
			c.Wrap(m.wire)
		}
	})
	if err != nil {
		panic(err) // there is no other that it could be made of
	}
	features := append(append([]harness.Feature{harness.VirtualTime}, has...), serverHas...)
	return mutants.Target{Name: m.name, Rule: "listerwatcher/" + m.rule, About: m.about, Target: harness.Target{Name: name,
		Cases: conformance.Suite.Bind(conformance.Plugin(name, open, func(*harness.T) (conformance.Subject, error) { return subject{m, s}, nil }, features...))}}
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
	out := client{right.(conformance.Lister).List, right.(conformance.Watcher).Watch}
	if s.calls != nil {
		out = s.calls(out)
	}
	return out, nil
}

// client is a Lister and a Watcher of two functions.
type client struct {
	list  func(context.Context, options) (*conformance.List, error)
	watch func(context.Context, options) (conformance.Watch, error)
}

// List implements listerwatcher.Lister.
func (c client) List(ctx context.Context, o options) (*conformance.List, error) {
	return c.list(ctx, o)
}

// Watch implements listerwatcher.Watcher.
func (c client) Watch(ctx context.Context, o options) (conformance.Watch, error) {
	return c.watch(ctx, o)
}
