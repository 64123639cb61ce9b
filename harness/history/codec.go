package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// line is an event as JSON. SCHEMA.md and schema.json describe it.
type line struct {
	Num   int32           `json:"n"`
	Call  int32           `json:"call,omitempty"`
	Phase string          `json:"phase,omitempty"` // absent: a notice
	Actor string          `json:"actor"`
	Kind  string          `json:"kind"`
	At    int64           `json:"at,omitempty"`
	Obj   *object         `json:"obj,omitempty"`
	Items *[]object       `json:"items,omitempty"` // of a list; an empty list differs from no list
	Err   *Error          `json:"err,omitempty"`
	Args  json.RawMessage `json:"args,omitempty"`
	Body  json.RawMessage `json:"body,omitempty"`
}

type object struct {
	Key    string            `json:"key,omitempty"`
	UID    string            `json:"uid,omitempty"`
	RV     string            `json:"rv,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	Body   string            `json:"body,omitempty"`
	Meta   map[string]string `json:"meta,omitempty"`
}

// footer is the last line. A file without it was cut off.
type footer struct {
	End    bool `json:"end"`
	Events int  `json:"events"`
}

// Writer writes a history event by event. Each event is one Write of one line.
type Writer struct{ w io.Writer }

// NewWriter writes the header and returns a Writer for the events.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	h.Format = Format
	return &Writer{w}, writeLine(w, h)
}

// Write adds an event. Its Num must be one more than that of the event before.
func (w *Writer) Write(e *Event) error { return writeLine(w.w, toLine(e)) }

// WriteStep adds a step of the story.
func (w *Writer) WriteStep(s *Step) error { return writeLine(w.w, s) }

// Close writes the footer. events is how many events were written. It does not close the underlying writer.
func (w *Writer) Close(events int) error { return writeLine(w.w, footer{true, events}) }

func writeLine(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}

// Write writes the whole history as JSON Lines. A truncated history gets no footer.
func (h *History) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	hw, err := NewWriter(b, h.Header)
	steps := h.Steps
	for i := 0; err == nil && i < len(h.Events); i++ {
		for ; err == nil && len(steps) > 0 && int(steps[0].After) <= i; steps = steps[1:] {
			err = hw.WriteStep(&steps[0])
		}
		err = errors.Join(err, hw.Write(&h.Events[i]))
	}
	for ; err == nil && len(steps) > 0; steps = steps[1:] {
		err = hw.WriteStep(&steps[0])
	}
	if err == nil && !h.Truncated {
		err = hw.Close(len(h.Events))
	}
	return errors.Join(err, b.Flush())
}

func toLine(e *Event) line {
	l := line{Num: e.Num, Call: e.Call, Actor: e.Actor, Kind: e.Kind, At: e.At}
	if e.Phase != Notice {
		l.Phase = e.Phase.String()
	}
	if o := toObject(&e.Obj); o.present() {
		l.Obj = &o
	}
	if x := e.X; x != nil {
		l.Err, l.Args, l.Body = x.Err, x.Args, x.Body
		if x.Items != nil {
			items := make([]object, len(x.Items))
			for i := range x.Items {
				items[i] = toObject(&x.Items[i])
			}
			l.Items = &items
		}
	}
	return l
}

func toObject(r *Ref) object {
	return object{r.Key, r.UID, r.RV, r.Labels.Map(), r.Fields.Map(), r.Body, r.Meta.Map()}
}

func (o *object) present() bool {
	return o.Key != "" || o.UID != "" || o.RV != "" || len(o.Labels) > 0 || len(o.Fields) > 0 || o.Body != "" || len(o.Meta) > 0
}

// maxLine bounds the length of a line in bytes. A list of some hundred thousand items fits.
const maxLine = 256 << 20

// ReadFile reads a history from a file.
func ReadFile(path string) (*History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// WriteCompressed writes what Write writes, compressed by gzip. The same history gives the same bytes.
func (h *History) WriteCompressed(w io.Writer) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(h.Write(z), z.Close())
}

// uncompressed returns a reader of r's content without its compression, if it has any.
func uncompressed(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil
	}
	return gzip.NewReader(b)
}

// Read reads a history, compressed by gzip or not. If the history was cut off (no footer, or a cut last line), Read
// sets Truncated. Any other fault is an error that names the line.
func Read(r io.Reader) (*History, error) {
	r, err := uncompressed(r)
	if err != nil {
		return nil, fmt.Errorf("the file looks like gzip, but cannot be read: %w", err)
	}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	s.Split(wholeLines)
	if !s.Scan() && s.Err() == nil {
		return nil, errors.New("line 1: empty: a history begins with a header such as {\"lwtest\":\"history/v1\",\"kind\":\"watchcache\",\"time\":\"real\"}")
	}
	if s.Err() != nil {
		return nil, fmt.Errorf("line 1: %w", s.Err())
	}
	head, err := header(s.Bytes())
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	d := decoder{ix: newIndexer(0)}
	n := 2
	for ; s.Scan(); n++ {
		if err := d.line(s.Bytes()); err != nil {
			if cutOff(s.Bytes(), err) {
				break
			}
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := s.Err(); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // of gzip, of a file that was cut off
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	h := d.ix.finish(head, d.events)
	h.Truncated, h.blank, h.Steps = !d.ended, d.blank, d.steps
	return h, nil
}

// wholeLines is a bufio.SplitFunc for lines that keep their newline. Only the last line may have none.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i+1], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// cutOff reports whether a line is broken because its writer was cut off.
func cutOff(b []byte, err error) bool {
	var syntax *json.SyntaxError
	return b[len(b)-1] != '\n' && errors.As(err, &syntax) && syntax.Offset == int64(len(bytes.TrimSpace(b)))
}

func header(b []byte) (Header, error) {
	var head Header
	switch err := decode(b, headerShape, &head); {
	case err != nil:
		return head, fmt.Errorf("not a header: %w", err)
	case head.Format != Format:
		return head, fmt.Errorf("format is %q, this lwtest reads %q (field \"lwtest\")", head.Format, Format)
	case head.Time != VirtualTime && head.Time != RealTime:
		return head, fmt.Errorf("time is %q: say %q or %q", head.Time, VirtualTime, RealTime)
	case head.Kind == "":
		return head, errors.New("kind is missing: say what was tested, such as \"watchcache\"")
	}
	return head, nil
}

type decoder struct {
	in     Interner
	text   map[string]string
	events []Event
	ix     indexer
	ended  bool
	blank  []int // for each line without an event, the number of events before it
	steps  []Step
}

func (d *decoder) line(b []byte) error {
	if b = bytes.TrimSpace(b); len(b) == 0 {
		d.blank = append(d.blank, len(d.events))
		return nil
	}
	var l line
	if err := decode(b, lineShape, &l); err != nil {
		return err
	}
	if l.Num == 0 {
		if is, err := d.step(b); is || err != nil {
			return err
		}
		if is, err := d.footer(b); is || err != nil {
			return err
		}
	}
	switch {
	case d.ended:
		return errors.New("unexpected line after the footer")
	case int(l.Num) != len(d.events)+1:
		return fmt.Errorf("event number is %d, want %d (field \"n\", from 1)", l.Num, len(d.events)+1)
	case l.Actor == "" || l.Kind == "":
		return errors.New("actor or kind is missing")
	}
	e := Event{Num: l.Num, Call: l.Call, Actor: d.share(l.Actor), Kind: d.share(l.Kind), At: l.At}
	for p, name := range phases {
		if l.Phase == name {
			e.Phase = Phase(p)
		}
	}
	if l.Phase != "" && l.Phase != e.Phase.String() {
		return fmt.Errorf("phase is %q: say call, return or notice", l.Phase)
	}
	if l.Obj != nil {
		e.Obj = d.ref(l.Obj)
	}
	if l.Items != nil || l.Err != nil || l.Args != nil || l.Body != nil {
		e.X = &Ext{Err: l.Err, Args: l.Args, Body: l.Body}
	}
	if l.Items != nil {
		e.X.Items = make([]Ref, len(*l.Items))
		for i := range *l.Items {
			e.X.Items[i] = d.ref(&(*l.Items)[i])
		}
	}
	d.events = append(d.events, e)
	return d.ix.add(d.events)
}

// step reads a line that is not an event, and reports whether it is a step of the story.
func (d *decoder) step(b []byte) (bool, error) {
	var s Step
	if err := decode(b, stepShape, &s); err != nil || s.Num == 0 {
		return false, err
	}
	if d.ended {
		return false, errors.New("unexpected line after the footer")
	}
	s.After = int32(len(d.events))
	d.steps, d.blank = append(d.steps, s), append(d.blank, len(d.events))
	return true, nil
}

// footer reads a line that is not an event, and reports whether it is the footer.
func (d *decoder) footer(b []byte) (bool, error) {
	var f footer
	err := decode(b, footerShape, &f)
	switch {
	case err != nil || !f.End:
		return false, err
	case d.ended:
		return false, errors.New("unexpected line after the footer")
	case f.Events != len(d.events):
		return false, fmt.Errorf("the footer counts %d events, there are %d", f.Events, len(d.events))
	}
	d.ended = true
	return true, nil
}

func (d *decoder) ref(o *object) Ref {
	return Ref{Key: d.share(o.Key), UID: d.share(o.UID), RV: o.RV, Body: o.Body, Labels: d.in.Set(o.Labels), Fields: d.in.Set(o.Fields), Meta: d.in.Set(o.Meta)}
}

// share returns a single copy of a text that occurs often.
func (d *decoder) share(s string) string {
	if t, ok := d.text[s]; ok {
		return t
	}
	if d.text == nil {
		d.text = map[string]string{}
	}
	d.text[s] = s
	return s
}
