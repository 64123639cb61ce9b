package rig

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/lwtest/lwtest/harness/story"
)

// sayFault describes a step that arms a fault: which requests it strikes, and what becomes of them.
func sayFault(s story.Step, f Fault) string {
	return fmt.Sprintf("from now on (fault %s): %s %s", s.As, f.which(), f.what())
}

// which names the requests that a fault strikes.
func (f Fault) which() string {
	var kinds []string
	for _, v := range f.Verbs {
		switch {
		case v == "watch" && f.Streaming == nil:
			kinds = append(kinds, "watches")
		case v == "watch" && *f.Streaming:
			kinds = append(kinds, "streaming lists")
		case v == "watch":
			kinds = append(kinds, "watches that are no streaming lists")
		case v == "list" && f.Continued != nil && *f.Continued:
			kinds = append(kinds, "further pages of lists")
		case v == "list" && f.Continued != nil:
			kinds = append(kinds, "first pages of lists")
		default:
			kinds = append(kinds, v+"s")
		}
	}
	who := "requests"
	if len(kinds) > 0 {
		who = strings.Join(kinds, " and ")
	}
	if f.Versioned != nil && *f.Versioned {
		who += " that name a resourceVersion"
	} else if f.Versioned != nil {
		who += " that name no resourceVersion"
	}
	switch {
	case f.Nth > 0 && f.Times == 0:
		return fmt.Sprintf("of the %s number %d", who, f.Nth)
	case f.Nth > 0:
		return fmt.Sprintf("of the %s numbers %d to %d", who, f.Nth, f.Nth+f.Times-1)
	case f.Times == 1:
		return "the first of the " + who
	case f.Times > 1:
		return fmt.Sprintf("the first %d of the %s", f.Times, who)
	}
	return "all " + who
}

// what says what becomes of the requests.
func (f Fault) what() string {
	part := map[string]string{"headers": "before the headers", "body": "within the body"}
	var all []string
	if f.Latency > 0 {
		all = append(all, fmt.Sprintf("delayed by %s", f.Latency))
	}
	switch {
	case f.Status != nil:
		all = append(all, "refused with "+f.Status.say())
	case f.Hang != "":
		all = append(all, "left without an answer "+part[f.Hang])
		if f.For > 0 {
			all[len(all)-1] += fmt.Sprintf(" for %s", f.For)
		}
	case f.Reset != "":
		all = append(all, "reset "+part[f.Reset])
	case f.Empty:
		all = append(all, "answered with no items and the same continue token")
	case f.Limit > 0:
		all = append(all, fmt.Sprintf("answered with at most %d items", f.Limit))
	case f.Answer != nil:
		all = append(all, fmt.Sprintf("answered with %d and a body that is not the server's", f.Answer.Code))
	case f.Events != nil:
		all = append(all, "disturbed: "+f.Events.say())
	}
	return strings.Join(all, ", ")
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

// say describes what becomes of a watch's events.
func (e Events) say() string {
	what := map[string]string{
		"drop": "dropped", "double": "sent twice", "swap": "swapped with the next", "delay": fmt.Sprintf("delayed by %s", e.For),
		"early": "sent before its write is done", "lie": fmt.Sprintf("sent with a resourceVersion changed by %d", e.By),
		"error": "replaced by an ERROR", "close": "followed by a clean end", "break": "followed by a break", "stall": "followed by silence",
		"truncate": "cut within its frame", "garble": "made unreadable", "replace": "replaced by " + e.Frame,
	}[e.Do]
	if e.Do == "error" && e.Status != nil {
		what += " " + e.Status.say()
	}
	if e.After != nil {
		when := "at its start"
		if *e.After > 0 {
			when = fmt.Sprintf("after %s", *e.After)
		}
		return when + " the watch is " + strings.Replace(what, "replaced by", "ended by", 1)
	}
	which := "each event"
	if len(e.Types) > 0 {
		which = "each " + strings.Join(e.Types, " or ")
	}
	if e.Object != "" {
		which += " of " + e.Object
	}
	if e.Nth > 0 {
		which = strings.Replace(which, "each", fmt.Sprintf("number %d of", e.Nth), 1)
	}
	return which + " is " + what
}
