package runtime

import (
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
		parts = append(parts, fmt.Sprintf("trap 'exit %d' TERM", *x.Term))
	} else {
		parts = append(parts, "trap '' TERM")
	}
	if x.Lines > 0 {
		parts = append(parts, fmt.Sprint("seq ", x.Lines))
	}
	switch {
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

// says describes it.
func (x Work) says() string {
	switch {
	case x.Missing:
		return "whose binary is missing"
	case x.Runs && x.Term != nil:
		return fmt.Sprintf("that runs until a SIGTERM, and ends with %d then", *x.Term)
	case x.Runs:
		return "that runs, and ignores SIGTERM"
	case x.After > 0:
		return fmt.Sprintf("that ends with %d after %s", x.Exit, x.After)
	}
	return fmt.Sprintf("that ends with %d", x.Exit)
}
