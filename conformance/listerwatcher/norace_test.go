//go:build !race

package listerwatcher_test

const raceEnabled = false
