package listerwatcher

import (
	"strings"
	"testing"
)

func TestWatchFrame(t *testing.T) {
	const sent = open + `
		s1 .. ADDED a@6:x
		s1 .. SPOILED garble
		s1 .. ADDED c@8:x
		c1 .. ADDED a@6:x
	`
	judge(t, "watch/frame", []judged{
		{name: "it ends the watch", tested: 1, history: sent + `
			c1 .. ERROR 500 InternalError
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "it goes on", tested: 1, history: sent + `
			c1 .. ADDED c@8:x
			c1 .. ENDED`, want: "no event from the frame at #6, which cannot be read, or from after it", got: "ADDED default/c @8"},
		{name: "it goes on, and had no time to end", tested: 1, history: sent + `
			c1 .. ADDED c@8:x`, want: "no event from the frame at #6, which cannot be read, or from after it", got: "ADDED default/c @8"},
		{name: "something of it", tested: 1, history: sent + `
			c1 .. ADDED b@7
			c1 .. ENDED`, want: "no event from the frame at #6, which cannot be read, or from after it", got: "ADDED default/b @7"},
		{name: "the watch stays open", tested: 1, history: sent + `
			c1 .. SETTLED`, want: "the end of the watch", got: "none, though it had all the time it needs"},
		{name: "it had no time", history: sent},
		{name: "it was stopped", history: sent + `
			c1 -> STOP
			c1 .. SETTLED`},
		{name: "nothing was asked", history: `
			c1 -> WATCH
			c1 <- ok
			c1 .. ENDED
			c1 .. SETTLED`},
		{name: "all could be read", history: open + `c1 .. SETTLED`},
		{name: "who makes nothing of what came before says nothing", history: open + `
			s1 .. ADDED a@6:x
			s1 .. SPOILED garble
			c1 .. ENDED`},
		{name: "who resumes asks again", tested: 1, history: journey + `
			s1 .. SPOILED garble
			s1 .. ADDED c@8
			s1 .. END stopped
			s1 -> WATCH rv=6
			s1 <- ok
			s1 .. ADDED b@7
			s1 .. ADDED c@8
			c1 .. ADDED b@7
			c1 .. ADDED c@8`},
		{name: "who resumes goes on", tested: 1, history: journey + `
			s1 .. SPOILED garble
			s1 .. ADDED c@8
			c1 .. ADDED c@8`, want: "nothing of what follows a frame that cannot be read", got: "ADDED default/c @8"},
	})
}

// What is answered in place of a watch, with 200, is none.
func TestWatchStrange(t *testing.T) {
	const asked = `
		c1 -> WATCH rv=5
		s1 -> WATCH
		s1 .. FAULT answer 200
		s1 <- 200 says={"kind":"Status"}
	`
	judge(t, "watch/frame", []judged{
		{name: "its end", history: asked + `
			c1 <- ok
			c1 .. ENDED`},
		{name: "its end, with an ERROR", tested: 1, history: asked + `
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "an error", tested: 1, history: asked + `
			c1 <- error`},
		{name: "an event", tested: 1, history: asked + `
			c1 <- ok
			c1 .. MODIFIED a@6
			c1 .. ENDED`, want: "nothing: what was answered is no watch", got: "MODIFIED default/a @6"},
		{name: "no end", tested: 1, history: asked + `
			c1 <- ok
			c1 .. SETTLED`, want: "the end of the watch", got: "none, though it had all the time it needs"},
		{name: "no time", history: asked + `
			c1 <- ok`},
		{name: "let go of", history: asked + `
			c1 <- ok
			c1 -> STOP
			c1 .. ENDED`},
		{name: "it asks again", history: `
			has watches retries json server-faults` + asked + `
			c1 <- ok
			c1 .. SETTLED`},
	})
	judge(t, "watch/frame-error", []judged{
		{name: "an ERROR", tested: 1, history: asked + `
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "an error", tested: 1, history: asked + `
			c1 <- error`},
		{name: "neither", tested: 1, history: asked + `
			c1 <- ok
			c1 .. ENDED`, want: "an error, or an ERROR: what was answered is no watch", got: "neither"},
		{name: "in protobuf", history: strings.Replace(asked, "s1 -> WATCH", "s1 -> WATCH accept="+protobufType+" rv=5", 1) + `
			c1 <- ok
			c1 .. ENDED`},
	})
	judge(t, "watch/end", []judged{
		{name: "an ERROR is no clean end", tested: 1, history: asked + `
			s1 .. END clean
			c1 <- ok
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
	})
}

func TestWatchFrameError(t *testing.T) {
	sent := func(does string) string {
		return open + "s1 .. SPOILED " + does + "\n"
	}
	const resuming = `
		has watches retries json server-faults
		c1 -> WATCH rv=5
		s1 -> WATCH
		s1 <- ok
		c1 <- ok
		s1 .. ADDED a@6
		c1 .. ADDED a@6
		s1 .. SPOILED garble
	`
	judge(t, "watch/frame-error", []judged{
		{name: "it says so", tested: 1, history: sent("garble") + `
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "it just ends", tested: 1, history: sent("garble") + `
			c1 .. ENDED`, want: "an ERROR that says that a frame could not be read", got: "none"},
		{name: "it goes on, and had no time to say so", history: sent("garble") + `
			c1 .. ADDED c@8:x`},
		{name: "of what is merely cut nobody need tell", history: sent("truncate") + `
			c1 .. ENDED`},
		{name: "nor of protobuf, whoever asked for it", history: strings.Replace(sent("garble"), "s1 -> WATCH", "s1 -> WATCH accept=application/vnd.kubernetes.protobuf;as=PartialObjectMetadata,application/json", 1) + `
			c1 .. ENDED`},
		{name: "who resumes by itself says so", tested: 1, history: resuming + `
			c1 .. ERROR 500 InternalError
			c1 .. ENDED`},
		{name: "or asks again", tested: 1, history: resuming + `
			s1 -> WATCH rv=6
			s1 <- ok`},
		{name: "or just ends", tested: 1, history: resuming + `
			c1 .. ENDED
			c1 .. SETTLED`, want: "an ERROR that says that a frame could not be read, or another request", got: "neither"},
		{name: "one that makes nothing of anything says nothing", history: strings.ReplaceAll(resuming, "c1 .. ADDED a@6", "") + `
			s1 -> WATCH rv=5
			s1 <- ok`},
		{name: "or is stopped before it could", history: resuming + `
			c1 -> STOP
			c1 .. ENDED
			c1 .. SETTLED`},
	})
}
