package informer

var convergeHistories = map[string][]judged{
	"converge/equal": {
		{name: "the server's certificate was refused", tested: 1, bad: 1, want: "default/a @5", got: "not in the store; the client refused the server's certificate: it must trust Endpoint.CA", history: `
			w a@5:x !
			i RUN
			network UNTRUSTED !
			i SETTLED
			i STORE !`},
		{name: "the server's certificate was refused at first, and then it was asked", tested: 1, bad: 1, want: "default/a @5", got: "not in the store", history: `
			w a@5:x !
			i RUN
			network UNTRUSTED
			s1 LIST rv=0
			s1 <- @5 a@5
			i SETTLED
			i STORE !`},
		{name: "another client refused the certificate", tested: 1, history: `
			w a@5:x
			i RUN
			network UNTRUSTED
			i SETTLED
			i STORE a@5:x`},
		{name: "what its label selector chooses", tested: 3, history: `
			w a@5:x+one
			w b@6:x+two
			i RUN one
			i SETTLED
			i STORE a@5:x+one
			w b@7:y+one
			w a@8:x+two
			i SETTLED
			i STORE b@7:y+one
			w a@9:x+one
			i SETTLED
			i STORE b@7:y+one a@9:x+one`},
		{name: "one that its label selector does not choose any more", tested: 1, bad: 1, want: "no default/a in the store", got: "default/a @5", history: `
			w a@5:x+one
			i RUN one
			w a@6:x+two !
			i SETTLED
			i STORE a@5:x+one !`},
		{name: "one that its label selector chooses now is missing", tested: 1, bad: 1, want: "default/a @6", got: "not in the store", history: `
			w a@5:x+two
			i RUN one
			w a@6:x+one !
			i SETTLED
			i STORE !`},
		{name: "what its field selector chooses", tested: 1, history: `
			w a@5:x
			w b@6:x
			i RUN but-a
			i SETTLED
			i STORE b@6:x`},
		{name: "what is under way may have come", tested: 1, history: begun + `
			w> c
			w> -a
			i SETTLED
			i STORE b@6:x c@7
			w< c@7
			w< -a@8`},
		{name: "stopped later", tested: 1, bad: 1, want: "default/b @6", got: "not in the store", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i SETTLED
			i STORE a@5:x !
			i STOP`},
		{name: "one is old, and transformed", tested: 1, bad: 1, want: "default/a @6", got: "default/a @5", history: `
			w a@5:x
			w a@6:y !
			i RUN transform
			i SETTLED
			i STORE a@5:x* !`},
		{name: "one is of the old uid, of metadata alone", tested: 1, bad: 1, want: "default/a @7", got: "default/a @7", history: `
			has metadata-only
			w a#2@7:x !
			i RUN
			i SETTLED
			i STORE a@7 !`, also: "converge/no-time-travel"},
		{name: "what the server made unreadable by what it sent in its place", history: begun + `
			s2 SPOILED replace
			s2 SPOILED garble
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "as it was written", tested: 2, history: begun + `
			i SETTLED
			i STORE b@6:x a@5:x
			w a@7:y
			w -b@8
			w c@9
			w b#2@10:z
			i SETTLED
			i STORE a@7:y c@9 b#2@10:z`},
		{name: "nothing", tested: 1, history: `
			i RUN
			i SETTLED
			i STORE`},
		{name: "of its own namespace", tested: 2, history: `
			w a@5
			w elsewhere/b@6
			w elsewherebut/c@7
			i RUN
			j RUN ns=elsewhere
			i SETTLED
			j SETTLED
			i STORE a@5
			j STORE elsewhere/b@6`},
		{name: "what changes nothing, and what failed", tested: 1, history: begun + `
			w a@5:x
			w! c
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "transformed", tested: 1, history: `
			w a@5:x
			i RUN transform
			i SETTLED
			i STORE a@5:x*`},
		{name: "of metadata alone", tested: 1, history: `
			has metadata-only
			w a@5:x
			i RUN
			i SETTLED
			i STORE a@5`},
		{name: "while an object is held by no handler, and before it has come", tested: 1, history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w c@7
			i STORE a@5:x b@6:x`},
		{name: "one is missing", tested: 1, bad: 1, want: "default/b @6", got: "not in the store", history: `
			w a@5:x
			w b@6:x !
			i RUN
			i SETTLED
			i STORE a@5:x !`},
		{name: "one is old", tested: 1, bad: 1, want: "default/a @7", got: "default/a @5", history: begun + `
			w a@7:y !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "one was deleted", tested: 1, bad: 1, want: "no default/a in the store: default/a deleted @7", got: "default/a @5", history: begun + `
			w -a@7 !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "one is of the old uid", tested: 1, bad: 1, want: "default/a @7", got: "default/a @7", history: `
			w a@5:x
			w -a@6
			w a#2@7:x !
			i RUN
			i SETTLED
			i STORE a@7:x !`, also: "converge/no-time-travel"},
		{name: "one has another content", tested: 1, bad: 1, want: `"spec":"x"`, got: `"spec":"y"`, history: `
			w a@5:x !
			i RUN
			i SETTLED
			i STORE a@5:y !`, also: "converge/no-time-travel"},
		{name: "one is nobody's", tested: 1, bad: 1, want: "only objects that the server has", got: "default/z @3", history: begun + `
			i SETTLED
			i STORE a@5:x z@3 b@6:x !`, also: "converge/no-time-travel"},
		{name: "one is of another namespace", tested: 1, bad: 1, want: "only objects that the server has", got: "elsewhere/b @6", history: `
			w elsewhere/b@6
			i RUN
			i SETTLED
			i STORE elsewhere/b@6 !`},
		{name: "it was equal, and is not any more", tested: 2, bad: 1, want: "default/c @7", got: "not in the store", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			w c@7 !
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "of the second informer", tested: 1, bad: 1, want: "elsewhere/b @6", got: "not in the store", history: `
			w elsewhere/b@6 !
			j RUN ns=elsewhere
			j SETTLED
			j STORE !`},
		{name: "not at rest", history: begun + `
			i STORE a@5:x`},
		{name: "not read", history: begun + `
			i SETTLED
			i SYNCED yes`},
		{name: "something moves while it is read", history: begun + `
			i SETTLED
			i> STORE
			w c@7
			i< a@5:x b@6:x`},
		{name: "stopped", history: begun + `
			i STOP
			s2 END stopped
			i RETURN
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT drop
			w c@7
			i SETTLED
			i STORE a@5:x b@6:x`},
	},
	"converge/no-time-travel": {
		{name: "forward, and back", tested: 3, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@5:x
			i STORE a@6:y !
			i STORE a@5:x !`},
		{name: "gone, which it was not, and back", tested: 3, bad: 2, want: "it was not deleted", got: "default/a gone", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE !
			i STORE a@5:x !`},
		{name: "one write deletes two, and is recorded as two: both are gone with the first", tested: 4, history: `
			w a@5:x
			w b@6:x
			i RUN
			i STORE a@5:x b@6:x
			w> -a
			i STORE
			w< -a@7
			w -b@7`},
		{name: "of two deletions the second is shown before it", tested: 4, bad: 1, want: "it was not deleted", got: "default/b gone", history: `
			w a@5:x
			w b@6:x
			i RUN
			i STORE a@5:x b@6:x !
			w> -a
			i STORE !
			w< -a@7
			w -b@8`},
		{name: "a write of another is under way, and later one of it", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @9", history: `
			i RUN
			w> b
			i STORE a@9 !
			w> a`},
		{name: "what comes of the write that is under way has another resourceVersion", tested: 2, bad: 1, want: "a state that the object had", got: "default/a @7", history: `
			w a@5:x
			i RUN
			w> a
			i STORE a@7:y !
			w< a@6:y
			i STORE a@6:y`},
		{name: "one of it is under way only later", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @9", history: `
			i RUN
			i STORE a@9 !
			w> a`},
		{name: "forward", tested: 8, history: begun + `
			i STORE
			i STORE a@5:x
			w a@7:y
			w -b@8
			w a@9:z
			i STORE a@7:y b@6:x
			i STORE a@9:z
			w -a@10
			w a#2@11:x
			i STORE
			i STORE a#2@11:x
			i STORE a#2@11:x`},
		{name: "deleted and made anew between two looks", tested: 2, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w -a@6
			w a#2@7:x
			i STORE a#2@7:x`},
		{name: "a handler", tested: 9, history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@7:y
			w -a@8
			w a#2@9:x
			s1 WATCH rv=4
			s1 <- ok
			s1 DELETED a@8:y
			h1 UPDATE a@7:y
			h1 DELETE a@8:y
			h1 ADD a#2@9:x
			h1 UPDATE a#2@9:x`},
		{name: "a handler that is behind the store", tested: 4, history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@5:x held=a@6:y
			h1 UPDATE a@6:y`},
		{name: "two handlers, each in its time", tested: 6, history: `
			w a@5:x
			h1 HANDLE
			h2 HANDLE
			i RUN
			h1 ADD a@5:x
			w a@6:y
			h1 UPDATE a@6:y
			h2 ADD a@5:x held=a@6:y`},
		{name: "an update that changes nothing, written twice", tested: 2, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w a@5:x
			i STORE a@5:x`},
		{name: "the answer comes later", tested: 2, history: `
			w a@5:x
			i RUN
			w> a
			i STORE a@6:y
			w< a@6:y
			i STORE a@6:y`},
		{name: "the answer never comes", tested: 1, history: `
			i RUN
			w> a
			i STORE a@6:y`},
		{name: "a deletion that is under way", tested: 3, history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w> -a
			i STORE
			w< -a@6
			w a#2@7
			i STORE a#2@7`},
		{name: "behind a rest of before", tested: 2, history: `
			w a@5:x
			i RUN
			i SETTLED
			i STORE a@5:x
			w a@6:y
			i STORE a@5:x`},
		{name: "what a delete says is not what is", tested: 5, history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			h1 UPDATE a@6:y
			w -a@7
			h1 DELETE a@5:x unknown`, also: "notify/delete-state"},
		{name: "back", tested: 2, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE a@5:x !`},
		{name: "back, and back again after it was well", tested: 4, bad: 2, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i STORE a@6:y !
			i STORE a@5:x !
			i STORE a@6:y
			i STORE a@5:x !`},
		{name: "the old one for the new", tested: 2, bad: 1, want: "default/a @7 or newer", got: "default/a @5", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			i RUN
			i STORE a#2@7:x !
			i STORE a@5:x !`},
		{name: "gone, and there again", tested: 3, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			i RUN
			i STORE a@5:x
			w -a@6
			i STORE !
			i STORE a@5:x !`},
		{name: "gone, and not deleted", tested: 2, bad: 1, want: "it was not deleted", got: "default/a gone", history: `
			w a@5:x
			i RUN
			i STORE a@5:x !
			i STORE !`},
		{name: "gone before it was deleted", tested: 2, bad: 1, want: "it was not deleted", got: "default/a gone", history: `
			w a@5:x
			i RUN
			i STORE a@5:x !
			i STORE !
			w -a@6`},
		{name: "gone, of an earlier deletion", tested: 2, bad: 1, want: "it was not deleted", got: "default/a gone", history: `
			w a@5:x
			w -a@6
			w a#2@7:x
			i RUN
			i STORE a#2@7:x !
			i STORE !`},
		{name: "what it never was", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @6", history: `
			w a@5:x
			i RUN
			i STORE a@6:x !`},
		{name: "before it was written", tested: 1, bad: 1, want: "a state that the object had", got: "default/a @7", history: `
			w a@5:x
			i RUN
			i STORE a@7:x !
			w a@6:x`},
		{name: "of a later write that is not made yet", tested: 2, bad: 1, want: "a state that the object had", got: "default/z @3", history: `
			i RUN
			i STORE z@3 !
			w z@4
			i STORE z@4`},
		{name: "at rest it had the last", tested: 2, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			i SETTLED
			i STORE a@5:x !
			i STORE a@5:x !`, also: "converge/equal"},
		{name: "at rest it was gone", tested: 1, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w -a@6
			i RUN
			i SETTLED
			i STORE !
			i STORE a@5:x !`},
		{name: "a handler goes back", tested: 4, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			h1 HANDLE
			i RUN
			h1 ADD a@6:y !
			h1 UPDATE a@5:x held=a@6:y !`},
		{name: "a handler is told that it is gone, and of what was before", tested: 4, bad: 1, want: "default/a deleted @6 or newer", got: "default/a @5", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x
			w -a@6
			h1 DELETE a@6:x !
			h1 ADD a@5:x held=none !`, also: "notify/delete-state"},
		{name: "a handler is told that it is gone", tested: 3, bad: 1, want: "it was not deleted", got: "default/a gone", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			h1 ADD a@5:x !
			h1 DELETE a@5:x unknown !`},
		{name: "the store goes back, as a handler sees it", tested: 4, bad: 1, want: "default/a @7 or newer", got: "default/a @6", history: `
			w a@5:x
			w a@6:y
			w a@7:z
			h1 HANDLE
			i RUN
			h1 ADD a@5:x held=a@7:z !
			h1 UPDATE a@6:y !`},
		{name: "nothing is shown", history: begun + `
			i STORE
			i SYNCED yes
			i INDEX one`},
		{name: "the server breaks the contract", history: begun + `
			s2 FAULT swap
			i STORE z@3`},
		{name: "the server breaks the contract, and a handler hears of it", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 WATCH rv=4
			s1 FAULT replace
			h1 ADD a@9:x`},
	},
}
