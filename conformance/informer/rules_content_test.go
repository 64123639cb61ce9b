package informer

import "strings"

// renamed is an object that is gone, and another of its name that came and went, all of which was seen.
const renamed = met + `
	w -a@7
	w a#2@8:y
	w -a@9
	s2 DELETED a@7:x
	s2 ADDED a#2@8:y
	s2 DELETED a#2@9:y
`

// What is shown of an object, whole: its version, its content, and whose it is.
var contentHistories = map[string][]judged{
	"converge/equal": {
		{name: "the same content, and an older resourceVersion", tested: 1, bad: 1, want: "default/a @6", got: "default/a @5", history: `
			has metadata-only
			w a@5:x
			w a@6:x !
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@6:x
			i SETTLED
			i STORE a@5:x !`},
		{name: "other content than its transform leaves", tested: 1, bad: 1, want: "default/a @5", got: "default/a @5", also: "converge/no-time-travel", history: `
			w a@5:x !
			i RUN transform
			s1 LIST rv=0
			s1 <- @5 a@5:x
			i SETTLED
			i STORE a@5:y* !`},
		{name: "marked, and nobody asked for that", tested: 1, bad: 1, want: "default/a @5", got: "default/a @5", also: "converge/no-time-travel", history: `
			w a@5:x !
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			i SETTLED
			i STORE a@5:x* !`},
		{name: "nothing, while another object is written", tested: 1, bad: 1, want: "default/a @5", got: "not in the store", history: `
			w a@5:x !
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			w> b
			i SETTLED
			i STORE !`},
	},
	"converge/no-time-travel": {
		{name: "gone, when it was only changed", tested: 3, bad: 1, want: "default/a @5 or newer: it was not deleted", got: "default/a gone", also: "ALSO", history: `
			w a@5:x
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			h1 ADD a@5:x initial !
			w a@6:y
			h1 DELETE a@5:x unknown !`},
		{name: "back, while it is written", tested: 2, bad: 1, want: "default/a @6 or newer", got: "default/a @5", history: `
			w a@5:x
			w a@6:y
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@6:y
			i STORE a@6:y !
			w> a
			i STORE a@5:x !`},
	},
	"notify/order": {
		{name: "the server broke the contract, and again", tested: 2, history: met + `
			s2 FAULT swap
			h1 ADD a@5:x
			s2 FAULT swap`},
		{name: "the server broke the contract before all", history: written + `
			h1 HANDLE
			i RUN
			s1 LIST rv=0
			s1 FAULT stale
			s1 <- @5 a@5:x
			h1 ADD a@5:x
			h1 ADD a@5:x`},
	},
	"notify/delete-state": {
		{name: "as it was told, of an object that nobody wrote", tested: 1, also: "converge/no-time-travel", history: met + `
			h1 ADD z@3:x
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 a@5:x b@6:x
			h1 DELETE z@3:x unknown`},
		{name: "a later state, with other content", tested: 1, bad: 1, want: "a DELETE with the last known state, default/a @5", got: "DELETE default/a @7", history: written + `
			h1 HANDLE
			i RUN
			` + listed + `
			h1 ADD a@5:x initial !
			h1 ADD b@6:x initial
			w a@7:y
			w -a@8
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @8 b@6:x
			h1 DELETE a@7:z unknown !`},
		{name: "a state that the object had, where a strange one was told", tested: 1, bad: 1, want: "a DELETE with the last known state, default/a @9", got: "DELETE default/a @5", also: "converge/no-time-travel", history: met + `
			h1 UPDATE a@9:y !
			w -a@10
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @10 b@6:x
			h1 DELETE a@5:x unknown !`},
		{name: "another of the name came and went, too", tested: 1, history: renamed + `
			h1 DELETE a#2@9:y`},
		{name: "the first of two of the name that are gone", tested: 1, history: renamed + `
			h1 DELETE a@7:x`},
		{name: "of the second, the resourceVersion is not that of its deletion", tested: 1, bad: 1, want: "of the deletion: default/a @9", got: "DELETE default/a @8", history: strings.Replace(renamed, "initial", "initial !", 1) + `
			h1 DELETE a#2@8:y !`},
		{name: "of the first, where it was told of the second", tested: 1, bad: 1, want: "of the deletion: default/a @9", got: "DELETE default/a @7", history: renamed + `
			h1 UPDATE a#2@8:y held=none !
			h1 DELETE a@7:x !`},
	},
	"notify/removed-handler": {
		{name: "a delete that nobody saw, of what was deleted later", tested: 1, bad: 1, want: "no notification of a change that came after the removal", got: "DELETE default/a @5", history: met + `
			h1 UNHANDLE !
			w -a@7 !
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- @7 b@6:x
			h1 DELETE a@5:x unknown !`},
		{name: "a delete of what nobody wrote", tested: 1, also: "converge/no-time-travel", history: met + `
			h1 ADD z@3:x
			h1 UNHANDLE
			w a@7:y
			s2 MODIFIED a@7:y
			h1 DELETE z@3:x unknown`},
	},
	"resume/expired": {
		{name: "0 refused, and 0 again: it takes whatever there is", tested: 2, history: `
			i RUN
			s1 LIST rv=0
			s1 <- 410
			... 1s
			s2 LIST rv=0
			s2 <- 410
			... 2s
			s3 LIST rv=0
			s3 <- @4`},
		{name: "0, when it has seen more", tested: 1, bad: 1, want: "not older than @7", got: "LIST of @0", history: expired + `s3 LIST rv=0 !`},
	},
	"resume/no-relist": {
		{name: "a list that took its time", history: `
			i RUN
			s1 LIST rv=0 wire
			s1 <- @4
			... 2s
			s1 END clean
			s2 LIST rv=4`},
		{name: "a watch that was never open", history: begun + `
			s2 END clean
			s3 WATCH rv=6
			... 2s
			s3 END broken
			s4 LIST rv=6`},
	},
	"resume/too-large": {
		{name: "the server broke the contract", history: begun + `
			s2 FAULT swap
			s2 ERROR 410
			s3 LIST rv=6
			s3 <- 504 cause=ResourceVersionTooLarge
			s4 LIST rv=6
			s4 <- 504 cause=ResourceVersionTooLarge
			s5 LIST rv=6
			s5 <- 504 cause=ResourceVersionTooLarge
			s6 LIST rv=6
			s6 <- 504 cause=ResourceVersionTooLarge`},
	},
	"resume/version": {
		{name: "from before a whole list", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @6", history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s3 <- @9 a@5:x b@6:x !
			s4 WATCH rv=6 !`},
		{name: "from before a list in pages", tested: 2, bad: 1, want: "a WATCH from @6 or @9", got: "WATCH from @5", history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6 limit=1
			s3 <- @9 a@5:x continue=t
			s4 LIST limit=1 continue=t
			s4 <- @9 b@6:x !
			s5 WATCH rv=5 !`},
		{name: "from before a streaming list", tested: 2, bad: 1, want: "a WATCH from @9", got: "WATCH from @6", history: begun + `
			s2 ERROR 500
			... 1s
			s3 WATCH initial=true rv=6
			s3 <- ok
			s3 BOOKMARK @9 end
			... 2s
			s3 END clean !
			s4 WATCH rv=6 !`},
		{name: "a list that is not whole, and a watch from where it was", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6 limit=1
			s3 <- @9 a@5:x continue=t
			s4 WATCH rv=6`},
		{name: "a list without an answer, and a watch from where it was", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s4 WATCH rv=6`},
		{name: "a list whose answer was lost", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s3 FAULT reset lost
			s3 <- @9 a@5:x b@6:x
			... 1s
			s4 WATCH rv=6`},
		{name: "a list that was refused", tested: 1, history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6
			s3 <- 500
			... 1s
			s4 WATCH rv=6`},
		{name: "a list after a list", history: `
			i RUN
			s1 LIST rv=4
			s1 <- @6
			s2 LIST rv=0`},
		{name: "something else that it asks for", tested: 2, history: begun + `
			s2 END broken
			s3 REQUEST
			s4 WATCH rv=6`},
	},
	"pages/complete": {
		{name: "a watch from the second of three pages", tested: 1, bad: 1, want: "all pages of a list", got: "WATCH from @9", history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6 limit=1
			s3 <- @9 a@5:x continue=t !
			s4 LIST limit=1 continue=t
			s4 <- @9 b@6:x continue=u
			s5 WATCH rv=9 !`},
		{name: "a list of the first page's resourceVersion, and a streaming list", history: begun + `
			s2 ERROR 500
			... 1s
			s3 LIST rv=6 limit=1
			s3 <- @9 a@5:x continue=t
			s4 LIST rv=9
			s4 <- 500
			... 1s
			s5 WATCH initial=true rv=9`},
	},
	"store/snapshot": {
		{name: "a store that is empty", history: `
			i RUN
			i STORE`},
	},
	"stop/clean": {
		{name: "it returned by itself", history: `
			i RUN
			i RETURN
			i SETTLED`},
	},
	"store/version": {
		{name: "what changed nothing was written before", tested: 1, history: `
			w a@5:x
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			i VERSION 5
			i STORE a@5:x
			w a@5:x`},
		{name: "a version that is not yet", tested: 1, bad: 1, want: "a version that exists", got: "@7", history: `
			w a@5:x
			i RUN
			s1 LIST rv=0
			s1 <- @5 a@5:x
			i VERSION 7 !
			w a@6:y !
			i STORE a@6:y`},
	},
}
