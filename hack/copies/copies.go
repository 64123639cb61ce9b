// Package copies gives copies of other projects' modules a place in the cache, so that the compiler's cache is of use for the next run.
package copies

import (
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// Place returns an empty place below a folder of the cache (LWTEST_CACHE, or the user's), which no other process uses until unlock.
func Place(folder, name string) (dir string, unlock func(), err error) {
	cache := os.Getenv("LWTEST_CACHE")
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", nil, err
		}
		cache = filepath.Join(cache, "lwtest")
	}
	dir = filepath.Join(cache, folder, name)
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", nil, err
	}
	lock := flock.New(dir + ".lock")
	if err := lock.Lock(); err != nil {
		return "", nil, err
	}
	return dir, func() { _ = lock.Unlock() }, os.RemoveAll(dir)
}
