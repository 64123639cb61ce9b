package rest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/http"
	goruntime "runtime"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/lwtest/lwtest/fakes/apiserver"
	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// batch is from how many bytes on events are not collected any more, but sent. With the reader, it bounds
// what a watch keeps: while a write waits, no event is taken from the API.
const batch = 64 << 10

// buffers are *bytes.Buffer, each for a batch.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// pace is the pause after a write to a watch, for each watch of the resource. A write costs both sides a fifth of
// that, and one with many events not much more: so under load a core is a fifth busy with them, however many watch.
const pace = 100 * time.Microsecond

// watch sends events until the API or the client ends it.
func (x *exchange) watch(t target, f form, o metav1.ListOptions) {
	w, err := x.open(x.r.Context(), t.req, o)
	if err != nil {
		x.fail(err)
		return
	}
	defer w.Stop()
	if err := f.readTable(x.r.URL.Query()); err != nil {
		x.fail(err)
		return
	}
	if !f.stream {
		x.fail(notAcceptable(x.codecs.names(";stream=watch", streams)))
		return
	}
	x.w.Header().Set("Content-Type", f.streamType())
	x.w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(x.w)
	if out.Flush() != nil {
		return
	}
	f.indented = false
	s := &stream{row: t.row, form: f, known: x.known, buf: new(bytes.Buffer), gone: x.r.Context().Done()}
	gather := x.wire.Bytes.Gather
	if p, ok := w.(apiserver.Pusher); ok && gather == nil {
		p.Push(x.o.pace, func(e watch.Event) bool {
			s.take(e, true)
			return !s.ended && (s.buf.Len() < batch || x.sendEvents(s))
		}, func() bool { return x.sendEvents(s) })
		s.closed = !s.ended
	} else {
		for s.events = w.ResultChan(); s.fill() && s.gather(gather) && x.sendEvents(s); {
		}
	}
	if b, ok := w.(interface{ Broken() bool }); ok && s.closed && b.Broken() {
		panic(http.ErrAbortHandler) // net/http's way to break off
	}
}

// sendEvents sends what a stream has, and reports whether the client is still there.
func (x *exchange) sendEvents(s *stream) bool {
	if s.buf.Len() == 0 {
		return true
	}
	h := holderOf(x.r)
	if x.wire.Bytes.Frame > 0 || x.wire.Bytes.Inside {
		h = nil // each frame is sent
	}
	if h != nil {
		h.hold()
	}
	_, err := x.w.Write(s.buf.Bytes())
	err = errors.Join(err, http.NewResponseController(x.w).Flush())
	if h != nil {
		err = errors.Join(err, h.release())
	}
	s.buf.Reset()
	buffers.Put(s.buf)
	s.buf = new(bytes.Buffer) // a watch that sleeps holds on to no bytes
	return err == nil
}

// stream makes bytes of events.
type stream struct {
	row    *row
	form   form
	known  *encoded // nil: the objects are this watch's alone
	events <-chan watch.Event
	gone   <-chan struct{} // a watch of a broken API may not end with its request
	buf    *bytes.Buffer
	ended  bool
	closed bool // by the API
}

// take adds an event, or notes the end.
func (s *stream) take(e watch.Event, ok bool) {
	s.closed = !ok
	s.ended = !ok || s.add(e) != nil
}

// fill waits for an event, and takes those with it that are ready. It is false at the end, with nothing
// left to send.
func (s *stream) fill() bool {
	if !s.ended {
		select {
		case e, ok := <-s.events:
			s.take(e, ok)
		case <-s.gone:
			return false
		}
	}
	for !s.ended && s.buf.Len() < batch {
		goruntime.Gosched() // the API's channel has no room: let it offer the next
		select {
		case e, ok := <-s.events:
			s.take(e, ok)
		default:
			return true
		}
	}
	return s.buf.Len() > 0
}

// gather adds the events that come within some time, if any is said. It is false when the client has gone.
func (s *stream) gather(long *metav1.Duration) bool {
	if long == nil {
		return true
	}
	timer := time.NewTimer(long.Duration)
	defer timer.Stop()
	for !s.ended {
		select {
		case e, ok := <-s.events:
			s.take(e, ok)
		case <-timer.C:
			return true
		case <-s.gone:
			return false
		}
	}
	return true
}

// add appends the bytes of an event. One that cannot be encoded ends the stream.
func (s *stream) add(e watch.Event) error {
	if f, ok := e.Object.(*faults.Frame); ok {
		return s.spoil(f)
	}
	if s.known == nil {
		return s.write(s.encode(e, e.Object))
	}
	if e.Type == watch.Bookmark || e.Type == watch.Error || s.form.as.Kind == "Table" { // its own, or told the time of
		return s.write(s.encode(e, e.Object.DeepCopyObject()))
	}
	return s.write(s.known.bytes(encoding{e.Object, e.Type, s.form.media, s.form.as}, func() ([]byte, error) {
		return s.encode(e, e.Object.DeepCopyObject())
	}))
}

func (s *stream) write(b []byte, err error) error {
	if s.buf.Cap() == 0 {
		s.buf = buffers.Get().(*bytes.Buffer)
	}
	s.buf.Write(b)
	return err
}

// encode gives the bytes of an event of an object, which it may change.
func (s *stream) encode(e watch.Event, obj runtime.Object) ([]byte, error) {
	obj, err := s.form.show(s.row, obj)
	if err != nil {
		return nil, err
	}
	s.form.table.NoHeaders = true // once is enough
	body, err := s.form.encode(obj)
	if err != nil {
		return nil, err
	}
	if s.form.name != runtime.ContentTypeJSON {
		return frame(&metav1.WatchEvent{Type: string(e.Type), Object: runtime.RawExtension{Raw: body}})
	}
	out := make([]byte, 0, len(body)+32)
	out = append(out, `{"type":"`...)
	out = append(out, e.Type...)
	out = append(out, `","object":`...)
	out = append(out, bytes.TrimSuffix(body, []byte("\n"))...)
	return append(out, "}\n"...), nil
}

// frame is an event in protobuf, after its length.
func frame(e *metav1.WatchEvent) ([]byte, error) {
	b, err := e.Marshal()
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...), nil
}
