package assets

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// effect is what a flag does in a stand-in.
type effect int

const (
	used     effect = iota
	accepted        // it changes nothing that a client can see here, or hardly anything: about says why
	refused         // it would change something, and cannot: about says what to do
)

// flag is a flag of the real program.
type flag struct {
	name, kind string // kind is "bool" for one that needs no value
	effect     effect
	about      string
}

// flags returns flags with the same effect for the same reason. A name may be followed by a kind; without one the flag is a text.
func flags(e effect, about string, named ...string) (out []flag) {
	for _, n := range named {
		name, kind, _ := strings.Cut(n, " ")
		if kind == "" {
			kind = "string"
		}
		out = append(out, flag{name, kind, e, about})
	}
	return out
}

// value holds all values of a flag.
type value struct {
	kind string
	all  []string
}

func (v *value) String() string     { return strings.Join(v.all, ",") }
func (v *value) Set(s string) error { v.all = append(v.all, s); return nil }
func (v *value) Type() string       { return v.kind }

// set returns flags for pflag.
func set(all []flag) *pflag.FlagSet {
	out := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.SetOutput(io.Discard)
	for _, f := range all {
		short, about := "", f.about
		if f.name == "v" {
			short = "v"
		}
		switch f.effect {
		case accepted:
			about = "accepted, and means nothing here: " + about
		case refused:
			about = "refused: " + about
		}
		added := out.VarPF(&value{kind: f.kind}, f.name, short, about)
		if f.kind == "bool" {
			added.NoOptDefVal = "true"
		}
	}
	return out
}

// help has a line for each flag, in the form in which envtest looks for flags.
func (p program) help() string {
	return fmt.Sprintf("lwtest's stand-in for %s, for tests. See docs/envtest.md of lwtest.\n\nUsage:\n  %s [flags]\n\nFlags:\n%s", p.name, p.name, set(p.flags).FlagUsages())
}

// values are the values of flags, by name.
type values struct{ given *pflag.FlagSet }

// parse reads a command line. It refuses what no such program has, and what this one cannot do.
func (v *values) parse(all []flag, args []string) error {
	v.given = set(all)
	if err := v.given.Parse(args); err != nil {
		return err
	}
	if v.given.NArg() > 0 {
		return fmt.Errorf("takes no arguments, %q was given", v.given.Args())
	}
	var errs []error
	for _, f := range all {
		if f.effect == refused && v.given.Changed(f.name) {
			errs = append(errs, fmt.Errorf("--%s is not supported: %s", f.name, f.about))
		}
	}
	return errors.Join(errs...)
}

// list returns the values of a flag, which may be given several times, and with commas.
func (v *values) list(name string) (out []string) {
	for _, text := range strings.Split(v.text(name), ",") {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// text returns the value of a flag, or "".
func (v *values) text(name string) string { return v.given.Lookup(name).Value.String() }

// last returns the value that was given last, or otherwise if none was.
func (v *values) last(name, otherwise string) string {
	if all := v.given.Lookup(name).Value.(*value).all; len(all) > 0 {
		return all[len(all)-1]
	}
	return otherwise
}
