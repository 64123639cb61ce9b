package informer

// An informer of one namespace may ask for the objects of all. Of two that run, whose request that is cannot be known.
var everywhereHistories = map[string][]judged{
	"sync/has-synced": {
		{name: "a list of all namespaces", tested: 1, history: written + `
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			i SYNCED yes
			i STORE a@5:x b@6:x`},
		{name: "a list of all namespaces, of which one of its own is missing", tested: 1, bad: 1, want: "a complete list is in the store", got: "default/b @6 is not in the store", history: written + `
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			i SYNCED yes !
			i STORE a@5:x !`},
		{name: "before the answer to one", tested: 1, bad: 1, want: "a complete list is in the store", got: "no list was complete", history: written + `
			i RUN
			s1 LIST rv=0 ns=
			i SYNCED yes !
			s1 <- @6 a@5:x b@6:x`},
		{name: "of another namespace", tested: 1, bad: 1, want: "a complete list is in the store", got: "no list was complete", history: written + `
			i RUN
			s1 LIST rv=0 ns=elsewhere
			s1 <- @6 elsewhere/a@4:x
			i SYNCED yes !`},
		{name: "of two, nobody knows whose list it is", tested: 1, history: written + `
			i RUN
			j RUN ns=elsewhere
			s1 LIST by=? rv=0 ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			i SYNCED yes
			i STORE a@5:x`},
	},
	"sync/handler-synced": {
		{name: "of two, nobody knows whose list it is", history: written + `
			h1 HANDLE
			i RUN
			j RUN ns=elsewhere
			h1 SYNCED yes
			s1 LIST by=? rv=0 ns=
			s1 <- @6 a@5:x b@6:x`},
		{name: "a list of all namespaces, and it was told of its own", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x elsewhere/a@4:x
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			h1 SYNCED yes`},
	},
	"notify/delete-state": {
		{name: "seen on a watch of all namespaces", tested: 1, history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			s2 WATCH rv=6 ns=
			s2 <- ok
			w -a@7:x
			s2 DELETED a@7:x
			h1 DELETE a@7:x`},
		{name: "of two, nobody knows whose watch it was", history: written + `
			h1 HANDLE
			i RUN
			j RUN ns=elsewhere
			s1 LIST by=? rv=0 ns=
			s1 <- @6 a@5:x b@6:x
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			s2 WATCH by=? rv=6 ns=
			s2 <- ok
			w -a@7:x
			s2 DELETED a@7:x
			h1 DELETE a@5:x unknown`},
	},
	"resume/version": {
		{name: "watches of all namespaces", tested: 2, history: written + `
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x
			s2 WATCH rv=6 ns=
			s2 <- ok
			s2 ADDED elsewhere/a@7:x
			s2 END clean
			s3 WATCH rv=7 ns=
			s3 <- ok`},
		{name: "watches of all namespaces, from an older one", tested: 2, bad: 1, want: "a WATCH from @7", got: "WATCH from @6", history: written + `
			i RUN
			s1 LIST rv=0 ns=
			s1 <- @6 a@5:x b@6:x
			s2 WATCH rv=6 ns=
			s2 <- ok
			s2 ADDED elsewhere/a@7:x
			s2 END clean !
			s3 WATCH rv=6 ns= !
			s3 <- ok`},
		{name: "of two, nobody knows whose watches they are", history: written + `
			i RUN
			j RUN ns=elsewhere
			s1 LIST by=? rv=0 ns=
			s1 <- @6 a@5:x b@6:x
			s2 WATCH by=? rv=6 ns=
			s2 <- ok
			s2 ADDED elsewhere/a@7:x
			s2 END clean
			s3 WATCH by=? rv=6 ns=
			s3 <- ok`},
	},
}
