package history

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Log writes the events of a history at once, so that they survive if the process ends during a check. Only ReadLog of
// the same program reads its format. An object that comes again is written as a number, because checks list the same
// hundreds of objects often. (BenchmarkWrite: a list of a thousand takes a fourteenth of the time of JSON.)
type Log struct {
	enc  *gob.Encoder
	refs map[Ref]int32 // numbers of the objects that were written, from 1
}

// entry is one event in a Log.
type entry struct {
	End      bool     // not an event: the history is complete
	Step     *Step    // not an event: a step of the story
	New      []object // objects that occur for the first time, to be numbered
	Num      int32
	Call     int32
	Phase    Phase
	Actor    string
	Kind     string
	At       int64
	Obj      int32
	Extra    bool // the event has an Ext
	HasItems bool // an empty list differs from no list
	Items    []int32
	Err      *Error
	Args     []byte
	Body     []byte
}

// NewLog writes the header and returns a Log for the events.
func NewLog(w io.Writer, h Header) (*Log, error) {
	h.Format = Format
	l := &Log{enc: gob.NewEncoder(w), refs: map[Ref]int32{}}
	head, err := json.Marshal(h) // gob would not distinguish an empty list of features from none
	return l, errors.Join(err, l.enc.Encode(head))
}

// Write adds an event.
func (l *Log) Write(e *Event) error {
	out := entry{Num: e.Num, Call: e.Call, Phase: e.Phase, Actor: e.Actor, Kind: e.Kind, At: e.At}
	out.Obj = l.number(e.Obj, &out)
	if x := e.X; x != nil {
		out.Extra, out.HasItems, out.Err, out.Args, out.Body = true, x.Items != nil, x.Err, x.Args, x.Body
		if len(x.Items) > 0 {
			out.Items = make([]int32, len(x.Items))
		}
		for i, r := range x.Items {
			out.Items[i] = l.number(r, &out)
		}
	}
	return l.enc.Encode(&out)
}

// WriteStep adds a step of the story.
func (l *Log) WriteStep(s *Step) error { return l.enc.Encode(&entry{Step: s}) }

func (l *Log) number(r Ref, in *entry) int32 {
	r.K, r.N = 0, 0
	if r == (Ref{}) {
		return 0
	}
	n, ok := l.refs[r]
	if !ok {
		n = int32(len(l.refs) + 1)
		l.refs[r] = n
		in.New = append(in.New, toObject(&r))
	}
	return n
}

// Close marks the history as complete. It does not close the underlying writer.
func (l *Log) Close() error { return l.enc.Encode(&entry{End: true}) }

// ReadLog reads what a Log wrote. If the log was cut off, it sets Truncated.
func ReadLog(r io.Reader) (*History, error) {
	dec := gob.NewDecoder(r)
	var head Header
	var b []byte
	if err := dec.Decode(&b); err != nil {
		return nil, fmt.Errorf("the log of a check has no header: %w", err)
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("the header of a check's log: %w", err)
	}
	var d decoder
	refs := []Ref{{}}
	var events []Event
	var steps []Step
	complete := false
	for !complete {
		var in entry
		if err := dec.Decode(&in); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the log of a check, after event %d: %w", len(events), err)
		}
		if complete = in.End; complete {
			break
		}
		if in.Step != nil {
			steps = append(steps, *in.Step)
			continue
		}
		for i := range in.New {
			refs = append(refs, d.ref(&in.New[i]))
		}
		events = append(events, in.event(refs))
	}
	h, err := New(head, events)
	if err == nil {
		h.Truncated, h.Steps = !complete, steps
	}
	return h, err
}

func (in *entry) event(refs []Ref) Event {
	e := Event{Num: in.Num, Call: in.Call, Phase: in.Phase, Actor: in.Actor, Kind: in.Kind, At: in.At, Obj: refs[in.Obj]}
	if !in.Extra {
		return e
	}
	e.X = &Ext{Err: in.Err, Args: in.Args, Body: in.Body}
	if in.HasItems {
		e.X.Items = make([]Ref, len(in.Items))
	}
	for i, n := range in.Items {
		e.X.Items[i] = refs[n]
	}
	return e
}
