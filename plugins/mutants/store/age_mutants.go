package store

import (
	"fmt"
	"slices"
	"time"

	conformance "github.com/lwtest/lwtest/conformance/store"
)

// ageMutants are maps that go wrong about what has expired and has not been read since, with one fault each.
var ageMutants = []variant{
	{"ttl-of-replaced-one", "expire/ttl", "a Replace by one object does not make it young", expiring, inMemory(func(m *memory) {
		m.renew = func(l []object) bool { return len(l) > 1 }
	})},
	{"version-of-lists-alone", "version/told", "the version of an expiring store moves with Replace and bookmarks alone", expiring, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			rv, _ := f.version()
			defer func() { _ = f.bookmark(rv) }()
			return apply(c)
		}
	})},
	{"ttl-of-same", "expire/ttl", "an Add of the very state that is there does not make it young", expiring, inFuncs(func(f *funcs) {
		f.apply = unless(f, func(c change, there *object) bool {
			return c.Verb != conformance.Delete && there != nil && there.Body == c.Object.Body
		})
	})},
	{"ttl-of-same-list", "expire/ttl", "a Replace by the very list that is there does not make it young", expiring, inMemory(func(m *memory) {
		last := ""
		m.renew = func(l []object) bool { was := last; last = fmt.Sprint(l); return was != last }
	})},
	{"ttl-longer", "expire/ttl", "entries expire when they are a fifth older than the TTL", expiring, inMemory(expiringAt(6))},
	{"ttl-shorter", "expire/ttl", "entries expire a fifth too early", expiring, inMemory(expiringAt(4))},
	{"ttl-of-lists", "expire/ttl", "what a Replace puts there is a fifth of the TTL old", expiring, inMemory(func(m *memory) {
		m.listed = func() time.Time { return time.Now().Add(-m.o.TTL / 5) }
	})},
	{"list-until-expired", "expire/ttl", "List ends at the first entry that has expired", expiring, inFuncs(func(f *funcs) {
		f.list = func() (out []object, err error) {
			keys, err := f.listKeys()
			for _, key := range keys {
				o, _ := f.getByKey(key)
				if o == nil {
					break
				}
				out = append(out, *o)
			}
			return out, err
		}
	})},
	{"list-none-expired", "expire/ttl", "List gives nothing where an entry has expired", expiring, inFuncs(func(f *funcs) {
		list := f.list
		f.list = func() ([]object, error) {
			l, err := list()
			if keys, _ := f.listKeys(); len(keys) > len(l) {
				return nil, err
			}
			return l, err
		}
	})},
	{"add-over-expired", "basic/add", "an Add over an entry that has expired only takes it away", expiring, inFuncs(func(f *funcs) { f.overExpired(conformance.Add) })},
	{"update-over-expired", "basic/update", "an Update over an entry that has expired only takes it away", expiring, inFuncs(func(f *funcs) { f.overExpired(conformance.Update) })},
	{"delete-over-expired", "basic/delete", "a Delete of an entry that has expired leaves its key", expiring, inFuncs(func(f *funcs) {
		apply := f.apply
		f.apply = func(c change) error {
			if c.Verb == conformance.Delete && f.expired(c.Object) {
				return nil
			}
			return apply(c)
		}
	})},
	{"replace-over-expired", "replace/exact", "what a Replace gives of an entry that has expired is left out", expiring, inFuncs(func(f *funcs) {
		replace := f.replace
		f.replace = func(l []object, rv string) error {
			return replace(slices.DeleteFunc(slices.Clone(l), f.expired), rv)
		}
	})},
}

// expiringAt has entries expire at so many fifths of the TTL.
func expiringAt(fifths time.Duration) func(*memory) {
	return func(m *memory) {
		m.expired = func(e entry) bool { return m.o.TTL > 0 && time.Since(e.at) > m.o.TTL/5*fifths }
	}
}

// expired says that there is an entry of an object's key, and that it has expired.
func (f *funcs) expired(o object) bool {
	keys, _ := f.listKeys()
	there, _ := f.getByKey(o.Key())
	return there == nil && slices.Contains(keys, o.Key())
}

// overExpired has a verb take away what it would put over an entry that has expired.
func (f *funcs) overExpired(v conformance.Verb) {
	apply := f.apply
	f.apply = func(c change) error {
		if c.Verb == v && f.expired(c.Object) {
			c.Verb = conformance.Delete
		}
		return apply(c)
	}
}
