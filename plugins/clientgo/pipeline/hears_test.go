package pipeline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What does not follow from what was written, one thing each.
func TestHears(t *testing.T) {
	one, two, again := state{"u1", "1"}, state{"u1", "2"}, state{"u2", "4"}
	states := []state{one, two, {}, again} // made, changed, deleted and made anew
	never := known{at: -1, gone: true}
	for name, c := range map[string]struct {
		was  known
		h    call
		want string // part of it; "": all follows
	}{
		"its add":                           {never, call{how: added, state: one}, ""},
		"an add of a later state":           {never, call{how: added, state: two}, ""},
		"an update":                         {known{0, one, false}, call{how: updated, old: one, state: two}, ""},
		"a resync":                          {known{1, two, false}, call{how: updated, old: two, state: two}, ""},
		"a delete":                          {known{1, two, false}, call{how: deleted, state: two}, ""},
		"a delete with the state of before": {known{1, two, false}, call{how: deleted, state: one}, "after what came later"},
		"an add after the delete":           {known{2, two, true}, call{how: added, state: again}, ""},
		"nobody has written it":             {never, call{how: added, state: state{"u1", "9"}}, "nobody has written"},
		"an older one":                      {known{1, two, false}, call{how: updated, old: two, state: one}, "after what came later"},
		"an update of what is not there":    {never, call{how: updated, old: one, state: two}, "what was told before"},
		"an add of what is there":           {known{0, one, false}, call{how: added, state: two}, "what was told before"},
		"the new state as the old":          {known{0, one, false}, call{how: updated, old: two, state: two}, "the old one is"},
		"a delete of what is there":         {known{3, again, false}, call{how: deleted, state: again}, "it is not deleted"},
		"an add after a delete, of before":  {known{2, two, true}, call{how: added, state: two}, "after what came later"},
	} {
		_, wrong := c.was.hears(c.h, states)
		if c.want == "" {
			assert.Empty(t, wrong, name)
		} else {
			assert.Contains(t, wrong, c.want, name)
		}
	}
}
