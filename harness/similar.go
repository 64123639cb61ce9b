package harness

import (
	"cmp"
	"slices"
	"strings"
)

// Similar returns the names that look like name, the most similar first: those that begin with it, or it with them, and
// those that differ from it by few letters, one of three at most. Case, dashes and underscores do not count.
func Similar(name string, among []string) []string {
	near := map[string]int{}
	var out []string
	a := letters(name)
	for _, other := range among {
		b := letters(other)
		shorter, longer := a, b
		if len(shorter) > len(longer) {
			shorter, longer = longer, shorter
		}
		d := distance(a, b)
		if len(shorter) > 2 && strings.HasPrefix(longer, shorter) || 3*d <= len(shorter) && shorter != "" {
			near[other] = d
			out = append(out, other)
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return cmp.Compare(near[x], near[y]) })
	return out
}

// letters returns a name without what people forget.
func letters(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(name))
}

// distance returns how many bytes have to be added, removed or replaced to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // from the part of a that was seen to each beginning of b
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
