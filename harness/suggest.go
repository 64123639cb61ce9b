package harness

import (
	"cmp"
	"slices"
	"strings"
)

// mostSuggested bounds how many names Suggest returns.
const mostSuggested = 3

// Suggest returns the names of all that a mistyped name most likely means, such as " (did you mean fake?)", or "" if
// none is similar. name may omit the part before the first slash: the kind of a check, or the package of a target. It
// never suggests name itself.
func Suggest(name string, all []string) string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, other := range all {
		if other == name {
			continue
		}
		d, ok := alike(letters(name), letters(other))
		if _, rest, cut := strings.Cut(other, "/"); cut {
			if short, too := alike(letters(name), letters(rest)); too && (!ok || short < d) {
				d, ok = short, true
			}
		}
		if ok && !slices.ContainsFunc(found, func(n near) bool { return n.name == other }) {
			found = append(found, near{other, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return cmp.Compare(a.distance, b.distance) })
	var names []string
	for _, n := range found[:min(len(found), mostSuggested)] {
		if n.distance <= found[0].distance+1 {
			names = append(names, n.name)
		}
	}
	if names == nil {
		return ""
	}
	return " (did you mean " + strings.Join(names, " or ") + "?)"
}

// SuggestAddress is Suggest for a glob over addresses of checks or rules. It suggests a section, such as informer/sync,
// before what is in it. If none is similar, it returns a few addresses that share a word with the glob.
func SuggestAddress(glob string, addresses []string) string {
	name := strings.TrimRight(glob, "/*")
	var sections []string
	for _, a := range addresses {
		for i := strings.LastIndexByte(a, '/'); i > 0; i = strings.LastIndexByte(a[:i], '/') {
			sections = append(sections, a[:i])
		}
	}
	if name == glob {
		sections = append(sections, addresses...)
	}
	slices.SortFunc(sections, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if hint := Suggest(name, sections); hint != "" {
		return hint
	}
	return sharing(glob, addresses)
}

// sharing returns a hint with the addresses that share most letters in whole words with glob, or "".
func sharing(glob string, addresses []string) string {
	words := strings.FieldsFunc(glob, func(r rune) bool { return strings.ContainsRune("/*-?[]", r) })
	shared := map[string]int{}
	var names []string
	for _, a := range addresses {
		kind, _, _ := strings.Cut(a, "/")
		n := 0
		for _, w := range words {
			if w != kind && strings.Contains(a, w) {
				n += len(w)
			}
		}
		if n > 0 && shared[a] == 0 {
			shared[a], names = n, append(names, a)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(shared[b], shared[a]) })
	if len(names) == 0 {
		return ""
	}
	return " (there is " + strings.Join(names[:min(len(names), mostSuggested)], ", ") + ")"
}

// alike reports whether two names are similar: one begins with the other, or they differ in at most one letter of
// three. d is the number of letters that differ.
func alike(a, b string) (d int, ok bool) {
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	d = distance(a, b)
	return d, shorter != "" && 3*d <= len(shorter) || len(shorter) > 2 && strings.HasPrefix(longer, shorter)
}

// letters returns a name in lower case without dashes, underscores and spaces.
func letters(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
}

// distance returns how many letters must be added, removed or replaced to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances from the part of a read so far to each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
