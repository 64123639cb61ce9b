package rig

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness/history"
)

// Got names what the server, and the network after it, did to a request:
//
//	items, nothing       of a list
//	a code; too-large    it was refused; no-answer: by something without a code
//	reset, cut           its connection broke before its headers, in its body
//	unreadable, proxy    an answer with code 2xx, or with another, was not the server's own
//	silence              none came
//	ERROR-code           a watch ended with an ERROR
//	cut, unreadable, replace
//	                     what was done to a frame of a watch
//	open                 a watch did not end, or the client ended it
//	clean-, broken- and event, bookmark, idle (a second or more), at-once
//	                     how a watch ended, and what came last before
func (x *Exchange) Got() string {
	for _, f := range x.Faults {
		switch what, rest, _ := strings.Cut(f.Does, " "); {
		case f.Does == "reset headers":
			return "reset"
		case f.Does == "reset body" && x.IsList():
			return "cut"
		case what == "answer" && strings.HasPrefix(rest, "2"):
			return "unreadable"
		case what == "answer":
			return "proxy"
		}
	}
	switch {
	case x.Refused() != nil:
		return refusal(x.Answer)
	case x.IsWatch():
		return x.gotStream()
	case x.Answer == nil:
		return "silence"
	case len(history.Items(x.Answer)) == 0:
		return "nothing"
	}
	return "items"
}

// refusal names the code of an error.
func refusal(e *history.Event) string {
	switch {
	case TooLarge(e):
		return "too-large"
	case e.Err().Code == 0:
		return "no-answer"
	}
	return fmt.Sprint(e.Err().Code)
}

// gotStream names how a watch ended.
func (x *Exchange) gotStream() string {
	last := ""
	for _, e := range x.Sent {
		switch e.Kind {
		case "ERROR":
			return "ERROR-" + refusal(e)
		case SpoiledFrame:
			does := history.BodyOf[FaultBody](e).Does
			if word := map[string]string{"truncate": "cut", "garble": "unreadable"}[does]; word != "" {
				return word
			}
			return does
		case "BOOKMARK":
			last = "-bookmark"
		default:
			last = "-event"
		}
	}
	switch {
	case x.Over == nil || x.How == "stopped":
		return "open"
	case last == "" && x.Over.At-x.Call.At < int64(time.Second):
		last = "-at-once"
	case last == "":
		last = "-idle"
	}
	return x.How + last
}

// TooLarge reports whether an event has the error for a resourceVersion that the server has not reached. kube-apiserver sets
// the type of a cause since 1.18.6, a cause's message since 1.17, and always the message of the error, which is documented.
func TooLarge(e *history.Event) bool {
	if e == nil {
		return false
	}
	if err := e.Err(); err != nil && err.Code == 504 && strings.Contains(err.Msg, "Too large resource version") {
		return true
	}
	return slices.ContainsFunc(history.BodyOf[StatusBody](e).Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeResourceVersionTooLarge })
}

// Carried names the ways in which the bytes of an exchange went out that are not those of most: "wire=frame", "wire=gzip=never", "HTTP/2".
func (x *Exchange) Carried() (out []string) {
	for _, f := range x.Faults {
		ways, ok := strings.CutPrefix(f.Does, "wire ")
		if !ok {
			continue
		}
		for _, way := range strings.Fields(ways) {
			if strings.HasPrefix(way, "frame=") {
				way = "frame"
			}
			out = append(out, "wire="+way)
		}
	}
	if x.Asked.HTTP2 {
		out = append(out, "HTTP/2")
	}
	return out
}
