package informer

// fallenBack is a list that came where a streaming list did not come to its end.
const fallenBack = written + `
	i RUN
	s1 WATCH initial=true
	s1 <- ok
	s1 ADDED a@5:x
	s1 END clean
	s2 LIST rv=0
	s2 <- @6 a@5:x b@6:x `

var fallbackHistories = map[string][]judged{
	"sync/watchlist-fallback": {
		{name: "the list is in the store", tested: 3, history: fallenBack + `
			... 10m
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "what it had is newer, or gone", tested: 2, history: fallenBack + `
			w a@7:y
			w -b@8
			... 40m
			i STORE a@7:y`},
		{name: "not long after it", tested: 1, history: fallenBack + `
			... 9m
			i SYNCED no
			i STORE`},
		{name: "streaming lists and lists by turns", tested: 3, history: fallenBack + `
			... 30s
			s1 WATCH initial=true
			s1 <- ok
			s1 END clean
			s2 LIST
			s2 <- @6 a@5:x b@6:x
			... 10m
			i STORE a@5:x b@6:x
			s1 WATCH initial=true
			s1 <- 429`},
		{name: "it is thrown away", tested: 2, bad: 2, want: "default/a @5, from the LIST", got: "not in the store", history: fallenBack + ` !
			s1 WATCH initial=true
			s1 <- ok
			s1 END clean
			... 40m
			i STORE !`},
		{name: "an older state stays", tested: 2, bad: 1, want: "default/a @7, from the LIST", got: "default/a @5", history: begun + `
			w a@7:y
			s1 WATCH initial=true rv=6
			s1 <- ok
			s1 END clean
			s2 LIST rv=6
			s2 <- @7 a@7:y b@6:x !
			... 40m
			i STORE a@5:x b@6:x !`},
		{name: "it has not synced by it", tested: 2, bad: 1, want: "true: a LIST was answered", got: "false", history: fallenBack + ` !
			... 40m
			i SYNCED no !`},
		{name: "a list without a streaming list before", history: begun + `
			... 40m
			i STORE`},
	},
}
