package runtime

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/story"
)

// Work is what a container does. Every shell understands it, and so does a fake.
type Work struct {
	Exit    int            `json:"exit,omitempty"`    // the code that it ends with by itself
	After   story.Duration `json:"after,omitempty"`   // how long it runs before that; 0: it ends at once
	Runs    bool           `json:"runs,omitempty"`    // it does not end by itself
	Term    *int           `json:"term,omitempty"`    // the code that it ends with at a SIGTERM; nil: it ignores that
	Lines   int            `json:"lines,omitempty"`   // so many lines are printed first
	Long    int            `json:"long,omitempty"`    // and one line with so many numbers, and one to stderr
	Ticks   bool           `json:"ticks,omitempty"`   // it runs, and prints a line a second
	Signal  string         `json:"signal,omitempty"`  // Term is about this signal instead, as "USR1"
	Missing bool           `json:"missing,omitempty"` // its binary is not there
}

// workAnnotation holds the work of a container, so that a history says what to expect.
const workAnnotation = "lwtest/work"

func (x Work) text() string {
	b, err := json.Marshal(x)
	if err != nil {
		panic(err) // it has numbers only
	}
	return string(b)
}

// command is the work as a command.
func (x Work) command() []string {
	if x.Missing {
		return []string{"/no-such/binary"}
	}
	var parts []string
	if x.Term != nil {
		parts = append(parts, fmt.Sprintf("trap 'exit %d' %s", *x.Term, cmp.Or(x.Signal, "TERM")))
	} else {
		parts = append(parts, "trap '' TERM")
	}
	if x.Lines > 0 {
		parts = append(parts, fmt.Sprint("seq ", x.Lines))
	}
	if x.Long > 0 {
		parts = append(parts, fmt.Sprint("seq -s , ", x.Long), "echo error >&2")
	}
	switch {
	case x.Ticks:
		parts = append(parts, "while true; do echo tick; sleep 1 & wait; done")
	case x.Runs: // a handler waits until the command in the foreground ends, but not for wait
		parts = append(parts, "while true; do sleep 1 & wait; done")
	case x.After > 0:
		parts = append(parts, fmt.Sprintf("sleep %g & wait", time.Duration(x.After).Seconds()))
	}
	if !x.Runs {
		parts = append(parts, fmt.Sprint("exit ", x.Exit))
	}
	return []string{"sh", "-c", strings.ReplaceAll(strings.Join(parts, "; "), "&;", "&")}
}

// prints returns what the work prints to stdout, and complains what it prints to stderr.
func (x Work) prints() string {
	var b strings.Builder
	for i := range x.Lines {
		fmt.Fprintln(&b, i+1)
	}
	for i := range x.Long {
		fmt.Fprint(&b, i+1, map[bool]string{true: "\n", false: ","}[i+1 == x.Long])
	}
	return b.String()
}

func (x Work) complains() string {
	if x.Long > 0 {
		return "error\n"
	}
	return ""
}

// says describes it.
func (x Work) says() string {
	switch {
	case x.Missing:
		return "whose binary is missing"
	case x.Runs && x.Term != nil:
		return fmt.Sprintf("that runs until a SIG%s, and ends with %d then", cmp.Or(x.Signal, "TERM"), *x.Term)
	case x.Runs:
		return "that runs, and ignores SIGTERM"
	case x.After > 0:
		return fmt.Sprintf("that ends with %d after %s", x.Exit, x.After)
	}
	return fmt.Sprintf("that ends with %d", x.Exit)
}
