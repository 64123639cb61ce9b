package replay_test

import (
	"fmt"
	"testing"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
)

func TestDump(t *testing.T) {
	h, _ := model.New(model.Options{Ops: 80, Writers: 3, Watchers: 4, Listers: 2, Names: 2, ByOrder: true, Seed: 3})
	r := replay.Of(h)
	for k := range int32(h.Keys()) {
		if h.Key(k) != "a/x0" {
			for _, e := range h.By("w3") {
				fmt.Println(e.Num, h.Describe(&e), e.Obj.Body, r.VersionOf(&e))
			}
			
		}
		for _, i := range r.OfKey(k) {
			v := r.Versions[i]
			rv := func(n int32) string {
				if int(n) < h.Ranks() {
					return h.RV(n)
				}
				return fmt.Sprint(n)
			}
			fmt.Println(i, rv(v.N), "prev", v.Prev, "gone", v.Gone, "call", v.Call, "by", v.By, "seen", v.Seen, "sure", v.Sure, "after", rv(v.After), "before", rv(v.Before), "hazy", v.Hazy)
		}
	}
}
