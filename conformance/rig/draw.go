package rig

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/story"
)

// Draws says how random stories use the words that all client-side kinds share.
func Draws() map[string]story.Drawing {
	return map[string]story.Drawing{
		"put":              {Weight: 10, Draw: drawPut},
		"fill":             {Weight: 1, Draw: drawFill},
		"delete":           {Weight: 5, Draw: drawObject},
		"remove-finalizer": {Weight: 1, Draw: drawObject},
		"delete-all":       {Weight: 1},
		"toggle":           {Weight: 2, Draw: drawObject},
		"change":           {Weight: 3, Draw: func(c harness.Choices) story.Step { return story.Step{N: c.IntN(4)} }},
		"churn":            {Weight: 1, Draw: drawChurn},
		"delete-together": {Weight: 1, Draw: func(c harness.Choices) story.Step {
			return story.Step{With: story.Pick(c, []string{"o0", "o1"}, []string{"o2"}, []string{"o1", "o2", "o3"})}
		}},
		"fault":              {Weight: 8, Draw: drawFault},
		"clear":              {Weight: 4, Draw: func(c harness.Choices) story.Step { return story.Step{As: story.Pick(c, "f0", "f1", "f2", "*")} }},
		"refuse-connections": {Weight: 1},
		"accept-connections": {Weight: 2},
		"cut":                {Weight: 4, Draw: drawCut},
		"forget":             {Weight: 3},
		"forget-events":      {Weight: 2},
		"view":               {Weight: 3, Draw: func(c harness.Choices) story.Step { return story.Step{With: story.Pick(c, viewsInOrder...)} }},
		"leap": {Weight: 1, Draw: func(c harness.Choices) story.Step {
			return story.Step{N: story.Pick(c, 1, 7, 1000, 1<<31, 1<<53, 1<<60)}
		}},
		"leap-to-digit":    {Weight: 1, Draw: drawObject},
		"serve-tls":        {Weight: 1, Draw: DrawSecure},
		"kill-connections": {Weight: 1},
		"advance":          {Weight: 5, Draw: drawTime},
		"pause":            {Weight: 2},
	}
}

// Ends are the steps with which random stories end everything that may keep a client from catching up.
func Ends() []story.Step {
	return []story.Step{{Op: "accept-connections"}, {Op: "clear", As: "*"}, {Op: "view", With: UpToDate}, {Op: "view", With: AnswerTrue}, {Op: "view", With: UseFirst}}
}

// PlacedFaults returns the faults that `lwtest fuzz --around` places: what a server or a network may do at any time. Most are
// one step; one that must end has several.
func PlacedFaults() (all [][]story.Step) {
	one := func(s story.Step) { all = append(all, []story.Step{s}) }
	next := func(f Fault) { f.Times = 1; one(story.Step{Op: "fault", As: "f0", With: f}) }
	for _, verb := range []string{"list", "watch"} {
		verbs := []string{verb}
		for _, code := range []int32{410, 429, 500, 503} {
			next(Fault{Verbs: verbs, Status: &Status{Code: code}})
		}
		next(Fault{Verbs: verbs, Reset: "headers"})
		next(Fault{Verbs: verbs, Reset: "body"})
		next(Fault{Verbs: verbs, Hang: "headers", For: Duration(20 * time.Second)})
		next(Fault{Verbs: verbs, Latency: Duration(12 * time.Second)})
	}
	for _, b := range []Bytes{{Frame: 1}, {Inside: true}, {Gather: Duration(time.Second)}, {Gzip: "always"}, {Close: true}} {
		next(Fault{Verbs: []string{"list", "watch"}, Wire: &b})
	}
	one(story.Step{Op: "kill-connections"})
	for _, do := range []string{"error", "close", "break", "truncate", "garble"} {
		e := &Events{Nth: 1, Do: do}
		if do == "error" {
			e.Status = &Status{Code: 410}
		}
		next(Fault{Verbs: []string{"watch"}, Events: e})
	}
	for _, s := range []story.Step{{Op: "cut"}, {Op: "cut", With: Cut{Break: true}}, {Op: "forget"}, {Op: "forget-events"}, {Op: "advance", For: story.Duration(6 * time.Minute)}} {
		one(s)
	}
	all = append(all, []story.Step{{Op: "refuse-connections"}, {Op: "advance", For: story.Duration(5 * time.Second)}, {Op: "accept-connections"}})
	return all
}

// DrawObject chooses an object: of few, so that stories come back to them, and seldom one of the other namespace, or one whose
// name is like others.
func DrawObject(c harness.Choices) string {
	switch c.IntN(30) {
	case 0:
		return story.Pick(c, Alike()...)
	case 1, 2, 3:
		return fmt.Sprint("other/o", c.IntN(2))
	}
	return fmt.Sprint("o", c.IntN(4))
}

func drawObject(c harness.Choices) story.Step { return story.Step{Obj: DrawObject(c)} }

func drawPut(c harness.Choices) story.Step {
	s := story.Step{Obj: DrawObject(c)}
	p := Put{}
	switch c.IntN(20) {
	case 0:
		p.Finalizer = true
	case 1:
		if p.Bytes = story.Pick(c, 100, 6000, 80000); story.Chance(c, 16) {
			p.Bytes = 900_000
		}
	case 2:
		p.Bare = true
	case 3, 4, 5:
		p.App = story.Pick(c, "one", "two", "three")
	case 6:
		p.Content = "1" // perhaps one that it has, or had
	case 7:
		p.Has = allParts
	case 8:
		p.Immutable = story.Chance(c, 4)
	case 9:
		p.Content = Foreign
	case 10:
		if p.Note = story.Pick(c, 100, 6000); story.Chance(c, 8) {
			p.Note = 250_000
		}
	case 11, 12:
		p.Content, p.Has, p.Lost = "1", story.Pick(c, Losses(true)...).Name, story.Chance(c, 2)
	}
	if p != (Put{}) {
		s.With = p
	}
	return s
}

func drawCut(c harness.Choices) story.Step {
	if story.Chance(c, 2) {
		return story.Step{With: Cut{Break: true}}
	}
	return story.Step{}
}

func drawTime(c harness.Choices) story.Step {
	return story.Step{For: story.Duration(story.Pick(c, time.Second, 5*time.Second, 30*time.Second, time.Minute, 6*time.Minute, 40*time.Minute))}
}

var viewsInOrder = []any{Lag, UpToDate, UseSecond, UseFirst, AnswerOld, AnswerTrue}

// drawFault chooses which requests a fault strikes, how many of them, and what it does to them. All of it is what a server,
// or what lies between, may do.
func drawFault(c harness.Choices) story.Step {
	f := Fault{Verbs: story.Pick(c, []string{"list"}, []string{"watch"}, []string{"list", "watch"}), Times: story.Pick(c, 0, 0, 1, 1, 2, 3, 5)}
	what := c.IntN(14)
	switch {
	case what == 8: // which strikes lists only
		f.Verbs = []string{"list"}
	case what > 9:
		f.Verbs = []string{"watch"}
	}
	if story.Chance(c, 4) {
		f.Nth = 1 + c.IntN(3)
	}
	if slices.Contains(f.Verbs, "watch") && story.Chance(c, 3) {
		f.Streaming = new(story.Chance(c, 2))
	}
	if slices.Contains(f.Verbs, "list") && story.Chance(c, 4) {
		f.Continued = new(story.Chance(c, 2))
	}
	if story.Chance(c, 6) {
		f.Versioned = new(story.Chance(c, 2))
	}
	switch what {
	case 0, 1, 2, 3:
		if f.Status = drawStatus(c); f.Status.Code == 504 { // nobody says so of a request that names no version
			f.Status, f.Versioned = new(story.Pick(c, append(slices.Clone(TooLargeStatuses), *f.Status)...)), new(true)
		}
	case 4:
		f.Latency = Duration(story.Pick(c, 100*time.Millisecond, time.Second, 12*time.Second))
	case 5:
		f.Reset = story.Pick(c, "headers", "body")
	case 6:
		f.Hang, f.For = story.Pick(c, "headers", "body"), Duration(story.Pick(c, time.Second, 20*time.Second))
	case 7:
		f.Answer = new(story.Pick(c, Answer{Code: 200, Body: "{"}, Answer{Code: 200, Type: "text/html", Body: "<html>"}, Answer{Code: 502, Type: "text/html", Body: "bad gateway"}))
	case 8:
		f.Limit = int64(1 + c.IntN(5))
	case 9, 10:
		f.Wire = drawBytes(c)
	default:
		f.Events = drawEvents(c)
	}
	return story.Step{As: fmt.Sprint("f", c.IntN(3)), With: f}
}

// drawBytes chooses how bytes go out.
func drawBytes(c harness.Choices) *Bytes {
	b := &Bytes{Frame: story.Pick(c, 0, 1, 2, 7, 100, 4096), Inside: story.Chance(c, 2), Gzip: story.Pick(c, "", "", "always", "never"), Close: story.Chance(c, 3)}
	if story.Chance(c, 4) || *b == (Bytes{}) {
		b.Gather = Duration(story.Pick(c, 10*time.Millisecond, 2*time.Second))
	}
	return b
}

// DrawSecure chooses how the server serves TLS.
func DrawSecure(c harness.Choices) story.Step {
	return story.Step{With: Secure{HTTP1: story.Chance(c, 4)}}
}

func drawFill(c harness.Choices) story.Step {
	s := story.Step{N: 1 + c.IntN(12)}
	if story.Chance(c, 3) {
		s.Obj, s.With = story.Pick(c, "o", "p", "other/o"), Put{App: story.Pick(c, "", "two"), Bare: story.Chance(c, 4)}
	}
	return s
}

func drawChurn(c harness.Choices) story.Step {
	s := story.Step{N: story.Pick(c, 3, 3, 30, 30, 120)}
	if story.Chance(c, 2) {
		s.Obj = DrawObject(c)
	}
	return s
}

func drawStatus(c harness.Choices) *Status {
	s := &Status{Message: story.Pick(c, "", "", "", Foreign), Code: story.Pick[int32](c, 410, 410, 429, 500, 503, 504, 403, 400)}
	switch s.Code {
	case 410:
		s.Reason = story.Pick(c, "", "", "Gone", NoReason)
	case 429, 503:
		s.RetryAfter = story.Pick[int32](c, 0, 0, 1, 30, 100)
	}
	return s
}

// TooLargeStatuses are the ways in which servers say that they have not seen a resourceVersion yet: since 1.18.6 by the type of a cause,
// since 1.17 by a cause's message, and before by the message of the whole.
var TooLargeStatuses = []Status{
	{Code: 504, Reason: "Timeout", Message: "Too large resource version: 99, current: 9", RetryAfter: 1, Cause: string(metav1.CauseTypeResourceVersionTooLarge)},
	{Code: 504, Reason: "Timeout", Message: "Timeout: Too large resource version: 99, current: 9", RetryAfter: 1},
	{Code: 504, Reason: "Timeout", Message: "Too large resource version", RetryAfter: 1, Cause: NoReason},
}

// drawEvents chooses how a watch ends, or is slow.
func drawEvents(c harness.Choices) *Events {
	e := &Events{Nth: 1 + c.IntN(4), Do: story.Pick(c, "error", "error", "close", "break", "delay", "stall", "truncate", "garble")}
	switch e.Do {
	case "error":
		e.Status = drawStatus(c)
	case "delay":
		e.For = Duration(story.Pick(c, time.Second, 12*time.Second))
	}
	return e
}
