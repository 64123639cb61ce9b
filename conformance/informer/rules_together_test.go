package informer

import "strings"

// parted are two objects that are deleted by one change; a watch is cut between the two events of it.
const parted = begun + `
	w -a@7
	w -b@7
	s2 DELETED a@7:x
	s2 END broken
	s3 WATCH rv=7
	s3 <- ok
`

// unwatched are two that are deleted by one change while no watch is open, of which the next tells.
const unwatched = begun + `
	i STORE a@5:x b@6:x
	s2 END clean
	s3 WATCH rv=6
	s3 <- 429
	w -a@7
	w -b@7
	s4 WATCH rv=6
	s4 <- ok
	s4 DELETED a@7:x
	s4 DELETED b@7:x
`

// What several objects are deleted by at once has one resourceVersion (an expired lease of etcd's, a transaction). A
// watch that ends in its midst cannot be resumed without loss: that is no fault of the client's.
var togetherHistories = map[string][]judged{
	"converge/equal": {
		{name: "deleted together", tested: 1, history: begun + `
			w -a@7
			w -b@7
			s2 DELETED a@7:x
			s2 DELETED b@7:x
			i SETTLED
			i VERSION 7
			i STORE`},
		{name: "deleted together, and the watch ends after them", tested: 1, history: begun + `
			w -a@7
			w -b@7
			s2 DELETED a@7:x
			s2 DELETED b@7:x
			s2 END broken
			s3 WATCH rv=7
			s3 <- ok
			i SETTLED
			i STORE`},
		{name: "one of two that were deleted together", tested: 1, bad: 1, want: "no default/b in the store", got: "default/b @6", history: begun + `
			w -a@7
			w -b@7 !
			s2 DELETED a@7:x
			s2 DELETED b@7:x
			i SETTLED
			i STORE b@6:x !`},
		{name: "a watch was cut between them", history: parted + `
			i SETTLED
			i VERSION 7
			i STORE b@6:x`},
		{name: "and was not to be resumed there", tested: 1, bad: 1, want: "no default/b in the store", got: "default/b @6", history: begun + `
			w -a@7
			w -b@8 !
			s2 DELETED a@7:x
			s2 END broken
			s3 WATCH rv=7
			s3 <- ok
			s3 DELETED b@8:x
			i SETTLED
			i STORE b@6:x !`},
	},
	"notify/complete": {
		{name: "a watch was cut between deletions of one change", history: `
			h1 HANDLE` + parted + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			h1 DELETE a@7:x
			h1 SETTLED`},
	},
	"converge/deletes": {
		{name: "deleted together while no watch was open", tested: 2, history: unwatched + `
			i SETTLED
			i STORE`},
		{name: "the second of two that were deleted together stays", tested: 2, bad: 1, want: "not the old default/b", got: "default/b @6", also: "converge/equal", history: strings.Replace(unwatched, "w -b@7", "w -b@7 !", 1) + `
			i SETTLED
			i STORE b@6:x !`},
		{name: "a watch was cut between deletions of one change", history: `
			h1 HANDLE` + parted + `
			h1 ADD a@5:x initial
			h1 ADD b@6:x initial
			h1 DELETE a@7:x
			i SETTLED
			h1 SETTLED`},
	},
}
