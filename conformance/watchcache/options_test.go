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

func TestOptionsInPairs(t *testing.T) {
	got := pairs(combinations)
	for pair := range pairs(everyCombination(atList, atNow, atAny, withAll, withNone)) {
		assert.True(t, got[pair], "no watch has %s", pair)
	}
	for i, c := range combinations {
		assert.False(t, slices.Contains(combinations[:i], c), "%v twice", c)
		o := c.options("1", i)
		assert.True(t, !c.bound || *o.TimeoutSeconds >= leastBound && *o.TimeoutSeconds <= 2*leastBound, "%v", c)
	}
	assert.Less(t, len(pairs(combinations[:len(combinations)/2])), len(pairs(combinations)), "half of them do not do")
}
