package mutants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// versionRows are faults of what resourceVersions look like.
var versionRows = []row{
	{name: "list-version-padded", rule: "version/comparable", about: "a list has a resourceVersion with leading zeros",
		on: "list", answer: version(func(rv string) string { return "000" + rv })},
	{name: "item-version-opaque", rule: "version/comparable", about: "the items of lists of all namespaces have resourceVersions that are no numbers",
		on: "list", when: everywhere, answer: objects(func(o metav1.Object) { o.SetResourceVersion("v" + o.GetResourceVersion()) })},
	{name: "get-version-missing", rule: "version/comparable", about: "the answer to a get has no resourceVersion",
		on: "get", answer: objects(atVersion(""))},
	{name: "create-version-zero", rule: "version/comparable", about: `the answer to a create has the resourceVersion "0"`,
		on: "create", answer: objects(atVersion("0"))},
	{name: "create-version-first", rule: "version/comparable", about: "the answer to a create has the resourceVersion 1, as if each object counted its own changes",
		on: "create", answer: objects(atVersion("1"))},
	{name: "deleted-version-missing", rule: "version/comparable", about: "a DELETED event has no resourceVersion",
		on: "watch", events: shown(typed(watch.Deleted), atVersion(""))},
	{name: "bookmark-version-zero", rule: "version/comparable", about: `a bookmark has the resourceVersion "0"`,
		on: "watch", events: shown(typed(watch.Bookmark), atVersion("0"))},
}

// atVersion says that an object has this resourceVersion.
func atVersion(rv string) func(metav1.Object) {
	return func(o metav1.Object) { o.SetResourceVersion(rv) }
}
