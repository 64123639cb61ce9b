package informer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
)

// judged is a history by hand, and what a rule says of it.
type judged struct {
	name, history string
	tested        int
	bad           int    // findings; 0: none
	want, got     string // a part of what the first says
	undecided     string // a part of the reason
	also          string // other rules that it is bad for
}

// judge has a rule judge each history, and all others, too: a history is good for them, but for those that it names.
func judge(t *testing.T, address string, cases []judged) {
	t.Helper()
	good, bad, untested := 0, 0, 0
	for _, c := range cases {
		t.Run(address+"/"+c.name, func(t *testing.T) {
			found := false
			h, p := historyOf(t, c.history)
			for _, r := range Suite.Rules {
				j := r.Judge(h)
				if r.Address() == address {
					found = true
					c.matches(t, j, p)
					continue
				}
				if named := slices.Contains(strings.Fields(c.also), r.Address()); named != (len(j.Bad) > 0) {
					t.Errorf("%s: it is named: %v, it finds: %s", r.Address(), named, findings(j, p))
				}
			}
			require.True(t, found, address)
		})
		switch {
		case c.bad > 0:
			bad++
		case c.tested == 0:
			untested++
		default:
			good++
		}
	}
	assert.Positive(t, good, "%s has no good history", address)
	assert.Positive(t, bad, "%s has no bad history", address)
	assert.Positive(t, untested, "%s has none that says nothing", address)
}

func (c judged) matches(t *testing.T, j harness.Judgement, p *handmade) {
	assert.Equal(t, c.tested, j.Tested, "tested")
	assert.Contains(t, j.Undecided, c.undecided)
	assert.Equal(t, c.undecided == "", j.Undecided == "", j.Undecided)
	if !assert.Len(t, j.Bad, c.bad, findings(j, p)) || c.bad == 0 {
		return
	}
	assert.Contains(t, j.Bad[0].Want, c.want)
	assert.NotEmpty(t, c.got)
	assert.Contains(t, j.Bad[0].Got, c.got)
	assert.Equal(t, p.marked, p.pointedAt(j), "the lines that it points at: %s", findings(j, p))
}

// pointedAt are the lines of the events that findings name.
func (p *handmade) pointedAt(j harness.Judgement) []int {
	var out []int
	for _, f := range j.Bad {
		for _, num := range f.At {
			out = append(out, p.lines[num-1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func findings(j harness.Judgement, p *handmade) string {
	var b strings.Builder
	for _, f := range j.Bad {
		var at []int
		for _, num := range f.At {
			at = append(at, p.lines[num-1])
		}
		fmt.Fprintf(&b, "\nwant %s, got %s, at lines %d", f.Want, f.Got, at)
	}
	return b.String()
}

var tables = merged(requestHistories, syncHistories, convergeHistories, resumeHistories, paceHistories, pagesHistories, notifyHistories, handlerHistories, storeHistories, stopHistories,
	streamHistories, handlerSyncedHistories, deletesHistories, completeHistories, expiredHistories, resyncHistories, contentHistories, togetherHistories, consistentHistories, tooLargeHistories, fallbackHistories, pollsHistories, everywhereHistories, overlapHistories, openWatchesHistories, versionHistories, errorHistories, restartHistories, randomHistories, silenceHistories)

func merged(all ...map[string][]judged) map[string][]judged {
	out := map[string][]judged{}
	for _, m := range all {
		for address, cases := range m {
			out[address] = append(out[address], cases...)
		}
	}
	return out
}

func TestEachRuleHasHistories(t *testing.T) {
	for _, r := range Suite.Rules {
		assert.NotEmpty(t, tables[r.Address()], r.Address())
	}
}

func TestRules(t *testing.T) {
	for address, cases := range tables {
		judge(t, address, cases)
	}
}
