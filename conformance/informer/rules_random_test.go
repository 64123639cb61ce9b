package informer

import (
	"fmt"
	"strings"
)

// randomHistories are histories in which random stories showed that a rule blamed informers wrongly, and like them some that
// are bad.
var randomHistories = map[string][]judged{
	"sync/has-synced": {
		{name: "a list of all namespaces, of the one informer that runs", tested: 2, history: written + `
			i RUN
			s1 LIST ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			i SYNCED yes
			i STORE a@5:x b@6:x
			k SYNCED no`},
		{name: "a list of all namespaces, of the one informer that runs, is not complete", tested: 2, bad: 1, want: "a complete list is in the store", got: "not in the store", history: written + `
			i RUN
			s1 LIST ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			i SYNCED yes !
			i STORE b@6:x !
			k SYNCED no`},
	},
	"sync/initial-flag": {
		{name: "the network went down when the first list was complete", history: `
			h1 HANDLE
			i RUN
			s1 WATCH initial=true wire
			s1 <- ok
			s1 BOOKMARK @4 end
			network DOWN
			s1 END broken
			w a@5:x
			network UP
			... 2s
			s2 LIST wire
			s2 <- @5 a@5:x
			h1 ADD a@5:x initial`},
		{name: "a streaming list of which an event cannot be read is no list", tested: 2, history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 SPOILED garble
			s1 BOOKMARK @5 end
			s1 END stopped
			s2 LIST rv=0
			w b@6:x
			s2 <- @6 a@5:x b@6:x
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial`},
		{name: "a streaming list with an ERROR before its end is no list", tested: 2, bad: 1, want: "marked as initial: the object was there", got: "ADD default/b @6", history: `
			w a@5:x
			h1 HANDLE !
			i RUN
			s1 WATCH initial=true
			s1 <- ok
			s1 ERROR 503
			s1 BOOKMARK @5 end
			s1 END stopped
			s2 LIST rv=0
			w b@6:x
			s2 <- @6 a@5:x b@6:x
			h1 ADD a@5:x initial
			h1 ADD b@6:x !`},
		{name: "the network went down later", tested: 1, bad: 1, want: "not marked as initial", got: "ADD default/a @5, marked", history: `
			h1 HANDLE
			i RUN
			s1 WATCH initial=true wire
			s1 <- ok
			s1 BOOKMARK @4 end
			... 1s
			network DOWN
			s1 END broken
			w a@5:x !
			network UP
			... 2s
			s2 LIST wire
			s2 <- @5 a@5:x
			h1 ADD a@5:x initial !`},
	},
	"lifecycle/twice": {
		{name: "it was stopped before its first run may have begun", history: outrun + `
			s1 LIST
			s1 <- @4
			s2 WATCH rv=4
			s2 <- ok
			... 10m
			i SETTLED`},
		{name: "it was stopped before its second run", tested: 1, bad: 1, want: "no watch after the stop", got: "one is open", also: "stop/clean", history: `
			i RUN
			... 1s
			i STOP !
			i RUN
			i RETURN
			s1 LIST
			s1 <- @4
			s2 WATCH rv=4 !
			s2 <- ok
			... 10m
			i SETTLED !`},
	},
	"notify/removed-handler": {
		{name: "nobody knows what came for it, and what for another informer", tested: 1, history: `
			h1 HANDLE
			j RUN
			i RUN
			s1 LIST by=?
			s1 <- @4
			s2 LIST by=?
			s2 <- @4
			w a@5:x
			h1 UNHANDLE
			w b@6:x
			h1 ADD a@5:x`},
		{name: "a late notification of the deletion before the last", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 LIST
			s1 <- @5 a@5:x
			h1 ADD a@5:x initial
			s2 WATCH rv=5
			s2 <- ok
			w -a@6
			s2 DELETED a@6:x
			w a#2@7:x
			s2 ADDED a#2@7:x
			h1 UNHANDLE
			w -a@8
			s2 DELETED a#2@8:x
			h1 DELETE a@6:x`},
	},
	"resume/pace": {
		{name: "watches that break after a second, in which they are not answered", history: begun + times(12, `
			s2 END broken
			s2 WATCH rv=6
			... 1s
			s2 <- ok`)},
		{name: "watches that break after less than a second", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 watches with no pause between", history: begun + `
			s2 END broken !` + times(9, `
			s2 WATCH rv=6
			... 900ms
			s2 <- ok
			s2 END broken`) + `
			s2 WATCH rv=6 !`},
		{name: "each watch brings an event before one that cannot be read", history: begun + eachBrings(12)},
		{name: "no watch brings an event before one that cannot be read", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 watches with no pause between", history: begun + `
			s2 SPOILED
			s2 END clean !` + times(9, `
			s2 WATCH rv=6
			s2 <- ok
			s2 SPOILED
			s2 END clean`) + `
			s2 WATCH rv=6 !`},
	},
	"resume/retry-after": {
		{name: "it ends a streaming list at its mark, and watches", history: stream429 + `
			s1 ERROR 429 retry=1
			s1 END clean
			s2 WATCH rv=5
			s2 <- ok`},
		{name: "it stays on a streaming list", tested: 1, bad: 1, want: "no request for 1s", got: "WATCH 0s after a streaming list got ERROR 429", history: stream429 + `
			... 1s
			s1 ERROR 429 retry=1 !
			s1 END clean
			s2 WATCH rv=5 !
			s2 <- ok`},
	},
	"resume/version": {
		{name: "of a list whose connection broke nobody knows whether it came", tested: 2, history: brokenList + `
			s3 WATCH by=? rv=8
			s3 <- ok`},
		{name: "it did not come, and is asked for again", tested: 1, history: brokenList + `
			s3 LIST rv=6 wire
			s3 <- @8 a@7:y b@8:y`},
		{name: "it goes on from elsewhere", tested: 2, bad: 1, want: "a WATCH from @6 or @8", got: "WATCH from @7", history: strings.Replace(brokenList, "b@8:y\n	s3 END", "b@8:y !\n	s3 END", 1) + `
			s3 WATCH rv=7 !
			s3 <- ok`},
	},
	"resume/expired": {
		{name: "a delayed event never came: it was sent behind the mark at which a streaming list was left", tested: 1, history: delayed + endsWell + `
			s2 WATCH rv=5
			s2 <- 410
			s3 WATCH initial=true rv=5`},
		{name: "a delayed event came: the streaming list went on", tested: 1, bad: 1, want: "not older than @6", got: "WATCH of @5", history: delayed + "... 1s" + endsWell + `
			s2 WATCH rv=6
			s2 <- 410 !
			s3 WATCH initial=true rv=5 !`},
		{name: "a delayed event that never came: it was sent behind one that cannot be read", tested: 1, history: begun + `
			w a@7:y
			w a@8:z
			... 12s
			s2 SPOILED
			s2 MODIFIED a@8:z
			s2 END stopped
			... 1s
			s3 WATCH rv=6
			s3 <- 410
			s4 LIST rv=6`},
		{name: "sent when the informer ended the watch", tested: 1, history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			s2 END stopped
			... 1s
			s3 WATCH rv=6
			s3 <- 410
			s4 LIST rv=6`},
		{name: "sent before the informer ended the watch", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @6", also: "resume/version", history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			... 1s
			i STORE a@7:y b@6:x
			s2 END stopped
			... 1s
			s3 WATCH rv=6
			s3 <- 410 !
			s4 LIST rv=6 !`},
		{name: "sent before the informer ended the watch, and not shown", tested: 1, history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			... 1s
			s2 END stopped
			... 1s
			s3 WATCH rv=6
			s3 <- 410
			s4 LIST rv=6`},
	},
	"store/version-moves": {
		{name: "of an informer that may ask for all namespaces, and one of all, nobody knows whose watch it is", history: `
			w a@5:x
			i RUN
			j RUN ns=
			s1 LIST by=? ns=
			s1 <- @5 a@5:x
			s1 WATCH by=? rv=5 ns=
			s1 <- ok
			i SYNCED yes
			w -a@6
			s1 DELETED a@6:x
			i SETTLED
			i VERSION 6
			j SETTLED
			j VERSION 5`},
	},
	"sync/watchlist-fallback": {
		{name: "the connection broke before the list had come whole", tested: 1, history: `
			w a@5:x
			i RUN
			s1 WATCH initial=true wire
			s1 <- ok
			s1 END clean
			s2 LIST wire
			s2 <- @5 a@5:x
			s2 END broken
			... 10m
			i SYNCED no
			i STORE`},
	},
}

const stream429 = `
	i RUN
	w a@5:x
	s1 WATCH initial=true
	s1 <- ok
	s1 ADDED a@5:x
	s1 BOOKMARK @5 end
`

// eachBrings has n watches each bring an event, and then one that cannot be read.
func eachBrings(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\ns2 ADDED c@%d\ns2 SPOILED\ns2 END clean\ns2 WATCH rv=%d\ns2 <- ok", 7+i, 7+i)
	}
	return b.String()
}

// brokenList has the connection of a list break at its end.
const brokenList = begun + `
	w a@7:y
	w b@8:y
	... 2s
	s2 ERROR 410
	s2 END clean
	s3 LIST rv=6 wire
	s3 <- @8 a@7:y b@8:y
	s3 END broken
	... 1s
`

// delayed is a streaming list in which a change follows the end of the initial events at once.
const delayed = `
	i RUN
	w a@5:x
	s1 WATCH initial=true
	s1 <- ok
	s1 ADDED a@5:x
	w b@6:x
	... 12s
	s1 BOOKMARK @5 end
	s1 ADDED b@6:x
`

const endsWell = `
	s1 END clean
`

const outrun = `
	i RUN
	i STOP
	i RUN
	i RETURN
`
