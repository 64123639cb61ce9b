package differential

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Gap is one place in which two answers differ.
type Gap struct {
	At   string // "body/0/spec/replicas"
	Real string // "": nothing is there
	Fake string
}

func (g Gap) String() string {
	return fmt.Sprintf("%s: real %s, fake %s", g.At, shown(g.Real), shown(g.Fake))
}

func shown(s string) string {
	if s == "" {
		return "has nothing"
	}
	return s
}

// gaps are the places in which two normalised answers differ, in the order of their names.
func gaps(at string, real, fake any) []Gap {
	r, isMap := real.(map[string]any)
	f, both := fake.(map[string]any)
	if isMap && both {
		return mapGaps(at, r, f)
	}
	x, isList := real.([]any)
	y, both := fake.([]any)
	if isList && both {
		return listGaps(at, x, y)
	}
	if r, f := plain(real), plain(fake); r != f {
		return []Gap{{at, r, f}}
	}
	return nil
}

func mapGaps(at string, real, fake map[string]any) (out []Gap) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(real)), maps.Keys(fake))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		r, inReal := real[name]
		f, inFake := fake[name]
		if name == "managedFields" && !inFake { // the fake shows them once somebody has applied the object
			continue
		}
		switch {
		case inReal && inFake:
			out = append(out, gaps(at+"/"+name, r, f)...)
		case inReal:
			out = append(out, Gap{at + "/" + name, plain(r), ""})
		default:
			out = append(out, Gap{at + "/" + name, "", plain(f)})
		}
	}
	return out
}

func listGaps(at string, real, fake []any) (out []Gap) {
	for i := range max(len(real), len(fake)) {
		at := fmt.Sprint(at, "/", i)
		switch {
		case i >= len(fake):
			out = append(out, Gap{at, plain(real[i]), ""})
		case i >= len(real):
			out = append(out, Gap{at, "", plain(fake[i])})
		default:
			out = append(out, gaps(at, real[i], fake[i])...)
		}
	}
	return out
}

// plain is a value as text.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return jsonText(v)
}

// Difference is a request that two servers answered differently.
type Difference struct {
	Word, Kind string
	Request    string // the request in a line
	Step       int
	Gaps       []Gap
}

var digits = regexp.MustCompile(`\d+`)

// Signature is the same for differences that are likely to have the same cause: those in the same message, else in the same
// places.
func (d Difference) Signature() string {
	var all []string
	for _, g := range d.Gaps {
		if strings.HasSuffix(g.At, "/message") && strings.Count(g.At, "/") == 3 {
			return digits.ReplaceAllString(d.Kind+" "+g.Real+" | "+g.Fake, "#")
		}
	}
	for _, g := range d.Gaps[:min(3, len(d.Gaps))] {
		all = append(all, digits.ReplaceAllString(g.At, "#"))
		if strings.HasSuffix(g.At, "/code") || strings.Contains(g.At, "headers") {
			all = append(all, digits.ReplaceAllString(g.Real+"|"+g.Fake, "#"))
		}
	}
	return strings.Join(all, " ")
}

func (d Difference) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "request %d: %s\n", d.Step+1, d.Request)
	for i, g := range d.Gaps {
		if i == 12 {
			fmt.Fprintf(&b, "  and %d more\n", len(d.Gaps)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", g)
	}
	return b.String()
}
