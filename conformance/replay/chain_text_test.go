package replay_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/harness/history"
)

// keyOf is the number of a key, 0 if the history has none.
func keyOf(h *history.History, key string) int32 {
	for k := range int32(h.Keys()) {
		if h.Key(k) == key {
			return k
		}
	}
	return 0
}

// chain is what the replay knows of a key, in order: @2 a change, -@3 a
// deletion, -(3,5) one that was never shown, between 3 and 5. After it a ? where
// no acknowledged write tells of it, and a ~ where a lost write may have come before.
func chain(r *replay.Replay, key string) string {
	var out []string
	for _, i := range r.OfKey(keyOf(r.H, key)) {
		v := &r.Versions[i]
		s := ""
		if v.Gone {
			s = "-"
		}
		switch {
		case !v.Unseen() && r.ByOrder:
			s += fmt.Sprint(v.N)
		case !v.Unseen():
			s += "@" + r.H.RV(v.N)
		case v.Before == math.MaxInt32:
			s += fmt.Sprintf("(%s,)", r.H.RV(v.After))
		default:
			s += fmt.Sprintf("(%s,%s)", r.H.RV(v.After), r.H.RV(v.Before))
		}
		if !v.Sure {
			s += "?"
		}
		if v.Hazy {
			s += "~"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}
