package mutants

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
)

// togetherRows are faults of what the pages of a list are together.
var togetherRows = []row{
	{name: "pages-move-on", rule: "list/pages", about: "each page but the first is of the present, and says so",
		on: "list", when: continued, answer: again(continueLatest)},
	{name: "page-backwards", rule: "list/pages", about: "the items of a page come in no order (a map of them)",
		on: "list", when: either(limited, continued), answer: listed(func(all []runtime.Object) []runtime.Object {
			slices.Reverse(all)
			return all
		})},
	{name: "page-skips-first", rule: "list/pages", about: "a page but the first lacks its first item (a token that names the next key, of which the page begins behind)",
		on: "list", when: continued, answer: listed(withoutFirst)},
	{name: "page-over-limit", rule: "list/page-size", about: "a page has one item more than its limit",
		on: "list", when: limited, ask: func(c *call) { c.list.Limit++ }},
	{name: "second-page-unlimited", rule: "list/page-size", about: "the second page has all the rest, whatever its limit",
		on: "list", when: continued, ask: unlimited},
	{name: "limit-before-selector", rule: "list/pages-with-selector", about: "a limit counts what the selector drops, and what comes behind is lost (kubernetes#110652)",
		on: "list", when: selected, answer: ifMore(listed(ofSeveral(withoutLast)))},
	{name: "pages-drop-selector", rule: "list/pages-with-selector", about: "from the second page on the selector is forgotten",
		on: "list", when: continued, ask: anySelector},
	{name: "rest-lacks-last", rule: "list/pages-with-selector", about: "a continue token with a label selector and without a limit gives all of the rest but the last",
		on: "list", when: all(continued, not(limited), byLabel), answer: listed(withoutLast)},
}

// remainingRows are faults of remainingItemCount.
var remainingRows = []row{
	{name: "remaining-counts-page", rule: "list/remaining", about: "remainingItemCount counts the page itself, too",
		on: "list", answer: remainingMore(func(c *call) int { return len(items(c.got)) })},
	{name: "remaining-of-first-page", rule: "list/remaining", about: "remainingItemCount is right on the first page alone: later ones say one too many",
		on: "list", when: continued, answer: remainingMore(byOne)},
	{name: "remaining-at-version", rule: "list/remaining", about: "remainingItemCount is one too many on the first page of a list with a resourceVersion",
		on: "list", when: either(at, zero), answer: remainingMore(byOne)},
	{name: "remaining-with-selector", rule: "list/remaining-absent", about: "a page with a selector has a remainingItemCount",
		on: "list", when: selected, answer: ifMore(remainingIs(1))},
	{name: "remaining-at-end", rule: "list/remaining-absent", about: "the last page has a remainingItemCount of 0",
		on: "list", when: continued, answer: ifLast(remainingIs(0))},
	{name: "remaining-without-limit", rule: "list/remaining-absent", about: "a list that is whole has a remainingItemCount of 0",
		on: "list", when: not(continued), answer: ifLast(remainingIs(0))},
}

// remainingIs sets a remainingItemCount, remainingMore adds to it where there is one.
func remainingIs(n int64) func(*call) {
	return func(c *call) { listOf(c.got).SetRemainingItemCount(&n) }
}

func remainingMore(n func(*call) int) func(*call) {
	return func(c *call) {
		if left := listOf(c.got).GetRemainingItemCount(); left != nil {
			remainingIs(*left + int64(n(c)))(c)
		}
	}
}

func byOne(*call) int { return 1 }

// expiredTokenRows are faults of what comes after a continue token has expired.
var expiredTokenRows = []row{
	{name: "expired-token-unoffered", rule: "list/continue-expired", about: "the 410 for an expired token offers none to go on with (kube-apiserver before 1.12)",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: offers(func(string, string) string { return "" })},
	{name: "expired-token-again", rule: "list/continue-expired", about: "the 410 for an expired token offers the same token again",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: offers(func(expired, _ string) string { return expired })},
	{name: "expired-token-restarts", rule: "list/continue-expired", about: "the token that the 410 offers begins the list anew",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: offers(func(_, offered string) string { return atKey(offered, " ") })},
	{name: "expired-token-skips", rule: "list/continue-expired", about: "the token that the 410 offers goes on some keys later",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: offers(func(_, offered string) string { return atKey(offered, "p05") })},
	{name: "expired-served-short", rule: "list/continue-expired", about: "an expired token ends the list, in place of a 410",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: again(nothingAtAll)},
	{name: "continue-put-off", rule: "list/continue-expired", about: "an expired token is answered with 504, for ever",
		on: "list", when: continued, refused: apierrors.IsResourceExpired, answer: refuseAs(504)},
	{name: "expired-pages-move-on", rule: "list/continue-expired", about: "each page after an expired token is of the present: they do not keep the newer resourceVersion",
		on: "list", when: onOffered, answer: ifMore(func(c *call) { listOf(c.got).SetContinue(atPresent(listOf(c.got).GetContinue())) })},
	{name: "expired-token-forgets-field", rule: "list/scope", about: "the token that the 410 offers goes on with what the field selector does not select",
		on: "list", when: onOffered, ask: anyField},
	{name: "expired-token-forgets-label", rule: "list/scope", about: "the token that the 410 offers goes on with what the label selector does not select",
		on: "list", when: onOffered, ask: anyLabel},
	{name: "rest-forgets-label", rule: "list/scope", about: "a continue token without a limit gives the rest whatever its labels",
		on: "list", when: all(continued, not(limited)), ask: anyLabel},
}

// offers changes the token that a 410 offers.
func offers(f func(expired, offered string) string) func(*call) {
	return func(c *call) {
		if s := new(apierrors.StatusError); errors.As(c.err, &s) {
			s.ErrStatus.Continue = f(c.list.Continue, s.ErrStatus.Continue)
		}
	}
}

// onOffered reports whether a list goes on with a token that a 410 offered.
func onOffered(c *call) bool { return continued(c) && c.list.Continue == atPresent(c.list.Continue) }
