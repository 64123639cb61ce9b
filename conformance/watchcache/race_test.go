//go:build race

package watchcache_test

const raceEnabled = true
