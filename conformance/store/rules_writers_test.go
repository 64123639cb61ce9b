package store

import "testing"

func TestLinearizableAtOnce(t *testing.T) {
	judge(t, ruleLinear, "map index", []judged{
		{"before another, or after it", good, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> UPDATE a/x@3\nu1 <- ok\nu2 <- ok\nLIST => a/x@1 a/y@2"},
		{"one before another, one after it", good, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> REPLACE @9 a/x@3\nu1 <- ok\nu2 <- ok\nLIST => a/x@3 a/y@2"},
		{"half of it, while it is under way", good, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nLIST => a/x@1\nLIST => a/x@1 a/y@2\nu1 <- ok"},
		{"the first of a key, and then the second", good, "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nLIST => a/x@1\nLIST => a/x@2\nu1 <- ok"},
		{"another between two of a key", good, "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nu2 -> UPDATE a/x@3\nLIST => a/x@1\nLIST => a/x@3\nLIST => a/x@2\nu1 <- ok\nu2 <- ok"},
		{"two of two changes of a key, in turn", good, "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nu2 -> APPLY-ALL UPDATE=a/x@3 UPDATE=a/x@4\nLIST => a/x@1\nLIST => a/x@3\nLIST => a/x@4\nu1 <- ok\nu2 <- ok\nGET a/x => a/x@2"},
		{"three of a key", good, "u1 -> APPLY-ALL ADD=a/x@1 DELETE=a/x@2 ADD=a/x@3\nu2 -> LIST\nu1 <- ok\nu2 <- nothing\nGET a/x => a/x@3"},
		{"that was never answered, and did one of a key", good, "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nGET a/x => nothing\nGET a/x => a/x@1\nLIST => a/x@1"},
		{"one without a key beside another", good, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/no-key\nu2 -> ADD a/y@3\nu1 <- KeyError\nu2 <- ok\nLIST => a/x@1 a/y@3"},
		{"or all of it beside another", good, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/no-key\nu2 -> ADD a/y@3\nu1 <- KeyError\nu2 <- ok\nLIST => a/y@3"},
		{"nothing beside it", untested, "APPLY-ALL ADD=a/x@1 ADD=a/y@2 => ok\nLIST => a/x@1"},
		{"too many of which nobody knows", undecided, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3 ADD=a/x@4 ADD=a/x@5 ADD=a/x@6 ADD=a/x@7\nGET a/x => a/x@0"},
		{"two of a key, and nothing beside it", untested, "APPLY-ALL ADD=a/x@1 UPDATE=a/x@2 => ok\nLIST => a/x@1"},
		{"too many writes at once", undecided, "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\nu2 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\nu3 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\n" +
			"u4 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\nu5 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\nu6 -> APPLY-ALL ADD=a/x@1 ADD=a/x@2 ADD=a/x@3\nu7 -> ADD a/x@4\n" +
			"u1 <- ok\nu2 <- ok\nu3 <- ok\nu4 <- ok\nu5 <- ok\nu6 <- ok\nu7 <- ok\nGET a/x => a/x@0"},
		{"what another has written meanwhile is lost", "none: at #6 it was nothing", "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> ADD a/z@3\nu2 <- ok\nu1 <- ok\nLIST => a/x@1 a/y@2"},
		{"what another has taken away meanwhile is back", "none: at #8 it was a/z @3", "ADD a/z@3 => ok\nu1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> DELETE a/z@4\nu2 <- ok\nu1 <- ok\nLIST => a/x@1 a/y@2 a/z@3"},
		{"all is lost beside another", "none: at #6 it was nothing", "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nLIST => a/z@3"},
		{"half is lost beside another", "none: at #6 it was nothing", "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nLIST => a/x@1 a/z@3"},
		{"a delete is lost beside another", "none: at #8 it was a/y @1", "ADD a/y@1 => ok\nu1 -> APPLY-ALL ADD=a/x@2 DELETE=a/y@3\nu2 -> ADD a/z@4\nu1 <- ok\nu2 <- ok\nLIST => a/x@2 a/y@1 a/z@4"},
		{"one of two is lost", "none: at #6 it was nothing", "u1 -> APPLY-ALL ADD=a/x@1 ADD=a/y@2\nu2 -> APPLY-ALL ADD=a/z@3 UPDATE=a/x@4\nu1 <- ok\nu2 <- ok\nLIST => a/x@1 a/y@2"},
		{"backwards, of a key", "none: at #6 it was a/x @1", "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nLIST => a/x@1 a/z@3"},
		{"the second of a key, and then the first", "none: at #5 it was a/x @1", "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nLIST => a/x@2\nLIST => a/x@1\nu1 <- ok"},
		{"two of two changes of a key, one that is neither's last", "none: at #6 it was a/x @3", "u1 -> APPLY-ALL ADD=a/x@1 UPDATE=a/x@2\nu2 -> APPLY-ALL UPDATE=a/x@3 UPDATE=a/x@4\nu1 <- ok\nu2 <- ok\nGET a/x => a/x@3"},
		{"an index does not hear of it", "none: at #8 it was nothing", "OPEN value => ok\nu1 -> APPLY-ALL ADD=a/x@1{red} ADD=a/y@2{red}\nu2 -> ADD a/z@3\nu1 <- ok\nu2 <- ok\nBY-INDEX value red => a/x@1{red}"},
		{"a bookmark loses what another writes", "none: at #6 it was nothing", "u1 -> BOOKMARK @9\nu2 -> ADD a/x@1\nu2 <- ok\nu1 <- ok\nLIST => nothing"},
		{"a bookmark loses nothing", good, "u1 -> BOOKMARK @9\nu2 -> ADD a/x@1\nu3 -> LIST\nu2 <- ok\nu1 <- ok\nu3 <- nothing\nLIST => a/x@1"},
	})
}
