package watchcache

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// parts are a combination's options.
func (c combination) parts() []string {
	return []string{
		fmt.Sprint("start ", c.start), fmt.Sprint("one ", c.one), fmt.Sprint("label ", c.label), "field " + c.field,
		fmt.Sprint("marked ", c.marked), fmt.Sprint("bound ", c.bound),
	}
}

// pairs are those of any two of some options of each of the combinations.
func pairs(all []combination) map[string]bool {
	out := map[string]bool{}
	for _, c := range all {
		p := c.parts()
		for i := range p {
			for k := range i {
				out[p[k]+", "+p[i]] = true
			}
		}
	}
	return out
}

// everyCombination is every watch that could be.
func everyCombination() []combination {
	var all []combination
	no := []bool{false, true}
	for start := atList; start <= withNone; start++ {
		for _, field := range []string{"", oneName, notName} {
			for i := range 16 {
				all = append(all, combination{start: start, field: field, one: no[i&1], label: no[i>>1&1], marked: no[i>>2&1], bound: no[i>>3]})
			}
		}
	}
	return all
}

func TestOptionsInPairs(t *testing.T) {
	got := pairs(combinations)
	for pair := range pairs(everyCombination()) {
		assert.True(t, got[pair], "no watch has %s", pair)
	}
	for i, c := range combinations {
		assert.False(t, slices.Contains(combinations[:i], c), "%v twice", c)
		o := c.options("1", i)
		assert.True(t, !c.bound || *o.TimeoutSeconds >= leastBound && *o.TimeoutSeconds <= 2*leastBound, "%v", c)
	}
	assert.Less(t, len(pairs(combinations[:len(combinations)/2])), len(pairs(combinations)), "half of them do not do")
}
