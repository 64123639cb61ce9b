package runtime

// The scripts of execs, as a line has them.
const (
	writesAndFails = `script="` + scriptCode + `" timeout=5`
	sleeps         = `script="` + scriptLong + `" timeout=1`
	background     = `script="` + scriptBack + `" timeout=1`
	writesMuch     = `script="` + scriptMuch + `" timeout=8`
	noBinary       = `script=` + notThere + ` timeout=5`
)

var execHistories = map[string][]judged{
	"exec/code": {
		{name: "the code, and both outputs", history: oneRuns + `
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n"`},
		{name: "it was not started", untested: true, history: oneMade + `
			c1 ExecSync a/c ` + writesAndFails + ` ! FailedPrecondition it does not run, as in containerd
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n"`},
		{name: "it is being stopped", untested: true, history: oneRuns + `
			c2 StopContainer a/c grace=1 ...
			c1 ExecSync a/c ` + writesAndFails + ` -> code=137
			c2 <-`},
		{name: "it may have ended", untested: true, history: oneEnds + `
			c1 ExecSync a/c ` + writesAndFails + ` ! Unknown it does not run`},
		{name: "the runtime is killed", untested: true, history: oneRuns + `
			c1 ExecSync a/c ` + writesAndFails + ` ...
			KILL
			c1 <- ! Unavailable EOF
			START`},
		{name: "a command that is not known", untested: true, history: oneRuns + `
			c1 ExecSync a/c script=ls -> code=1`},
		{name: "another code", want: `code 7, stdout "out\n"`, got: "code 1", history: oneRuns + `
			c1 ExecSync a/c ` + writesAndFails + ` -> code=1 stdout="out\n" stderr="err\n" <<`},
		{name: "both in one", want: `stderr "err\n"`, got: `stdout "out\nerr\n", stderr ""`, history: oneRuns + `
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\nerr\n" <<`},
		{name: "an error", want: "code 7", got: "exited with 7", history: oneRuns + `
			c1 ExecSync a/c ` + writesAndFails + ` ! Unknown exited with 7 <<`},
	},
	"exec/state": {
		{name: "refused", history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 ExecSync a/c ` + writesAndFails + ` ! FailedPrecondition it has ended`},
		{name: "refused, after a stop", history: oneRuns + `
			c1 StopContainer a/c grace=0
			c1 ContainerStatus a/c -> EXITED code=137
			c1 ExecSync a/c ` + writesAndFails + ` ! Unknown it has ended`},
		{name: "it was not started, and runs it, as in CRI-O", untested: true, history: oneMade + `
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n"`},
		{name: "it was not started, and refuses, as in containerd", untested: true, history: oneMade + `
			c1 ExecSync a/c ` + writesAndFails + ` ! Unknown it does not run`},
		{name: "nobody knows that it has ended", untested: true, history: oneEnds + `
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n"`},
		{name: "told only afterwards that it has ended", untested: true, history: oneEnds + `
			c2 ContainerStatus a/c ...
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n"
			c2 <- EXITED code=42`},
		{name: "not answered", untested: true, history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 ExecSync a/c ` + writesAndFails + ` ! DeadlineExceeded`},
		{name: "another one of the name", untested: true, history: oneEnds + `
			c1 ContainerStatus a/c -> EXITED code=42
			c1 RemoveContainer a/c
			c1 CreateContainer a/c work=forever -> k2
			c1 StartContainer a/c
			c1 ExecSync a/c script=ls`},
		{name: "it runs", want: "an error: the container has ended", got: "the command ran", history: oneEnds + `
			<< CreateContainer a/c
			c1 ContainerStatus a/c -> EXITED code=42
			c1 ExecSync a/c ` + writesAndFails + ` -> code=7 stdout="out\n" stderr="err\n" <<`},
	},
	"exec/missing": {
		{name: "an error", history: oneRuns + `
			c1 ExecSync a/c ` + noBinary + ` ! Unknown no such file`},
		{name: "a code", history: oneRuns + `
			c1 ExecSync a/c ` + noBinary + ` -> code=127`},
		{name: "the runtime is down", untested: true, history: oneRuns + `
			KILL
			c1 ExecSync a/c ` + noBinary + ` ! Unavailable connection refused
			START`},
		{name: "it has ended", untested: true, history: oneEnds + `
			c1 ExecSync a/c ` + noBinary + ` ! FailedPrecondition it has ended`},
		{name: "its caller gave up", untested: true, history: oneRuns + `
			c1 ExecSync a/c ` + noBinary + ` took=10ms ! DeadlineExceeded the caller gave up after 10ms`},
		{name: "success", want: "an exit code other than 0", got: "ExecSync succeeded", history: oneRuns + `
			c1 ExecSync a/c ` + noBinary + ` -> code=0 <<`},
		{name: "as if its time were up", want: "an error other than DeadlineExceeded", got: "DeadlineExceeded", history: oneRuns + `
			c1 ExecSync a/c ` + noBinary + ` took=5s ! DeadlineExceeded <<`},
	},
	"exec/output": {
		{name: "the first part", history: oneRuns + `
			c1 ExecSync a/c ` + writesMuch + ` -> stdout="\u0000\u0000"`},
		{name: "not answered", untested: true, history: oneRuns + `
			c1 ExecSync a/c ` + writesMuch + ` took=10s ! DeadlineExceeded`},
		{name: "too large, as in containerd 2.4", want: "the exit code 0 and the first part of the output", got: "ResourceExhausted", history: oneRuns + `
			c1 ExecSync a/c ` + writesMuch + ` ! ResourceExhausted trying to send message larger than max <<`},
		{name: "nothing", want: "the exit code 0 and the first part of the output", got: "ExecSync succeeded", history: oneRuns + `
			c1 ExecSync a/c ` + writesMuch + ` <<`},
		{name: "a code", want: "the exit code 0 and the first part of the output", got: "ExecSync succeeded", history: oneRuns + `
			c1 ExecSync a/c ` + writesMuch + ` -> code=141 stdout="x" <<`},
		{name: "it may have ended", untested: true, history: oneEnds + `
			c1 ExecSync a/c ` + writesMuch + ` ! Unknown it does not run`},
	},
	"exec/timeout": {
		{name: "DeadlineExceeded, as in containerd", history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` took=1s ! DeadlineExceeded
			c1 ExecSync a/c ` + background + ` took=1s ! DeadlineExceeded`},
		{name: "a code, as in CRI-O", history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` took=1s -> code=-1 stderr="command timed out"
			c1 ExecSync a/c ` + background + ` -> stdout="bg\n"`},
		{name: "without a timeout", untested: true, history: oneRuns + `
			c1 ExecSync a/c script="sleep 30" took=10s ! DeadlineExceeded`},
		{name: "another command", untested: true, history: oneRuns + `
			c1 ExecSync a/c script=ls timeout=1`},
		{name: "it is being stopped", untested: true, history: oneRuns + `
			c2 StopContainer a/c grace=5 ...
			c1 ExecSync a/c ` + sleeps + `
			c2 <-`},
		{name: "the runtime is killed", untested: true, history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` ...
			KILL
			... 9s
			START
			c1 <- ! Unavailable EOF`},
		{name: "the runtime is down", untested: true, history: oneRuns + `
			KILL
			c1 ExecSync a/c ` + sleeps + ` took=10s ! DeadlineExceeded
			START`},
		{name: "after a restart", history: oneRuns + `
			KILL
			START
			c1 ExecSync a/c ` + sleeps + ` took=1s ! DeadlineExceeded`},
		{name: "the caller gives up", want: "an answer within 4s", got: "an answer after 10s", history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` took=10s ! DeadlineExceeded <<`},
		{name: "late", want: "an answer within 4s", got: "an answer after 30s", history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` took=30s <<`},
		{name: "in the background (containerd#9568)", want: "an answer within 4s", got: "an answer after 30s", history: oneRuns + `
			c1 ExecSync a/c ` + background + ` took=30s -> stdout="bg\n" <<`},
		{name: "success", want: "DeadlineExceeded, or an exit code other than 0", got: "success", history: oneRuns + `
			c1 ExecSync a/c ` + sleeps + ` took=1s <<`},
	},
}
