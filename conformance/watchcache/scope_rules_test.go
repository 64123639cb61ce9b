package watchcache_test

import "testing"

// neighbours are objects whose namespaces and names begin alike, watched by w0 as a whole.
const neighbours = `
	w0 -> WATCH rv=1
	c1 -> CREATE a/x v=1 app=one
	c1 <- @2
	c1 -> CREATE a/xy v=2 app=two
	c1 <- @3
	c1 -> CREATE ab/x v=3 app=one .status.phase=on
	c1 <- @4
	w0 <- ADDED a/x @2 v=1 app=one
	w0 <- ADDED a/xy @3 v=2 app=two
	w0 <- ADDED ab/x @4 v=3 app=one .status.phase=on
`

func TestWatchScopeNamespace(t *testing.T) {
	judge(t, "watch/scope/namespace", []judged{
		{name: "all and only", says: good, history: neighbours + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- ADDED a/xy @3 v=2 app=two
			w1 <- SETTLED`},
		{name: "a namespace that begins alike", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- ADDED a/xy @3 v=2 app=two
			w1 <- ADDED ab/x @4 v=3 app=one`,
			bad: found("only what the watch's namespace selects", "ADDED ab/x @4 {app=one}", 11, 14)},
		{name: "outside in two ways", says: bad, history: neighbours + `
			w1 -> WATCH ns=ab rv=1 labels=app=one
			w1 <- ADDED a/xy @3 v=2 app=two`,
			bad: found("only what the watch's namespace selects", "ADDED a/xy @3 {app=two}", 11, 12)},
		{name: "what another watch was given", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/xy @3 v=2 app=two`,
			bad: found("ADDED for a/x @2", "no ADDED, though ADDED a/xy @3 came after it", 2, 11, 12)},
		{name: "what nobody was given is watch/reliable's", says: odd, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH ns=a rv=1
			w1 <- SETTLED`},
		{name: "a namespace without objects", says: odd, history: neighbours + `
			w1 -> WATCH ns=none rv=1
			w1 <- SETTLED`},
		{name: "nothing outside changes", says: untested, history: `
			c1 -> CREATE a/x v=1
			c1 <- @2
			w1 -> WATCH ns=a rv=1
			w1 <- ADDED a/x @2 v=1`},
		{name: "no such watch", says: untested, history: neighbours},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchScopeName(t *testing.T) {
	judge(t, "watch/scope/name", []judged{
		{name: "all and only", says: good, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name=x
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`},
		{name: "in every namespace", says: good, history: neighbours + `
			w1 -> WATCH rv=1 fields=metadata.name=x
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- ADDED ab/x @4 v=3 app=one`},
		{name: "a name that begins alike", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name=x
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- ADDED a/xy @3 v=2 app=two`,
			bad: found("only what the watch's name selects", "ADDED a/xy @3 {app=two}", 11, 13)},
		{name: "what another watch was given", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name=x
			w1 <- SETTLED`,
			bad: found("ADDED for a/x @2", "no ADDED, though the watch had all the time it needs", 2, 11, 12)},
		{name: "a selector of something else", says: untested, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name!=x
			w1 <- ADDED a/xy @3 v=2 app=two`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchScopeLabel(t *testing.T) {
	judge(t, "watch/scope/label", []judged{
		{name: "all and only", says: good, history: neighbours + `
			w1 -> WATCH ns=a rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`},
		{name: "what the selector does not select", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- ADDED a/xy @3 v=2 app=two`,
			bad: found("only what the watch's label selects", "ADDED a/xy @3 {app=two}", 11, 13)},
		{name: "the deletion of what was never in it", says: bad, history: neighbours + `
			c1 -> DELETE a/xy
			c1 <- ok
			w0 <- DELETED a/xy @5 v=2 app=two
			w1 -> WATCH ns=a rv=2 labels=app=one
			w1 <- DELETED a/xy @5 v=2 app=two`,
			bad: found("only what the watch's label selects", "DELETED a/xy @5 {app=two}", 14, 15)},
		{name: "leaving shows the state before", says: odd, history: neighbours + `
			w1 -> WATCH ns=a rv=2 labels=app=one
			c1 -> UPDATE a/x v=4 app=two
			c1 <- @5
			w1 <- DELETED a/x @5 v=1 app=one`},
		{name: "leaving shows the state after", says: odd, history: neighbours + `
			w1 -> WATCH ns=a rv=2 labels=app=one
			c1 -> UPDATE a/x v=4 app=two
			c1 <- @5
			w1 <- DELETED a/x @5 v=4 app=two`},
		{name: "leaving after a lost write that had entered", says: odd, history: neighbours + `
			c2 -> UPDATE a/xy v=4 app=one
			c2 <- lost
			c1 -> UPDATE a/xy v=5 app=two
			c1 <- @6
			w1 -> WATCH ns=a rv=5 labels=app=one
			w1 <- DELETED a/xy @6 v=5 app=two`},
		{name: "a foreign object", says: odd, history: neighbours + `
			w1 -> WATCH rv=4 labels=app=one
			w1 <- ADDED ~/1 @5`},
		{name: "nothing outside changes", says: untested, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- @2
			w1 -> WATCH rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one`},
		{name: "it misses something itself", says: untested, history: neighbours + `
			c1 -> UPDATE a/x v=4 app=one
			c1 <- @5
			w1 -> WATCH ns=a rv=1 labels=app=one
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`},
		{name: "without resourceVersions, leaving", says: untested, history: `
			c1 -> CREATE a/x v=1 app=one
			c1 <- ok
			w1 -> WATCH labels=app=one
			w1 <- SETTLED
			c1 -> UPDATE a/x v=2 app=two
			c1 <- ok
			w1 <- DELETED a/x v=1 app=one
			w1 <- SETTLED`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}

func TestWatchScopeField(t *testing.T) {
	judge(t, "watch/scope/field", []judged{
		{name: "all names but one", says: good, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name!=xy
			w1 <- ADDED a/x @2 v=1 app=one
			w1 <- SETTLED`},
		{name: "a field of the status", says: good, history: neighbours + `
			w1 -> WATCH rv=1 fields=status.phase=on
			w1 <- ADDED ab/x @4 v=3 app=one .status.phase=on
			w1 <- SETTLED`},
		{name: "the one that is left out", says: bad, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name!=xy
			w1 <- ADDED a/xy @3 v=2 app=two`,
			bad: append(found("ADDED for a/x @2", "no ADDED, though ADDED a/xy @3 came after it", 2, 11, 12),
				found("only what the watch's field selects", "ADDED a/xy @3 {app=two}", 11, 12)...)},
		{name: "another status", says: bad, history: neighbours + `
			w1 -> WATCH rv=1 fields=status.phase=on
			w1 <- ADDED a/x @2 v=1 app=one`,
			bad: found("only what the watch's field selects", "ADDED a/x @2 {app=one}", 11, 12)},
		{name: "a name is watch/scope/name's", says: untested, history: neighbours + `
			w1 -> WATCH ns=a rv=1 fields=metadata.name=x
			w1 <- ADDED a/xy @3 v=2 app=two`},
		{name: "overlapping writes without resourceVersions", says: undecided, undecided: "overlaps", history: overlap},
	})
}
