package watchcache

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	fuzz "github.com/google/gofuzz"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// storyObjects are the objects of random stories: few, so that stories come back to them. Names begin and end alike, and
// so do the namespaces: a and bx make the same text as ab and x.
var storyObjects = []string{"x", "xy", "y", "bx", "other/x"}

// draws says how random stories use the words of this kind.
func draws() map[string]story.Drawing {
	return map[string]story.Drawing{
		"create":             {Weight: 10, Draw: drawCreate},
		"update":             {Weight: 14, Draw: drawUpdate},
		"patch":              {Weight: 8, Draw: drawPatch},
		"delete":             {Weight: 8, Draw: drawDeletion},
		"delete-collection":  {Weight: 2, Draw: drawCollection},
		"delete-together":    {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{N: 1 + c.IntN(3)} }},
		"churn":              {Weight: 1, Draw: drawChurn},
		"contend":            {Weight: 3, Draw: drawContend},
		"create-subresource": {Weight: 1, Draw: func(c harness.Choices) story.Step { return story.Step{Obj: drawObject(c)} }},
		"get":                {Weight: 6, Draw: drawGet},
		"list":               {Weight: 12, Draw: drawList},
		"next":               {Weight: 6, Draw: drawNext},
		"write-other":        {Weight: 4, Draw: func(c harness.Choices) story.Step { return story.Step{As: story.Pick(c, "v1", "v2", "v3")} }},
		"watch":              {Weight: 14, Draw: drawWatch},
		"pause":              {Weight: 2, Draw: drawActor},
		"resume":             {Weight: 2, Draw: drawActor},
		"stop":               {Weight: 3, Draw: drawStop},
		"give-up": {Weight: 1, Draw: func(c harness.Choices) story.Step {
			return story.Step{Actor: story.Pick(c, append(storyWriters, storyReaders...)...), For: story.Duration(time.Millisecond)}
		}},
		"settle":        {Weight: 4},
		"advance":       {Weight: 3, Draw: drawAdvance},
		"compact":       {Weight: 2},
		"forget-events": {Weight: 2, Slow: true}, // a real server gets thousands of writes
		"restart":       {Weight: 1},
		"lag":           {Weight: 1, Draw: drawFor(1500*time.Millisecond, 8*time.Second)},
		"catch-up":      {Weight: 1},
		"storage":       {Weight: 2, Draw: func(c harness.Choices) story.Step { return story.Step{With: story.Pick(c, storageFaults...)} }},
		"start-up":      {Weight: 1, Draw: drawFor(time.Second, 10*time.Second, 40*time.Second)},
	}
}

// drawBegin makes what random stories begin with: objects, a list that names a resourceVersion, and a watch from there.
func drawBegin(c harness.Choices) (all []story.Step) {
	switch c.IntN(8) {
	case 0:
		all = append(all, story.Step{Op: "cluster-scoped"})
	case 1:
		all = append(all, story.Step{Op: "two-versions"})
	}
	for _, obj := range storyObjects[:story.Pick(c, 0, 2, 4, 5)] {
		all = append(all, story.Step{Op: "create", Obj: obj, With: Create{Labels: story.Pick(c, "", "two")}})
	}
	if story.Chance(c, 24) { // more than fit a small buffer or page
		for i := range story.Pick(c, 12, 12, 60) {
			all = append(all, story.Step{Op: "create", Obj: fmt.Sprint("n", i)})
		}
	}
	if story.Chance(c, 24) {
		for _, obj := range oddNames {
			all = append(all, story.Step{Op: "create", Obj: obj, With: Create{Labels: story.Pick(c, "", "two")}})
		}
	}
	all = append(all, story.Step{Op: "list", As: firstMoment, With: List{Scope: Scope{Namespace: "all"}}})
	if !story.Chance(c, 4) {
		s := drawWatch(c)
		s.Op = "watch"
		all = append(all, s)
	}
	return all
}

// drawEnd makes what they end with: nothing is held, all is read, and nothing is left behind.
func drawEnd(harness.Choices) []story.Step {
	all := story.Concat(story.Join(), []story.Step{{Op: "catch-up"}, {Op: "storage", With: StorageFault{}}}, story.Each(storyWatches, func(_ int, actor string) []story.Step {
		return []story.Step{{Op: "resume", Actor: actor}}
	}))
	all = append(all, story.Step{Op: "settle"}, story.Step{Op: "list", With: List{Scope: Scope{Namespace: "all"}}})
	for _, scope := range []Scope{{Label: "app=one"}, {Field: "metadata.name!=y"}, {Namespace: "all", Shard: 1}} {
		all = append(all, story.Step{Op: "list", With: List{Scope: scope}})
	}
	for _, at := range []string{firstMoment, "v1", "v2", "v3"} {
		all = append(all, story.Step{Op: "list", With: List{Scope: Scope{Namespace: "all"}, At: at, Match: "Exact"}})
	}
	for _, obj := range storyObjects {
		all = append(all, story.Step{Op: "get", Obj: obj})
		all = append(all, story.When(Finalizers, story.Step{Op: "update", Obj: obj, With: Change{Part: "no-finalizer", Version: newestCopy}})...)
	}
	return append(all, story.Step{Op: "settle"})
}

// oddNames are what seldom is a name of an object.
var oddNames = []string{"x.y", strings.Repeat("n", 64) + "1", strings.Repeat("n", 64) + "2", "other/" + strings.Repeat("n", 250)}

func drawObject(c harness.Choices) string {
	if story.Chance(c, 40) {
		return story.Pick(c, oddNames...)
	}
	return story.Pick(c, storyObjects...)
}

// drawWriter chooses who writes, and seldom lets the next step begin before the write has ended.
func drawWriter(c harness.Choices, s story.Step) story.Step {
	s.Actor = story.Pick(c, storyWriters...)
	s.Async = story.Chance(c, 5)
	return s
}

// drawServed chooses by which version something is asked, in stories that have two.
func drawServed(c harness.Choices) Served { return Served{Other: story.Chance(c, 3)} }

// drawWay chooses how something is read: mostly as JSON.
func drawWay(c harness.Choices) Way {
	x := Way{Served: drawServed(c)}
	if story.Chance(c, 5) {
		x.Form = story.Pick(c, representations...)
	}
	return x
}

// drawWhich chooses what a write names of the object: nothing mostly.
func drawWhich(c harness.Choices) string {
	return story.Pick(c, "", "", "", newestCopy, newestCopy, oldCopy, oldCopy, neverVersion, aheadVersion)
}

// drawLabels chooses the labels of a write: mostly those that selectors ask for.
func drawLabels(c harness.Choices) string {
	return story.Pick(c, "", "", "", "one", "two", "two", "bare", "long", "prefixed", "none")
}

func drawCreate(c harness.Choices) story.Step {
	x := Create{Labels: drawLabels(c), Served: drawServed(c)}
	x.Finalizer, x.Node, x.Full, x.DryRun = story.Chance(c, 6), story.Chance(c, 6), story.Chance(c, 12), story.Chance(c, 12)
	if story.Chance(c, 12) {
		x.Notes = drawNotes(c)
	}
	if story.Chance(c, 12) { // nothing would take its finalizer
		x.GenerateName, x.Finalizer = true, false
	}
	return drawWriter(c, story.Step{Obj: drawObject(c), With: x})
}

// drawChange chooses what an update and a patch have in common.
func drawChange(c harness.Choices) Change {
	x := Change{Version: drawWhich(c), Labels: drawLabels(c), DryRun: story.Chance(c, 12), Served: drawServed(c)}
	if story.Chance(c, 2) {
		x.Part = story.Pick(c, parts...)
	}
	if story.Chance(c, 6) {
		x.UID = story.Pick(c, newestCopy, oldCopy, neverVersion)
	}
	return x
}

func drawUpdate(c harness.Choices) story.Step {
	x := drawChange(c)
	return drawWriter(c, story.Step{Obj: drawObject(c), With: x})
}

func drawPatch(c harness.Choices) story.Step {
	x := drawChange(c)
	x.Type = story.Pick(c, "", "", "strategic", "json", "json", "apply", "apply")
	switch x.Type {
	case "apply":
		x.Manager, x.Force = story.Pick(c, "m1", "m2"), story.Chance(c, 3)
	case "json":
		x.Part, x.Force = story.Pick(c, "", "note", "no-note", "no-finalizer"), story.Chance(c, 2)
	case "strategic": // lists are merged, not replaced
		x.Part = story.Pick(c, x.Part, "owners", "finalizer")
	}
	return drawWriter(c, story.Step{Obj: drawObject(c), With: x})
}

// drawDelete chooses how something is deleted. A policy that waits for a garbage collector is only tried: there may be none.
func drawDelete(c harness.Choices) (x Delete) {
	if story.Chance(c, 3) {
		x.Version = drawWhich(c)
	}
	if story.Chance(c, 6) {
		x.UID = drawWhich(c)
	}
	if story.Chance(c, 3) {
		x.Grace = new(story.Pick[int64](c, 0, 0, 5, 60))
	}
	if story.Chance(c, 6) {
		x.Policy = "Background"
	}
	if x.DryRun = story.Chance(c, 8); x.DryRun {
		x.Policy = story.Pick(c, "", "Background", "Foreground", "Orphan")
	}
	return x
}

func drawDeletion(c harness.Choices) story.Step {
	x := drawDelete(c)
	x.Answer, x.Served = story.Chance(c, 3), drawServed(c)
	return drawWriter(c, story.Step{Obj: drawObject(c), With: x})
}

func drawCollection(c harness.Choices) story.Step {
	x := Collection{drawScope(c), drawDelete(c)}
	x.Shard = 0
	if x.Namespace == "all" {
		x.Namespace = "other"
	}
	return drawWriter(c, story.Step{With: x})
}

// drawChurn rarely asks for more changes than a cache keeps, or than a watch that does not read may leave waiting.
func drawChurn(c harness.Choices) story.Step {
	return story.Step{Obj: drawObject(c), N: story.Pick(c, 3, 3, 3, 20, 20, 20, 200, 200, 1200)}
}

func drawContend(c harness.Choices) story.Step {
	return story.Step{Obj: drawObject(c), N: 2 + c.IntN(6), With: Contend{By: story.Pick(c, "", "", "merge", "strategic", "json", "apply", "writes", "replace", "reads", "pages")}}
}

func drawScope(c harness.Choices) (s Scope) {
	s.Namespace = story.Pick(c, "", "", "other", "all", "all")
	switch c.IntN(8) {
	case 0, 1:
		s.Label = story.Pick(c, "app=one", "app=one", "app!=one", "app in (one,two)", "!app", "app", "app in (one,two),app!=two", "example.com/role=web")
	case 2, 3:
		s.Field = story.Pick(c, "metadata.name=x", "metadata.name!=y", "metadata.namespace=own", "metadata.namespace!=own")
	case 4:
		s.Label, s.Field = "app=one", "metadata.name=x"
	case 5:
		s.Shard = story.Pick(c, 0, 0, 1, 1, 2, 3, 4, 5, 6)
	}
	return s
}

// drawAt chooses the state that a request wants: mostly one that a list has named.
func drawAt(c harness.Choices) string {
	return story.Pick(c, "", "", anyVersion, firstMoment, firstMoment, "v1", "v2", "v3", futureVersion, neverVersion, ancientVersion, badVersion)
}

// drawNextVersion seldom chooses the state after the newest: a get or a list waits for it, or is refused.
func drawNextVersion(c harness.Choices) string {
	if story.Chance(c, 12) {
		return nextVersion
	}
	return ""
}

func drawGet(c harness.Choices) story.Step {
	return story.Step{Actor: story.Pick(c, "g1", "g2"), Obj: drawObject(c), With: Get{At: cmp.Or(drawNextVersion(c), drawAt(c)), Way: drawWay(c)}, Async: story.Chance(c, 6)}
}

// inPages is the name of most lists that come in pages, so that stories turn them.
const inPages = "pages"

func drawList(c harness.Choices) story.Step {
	if story.Chance(c, 3) { // one that has a next page: selectors and old states seldom leave enough objects
		scope := Scope{Namespace: story.Pick(c, "", "all", "all"), Label: story.Pick(c, "", "", "app=one"), Field: story.Pick(c, "", "", "metadata.name!=x")}
		x := List{Scope: scope, At: story.Pick(c, "", "", anyVersion, firstMoment), Limit: int64(1 + c.IntN(2)), Way: drawWay(c)}
		return story.Step{Actor: story.Pick(c, storyReaders...), As: inPages, With: x}
	}
	x, as := List{Scope: drawScope(c), At: cmp.Or(drawNextVersion(c), drawAt(c)), Way: drawWay(c)}, story.Pick(c, "v1", "v2", "v3")
	if story.Chance(c, 3) {
		x.Match = story.Pick(c, "Exact", "NotOlderThan")
	}
	if story.Chance(c, 3) {
		x.Limit = story.Pick[int64](c, 1, 1, 2, 2, 500)
	}
	switch c.IntN(24) {
	case 0:
		x.Initial = new(story.Chance(c, 2))
	case 1:
		x.Match, x.At = "Nonsense", firstMoment
	case 2:
		x.Continue = "bad"
	case 3, 4:
		x.Timeout = 30
	}
	s := story.Step{Actor: story.Pick(c, storyReaders...), As: as, With: x, Async: story.Chance(c, 6)}
	if story.Chance(c, 6) {
		s.For = story.Duration(patience)
	}
	return s
}

func drawNext(c harness.Choices) story.Step {
	s := story.Step{Actor: story.Pick(c, storyReaders...), As: story.Pick(c, inPages, inPages, inPages, "v1", "v2"), N: story.Pick(c, 0, 0, 1, 2, 500)}
	x := Next{Way: drawWay(c)}
	switch c.IntN(16) {
	case 0:
		x.At = story.Pick(c, anyVersion, firstMoment)
	case 1:
		x.At, x.Match = story.Pick(c, "", firstMoment), story.Pick(c, "Exact", "NotOlderThan")
	}
	s.With = x
	return s
}

func drawWatch(c harness.Choices) story.Step {
	x := Watch{Scope: drawScope(c), At: drawAt(c), Bookmarks: story.Chance(c, 2), Follow: story.Chance(c, 2), Unread: story.Chance(c, 12), Way: drawWay(c)}
	switch c.IntN(6) {
	case 0, 1:
		x.Stream = true
	case 2:
		x.NoInitial = true
	}
	switch {
	case !story.Chance(c, 3):
	case x.Follow: // a shorter one would be asked for again a thousand times while the story settles
		x.Timeout = story.Pick[int64](c, 90, 400)
	default:
		x.Timeout = story.Pick[int64](c, 2, 5, 400)
	}
	if name := "metadata.name="; strings.HasPrefix(x.Field, name) || story.Chance(c, 12) {
		x.Field, x.Path = cmp.Or(x.Field, name+"x"), !x.Stream && !x.NoInitial && story.Chance(c, 2)
	}
	s := story.Step{Actor: story.Pick(c, storyWatches...), With: x}
	if x.Stream && story.Chance(c, 3) { // of a state that is certainly there, one way or another
		x.At, s.For = story.Pick(c, "v1", "v2", "v3"), story.Duration(patience)
		s.With = x
	}
	return s
}

func drawActor(c harness.Choices) story.Step {
	return story.Step{Actor: story.Pick(c, storyWatches...)}
}

func drawStop(c harness.Choices) story.Step {
	s := drawActor(c)
	s.As = story.Pick(c, "", "v1", "v2", "v3")
	if story.Chance(c, 3) {
		s.Obj = drawObject(c)
	}
	return s
}

func drawAdvance(c harness.Choices) story.Step {
	return drawFor(10*time.Millisecond, time.Second, 5*time.Second, 30*time.Second, 2*time.Minute)(c)
}

func drawFor(all ...time.Duration) func(harness.Choices) story.Step {
	return func(c harness.Choices) story.Step { return story.Step{For: story.Duration(story.Pick(c, all...))} }
}

// drawNotes fills annotations with any text.
func drawNotes(c harness.Choices) map[string]string {
	text := ""
	fuzz.New().RandSource(story.Source(c)).NilChance(0).Fuzz(&text)
	return map[string]string{"lwtest/odd": strings.ToValidUTF8(text, "?")}
}

// faults are what systematic stories place: what may become of a server and of its cache.
func faults() (all [][]story.Step) {
	for _, s := range []story.Step{
		{Op: "compact"}, {Op: "forget-events"}, {Op: "restart"}, {Op: "lag", For: story.Duration(8 * time.Second)}, {Op: "catch-up"},
		{Op: "start-up", For: story.Duration(10 * time.Second)}, {Op: "churn", Obj: "x", N: 20}, {Op: "advance", For: story.Duration(2 * time.Minute)},
	} {
		all = append(all, []story.Step{s})
	}
	for _, f := range storageFaults {
		all = append(all, []story.Step{{Op: "storage", With: f}})
	}
	return all
}
