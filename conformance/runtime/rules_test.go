package runtime

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

// judged is a history by hand, and what a rule says of it: it is good, or bad if got says what is wrong.
type judged struct {
	name, history string
	want, got     string // a part of what the first finding says
	untested      bool   // the history says nothing of the rule
	also          string // other rules that it is bad for
}

// tables has the histories of each rule, by the section of the contract.
var tables = []map[string][]judged{sandboxHistories, containerHistories, lifeHistories, stopHistories, answerHistories, removeHistories, execHistories, resourceHistories, listHistories, eventHistories, logHistories, restartHistories, infoHistories, traceHistories}

// A rule says of its histories what they are. No history is bad for another rule, but for those that it names.
func TestRules(t *testing.T) {
	good, bad := map[string]int{}, map[string]int{}
	for _, table := range tables {
		for _, address := range slices.Sorted(maps.Keys(table)) {
			for _, c := range table[address] {
				t.Run(address+"/"+c.name, func(t *testing.T) { c.judge(t, address) })
				switch {
				case c.got != "":
					bad[address]++
				case !c.untested:
					good[address]++
				}
			}
		}
	}
	checkAll(t, good, bad)
}

func checkAll(t *testing.T, good, bad map[string]int) {
	for _, r := range Suite.Rules {
		assert.Positive(t, good[r.Address()], "%s has no good history", r.Address())
		assert.Positive(t, bad[r.Address()], "%s has no bad history", r.Address())
	}
}

func (c judged) judge(t *testing.T, address string) {
	h, b := historyOf(t, c.history)
	found := false
	for _, r := range Suite.Rules {
		j := r.Judge(h)
		if r.Address() == address {
			found = true
			c.matches(t, j, b)
		} else if also := slices.Contains(strings.Fields(c.also), r.Address()); also != (len(j.Bad) > 0) {
			t.Errorf("%s: it is named: %t, it finds: %s", r.Address(), also, findings(j, b))
		}
	}
	assert.True(t, found, "there is no rule %s", address)
}

func (c judged) matches(t *testing.T, j harness.Judgement, b *handmade) {
	if c.got == "" {
		assert.Empty(t, j.Bad, findings(j, b))
		assert.Equal(t, !c.untested, j.Tested > 0, "tested %d times", j.Tested)
		return
	}
	if !assert.NotEmpty(t, j.Bad, "it is taken for good (tested %d times)", j.Tested) {
		return
	}
	assert.Contains(t, j.Bad[0].Want, c.want)
	assert.Contains(t, j.Bad[0].Got, c.got)
	var at []int
	for _, f := range j.Bad {
		at = append(at, b.linesOf(f)...)
	}
	slices.Sort(at)
	assert.Equal(t, slices.Compact(b.marked), slices.Compact(at), "the lines that it points at: %s", findings(j, b))
}

// linesOf are the lines of the events that a finding points at.
func (b *handmade) linesOf(f harness.Finding) (at []int) {
	for _, num := range f.At {
		at = append(at, b.line[num-1])
	}
	return at
}

func findings(j harness.Judgement, b *handmade) string {
	var out strings.Builder
	for _, f := range j.Bad {
		fmt.Fprintf(&out, "\nwant %s, got %s, at", f.Want, f.Got)
		for _, line := range b.linesOf(f) {
			fmt.Fprintf(&out, "\n  %d %s", line, b.lines[line-1])
		}
	}
	return out.String()
}
