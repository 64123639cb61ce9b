package informer

// over is a handler that was told of two objects, and an informer that was stopped.
const over = met + `
	i STOP
	s2 END stopped
	i RETURN !
`

var stopHistories = map[string][]judged{
	"stop/clean": {
		{name: "nothing after it", tested: 1, history: met + `
			w c@7
			h1> ADD c@7
			i STOP
			s2 END stopped
			h1<
			i RETURN
			w a@8:y
			i SETTLED`},
		{name: "a request on its way", tested: 1, history: met + `
			s2 ERROR 500
			s2 END clean
			i STOP
			i RETURN
			... 1s
			s3 LIST rv=6
			s3 END stopped
			i SETTLED`},
		{name: "a watch that was refused", tested: 1, history: met + `
			s2 END clean
			s3 WATCH rv=6
			s3 <- 500
			s4 WATCH rv=6
			i STOP
			i RETURN
			i SETTLED`},
		{name: "started once more, which another rule judges", tested: 1, history: met + `
			i STOP
			s2 END stopped
			i RETURN
			i RUN
			... 2s
			s3 LIST
			i SETTLED`},
		{name: "a handler is called", tested: 1, bad: 1, want: "no notification after Run returned", got: "ADD default/c @7", history: over + `
			w c@7
			h1 ADD c@7 !
			w d@8
			h1 ADD d@8
			i SETTLED`},
		{name: "a handler is called again", tested: 1, bad: 1, want: "no notification after Run returned", got: "UPDATE default/a @5", history: over + `
			i SETTLED
			h1 UPDATE a@5:x !`},
		{name: "a request", tested: 1, bad: 1, want: "no request after Run returned", got: "LIST", history: over + `
			... 1001ms
			s3 LIST !
			i SETTLED`},
		{name: "a watch is open", tested: 1, bad: 1, want: "every watch closed", got: "one is open", history: written + `
			i RUN
			s2 WATCH rv=6 !
			s2 <- ok
			i STOP
			i RETURN !
			i SETTLED !`},
		{name: "a watch ends when all had their time", tested: 1, bad: 1, want: "every watch closed", got: "one is open", history: written + `
			i RUN
			s2 WATCH rv=6 !
			s2 <- ok
			i STOP
			i RETURN !
			i SETTLED !
			s2 END stopped`},
		{name: "something is left", tested: 1, bad: 1, want: "nothing left behind", got: "goroutines", history: begun + `
			.. LEFT goroutines !`},
		{name: "it runs", history: met + `
			i SETTLED`},
		{name: "it had no time", history: over},
		{name: "it has not returned", history: met + `
			w c@7
			h1> ADD c@7
			i STOP
			i SETTLED`},
		{name: "a rest of before", history: met + `
			i SETTLED
			i STOP
			i RETURN`},
	},
	"stop/prompt": {
		{name: "a handler was not waited for", tested: 1, history: met + `
			w c@7
			h1> ADD c@7
			i STOP
			s2 END stopped
			... 5s
			i RETURN
			... 5s
			h1<
			i SETTLED`},
		{name: "a handler was not waited for, and never returns", tested: 1, history: met + `
			w c@7
			h1> ADD c@7
			i STOP
			s2 END stopped
			... 5s
			i RETURN
			i SETTLED`},
		{name: "never, and the second start has returned", tested: 1, bad: 1, want: "a return of Run", got: "none, although it had all its time", history: met + `
			i RUN
			i STOP !
			s2 END stopped
			i RETURN last
			i SETTLED !`},
		{name: "never, and a handler is called later", tested: 1, bad: 1, want: "a return of Run", got: "none, although it had all its time", history: met + `
			i STOP !
			s2 END stopped
			i SETTLED !
			w c@7
			h1> ADD c@7`},
		{name: "late, and a handler is called later", tested: 1, bad: 1, want: "a return of Run within 1s", got: "2s", history: met + `
			i STOP !
			... 2s
			s2 END stopped
			i RETURN !
			h1 UPDATE a@5:x
			i SETTLED`, also: "stop/clean"},
		{name: "at once", tested: 1, history: over + `
			i SETTLED`},
		{name: "in a second", tested: 1, history: met + `
			i STOP
			... 1s
			s2 END stopped
			i RETURN
			i SETTLED`},
		{name: "when the handlers have returned", tested: 1, history: met + `
			h2 HANDLE
			w c@7
			h1> ADD c@7
			h2> ADD a@5:x initial
			i STOP
			... 10s
			h2<
			... 10s
			h1<
			... 1s
			s2 END stopped
			i RETURN
			i SETTLED`},
		{name: "late, in real time", undecided: "it took 1.001s to stop", history: "real\n" + met + `
			i STOP
			... 1001ms
			s2 END stopped
			i RETURN
			i SETTLED`},
		{name: "a handler does not return", history: met + `
			w c@7
			h1> ADD c@7
			i STOP
			s2 END stopped
			i SETTLED`},
		{name: "late", tested: 1, bad: 1, want: "a return of Run within 1s", got: "1.001s", history: met + `
			i STOP !
			... 1001ms
			s2 END stopped
			i RETURN !
			i SETTLED`},
		{name: "late after the handlers", tested: 1, bad: 1, want: "a return of Run within 1s", got: "2s", history: met + `
			w c@7
			h1> ADD c@7
			i STOP !
			... 1s
			h1<
			... 2s
			s2 END stopped
			i RETURN !
			i SETTLED`},
		{name: "late after a handler that had returned before", tested: 1, bad: 1, want: "a return of Run within 1s", got: "2s", history: met + `
			w c@7
			h1 ADD c@7
			... 5s
			i STOP !
			... 2s
			s2 END stopped
			i RETURN !
			i SETTLED`},
		{name: "never", tested: 1, bad: 1, want: "a return of Run", got: "none, although it had all its time", history: met + `
			w c@7
			h1 ADD c@7
			i STOP !
			s2 END stopped
			i SETTLED !`},
		{name: "only after it had its time", tested: 1, bad: 1, want: "a return of Run", got: "none, although it had all its time", history: met + `
			i STOP !
			s2 END stopped
			i SETTLED !
			i RETURN`},
		{name: "it runs", history: met + `
			i SETTLED`},
		{name: "it was not started", history: `
			h1 HANDLE
			i STOP
			i SETTLED`},
		{name: "it had no time", history: over},
	},
	"lifecycle/twice": {
		{name: "what is asked of the other resources and namespaces is no watch of it", tested: 1, history: met + `
			j RUN ns=elsewhere
			s3 LIST rv=0 ns=elsewhere
			s3 <- @6
			s4 WATCH rv=6 ns=elsewhere
			s4 <- ok
			i RUN
			i RETURN last
			i SETTLED`},
		{name: "while it runs, and after", tested: 3, history: met + `
			i RUN
			i RETURN last
			i SETTLED
			i STORE a@5:x b@6:x
			s2 END clean
			s3 WATCH rv=6
			s3 <- ok
			i SETTLED
			i STOP
			s3 END stopped
			i RETURN
			i RUN
			i RETURN last
			i SETTLED`},
		{name: "one more was refused, one has no answer, one ends", tested: 2, history: met + `
			i RUN
			s3 WATCH rv=6
			s3 <- 500
			s4 WATCH rv=6
			s5 WATCH rv=6
			s5 <- ok
			s5 END clean
			i SETTLED
			i SETTLED
			s6 WATCH rv=6
			s6 <- ok`},
		{name: "a second loop", tested: 1, bad: 1, want: "one watch", got: "2 are open", history: met + `
			i RUN !
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			s4 WATCH rv=6 !
			s4 <- ok
			i SETTLED !`},
		{name: "a loop after the stop", tested: 1, bad: 1, want: "no watch after the stop", got: "one is open", history: met + `
			i STOP !
			s2 END stopped
			i RETURN
			i RUN
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			s4 WATCH rv=6 !
			s4 <- ok
			i SETTLED !`, also: "stop/clean"},
		{name: "started once", history: met + `
			i SETTLED`},
		{name: "it had no time", history: met + `
			i SETTLED
			i RUN`},
	},
	"lifecycle/stopped": {
		{name: "refused", tested: 1, history: over + `
			h2 HANDLE refused`},
		{name: "added", tested: 1, bad: 1, want: "an error: the informer has stopped", got: "no error, for a handler that is never called", history: over + `
			h2 HANDLE !`},
		{name: "it is being stopped", history: met + `
			i STOP
			s2 END stopped
			h2 HANDLE
			i RETURN`},
		{name: "no answer", history: over + `
			h2> HANDLE`},
		{name: "it runs", history: met},
	},
}
