package listerwatcher

// byHTTP2 is an open watch by HTTP/2.
const byHTTP2 = `
	c1 -> WATCH rv=5
	s1 -> WATCH http2
	s1 <- ok
	c1 <- ok
`

// random are histories in which random stories showed that a rule blamed clients wrongly.
var random = map[string][]judged{
	"watch/frame-error": {
		{name: "a body that is the beginning of JSON may have been cut", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 .. FAULT answer 200
			s1 <- 200 says={"kind":
			c1 <- ok
			c1 .. ENDED`},
	},
	"watch/prompt": {
		{name: "its end is seen when somebody reads it", tested: 1, history: paused + `
			c1 -> STOP
			... 6m
			c1 -> READ
			c1 .. ENDED`},
		{name: "its end is seen after the pause of a slow reader", tested: 1, history: paused + `
			c1 -> READ pause=2s
			s1 .. ADDED b@6
			c1 .. ADDED b@6
			c1 -> STOP
			... 2s
			c1 .. ENDED`},
		{name: "it ends long after somebody reads it", tested: 1, history: paused + `
			c1 -> READ pause=2s
			c1 -> STOP
			... 5s
			c1 .. ENDED`, want: "its end within 1s of its Stop", got: "5s"},
	},
	"resume/expired": {
		{name: "what the server wrote when the connection had died", history: retried + `
			s1 .. END broken
			... 1s
			s1 -> WATCH rv=5 http2
			s1 <- ok
			network -> DIED
			s1 .. ERROR 410 Expired
			s1 .. END clean
			... 46s
			s1 -> WATCH rv=5 http2
			s1 <- ok`},
		{name: "what it wrote before", tested: 1, history: retried + `
			s1 .. END broken
			... 1s
			s1 -> WATCH rv=5 http2
			s1 <- ok
			s1 .. ERROR 410 Expired
			s1 .. END clean
			network -> DIED
			... 46s
			c1 .. ERROR 410 Expired
			s1 -> WATCH rv=5 http2`, want: "the end, with the ERROR", got: "a further request"},
	},
	"resume/version": {
		{name: "where a wait goes on after an event that no server sends is its own choice", history: awaiting + `
			s1 .. SPOILED replace
			s1 .. MODIFIED c@8
			s1 .. END clean
			s1 -> WATCH rv=8`},
	},
	"resume/permanent": {
		{name: "it had rested before it was refused, not after", tested: 1, history: retried + `
			... 10m
			c1 .. SETTLED
			s1 .. END clean
			s1 -> WATCH rv=5
			s1 <- 403 Forbidden
			c1 .. ERROR 403 Forbidden`},
	},
	"resume/errors": {
		{name: "it ends when the connection has died under a request without an answer", tested: 2, history: retried + `
			s1 .. END broken
			... 1s
			s1 -> WATCH rv=5 http2
			network -> DIED
			s1 <- ok
			... 45s
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
		{name: "it ends for a frame that no server sends, and the connection breaks", history: retried + `
			s1 .. SPOILED replace
			s1 .. END broken
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "it ends for a connection that breaks", tested: 1, history: retried + `
			s1 .. END broken
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "a request that tries again", got: "the end of the stream"},
	},
	"until/returns": {
		{name: "informers tell of an update when they list again", tested: 1, history: relisted + `
			s1 -> LIST none
			s1 <- @6 [b@5]
			c1 <- met MODIFIED b@5`},
		{name: "MODIFIED of an object that the only watch showed in that state first", tested: 1, history: relisted + `
			c1 <- met MODIFIED b@5`, want: "MODIFIED b in a state that it came to", got: "MODIFIED default/b @5, which was its state before, or none"},
		{name: "a precondition may hold by a connection that broke", tested: 1, history: `
			has waits preconditions server-faults
			c1 -> UNTIL for=ADDED/b unless=there/a
			s1 -> WATCH rv=5
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. END broken
			c1 <- held`},
		{name: "a precondition may have been looked at by a connection that broke", history: unless + `
			s1 .. BOOKMARK @5 initial
			s1 .. END broken
			s1 -> WATCH rv=5 initial=true
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. BOOKMARK @6 initial
			c1 .. SETTLED`},
		{name: "a precondition holds after a connection that broke", tested: 1, history: unless + `
			s1 .. END broken
			s1 -> WATCH initial=true
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. BOOKMARK @6 initial
			c1 .. SETTLED`, want: "its end: a is there", got: "it waits on, though it had all the time it needs"},
		{name: "its object may be gone by what follows an event that no server sends", history: unless + `
			s1 .. ADDED a@4
			s1 .. BOOKMARK @5 initial
			s1 .. SPOILED replace
			s1 .. DELETED a@6
			c1 .. SETTLED`},
		{name: "its object may be there by what follows an event that no server sends", tested: 1, history: unless + `
			s1 .. SPOILED replace
			s1 .. ADDED a@4
			s1 .. BOOKMARK @5 initial
			c1 <- held`},
		{name: "connections were refused before anything was asked", tested: 0, history: `
			has waits server-cuts
			c1 -> UNTIL rv=5 for=ADDED/b
			s1 -> WATCH
			network -> DOWN
			c1 <- error`},
	},
	"watch/faithful": {
		{name: "an event was sent when the connection had died", history: byHTTP2 + `
			network -> DIED
			s1 .. ADDED a@6
			... 5m
			c1 .. SETTLED`},
		{name: "an event comes by a connection that had died", tested: 1, history: byHTTP2 + `
			network -> DIED
			s1 .. ADDED a@6
			c1 .. ADDED a@6`, want: "nothing that was not sent", got: "ADDED default/a @6"},
		{name: "the connection broke before its answer had come", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			network -> DOWN
			s1 <- ok
			c1 <- error`},
		{name: "connections were refused already, but for one", history: `
			network -> DOWN
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- error`},
		{name: "connections are taken again", tested: 1, want: "the watch that was opened", got: "something went wrong", history: `
			network -> DOWN
			network -> UP
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- error`},
	},
	"watch/end": {
		{name: "the connection broke before the client had read its end", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			s1 .. END clean
			network -> DOWN
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
	},
	"list/whole": {
		{name: "the connection broke when it had come", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3]
			network -> DOWN
			s1 .. END broken
			c1 <- @5 [a@3]`},
	},
	"watch/in-stream-error": {
		{name: "an ERROR was sent when the connection had died", history: byHTTP2 + `
			network -> DIED
			s1 .. ERROR 410 Expired
			s1 .. END clean
			... 45s
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "an ERROR was sent before the connection died", tested: 1, history: byHTTP2 + `
			s1 .. ERROR 410 Expired
			network -> DIED
			s1 .. END clean
			... 45s
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "ERROR 410 Expired", got: "ERROR 500 InternalError"},
		{name: "another connection had died", tested: 1, history: `
			network -> DIED` + byHTTP2 + `
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "ERROR 410 Expired", got: "ERROR 500 InternalError"},
		{name: "an ERROR was sent behind a frame that cannot be read", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			s1 .. SPOILED garble
			s1 .. ERROR 410 Expired
			s1 .. END clean
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "an ERROR came, and the connection broke", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			s1 .. ERROR 410 Expired
			s1 .. END broken
			c1 .. ERROR 410 Expired
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "the connection broke before the client had read it", history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			s1 .. ERROR 410 Expired
			network -> DOWN
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
	},
	"watch/cancel": {
		{name: "the watch is opened about when its context ends", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			c1 -> CANCEL
			s1 <- ok
			c1 <- ok
			c1 .. ENDED`},
		{name: "something that is no watch is answered about when its context ends", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			c1 -> CANCEL
			s1 .. FAULT answer 200
			s1 <- 200 nothing
			c1 <- ok
			c1 .. ENDED`},
		{name: "the connection of the last try breaks about when its context ends", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 .. END broken
			c1 -> CANCEL
			c1 <- ok
			c1 .. ENDED`},
		{name: "a connection broke, and it is asked again as its context ends", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 .. END broken
			s1 -> WATCH
			c1 -> CANCEL
			c1 <- ok
			c1 .. ENDED`, want: "the call returns an error: it had no answer", got: "it returned a watch"},
		{name: "a connection broke before, and it would have been asked again", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 .. END broken
			... 2s
			c1 -> CANCEL
			c1 <- ok
			c1 .. ENDED`, want: "the call returns an error: it had no answer", got: "it returned a watch"},
		{name: "the watch is opened later", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			c1 -> CANCEL
			... 2s
			s1 <- ok
			c1 <- ok
			c1 .. ENDED`, want: "the call returns an error: it had no answer", got: "it returned a watch"},
	},
	"list/errors": {
		{name: "connections were refused already, but for one", history: `
			network -> DOWN
			c1 -> LIST
			s1 -> LIST
			s1 <- 504 Timeout retry=1
			c1 <- error`},
		{name: "its time was up when it asked again", history: `
			c1 -> LIST timeout=9
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=1
			... 9s
			c1 <- error`},
		{name: "connections were refused when it asked again", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=1
			network -> DOWN
			c1 <- error`},
		{name: "connections were refused before it was refused", history: `
			c1 -> LIST
			s1 -> LIST
			network -> DOWN
			s1 <- 504 Timeout retry=1
			c1 <- error`},
		{name: "it was called off before it asked again", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=1
			c1 -> CANCEL
			c1 <- error`},
	},
	"list/faithful": {
		{name: "it was called off, or its connection broke", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3]
			s1 .. END clean
			network -> DOWN
			c1 <- error
			c2 -> LIST
			s2 -> LIST
			s2 <- @5 [a@3]
			s2 .. END clean
			c2 -> CANCEL
			c2 <- error`},
	},
	"request/isolated": {
		{name: "a watch asks when it has returned, and connections are refused", history: `
			network -> DOWN
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "connections are refused before it asks", history: `
			c1 -> WATCH rv=5
			c1 <- ok
			network -> DOWN
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "connections were taken again before it was called", tested: 1, history: `
			network -> DOWN
			network -> UP
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "connections are refused, and the watch does not fail", tested: 1, history: `
			network -> DOWN
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. SETTLED`, want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "a watch asks by a connection that has died", history: `
			network -> DIED
			... 1s
			c1 -> WATCH rv=5
			c1 <- ok
			... 45s
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "a connection had died that no client can use any more", tested: 1, history: `
			network -> DIED
			... 3m
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`, want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "a request whose call has failed is ended when another watch is stopped", tested: 2, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH rv=5
			s1 <- ok
			c1 <- ok
			network -> DOWN
			s1 .. END broken
			c2 -> WATCH rv=5
			s2 -> WATCH rv=5
			s2 <- ok
			c2 <- error
			c1 -> STOP
			s2 .. END stopped`},
		{name: "a client ends the watch of a frame that it cannot read", tested: 3, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			c2 -> WATCH rv=5
			s2 -> WATCH
			s2 <- ok
			c2 <- ok
			c1 -> STOP
			s2 .. SPOILED garble
			s2 .. END stopped`},
	},
}

const paused = `
	has watches retries
	c1 -> WATCH rv=5
	s1 -> WATCH
	s1 <- ok
	c1 <- ok
	s1 .. END clean
`

const retried = `
	has watches retries server-faults
	c1 -> WATCH rv=5
	s1 -> WATCH
	s1 <- ok
	c1 <- ok
`

const unless = `
	has waits preconditions retries server-faults
	c1 -> UNTIL for=ADDED/b unless=there/a
	s1 -> WATCH initial=true
	s1 <- ok
`

const relisted = `
	has waits
	c1 -> UNTIL for=MODIFIED/b
	s1 -> LIST none
	s1 <- @5 [b@5]
	s1 -> WATCH rv=5
	s1 <- ok
	s1 .. END clean
`
