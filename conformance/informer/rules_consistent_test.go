package informer

// pushing has pushes.
const pushing = "has " + string(Pushes) + "\n"

var consistentHistories = map[string][]judged{
	"store/snapshot": {
		{name: "under one key as in the list", tested: 3, history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x
			i GET a a@5:x
			i GET b b@6:x
			i GET c`},
		{name: "nothing under a key", tested: 2, bad: 1, want: "Get returns what List has: default/a @5", got: "Get returned ", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x !
			i GET a !`},
		{name: "an older state under a key", tested: 2, bad: 1, want: "default/a @7", got: "default/a @5", history: begun + `
			w a@7:y
			i SETTLED
			i STORE a@7:y b@6:x !
			i GET a a@5:x !`},
		{name: "another object under a key", tested: 2, bad: 1, want: "default/a @5", got: "default/b @6", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x !
			i GET a b@6:x !`},
		{name: "other content under a key", tested: 2, bad: 1, want: "default/a @5", got: "default/a @5 a1 {", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x !
			i GET a a@5:y !`},
		{name: "what the list does not have", tested: 2, bad: 1, want: "Get returns what List has: ", got: "default/b @6", history: begun + `
			w -b@7
			i SETTLED
			i STORE a@5:x !
			i GET b b@6:x !`},
		{name: "under a key while something moves", tested: 2, history: begun + `
			i STORE a@5:x b@6:x
			i GET a
			i SETTLED
			i STORE a@5:x b@6:x
			w a@7:y
			i GET a a@7:y`, also: "converge/no-time-travel"},
	},
	"converge/no-time-travel": {
		{name: "single keys, forward", tested: 2, history: begun + `
			i STORE a@5:x b@6:x
			w a@7:y
			i GET a a@5:x
			i GET a a@7:y
			w -a@8
			i GET a a@7:y
			i GET a
			i GET b b@6:x`},
		{name: "a single key goes back", tested: 2, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "default/a @5", history: begun + `
			w a@7:y
			i STORE a@5:x b@6:x
			i GET a a@7:y
			i GET a a@5:x !`},
		{name: "a single key goes back while a delete is under way", tested: 2, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "default/a @5", history: begun + `
			w a@7:y
			i STORE a@5:x b@6:x
			i GET a a@7:y
			w> -a
			i GET a a@5:x !
			w< -a@8`},
		{name: "before the write is answered, and after", tested: 2, history: begun + `
			i STORE a@5:x b@6:x
			w> a
			i GET a a@5:x
			i GET a a@7:y
			w< a@7:y
			w> -a
			i GET a a@7:y
			i GET a
			w< -a@8
			i GET a`},
		{name: "of a write that is never answered, in a single key", tested: 2, history: begun + `
			i STORE a@5:x b@6:x
			w> a
			i GET a a@5:x
			i GET a a@7:y`},
		{name: "a single key is gone, and was not deleted", tested: 2, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "no default/a", history: begun + `
			i STORE a@5:x b@6:x
			i GET a !`},
		{name: "a single key as nobody wrote it", tested: 2, bad: 1, want: "a state that the object had", got: "default/a @9", history: begun + `
			i STORE a@5:x b@6:x
			i GET a a@9:x !`},
		{name: "the whole, beside others, is behind a single key", tested: 4, bad: 1, want: "a state that default/a had between the earlier readings and this one", got: "default/a @5", history: begun + `
			i STORE a@5:x b@6:x
			w a@7:y
			i GET a a@7:y
			i> STORE
			i> STORE
			i< a@7:y b@6:x
			i< a@5:x b@6:x !`},
	},
	"store/push": {
		{name: "after each change", tested: 8, history: pushing + written + `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@5:x b@6:x
			i PUSH a@5:x b@6:x
			i SETTLED
			i STORE b@6:x a@5:x
			w -a@7
			i PUSH b@6:x
			i SETTLED
			i STORE b@6:x
			w -b@8
			i PUSH
			i SETTLED
			i STORE
			i SETTLED
			i STORE`},
		{name: "many changes before one push", tested: 5, history: pushing + written + `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@5:x b@6:x
			w a@7:y
			w -b@8
			w c@9
			i PUSH a@7:y c@9
			i SETTLED
			i STORE a@7:y c@9
			s2 LIST
			s2 <- @9 a@7:y c@9
			i PUSH a@7:y c@9`},
		{name: "what a later list lacks", tested: 4, history: pushing + written + `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@5:x b@6:x
			i PUSH a@5:x b@6:x
			s2 LIST
			s2 <- @6 b@6:x
			i PUSH b@6:x`},
		{name: "nothing is pushed", tested: 1, bad: 1, want: "a push of the content: default/a @5 default/b @6", got: "the last push: ", history: pushing + begun + `
			i SETTLED
			i STORE a@5:x b@6:x !`},
		{name: "the push is that of before", tested: 6, bad: 1, want: "default/a @7", got: "the last push: default/a @5 default/b @6", history: pushing + begun + `
			i PUSH a@5:x b@6:x
			i SETTLED
			i STORE a@5:x b@6:x
			w a@7:y
			i PUSH a@5:x b@6:x !
			i SETTLED
			i STORE a@7:y b@6:x !`},
		{name: "a delete is not pushed", tested: 4, bad: 1, want: "a push of the content: default/a @5", got: "default/b @6", history: pushing + begun + `
			i PUSH a@5:x b@6:x !
			i SETTLED
			i STORE a@5:x b@6:x
			w -b@7
			i SETTLED
			i STORE a@5:x !`},
		{name: "a part of the first list", tested: 4, bad: 1, want: "the whole content, with default/b @6", got: "1 objects, without that one", history: pushing + written + `
			i RUN
			s1 LIST rv=0
			s1 <- @6 a@5:x b@6:x !
			i PUSH a@5:x !
			i PUSH a@5:x b@6:x
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "a part of a later one", tested: 6, bad: 1, want: "the whole content, with default/b @6", got: "1 objects, without that one", history: pushing + begun + `
			i PUSH a@5:x b@6:x !
			s3 LIST
			s3 <- @6 a@5:x b@6:x
			i PUSH a@5:x !
			i PUSH a@5:x b@6:x
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "what no object was", tested: 5, bad: 1, want: "a state that the object had", got: "default/a @6", history: pushing + begun + `
			i PUSH a@6:x b@6:x !
			i PUSH a@5:x b@6:x
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "before the write is answered", tested: 3, history: pushing + begun + `
			w> a
			i PUSH a@7:y b@6:x
			w< a@7:y
			i SETTLED
			i STORE a@7:y b@6:x`},
		{name: "of a write that is not answered yet, other content", tested: 5, bad: 1, want: "a state that the object had", got: `default/a @7 {"data":{"spec":"z"}`, history: pushing + begun + `
			w> a
			i PUSH a@7:z b@6:x !
			i PUSH a@7:y b@6:x
			w< a@7:y
			i SETTLED
			i STORE a@7:y b@6:x`},
		{name: "of a write that is never answered", tested: 2, history: pushing + begun + `
			w> a
			i PUSH a@7:z b@6:x`},
		{name: "it does not push", history: begun + `
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "the server breaks the contract", history: pushing + begun + `
			s2 FAULT drop
			i PUSH a@5:x
			i PUSH
			i SETTLED
			i STORE a@5:x b@6:x`},
		{name: "nothing to push", history: pushing + `
			i RUN
			s1 LIST rv=0
			s1 <- @6
			i SETTLED
			i STORE`},
	},
}
