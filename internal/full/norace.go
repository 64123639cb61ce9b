//go:build !race

package full

// Race reports whether the race detector is on.
const Race = false
