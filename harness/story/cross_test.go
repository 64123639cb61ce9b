package story

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
)

// Every combination that can be is in a row, none that cannot is, and rows are far fewer than all combinations.
func TestCoverHasEachCombination(t *testing.T) {
	sizes := []int{7, 3, 4, 2, 5}
	never := func(d1, v1, d2, v2 int) bool {
		return d1 == 0 && v1 == 6 && d2 == 1 && v2 > 0 || d1 == 1 && v1 > 0 && d2 == 0 && v2 == 6
	}
	for strength, most := range map[int]int{2: 45, 3: 190} {
		rows := cover(sizes, strength, never, rand.New(rand.NewPCG(1, 1)))
		has := map[string]bool{}
		for _, row := range rows {
			require.Len(t, row, len(sizes))
			require.False(t, row[0] == 6 && row[1] > 0, "%v cannot be", row)
			for a := range sizes {
				for b := range a {
					has[fmt.Sprint(a, row[a], b, row[b])] = true
					for c := range b {
						has[fmt.Sprint(a, row[a], b, row[b], c, row[c])] = true
					}
				}
			}
		}
		assert.LessOrEqual(t, len(rows), most)
		for a := range sizes {
			for b := range a {
				for v := range sizes[a] {
					for w := range sizes[b] {
						assert.Equal(t, !(b == 0 && w == 6 && a == 1 && v > 0), has[fmt.Sprint(a, v, b, w)], "%d=%d %d=%d", a, v, b, w)
					}
				}
			}
		}
		if strength == 3 {
			assert.True(t, has[fmt.Sprint(4, 4, 3, 1, 2, 3)])
		}
	}
}

// One value for each of as many dimensions as the strength is the product of them.
func TestCoverOfAllDimensionsIsTheProduct(t *testing.T) {
	assert.Len(t, cover([]int{3, 4}, 2, func(int, int, int, int) bool { return false }, NewBytes(nil)), 12)
}

// A pair is judged by a rule that says something else without the one, and without the other; an absence by any rule. That of crashes is
// told apart, and alone it judges nothing.
func TestJudged(t *testing.T) {
	h, err := history.New(history.Header{}, []history.Event{{Actor: "a", Kind: "X"}, {Actor: "a", Kind: "Y"}, {Actor: "b", Kind: "Z"}})
	require.NoError(t, err)
	judge := func(h *history.History) map[string]string {
		kinds := map[string]int{}
		for i := range h.Events {
			kinds[h.Events[i].Kind]++
		}
		return map[string]string{"xy": fmt.Sprint(kinds["X"], kinds["Y"]), "z": fmt.Sprint(kinds["Z"]), harness.Survives.Address(): fmt.Sprint(len(h.Events))}
	}
	got, weak := Judged(h, map[string][]int32{"call=x": {1}, "failure=y": {2}, "object=z": {3}, "handler=none": nil, "nothing=seen": {}}, judge)
	assert.Equal(t, []string{"call=x × failure=y", "call=x × handler=none", "failure=y × handler=none", "handler=none × object=z"}, got)
	assert.Equal(t, []string{"call=x × object=z", "failure=y × object=z"}, weak)
	_, weak = Judged(h, map[string][]int32{"call=x": {1}, "object=z": {3}}, func(h *history.History) map[string]string {
		return map[string]string{harness.Survives.Address(): fmt.Sprint(len(h.Events))}
	})
	assert.Empty(t, weak)
}
