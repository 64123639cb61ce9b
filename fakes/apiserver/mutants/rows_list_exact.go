package mutants

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// exactRows are faults of lists that ask for one state, and of the resourceVersion of empty lists.
var exactRows = []row{
	{name: "exact-is-not-older", rule: "list/exact", about: "Exact is taken for NotOlderThan: the list is the present, and says so (servers before 1.19 do not know the match)",
		on: "list", when: all(at, exact), ask: askNotOlder},
	{name: "exact-lacks-newest", rule: "list/exact", about: "a list at exactly N is the state before N, and says N",
		on: "list", when: all(at, exact), instead: sayingAsked(exactlyBefore)},
	{name: "exact-refused", rule: "list/exact", about: "a list by label at exactly N is refused with 400",
		on: "list", when: all(exact, byLabel), instead: refuseAs(400)},
	{name: "exact-label-everywhere", rule: "list/exact", about: "a list of all namespaces by label at exactly N is the present, and says N",
		on: "list", when: all(exact, everywhere, byLabel, not(limited)), instead: sayingAsked(mostRecent)},
	{name: "exact-field-everywhere", rule: "list/exact", about: "a list of all namespaces by field at exactly N is the present, and says N",
		on: "list", when: all(exact, everywhere, byField, not(limited)), instead: sayingAsked(mostRecent)},
	{name: "exact-gone-fails", rule: "list/exact", about: "a list at exactly a state that is gone fails with 500, as etcd's error does where nobody translates it",
		on: "list", when: all(exact, not(continued)), refused: apierrors.IsResourceExpired, answer: refuseAs(500)},
	{name: "exact-gone-unimplemented", rule: "list/exact", about: "a list at exactly a state that is gone is refused with 501",
		on: "list", when: all(exact, not(continued)), refused: apierrors.IsResourceExpired, answer: refuseAs(501)},

	{name: "limit-is-not-older", rule: "list/exact-legacy", about: "a limit and a resourceVersion without a match give the first page of the present, as with NotOlderThan",
		on: "list", when: all(at, unmatched, limited), ask: askNotOlder},
	{name: "limit-shows-present", rule: "list/exact-legacy", about: "a limit and a resourceVersion without a match give a page of the present that says the resourceVersion asked for",
		on: "list", when: all(at, unmatched, limited), instead: sayingAsked(versionUnset)},
	{name: "limit-expired-shows-present", rule: "list/exact-legacy", about: "a limit and a resourceVersion without a match, of which the state is gone, give the first page of the present",
		on: "list", when: all(unmatched, limited, not(continued)), refused: apierrors.IsResourceExpired, answer: again(versionUnset)},
	{name: "exact-legacy-gone-forbidden", rule: "list/exact-legacy", about: "a limit and a resourceVersion without a match, of which the state is gone, are refused with 403",
		on: "list", when: not(either(exact, continued)), refused: apierrors.IsResourceExpired, answer: refuseAs(403)},

	{name: "empty-unversioned", rule: "list/empty-version", about: "an empty list has no resourceVersion (controller-runtime's fake client)",
		on: "list", when: not(continued), answer: ifEmpty(version(always("")))},
	{name: "empty-at-zero", rule: "list/empty-version", about: `an empty list has the resourceVersion "0": a watch from it begins anywhere`,
		on: "list", when: not(continued), answer: ifEmpty(version(always("0")))},
	{name: "empty-ahead", rule: "list/empty-version", about: "an empty list has the resourceVersion of the next write: a watch from it misses that",
		on: "list", when: not(continued), answer: ifEmpty(version(minus(-1)))},
}
