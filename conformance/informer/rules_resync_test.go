package informer

var resyncHistories = map[string][]judged{
	"notify/resync": {
		{name: "stopped", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 10s
			h1 UPDATE a@5:x
			... 10s
			h1 UPDATE a@5:x
			i STOP
			... 10m
			s1 END stopped`},
		{name: "removed", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 10s
			h1 UPDATE a@5:x
			... 10s
			h1 UPDATE a@5:x
			h1 UNHANDLE
			... 10m
			s1 END clean`},
		{name: "removed before the watch", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			h1 UNHANDLE
			s1 WATCH rv=5
			s1 <- ok
			... 10m
			s1 END clean`},
		{name: "no answer", history: begun + `
			h1> HANDLE period=10s
			... 10m
			s2 END clean`},
		{name: "the server breaks the contract", history: begun + `
			h1 HANDLE period=10s
			s2 FAULT swap
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			... 10m
			s3 END clean`},
		{name: "each in its period", tested: 4, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			` + resynced("h1", "10s", "10s", "9s", "31s") + `
			s1 END clean`},
		{name: "a list before the watch tells of everything, too", tested: 2, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			h1 UPDATE a@5:x
			` + resynced("h1", "3s", "10s", "20s") + `
			s1 END clean`},
		{name: "of its own period", tested: 1, history: `
			w a@5:x
			h1 HANDLE period=20s
			i RUN
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			` + resynced("h1", "20s", "40s") + `
			i STOP`},
		{name: "a multiple of the informer's", tested: 1, history: `
			w a@5:x
			h1 HANDLE period=25s
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			` + resynced("h1", "104s") + `
			... 1s
			i STOP`},
		{name: "a change is no resync", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 9s
			h1 UPDATE a@5:x
			w a@6:y
			... 1s
			h1 UPDATE a@6:y
			... 9s
			h1 UPDATE a@6:y
			... 10s
			s1 END clean`},
		{name: "by a list between two watches", tested: 1, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x initial
			` + resynced("h1", "10s") + `
			s1 ERROR 410
			s1 END clean
			... 1s
			s2 LIST rv=5
			s2 <- @5 a@5:x
			h1 UPDATE a@5:x
			s3 WATCH rv=5
			s3 <- ok
			` + resynced("h1", "10s", "20s") + `
			i STOP`},
		{name: "short watches", history: times(1, `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 LIST
			s1 <- @5 a@5:x
			h1 ADD a@5:x initial
			s1 WATCH rv=5
			s1 <- ok
			... 59s
			s1 END clean
			s1 WATCH rv=5
			s1 <- ok
			... 59s
			i STOP`)},
		{name: "gone in the meantime", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 50s
			w -a@6
			s1 DELETED a@6:x
			h1 DELETE a@6:x
			... 50s
			w b@7
			h1 ADD b@7
			s1 END clean`},
		{name: "held", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1> ADD a@5:x
			... 90s
			s1 END clean`},
		{name: "late", tested: 1, history: `
			w a@5:x
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			... 90s
			h1 HANDLE
			h1 ADD a@5:x
			... 50s
			h1 UPDATE a@5:x
			... 50s
			s1 END clean`},
		{name: "too often", tested: 1, bad: 1, want: "10s between two resyncs", got: "8.9s", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 10s
			h1 UPDATE a@5:x !
			... 8900ms
			h1 UPDATE a@5:x !`},
		{name: "the first of two late, in real time", tested: 1, history: "real\n" + `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 15s
			h1 UPDATE a@5:x
			... 5s
			h1 UPDATE a@5:x`},
		{name: "too often, in real time", tested: 2, bad: 2, want: "10s between two resyncs", got: "5s", history: "real\n" + `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 5s
			h1 UPDATE a@5:x !
			... 5s
			h1 UPDATE a@5:x !
			... 5s
			h1 UPDATE a@5:x !`},
		{name: "the first of two waited behind others", tested: 3, history: `
			w a@5:x
			w b@6:x
			w c@7:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=7
			s1 <- ok
			h1 ADD a@5:x
			h1 ADD b@6:x
			h1 ADD c@7:x
			... 10s
			h1 UPDATE a@5:x
			... 200ms
			h1 UPDATE b@6:x
			... 200ms
			h1 UPDATE c@7:x
			... 8700ms
			h1 UPDATE c@7:x
			... 900ms
			h1 UPDATE a@5:x
			h1 UPDATE b@6:x`},
		{name: "too often, though the first of two waited", tested: 1, bad: 1, want: "10s between two resyncs", got: "8.5s", history: `
			w a@5:x
			w b@6:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=6
			s1 <- ok
			h1 ADD a@5:x
			h1 ADD b@6:x
			... 10s
			h1 UPDATE a@5:x
			... 200ms
			h1 UPDATE b@6:x !
			... 8500ms
			h1 UPDATE b@6:x !`},
		{name: "too often for its own period", tested: 1, bad: 1, want: "20s between two resyncs", got: "10s", history: `
			w a@5:x
			h1 HANDLE period=20s
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			... 10s
			h1 UPDATE a@5:x !
			... 10s
			h1 UPDATE a@5:x !`},
		{name: "never", tested: 1, bad: 1, want: "a resync of default/a, an UPDATE with equal states, in 1m0s", got: "none", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok !
			h1 ADD a@5:x
			... 60s
			s1 END clean !`},
		{name: "never, of one of two", tested: 2, bad: 1, want: "a resync of default/b", got: "none", history: `
			w a@5:x
			w b@6:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=6
			s1 <- ok !
			h1 ADD a@5:x
			h1 ADD b@6:x
			... 60s
			h1 UPDATE a@5:x
			i STOP !`},
		{name: "never, of its own period", tested: 1, bad: 1, want: "a resync of default/a, an UPDATE with equal states, in 1m30s", got: "none", history: `
			w a@5:x
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok !
			h1 HANDLE period=20s
			h1 ADD a@5:x
			... 90s
			w b@6
			h1 ADD b@6 !`},
		{name: "no period", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x
			h1 ADD b@6:x
			... 10m
			h1 UPDATE a@5:x
			h1 UPDATE a@5:x`},
		{name: "refused", history: begun + `
			h1 HANDLE period=10s refused
			... 10m
			s2 END clean`},
		{name: "a streaming list that stalls", history: `
			w a@5:x
			i RUN resync=10s
			s1 WATCH initial=true
			s1 <- ok
			s1 FAULT stall
			h1 HANDLE
			... 10m
			s1 END stopped`},
		{name: "a watch whose event stalls", tested: 2, history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			h1 ADD a@5:x
			w b@7:x
			s1 FAULT stall
			` + resynced("h1", "20s", "10m") + `
			s1 END stopped`},
		{name: "an informer without resyncs", history: begun + `
			h1 HANDLE period=10s
			h1 ADD a@5:x
			... 10m
			s2 END clean`},
		{name: "known since a moment before the end", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok
			... 90s
			h1 ADD a@5:x
			... 9s
			s1 END clean`},
		{name: "never, after the initial events", tested: 1, bad: 1, want: "a resync of default/a, an UPDATE with equal states, in 1m0s", got: "none", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH initial=true
			s1 <- ok !
			... 5s
			s1 ADDED a@5:x
			s1 BOOKMARK @5 end
			h1 ADD a@5:x initial
			... 60s
			s1 END clean !`},
		{name: "no watch was opened", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- 500
			s2 WATCH rv=5
			... 10m
			s3 LIST
			s3 <- @5 a@5:x
			... 10m
			i STOP`},
	},
}
