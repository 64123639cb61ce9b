package watchcache

import (
	"cmp"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Create says what is created.
type Create struct {
	Labels       string            `json:"labels,omitempty"` // "one", "two", "long" (one-two), "bare" (another label), "prefixed" (one, and a label whose name has a prefix) or "none"; empty: "one"
	Notes        map[string]string `json:"notes,omitempty"`  // annotations
	Full         bool              `json:"full,omitempty"`   // it has all that an object can have
	Finalizer    bool              `json:"finalizer,omitempty"`
	Node         bool              `json:"node,omitempty"`         // it is on a node: its deletion has a grace period
	GenerateName bool              `json:"generateName,omitempty"` // the server makes the name, and obj is ignored
	DryRun       bool              `json:"dryRun,omitempty"`
	Served
}

// Change says how an update or a patch changes an object.
type Change struct {
	Version string `json:"version,omitempty"` // the resourceVersion that it names: "newest", "old", "never", or "ahead" (the newest of any object); empty: none, or the newest for an update that must have one
	UID     string `json:"uid,omitempty"`     // likewise
	Labels  string `json:"labels,omitempty"`  // "one", "two", "long" (one-two), "bare" (another label), "prefixed" (one, and a label whose name has a prefix) or "none"; empty: as they were
	Part    string `json:"part,omitempty"`    // what changes: "spec", "status", "note" (an annotation), "no-note", "no-spec", "no-label", "owners", "no-owners", "finalizer", "no-finalizer", "old" (data as the first copy had) or "same" (nothing); empty: "spec"
	DryRun  bool   `json:"dryRun,omitempty"`
	Type    string `json:"type,omitempty"`    // of a patch: "merge", "strategic", "json" or "apply"; empty: "merge"
	Manager string `json:"manager,omitempty"` // of an apply
	Force   bool   `json:"force,omitempty"`   // of an apply; a JSON patch moves the annotation, and does not copy it, or tests the spec after it has set it
	Served
}

// Delete says how something is deleted.
type Delete struct {
	Version string `json:"version,omitempty"` // the precondition: "newest", "old", "never", or "ahead" (the newest of any object); empty: none
	UID     string `json:"uid,omitempty"`     // likewise
	Grace   *int64 `json:"grace,omitempty"`   // seconds; empty: what the kind has
	Policy  string `json:"policy,omitempty"`  // of propagation: "Background", "Foreground" or "Orphan"
	DryRun  bool   `json:"dryRun,omitempty"`
	Answer  bool   `json:"answer,omitempty"` // of one object: what the delete answers is kept
	Served
}

// Scope says which objects a request is about.
type Scope struct {
	Namespace string `json:"namespace,omitempty"` // "own", "other" or "all"; empty: "own"
	Label     string `json:"label,omitempty"`     // selector
	Field     string `json:"field,omitempty"`     // selector
	Shard     int    `json:"shard,omitempty"`     // 1 or 2: that half of the objects, by their uids; 3: two quarters; 4 or 5: what is in the own namespace, or is not; 6: a selector that cannot be read
}

// List says what is listed, and how.
type List struct {
	Scope
	At       string `json:"at,omitempty"`    // a resourceVersion: "0", "future", "next", "never", "ancient" (half the newest), "bad" (it cannot be read), or one that a step has named
	Match    string `json:"match,omitempty"` // "Exact", "NotOlderThan" or "Nonsense", which there is not
	Limit    int64  `json:"limit,omitempty"`
	Timeout  int64  `json:"timeout,omitempty"`  // seconds
	Initial  *bool  `json:"initial,omitempty"`  // sendInitialEvents, which no list may have
	Continue string `json:"continue,omitempty"` // "bad": a token that the server did not make
	Way
}

// Watch says what is watched, and how.
type Watch struct {
	Scope
	At        string `json:"at,omitempty"`        // a resourceVersion: "0", "future", "next", "never", "ancient" (half the newest), "bad" (it cannot be read), or one that a step has named
	Stream    bool   `json:"stream,omitempty"`    // a streaming list
	NoInitial bool   `json:"noInitial,omitempty"` // sendInitialEvents=false
	Bookmarks bool   `json:"bookmarks,omitempty"`
	Timeout   int64  `json:"timeout,omitempty"` // seconds
	Follow    bool   `json:"follow,omitempty"`  // it is opened again where it ended, as clients do
	Unread    bool   `json:"unread,omitempty"`  // nothing is read before the step resume
	Path      bool   `json:"path,omitempty"`    // by the old path /watch/, of the one object that the field selector names
	Way
}

// Collection says which objects are deleted by one request, and how.
type Collection struct {
	Scope
	Delete
}

// labelSets are the labels that objects of stories have.
var labelSets = map[string]map[string]string{"one": selected, "two": others, "bare": bare, "long": {"app": "one-two"}, "prefixed": {"app": "one", "example.com/role": "web"}, "none": {}}

// labelNames are the names of labelSets, and that of none.
var labelNames = []string{"", "one", "two", "bare", "long", "prefixed", "none"}

// parts are what a write can change.
var parts = []string{"spec", "status", "note", "no-note", "no-spec", "no-label", "owners", "no-owners", "finalizer", "no-finalizer", "old", "same"}

// which are the resourceVersions and uids that a write can name.
var which = []string{"", newestCopy, oldCopy, neverVersion, aheadVersion}

func oneOf(what, value string, may ...string) error {
	return story.OneOf(what, []string{value}, may...)
}

// Validate returns an error for an unknown label set.
func (c Create) Validate() error { return oneOf("labels", c.Labels, labelNames...) }

// Validate returns an error for unknown words.
func (c Change) Validate() error {
	return cmp.Or(oneOf("labels", c.Labels, labelNames...), oneOf("part", c.Part, append(parts, "")...), oneOf("version", c.Version, which...),
		oneOf("uid", c.UID, which...), oneOf("type", c.Type, "", "merge", "strategic", "json", "apply"))
}

// Validate returns an error for unknown words.
func (x Delete) Validate() error {
	return cmp.Or(oneOf("version", x.Version, which...), oneOf("uid", x.UID, which...), oneOf("policy", x.Policy, "", "Background", "Foreground", "Orphan"))
}

// Validate returns an error for an unknown namespace.
func (s Scope) Validate() error { return oneOf("namespace", s.Namespace, "", "own", "other", "all") }

// Validate returns an error for unknown words.
func (l List) Validate() error {
	return cmp.Or(l.Scope.Validate(), l.Way.Validate(), oneOf("match", l.Match, "", "Exact", "NotOlderThan", "Nonsense"), oneOf("continue", l.Continue, "", brokenToken))
}

// Validate returns an error for unknown words.
func (x Watch) Validate() error { return cmp.Or(x.Scope.Validate(), x.Way.Validate()) }

// Validate returns an error for unknown words.
func (c Collection) Validate() error { return cmp.Or(c.Scope.Validate(), c.Delete.Validate()) }

// brokenToken is a continue token that no server makes.
const brokenToken = "bad"

// none is the arguments of a word that has none.
type none = struct{}

// vocabulary is the words of this kind's stories.
var vocabulary = story.NewVocabulary("watchcache",
	plain("cluster-scoped", "makes the story one of a resource without namespaces, whose objects no step can patch or delete. It must be the first step.", "from now on objects have no namespace", stepCluster, ClusterScoped),
	plain("two-versions", "makes the story one of a resource that is served in two API versions: its steps can ask by the other one. It must be the first step.", "from now on objects are of a resource with two versions", stepTwoVersions, ServedVersions),
	word("create", "creates obj.", sayCreate, stepCreate, needsOfCreate),
	story.Wanting(word("update", "updates obj: the newest copy that was answered, changed.", sayChange("updates"), stepUpdate, needsOfChange), "obj"),
	story.Wanting(word("patch", "patches obj.", sayChange("patches"), stepPatch, needsOfPatch), "obj"),
	story.Wanting(word("delete", "deletes obj.", sayDelete, stepDelete, needsOfDelete), "obj"),
	word("delete-collection", "deletes a collection with one request.", sayCollection, stepCollection, needsOfCollection),
	plain("delete-together", "deletes the first n objects in one revision.", "delete those of the first {n} objects that are there, in one revision", stepTogether, Together),
	plain("churn", "changes obj n times.", "change {obj} {n} times", stepChurn),
	story.Wanting(word("contend", "makes n clients update obj at once, all from the resourceVersion that it has, or write to it in another way. Races of patches have six clients; n says who patches what.", sayContend, stepContend, needsOfContend), "obj"),
	story.Wanting(plain("create-subresource", "creates a subresource of obj, without any effect on it: a dry run of an eviction.", "create a subresource of {obj}", stepSubresource, SubresourceCreate), "obj"),
	story.Wanting(word("get", "gets obj.", sayGet, stepGet, Get.needs), "obj"),
	word("list", "lists. A name in \"as\" is given to the resourceVersion, and to the next page. With a duration in \"for\" it asks again while the resourceVersion is too large.", sayList, stepList, needsOfList),
	word("next", "takes the next page of the list \"as\".", sayNext, stepNext, needsOfNext),
	plain("write-other", "changes an object of another resource. The resourceVersion that a list of that resource has then gets the name in \"as\".",
		"change an object of another resource; its list is at {as}", stepWriteOther, OtherResource),
	story.Wanting(word("watch", "opens the watch \"actor\". With a duration in \"for\" it is opened again while it ends with an error.", sayWatch, stepWatch, needsOfWatch), "actor"),
	story.Wanting(plain("pause", "makes a watch stop reading.", "{actor} stops reading", stepPause), "actor"),
	story.Wanting(plain("resume", "makes a watch read on.", "{actor} reads on", stepResume), "actor"),
	story.Wanting(plain("stop", "ends a watch. The last resourceVersion that it brought gets the name in \"as\". With an object in \"obj\", a watch that is read, and that is not followed, is ended as a reflector does, whose context lives on, and then obj is updated.", "stop {actor}", stepStop), "actor"),
	story.Wanting(plain("give-up", "makes actor give up its next request, but for a watch, the time in \"for\" after that began. It may be done, or not.", "{actor} will give up its next request after {for}", stepGiveUp), "actor"),
	plain("settle", "waits until all watches that are read have come up to the present.", "wait until all watches have come up to the present", stepSettle),
	plain("advance", "lets time pass.", "wait {for}", stepAdvance),
	plain("compact", "drops the states before the present.", "drop the states before the present", stepCompact, Compaction),
	plain("forget-events", "drops the watch events before the present.", "drop the watch events before the present", stepForgetEvents, Window),
	plain("restart", "restarts the server.", "restart the server", stepRestart, Restart),
	plain("lag", "makes the cache lag behind the storage.", "from now on the cache lags by {for}", stepLag, Lag),
	plain("catch-up", "ends the lag of the cache.", "the cache catches up", stepCatchUp, Lag),
	word("storage", "has the storage go wrong in a way that a storage may, in place of an earlier one; without arguments it is well again.", sayStorage, stepStorage, needsOfStorage),
	plain("start-up", "makes the cache not ready, as after a start.", "the cache is not ready for {for}", stepStartUp, Starting),
).Random(draws(), drawBegin, drawEnd).Faults(faults()...).Cross(cross)

// word makes a word of the vocabulary.
func word[A any](name, help string, say func(story.Step, A) string, do func(*world, story.Step, A) error, needs func(A) []harness.Feature) story.Entry[*world] {
	w := story.Word[*world, A]{Name: name, Help: help, Say: say, Do: do}
	if needs != nil {
		w.Needs = func(_ story.Step, a A) []harness.Feature { return needs(a) }
	}
	return w
}

// plain makes a word without arguments of its own.
func plain(name, help, text string, do func(*world, story.Step) error, needs ...harness.Feature) story.Entry[*world] {
	return story.Word[*world, none]{Name: name, Help: help, Text: text,
		Do:    func(w *world, s story.Step, _ none) error { return do(w, s) },
		Needs: func(story.Step, none) []harness.Feature { return needs }}
}
