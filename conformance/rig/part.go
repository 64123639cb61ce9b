package rig

import (
	"reflect"

	"github.com/lwtest/lwtest/harness"
)

// Part is the part of a server that a feature is of. Where the server declares the feature and has no such part the case
// is given up, with a sentence that says so; a check of a server that declares none is skipped.
func Part[P any](t *harness.T, s Server, f harness.Feature) (p P, ok bool) {
	if p, ok = s.(P); !ok || !t.Has(f) {
		t.GiveUp("the server that the client is given does not have what %s is: declare no %s, or let it be a %s", f, f, reflect.TypeFor[P]())
		return p, false
	}
	return p, true
}
