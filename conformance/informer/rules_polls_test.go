package informer

// What never watches: its whole lists are all that it does well.
var pollsHistories = map[string][]judged{
	"resume/pace": {
		{name: "failures with whole lists and rests between, of what polls", history: "i RUN\n" + times(7, `
			s1 LIST rv=0
			s1 <- 500
			... 1s
			s1 LIST rv=0
			s1 <- @4 a@4
			... 10s`) + `
			s1 LIST rv=0`},
		{name: "further pages that fail, with whole lists and rests between", history: "i RUN\n" + times(7, `
			s1 LIST limit=1
			s1 <- @4 a@3 continue=t
			s1 LIST limit=1 continue=t
			s1 <- 500
			... 1s
			s1 LIST limit=1
			s1 <- @4 a@3 continue=t
			s1 LIST limit=1 continue=t
			s1 <- @4 b@4
			... 10s`) + `
			s1 LIST limit=1`},
		{name: "streaming lists that are refused, a list at once, and a rest", tested: 11, history: "i RUN\n" + times(11, `
			s1 WATCH initial=true
			s1 <- 400
			s2 LIST rv=0
			s2 <- @4 a@4
			... 10s`) + `
			s1 WATCH initial=true`},
		{name: "a list at once, and no rest", tested: 1, bad: 1, want: "pauses after failures in a row", got: "10 streaming lists with no pause between", history: `
			i RUN
			s1 WATCH initial=true
			s1 <- 400 !` + times(9, `
			s2 LIST rv=0
			s2 <- @4 a@4
			s1 WATCH initial=true
			s1 <- 400`) + `
			s2 LIST rv=0 !
			s2 <- @4 a@4`},
		{name: "first pages that come, and a further one that fails after a while", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 1s to 1s", history: `
			i RUN
			s1 LIST limit=1
			s1 <- @4 a@3 continue=t
			s1 LIST limit=1 continue=t
			s1 <- 500 !
			... 1s` + times(5, `
			s1 LIST limit=1
			s1 <- @4 a@3 continue=t
			... 1s
			s1 LIST limit=1 continue=t
			s1 <- 500
			... 1s`) + `
			s1 LIST limit=1 !`},
		{name: "watches that fail, with lists and a rest between", tested: 1, bad: 1, want: "pauses that grow", got: "6 pauses of 1s to 1s", history: begun + `
			... 1s
			s2 ERROR 500 !
			... 1s` + times(5, `
			s2 LIST rv=6
			s2 <- @6 a@5:x b@6:x
			... 1s
			s2 WATCH rv=6
			s2 <- 500
			... 1s`) + `
			s2 LIST rv=6 !`},
	},
}
