package rig

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/story"
)

// sayFault describes a step that arms a fault: which requests it strikes, and what becomes of them.
func sayFault(s story.Step, f Fault) string {
	who, many := f.which()
	return fmt.Sprintf("from now on (fault %s): %s %s", s.As, who, f.what(many))
}

// which names the requests that a fault strikes, and reports whether there may be several.
func (f Fault) which() (who string, many bool) {
	var one, more []string
	for _, v := range f.Verbs {
		single, plural := f.kind(v)
		one, more = append(one, single), append(more, plural)
	}
	suffix := ""
	if f.Versioned != nil && *f.Versioned {
		suffix = " from a resourceVersion"
	} else if f.Versioned != nil {
		suffix = " without a resourceVersion"
	}
	single := cmp.Or(strings.Join(one, " or "), "request") + suffix
	plural := cmp.Or(strings.Join(more, " and "), "requests") + suffix
	switch {
	case f.Nth > 1 && f.Times <= 1:
		return fmt.Sprintf("the %s %s", ordinal(f.Nth), single), false
	case f.Nth > 1:
		return fmt.Sprintf("the %s to %s of %s", ordinal(f.Nth), ordinal(f.Nth+f.Times-1), plural), true
	case f.Times == 1 || f.Nth == 1 && f.Times == 0:
		return "the next " + single, false
	case f.Times > 1:
		return fmt.Sprintf("the next %d %s", f.Times, plural), true
	}
	return "all " + plural, true
}

// kind names the requests of a verb, in the singular and the plural.
func (f Fault) kind(verb string) (single, plural string) {
	switch {
	case verb == "list" && f.Continued != nil && *f.Continued:
		return "further page of a list", "further pages of lists"
	case verb == "list" && f.Continued != nil:
		return "first page of a list", "first pages of lists"
	case verb == "watch" && f.Streaming != nil && *f.Streaming:
		return "streaming list", "streaming lists"
	case verb == "watch" && f.Streaming != nil:
		return "watch that is no streaming list", "watches that are no streaming lists"
	case verb == "watch":
		return "watch", "watches"
	}
	return verb, verb + "s"
}

func ordinal(n int) string {
	switch {
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// what says what becomes of the requests.
func (f Fault) what(many bool) string {
	is, begin := "is", "begins, and in it "
	if many {
		is, begin = "are", "begin, and in each "
	}
	part := map[string]string{"headers": "before the headers", "body": "within the body"}
	switch {
	case f.Events != nil:
		if f.Events.After != nil {
			begin, _, _ = strings.Cut(begin, "in ")
		}
		return begin + f.Events.say()
	case f.Status != nil:
		return is + " refused with " + f.Status.say() + f.late()
	case f.Hang != "" && f.For > 0:
		return fmt.Sprintf("%s left waiting %s for %s", is, part[f.Hang], f.For)
	case f.Hang != "":
		return is + " left waiting " + part[f.Hang]
	case f.Reset != "":
		return is + " reset " + part[f.Reset]
	case f.Empty:
		return is + " answered with no items and the same continue token"
	case f.Limit > 0:
		return fmt.Sprintf("%s answered with at most %d items", is, f.Limit)
	case f.Wire != nil:
		return is + " sent " + f.Wire.say()
	case f.Answer != nil:
		return fmt.Sprintf("%s answered with %d and a body that is not the server's", is, f.Answer.Code)
	}
	return fmt.Sprintf("%s delayed by %s", is, f.Latency)
}

func (f Fault) late() string {
	if f.Latency == 0 {
		return ""
	}
	return fmt.Sprintf(", after %s", f.Latency)
}

// say describes how bytes go out.
func (b Bytes) say() string {
	var how []string
	if b.Frame > 0 {
		how = append(how, fmt.Sprintf("in frames of at most %d bytes", b.Frame))
	}
	if b.Inside {
		how = append(how, "in frames that end within characters")
	}
	if b.Gather > 0 {
		how = append(how, fmt.Sprintf("in one frame for the events of %s", b.Gather))
	}
	switch b.Gzip {
	case "always":
		how = append(how, "compressed, if it is an answer and the client takes that")
	case "never":
		how = append(how, "uncompressed")
	}
	if b.Close {
		how = append(how, "as the last of its connection")
	}
	return strings.Join(how, ", ")
}

func (s Status) say() string {
	text := strings.TrimSpace(fmt.Sprintf("%d %s", s.Code, http.StatusText(int(s.Code))))
	if s.Reason != "" && s.Reason != NoReason {
		text += " (reason " + s.Reason + ")"
	}
	if s.Message != "" {
		text += fmt.Sprintf(" %q", s.Message)
	}
	if s.RetryAfter > 0 {
		text += fmt.Sprintf(" and Retry-After %s", time.Duration(s.RetryAfter)*time.Second)
	}
	return text
}

// say describes what becomes of the events of one watch.
func (e Events) say() string {
	status := ""
	if e.Status != nil {
		status = " " + e.Status.say()
	}
	way := "ahead"
	if e.By < 0 {
		way = "behind"
	}
	bookmark := fmt.Sprintf("a bookmark that is %d %s of what was sent", max(e.By, -e.By), way)
	if e.After != nil {
		when := "at its start"
		if *e.After > 0 {
			when = fmt.Sprintf("after %s", *e.After)
		}
		return fmt.Sprintf("%s %s", when, map[string]string{
			"error": "an ERROR" + status + " ends it", "close": "a clean end comes", "break": "the connection breaks", "stall": "silence falls", "lie": bookmark + " comes",
		}[e.Do])
	}
	which := cmp.Or(strings.Join(e.Types, " or "), "event")
	if e.Object != "" {
		which += " of " + e.Object
	}
	if e.Nth > 0 {
		which = "the " + ordinal(e.Nth) + " " + which
	} else {
		which = "every " + which
	}
	return which + " is " + map[string]string{
		"drop": "not sent", "double": "sent twice", "swap": "sent after the next", "delay": fmt.Sprintf("delayed by %s, with all after it", e.For),
		"early": "preceded by a bookmark with its resourceVersion", "lie": "preceded by " + bookmark,
		"error": "replaced by an ERROR" + status, "close": "replaced by a clean end", "break": "replaced by a broken connection",
		"stall": "held back, with all after it", "truncate": "cut within its frame", "garble": "sent as an unreadable frame", "replace": "replaced by " + e.Frame,
	}[e.Do]
}
