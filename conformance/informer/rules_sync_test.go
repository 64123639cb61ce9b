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
		{name: "before any list", tested: 1, bad: 1, got: "no list was whole by then", history: written + `
			i RUN
			i SYNCED yes !
			` + listed},
		{name: "after one that was refused", tested: 1, bad: 1, got: "no list was whole by then", history: `
			i RUN
			s1 LIST rv=0
			s1 <- 500
			i SYNCED yes !`},
		{name: "after one that was lost", tested: 1, bad: 1, got: "no list was whole by then", history: `
			i RUN
			s1 LIST rv=0
			s1 FAULT reset lost
			s1 <- @4
			i SYNCED yes !`},
		{name: "after the first page", tested: 1, bad: 1, got: "no list was whole by then", history: written + `
			i RUN
			s1 LIST limit=1
			s1 <- @6 a@5:x continue=t
			i SYNCED yes !
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x`},
		{name: "after a last page of what nobody began", tested: 1, bad: 1, got: "no list was whole by then", history: written + `
			i RUN
			s1 LIST limit=1 continue=t
			s1 <- @6 b@6:x
			i SYNCED yes !`},
		{name: "before the mark of a streaming list", tested: 1, bad: 1, got: "no list was whole by then", history: written + `
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
		{name: "and then not", tested: 2, bad: 1, want: "true for ever", got: "false", history: begun + `
			i SYNCED yes !
			i SYNCED no !`},
		{name: "not, though all has come", tested: 2, bad: 1, want: "true: all that was due", got: "false", history: begun + `
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
		{name: "not, though all has come, and removed and stopped later", tested: 2, bad: 1, want: "told of everything", got: "false", history: `
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
		{name: "before its first list is whole", tested: 1, bad: 1, want: "its first list is not whole yet", got: "true", history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			h1 SYNCED yes !
			s1 <- @6 a@5:x b@6:x !`},
		{name: "not told of one", tested: 1, bad: 1, want: "not been told of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "told of neither", tested: 1, bad: 2, want: "not been told of", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 SYNCED yes !`},
		{name: "not told of one, by a streaming list", tested: 1, bad: 1, want: "not been told of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + streamedIn + `
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "in the call for one", tested: 1, bad: 1, want: "not returned from the add of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1> ADD b@6:x initial !
			h1 SYNCED yes !
			h1<`},
		{name: "for ever in the call for one", tested: 1, bad: 1, want: "not returned from the add of default/b", got: "true", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1> ADD b@6:x initial !
			h1 SYNCED yes !`},
		{name: "late, not told of one", tested: 1, bad: 1, want: "not been told of default/b", got: "true", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			h1 ADD b@6:x initial`},
		{name: "late, and only told of it later by a change", tested: 1, bad: 1, want: "not been told of default/b", got: "true", history: begun + `
			i STORE a@5:x b@6:x
			h1 HANDLE
			h1 ADD a@5:x initial
			h1 SYNCED yes !
			w b@7:y
			h1 ADD b@7:y`, also: "sync/initial-flag"},
		{name: "and then not", tested: 2, bad: 1, want: "true for ever", got: "false", history: `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @4
			h1 SYNCED yes !
			h1 SYNCED no !`},
		{name: "not, though all has come", tested: 2, bad: 1, want: "told of everything", got: "false", history: written + `
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
	"sync/watchlist-refused": {
		{name: "a list", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 400
			... 1s
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list in the end", tested: 1, history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422
			... 1s`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, each time", tested: 2, history: `
			i RUN` + times(2, `
			s1 WATCH initial=true
			s1 <- 404
			... 1s
			s2 LIST rv=4
			s2 <- @4
			s3 WATCH rv=4
			s3 <- ok
			s3 ERROR 410
			... 1s`)},
		{name: "over HTTP, asked again by the client alone", tested: 1, history: `
			i RUN` + times(43, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 500`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "never", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 403
			... 1s` + times(2, `
			s1 WATCH initial=true
			s1 <- 403
			... 1s`) + `
			s1 WATCH initial=true !
			s1 <- 403`},
		{name: "never, with every code, told once", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 400
			... 1s
			s1 WATCH initial=true
			s1 <- 404
			... 2s
			s1 WATCH initial=true
			s1 <- 500
			... 4s
			s1 WATCH initial=true !
			s1 <- 503
			... 8s
			s1 WATCH initial=true
			s1 <- 503
			... 8s`},
		{name: "never, over HTTP", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 44 times", history: `
			i RUN
			s1 WATCH initial=true wire !
			s1 <- 503` + times(42, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 503`) + `
			s1 WATCH initial=true wire !
			s1 <- 503`},
		{name: "too few to say", undecided: "3 streaming lists", history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422`)},
		{name: "the next was served", history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 422`) + `
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end`},
		{name: "none asked for", history: begun},
		{name: "a watch is no streaming list", history: begun + times(4, `
			s2 ERROR 410
			s2 LIST
			s2 <- @6 a@5:x b@6:x
			s2 WATCH rv=6 initial=false
			s2 <- 500`)},
	},
	"sync/watchlist-fallback": {
		{name: "over HTTP, lost, and asked again by the client alone", tested: 1, history: `
			i RUN` + times(11, `
			... 1s
			s1 WATCH initial=true wire
			s1 FAULT reset lost
			s1 END broken`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "refused as too large is another rule's", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true rv=9
			s1 <- 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "ended as too large is another rule's", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true rv=9
			s1 <- ok
			s1 ERROR 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "a list, after one that ends", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END clean
			s2 LIST rv=0
			s2 <- @5 a@5`},
		{name: "a list, after one that it gave up", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			... 10m
			s1 END stopped
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, after three that were busy", tested: 1, history: `
			i RUN` + times(3, `
			s1 WATCH initial=true
			s1 <- 429
			... 1s`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "a list, after an ERROR", tested: 1, history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 ERROR 500
			... 1s
			s2 LIST rv=0
			s2 <- @5 a@5`},
		{name: "over HTTP, asked again by the client alone", tested: 1, history: `
			i RUN` + times(4, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- 429`) + `
			s2 LIST rv=0
			s2 <- @4`},
		{name: "never: they end early", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ADDED a@5
			s1 END clean` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END broken`) + `
			... 1s
			s1 WATCH initial=true !
			s1 <- ok
			s1 END clean`},
		{name: "never: they have no mark", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ADDED a@5
			s1 BOOKMARK @5
			... 10m
			s1 END stopped` + times(2, `
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			... 10m
			s1 END stopped`) + `
			s1 WATCH initial=true !
			s1 <- ok
			... 10m
			s1 END stopped
			s1 WATCH initial=true
			s1 <- ok`},
		{name: "never: each is an ERROR", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- ok
			s1 ERROR 410` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- ok
			s1 ERROR 500`) + `
			... 2s
			s1 WATCH initial=true !
			s1 <- ok
			s1 ERROR 500`},
		{name: "never: busy, or gone, or no rights", tested: 1, bad: 1, want: "a LIST", got: "a streaming list again, 4 times", history: `
			i RUN
			s1 WATCH initial=true !
			s1 <- 429` + times(2, `
			... 1s
			s1 WATCH initial=true
			s1 <- 410`) + `
			... 2s
			s1 WATCH initial=true !
			s1 <- 401`},
		{name: "over HTTP, of those that ended it was not the client that asked again", tested: 1, bad: 1, want: "a LIST", got: "4 times", history: `
			i RUN
			s1 WATCH initial=true wire !
			s1 <- ok
			s1 END clean` + times(2, `
			... 1s
			s1 WATCH initial=true wire
			s1 <- ok
			s1 END clean`) + `
			... 1s
			s1 WATCH initial=true wire !
			s1 <- ok
			s1 END clean`},
		{name: "too few to say", undecided: "1 streaming lists", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 END clean`},
		{name: "one that is still open", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok`},
		{name: "one that a stop has ended", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			i STOP
			s1 END stopped
			i RETURN`},
		{name: "it came to its end", history: `
			i RUN` + times(4, `
			s1 WATCH initial=true
			s1 <- ok
			s1 BOOKMARK @4 end
			... 2s
			s1 ERROR 500
			... 1s`)},
		{name: "too large is another rule's", history: `
			i RUN` + times(2, `
			s1 WATCH initial=true rv=9
			s1 <- 504 cause=ResourceVersionTooLarge
			... 1s
			s1 WATCH initial=true rv=9
			s1 <- ok
			s1 ERROR 504 cause=ResourceVersionTooLarge
			... 1s`), also: "resume/too-large"},
		{name: "none asked for", history: begun},
	},
}
