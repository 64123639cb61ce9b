package informer

import (
	"fmt"
	"strings"
)

const (
	// ended is an informer whose watch has brought an event, and a bookmark, and ended.
	ended = begun + `
		w a@7:y
		s2 MODIFIED a@7:y
		s2 BOOKMARK @9
		s2 END clean !
	`
	// shorter is such a one, and the bookmark has a digit more than the event.
	shorter = begun + `
		w a@7:y
		s2 MODIFIED a@7:y
		s2 BOOKMARK @10
		s2 END clean !
	`
	// expired is one whose watch, which had brought an event, has ended with a 410.
	expired = begun + `
		w a@7:y
		s2 MODIFIED a@7:y
		s2 ERROR 410 !
	`
)

var resumeHistories = map[string][]judged{
	"resume/version": {
		{name: "a list over HTTP, which ends, too", tested: 1, history: `
			i RUN
			s1 LIST rv=4 wire
			s1 <- @6
			s1 END clean
			s2 WATCH rv=6 wire`},
		{name: "what another informer asks for is its own", tested: 3, history: begun + `
			j RUN ns=elsewhere
			s2 BOOKMARK @9
			s2 END clean
			s4 LIST rv=0 ns=elsewhere by=j
			s4 <- @3
			s5 WATCH rv=3 ns=elsewhere by=j
			s3 WATCH rv=9`},
		{name: "from the start, and stopped later", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from no resourceVersion", history: ended + `
			s3 WATCH !
			i STOP`},
		{name: "from the bookmark, which has a digit more than the event", tested: 2, history: shorter + `s3 WATCH rv=10`},
		{name: "from the event, which is greater as a text", tested: 2, bad: 1, want: "a WATCH from @10", got: "WATCH from @7", history: shorter + `
			s3 WATCH rv=7 !`},
		{name: "from the bookmark", tested: 2, history: ended + `s3 WATCH rv=9`},
		{name: "from the event", tested: 2, history: begun + `
			w a@7:y
			s2 BOOKMARK @6
			s2 MODIFIED a@7:y
			s2 END clean
			s3 WATCH rv=7`},
		{name: "from where it began", tested: 3, history: begun + `
			... 5m
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			... 5m
			s3 END broken
			s4 WATCH rv=6`},
		{name: "broken off, from any that it was sent", tested: 4, history: begun + times(3, `
			s2 BOOKMARK @7
			s2 BOOKMARK @8
			s2 END broken
			s2 WATCH rv=7
			s2 <- ok`)},
		{name: "broken off, from where it began", tested: 2, history: begun + `
			s2 BOOKMARK @8
			s2 END broken
			s3 WATCH rv=6`},
		{name: "a list of the most recent", tested: 2, history: ended + `s3 LIST`, also: "resume/no-relist"},
		{name: "a list of what is not older", tested: 2, history: ended + `s3 LIST rv=9`, also: "resume/no-relist"},
		{name: "a list of what is newer", tested: 2, history: ended + `s3 LIST rv=10`, also: "resume/no-relist"},
		{name: "broken off, and a list from where it began", tested: 2, history: begun + `
			s2 BOOKMARK @8
			s2 END broken
			s3 LIST rv=6`},
		{name: "a page of a list that goes on", tested: 2, history: ended + `s3 LIST continue=t`, also: "resume/no-relist"},
		{name: "a streaming list of the most recent", tested: 2, history: ended + `s3 WATCH initial=true`, also: "resume/no-relist"},
		{name: "a streaming list of what is not older", tested: 2, history: ended + `s3 WATCH initial=true rv=9`, also: "resume/no-relist"},
		{name: "after a streaming list that went on", tested: 1, history: written + "i RUN\n" + streamedIn + `
			... 2s
			s1 END clean
			s2 WATCH rv=6`},
		{name: "longer numbers are larger", tested: 2, history: begun + `
			s2 BOOKMARK @10
			s2 END broken
			s3 LIST rv=10`},
		{name: "the informer ends it after a bookmark, and goes on from there", tested: 2, history: begun + `
			s2 BOOKMARK @9
			... 1s
			s2 END stopped
			s3 WATCH rv=9`},
		{name: "the informer ends it at once, and may not have seen the bookmark", tested: 2, history: begun + `
			s2 BOOKMARK @9
			s2 END stopped
			s3 WATCH rv=6`},
		{name: "the informer ends it after a bookmark that its version shows, and goes on from before", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @6", history: begun + `
			s2 BOOKMARK @9
			... 1s
			i VERSION 9
			s2 END stopped !
			s3 WATCH rv=6 !`},
		{name: "the informer ends it after a bookmark that its version shows, and lists what is older", tested: 2, bad: 1, want: "a WATCH from @9", got: "LIST of @6", history: begun + `
			s2 BOOKMARK @9
			... 1s
			i VERSION 9
			s2 END stopped !
			s3 LIST rv=6 !`},
		{name: "the informer ends it after a change that a handler was told, and goes on from before", tested: 2, bad: 1, want: "a WATCH from @7", got: "WATCH from @6", history: written + `
			h1 HANDLE
			i RUN` + listed + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			w a@7:y
			s2 MODIFIED a@7:y
			h1 UPDATE a@7:y
			s2 BOOKMARK @9
			s2 END stopped !
			s3 WATCH rv=6 !`},
		{name: "a slow one ends it, and has not read what came long before", tested: 3, history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			s2 BOOKMARK @9
			... 30s
			s2 END stopped
			s3 WATCH rv=6
			s3 <- ok
			s3 MODIFIED a@7:y
			... 30s
			i STORE a@7:y b@6:x
			s3 BOOKMARK @9
			... 30s
			s3 END stopped
			s4 WATCH rv=7`},
		{name: "it had the change from a list beside", tested: 2, history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			s5 LIST rv=0
			s5 <- @7 a@7:y b@6:x
			i STORE a@7:y b@6:x
			s2 END stopped
			s3 WATCH rv=6`},
		{name: "it wrote the change itself", tested: 2, history: begun + `
			i WRITE a@7:y
			s2 MODIFIED a@7:y
			i VERSION 7
			s2 END stopped
			s3 WATCH rv=6`},
		{name: "four times the informer ends it at a bookmark, and goes on from before", tested: 6, bad: 1, want: "from the last event", got: "4 times it ended its watch at an event", history: begun + atBookmarks(61, 60, 62, 63)},
		{name: "nine times, some of them after the same time", tested: 11, bad: 1, want: "from the last event", got: "9 times it ended its watch at an event", history: begun + atBookmarks(61, 60) +
			unmarked(atBookmarks(61, 60, 61, 60, 61)) + atBookmarks(62, 63)},
		{name: "four times its deadline is at a bookmark, the same each time", tested: 5, history: begun + unmarked(atBookmarks(60, 60, 60, 60))},
		{name: "four times its deadline is at a bookmark, and more often it is not", tested: 10, history: begun + unmarked(atBookmarks(61, 60, 62, 63)) + times(5, `
			s2 BOOKMARK @9
			... 1s
			s2 END stopped
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "four times it ends it at a change that comes right after another", tested: 5, history: begun + times(4, `
			... 1s
			s2 BOOKMARK @8
			s2 BOOKMARK @9
			s2 END stopped
			s2 WATCH rv=6
			s2 <- ok`)},
		{name: "a watch from nowhere after an ERROR", tested: 2, bad: 1, want: "a WATCH from @6, or a LIST that is not older", got: "WATCH from no resourceVersion", history: begun + `
			s2 ERROR 500 !
			s2 END clean
			s2 WATCH !
			s2 <- ok`},
		{name: "an older one after a refusal", tested: 3, bad: 1, want: "a WATCH from @6, or a LIST that is not older", got: "WATCH from @5", history: begun + `
			s2 END clean
			s2 WATCH rv=6
			s2 <- 503 !
			s2 WATCH rv=5 !
			s2 <- ok`},
		{name: "after an ERROR, and after a resourceVersion that is too large, it lists again", tested: 1, history: begun + `
			s2 ERROR 500
			s2 END clean
			s3 LIST rv=0
			s3 <- 504 cause=ResourceVersionTooLarge
			s4 LIST
			s4 <- @6 a@5:x b@6:x`},
		{name: "by an error", tested: 3, history: begun + times(1, `
			s2 ERROR 500
			s2 END clean
			s2 WATCH rv=6
			s2 <- 500
			s2 END clean
			s2 WATCH rv=6
			s2 <- ok
			s2 SPOILED garble
			s2 END clean
			s2 WATCH rv=4`)},
		{name: "the last had no resourceVersion, by the server's fault", tested: 1, history: begun + `
			s2 FAULT replace
			s2 MODIFIED a@
			s2 END clean
			s3 WATCH
			s3 <- ok`},
		{name: "from the start", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from no resourceVersion", history: ended + `s3 WATCH !`},
		{name: "from zero", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @0", history: ended + `s3 WATCH rv=0 !`},
		{name: "from the event before the bookmark", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @7", history: ended + `s3 WATCH rv=7 !`},
		{name: "from where it began, and something came", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @6", history: ended + `s3 WATCH rv=6 !`},
		{name: "from what it has not seen", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @10", history: ended + `s3 WATCH rv=10 !`},
		{name: "broken off, from before it", tested: 2, bad: 1, want: "a WATCH from @6 or @8", got: "WATCH from @5", history: begun + `
			s2 BOOKMARK @8
			s2 END broken !
			s3 WATCH rv=5 !`},
		{name: "a list of what is older", tested: 2, bad: 1, want: "or a LIST that is not older", got: "LIST of @8", history: ended + `s3 LIST rv=8 !`, also: "resume/no-relist"},
		{name: "a list of anything", tested: 2, bad: 1, want: "or a LIST that is not older", got: "LIST of @0", history: ended + `s3 LIST rv=0 !`, also: "resume/no-relist"},
		{name: "a streaming list of anything", tested: 2, bad: 1, want: "or a LIST that is not older", got: "WATCH of @0", history: ended + `s3 WATCH initial=true rv=0 !`, also: "resume/no-relist"},
		{name: "longer numbers are larger, and it lists the shorter", tested: 2, bad: 1, want: "or a LIST that is not older", got: "LIST of @9", history: begun + `
			s2 BOOKMARK @10
			s2 END clean !
			s3 LIST rv=9 !`, also: "resume/no-relist"},
		{name: "a streaming list went on, and the next is from before its mark", tested: 1, bad: 1, want: "a WATCH from @6", got: "WATCH from @5", history: written + "i RUN\n" + streamedIn + `
			... 2s
			s1 END clean !
			s2 WATCH rv=5 !`},
		{name: "a streaming list that broke off, a list that is older, and a watch from before both", tested: 3, history: ended + `
			s3 WATCH initial=true
			s3 <- ok
			s3 ADDED a@5:x
			s3 END broken
			s4 LIST rv=0
			s4 <- @6 a@5:x b@6:x
			s5 WATCH rv=9`, also: "resume/no-relist"},
		{name: "a streaming list that did not come to its end", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ADDED a@5
			s1 END clean
			s2 LIST`},
		{name: "it is open", tested: 1, history: begun},
		{name: "none follows", tested: 1, history: ended},
		{name: "it began anywhere", history: `
			i RUN
			s1 WATCH rv=0
			s1 <- ok
			s1 END clean
			s2 WATCH
			s2 <- ok
			s2 END clean
			s3 WATCH rv=0`},
		{name: "after the stop", tested: 1, history: begun + `
			i STOP
			s2 WATCH rv=6
			s2 <- ok
			s2 END clean
			s3 WATCH`},
	},
	"resume/no-relist": {
		{name: "after an event", tested: 1, history: ended + `s3 WATCH rv=9`},
		{name: "after a second, and more", tested: 2, history: begun + `
			... 1500ms
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			... 5m
			s3 END broken
			s4 WATCH rv=6`},
		{name: "not after a short one that brought nothing", history: begun + `
			... 900ms
			s2 END clean
			... 1s
			s3 LIST rv=6`},
		{name: "not after a short one whose last events may have been lost", history: begun + `
			s2 BOOKMARK @8
			s2 END broken
			... 1s
			s3 LIST rv=6`},
		{name: "a streaming list, short after its mark", history: written + `
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			... 3s
			s1 ADDED a@5:x
			s1 ADDED b@6:x
			s1 BOOKMARK @6 end
			... 900ms
			s1 END clean
			... 1s
			s2 LIST rv=6`},
		{name: "a streaming list that lived", tested: 1, history: written + "i RUN\n" + streamedIn + `
			s1 BOOKMARK @7
			s1 END clean
			s2 WATCH rv=7`},
		{name: "a list after an event", tested: 1, bad: 1, want: "a WATCH", got: "LIST of @9", history: ended + `s3 LIST rv=9 !`},
		{name: "a list after two seconds", tested: 1, bad: 1, want: "a WATCH", got: "LIST of no resourceVersion", history: begun + `
			... 1500ms
			s2 END broken !
			s3 LIST !`},
		{name: "a streaming list", tested: 1, bad: 1, want: "a WATCH", got: "WATCH of @9", history: ended + `s3 WATCH initial=true rv=9 !`},
		{name: "a list after a streaming list that lived", tested: 1, bad: 1, want: "a WATCH", got: "LIST of @6", history: written + "i RUN\n" + streamedIn + `
			... 1500ms
			s1 END clean !
			s2 LIST rv=6 !`},
		{name: "an error", history: begun + `
			... 5m
			s2 ERROR 500
			s2 END clean
			... 1s
			s3 LIST rv=6`},
		{name: "it may have asked in vain meanwhile", history: begun + `
			... 5m
			network DOWN
			s2 END broken
			... 1s
			network UP
			s3 LIST rv=6`},
		{name: "a list, and the network had gone before, and after", tested: 2, bad: 2, want: "a WATCH", got: "LIST of @6", history: `
			i RUN
			network DOWN
			network UP
			` + begun + `
			... 5m
			s2 END clean !
			s3 LIST rv=6 !
			s3 <- @6 a@5:x b@6:x
			s2 WATCH rv=6
			s2 <- ok
			... 5m
			s2 END clean !
			s3 LIST rv=6 !
			network DOWN`},
		{name: "none follows", history: ended},
	},
}

// atBookmarks are watches that the informer ends at a bookmark, each after so many seconds, and goes on from before.
func atBookmarks(seconds ...int) (s string) {
	for _, n := range seconds {
		s += fmt.Sprintf(`
			... %ds
			s2 BOOKMARK @9 !
			s2 END stopped
			s2 WATCH rv=6 !
			s2 <- ok`, n)
	}
	return s
}

func unmarked(s string) string { return strings.ReplaceAll(s, " !", "") }
