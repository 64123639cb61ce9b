package informer

var completeHistories = map[string][]judged{
	"notify/complete": {
		{name: "what is under way may have come", tested: 3, history: met + `
			w> c
			h1 ADD c@7
			w> -a
			h1 SETTLED
			w< c@7
			w< -a@8`},
		{name: "all of it", tested: 4, history: met + rests + `
			w a@7:y
			w c@8
			w -b@9
			w d@10
			w -d@11
			s2 DELETED b@9:x
			h1 UPDATE a@7:y
			h1 ADD c@8
			h1 DELETE b@9:x` + rests},
		{name: "of its own namespace", tested: 2, history: `
			w a@5
			w elsewhere/b@6
			h1 HANDLE
			h2 HANDLE of=j
			i RUN
			j RUN ns=elsewhere
			h1 ADD a@5
			h2 ADD elsewhere/b@6
			h1 SETTLED
			h2 SETTLED`},
		{name: "stopped, removed, and by the server's fault", tested: 4, history: met + `
			h1 SETTLED
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			h2 SETTLED
			h2 UNHANDLE
			i STOP
			s2 END stopped
			i RETURN
			w c@7
			i SETTLED
			h1 SETTLED
			h2 SETTLED`},
		{name: "no add", tested: 2, bad: 1, want: "ADD: default/b @6", got: "no notification", history: `
			w a@5:x
			w b@6:x !
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			h1 SETTLED !`},
		{name: "no update", tested: 2, bad: 1, want: "UPDATE: default/a @7", got: "no notification after ADD default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			h1 ADD b@6:x
			w a@7:y !
			h1 SETTLED !`},
		{name: "no update of the uid", tested: 1, bad: 1, want: "UPDATE: default/a @7", got: "no notification after ADD default/a @7", history: `
			w a@5:x
			w -a@6
			w a#2@7:x !
			h1 HANDLE
			i RUN
			h1 ADD a@7:x !
			h1 SETTLED !`, also: "converge/no-time-travel"},
		{name: "no delete", tested: 2, bad: 1, want: "DELETE: default/a deleted @7", got: "no notification after ADD default/a @5", history: written + `
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			h1 ADD b@6:x
			w -a@7 !
			h1 SETTLED !`},
		{name: "a delete, and not the add after it", tested: 2, bad: 1, want: "ADD: default/a @8", got: "no notification", history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			w a#2@8:x !
			h1 SETTLED !`},
		{name: "only after it had its time", tested: 6, bad: 1, want: "ADD: default/c @7", got: "no notification", history: met + `
			w c@7 !
			h1 SETTLED !
			h1 ADD c@7
			h1 SETTLED`},
		{name: "of two handlers one", tested: 4, bad: 2, want: "ADD: default/a @5", got: "no notification", history: `
			w a@5:x !
			w b@6:x !
			h1 HANDLE
			h2 HANDLE
			i RUN
			h1 ADD a@5:x
			h1 ADD b@6:x
			h1 SETTLED
			h2 SETTLED !`},
		{name: "it had no time", history: met + `
			w c@7
			i SETTLED`},
		{name: "removed", history: met + `
			h1 UNHANDLE
			w c@7
			h1 SETTLED`},
		{name: "stopped", history: met + `
			i STOP
			s2 END stopped
			i RETURN
			w c@7
			h1 SETTLED`},
		{name: "the server breaks the contract", history: met + `
			s2 FAULT drop
			w c@7
			h1 SETTLED`},
	},
	"notify/delete-state": {
		{name: "a second delete is another rule's", tested: 1, history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			h1 DELETE a@5:x unknown`, also: "notify/order"},
		{name: "seen", tested: 1, history: met + `
			w a@7:y
			w -a@8
			s2 MODIFIED a@7:y
			s2 DELETED a@8:y
			h1 DELETE a@8:y`},
		{name: "not seen", tested: 1, history: met + `
			w -a@7
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@5:x unknown`},
		{name: "not seen, and there is no state", tested: 1, history: met + `
			w -a@7
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a unknown`},
		{name: "not seen, and the state is one that it was not told of", tested: 1, history: met + `
			w a@7:y
			s2 MODIFIED a@7:y
			w -a@8
			s2 ERROR 410
			s3 LIST rv=7
			s3 <- @8 b@6:x
			h1 DELETE a@7:y unknown`},
		{name: "seen, and a list after it was first", tested: 1, history: met + `
			w -a@7
			s2 DELETED a@7:x
			s2 END broken
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@5:x unknown`},
		{name: "of metadata alone", tested: 1, history: "has metadata-only\n" + met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7`},
		{name: "transformed", tested: 1, history: written + `
			h1 HANDLE
			i RUN transform
			` + listed + `
			h1 ADD a@5:x* initial
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x*`},
		{name: "of the first of two that had the name", tested: 2, history: met + `
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@7:x
			w a#2@8:x
			s2 ADDED a#2@8:x
			h1 ADD a#2@8:x
			w -a@9
			s2 DELETED a#2@9:x
			h1 DELETE a#2@9:x`},
		{name: "seen, and not known", tested: 1, bad: 1, want: "a DELETE with the final state, which the informer received: DELETED default/a @7", got: "DELETE default/a @5, final state unknown", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@5:x unknown !`},
		{name: "seen, and not known, though a list was whole before", tested: 1, bad: 1, want: "a DELETE with the final state, which the informer received: DELETED default/a @7", got: "final state unknown", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@5:x unknown !
			s2 END broken
			s3 LIST rv=6
			s3 <- @7 b@6:x`},
		{name: "seen, with the resourceVersion of before", tested: 1, bad: 1, want: "with the resourceVersion of the deletion: default/a @7", got: "DELETE default/a @5", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a@5:x !`},
		{name: "seen, of another uid", tested: 1, bad: 1, want: "with the resourceVersion of the deletion: default/a @7", got: "DELETE default/a @7", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 DELETED a@7:x
			h1 DELETE a#2@7:x !`},
		{name: "seen, with what it was before", tested: 1, bad: 1, want: `a DELETE with the last state: {"data":{"spec":"y"}`, got: `"spec":"x"`, history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w a@7:y
			w -a@8
			s2 DELETED a@8:y
			h1 DELETE a@8:x !`},
		{name: "not seen, and known", tested: 1, bad: 1, want: "a DELETE with the final state unknown", got: "DELETE default/a @5", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@5:x !`},
		{name: "seen only later", tested: 1, bad: 1, want: "a DELETE with the final state unknown", got: "DELETE default/a @7", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			h1 DELETE a@7:x !
			s2 DELETED a@7:x`},
		{name: "not seen, and an older state", tested: 2, bad: 1, want: "a DELETE with the last known state, default/a @7", got: "DELETE default/a @5, final state unknown", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			w a@7:y
			s2 MODIFIED a@7:y
			h1 UPDATE a@7:y !
			w -a@8
			w -b@9
			s2 ERROR 410
			s3 LIST rv=7
			s3 <- @9
			h1 DELETE a@5:x unknown !
			h1 DELETE b@6:x unknown`},
		{name: "not seen, and what it never was", tested: 1, bad: 1, want: "a DELETE with the last known state, default/a @5", got: "DELETE default/a @7", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			w -a@7
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@7:x unknown !`},
		{name: "of what it was not told", history: met + `
			w -c@7
			h1 DELETE c@7`, also: "notify/order"},
		{name: "nothing is deleted", history: met},
	},
}
