package runtime

// oneTicks prints a line a second, and has a log for 2 seconds. Its log is rotated then.
const oneTicks = onePod + `
	c1 CreateContainer a/c work=ticks -> k1
	c1 StartContainer a/c
	... 2s
`

// onePrints prints twice, and has ended.
const onePrints = onePod + `
	c1 CreateContainer a/c work={"lines":2,"exit":1} -> k1
	c1 StartContainer a/c
	c1 ContainerStatus a/c -> EXITED code=1
`

// entry is an entry of a log, without the end of its line.
func entry(rest string) string { return "2026-11-26T10:00:00.123456789Z " + rest }

// lines are entries of a log, as JSON.
func lines(rests ...string) (out string) {
	for i, r := range rests {
		out += map[bool]string{true: `"`, false: `,"`}[i == 0] + entry(r) + `"`
	}
	return "[" + out + "]"
}

// tick is what oneTicks prints.
const tick = "stdout F tick"

var logHistories = map[string][]judged{
	"log/format": {
		{name: "all that was printed", history: onePrints + `
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1", "stdout F 2")},
		{name: "the time of CRI-O, and parts of a line", history: onePrints + `
			c1 LOG a/c -> there=true lines=["2026-11-26T10:00:00.123+00:00 stdout P 1","2026-11-26T10:00:00.123456789+00:00 stdout F ","2026-11-26T10:00:00Z stdout F:x 2"]`},
		{name: "in two files", history: onePrints + `
			c1 LOG a/c -> there=true rotated=` + lines("stdout F 1") + ` lines=` + lines("stdout F 2")},
		{name: "it may print more", untested: true, history: oneTicks + `
			c1 LOG a/c -> there=true lines=` + lines(tick)},
		{name: "an entry is being written", untested: true, history: oneTicks + `
			c1 LOG a/c -> there=true lines=["2026-11-26T10:00:00Z stdout F tick","2026-11-2"]`},
		{name: "it is being stopped", untested: true, history: onePrints + `
			c2 StopContainer a/c grace=1 ...
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1") + `
			c2 <-`},
		{name: "the runtime was restarted", untested: true, history: onePrints + `
			KILL
			START
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1")},
		{name: "it was rotated", untested: true, history: onePrints + `
			c1 ReopenContainerLog a/c
			c1 LOG a/c -> there=true lines=` + lines("stdout F 2")},
		{name: "there is none", untested: true, history: oneMade + `
			c1 LOG a/c -> there=false`},
		{name: "too little", want: "4 bytes of stdout", got: "2, from byte 2 on they differ", history: onePrints + `
			<< StartContainer a/c
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1") + ` <<`},
		{name: "a line that does not end", want: "4 bytes of stdout", got: "3, from byte 3 on they differ", history: onePrints + `
			<< StartContainer a/c
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1", "stdout P 2") + ` <<`},
		{name: "to the wrong stream", want: "bytes of std", got: "from byte 0 on they differ", history: onePrints + `
			<< StartContainer a/c
			c1 LOG a/c -> there=true lines=` + lines("stderr F 1", "stderr F 2") + ` <<`},
		{name: "without a tag", want: "entries of a time, a stream, F or P, and a text", got: "stdout 1", history: onePrints + `
			c1 LOG a/c -> there=true lines=` + lines("stdout 1", "stdout F 2") + ` <<`},
		{name: "another time", want: "entries of a time, a stream, F or P, and a text", got: "10:00 stdout F tick", history: oneTicks + `
			c1 LOG a/c -> there=true lines=["10:00 stdout F tick","2026-11-26T10:00:00Z stdout F tick"] <<`},
		{name: "an entry that is cut", want: "entries of a time", got: "2026-11-2", history: onePrints + `
			c1 LOG a/c -> there=true lines=["2026-11-26T10:00:00Z stdout F 1","2026-11-2"] <<`},
		{name: "nobody knows that it has ended", untested: true, history: onePod + `
			c1 CreateContainer a/c work=prints -> k1
			c1 StartContainer a/c
			c1 LOG a/c -> there=true lines=` + lines("stdout F 1")},
	},
	"log/reopen": {
		{name: "a new file", history: oneTicks + `
			c1 ReopenContainerLog a/c
			... 4s
			c1 LOG a/c -> there=true rotated=` + lines(tick, tick) + ` lines=` + lines(tick, tick, tick)},
		{name: "a failure, and no file", history: onePrints + `
			c1 ReopenContainerLog a/c ! Unknown it does not run
			c1 LOG a/c -> there=false rotated=` + lines("stdout F 1", "stdout F 2")},
		{name: "one that has ended, and a new file", untested: true, history: onePrints + `
			c1 ReopenContainerLog a/c
			c1 LOG a/c -> there=true rotated=` + lines("stdout F 1", "stdout F 2")},
		{name: "one that has ended, and no file", untested: true, history: onePrints + `
			c1 ReopenContainerLog a/c
			c1 LOG a/c -> there=false rotated=` + lines("stdout F 1", "stdout F 2")},
		{name: "too early", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c
			... 1s
			c1 LOG a/c -> there=false rotated=` + lines(tick, tick)},
		{name: "not answered", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c ! DeadlineExceeded
			... 4s
			c1 LOG a/c -> there=true rotated=` + lines(tick, tick)},
		{name: "read before the failure", untested: true, history: oneTicks + `
			c2 LOG a/c ...
			c1 ReopenContainerLog a/c ! Unknown out of order
			c2 <- there=true lines=` + lines(tick)},
		{name: "read while it is under way", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c ...
			c2 LOG a/c -> there=true
			c1 <- ! Unknown out of order`},
		{name: "a failure, and a start that makes the file", untested: true, history: oneMade + `
			c1 ReopenContainerLog a/c ! Unknown it does not run
			c1 StartContainer a/c
			c1 LOG a/c -> there=true`},
		{name: "twice", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c
			c1 ReopenContainerLog a/c ! Unknown out of order
			c1 LOG a/c -> there=true`},
		{name: "it is being stopped", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c
			c1 StopContainer a/c grace=1
			... 4s
			c1 LOG a/c -> there=true rotated=` + lines(tick, tick)},
		{name: "a failure, and a file", want: "no new log, as the call failed", got: "a file with 0 lines", history: onePrints + `
			c1 ReopenContainerLog a/c ! Unknown it does not run <<
			c1 LOG a/c -> there=true <<`},
		{name: "no file", want: "a new file with what was printed since", got: "0 lines (there: false)", history: oneTicks + `
			c1 ReopenContainerLog a/c <<
			... 4s
			c1 LOG a/c -> there=false rotated=` + lines(tick, tick) + ` <<`},
		{name: "nothing is printed there", want: "a new file with what was printed since", got: "0 lines (there: true)", history: oneTicks + `
			c1 ReopenContainerLog a/c <<
			... 4s
			c1 LOG a/c -> there=true rotated=` + lines(tick, tick, tick, tick, tick) + ` <<`},
		{name: "lines are lost", want: "about 6 lines in both files", got: "2", history: oneTicks + `
			c1 ReopenContainerLog a/c <<
			... 4s
			c1 LOG a/c -> there=true rotated=` + lines(tick) + ` lines=` + lines(tick) + ` <<`},
		{name: "the runtime is restarted", untested: true, history: oneTicks + `
			c1 ReopenContainerLog a/c
			KILL
			START
			... 4s
			c1 LOG a/c -> there=false rotated=` + lines(tick)},
		{name: "one that prints nothing", untested: true, history: oneRuns + `
			c1 ReopenContainerLog a/c
			... 4s
			c1 LOG a/c -> there=false`},
	},
}
