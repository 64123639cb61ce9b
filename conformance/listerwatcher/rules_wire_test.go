package listerwatcher

import "testing"

func TestErrorText(t *testing.T) {
	judge(t, "list/error-text", []judged{
		{name: "the same", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 403 Forbidden says=нельзя
			c1 <- 403 Forbidden says=нельзя`},
		{name: "more than that", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 403 Forbidden says=нельзя
			c1 <- 403 Forbidden says=forbidden:нельзя`},
		{name: "question marks", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 403 Forbidden says=нельзя
			c1 <- 403 Forbidden says=??????`, want: "нельзя", got: "??????"},
		{name: "half of an ERROR", tested: 1, history: open + `
			s1 .. ERROR 410 Expired says=истекло
			c1 .. ERROR 410 Expired says=исте`, want: "истекло", got: "исте"},
		{name: "an ERROR as it was", tested: 1, history: open + `
			s1 .. ERROR 410 Expired says=истекло
			c1 .. ERROR 410 Expired says=истекло`},
		{name: "the client's own error", history: open + `
			s1 .. ERROR 410 Expired says=истекло
			c1 .. ERROR 500 InternalError says=unreadable`},
		{name: "in ASCII", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 403 Forbidden says=no
			c1 <- 403 Forbidden says=forbidden`},
	})
}

func TestDeadConnection(t *testing.T) {
	const died = `
		has lists watches http2 server-tls server-dead-connections
		c1 -> WATCH rv=5
		s1 -> WATCH http2
		s1 <- ok
		c1 <- ok
		network -> DIED
	`
	const never, want = "nothing for 2m0s, though its connection is dead", "an error, the end of the stream, or another request"
	judge(t, "watch/dead-connection", []judged{
		{name: "it ends the watch", tested: 1, history: died + `
			... 45s
			c1 .. ENDED
			s1 .. END stopped`},
		{name: "it asks again", tested: 1, history: died + `
			... 45s
			s1 -> WATCH rv=5 http2`},
		{name: "it closes its end, and nobody reads on", tested: 1, history: died + `
			... 45s
			s1 .. END stopped
			... 5m
			c1 .. SETTLED`},
		{name: "nothing", tested: 1, history: died + `
			... 5m
			c1 .. SETTLED`, want: want, got: never},
		{name: "too late", tested: 1, history: died + `
			... 5m
			c1 .. ENDED`, want: want, got: never},
		{name: "a list that returns an error", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST http2
			network -> DIED
			... 45s
			c1 <- error`},
		{name: "a list that waits for ever", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST http2
			network -> DIED
			... 5m
			c2 -> LIST`, want: want, got: never},
		{name: "nobody waited that long", history: died + `
			... 1m
			c1 .. SETTLED`},
		{name: "it was stopped before", history: died + `
			... 1m
			c1 -> STOP
			... 5m
			c1 .. SETTLED`},
		{name: "HTTP/1.1 has no pings", history: open + `
			network -> DIED
			... 5m
			c1 .. SETTLED`},
		{name: "it was over before", history: `
			c1 -> LIST
			s1 -> LIST http2
			s1 <- @5 []
			s1 .. END clean
			network -> DIED
			... 5m
			c1 <- @5 []`},
	})
}

// What a client drops because it ends a watch that is well is an event that did not come.
func TestDropped(t *testing.T) {
	const dropped = open + `
		s1 .. ADDED a@6:x
		c1 .. ADDED a@6:x
		s1 .. ADDED b@7:x
		s1 .. END stopped
	`
	judge(t, "watch/faithful", []judged{
		{name: "it ends a watch at an event", tested: 2, history: dropped + `
			c1 .. ENDED`, want: "ADDED default/b @7", got: "the end of the stream: the client itself has ended the watch"},
		{name: "who resumes does so", tested: 2, history: journey + `
			s1 .. ADDED b@7:x
			s1 .. END stopped
			c1 .. ENDED`, want: "ADDED default/b @7", got: "the end of the stream: the client itself has ended the watch"},
		{name: "it was stopped", tested: 1, history: dropped + `
			c1 -> STOP
			c1 .. ENDED`},
		{name: "it ends it after a silence", tested: 1, history: open + `
			s1 .. ADDED a@6:x
			c1 .. ADDED a@6:x
			... 30s
			s1 .. ADDED b@7:x
			s1 .. END stopped
			c1 .. ENDED`},
		{name: "it ends it when its caller's time is up", tested: 1, history: `
			c1 -> WATCH rv=5 timeout=30
			s1 -> WATCH
			s1 <- ok
			c1 <- ok
			s1 .. ADDED a@6:x
			c1 .. ADDED a@6:x
			s1 .. ADDED b@7:x
			s1 .. END stopped
			c1 .. ENDED`},
		{name: "the connection died before it came", tested: 1, history: `
			c1 -> WATCH rv=5
			s1 -> WATCH http2
			s1 <- ok
			c1 <- ok
			s1 .. ADDED a@6:x
			c1 .. ADDED a@6:x
			network -> DIED
			s1 .. ADDED b@7:x
			... 45s
			s1 .. END stopped
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "nothing comes", history: open},
	})
}
