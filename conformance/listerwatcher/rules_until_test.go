package listerwatcher

import (
	"strings"
	"testing"
)

func TestUntilReturns(t *testing.T) {
	const waits = `
		has waits server-faults
		c1 -> UNTIL rv=5 for=ADDED/b
		s1 -> WATCH
		s1 <- ok
		s1 .. MODIFIED a@6
	`
	const met = waits + `
		s1 .. ADDED b@7
	`
	const shownFirst = `
		has waits
		c1 -> UNTIL for=MODIFIED/b
		s1 -> LIST none
		s1 <- @5 [b@5]
		s1 -> WATCH rv=5
		s1 <- ok
	`
	const refused = `
		s1 -> WATCH rv=6
		s1 <- 410 Expired
	`
	const missed = `
		has waits server-faults
		c1 -> UNTIL for=DELETED/b
		s1 -> LIST none
		s1 <- @5 [b@5]
		s1 -> WATCH rv=5
		s1 <- ok
		s1 .. ERROR 410 Expired
		s1 .. END clean
	`
	const endless = "it waits on, though it had all the time it needs"
	judge(t, "until/returns", []judged{
		{name: "with what it waited for", tested: 1, history: met + `
			c1 <- met ADDED b@7
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "it waits on", tested: 1, history: met + `
			c1 .. SETTLED`, want: "its end: ADDED default/b @7", got: endless},
		{name: "it has ended its request, and waits on", tested: 1, history: waits + `
			s1 .. END stopped
			... 6m
			c1 .. SETTLED`, want: "its end: it has ended its request itself, and made no other", got: endless},
		{name: "it has ended its request, and pauses", history: waits + `
			s1 .. END stopped
			... 4m
			c1 .. SETTLED`},
		{name: "it waits on until it is called off", tested: 2, history: met + `
			c1 .. SETTLED
			c1 -> CANCEL
			c1 <- error
			s1 .. END stopped
			c1 .. SETTLED`, want: "its end: ADDED default/b @7", got: endless},
		{name: "with what was changed, as it is now", tested: 1, history: shownFirst + `
			s1 .. MODIFIED b@7
			c1 <- met MODIFIED b@7`},
		{name: "with what was changed, as it was before", tested: 1, history: shownFirst + `
			s1 .. MODIFIED b@7
			c1 <- met MODIFIED b@5`, want: "MODIFIED b in a state that it came to", got: "MODIFIED default/b @5, which was its state before, or none"},
		{name: "with what a second streaming list shows, when that is complete", tested: 1, history: shownFirst + `
			s1 .. END clean
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED b@5
			... 24s
			s1 .. BOOKMARK @6 initial
			c1 <- met MODIFIED b@5`},
		{name: "with what was changed, as it was before, long after a second list", tested: 1, history: shownFirst + `
			s1 .. END clean
			s1 -> LIST none
			s1 <- @6 [b@5]
			s1 -> WATCH rv=6
			s1 <- ok
			... 10s
			s1 .. MODIFIED b@7
			c1 <- met MODIFIED b@5`, want: "MODIFIED b in a state that it came to", got: "MODIFIED default/b @5, which was its state before, or none"},
		{name: "with a state that nobody sent", tested: 1, history: shownFirst + `
			s1 .. MODIFIED b@7
			c1 <- met MODIFIED b@6`, want: "MODIFIED b in a state that it came to", got: "MODIFIED default/b @6, which was its state before, or none"},
		{name: "with what a later list shows", history: shownFirst + `
			s1 .. END clean
			s1 -> LIST none
			s1 <- @9 [b@8]
			c1 <- met MODIFIED b@8`, tested: 1},
		{name: "with what the watch begins with", tested: 1, history: `
			has waits
			c1 -> UNTIL rv=5 for=MODIFIED/b
			s1 -> WATCH
			s1 <- ok
			s1 .. MODIFIED b@7
			c1 <- met MODIFIED b@7`},
		{name: "it returns in the end", tested: 2, history: met + `
			c1 .. SETTLED
			c1 <- met ADDED b@7`, want: "its end: ADDED default/b @7", got: endless},
		{name: "called off when nothing had come", tested: 1, history: waits + `
			c1 .. SETTLED
			c1 -> CANCEL
			c1 <- error`},
		{name: "it hears late of the end of its context", tested: 2, history: waits + `
			c1 -> CANCEL
			c1 .. SETTLED
			c1 <- error`, want: "its end, with its context", got: endless},
		{name: "with another object", tested: 1, history: met + `
			c1 <- met ADDED a@7`, want: "ADDED b", got: "ADDED default/a"},
		{name: "with another type", tested: 1, history: met + `
			c1 <- met MODIFIED b@7`, want: "ADDED b", got: "MODIFIED default/b"},
		{name: "with what nobody sent", tested: 1, history: waits + `
			c1 <- met ADDED b@7`, want: "a wait: nothing that was sent shows b", got: "ADDED default/b"},
		{name: "with what a list shows", tested: 1, history: `
			has waits
			c1 -> UNTIL for=ADDED/b
			s1 -> LIST none
			s1 <- @7 [b@7]
			c1 <- met ADDED b@7`},
		{name: "with its context", tested: 1, history: waits + `
			c1 -> CANCEL
			c1 <- error
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "not with its context", tested: 1, history: waits + `
			c1 -> CANCEL
			c1 .. SETTLED`, want: "its end, with its context", got: endless},
		{name: "too soon", tested: 1, history: waits + `
			c1 <- error`, want: "ADDED b, or a wait: there was no error", got: "something went wrong"},
		{name: "with an error that it cannot mend", tested: 1, history: waits + `
			s1 .. ERROR 410 Expired
			c1 <- 410 Expired`},
		{name: "on after such an error", tested: 1, history: waits + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 .. SETTLED`, want: "its end: 410 Expired a status", got: endless},
		{name: "it mends it by a list", history: waits + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			s1 -> LIST none
			s1 <- @9 [a@6]
			s1 -> WATCH rv=9
			s1 <- ok
			c1 .. SETTLED`},
		{name: "it asks for ever", tested: 1, want: "an error, or a new list: the resourceVersion is gone", got: "silence: it asks again, and again",
			history: waits + refused + refused + refused + refused},
		{name: "a watch stays open", tested: 1, history: met + `
			c1 <- met ADDED b@7
			c1 .. SETTLED`, want: "the end of all its requests", got: "one is still open, though it had all the time it needs"},
		{name: "with an error that it might have mended", history: strings.Replace(waits, "has waits", "has waits retries", 1) + `
			s1 .. END broken
			c1 <- error`},
		{name: "what was lost with its connection is not due", history: strings.Replace(met, "has waits", "has waits retries", 1) + `
			s1 .. END broken
			c1 .. SETTLED`},
		{name: "a list shows that it has gone", tested: 1, history: missed + `
			s1 -> LIST none
			s1 <- @9 [a@6]
			c1 .. SETTLED`, want: "its end: DELETED b, as the list @9 shows", got: endless},
		{name: "so does one that comes as events", tested: 1, history: missed + `
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. BOOKMARK @9 initial
			c1 .. SETTLED`, want: "its end: DELETED b, as the list @9 shows", got: endless},
		{name: "the client let go of the watch before the server did", tested: 1, history: strings.ReplaceAll(missed, "END clean", "END stopped") + `
			s1 -> LIST none
			s1 <- @9 [a@6]
			c1 .. SETTLED`, want: "its end: DELETED b, as the list @9 shows", got: endless},
		{name: "nobody knows what of a watch it has read that it let go of", history: strings.ReplaceAll(missed, "s1 .. ERROR 410 Expired\n\t\ts1 .. END clean", "s1 .. END stopped") + `
			s1 -> LIST none
			s1 <- @9 [a@6]
			c1 .. SETTLED`},
		{name: "it may be on the next page", history: missed + `
			s1 -> LIST none
			s1 <- @9 [a@6] continue=t
			s1 -> LIST continue=t
			s1 <- @9 []
			c1 .. SETTLED`},
		{name: "it is still there", history: missed + `
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED b@5
			s1 .. BOOKMARK @9 initial
			c1 .. SETTLED`},
		{name: "a list without its end shows nothing", history: missed + `
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED a@6
			c1 .. SETTLED`},
		{name: "nobody knows whether the wait knew of it", history: strings.ReplaceAll(missed, "END clean", "END broken") + `
			s1 -> LIST none
			s1 <- @9 [a@6]
			c1 .. SETTLED`},
		{name: "a list shows that it has come", tested: 1, history: strings.ReplaceAll(strings.ReplaceAll(missed, "DELETED", "ADDED"), "[b@5]", "[]") + `
			s1 -> LIST none
			s1 <- @9 [b@8]
			c1 .. SETTLED`, want: "its end: ADDED b, as the list @9 shows", got: endless},
		{name: "a list shows what had come before", history: strings.ReplaceAll(missed, "DELETED", "ADDED") + `
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED b@8
			s1 .. BOOKMARK @9 initial
			c1 .. SETTLED`},
		{name: "it asked for nothing", history: `
			has waits
			c1 -> UNTIL rv=5 for=ADDED/b
			c1 -> CANCEL
			c1 <- error`},
	})
}

// A wait that does not resume its watch ends with it.
func TestUntilEndOfWatch(t *testing.T) {
	const waits = `
		has waits server-faults
		c1 -> UNTIL rv=5 for=ADDED/b
		s1 -> WATCH
		s1 <- ok
		s1 .. MODIFIED a@6
	`
	const ended = waits + `
		s1 .. END clean
	`
	const endless = "it waits on, though it had all the time it needs"
	judge(t, "until/returns", []judged{
		{name: "it says so", tested: 1, history: ended + `
			c1 <- error
			c1 .. SETTLED`},
		{name: "so it does of a watch that broke", tested: 1, history: waits + `
			s1 .. END broken
			c1 <- error`},
		{name: "and of one that was refused", tested: 1, history: `
			has waits server-faults
			c1 -> UNTIL rv=5 for=ADDED/b
			s1 -> WATCH
			s1 <- 500 InternalError
			c1 <- 500 InternalError`},
		{name: "it waits on", tested: 1, history: ended + `
			c1 .. SETTLED`, want: "its end: its watch has ended, and it resumes none", got: endless},
		{name: "it has had no time to return", history: ended},
		{name: "it asks again, though it need not", history: ended + `
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. SETTLED`},
		{name: "before the end it had what it waited for", tested: 1, history: waits + `
			s1 .. ADDED b@7
			s1 .. END clean
			c1 <- error`, want: "ADDED b, or a wait: there was no error", got: "something went wrong"},
		{name: "so does an ERROR, whoever lets go first", tested: 1, history: waits + `
			s1 .. ERROR 500 InternalError
			s1 .. END stopped
			c1 .. SETTLED`, want: "its end: its watch has ended, and it resumes none", got: endless},
		{name: "the watch was its own to end", tested: 1, history: waits + `
			s1 .. END stopped
			c1 <- error`, want: "ADDED b, or a wait: there was no error", got: "something went wrong"},
		{name: "one that resumes goes on", tested: 1, history: strings.Replace(ended, "has waits", "has waits retries", 1) + `
			c1 <- error`, want: "ADDED b, or a wait: there was no error", got: "something went wrong"},
		{name: "one that resumes may take its time", history: strings.Replace(ended, "has waits", "has waits retries", 1) + `
			c1 .. SETTLED`},
	})
}

func TestUntilPrecondition(t *testing.T) {
	const listed = `
		has waits preconditions
		c1 -> UNTIL for=ADDED/b unless=there/a
		s1 -> LIST none
		s1 <- @5 [a@5]
	`
	const streamed = `
		has waits preconditions
		c1 -> UNTIL for=ADDED/b unless=gone/z
		s1 -> WATCH initial=true
		s1 <- ok
		s1 .. ADDED a@5
	`
	const endless = "it waits on, though it had all the time it needs"
	judge(t, "until/returns", []judged{
		{name: "it holds", tested: 1, history: listed + `
			c1 <- held`},
		{name: "it holds, and the wait goes on", tested: 1, history: listed + `
			c1 .. SETTLED`, want: "its end: a is there", got: endless},
		{name: "it holds of a list that comes as events", tested: 1, history: streamed + `
			s1 .. BOOKMARK @5 initial
			c1 <- held`},
		{name: "the wait goes on, though it holds of one", tested: 1, history: streamed + `
			s1 .. BOOKMARK @5 initial
			c1 .. SETTLED`, want: "its end: z is not there", got: endless},
		{name: "nobody knows before the list is whole", tested: 1, history: streamed + `
			c1 <- held`, want: "a wait: nothing that was sent shows that z is not there", got: "its precondition is said to hold"},
		{name: "until then a wait goes on", history: streamed + `
			c1 .. SETTLED`},
		{name: "it does not hold", tested: 1, history: strings.ReplaceAll(listed, "unless=there", "unless=gone") + `
			c1 <- held`, want: "a wait: nothing that was sent shows that a is not there", got: "its precondition is said to hold"},
		{name: "it did not, and the wait goes on", history: strings.ReplaceAll(listed, "unless=there", "unless=gone") + `
			c1 .. SETTLED`},
		{name: "it held when it was looked at", tested: 1, history: strings.ReplaceAll(listed, "unless=there", "unless=gone") + `
			s1 -> WATCH rv=5
			s1 <- ok
			s1 .. DELETED a@6
			c1 <- held`},
		{name: "nobody knows when it was looked at", history: listed + `
			s1 -> WATCH rv=5
			s1 <- ok
			s1 .. DELETED a@6
			c1 .. SETTLED`},
		{name: "it did not, and the condition was met", tested: 1, history: strings.ReplaceAll(listed, "unless=there", "unless=gone") + `
			s1 -> WATCH rv=5
			s1 <- ok
			s1 .. ADDED b@6
			c1 <- met ADDED b@6`},
	})
}

func TestUntilPrompt(t *testing.T) {
	const waits = `
		has waits server-faults
		c1 -> UNTIL rv=5 for=ADDED/b
		s1 -> WATCH
		s1 <- 429 TooManyRequests
	`
	judge(t, "until/prompt", []judged{
		{name: "at once", tested: 1, history: waits + `
			c1 -> CANCEL
			c1 <- error`},
		{name: "within a second", tested: 1, history: waits + `
			c1 -> CANCEL
			... 1s
			c1 <- error`},
		{name: "later", tested: 1, history: waits + `
			c1 -> CANCEL
			... 1001ms
			c1 <- error`, want: "its end within 1s of the end of its context", got: "1.001s"},
		{name: "later, in real time", history: "real\n" + waits + `
			c1 -> CANCEL
			... 14s
			c1 <- error`},
		{name: "never, which is another rule's", history: waits + `
			c1 -> CANCEL
			c1 .. SETTLED`},
		{name: "it had returned before", history: waits + `
			c1 <- error
			c1 -> CANCEL`},
		{name: "a list that is cancelled", history: `
			c1 -> LIST
			s1 -> LIST none
			c1 -> CANCEL
			... 14s
			c1 <- error`},
	})
}
