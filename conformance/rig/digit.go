package rig

import "strconv"

// LeapToDigit is by how much a Reviser is to leap, after the write of a resourceVersion, for the write after the next to have
// the last one of so many digits: the one that follows has a digit more, and as a text is smaller. 0: it is no number.
func LeapToDigit(rv string) uint64 {
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil {
		return 0
	}
	longer := uint64(10)
	for longer <= n+2 {
		longer *= 10
	}
	return longer - 1 - (n + 2)
}
