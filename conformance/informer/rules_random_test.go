package informer

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
	"resume/expired": {
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
		{name: "sent before the informer ended the watch", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @6", history: begun + `
			w a@7:y
			s2 MODIFIED a@7:y
			... 1s
			s2 END stopped
			... 1s
			s3 WATCH rv=6
			s3 <- 410 !
			s4 LIST rv=6 !`},
	},
	"store/version-moves": {
		{name: "of an informer that may ask for all namespaces, and one of all, nobody knows whose watch it is", history: `
			w a@5:x
			i RUN
			j RUN ns=
			s1 LIST ns=
			s1 <- @5 a@5:x
			s1 WATCH rv=5 ns=
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
