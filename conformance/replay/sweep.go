package replay

// Sweep gives states in order of their ranks, each at about the price of a
// look at the key: who compares many lists with the state need not search each
// key's versions anew. It is not for concurrent use.
type Sweep struct {
	r            *Replay
	n            int32
	next, unseen int     // versions, and deletions that were never shown, that lie after n
	behind       []int32 // by key: how many of its versions lie at or before n
}

// Sweep begins before all versions.
func (r *Replay) Sweep() *Sweep {
	return &Sweep{r: r, unseen: r.firstUnseen, behind: make([]int32, r.H.Keys())}
}

// To goes on to rank n, if that lies ahead.
func (s *Sweep) To(n int32) {
	s.n = max(s.n, n)
	s.next = s.pass(s.next, s.r.firstUnseen)
	s.unseen = s.pass(s.unseen, len(s.r.Versions))
}

func (s *Sweep) pass(i, end int) int {
	for ; i < end && s.r.Versions[i].Before <= s.n; i++ {
		s.behind[s.r.Versions[i].K]++
	}
	return i
}

// StateAt is the state of a key at rank n; what lies behind has to be searched.
func (s *Sweep) StateAt(k, n int32) State {
	if n != s.n {
		return s.r.StateAt(k, n)
	}
	return s.r.state(k, n, true, int(s.behind[k]))
}
