package mutants

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// getRows are faults of gets.
var getRows = []row{
	{name: "get-behind", rule: "get/most-recent", about: "a get with resourceVersion unset is answered from a cache that is one write behind",
		on: "get", when: unset, instead: behind(1)},
	{name: "get-not-found-yet", rule: "get/most-recent", about: "a get does not find what the last write has created",
		on: "get", when: all(unset, isNew(1)), instead: refuseNotFound},
	{name: "get-finds-deleted", rule: "get/most-recent", about: "a get still finds what the last write has deleted",
		on: "get", refused: apierrors.IsNotFound, answer: found(1)},
	{name: "get-older-than-asked", rule: "get/not-older-than", about: "a get with a resourceVersion is answered from whatever the cache has: the state before the last two writes",
		on: "get", when: not(unset), instead: behind(2)},
	{name: "get-at-version-not-found", rule: "get/not-older-than", about: "a get with a resourceVersion does not find what the last write has created",
		on: "get", when: all(not(unset), isNew(1)), instead: refuseNotFound},
	{name: "get-at-version-finds-deleted", rule: "get/not-older-than", about: "a get with a resourceVersion still finds what was deleted before it",
		on: "get", when: not(unset), refused: apierrors.IsNotFound, answer: found(2)},
	{name: "get-future-answered", rule: "get/future", about: "a get with a resourceVersion that is not there yet is answered with what there is",
		on: "get", refused: apierrors.IsTimeout, answer: again(mostRecent)},
	{name: "get-future-expired", rule: "get/future", about: "a get with a resourceVersion that is not there yet is refused as if that were gone",
		on: "get", refused: apierrors.IsTimeout, answer: refuse(gone)},
	{name: "bad-version-got", rule: "list/bad-version", about: "a get with a resourceVersion that cannot be read is the most recent one",
		on: "get", when: not(unset), refused: anyError, answer: again(mostRecent)},
}

// isNew reports whether the object of a get was not there so many revisions ago.
func isNew(revisions int64) func(*call) bool {
	return func(c *call) bool { return c.ago(revisions) == nil }
}

// found answers with the object of so many revisions ago, where it was there.
func found(revisions int64) func(*call) {
	return func(c *call) {
		if old := c.ago(revisions); old != nil {
			c.got, c.err = old, nil
		}
	}
}
