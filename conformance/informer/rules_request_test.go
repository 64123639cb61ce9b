package informer

var requestHistories = map[string][]judged{
	"request/credentials": {
		{name: "each has them", tested: 2, history: begun},
		{name: "nothing was asked", history: `
			i RUN`},
		{name: "the server is told to refuse", tested: 1, history: `
			i RUN
			s1 LIST rv=0
			s1 FAULT status 401
			s1 <- 401`},
		{name: "it is told to refuse before it looks", history: `
			i RUN
			s1 REQUEST wire
			s1 FAULT status 401
			s1 <- 401`},
		{name: "another refusal", history: `
			i RUN
			s1 REQUEST wire
			s1 <- 404`},
		{name: "none has them", tested: 2, bad: 2, want: "the credentials that the informer was given", got: "none, or others: 401 to /api/v1/configmaps", history: `
			i RUN
			s1 REQUEST wire by=? !
			s1 <- 401 !
			s2 REQUEST wire by=? !
			s2 <- 401 !`},
		{name: "the watch has none", tested: 2, bad: 1, want: "the credentials that the informer was given", got: "none, or others: 401", history: written + `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@5:x b@6:x
			s2 REQUEST wire by=? !
			s2 <- 401 !`},
	},
}
