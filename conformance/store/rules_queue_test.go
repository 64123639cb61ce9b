package store

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/lwtest/lwtest/harness"
)

const (
	delta   = "queue delta"
	aLog    = "queue log batch"
	inLists = "queue atomic batch bookmarks"
)

func TestQueueOrder(t *testing.T) {
	judge(t, ruleOrder, delta, []judged{
		{"by the first change", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nUPDATE a/x@3 => ok\nPOP => Added=a/x@1 Updated=a/x@3\nPOP => Added=a/y@2"},
		{"a Pop that waits is woken", untested, "POP => waits\nADD a/x@1 => ok\npop <- Added=a/x@1"},
		{"nothing popped", untested, "ADD a/x@1 => ok"},
		{"one alone has no order", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"put beside a Pop", good, "ADD a/x@1 => ok\nc1 -> UPDATE a/x@2\nPOP => Added=a/x@1 Updated=a/x@2\nc1 <- ok"},
		{"put beside a Pop, by two", undecided, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nPOP => Added=a/x@1 Updated=a/x@2\nu1 <- ok"},
		{"a list beside a Pop", undecided, "ADD a/x@1 => ok\nc1 -> REPLACE @5 a/x@2\nPOP => Added=a/x@1 Replaced=a/x@2\nc1 <- ok"},
		{"beside a Pop, the second first", "Added a/x @2", "ADD a/x@1 => ok\nADD a/x@2 => ok\nc1 -> ADD a/y@3\nPOP => Added=a/x@2\nc1 <- ok"},
		{"beside a Pop, before it was put", "Added a/x @2", "c1 -> ADD a/y@1\nPOP => Added=a/x@2\nc1 <- ok\nADD a/x@2 => ok"},
		{"beside a Pop, when it has said that it is closed", "Closed", "ADD a/x@1 => ok\nADD a/y@2 => ok\nc1 -> CLOSE\nPOP => Added=a/x@1\nPOP => Closed\nPOP => Added=a/y@2\nc1 <- ok"},
		{"and says so again", "Closed", "ADD a/x@1 => ok\nADD a/y@2 => ok\nc1 -> CLOSE\nPOP => Added=a/x@1\nPOP => Closed\nPOP => Added=a/y@2\nPOP => Closed\nc1 <- ok"},
		{"beside a Pop, never", "Closed", "ADD a/x@1 => ok\nADD a/y@2 => ok\nc1 -> CLOSE\nPOP => Added=a/x@1\nPOP => Closed\nc1 <- ok"},
		{"what came before it waited still does not count", good, "POP => waits\nDELETE a/x@1 => ok\npop <- waits\nSYNCED => true\npop <- waits\nADD a/x@2 => ok\npop <- Added=a/x@2\nADD a/y@3 => ok\nADD a/z@4 => ok\nPOP => Added=a/y@3\nPOP => Added=a/z@4"},
		{"a delete after a key error becomes one with another", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nDELETE? a/x@3 => ok\nREPLACE @5 a/no-key => KeyError\nDELETE a/x@6 => ok\nPOP => Added=a/x@1 Deleted=a/x@6"},
		{"nobody's delete after a key error", "[Added a/x @1, Deleted a/x @7]", "ADD a/x@1 => ok\nADD a/y@2 => ok\nDELETE? a/x@3 => ok\nREPLACE @5 a/no-key => KeyError\nDELETE a/x@6 => ok\nPOP => Added=a/x@1 Deleted=a/x@7"},
		{"woken by one of two", untested, "POP => waits\nADD a/x@1 => ok\nADD a/y@2 => ok\npop <- Added=a/x@1"},
		{"the second key first", "Added a/y @2", "ADD a/x@1 => ok\nADD a/y@2 => ok\nPOP => Added=a/y@2\nPOP => Added=a/x@1"},
		{"a key that changed again is late", "Added a/y @2", "ADD a/x@1 => ok\nADD a/y@2 => ok\nUPDATE a/x@3 => ok\nPOP => Added=a/y@2\nPOP => Added=a/x@1 Updated=a/x@3"},
		{"deltas the other way round", "[Updated a/x @3, Added a/x @1]", "ADD a/x@1 => ok\nUPDATE a/x@3 => ok\nPOP => Updated=a/x@3 Added=a/x@1"},
		{"of another key", "[Added a/x @1, Updated a/y @3]", "ADD a/x@1 => ok\nUPDATE a/x@3 => ok\nPOP => Added=a/x@1 Updated=a/y@3"},
		{"twice", "[Added a/x @1]", "ADD a/x@1 => ok\nPOP => Added=a/x@1\nPOP => Added=a/x@1"},
		{"an old state", "[Added a/x @0]", "ADD a/x@1 => ok\nPOP => Added=a/x@0"},
		{"nothing comes", "nothing: the Pop still waits", "ADD a/x@1 => ok\nPOP => waits"},
		{"a delete of what is known is lost", "nothing: the Pop still waits", "ADD a/x@1 => ok\nPOP => Added=a/x@1\nDELETE a/x@2 => ok\nPOP => waits"},
		{"it is refused", "it says no", "ADD a/x@1 => error"},
		{"what has no key is not judged", untested, "ADD a/no-key => ok\nPOP => Added=a/no-key"},
		{"put beside a Pop, and never answered", undecided, "ADD a/x@1 => ok\nc1 -> UPDATE a/x@2\nPOP => Added=a/x@1 Updated=a/x@2"},
		{"after Close nothing is judged", untested, "CLOSE => ok\nADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"nor after a key error", untested, "REPLACE @5 a/x@1 a/no-key => KeyError\nPOP => Replaced=a/x@1"},
		{"but what was queued before it", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nREPLACE @5 a/y@3 a/no-key => KeyError\nPOP => Added=a/x@1\nPOP => Added=a/y@2 Replaced=a/y@3\nPOP => Replaced=a/z@4"},
		{"which the key error took with it", "nothing: the Pop still waits", "ADD a/x@1 => ok\nREPLACE @5 a/y@3 a/no-key => KeyError\nPOP => waits"},
		{"what came after a key error, behind what it left", untested, "REPLACE @5 a/x@1 a/no-key => KeyError\nUPDATE a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Replaced=a/x@1 Updated=a/x@2 Deleted=a/x@3"},
		{"nobody's after a key error", "Updated a/x @9", "REPLACE @5 a/x@1 a/no-key => KeyError\nPOP => Replaced=a/x@1 Updated=a/x@9"},
		{"twice after a key error", "Added a/y @2", "REPLACE @5 a/no-key => KeyError\nADD a/y@2 => ok\nPOP => Added=a/y@2\nPOP => Added=a/y@2"},
		{"nobody's behind what was queued before a key error", "Deleted a/x @3", "ADD a/x@1 => ok\nREPLACE @5 a/no-key => KeyError\nPOP => Added=a/x@1 Deleted=a/x@3"},
		{"two Pops, and one key for them", untested, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\npop2 <- Added=a/x@1"},
		{"two Pops, and two keys for them", good, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\npop2 <- Added=a/y@2\npop <- Added=a/x@1"},
	})
	judge(t, ruleOrder, aLog, []judged{
		{"as given", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nUPDATE a/x@3 => ok\nPOP => Added=a/x@1\nPOP => Added=a/y@2\nPOP => Updated=a/x@3"},
		{"nothing popped", untested, "ADD a/x@1 => ok"},
		{"the newest first", "Updated a/x @3", "ADD a/x@1 => ok\nUPDATE a/x@3 => ok\nPOP => Updated=a/x@3\nPOP => Added=a/x@1"},
		{"lost", "Added a/y @2", "ADD a/x@1 => ok\nADD a/y@2 => ok\nPOP => Added=a/y@2"},
		{"out of nowhere", "Added a/y @2", "ADD a/x@1 => ok\nPOP => Added=a/x@1\nPOP => Added=a/y@2"},
		{"an old state", "Added a/x @0", "ADD a/x@1 => ok\nPOP => Added=a/x@0"},
		{"nothing", "nothing", "ADD a/x@1 => ok\nPOP => initial"},
		{"before a key error, in a batch with what it left", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nREPLACE @5 a/z@3 a/no-key => KeyError\nPOP-BATCH => Added=a/x@1 Added=a/y@2 Replaced=a/z@3"},
		{"one thing twice beside a Pop", good, "ADD a/y@1 => ok\nADD a/y@1 => ok\nc1 -> UPDATE a/x@2\nPOP => Added=a/y@1\nPOP => Added=a/y@1\nPOP => Updated=a/x@2\nc1 <- ok"},
		{"lost by a key error", "nothing: the Pop still waits", "ADD a/x@1 => ok\nREPLACE @5 a/no-key => KeyError\nPOP => waits"},
		{"nobody's behind a key error, in a batch", "Updated a/x @2", "ADD a/x@1 => ok\nREPLACE @5 a/z@3 a/no-key => KeyError\nPOP-BATCH => Added=a/x@1 Replaced=a/z@3 Updated=a/x@2"},
	})
}

// Two things that two Pops wait for.
func TestQueueOrderOfConsumers(t *testing.T) {
	const two = "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\n"
	for _, features := range []string{delta, aLog, inLists} {
		judge(t, ruleOrder, features, []judged{
			{"each gets one", good, two + "pop <- Added=a/x@1\npop2 <- Added=a/y@2"},
			{"whichever", good, two + "pop2 <- Added=a/x@1\npop <- Added=a/y@2\nCLOSE => ok\nPOP => Closed"},
			{"nothing is put", untested, "pop -> POP\npop2 -> POP\nCLOSE => ok\npop <- Closed\npop2 <- Closed"},
			{"one still waits", "nothing: the Pop still waits", two + "pop <- Added=a/x@1\npop2 <- waits\nCLOSE => ok\npop2 <- Added=a/y@2"},
			{"one still waits, whatever comes then", "nothing: the Pop still waits", two + "pop <- Added=a/x@1\npop2 <- waits\nRESYNC => ok\npop2 <- Added=a/y@2"},
			{"put after Close", undecided, two + "pop <- Added=a/x@1\npop2 <- Added=a/y@2\nCLOSE => ok\npop -> POP\npop <- Closed\nADD a/z@3 => ok\nPOP => Added=a/z@3\nu1 -> ADD a/q@4\nu2 -> SYNCED\nu1 <- ok\nu2 <- true"},
			{"put without a key", undecided, two + "pop <- Added=a/x@1\npop2 <- Added=a/y@2\nADD a/no-key@3 => KeyError\nu1 -> ADD a/q@4\nu2 -> SYNCED\nu1 <- ok\nu2 <- true"},
			{"what comes then is not known", undecided, two + "RESYNC => ok\npop <- Added=a/x@1\npop2 <- waits"},
			{"it waited before anything was put", good, "pop -> POP\npop2 -> POP\npop <- waits\nADD a/x@1 => ok\nADD a/y@2 => ok\npop <- Added=a/x@1\npop2 <- Added=a/y@2"},
			{"both get the first", "Added a/x @1", two + "pop <- Added=a/x@1\npop2 <- Added=a/x@1"},
			{"what nobody has put", "Added a/z @3", two + "pop <- Added=a/x@1\npop2 <- Added=a/z@3"},
			{"before it is put", "Added a/y @2", "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/q@3 => ok\npop2 <- Added=a/y@2\npop <- Added=a/x@1\nADD a/y@2 => ok"},
			{"one thing twice: nobody knows whose", undecided, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\nADD a/y@2 => ok\npop2 <- Added=a/y@2\npop <- Added=a/x@1"},
			{"lost, and closed", "Closed", two + "ADD a/z@3 => ok\npop <- Added=a/x@1\npop2 <- Added=a/z@3\nCLOSE => ok\nPOP => Closed"},
			{"another has the rest when one is told that it is closed", good, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nCLOSE => ok\npop <- Closed\npop2 <- Added=a/x@1"},
			{"one is told so, and nobody has the rest", "Closed", "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nCLOSE => ok\npop <- Closed\npop2 <- Closed"},
			{"two put", undecided, "pop -> POP\npop2 -> POP\nu1 -> ADD a/x@1\nu2 -> ADD a/y@2\nu1 <- ok\nu2 <- ok\npop <- Added=a/x@1\npop2 <- Added=a/y@2"},
			{"a list for them", undecided, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\nREPLACE @5 a/x@1 => ok\npop2 <- Added=a/y@2\npop <- Added=a/x@1"},
		})
	}
	judge(t, ruleOrder, aLog, []judged{
		{"one after the other", good, two + "pop <- Added=a/x@1\nADD a/z@3 => ok\npop2 <- Added=a/y@2\nPOP => Added=a/z@3"},
		{"one that began later gets the first", "Added a/y @2", two + "pop2 <- Added=a/y@2\npop2 -> POP\npop2 <- Added=a/x@1\nADD a/z@3 => ok\npop <- Added=a/z@3"},
		{"nothing put", untested, "pop -> POP\npop2 -> POP"},
	})
}

func TestQueueDedup(t *testing.T) {
	const known = "ADD a/x@1 => ok\nPOP => Added=a/x@1\n"
	judge(t, ruleDedup, delta, []judged{
		{"two deletes are one", good, known + "DELETE a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Deleted=a/x@2"},
		{"or the other", good, known + "DELETE a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Deleted=a/x@3"},
		{"the one that knows more", good, known + "DELETE? a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Deleted=a/x@3"},
		{"though it came first", good, known + "DELETE a/x@2 => ok\nDELETE? a/x@3 => ok\nPOP => Deleted=a/x@2"},
		{"two updates stay", good, known + "UPDATE a/x@2 => ok\nUPDATE a/x@2 => ok\nPOP => Updated=a/x@2 Updated=a/x@2"},
		{"one of a key", untested, known},
		{"two deletes stay", "[Deleted a/x @2, Deleted a/x @3]", known + "DELETE a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Deleted=a/x@2 Deleted=a/x@3"},
		{"the one that knows less", "[Deleted a/x @3 (final state unknown)]", known + "DELETE a/x@2 => ok\nDELETE? a/x@3 => ok\nPOP => Deleted?=a/x@3"},
		{"updates merged", "[Updated a/x @3]", known + "UPDATE a/x@2 => ok\nUPDATE a/x@3 => ok\nPOP => Updated=a/x@3"},
	})
	judge(t, ruleDedup, aLog, []judged{
		{"nothing is merged", good, known + "DELETE a/x@2 => ok\nDELETE a/x@3 => ok\nPOP => Deleted=a/x@2\nPOP => Deleted=a/x@3"},
		{"one of a key", untested, "ADD a/x@1 => ok\nADD a/y@2 => ok\nPOP => Added=a/x@1\nPOP => Added=a/y@2"},
		{"merged", "Updated a/x @3", "UPDATE a/x@2 => ok\nUPDATE a/x@3 => ok\nPOP => Updated=a/x@3"},
	})
}

func TestQueueUnknownDelete(t *testing.T) {
	judge(t, ruleUnknown, delta, []judged{
		{"it is dropped", good, "DELETE a/x@1 => ok\nADD a/y@2 => ok\nPOP => Added=a/y@2"},
		{"it is dropped, and the key comes", good, "DELETE a/x@1 => ok\nADD a/x@2 => ok\nPOP => Added=a/x@2"},
		{"a Pop waits", good, "DELETE a/x@1 => ok\nPOP => waits"},
		{"what is queued is known", untested, "ADD a/x@1 => ok\nDELETE a/x@2 => ok\nPOP => Added=a/x@1 Deleted=a/x@2"},
		{"it pops", "[Deleted a/x @1]", "DELETE a/x@1 => ok\nPOP => Deleted=a/x@1"},
		{"of what is gone", "[Deleted a/x @2]", "ADD a/x@1 => ok\nPOP => Added=a/x@1\nDELETE a/x@2 => ok\nPOP => Deleted=a/x@2\nDELETE a/x@2 => ok\nPOP => Deleted=a/x@2"},
	})
}

func TestQueueReplace(t *testing.T) {
	const known = "REPLACE @5 a/x@1 a/y@2 => ok\nPOP => Replaced=a/x@1 initial\nPOP => Replaced=a/y@2 initial\n"
	judge(t, ruleReplace, delta, []judged{
		{"the list", good, known},
		{"as Sync", good, "REPLACE @5 a/x@1 => ok\nPOP => Sync=a/x@1 initial"},
		{"a tombstone for what is known", good, known + "REPLACE @6 a/y@2 => ok\nPOP => Replaced=a/y@2\nPOP => Deleted?=a/x@1"},
		{"before the items", good, known + "REPLACE @6 a/y@2 => ok\nPOP => Deleted?=a/x@1\nPOP => Replaced=a/y@2"},
		{"for what is queued", good, "ADD a/x@1 => ok\nREPLACE @6 => ok\nPOP => Added=a/x@1 Deleted?=a/x@1"},
		{"none where a delete is the last", good, known + "DELETE a/x@3 => ok\nREPLACE @6 a/y@2 => ok\nPOP => Deleted=a/x@3\nPOP => Replaced=a/y@2"},
		{"no list", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"no tombstone", "nothing: the Pop still waits", known + "REPLACE @6 a/y@2 => ok\nPOP => Replaced=a/y@2\nPOP => waits"},
		{"an older object", "[Updated a/x @3, Deleted a/x @1 (final state unknown)]", known + "UPDATE a/x@3 => ok\nREPLACE @6 a/y@2 => ok\nPOP => Updated=a/x@3 Deleted?=a/x@1"},
		{"a tombstone of what is there", "[Deleted a/x @1 (final state unknown)]", known + "REPLACE @6 a/y@2 a/x@1 => ok\nPOP => Replaced=a/y@2\nPOP => Replaced=a/x@1\nPOP => Deleted?=a/x@1"},
		{"as seen", "[Deleted a/x @1]", known + "REPLACE @6 a/y@2 => ok\nPOP => Deleted=a/x@1"},
		{"an item is missing", "Replaced a/y @2", "REPLACE @5 a/x@1 a/y@2 => ok\nPOP => Replaced=a/y@2 initial"},
		{"a Pop waits for it", good, "POP => waits\nREPLACE @5 a/x@1 => ok\npop <- Replaced=a/x@1 initial"},
		{"a Pop waits on", "nothing: the Pop still waits", "POP => waits\nREPLACE @5 a/x@1 => ok\npop <- waits"},
		{"what it fails for", untested, "REPLACE @5 a/x@1 a/no-key => KeyError"},
		{"of a change nobody says what it fails for", untested, "ADD a/no-key => ok"},
		{"what it should fail for", "no error", "REPLACE @5 a/x@1 a/no-key => ok"},
		{"behind a Sync", good, known + "RESYNC => ok\nREPLACE @6 a/y@2 => ok\nPOP => Sync=a/x@1 Deleted?=a/x@1\nPOP => Sync=a/y@2 Replaced=a/y@2"},
		{"none behind a Sync", "[Sync a/x @1]", known + "RESYNC => ok\nREPLACE @6 a/y@2 => ok\nPOP => Sync=a/x@1"},
	})
	judge(t, ruleReplace, aLog, []judged{
		{"tombstones and items", good, known + "UPDATE a/x@3 => ok\nREPLACE @6 a/y@2 => ok\nPOP => Updated=a/x@3\nPOP => Deleted?=a/x@3\nPOP => Replaced=a/y@2"},
		{"no list", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"a tombstone after a delete", "Deleted a/x @3 (final state unknown)", known + "DELETE a/x@3 => ok\nREPLACE @6 a/y@2 => ok\nPOP => Deleted=a/x@3\nPOP => Deleted?=a/x@3"},
		{"no tombstone", "Added a/z @9", known + "REPLACE @6 a/y@2 => ok\nADD a/z@9 => ok\nPOP => Replaced=a/y@2\nPOP => Added=a/z@9"},
	})
	judge(t, ruleReplace, inLists, []judged{
		{"one item", good, "REPLACE @5 a/x@1 a/y@2 => ok\nPOP => ReplacedAll@5=a/x@1+a/y@2 initial"},
		{"no list", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"without a version", good, "REPLACE @ a/x@1 => ok\nPOP => ReplacedAll=a/x@1 initial"},
		{"with the old version", "ReplacedAll @5 [a/x @2]", "REPLACE @5 a/x@1 => ok\nREPLACE @ a/x@2 => ok\nPOP => ReplacedAll@5=a/x@1 initial\nPOP => ReplacedAll@5=a/x@2"},
		{"a bookmark out of nowhere is another's", good, "REPLACE @5 a/x@1 => ok\nPOP => Bookmark@3\nPOP => ReplacedAll@5=a/x@1 initial"},
		{"without its version", "ReplacedAll @ [a/x @1]", "REPLACE @5 a/x@1 => ok\nPOP => ReplacedAll=a/x@1 initial"},
		{"its objects by key", good, "REPLACE @5 a/y@2 a/x@1 a/y@3 => ok\nPOP => ReplacedAll@5=a/x@1+a/y@2+a/y@3 initial"},
		{"of a key the first last", "ReplacedAll @5 [a/x @1, a/y @3, a/y @2]", "REPLACE @5 a/y@2 a/x@1 a/y@3 => ok\nPOP => ReplacedAll@5=a/x@1+a/y@3+a/y@2 initial"},
		{"in part", "ReplacedAll @5 [a/x @1]", "REPLACE @5 a/x@1 a/y@2 => ok\nPOP => ReplacedAll@5=a/x@1 initial"},
		{"one by one", "Replaced a/x @1", "REPLACE @5 a/x@1 => ok\nPOP => Replaced=a/x@1 initial"},
		{"it does not look at keys", good, "REPLACE @5 a/x@1 a/no-key@2 => ok\nPOP => ReplacedAll@5=a/x@1+a/no-key@2 initial"},
		{"or it does", untested, "REPLACE @5 a/x@1 a/no-key@2 => KeyError\nADD a/y@3 => ok\nPOP => Added=a/y@3"},
	})
}

// What is no queue is none of these rules' business.
func TestQueueRulesOfMaps(t *testing.T) {
	h := historyOf(t, "has map\nADD a/x@1 => error\nREPLACE @5 a/no-key => ok")
	for _, r := range Suite.Rules {
		if slices.Contains(r.Needs, IsQueue) {
			assert.Equal(t, harness.Judgement{}, r.Judge(h), r.Address())
		}
	}
}

func TestQueueGhost(t *testing.T) {
	judge(t, ruleGhost, delta, []judged{
		{"it is gone in the end", good, "ADD a/x@1 => ok\nREPLACE @5 => ok\nPOP => Added=a/x@1 Deleted?=a/x@1"},
		{"it was added again", untested, "ADD a/x@1 => ok\nREPLACE @5 => ok\nADD a/x@7 => ok\nPOP => Added=a/x@1 Deleted?=a/x@1 Added=a/x@7"},
		{"it was known", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1\nREPLACE @5 => ok\nPOP => Deleted?=a/x@1"},
		{"it stays", "the consumer has a/x @1", "ADD a/x@1 => ok\nREPLACE @5 => ok\nPOP => Added=a/x@1"},
	})
	judge(t, ruleGhost, inLists, []judged{
		{"the list comes after it", good, "ADD a/x@1 => ok\nREPLACE @5 => ok\nPOP => Added=a/x@1\nPOP => ReplacedAll@5"},
		{"no list", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"the list comes before it", "the consumer has a/x @1", "ADD a/x@1 => ok\nREPLACE @5 => ok\nPOP => ReplacedAll@5\nPOP => Added=a/x@1"},
	})
}

func TestQueueSynced(t *testing.T) {
	judge(t, ruleSynced, delta, []judged{
		{"when the list has popped", good, "SYNCED => false\nREPLACE @5 a/x@1 => ok\nSYNCED => false\nPOP => Replaced=a/x@1 initial\nSYNCED => true\nREPLACE @6 a/y@1 => ok\nSYNCED => true"},
		{"an empty list", good, "REPLACE @5 => ok\nSYNCED => true"},
		{"a change first", good, "DELETE a/x@1 => ok\nSYNCED => true"},
		{"not yet", untested, "SYNCED => false"},
		{"a list with a key twice", good, "REPLACE @5 a/x@1 a/y@2 a/x@3 => ok\nPOP => Replaced=a/x@1 Replaced=a/x@3 initial\nSYNCED => false\nPOP => Replaced=a/y@2 initial\nSYNCED => true"},
		{"never, where a key was there twice", "false", "REPLACE @5 a/x@1 a/x@2 => ok\nPOP => Replaced=a/x@1 Replaced=a/x@2 initial\nSYNCED => false"},
		{"early, where a key is there twice", "true", "REPLACE @5 a/x@1 a/x@2 a/y@3 => ok\nPOP => Replaced=a/x@1 Replaced=a/x@2 initial\nSYNCED => true"},
		{"early", "true", "REPLACE @5 a/x@1 => ok\nSYNCED => true"},
		{"never", "false", "REPLACE @5 a/x@1 => ok\nPOP => Replaced=a/x@1 initial\nSYNCED => false"},
		{"no more", "false", "ADD a/x@1 => ok\nSYNCED => true\nREPLACE @5 a/x@1 => ok\nSYNCED => false"},
		{"an error", "it says no", "SYNCED => error"},
		{"a first list that failed is none", good, "REPLACE @5 a/x@1 a/no-key => KeyError\nSYNCED => false\nADD a/y@2 => ok\nPOP => Replaced=a/x@1\nSYNCED => false\nPOP => Added=a/y@2\nCLOSE => ok\nPOP => Closed\nSYNCED => true"},
		{"whether what it left counts is open", untested, "REPLACE @5 a/x@1 a/no-key => KeyError\nADD a/y@2 => ok\nSYNCED => true"},
		{"a first list that failed", "true", "REPLACE @5 a/x@1 a/no-key => KeyError\nSYNCED => true"},
		{"never after one that failed", "false", "REPLACE @5 a/x@1 a/no-key => KeyError\nADD a/y@2 => ok\nPOP => Added=a/y@2\nCLOSE => ok\nPOP => Closed\nSYNCED => false"},
		{"by a resync", "true", "RESYNC => ok\nSYNCED => true"},
		{"by a resync after one that failed", "true", "REPLACE @5 a/x@1 a/no-key => KeyError\nRESYNC => ok\nSYNCED => true"},
		{"by a bookmark after one that failed", "true", "REPLACE @5 a/x@1 a/no-key => KeyError\nBOOKMARK @6 => ok\nSYNCED => true"},
		{"whether a change counts that was refused after one that failed is open", untested, "REPLACE @5 a/x@1 a/no-key => KeyError\nADD a/no-key => KeyError\nSYNCED => true"},
		{"beside others, not yet and then", good, "SYNCED => false\nADD a/x@1 => ok\nc1 -> UPDATE a/x@2\nr1 -> SYNCED\nr1 <- true\nc1 <- ok"},
		{"beside others, before anything", "true", "r1 -> SYNCED\nr2 -> SYNCED\nr1 <- true\nr2 <- false\nADD a/x@1 => ok"},
		{"beside others, no more", "false", "ADD a/x@1 => ok\nc1 -> UPDATE a/x@2\nr1 -> SYNCED\nr1 <- false\nc1 <- ok"},
		{"beside others, an error", "it says no", "ADD a/x@1 => ok\nc1 -> UPDATE a/x@2\nr1 -> SYNCED\nr1 <- error\nc1 <- ok"},
	})
	judge(t, ruleSynced, inLists, []judged{
		{"an empty list has to pop", good, "REPLACE @5 => ok\nSYNCED => false\nPOP => ReplacedAll@5 initial\nSYNCED => true"},
		{"not yet", untested, "REPLACE @5 => ok\nSYNCED => false"},
		{"what comes before the list does not count", "true", "BOOKMARK @4 => ok\nREPLACE @5 => ok\nPOP => Bookmark@4\nSYNCED => true"},
		{"it has not", "true", "REPLACE @5 => ok\nSYNCED => true"},
	})
	judge(t, ruleSynced, aLog, []judged{
		{"a list with a key twice", good, "REPLACE @5 a/x@1 a/x@2 => ok\nPOP => Replaced=a/x@1 initial\nSYNCED => false\nPOP => Replaced=a/x@2 initial\nSYNCED => true"},
		{"one of them has popped", "true", "REPLACE @5 a/x@1 a/x@2 => ok\nPOP => Replaced=a/x@1 initial\nSYNCED => true"},
		{"not yet", untested, "REPLACE @5 a/x@1 a/x@2 => ok\nSYNCED => false"},
	})
}

func TestQueueInitial(t *testing.T) {
	judge(t, ruleInitial, aLog, []judged{
		{"the first list", good, "REPLACE @5 a/x@1 a/y@2 => ok\nADD a/z@3 => ok\nPOP => Replaced=a/x@1 initial\nPOP => Replaced=a/y@2 initial\nPOP => Added=a/z@3"},
		{"a change first", untested, "ADD a/z@3 => ok\nPOP => Added=a/z@3"},
		{"an empty list first", good, "REPLACE @5 => ok\nSYNCED => true\nADD a/z@3 => ok\nPOP => Added=a/z@3"},
		{"not said", "initial: false", "REPLACE @5 a/x@1 => ok\nPOP => Replaced=a/x@1"},
		{"of a later one", "initial: true", "REPLACE @5 a/x@1 => ok\nADD a/z@3 => ok\nPOP => Replaced=a/x@1 initial\nPOP => Added=a/z@3 initial"},
		{"of a second list", "initial: true", "ADD a/z@3 => ok\nPOP => Added=a/z@3\nREPLACE @5 a/z@3 => ok\nPOP => Replaced=a/z@3 initial"},
	})
	judge(t, ruleInitial, inLists, []judged{
		{"before the first list either", good, "RESYNC => ok\nREPLACE @5 a/x@1 => ok\nPOP => SyncAll initial\nPOP => ReplacedAll@5=a/x@1 initial"},
		{"is right", good, "BOOKMARK @4 => ok\nREPLACE @5 a/x@1 => ok\nPOP => Bookmark@4\nPOP => ReplacedAll@5=a/x@1 initial"},
		{"alone it says nothing", untested, "RESYNC => ok\nPOP => SyncAll initial"},
		{"after it", "initial: true", "REPLACE @5 a/x@1 => ok\nBOOKMARK @6 => ok\nPOP => ReplacedAll@5=a/x@1 initial\nPOP => Bookmark@6 initial"},
	})
}

func TestQueueResync(t *testing.T) {
	const known = "ADD a/x@1 => ok\nADD a/y@2 => ok\nPOP => Added=a/x@1\nPOP => Added=a/y@2\n"
	judge(t, ruleResync, delta, []judged{
		{"what has nothing pending", good, known + "UPDATE a/y@3 => ok\nRESYNC => ok\nRESYNC => ok\nPOP => Updated=a/y@3\nPOP => Sync=a/x@1\nPOP => waits"},
		{"in any order", good, known + "RESYNC => ok\nPOP => Sync=a/y@2\nPOP => Sync=a/x@1"},
		{"nothing is known", untested, "ADD a/x@1 => ok\nRESYNC => ok\nPOP => Added=a/x@1"},
		{"pending ones, too", "[Updated a/y @3, Sync a/y @2]", known + "UPDATE a/y@3 => ok\nRESYNC => ok\nPOP => Updated=a/y@3 Sync=a/y@2"},
		{"twice", "[Sync a/x @1, Sync a/x @1]", known + "RESYNC => ok\nRESYNC => ok\nPOP => Sync=a/x@1 Sync=a/x@1"},
		{"an old object", "[Sync a/x @0]", known + "RESYNC => ok\nPOP => Sync=a/x@0"},
		{"nothing", "nothing: the Pop still waits", known + "RESYNC => ok\nPOP => waits"},
		{"not behind a delete", "[Deleted a/y @3, Sync a/y @2]", known + "DELETE a/y@3 => ok\nRESYNC => ok\nPOP => Deleted=a/y@3 Sync=a/y@2"},
		{"a Pop waits for it", good, known + "POP => waits\nRESYNC => ok\npop <- Sync=a/x@1"},
		{"a Pop waits on", "nothing: the Pop still waits", known + "POP => waits\nRESYNC => ok\npop <- waits"},
		{"out of nowhere", "[Sync a/x @1]", known + "POP => Sync=a/x@1"},
	})
	judge(t, ruleResync, inLists, []judged{
		{"one each time", good, known + "RESYNC => ok\nRESYNC => ok\nPOP => SyncAll\nPOP => SyncAll"},
		{"none", untested, known},
		{"once", "nothing: the Pop still waits", known + "RESYNC => ok\nRESYNC => ok\nPOP => SyncAll\nPOP => waits"},
	})
}

func TestQueueBookmark(t *testing.T) {
	judge(t, ruleBookmark, inLists, []judged{
		{"in its place", good, "ADD a/x@1 => ok\nBOOKMARK @4 => ok\nADD a/y@5 => ok\nPOP => Added=a/x@1\nPOP => Bookmark@4\nPOP => Added=a/y@5"},
		{"none", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"lost", "Added a/y @5", "BOOKMARK @4 => ok\nADD a/y@5 => ok\nPOP => Added=a/y@5"},
		{"out of nowhere", "Bookmark @3", "REPLACE @5 a/x@1 => ok\nPOP => Bookmark@3\nPOP => ReplacedAll@5=a/x@1 initial"},
		{"another version", "Bookmark @3", "BOOKMARK @4 => ok\nPOP => Bookmark@3"},
	})
	judge(t, ruleBookmark, "queue log bookmarks", []judged{
		{"dropped", good, "BOOKMARK @4 => ok\nADD a/y@5 => ok\nPOP => Added=a/y@5"},
		{"none", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"passed on", "Bookmark @4", "BOOKMARK @4 => ok\nPOP => Bookmark@4"},
	})
}

func TestQueueBatch(t *testing.T) {
	const list = "REPLACE @5 a/x@1 a/y@2 => ok\nADD a/z@3 => ok\nUPDATE a/z@4 => ok\n"
	judge(t, ruleBatch, aLog, []judged{
		{"keys once", good, list + "POP-BATCH => Replaced=a/x@1 Replaced=a/y@2 initial\nPOP-BATCH => Added=a/z@3\nPOP-BATCH => Updated=a/z@4"},
		{"small ones", good, list + "POP-BATCH => Replaced=a/x@1 initial\nPOP-BATCH => Replaced=a/y@2 initial"},
		{"one of one", untested, "ADD a/x@1 => ok\nPOP-BATCH => Added=a/x@1"},
		{"no batch", untested, list + "POP => Replaced=a/x@1 initial"},
		{"a key twice", "[Added a/x @1, Updated a/x @2]", "ADD a/x@1 => ok\nUPDATE a/x@2 => ok\nPOP-BATCH => Added=a/x@1 Updated=a/x@2"},
		{"initial and later ones", "both: [Replaced a/x @1, Replaced a/y @2, Added a/z @3]", list + "POP-BATCH => Replaced=a/x@1 Replaced=a/y@2 Added=a/z@3 initial"},
		{"another order", "Added a/y @2", "ADD a/x@1 => ok\nADD a/y@2 => ok\nPOP-BATCH => Added=a/y@2 Added=a/x@1"},
	})
	judge(t, ruleBatch, inLists, []judged{
		{"a list alone", good, "ADD a/z@1 => ok\nREPLACE @5 a/x@1 => ok\nPOP-BATCH => Added=a/z@1\nPOP-BATCH => ReplacedAll@5=a/x@1"},
		{"no batch", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"a resync beside a change", "[Added a/z @1, SyncAll]", "ADD a/z@1 => ok\nRESYNC => ok\nPOP-BATCH => Added=a/z@1 SyncAll"},
	})
}

func TestQueueClose(t *testing.T) {
	judge(t, ruleClose, delta, []judged{
		{"a Pop that waits returns", good, "POP => waits\nCLOSE => ok\npop <- Closed"},
		{"what is left pops", good, "ADD a/x@1 => ok\nCLOSE => ok\nPOP => Added=a/x@1\nPOP => Closed"},
		{"not closed", untested, "ADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"they waited before it", untested, "pop -> POP\npop2 -> POP\npop <- waits\nADD a/x@1 => ok\nADD a/y@2 => ok\npop <- Added=a/x@1\npop2 <- Added=a/y@2\nCLOSE => ok"},
		{"another has the rest when one is told so", untested, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nCLOSE => ok\npop <- Closed\npop2 <- Added=a/x@1"},
		{"after it nothing is judged", untested, "CLOSE => ok\nADD a/x@1 => ok\nPOP => Added=a/x@1"},
		{"one of two still waits for what is left", untested, "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\npop <- Added=a/x@1\nCLOSE => ok\npop2 <- waits"},
		{"one of two still waits for nothing", "nothing: the Pop still waits", "pop -> POP\npop2 -> POP\nADD a/x@1 => ok\nADD a/y@2 => ok\npop <- Added=a/x@1\npop2 <- Added=a/y@2\npop2 -> POP\nCLOSE => ok\npop2 <- waits"},
		{"two return", good, "pop -> POP\npop2 -> POP\nCLOSE => ok\npop <- Closed\npop2 <- Closed"},
		{"within the call", good, "pop -> POP\npop2 -> POP\nc1 -> CLOSE\npop2 <- Closed\npop <- Closed\nc1 <- ok"},
		{"one of two still waits", "nothing: the Pop still waits", "pop -> POP\npop2 -> POP\nCLOSE => ok\npop2 <- Closed\npop <- waits"},
		{"it still waits", "nothing: the Pop still waits", "CLOSE => ok\nPOP => waits"},
		{"it gives nothing, and no error", "[]", "CLOSE => ok\nPOP => Closed\nPOP => initial"},
		{"what is left is dropped", "Closed", "ADD a/x@1 => ok\nCLOSE => ok\nPOP => Closed"},
		{"something more", "[Added a/x @1]", "CLOSE => ok\nPOP => Added=a/x@1"},
		{"it fails while it is open", "it says no", "ADD a/x@1 => ok\nPOP => error"},
	})
}
