package kube

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"

	"github.com/lwtest/lwtest/conformance/rig"
)

// frames is the body of a watch, of which each event is noted before the client gets any of it.
type frames struct {
	io.Closer
	next  func() ([]byte, error) // see lines
	event func(frame []byte) rig.Entry
	note  func(rig.Entry)

	rest  []byte // of a frame that was read
	err   error  // after it
	whole bool   // it has ended, and not in the midst of a frame
}

// Read implements io.Reader.
func (f *frames) Read(b []byte) (int, error) {
	if len(f.rest) == 0 && f.err == nil {
		f.rest, f.err = f.next()
		switch {
		case f.err == nil:
			f.note(f.event(f.rest))
		case f.err == io.EOF && len(f.rest) == 0:
			f.whole = true
		}
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// framing gives the frames of a stream, one after the other, as they are on the wire. With an error comes what there
// was of the last one: io.EOF alone is an end as it should be.
func framing(media string, from io.Reader) func() ([]byte, error) {
	in := bufio.NewReader(from)
	if isProtobuf(media) {
		return func() ([]byte, error) { return counted(in) }
	}
	return func() ([]byte, error) { return line(in) }
}

// line is a frame of JSON: kube-apiserver has each on a line.
func line(in *bufio.Reader) ([]byte, error) {
	b, err := in.ReadBytes('\n')
	if err == io.EOF && json.Valid(b) {
		return b, nil // the last, and it does not say so
	}
	return b, err
}

// lengthBytes stand before a frame of protobuf, and say how long it is.
const lengthBytes = 4

func counted(in *bufio.Reader) ([]byte, error) {
	b := make([]byte, lengthBytes)
	if n, err := io.ReadFull(in, b); err != nil {
		return b[:n], err
	}
	long := binary.BigEndian.Uint32(b)
	if long > maxFrame {
		return b, errors.New("a frame of more than a gigabyte")
	}
	b = append(b, make([]byte, long)...)
	n, err := io.ReadFull(in, b[lengthBytes:])
	return b[:lengthBytes+n], err
}

// maxFrame is more than any object may have.
const maxFrame = 1 << 30
