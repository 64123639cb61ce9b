package store

import "testing"

func TestBasicAdd(t *testing.T) {
	judge(t, ruleAdd, "map", []judged{
		{"what was added is there", good, "ADD a/x@1 => ok\nGET a/x => a/x@1\nLIST => a/x@1"},
		{"no read after it", untested, "ADD a/x@1 => ok"},
		{"a queue has no content", untested, "ADD a/x@1 => ok\nSYNCED => true"},
		{"it is not there", "nothing (a/x)", "ADD a/x@1 => ok\nGET a/x => nothing\nLIST => nothing"},
		{"the old one is", "a/x @1 (a/x)", "ADD a/x@1 => ok\nADD a/x@2 => ok\nGET a/x => a/x@1\nLIST => a/x@1\nLIST-KEYS => a/x"},
		{"another has gone", "nothing (a/y)", "ADD a/y@1 => ok\nGET a/y => a/y@1\nADD a/x@2 => ok\nGET a/y => nothing\nGET a/x => a/x@2"},
		{"it is refused", "it says no", "ADD a/x@1 => error"},
		{"among others at once", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nLIST => a/x@1 a/y@2"},
		{"at once, and not there", "nothing (a/y)", "APPLY-ALL UPDATE=a/x@1 ADD=a/y@2 => ok\nLIST => a/x@1"},
		{"at once, and refused", "it says no", "APPLY-ALL ADD=a/x@1 => error"},
		{"calls overlap", undecided, "u1 -> ADD a/x@1\nu2 -> ADD a/x@2\nu1 <- ok\nu2 <- ok\nGET a/x => nothing"},
		{"an answer never came", undecided, "u1 -> ADD a/x@1"},
	})
}

func TestBasicUpdate(t *testing.T) {
	judge(t, ruleUpdate, "map", []judged{
		{"what was updated is there", good, "UPDATE a/x@1 => ok\nGET-BY-KEY a/x => a/x@1"},
		{"no read of it", untested, "UPDATE a/x@1 => ok\nGET a/y => nothing"},
		{"it is not there", "nothing (a/x)", "UPDATE a/x@1 => ok\nLIST => nothing"},
		{"at once, the last of a key", good, "APPLY-ALL UPDATE=a/x@1 UPDATE=a/x@2 => ok\nLIST => a/x@2"},
		{"at once, the first of a key", "a/x @1 (a/x)", "APPLY-ALL UPDATE=a/x@1 UPDATE=a/x@2 => ok\nLIST => a/x@1"},
		{"another body", "a/x @1 old (a/x)", "UPDATE a/x@1:new => ok\nLIST => a/x@1:old"},
	})
}

func TestBasicDelete(t *testing.T) {
	judge(t, ruleDelete, "map", []judged{
		{"what was seen is gone", good, "ADD a/x@1 => ok\nLIST => a/x@1\nDELETE a/x@2 => ok\nLIST => nothing"},
		{"without its final state", good, "ADD a/x@1 => ok\nLIST => a/x@1\nDELETE? a/x@2 => ok\nLIST => nothing"},
		{"it was never seen", untested, "ADD a/x@1 => ok\nDELETE a/x@1 => ok\nLIST => nothing"},
		{"nothing was there", untested, "DELETE a/x@1 => ok\nGET a/x => nothing"},
		{"it is still there", "a/x @1 (a/x)", "ADD a/x@1 => ok\nLIST => a/x@1\nDELETE a/x@1 => ok\nLIST => a/x@1"},
		{"it took a neighbour", "nothing (b/x)", "ADD b/x@1 => ok\nLIST => b/x@1\nDELETE a/x@1 => ok\nLIST => nothing"},
	})
}

func TestBasicReads(t *testing.T) {
	judge(t, ruleGet, "map", []judged{
		{"as the list has it", good, "ADD a/x@1 => ok\nLIST => a/x@1\nGET a/x => a/x@1"},
		{"gone", good, "ADD a/x@1 => ok\nGET a/x => a/x@1\nDELETE a/x@1 => ok\nGET a/x => nothing"},
		{"never there", untested, "GET a/x => nothing"},
		{"the list has another", "a/x @0 (a/x)", "ADD a/x@1 => ok\nLIST => a/x@1\nGET a/x => a/x@0"},
		{"an error", "it says no", "ADD a/x@1 => ok\nGET a/x => error"},
		{"of nothing", "a/x (a/x)", "GET a/x => a/x"},
	})
	judge(t, ruleList, "map", []judged{
		{"all", good, "ADD a/x@1 => ok\nADD b/x@2 => ok\nLIST => b/x@2 a/x@1\nGET a/x => a/x@1"},
		{"of nothing", untested, "LIST => nothing"},
		{"one is missing", "nothing (b/x)", "ADD a/x@1 => ok\nADD b/x@2 => ok\nLIST => a/x@1\nGET b/x => b/x@2"},
		{"one comes twice", "a/x twice", "ADD a/x@1 => ok\nLIST => a/x@1 a/x@1"},
		{"one too many", "a/y @2 (a/y)", "ADD a/x@1 => ok\nLIST => a/x@1 a/y@2\nGET a/y => nothing"},
		{"an error", "it says no", "LIST => error"},
	})
	judge(t, ruleKeys, "map", []judged{
		{"all", good, "ADD a/x@1 => ok\nLIST-KEYS => a/x"},
		{"of nothing", untested, "LIST-KEYS => nothing"},
		{"one is missing", "nothing (a/x)", "ADD a/x@1 => ok\nLIST-KEYS => nothing\nGET a/x => a/x@1"},
		{"one too many", "a/y (a/y)", "ADD a/x@1 => ok\nLIST-KEYS => a/x a/y\nGET a/y => nothing"},
	})
}

func TestKeyError(t *testing.T) {
	judge(t, ruleKeyError, "map keys index", []judged{
		{"it comes back", good, "ADD a/no-key => KeyError\nREPLACE @5 a/x@1 a/no-key => KeyError\nGET a/no-key => KeyError"},
		{"one of several has none and is left out", good, "APPLY-ALL ADD=a/x@1 ADD=a/no-key => KeyError\nLIST => a/x@1\nGET a/x => a/x@1"},
		{"or all are", good, "APPLY-ALL ADD=a/x@1 ADD=a/no-key => KeyError\nLIST => nothing\nGET a/x => nothing"},
		{"or one read says so", "nothing (a/x)", "ADD a/x@0 => ok\nGET a/x => a/x@0\nAPPLY-ALL UPDATE=a/x@1 ADD=a/no-key => KeyError\nLIST => nothing\nGET a/x => nothing"},
		{"and what comes then is made", good, "ADD a/z@0 => ok\nAPPLY-ALL DELETE=a/z@1 ADD=a/no-key => KeyError\nADD a/y@2 => ok\nLIST => a/z@0 a/y@2\nGET a/z => a/z@0\nGET a/y => a/y@2"},
		{"twice, and nobody knows what is there", good, "APPLY-ALL ADD=a/x@1 ADD=a/no-key => KeyError\nAPPLY-ALL DELETE=a/x@2 ADD=a/no-key => KeyError\nLIST => a/x@1\nGET a/x => a/x@1"},
		{"one of several has none, and nobody says so", "no error", "APPLY-ALL ADD=a/x@1 ADD=a/no-key => ok"},
		{"all have keys", untested, "ADD a/x@1 => ok\nGET a/x => a/x@1"},
		{"no error", "no error", "ADD a/no-key => ok"},
		{"another error", "it says no", "DELETE a/no-key => error"},
		{"of a read", "no error", "GET a/no-key => nothing"},
		{"something has changed", "nothing (a/x)", "ADD a/x@1 => ok\nGET a/x => a/x@1\nREPLACE @5 a/y@1 a/no-key => KeyError\nGET a/x => nothing"},
		{"an index has", "[]", "OPEN value => ok\nADD a/x@1{red} => ok\nREPLACE @5 a/y@1 a/no-key => KeyError\nINDEX-KEYS value red => nothing"},
	})
}

func TestReplaceExact(t *testing.T) {
	judge(t, ruleExact, "map index", []judged{
		{"the list", good, "ADD a/x@1 => ok\nREPLACE @5 a/y@2 a/z@3 => ok\nLIST => a/y@2 a/z@3"},
		{"the last of a key", good, "REPLACE @5 a/y@2 a/y@3 => ok\nGET a/y => a/y@3"},
		{"an index of it", good, "OPEN value => ok\nREPLACE @5 a/y@2{red} => ok\nINDEX-KEYS value red => a/y"},
		{"no read after it", untested, "REPLACE @5 a/y@2 => ok"},
		{"something stayed", "a/x @1 (a/x)", "ADD a/x@1 => ok\nREPLACE @5 a/y@2 => ok\nLIST => a/x@1 a/y@2"},
		{"something is missing", "nothing (a/z)", "REPLACE @5 a/y@2 a/z@3 => ok\nLIST => a/y@2"},
		{"the first of a key", "a/y @2 (a/y)", "REPLACE @5 a/y@2 a/y@3 => ok\nGET a/y => a/y@2"},
		{"an index of what was", "[a/x]", "OPEN value => ok\nADD a/x@1{red} => ok\nREPLACE @5 a/y@2{red} => ok\nINDEX-KEYS value red => a/x"},
		{"it is refused", "it says no", "REPLACE @5 => error"},
	})
}

func TestVersionTold(t *testing.T) {
	judge(t, ruleVersion, "map version", []judged{
		{"of the last change", good, "ADD a/x@1 => ok\nVERSION => @1\nREPLACE @5 a/x@1 => ok\nVERSION => @5\nBOOKMARK @7 => ok\nVERSION => @7\nDELETE a/x@9 => ok\nVERSION => @9"},
		{"an older object", good, "REPLACE @5 => ok\nADD a/x@1 => ok\nVERSION => @1"},
		{"a tombstone does not move it", good, "REPLACE @5 a/x@1 => ok\nDELETE? a/x@4 => ok\nVERSION => @5"},
		{"an object without one", good, "REPLACE @5 => ok\nADD a/x => ok\nVERSION => @5"},
		{"of the last of several", good, "APPLY-ALL ADD=a/x@1 DELETE=a/y@2 => ok\nVERSION => @2"},
		{"of the last that has one", good, "APPLY-ALL ADD=a/x@1 DELETE?=a/y@2 => ok\nVERSION => @1"},
		{"from before several", "@5", "REPLACE @5 => ok\nAPPLY-ALL ADD=a/x@7 DELETE?=a/y@6 => ok\nVERSION => @5"},
		{"several of which one has no key move it, or do not", good, "REPLACE @5 => ok\nAPPLY-ALL ADD=a/x@6 ADD=a/no-key => KeyError\nVERSION => @5\nVERSION => @6"},
		{"it tells none", untested, "ADD a/x@1 => ok\nVERSION => @"},
		{"a delete of what is absent moves it", good, "REPLACE @5 a/x@1 => ok\nDELETE a/y@6 => ok\nVERSION => @6"},
		{"or does not", good, "REPLACE @5 a/x@1 => ok\nDELETE a/y@6 => ok\nVERSION => @5"},
		{"a delete of what is there does not", "@5", "REPLACE @5 a/x@1 => ok\nDELETE a/x@6 => ok\nVERSION => @5"},
		{"what fails does not move it", good, "REPLACE @5 a/x@1 => ok\nREPLACE @6 a/x@2 a/no-key => KeyError\nVERSION => @5"},
		{"of what failed", "@6", "REPLACE @5 a/x@1 => ok\nREPLACE @6 a/x@2 a/no-key => KeyError\nVERSION => @6"},
		{"a list without one", good, "REPLACE @5 => ok\nREPLACE @ a/x@6 => ok\nVERSION => @5"},
		{"of what is in a list without one", "@6", "REPLACE @5 => ok\nREPLACE @ a/x@6 => ok\nVERSION => @6"},
		{"an older one", "@1", "ADD a/x@1 => ok\nADD a/x@2 => ok\nVERSION => @1"},
		{"the tombstone's", "@4", "REPLACE @5 a/x@1 => ok\nDELETE? a/x@4 => ok\nVERSION => @4"},
		{"an error", "it says no", "VERSION => error"},
		{"of nobody", "@3", "VERSION => @3"},
	})
}

func TestIndexFunction(t *testing.T) {
	judge(t, ruleFunction, "map index", []judged{
		{"from one to several", good, "OPEN value => ok\nADD a/x@1{red} => ok\nUPDATE a/x@2{red,blue} => ok\nBY-INDEX value red => a/x@2{red,blue}\nINDEX-KEYS value blue => a/x\nINDEX-VALUES value => red blue"},
		{"to none", good, "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX-VALUES value => red\nUPDATE a/x@2 => ok\nINDEX-VALUES value => nothing\nINDEX-KEYS value red => nothing"},
		{"nothing was ever there", untested, "OPEN value => ok\nINDEX-KEYS value red => nothing\nADD a/x@1 => ok\nINDEX-KEYS value red => nothing"},
		{"lost", "[]", "OPEN value => ok\nADD a/x@1{red} => ok\nUPDATE a/x@2{red,blue} => ok\nINDEX-KEYS value red => nothing"},
		{"left behind", "[a/x]", "OPEN value => ok\nADD a/x@1{red} => ok\nDELETE a/x@1 => ok\nINDEX-KEYS value red => a/x"},
		{"an old state", "[a/x @1 {red}]", "OPEN value => ok\nADD a/x@1{red} => ok\nUPDATE a/x@2{red} => ok\nBY-INDEX value red => a/x@1{red}"},
		{"an empty value is listed", "[blue, red]", "OPEN value => ok\nADD a/x@1{red} => ok\nUPDATE a/x@2{blue} => ok\nINDEX-VALUES value => red blue"},
		{"an error", "it says no", "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX-KEYS value red => error"},
	})
}

func TestIndexQuery(t *testing.T) {
	judge(t, ruleQuery, "map index", []judged{
		{"the union", good, "OPEN value => ok\nADD a/x@1{red,blue} => ok\nADD a/y@2{blue} => ok\nINDEX value a/q{red,blue} => a/x@1{red,blue} a/y@2{blue}"},
		{"no such index", good, "BY-INDEX other red => error"},
		{"nothing to find", untested, "OPEN value => ok\nADD a/x@1{red} => ok\nINDEX value a/q{blue} => nothing"},
		{"one twice", "[a/x @1 {blue,red}, a/x @1 {blue,red}]", "OPEN value => ok\nADD a/x@1{red,blue} => ok\nINDEX value a/q{red,blue} => a/x@1{red,blue} a/x@1{red,blue}"},
		{"an unknown index is empty", "no error", "INDEX other a/q{red} => nothing"},
	})
}

func TestIndexLate(t *testing.T) {
	judge(t, ruleLate, "map index", []judged{
		{"neither of two, where one is there", good, "OPEN namespace => ok\nADD-INDEXERS value,namespace => error\nADD-INDEXERS value => ok"},
		{"or the other of two", good, "OPEN namespace => ok\nADD a/x@1{red} => ok\nADD-INDEXERS value,namespace => error\nBY-INDEX value red => a/x@1{red}\nADD-INDEXERS value => error"},
		{"which nobody has asked for", good, "OPEN namespace => ok\nADD-INDEXERS value,namespace => error\nADD-INDEXERS value => error"},
		{"which is not there, and then refused", "it says no", "OPEN namespace => ok\nADD-INDEXERS value,namespace => error\nBY-INDEX value red => error\nADD-INDEXERS value => error"},
		{"the other of two is there, and empty", "[]", "OPEN namespace => ok\nADD a/x@1{red} => ok\nADD-INDEXERS value,namespace => error\nBY-INDEX value red => nothing"},
		{"the other of two is there, and taken again", "no error", "OPEN namespace => ok\nADD a/x@1{red} => ok\nADD-INDEXERS value,namespace => error\nBY-INDEX value red => a/x@1{red}\nADD-INDEXERS value => ok"},
		{"it covers what is there", good, "ADD a/x@1{red} => ok\nADD-INDEXERS value => ok\nINDEX-KEYS value red => a/x"},
		{"a second is refused", good, "OPEN value => ok\nADD-INDEXERS value => error"},
		{"nothing was there", untested, "ADD-INDEXERS value => ok\nADD a/x@1{red} => ok\nINDEX-KEYS value red => a/x"},
		{"it is empty", "[]", "ADD a/x@1{red} => ok\nADD-INDEXERS value => ok\nINDEX-KEYS value red => nothing"},
		{"a second is accepted", "no error", "OPEN value => ok\nADD-INDEXERS value => ok"},
		{"the first is refused", "it says no", "ADD-INDEXERS value => error"},
	})
}

func TestReplaceAtomic(t *testing.T) {
	const beside = "REPLACE @5 a/x@1 a/y@2 => ok\nw1 -> REPLACE @6 a/x@3 a/z@4\n"
	judge(t, ruleAtomic, "map", []judged{
		{"the old content", good, beside + "r1 -> LIST\nw1 <- ok\nr1 <- a/x@1 a/y@2"},
		{"the new one", good, beside + "r1 -> LIST-KEYS\nr1 <- a/x a/z\nw1 <- ok"},
		{"nothing beside it", untested, "REPLACE @5 a/x@1 => ok\nLIST => a/x@1"},
		{"changes overlap", undecided, beside + "w2 -> ADD a/q@9\nr1 -> LIST\nw1 <- ok\nw2 <- ok\nr1 <- a/x@1"},
		{"beside an Add alone", untested, "REPLACE @5 a/x@1 => ok\nw1 -> ADD a/y@2\nr1 -> LIST\nw1 <- ok\nr1 <- a/q@7"},
		{"a mix", "[a/x @3, a/y @2]", beside + "r1 -> LIST\nw1 <- ok\nr1 <- a/x@3 a/y@2"},
		{"half", "[a/x]", beside + "r1 -> LIST-KEYS\nw1 <- ok\nr1 <- a/x"},
		{"nothing", "[]", beside + "r1 -> LIST\nw1 <- ok\nr1 <- nothing"},
		{"one that failed", untested, beside + "r1 -> LIST\nw1 <- ok\nr1 <- error"},
		{"one that has not returned", untested, beside + "r1 -> LIST\nw1 <- ok"},
	})
	judge(t, ruleAtomic, "map expiring", []judged{
		{"a list of one that forgets", untested, beside + "r1 -> LIST\nw1 <- ok\nr1 <- a/x@3 a/y@2"},
		{"its keys", good, beside + "r1 -> LIST-KEYS\nr1 <- a/x a/z\nw1 <- ok"},
		{"half of them", "[a/z]", beside + "r1 -> LIST-KEYS\nr1 <- a/z\nw1 <- ok"},
		{"most of many", "7 objects [a/a, a/b, a/c, a/d, a/e, a/f, … 1 more]: of the nearest of these it lacks [a/h], has besides [a/i]",
			"REPLACE @1 a/a@1 a/b@1 => ok\nw1 -> REPLACE @1 a/a@1 a/b@1 a/c@1 a/d@1 a/e@1 a/f@1 a/h@1\nr1 -> LIST-KEYS\nr1 <- a/a a/b a/c a/d a/e a/f a/i\nw1 <- ok"},
		{"one of many twice", "8 objects [a/a, a/a, a/b, a/c, a/d, a/e, … 2 more]: of the nearest of these it has one twice",
			"REPLACE @1 a/a@1 a/b@1 => ok\nw1 -> REPLACE @1 a/a@1 a/b@1 a/c@1 a/d@1 a/e@1 a/f@1 a/h@1\nr1 -> LIST-KEYS\nr1 <- a/a a/a a/b a/c a/d a/e a/f a/h\nw1 <- ok"},
	})
}

func TestLinearizable(t *testing.T) {
	judge(t, ruleLinear, "map", []judged{
		{"either order", good, "u1 -> ADD a/x@1\nu2 -> ADD a/x@2\nu1 <- ok\nu2 <- ok\nGET a/x => a/x@1"},
		{"the old one while it is written", good, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nGET a/x => a/x@1\nLIST => a/x@2\nu1 <- ok"},
		{"one that was never answered may come late", good, "u1 -> ADD a/x@1\nGET a/x => nothing\nLIST => a/x@1"},
		{"a refused one did not happen", untested, "u1 -> ADD a/no-key@1\nu2 -> LIST\nu1 <- KeyError\nu2 <- nothing"},
		{"one that has a key is refused", "KeyError", "u1 -> ADD a/x@1\nu2 -> LIST\nu1 <- KeyError\nu2 <- nothing"},
		{"a key twice", "a/x twice", "u1 -> ADD a/x@1\nu2 -> LIST\nu1 <- ok\nu2 <- a/x@1 a/x@1"},
		{"nothing overlaps", untested, "ADD a/x@1 => ok\nGET a/x => nothing"},
		{"a read that began before the write", good, "ADD a/x@1 => ok\nu1 -> GET a/x\nUPDATE a/x@2 => ok\nu1 <- a/x@2"},
		{"new, and then old", "none: at #7 it was a/x @1", "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nLIST => a/x@2\nGET a/x => a/x@1\nu1 <- ok"},
		{"gone, and then there", "none: at #7 it was a/x @1", "ADD a/x@1 => ok\nu1 -> DELETE a/x@2\nLIST-KEYS => nothing\nGET a/x => a/x@1\nu1 <- ok"},
		{"a key that nobody has written", "a/y", "u1 -> REPLACE @5 a/x@1\nLIST-KEYS => a/y\nu1 <- ok"},
		{"too many of which nobody knows", undecided, "u1 -> ADD a/x@1\nu2 -> ADD a/x@2\nu3 -> ADD a/x@3\nu4 -> ADD a/x@4\nu5 -> ADD a/x@5\nu6 -> ADD a/x@6\nu7 -> ADD a/x@7\nGET a/x => a/x@0"},
	})
}

func TestLinearizableByIndexes(t *testing.T) {
	judge(t, ruleLinear, "map index", []judged{
		{"before and after", good, "ADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{blue}\nBY-INDEX value red => a/x@1{red}\nBY-INDEX value blue => a/x@2{blue}\nu1 <- ok"},
		{"the value stays", good, "ADD a/x@1{red,blue} => ok\nu1 -> UPDATE a/x@2{red}\nINDEX value a/q{red,green} => a/x@2{red}\nINDEX-KEYS value blue => nothing\nu1 <- ok"},
		{"one that is gone", good, "ADD a/x@1{red} => ok\nu1 -> DELETE a/x@2\nBY-INDEX namespace a => a/x@1{red}\nBY-INDEX namespace a => nothing\nu1 <- ok"},
		{"an index that there is not", untested, "u1 -> ADD a/x@1{red}\nBY-INDEX unknown red => error\nu1 <- ok"},
		{"nothing overlaps", untested, "ADD a/x@1{red} => ok\nBY-INDEX value red => nothing"},
		{"new, and then old", "none: at #7 it was a/x @1 {red}", "ADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{blue}\nBY-INDEX value blue => a/x@2{blue}\nBY-INDEX value red => a/x@1{red}\nu1 <- ok"},
		{"under a value that it has not in that state", "none: at #5 it was a/x @2 {blue}", "ADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{blue}\nBY-INDEX value red => a/x@2{blue}\nu1 <- ok"},
		{"under no value, though it always had it", "none: at #7 it was nothing", "ADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{red}\nGET a/x => a/x@1{red}\nINDEX-KEYS value red => nothing\nu1 <- ok"},
		{"its values", good, "OPEN value => ok\nADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{blue}\nINDEX-VALUES value => red\nINDEX-VALUES value => blue\nu1 <- ok"},
		{"the values of an index that there is not yet", good, "ADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{blue}\nINDEX-VALUES value => nothing\nu2 -> ADD-INDEXERS value\nINDEX-VALUES value => nothing\nu2 <- ok\nGET a/x => a/x@1{red}\nu1 <- ok"},
		{"two add one index, and one is refused", good, "ADD a/x@1{red} => ok\nu1 -> ADD-INDEXERS value\nu2 -> ADD-INDEXERS value\nu1 <- error\nu2 <- ok\nu1 -> DELETE a/x@2\nBY-INDEX value red => a/x@1{red}\nu1 <- ok"},
		{"one adds an index, and is refused", "it says no", "u1 -> ADD-INDEXERS value\nADD a/x@1 => ok\nu1 <- error"},
		{"a value is missing that it always had", "none: at #7 it was nothing", "OPEN value => ok\nADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{red,blue}\nINDEX-VALUES value => blue\nu1 <- ok"},
		{"a value twice", "red twice", "OPEN value => ok\nADD a/x@1{red} => ok\nu1 -> UPDATE a/x@2{red}\nINDEX-VALUES value => red red\nu1 <- ok"},
		{"an index that was not made", untested, "OPEN namespace => ok\nu1 -> ADD a/x@1{red}\nBY-INDEX value red => error\nu1 <- ok"},
		{"no answer", "it says no", "OPEN value => ok\nADD a/x@1{red} => ok\nu1 -> DELETE a/x@2\nBY-INDEX value red => error\nu1 <- ok"},
		{"a key twice", "a/x twice", "u1 -> ADD a/x@1{red}\nINDEX value a/q{red} => a/x@1{red} a/x@1{red}\nu1 <- ok"},
	})
}

func TestVersionToldBeside(t *testing.T) {
	judge(t, ruleVersion, "map version", []judged{
		{"and there", good, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => @1\nGET a/x => a/x@1\nVERSION => @2\nGET a/x => a/x@2\nu1 <- ok"},
		{"there before it is told", good, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nu2 -> VERSION\nGET a/x => a/x@2\nu2 <- @1\nu1 <- ok"},
		{"that of another object, or of a bookmark", good, "ADD a/x@1 => ok\nu1 -> ADD a/y@2\nVERSION => @2\nGET a/x => a/x@1\nu2 -> BOOKMARK @7\nVERSION => @7\nu2 <- ok\nu1 <- ok"},
		{"of a list", good, "ADD a/x@1 => ok\nu1 -> REPLACE @5 a/y@4\nVERSION => @5\nGET a/x => nothing\nu1 <- ok"},
		{"none is told", untested, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => @\nGET a/x => a/x@1\nu1 <- ok"},
		{"a refused one", good, "ADD a/x@1 => ok\nu1 -> UPDATE a/no-key@2\nu2 -> UPDATE a/x@3\nVERSION => @1\nGET a/x => a/x@1\nu1 <- KeyError\nu2 <- ok"},
		{"one that may have happened", good, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nGET a/x => a/x@1\nu1 <- error\nVERSION => @2"},
		{"too many of which nobody knows", undecided, "u1 -> ADD a/x@1\nu2 -> ADD a/x@2\nu3 -> ADD a/x@3\nu4 -> ADD a/x@4\nu5 -> ADD a/x@5\nu6 -> ADD a/x@6\nu7 -> ADD a/x@7\nVERSION => @9"},
		{"of a refused one", "none: at #6 it was 2", "ADD a/x@1 => ok\nu1 -> UPDATE a/no-key@2\nu2 -> UPDATE a/x@3\nVERSION => @2\nu1 <- KeyError\nu2 <- ok"},
		{"what was told before is told first", "@9", "ADD a/x@1 => ok\nVERSION => @9\nu1 -> UPDATE a/x@2\nVERSION => @2\nu1 <- ok"},
		{"several at once", undecided, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nVERSION => @2\nu1 <- ok"},
		{"the deletion of a missing object may leave the version as it is", undecided, "REPLACE @1 a/y@1 => ok\nDELETE a/x@2 => ok\nVERSION => @1\nu1 -> UPDATE a/y@3\nLIST => a/y@1\nu1 <- ok"},
		{"a delete of what is there moves it", "none: at #7 it was 1", "ADD a/x@1 => ok\nDELETE a/x@2 => ok\nu1 -> UPDATE a/y@3\nVERSION => @1\nu1 <- ok"},
		{"several at once, of which one has no key", undecided, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/no-key@2\nVERSION => @1\nu1 <- KeyError\nVERSION => @1"},
		{"a tombstone", undecided, "u1 -> DELETE? a/x@1\nVERSION => @2\nu1 <- ok"},
		{"no order of the content", undecided, "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nGET a/x => a/x@2\nGET a/x => a/x@1\nVERSION => @2\nu1 <- ok"},
		{"and not there", "none: at #7 it was a/x @1", "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => @2\nGET a/x => a/x@1\nu1 <- ok"},
		{"and the old list there", "none: at #7 it was a/x @1", "ADD a/x@1 => ok\nu1 -> REPLACE @5 a/y@4\nVERSION => @5\nGET a/x => a/x@1\nu1 <- ok"},
		{"backwards", "none: at #7 it was 1", "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => @2\nVERSION => @1\nu1 <- ok"},
		{"an error", "it says no", "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => error\nu1 <- ok"},
		{"nobody's", "none: at #5 it was 9", "ADD a/x@1 => ok\nu1 -> UPDATE a/x@2\nVERSION => @9\nu1 <- ok"},
	})
}

func TestVersionOfExpiring(t *testing.T) {
	judge(t, ruleVersion, "map expiring version", []judged{
		{"moved by an add", good, "REPLACE @5 => ok\nADD a/x@7 => ok\nVERSION => @7"},
		{"kept at an add and an update", good, "REPLACE @5 => ok\nADD a/x@7 => ok\nVERSION => @5\nUPDATE a/x@8 => ok\nVERSION => @5"},
		{"moved by a delete", good, "REPLACE @5 => ok\nADD a/x@7 => ok\nDELETE a/x@9 => ok\nVERSION => @9"},
		{"kept at a delete", "@7", "REPLACE @5 => ok\nADD a/x@7 => ok\nDELETE a/x@9 => ok\nVERSION => @7"},
		{"kept at a bookmark", "@5", "REPLACE @5 => ok\nADD a/x@7 => ok\nBOOKMARK @9 => ok\nVERSION => @5"},
		{"nobody's", "@6", "REPLACE @5 => ok\nADD a/x@7 => ok\nVERSION => @6"},
		{"nobody asks", untested, "REPLACE @5 => ok\nADD a/x@7 => ok"},
		{"kept at an add, beside others", undecided, "REPLACE @5 => ok\nu1 -> ADD a/x@7\nVERSION => @5\nu1 <- ok"},
		{"a bookmark that is refused, beside others", "it says no", "REPLACE @5 => ok\nu1 -> ADD a/x@7\nBOOKMARK @9 => error\nu1 <- ok"},
	})
}

func TestUndelta(t *testing.T) {
	judge(t, rulePush, "map undelta", []judged{
		{"one push of all", good, "ADD a/x@1 => ok\nPUSH a/x@1\nUPDATE a/y@2 => ok\nPUSH a/y@2 a/x@1\nDELETE a/x@1 => ok\nPUSH a/y@2"},
		{"within the call", good, "c1 -> ADD a/x@1\nPUSH a/x@1\nc1 <- ok"},
		{"nothing was changed", untested, "RESYNC => ok"},
		{"readers beside it", good, "u1 -> ADD a/x@1\nu2 -> LIST\nPUSH a/x@1\nu1 <- ok\nu2 <- a/x@1"},
		{"two writers, two equal pushes", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"two writers, the last push is not the last content", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nPUSH a/x@1\nu1 <- ok\nu2 <- ok"},
		{"two writers, one push", "1 pushes", "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"two writers, what nobody has put there", "a/z @3", "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/z@3\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"one never answered", undecided, "u1 -> ADD a/x@1\nPUSH a/x@1"},
		{"none", "0 pushes", "ADD a/x@1 => ok\nLIST => a/x@1"},
		{"two", "2 pushes", "ADD a/x@1 => ok\nPUSH a/x@1\nPUSH a/x@1"},
		{"without the change", "[]", "ADD a/x@1 => ok\nPUSH"},
		{"without the rest", "[a/y @2]", "ADD a/x@1 => ok\nPUSH a/x@1\nADD a/y@2 => ok\nPUSH a/y@2"},
		{"late, in real time", undecided, "real time\nADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1 a/y@2"},
		{"late, and all of them", good, "real time\nADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1\nRESYNC => ok\nPUSH a/x@1 a/y@2"},
		{"late, with the content of then", good, "ADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2"},
		{"late, and backwards", "[a/x @1]", "ADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1 a/y@2\nPUSH a/x@1"},
		{"late, and one too many", "2 pushes", "real time\nADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/x@1 a/y@2 a/z@3"},
		{"the first was lost", "0 pushes", "ADD a/x@1 => ok\nADD a/y@2 => ok\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3"},
		{"two writers, a push of nothing", "[]", "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"two writers, a push of what was before", "[a/x @1]", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> UPDATE a/x@2\nu2 -> ADD a/y@3\nPUSH a/x@1\nPUSH a/x@2 a/y@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, one under way was pushed, and the other written over", good, "u1 -> ADD a/x@1\nu2 -> UPDATE a/x@2\nPUSH a/x@2\nPUSH a/x@1\nu1 <- ok\nu2 <- ok"},
		{"two writers, a list and a delete", good, "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> REPLACE @5 a/y@4\nu2 -> DELETE a/x@6\nPUSH\nPUSH a/y@4\nu1 <- ok\nu2 <- ok"},
		{"two writers, a list that has left nothing", "[a/x @1]", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> REPLACE @5 a/y@4\nu2 -> UPDATE a/y@6\nPUSH a/x@1 a/y@6\nu2 <- ok\nPUSH a/x@1\nu1 <- ok"},
		{"two writers, late: nobody knows whose", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2"},
		{"two writers, late, without what is there all the time", "[a/y @2]", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> ADD a/y@2\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nPUSH a/y@2\nPUSH a/x@1 a/y@2 a/z@3"},
		{"two writers, late, behind one that is later", good, "ADD a/w@0 => ok\nADD a/x@1 => ok\nu1 -> ADD a/y@2\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nPUSH a/w@0\nPUSH a/w@0 a/x@1\nPUSH a/w@0 a/x@1 a/y@2\nPUSH a/w@0 a/x@1 a/y@2 a/z@3"},
		{"several at once, one push", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1 a/y@2"},
		{"several at once, a push each", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2"},
		{"several at once, one too many", "3 pushes", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2"},
		{"several at once, each late, behind another change", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nADD a/z@3 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2 a/z@3"},
		{"several at once, each late, with the content of then", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/x@1 a/y@2 a/z@3"},
		{"several at once, one late push, and that of another change", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2 a/z@3"},
		{"several at once, one push, and then one too many", "2 pushes", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1 a/y@2\nAPPLY-ALL UPDATE=a/x@3 UPDATE=a/y@4 => ok\nPUSH a/x@3 a/y@4\nADD a/z@5 => ok\nPUSH a/x@3 a/y@4 a/z@5\nPUSH a/x@3 a/y@4 a/z@5"},
		{"several at once, one push, and then a push each", "0 pushes", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3\nAPPLY-ALL UPDATE=a/x@4 UPDATE=a/y@5 ADD=a/z@6 => ok\nPUSH a/x@4 a/y@2 a/z@3\nPUSH a/x@4 a/y@5 a/z@3\nPUSH a/x@4 a/y@5 a/z@6"},
		{"several at once, each of then, while it was pushed", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/x@1 a/y@2 a/z@3"},
		{"several at once, each late, of before a crowd", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nu1 -> ADD a/z@3\nu2 -> LIST\nu3 -> ADD a/w@4\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/w@4 a/x@1 a/y@2 a/z@3\nu1 <- ok\nu3 <- ok\nu2 <- a/x@1 a/y@2"},
		{"several at once, a push each, and then none", "0 pushes", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok"},
		{"several at once beside another, after the first", good, "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> APPLY-ALL DELETE=a/x@2 ADD=a/y@3\nu2 -> UPDATE a/z@4\nPUSH\nPUSH a/y@3\nPUSH a/y@3 a/z@4\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, before the first", "[a/x @1]", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> APPLY-ALL DELETE=a/x@2 ADD=a/y@3\nu2 -> UPDATE a/y@4\nPUSH a/x@1\nPUSH a/y@3\nPUSH a/y@4\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, by a goroutine", good, "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> APPLY-ALL DELETE=a/x@2 ADD=a/y@3\nu2 -> UPDATE a/y@4\nPUSH\nu1 <- ok\nPUSH a/y@3\nPUSH a/y@4\nu2 <- ok"},
		{"what grows old is pushed, or is not", untested, "OPEN ttl=2s => ok\nADD a/x@1 => ok\nPUSH a/x@1\n... 3s\nADD a/y@2 => ok\nPUSH a/y@2"},
		{"several at once, each late, of before two writers", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nu1 -> APPLY-ALL ADD=a/z@3 ADD=a/w@4\nu2 -> ADD a/v@5\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2 a/z@3\nPUSH a/w@4 a/x@1 a/y@2 a/z@3\nPUSH a/v@5 a/w@4 a/x@1 a/y@2 a/z@3"},
		{"several at once, the late one was written over", good, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1\nUPDATE a/y@3 => ok\nu1 -> ADD a/z@4\nu2 -> ADD a/v@5\nu1 <- ok\nu2 <- ok\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3 a/z@4\nPUSH a/v@5 a/x@1 a/y@3 a/z@4"},
		{"several at once, the late ones beside two writers", good, "APPLY-ALL ADD=a/w@1 ADD=a/x@2 ADD=a/y@3 => ok\nPUSH a/w@1\nu1 -> ADD a/z@4\nu2 -> ADD a/v@5\nu1 <- ok\nu2 <- ok\nPUSH a/w@1 a/x@2\nPUSH a/w@1 a/x@2 a/y@3\nPUSH a/w@1 a/x@2 a/y@3 a/z@4\nPUSH a/v@5 a/w@1 a/x@2 a/y@3 a/z@4"},
		{"several at once, of one key, late", good, "APPLY-ALL ADD=a/x@1 UPDATE=a/x@2 => ok\nu1 -> ADD a/z@4\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@2\nPUSH a/x@2 a/y@3\nPUSH a/x@2 a/y@3 a/z@4"},
		{"several at once, one push, and then another one's late", "[a/x @1, a/y @2]", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1 a/y@2\nADD a/z@3 => ok\nPUSH a/x@1 a/y@2 a/z@3\nADD a/v@4 => ok\nPUSH a/x@1 a/y@2"},
		{"several at once, each, and none for another", "0 pushes", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 ADD=a/w@3 => ok\nADD a/z@4 => ok\nPUSH a/x@1\nPUSH a/x@1 a/y@2\nPUSH a/w@3 a/x@1 a/y@2"},
		{"several at once, of which a late push of before shows half", good, "ADD a/w@1 => ok\nu1 -> APPLY-ALL ADD=a/x@2 ADD=a/y@3\nPUSH a/w@1 a/x@2\nu1 <- ok\nPUSH a/w@1 a/x@2 a/y@3"},
		{"several at once, half of them", "[a/x @1]", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH a/x@1"},
		{"several at once, the wrong one", "[]", "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nPUSH\nPUSH a/x@1 a/y@2"},
		{"two writers, a delete that no push has", "none", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> DELETE a/x@2\nu2 -> ADD a/y@3\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, an update that no push has", "none", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> UPDATE a/x@2\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3"},
		{"two writers, a list that no push has", "none", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> REPLACE @9 a/z@8\nu2 -> ADD a/y@3\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, what a list left out is in each push", "none", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> REPLACE @9\nu2 -> ADD a/y@3\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, one's pushes, and none of the other's", "none but those of other changes", "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1\nu2 <- ok\nu2 -> ADD a/z@3\nPUSH a/x@1\nPUSH a/x@1 a/y@2 a/z@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, an update that another's may have written over", good, "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> UPDATE a/x@2\nu2 -> UPDATE a/x@3\nPUSH a/x@3\nPUSH a/x@3\nu1 <- ok\nu2 <- ok"},
		{"two writers, a delete of what another may have added later", good, "u1 -> DELETE a/x@1\nu2 -> ADD a/x@2\nPUSH a/x@2\nPUSH a/x@2\nu1 <- ok\nu2 <- ok"},
		{"two writers, late and out of order", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nu1 <- ok\nu1 -> ADD a/z@3\nPUSH a/x@1 a/y@2 a/z@3\nu2 <- ok\nPUSH a/x@1\nu1 <- ok"},
		{"two writers, then one: an older content for good", "none", "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@1 a/y@3\nDELETE a/x@4 => ok\nPUSH a/x@1 a/y@3\nUPDATE a/y@5 => ok\nPUSH a/x@1 a/y@3"},
		{"two writers, then one, and nothing for good", "[]", "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH\nPUSH\nDELETE a/x@4 => ok\nPUSH\nUPDATE a/y@5 => ok\nPUSH"},
		{"two writers, then one, all late and of then", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nDELETE a/x@4 => ok\nPUSH a/y@3\nPUSH a/y@3\nUPDATE a/y@5 => ok\nPUSH a/y@5\nPUSH a/y@5"},
		{"two writers, then one: what they left may be either", good, "u1 -> ADD a/x@1\nu2 -> ADD a/x@2\nPUSH a/x@1\nPUSH a/x@1\nu1 <- ok\nu2 <- ok\nADD a/y@3 => ok\nPUSH a/x@2 a/y@3"},
		{"two writers, then one, late and backwards", "none but those of other changes", "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@1 a/y@3\nDELETE a/x@4 => ok\nUPDATE a/y@5 => ok\nPUSH a/y@5\nPUSH a/y@3"},
		{"two writers, then one, late and in order", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1\nPUSH a/x@1 a/y@3\nDELETE a/x@4 => ok\nUPDATE a/y@5 => ok\nPUSH a/y@3\nPUSH a/y@5"},
		{"two writers, then one, before all was pushed: in any order", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nu1 <- ok\nu2 <- ok\nPUSH a/x@1 a/y@3\nDELETE a/x@4 => ok\nPUSH a/y@3\nPUSH a/x@1"},
		{"two writers, then several at once, each late and in order", good, "u1 -> ADD a/x@1\nu2 -> ADD a/y@3\nPUSH a/x@1\nPUSH a/x@1 a/y@3\nu1 <- ok\nu2 <- ok\nAPPLY-ALL DELETE=a/x@4 DELETE=a/y@5 => ok\nADD a/z@6 => ok\nPUSH a/y@3\nPUSH\nPUSH a/z@6"},
		{"a bookmark beside, and then an older content", "none", "u1 -> ADD a/w@1\nu2 -> BOOKMARK @5\nu2 <- ok\nu1 <- ok\nPUSH a/w@1\nDELETE a/w@4 => ok\nPUSH a/w@1"},
		{"two writers, a list and what was before it", "[a/s @4, a/x @5, a/y @3]", "REPLACE @9 a/s@1 a/x@2 a/y@3 => ok\nPUSH a/s@1 a/x@2 a/y@3\nu1 -> REPLACE @10 a/s@4 a/x@5\nu2 -> UPDATE a/x@6\nPUSH a/s@4 a/x@5 a/y@3\nPUSH a/s@4 a/x@6\nu1 <- ok\nu2 <- ok"},
		{"two writers, half of a list and nothing else of it", "[a/x @2]", "REPLACE @9 a/x@2 a/y@3 => ok\nPUSH a/x@2 a/y@3\nu1 -> REPLACE @10 a/x@5\nu2 -> ADD a/z@6\nPUSH a/x@2\nPUSH a/x@5 a/z@6\nu1 <- ok\nu2 <- ok"},
		{"two writers, a list and what another may have put there later", good, "REPLACE @9 a/x@2 a/y@3 => ok\nPUSH a/x@2 a/y@3\nu1 -> REPLACE @10 a/x@5\nu2 -> UPDATE a/y@6\nPUSH a/x@5 a/y@6\nPUSH a/x@5 a/y@6\nu1 <- ok\nu2 <- ok"},
		{"two writers, two lists, either of which may be the last", good, "u1 -> REPLACE @1 a/x@1 a/y@2\nu2 -> REPLACE @3 a/x@3\nPUSH a/x@3\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"two writers, two lists mixed", "[a/x @3, a/y @2]", "ADD a/y@0 => ok\nPUSH a/y@0\nu1 -> REPLACE @1 a/x@1 a/y@2\nu1 <- ok\nu1 -> ADD a/z@4\nu2 -> REPLACE @3 a/x@3\nPUSH a/x@1 a/y@2\nPUSH a/x@3 a/y@2\nPUSH a/x@3\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, which no push has", "none", "ADD a/x@1 => ok\nPUSH a/x@1\nu1 -> APPLY-ALL ADD=a/z@9 ADD=a/w@8\nu2 -> ADD a/y@3\nPUSH a/x@1 a/y@3\nPUSH a/x@1 a/y@3\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, of which no push has the last", "none", "u1 -> APPLY-ALL ADD=a/z@9 ADD=a/w@8\nu2 -> ADD a/y@3\nPUSH a/z@9\nPUSH a/z@9\nPUSH a/y@3 a/z@9\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, the first twice and the last not", "none but those of other changes", "u1 -> APPLY-ALL ADD=a/z@9 ADD=a/w@8\nu2 -> BOOKMARK @1\nPUSH a/z@9\nPUSH a/z@9\nu1 <- ok\nu1 -> ADD a/y@3\nPUSH a/w@8 a/y@3 a/z@9\nu1 <- ok\nu2 <- ok"},
		{"several at once of one key, written over among themselves", "[a/x @1, a/y @3]", "APPLY-ALL ADD=a/x@1 UPDATE=a/x@2 => ok\nPUSH a/x@2\nu1 -> ADD a/y@3\nu2 -> ADD a/z@4\nPUSH a/x@1 a/y@3\nPUSH a/x@2 a/y@3 a/z@4\nu1 <- ok\nu2 <- ok"},
		{"several at once, of which a late push of before a crowd shows half", good, "ADD a/w@1 => ok\nAPPLY-ALL DELETE=a/w@3 ADD=a/w@4 => ok\nu1 -> ADD a/q@7\nu2 -> ADD a/z@6\nPUSH\nPUSH a/w@4\nPUSH a/q@7 a/w@4\nPUSH a/q@7 a/w@4 a/z@6\nu1 <- ok\nu2 <- ok"},
		{"several at once beside another, one of them without a key", undecided, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/no-key\nu2 -> ADD a/y@3\nPUSH a/x@1\nPUSH a/x@1 a/y@3\nu1 <- KeyError\nu2 <- ok"},
		{"of two writers, in real time, one that no change has", "[]", "real time\nu1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH\nu1 <- ok\nu2 <- ok"},
		{"what grows old, in a crowd: of several moments", good, "has map undelta expiring\nREPLACE @9 a/x@2 a/y@3 => ok\nPUSH a/x@2 a/y@3\nu1 -> REPLACE @10 a/x@5\nu2 -> ADD a/z@6\nPUSH a/x@5 a/y@3 a/z@6\nPUSH a/x@5 a/z@6\nu1 <- ok\nu2 <- ok"},
		{"late, of two writers, in real time", undecided, "real time\nu1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"of two writers, one too many in real time", "3 pushes", "real time\nu1 -> ADD a/x@1\nu2 -> ADD a/y@2\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2\nPUSH a/x@1 a/y@2\nu1 <- ok\nu2 <- ok"},
		{"the late one of what was there before two writers", good, "ADD a/x@1 => ok\nDELETE a/x@1 => ok\nu1 -> ADD a/y@2\nu2 -> ADD a/z@3\nPUSH a/x@1\nPUSH\nPUSH a/y@2\nPUSH a/y@2 a/z@3\nu1 <- ok\nu2 <- ok"},
	})
	judge(t, ruleNoPush, "map undelta", []judged{
		{"none", good, "ADD a/x@1 => ok\nPUSH a/x@1\nRESYNC => ok\nBOOKMARK @5 => ok\nADD a/no-key => KeyError"},
		{"it has never pushed", untested, "RESYNC => ok"},
		{"of a resync", "1 pushes", "RESYNC => ok\nPUSH"},
		{"of a failure", "1 pushes", "ADD a/no-key => KeyError\nPUSH"},
		{"late, in real time", untested, "real time\nADD a/y@2 => ok\nRESYNC => ok\nPUSH a/y@2"},
		{"late, and one more", "1 pushes", "real time\nADD a/y@2 => ok\nRESYNC => ok\nPUSH a/y@2\nPUSH a/y@2"},
	})
}

func TestExpireTTL(t *testing.T) {
	judge(t, ruleTTL, "map expiring", []judged{
		{"gone when it is old", good, "OPEN ttl=2s => ok\nADD a/x@1 => ok\nGET a/x => a/x@1\n... 3s\nGET a/x => nothing"},
		{"an update makes it young", good, "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 1s\nUPDATE a/x@2 => ok\n... 1500ms\nLIST => a/x@2"},
		{"of exactly that age", untested, "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 2s\nLIST => nothing\nGET a/x => a/x@1"},
		{"its key is still told", untested, "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 3s\nLIST-KEYS => a/x"},
		{"a TTL of 0", good, "ADD a/x@1 => ok\n... 1h\nGET a/x => a/x@1"},
		{"it was never seen", untested, "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 3s\nGET a/x => nothing"},
		{"old, and there", "a/x @1", "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 3s\nLIST => a/x@1"},
		{"young, and gone", "nothing", "OPEN ttl=2s => ok\nADD a/x@1 => ok\n... 1s\nUPDATE a/x@2 => ok\n... 1500ms\nGET a/x => nothing"},
		{"a TTL of 0 expires", "nothing", "ADD a/x@1 => ok\n... 1h\nGET a/x => nothing"},
	})
}
