package listerwatcher

import (
	"strings"
	"testing"
)

// awaiting is a wait that resumes its watches, and has seen an event.
const awaiting = `
	has waits retries server-faults
	c1 -> UNTIL rv=5 for=ADDED/b
	s1 -> WATCH rv=5
	s1 <- ok
	s1 .. MODIFIED a@6
`

func TestWaitsGoOn(t *testing.T) {
	judge(t, "resume/version", []judged{
		{name: "from the last event", tested: 1, history: awaiting + `
			s1 .. END clean
			s1 -> WATCH rv=6`},
		{name: "from the last bookmark", tested: 1, history: awaiting + `
			s1 .. BOOKMARK @9
			s1 .. END clean
			s1 -> WATCH rv=9`},
		{name: "from before the bookmark", tested: 1, history: awaiting + `
			s1 .. BOOKMARK @9
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "resourceVersion 9, of what came last", got: `resourceVersion "6"`},
		{name: "from before a DELETED", tested: 1, history: awaiting + `
			s1 .. DELETED a@8
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "resourceVersion 8, of what came last", got: `resourceVersion "6"`},
		{name: "from the start, when it was refused in between", tested: 2, history: awaiting + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 500 InternalError
			s1 -> WATCH rv=5`, want: "resourceVersion 6, of what came last", got: `resourceVersion "5"`},
		{name: "of a broken connection it may have lost the last", tested: 1, history: awaiting + `
			s1 .. ADDED c@7
			s1 .. END broken
			s1 -> WATCH rv=6`},
		{name: "or the first", tested: 1, history: awaiting + `
			s1 .. END broken
			s1 -> WATCH rv=5`},
		{name: "from what it never had", tested: 1, history: awaiting + `
			s1 .. END broken
			s1 -> WATCH rv=7`, want: "resourceVersion 6, of what came last", got: `resourceVersion "7"`},
		{name: "a list in between", tested: 1, history: awaiting + `
			s1 .. END clean
			s1 -> LIST none
			s1 <- @9 [a@6]
			s1 -> WATCH rv=9`},
		{name: "after a streaming list", tested: 1, history: `
			has waits retries server-faults
			c1 -> UNTIL for=ADDED/b
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. BOOKMARK @8 initial
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "resourceVersion 8, of what came last", got: `resourceVersion "6"`},
		{name: "after one that had no end", history: `
			has waits retries server-faults
			c1 -> UNTIL for=ADDED/b
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. END clean
			s1 -> WATCH rv=4`},
		{name: "after a watch of what is there, which has no order", history: `
			has waits retries server-faults
			c1 -> UNTIL for=ADDED/b
			s1 -> WATCH none
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. ADDED c@4
			s1 .. END clean
			s1 -> WATCH rv=6`},
		{name: "a wait that does not resume", history: strings.Replace(awaiting, " retries", "", 1) + `
			s1 .. END clean
			s1 -> WATCH rv=5`},
	})
}

func TestWaitsAreToldOfExpiry(t *testing.T) {
	judge(t, "resume/expired", []judged{
		{name: "it fails", tested: 1, history: awaiting + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 <- 410 Expired`},
		{name: "it lists anew", tested: 1, history: awaiting + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			s1 -> LIST none`},
		{name: "by a streaming list", tested: 1, history: awaiting + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			s1 -> WATCH initial=true`},
		{name: "it goes on", tested: 1, history: awaiting + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			s1 -> WATCH rv=6`, want: "an error, or a new list: the resourceVersion is gone", got: "a watch from 6"},
		{name: "it begins with what is there, and what went in between it never hears of", tested: 1, history: awaiting + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 410 Expired
			s1 -> WATCH none`, want: "an error, or a new list: the resourceVersion is gone", got: "a watch from "},
		{name: "it is called off", history: awaiting + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 -> CANCEL
			c1 <- error`},
		{name: "another error", history: awaiting + `
			s1 .. ERROR 500 InternalError
			s1 .. END clean
			s1 -> WATCH rv=6`},
	})
}

func TestWaitsHearThatTheyMayNot(t *testing.T) {
	const refused = awaiting + `
		s1 .. END clean
		s1 -> WATCH rv=6
		s1 <- 403 Forbidden
	`
	const again = `
		s1 -> WATCH rv=6
		s1 <- 403 Forbidden
	`
	judge(t, "resume/permanent", []judged{
		{name: "it fails", tested: 1, history: refused + `
			c1 <- 403 Forbidden`},
		{name: "silence, often enough", tested: 1, history: refused + again + again + again + again,
			want: "an error: 403 Forbidden a status", got: "silence: it asks again, 4 times"},
		{name: "too soon to say", history: refused + again + again + again},
		{name: "it asks nothing more, and waits on", tested: 1, history: refused + `
			... 10m
			c1 .. SETTLED
			c1 -> CANCEL
			c1 <- error`, want: "an error: 403 Forbidden a status", got: "silence, though it had all the time it needs"},
		{name: "it was allowed again", history: refused + again + again + again + again + `
			s1 -> WATCH rv=6
			s1 <- ok`},
		{name: "lists are refused, too", tested: 1, history: refused + `
			s1 -> LIST none
			s1 <- 403 Forbidden
			s1 -> LIST none
			s1 <- 401 Unauthorized` + again + again, want: "an error: 403 Forbidden a status", got: "silence: it asks again, 4 times"},
	})
}

func TestWaitsTryAgain(t *testing.T) {
	const refused = `
		s1 -> WATCH rv=6
		s1 <- 503 ServiceUnavailable
		... 1s
	`
	const hurried = `
		s1 -> WATCH rv=6
		s1 <- 503 ServiceUnavailable
	`
	const anew = `
		has waits retries server-faults
		c1 -> UNTIL rv=5 for=ADDED/b
	`
	const lone = `
		s1 -> LIST none
		s1 <- 503 ServiceUnavailable
	`
	const listed = `
		s1 -> WATCH initial=true
		s1 <- 503 ServiceUnavailable
	` + lone + `
		... 500ms
	`
	judge(t, "resume/errors", []judged{
		{name: "it tries again", tested: 2, history: awaiting + `
			s1 .. END broken
			s1 -> WATCH rv=6
			s1 <- 500 InternalError
			s1 -> WATCH rv=6
			s1 <- ok`},
		{name: "the first refusal is the end", tested: 1, history: awaiting + `
			s1 .. END clean` + refused + `
			c1 <- 503 ServiceUnavailable`, want: "a request that tries again", got: "the end of the wait: 503 ServiceUnavailable a status"},
		{name: "it is called off", tested: 1, history: awaiting + `
			s1 .. END clean` + refused + `
			c1 -> CANCEL
			c1 <- error`},
		{name: "it gives up, and says so", tested: 4, history: awaiting + `
			s1 .. END clean` + refused + refused + refused + refused + `
			c1 <- 503 ServiceUnavailable`},
		{name: "it gives up when connections are refused, nobody knows how often", tested: 1, history: awaiting + `
			network -> DOWN
			s1 .. END broken
			... 20s
			c1 <- error`},
		{name: "it asks nothing more when connections are taken again", tested: 1, history: awaiting + `
			network -> DOWN
			s1 .. END stopped
			network -> UP
			... 10m
			c1 .. SETTLED
			c1 -> CANCEL
			c1 <- error`, want: "a request that tries again", got: "none, though it had all the time it needs"},
		{name: "it is called off before it had the time", tested: 1, history: awaiting + `
			network -> DOWN
			s1 .. END stopped
			c1 .. SETTLED
			network -> UP
			c1 -> CANCEL
			c1 <- error`},
		{name: "connections were refused when it had given up", tested: 1, history: awaiting + `
			s1 .. END broken
			c1 <- error
			network -> DOWN`, want: "a request that tries again", got: "the end of the wait: something went wrong"},
		{name: "what cannot be mended ends it", history: awaiting + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 403 Forbidden
			c1 <- 403 Forbidden`},
		{name: "without a pause", tested: 7, history: awaiting + `
			s1 .. END clean` + hurried + hurried + hurried + hurried + hurried + hurried,
			want: "6 tries in 3s or more", got: "6 in 0s"},
		{name: "a list in place of a streaming list is no further try", tested: 6, history: anew + listed + listed + listed},
		{name: "not even so without a pause", tested: 13, history: anew + listed + listed + listed + listed + listed + listed,
			want: "6 tries in 3s or more", got: "6 in 2.5s"},
		{name: "lists alone, without a pause", tested: 7, history: anew + lone + lone + lone + lone + lone + lone,
			want: "6 tries in 3s or more", got: "6 in 0s"},
	})
}

func TestWaitsBegin(t *testing.T) {
	const wait = `
		has waits
		c1 -> UNTIL rv=5 for=ADDED/b
	`
	judge(t, "request/options", []judged{
		{name: "where their caller is", tested: 1, history: wait + `s1 -> WATCH rv=5`},
		{name: "before that", tested: 1, history: wait + `s1 -> WATCH rv=4`, want: `resourceVersion "5"`, got: `resourceVersion "4"`},
		{name: "with a list", tested: 1, history: wait + `s1 -> LIST none`},
		{name: "with a streaming list", tested: 1, history: wait + `s1 -> WATCH initial=true rv=4`},
		{name: "with a watch of what is there", tested: 1, history: wait + `s1 -> WATCH none`},
		{name: "with nothing", history: wait + `c1 <- error`},
	})
}
