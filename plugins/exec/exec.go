// Package exec puts implementations to the suites that live in a process of their own, in whatever language: an adapter
// that others write speaks lines of JSON on its stdin and stdout, see docs/protocol.md.
//
// Control goes over the pipe. A client is given a server of lwtest's own on loopback, over HTTP, as it would be given any.
package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/conformance/informer"
	"github.com/lwtest/lwtest/conformance/listerwatcher"
	"github.com/lwtest/lwtest/conformance/rig"
	"github.com/lwtest/lwtest/conformance/store"
	"github.com/lwtest/lwtest/conformance/watchcache"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/plugins/fake"
)

// Open starts an adapter by its command line, which a shell reads, and gives all suites of the kinds that it offers. The
// process serves one case after the other, and is started anew for the next where it has ended.
func Open(_ context.Context, command string) (harness.Target, error) {
	a := &adapter{command: command}
	c, hello, err := a.live()
	if err != nil {
		return harness.Target{}, err
	}
	a.c = c
	t := harness.Target{Name: "exec:" + command, Close: a.close}
	for i, o := range hello.Offers {
		if slices.ContainsFunc(hello.Offers[:i], func(b Offer) bool { return b.Kind == o.Kind }) {
			err = fmt.Errorf("it offers %s twice: its command line is where a way is chosen", o.Kind)
			break
		}
		cases, bad := a.cases(strings.TrimSpace(hello.Implementation+" "+hello.Version), o)
		if err = bad; err != nil {
			break
		}
		t.Cases = append(t.Cases, cases...)
	}
	if err == nil && len(t.Cases) == 0 {
		err = fmt.Errorf("it offers nothing")
	}
	if err != nil {
		_, _ = a.close() // its error is always nil
		return harness.Target{}, fmt.Errorf("the adapter %q: %w", command, err)
	}
	return t, nil
}

// kinds are those that an adapter may offer.
var kinds = []struct {
	kind *harness.Kind
	bind func(a *adapter, name string, o Offer, has []harness.Feature) []harness.Case
}{
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
}

func (a *adapter) cases(name string, o Offer) ([]harness.Case, error) {
	for _, k := range kinds {
		if k.kind.Name != o.Kind {
			continue
		}
		var has []harness.Feature
		for _, f := range o.Features {
			if !slices.ContainsFunc(k.kind.Features, func(i harness.FeatureInfo) bool { return string(i.Name) == f }) || slices.Contains(serverHas, harness.Feature(f)) {
				return nil, fmt.Errorf("it declares the feature %q of %s, which there is not for an adapter: `lwtest list --features` has them", f, o.Kind)
			}
			has = append(has, harness.Feature(f))
		}
		return k.bind(a, name, o, has), nil
	}
	return nil, fmt.Errorf("it offers %q: there are %s", o.Kind, strings.Join(names(), ", "))
}

func names() (out []string) {
	for _, k := range kinds {
		out = append(out, k.kind.Name)
	}
	return out
}

// serverHas is what the server has that clients are given.
var serverHas = fake.ServerFeatures

// server is it: on loopback, and reached as any process reaches one.
func server(t *harness.T) (rig.Server, error) { return fake.ServerApart(t) }

// close ends the process.
func (a *adapter) close() (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.c != nil {
		a.c.onEnd(nil)
		a.c.p.Stop(patience)
	}
	return "", nil
}
