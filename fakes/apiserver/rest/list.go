package rest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// listing reads a list whose items are the store's own.
type listing func(context.Context, apiserver.Request, metav1.ListOptions) (apiserver.Listed, error)

// list answers with a list.
func (x *exchange) list(t target, f form, o metav1.ListOptions) {
	join := x.joint(t, &f)
	if join == nil {
		l, err := x.api.List(x.r.Context(), t.req, o)
		if err == nil {
			err = f.readTable(x.r.URL.Query())
		}
		if err != nil {
			x.fail(err)
			return
		}
		x.answer(t, f, http.StatusOK, l)
		return
	}
	l, err := x.listing(x.r.Context(), t.req, o)
	if err == nil {
		err = f.readTable(x.r.URL.Query())
	}
	if err != nil {
		x.fail(err)
		return
	}
	key := x.zipKey(f, l)
	if x.keptZip(f, key) {
		return
	}
	b, err := join(l)
	if err != nil {
		x.fail(err)
		return
	}
	x.w.Header().Set("Content-Type", f.contentType())
	if x.wire.Cut || x.wire.Hang {
		x.halfway(http.StatusOK, bytes.Join(b.parts, nil))
		return
	}
	x.send(http.StatusOK, b.size, key, func(out io.Writer) {
		for _, p := range b.parts {
			_, _ = out.Write(p) // a client that is gone needs no answer
		}
	})
}

// body is the body of an answer in parts.
type body struct {
	parts [][]byte
	size  int
}

func (b *body) add(p []byte) {
	b.parts, b.size = append(b.parts, p), b.size+len(p)
}

// joint returns what joins lists of a form from the bytes of their items, which are kept with the items; nil: nothing does: old
// forms are encoded as a whole.
func (x *exchange) joint(t target, f *form) func(apiserver.Listed) (body, error) {
	if x.listing == nil || f.indented || !f.as.Empty() && f.as.GroupVersion() != metav1.SchemeGroupVersion {
		return nil
	}
	switch {
	case f.name == runtime.ContentTypeProtobuf && f.as.Empty():
		return func(l apiserver.Listed) (body, error) { return f.joinProtobuf(t.row, l) }
	case f.name != runtime.ContentTypeJSON:
		return nil
	case f.as.Empty():
		return func(l apiserver.Listed) (body, error) { return f.join(t.row, l, f.object) }
	case f.as.Kind == "PartialObjectMetadataList":
		return func(l apiserver.Listed) (body, error) { return f.join(t.row, l, f.metadata) }
	case f.as.Kind == "Table":
		return func(l apiserver.Listed) (body, error) {
			return f.join(t.row, l, func(it apiserver.Stored) ([]byte, error) { return f.tableRow(t.row, it) })
		}
	}
	return nil
}

// begin returns a body that begins with an empty list up to where its items are, and what follows them; nil: there are none, and it
// is all. Items are the last field of lists, but of those of custom resources, whose fields are sorted.
func (f *form) begin(r *row, l apiserver.Listed) (b body, rest []byte, err error) {
	empty, err := f.show(r, l.List)
	if err != nil {
		return b, nil, err
	}
	head, err := f.encode(empty)
	if err != nil || len(l.Items) == 0 {
		b.add(head)
		return b, nil, err
	}
	var front []byte
	ok := false
	if r.Custom && f.as.Empty() {
		const none = "[]"
		at := bytes.Index(head, []byte(`"items":`+none)) + len(`"items":`)
		if ok = at >= len(`"items":`); ok {
			front, rest = head[:at], head[at+len(none):]
		}
	} else {
		for _, none := range []string{"[]}\n", "null}\n"} {
			if front, ok = bytes.CutSuffix(head, []byte(none)); ok {
				break
			}
		}
		rest = []byte("}\n")
	}
	if !ok {
		return b, nil, errors.New("a list without a place for its items")
	}
	b.parts = make([][]byte, 0, 2+2*len(l.Items))
	b.add(front)
	return b, rest, nil
}

// join joins a list of items that are JSON.
func (f *form) join(r *row, l apiserver.Listed, item func(apiserver.Stored) ([]byte, error)) (body, error) {
	b, rest, err := f.begin(r, l)
	if err != nil || rest == nil {
		return b, err
	}
	before := []byte("[")
	for _, it := range l.Items {
		p, err := item(it)
		if err != nil {
			return b, err
		}
		b.add(before)
		b.add(p)
		before = []byte(",")
	}
	b.add([]byte("]"))
	b.add(rest)
	return b, nil
}

// object is an object as JSON.
func (f *form) object(it apiserver.Stored) ([]byte, error) { return it.Kept(apiserver.JSON, f.line) }

// line is an object as JSON, in as many bytes as it takes.
func (f *form) line(obj runtime.Object) ([]byte, error) {
	b, err := f.encode(obj)
	return bytes.Clone(bytes.TrimSuffix(b, []byte("\n"))), err
}

// metadata is the metadata of an object as JSON.
func (f *form) metadata(it apiserver.Stored) ([]byte, error) {
	return it.Kept(apiserver.MetadataJSON, func(obj runtime.Object) ([]byte, error) {
		p, err := f.partial(obj)
		if err != nil {
			return nil, err
		}
		return f.line(p)
	})
}

// tableRow is the row of an object. Its cells are made anew: they have ages.
func (f *form) tableRow(r *row, it apiserver.Stored) ([]byte, error) {
	if f.table.IncludeObject != metav1.IncludeMetadata && f.table.IncludeObject != "" {
		row, err := f.row(r, it.Object().DeepCopyObject())
		if err != nil {
			return nil, err
		}
		return json.Marshal(row)
	}
	row, err := f.cells(r, it.Object())
	if err != nil {
		return nil, err
	}
	of, err := f.metadata(it)
	if err != nil {
		return nil, err
	}
	return appendRow(make([]byte, 0, len(of)+rowRoom), row, of)
}

// rowRoom is what most rows need beside their object.
const rowRoom = 256

// appendRow appends what json.Marshal returns for a row whose object is JSON already. BenchmarkList says why it does not call it: it reads
// and copies the object, and looks at cells by reflection.
func appendRow(to []byte, row metav1.TableRow, object []byte) ([]byte, error) {
	to = append(to, `{"cells":[`...)
	for i, c := range row.Cells {
		if i > 0 {
			to = append(to, ',')
		}
		if s, ok := c.(string); ok && plain(s) {
			to = append(append(append(to, '"'), s...), '"')
			continue
		}
		b, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		to = append(to, b...)
	}
	to = append(to, ']')
	if len(row.Conditions) > 0 {
		b, err := json.Marshal(row.Conditions)
		if err != nil {
			return nil, err
		}
		to = append(append(to, `,"conditions":`...), b...)
	}
	return append(append(append(to, `,"object":`...), object...), '}'), nil
}

// plain reports whether JSON has s between quotation marks as it is.
func plain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '<', '>', '&':
			return false
		default:
			if c < ' ' || c > '~' {
				return false
			}
		}
	}
	return true
}

// itemTag begins an item of a list in protobuf: field 2, with its length. All lists of built-in kinds have their items there.
const itemTag = 2<<3 | 2

// joinProtobuf joins a list in protobuf: its items stand behind its metadata, in the envelope of all objects.
func (f *form) joinProtobuf(r *row, l apiserver.Listed) (body, error) {
	head, err := f.encode(r.kinded(l.List))
	if err != nil {
		return body{}, err
	}
	magic := []byte("k8s\x00")
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(bytes.TrimPrefix(head, magic)); err != nil {
		return body{}, err
	}
	items := body{parts: make([][]byte, 0, 3+2*len(l.Items))}
	items.parts = append(items.parts, nil) // the envelope
	items.add(envelope.Raw)
	for _, it := range l.Items {
		p, err := it.Kept(apiserver.Protobuf, marshal)
		if err != nil {
			return body{}, err
		}
		items.add(binary.AppendUvarint([]byte{itemTag}, uint64(len(p))))
		items.add(p)
	}
	raw := items.size
	envelope.Raw = nil
	front, err := envelope.TypeMeta.Marshal()
	if err != nil {
		return body{}, err
	}
	begin := binary.AppendUvarint(append(magic, 1<<3|2), uint64(len(front)))
	begin = binary.AppendUvarint(append(append(begin, front...), 2<<3|2), uint64(raw))
	items.parts[0], items.size = begin, items.size+len(begin)
	items.add([]byte{3<<3 | 2, 0, 4<<3 | 2, 0}) // no encoding, and no content type
	return items, nil
}

// marshal is an object in protobuf, without an envelope.
func marshal(obj runtime.Object) ([]byte, error) {
	m, ok := obj.(interface{ Marshal() ([]byte, error) })
	if !ok {
		return nil, fmt.Errorf("%T has no protobuf", obj)
	}
	return m.Marshal()
}
