package informer

// restartHistories have an informer that is started in a namespace when another has stopped there: what is asked from then on
// it asks.
var restartHistories = map[string][]judged{
	"stop/clean": {
		{name: "the next one asks and watches", tested: 1, history: over + `
			k RUN
			... 2s
			s3 LIST by=k rv=0
			s3 <- @6 a@5:x b@6:x
			s4 WATCH by=k rv=6
			s4 <- ok
			i SETTLED`},
		{name: "a request before the next one is started", tested: 1, bad: 1, want: "no request after Run returned", got: "LIST", history: over + `
			... 2s
			s3 LIST !
			s3 <- @6 a@5:x b@6:x
			k RUN
			i SETTLED`},
		{name: "a watch of the next one is open when it has stopped", tested: 2, bad: 1, want: "every watch closed", got: "one is open", history: met + `
			i STOP
			s2 END stopped
			i RETURN
			i SETTLED
			j RUN ns=elsewhere
			k RUN
			s3 WATCH by=k rv=6 !
			s3 <- ok
			k STOP
			k RETURN last !
			k SETTLED !`},
	},
	"resume/version": {
		{name: "the next one begins anew", tested: 1, history: begun + `
			s2 END clean
			i STOP
			i RETURN
			k RUN
			s3 LIST by=k rv=0
			s3 <- @6 a@5:x b@6:x`},
		{name: "the next one watches from before its own list", tested: 2, bad: 1, want: "a WATCH from @6", got: "WATCH from @5", history: begun + `
			i STOP
			s2 END stopped
			i RETURN
			k RUN
			s3 LIST by=k rv=0
			s3 <- @6 a@5:x b@6:x !
			s4 WATCH by=k rv=5 !
			s4 <- ok`},
		{name: "before the first has returned nobody knows whose request it is", history: begun + `
			i STOP
			s2 END stopped
			k RUN
			s3 LIST by=? rv=0
			s3 <- @6 a@5:x b@6:x
			s4 WATCH by=? rv=5
			i RETURN
			s4 <- ok`},
		{name: "the first returns at once when the next one begins", tested: 2, bad: 1, want: "a WATCH from @6", got: "WATCH from @5", history: begun + `
			i STOP
			s2 END stopped
			k RUN
			i RETURN
			s3 LIST by=k rv=0
			s3 <- @6 a@5:x b@6:x !
			s4 WATCH by=k rv=5 !
			s4 <- ok`},
	},
}
