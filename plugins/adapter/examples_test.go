package adapter

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// The examples are those of lwtest's side, which has the messages from one table: what it says must be understood here,
// and what is said here must be what it reads.
func TestExamples(t *testing.T) {
	b, err := os.ReadFile("../exec/testdata/examples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	ops := Adapter{Store: StoreOffer{Open: openQueue}, Informer: InformerOffer{New: newFake}, ListerWatcher: ListerWatcherOffer{Open: openClient},
		WatchCache: WatchCacheOffer{Open: openServer}, Runtime: RuntimeOffer{Start: startRuntime}, Node: NodeOffer{Command: sleeps}}.ops()
	events := map[string]any{"push": storePush{}, "notice": informerNotice{}, "pushed": informerPush{}, "failed": informerFailed{}}
	seen := map[string]bool{}
	for _, line := range bytes.Split(bytes.TrimSpace(b), []byte("\n")) {
		var e struct {
			Op, Ev               string
			Request, Answer, Err json.RawMessage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Ev != "" {
			seen[e.Ev] = true
			same(t, events[e.Ev], line)
			continue
		}
		seen[e.Op] = true
		op, ok := ops[e.Op]
		if !ok {
			t.Errorf("there is no %s", e.Op)
			continue
		}
		same(t, reflect.ValueOf(op.request).Elem().Interface(), e.Request)
		if e.Answer != nil {
			same(t, reflect.ValueOf(op.reply).Elem().Interface(), e.Answer)
		}
		if e.Err != nil {
			same(t, failure{}, e.Err)
		}
		if _, err := op.read(line); err != nil {
			t.Errorf("%s is not understood: %v", e.Op, err)
		}
	}
	for name := range ops {
		if !seen[name] {
			t.Errorf("no example of %s", name)
		}
	}
	for name := range events {
		if !seen[name] {
			t.Errorf("no example of the event %s", name)
		}
	}
}

// same reads a message strictly as one like of, and wants it written as it was.
func same(t *testing.T, of any, message []byte) {
	t.Helper()
	v := reflect.New(reflect.TypeOf(of))
	d := json.NewDecoder(bytes.NewReader(message))
	d.DisallowUnknownFields()
	if err := d.Decode(v.Interface()); err != nil {
		t.Errorf("%v: %s", err, message)
		return
	}
	again, err := json.Marshal(v.Interface())
	if err != nil {
		t.Error(err)
	}
	var want, got any
	if json.Unmarshal(message, &want) != nil || json.Unmarshal(again, &got) != nil || !reflect.DeepEqual(want, got) {
		t.Errorf("got  %s\nwant %s", again, message)
	}
}
