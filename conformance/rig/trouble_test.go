package rig

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The last request of a namespace says whether something still goes wrong there.
func TestTrouble(t *testing.T) {
	asked, answered, clean := Entry{What: Asked}, Entry{What: Answered, Code: 200}, Entry{What: Over, How: "clean"}
	for _, c := range []struct {
		name, kind string
		entries    []Entry
		why        string
	}{
		{"it goes well", List, []Entry{asked, answered, clean}, ""},
		{"it is refused", List, []Entry{asked, {What: Answered, Code: 500}, clean}, "a LIST was refused"},
		{"its body breaks off", List, []Entry{asked, answered, {What: Over, How: "broken"}}, "a LIST broke off"},
		{"a fault strikes before its body breaks off", List, []Entry{asked, {What: Struck, Fault: "f0", Does: "reset body"}, answered, {What: Over, How: "broken"}}, "a LIST broke off"},
		{"a watch ends well", Watch, []Entry{asked, answered, clean}, ""},
		{"a watch breaks off", Watch, []Entry{asked, answered, {What: Over, How: "broken"}}, "a WATCH broke off"},
		{"another watch goes well", Watch, []Entry{asked, answered, {What: Over, How: "broken"}, asked, answered}, ""},
		{"the client ends it", Watch, []Entry{asked, answered, {What: Over, How: "stopped"}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := trouble{last: map[string]mishap{}, waiting: map[int64]string{}, hung: map[int64]string{}, watches: map[int64]bool{}}
			for _, e := range c.entries {
				all.note(e, c.kind, "default")
			}
			assert.Equal(t, c.why, all.last["default"].why)
			assert.Empty(t, all.waiting)
		})
	}
}
