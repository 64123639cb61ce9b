package report

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Names returns a short name for each connect string: the string without its options ("?name=value&…"), which may be
// long and may reveal details of a machine. If several would share a name, each gets the options in which they differ,
// where these are plain words or numbers.
func Names(connects []string) map[string]string {
	alike := map[string][]string{}
	for _, c := range connects {
		base, _ := options(c)
		alike[base] = append(alike[base], c)
	}
	out, taken := map[string]string{}, map[string]bool{}
	for _, c := range connects {
		base, _ := options(c)
		name := base + differing(c, alike[base])
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s#%d", base, n)
		}
		out[c], taken[name] = name, true
	}
	return out
}

// options splits a connect string. Text after a question mark that is not a list of options belongs to the base.
func options(connect string) (base string, o url.Values) {
	base, query, _ := strings.Cut(connect, "?")
	o, err := url.ParseQuery(query)
	if err != nil || query != "" && !strings.Contains(query, "=") {
		return connect, nil
	}
	return strings.TrimSuffix(base, ":"), o
}

var plainWord = regexp.MustCompile(`^[\w.-]+$`)

// differing returns the options of a connect string that differ among all.
func differing(connect string, all []string) string {
	_, own := options(connect)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(own)) {
		same := func(c string) bool {
			_, o := options(c)
			return slices.Equal(o[name], own[name])
		}
		if v := own.Get(name); plainWord.MatchString(v) && slices.ContainsFunc(all, func(c string) bool { return !same(c) }) {
			out = append(out, name+"="+v)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "?" + strings.Join(out, "&")
}

// name returns the short name of a target of this report, in one line.
func (r *Report) name(target string) string {
	if n, ok := Names(r.Settings.Targets)[target]; ok {
		return Line(n)
	}
	return Line(target)
}

// names returns the short names of the targets, in their order.
func (r *Report) names() []string {
	var out []string
	for _, t := range r.Settings.Targets {
		out = append(out, r.name(t))
	}
	return out
}
