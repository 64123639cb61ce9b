package watchcache_test

import (
	"testing"

	"github.com/lwtest/lwtest/conformance/replay"
	"github.com/lwtest/lwtest/conformance/replay/handmade/model"
)

func TestDbg(t *testing.T) {
	o := worlds["lost answers"]
	o.Seed = 39
	h, _ := model.New(o)
	r := replay.Of(h)
	k, _ := h.KeyOf("ab/x1")
	for _, i := range r.OfKey(k) {
		v := r.Versions[i]
		t.Logf("%d: N=%d rv=%s call=%d by=%d seen=%d gone=%v after=%d before=%d sure=%v hazy=%v", i, v.N, h.RV(v.N), v.Call, v.By, v.Seen, v.Gone, v.After, v.Before, v.Sure, v.Hazy)
	}
	for i := range r.Writes {
		w := &r.Writes[i]
		if w.K == k {
			t.Logf("%s call %d ret %d outcome %d version %d moments %+v", w.Verb(), w.Call, w.Return, w.Outcome, w.Version, r.Moments(w))
		}
	}
}
