// Package nth counts what a fault may strike, and decides which of it the fault strikes.
package nth

import (
	"errors"
	"math/rand/v2"
)

// Count is how much a fault has met, and how much of that it has struck. Whoever uses it holds a lock.
type Count struct{ Seen, Struck int }

// Strikes counts one more, and reports whether it is struck: the nth and those after it (0: the first), times of them (0: one if nth is set, else
// all), each with a probability, where one is given.
func (c *Count) Strikes(nth, times int, probability *float64, r *rand.Rand) bool {
	c.Seen++
	if times == 0 && nth > 0 {
		times = 1
	}
	if c.Seen < nth || times > 0 && c.Struck >= times || probability != nil && r.Float64() >= *probability {
		return false
	}
	c.Struck++
	return true
}

// Check returns an error for numbers that choose nothing.
func Check(nth, times int, probability *float64) error {
	switch {
	case nth < 0:
		return errors.New("nth: requests and events count from 1")
	case times < 0:
		return errors.New("times: say how often it strikes, or leave it out")
	case probability != nil && (*probability <= 0 || *probability > 1):
		return errors.New("probability: say more than 0 and at most 1")
	}
	return nil
}
