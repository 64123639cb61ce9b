package listerwatcher

import (
	"strings"
	"testing"
)

// twoPages are those of a list that a client takes in pages by itself.
const twoPages = `
	has lists pages server-faults
	c1 -> LIST limit=2
	s1 -> LIST
	s1 <- @5 [a@3 b@4] continue=t remaining=1
	s1 -> LIST limit=2 continue=t
	s1 <- @5 [c@5]
`

// emptyPage is a second page without items with a token, as a fault makes it.
const emptyPage = `
	has lists pages server-faults
	c1 -> LIST limit=2
	s1 -> LIST
	s1 <- @5 [a@3 b@4] continue=t
	s1 -> LIST limit=2 continue=t
	s1 .. FAULT empty
	s1 <- @5 [] continue=u
`

func TestPagerWhole(t *testing.T) {
	judge(t, "pager/whole", []judged{
		{name: "all, in order", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4 c@5]`},
		{name: "the first page alone", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4]`, want: "3 items", got: "2: without default/c"},
		{name: "one twice", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4 c@5 c@5]`, want: "3 items", got: "4: with default/c"},
		{name: "in another order", tested: 1, history: twoPages + `c1 <- @5 [c@5 a@3 b@4]`,
			want: `default/a @3 {"metadata":{"name":"a","resourceVersion":"3"}}`, got: `default/c @5 {"metadata":{"name":"c","resourceVersion":"5"}}`},
		{name: "of another resourceVersion", tested: 1, history: twoPages + `c1 <- @4 [a@3 b@4 c@5]`, want: "resourceVersion 5", got: "resourceVersion 4"},
		{name: "with a token", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4 c@5] continue=t`, want: "no continue token", got: "continue t"},
		{name: "with what the first page said remains", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4 c@5] remaining=1`, want: "no remaining count, or 0: it is the whole list", got: "remaining 1"},
		{name: "of which nothing remains", tested: 1, history: twoPages + `c1 <- @5 [a@3 b@4 c@5] remaining=0`},
		{name: "it ends where there is more", tested: 1, history: `
			has lists pages
			c1 -> LIST limit=2
			s1 -> LIST
			s1 <- @5 [a@3 b@4] continue=t
			c1 <- @5 [a@3 b@4]`, want: "a further request: the last page has a continue token", got: "a list of 2 items"},
		{name: "a page has no items, and its token is gone on from", tested: 1, history: emptyPage + `
			s1 -> LIST limit=2 continue=u
			s1 <- @5 [c@5]
			c1 <- @5 [a@3 b@4 c@5]`},
		{name: "it ends with a page that has no items, and a token", tested: 1, history: emptyPage + `
			c1 <- @5 [a@3 b@4]`, want: "a further request: the last page has a continue token", got: "a list of 2 items"},
		{name: "it says that it could not go on from there", history: emptyPage + `
			c1 <- error`},
		{name: "items alone say neither", tested: 1, history: `
			has lists pages items-only
			c1 -> LIST limit=1
			s1 -> LIST
			s1 <- @5 [a@3] continue=t
			s1 -> LIST limit=1 continue=t
			s1 <- @5 [b@4]
			c1 <- ok [a@3 b@4]`},
		{name: "a page was refused for now, and asked for again", tested: 1, history: `
			has lists pages
			c1 -> LIST limit=1
			s1 -> LIST
			s1 <- @5 [a@3] continue=t
			s1 -> LIST limit=1 continue=t
			s1 <- 429 TooManyRequests retry=1
			s1 -> LIST limit=1 continue=t
			s1 <- @5 [b@4]
			c1 <- @5 [a@3 b@4]`},
		{name: "begun anew by itself, it is of the last pages", tested: 1, history: `
			has lists pages
			c1 -> LIST limit=1
			s1 -> LIST
			s1 <- @5 [a@3] continue=t
			s1 -> LIST limit=1 continue=t
			s1 <- 500 InternalError
			s1 -> LIST limit=1
			s1 <- @6 [z@6] continue=u
			s1 -> LIST limit=1 continue=u
			s1 <- @6 []
			c1 <- @6 [z@6]`},
		{name: "of one page", history: `
			has lists pages
			c1 -> LIST limit=2
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- @5 [a@3]`},
		{name: "pages without items say nothing", history: `
			has lists pages
			c1 -> LIST limit=2
			s1 -> LIST
			s1 <- @5 [] continue=t
			s1 -> LIST continue=t
			s1 <- @5 []
			c1 <- @5 []`},
		{name: "an error", history: twoPages + `c1 <- error`},
		{name: "nothing was asked", history: `
			has lists pages
			c1 -> LIST
			c1 <- @5 []`},
		{name: "after a 410 it is another rule's", history: `
			has lists pages
			c1 -> LIST limit=1
			s1 -> LIST
			s1 <- @5 [a@3] continue=t
			s1 -> LIST continue=t
			s1 <- 410 Expired
			c1 <- @5 [a@3]`},
	})
}

func TestPagerContinueAlone(t *testing.T) {
	second := func(options string) string {
		return `
			has lists pages
			c1 -> LIST rv=5 match=Exact limit=2
			s1 -> LIST
			s1 <- @5 [a@3 b@4] continue=t
			s1 -> LIST ` + options + `
		`
	}
	judge(t, "pager/continue-alone", []judged{
		{name: "the token alone", tested: 1, history: second("limit=2 continue=t")},
		{name: "with 0", tested: 1, history: second("limit=2 continue=t rv=0")},
		{name: "with a resourceVersion", tested: 1, history: second("continue=t rv=5"), want: "the token alone", got: `the token with resourceVersion "5", match ""`},
		{name: "with a match", tested: 1, history: second("continue=t match=Exact"), want: "the token alone", got: `the token with resourceVersion "", match "Exact"`},
		{name: "without the token", tested: 1, history: second("limit=2"), want: "the token of the page before", got: "another, or none"},
		{name: "with another", tested: 1, history: second("continue=u"), want: "the token of the page before", got: "another, or none"},
		{name: "after an error it may begin anew", tested: 1, history: second("continue=t") + `
			s1 <- 410 Expired
			s1 -> LIST rv=5 match=Exact
			s1 <- @5 [a@3 b@4 c@5]`},
		{name: "of one page", history: `
			has lists pages
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- @5 [a@3]`},
		{name: "its caller's own token", history: `
			has lists pages
			c1 -> LIST continue=t
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- @5 [a@3]`},
	})
}

func TestPagerExpired(t *testing.T) {
	const gone = `
		has lists pages server-faults
		c1 -> LIST limit=1
		s1 -> LIST
		s1 <- @5 [a@3] continue=t
		s1 -> LIST limit=1 continue=t
		s1 <- 410 Expired
	`
	judge(t, "pager/expired", []judged{
		{name: "an error", tested: 1, history: gone + `c1 <- 410 Expired`},
		{name: "a fresh list, whole", tested: 1, history: gone + `
			s1 -> LIST none
			s1 <- @9 [b@4 c@9]
			c1 <- @9 [b@4 c@9]`},
		{name: "a list of any state", tested: 1, history: gone + `
			s1 -> LIST rv=0
			s1 <- @5 [a@3 b@4]
			c1 <- @5 [a@3 b@4]`, want: "an error, or a fresh list", got: "one of any state: resourceVersion 0, which the caller did not ask for"},
		{name: "a list of any state, for who asked for that", tested: 1, history: strings.Replace(gone, "LIST limit=1", "LIST rv=0 limit=1", 1) + `
			s1 -> LIST rv=0
			s1 <- @5 [a@3 b@4]
			c1 <- @5 [a@3 b@4]`},
		{name: "fresh pages", tested: 1, history: gone + `
			s1 -> LIST limit=1
			s1 <- @9 [b@4] continue=u
			s1 -> LIST limit=1 continue=u
			s1 <- @9 [c@9]
			c1 <- @9 [b@4 c@9]`},
		{name: "what there was", tested: 1, history: gone + `c1 <- @5 [a@3]`, want: "a further request: the last page has a continue token", got: "a list of 1 items"},
		{name: "the old page and the fresh list", tested: 1, history: gone + `
			s1 -> LIST none
			s1 <- @9 [b@4 c@9]
			c1 <- @9 [a@3 b@4 c@9]`, want: `default/b @4 {"metadata":{"name":"b","resourceVersion":"4"}}`, got: `default/a @3 {"metadata":{"name":"a","resourceVersion":"3"}}`},
		{name: "the rest at another resourceVersion", tested: 1, history: gone + `
			s1 -> LIST limit=1 continue=newer
			s1 <- @9 [b@4 c@9]
			c1 <- @5 [a@3 b@4 c@9]`, want: "an error, or a list of one resourceVersion", got: "one with pages of 5 and of 9"},
		{name: "the rest at another resourceVersion, and it says none", tested: 1, history: gone + `
			s1 -> LIST limit=1 continue=newer
			s1 <- @9 [b@4 c@9]
			c1 <- [a@3 b@4 c@9]`},
		{name: "the rest at another resourceVersion, one by one", tested: 1, history: strings.Replace(gone, "has lists", "has items-only lists", 1) + `
			s1 -> LIST limit=1 continue=newer
			s1 <- @9 [b@4 c@9]
			c1 <- [a@3 b@4 c@9]`, want: "an error, or a list of one resourceVersion", got: "one with pages of 5 and of 9"},
		{name: "the rest at the same, and it says none", tested: 1, history: gone + `
			s1 -> LIST limit=1 continue=again
			s1 <- @5 [b@4]
			c1 <- [a@3 b@4]`, want: "resourceVersion 5", got: "resourceVersion "},
		{name: "it has not returned", history: gone},
		{name: "nothing was refused", history: twoPages + `c1 <- @5 [a@3 b@4 c@5]`},
		{name: "the first page was", history: `
			has lists pages
			c1 -> LIST rv=1 match=Exact
			s1 -> LIST
			s1 <- 410 Expired
			c1 <- 410 Expired`},
	})
}
