package informer

import "strings"

// times is a piece of a history again and again.
func times(n int, s string) string { return strings.Repeat(s+"\n", n) }

const (
	// written are two objects.
	written = `
		w a@5:x
		w b@6:x
	`
	// listed is an informer that has them, by a list, and watches.
	listed = `
		s1 LIST rv=0
		s1 <- @6 a@5:x b@6:x
		s2 WATCH rv=6
		s2 <- ok
	`
	begun = written + "i RUN\n" + listed
	// streamedIn is the same by a streaming list.
	streamedIn = `
		s1 WATCH initial=true bookmarks
		s1 <- ok
		s1 ADDED a@5:x
		s1 ADDED b@6:x
		s1 BOOKMARK @6 end
	`
)

var syncHistories = map[string][]judged{
	"sync/list-first": {
		{name: "a list", tested: 1, history: begun},
		{name: "a streaming list", tested: 1, history: written + "i RUN\n" + streamedIn},
		{name: "a list beside the watch", tested: 1, history: written + `
			i RUN
			s1 WATCH
			s1 <- ok
			... 1s
			s2 LIST
			s2 <- @6 a@5:x b@6:x`},
		{name: "nothing", history: written + `
			i RUN
			... 10s`},
		{name: "it had no time for more", history: written + `
			i RUN
			s1 WATCH
			s1 <- ok
			... 1s
			i SETTLED`},
		{name: "it goes on from a version that it has kept", history: written + `
			i RUN
			s1 WATCH rv=5
			s1 <- ok
			... 10s
			s1 ADDED b@6:x`},
		{name: "it was stopped", history: written + `
			i RUN
			s1 WATCH
			s1 <- ok
			i STOP
			... 2s
			s1 END stopped
			i RETURN`},
		{name: "a watch, and nothing else", tested: 1, bad: 1, want: "a LIST, or a streaming list, first", got: "WATCH from no resourceVersion", history: written + `
			i RUN
			s1 WATCH !
			s1 <- ok
			s1 ADDED a@5:x
			s1 ADDED b@6:x
			... 2s
			s1 END clean
			s2 WATCH rv=6
			s2 <- ok`},
		{name: "a list when the watch has ended", tested: 1, bad: 1, want: "a LIST, or a streaming list, first", got: "WATCH from @0", history: written + `
			i RUN
			s1 WATCH rv=0 !
			s1 <- ok
			s1 ADDED a@5:x
			... 2s
			s1 ERROR 500
			s2 LIST
			s2 <- @6 a@5:x b@6:x`},
	},
	"sync/has-synced": {
		{name: "asked twice at rest", tested: 3, history: `
			i RUN
			s1 LIST rv=0
			s1 <- @4
			i SETTLED
			i SYNCED yes
			i SYNCED yes`},
		{name: "when the list is in", tested: 3, history: written + `
			i RUN
			i SYNCED no
			` + listed + `
			i SYNCED yes
			i STORE a@5:x b@6:x
			i SYNCED yes`},
		{name: "nothing is there, and at rest", tested: 2, history: `
			i RUN
			s1 LIST rv=0
			s1 <- @4
			i SETTLED
			i SYNCED yes
			i STORE`},
		{name: "not yet, though the list was answered", tested: 1, history: begun + `
			i SYNCED no
			i STORE a@5:x`},
		{name: "a streaming list", tested: 1, history: written + "i RUN\n" + streamedIn + `
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "answered while it was asked", tested: 1, history: written + `
			i RUN
			s1 LIST rv=0
			i> SYNCED
			s1 <- @6 a@5:x b@6:x
			i< yes
			i STORE a@5:x b@6:x`},
		{name: "in pages", tested: 2, history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t
			i SYNCED no
			i STORE
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "a page that was answered twice, and counts once", tested: 1, history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t
			s1 LIST limit=1 continue=t
			s1 FAULT reset lost
			s1 <- @6 b@6:x
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "the store has changed since", tested: 1, history: begun + `
			w a@7:y
			w -b@8
			i SYNCED yes
			i STORE a@7:y`},
		{name: "deleted, and made anew", tested: 1, history: begun + `
			w -a@7
			w a#2@8:x
			i SYNCED yes
			i STORE b@6:x`},
		{name: "a list after it that is not in yet", tested: 2, history: begun + `
			i SYNCED yes
			i STORE a@5:x b@6:x
			w a@7:y
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 a@7:y b@6:x
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "and stays so after the stop", tested: 2, history: begun + `
			i SYNCED yes
			i STOP
			s2 END stopped
			i RETURN
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "what nobody wrote is somebody else's", tested: 1, history: `
			i RUN
			s1 LIST rv=0
			s1 <- @4 z@3
			i SYNCED yes
			i STORE`},
		{name: "before any list", tested: 1, bad: 1, got: "no list was complete", history: written + `
			i RUN
			i SYNCED yes !
			` + listed},
		{name: "after one that was refused", tested: 1, bad: 1, got: "no list was complete", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500
			i SYNCED yes !`},
		{name: "after one that was lost", tested: 1, bad: 1, got: "no list was complete", history: `
			i RUN
			s1 LIST rv=0
			s1 FAULT reset lost
			s1 <- @4
			i SYNCED yes !`},
		{name: "after the first page", tested: 1, bad: 1, got: "no list was complete", history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t
			i SYNCED yes !
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x`},
		{name: "after a last page of what nobody began", tested: 1, bad: 1, got: "no list was complete", history: written + `
			i RUN
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x
			i SYNCED yes !`},
		{name: "before the mark of a streaming list", tested: 1, bad: 1, got: "no list was complete", history: written + `
			i RUN
			s1 WATCH initial=true bookmarks
			s1 <- ok
			s1 ADDED a@5:x
			s1 BOOKMARK @6
			i SYNCED yes !
			s1 ADDED b@6:x
			s1 BOOKMARK @6 end`},
		{name: "one is missing", tested: 1, bad: 1, got: "default/b @6 is not in the store", history: begun + `
			i SYNCED yes !
			i STORE a@5:x !`},
		{name: "one is missing of a later page", tested: 1, bad: 1, got: "default/a @5 is not in the store", history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x
			i SYNCED yes !
			i STORE b@6:x !`},
		{name: "one is missing, which was deleted later", tested: 1, bad: 1, got: "default/b @6 is not in the store", history: begun + `
			i SYNCED yes !
			i STORE a@5:x !
			w -b@7`},
		{name: "one is missing that was deleted before", tested: 1, bad: 1, got: "default/a @7 is not in the store", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			i RUN
			s1 LIST rv=0
			s1 <- @7 a#2@7:x
			i SYNCED yes !
			i STORE !`},
		{name: "one is older than it was listed", tested: 1, bad: 1, got: "the store has default/a @5, the list had default/a @7", history: `
			w a@5:x
			w a@7:y
			i RUN
			s1 LIST rv=0
			s1 <- @7 a@7:y
			i SYNCED yes !
			i STORE a@5:x !`},
		{name: "and then not", tested: 2, bad: 1, want: "true: it was true before", got: "false", history: begun + `
			i SYNCED yes !
			i SYNCED no !`},
		{name: "and then not, for it was stopped", tested: 2, history: begun + `
			i SYNCED yes
			i STOP
			i SYNCED no`},
		{name: "not, though all has come", tested: 2, bad: 1, want: "true: everything has come", got: "false", history: begun + `
			i SETTLED !
			i SYNCED no !
			i STORE a@5:x b@6:x`},
		{name: "nobody asked", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "the server breaks the contract", history: `
			i RUN
			s1 WATCH initial=true
			s1 FAULT drop
			s1 <- ok
			i SYNCED yes`},
		{name: "given up before", history: `
			i RUN
			.. GAVE-UP deadline
			i SYNCED yes`},
		{name: "it could not be asked", history: `
			i RUN
			i! SYNCED`},
	},
}
