package replay

// StateAfter is the state of a key somewhere after rank n and before the next.
func (r *Replay) StateAfter(k, n int32) State { return r.stateAt(k, n, false) }
