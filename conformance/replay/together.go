package replay

import "sync"

// together runs f and g at the same time, and returns when both have. What g
// panics with, the caller does.
func together(f, g func()) {
	var wg sync.WaitGroup
	var panicked any
	wg.Go(func() {
		defer func() { panicked = recover() }()
		g()
	})
	defer func() {
		wg.Wait()
		if panicked != nil {
			panic(panicked)
		}
	}()
	f()
}
