package listerwatcher

import "strings"

// alone is a watch of a client that resumes by itself, of which nothing has come.
const alone = `
	has watches retries server-faults
	c1 -> WATCH rv=5
	c1 <- ok
	s1 -> WATCH
	s1 <- ok
`

// wait is one that goes on.
const wait = `
	has waits retries server-faults
	c1 -> UNTIL rv=5 for=ADDED/b
	s1 -> WATCH rv=5
	s1 <- ok
`

// further are cases beside those of the tests of each rule: each holds a condition of its judge.
var further = map[string][]judged{
	"watch/faithful": {
		{name: "its request is ended by the client, and its stream stays", tested: 1, history: open + `
			s1 .. END stopped
			... 6m
			c1 .. SETTLED`, want: "what happens next, or the end of the stream", got: "neither can come: the client itself has ended its request"},
		{name: "so with one more request", history: open + `
			s1 .. END stopped
			... 4m
			s1 -> WATCH
			... 4m
			c1 .. SETTLED`},
		{name: "so, and not for long", history: open + `
			s1 .. END stopped
			... 5m
			c1 .. SETTLED`},
		{name: "so, and its stream ends", history: open + `
			s1 .. END stopped
			c1 .. ENDED
			... 6m
			c1 .. SETTLED`},
		{name: "so, when it was stopped", history: open + `
			c1 -> STOP
			s1 .. END stopped
			... 6m
			c1 .. SETTLED`},
		{name: "the call failed, and the watch was open", tested: 1, want: "the watch that was opened", got: "something went wrong", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- error`},
		{name: "it failed, and was told to", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 -> CANCEL
			c1 <- error`},
		{name: "it failed before it was open", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			c1 <- error
			s1 <- ok`},
		{name: "it failed, for the answer was lost", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 .. FAULT reset lost
			s1 <- ok
			c1 <- error`},
		{name: "sent when all had come", history: open + `
			c1 .. SETTLED
			s1 .. ADDED a@6:x`},
		{name: "who resumes went on from after what was lost", tested: 3, want: "ADDED default/b @7", got: "nothing, though the watch had all the time it needs", history: journey + `
			s1 .. ADDED b@7
			s1 .. ADDED c@8
			s1 .. END broken
			s1 -> WATCH rv=8
			c1 .. ADDED c@8
			c1 .. SETTLED`},
		{name: "or from before it", tested: 1, history: journey + `
			s1 .. ADDED b@7
			s1 .. END broken
			s1 -> WATCH rv=6
			c1 .. SETTLED`},
		{name: "who resumes hands on bookmarks", tested: 1, history: journey + `
			s1 .. BOOKMARK @7
			c1 .. BOOKMARK @7`},
		{name: "what has no resourceVersion is another rule's", tested: 1, history: journey + `
			c1 .. ADDED z`},
		{name: "who resumes had no time", tested: 1, history: journey + `
			s1 .. ADDED b@7
			s1 .. END clean`},
		{name: "who resumes was stopped", tested: 1, history: journey + `
			s1 .. ADDED b@7
			c1 -> STOP
			c1 .. SETTLED`},
		{name: "sent to who resumes when all had come", tested: 1, history: journey + `
			c1 .. SETTLED
			s1 .. ADDED b@7`},
	},
	"watch/frame": {
		{name: "nothing came to who resumes", history: alone + `
			s1 .. SPOILED garble
			c1 .. SETTLED`},
		{name: "what is in place of a frame may be readable to who resumes", history: journey + `
			s1 .. SPOILED replace
			s1 .. ADDED c@8
			c1 .. ADDED c@8`},
		{name: "nothing came of what follows, to who resumes", tested: 1, history: journey + `
			s1 .. SPOILED garble
			s1 .. ADDED c@8`},
		{name: "an ERROR before what was sent before the frame", tested: 1, want: "all that was sent before the frame, and then the ERROR", got: "ADDED default/a @6 after it", history: open + `
			s1 .. ADDED a@6
			s1 .. SPOILED garble
			c1 .. ERROR 500
			c1 .. ADDED a@6
			c1 .. ENDED`},
	},
	"watch/end": {
		{name: "an ERROR of who resumes, and all ended well", tested: 1, want: "no ERROR: the server ended each watch as it should", got: "ERROR 500 a status", history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. ERROR 500`},
		{name: "one broke off", tested: 1, history: journey + `
			s1 .. END broken
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. ERROR 500`},
		{name: "one ended with an ERROR", tested: 1, history: journey + `
			s1 .. ERROR 500
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- ok
			c1 .. ERROR 500`},
		{name: "one was refused", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			s1 -> WATCH
			s1 <- 500
			s1 -> WATCH
			s1 <- ok
			c1 .. ERROR 500`},
		{name: "an ERROR when it was stopped", history: journey + `
			c1 -> STOP
			c1 .. ERROR 500`},
		{name: "who resumes ended it", history: journey + `
			s1 .. END stopped
			c1 .. SETTLED`},
		{name: "it stays open to who resumes", history: journey + `c1 .. SETTLED`},
		{name: "it ends when all had come", history: journey + `
			c1 .. SETTLED
			s1 .. END clean`},
		{name: "it ends, and who resumes had no time", history: journey + `s1 .. END clean`},
		{name: "it ends when it was stopped", history: journey + `
			c1 -> STOP
			s1 .. END clean
			c1 .. SETTLED`},
	},
	"watch/in-stream-error": {
		{name: "told twice", tested: 1, want: "one ERROR for each request that failed", got: "2 for 1", history: open + `
			s1 .. ERROR 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ENDED`},
		{name: "a connection that broke, told twice", want: "one ERROR for each request that failed", got: "2 for 1", history: open + `
			s1 .. END broken
			c1 .. ERROR 500
			c1 .. ERROR 500
			c1 .. ENDED`},
		{name: "an answer that was lost, told twice", want: "one ERROR for each request that failed", got: "2 for 1", history: open + `
			s1 .. FAULT truncate lost
			c1 .. ERROR 500
			c1 .. ERROR 500
			c1 .. ENDED`},
		{name: "a frame that cannot be read, told twice", want: "one ERROR for each request that failed", got: "2 for 1", history: open + `
			s1 .. SPOILED garble
			c1 .. ERROR 500
			c1 .. ERROR 500
			c1 .. ENDED`},
		{name: "where nothing went wrong it is another rule's", history: open + `
			c1 .. ERROR 500
			c1 .. SETTLED`},
		{name: "before what was sent before it", tested: 1, want: "ERROR when all that was sent before it has come", got: "ADDED default/a @6 after it", history: open + `
			s1 .. ADDED a@6
			s1 .. ERROR 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ADDED a@6
			c1 .. ENDED`},
		{name: "what the server wrongly sends after it is handed on", tested: 1, history: open + `
			s1 .. ERROR 410 Expired
			s1 .. ADDED b@7
			c1 .. ERROR 410 Expired
			c1 .. ADDED b@7
			c1 .. ENDED`},
	},
	"list/faithful": {
		{name: "it has not returned", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3:x]`},
		{name: "it had a time of its own", history: `
			c1 -> LIST timeout=3
			s1 -> LIST
			s1 <- @5 [a@3:x]
			c1 <- error`},
		{name: "it had gone", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3:x]
			s1 .. END stopped
			c1 <- error`},
	},
	"list/whole": {
		{name: "a proxy's refusal", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 404
			s1 <- 404
			c1 <- 404`},
	},
	"resume/version": {
		{name: "what begins anywhere", history: `
			has watches retries server-faults
			c1 -> WATCH rv=0
			c1 <- ok
			s1 -> WATCH
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. END clean
			s1 -> WATCH rv=9`},
		{name: "a state, and what became of it", tested: 4, history: initialState + `
			s1 .. MODIFIED a@8
			c1 .. MODIFIED a@8`},
		{name: "a state, and what it began with again", tested: 4, want: "no repeat of ADDED default/a @7", got: "MODIFIED default/a @7", history: initialState + `
			s1 .. MODIFIED a@7
			c1 .. MODIFIED a@7`},
		{name: "a state, and all anew without what it began with", tested: 4, want: "a request from a resourceVersion that came", got: `resourceVersion ""`, history: strings.Replace(initialState, "WATCH rv=7", "WATCH", 1) + `
			s1 .. ADDED a@7
			s1 .. ADDED c@8
			c1 .. ADDED c@8`},
		{name: "nothing, and all anew", history: `
			has watches retries server-faults
			c1 -> WATCH
			c1 <- ok
			s1 -> WATCH
			s1 <- ok
			s1 .. END clean
			s1 -> WATCH
			s1 <- ok`},
		{name: "a state, and bookmarks of one resourceVersion", tested: 3, history: initialState + `
			s1 .. BOOKMARK @7
			s1 .. BOOKMARK @7
			c1 .. BOOKMARK @7
			c1 .. BOOKMARK @7`},
		{name: "its end, when it was refused", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 500
			c1 .. ENDED`},
		{name: "its end, when the connection broke", history: journey + `
			s1 .. END broken
			c1 .. ENDED`},
		{name: "its end, with an ERROR", history: journey + `
			s1 .. ERROR 500
			s1 .. END clean
			c1 .. ENDED`},
		{name: "its end, when nothing more had come", tested: 1, history: journey + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. END clean
			c1 .. ENDED`},
		{name: "its end, while the watch is open", history: journey + `c1 .. ENDED`},
	},
	"resume/expired": {
		{name: "gone, in words alone", tested: 1, history: journey + `
			s1 .. ERROR 500 Gone
			c1 .. ERROR 500 Gone
			c1 .. ENDED`},
		{name: "expired, in words alone", tested: 1, history: journey + `
			s1 .. ERROR 500 Expired
			c1 .. ERROR 500 Expired
			c1 .. ENDED`},
		{name: "expired, by its code alone", tested: 1, history: journey + `
			s1 .. ERROR 410
			c1 .. ERROR 410
			c1 .. ENDED`},
		{name: "told, and it had no time to end", history: journey + `
			s1 .. ERROR 410
			c1 .. ERROR 410`},
	},
	"resume/permanent": {
		{name: "401", tested: 1, history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			s1 -> WATCH
			s1 <- 401
			c1 .. ERROR 401
			c1 .. ENDED`},
		{name: "something after the ERROR", tested: 1, want: "the end, with the ERROR", got: "ADDED default/z @7 after it", history: `
			has watches retries server-faults
			c1 -> WATCH rv=5
			c1 <- ok
			s1 -> WATCH
			s1 <- 403
			c1 .. ERROR 403
			c1 .. ADDED z@7
			c1 .. ENDED`},
	},
	"resume/errors": {
		{name: "an end at once, and nothing more", tested: 1, want: "a request that tries again", got: "none, though it had all the time it needs", history: alone + `
			s1 .. END clean
			... 10m
			c1 .. SETTLED`},
		{name: "an end after events is another rule's", history: journey + `
			s1 .. END clean
			c1 .. SETTLED`},
		{name: "it ended the watch itself", history: alone + `
			s1 .. END stopped
			c1 .. SETTLED`},
	},
	"until/returns": {
		{name: "with an error, when it was refused", history: wait + `
			s1 .. END clean
			s1 -> WATCH rv=6
			s1 <- 500
			c1 <- error`},
		{name: "with an error, when an answer was lost", history: wait + `
			s1 .. FAULT truncate lost
			c1 <- error`},
		{name: "with an error, when a proxy answered", history: `
			has waits retries server-faults
			c1 -> UNTIL rv=5 for=ADDED/b
			s1 -> WATCH rv=5
			s1 .. FAULT answer 200
			s1 <- ok
			c1 <- error`},
		{name: "with an error, after an ERROR", history: wait + `
			s1 .. ERROR 500
			c1 <- error`},
		{name: "with an error, after a frame that cannot be read", history: wait + `
			s1 .. SPOILED garble
			c1 <- error`},
		{name: "with an error, when a list was refused with 410", history: wait + `
			s1 -> LIST none
			s1 <- 410 Expired
			c1 <- error`},
		{name: "with an error, when a watch of the most recent was refused with 410", history: wait + `
			s1 -> WATCH none
			s1 <- 410 Expired
			c1 <- error`},
		{name: "with an error, when a watch of any was refused with 410", history: wait + `
			s1 -> WATCH rv=0
			s1 <- 410 Expired
			c1 <- error`},
		{name: "called off when it had returned", tested: 1, want: "ADDED b, or a wait: there was no error", got: "something went wrong", history: wait + `
			c1 <- error
			c1 -> CANCEL`},
		{name: "it came when all had come", history: wait + `
			c1 .. SETTLED
			s1 .. ADDED b@7`},
		{name: "it came, and had no time", history: wait + `s1 .. ADDED b@7`},
		{name: "gone, and it had no time", history: wait + `s1 .. ERROR 410 Expired`},
		{name: "called off, and it had no time", history: wait + `c1 -> CANCEL`},
		{name: "called off when all had come", history: wait + `
			c1 .. SETTLED
			c1 -> CANCEL`},
		{name: "all had come before it returned", tested: 1, history: wait + `
			c1 .. SETTLED
			s1 .. ADDED b@7
			c1 <- met ADDED b@7`},
		{name: "a watch ended too late", tested: 1, want: "the end of all its requests", got: "one is still open, though it had all the time it needs", history: wait + `
			s1 .. ADDED b@7
			c1 <- met ADDED b@7
			c1 .. SETTLED
			s1 .. END stopped`},
	},
}
