package targets

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

// Scheme is a type of target. Its name is the beginning of a connect string, up to the colon before the argument.
type Scheme struct {
	Name    string // "fake", "kubeconfig", "go:fakeclientset"
	Arg     string // name of the argument after the colon, in capitals; empty: none; in brackets: optional
	Help    string
	Options []string // flags that apply to a cluster or a controller; they are part of the argument: "ARG?context=…&resource=…"
	Server  bool     // the target is a client of an API server: --server applies to it, and becomes the argument
	Suite   string   // its suite, if that is known before it is opened
	Family  string   // the summary line that it shares with others; "": its own
	Hidden  bool
	Open    func(ctx context.Context, arg string) (harness.Target, error)
}

// Set holds the targets that can be named.
type Set struct {
	Schemes []Scheme
	Default []string // connect strings of a run that names none
	BuiltIn []string // connect strings of All
}

// Usage is an error about what a user wrote: a name or an option that does not exist.
type Usage struct{ error }

// Unwrap returns the error itself.
func (u Usage) Unwrap() error { return u.error }

// Usagef returns a Usage.
func Usagef(format string, args ...any) error { return Usage{fmt.Errorf(format, args...)} }

// Find returns the scheme and the argument of a connect string.
func (l Set) Find(connect string) (Scheme, string, error) {
	for _, s := range l.Schemes {
		rest, ok := strings.CutPrefix(connect, s.Name)
		switch {
		case !ok || rest != "" && rest[0] != ':':
			continue
		case s.Arg == "" && rest != "" && !s.Server:
			return s, "", Usagef("target %q: nothing follows %s", connect, s.Name)
		case s.Arg != "" && s.Arg[0] != '[' && len(rest) < 2:
			return s, "", Usagef("target %q: say %s", connect, s.Form())
		case rest == ":": // probably from a variable that is not set, so it does not mean the default
			return s, "", Usagef("target %q: nothing follows the colon: say %s, or %s alone for its default; is a variable not set?", connect, s.Form(), s.Name)
		}
		return s, strings.TrimPrefix(rest, ":"), nil
	}
	whole, _, _ := strings.Cut(connect, "?")
	name, _, _ := strings.Cut(connect, ":")
	hint := cmp.Or(harness.Suggest(whole, l.names()), harness.Suggest(name, l.names()))
	return Scheme{}, "", Usagef("unknown target %q%s: `lwtest list --targets` shows them all", connect, hint)
}

// names returns the names of the targets that a user may name.
func (l Set) names() []string {
	names := []string{All}
	for _, s := range l.Schemes {
		if !s.Hidden {
			names = append(names, s.Name)
		}
	}
	return names
}

// Form returns how a user writes it: "kubeconfig[:PATH]".
func (s Scheme) Form() string {
	switch {
	case s.Arg == "":
		return s.Name
	case s.Arg[0] == '[':
		return s.Name + "[:" + s.Arg[1:]
	}
	return s.Name + ":" + s.Arg
}

// Open opens a target. It is the runner's Opener.
func (l Set) Open(ctx context.Context, connect string) (harness.Target, error) {
	s, arg, err := l.Find(connect)
	if err != nil {
		return harness.Target{}, err
	}
	if err := l.takes(s, arg); err != nil {
		return harness.Target{}, err
	}
	t, err := s.Open(ctx, arg)
	if s.Family != "" { // a part of client-go
		t.Group = ClientGo
	}
	return t, err
}

// takes returns an error for an option that does not apply to a target.
func (l Set) takes(s Scheme, arg string) error {
	may := l.optionsOf(s, arg)
	if may == nil {
		return nil
	}
	_, has, err := Split(arg)
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
func (l Set) optionsOf(s Scheme, arg string) []string {
	options, sort, name := s.Options, s.Name, arg
	if s.Server && arg != "" {
		sort, name, _ = strings.Cut(arg, ":")
		sort, _, _ = strings.Cut(sort, "?")
		options = serverSchemes[sort]
	}
	if name, _, _ = strings.Cut(name, "?"); sort == Kind && name != "" { // the cluster exists already
		options = slices.DeleteFunc(slices.Clone(options), func(o string) bool { return slices.Contains(Making, o) })
	}
	if sort == Controller && ownController(name) {
		options = nil
	}
	return options
}

// All stands for every built-in target.
const All = "all"

// Family returns the summary line that a target shares with others, or "" if it has its own.
func (l Set) Family(connect string) string {
	s, _, err := l.Find(connect)
	if err != nil {
		return ""
	}
	return s.Family
}

// Connects returns the connect strings of the requested targets. Those of clients get the server, and those of
// clusters and such servers get their options, so that a report says what was tested.
func (l Set) Connects(asked []string, server string, options url.Values) ([]string, error) {
	if len(asked) == 0 {
		asked = l.Default
	}
	if i := slices.Index(asked, All); i >= 0 {
		asked = slices.Replace(slices.Clone(asked), i, i+1, l.BuiltIn...)
	}
	var out []string
	unused, lent := maps.Clone(options), server == ""
	for _, c := range asked {
		s, arg, err := l.Find(c)
		if err != nil {
			return nil, err
		}
		if s.Server && server != "" {
			if arg != "" {
				return nil, Usagef("target %q already names its server: leave out --server, or that part of the target", c)
			}
			lent, arg, c = true, server, c+":"+server
		}
		mine := url.Values{}
		if s.Name == Controller && server != "" && !ownController(arg) {
			lent = true
			mine.Set(OptServer, made(server, options, unused))
		}
		for _, name := range l.optionsOf(s, arg) {
			if options.Has(name) {
				mine[name] = options[name]
				delete(unused, name)
			}
		}
		if c, err = extend(c, s, arg, mine); err != nil {
			return nil, err
		}
		if slices.Contains(out, c) {
			return nil, Usagef("target %q is given twice", c)
		}
		out = append(out, c)
	}
	if !lent {
		return nil, Usagef("--server applies only to clients, such as client-go's informers, and to controllers that are programs; none is among %s", strings.Join(out, ", "))
	}
	if len(unused) > 0 {
		return nil, Usagef("--%s: only for %s, and none is among %s", strings.Join(slices.Sorted(maps.Keys(unused)), ", --"), l.takers(unused), strings.Join(out, ", "))
	}
	return out, nil
}

// made returns the value of --server with the options of a cluster that is created, which are used then.
func made(server string, options, unused url.Values) string {
	making := url.Values{}
	for _, name := range Making {
		if server == Kind && options.Has(name) {
			making[name] = options[name]
			delete(unused, name)
		}
	}
	if len(making) == 0 {
		return server
	}
	return server + "?" + making.Encode()
}

// takers describes the targets that such options apply to.
func (l Set) takers(options url.Values) string {
	var names []string
	for _, s := range l.Schemes {
		if slices.ContainsFunc(s.Options, options.Has) {
			names = append(names, s.Name)
		}
	}
	if slices.ContainsFunc(Making, options.Has) {
		return "a cluster that is made for the run (kind, without a name)"
	}
	if slices.Equal(names, []string{Controller}) {
		return "a controller that is a program"
	}
	return "a cluster (" + strings.Join(names, ", ") + ")"
}

// extend adds options to a connect string.
func extend(connect string, s Scheme, arg string, options url.Values) (string, error) {
	if len(options) == 0 {
		return connect, nil
	}
	if err := contradiction(connect, arg, options); err != nil {
		return "", err
	}
	switch {
	case strings.Contains(connect, "?"):
		connect += "&"
	case connect == s.Name:
		connect += ":?"
	default:
		connect += "?"
	}
	return connect + options.Encode(), nil
}

// contradiction returns an error for an option that both a flag and the connect string set.
func contradiction(connect, arg string, flags url.Values) error {
	_, has, err := Split(arg)
	if err != nil {
		return Usagef("target %q: %w", connect, err)
	}
	for name := range flags {
		if has.Has(name) {
			return Usagef("target %q already sets its %s: leave out --%s, or that part of the target", connect, name, name)
		}
	}
	return nil
}

// Split splits the argument of a cluster into its path or name and its options.
func Split(arg string) (path string, options url.Values, err error) {
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
