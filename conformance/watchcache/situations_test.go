package watchcache_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// watchForm is a watch's form: how it begins, where, by which selectors, with bookmarks and timeoutSeconds or not.
type watchForm [6]string

// What each part of a form can be.
var parts = [6][]string{
	{"N", "unset", "0", "initial=true", "initial=false N"},
	{"of one namespace", "of all"},
	{"", "by label"},
	{"", "by name", "but one name"},
	{"", "with bookmarks"},
	{"", "informer's timeout", "longer timeout"},
}

// formOf reads it from the call of a watch.
func formOf(t *testing.T, e *history.Event) watchForm {
	t.Helper()
	a, err := replay.ParseArgs(e.X.Args)
	require.NoError(t, err)
	o := &a.Options
	f := watchForm{"N", "of one namespace"}
	switch send := o.SendInitialEvents; {
	case send != nil && *send:
		f[0] = "initial=true"
	case send != nil:
		f[0] = "initial=false N"
	case o.ResourceVersion == "":
		f[0] = "unset"
	case o.ResourceVersion == "0":
		f[0] = "0"
	}
	if a.Namespace == "" {
		f[1] = "of all"
	}
	if o.LabelSelector != "" {
		f[2] = "by label"
	}
	f[3] = map[string]string{"metadata.name=x": "by name", "metadata.name!=y": "but one name"}[o.FieldSelector]
	if o.AllowWatchBookmarks {
		f[4] = "with bookmarks"
	}
	switch s := o.TimeoutSeconds; {
	case s != nil && *s >= 300 && *s <= 600:
		f[5] = "informer's timeout"
	case s != nil && *s > 600:
		f[5] = "longer timeout"
	}
	return f
}

// wholly are the checks in which a server has to do more for a watch than go on, by how such a watch begins.
var wholly = map[string][]string{
	"watch/expired":        {"N", "initial=false N"},
	"watch/compacted-edge": {"N", "initial=false N"},
	"watch/future":         {"N", "initial=false N"},
	"watch/error-ends":     {"N", "initial=false N"},
	"cache/restart":        {"N", "initial=false N"},
	"watchlist/future":     {"initial=true"},
	"watch/reliable/busy":  {"N", "unset", "0", "initial=true", "initial=false N"},
}

// inPairs are those in which each watch begins after a write of its own, and more would be too many.
var inPairs = []string{"watch/options", "cache/lag", "cache/starting"}

// In each such check a watch is opened in every form, or at least one with any two parts: a server may take
// another way with any of its options, and what asks as informers do is the most usual.
func TestSituations(t *testing.T) {
	cases := openFake(t, "").Cases
	seen := func(check string) (all []watchForm) {
		i := slices.IndexFunc(cases, func(c harness.Case) bool { return c.Name == check })
		require.GreaterOrEqual(t, i, 0, check)
		_, h := harness.Run(cases[i], harness.Options{TB: t, Seed: 1})
		for k := range h.Events {
			if e := &h.Events[k]; e.Kind == replay.Watch && e.Phase == history.Call {
				all = append(all, formOf(t, e))
			}
		}
		return all
	}
	for check, starts := range wholly {
		all := seen(check)
		for _, start := range starts {
			for _, f := range everyForm(start) {
				assert.Contains(t, all, f, "%s: no such watch", check)
			}
		}
	}
	for _, check := range inPairs {
		all := map[string]bool{}
		for _, f := range seen(check) {
			for i := range f {
				for k := range i {
					all[fmt.Sprint(k, f[k], i, f[i])] = true
				}
			}
		}
		for i := range parts {
			for k := range i {
				for _, a := range parts[k] {
					for _, b := range parts[i] {
						assert.True(t, all[fmt.Sprint(k, a, i, b)] || b == "longer timeout", "%s: no watch %q %q", check, a, b)
					}
				}
			}
		}
	}
}

// everyForm is each that begins so; only what asks as informers do needs both sorts of timeout.
func everyForm(start string) []watchForm {
	all := []watchForm{{start}}
	for i := 1; i < len(parts); i++ {
		var more []watchForm
		for _, f := range all {
			for _, p := range parts[i] {
				f[i] = p
				if p != "informer's timeout" || f[1] == "of all" && f[4] != "" {
					more = append(more, f)
				}
			}
		}
		all = more
	}
	return all
}
