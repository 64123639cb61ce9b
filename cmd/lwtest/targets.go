package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/lwtest/lwtest/harness"
)

// scheme is a type of target. Its name is the beginning of a connect string, up to the colon before the argument.
type scheme struct {
	name    string // "fake", "kubeconfig", "go:fakeclientset"
	arg     string // name of the argument after the colon, in capitals; empty: none; in brackets: optional
	help    string
	options []string // flags that apply to a cluster; they are part of the argument: "ARG?context=…&resource=…"
	server  bool     // the target is a client of an API server: --server applies to it, and becomes the argument
	suite   string   // its suite, if that is known before it is opened
	family  string   // the summary line that it shares with others; "": its own
	hidden  bool
	open    func(ctx context.Context, arg string) (harness.Target, error)
}

// find returns the scheme and the argument of a connect string.
func (a app) find(connect string) (scheme, string, error) {
	for _, s := range a.targets {
		rest, ok := strings.CutPrefix(connect, s.name)
		switch {
		case !ok || rest != "" && rest[0] != ':':
			continue
		case s.arg == "" && rest != "" && !s.server:
			return s, "", usagef("target %q: nothing follows %s", connect, s.name)
		case s.arg != "" && s.arg[0] != '[' && len(rest) < 2:
			return s, "", usagef("target %q: say %s", connect, s.form())
		case rest == ":": // probably from a variable that is not set, so it does not mean the default
			return s, "", usagef("target %q: nothing follows the colon: say %s, or %s alone for its default; is a variable not set?", connect, s.form(), s.name)
		}
		return s, strings.TrimPrefix(rest, ":"), nil
	}
	whole, _, _ := strings.Cut(connect, "?")
	name, _, _ := strings.Cut(connect, ":")
	hint := cmp.Or(harness.Suggest(whole, a.schemes()), harness.Suggest(name, a.schemes()))
	return scheme{}, "", usagef("unknown target %q%s: `lwtest list --targets` shows them all", connect, hint)
}

// schemes returns the names of the targets that a user may name.
func (a app) schemes() []string {
	names := []string{allTargets}
	for _, s := range a.targets {
		if !s.hidden {
			names = append(names, s.name)
		}
	}
	return names
}

func (s scheme) form() string {
	switch {
	case s.arg == "":
		return s.name
	case s.arg[0] == '[':
		return s.name + "[:" + s.arg[1:]
	}
	return s.name + ":" + s.arg
}

// open opens a target. It is the runner's Opener.
func (a app) open(ctx context.Context, connect string) (harness.Target, error) {
	s, arg, err := a.find(connect)
	if err != nil {
		return harness.Target{}, err
	}
	if err := a.takes(s, arg); err != nil {
		return harness.Target{}, err
	}
	t, err := s.open(ctx, arg)
	if s.family != "" { // a part of client-go
		t.Group = clientGoPrefix
	}
	return t, err
}

// takes returns an error for an option that does not apply to a target.
func (a app) takes(s scheme, arg string) error {
	may := a.optionsOf(s, arg)
	if may == nil {
		return nil
	}
	_, has, err := clusterArg(arg)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(has)) {
		if !slices.Contains(may, name) {
			return fmt.Errorf("unknown option %q%s: there are %s", name, harness.Suggest(name, may), strings.Join(may, ", "))
		}
	}
	return nil
}

// optionsOf returns the options that apply to a target; nil: none.
func (a app) optionsOf(s scheme, arg string) []string {
	options, sort, name := s.options, s.name, arg
	if s.server && arg != "" {
		sort, name, _ = strings.Cut(arg, ":")
		sort, _, _ = strings.Cut(sort, "?")
		options = serverSchemes[sort]
	}
	if name, _, _ = strings.Cut(name, "?"); sort == kindServer && name != "" { // the cluster exists already
		options = slices.DeleteFunc(slices.Clone(options), func(o string) bool { return slices.Contains(making, o) })
	}
	return options
}

// allTargets stands for every built-in target.
const allTargets = "all"

// family returns the summary line that a target shares with others, or "" if it has its own.
func (a app) family(connect string) string {
	s, _, err := a.find(connect)
	if err != nil {
		return ""
	}
	return s.family
}

// connects returns the connect strings of the requested targets. Those of clients get the server, and those of
// clusters and such servers get their options, so that a report says what was tested.
func (a app) connects(asked []string, server string, options url.Values) ([]string, error) {
	if len(asked) == 0 {
		asked = a.defaults
	}
	if i := slices.Index(asked, allTargets); i >= 0 {
		asked = slices.Replace(slices.Clone(asked), i, i+1, a.all...)
	}
	var out []string
	unused, lent := maps.Clone(options), server == ""
	for _, c := range asked {
		s, arg, err := a.find(c)
		if err != nil {
			return nil, err
		}
		if s.server && server != "" {
			if arg != "" {
				return nil, usagef("target %q already names its server: leave out --server, or that part of the target", c)
			}
			lent, arg, c = true, server, c+":"+server
		}
		mine := url.Values{}
		for _, name := range a.optionsOf(s, arg) {
			if options.Has(name) {
				mine[name] = options[name]
				delete(unused, name)
			}
		}
		if c, err = extend(c, s, arg, mine); err != nil {
			return nil, err
		}
		if slices.Contains(out, c) {
			return nil, usagef("target %q is given twice", c)
		}
		out = append(out, c)
	}
	if !lent {
		return nil, usagef("--server applies only to clients, such as client-go's informers, and none is among %s", strings.Join(out, ", "))
	}
	if len(unused) > 0 {
		return nil, usagef("--%s: only for %s, and none is among %s", strings.Join(slices.Sorted(maps.Keys(unused)), ", --"), a.takers(unused), strings.Join(out, ", "))
	}
	return out, nil
}

// takers describes the targets that such options apply to.
func (a app) takers(options url.Values) string {
	var names []string
	for _, s := range a.targets {
		if slices.ContainsFunc(s.options, options.Has) {
			names = append(names, s.name)
		}
	}
	if slices.ContainsFunc(making, options.Has) {
		return "a cluster that is made for the run (kind, without a name)"
	}
	return "a cluster (" + strings.Join(names, ", ") + ")"
}

// extend adds options to a connect string.
func extend(connect string, s scheme, arg string, options url.Values) (string, error) {
	if len(options) == 0 {
		return connect, nil
	}
	if err := contradiction(connect, arg, options); err != nil {
		return "", err
	}
	switch {
	case strings.Contains(connect, "?"):
		connect += "&"
	case connect == s.name:
		connect += ":?"
	default:
		connect += "?"
	}
	return connect + options.Encode(), nil
}

// contradiction returns an error for an option that both a flag and the connect string set.
func contradiction(connect, arg string, flags url.Values) error {
	_, has, err := clusterArg(arg)
	if err != nil {
		return usagef("target %q: %w", connect, err)
	}
	for name := range flags {
		if has.Has(name) {
			return usagef("target %q already sets its %s: leave out --%s, or that part of the target", connect, name, name)
		}
	}
	return nil
}

// clusterArg splits the argument of a cluster into its path or name and its options.
func clusterArg(arg string) (path string, options url.Values, err error) {
	path, query, _ := strings.Cut(arg, "?")
	options, err = url.ParseQuery(query)
	if err != nil {
		return "", nil, fmt.Errorf("the options in %q cannot be read (%w): they are ?context=NAME&resource=NAME", arg, err)
	}
	for name, values := range options {
		if len(values) > 1 || values[0] == "" {
			return "", nil, fmt.Errorf("the option %s in %q needs one value: it has %q", name, arg, values)
		}
	}
	return path, options, nil
}
