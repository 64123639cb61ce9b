package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lwtest/lwtest/harness"
)

// strict is a flag's value that refuses likely mistakes: an empty text, which probably comes from a variable that is
// not set, and a second value that contradicts the first.
type strict struct {
	pflag.Value
	given bool
	last  string
}

var errEmpty = errors.New("empty")

// errTwice is the error for a second value. It holds the first.
type errTwice string

func (e errTwice) Error() string { return "given before as " + string(e) }

func (v *strict) Set(s string) error {
	_, many := v.Value.(pflag.SliceValue)
	switch {
	case s == "":
		return errEmpty
	case v.given && s != v.last && !many:
		return errTwice(v.last)
	}
	v.given, v.last = true, s
	return v.Value.Set(s)
}

// beStrict makes all flags of a command and its subcommands strict.
func beStrict(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.DefValue == "[]" {
			f.DefValue = "" // or the help would print it
		}
		f.Value = &strict{Value: f.Value}
	})
	for _, c := range cmd.Commands() {
		beStrict(c)
	}
}

// wants describes the values of each type of flag.
var wants = map[string]string{
	"int": "a whole number", "int64": "a whole number", "bool": "true or false", "duration": "a time such as 30s or 2m",
}

// flagError returns an error that says how to correct a flag that could not be parsed.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usagef("%w%s", err, harness.Suggest(missing.GetSpecifiedName(), names))
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return usagef("%w", err)
	}
	name, want := bad.GetFlag().Name, wants[bad.GetFlag().Value.Type()]
	var before errTwice
	switch {
	case errors.Is(err, errEmpty):
		return usagef("--%s is empty: give it a value, or leave it out; is a variable not set?", name)
	case errors.As(err, &before):
		return usagef("--%s is given twice, as %q and as %q: say which", name, string(before), bad.GetValue())
	case want != "": // strconv's message would not help the user
		return usagef("--%s is %q: say %s", name, bad.GetValue(), want)
	}
	return usagef("%w", err)
}
