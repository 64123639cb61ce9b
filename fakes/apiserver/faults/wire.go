package faults

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// ErrCut is the error of a call whose connection a fault breaks, where there is a wire.
var ErrCut = errors.New("a fault breaks the connection")

// ErrAnswered is the error of a call that a fault answers: with Wire.Answer.
var ErrAnswered = errors.New("a fault answers in place of the server")

// answered is the error of a call that a fault answers; a log has the answer's code, and its body as the message.
type answered struct{ *Answer }

func (a answered) Error() string         { return ErrAnswered.Error() }
func (a answered) Is(target error) bool  { return target == ErrAnswered }
func (a answered) Status() metav1.Status { return metav1.Status{Code: int32(a.Code), Message: a.Body} }

// Wire is what faults ask of the server that makes bytes of one answer. It is read when the call has returned.
type Wire struct {
	Cut  bool          // the connection breaks when half of the body has gone
	Hang bool          // nothing goes on when half of it has gone, until the client goes
	For  time.Duration // but no longer than this; 0: for ever

	Bytes Bytes // how they go out

	Answer *Answer // of a call that ended with ErrAnswered: what is answered
}

type wireKey struct{}

// WithWire says that the answers to the requests of a context become bytes, and are disturbed as w says.
func WithWire(ctx context.Context, w *Wire) context.Context {
	return context.WithValue(ctx, wireKey{}, w)
}

func wireOf(ctx context.Context) *Wire {
	w, _ := ctx.Value(wireKey{}).(*Wire)
	return w
}

// add adds what one more fault does to how bytes go out.
func (b *Bytes) add(more *Bytes) {
	b.Frame, b.Gzip = cmp.Or(more.Frame, b.Frame), cmp.Or(more.Gzip, b.Gzip)
	b.Inside, b.Close = b.Inside || more.Inside, b.Close || more.Close
	if more.Gather != nil {
		b.Gather = more.Gather
	}
}

// String says it for the log: "frame=1 inside close".
func (b *Bytes) String() string {
	var out []string
	for _, p := range []struct {
		set  bool
		text string
	}{{b.Frame > 0, fmt.Sprint("frame=", b.Frame)}, {b.Inside, "inside"}, {b.Gather != nil, "gather"}, {b.Gzip != "", "gzip=" + string(b.Gzip)}, {b.Close, "close"}} {
		if p.set {
			out = append(out, p.text)
		}
	}
	return strings.Join(out, " ")
}

// Frame is the object of an event that is to become bytes that no client can read. It comes only to who has
// a Wire.
type Frame struct {
	Event watch.Event // what it would be
	Half  bool        // the frame is cut, and the last of the watch
	Bytes []byte      // what is sent in its place; nil, and Half is not set: its content is garbled
}

// GetObjectKind implements runtime.Object.
func (*Frame) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject implements runtime.Object.
func (f *Frame) DeepCopyObject() runtime.Object {
	out := *f
	out.Event.Object = f.Event.Object.DeepCopyObject()
	return &out
}

// Unsent implements requestlog.Unsent.
func (f *Frame) Unsent() string {
	switch {
	case f.Half:
		return string(Truncate)
	case f.Bytes != nil:
		return string(Replace)
	}
	return string(Garble)
}
