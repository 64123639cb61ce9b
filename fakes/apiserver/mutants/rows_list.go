package mutants

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// listRows are faults of which state a list is of, and of what it shows of that.
var listRows = []row{
	{name: "list-goes-back", rule: "list/monotonic", about: "a most-recent list with a selector is answered from a cache that is one write behind",
		on: "list", when: all(unset, byLabel), instead: behind(1)},
	{name: "list-version-behind", rule: "list/snapshot", about: "a list says the resourceVersion before that of its newest item",
		on: "list", answer: func(c *call) {
			for _, item := range items(c.got) {
				if rv := of(item).GetResourceVersion(); rv == listOf(c.got).GetResourceVersion() {
					listOf(c.got).SetResourceVersion(plus(rv, -1))
				}
			}
		}},
	{name: "list-version-ahead", rule: "list/snapshot", about: "a list shows the state before the last write, and says the resourceVersion after it",
		on: "list", when: not(continued), answer: func(c *call) {
			rv := listOf(c.got).GetResourceVersion()
			if before := c.at(plus(rv, -1)); before != nil {
				listOf(before).SetResourceVersion(rv)
				c.got = before
			}
		}},
	{name: "list-item-missing", rule: "list/snapshot", about: "a list of two or more items lacks the last (kubernetes#110652: a limit with a selector dropped items)",
		on: "list", answer: listed(ofSeveral(withoutLast))},
	{name: "list-item-unlabelled", rule: "list/snapshot", about: "the items of a list without a selector come without their labels",
		on: "list", when: not(byLabel), answer: objects(func(o metav1.Object) { o.SetLabels(nil) })},
	{name: "list-exact-is-present", rule: "list/snapshot", about: "a list at exactly an old resourceVersion shows the present, and says the old one",
		on: "list", when: exact, instead: sayingAsked(askNotOlder)},
	{name: "list-uid-dropped", rule: "list/snapshot", about: "the items of a list come without their uids",
		on: "list", answer: objects(func(o metav1.Object) { o.SetUID("") })},

	{name: "list-behind", rule: "list/most-recent", about: "a most-recent list is answered from a cache that is one write behind (KEP-2340 has caches ask etcd first how far it is)",
		on: "list", when: all(unset, not(limited)), instead: behind(1)},
	{name: "first-page-behind", rule: "list/most-recent", about: "the first page of a most-recent list is answered from a cache that is one write behind",
		on: "list", when: all(unset, limited), instead: behind(1)},
	{name: "list-shows-deleted", rule: "list/most-recent", about: "a most-recent list is answered from a cache that has all writes but the last deletion",
		on: "list", when: unset, answer: func(c *call) {
			if old := c.ago(1); old != nil && len(items(old)) > len(items(c.got)) {
				c.got = old
			}
		}},
	{name: "any-lacks-first", rule: "list/any", about: `a list with "0" lacks the first of two or more items: the cache is still being filled`,
		on: "list", when: zero, answer: listed(ofSeveral(withoutFirst))},
	{name: "any-waits", rule: "list/any", about: `a list with "0" waits for the newest state, and is refused where that does not come (kubernetes#123676)`,
		on: "list", when: zero, answer: func(c *call) {
			if head := c.head(); older(listOf(c.got).GetResourceVersion(), head) {
				c.got, c.err = nil, late(head)
			}
		}},
	{name: "any-says-older", rule: "list/any", about: `a list with "0" has the present items, and the resourceVersion before that`,
		on: "list", when: zero, answer: func(c *call) {
			if len(items(c.got)) > 1 {
				version(minus(1))(c)
			}
		}},
	{name: "older-than-asked", rule: "list/not-older-than", about: "a list with a resourceVersion and no match is answered from a cache one write short of it",
		on: "list", when: all(at, unmatched, not(limited)), ask: exactlyBefore},
	{name: "not-older-than-is-older", rule: "list/not-older-than", about: "a page with NotOlderThan is of the state before the one asked for",
		on: "list", when: all(at, notOlder, limited), ask: exactlyBefore},
	{name: "pages-everywhere-older", rule: "list/not-older-than", about: "the first page of all namespaces, not older than N, is of the state before N",
		on: "list", when: all(everywhere, limited, at, notOlder), ask: exactlyBefore},
}

// listScopeRows are faults of what belongs to a list.
var listScopeRows = []row{
	{name: "list-namespace-is-prefix", rule: "list/scope", about: "a list of one namespace has those too whose names begin alike (kine 0.11.4: prefixes taken for patterns)",
		on: "list", instead: func(c *call) {
			prefix := c.Namespace
			c.Namespace = ""
			if c.next(); c.err == nil {
				keeps(func(_ *call, o metav1.Object) bool { return strings.HasPrefix(o.GetNamespace(), prefix) })(c)
			}
		}},
	{name: "list-name-is-prefix", rule: "list/scope", about: "a list of one name has those too that begin alike (a range of keys in place of one)",
		on: "list", when: byName, instead: func(c *call) {
			prefix, _ := name(&c.list)
			c.list.FieldSelector = ""
			if c.next(); c.err == nil {
				keeps(func(_ *call, o metav1.Object) bool { return strings.HasPrefix(o.GetName(), prefix) })(c)
			}
		}},
	{name: "list-label-ignored", rule: "list/scope", about: `a list from the cache ("0") has what its label selector does not select`,
		on: "list", when: zero, ask: anyLabel},
	{name: "list-field-ignored", rule: "list/scope", about: "a field selector is ignored (client-go's fake clientset ignores all)",
		on: "list", ask: anyField},
	{name: "list-namespace-field-ignored", rule: "list/scope", about: "a list by the field metadata.namespace has the objects of all namespaces",
		on: "list", when: fieldsBegin("metadata.namespace="), ask: anyField},
	{name: "list-namespace-unequal-ignored", rule: "list/scope", about: "a list by a namespace that must differ has the objects of all namespaces",
		on: "list", when: fieldsBegin("metadata.namespace!="), ask: anyField},
	{name: "list-label-beside-name-ignored", rule: "list/scope", about: "a list by name and label has the object of that name, whatever its labels",
		on: "list", when: byName, ask: anyLabel},
}

// pageRows are faults of lists that are taken in pages.
var pageRows = []row{
	{name: "exact-page-is-present", rule: "list/snapshot", about: "the first of several pages at exactly an old resourceVersion shows the present, and says the old one",
		on: "list", when: exact, answer: func(c *call) {
			if rv := listOf(c.got).GetResourceVersion(); listOf(c.got).GetContinue() != "" {
				mostRecent(c)
				if c.next(); c.err == nil {
					listOf(c.got).SetResourceVersion(rv)
				}
			}
		}},
	{name: "token-dropped", rule: "list/snapshot", about: "a page of three or more items comes without its continue token: the list ends there",
		on: "list", when: func(c *call) bool { return c.list.Limit > 2 }, answer: func(c *call) {
			listOf(c.got).SetContinue("")
			listOf(c.got).SetRemainingItemCount(nil)
		}},
	{name: "continue-ignored", rule: "list/snapshot", about: "a continue token is ignored: the second page is the first again",
		on: "list", ask: func(c *call) { c.list.Continue = "" }},
	{name: "page-repeats-last", rule: "list/snapshot", about: "a page of two or more begins with the last item of the page before (a token that names the last key, not what follows it)",
		on: "list", when: func(c *call) bool { return c.list.Limit > 1 }, ask: func(c *call) {
			if b, err := base64.RawURLEncoding.DecodeString(c.list.Continue); err == nil {
				c.list.Continue = base64.RawURLEncoding.EncodeToString(bytes.ReplaceAll(b, []byte(`\u0000`), nil))
			}
		}},
}

// listRefusalRows are faults of lists that must be refused.
var listRefusalRows = []row{
	{name: "list-future-answered", rule: "list/future", about: "a list with a resourceVersion that is not there yet is answered with what there is (kube-apiserver before 1.17, of kinds without a watch cache)",
		on: "list", refused: apierrors.IsTimeout, answer: again(mostRecent)},
	{name: "list-future-answered-by-field", rule: "list/future", about: "a list by field with a resourceVersion that is not there yet is answered with what there is",
		on: "list", when: byField, refused: apierrors.IsTimeout, answer: again(mostRecent)},
	{name: "list-future-expired", rule: "list/future", about: "a list with a resourceVersion that is not there yet is refused as if that were gone",
		on: "list", refused: apierrors.IsTimeout, answer: refuse(gone)},
	{name: "list-future-uncaused", rule: "list/future-cause", about: "the 504 for a resourceVersion that is not there yet does not say why (kube-apiserver before 1.17; up to 1.18.5 the cause has no type)",
		on: "list", refused: apierrors.IsTimeout, answer: refuse(apierrors.NewTimeoutError("later", 1))},

	{name: "match-alone-served", rule: "list/combinations", about: "a match without a resourceVersion is ignored (servers before 1.19)",
		on: "list", when: func(c *call) bool { return c.list.ResourceVersion == "" }, ask: anyMatch},
	{name: "exact-zero-served", rule: "list/combinations", about: `Exact with "0" is taken for any`,
		on: "list", when: zero, ask: anyMatch},
	{name: "match-unknown-served", rule: "list/combinations", about: "an unknown match is ignored (servers before 1.19)",
		on: "list", when: func(c *call) bool { return c.list.ResourceVersionMatch == "Nonsense" }, ask: anyMatch},
	{name: "combination-bad-request", rule: "list/combinations-cause", about: "a match that cannot be is refused with 400, without a cause",
		on: "list", refused: apierrors.IsInvalid, answer: func(c *call) { c.err = apierrors.NewBadRequest(c.err.Error()) }},
	{name: "combination-cause-misnamed", rule: "list/combinations-cause", about: "the cause of a refused match names the resourceVersion",
		on: "list", refused: apierrors.IsInvalid, answer: func(c *call) {
			if s := new(apierrors.StatusError); errors.As(c.err, &s) {
				s.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Field: "resourceVersion"}}
			}
		}},
	{name: "continue-version-ignored", rule: "list/continue-alone", about: "a resourceVersion beside a continue token is ignored",
		on: "list", when: all(continued, unmatched), ask: versionUnset},
	{name: "continue-future-served", rule: "list/continue-alone", about: "a continue token beside a resourceVersion that is not there yet is served",
		on: "list", when: all(continued, func(c *call) bool { return len(c.list.ResourceVersion) > len("99999999") }), ask: versionUnset},
	{name: "continue-zero-restarts", rule: "list/pages", about: `a continue token beside the resourceVersion "0" begins the list anew`,
		on: "list", when: zero, ask: func(c *call) { c.list.Continue = "" }},
	{name: "continue-match-ignored", rule: "list/continue-match", about: "a match beside a continue token is ignored",
		on: "list", when: all(continued, not(unmatched)), ask: mostRecent},

	{name: "bad-token-restarts", rule: "list/bad-token", about: "a continue token that cannot be read is ignored: the list starts anew",
		on: "list", refused: apierrors.IsBadRequest, answer: again(func(c *call) { c.list.Continue = "" })},
	{name: "bad-token-ends", rule: "list/bad-token", about: "a continue token that cannot be read ends the list",
		on: "list", when: continued, refused: apierrors.IsBadRequest, answer: again(nothingAtAll)},
	{name: "bad-token-breaks", rule: "list/bad-token", about: "a continue token that cannot be read is answered with 500",
		on: "list", refused: apierrors.IsBadRequest, answer: refuse(&apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusInternalServerError}})},
	{name: "bad-version-listed", rule: "list/bad-version", about: "a list with a resourceVersion that cannot be read is the most recent one",
		on: "list", refused: apierrors.IsBadRequest, answer: again(mostRecent)},
	{name: "version-with-sign-served", rule: "list/bad-version", about: `a list takes "+1" for a resourceVersion, as a parser of integers with a sign does`,
		on: "list", ask: func(c *call) { c.list.ResourceVersion = strings.TrimPrefix(c.list.ResourceVersion, "+") }},
	{name: "bad-version-watched", rule: "list/bad-version", about: "a watch with a resourceVersion that cannot be read begins at the present",
		on: "watch", refused: anyError, answer: again(versionUnset)},
	{name: "stream-version-unread", rule: "list/bad-version", about: "a streaming list takes a resourceVersion that cannot be read for unset",
		on: "watch", when: all(streams, func(c *call) bool { return strings.Trim(c.list.ResourceVersion, "0123456789") != "" }), ask: versionUnset},
}
