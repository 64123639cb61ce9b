package listerwatcher

import (
	"strings"
	"testing"
)

func TestListFaithful(t *testing.T) {
	const sent = `
		c1 -> LIST limit=2
		s1 -> LIST
		s1 <- @5 [a@3:x b@4] continue=t remaining=3
		c1 <- `
	judge(t, "list/faithful", []judged{
		{name: "as it was sent", tested: 1, history: sent + `@5 [a@3:x b@4] continue=t remaining=3`},
		{name: "nothing, as nothing", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 []
			c1 <- @5 []`},
		{name: "one is lost", tested: 1, history: sent + `@5 [a@3:x] continue=t remaining=3`, want: "2 items", got: "1: without default/b"},
		{name: "one too many", tested: 1, history: sent + `@5 [a@3:x b@4 c@5] continue=t remaining=3`, want: "2 items", got: "3: with default/c"},
		{name: "in another order", tested: 1, history: sent + `@5 [b@4 a@3:x] continue=t remaining=3`,
			want: `default/a @3 {"data":{"spec":"x"},"metadata":{"name":"a","resourceVersion":"3"}}`, got: `default/b @4 {"metadata":{"name":"b","resourceVersion":"4"}}`},
		{name: "a field is lost", tested: 1, history: sent + `@5 [a@3 b@4] continue=t remaining=3`,
			want: `default/a @3 {"data":{"spec":"x"},"metadata":{"name":"a","resourceVersion":"3"}}`, got: `default/a @3 {"metadata":{"name":"a","resourceVersion":"3"}}`},
		{name: "of another resourceVersion", tested: 1, history: sent + `@4 [a@3:x b@4] continue=t remaining=3`, want: "resourceVersion 5", got: "resourceVersion 4"},
		{name: "its token is lost", tested: 1, history: sent + `@5 [a@3:x b@4] remaining=3`, want: "continue t, remaining 3", got: "continue , remaining 3"},
		{name: "its count is lost", tested: 1, history: sent + `@5 [a@3:x b@4] continue=t`, want: "continue t, remaining 3", got: "continue t, remaining none"},
		{name: "its count is another", tested: 1, history: sent + `@5 [a@3:x b@4] continue=t remaining=2`, want: "continue t, remaining 3", got: "continue t, remaining 2"},
		{name: "of metadata alone", tested: 1, history: "has lists metadata-only\n" + sent + `@5 [a@3 b@4] continue=t remaining=3`},
		{name: "it was asked for twice, and the first answer was lost", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3]
			s1 -> LIST
			s1 <- @6 [a@3 b@6]
			c1 <- @6 [a@3 b@6]`},
		{name: "nothing was asked", history: `
			c1 -> LIST
			c1 <- @5 []`},
		{name: "an error, of a list that came", tested: 1, want: "the list that was sent", got: "something went wrong", history: sent + `error`},
		{name: "an error of a client that pages", history: "has lists pages\n" + sent + `error`},
		{name: "the answer did not come whole", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3]
			c1 <- @5 []`},
		{name: "of several pages", history: "has lists pages\n" + sent + `@5 [a@3:x b@4 c@5]`},
		{name: "of one page, by a client that pages", tested: 1, history: `
			has lists pages
			c1 -> LIST
			s1 -> LIST limit=500
			s1 <- @5 [a@3]
			c1 <- @5 []`, want: "1 items", got: "0: without default/a"},
		{name: "of items alone", tested: 1, history: `
			has lists items-only
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- ok [a@3]`},
	})
}

func TestListWhole(t *testing.T) {
	judge(t, "list/whole", []judged{
		{name: "a Status with 200, and refused", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 200
			s1 <- 200 says={"kind":"Status"}
			c1 <- 500 InternalError`},
		{name: "a Status with 200 as an empty list", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 200
			s1 <- 200 says={"kind":"Status"}
			c1 <- []`, want: "an error: the answer did not come whole", got: "a list of 0 items"},
		{name: "cut, and refused", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3 b@4]
			c1 <- error`},
		{name: "cut, and taken", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3 b@4]
			c1 <- @5 [a@3]`, want: "an error: the answer did not come whole", got: "a list of 1 items"},
		{name: "half a list, and taken", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 200
			s1 <- 200 says={"items":[
			c1 <- @5 []`, want: "an error: the answer did not come whole", got: "a list of 0 items"},
		{name: "half a list, and refused", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 200
			s1 <- 200 says={"items":[
			c1 <- error`},
		{name: "nothing was asked", history: `
			c1 -> LIST
			c1 <- @5 []`},
		{name: "whole", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- @5 [a@3]`},
		{name: "asked for again", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3]
			s1 -> LIST
			s1 <- @5 [a@3]
			c1 <- @5 [a@3]`},
		{name: "it has not returned", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset body lost
			s1 <- @5 [a@3]`},
	})
}

func TestListErrors(t *testing.T) {
	refused := func(sent, got string) string {
		return `
			c1 -> LIST rv=9
			s1 -> LIST
			s1 <- ` + sent + `
			c1 <- ` + got
	}
	judge(t, "list/errors", []judged{
		{name: "the server refused it before it looked at its options", history: `
			c1 -> LIST limit=5 untagged
			s1 -> REQUEST
			s1 <- 401
			c1 <- 401 Unauthorized`},
		{name: "as it was sent", tested: 1, history: refused("504 Timeout retry=1 cause=ResourceVersionTooLarge", "504 Timeout retry=1 cause=ResourceVersionTooLarge")},
		{name: "on a watch", tested: 1, history: `
			c1 -> WATCH rv=1
			s1 -> WATCH
			s1 <- 410 Expired
			c1 <- 410 Expired`},
		{name: "on a watch that is opened when its call has returned", tested: 1, history: `
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 410 Expired
			c1 .. ERROR 410 Expired
			c1 .. ENDED`},
		{name: "on such a watch, and its code is another", tested: 1, history: `
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 410 Expired
			c1 .. ERROR 500 Expired
			c1 .. ENDED`, want: "410 Expired", got: "500 Expired"},
		{name: "such a watch ends without a word", tested: 1, history: `
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 410 Expired
			c1 .. ENDED`, want: "410 Expired", got: "no error, or one without a code"},
		{name: "such a watch says nothing", tested: 1, history: `
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 410 Expired
			c1 .. SETTLED`, want: "410 Expired", got: "no error, or one without a code"},
		{name: "such a watch is stopped before", history: `
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 410 Expired
			c1 -> STOP
			c1 .. ENDED`},
		{name: "who has asked four times gives up in its own words", history: alone + `
			s1 .. END clean` + strings.Repeat(`
			s1 -> WATCH rv=5
			s1 <- 429 TooManyRequests retry=3`, 4) + `
			c1 .. ERROR 500
			c1 .. ENDED`},
		{name: "who has asked three times does so", tested: 1, history: alone + `
			s1 .. END clean` + strings.Repeat(`
			s1 -> WATCH rv=5
			s1 <- 429 TooManyRequests retry=3`, 3) + `
			c1 .. ERROR 500
			c1 .. ENDED`, want: "429 TooManyRequests, retry after 3 s", got: "500"},
		{name: "who has asked four times tells what no time mends", tested: 1, history: alone + `
			s1 .. END clean` + strings.Repeat(`
			s1 -> WATCH rv=5
			s1 <- 429 TooManyRequests retry=3`, 4) + `
			s1 -> WATCH rv=5
			s1 <- 410 Expired
			c1 .. ERROR 500
			c1 .. ENDED`, want: "410 Expired", got: "500"},
		{name: "its code is lost", tested: 1, history: refused("410 Expired", "error"), want: "410 Expired", got: "no error, or one without a code"},
		{name: "it is none", tested: 1, history: refused("410 Expired", "@5 []"), want: "410 Expired", got: "no error, or one without a code"},
		{name: "its code is another", tested: 1, history: refused("410 Expired", "500 Expired"), want: "410 Expired", got: "500 Expired"},
		{name: "its reason is another", tested: 1, history: refused("410 Expired", "410 Gone"), want: "410 Expired", got: "410 Gone"},
		{name: "its cause is lost", tested: 1, history: refused("504 Timeout retry=1 cause=ResourceVersionTooLarge", "504 Timeout retry=1"),
			want: "504 Timeout, retry after 1 s, cause ResourceVersionTooLarge", got: "504 Timeout, retry after 1 s"},
		{name: "its time is lost", tested: 1, history: refused("429 TooManyRequests retry=7", "429 TooManyRequests"),
			want: "429 TooManyRequests, retry after 7 s", got: "429 TooManyRequests"},
		{name: "a proxy's page keeps its code", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 502
			s1 <- 502 says=<html>
			c1 <- 502 InternalError`},
		{name: "a proxy's page becomes a list", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 502
			s1 <- 502 says=<html>
			c1 <- @1 []`, want: "502", got: "no error, or one without a code"},
		{name: "a Status that something else answers keeps all it says", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 429
			s1 <- 429 says={"kind":"Status","reason":"TooManyRequests","details":{"retryAfterSeconds":3}}
			c1 <- 429 TooManyRequests`, want: "429 TooManyRequests, retry after 3 s", got: "429 TooManyRequests"},
		{name: "it was answered", history: refused("@5 []", "@5 []")},
		{name: "nothing was asked", history: `
			c1 -> LIST
			c1 <- error`},
		{name: "it was given up before an answer", history: `
			c1 -> LIST
			s1 -> LIST
			c1 <- error`},
		{name: "the drive gave up while it waited", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=7
			.. GAVE-UP deadline
			c1 <- error`},
		{name: "a proxy's JSON that is no Status keeps its code", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 502
			s1 <- 502 says={"reason":"TooManyRequests"}
			c1 <- 502 InternalError`},
		{name: "the answer was lost", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT reset headers lost
			s1 <- 500 InternalError
			c1 <- error`},
		{name: "who resumes tells of what it hands on", tested: 1, history: `
			has watches retries
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 403 Forbidden
			c1 .. ERROR 403 Unauthorized`, want: "403 Forbidden", got: "403 Unauthorized"},
		{name: "and of what it gets over it says nothing", history: `
			has watches retries
			c1 -> WATCH rv=1
			c1 <- ok
			s1 -> WATCH
			s1 <- 500 InternalError`},
		{name: "an answer below 400 is none", history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 200
			s1 <- 200 says={
			c1 <- error`},
	})
}
