package informer

const (
	// died is an informer whose watch by HTTP/2 is on a dead connection.
	died = `
		has http2 server-tls server-dead-connections
		i RUN
		s1 LIST rv=0 http2
		s1 <- @6 a@6
		s1 END clean
		s2 WATCH rv=6 http2 !
		s2 <- ok
		network DIED !
	`
	// diedAsking is an informer that requests a stream by HTTP/2 on a connection that dies before the answer.
	diedAsking = `
		i RUN
		s1 LIST rv=0 http2
		s1 <- @6 a@6
		s1 END clean
		s2 WATCH rv=6 http2
		s2 <- ok
		s2 ERROR 500
		s2 END clean
		s3 WATCH rv=6 initial=true http2
		network DIED !
	`
	// offline is one whose watch by HTTP/2 broke off when the network went down.
	offline = `
		has http2 server-tls server-dead-connections
		i RUN
		s1 LIST rv=0 http2
		s1 <- @6 a@6
		s1 END clean
		s2 WATCH rv=6 http2
		s2 <- ok
		network DOWN
	`
	// silent is one whose watch is silent, while the connection lives.
	silent = `
		has notices-silence server-faults
		i RUN
		s1 LIST rv=0
		s1 <- @6 a@6
		s1 END clean
		s2 WATCH rv=6 !
		s2 <- ok
		s2 BOOKMARK @7
		s2 FAULT stall !
	`
)

var silenceHistories = map[string][]judged{
	"resume/dead-connection": {
		{name: "it watches again", tested: 1, history: died + `
			... 45s
			s2 END stopped
			s3 WATCH rv=6 http2`},
		{name: "it lists", tested: 1, history: died + `
			... 46s
			s3 LIST rv=6 http2`},
		{name: "nothing", tested: 1, bad: 1, want: "another request", got: "nothing for 2m0s, though its connection is dead", history: died + `
			... 5m
			i SYNCED yes`},
		{name: "late", tested: 1, bad: 1, want: "another request", got: "nothing for 2m0s", history: died + `
			... 5m
			s3 WATCH rv=6 http2`},
		{name: "it is stopped before", history: died + `
			... 1m
			i STOP
			i RETURN
			... 5m
			i SYNCED yes`},
		{name: "connections are refused", history: died + `
			... 30s
			network DOWN
			... 5m
			i SYNCED yes`},
		{name: "the network went down before, and had broken the connection", history: offline + `
			network DIED
			s2 END broken
			... 5m
			i SYNCED yes`},
		{name: "it came up again before, and the server noticed late", history: offline + `
			network UP
			network DIED
			s2 END broken
			... 1s
			s3 WATCH rv=6 http2
			s3 <- ok
			... 5m
			i SYNCED yes`},
		{name: "nothing, after an outage that it got over", tested: 1, bad: 1, want: "another request", got: "nothing for 2m0s, though its connection is dead", history: offline + `
			s2 END broken
			network UP
			... 1s
			s3 WATCH rv=6 http2 !
			s3 <- ok
			network DIED !
			... 5m
			i SYNCED yes`},
		{name: "nobody waited that long", history: died + `
			... 1m
			i SYNCED yes`},
		{name: "HTTP/1.1 has no pings", history: `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@6
			s1 END clean
			s2 WATCH rv=6
			s2 <- ok
			network DIED
			... 5m
			i SYNCED yes`},
	},
	"resume/version": {
		{name: "its connection was dead before it was answered", tested: 1, history: diedAsking + `
			s3 <- ok
			s3 ADDED a@8
			s3 BOOKMARK @8 mark
			... 45s
			s3 END stopped
			s4 LIST rv=6 http2`},
		{name: "from the start, after its connection was dead", tested: 2, bad: 1, want: "a WATCH from @6, or a LIST that is not older", got: "WATCH from @0", history: `
			i RUN
			s1 LIST rv=0 http2
			s1 <- @6 a@6
			s1 END clean
			s2 WATCH rv=6 http2
			s2 <- ok
			network DIED !
			... 45s
			s2 END stopped
			s3 WATCH rv=0 http2 !`},
	},
	"resume/no-relist": {
		{name: "a stream of HTTP/2 that is reset is an error", history: `
			i RUN
			s1 LIST rv=0 http2
			s1 <- @6 a@6
			s1 END clean
			s2 WATCH rv=6 http2
			s2 <- ok
			... 5m
			s2 END broken
			s3 LIST rv=6 http2`},
	},
	"resume/silence": {
		{name: "it watches again", tested: 1, history: silent + `
			... 5m
			s2 END stopped
			s3 WATCH rv=7`},
		{name: "nothing", tested: 1, bad: 1, want: "another request", got: "nothing for 15m0s, though nothing comes of this one", history: silent + `
			... 20m
			i SYNCED yes`},
		{name: "a list that is not answered", tested: 1, bad: 1, want: "another request", got: "nothing for 15m0s", history: `
			has notices-silence server-faults
			i RUN
			s1 LIST rv=0 !
			s1 FAULT hang headers !
			... 20m
			i SYNCED no`},
		{name: "the fault ended", history: silent + `
			... 5m
			s2 MODIFIED a@8
			s2 END clean`},
		{name: "it is stopped before", history: silent + `
			... 1m
			i STOP
			i RETURN
			... 20m
			i SYNCED yes`},
		{name: "nobody waited that long", history: silent + `
			... 10m
			i SYNCED yes`},
	},
}
