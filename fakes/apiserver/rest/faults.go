package rest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"net"
	"net/http"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver/faults"
)

// What faults do to bytes; all else they do before an API, see package faults.

// cut breaks the connection off: over TCP with a reset, of HTTP/2 the stream alone. It does not return.
func (x *exchange) cut() {
	if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
		under := conn
		if t, ok := conn.(interface{ NetConn() net.Conn }); ok { // TLS
			under = t.NetConn()
		}
		if tcp, ok := under.(interface{ SetLinger(int) error }); ok {
			_ = tcp.SetLinger(0) // or it is an end, not a reset
		}
		_ = conn.Close()
	}
	panic(http.ErrAbortHandler)
}

// instead answers with what a fault says.
func (x *exchange) instead(a *faults.Answer) {
	x.w.Header().Set("Content-Type", cmp.Or(a.Type, runtime.ContentTypeJSON))
	if a.RetryAfter != "" {
		x.w.Header().Set("Retry-After", a.RetryAfter)
	}
	x.w.WriteHeader(a.Code)
	_, _ = x.w.Write([]byte(a.Body)) // who is gone needs none
}

// halfway sends half of a body, and then what the fault says.
func (x *exchange) halfway(code int, body []byte) {
	half := len(body) / 2
	x.w.WriteHeader(code)
	_, _ = x.w.Write(body[:half])
	_ = http.NewResponseController(x.w).Flush() // who is gone needs none
	if x.wire.Hang {
		var over <-chan time.Time
		if x.wire.For > 0 {
			timer := time.NewTimer(x.wire.For)
			defer timer.Stop()
			over = timer.C
		}
		select {
		case <-over:
		case <-x.r.Context().Done():
			x.cut()
		}
	}
	if x.wire.Cut {
		x.cut()
	}
	_, _ = x.w.Write(body[half:])
}

// spoil appends the bytes of an event that nobody can read.
func (s *stream) spoil(f *faults.Frame) error {
	from := s.buf.Len()
	if err := s.add(f.Event); err != nil {
		return err
	}
	frame := s.buf.Bytes()[from:]
	switch {
	case f.Bytes != nil && s.form.name == runtime.ContentTypeJSON:
		s.buf.Truncate(from)
		s.buf.Write(append(bytes.Clone(f.Bytes), '\n'))
	case f.Bytes != nil:
		s.buf.Truncate(from)
		s.buf.Write(binary.BigEndian.AppendUint32(nil, uint32(len(f.Bytes))))
		s.buf.Write(f.Bytes)
	case f.Half:
		s.buf.Truncate(from + len(frame)/2)
	case s.form.name == runtime.ContentTypeJSON:
		frame[0] = '#'
	default:
		frame[4] = 0xff // behind the length: no field has that tag
	}
	return nil
}

// framed is an answer whose bytes go out as faults say.
type framed struct {
	http.ResponseWriter
	how *faults.Bytes
}

// WriteHeader implements http.ResponseWriter. In HTTP/2 net/http makes the header a GOAWAY, as kube-apiserver has it (--goaway-chance).
func (f *framed) WriteHeader(code int) {
	if f.how.Close {
		f.Header().Set("Connection", "close")
	}
	f.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (f *framed) Write(b []byte) (n int, err error) {
	if f.how.Frame == 0 && !f.how.Inside {
		return f.ResponseWriter.Write(b)
	}
	out, most := http.NewResponseController(f.ResponseWriter), len(b)
	if f.how.Frame > 0 {
		most = max(f.how.Frame, len(b)/faults.MostFrames+1)
	}
	for frames := 1; n < len(b) && err == nil; frames++ {
		next := b[n:]
		if frames < faults.MostFrames {
			next = f.frame(next, most)
		}
		var m int
		m, err = f.ResponseWriter.Write(next)
		if n += m; err == nil {
			err = out.Flush()
		}
	}
	return n, err
}

// frame returns the first frame of b.
func (f *framed) frame(b []byte, most int) []byte {
	b = b[:min(most, len(b))]
	if !f.how.Inside || most < utf8.UTFMax {
		return b
	}
	for i, c := range b[:len(b)-1] {
		if utf8.RuneStart(c) && c >= utf8.RuneSelf {
			return b[:i+1]
		}
	}
	return b
}

// Unwrap is for http.ResponseController.
func (f *framed) Unwrap() http.ResponseWriter { return f.ResponseWriter }
