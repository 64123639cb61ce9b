package mutants

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// selected is by labels or fields, sharded by a shardSelector.
func selected(c *call) bool { return c.list.LabelSelector+c.list.FieldSelector != "" }
func sharded(c *call) bool  { return c.list.ShardSelector != "" }

// What is asked for is changed: to NotOlderThan, no selector, no limit, nothing at all.
func askNotOlder(c *call)    { c.list.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan }
func anySelector(c *call)    { c.list.LabelSelector, c.list.FieldSelector = "", "" }
func anyShard(c *call)       { c.list.ShardSelector = "" }
func unlimited(c *call)      { c.list.Limit = 0 }
func versionUnset(c *call)   { c.list.ResourceVersion = "" }
func nothingAtAll(c *call)   { c.list.Continue, c.list.LabelSelector = "", "none-has=it" }
func continueLatest(c *call) { c.list.Continue = atPresent(c.list.Continue) }

// fromCache lists whatever state the cache has.
func fromCache(c *call) { c.list.ResourceVersion, c.list.ResourceVersionMatch = "0", "" }

// sayingAsked lists something else, and says the resourceVersion that was asked for.
func sayingAsked(change func(*call)) func(*call) {
	return func(c *call) {
		asked := c.list.ResourceVersion
		change(c)
		if c.next(); c.err == nil {
			listOf(c.got).SetResourceVersion(asked)
		}
	}
}

// always is this resourceVersion, whatever it was.
func always(rv string) func(string) string { return func(string) string { return rv } }

// ifEmpty changes lists without items; ifMore pages that have a continue token, ifLast those that have none.
func ifEmpty(f func(*call)) func(*call) {
	return where(func(c *call) bool { return len(items(c.got)) == 0 }, f)
}
func ifMore(f func(*call)) func(*call) { return where(hasMore, f) }
func ifLast(f func(*call)) func(*call) { return where(not(hasMore), f) }

func hasMore(c *call) bool { return listOf(c.got).GetContinue() != "" }

// Items of a list that are left.
func withoutItems([]runtime.Object) []runtime.Object     { return nil }
func withoutFirst(all []runtime.Object) []runtime.Object { return all[min(1, len(all)):] }
func withoutLast(all []runtime.Object) []runtime.Object  { return all[:max(0, len(all)-1)] }

// ofSeveral changes two or more items.
func ofSeveral(f func([]runtime.Object) []runtime.Object) func([]runtime.Object) []runtime.Object {
	return func(all []runtime.Object) []runtime.Object {
		if len(all) > 1 {
			return f(all)
		}
		return all
	}
}

func hasEmptyLabel(o metav1.Object) bool {
	return slices.Contains(slices.Collect(maps.Values(o.GetLabels())), "")
}

// firstValue leaves the first of the values of a label, firstLabel and firstField the first requirement of a selector.
func firstValue(c *call) {
	c.list.LabelSelector = regexp.MustCompile(`in \(([^,)]*),[^)]*\)`).ReplaceAllString(c.list.LabelSelector, "in ($1)")
}
func firstLabel(c *call) { c.list.LabelSelector = firstTerm(c.list.LabelSelector) }
func firstField(c *call) { c.list.FieldSelector = firstTerm(c.list.FieldSelector) }

func firstTerm(selector string) string {
	if !strings.Contains(selector, "(") {
		selector, _, _ = strings.Cut(selector, ",")
	}
	return selector
}

// Parts that an object loses: the status of a ConfigMap, and its values, are in its data.
func withoutAnnotations(o metav1.Object) { o.SetAnnotations(nil) }
func withoutOwners(o metav1.Object)      { o.SetOwnerReferences(nil) }
func withoutDeletion(o metav1.Object)    { o.SetDeletionTimestamp(nil) }
func withoutStatus(o metav1.Object)      { delete(dataOf(o), "status") }
func withoutLarge(o metav1.Object) {
	for k, v := range dataOf(o) {
		dataOf(o)[k] = v[:min(len(v), 64<<10)]
	}
}

func dataOf(o metav1.Object) map[string]string {
	if m, ok := o.(*corev1.ConfigMap); ok {
		return m.Data
	}
	return nil
}
