package replay

// groups are indices of writes, by key.
type groups struct{ start, all []int32 }

func (g *groups) of(k int32) []int32 { return g.all[g.start[k]:g.start[k+1]] }

// has says whether there are any of a key.
func (g *groups) has(k int32) bool { return len(g.of(k)) > 0 }

// group gathers writes by their sort, and by key; those of a sort below 0 are left out.
func group(keys, sorts int, writes []Write, sort func(*Write) int) []groups {
	out := make([]groups, sorts)
	for s := range out {
		out[s].start = make([]int32, keys+2)
	}
	for i := range writes { // counts, two places ahead
		if s := sort(&writes[i]); s >= 0 {
			out[s].start[writes[i].K+2]++
		}
	}
	for s := range out {
		g := &out[s]
		for k := range keys {
			g.start[k+2] += g.start[k+1]
		}
		g.all = make([]int32, g.start[keys+1])
	}
	for i := range writes {
		if s := sort(&writes[i]); s >= 0 {
			at := &out[s].start[writes[i].K+1]
			out[s].all[*at] = int32(i)
			*at++
		}
	}
	return out
}
