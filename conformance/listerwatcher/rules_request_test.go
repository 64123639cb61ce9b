package listerwatcher

import (
	"strings"
	"testing"
)

func TestRequestOptions(t *testing.T) {
	judge(t, "request/options", []judged{
		{name: "as they were set", tested: 2, history: `
			c1 -> LIST rv=5 match=Exact limit=2 labels=app=one fields=metadata.name=a
			s1 -> LIST
			c1 -> WATCH rv=5 bookmarks initial=true timeout=7
			s1 -> WATCH`},
		{name: "a selector is spelt in another way", tested: 1, history: `
			c1 -> LIST fields=metadata.name=a,metadata.namespace!=x
			s1 -> LIST fields=metadata.namespace!=x,metadata.name==a`},
		{name: "another selector", tested: 1, history: `
			c1 -> LIST fields=metadata.name=a
			s1 -> LIST fields=metadata.name!=a`,
			want: `options {"labelSelector":"lwtest-call!=0","fieldSelector":"metadata.name=a"}`, got: `options {"labelSelector":"lwtest-call!=0","fieldSelector":"metadata.name!=a"}`},
		{name: "one is lost", tested: 1, history: `
			c1 -> LIST rv=5 limit=2
			s1 -> LIST rv=5`,
			want: `options {"labelSelector":"lwtest-call!=0","resourceVersion":"5","limit":2}`, got: `options {"labelSelector":"lwtest-call!=0","resourceVersion":"5"}`},
		{name: "one is added", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST limit=500`,
			want: `options {"labelSelector":"lwtest-call!=0"}`, got: `options {"labelSelector":"lwtest-call!=0","limit":500}`},
		{name: "lost when it asks again", tested: 2, history: `
			c1 -> LIST rv=5
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=1
			s1 -> LIST none`,
			want: `options {"labelSelector":"lwtest-call!=0","resourceVersion":"5"}`, got: `options {"labelSelector":"lwtest-call!=0"}`},
		{name: "a client that pages chooses its pages", tested: 1, history: `
			has lists pages json
			c1 -> LIST rv=5
			s1 -> LIST rv=5 limit=500
			s1 -> LIST continue=t limit=500`},
		{name: "but not what it lists", tested: 1, history: `
			has lists pages json
			c1 -> LIST fields=metadata.name=a
			s1 -> LIST limit=500`,
			want: `options {"labelSelector":"lwtest-call!=0","fieldSelector":"metadata.name=a"}`, got: `options {"labelSelector":"lwtest-call!=0"}`},
		{name: "nor on its further pages", tested: 2, history: `
			has lists pages json
			c1 -> LIST fields=metadata.name=a
			s1 -> LIST fields=metadata.name=a limit=500
			s1 -> LIST none continue=t limit=500`,
			want: `fieldSelector "metadata.name=a"`, got: `fieldSelector ""`},
		{name: "each page of what was chosen", tested: 3, history: `
			has lists pages json
			c1 -> LIST fields=metadata.name=a
			s1 -> LIST fields=metadata.name=a limit=500
			s1 -> LIST fields=metadata.name=a continue=t limit=500
			s1 -> LIST fields=metadata.name=a continue=u limit=500`},
		{name: "nor does one that resumes choose what it watches", tested: 2, history: `
			has watches retries json
			c1 -> WATCH rv=5
			s1 -> WATCH rv=5
			s1 -> WATCH rv=7 fields=metadata.name=b`,
			want: `fieldSelector ""`, got: `fieldSelector "metadata.name=b"`},
		{name: "nor one that waits what it waits among", tested: 3, history: `
			has waits
			c1 -> UNTIL rv=5 for=ADDED/b fields=metadata.name=b
			s1 -> WATCH rv=5 fields=metadata.name=b
			s1 -> LIST none`,
			want: `fieldSelector "metadata.name=b"`, got: `fieldSelector ""`},
		{name: "a client that resumes chooses how", tested: 1, history: `
			has watches retries json
			c1 -> WATCH rv=5
			s1 -> WATCH rv=5 bookmarks
			s1 -> WATCH rv=7 bookmarks`},
		{name: "a client that resumes, and does not say so, is told which feature that is", tested: 2, history: `
			c1 -> WATCH rv=6
			s1 -> WATCH rv=6
			s1 -> WATCH rv=8`,
			want: `options {"labelSelector":"lwtest-call!=0","resourceVersion":"6"}`,
			got:  `options {"labelSelector":"lwtest-call!=0","resourceVersion":"8"}: a client that resumes a watch by itself declares the feature "retries"`},
		{name: "and so is one that pages", tested: 2, history: `
			c1 -> LIST limit=2
			s1 -> LIST limit=2
			s1 -> LIST limit=2 continue=t`,
			want: `options {"labelSelector":"lwtest-call!=0","limit":2}`,
			got:  `options {"labelSelector":"lwtest-call!=0","limit":2,"continue":"t"}: a client that takes lists in pages by itself declares the feature "pages"`},
		{name: "the server refused it before it looked at its options", history: `
			c1 -> LIST limit=5 untagged
			s1 -> REQUEST
			s1 <- 401
			c1 <- 401 Unauthorized`},
		{name: "nothing was asked", history: `
			c1 -> LIST rv=5
			c1 <- error`},
	})
}

func TestRequestVerb(t *testing.T) {
	judge(t, "request/verb", []judged{
		{name: "each its own", tested: 2, history: `
			c1 -> LIST
			s1 -> LIST
			c1 -> WATCH
			s1 -> WATCH`},
		{name: "with one of several content types", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST accept=application/vnd.kubernetes.protobuf,application/json;q=0.9`},
		{name: "watch=1 is one", tested: 1, history: `
			c1 -> WATCH
			s1 -> WATCH watch=1`},
		{name: "by the old path", tested: 2, history: `
			c1 -> WATCH
			s1 -> WATCH watch= path=/api/v1/watch/namespaces/default/configmaps
			c1 -> WATCH
			s1 -> WATCH watch= path=/apis/apps/v1/watch/deployments`},
		{name: "a list by the old path of watches", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST path=/api/v1/watch/namespaces/default/configmaps`, want: "watch=false", got: "/api/v1/watch/namespaces/default/configmaps"},
		{name: "no watch, in a namespace of that name", tested: 1, history: `
			c1 -> WATCH
			s1 -> WATCH watch= path=/api/v1/namespaces/watch/configmaps`, want: "watch=true", got: "/api/v1/namespaces/watch/configmaps"},
		{name: "a watch asks for a list", tested: 1, history: `
			c1 -> WATCH
			s1 -> LIST`, want: "a WATCH", got: "a LIST /api/v1/namespaces/default/configmaps"},
		{name: "what a server may take for none", tested: 1, history: `
			c1 -> WATCH
			s1 -> WATCH watch=0`, want: "watch=true", got: "/api/v1/namespaces/default/configmaps?watch=0"},
		{name: "a list that a server may take for a watch", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST watch=1`, want: "watch=false", got: "/api/v1/namespaces/default/configmaps?watch=1"},
		{name: "of another namespace", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST ns=other`, want: "configmaps of default", got: "configmaps of other"},
		{name: "of another resource", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST resource=secrets`, want: "configmaps of default", got: "secrets of default"},
		{name: "without credentials", tested: 1, history: `
			c1 -> LIST
			s1 -> REQUEST
			s1 <- 401 Unauthorized
			c1 <- 401 Unauthorized`, want: "the credentials that the client was given", got: "none, or others: 401 to /api/v1/namespaces/default/configmaps"},
		{name: "without credentials when it resumes", tested: 2, history: `
			has watches retries json
			c1 -> WATCH rv=5
			s1 -> WATCH rv=5
			s1 <- ok
			s1 -> REQUEST watch=1
			s1 <- 401 Unauthorized`, want: "the credentials that the client was given", got: "none, or others: 401 to /api/v1/namespaces/default/configmaps?watch=1"},
		{name: "a 401 by the server's fault", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT status 401
			s1 <- 401 Unauthorized
			c1 <- 401 Unauthorized`},
		{name: "so of what it did not look at", history: `
			c1 -> LIST
			s1 -> REQUEST
			s1 .. FAULT status 401
			s1 <- 401 Unauthorized
			c1 <- 401 Unauthorized`},
		{name: "another refusal of what is no list", tested: 0, history: `
			c1 -> LIST
			s1 -> REQUEST
			s1 <- 404 NotFound`},
		{name: "whatever there is, of who asks for no form", tested: 1, history: `
			has lists
			c1 -> LIST
			s1 -> LIST accept=*/*`},
		{name: "none", tested: 1, history: `
			has lists
			c1 -> LIST
			s1 -> LIST accept=`},
		{name: "in another form, of who asks for none", tested: 1, history: `
			has lists
			c1 -> LIST
			s1 -> LIST accept=application/yaml`, want: "Accept application/json", got: "Accept application/yaml"},
		{name: "in another form", tested: 1, history: `
			has lists json
			c1 -> LIST
			s1 -> LIST accept=*/*`, want: "Accept application/json", got: "Accept */*"},
		{name: "in another form than protobuf", tested: 1, history: `
			has lists protobuf
			c1 -> LIST
			s1 -> LIST`, want: "Accept application/vnd.kubernetes.protobuf", got: "Accept application/json"},
		{name: "nothing was asked", history: `
			c1 -> LIST
			c1 <- error`},
	})
}

func TestRequestIsolated(t *testing.T) {
	const two = `
		has watches
		c1 -> WATCH rv=5
		c2 -> WATCH rv=7
		s1 -> WATCH
		s1 <- ok
		s2 -> WATCH
		s2 <- ok
		c1 <- ok
		c2 <- ok
	`
	judge(t, "request/isolated", []judged{
		{name: "two at once", tested: 2, history: `
			c1 -> LIST rv=5
			c2 -> LIST rv=7
			s2 -> LIST
			s1 -> LIST
			s1 <- @9 []
			s2 <- @9 []
			c2 <- @9 []
			c1 <- @9 []`},
		{name: "one asks as the other", tested: 2, history: `
			c1 -> LIST rv=5
			c2 -> LIST rv=7
			s2 -> LIST
			s2 -> LIST
			c2 <- @9 []
			c1 <- @9 []`,
			want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "its own selector is lost", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST untagged
			c1 <- @9 []`,
			want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "the caller's options are changed", tested: 1, history: `
			c1 -> LIST rv=5
			s1 -> LIST
			c1 <- @9 [] changed rv=9`,
			want: `the caller's options as they were: {"labelSelector":"lwtest-call!=0","resourceVersion":"5"}`, got: `{"resourceVersion":"9"}`},
		{name: "they are changed by who resumes, and was let go of before it asked", history: `
			has watches retries
			c1 -> WATCH rv=5
			c1 <- ok changed rv=9
			c1 -> STOP`,
			want: `the caller's options as they were: {"labelSelector":"lwtest-call!=0","resourceVersion":"5"}`, got: `{"resourceVersion":"9"}`},
		{name: "one is stopped, and the other stays", tested: 3, history: two + `
			c1 -> STOP
			s1 .. END stopped
			c2 .. SETTLED`},
		{name: "one is stopped, and the other with it", tested: 3, history: two + `
			c1 -> STOP
			s1 .. END stopped
			s2 .. END stopped
			c2 .. SETTLED`, want: "the other watches stay open", got: "a request of another is ended, and none follows it"},
		{name: "so, and it asks again", tested: 3, history: two + `
			c1 -> STOP
			s1 .. END stopped
			s2 .. END stopped
			s2 -> WATCH
			c2 .. SETTLED`},
		{name: "one is stopped, and the other ends long after", tested: 3, history: two + `
			c1 -> STOP
			s1 .. END stopped
			... 2s
			s2 .. END stopped`},
		{name: "one is stopped, and the server ends the other", tested: 3, history: two + `
			c1 -> STOP
			s1 .. END stopped
			s2 .. END clean`},
		{name: "both are stopped", tested: 3, history: two + `
			c1 -> STOP
			c2 -> STOP
			s1 .. END stopped
			s2 .. END stopped`},
		{name: "refused before it asked", tested: 1, history: `
			c1 -> LIST
			c1 <- error`},
		{name: "it has not returned", history: `
			c1 -> LIST
			s1 -> LIST`},
		{name: "who resumes refuses to begin anywhere when it has returned", history: `
			has watches retries
			c1 -> WATCH rv=0
			c1 <- ok
			c1 .. ERROR 400
			c1 .. ENDED`},
		{name: "a watch is stopped before it has asked", history: `
			c1 -> WATCH rv=5
			c1 <- ok
			c1 -> STOP
			c1 .. ENDED`},
		{name: "a watch never asks", tested: 1, history: `
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. SETTLED
			c1 -> STOP
			c1 .. ENDED`, want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "who resumes ends without a request", tested: 1, history: `
			has watches retries
			c1 -> WATCH rv=5
			c1 <- ok
			c1 .. ENDED`, want: "a request with the options of this call", got: "none of those that the server was sent has them"},
		{name: "who resumes was let go of before it asked", history: `
			has watches retries
			c1 -> WATCH rv=5
			c1 <- ok
			c1 -> STOP`},
		{name: "a wait was called off before it asked", history: `
			has waits
			c1 -> UNTIL rv=5 for=ADDED/b
			c1 -> CANCEL
			c1 <- error`},
	})
}

func TestRequestConnections(t *testing.T) {
	const list = `
		c1 -> LIST
		s1 -> LIST
		s1 <- 403
		s1 .. END clean
		c1 <- 403
		... 1s
	`
	at := func(idle string) string { return strings.Replace(list, "s1 -> LIST", "s1 -> LIST idle="+idle, 1) }
	beside := strings.ReplaceAll(strings.ReplaceAll(list, "s1 .. END clean", ""), "c1 <- 403", "")
	const want = "a connection that carries nothing is used again, or closed"
	for rule, idle := range map[string]string{"request/connections": "5", "request/reuse": "1"} {
		got := " that have carried nothing for " + idle + "s, and the client opens another"
		judge(t, rule, []judged{
			{name: "few requests", history: strings.Repeat(list, 8)},
			{name: "one connection, or few", tested: 1, history: strings.Repeat(list, 20)},
			{name: "each request has its own, and none is closed", tested: 1, history: strings.Repeat(list, 9) + at("8x"+idle) + at("16x"+idle), want: want, got: "8" + got},
			{name: "eight are left of eight lists at once, and another pool opens its first", tested: 1, history: strings.Repeat(beside, 8) + at("8x"+idle)},
			{name: "twenty are left of eight lists at once", tested: 1, history: strings.Repeat(beside, 8) + at("20x"+idle), want: want, got: "20" + got},
		})
	}
	judge(t, "request/connections", []judged{
		{name: "few requests", history: list},
		{name: "a pool of its own for each request, which closes after four seconds", tested: 1, history: strings.Repeat(list, 9) + at("99x4")},
		{name: "nine of them older", tested: 1, history: strings.Repeat(list, 9) + at("9x6"), want: want, got: "9 that have carried nothing for 5s, and the client opens another"},
	})
}

func TestRequestRetryAfter(t *testing.T) {
	judge(t, "request/retry-after", []judged{
		{name: "it waits", tested: 2, history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=2
			... 2s
			s1 -> LIST
			s1 <- 503 ServiceUnavailable retry=1
			... 3s
			s1 -> LIST`},
		{name: "it does not wait long enough", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=2
			... 1s
			s1 -> LIST`, want: "a request 2s after the answer, or later", got: "one after 1s"},
		{name: "a header that stands before a server", tested: 1, history: `
			c1 -> LIST
			s1 -> LIST
			s1 .. FAULT answer 429 retry-after 3
			s1 <- 429 says=busy
			... 1s
			s1 -> LIST`, want: "a request 3s after the answer, or later", got: "one after 1s"},
		{name: "after an ERROR in the stream", tested: 1, history: journey + `
			s1 .. ERROR 429 TooManyRequests retry=2
			s1 .. END clean
			... 1s
			s1 -> WATCH rv=6`, want: "a request 2s after the answer, or later", got: "one after 1s"},
		{name: "a 410 says nothing of when", history: journey + `
			s1 .. ERROR 410 Expired retry=2
			s1 .. END clean
			s1 -> WATCH rv=6`},
		{name: "it does not ask again", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=2
			c1 <- 429 TooManyRequests retry=2`},
		{name: "nobody said when", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 500 InternalError
			s1 -> LIST`},
		{name: "a call of its own is none", history: `
			c1 -> LIST
			s1 -> LIST
			s1 <- 429 TooManyRequests retry=2
			c1 <- 429 TooManyRequests retry=2
			c1 -> LIST
			s1 -> LIST`},
	})
}
