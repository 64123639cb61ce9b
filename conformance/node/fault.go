package node

import (
	"encoding/json"

	"github.com/lwtest/lwtest/harness/story"
)

// APIFault is what goes wrong with some requests of the agent to the API server. Its JSON is that of docs/faults.md.
type APIFault struct {
	Name        string          `json:"name,omitempty"`
	Verbs       []string        `json:"verbs,omitempty"`
	Resource    string          `json:"resource,omitempty"`
	Subresource string          `json:"subresource,omitempty"`
	Object      string          `json:"object,omitempty"`
	Nth         int             `json:"nth,omitempty"`
	Times       int             `json:"times,omitempty"`
	Latency     story.Duration  `json:"latency,omitempty"`
	Status      *APIStatus      `json:"status,omitempty"`
	Hang        string          `json:"hang,omitempty"`
	For         story.Duration  `json:"for,omitempty"`
	Reset       string          `json:"reset,omitempty"`
	LoseAnswer  bool            `json:"loseAnswer,omitempty"`
	Events      json.RawMessage `json:"events,omitempty"`
}

// APIStatus is the error that refuses a request.
type APIStatus struct {
	Code int32 `json:"code"`
}

// RuntimeFault is what goes wrong with some calls of the agent to the runtime, or with its events. Its JSON is that of docs/cri.md.
type RuntimeFault struct {
	Name     string         `json:"name,omitempty"`
	Method   string         `json:"method,omitempty"`
	Contains string         `json:"contains,omitempty"`
	Nth      int            `json:"nth,omitempty"`
	Times    int            `json:"times,omitempty"`
	Delay    story.Duration `json:"delay,omitempty"`
	Hang     bool           `json:"hang,omitempty"`
	For      story.Duration `json:"for,omitempty"`
	Code     uint32         `json:"code,omitempty"`
	Applied  bool           `json:"applied,omitempty"`
	Slow     story.Duration `json:"slow,omitempty"`
	Event    string         `json:"event,omitempty"`
	Type     string         `json:"type,omitempty"`
	// Dies is who dies in such a call, and does not come back by itself: "agent" or "runtime". With slow it dies in the middle of the call,
	// with applied at its end, else before anything is done.
	Dies string `json:"dies,omitempty"`
}

// Validate implements the check of a step.
func (f RuntimeFault) Validate() error {
	return story.OneOf("party that dies", []string{f.Dies}, "", "agent", "runtime")
}
