package etcd

import (
	"fmt"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// Messages pass as bytes. Only these fields are read or written (go.etcd.io/etcd/api/v3@v3.7.0/etcdserverpb/rpc.proto).
const (
	headerField, revisionField = 1, 3 // of each answer, and of its header

	rangeKey, rangeRevisionField = 1, 4
	streamedRange                = 1    // of an answer of RangeStream
	compareField, compareKey     = 1, 3 // of a transaction

	watchCreate, createKey = 1, 1

	watchID, watchCreated, watchCanceled, watchCompacted, watchFragment, watchEvent = 2, 3, 4, 5, 7, 11
)

// frame is a message.
type frame struct{ b []byte }

// raw is the codec of frames.
type raw struct{}

// Marshal implements encoding.CodecV2.
func (raw) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("no frame: %T", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.b)}, nil
}

// Unmarshal implements encoding.CodecV2.
func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("no frame: %T", v)
	}
	f.b = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2: what travels is protobuf.
func (raw) Name() string { return "proto" }

// each calls yield with each field of a message: its number, its type, its value, and all its bytes. A message that cannot be read ends it.
func each(b []byte, yield func(num protowire.Number, typ protowire.Type, value, all []byte)) {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return
		}
		m := protowire.ConsumeFieldValue(num, typ, b[n:])
		if m < 0 {
			return
		}
		yield(num, typ, b[n:n+m], b[:n+m])
		b = b[n+m:]
	}
}

// field returns the first field with a number that is a message or a text.
func field(b []byte, want protowire.Number) (out []byte, ok bool) {
	each(b, func(num protowire.Number, typ protowire.Type, value, _ []byte) {
		if num == want && typ == protowire.BytesType && !ok {
			out, _ = protowire.ConsumeBytes(value)
			ok = true
		}
	})
	return out, ok
}

// number returns the last field with a number that is an integer; 0: there is none.
func number(b []byte, want protowire.Number) (out int64) {
	each(b, func(num protowire.Number, typ protowire.Type, value, _ []byte) {
		if num == want && typ == protowire.VarintType {
			n, _ := protowire.ConsumeVarint(value)
			out = int64(n)
		}
	})
	return out
}

// with returns a message in which a field has another integer; 0 removes the field.
func with(b []byte, num protowire.Number, v int64) []byte {
	out := without(b, num)
	if v != 0 {
		out = protowire.AppendVarint(protowire.AppendTag(out, num, protowire.VarintType), uint64(v))
	}
	return out
}

// without returns a message without a field.
func without(b []byte, drop protowire.Number) (out []byte) {
	each(b, func(num protowire.Number, _ protowire.Type, _, all []byte) {
		if num != drop {
			out = append(out, all...)
		}
	})
	return out
}

// keyOf returns the key that a request is about: of a transaction the first that it compares.
func keyOf(verb string, request []byte) string {
	key, _ := field(request, rangeKey)
	if verb == "txn" {
		compare, _ := field(request, compareField)
		key, _ = field(compare, compareKey)
	}
	if verb == "compact" {
		return ""
	}
	return string(key)
}

func headerRevision(answer []byte) int64 {
	header, _ := field(answer, headerField)
	return number(header, revisionField)
}

// withHeader returns an answer that says another revision.
func withHeader(answer []byte, revision int64) []byte {
	header, _ := field(answer, headerField)
	out := protowire.AppendTag(nil, headerField, protowire.BytesType)
	out = protowire.AppendBytes(out, with(header, revisionField, revision))
	return append(out, without(answer, headerField)...)
}

func rangeRevision(request []byte) int64 { return number(request, rangeRevisionField) }

func atRevision(request []byte, revision int64) []byte {
	return with(request, rangeRevisionField, revision)
}

// response is one of a watch.
type response struct {
	b            []byte
	revision, id int64
	created      bool
	events       [][]byte // whole fields
}

func readResponse(b []byte) response {
	r := response{b: b, revision: headerRevision(b), id: number(b, watchID), created: number(b, watchCreated) != 0}
	each(b, func(num protowire.Number, _ protowire.Type, _, all []byte) {
		if num == watchEvent {
			r.events = append(r.events, all)
		}
	})
	return r
}

// fragments returns a response for each event. All but the last say that more follow.
func (r response) fragments() (out [][]byte) {
	for i, e := range r.events {
		one := without(r.b, watchEvent)
		if i < len(r.events)-1 {
			one = with(one, watchFragment, 1)
		}
		out = append(out, append(one, e...))
	}
	return out
}

// compacted returns the end of the watch: its revision is compacted.
func (r response) compacted() []byte {
	return with(with(without(r.b, watchEvent), watchCanceled, 1), watchCompacted, r.revision)
}

// progress returns what says that all up to its revision has been sent.
func (r response) progress() []byte { return without(r.b, watchEvent) }
