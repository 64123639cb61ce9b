// Package faults makes an API server misbehave on demand: chosen requests, watches or events, or some of
// them by chance from a seed, meet an error, a delay, a stale answer, an event too few.
//
//	set, err := faults.New(1, faults.Fault{Verbs: []string{"list"}, Nth: 1, Status: &faults.Status{Code: 429, RetryAfter: 2}})
//	api, err := set.API(server, faults.Options{})
//	_, err = apiserver.ConfigMaps(api, "default").List(ctx, metav1.ListOptions{}) // 429
//
// A Set may stand before any API and any view of one. What needs bytes, a connection that breaks or a frame
// that cannot be read, is done by the HTTP server of package rest, and does not strike without one. Each
// fault that strikes leaves a line in the request log of package requestlog.
package faults

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is one thing that goes wrong, and for whom. It has exactly one of the fields under "what"; several
// faults may strike one request, in their order.
type Fault struct {
	// Name is what the request log calls it; "": fault-1, fault-2 … by its place.
	Name string `json:"name,omitempty"`

	// Which requests: all that have what these fields say. What is empty does not choose.
	Verbs       []string `json:"verbs,omitempty"`    // get, list, watch, create, update, patch, delete, deletecollection
	Resource    string   `json:"resource,omitempty"` // plural, with its group where it has one: leases.coordination.k8s.io
	Subresource string   `json:"subresource,omitempty"`
	Namespace   string   `json:"namespace,omitempty"`
	Object      string   `json:"object,omitempty"`    // name of the object
	UserAgent   string   `json:"userAgent,omitempty"` // a part of it
	View        string   `json:"view,omitempty"`      // as Options name it
	// Streaming chooses watches that ask for what is there first, as streaming lists (true), or those that do not.
	Streaming *bool `json:"streaming,omitempty"`
	// Continued chooses lists that go on by a continue token (true), or first pages and lists that are whole.
	Continued *bool `json:"continued,omitempty"`
	// Versioned chooses lists and watches that say from which resourceVersion (true), or that leave it unset or say 0.
	Versioned *bool `json:"versioned,omitempty"`

	// Of these, the Nth and on (0: the first), Times of them (0: one if Nth is set, else all); each with
	// this probability, where one is given.
	Nth         int      `json:"nth,omitempty"`
	Times       int      `json:"times,omitempty"`
	Probability *float64 `json:"probability,omitempty"`

	// What: exactly one.

	// Latency is how long the request waits before it is looked at.
	Latency *metav1.Duration `json:"latency,omitempty"`
	// Status refuses the request, without doing anything.
	Status *Status `json:"status,omitempty"`
	// Hang answers nothing before the headers, or nothing more after them, in the midst of a body; of a
	// watch, no event. It ends when the client goes, or after For.
	Hang Part `json:"hang,omitempty"`
	// Reset breaks the connection before the headers, and then nothing is done; or in the midst of a body.
	Reset Part `json:"reset,omitempty"`
	// LoseAnswer does what was asked, and breaks the connection in place of an answer. Without a wire the
	// client gets 504.
	LoseAnswer bool `json:"loseAnswer,omitempty"`
	// Stale answers a get, a list or a watch from a cache that is so much behind, also where the most recent
	// state was asked for; negative: as things were when the API was made.
	Stale *metav1.Duration `json:"stale,omitempty"`
	// Empty answers a further page of a list without items, and with the token that it was asked with: as a server
	// may that has looked at much, and found nothing that matches. Continued must be true.
	Empty bool `json:"empty,omitempty"`
	// Limit is how many items a page has at most of a list that is asked for in larger ones: as a server may that has
	// looked at enough, or whose objects are large. A list that is asked for without a limit is whole.
	Limit int64 `json:"limit,omitempty"`
	// Answer answers with these bytes in place of the server, which does nothing: as a proxy before it may.
	Answer *Answer `json:"answer,omitempty"`
	// Events disturbs what a watch sends.
	Events *Events `json:"events,omitempty"`
	// Wire sends the bytes of an answer, or of a watch, in another way. They stay the same.
	Wire *Bytes `json:"wire,omitempty"`

	// For bounds a hang.
	For *metav1.Duration `json:"for,omitempty"`
}

// Part of an answer.
type Part string

const (
	Headers Part = "headers" // before them
	Body    Part = "body"    // when half of it has gone
)

// Status is the error that refuses a request, or that a watch ends with.
type Status struct {
	// Code of HTTP, 400 to 599.
	Code int32 `json:"code"`
	// Reason; "": what a kube-apiserver says with that code; NoReason: none.
	Reason metav1.StatusReason `json:"reason,omitempty"`
	// Message; "": that this is a fault, and its name.
	Message string `json:"message,omitempty"`
	// RetryAfter is seconds, in the details and as the header Retry-After; 0: none.
	RetryAfter int32 `json:"retryAfter,omitempty"`
	// Cause is the type of the first cause in the details, such as ResourceVersionTooLarge; "": there is no such; NoCause: that
	// cause has a message, and no type.
	Cause metav1.CauseType `json:"cause,omitempty"`
	// Causes follow it.
	Causes []metav1.StatusCause `json:"causes,omitempty"`
}

// NoReason is the reason of a Status that is to have none.
const NoReason metav1.StatusReason = "none"

// NoCause is the type of a cause that is to have none.
const NoCause metav1.CauseType = "none"

// Answer is one of HTTP.
type Answer struct {
	// Code of HTTP, 200 to 599.
	Code int `json:"code"`
	// Type is its Content-Type; "": application/json.
	Type string `json:"type,omitempty"`
	// RetryAfter is the header of that name, as it stands; "": none.
	RetryAfter string `json:"retryAfter,omitempty"`
	Body       string `json:"body,omitempty"`
}

// Bytes says how bytes go out: all of it is what a server or a proxy may do.
type Bytes struct {
	// Frame is how many bytes a chunk of HTTP/1.1, or a DATA frame of HTTP/2, has at most; 0: as they come. What is written at once
	// has no more than MostFrames: those of a long answer are longer, and with Inside the last is.
	Frame int `json:"frame,omitempty"`
	// Inside ends a frame within each character of several bytes.
	Inside bool `json:"inside,omitempty"`
	// Gather holds the events of a watch back for so long after the first, and sends them in one frame.
	Gather *metav1.Duration `json:"gather,omitempty"`
	// Gzip compresses each answer for clients that take that, whatever its size, or none; watches are never compressed. "": from 128 KiB on.
	Gzip Gzip `json:"gzip,omitempty"`
	// Close closes the connection after the answer, and says so before: by a header, or in HTTP/2 by GOAWAY.
	Close bool `json:"close,omitempty"`
}

// MostFrames is how many frames what is written at once has.
const MostFrames = 512

// Gzip says which answers are compressed.
type Gzip string

const (
	Always Gzip = "always"
	Never  Gzip = "never"
)

// Events chooses what of a watch is disturbed: events by their place among those of Types, or a moment.
type Events struct {
	// Types that count; none: all.
	Types []string `json:"types,omitempty"` // ADDED, MODIFIED, DELETED, BOOKMARK
	// Object is the name of the object that counts; "": any.
	Object string `json:"object,omitempty"`
	// Nth and on (0: the first), Times of them (0: one if Nth is set, else all), each with this probability.
	Nth         int      `json:"nth,omitempty"`
	Times       int      `json:"times,omitempty"`
	Probability *float64 `json:"probability,omitempty"`
	// After is a moment since the watch was opened, in place of all of those: for what is no event's.
	After *metav1.Duration `json:"after,omitempty"`

	// Do is what becomes of each.
	Do Do `json:"do"`
	// Status is that of an error; absent: 410, as of a watch that starts too far back.
	Status *Status `json:"status,omitempty"`
	// By is how far a bookmark that lies is ahead; 0: 1000.
	By int64 `json:"by,omitempty"`
	// For is how long a delay is, or how long the connection stays open after an ERROR; absent there: it ends at once.
	For *metav1.Duration `json:"for,omitempty"`
	// Frame is what is sent in place of what it would be: in JSON a line, in protobuf what follows the length.
	Frame string `json:"frame,omitempty"`
}

// Do is what becomes of an event.
type Do string

const (
	Drop     Do = "drop"     // it is not sent
	Double   Do = "double"   // it is sent twice
	Swap     Do = "swap"     // it is sent after the one that follows it; alone, not at all
	Delay    Do = "delay"    // it waits, and all behind it
	Early    Do = "early"    // a bookmark at its resourceVersion comes before it
	Lie      Do = "lie"      // a bookmark that is By ahead comes before it
	Error    Do = "error"    // an ERROR is sent in its place, and the watch ends
	Close    Do = "close"    // the watch ends cleanly in its place
	Break    Do = "break"    // the stream breaks off in its place
	Stall    Do = "stall"    // neither it nor anything after it is sent
	Truncate Do = "truncate" // half of its frame is sent, and the watch ends
	Garble   Do = "garble"   // its frame cannot be read
	Replace  Do = "replace"  // Frame is sent in its place
)

// atMoments are what needs no event.
var atMoments = []Do{Lie, Error, Close, Break, Stall}

// bytely are what only a wire can show.
var bytely = []Do{Truncate, Garble, Replace}
