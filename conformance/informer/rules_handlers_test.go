package informer

import "fmt"

// resynced are updates that change nothing, one after each of these pauses.
func resynced(h string, pauses ...string) string {
	s := ""
	for _, p := range pauses {
		s += fmt.Sprintf("... %s\n%s UPDATE a@5:x\n", p, h)
	}
	return s
}

var handlerHistories = map[string][]judged{
	"notify/late-handler": {
		{name: "what is there, and what comes", tested: 2, history: begun + `
			h1 HANDLE
			h1 ADD b@6:x
			h1 ADD a@5:x
			w c@7
			w a@8:y
			w -b@9
			s2 DELETED b@9:x
			h1 ADD c@7
			h1 UPDATE a@8:y
			h1 DELETE b@9:x
			h1 SETTLED`},
		{name: "gone, and there again", tested: 2, history: begun + `
			h1 HANDLE
			h1 ADD b@6:x
			h1 ADD a@5:x
			w -b@7
			w b#2@8:x
			s2 DELETED b@7:x
			h1 DELETE b@7:x
			h1 ADD b#2@8:x
			h1 SETTLED`},
		{name: "not what is there", tested: 2, bad: 1, want: "an add: default/b @6", got: "nothing", history: `
			w a@5:x
			w b@6:x !
			i RUN
			` + listed + `
			h1 HANDLE
			h1 ADD a@5:x
			h1 SETTLED !`, also: "notify/complete"},
		{name: "not what comes", tested: 3, bad: 1, want: "an add: default/c @7", got: "nothing", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x
			h1 ADD b@6:x
			w c@7 !
			h1 SETTLED !`, also: "notify/complete"},
		{name: "twice", tested: 2, bad: 1, want: "one add", got: "ADD default/a @5 again", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x !
			h1 ADD b@6:x
			h1 ADD a@5:x !
			h1 SETTLED`, also: "notify/order"},
		{name: "as it starts, it is not late", history: met + `
			h1 ADD a@5:x initial
			w c@7
			h1 SETTLED`, also: "notify/order notify/complete"},
		{name: "it was not started", history: `
			h1 HANDLE`},
		{name: "it had no time", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x`},
	},
	"notify/removed-handler": {
		{name: "another misses what comes", tested: 3, bad: 1, want: "an add: default/c @7", got: "nothing", history: written + `
			h1 HANDLE
			h2 HANDLE
			i RUN
			h2 ADD a@5:x
			h2 ADD b@6:x
			h1 UNHANDLE
			w c@7 !
			h2 SETTLED !`, also: "notify/complete"},
		{name: "an add after a removal", tested: 1, bad: 1, want: "nothing that was not queued", got: "ADD default/c @7", history: met + `
			h1 UNHANDLE !
			w c@7 !
			h1 ADD c@7 !`},
		{name: "a delete that was queued, of what is there again, and gone again", tested: 1, history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 UNHANDLE
			w a#2@8:x
			h1 DELETE a@7:x held=a#2@8:x
			w -a@9`},
		{name: "what nobody has an answer for", tested: 1, history: met + `
			h1 UNHANDLE
			w a@7:y
			w> c
			h1 ADD c@8`},
		{name: "idle", tested: 2, history: met + `
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			h1 UNHANDLE wait
			h2 UNHANDLE
			w a@7:y`},
		{name: "what was queued before may come", tested: 1, history: met + `
			w a@7:y
			w -b@8
			s2 DELETED b@8:x
			h1 UNHANDLE
			h1 UPDATE a@7:y
			h1 DELETE b@8:x
			w a@9:z
			w b#2@10`},
		{name: "the call under way, which ends", tested: 2, history: met + `
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			w a@7:y
			h2> UPDATE a@7:y
			h2 UNHANDLE
			h2<
			h1> UPDATE a@7:y
			h1<
			h1 UNHANDLE wait
			w a@8:z`},
		{name: "what nobody wrote", tested: 1, history: met + `
			h1 UNHANDLE
			w a@7:y
			s2 FAULT lie
			h1 UPDATE a@9`},
		{name: "a resync of what it was then", tested: 1, history: met + `
			h1 UNHANDLE
			w a@7:y
			h1 UPDATE b@6:x`},
		{name: "after a removal that waits", tested: 1, bad: 1, want: "nothing: the removal, which waits, has returned", got: "UPDATE default/a @7", history: met + `
			w a@7:y
			h1 UNHANDLE wait !
			h1 UPDATE a@7:y !
			w a@8:z`},
		{name: "an update after a removal", tested: 1, bad: 1, want: "nothing that was not queued", got: "UPDATE default/a @7", history: met + `
			h1 UNHANDLE !
			w a@7:y !
			h1 UPDATE a@7:y !`},
		{name: "a delete after a removal", tested: 1, bad: 1, want: "nothing that was not queued", got: "DELETE default/a @7", history: met + `
			h1 UNHANDLE !
			w -a@7 !
			s2 DELETED a@7:x
			h1 DELETE a@7:x !`},
		{name: "a delete after a removal, of the second", tested: 1, bad: 1, want: "nothing that was not queued", got: "DELETE default/a @9", history: met + `
			w -a@7
			w a#2@8:x
			s2 DELETED a@7:x
			s2 ADDED a#2@8:x
			h1 DELETE a@7:x
			h1 ADD a#2@8:x
			h1 UNHANDLE !
			w -a@9 !
			s2 DELETED a#2@9:x
			h1 DELETE a#2@9:x !`},
		{name: "it waits for no call", tested: 1, bad: 1, want: "a removal that waits for the call under way", got: "it returned beside UPDATE default/a @7", history: met + `
			w a@7:y
			h1> UPDATE a@7:y !
			h1 UNHANDLE wait !
			h1<
			w a@8:z`},
		{name: "it waits for no call, which never ends", tested: 1, bad: 1, want: "a removal that waits for the call under way", got: "it returned beside UPDATE default/a @7", history: met + `
			w a@7:y
			h1> UPDATE a@7:y !
			h1 UNHANDLE wait !
			w a@8:z`},
		{name: "nothing changed after it", history: met + `
			w a@7:y
			h1 UNHANDLE wait`},
		{name: "it was refused", history: met + `
			h1 UNHANDLE wait refused
			w a@7:y
			h1 UPDATE a@7:y`},
		{name: "it has not returned", history: met + `
			h1> UNHANDLE wait
			w a@7:y
			h1 UPDATE a@7:y`},
	},
	"notify/slow": {
		{name: "the other hears of all; and so does it, later", tested: 4, history: met + `
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			w a@7:y
			h1> UPDATE a@7:y
			h2 UPDATE a@7:y
			w a@8:z
			h2 UPDATE a@8:z
			i SETTLED
			h2 SETTLED
			h1<
			h1 UPDATE a@8:z
			i SETTLED
			h1 SETTLED
			h2 SETTLED`},
		{name: "the other waits, too", tested: 2, bad: 1, want: "an update: default/a @8", got: "nothing after UPDATE default/a @7", history: met + `
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			w a@7:y
			h1> UPDATE a@7:y
			h2 UPDATE a@7:y !
			w a@8:z !
			i SETTLED
			h2 SETTLED !`, also: "notify/complete notify/late-handler"},
		{name: "it loses something", tested: 2, bad: 1, want: "an update: default/a @8", got: "nothing after UPDATE default/a @7", history: met + `
			w a@7:y
			h1> UPDATE a@7:y !
			w a@8:z !
			i SETTLED
			h1<
			h1 SETTLED !`, also: "notify/complete"},
		{name: "nothing is written meanwhile", history: met + `
			w a@7:y
			h1> UPDATE a@7:y
			i SETTLED
			h1<
			h1 SETTLED
			w a@8:z
			h1 UPDATE a@8:z
			i SETTLED
			h1 SETTLED`},
		{name: "none is held", history: met + `
			w a@7:y
			h1 UPDATE a@7:y
			i SETTLED
			h1 SETTLED`},
		{name: "for ever", history: met + `
			w a@7:y
			h1> UPDATE a@7:y
			w a@8:z
			i SETTLED`},
	},
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
		{name: "of its own period", tested: 2, history: `
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
		{name: "too often", tested: 1, bad: 1, want: "10s between two", got: "8.9s", history: `
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
		{name: "too often for its own period", tested: 1, bad: 1, want: "20s between two", got: "10s", history: `
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
		{name: "never", tested: 1, bad: 1, want: "an update of default/a, old equal to new, in 1m0s", got: "none", history: `
			w a@5:x
			h1 HANDLE
			i RUN resync=10s
			s1 WATCH rv=5
			s1 <- ok !
			h1 ADD a@5:x
			... 60s
			s1 END clean !`},
		{name: "never, of one of two", tested: 2, bad: 1, want: "an update of default/b", got: "none", history: `
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
		{name: "never, of its own period", tested: 1, bad: 1, want: "an update of default/a, old equal to new, in 1m30s", got: "none", history: `
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
