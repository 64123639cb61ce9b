// Package exec puts implementations to the suites that live in a process of their own, in whatever language: an adapter
// that others write speaks lines of JSON on its stdin and stdout, see docs/protocol.md.
//
// Control goes over the pipe. A client is given a server of lwtest's own on loopback, over HTTP, as it would be given any.
package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/node"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/runtime"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

// Open starts an adapter by its command line, which a shell reads, and gives all suites of the kinds that it offers. The
// process serves one case after the other, and is started anew for the next where it has ended.
func Open(_ context.Context, command string) (harness.Target, error) {
	a := &adapter{command: command, limit: controlLimit}
	c, hello, err := a.live()
	if err != nil {
		return harness.Target{}, err
	}
	a.c = c
	t := harness.Target{Name: "exec:" + command, Close: a.close}
	for _, o := range hello.Offers {
		if o.Kind == runtime.Suite.Kind {
			note, err := c.probeRuntime(o)
			if err != nil {
				c.close(err)
				return harness.Target{}, fmt.Errorf("the adapter %q: %w%s", command, err, logged(c.p.Log()))
			}
			if note != "" {
				t.Notes = append(t.Notes, fmt.Sprintf("the adapter %q: %s", command, note))
			}
		}
		t.Cases = append(t.Cases, a.cases(strings.TrimSpace(hello.Implementation+" "+hello.Version), o)...)
	}
	return t, nil
}

// binding is a kind that an adapter may offer.
type binding struct {
	kind *harness.Kind
	bind func(a *adapter, name string, o Offer, has []harness.Feature) []harness.Case
}

// kinds are all of them.
func kinds() []binding {
	return []binding{
		{listerwatcher.Suite.Describe(), func(a *adapter, name string, _ Offer, has []harness.Feature) []harness.Case {
			return listerwatcher.Suite.Bind(listerwatcher.Plugin(name, server, func(t *harness.T) (listerwatcher.Subject, error) {
				s, err := a.begin(t)
				return lwSubject{s}, err
			}, slices.Concat(has, serverHas)...))
		}},
		{informer.Suite.Describe(), func(a *adapter, name string, o Offer, has []harness.Feature) []harness.Case {
			return informer.Suite.Bind(informer.Plugin(name, server, func(t *harness.T) (informer.Subject, error) {
				s, err := a.begin(t)
				return informerSubject{s, o.Holds}, err
			}, slices.Concat(has, serverHas)...))
		}},
		{store.Suite.Describe(), func(a *adapter, name string, _ Offer, has []harness.Feature) []harness.Case {
			return store.Suite.Bind(harness.Plugin[store.Open]{Name: name, Features: has, Open: func(t *harness.T) (store.Open, error) {
				s, err := a.begin(t)
				return s.openStore, err
			}})
		}},
		{watchcache.Suite.Describe(), func(a *adapter, name string, o Offer, has []harness.Feature) []harness.Case {
			return watchcache.Suite.Bind(harness.Plugin[watchcache.Subject]{Name: name, Features: has, Open: func(t *harness.T) (watchcache.Subject, error) {
				s, err := a.begin(t)
				if err != nil {
					return nil, err
				}
				if o.Serves {
					return s.startServer()
				}
				return s.openServer()
			}})
		}},
		{runtime.Suite.Describe(), func(a *adapter, name string, _ Offer, has []harness.Feature) []harness.Case {
			return runtime.Suite.Bind(harness.Plugin[runtime.Subject]{Name: name, Features: has, Open: func(t *harness.T) (runtime.Subject, error) {
				s, err := a.begin(t)
				if err != nil {
					return nil, err
				}
				return s.startRuntime()
			}})
		}},
		{node.Suite.Describe(), func(a *adapter, name string, o Offer, has []harness.Feature) []harness.Case {
			return node.Suite.Bind(harness.Plugin[node.Subject]{Name: name, Features: has, Open: func(t *harness.T) (node.Subject, error) { return a.openNode(t, o) }})
		}},
	}
}

// cases are those of what an adapter offers, which has been looked at.
func (a *adapter) cases(name string, o Offer) (out []harness.Case) {
	var has []harness.Feature
	for _, f := range o.Features {
		has = append(has, harness.Feature(f))
	}
	for _, k := range kinds() {
		if k.kind.Name == o.Kind {
			out = k.bind(a, name, o, has)
		}
	}
	return out
}

// kindOf is the kind of a name; nil: an adapter cannot offer it.
func kindOf(name string) *harness.Kind {
	for _, k := range kinds() {
		if k.kind.Name == name {
			return k.kind
		}
	}
	return nil
}

func names() (out []string) {
	for _, k := range kinds() {
		out = append(out, k.kind.Name)
	}
	return out
}

// serverHas is what the server has that clients are given.
var serverHas = fake.ServerFeatures

// server is it: on loopback, and reached as any process reaches one.
func server(t *harness.T) (rig.Server, error) { return fake.ServerApart(t) }

// close ends the process. The error says that it had ended before, after its last case had ended, how, and its stderr, or what it
// wrote then that is no message.
func (a *adapter) close() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c == nil {
		return "", nil
	}
	before := a.c.between()
	going := a.c.ended() == nil
	a.c.onEnd(nil)
	itself := a.c.p.Stop(patience)
	<-a.c.over // all that it wrote has been read
	var bad *ProtocolError
	switch {
	case !going:
	case errors.As(a.c.ended(), &bad): // for which it was killed
		before = &ProtocolError{"after its last case had ended: " + bad.What, bad.Line, bad.Log}
	case itself && a.c.p.Crashed():
		before = &Gone{a.c.p.How() + ", after its last case had ended", a.c.p.Log()}
	}
	if before != nil {
		return "", fmt.Errorf("the adapter %q: %w: no check is blamed for it; `lwtest run --wire FILE` shows where it comes%s", a.command, before, logged(a.c.p.Log()))
	}
	return "", nil
}
