package listerwatcher

import "testing"

func TestWatchStop(t *testing.T) {
	judge(t, "watch/stop", append(letGo("STOP"), []judged{
		{name: "nobody reads it, and the request stays open in real time", tested: 1, history: "real\n" + open + `
			c1 -> STOP
			... 1m
			s1 .. END stopped`, want: "the end of the request", got: "it is open at the server 1m0s after its Stop"},
		{name: "a goroutine is left", tested: 2, history: open + `
			c1 -> STOP
			s1 .. END stopped
			c1 .. ENDED
			.. LEFT leak`, want: "nothing left behind", got: "leak"},
		{name: "one is left where nothing was stopped", history: open + `
			.. LEFT leak`},
	}...))
}

func TestWatchCancel(t *testing.T) {
	const opening = `
		c1 -> WATCH
		s1 -> WATCH
		c1 -> CANCEL
	`
	judge(t, "watch/cancel", append(letGo("CANCEL"), []judged{
		{name: "before the headers it returns an error", tested: 1, history: opening + `
			c1 <- error`},
		{name: "before the headers it returns a watch", tested: 1, history: opening + `
			c1 <- ok`, want: "the call returns an error: it had no answer", got: "it returned a watch"},
		{name: "before the headers it returns too late", tested: 1, history: opening + `
			c1 .. SETTLED
			c1 <- error`, want: "the call returns an error", got: "it does not return, though it had all the time it needs"},
		{name: "before the headers it does not return", tested: 1, history: opening + `
			c1 .. SETTLED`, want: "the call returns an error", got: "it does not return, though it had all the time it needs"},
		{name: "before the headers, and it had no time", history: opening},
		{name: "it had failed by itself before", history: `
			c1 -> WATCH
			c1 <- error
			c1 -> CANCEL`},
		{name: "who is stopped then leaves nothing", tested: 2, history: open + `
			c1 -> CANCEL
			c1 -> STOP
			s1 .. END stopped
			c1 .. ENDED
			.. LEFT leak`, want: "nothing left behind", got: "leak"},
		{name: "its end is read late, and its request ends then", tested: 1, history: open + `
			c1 -> CANCEL
			... 1m
			c1 .. ENDED
			s1 .. END stopped`},
		{name: "its end is never read", history: "real\n" + open + `
			c1 -> CANCEL
			... 1m
			s1 .. END stopped`},
		{name: "who is not stopped may wait for its consumer", tested: 1, history: open + `
			c1 -> CANCEL
			s1 .. END stopped
			c1 .. ENDED
			.. LEFT leak`},
	}...))
}

// letGo are watches that end by one of the two ways.
func letGo(how string) []judged {
	end := open + "c1 -> " + how + "\n"
	later := map[string]string{"STOP": "its Stop", "CANCEL": "the end of its context"}[how]
	return []judged{
		{name: "both ends come", tested: 1, history: end + `
			s1 .. END stopped
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "the stream stays open", tested: 1, history: end + `
			s1 .. END stopped
			c1 .. SETTLED`, want: "the end of the stream", got: "none, though it had all the time it needs"},
		{name: "the stream ends too late", tested: 1, history: end + `
			s1 .. END stopped
			c1 .. SETTLED
			c1 .. ENDED`, want: "the end of the stream", got: "none, though it had all the time it needs"},
		{name: "the request stays open", tested: 1, history: end + `
			c1 .. ENDED
			c1 .. SETTLED`, want: "the end of the request", got: "it is still open at the server, which had all the time it needs"},
		{name: "the request ends too late", tested: 1, history: end + `
			c1 .. ENDED
			c1 .. SETTLED
			s1 .. END stopped`, want: "the end of the request", got: "it is still open at the server, which had all the time it needs"},
		{name: "without all the time the request may be open", tested: 1, history: end + `
			c1 .. ENDED`},
		{name: "it had no time", history: end},
		{name: "nobody let go of it", history: open + `c1 .. SETTLED`},
		{name: "it asked for nothing", history: `
			c1 -> WATCH rv=5
			c1 <- ok
			c1 -> ` + how + `
			c1 .. ENDED`},
		{name: "it had its time before", tested: 1, history: open + `
			c1 .. SETTLED
			c1 -> ` + how + `
			c1 .. ENDED`},
		{name: "what was received before comes after it", tested: 3, history: open + `
			s1 .. ADDED a@6
			s1 .. ADDED b@7
			c1 -> ` + how + `
			s1 .. END stopped
			... 3s
			c1 .. ADDED a@6
			c1 .. ADDED b@7
			c1 .. ENDED`},
		{name: "so does what the server sent in that moment", tested: 2, history: end + `
			... 2s
			s1 .. ADDED a@6
			c1 .. ADDED a@6
			c1 .. ENDED`},
		{name: "what the server sent later comes", tested: 2, history: "real\n" + end + `
			... 2001ms
			s1 .. ADDED a@6
			c1 .. ADDED a@6
			c1 .. ENDED
			s1 .. END stopped`, want: "nothing that the server sent after " + later, got: "ADDED default/a @6"},
		{name: "what the server sent later comes, and its time in virtual time", tested: 2, history: end + `
			... 3s
			s1 .. ADDED a@6
			c1 .. ADDED a@6
			c1 .. ENDED
			s1 .. END stopped
			c1 .. SETTLED`, want: "nothing that the server sent after " + later, got: "ADDED default/a @6"},
		{name: "what the server sent later comes, and the stream stays open", tested: 1, history: "real\n" + end + `
			... 3s
			s1 .. ADDED a@6
			c1 .. ADDED a@6`, want: "nothing that the server sent after " + later, got: "ADDED default/a @6"},
		{name: "what the server sent later does not come", tested: 1, history: end + `
			... 2s
			s1 .. ADDED a@6
			c1 .. ENDED
			s1 .. END stopped`},
		{name: "what nobody sent comes later, which is another rule's", tested: 1, history: end + `
			s1 .. END stopped
			... 3s
			c1 .. ADDED a@6
			c1 .. ENDED`},
		{name: "the request stays open, in real time", tested: 1 + 1, history: "real\n" + end + `
			c1 .. ENDED
			... 2001ms
			c2 -> WATCH`, want: "the end of the request", got: "it is open at the server 2.001s after " + later},
		{name: "the request ends late, in real time", tested: 1 + 1, history: "real\n" + end + `
			c1 .. ENDED
			... 3s
			s1 .. END stopped`, want: "the end of the request", got: "it is open at the server 3s after " + later},
		{name: "the request ends two seconds later", tested: 1, history: "real\n" + end + `
			c1 .. ENDED
			... 2s
			s1 .. END stopped
			... 1m
			c2 -> WATCH`},
		{name: "the case was given up two seconds later", tested: 1, history: "real\n" + end + `
			c1 .. ENDED
			... 2s
			.. GAVE-UP deadline
			... 1m
			s1 .. END stopped`},
		{name: "it went the other way", history: open + "c1 -> " + map[string]string{"STOP": "CANCEL", "CANCEL": "STOP"}[how] + `
			c1 .. SETTLED`},
	}
}

func TestWatchPrompt(t *testing.T) {
	const pauses = `
		has watches retries server-faults
		c1 -> WATCH rv=5
		c1 <- ok
		s1 -> WATCH
		s1 <- 503 ServiceUnavailable
	`
	judge(t, "watch/prompt", []judged{
		{name: "stopped, at once", tested: 1, history: pauses + `
			c1 -> STOP
			c1 .. ENDED`},
		{name: "within a second of the end of its context", tested: 1, history: pauses + `
			c1 -> CANCEL
			... 1s
			c1 .. ENDED`},
		{name: "later than its Stop", tested: 1, history: pauses + `
			c1 -> STOP
			... 1001ms
			c1 .. ENDED`, want: "its end within 1s of its Stop", got: "1.001s"},
		{name: "later than its context", tested: 1, history: pauses + `
			c1 -> CANCEL
			... 30s
			c1 .. ENDED`, want: "its end within 1s of the end of its context", got: "30s"},
		{name: "it is slow of itself, and in no pause", tested: 1, history: open + `
			c1 -> STOP
			... 2s
			c1 .. ENDED`, want: "its end within 1s of its Stop", got: "2s"},
		{name: "later, in real time", history: "real\n" + pauses + `
			c1 -> STOP
			... 14s
			c1 .. ENDED`},
		{name: "never, which is another rule's", history: pauses + `
			c1 -> STOP
			c1 .. SETTLED`},
		{name: "it had ended before", history: pauses + `
			c1 .. ENDED
			... 14s
			c1 -> STOP`},
		{name: "nobody let go of it", history: pauses + `
			c1 .. SETTLED`},
		{name: "the call had not returned", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- 503 ServiceUnavailable
			c1 -> CANCEL
			... 14s
			c1 <- error`},
		{name: "it asked for nothing", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			c1 -> STOP
			... 14s
			c1 .. ENDED`},
	})
}
