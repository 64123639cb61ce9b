package differential

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String is a summary, and what was found.
func (r *Result) String() string {
	var b strings.Builder
	for _, f := range r.Found {
		fmt.Fprintf(&b, "\n%d times\n%s", f.Times, f)
	}
	agreed := 0
	for _, n := range r.Agreed {
		agreed += n
	}
	fmt.Fprintf(&b, "\n%d requests in %d stories, seeds %v: %d agreed\n", r.Requests, r.Stories, r.Seeds, agreed)
	for _, why := range slices.Sorted(maps.Keys(r.Explained)) {
		fmt.Fprintf(&b, "%6d differ: %s\n", r.Explained[why], why)
	}
	return b.String()
}
