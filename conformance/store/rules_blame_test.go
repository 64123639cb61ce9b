package store

import "testing"

// Each wrong state is blamed once, at the change that made it.

const (
	stays   = "OPEN value => ok\nADD a/x@1{red} => ok\nLIST => a/x@1{red}\nREPLACE @5 a/y@2 => ok\nLIST => a/x@1{red} a/y@2\n" // a Replace that takes nothing away
	unmade  = "OPEN value => ok\nADD a/x@1{red} => ok\nLIST => a/x@1{red}\nUPDATE a/x@2{blue} => ok\nLIST => a/x@1{red}\n"     // an Update that does nothing
	torn    = "OPEN value => ok\nADD a/x@1{red} => ok\nLIST => a/x@1{red}\nGET a/x => nothing\n"                               // reads that contradict each other
	deletes = "DELETE a/x@6 => ok\nLIST => a/y@2\n"
)

func TestBlameOfContent(t *testing.T) {
	judge(t, ruleExact, "map index", []judged{
		{"what stays", "a/x @1 {red} (a/x)", stays},
		{"what stays, seen later", "a/x @1 (a/x)", "ADD a/x@1 => ok\nLIST => a/x@1\nREPLACE @5 a/y@2 => ok\nUPDATE a/y@6 => ok\nLIST => a/x@1 a/y@6"},
		{"it is gone", good, "ADD a/x@1 => ok\nLIST => a/x@1\nREPLACE @5 a/y@2 => ok\nUPDATE a/y@6 => ok\nLIST => a/y@6\nREPLACE @7 => ok\nLIST => nothing\nREPLACE @8 a/z@8 => ok\nLIST => a/z@8"},
		{"what came later", untested, "REPLACE @5 => ok\nLIST => nothing\nUPDATE a/y@6 => ok\nLIST => a/x@1 a/y@6"},
	})
	judge(t, ruleUpdate, "map index", []judged{
		{"what a list has left", good, stays + "UPDATE a/y@6 => ok\nLIST => a/x@1{red} a/y@6"},
		{"what a list has left, and nobody has seen since", good, "ADD a/x@1 => ok\nLIST => a/x@1\nREPLACE @5 a/y@2 => ok\nUPDATE a/y@6 => ok\nLIST => a/x@1 a/y@6"},
		{"what a list has left is lost", "nothing (a/x)", stays + "UPDATE a/y@6 => ok\nLIST => a/y@6"},
		{"what a list has left is another", "a/x @3 {red} (a/x)", stays + "UPDATE a/y@6 => ok\nLIST => a/x@3{red} a/y@6"},
		{"it is not made", "a/x @1 {red} (a/x)", unmade},
		{"of what nothing is known", good, torn + "UPDATE a/y@6 => ok\nLIST-KEYS => a/x a/y\nGET a/x => nothing\nLIST => a/y@6"},
		{"of what something is known again, and nobody looks", untested, torn + "UPDATE a/x@6 => ok"},
		{"of what something is known again", good, torn + "UPDATE a/x@6 => ok\nLIST => a/x@6"},
		{"of what something is known again, and wrong", "nothing (a/x)", torn + "UPDATE a/x@6 => ok\nLIST => nothing"},
		{"another came from nowhere", "a/z @9 (a/z)", "REPLACE @5 => ok\nLIST => nothing\nUPDATE a/y@6 => ok\nLIST => a/y@6 a/z@9"},
	})
	judge(t, ruleDelete, "map index", []judged{
		{"of what a list has left", good, stays + deletes},
		{"what a list has left is still there", "a/x @1 {red} (a/x)", stays + "DELETE a/x@6 => ok\nLIST => a/x@1{red} a/y@2"},
		{"of what nothing is known", untested, torn + "DELETE a/z@6 => ok\nLIST => nothing\nGET a/x => a/x@1{red}"},
		{"of what was not made", good, unmade + "DELETE a/x@6 => ok\nLIST => nothing"},
		{"of a key that was told alone", untested, "LIST-KEYS => a/x\nDELETE a/y@6 => ok\nLIST-KEYS => a/x"},
	})
	judge(t, ruleAdd, "map index", []judged{
		{"beside what a list has left", good, stays + "ADD a/z@6 => ok\nLIST => a/x@1{red} a/y@2 a/z@6\nGET a/x => a/x@1{red}"},
		{"beside what was lost before", untested, "UPDATE a/x@1 => ok\nLIST => a/x@1\nDELETE a/y@2 => ok\nLIST => nothing\nADD a/z@6 => ok\nGET a/x => nothing"},
		{"and it is not there", "nothing (a/z)", stays + "ADD a/z@6 => ok\nLIST => a/x@1{red} a/y@2"},
		{"nobody has looked at it before another change", "nothing (a/z)", "ADD a/z@6 => ok\nUPDATE a/y@7 => ok\nLIST => a/y@7"},
	})
	judge(t, ruleKeyError, "map index keys", []judged{
		{"beside what a list has left", good, stays + "ADD a/no-key => KeyError\nLIST => a/x@1{red} a/y@2"},
		{"nobody has looked before it", good, "UPDATE a/x@1 => ok\nADD a/no-key => KeyError\nLIST => nothing"},
		{"and it takes away what a list has left", "nothing (a/x)", stays + "ADD a/no-key => KeyError\nLIST => a/y@2"},
		{"all have keys", untested, stays},
	})
	judge(t, ruleGet, "map", []judged{
		{"beside one that is torn", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nGET a/x => a/x@1\nGET a/y => a/y@2\nLIST => a/y@2"},
		{"the second time", untested, "ADD a/x@1 => ok\nLIST => nothing\nLIST-KEYS => a/x\nDELETE a/y@2 => ok\nLIST => a/x@1\nGET a/x => nothing"},
		{"again, after a change", "nothing (a/x)", "ADD a/x@1 => ok\nLIST-KEYS => nothing\nGET a/x => a/x@1\nADD a/x@2 => ok\nLIST => a/x@2\nGET a/x => nothing"},
	})
}

func TestBlameOfIndexes(t *testing.T) {
	const (
		asWas = stays + "INDEX-KEYS value red => a/x\nINDEX-VALUES value => red\n"
		old   = "OPEN value => ok\nADD a/x@1{red} => ok\nREPLACE @5 a/y@2 => ok\nLIST => a/y@2\nINDEX-KEYS value red => a/x\nINDEX-VALUES value => red\n"
		late  = "ADD a/x@1{red} => ok\nADD-INDEXERS value => ok\nINDEX-KEYS value red => a/x\n"
	)
	judge(t, ruleFunction, "map index", []judged{
		{"it follows what a list has left", good, asWas},
		{"it follows what was not made", good, unmade + "BY-INDEX value red => a/x@1{red}\nINDEX-KEYS value red => a/x"},
		{"it follows what should be", "[]", unmade + "BY-INDEX value red => nothing\nBY-INDEX value blue => a/x@2{blue}"},
		{"what a Replace has left behind", untested, old + "DELETE a/z@7 => ok\nINDEX-KEYS value red => a/x\nINDEX-VALUES value => red"},
		{"and it is left behind by its own change", "[a/x]", old + "ADD a/x@7{red} => ok\nDELETE a/x@8 => ok\nINDEX-KEYS value red => a/x"},
		{"a value is missing beside it", "[red]", old + "UPDATE a/y@7{green} => ok\nINDEX-VALUES value => red"},
		{"of what nothing is known", untested, torn + "BY-INDEX value red => nothing\nINDEX-VALUES value => nothing"},
		{"a value more, where something is unknown", untested, torn + "INDEX-VALUES value => green"},
		{"a late one, after a change", "[a/x]", late + "UPDATE a/x@2{blue} => ok\nINDEX-KEYS value red => a/x"},
		{"a late one that never had it", untested, "ADD a/x@1{red} => ok\nADD-INDEXERS value => ok\nINDEX-KEYS value red => nothing"},
	})
	judge(t, ruleExact, "map index", []judged{
		{"what it has left behind", "[a/x]", old},
		{"what it has left, which the index has not", "a/x @1 {red} (a/x)", stays + "INDEX-KEYS value red => nothing"},
		{"a right one", good, "OPEN value => ok\nREPLACE @5 a/y@2{red} => ok\nINDEX-KEYS value red => a/y"},
		{"a query alone is wrong", good, "OPEN value => ok\nREPLACE @5 a/y@2{red} => ok\nINDEX value a/q{red} => nothing\nBY-INDEX value red => a/y@2{red}"},
		{"nobody asks", untested, "OPEN value => ok\nREPLACE @5 a/y@2{red} => ok"},
	})
	judge(t, ruleQuery, "map index", []judged{
		{"the index is wrong", untested, "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX value a/q{red} => nothing\nBY-INDEX value red => nothing"},
		{"the index is right", "[]", "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX value a/q{red} => nothing\nBY-INDEX value red => a/x@1{red}"},
		{"the union", good, stays + "INDEX value a/q{red,blue} => a/x@1{red}"},
	})
	judge(t, ruleLate, "map index", []judged{
		{"it covers what is there", good, late},
		{"it covers what a list has left", good, stays + "ADD-INDEXERS namespace => ok\nINDEX-KEYS namespace a => a/x a/y"},
		{"a value of what was there is missing", "[]", "ADD a/x@1{red} => ok\nADD-INDEXERS value => ok\nINDEX-VALUES value => nothing"},
		{"it is wrong after a change", good, late + "UPDATE a/x@2{blue} => ok\nINDEX-KEYS value red => a/x"},
		{"only what came later", untested, "ADD-INDEXERS value => ok\nADD a/x@1{red} => ok\nINDEX-KEYS value red => nothing"},
	})
	judge(t, ruleKeyError, "map index keys", []judged{
		{"what was wrong before", good, old + "ADD a/no-key => KeyError\nINDEX-KEYS value red => a/x\nINDEX-VALUES value => red"},
		{"what is wrong since", "[]", "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX-KEYS value red => a/x\nADD a/no-key => KeyError\nINDEX-KEYS value red => nothing"},
		{"all have keys", untested, old},
	})
}

func TestBlameOfAges(t *testing.T) {
	const old = "OPEN ttl=2s => ok\nADD a/x@1 => ok\nLIST => a/x@1\n... 3s\n"
	judge(t, ruleTTL, "map expiring", []judged{
		{"what was just put there is taken for old", "nothing (a/x)", old + "REPLACE @5 a/x@2 => ok\nLIST => nothing\nLIST-KEYS => a/x"},
		{"what was put over it is not there", untested, old + "ADD a/x@2 => ok\nLIST => nothing\nLIST-KEYS => nothing\n... 1s\nLIST => nothing"},
		{"it is gone", good, old + "LIST => nothing\nLIST-KEYS => a/x\nDELETE a/x@2 => ok\nLIST-KEYS => nothing"},
	})
	judge(t, ruleDelete, "map expiring", []judged{
		{"an old one that is still told", "a/x (a/x)", old + "DELETE a/x@2 => ok\nLIST-KEYS => a/x\nLIST => nothing"},
		{"an old one", good, old + "LIST => nothing\nDELETE a/x@2 => ok\nLIST-KEYS => nothing\nLIST => nothing"},
		{"of nothing", untested, "OPEN ttl=2s => ok\nDELETE a/x@2 => ok\nLIST => nothing"},
		{"a young one", good, "OPEN ttl=2s => ok\nADD a/x@1 => ok\nLIST => a/x@1\nDELETE a/x@2 => ok\nLIST => nothing"},
	})
	judge(t, ruleUpdate, "map expiring", []judged{
		{"it was taken for old too soon", untested, "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 1s\nLIST => nothing\nUPDATE a/y@2 => ok\nGET a/x => nothing"},
		{"it is there", good, "OPEN ttl=2s => ok\nUPDATE a/x@1 => ok\nLIST => a/x@1"},
		{"it is not there", "nothing (a/x)", "OPEN ttl=2s => ok\nUPDATE a/x@1 => ok\nLIST => nothing"},
	})
}

func TestBlameOfVersions(t *testing.T) {
	const refused = "REPLACE @5 a/x@1 => ok\nLIST => a/x@1\nUPDATE a/x@7 => ok\nLIST => a/x@1\n" // an Update that does nothing
	judge(t, ruleVersion, "map version", []judged{
		{"of what was not made", untested, refused + "VERSION => @5"},
		{"of what was not made, again", good, refused + "VERSION => @5\nRESYNC => ok\nBOOKMARK @9 => ok\nVERSION => @9\nADD a/y@11 => ok\nVERSION => @11"},
		{"of what some reads say is not made", "@5", "REPLACE @5 a/x@1 => ok\nUPDATE a/x@7 => ok\nLIST => a/x@7\nGET a/x => a/x@1\nVERSION => @5"},
		{"of what was not made, and the next", "@5", refused + "VERSION => @5\nUPDATE a/x@8 => ok\nLIST => a/x@8\nVERSION => @5"},
	})
}
