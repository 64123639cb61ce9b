package listerwatcher

import (
	"strings"
	"testing"
)

func TestResumeBusyLoop(t *testing.T) {
	const begins = journey + `
		s1 .. END clean
		... 1s
	`
	const refused = `
		s1 -> WATCH rv=6
		s1 <- 500 InternalError
	`
	const reset = `
		s1 -> WATCH rv=6
		s1 .. FAULT reset lost
		s1 <- ok
	`
	const early = `
		s1 -> WATCH rv=6
		s1 <- ok
		s1 .. END clean
	`
	const same = `
		s1 -> WATCH rv=6
		s1 <- ok
		s1 .. ADDED b@7
		s1 .. SPOILED garble
		s1 .. END stopped
	`
	const toldError = `
		s1 -> WATCH rv=6
		s1 <- ok
		s1 .. ERROR 500 InternalError
		s1 .. END clean
	`
	const want = "fewer than 100 failures in 10s"
	times := func(part, pause string, n int) string { return strings.Repeat(part+"\n... "+pause+"\n", n) }
	judge(t, "resume/busy-loop", []judged{
		{name: "refused, without a pause", tested: 100, history: begins + times(refused, "1ms", 101), want: want, got: "100 requests in 100ms"},
		{name: "connections break, without a pause", tested: 100, history: begins + times(reset, "50ms", 101), want: want, got: "100 requests in 5s"},
		{name: "ended at once, without a pause", tested: 100, history: begins + times(early, "99ms", 101), want: want, got: "100 requests in 9.9s"},
		{name: "an ERROR, without a pause", tested: 100, history: begins + times(toldError, "1ms", 101), want: want, got: "100 requests in 100ms"},
		{name: "the same events again, and what cannot be read", tested: 101, history: begins + times(same, "1ms", 102), want: want, got: "100 requests in 100ms"},
		{name: "a wait does", tested: 100, history: `
			has waits retries server-faults
			c1 -> UNTIL rv=5 for=ADDED/b
			` + times(`
			s1 -> WATCH rv=5
			s1 <- 500 InternalError`, "1ms", 101), want: want, got: "100 requests in 100ms"},
		{name: "connections are refused, without a pause", tested: 1, history: journey + `
			network -> DOWN
			s1 .. END stopped
			network .. REFUSED`, want: want, got: "100 connections, all of which were refused"},
		{name: "connections are refused, to a client that resumes nothing", history: `
			network -> DOWN
			network .. REFUSED`},
		{name: "of everything", tested: 99, history: begins + times(refused+reset+early+toldError, "1ms", 25)},
		{name: "a tenth of a second between them", tested: 199, history: begins + times(refused, "100ms", 200)},
		{name: "watches that bring something end at once", tested: 0, history: begins + strings.Repeat(`
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. ADDED b@7
			s1 .. END clean
			s1 -> WATCH rv=7
			s1 <- ok
			s1 .. ADDED a@6
			s1 .. END clean
			`, 100)},
		{name: "watches that are open for a second", history: begins + strings.Repeat(`
			s1 -> WATCH rv=6
			s1 <- ok
			... 1s
			s1 .. END clean
			`, 200)},
		{name: "a client that resumes nothing", history: strings.Replace(begins, "retries ", "", 1) + times(refused, "1ms", 200)},
	})
}

func TestResumeConnections(t *testing.T) {
	const fails = `
		s1 .. ERROR 500 InternalError
	`
	const again = `
		... 1s
		s1 -> WATCH rv=6
		s1 <- ok
	`
	const closes = again + `
		s1 .. ERROR 500 InternalError
		s1 .. END stopped
	`
	const breaks = again + `
		s1 .. END broken
	`
	const want = "every request that another has followed is closed"
	judge(t, "resume/connections", []judged{
		{name: "each is closed", tested: 5, history: journey + fails + "s1 .. END stopped\n" + strings.Repeat(closes, 5)},
		{name: "each is left", tested: 7, history: journey + fails + strings.Repeat(again+fails, 6) + again, want: want, got: "7 are open"},
		{name: "three are left", tested: 9, history: journey + fails + again + fails + again + fails + strings.Repeat(closes, 7)},
		{name: "each is closed two seconds after the next", tested: 3, history: journey + fails + again + fails + again + fails + again},
		{name: "the server ends each", history: journey + "s1 .. END clean\n" + strings.Repeat(breaks, 10)},
		{name: "a client that resumes nothing", history: strings.Replace(journey, "retries ", "", 1) + fails + strings.Repeat(again+fails, 6)},
	})
}
