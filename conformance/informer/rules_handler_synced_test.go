package informer

var handlerSyncedHistories = map[string][]judged{
	"sync/handler-synced": {
		{name: "not before rest, and asked twice at it", tested: 4, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SYNCED no
			h1 SETTLED
			h1 SYNCED yes
			h1 SYNCED yes`},
		{name: "not, though all has come, and removed and stopped later", tested: 2, bad: 1, want: "called for everything", got: "false", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SETTLED !
			h1 SYNCED no !
			h1 UNHANDLE
			i STOP`},
		{name: "stopped before", tested: 1, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			i STOP
			i RETURN
			h1 SETTLED
			h1 SYNCED no`},
		{name: "after a fault of the server's own, at rest, and before any list", history: `
			h1 HANDLE
			i RUN
			s1 WATCH
			s1 FAULT drop
			h1 SYNCED yes
			h1 SETTLED
			h1 SYNCED no`},
		{name: "late, and no answer", history: begun + `
			i STORE a@5:x b@6:x
			h1> HANDLE
			h1 SYNCED yes`},
		{name: "when it has returned from each", tested: 3, history: written + `
			h1 HANDLE
			i RUN
			h1 SYNCED no
			` + listed + `
			h1 ADD a@5:x initial
			h1> ADD b@6:x initial
			h1 SYNCED no
			h1<
			h1 SYNCED yes`},
		{name: "nothing is there", tested: 1, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SYNCED yes`},
		{name: "at rest", tested: 2, history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD b@6:x initial
			h1 ADD a@5:x initial
			h1 SETTLED
			h1 SYNCED yes`},
		{name: "one that joins late, of nothing", tested: 1, history: `
			i RUN
			s1 LIST rv=0
			s1 <- @4
			i STORE
			h1 HANDLE
			h1 SYNCED yes`},
		{name: "deleted before it was told", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w -b@7
			h1 ADD a@5:x initial
			h1 SYNCED yes`},
		{name: "told of a later state", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w b@7:y
			h1 ADD a@5:x initial
			h1 ADD b@7:y initial
			h1 SYNCED yes`},
		{name: "an object of the batch is somebody else's", tested: 1, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4 z@3
			h1 SYNCED yes`},
		{name: "removed before, it never says so", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 UNHANDLE
			h1 SYNCED no
			i SETTLED`},
		{name: "removed after, it may say anything", tested: 2, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SYNCED yes
			h1 UNHANDLE
			h1 SETTLED
			h1 SYNCED no`},
		{name: "held at rest", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1> ADD a@5:x initial
			i SETTLED
			h1 SYNCED no`},
		{name: "changes while it is asked", tested: 1, history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SETTLED
			w c@5
			h1 SYNCED no`},
		{name: "before any list", tested: 1, bad: 1, want: "there was no list yet", got: "true", history: `
			h1 HANDLE
			i RUN
			h1 SYNCED yes !`},
		{name: "before its first list is whole", tested: 1, bad: 1, want: "its first list is not complete yet", got: "true", history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			h1 SYNCED yes !
			s1 <- @6 a@5:x b@6:x !`},
		{name: "not told of one", tested: 1, bad: 1, want: "not called for default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "told of neither", tested: 1, bad: 2, want: "not called for", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 SYNCED yes !`},
		{name: "not told of one, by a streaming list", tested: 1, bad: 1, want: "not called for default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + streamedIn + `
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "in the call for one", tested: 1, bad: 1, want: "not returned from the ADD of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1> ADD b@6:x initial !
			h1 SYNCED yes !
			h1<`},
		{name: "for ever in the call for one", tested: 1, bad: 1, want: "not returned from the ADD of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1> ADD b@6:x initial !
			h1 SYNCED yes !`},
		{name: "late, not told of one", tested: 1, bad: 1, want: "not called for default/b", got: "true", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "late, and only told of it later by a change", tested: 1, bad: 1, want: "not called for default/b", got: "true", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			w b@7:y
			h1 ADD b@7:y`, also: "sync/initial-flag"},
		{name: "and then not", tested: 2, bad: 1, want: "true: it was true before", got: "false", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SYNCED yes !
			h1 SYNCED no !`},
		{name: "not, though all has come", tested: 2, bad: 1, want: "called for everything", got: "false", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			h1 SETTLED !
			h1 SYNCED no !`},
		{name: "nobody asked", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial`},
		{name: "late, of what nobody read", history: begun + `
			h1 HANDLE
			h1 SYNCED yes`},
		{name: "late, and something changed after the reading", history: begun + `
			i STORE a@5:x b@6:x
			w c@7
			h1 HANDLE
			h1 SYNCED yes`},
		{name: "late, and nobody read before", history: begun + `
			h1 HANDLE
			i STORE a@5:x b@6:x
			h1 SYNCED yes`},
		{name: "after a fault of the server's own", history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 FAULT drop
			s1 <- @6 a@5:x
			h1 SYNCED yes`},
		{name: "stopped", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- 500
			i STOP
			i RETURN
			i SETTLED
			h1 SYNCED no
			h1 SETTLED`},
	},
	"sync/initial-flag": {
		{name: "of a write that has no answer", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			w> c
			h1 ADD c@5`},
		{name: "of the first list, and after it", tested: 3, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			w c@7
			h1 ADD c@7`},
		{name: "of a streaming list", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5:x
			s1 BOOKMARK @6 end
			h1 ADD a@5:x initial`},
		{name: "late, and after it", tested: 3, history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD b@6:x initial
			h1 ADD a@5:x initial
			w c@7
			h1 ADD c@7`},
		{name: "by a later list", tested: 3, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			s2 ERROR 410
			w c@7
			s3 LIST rv=6
			s3 <- @7 a@5:x b@6:x c@7
			h1 ADD c@7`},
		{name: "a changed one is the same", tested: 2, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w a@7:y
			h1 ADD a@7:y initial
			h1 ADD b@6:x initial`},
		{name: "made anew, another", tested: 2, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w -a@7
			w a#2@8:x
			h1 ADD a#2@8:x
			h1 ADD b@6:x initial`},
		{name: "written while it was listed, either", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			w> c
			s1 <- @4
			w< c@5
			h1 ADD c@5 initial`},
		{name: "of the first list, not marked", tested: 2, bad: 1, want: "marked as initial: the object was there", got: "ADD default/a @5, not marked", history: written + `
			h1 HANDLE !
			i RUN
			` + listed + `
			h1 ADD a@5:x !
			h1 ADD b@6:x initial`},
		{name: "late, not marked", tested: 2, bad: 1, want: "marked as initial: the object was there", got: "ADD default/b @6, not marked", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE !
			h1 ADD a@5:x initial
			h1 ADD b@6:x !`},
		{name: "after the first list, marked", tested: 1, bad: 1, want: "not marked as initial", got: "ADD default/c @7, marked", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w c@7 !
			h1 ADD c@7 initial !`},
		{name: "made anew, and marked", tested: 1, bad: 1, want: "not marked as initial", got: "ADD default/a @9, marked", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			w -a@7
			w a#2@8:x !
			w a#2@9:y
			h1 ADD a#2@9:y initial !`},
		{name: "by a later list, marked", tested: 1, bad: 1, want: "not marked as initial", got: "ADD default/c @7, marked", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			w c@7 !
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 a@5:x b@6:x c@7
			h1 ADD c@7 initial !`},
		{name: "nothing came", history: written + `
			h1 HANDLE
			i RUN
			` + listed},
		{name: "late, of what nobody read", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x`},
		{name: "of what nobody wrote", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			w c@6
			s1 FAULT drop
			h1 ADD c@6 initial`},
		{name: "refused", history: begun + `
			i STORE a@5:x b@6:x
			i STOP
			i RETURN
			h1 HANDLE refused`},
	},
}
