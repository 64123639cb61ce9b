package history

import "slices"

// Only returns the history without the events that keep refuses, and the number that each event of it has in h. What belongs to a call
// that is left out is left out, too. Steps are left out: no rule reads them.
func (h *History) Only(keep func(num int32) bool) (*History, []int32, error) {
	var events []Event
	nums, now := []int32{}, make([]int32, len(h.Events)+1)
	for i := range h.Events {
		e := h.Events[i] // a copy: New numbers it
		if !keep(e.Num) || e.Call != 0 && now[e.Call] == 0 {
			continue
		}
		if e.X != nil && e.X.Items != nil {
			x := *e.X
			x.Items = slices.Clone(x.Items)
			e.X = &x
		}
		nums = append(nums, e.Num)
		now[e.Num], e.Call = int32(len(nums)), now[e.Call]
		events = append(events, e)
	}
	out, err := New(h.Header, events)
	if err != nil {
		return nil, nil, err
	}
	out.Truncated = h.Truncated
	return out, nums, nil
}
