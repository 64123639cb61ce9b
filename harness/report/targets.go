package report

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Names are what connect strings are called where people read them: without
// their options ("?name=value&…"), which may be long, and may tell of a machine
// more than a reader should see. Of those that would be called alike each has
// the options in which they differ, where these are plain words, or a number.
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

// options splits a connect string; what follows a question mark and is no
// options belongs to the base.
func options(connect string) (base string, o url.Values) {
	base, query, _ := strings.Cut(connect, "?")
	o, err := url.ParseQuery(query)
	if err != nil || query != "" && !strings.Contains(query, "=") {
		return connect, nil
	}
	return strings.TrimSuffix(base, ":"), o
}

var plainWord = regexp.MustCompile(`^[\w.-]+$`)

// differing are the options of a connect string that not all of these have, or not so.
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

// name is what a target of this report is called, in one line.
func (r *Report) name(target string) string {
	if n, ok := Names(r.Settings.Targets)[target]; ok {
		return Line(n)
	}
	return Line(target)
}

// names are what the targets are called, in their order.
func (r *Report) names() []string {
	var out []string
	for _, t := range r.Settings.Targets {
		out = append(out, r.name(t))
	}
	return out
}
