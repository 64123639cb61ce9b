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
		{name: "not what is there", tested: 2, bad: 1, want: "ADD: default/b @6", got: "no notification", history: `
			w a@5:x
			w b@6:x !
			i RUN
			` + listed + `
			h1 HANDLE
			h1 ADD a@5:x
			h1 SETTLED !`, also: "notify/complete"},
		{name: "not what comes", tested: 3, bad: 1, want: "ADD: default/c @7", got: "no notification", history: begun + `
			h1 HANDLE
			h1 ADD a@5:x
			h1 ADD b@6:x
			w c@7 !
			h1 SETTLED !`, also: "notify/complete"},
		{name: "twice", tested: 2, bad: 1, want: "one ADD", got: "ADD default/a @5 again", history: begun + `
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
		{name: "told again of what it knew, when nothing was left to tell", tested: 1, bad: 1, want: "no notification: nothing moved any more after the removal", got: "UPDATE default/a @5", history: met + `
			h1 UNHANDLE !
			i SETTLED
			i STORE a@5:x b@6:x
			... 3s
			h1 UPDATE a@5:x !
			w a@7:y`},
		{name: "a second time", tested: 2, history: met + `
			h1 UNHANDLE
			h1 UNHANDLE
			w a@7:y`},
		{name: "a second time, refused", tested: 2, bad: 1, want: "no error: the handler was removed before", got: "it failed", history: met + `
			h1 UNHANDLE !
			h1 UNHANDLE refused !
			w a@7:y`},
		{name: "a second time, when it could not be removed before", history: met + `
			h1 UNHANDLE refused
			h1 UNHANDLE refused
			w a@7:y`},
		{name: "what was queued, when it returns from a call at last", tested: 1, history: met + `
			w a@7:y
			w a@8:z
			h1> UPDATE a@7:y held=a@8:z
			h1 UNHANDLE
			i SETTLED
			i STORE a@8:z b@6:x
			h1<
			h1 UPDATE a@8:z
			w a@9:y`},
		{name: "another misses what comes", tested: 3, bad: 1, want: "ADD: default/c @7", got: "no notification", history: written + `
			h1 HANDLE
			h2 HANDLE
			i RUN
			h2 ADD a@5:x
			h2 ADD b@6:x
			h1 UNHANDLE
			w c@7 !
			h2 SETTLED !`, also: "notify/complete"},
		{name: "before the start, and told nonetheless", tested: 1, bad: 1, want: "no notification: the informer had received nothing when the handler was removed", got: "ADD default/a @5", history: `
			w a@5:x
			h1 HANDLE
			h1 UNHANDLE !
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			h1 ADD a@5:x initial !
			w a@6:y`},
		{name: "before the start", history: `
			w a@5:x
			h1 HANDLE
			h1 UNHANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			w a@6:y`},
		{name: "an add after a removal", tested: 1, bad: 1, want: "no notification of a change that came after the removal", got: "ADD default/c @7", history: met + `
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
		{name: "after a removal that waits", tested: 1, bad: 1, want: "no notification: the removal, which waits, has returned", got: "UPDATE default/a @7", history: met + `
			w a@7:y
			h1 UNHANDLE wait !
			h1 UPDATE a@7:y !
			w a@8:z`},
		{name: "an update after a removal", tested: 1, bad: 1, want: "no notification of a change that came after the removal", got: "UPDATE default/a @7", history: met + `
			h1 UNHANDLE !
			w a@7:y !
			h1 UPDATE a@7:y !`},
		{name: "a delete after a removal", tested: 1, bad: 1, want: "no notification of a change that came after the removal", got: "DELETE default/a @7", history: met + `
			h1 UNHANDLE !
			w -a@7 !
			s2 DELETED a@7:x
			h1 DELETE a@7:x !`},
		{name: "a delete after a removal, of the second", tested: 1, bad: 1, want: "no notification of a change that came after the removal", got: "DELETE default/a @9", history: met + `
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
		{name: "it waits for no call", tested: 1, bad: 1, want: "a removal that waits for the running call", got: "it returned during UPDATE default/a @7", history: met + `
			w a@7:y
			h1> UPDATE a@7:y !
			h1 UNHANDLE wait !
			h1<
			w a@8:z`},
		{name: "it waits for no call, which never ends", tested: 1, bad: 1, want: "a removal that waits for the running call", got: "it returned during UPDATE default/a @7", history: met + `
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
		{name: "the other waits, too", tested: 2, bad: 1, want: "UPDATE: default/a @8", got: "no notification after UPDATE default/a @7", history: met + `
			h2 HANDLE
			h2 ADD a@5:x
			h2 ADD b@6:x
			w a@7:y
			h1> UPDATE a@7:y
			h2 UPDATE a@7:y !
			w a@8:z !
			i SETTLED
			h2 SETTLED !`, also: "notify/complete notify/late-handler"},
		{name: "it loses something", tested: 2, bad: 1, want: "UPDATE: default/a @8", got: "no notification after UPDATE default/a @7", history: met + `
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
}
