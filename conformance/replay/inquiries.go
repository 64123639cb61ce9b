package replay

import "github.com/lwtest/lwtest/harness/history"

// inquiry is a list or a watch: its call, the return if there is one, and what a watch brought.
type inquiry struct {
	call, answer int32
	shown        []Shown
	args         Args
	scope        Scope
	selects      bool  // objects can leave it
	err          error // neither can be read
}

// collectInquiries lists the lists and watches, and what watches brought. Of the
// builder it touches only asked, and the places of their calls in nth.
func (b *builder) collectInquiries() {
	for i := 0; i < len(b.briefs); i += sample { // how many events of a sample each watch has brought
		if e := &b.briefs[i]; e.Phase == history.Notice && b.isInquiry(e.Call) {
			b.nth[e.Call]++
		}
	}
	for i := range b.briefs {
		e, num := &b.briefs[i], int32(i+1)
		switch k := b.kinds[e.Kind]; {
		case e.Phase == history.Notice:
			if b.isInquiry(e.Call) {
				a := &b.asked[b.nth[e.Call]]
				a.shown = append(a.shown, Shown{num, e.K, e.N, None, k})
			}
		case k != kindList && k != kindWatch:
		case e.Phase == history.Call:
			a := inquiry{call: num, shown: make([]Shown, 0, room(int(b.nth[num])))}
			a.args, a.scope, a.err = request(b.H.Event(num))
			a.selects = a.err == nil && (!a.scope.Labels.Empty() || !a.scope.onlyName())
			b.nth[num], b.asked = int32(len(b.asked)), append(b.asked, a)
		default:
			b.asked[b.nth[e.Call]].answer = num
		}
	}
}

// isInquiry says whether the event with this number is the call of a list or a watch; 0 is none.
func (b *builder) isInquiry(num int32) bool {
	if num == 0 {
		return false
	}
	k := b.kinds[b.briefs[num-1].Kind]
	return k == kindWatch || k == kindList
}

// leaves says whether a notice is of a watch whose selectors an object can leave.
func (b *builder) leaves(num int32) bool {
	call := b.briefs[num-1].Call
	return b.isInquiry(call) && b.asked[b.nth[call]].selects
}
