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
	"request/allowed": {
		{name: "it is answered", tested: 1, history: begun},
		{name: "three times refused, and then not answered", history: `
			i RUN` + times(3, `
			s1 LIST rv=0 wire
			s1 <- 403`) + `
			s2 LIST rv=0 wire`},
		{name: "refused for a while, and answered in the end", tested: 1, also: "resume/permanent", history: written + `
			i RUN` + times(5, `
			s1 LIST rv=0 wire
			s1 <- 403`) + listed},
		{name: "it looks for things that are not there, and is answered", tested: 1, history: written + `
			i RUN` + times(5, `
			s1 REQUEST wire
			s1 <- 404`) + listed},
		{name: "the server is told to refuse", also: "resume/permanent", history: `
			i RUN` + times(5, `
			s1 LIST rv=0 wire
			s1 FAULT status 403
			s1 <- 403`)},
		{name: "refused with something else", history: `
			i RUN` + times(5, `
			s1 LIST rv=0 wire
			s1 <- 500`)},
		{name: "it may not list", also: "resume/permanent", tested: 1, bad: 1, want: "an answer to some request", got: "4 times 403 to /api/v1/configmaps, and no answer", history: `
			i RUN` + times(4, `
			s1 LIST rv=0 wire
			s1 <- 403 !`)},
		{name: "it may not list, and asks without HTTP", also: "resume/permanent", tested: 1, bad: 1, want: "an answer to some request", got: "4 times 403 to LIST of configmaps in namespace default, and", history: `
			i RUN` + times(4, `
			s1 LIST rv=0
			s1 <- 403 !`)},
		{name: "what it asks for does not exist", tested: 1, bad: 1, want: "an answer to some request", got: "4 times 404 to /api/v1/configmaps, and no answer", history: `
			i RUN` + times(4, `
			s1 REQUEST wire
			s1 <- 404 !`)},
	},
}
