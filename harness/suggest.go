package harness

import (
	"cmp"
	"slices"
	"strings"
)

// mostSuggested bounds what Suggest names.
const mostSuggested = 3

// Suggest names those of all that a mistyped name most likely means, such as " (did you mean fake?)"; "" if it looks like none.
// A name may leave out what stands before the first slash: the kind of a check, or where a target is from.
func Suggest(name string, all []string) string {
	type near struct {
		name     string
		distance int
	}
	var found []near
	for _, other := range all {
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

// alike reports whether one of two names is the beginning of the other, or they differ in one letter of three at most, and in
// how many they differ.
func alike(a, b string) (d int, ok bool) {
	shorter, longer := a, b
	if len(shorter) > len(longer) {
		shorter, longer = longer, shorter
	}
	d = distance(a, b)
	return d, shorter != "" && 3*d <= len(shorter) || len(shorter) > 2 && strings.HasPrefix(longer, shorter)
}

// letters is a name without what people forget.
func letters(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(s))
}

// distance is how many letters have to be added, taken out or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from what was seen of a to each beginning of b
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
