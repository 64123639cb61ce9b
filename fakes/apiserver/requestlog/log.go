package requestlog

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/lwtest/lwtest/fakes/apiserver"
)

// Log numbers entries and hands them on. It is safe for concurrent use, by several servers too.
type Log struct {
	mu   sync.Mutex
	n    int64
	sink func(Entry)
}

// New is a log whose entries go to sink, one at a time and in order. sink must not use what it logs.
func New(sink func(Entry)) *Log {
	return &Log{sink: sink}
}

// add numbers an entry, and gives the number.
func (l *Log) add(e Entry) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	e.N, e.Time = l.n, time.Now()
	if e.What == Asked {
		e.Request = e.N
	}
	l.sink(e)
	return e.N
}

// Settled notes that all watches that are open have been sent what they are due up to a resourceVersion
// ("": all that was acknowledged before). Only who knows it may say so: a test in a bubble where nothing
// moves. Until then nobody can tell a missing event from a late one.
func (l *Log) Settled(resourceVersion string) {
	l.add(Entry{What: Settled, ResourceVersion: resourceVersion})
}

type callKey struct{}

// call is the request that a context belongs to.
type call struct {
	log *Log
	id  int64
}

// Strike notes that a fault strikes the request of ctx, if that is logged: what it does, whether the client
// will miss the answer or some of it, and what that would have been (nil: unknown).
func Strike(ctx context.Context, fault, does string, lost bool, answer runtime.Object) {
	if c, ok := ctx.Value(callKey{}).(call); ok {
		e := Entry{What: Struck, Request: c.id, Fault: fault, Does: does, Lost: lost}
		e.show(answer)
		c.log.add(e)
	}
}

// show sets Object and ResourceVersion.
func (e *Entry) show(obj runtime.Object) {
	if obj == nil {
		return
	}
	b, err := json.Marshal(obj)
	if err != nil {
		e.Message = err.Error()
		return
	}
	e.Object = b
	if m, err := meta.Accessor(obj); err == nil {
		e.ResourceVersion = m.GetResourceVersion()
	} else if m, err := meta.ListAccessor(obj); err == nil {
		e.ResourceVersion = m.GetResourceVersion()
	}
}

// fail sets what an error says.
func (e *Entry) fail(err error) {
	e.Message = err.Error()
	var known apierrors.APIStatus
	if errors.As(err, &known) {
		s := known.Status()
		e.Code, e.Reason, e.Message = s.Code, string(s.Reason), s.Message
		e.show(&s)
	}
}

func plain(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil || bytes.Equal(b, []byte("{}")) {
		return nil // options are plain data
	}
	return b
}

// code is what HTTP answers where nothing is wrong.
func code(verb string) int32 {
	if verb == "create" {
		return http.StatusCreated
	}
	return http.StatusOK
}

// header is the first line of a file.
const header = `{"lwtest":"requests/v1"}`

// JSONLines is a sink that writes a file: a header, then one entry a line. The first error is kept for err,
// and nothing is written after it.
func JSONLines(w io.Writer) (sink func(Entry), err func() error) {
	var mu sync.Mutex
	_, failed := io.WriteString(w, header+"\n")
	sink = func(e Entry) {
		mu.Lock()
		defer mu.Unlock()
		if failed != nil {
			return
		}
		var b []byte
		if b, failed = json.Marshal(e); failed == nil {
			_, failed = w.Write(append(b, '\n'))
		}
	}
	return sink, func() error {
		mu.Lock()
		defer mu.Unlock()
		return failed
	}
}

// Is says whether a file that begins so is a request log.
func Is(begin []byte) bool { return bytes.HasPrefix(begin, []byte(header)) }

// Read reads what JSONLines wrote. A last line that was cut is left out.
func Read(r io.Reader) ([]Entry, error) {
	in := bufio.NewReader(r)
	if first, err := in.ReadString('\n'); err != nil || !Is([]byte(first)) {
		return nil, errors.New("line 1: this is no request log: it begins with " + header)
	}
	var all []Entry
	for line := 2; ; line++ {
		b, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var e Entry
		if err := json.Unmarshal(b, &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if e.N != int64(len(all)+1) {
			return nil, fmt.Errorf("line %d: entry %d: want %d, they count from 1 without a gap", line, e.N, len(all)+1)
		}
		all = append(all, e)
	}
}

var _ apiserver.API = api{}
